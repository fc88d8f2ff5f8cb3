// Events: none lost, none twice, in order, in every mode and direction.
#include "support/rig.h"

#include <posemill/event.h>

#include <criterion/criterion.h>
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS = 4096 };

// A clip of two seconds with five marks, two of them at the ends, two at one time.
static const pm_mark marks[] = {{"start", 0}, {"left", 0.5f}, {"hit", 1.25f}, {"flash", 1.25f}, {"end", 2}};
static const float still_times[] = {0}, ends[] = {0, 2};

typedef struct fixture {
    pm_skeleton *skeleton;
    pm_clip *clips[2]; // of two seconds, and of none
    pm_mark_track tracks[2];
    uint32_t clip_index;
    pm_playback playback;
    double from, to;
    pm_event events[EVENTS];
    pm_event_job job;
} fixture;

static fixture f;

static void make(void) {
    f.skeleton = rig_skeleton(1, 1);
    pm_channel moving = rig_channel(PM_PATH_SCALAR, PM_INTERPOLATION_LINEAR, 0, 2, ends, ends, NULL, NULL);
    pm_channel still =
        rig_channel(PM_PATH_SCALAR, PM_INTERPOLATION_STEP, 0, 1, still_times, ends, NULL, NULL);
    f.clips[0] = rig_compile(&moving, 1, f.skeleton, NULL);
    f.clips[1] = rig_compile(&still, 1, f.skeleton, NULL);
    f.tracks[0] = (pm_mark_track){marks, 5};
    f.tracks[1] = (pm_mark_track){marks, 1};
    pm_event_job job = pm_default_event_job();
    job.clips = (const pm_clip *const *)f.clips;
    job.clip_count = 2;
    job.tracks = f.tracks;
    job.instance_count = 1;
    job.clip_index = &f.clip_index;
    job.playbacks = &f.playback;
    job.from_phases = &f.from;
    job.to_phases = &f.to;
    f.job = job;
    cr_assert_null(pm_event_validate(&f.job));
}

static void drop(void) {
    pm_clip_destroy(f.clips[0], NULL);
    pm_clip_destroy(f.clips[1], NULL);
    pm_skeleton_destroy(f.skeleton);
}

TestSuite(event, .init = make, .fini = drop);

static uint64_t pass(double from, double to) {
    f.from = from;
    f.to = to;
    return pm_event_run(&f.job, 0, 1, f.events, EVENTS);
}

// Expects exactly these marks, in this order, by the first letters of their names; upper case is backwards.
static void expect(double from, double to, const char *letters) {
    char got[64] = "";
    uint64_t count = pass(from, to);
    cr_assert_lt(count, sizeof got);
    for (uint64_t i = 0; i < count; i++) {
        char letter = marks[f.events[i].mark].name[0];
        got[i] = (char)(f.events[i].backwards ? letter - 'a' + 'A' : letter);
    }
    cr_assert_str_eq(got, letters, "%g to %g", from, to);
}

Test(event, a_step_has_the_moment_where_it_starts_but_not_where_it_ends) {
    f.playback.mode = PM_LOOP_REPEAT;
    expect(0, 0.25, "s");
    expect(0.25, 0.5, "");
    expect(0.5, 0.75, "l");
    expect(0.5, 0.5, "");
    expect(0.5, 0.25, "L");
    expect(0.75, 0.5, "");
    expect(1.25, 1.5, "hf");
    expect(1.25, 1, "FH");
}

Test(event, repeat_passes_the_end_and_then_the_start) {
    f.playback.mode = PM_LOOP_REPEAT;
    expect(1.5, 2, "e");
    expect(1.5, 2.1, "es");
    expect(2, 2.1, "s");
    expect(2, 1.9, "E");
    expect(2.1, 2, "S");
    expect(2.1, 1.5, "SE");
    expect(-0.5, 0.1, "es");
    expect(0.1, -0.5, "SE");
}

Test(event, several_loops_in_one_step_are_all_passed) {
    f.playback.mode = PM_LOOP_REPEAT;
    expect(0.25, 6.25, "lhfeslhfeslhfes");
    expect(6.25, 0.25, "SEFHLSEFHLSEFHL");
}

Test(event, clamp_passes_its_ends_once) {
    f.playback.mode = PM_LOOP_CLAMP;
    expect(-5, 9, "slhfe");
    expect(9, -5, "EFHLS");
    expect(1.5, 2, "e");
    expect(2, 2.5, "");
    expect(2.5, 7, "");
    expect(-3, -1, "");
}

Test(event, a_loop_count_ends_the_events) {
    f.playback.mode = PM_LOOP_REPEAT;
    f.playback.loop_count = 2;
    expect(-5, 99, "slhfeslhfe");
    expect(99, -5, "EFHLSEFHLS");
}

Test(event, ping_pong_passes_a_turn_once) {
    f.playback.mode = PM_LOOP_PING_PONG;
    expect(0, 4, "slhfEFHL");
    expect(1.5, 2.5, "E");
    expect(2.5, 1.5, "e");
    expect(3.9, 4.1, "s");
    expect(4.1, 3.9, "S");
    expect(4, 0, "lhfeFHLS");
    f.playback.loop_count = 2;
    expect(0, 99, "slhfEFHLS");
    f.playback.loop_count = 1;
    expect(0, 99, "slhfe");
}

Test(event, a_clip_of_no_duration_has_its_mark_once) {
    f.clip_index = 1;
    for (int mode = 0; mode < PM_LOOP_MODE_COUNT; mode++) {
        f.playback.mode = (pm_loop_mode)mode;
        expect(0, 5, "s");
        expect(1, 5, "");
        expect(-1, 5, "s");
        expect(5, 0, "S");
        expect(0, -5, "");
        expect(5, -1, "S");
    }
}

Test(event, fractions_say_when_in_the_step) {
    f.playback.mode = PM_LOOP_REPEAT;
    cr_assert_eq(pass(0, 2), 5);
    const float forwards[] = {0, 0.25f, 0.625f, 0.625f, 1}, backwards[] = {0, 0.375f, 0.375f, 0.75f, 1};
    for (int i = 0; i < 5; i++) cr_assert_eq(f.events[i].fraction, forwards[i]);
    cr_assert_eq(pass(2, 0), 5);
    for (int i = 0; i < 5; i++) cr_assert_eq(f.events[i].fraction, backwards[i]);
}

// Every mark's moments on a line of phases, straight from the rules, for cycles -60 to 59.
static uint32_t count_moments(const pm_playback *playback, uint32_t mark, double low, double high,
                              bool falling) {
    uint32_t count = 0;
    double time = (double)marks[mark].time_seconds;
    int64_t cycles = playback->mode == PM_LOOP_CLAMP ? 1 : playback->loop_count;
    for (int64_t k = cycles ? 0 : -60; k < (cycles ? cycles : 60); k++) {
        bool odd = playback->mode == PM_LOOP_PING_PONG && k % 2;
        double seconds = odd ? 2 - time : time, moment = 2 * (double)k + seconds;
        if (playback->mode == PM_LOOP_PING_PONG && seconds == 2 && !(cycles && k + 1 == cycles)) continue;
        // Moved by a hair into the cycle, the moments at its ends are like all others.
        if (seconds == 0) moment += 1e-6;
        if (seconds == 2) moment -= 1e-6;
        count += falling ? moment > low && moment <= high : moment >= low && moment < high;
    }
    return count;
}

Test(event, a_chain_of_steps_of_any_length_and_direction_loses_none_and_passes_none_twice) {
    rig_random random = {31};
    for (int round = 0; round < 3000; round++) {
        f.playback.mode = (pm_loop_mode)rig_random_below(&random, PM_LOOP_MODE_COUNT);
        f.playback.loop_count = rig_random_below(&random, 5);
        bool falling = rig_random_below(&random, 2);
        // Ends on quarters are often exactly at a mark.
        double low = (double)rig_random_below(&random, 160) / 4 - 20,
               high = low + (double)rig_random_below(&random, 64) / 4;
        uint32_t seen[5] = {0};
        double at = falling ? high : low, goal = falling ? low : high;
        while (at != goal) {
            double length = (double)rig_random_between(&random, 0, 5);
            if (rig_random_below(&random, 2)) length = floor(length * 4) / 4;
            double next = falling ? fmax(at - length, goal) : fmin(at + length, goal);
            uint64_t count = pass(at, next);
            double before = 0;
            for (uint64_t i = 0; i < count; i++) {
                seen[f.events[i].mark]++;
                cr_assert_geq((double)f.events[i].fraction, before);
                cr_assert_leq((double)f.events[i].fraction, 1);
                before = (double)f.events[i].fraction;
            }
            at = next;
        }
        for (uint32_t mark = 0; mark < 5; mark++)
            cr_assert_eq(seen[mark], count_moments(&f.playback, mark, low, high, falling));
    }
}

Test(event, thirty_days_at_60_hz_pass_every_step_of_the_feet) {
    f.playback = (pm_playback){.rate = 1.1, .mode = PM_LOOP_REPEAT};
    const int64_t ticks = INT64_C(30) * 86400 * 60;
    // The last minute of the thirty days, tick by tick, against one long step.
    double begin = pm_playback_phase(&f.playback, ticks - 3600, 1.0 / 60);
    double end = pm_playback_phase(&f.playback, ticks, 1.0 / 60);
    uint64_t sum = 0;
    for (int64_t tick = ticks - 3600; tick < ticks; tick++)
        sum += pass(pm_playback_phase(&f.playback, tick, 1.0 / 60),
                    pm_playback_phase(&f.playback, tick + 1, 1.0 / 60));
    cr_assert_eq(sum, pass(begin, end));
    cr_assert_geq(sum, 5 * 32);
}

Test(event, a_full_buffer_reports_how_many_there_are) {
    f.playback.mode = PM_LOOP_REPEAT;
    for (int falling = 0; falling < 2; falling++)
        for (uint32_t loops = 0; loops < 40; loops++) {
            f.from = 0.25;
            f.to = 0.25 + 2 * loops;
            if (falling) {
                double swap = f.from;
                f.from = f.to;
                f.to = swap;
            }
            uint64_t count = pm_event_run(&f.job, 0, 1, f.events, EVENTS);
            cr_assert_eq(count, 5 * loops);
            cr_assert_eq(pm_event_run(&f.job, 0, 1, NULL, 0), count);
            pm_event some[7], untouched;
            memset(some, 0xcd, sizeof some);
            untouched = some[6];
            cr_assert_eq(pm_event_run(&f.job, 0, 1, some, 6), count);
            for (uint64_t i = 0; i < 6 && i < count; i++) {
                cr_assert_eq(some[i].mark, f.events[i].mark);
                cr_assert_eq(some[i].fraction, f.events[i].fraction);
            }
            cr_assert_arr_eq(&some[6], &untouched, sizeof untouched);
        }
}

Test(event, counting_ping_pong_loops_without_room_agrees_with_finding_them) {
    f.playback.mode = PM_LOOP_PING_PONG;
    for (uint32_t loops = 0; loops < 60; loops++) {
        f.from = 0.75;
        f.to = 0.75 + 2 * loops;
        cr_assert_eq(pm_event_run(&f.job, 0, 1, NULL, 0), pm_event_run(&f.job, 0, 1, f.events, EVENTS));
    }
}

Test(event, a_leap_over_billions_of_loops_ends_at_once) {
    f.playback.mode = PM_LOOP_REPEAT;
    cr_assert_eq(pass(0.25, 0.25 + 2e12), UINT64_C(5000000000000));
    cr_assert_eq(pass(0, NAN), 0);
    pass(-INFINITY, INFINITY); // only has to come back
}

Test(event, all_instances_in_one_job_in_the_order_of_the_range) {
    enum { MANY = 50 };
    uint32_t clip_of[MANY], order[MANY];
    pm_playback playbacks[MANY];
    double from[MANY], to[MANY];
    rig_random random = {8};
    for (uint32_t i = 0; i < MANY; i++) {
        clip_of[i] = rig_random_below(&random, 3); // 2 is no clip
        playbacks[i] = (pm_playback){.mode = (pm_loop_mode)rig_random_below(&random, 3)};
        from[i] = (double)rig_random_between(&random, -5, 5);
        to[i] = from[i] + (double)rig_random_between(&random, -3, 3);
        order[i] = i * 7 % MANY;
    }
    f.job.instance_count = MANY;
    f.job.clip_index = clip_of;
    f.job.playbacks = playbacks;
    f.job.from_phases = from;
    f.job.to_phases = to;
    f.job.order = order;
    f.job.order_count = MANY;
    cr_assert_null(pm_event_validate(&f.job));
    uint64_t count = pm_event_run(&f.job, 0, MANY, f.events, EVENTS);
    cr_assert_gt(count, MANY / 2);
    // Cut into ranges, and one by one.
    static pm_event cut[EVENTS];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < MANY; i += 5) sum += pm_event_run(&f.job, i, i + 5, cut + sum, EVENTS - sum);
    cr_assert_eq(sum, count);
    for (uint64_t i = 0; i < count; i++) {
        cr_assert_eq(cut[i].instance, f.events[i].instance);
        cr_assert_eq(cut[i].mark, f.events[i].mark);
        cr_assert_eq(cut[i].fraction, f.events[i].fraction);
        cr_assert_eq(cut[i].backwards, f.events[i].backwards);
        cr_assert_lt(clip_of[cut[i].instance], 2);
        if (i) cr_assert_leq(cut[i - 1].instance * 43 % MANY, cut[i].instance * 43 % MANY); // 7 * 43 = 1 (50)
    }
}

#define INVALID(change, word)                                                                                \
    do {                                                                                                     \
        pm_event_job job = f.job;                                                                            \
        change;                                                                                              \
        const char *fault = pm_event_validate(&job);                                                         \
        cr_assert(fault &&strstr(fault, word), "\"%s\" does not say \"%s\"", fault ? fault : "valid", word); \
    } while (0)

Test(event, every_way_to_be_invalid_has_its_reason) {
    const pm_mark late[] = {{"late", 2.5f}}, early[] = {{"early", -0.1f}}, odd[] = {{"odd", NAN}};
    const pm_mark falling[] = {{"b", 1}, {"a", 0.5f}};
    pm_mark_track tracks[2] = {{NULL, 0}, {NULL, 0}};
    static const pm_clip *hole[] = {NULL};
    cr_assert(strstr(pm_event_validate(NULL), "the job is NULL"));
    INVALID(job.cookie = 0, "pm_default_event_job");
    INVALID(job.clip_count = 0, "clip_count is 0");
    INVALID(job.clips = NULL, "clips is NULL");
    INVALID((job.clips = hole, job.clip_count = 1), "a NULL pointer");
    INVALID(job.tracks = NULL, "tracks is NULL");
    INVALID((job.tracks = tracks, tracks[0].mark_count = 1), "marks are NULL");
    INVALID((job.tracks = tracks, tracks[0].marks = late), "outside of its clip");
    INVALID((job.tracks = tracks, tracks[0].marks = early), "outside of its clip");
    INVALID((job.tracks = tracks, tracks[0].marks = odd), "outside of its clip");
    INVALID((job.tracks = tracks, tracks[0].marks = falling, tracks[0].mark_count = 2), "rising order");
    INVALID(job.clip_index = NULL, "clip_index is NULL");
    INVALID(job.clip_index_stride = 2, "clip_index or its stride");
    INVALID(job.playbacks = NULL, "playbacks is NULL");
    INVALID(job.playback_stride = 4, "playbacks or its stride");
    INVALID(job.from_phases = NULL, "from_phases is NULL");
    INVALID(job.from_stride = 4, "from_phases or its stride");
    INVALID(job.to_phases = NULL, "to_phases is NULL");
    INVALID(job.to_stride = 4, "to_phases or its stride");
    INVALID(job.order_count = 1, "order is NULL");
}
