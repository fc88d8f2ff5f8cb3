// A crowd: characters spread over the clips of some files, each with a phase of its own, and their poses, or
// the matrices that are made of these.
//
// A tick is: who is due and, for layers, with what weights (pm_crowd_begin_tick); clip times from the tick's
// number (pm_crowd_run_clock); an order if there is to be one (pm_crowd_run_order); then the output of those
// who are due (pm_crowd_run_output). Clock and output run on ranges, from any thread on disjoint ones.
#ifndef PM_TOOL_CROWD_H
#define PM_TOOL_CROWD_H

#include "asset.h"

// What is made of characters. Poses that matrices are made of stay in the cache.
typedef enum pm_crowd_output { PM_CROWD_POSES, PM_CROWD_MODELS, PM_CROWD_PALETTES } pm_crowd_output;

typedef struct pm_crowd_options {
    uint32_t character_count;
    pm_crowd_output output;
    const pm_kernels *kernels;
    bool ordered;   // sample by clip and time, not as the characters come
    double rate_hz; // ticks a second
    pm_loop_mode loop;
    uint32_t layer_count; // clips that each character mixes, 1 to PM_LAYERS_MAX
    double fade_seconds;  // above 0: characters fade between the first half of their layers and the second
    uint32_t update_interval; // ticks from one evaluation of a character to the next
    bool keeps_constants;     // writes what never moves once; for one layer
    uint32_t thread_count;    // that will run it
} pm_crowd_options;

// Characters of one skeleton, for which there is one blend job, and one for matrices.
typedef struct pm_crowd_group {
    uint32_t first_clip, clip_count; // of the crowd's
    uint32_t due_begin, due_end;     // of the crowd's order, at this tick
    pm_blend_job blend;
    pm_palette_job palette;
} pm_crowd_group;

typedef struct pm_crowd {
    // Clips of all files, refused and empty ones left out.
    uint32_t clip_count;
    const pm_clip **clips;
    const pm_skeleton **skeletons; // [clip_count], of each clip
    uint64_t clip_bytes;           // of all clips

    // Characters and, within each, layers: [character][layer].
    pm_crowd_options options;
    uint32_t character_count;
    uint32_t *clip_index; // of each character's first layer
    uint32_t *layer_clip_index;
    pm_layer *layers; // their clips are those of the group
    pm_playback_job playback;
    pm_playback *playbacks;
    pm_fade *fades; // of each character; NULL without fades
    pm_update_job update;
    uint32_t *constants_clip; // NULL without keeps_constants
    uint32_t due_count;
    uint32_t *due; // who is evaluated at this tick
    size_t *pose_offsets, *scalar_offsets, *matrix_offsets;
    uint64_t joint_count;                                        // of all characters
    uint64_t lane_count;                                         // the same with padding
    size_t pose_bytes, scalar_bytes, cursor_bytes, matrix_bytes; // 0 of what is not written

    pm_pose_block *poses;
    float *matrices;
    float *scalars;
    uint16_t *cursors;
    uint32_t *order; // those who are due, as they are evaluated; `due` itself where nothing sorts them
    void *order_scratch;
    pm_sample_job job; // for characters of one layer
    uint32_t group_count;
    pm_crowd_group *groups; // NULL for poses of characters of one layer
    char **scratch;         // [thread_count], for blending and matrices
} pm_crowd;

// Makes a crowd of all compiled clips of the assets. Character i plays clip i modulo the number of clips; its
// phase follows from i alone. PM_EXIT_OK, or PM_EXIT_DATA after one line on stderr.
int pm_crowd_create(pm_crowd *crowd, pm_asset *assets, uint32_t asset_count, const pm_crowd_options *options);

// Goes to a tick: who is due, and weights of layers.
void pm_crowd_begin_tick(pm_crowd *crowd, uint64_t tick);

// Clip times of layers [begin, end) of pm_crowd_layer_count at this tick.
void pm_crowd_run_clock(const pm_crowd *crowd, uint32_t begin, uint32_t end);

// Layers of all characters together.
uint32_t pm_crowd_layer_count(const pm_crowd *crowd);

// Whether this tick's order goes from the last clip to the first: every second one does, and begins where the
// one before ended, with keys that are still in the cache.
bool pm_crowd_is_backward(const pm_crowd *crowd);

// The order in which characters are evaluated, from their clips and times.
void pm_crowd_run_order(pm_crowd *crowd);

// Matrices of one character of this skeleton.
uint32_t pm_crowd_matrix_count(const pm_skeleton *skeleton, pm_crowd_output output);

// Poses or matrices of entries [begin, end) of `due`, in order. Returns the lanes guarded.
//   worker  below thread_count; no other thread may run with the same number at the same time
uint64_t pm_crowd_run_output(const pm_crowd *crowd, uint32_t worker, uint32_t begin, uint32_t end);

// Over all joints, or their matrices, and scalars, in the order of characters: independent of threads, kernels and layout.
uint64_t pm_crowd_hash(const pm_crowd *crowd);

// Releases what the crowd holds, not the assets; a zeroed one is allowed.
void pm_crowd_destroy(pm_crowd *crowd);

#endif
