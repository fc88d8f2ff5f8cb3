#include <posemill/clock.h>

#include <assert.h>

#define NANOSECONDS_A_SECOND 1000000000u

bool pm_clock_start(pm_clock *clock, uint32_t tick_rate, uint32_t tick_span, uint64_t now_ns) {
    if (!tick_rate || tick_rate > PM_CLOCK_TICKS_MAX) return false;
    if (!tick_span || tick_span > PM_CLOCK_SECONDS_MAX) return false;
    *clock = (pm_clock){
        .origin_ns = now_ns,
        .latest_ns = now_ns,
        .stall_limit = PM_CLOCK_STALL_LIMIT,
        .tick_rate = tick_rate,
        .tick_span = tick_span,
    };
    return true;
}

pm_clock_step pm_clock_advance(pm_clock *clock, uint64_t now_ns) {
    assert(clock->stall_limit >= 1);
    // Unsigned differences: a host's time may wrap around, and half of its range is "earlier".
    if (now_ns - clock->latest_ns <= UINT64_MAX / 2) clock->latest_ns = now_ns;
    uint64_t elapsed_ns = clock->latest_ns - clock->origin_ns;

    // elapsed_ns * tick_rate / span_ns in two parts: the remainder's product is below 10^13 * 10^6 < 2^64.
    uint64_t span_ns = (uint64_t)clock->tick_span * NANOSECONDS_A_SECOND;
    uint64_t rest = elapsed_ns % span_ns * clock->tick_rate;
    int64_t reached = (int64_t)(elapsed_ns / span_ns * clock->tick_rate + rest / span_ns);

    int64_t due = reached - clock->dropped - clock->tick;
    int64_t count = due < clock->stall_limit ? due : clock->stall_limit;
    clock->tick += count;
    clock->dropped += due - count;

    float fraction = (float)((double)(rest % span_ns) / (double)span_ns);
    if (!(fraction < 1.0f)) fraction = 0x1.fffffep-1f; // the quotient is below 1, but need not be as a float
    return (pm_clock_step){clock->tick, count, due - count, fraction};
}

double pm_clock_tick_seconds(const pm_clock *clock) {
    return (double)clock->tick_span / (double)clock->tick_rate;
}
