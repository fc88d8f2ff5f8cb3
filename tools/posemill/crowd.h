// A crowd: characters spread over the clips of some files, each with a phase of its own, and their poses.
//
// A tick is: clip times from the tick's number (pm_crowd_run_clock), an order if there is to be one
// (pm_crowd_run_order), then poses (pm_crowd_run_sample). Clock and sample run on ranges of characters, from
// any thread on disjoint ones.
#ifndef PM_TOOL_CROWD_H
#define PM_TOOL_CROWD_H

#include "asset.h"

typedef struct pm_crowd_options {
    uint32_t character_count;
    const pm_kernels *kernels;
    bool ordered; // sample by clip and time, not as the characters come
} pm_crowd_options;

typedef struct pm_crowd {
    // Clips of all files, refused and empty ones left out.
    uint32_t clip_count;
    const pm_clip **clips;
    const pm_skeleton **skeletons; // [clip_count], of each clip
    double *loop_seconds;          // [clip_count], above 0
    uint64_t clip_bytes;           // of all clips

    // Characters.
    uint32_t character_count;
    uint32_t *clip_index;
    double *phase_seconds; // clip time at tick 0
    float *time_seconds;   // clip time now
    size_t *pose_offsets, *scalar_offsets;
    uint64_t joint_count; // of all characters
    uint64_t lane_count;  // the same with padding
    size_t pose_bytes, scalar_bytes, cursor_bytes;

    pm_pose_block *poses;
    float *scalars;
    uint16_t *cursors;
    uint32_t *order; // NULL without one
    void *order_scratch;
    pm_sample_job job;
} pm_crowd;

// Makes a crowd of all compiled clips of the assets. Character i plays clip i modulo the number of clips; its
// phase follows from i alone. PM_EXIT_OK, or PM_EXIT_DATA after one line on stderr.
int pm_crowd_create(pm_crowd *crowd, pm_asset *assets, uint32_t asset_count, const pm_crowd_options *options);

// Clip times of characters [begin, end) at a tick: phase + tick / rate, wrapped into the clip in double.
void pm_crowd_run_clock(pm_crowd *crowd, uint64_t tick, double rate_hz, uint32_t begin, uint32_t end);

// The order in which characters are sampled, from their clips and times. Does nothing if the crowd has none.
void pm_crowd_run_order(pm_crowd *crowd);

// Poses of characters [begin, end), in order if there is one. Returns the lanes guarded.
uint64_t pm_crowd_run_sample(const pm_crowd *crowd, uint32_t begin, uint32_t end);

// Over all joints and scalars, in the order of characters: independent of threads, kernels and layout.
uint64_t pm_crowd_hash(const pm_crowd *crowd);

// Releases what the crowd holds, not the assets; a zeroed one is allowed.
void pm_crowd_destroy(pm_crowd *crowd);

#endif
