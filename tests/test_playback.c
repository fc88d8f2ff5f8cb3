// Playback: phases, loops and the job that turns ticks into clip times.
#include "support/rig.h"

#include <posemill/clock.h>
#include <posemill/playback.h>

#include <criterion/criterion.h>
#include <fenv.h>
#include <math.h>
#include <string.h>

#define THIRTY_DAYS (30.0 * 86400.0)

static pm_playback playback_of(double rate, pm_loop_mode mode, uint32_t loop_count) {
    return (pm_playback){.rate = rate, .mode = mode, .loop_count = loop_count};
}

// Clips whose scalar s0 is the clip time: 2 seconds, 0.75 seconds, and no duration at all.
typedef struct crowd {
    pm_skeleton *skeleton;
    pm_clip *clips[3];
} crowd;

static crowd crowd_create(void) {
    static const float ends[2][2] = {{0, 2}, {0, 0.75f}}, still[] = {0.25f};
    crowd c = {.skeleton = rig_skeleton(1, 1)};
    for (int i = 0; i < 2; i++) {
        pm_channel channel =
            rig_channel(PM_PATH_SCALAR, PM_INTERPOLATION_LINEAR, 0, 2, ends[i], ends[i], NULL, NULL);
        c.clips[i] = rig_compile(&channel, 1, c.skeleton, NULL);
    }
    static const float zero[] = {0};
    pm_channel channel = rig_channel(PM_PATH_SCALAR, PM_INTERPOLATION_STEP, 0, 1, zero, still, NULL, NULL);
    c.clips[2] = rig_compile(&channel, 1, c.skeleton, NULL);
    return c;
}

static void crowd_destroy(crowd *c) {
    for (int i = 0; i < 3; i++) pm_clip_destroy(c->clips[i], NULL);
    pm_skeleton_destroy(c->skeleton);
}

enum { MANY = 200 };

// Instances that differ in clip, mode, rate, offset and loop count.
typedef struct many {
    crowd crowd;
    uint32_t clip_index[MANY];
    pm_playback playbacks[MANY];
    float times[MANY];
    double phases[MANY], previous[MANY];
    int32_t crossings[MANY];
    pm_playback_job job;
} many;

static void many_create(many *m) {
    memset(m, 0, sizeof *m);
    m->crowd = crowd_create();
    rig_random random = {77};
    for (uint32_t i = 0; i < MANY; i++) {
        m->clip_index[i] = rig_random_below(&random, 3);
        m->playbacks[i] = (pm_playback){
            .start_tick = rig_random_below(&random, 20),
            .base_seconds = rig_random_between(&random, -3, 3),
            .rate = rig_random_between(&random, -4, 4),
            .mode = (pm_loop_mode)rig_random_below(&random, PM_LOOP_MODE_COUNT),
            .loop_count = rig_random_below(&random, 4),
        };
    }
    pm_playback_job job = pm_default_playback_job();
    job.instance_count = MANY;
    job.tick = 5;
    job.tick_seconds = 1.0 / 30;
    job.clips = (const pm_clip *const *)m->crowd.clips;
    job.clip_count = 3;
    job.clip_index = m->clip_index;
    job.playbacks = m->playbacks;
    job.previous_phases = m->previous;
    job.time_seconds = m->times;
    job.phases = m->phases;
    job.crossings = m->crossings;
    m->job = job;
}

Test(playback, phase_is_base_plus_ticks_times_rate) {
    pm_playback playback = {.start_tick = 10, .base_seconds = 0.25, .rate = 1.5};
    cr_assert_eq(pm_playback_phase(&playback, 14, 0.5), 0.25 + 4 * 0.75);
    cr_assert_eq(pm_playback_phase(&playback, 10, 0.5), 0.25);
    cr_assert_eq(pm_playback_phase(&playback, -7, 0.5), 0.25, "before its start it waits");
    playback.rate = -1;
    cr_assert_eq(pm_playback_phase(&playback, 12, 0.5), -0.75);
    playback.rate = 0;
    cr_assert_eq(pm_playback_phase(&playback, 1000000, 0.5), 0.25);
}

Test(playback, numbers_that_are_not_finite_count_as_zero) {
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        pm_playback playback = {.base_seconds = 1, .rate = bad[i]};
        cr_assert_eq(pm_playback_phase(&playback, 3, 0.5), 1);
        playback = (pm_playback){.base_seconds = bad[i], .rate = 1};
        cr_assert_eq(pm_playback_phase(&playback, 3, 0.5), 1.5);
        playback.base_residue = bad[i];
        pm_playback_set_rate(&playback, 3, 0.5, 2);
        cr_assert_eq(pm_playback_phase(&playback, 4, 0.5), 2.5);
    }
    pm_playback playback = {.rate = 1e300};
    double phase = pm_playback_phase(&playback, INT64_MAX, 1);
    cr_assert(isfinite(phase));
    cr_assert(isfinite(pm_playback_locate(&playback, phase, 1e-30f).time_seconds));
    playback.start_tick = INT64_MIN;
    cr_assert(isfinite(pm_playback_phase(&playback, INT64_MAX, 1e300)));
}

Test(playback, looping_for_30_days_keeps_its_phase_within_a_microsecond) {
    const int64_t rate_hz[] = {30, 60, 120, 144, 1000};
    const double rates[] = {1, 0.1, 1.0 / 3, -0.7};
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 4; j++) {
            pm_playback playback = playback_of(rates[j], PM_LOOP_REPEAT, 0);
            int64_t ticks = (int64_t)THIRTY_DAYS * rate_hz[i];
            double phase = pm_playback_phase(&playback, ticks, 1.0 / (double)rate_hz[i]);
            long double exact = (long double)rates[j] * (long double)ticks / (long double)rate_hz[i];
            cr_assert_lt(fabsl((long double)phase - exact), 1e-9L);
            // A clip of 0.7 s: what is left of the division, exactly.
            double duration = (double)0.7f;
            double left = fmod(phase, duration);
            if (left < 0) left += duration;
            cr_assert_eq(pm_playback_locate(&playback, phase, 0.7f).time_seconds, left);
        }
}

Test(playback, a_rate_that_changes_every_tick_for_30_days_neither_jumps_nor_drifts) {
    pm_playback playback = playback_of(1, PM_LOOP_REPEAT, 0);
    playback.base_seconds = 1.0 / 3;
    const double tick_seconds = 1.0 / 60;
    long double exact = 1.0L / 3;
    double rate = 1;
    rig_random random = {5};
    int64_t tick = 0;
    for (int change = 0; change < 2000000; change++) {
        int64_t next = tick + 1 + (change % 77 == 0 ? 100 : 0);
        exact += (long double)(rate * tick_seconds) * (long double)(next - tick);
        tick = next;
        double before = pm_playback_phase(&playback, tick, tick_seconds);
        rate = (double)rig_random_between(&random, 0, 2);
        pm_playback_set_rate(&playback, tick, tick_seconds, rate);
        cr_assert_eq(pm_playback_phase(&playback, tick, tick_seconds), before);
    }
    cr_assert_lt(fabsl((long double)playback.base_seconds - exact), 1e-9L);
}

Test(playback, the_rate_changed_before_the_start_waits_for_it) {
    pm_playback playback = {.start_tick = 100, .base_seconds = 2, .rate = 1};
    pm_playback_set_rate(&playback, 50, 0.5, 3);
    cr_assert_eq(pm_playback_phase(&playback, 99, 0.5), 2);
    cr_assert_eq(pm_playback_phase(&playback, 102, 0.5), 5);
}

Test(playback, set_phase_goes_on_from_there) {
    pm_playback playback = {.base_seconds = 2, .base_residue = 1e-17, .rate = 2};
    pm_playback_set_phase(&playback, 8, 0.5);
    cr_assert_eq(pm_playback_phase(&playback, 8, 0.25), 0.5);
    cr_assert_eq(pm_playback_phase(&playback, 9, 0.25), 1);
}

typedef struct located {
    double phase, time;
    int64_t cycle;
    bool backwards, finished;
} located;

static void check_located(const pm_playback *playback, const located *expected, int count) {
    for (int i = 0; i < count; i++) {
        pm_position position = pm_playback_locate(playback, expected[i].phase, 2);
        cr_assert_eq(position.time_seconds, expected[i].time, "phase %g gives %g", expected[i].phase,
                     position.time_seconds);
        cr_assert_eq(position.cycle, expected[i].cycle, "phase %g", expected[i].phase);
        cr_assert_eq(position.backwards, expected[i].backwards, "phase %g", expected[i].phase);
        cr_assert_eq(position.finished, expected[i].finished, "phase %g", expected[i].phase);
    }
}

Test(playback, clamp_holds_the_first_pose_and_the_last) {
    pm_playback playback = playback_of(1, PM_LOOP_CLAMP, 9);
    const located expected[] = {
        {-5, 0, 0, false, true}, {0, 0, 0, false, false}, {1.5, 1.5, 0, false, false},
        {2, 2, 1, false, true},  {7, 2, 1, false, true},
    };
    check_located(&playback, expected, 5);
}

Test(playback, repeat_begins_again_and_goes_on_before_phase_0) {
    pm_playback playback = playback_of(1, PM_LOOP_REPEAT, 0);
    const located expected[] = {
        {-2.5, 1.5, -2, false, false}, {-2, 0, -1, false, false}, {-0.5, 1.5, -1, false, false},
        {0, 0, 0, false, false},       {2, 0, 1, false, false},   {7, 1, 3, false, false},
    };
    check_located(&playback, expected, 6);
}

Test(playback, a_loop_count_ends_at_the_last_pose_without_a_snap_to_the_first) {
    pm_playback playback = playback_of(1, PM_LOOP_REPEAT, 3);
    const located expected[] = {
        {-1, 0, 0, false, true}, {4, 0, 2, false, false}, {5.75, 1.75, 2, false, false},
        {6, 2, 3, false, true},  {60, 2, 3, false, true},
    };
    check_located(&playback, expected, 5);
}

Test(playback, ping_pong_has_the_right_half_the_right_direction_and_no_jump_at_the_turn) {
    pm_playback playback = playback_of(1, PM_LOOP_PING_PONG, 0);
    const located expected[] = {
        {-2.5, 1.5, -2, false, false}, {-0.5, 0.5, -1, true, false}, {0, 0, 0, false, false},
        {1.75, 1.75, 0, false, false}, {2, 2, 1, true, false},       {2.25, 1.75, 1, true, false},
        {3.75, 0.25, 1, true, false},  {4, 0, 2, false, false},      {4.25, 0.25, 2, false, false},
    };
    check_located(&playback, expected, 9);
}

Test(playback, ping_pong_with_a_count_ends_where_its_last_cycle_ends) {
    pm_playback twice = playback_of(1, PM_LOOP_PING_PONG, 2), thrice = playback_of(1, PM_LOOP_PING_PONG, 3);
    const located home[] = {{3.5, 0.5, 1, true, false}, {4, 0, 2, true, true}, {9, 0, 2, true, true}};
    const located away[] = {{5.5, 1.5, 2, false, false}, {6, 2, 3, false, true}, {9, 2, 3, false, true}};
    check_located(&twice, home, 3);
    check_located(&thrice, away, 3);
}

Test(playback, ping_pong_backwards_and_with_pauses_stays_on_its_path) {
    pm_playback playback = playback_of(1, PM_LOOP_PING_PONG, 0);
    const double tick_seconds = 1.0 / 32, rates[] = {1, 0, -1, 0, -2.5, 1};
    double before = 0;
    for (int64_t tick = 0; tick < 600; tick++) {
        if (tick % 100 == 0) pm_playback_set_rate(&playback, tick, tick_seconds, rates[tick / 100]);
        double phase = pm_playback_phase(&playback, tick, tick_seconds);
        double time = pm_playback_locate(&playback, phase, 2).time_seconds;
        double folded = fabs(phase - 4 * floor((phase + 2) / 4)); // a triangle wave of period 4
        cr_assert_eq(time, folded);
        cr_assert_leq(fabs(time - before), 2.5 / 32 + 1e-12);
        before = time;
    }
}

Test(playback, a_clip_of_no_duration_loops_without_dividing_by_it) {
    for (int mode = 0; mode < PM_LOOP_MODE_COUNT; mode++) {
        pm_playback playback = playback_of(1, (pm_loop_mode)mode, 0);
        const double phases[] = {-3, 0, 1e-300, 5, 1e12};
        for (int i = 0; i < 5; i++) cr_assert_eq(pm_playback_locate(&playback, phases[i], 0).time_seconds, 0);
        cr_assert_eq(pm_playback_locate(&playback, 1, 0).cycle, pm_playback_locate(&playback, 7, 0).cycle);
        cr_assert_eq(pm_playback_locate(&playback, 1, NAN).time_seconds, 0);
    }
}

Test(playback, cycles_meet_without_gap_or_overlap) {
    // At any boundary the float phases around it are in neighbouring cycles, and times stay in the clip.
    const float durations[] = {0.7f, 1.0f / 3, 5.2083335f, 1e-3f, 1e-30f};
    pm_playback playback = playback_of(1, PM_LOOP_REPEAT, 0);
    for (int d = 0; d < 5; d++)
        for (int64_t cycle = -1000; cycle <= 1000; cycle += 7) {
            double edge = (double)cycle * (double)durations[d];
            pm_position at = pm_playback_locate(&playback, edge, durations[d]);
            pm_position before = pm_playback_locate(&playback, nextafter(edge, -INFINITY), durations[d]);
            cr_assert_eq(at.cycle, cycle);
            cr_assert_eq(at.time_seconds, 0);
            cr_assert_eq(before.cycle, cycle - 1);
            cr_assert_geq(before.time_seconds, 0.99 * (double)durations[d]);
            cr_assert_leq(before.time_seconds, (double)durations[d]);
        }
}

Test(playback, the_job_writes_what_the_functions_say) {
    static many m;
    many_create(&m);
    cr_assert_null(pm_playback_validate(&m.job));
    static const float durations[] = {2, 0.75f, 0};
    for (int64_t tick = 0; tick < 300; tick += 3) {
        m.job.tick = tick;
        memcpy(m.previous, m.phases, sizeof m.phases);
        pm_playback_run(&m.job, 0, MANY);
        for (uint32_t i = 0; i < MANY; i++) {
            double phase = pm_playback_phase(&m.playbacks[i], tick, 1.0 / 30);
            pm_position now = pm_playback_locate(&m.playbacks[i], phase, durations[m.clip_index[i]]);
            pm_position then = pm_playback_locate(&m.playbacks[i], m.previous[i], durations[m.clip_index[i]]);
            cr_assert_eq(m.phases[i], phase);
            cr_assert_eq(m.times[i], (float)now.time_seconds);
            cr_assert_eq(m.crossings[i], now.cycle - then.cycle);
        }
    }
    crowd_destroy(&m.crowd);
}

Test(playback, several_loops_in_one_step_are_all_counted) {
    static many m;
    many_create(&m);
    int64_t sum[MANY] = {0}, first[MANY];
    rig_random random = {3};
    m.job.tick = 0;
    pm_playback_run(&m.job, 0, MANY);
    for (uint32_t i = 0; i < MANY; i++)
        first[i] = pm_playback_locate(&m.playbacks[i], m.phases[i], m.clip_index[i] ? 0.75f : 2).cycle;
    int32_t most = 0;
    for (int step = 0; step < 100; step++) {
        m.job.tick += 1 + rig_random_below(&random, 90);
        memcpy(m.previous, m.phases, sizeof m.phases);
        pm_playback_run(&m.job, 0, MANY);
        for (uint32_t i = 0; i < MANY; i++) {
            sum[i] += m.crossings[i];
            if (m.crossings[i] > most) most = m.crossings[i];
        }
    }
    cr_assert_geq(most, 10);
    for (uint32_t i = 0; i < MANY; i++) {
        if (m.clip_index[i] == 2) continue;
        int64_t last = pm_playback_locate(&m.playbacks[i], m.phases[i], m.clip_index[i] ? 0.75f : 2).cycle;
        cr_assert_eq(sum[i], last - first[i]);
    }
    crowd_destroy(&m.crowd);
}

Test(playback, any_cut_of_the_range_and_an_order_give_the_same_bits) {
    static many m, cut;
    many_create(&m);
    cut = m;
    cut.job.clip_index = cut.clip_index;
    cut.job.playbacks = cut.playbacks;
    cut.job.previous_phases = cut.previous;
    cut.job.time_seconds = cut.times;
    cut.job.phases = cut.phases;
    cut.job.crossings = cut.crossings;
    uint32_t order[MANY];
    for (uint32_t i = 0; i < MANY; i++) order[i] = i * 77 % MANY;
    cut.job.order = order;
    cut.job.order_count = MANY;
    pm_playback_run(&m.job, 0, MANY);
    for (uint32_t i = 0; i < MANY; i += 8) pm_playback_run(&cut.job, i, i + 8);
    cr_assert_arr_eq(m.times, cut.times, sizeof m.times);
    cr_assert_arr_eq(m.phases, cut.phases, sizeof m.phases);
    cr_assert_arr_eq(m.crossings, cut.crossings, sizeof m.crossings);
    crowd_destroy(&m.crowd);
}

Test(playback, ticks_of_their_own_are_the_same_as_runs_at_these_ticks) {
    static many m;
    many_create(&m);
    int64_t ticks[MANY];
    float together[MANY];
    for (uint32_t i = 0; i < MANY; i++) ticks[i] = (int64_t)i * 3 % 64;
    m.job.ticks = ticks;
    m.job.tick = 999;
    pm_playback_run(&m.job, 0, MANY);
    memcpy(together, m.times, sizeof together);
    m.job.ticks = NULL;
    for (uint32_t i = 0; i < MANY; i++) {
        m.job.tick = ticks[i];
        pm_playback_run(&m.job, i, i + 1);
    }
    cr_assert_arr_eq(m.times, together, sizeof together);
    crowd_destroy(&m.crowd);
}

Test(playback, strides_reach_into_the_hosts_structs_and_touch_nothing_else) {
    typedef struct character {
        uint32_t guard, clip;
        pm_playback playback;
        float before, time, after;
    } character;
    crowd c = crowd_create();
    character characters[5];
    memset(characters, 0x5a, sizeof characters);
    for (uint32_t i = 0; i < 5; i++) {
        characters[i].clip = i == 3 ? 99 : 0; // no such clip: left as it is
        characters[i].playback = (pm_playback){.base_seconds = i, .mode = PM_LOOP_REPEAT};
    }
    character copy[5];
    memcpy(copy, characters, sizeof copy);
    pm_playback_job job = pm_default_playback_job();
    job.instance_count = 5;
    job.tick_seconds = 1;
    job.clips = (const pm_clip *const *)c.clips;
    job.clip_count = 3;
    job.clip_index = &characters[0].clip;
    job.clip_index_stride = job.playback_stride = job.time_stride = sizeof(character);
    job.playbacks = &characters[0].playback;
    job.time_seconds = &characters[0].time;
    cr_assert_null(pm_playback_validate(&job));
    pm_playback_run(&job, 0, 5);
    for (uint32_t i = 0; i < 5; i++)
        if (i != 3) copy[i].time = (float)(i % 2);
    cr_assert_arr_eq(characters, copy, sizeof copy);
    crowd_destroy(&c);
}

Test(playback, a_host_that_rounds_another_way_gets_the_same_bits_and_its_mode_back) {
    static many m;
    many_create(&m);
    pm_playback_run(&m.job, 0, MANY);
    float times[MANY];
    double phases[MANY];
    memcpy(times, m.times, sizeof times);
    memcpy(phases, m.phases, sizeof phases);
    fesetround(FE_UPWARD);
    pm_playback_run(&m.job, 0, MANY);
    cr_assert_eq(fegetround(), FE_UPWARD);
    fesetround(FE_TONEAREST);
    cr_assert_arr_eq(m.times, times, sizeof times);
    cr_assert_arr_eq(m.phases, phases, sizeof phases);
    crowd_destroy(&m.crowd);
}

static void expect_fault(const pm_playback_job *job, const char *word) {
    const char *fault = pm_playback_validate(job);
    cr_assert_not_null(fault, "valid, but \"%s\" was expected", word);
    cr_assert(strstr(fault, word), "\"%s\" does not say \"%s\"", fault, word);
}

#define INVALID(change, word)                                                                                \
    do {                                                                                                     \
        pm_playback_job job = m.job;                                                                         \
        change;                                                                                              \
        expect_fault(&job, word);                                                                            \
    } while (0)

Test(playback, every_way_to_be_invalid_has_its_reason) {
    static many m;
    many_create(&m);
    static const pm_clip *hole[] = {NULL};
    _Alignas(64) static uint32_t junk[64];
    static const pm_clip *not_a_clip[] = {(const pm_clip *)junk};
    expect_fault(NULL, "the job is NULL");
    INVALID(job.cookie = 0, "pm_default_playback_job");
    INVALID(job.tick_seconds = 0, "tick_seconds");
    INVALID(job.tick_seconds = NAN, "tick_seconds");
    INVALID(job.tick_seconds = INFINITY, "tick_seconds");
    static const int64_t ticks[MANY];
    INVALID((job.ticks = ticks, job.tick_stride = 4), "ticks or its stride");
    INVALID(job.clip_count = 0, "clip_count is 0");
    INVALID(job.clips = NULL, "clips is NULL");
    INVALID((job.clips = hole, job.clip_count = 1), "a NULL pointer");
    INVALID((job.clips = not_a_clip, job.clip_count = 1), "not a clip");
    INVALID(job.clip_index = NULL, "clip_index is NULL");
    INVALID(job.clip_index_stride = 6, "clip_index or its stride");
    INVALID(job.playbacks = NULL, "playbacks is NULL");
    INVALID(job.playback_stride = 12, "playbacks or its stride");
    INVALID(job.previous_phase_stride = 4, "previous_phases or its stride");
    INVALID(job.previous_phases = NULL, "crossings needs previous_phases");
    INVALID(job.order_count = 1, "order is NULL");
    INVALID((job.time_seconds = NULL, job.phases = NULL, job.crossings = NULL), "nothing would be written");
    INVALID(job.time_stride = 2, "time_seconds or its stride");
    INVALID(job.phase_stride = 4, "phases or its stride");
    INVALID(job.crossing_stride = 2, "crossings or its stride");
    INVALID(job.time_stride = 0, "time_stride is 0");
    INVALID(job.phase_stride = 0, "phase_stride is 0");
    INVALID(job.crossing_stride = 0, "crossing_stride is 0");
    crowd_destroy(&m.crowd);
}

enum { ACCEPTANCE_INSTANCES = MANY, STOPS = 5 };

// The scalars of all instances at 0, 200, 400, 600 and 800 ms, driven at a frame rate; `skip` drops every
// such frame.
static void drive(many *m, uint64_t frame_rate, uint64_t skip, float poses[STOPS][MANY][PM_BLOCK_LANES]) {
    pm_clock clock;
    cr_assert(pm_clock_start(&clock, 30, 1, 1000));
    pm_sample_job sample = pm_default_sample_job();
    sample.kernels = pm_kernels_best();
    sample.clips = m->job.clips;
    sample.clip_count = m->job.clip_count;
    sample.instance_count = MANY;
    sample.clip_index = m->clip_index;
    sample.time_seconds = m->times;
    sample.scalar_stride = sizeof poses[0][0];
    for (uint64_t frame = 0; frame <= frame_rate * 8 / 10; frame++) {
        if (frame && skip && frame % skip == 0) continue;
        uint64_t elapsed_ns = frame * UINT64_C(1000000000) / frame_rate;
        m->job.tick = pm_clock_advance(&clock, 1000 + elapsed_ns).tick;
        pm_playback_run(&m->job, 0, MANY);
        if (elapsed_ns % 200000000) continue;
        sample.scalars = poses[elapsed_ns / 200000000][0];
        cr_assert_null(pm_sample_validate(&sample));
        pm_sample_run(&sample, 0, MANY);
    }
}

Test(playback, poses_at_one_time_are_the_same_bits_at_60_hz_at_120_hz_and_with_every_fifth_frame_dropped) {
    static many m;
    _Alignas(64) static float poses[3][STOPS][MANY][PM_BLOCK_LANES];
    many_create(&m);
    drive(&m, 60, 0, poses[0]);
    drive(&m, 120, 0, poses[1]);
    drive(&m, 60, 5, poses[2]);
    cr_assert_arr_eq(poses[0], poses[1], sizeof poses[0]);
    cr_assert_arr_eq(poses[0], poses[2], sizeof poses[0]);
    cr_assert_arr_neq(poses[0][0], poses[0][1], sizeof poses[0][0]);
    cr_assert_arr_neq(poses[0][3], poses[0][4], sizeof poses[0][0]);
    crowd_destroy(&m.crowd);
}
