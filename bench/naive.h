// Benchmarks: the evaluator that a good engineer would write first, to measure Posemill against.
//
// One instance, one channel after the other, in scalar code: a cursor for each channel of each instance, real
// slerp, glTF's Hermite. Constant channels are evaluated like any other. The pose is an array of structs.
#ifndef BENCH_NAIVE_H
#define BENCH_NAIVE_H

#include <posemill/posemill.h>

// Keys as glTF stores them: values, or in-tangent, value and out-tangent of each key behind one another.
typedef struct naive_channel {
    pm_path path;
    pm_interpolation interpolation;
    uint32_t joint;
    uint32_t key_count;
    const float *times;
    const float *keys;
} naive_channel;

typedef struct naive_clip {
    uint32_t joint_count, channel_count;
    bool complete; // every path of every joint has a channel
    naive_channel *channels;
    pm_transform *rest;
    float *memory; // times and keys of all channels
} naive_clip;

// Copies the channels of joints; scalars are left out. False: no memory; nothing is left to release.
bool naive_clip_create(naive_clip *clip, const pm_clip_source *source, const pm_skeleton *skeleton);

// A zeroed one is allowed.
void naive_clip_destroy(naive_clip *clip);

// The pose at a time. `cursors` [channel_count] hold the last segment and may hold anything.
void naive_sample(const naive_clip *clip, float time_seconds, uint16_t *cursors, pm_transform *pose);

#endif
