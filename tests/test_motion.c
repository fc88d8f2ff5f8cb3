// Root motion: the split at compile, and steps across loops in both directions.
#include "support/failing_allocator.h"
#include "support/layers.h"

#include <posemill/motion.h>

#include <criterion/criterion.h>
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

// A rigid placement in double precision.
typedef struct place {
    double translation[3], rotation[4];
} place;

static const place origin = {{0, 0, 0}, {0, 0, 0, 1}};

static void turn_vector(const double q[4], const double v[3], double result[3]) {
    double p[4] = {v[0], v[1], v[2], 0}, minus[4] = {-q[0], -q[1], -q[2], q[3]}, half[4], whole[4];
    poses_multiply(q, p, half);
    poses_multiply(half, minus, whole);
    memcpy(result, whole, 3 * sizeof *result);
}

static place after(const place *first, const place *second) {
    place result;
    turn_vector(first->rotation, second->translation, result.translation);
    for (int c = 0; c < 3; c++) result.translation[c] += first->translation[c];
    poses_multiply(first->rotation, second->rotation, result.rotation);
    poses_normalise(result.rotation);
    return result;
}

static place place_of_delta(const pm_motion_delta *delta) {
    place p;
    for (int c = 0; c < 3; c++) p.translation[c] = (double)delta->translation[c];
    for (int c = 0; c < 4; c++) p.rotation[c] = (double)delta->rotation[c];
    poses_normalise(p.rotation);
    return p;
}

static place place_of_joint(const pm_transform *transform) {
    place p;
    for (int c = 0; c < 3; c++) p.translation[c] = (double)transform->translation[c];
    for (int c = 0; c < 4; c++) p.rotation[c] = (double)transform->rotation[c];
    return p;
}

static void expect_place(const place *got, const place *expected, double distance, double angle,
                         const char *what) {
    double off = 0;
    for (int c = 0; c < 3; c++) off += pow(got->translation[c] - expected->translation[c], 2);
    cr_assert_lt(sqrt(off), distance, "%s: %g away", what, sqrt(off));
    double turned = reference_rotation_angle(expected->rotation, got->rotation);
    cr_assert_lt(turned, angle, "%s: %g radians off", what, turned);
}

// A walk of two seconds along a curve with a wiggle: translation and rotation of joint 0, rotation at its own
// times, starting away from the origin and turned.
typedef struct walk {
    pm_skeleton *skeleton;
    float times[9], turn_times[7];
    float values[27], in[27], out[27], rotations[28], zeros[28];
    pm_channel channels[3];
    pm_clip_source source;
    pm_clip *whole;
} walk;

static void walk_create(walk *w, pm_interpolation interpolation) {
    rig_random random = {17};
    w->skeleton = rig_skeleton(2, 0);
    for (int k = 0; k < 9; k++) {
        w->times[k] = (float)k / 4;
        for (int c = 0; c < 3; c++) {
            w->values[3 * k + c] =
                (c == 2 ? 1.5f * (float)k / 4 : 1) + rig_random_between(&random, -0.2f, 0.2f);
            w->in[3 * k + c] = rig_random_between(&random, -2, 2);
            w->out[3 * k + c] = rig_random_between(&random, -2, 2);
        }
    }
    for (int k = 0; k < 7; k++) {
        // Turns by 110 degrees a key, nearly two whole turns, with some lean.
        double half = (0.3 + 1.92 * k) / 2, lean = 0.2 * sin(k);
        double yaw[4] = {0, sin(half), 0, cos(half)}, tilt[4] = {sin(lean), 0, 0.1 * cos(lean), cos(lean)},
               q[4];
        poses_normalise(tilt);
        poses_multiply(yaw, tilt, q);
        w->turn_times[k] = (float)k * 0.31f;
        for (int c = 0; c < 4; c++) w->rotations[4 * k + c] = (float)q[c];
        for (int c = 0; c < 4; c++) w->zeros[4 * k + c] = 0;
    }
    w->channels[0] =
        rig_channel(PM_PATH_TRANSLATION, interpolation, 0, 9, w->times, w->values, w->in, w->out);
    w->channels[1] =
        rig_channel(PM_PATH_ROTATION, interpolation, 0, 7, w->turn_times, w->rotations, w->zeros, w->zeros);
    w->channels[2] =
        rig_channel(PM_PATH_TRANSLATION, PM_INTERPOLATION_LINEAR, 1, 9, w->times, w->values, NULL, NULL);
    w->source = rig_source(w->channels, 3);
    w->whole = rig_compile(w->channels, 3, w->skeleton, NULL);
}

static void walk_destroy(walk *w) {
    pm_clip_destroy(w->whole, NULL);
    pm_skeleton_destroy(w->skeleton);
}

typedef struct split_walk {
    pm_motion_split *split;
    pm_clip *clip;
} split_walk;

static split_walk split_of(const walk *w, const pm_motion_options *options) {
    split_walk s;
    pm_report report = {0};
    cr_assert_eq(pm_motion_split_create(&w->source, w->skeleton, options, NULL, &s.split, &report), PM_OK,
                 "%s", report.message);
    cr_assert_eq(pm_clip_compile(&s.split->source, w->skeleton, NULL, NULL, &s.clip, &report), PM_OK);
    const pm_motion *loaded;
    cr_assert_eq(pm_motion_load(s.split->motion, s.split->motion_size, &loaded, &report), PM_OK, "%s",
                 report.message);
    return s;
}

static void split_free(split_walk *s) {
    pm_clip_destroy(s->clip, NULL);
    pm_motion_split_destroy(s->split);
}

static const pm_interpolation modes[] = {PM_INTERPOLATION_STEP, PM_INTERPOLATION_LINEAR,
                                         PM_INTERPOLATION_CUBIC};

Test(motion, motion_times_remaining_pose_is_the_pose_for_all_interpolations_and_choices) {
    for (int mode = 0; mode < 3; mode++)
        for (int choice = 0; choice < 16; choice++)
            for (uint32_t up = 0; up < 3; up++) {
                static walk w;
                walk_create(&w, modes[mode]);
                pm_motion_options options = pm_default_motion_options();
                for (int c = 0; c < 3; c++) options.axes[c] = choice >> c & 1;
                options.turn = choice & 8;
                options.up_axis = up;
                split_walk s = split_of(&w, &options);
                for (int i = 0; i <= 400; i++) {
                    float time = (float)i * 2.1f / 400;
                    pm_motion_delta delta = pm_motion_evaluate(s.split->motion, (double)time);
                    pm_transform rest = rig_joint(s.clip, 0, time), whole = rig_joint(w.whole, 0, time);
                    place m = place_of_delta(&delta), r = place_of_joint(&rest), l = place_of_joint(&whole);
                    place got = after(&m, &r);
                    expect_place(&got, &l, 4e-4, 4e-4, "M * R");
                    pm_transform other = rig_joint(s.clip, 1, time), same = rig_joint(w.whole, 1, time);
                    // On another timeline, perhaps, but the same curve.
                    for (int c = 0; c < 3; c++)
                        cr_assert_float_eq(other.translation[c], same.translation[c], 2e-6f);
                }
                split_free(&s);
                walk_destroy(&w);
            }
}

Test(motion, what_is_taken_out_does_not_move_in_the_pose) {
    for (int mode = 0; mode < 3; mode++) {
        static walk w;
        walk_create(&w, modes[mode]);
        split_walk s = split_of(&w, NULL);
        pm_transform start = rig_joint(w.whole, 0, 0);
        double twist = 2 * atan2((double)start.rotation[1], (double)start.rotation[3]);
        for (int i = 0; i <= 100; i++) {
            pm_transform now = rig_joint(s.clip, 0, (float)i / 50),
                         whole = rig_joint(w.whole, 0, (float)i / 50);
            cr_assert_eq(now.translation[0], start.translation[0]);
            cr_assert_float_eq(now.translation[1], whole.translation[1], 1e-6f);
            cr_assert_eq(now.translation[2], start.translation[2]);
            double left = 2 * atan2((double)now.rotation[1], (double)now.rotation[3]) - twist;
            cr_assert_lt(fabs(remainder(left, 2 * PI)), 5e-4);
        }
        pm_motion_delta at_start = pm_motion_evaluate(s.split->motion, 0);
        place m = place_of_delta(&at_start);
        expect_place(&m, &origin, 1e-6, 1e-6, "M(0)");
        split_free(&s);
        walk_destroy(&w);
    }
}

Test(motion, a_translation_without_a_turn_is_split_exactly_with_no_key_added) {
    for (int mode = 1; mode < 3; mode++) {
        static walk w;
        walk_create(&w, modes[mode]);
        pm_motion_options options = pm_default_motion_options();
        options.turn = false;
        split_walk s = split_of(&w, &options);
        cr_assert_leq(s.split->motion_size, 64 + 64 + 9 * 48 + 64);
        for (int i = 0; i <= 100; i++) {
            float time = (float)i / 50;
            pm_motion_delta delta = pm_motion_evaluate(s.split->motion, (double)time);
            pm_transform rest = rig_joint(s.clip, 0, time), whole = rig_joint(w.whole, 0, time);
            cr_assert_arr_eq(rest.rotation, whole.rotation, sizeof rest.rotation);
            for (int c = 0; c < 3; c++)
                cr_assert_float_eq(delta.translation[c] + rest.translation[c], whole.translation[c], 1e-6f);
            cr_assert_eq(delta.translation[1], 0);
            cr_assert_eq(delta.turn_radians, 0);
        }
        split_free(&s);
        walk_destroy(&w);
    }
}

Test(motion, turns_are_counted_not_folded) {
    static walk w;
    walk_create(&w, PM_INTERPOLATION_LINEAR);
    split_walk s = split_of(&w, NULL);
    pm_motion_delta end = pm_motion_evaluate(s.split->motion, 2);
    cr_assert_float_eq((double)end.turn_radians, 1.92 * 6, 0.2); // the lean changes the twist a little
    split_free(&s);
    walk_destroy(&w);
}

// Steps of one instance.
typedef struct stepper {
    uint32_t clip_index;
    pm_playback playback;
    double from, to;
    const pm_motion *motions[1];
    const pm_clip *clips[1];
    pm_motion_delta delta;
    pm_motion_job job;
} stepper;

static void stepper_create(stepper *t, const split_walk *s) {
    memset(t, 0, sizeof *t);
    t->motions[0] = s->split->motion;
    t->clips[0] = s->clip;
    t->job = pm_default_motion_job();
    t->job.instance_count = t->job.clip_count = 1;
    t->job.clips = t->clips;
    t->job.motions = t->motions;
    t->job.clip_index = &t->clip_index;
    t->job.playbacks = &t->playback;
    t->job.from_phases = &t->from;
    t->job.to_phases = &t->to;
    t->job.deltas = &t->delta;
    cr_assert_null(pm_motion_validate(&t->job));
}

static place step(stepper *t, double from, double to) {
    t->from = from;
    t->to = to;
    pm_motion_run(&t->job, 0, 1);
    return place_of_delta(&t->delta);
}

Test(motion, steps_within_a_clip_are_the_difference_of_two_motions) {
    static walk w;
    walk_create(&w, PM_INTERPOLATION_CUBIC);
    split_walk s = split_of(&w, NULL);
    static stepper t;
    stepper_create(&t, &s);
    for (int i = 0; i < 40; i++) {
        double from = 2 * (i % 7) / 7.0, to = 2 * (i % 11) / 11.0;
        pm_motion_delta a = pm_motion_evaluate(s.split->motion, from),
                        b = pm_motion_evaluate(s.split->motion, to);
        place start = place_of_delta(&a), end = place_of_delta(&b), delta = step(&t, from, to);
        place got = after(&start, &delta);
        expect_place(&got, &end, 2e-6, 2e-6, "a step");
    }
    split_free(&s);
    walk_destroy(&w);
}

Test(motion, a_chain_of_steps_ends_where_one_long_step_does_across_loops_and_backwards) {
    static walk w;
    walk_create(&w, PM_INTERPOLATION_LINEAR);
    split_walk s = split_of(&w, NULL);
    static stepper t;
    stepper_create(&t, &s);
    rig_random random = {6};
    for (int mode = 0; mode < PM_LOOP_MODE_COUNT; mode++)
        for (int round = 0; round < 20; round++) {
            t.playback.mode = (pm_loop_mode)mode;
            t.playback.loop_count = (uint32_t)round % 4;
            double begin = (double)rig_random_between(&random, -9, 9), at = begin;
            place sum = origin;
            for (int i = 0; i < 30; i++) {
                double next = at + (double)rig_random_between(&random, -2, 3);
                place delta = step(&t, at, next);
                sum = after(&sum, &delta);
                at = next;
            }
            place once = step(&t, begin, at);
            expect_place(&once, &sum, 2e-4, 5e-5, "a chain");
        }
    split_free(&s);
    walk_destroy(&w);
}

Test(motion, repeat_goes_on_from_where_the_cycle_ended_and_a_thousand_loops_are_one_step) {
    static walk w;
    walk_create(&w, PM_INTERPOLATION_CUBIC);
    split_walk s = split_of(&w, NULL);
    static stepper t;
    stepper_create(&t, &s);
    t.playback.mode = PM_LOOP_REPEAT;
    pm_motion_delta end = pm_motion_evaluate(s.split->motion, 2);
    place cycle = place_of_delta(&end), sum = origin;
    for (int loops = 1; loops <= 1000; loops++) {
        sum = after(&sum, &cycle);
        if (loops % 37) continue;
        place forwards = step(&t, 0, 2.0 * loops), back = step(&t, 2.0 * loops, 0),
              both = after(&forwards, &back);
        // The reference sums floats: its error grows with each loop.
        expect_place(&forwards, &sum, 1e-5 * loops, 1e-6 * loops, "loops");
        expect_place(&both, &origin, 1e-3, 1e-6, "there and back");
    }
    split_free(&s);
    walk_destroy(&w);
}

Test(motion, a_thousand_loops_straight_ahead_lose_nothing) {
    pm_skeleton *skeleton = rig_skeleton(1, 0);
    static const float times[] = {0, 0.5f}, values[] = {0, 1, 0, 0, 1, 0.75f};
    pm_channel channel =
        rig_channel(PM_PATH_TRANSLATION, PM_INTERPOLATION_LINEAR, 0, 2, times, values, NULL, NULL);
    walk w = {.skeleton = skeleton, .source = rig_source(&channel, 1)};
    split_walk s = split_of(&w, NULL);
    static stepper t;
    stepper_create(&t, &s);
    t.playback.mode = PM_LOOP_REPEAT;
    step(&t, 0.25, 500.25);
    cr_assert_eq(t.delta.translation[2], 750);
    cr_assert_eq(t.delta.turn_radians, 0);
    step(&t, 500.25, 0.25);
    cr_assert_eq(t.delta.translation[2], -750);
    split_free(&s);
    pm_skeleton_destroy(skeleton);
}

Test(motion, ping_pong_walks_back_and_clamp_stands_at_its_ends) {
    static walk w;
    walk_create(&w, PM_INTERPOLATION_LINEAR);
    split_walk s = split_of(&w, NULL);
    static stepper t;
    stepper_create(&t, &s);
    t.playback.mode = PM_LOOP_PING_PONG;
    place there_and_back = step(&t, 0, 4), once = step(&t, 1.5, 2.5);
    expect_place(&there_and_back, &origin, 1e-6, 1e-6, "ping-pong");
    expect_place(&once, &origin, 1e-6, 1e-6, "across a turn");
    t.playback.mode = PM_LOOP_CLAMP;
    place far = step(&t, -5, 50), all = step(&t, 0, 2), none = step(&t, 2, 9);
    expect_place(&far, &all, 1e-6, 1e-6, "clamp");
    expect_place(&none, &origin, 1e-9, 1e-9, "behind the end");
    t.playback.mode = PM_LOOP_REPEAT;
    t.playback.loop_count = 3;
    place three = step(&t, 0, 50), exact = step(&t, 0, 6);
    expect_place(&three, &exact, 1e-9, 1e-9, "three loops");
    split_free(&s);
    walk_destroy(&w);
}

Test(motion, a_joint_without_channels_has_no_motion_and_the_source_stays_as_it_is) {
    pm_skeleton *skeleton = rig_skeleton(2, 0);
    static const float times[] = {0, 1}, values[] = {0, 0, 0, 1, 1, 1};
    pm_channel channel =
        rig_channel(PM_PATH_TRANSLATION, PM_INTERPOLATION_LINEAR, 1, 2, times, values, NULL, NULL);
    walk w = {.skeleton = skeleton, .source = rig_source(&channel, 1)};
    split_walk s = split_of(&w, NULL);
    pm_clip *whole = rig_compile(&channel, 1, skeleton, NULL);
    size_t size = pm_clip_get_info(whole).size_bytes;
    cr_assert_eq(pm_clip_get_info(s.clip).size_bytes, size);
    cr_assert_arr_eq(s.clip, whole, size);
    pm_motion_delta delta = pm_motion_evaluate(s.split->motion, 0.5);
    place m = place_of_delta(&delta);
    expect_place(&m, &origin, 1e-9, 1e-9, "no motion");
    pm_clip_destroy(whole, NULL);
    split_free(&s);
    pm_skeleton_destroy(skeleton);
}

Test(motion, splitting_leaves_the_callers_source_alone) {
    static walk w, copy;
    walk_create(&w, PM_INTERPOLATION_CUBIC);
    copy = w;
    split_walk s = split_of(&w, NULL);
    cr_assert_arr_eq(&w, &copy, sizeof w);
    split_free(&s);
    walk_destroy(&w);
}

Test(motion, the_same_bytes_on_a_host_that_rounds_another_way) {
    static walk w;
    walk_create(&w, PM_INTERPOLATION_LINEAR);
    split_walk s = split_of(&w, NULL);
    static stepper t;
    stepper_create(&t, &s);
    t.playback.mode = PM_LOOP_REPEAT;
    step(&t, 0.3, 7.1);
    pm_motion_delta delta = t.delta;
    fesetround(FE_UPWARD);
    split_walk other = split_of(&w, NULL);
    step(&t, 0.3, 7.1);
    cr_assert_eq(fegetround(), FE_UPWARD);
    fesetround(FE_TONEAREST);
    cr_assert_eq(other.split->motion_size, s.split->motion_size);
    cr_assert_arr_eq(other.split->motion, s.split->motion, s.split->motion_size);
    cr_assert_arr_eq(&t.delta, &delta, sizeof delta);
    split_free(&other);
    split_free(&s);
    walk_destroy(&w);
}

Test(motion, the_loader_refuses_every_damaged_byte_or_reads_it_safely) {
    static walk w;
    walk_create(&w, PM_INTERPOLATION_CUBIC);
    split_walk s = split_of(&w, NULL);
    size_t size = s.split->motion_size;
    unsigned char *bytes = aligned_alloc(64, size);
    const pm_motion *motion;
    for (size_t cut = 0; cut < size; cut += 16) {
        memcpy(bytes, s.split->motion, size);
        cr_assert_eq(pm_motion_load(bytes, cut, &motion, NULL), PM_ERROR_FORMAT);
    }
    for (size_t at = 0; at < size; at++)
        for (int bit = 0; bit < 8; bit++) {
            memcpy(bytes, s.split->motion, size);
            bytes[at] ^= (unsigned char)(1 << bit);
            if (pm_motion_load(bytes, size, &motion, NULL)) continue;
            pm_motion_delta delta = pm_motion_evaluate(motion, 0.9);
            cr_assert(isfinite(delta.translation[0]) && isfinite(delta.rotation[1]) &&
                      isfinite(delta.turn_radians));
        }
    cr_assert_eq(pm_motion_load(bytes + 4, size - 4, &motion, NULL), PM_ERROR_ARGUMENT);
    cr_assert_eq(pm_motion_load(NULL, size, &motion, NULL), PM_ERROR_ARGUMENT);
    free(bytes);
    split_free(&s);
    walk_destroy(&w);
}

static void expect_refused(const walk *w, const pm_motion_options *options, pm_result result,
                           const char *word) {
    pm_motion_split *split;
    pm_report report = {0};
    cr_assert_eq(pm_motion_split_create(&w->source, w->skeleton, options, NULL, &split, &report), result);
    cr_assert(strstr(report.message, word), "\"%s\" does not say \"%s\"", report.message, word);
    cr_assert_null(split);
}

Test(motion, options_and_channels_that_cannot_be_split_are_refused_with_the_reason) {
    static walk w;
    walk_create(&w, PM_INTERPOLATION_LINEAR);
    pm_motion_options options = {0};
    expect_refused(&w, &options, PM_ERROR_ARGUMENT, "pm_default_motion_options");
    options = pm_default_motion_options();
    options.joint = 2;
    expect_refused(&w, &options, PM_ERROR_ARGUMENT, "joint");
    options = pm_default_motion_options();
    options.up_axis = 3;
    expect_refused(&w, &options, PM_ERROR_ARGUMENT, "up_axis");
    options = pm_default_motion_options();
    options.tolerance = 0;
    expect_refused(&w, &options, PM_ERROR_ARGUMENT, "tolerance");
    options = pm_default_motion_options();
    options.tolerance_radians = NAN;
    expect_refused(&w, &options, PM_ERROR_ARGUMENT, "tolerance");
    w.channels[0].cadence_hz = 12;
    expect_refused(&w, NULL, PM_ERROR_UNSUPPORTED, "cadence");
    walk_destroy(&w);
}

Test(motion, an_allocation_that_fails_anywhere_returns_an_error_and_leaks_nothing) {
    static walk w;
    walk_create(&w, PM_INTERPOLATION_CUBIC);
    uint64_t fail_at = 1;
    for (;; fail_at++) {
        failing_allocator memory = {.fail_at = fail_at};
        pm_allocator allocator = failing_allocator_interface(&memory);
        pm_motion_split *split;
        pm_result result = pm_motion_split_create(&w.source, w.skeleton, NULL, &allocator, &split, NULL);
        if (memory.allocation_count < fail_at) {
            cr_assert_eq(result, PM_OK);
            pm_motion_split_destroy(split);
            cr_assert_eq(memory.live_count, 0);
            break;
        }
        cr_assert_eq(result, PM_ERROR_MEMORY);
        cr_assert_eq(memory.live_count, 0);
    }
    cr_assert_gt(fail_at, 1);
    walk_destroy(&w);
}

#define INVALID(change, word)                                                                                \
    do {                                                                                                     \
        pm_motion_job job = t.job;                                                                           \
        change;                                                                                              \
        const char *fault = pm_motion_validate(&job);                                                        \
        cr_assert(fault &&strstr(fault, word), "\"%s\" does not say \"%s\"", fault ? fault : "valid", word); \
    } while (0)

Test(motion, every_way_to_be_invalid_has_its_reason) {
    static walk w;
    walk_create(&w, PM_INTERPOLATION_LINEAR);
    split_walk s = split_of(&w, NULL);
    static stepper t;
    stepper_create(&t, &s);
    static const pm_clip *hole[] = {NULL};
    _Alignas(64) static uint32_t junk[16];
    static const pm_motion *not_a_motion[] = {(const pm_motion *)junk};
    cr_assert(strstr(pm_motion_validate(NULL), "the job is NULL"));
    INVALID(job.cookie = 0, "pm_default_motion_job");
    INVALID(job.clip_count = 0, "clip_count is 0");
    INVALID(job.clips = NULL, "clips is NULL");
    INVALID(job.clips = hole, "a NULL pointer");
    INVALID(job.motions = NULL, "motions is NULL");
    INVALID(job.motions = not_a_motion, "not a motion");
    INVALID(job.clip_index = NULL, "clip_index is NULL");
    INVALID(job.clip_index_stride = 2, "clip_index or its stride");
    INVALID(job.playbacks = NULL, "playbacks is NULL");
    INVALID(job.playback_stride = 4, "playbacks or its stride");
    INVALID(job.from_phases = NULL, "from_phases is NULL");
    INVALID(job.from_stride = 4, "from_phases or its stride");
    INVALID(job.to_phases = NULL, "to_phases is NULL");
    INVALID(job.to_stride = 4, "to_phases or its stride");
    INVALID(job.order_count = 1, "order is NULL");
    INVALID(job.deltas = NULL, "deltas is NULL");
    INVALID(job.delta_stride = 33, "deltas or its stride");
    INVALID((job.delta_stride = 4, job.instance_count = 2), "delta_stride is below");
    split_free(&s);
    walk_destroy(&w);
}
