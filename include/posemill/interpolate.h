// Posemill: the interpolate job, from two poses to one between them, for ranges of instances.
//
// A simulation that ticks at 30 Hz keeps the poses of its last two ticks; a renderer at 144 Hz shows each
// frame what lies between them:
//
//     pm_interpolate_job job = pm_default_interpolate_job();
//     job.kernels = pm_kernels_best();
//     job.instance_count = 10000;             job.block_count = skeleton->block_count;
//     job.from.poses = last_tick;             job.to.poses = this_tick;
//     job.from.pose_stride = job.to.pose_stride = job.pose_stride = block_count * sizeof(pm_pose_block);
//     job.poses = shown;
//     const char *fault = pm_interpolate_validate(&job);   // once
//     ...
//     job.fraction = step.fraction;                        // pm_clock_advance
//     pm_interpolate_run(&job, begin, end);                // from any thread, on disjoint ranges
//
// Translations, scales and scalars move on a straight line, rotations on the shortest path, as the line
// between the quaternions, renormalised: a half and the ends are exact, in between it is off a slerp by less
// than 1/10 of a degree for rotations up to 40 degrees apart.
#ifndef POSEMILL_INTERPOLATE_H
#define POSEMILL_INTERPOLATE_H

#include "kernels.h"
#include "pose.h"
#include "sample.h"

#ifdef __cplusplus
extern "C" {
#endif

// Poses and scalars of many instances, to read. Element i lies at i * stride bytes from the base or, where
// there are offsets, at offsets[i]; all 64-byte aligned. A stride of 0 gives every instance the same element.
typedef struct pm_pose_source {
    const pm_pose_block *poses;
    size_t pose_stride;
    const size_t *pose_offsets; // [instance_count], bytes, multiples of 64, not checked; NULL for the stride
    const float *scalars;
    size_t scalar_stride;
    const size_t *scalar_offsets;
} pm_pose_source;

// Everything a run reads and writes; plain data. Obtain from pm_default_interpolate_job().
typedef struct pm_interpolate_job {
    uint32_t cookie;        // set by pm_default_interpolate_job
    pm_streaming streaming; // default AUTO
    const pm_kernels *kernels;

    uint32_t instance_count;
    uint32_t block_count;        // pose blocks of every instance
    uint32_t scalar_block_count; // blocks of 16 scalars of every instance

    pm_pose_source from, to;

    // How far from `from` to `to`, 0 to 1: below counts as 0, above as 1, NaN as 0. At 0 and 1 the result is
    // `from` and `to` to the bit.
    float fraction;
    const float *fractions; // per instance instead of `fraction`; NULL for all the same
    size_t fraction_stride; // default sizeof(float)

    // Which instances a range means, as in pm_sample_job; NULL for all.
    const uint32_t *order; // [order_count], below instance_count
    uint32_t order_count;

    // Written, per instance. NULL leaves joints (scalars) out. May be the very memory of `from` or `to`.
    pm_pose_block *poses;       // 64-byte aligned
    size_t pose_stride;         // bytes, a multiple of 64, at least block_count * 640
    float *scalars;             // 64-byte aligned
    size_t scalar_stride;       // bytes, a multiple of 64, at least scalar_block_count * 64
    const size_t *pose_offsets; // as in pm_sample_job
    const size_t *scalar_offsets;
} pm_interpolate_job;

// Streaming AUTO, fraction_stride of a packed array, everything else zero.
PM_API pm_interpolate_job pm_default_interpolate_job(void);

// Checks everything but the content of per-instance arrays. NULL if the job can run, else the reason in words
// (static memory).
PM_API const char *pm_interpolate_validate(const pm_interpolate_job *job);

// Evaluates instances [begin, end) of a valid job (see `order`). Thread-safe on disjoint ranges; allocates
// nothing, locks nothing. The same bits on every kernel and however the range is cut.
//   returns  lanes that were guarded: what was not finite, or a rotation without a length, became identity
//            (0 for translations and scalars, 1 for scales)
PM_API uint64_t pm_interpolate_run(const pm_interpolate_job *job, uint32_t begin, uint32_t end);

#ifdef __cplusplus
}
#endif

#endif
