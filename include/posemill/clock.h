// Posemill: the clock, from a host's time to whole simulation ticks.
//
//     pm_clock clock;
//     pm_clock_start(&clock, 30, 1, now());                 // 30 ticks a second
//     ...
//     pm_clock_step step = pm_clock_advance(&clock, now()); // once a frame
//     for (int64_t i = 1; i <= step.tick_count; i++) simulate(step.tick - step.tick_count + i);
//     draw(step.fraction);                                  // between this tick and the next
//
// Everything is an integer, so nothing drifts: unless ticks were dropped, the tick is a function of the time
// alone, whatever frames led there. One thread at a time; plain data, copy it to save it.
#ifndef POSEMILL_CLOCK_H
#define POSEMILL_CLOCK_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Largest rates, which keep every product inside 64 bits.
#define PM_CLOCK_TICKS_MAX   1000000u
#define PM_CLOCK_SECONDS_MAX 10000u

// A stall of more ticks than this in one step is cut, unless stall_limit says otherwise.
#define PM_CLOCK_STALL_LIMIT 8

// Read freely; change stall_limit only.
typedef struct pm_clock {
    uint64_t origin_ns;  // when tick 0 was
    uint64_t latest_ns;  // the latest time seen
    int64_t tick;        // ticks so far
    int64_t dropped;     // ticks that stalls cost, altogether
    int64_t stall_limit; // most ticks that one step may bring, at least 1; default PM_CLOCK_STALL_LIMIT
    uint32_t tick_rate;  // this many ticks
    uint32_t tick_span;  // in this many seconds
} pm_clock;

// What one advance brought.
typedef struct pm_clock_step {
    int64_t tick;       // the newest tick; the step's ticks are (tick - tick_count, tick]
    int64_t tick_count; // 0 to stall_limit
    int64_t dropped;    // ticks of this step that were left out: simulation time stood still for them
    float fraction;     // of the way from this tick to the next, 0 to below 1
} pm_clock_step;

// Starts a clock at tick 0.
//   tick_rate, tick_span  tick_rate ticks in tick_span seconds: (30, 1), or (24000, 1001) for film on video
//   now_ns                the host's time in nanoseconds; only differences matter
//   returns               false, leaving the clock alone, if a rate is 0 or above its largest
PM_API bool pm_clock_start(pm_clock *clock, uint32_t tick_rate, uint32_t tick_span, uint64_t now_ns);

// Moves the clock to a time. Earlier than the latest time seen is taken as that one. A step of more than
// stall_limit ticks keeps the last fraction and loses the ticks before it, which are reported.
PM_API pm_clock_step pm_clock_advance(pm_clock *clock, uint64_t now_ns);

// The duration of a tick in seconds: the tick_seconds of a playback job.
PM_API double pm_clock_tick_seconds(const pm_clock *clock);

#ifdef __cplusplus
}
#endif

#endif
