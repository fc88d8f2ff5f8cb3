// The clock: whole ticks from absolute nanoseconds.
#include <posemill/clock.h>

#include <criterion/criterion.h>

#define SECOND UINT64_C(1000000000)

static pm_clock started(uint32_t rate, uint32_t span) {
    pm_clock clock;
    cr_assert(pm_clock_start(&clock, rate, span, 5 * SECOND));
    return clock;
}

// The k-th frame at `rate` frames a second, rounded down to nanoseconds as a host's timer would.
static uint64_t frame_ns(uint64_t frame, uint64_t rate) {
    return 5 * SECOND + frame * SECOND / rate;
}

Test(clock, refuses_rates_that_are_zero_or_too_large) {
    pm_clock clock = {.tick = 7};
    cr_assert_not(pm_clock_start(&clock, 0, 1, 0));
    cr_assert_not(pm_clock_start(&clock, 30, 0, 0));
    cr_assert_not(pm_clock_start(&clock, PM_CLOCK_TICKS_MAX + 1, 1, 0));
    cr_assert_not(pm_clock_start(&clock, 30, PM_CLOCK_SECONDS_MAX + 1, 0));
    cr_assert_eq(clock.tick, 7);
    cr_assert(pm_clock_start(&clock, PM_CLOCK_TICKS_MAX, PM_CLOCK_SECONDS_MAX, 0));
    cr_assert_eq(clock.tick, 0);
}

Test(clock, a_frame_of_33_ms_advances_twice_as_far_as_one_of_16_5) {
    pm_clock clock = started(1000, 1), twice = started(1000, 1);
    clock.stall_limit = twice.stall_limit = 100;
    pm_clock_step one = pm_clock_advance(&twice, 5 * SECOND + 33000000);
    pm_clock_step half = pm_clock_advance(&clock, 5 * SECOND + 16500000);
    cr_assert_eq(one.tick_count, 33);
    cr_assert_eq(half.tick_count, 16);
    cr_assert_eq(half.fraction, 0.5f);
    half = pm_clock_advance(&clock, 5 * SECOND + 33000000);
    cr_assert_eq(half.tick_count, 17);
    cr_assert_eq(half.tick, one.tick);
}

Test(clock, the_tick_is_a_function_of_the_time_whatever_frames_led_there) {
    pm_clock steady = started(30, 1), fast = started(30, 1), gaps = started(30, 1);
    for (uint64_t frame = 1; frame <= 6000; frame++) {
        pm_clock_step a = pm_clock_advance(&steady, frame_ns(frame, 60));
        pm_clock_advance(&fast, frame_ns(2 * frame - 1, 120));
        pm_clock_step b = pm_clock_advance(&fast, frame_ns(2 * frame, 120));
        cr_assert_eq(a.tick, (int64_t)((frame_ns(frame, 60) - 5 * SECOND) * 30 / SECOND));
        if (frame % 6 == 0) cr_assert_eq(a.tick, (int64_t)(frame / 2));
        cr_assert_eq(b.tick, a.tick);
        cr_assert_eq(b.fraction, a.fraction);
        if (frame % 5 == 0) continue;
        cr_assert_eq(pm_clock_advance(&gaps, frame_ns(frame, 60)).tick, a.tick);
    }
}

Test(clock, film_on_video_neither_gains_nor_loses_a_tick_in_a_day) {
    pm_clock clock = started(24000, 1001);
    clock.stall_limit = INT64_MAX;
    // 1001 * 86400 seconds are 24000 * 86400 ticks to the nanosecond.
    pm_clock_step before = pm_clock_advance(&clock, (5 + UINT64_C(1001) * 86400) * SECOND - 1);
    cr_assert_eq(before.tick, INT64_C(24000) * 86400 - 1);
    cr_assert_lt(before.fraction, 1.0f);
    pm_clock_step at = pm_clock_advance(&clock, (5 + UINT64_C(1001) * 86400) * SECOND);
    cr_assert_eq(at.tick, INT64_C(24000) * 86400);
    cr_assert_eq(at.fraction, 0.0f);
}

Test(clock, a_long_stall_is_cut_and_what_was_dropped_is_reported) {
    pm_clock clock = started(60, 1);
    clock.stall_limit = 4;
    pm_clock_step step = pm_clock_advance(&clock, 15 * SECOND + SECOND / 120);
    cr_assert_eq(step.tick_count, 4);
    cr_assert_eq(step.dropped, 596);
    cr_assert_float_eq(step.fraction, 0.5f, 1e-6f);
    step = pm_clock_advance(&clock, 15 * SECOND + SECOND / 60 + 1);
    cr_assert_eq(step.tick_count, 1);
    cr_assert_eq(step.tick, 5);
    cr_assert_eq(step.dropped, 0);
    cr_assert_eq(clock.dropped, 596);
}

Test(clock, time_that_goes_backwards_brings_nothing_and_is_not_counted_twice) {
    pm_clock clock = started(10, 1);
    cr_assert_eq(pm_clock_advance(&clock, 6 * SECOND).tick_count, 8); // cut: 2 of 10 dropped
    cr_assert_eq(pm_clock_advance(&clock, 5 * SECOND).tick_count, 0);
    cr_assert_eq(pm_clock_advance(&clock, 6 * SECOND).tick_count, 0);
    cr_assert_eq(pm_clock_advance(&clock, 6 * SECOND + SECOND / 10).tick_count, 1);
}

Test(clock, a_host_time_that_wraps_around_goes_on) {
    pm_clock clock;
    cr_assert(pm_clock_start(&clock, 10, 1, UINT64_MAX - SECOND / 2));
    cr_assert_eq(pm_clock_advance(&clock, SECOND / 2 - 1).tick, 8);
    cr_assert_eq(clock.dropped, 2);
}

Test(clock, tick_seconds) {
    pm_clock clock = started(24000, 1001);
    cr_assert_eq(pm_clock_tick_seconds(&clock), 1001.0 / 24000.0);
}
