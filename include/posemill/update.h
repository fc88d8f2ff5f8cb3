// Posemill: update rates, instances that are evaluated every 2, 4 or 8 ticks instead of every one, staggered
// over the crowd, for ranges of instances.
//
// An instance of interval n is due every n-th tick, a different one than its neighbours, so each tick has
// about the same work. Nothing is lost in between: when it is due it is evaluated at its absolute tick,
// however long ago the last time was. Two ways of showing it meanwhile:
//
//   PM_UPDATE_HELD          its pose stands still until it is due again: one pose buffer
//   PM_UPDATE_INTERPOLATED  it is evaluated n ticks ahead, and shown between that pose and the one before:
//                           two pose buffers that take turns. When it is due it shows just what an instance
//                           that is evaluated every tick shows.
//
//     pm_update_job update = pm_default_update_job();      // interpolated
//     update.intervals = intervals;      update.instance_count = 10000;
//     update.pose_stride = pose_bytes;   update.buffer_stride = 10000 * pose_bytes;
//     update.ticks = ticks;              update.write_offsets = write;
//     update.from_offsets = from;        update.to_offsets = to;       update.fractions = fractions;
//     ...
//     update.tick = tick;                                  // every tick, none left out
//     playback.order_count = sample.order_count = pm_update_run(&update, 0, 10000, due);
//     pm_playback_run(&playback, ...);                     // playback.order = due, playback.ticks = ticks
//     pm_sample_run(&sample, ...);                         // sample.order = due, sample.pose_offsets = write
//     ...
//     update.fraction = step.fraction;                     // every frame
//     pm_update_run(&update, 0, 10000, NULL);
//     pm_interpolate_run(&interpolate, ...);               // its offsets: from and to, its fractions: these
//
// To begin with, or after a leap, run the ticks from 2 * (largest interval) - 1 before it on: that fills both
// buffers of every instance.
#ifndef POSEMILL_UPDATE_H
#define POSEMILL_UPDATE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pm_update_mode { PM_UPDATE_INTERPOLATED, PM_UPDATE_HELD, PM_UPDATE_MODE_COUNT } pm_update_mode;

// Everything a run reads and writes; plain data. Obtain from pm_default_update_job().
typedef struct pm_update_job {
    uint32_t cookie; // set by pm_default_update_job
    pm_update_mode mode;
    uint32_t instance_count;
    int64_t tick;
    float fraction; // of the way to the next tick, 0 to 1; NaN counts as 0

    const uint8_t *intervals; // per instance: ticks from one evaluation to the next, 0 counts as 1
    size_t interval_stride;   // default 1; 0 gives all instances one interval

    // Where poses are, in bytes from the pose buffers' base: instance i of buffer b at
    // i * pose_stride + b * buffer_stride. Used for the offsets only; multiples of 64.
    size_t pose_stride;
    size_t buffer_stride; // not used by PM_UPDATE_HELD

    // Written, per instance, packed. NULL leaves an output out.
    int64_t *ticks;        // the tick that an instance is evaluated at when it is due
    size_t *write_offsets; // where that pose goes
    size_t *from_offsets;  // the pose to show, or to interpolate from
    size_t *to_offsets;    // the pose to interpolate to
    float *fractions;      // how far: 0 for PM_UPDATE_HELD
} pm_update_job;

// Interpolated, packed intervals, everything else zero.
PM_API pm_update_job pm_default_update_job(void);

// NULL if the job can run, else the reason in words (static memory).
PM_API const char *pm_update_validate(const pm_update_job *job);

// Writes the outputs of instances [begin, end) of a valid job. Thread-safe on disjoint ranges; allocates
// nothing, locks nothing. The same bits on every machine.
//   due      [end - begin], receives the instances that are due at this tick, in rising order; NULL if they
//            are not asked for
//   returns  how many are due
PM_API uint32_t pm_update_run(const pm_update_job *job, uint32_t begin, uint32_t end, uint32_t *due);

#ifdef __cplusplus
}
#endif

#endif
