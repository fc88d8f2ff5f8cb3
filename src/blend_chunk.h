// Posemill internals: what blend.c hands to the blend kernel: sampled layers of a few instances.
#ifndef PM_BLEND_CHUNK_H
#define PM_BLEND_CHUNK_H

#include <posemill/blend.h>

// Instances whose layers are sampled before they are blended.
enum { PM_BLEND_CHUNK = 32 };

// One layer that counts, sampled.
typedef struct pm_blend_input {
    const pm_pose_block *pose;
    const float *scalars;
    const float *mask; // NULL for all joints
    float weight;      // above 0, at most 1
    pm_layer_mode mode;
} pm_blend_input;

// One instance with the layers that count, in order, and where its pose goes.
typedef struct pm_blend_instance {
    pm_blend_input inputs[PM_LAYERS_MAX];
    uint32_t input_count;
    pm_pose_block *pose; // NULL to leave joints (scalars) out
    float *scalars;
} pm_blend_instance;

typedef struct pm_blend_chunk {
    const pm_pose_block *rest;
    const float *scalar_rest;
    uint32_t block_count;      // that are blended
    uint32_t rest_block_count; // behind these, that get the rest pose
    uint32_t scalar_block_count;
    uint32_t instance_count;
    pm_blend_instance instances[PM_BLEND_CHUNK];
} pm_blend_chunk;

#endif
