// Benchmarks: a crowd on made-up clips, without anything but the library and the C library: it runs on every
// target.
#ifndef BENCH_SMALL_CROWD_H
#define BENCH_SMALL_CROWD_H

#include "motion.h"

enum { SMALL_CROWD_JOINTS = 64, SMALL_CROWD_TICKS = 4 };

// What to play and how; `kernels` must be some that run here.
typedef struct small_crowd_def {
    motion_keys keys;
    uint32_t clip_count, instance_count;
    bool random; // times anywhere in the clip, else forward at MOTION_RATE_HZ
    bool ordered;
    bool packed;   // keys of 16 bits
    bool palettes; // of poses that stay in the cache, instead of poses
    pm_streaming streaming;
    const pm_kernels *kernels;
} small_crowd_def;

typedef struct small_crowd {
    small_crowd_def def;
    pm_skeleton *skeleton;
    pm_clip **clips;
    uint32_t *clip_index, *order;
    float *times; // [SMALL_CROWD_TICKS + 1][instance]
    void *scratch, *palette_scratch;
    pm_sample_job job;
    pm_palette_job palette;
} small_crowd;

// False: no memory; nothing is left to release.
bool small_crowd_create(small_crowd *made, const small_crowd_def *def);

void small_crowd_destroy(small_crowd *destroyed);

// Orders and samples all instances, or makes their palettes, at their times in tick 0 to SMALL_CROWD_TICKS.
void small_crowd_run(small_crowd *crowd, uint32_t tick);

#endif
