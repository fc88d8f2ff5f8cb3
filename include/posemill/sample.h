// Posemill: the sample job, from clip times to poses, for ranges of instances.
//
//     pm_sample_job job = pm_default_sample_job();
//     job.kernels = pm_kernels_best();
//     job.clips = clips;              job.clip_count = 3;
//     job.clip_index = clip_of;       job.time_seconds = time_of;       job.instance_count = 10000;
//     job.poses = poses;              job.pose_stride = block_count * sizeof(pm_pose_block);
//     const char *fault = pm_sample_validate(&job);   // once
//     ...
//     pm_sample_run(&job, begin, end);                // many times, from any thread, on disjoint ranges
//
// The pose is a function of clip and clip time alone: the same bits on every kernel, however the range is
// cut, whatever the cursors hold.
#ifndef POSEMILL_SAMPLE_H
#define POSEMILL_SAMPLE_H

#include "clip.h"
#include "kernels.h"
#include "pose.h"

#ifdef __cplusplus
extern "C" {
#endif

// Whether outputs bypass the cache.
typedef enum pm_streaming {
    PM_STREAMING_AUTO, // when the outputs of the whole job are more than a cache holds
    PM_STREAMING_ON,   // for outputs that are not read again soon
    PM_STREAMING_OFF   // for outputs that the same core reads next
} pm_streaming;

// What becomes of pose blocks beyond a job's block_limit.
typedef enum pm_beyond {
    PM_BEYOND_REST, // the rest pose
    PM_BEYOND_KEEP  // not written: they keep what they hold, and need not even be there
} pm_beyond;

// Everything a run reads and writes. Plain data: copy it, change fields, keep it on a stack. Arrays belong to
// the host and are taken as they are: element i lies at base + i * stride bytes. A stride of 0 in a read
// array gives every instance the same element. Obtain from pm_default_sample_job().
typedef struct pm_sample_job {
    uint32_t cookie;           // set by pm_default_sample_job
    pm_streaming streaming;    // default AUTO
    const pm_kernels *kernels; // pm_kernels_best()

    const pm_clip *const *clips; // [clip_count], none NULL
    uint32_t clip_count;
    uint32_t instance_count; // elements of the per-instance arrays

    // Read, per instance.
    const uint32_t *clip_index; // below clip_count; an instance with another index is left as it is
    size_t clip_index_stride;   // default sizeof(uint32_t)
    const float *time_seconds;  // clip time; clamped to the clip, NaN gives the rest pose
    size_t time_stride;         // default sizeof(float)

    // Which instances a range means: [begin, end) counts through this list, or through all instances if NULL.
    // Never reordered or written. No instance twice in ranges that run at the same time.
    const uint32_t *order; // [order_count], below instance_count
    uint32_t order_count;

    // Read and written, per instance. NULL is allowed: without cursors the segment is searched for.
    uint16_t *cursors;    // the largest cursor_count of the clips; any content is correct, zero to begin with
    size_t cursor_stride; // bytes from one instance's cursors to the next one's, a multiple of 2

    // Read and written, per instance: whose constants an instance's output holds, 1 + the clip's index; 0:
    // none, to begin with. Tracks that never move are then written when the clip changes, not every time; of
    // many real clips they are four bytes of ten. NULL, the default, writes all every time. Poses are the
    // same either way. Set an element to 0 when anything but this job has written to the instance's output
    // (another job, such as that of another level of detail, needs elements of its own), and all of them when
    // `clips`, block_limit, beyond or where outputs lie change.
    uint32_t *constants_clip;
    size_t constants_clip_stride; // default sizeof(uint32_t)

    // Written, per instance. NULL leaves joints (scalars) out.
    pm_pose_block *poses; // 64-byte aligned
    size_t pose_stride;   // bytes, a multiple of 64, at least the largest clip's block_count * 640
    float *scalars;       // [instance][16 * scalar_block_count], 64-byte aligned
    size_t scalar_stride; // bytes, a multiple of 64, at least the largest clip's scalar_block_count * 64

    // Alternatively where each instance's output lies, in bytes from `poses` (`scalars`), multiples of 64.
    // Non-NULL replaces the stride above. For crowds of several skeletons without gaps. Offsets are not
    // checked.
    const size_t *pose_offsets;   // [instance_count]
    const size_t *scalar_offsets; // [instance_count]

    // Level of detail: pose blocks below block_limit are evaluated, the others are not. Makes sense for
    // skeletons ordered by depth (pm_skeleton_def). Scalars are evaluated in any case. For several levels in
    // one crowd, run a job with an order for each.
    uint32_t block_limit; // default UINT32_MAX: all
    pm_beyond beyond;     // default PM_BEYOND_REST
} pm_sample_job;

// Strides of packed arrays, streaming AUTO, all blocks, everything else zero.
PM_API pm_sample_job pm_default_sample_job(void);

// Checks everything but the content of per-instance arrays. NULL if the job can run, else the reason in words
// (static memory). O(clips).
PM_API const char *pm_sample_validate(const pm_sample_job *job);

// Evaluates instances [begin, end) of a valid job (see `order`). Thread-safe on disjoint ranges. Allocates
// nothing, locks nothing, reads no global, takes less than 32 KiB of stack. The floating-point environment is
// saved, set to IEEE defaults, restored.
//   end      at most instance_count, or order_count with an order (asserted)
//   returns  lanes that were guarded: paths of joints, and scalars, that got their rest value because the
//            time was NaN, the result was not finite or the rotation had no length
PM_API uint64_t pm_sample_run(const pm_sample_job *job, uint32_t begin, uint32_t end);

#ifdef __cplusplus
}
#endif

#endif
