// Posemill: synchronised playback, clips of different length that keep step (a walk that becomes a run).
//
// Blending a walk of 1.0 s with a run of 0.7 s makes sense only while both have the same foot on the ground:
// while phase / duration, the cycle, is the same. The sync job sees to that by scaling rates: with D the mean
// of the durations by weight, each clip plays at its duration / D, so that all of them take D for a cycle. No
// key is resampled, and each clip alone plays as authored.
//
//     pm_sync_job job = pm_default_sync_job();
//     job.clips = clips;            job.clip_count = 5;
//     job.layers = layers;          job.instance_stride = sizeof layers[0];
//     job.playbacks = playbacks;    job.playback_instance_stride = sizeof playbacks[0];
//     job.members = 1u << 0 | 1u << 1;                     // layers 0 and 1: walk and run
//     job.instance_count = 10000;   job.tick_seconds = tick_seconds;
//     ...
//     job.tick = tick;
//     pm_sync_run(&job, begin, end);                       // after weights changed, before the playback job
//
// The first member that has weight leads: its phase goes on without a jump, the others' follow from it, so
// nothing drifts apart however often weights change.
#ifndef POSEMILL_SYNC_H
#define POSEMILL_SYNC_H

#include "blend.h"
#include "playback.h"

#ifdef __cplusplus
extern "C" {
#endif

// Everything a run reads and writes; plain data. Obtain from pm_default_sync_job().
typedef struct pm_sync_job {
    uint32_t cookie; // set by pm_default_sync_job
    uint32_t instance_count;
    int64_t tick;
    double tick_seconds; // above 0

    const pm_clip *const *clips; // [clip_count], none NULL
    uint32_t clip_count;

    uint32_t members; // bit l: layer l keeps step with the other members; bits 0 to PM_LAYERS_MAX - 1

    // Read, per instance and layer: clip and weight, as in pm_blend_job.
    const pm_layer *layers;
    size_t instance_stride; // no default
    size_t layer_stride;    // default sizeof(pm_layer)

    // Read, per instance: how fast, 1 as authored; not finite counts as 0. NULL is 1 for all.
    const float *speeds;
    size_t speed_stride; // default sizeof(float)

    // Read and written, per instance and layer.
    pm_playback *playbacks;
    size_t playback_instance_stride; // no default
    size_t playback_stride;          // from one layer's to the next one's; default sizeof(pm_playback)

    // Which instances a range means, as in pm_sample_job; NULL for all.
    const uint32_t *order; // [order_count], below instance_count
    uint32_t order_count;
} pm_sync_job;

// Strides of packed arrays, everything else zero.
PM_API pm_sync_job pm_default_sync_job(void);

// Checks everything but the content of per-instance arrays. NULL if the job can run, else the reason in words
// (static memory).
PM_API const char *pm_sync_validate(const pm_sync_job *job);

// Brings instances [begin, end) of a valid job into step at the job's tick (see `order`). An instance whose
// members have no weight, or only clips without a duration, is left as it is. Thread-safe on disjoint ranges;
// allocates nothing, locks nothing. The same bits on every machine.
PM_API void pm_sync_run(const pm_sync_job *job, uint32_t begin, uint32_t end);

#ifdef __cplusplus
}
#endif

#endif
