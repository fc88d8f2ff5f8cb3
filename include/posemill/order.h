// Posemill: an order for a sample job in which neighbours read the same keys.
//
//     size_t size = pm_order_scratch_size(job.instance_count, job.clip_count);
//     void *scratch = malloc(size);                                   // once
//     ...
//     bool backward = tick % 2;
//     job.order_count = pm_order_by_clip_and_time(&job, NULL, job.instance_count, backward, order, scratch);
//     job.order = order;                                              // every tick, or every few
//
// Poses do not depend on the order; the time to sample them does, once the clips together exceed the cache
// that is near the core: then keys that one instance fetched are still there for the next one. Instances that
// play at one rate keep their order from tick to tick but for those that loop, so an order may serve several
// ticks.
#ifndef POSEMILL_ORDER_H
#define POSEMILL_ORDER_H

#include "sample.h"

#ifdef __cplusplus
extern "C" {
#endif

// Bytes of scratch memory for that many instances and clips: about 12 an instance and 12 a clip. SIZE_MAX if
// that is more than the machine can address.
PM_API size_t pm_order_scratch_size(uint32_t instance_count, uint32_t clip_count);

// Writes the indices of instances to `order`, by clip and, within a clip, by clip time. O(instances + clips);
// allocates nothing; thread-safe on different `order` and `scratch`.
//
// Times are compared in steps: a clip is cut into equal spans from 0 to its duration, one for every sixteen
// instances that a clip has on average, but up to 32 as long as each has four; or two for every instance if
// one of the job's clips has mixed tracks. Times before 0 count to the first span, like NaN, and times past
// the end to the last. Instances in one span stay in the order in which they were given, so the result is the
// same on every machine.
//
//   job        its clips, clip_count, clip_index and time_seconds with their strides are read, nothing else;
//              so the job may still hold an earlier order
//   instances  [count], each below the job's instance_count, such as the visible ones; NULL for 0 to
//              count - 1
//   count      at most the job's instance_count if `instances` is NULL
//   backward   from the last clip to the first, and within each from its end to its beginning (but forward if
//              one of them has mixed tracks, whose lanes go on faster than back). A host that alternates it
//              from tick to tick finds the keys that it read last still in the cache: some 4 % where clips
//              exceed the second-level cache a few times. A host that cuts the order into a part for each
//              thread then gives the first part to the thread that had the last one, or it loses more than that.
//   order      [count], written; must not overlap `instances`
//   scratch    pm_order_scratch_size(count, job->clip_count) bytes, aligned to 4; its content does not matter
//   returns    entries of `order`: instances whose clip index is not below clip_count are left out, as
//              sampling would
PM_API uint32_t pm_order_by_clip_and_time(const pm_sample_job *job, const uint32_t *instances, uint32_t count,
                                          bool backward, uint32_t *order, void *scratch);

#ifdef __cplusplus
}
#endif

#endif
