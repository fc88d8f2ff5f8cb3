// Tests: small skeletons, channels and one-line sampling. All calls fail the running test where they cannot
// do what they should.
#ifndef RIG_H
#define RIG_H

#include "diagnostics.h"

#include <posemill/posemill.h>

// Of many rounds, how many apart to go: sanitized kernels without optimisation take their time.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { RIG_EVERY = 8 };
#else
enum { RIG_EVERY = 1 };
#endif

// A chain of joints "j0", "j1" ... with rest poses that all differ and scalars "s0", "s1" ... with rest 0.5,
// 1.5 ...
pm_skeleton *rig_skeleton(uint32_t joint_count, uint32_t scalar_count);

// A channel over arrays of the caller; tangents NULL unless CUBIC.
pm_channel rig_channel(pm_path path, pm_interpolation interpolation, uint32_t target, uint32_t key_count,
                       const float *times, const float *values, const float *in_tangents,
                       const float *out_tangents);

// Compiles under the repair policy; the source is file "rig.glb", clip "Test".
pm_clip_source rig_source(const pm_channel *channels, uint32_t channel_count);
pm_clip *rig_compile(const pm_channel *channels, uint32_t channel_count, const pm_skeleton *skeleton,
                     pm_report *report);

// What a faulty channel must lead to. `key` is PM_NONE where no single key is at fault.
typedef struct rig_fault {
    pm_severity severity; // under the repair policy
    pm_fault fault;
    uint32_t key;
    const char *channel; // as diagnostics name it: "j0.rotation"
} rig_fault;

// Compiles one channel under both policies. Repair must report exactly `expected` (and nothing else) and
// gives the clip; strict must refuse with PM_ERROR_DATA naming file, clip, channel and key, or accept where
// the severity is but a note.
pm_clip *rig_compile_faulty(const pm_channel *channel, const pm_skeleton *skeleton, rig_fault expected);

// One character's pose, with room for 8 blocks of joints and of scalars.
typedef struct rig_pose {
    _Alignas(64) pm_pose_block blocks[8];
    _Alignas(64) float scalars[8 * PM_BLOCK_LANES];
    uint64_t guarded_count;
} rig_pose;

// Samples one clip at one time. Bytes that no kernel wrote stay 0xCD.
void rig_sample(const pm_clip *clip, const pm_kernels *kernels, float time_seconds, rig_pose *pose);

// A joint, or a scalar, at a time, on the best kernels.
pm_transform rig_joint(const pm_clip *clip, uint32_t joint, float time_seconds);
float rig_scalar(const pm_clip *clip, uint32_t scalar, float time_seconds);

// Repeatable numbers: xorshift, any seed but 0.
typedef struct rig_random {
    uint64_t state;
} rig_random;

uint32_t rig_random_next(rig_random *random);
uint32_t rig_random_below(rig_random *random, uint32_t limit);
float rig_random_between(rig_random *random, float low, float high);
void rig_random_rotation(rig_random *random, float rotation[4]);

#endif
