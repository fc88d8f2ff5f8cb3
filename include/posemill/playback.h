// Posemill: playback, from simulation ticks to clip times, for ranges of instances.
//
// An instance's phase is the time it has played, in clip seconds, as if its clip went on for ever. It is
// base_seconds + ticks * rate, one product, never a sum of steps: a phase depends on the tick alone, not on
// how the host got there. The clip time is the phase after looping.
//
//     pm_playback_job job = pm_default_playback_job();
//     job.tick_seconds = pm_clock_tick_seconds(&clock);
//     job.clips = clips;            job.clip_count = 3;          job.clip_index = clip_of;
//     job.playbacks = playbacks;    job.instance_count = 10000;
//     job.time_seconds = time_of;   // what the sample job reads
//     const char *fault = pm_playback_validate(&job);   // once
//     ...
//     job.tick = step.tick;
//     pm_playback_run(&job, begin, end);                // from any thread, on disjoint ranges
#ifndef POSEMILL_PLAYBACK_H
#define POSEMILL_PLAYBACK_H

#include "clip.h"

#ifdef __cplusplus
extern "C" {
#endif

// What happens at a clip's ends.
typedef enum pm_loop_mode {
    PM_LOOP_CLAMP,     // plays once: before the clip its first pose, behind it its last
    PM_LOOP_REPEAT,    // begins again
    PM_LOOP_PING_PONG, // turns round; every second cycle runs backwards
    PM_LOOP_MODE_COUNT
} pm_loop_mode;

// A loop_count above this counts as endless.
#define PM_LOOP_COUNT_MAX (1u << 29)

// How one instance plays its clip. Plain data of the host's; zeroed, it stands at the clip's start.
//   start_tick    the tick at which the phase is base_seconds; before it, the instance waits there
//   base_seconds  phase at start_tick: an offset in clip seconds. To play a clip once backwards, its
//                 duration.
//   base_residue  what base_seconds lost to rounding; 0, kept by pm_playback_set_rate
//   rate          clip seconds a second: 1 as authored, 2 twice as fast, 0 still, negative backwards
//   mode          at the clip's ends
//   loop_count    cycles that REPEAT and PING_PONG play, phases 0 to loop_count times the duration; outside
//                 of them the instance holds its end. 0 is endless, with cycles before phase 0 too.
// Numbers that are not finite count as 0.
typedef struct pm_playback {
    int64_t start_tick;
    double base_seconds;
    double base_residue;
    double rate;
    pm_loop_mode mode;
    uint32_t loop_count;
} pm_playback;

// Where a phase is in a clip.
typedef struct pm_position {
    double time_seconds; // clip time, 0 to the duration
    int64_t cycle;       // cycles completed; negative before phase 0 of an endless loop
    bool backwards;      // in a cycle of PING_PONG that runs backwards
    bool finished;       // unless endless, held at an end: before phase 0 or behind the last cycle
} pm_position;

// The phase at a tick. Within a nanosecond of exact after 30 days, at rates up to 1.
PM_API double pm_playback_phase(const pm_playback *playback, int64_t tick, double tick_seconds);

// The clip time of a phase. A clip of no duration is held at 0, whatever the mode.
PM_API pm_position pm_playback_locate(const pm_playback *playback, double phase, float duration_seconds);

// Changes the rate from a tick on: the phase at that tick stays as it is, to the bit. Rounding errors are
// carried, so that changing the rate every tick for days does not drift either.
PM_API void pm_playback_set_rate(pm_playback *playback, int64_t tick, double tick_seconds, double rate);

// Makes the phase at a tick another one, and goes on from there at the same rate.
PM_API void pm_playback_set_phase(pm_playback *playback, int64_t tick, double phase);

// Everything a run reads and writes. As in pm_sample_job, arrays belong to the host and element i lies at
// base + i * stride bytes; a stride of 0 in a read array gives every instance the same element. Obtain from
// pm_default_playback_job().
typedef struct pm_playback_job {
    uint32_t cookie; // set by pm_default_playback_job
    uint32_t instance_count;
    int64_t tick;
    double tick_seconds; // above 0

    const int64_t *ticks; // per instance instead of `tick` (see update.h); NULL for all the same
    size_t tick_stride;   // default sizeof(int64_t)

    const pm_clip *const *clips; // [clip_count], none NULL
    uint32_t clip_count;

    // Read, per instance. The playback job of layers has one instance for each layer of each character.
    const uint32_t *clip_index; // below clip_count; an instance with another index is left as it is
    size_t clip_index_stride;   // default sizeof(uint32_t)
    const pm_playback *playbacks;
    size_t playback_stride; // default sizeof(pm_playback)

    // Read, per instance: the phases of an earlier run, for crossings. May be NULL.
    const double *previous_phases;
    size_t previous_phase_stride; // default sizeof(double)

    // Which instances a range means, as in pm_sample_job; NULL for all.
    const uint32_t *order; // [order_count], below instance_count
    uint32_t order_count;

    // Written, per instance. NULL leaves an output out; at least one is needed.
    float *time_seconds;    // clip times
    size_t time_stride;     // default sizeof(float)
    double *phases;         // for events, root motion and the next run's previous_phases; another array
    size_t phase_stride;    // default sizeof(double)
    int32_t *crossings;     // loops completed since previous_phases, negative when played backwards: the
                            // difference of the two cycles, so none is lost or counted twice over many runs
    size_t crossing_stride; // default sizeof(int32_t)
} pm_playback_job;

// Strides of packed arrays, everything else zero.
PM_API pm_playback_job pm_default_playback_job(void);

// Checks everything but the content of per-instance arrays. NULL if the job can run, else the reason in words
// (static memory).
PM_API const char *pm_playback_validate(const pm_playback_job *job);

// Evaluates instances [begin, end) of a valid job (see `order`). Thread-safe on disjoint ranges; allocates
// nothing, locks nothing. The same bits on every machine, whatever the host's floating-point environment.
PM_API void pm_playback_run(const pm_playback_job *job, uint32_t begin, uint32_t end);

#ifdef __cplusplus
}
#endif

#endif
