// Tests: a crowd of layered characters over random clips, and what its poses must be.
#ifndef LAYERS_H
#define LAYERS_H

#include "poses.h"
#include "scenario.h"

enum {
    LAYERS_CLIPS = 3,
    LAYERS_INSTANCES = 70, // more than two chunks
    LAYERS_BLOCKS = 3,     // 35 joints
    LAYERS_SCALAR_BLOCKS = 2,
    LAYERS_MASKS = 2,
    LAYERS_CURSORS = 192
};

// What a run writes.
typedef struct layers_output {
    _Alignas(64) pm_pose_block poses[LAYERS_INSTANCES][LAYERS_BLOCKS];
    _Alignas(64) float scalars[LAYERS_INSTANCES][LAYERS_SCALAR_BLOCKS * PM_BLOCK_LANES];
} layers_output;

typedef struct layers {
    scenario *scenarios[LAYERS_CLIPS];
    const pm_clip *clips[LAYERS_CLIPS];
    _Alignas(64) float masks[LAYERS_MASKS][LAYERS_BLOCKS * PM_BLOCK_LANES];
    const float *mask_list[LAYERS_MASKS];
    pm_layer layers[LAYERS_INSTANCES][PM_LAYERS_MAX];
    uint16_t cursors[LAYERS_INSTANCES][PM_LAYERS_MAX][LAYERS_CURSORS];
    layers_output output;
    void *scratch;
    pm_blend_job job;
} layers;

// Sets up a valid job of `layer_count` layers with random clips, times, modes, masks and weights; many
// weights are 0 or 1. The memory belongs to the test process.
layers *layers_create(uint32_t layer_count);
void layers_destroy(layers *l);

// Runs the whole job and returns what it guarded.
uint64_t layers_run(layers *l);

// What a joint (a scalar) of an instance must be, in double precision from the raw channels.
poses_joint layers_joint(const layers *l, uint32_t instance, uint32_t joint);
double layers_scalar(const layers *l, uint32_t instance, uint32_t scalar);

#endif
