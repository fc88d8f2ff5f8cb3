// Posemill: fades, weights of layers that change over time, for ranges of instances.
//
// A fade goes from one weight to another over a duration, along an easing. Like a phase, its weight is a
// function of the tick alone. A cross-fade is one fade whose weight goes to the layer that comes and whose
// complement to the one that leaves:
//
//     pm_fade_start(&fades[i], tick, tick_seconds, 1, 0.3);   // from what it is now to 1, in 0.3 s
//     ...
//     pm_fade_job job = pm_default_fade_job();
//     job.fades = fades;                        job.instance_count = 10000;
//     job.weights = &layers[0][1].weight;       job.weight_stride = sizeof layers[0];
//     job.complements = &layers[0][0].weight;   job.complement_stride = sizeof layers[0];
//     job.tick = tick;                          job.tick_seconds = tick_seconds;
//     pm_fade_run(&job, begin, end);            // from any thread, on disjoint ranges
#ifndef POSEMILL_FADE_H
#define POSEMILL_FADE_H

#include "easing.h"

#ifdef __cplusplus
extern "C" {
#endif

// Plain data of the host's; zeroed, a weight of 0 for ever.
//   start_tick        where it begins; before it, the weight is `from`
//   duration_seconds  0 or less (or not a number) is at once
//   from, to          weights, 0 to 1; others are clamped, NaN counts as 0
//   easing            the way from `from` (easing 0) to `to` (1); where it leaves 0 to 1, the weight is
//                     clamped
typedef struct pm_fade {
    int64_t start_tick;
    double duration_seconds;
    float from, to;
    pm_easing easing;
} pm_fade;

// The weight at a tick, 0 to 1; from the end of the duration on exactly `to`. The easing must be valid.
PM_API float pm_fade_weight(const pm_fade *fade, int64_t tick, double tick_seconds);

// Begins a fade at a tick, from the weight that the fade has then, so that nothing jumps where one fade cuts
// another short. Keeps the easing.
PM_API void pm_fade_start(pm_fade *fade, int64_t tick, double tick_seconds, float to,
                          double duration_seconds);

// Everything a run reads and writes; plain data. Obtain from pm_default_fade_job().
typedef struct pm_fade_job {
    uint32_t cookie; // set by pm_default_fade_job
    uint32_t instance_count;
    int64_t tick;
    double tick_seconds; // above 0

    const pm_fade *fades; // per instance
    size_t fade_stride;   // default sizeof(pm_fade)

    // Which instances a range means, as in pm_sample_job; NULL for all.
    const uint32_t *order; // [order_count], below instance_count
    uint32_t order_count;

    // Written, per instance. NULL leaves an output out; at least one is needed.
    float *weights;
    size_t weight_stride;     // default sizeof(float)
    float *complements;       // 1 - weight
    size_t complement_stride; // default sizeof(float)
} pm_fade_job;

// Strides of packed arrays, everything else zero.
PM_API pm_fade_job pm_default_fade_job(void);

// Checks everything, every easing included: O(instances). NULL if the job can run, else the reason in words
// (static memory).
PM_API const char *pm_fade_validate(const pm_fade_job *job);

// Evaluates instances [begin, end) of a valid job (see `order`). Thread-safe on disjoint ranges; allocates
// nothing, locks nothing. The same bits on every machine.
PM_API void pm_fade_run(const pm_fade_job *job, uint32_t begin, uint32_t end);

#ifdef __cplusplus
}
#endif

#endif
