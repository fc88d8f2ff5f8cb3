// Posemill internals: phases, and where they are in a clip that loops. Shared by playback, events and root
// motion, which must agree to the bit.
#ifndef PM_LOOP_H
#define PM_LOOP_H

#include <posemill/playback.h>

#include <math.h>

// Phases beyond this (30 million years) are not told from each other.
#define PM_PHASE_LIMIT 1e15

// Cycles beyond this are not counted.
#define PM_CYCLE_LIMIT 9e15

// Cycles times a float duration are exact in double up to this: 29 bits and 24.
#define PM_EXACT_CYCLES 536870912.0

// How far an instance may go round. `cycles` is 0 for endless loops.
typedef struct pm_loop {
    double duration; // 0 for clips that stand still
    double cycles;
    bool ping_pong;
} pm_loop;

static inline pm_loop pm_loop_of(const pm_playback *playback, float duration_seconds) {
    pm_loop loop = {.duration = 0, .cycles = 1, .ping_pong = false};
    if (!(duration_seconds > 0) || playback->mode == PM_LOOP_CLAMP) {
        loop.duration = duration_seconds > 0 ? (double)duration_seconds : 0;
        return loop;
    }
    loop.duration = (double)duration_seconds;
    loop.ping_pong = playback->mode == PM_LOOP_PING_PONG;
    loop.cycles = playback->loop_count > PM_LOOP_COUNT_MAX ? 0 : (double)playback->loop_count;
    return loop;
}

static inline double pm_finite_phase(double phase) {
    if (phase != phase) return 0;
    return phase < -PM_PHASE_LIMIT ? -PM_PHASE_LIMIT : PM_PHASE_LIMIT < phase ? PM_PHASE_LIMIT : phase;
}

// A phase split at the duration: cycle, and seconds into it. Exact, so that a cycle ends where the next
// begins. Seconds may round to the duration itself just before phase 0.
typedef struct pm_phase_split {
    double cycle, seconds;
} pm_phase_split;

static inline pm_phase_split pm_split_phase(double phase, double duration) {
    double cycle = floor(phase / duration);
    if (fabs(cycle) < PM_EXACT_CYCLES) {
        double seconds = phase - cycle * duration;
        if (seconds < 0) { // the quotient was rounded up to the next whole number
            cycle -= 1;
            seconds = phase - cycle * duration;
        }
        return (pm_phase_split){cycle, seconds};
    }
    double seconds = fmod(phase, duration);
    if (seconds < 0) seconds += duration;
    return (pm_phase_split){cycle, seconds};
}

static inline pm_position pm_locate(const pm_loop *loop, double phase) {
    phase = pm_finite_phase(phase);
    if (loop->cycles > 0 && !(phase >= 0 && phase < loop->cycles * loop->duration)) {
        bool odd = loop->ping_pong && (uint32_t)loop->cycles % 2;
        bool end = phase >= 0 && (odd || !loop->ping_pong);
        return (pm_position){end ? loop->duration : 0, phase >= 0 ? (int64_t)loop->cycles : 0,
                             loop->ping_pong && phase >= 0 && !odd, true};
    }
    pm_phase_split split = pm_split_phase(phase, loop->duration);
    bool backwards = loop->ping_pong && fabs(split.cycle) < PM_CYCLE_LIMIT && (int64_t)split.cycle % 2 != 0;
    double cycle = split.cycle < -PM_CYCLE_LIMIT ? -PM_CYCLE_LIMIT : split.cycle;
    cycle = PM_CYCLE_LIMIT < cycle ? PM_CYCLE_LIMIT : cycle;
    return (pm_position){backwards ? loop->duration - split.seconds : split.seconds, (int64_t)cycle,
                         backwards, false};
}

#endif
