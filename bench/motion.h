// Benchmarks: made-up skeletons and clips, the same on every run.
#ifndef BENCH_MOTION_H
#define BENCH_MOTION_H

#include <posemill/posemill.h>

#define MOTION_RATE_HZ 30.0

// How a clip's channels are keyed.
typedef enum motion_keys {
    MOTION_BAKED_LINEAR, // a key a frame for every channel; LINEAR, so rotations are slerp
    MOTION_BAKED_CUBIC, // a key a frame; CUBIC, arriving and leaving tangents equal, as exporters sample them
    MOTION_BAKED_BROKEN,       // the same with tangents that differ
    MOTION_BAKED_LINEAR_CUBIC, // a key a frame; vectors LINEAR, rotations CUBIC
    MOTION_SPARSE_LINEAR,      // few keys, every channel at times of its own; LINEAR
    MOTION_SPARSE_CUBIC,       // the same; CUBIC
    MOTION_KEYS_COUNT
} motion_keys;

// A clip as channels of all paths of all joints, and what holds them.
typedef struct motion {
    pm_clip_source source;
    pm_channel *channels;
    float *memory;
} motion;

// "baked-linear" and so on; static memory.
const char *motion_keys_name(motion_keys keys);

// Joints in a chain, with a rest pose and a skin of all of them. NULL: no memory.
pm_skeleton *motion_create_skeleton(uint32_t joint_count);

// Joints swinging, moving and stretching at about one period a second.
//   key_count  a channel, at least 2; baked keys are 1 / MOTION_RATE_HZ apart, sparse ones spread over 2
//              seconds
//   seed       equal seeds give equal clips
//   returns    false: no memory
bool motion_create(motion *made, motion_keys keys, uint32_t joint_count, uint32_t key_count, uint32_t seed);

// A zeroed one is allowed.
void motion_destroy(motion *destroyed);

#endif
