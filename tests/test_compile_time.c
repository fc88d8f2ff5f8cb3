// cases.md, "Time and search", as far as compile and a sample together settle it.
#include "support/rig.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static pm_skeleton *skeleton;

static void make_skeleton(void) {
    skeleton = rig_skeleton(1, 2);
}

static void drop_skeleton(void) {
    pm_skeleton_destroy(skeleton);
}

TestSuite(compile_time, .init = make_skeleton, .fini = drop_skeleton);

static pm_channel scalar(pm_interpolation interpolation, uint32_t key_count, const float *times,
                         const float *values) {
    return rig_channel(PM_PATH_SCALAR, interpolation, 0, key_count, times, values, NULL, NULL);
}

static float before(float time) {
    return nextafterf(time, -INFINITY);
}

static float after(float time) {
    return nextafterf(time, INFINITY);
}

static float duration_of(const pm_channel *channels, uint32_t channel_count) {
    pm_clip *clip = rig_compile(channels, channel_count, skeleton, NULL);
    float duration = pm_clip_get_info(clip).duration_seconds;
    pm_clip_destroy(clip, NULL);
    return duration;
}

Test(compile_time, before_a_first_key_after_zero_its_value_holds) {
    static const float times[] = {0.5f, 1}, values[] = {3, 4};
    for (int mode = PM_INTERPOLATION_STEP; mode <= PM_INTERPOLATION_LINEAR; mode++) {
        pm_channel channel = scalar((pm_interpolation)mode, 2, times, values);
        pm_clip *clip = rig_compile(&channel, 1, skeleton, NULL);
        cr_assert_eq(rig_scalar(clip, 0, 0), 3);
        cr_assert_eq(rig_scalar(clip, 0, before(0.5f)), 3);
        cr_assert_eq(rig_scalar(clip, 0, 0.5f), 3);
        cr_assert_eq(pm_clip_get_info(clip).duration_seconds, 1);
        pm_clip_destroy(clip, NULL);
    }
}

Test(compile_time, cubic_holds_before_its_first_key_and_after_its_last) {
    static const float times[] = {1, 2}, values[] = {3, 4}, tangents[] = {5, 6};
    static const float other_times[] = {0, 0.5f, 2.5f, 4}, other_values[] = {0, 7, 0, 7};
    pm_channel channels[] = {
        rig_channel(PM_PATH_SCALAR, PM_INTERPOLATION_CUBIC, 0, 2, times, values, tangents, tangents),
        rig_channel(PM_PATH_SCALAR, PM_INTERPOLATION_LINEAR, 1, 4, other_times, other_values, NULL, NULL)};
    pm_clip *clip = rig_compile(channels, 2, skeleton, NULL);
    for (float time = 0; time <= 1; time += 0.0625f) cr_assert_eq(rig_scalar(clip, 0, time), 3);
    for (float time = 2; time <= 5; time += 0.0625f) cr_assert_eq(rig_scalar(clip, 0, time), 4);
    pm_clip_destroy(clip, NULL);
}

Test(compile_time, duration_is_the_last_key_over_all_channels) {
    static const float early[] = {0, 1}, late[] = {0.5f, 3.5f}, values[] = {0, 1};
    pm_channel channels[] = {
        rig_channel(PM_PATH_SCALAR, PM_INTERPOLATION_LINEAR, 0, 2, late, values, NULL, NULL),
        rig_channel(PM_PATH_SCALAR, PM_INTERPOLATION_LINEAR, 1, 2, early, values, NULL, NULL)};
    cr_assert_eq(duration_of(channels, 2), 3.5f);
}

Test(compile_time, duration_counts_channels_that_do_not_move) {
    static const float early[] = {0, 1}, late[] = {0, 3}, values[] = {0, 1}, still[] = {2, 2};
    pm_channel channels[] = {
        rig_channel(PM_PATH_SCALAR, PM_INTERPOLATION_LINEAR, 0, 2, early, values, NULL, NULL),
        rig_channel(PM_PATH_SCALAR, PM_INTERPOLATION_LINEAR, 1, 2, late, still, NULL, NULL)};
    cr_assert_eq(duration_of(channels, 2), 3);
}

Test(compile_time, at_the_last_key_and_past_it_the_last_value) {
    static const float times[] = {0, 1, 3}, values[] = {5, 6, 7};
    for (int mode = PM_INTERPOLATION_STEP; mode <= PM_INTERPOLATION_LINEAR; mode++) {
        pm_channel channel = scalar((pm_interpolation)mode, 3, times, values);
        pm_clip *clip = rig_compile(&channel, 1, skeleton, NULL);
        cr_assert_eq(rig_scalar(clip, 0, 3), 7);
        cr_assert_eq(rig_scalar(clip, 0, after(3)), 7);
        cr_assert_eq(rig_scalar(clip, 0, 1e7f), 7);
        pm_clip_destroy(clip, NULL);
    }
}

Test(compile_time, step_takes_a_key_at_its_time_and_not_just_before) {
    static const float times[] = {0, 0.1f, 0.2f, 1}, values[] = {5, 6, 7, 8};
    pm_channel channel = scalar(PM_INTERPOLATION_STEP, 4, times, values);
    pm_clip *clip = rig_compile(&channel, 1, skeleton, NULL);
    for (int k = 1; k < 4; k++) {
        cr_assert_eq(rig_scalar(clip, 0, before(times[k])), values[k - 1]);
        cr_assert_eq(rig_scalar(clip, 0, times[k]), values[k]);
        cr_assert_eq(rig_scalar(clip, 0, after(times[k])), values[k]);
    }
    pm_clip_destroy(clip, NULL);
}

static void expect_jump(pm_interpolation interpolation, float half_way_up, float half_way_down) {
    static const float times[] = {0, 1, 1, 2}, values[] = {0, 10, 20, 0};
    static const float slopes[] = {0, 1e-6f, 1e-6f, 0};
    const float *tangents = interpolation == PM_INTERPOLATION_CUBIC ? slopes : NULL;
    pm_channel channel = rig_channel(PM_PATH_SCALAR, interpolation, 0, 4, times, values, tangents, tangents);
    rig_fault fault = {PM_SEVERITY_NOTE, PM_FAULT_TIME_DUPLICATE, 2, "s0"};
    pm_clip *clip = rig_compile_faulty(&channel, skeleton, fault);
    cr_assert_float_eq(rig_scalar(clip, 0, 0.5f), half_way_up, 1e-5);
    cr_assert_eq(rig_scalar(clip, 0, 1), 10);
    cr_assert_eq(rig_scalar(clip, 0, after(1)), 20);
    cr_assert_float_eq(rig_scalar(clip, 0, 1.5f), half_way_down, 1e-5);
    pm_clip_destroy(clip, NULL);
}

Test(compile_time, of_duplicate_times_the_first_counts_then_and_the_second_right_after) {
    expect_jump(PM_INTERPOLATION_STEP, 0, 20);
    expect_jump(PM_INTERPOLATION_LINEAR, 5, 10);
    expect_jump(PM_INTERPOLATION_CUBIC, 5, 10);
}

Test(compile_time, duplicates_at_both_ends) {
    static const float times[] = {0, 0, 1, 1}, values[] = {1, 2, 3, 4};
    pm_channel channel = scalar(PM_INTERPOLATION_LINEAR, 4, times, values);
    pm_clip *clip = rig_compile(&channel, 1, skeleton, NULL);
    cr_assert_eq(rig_scalar(clip, 0, -1), 1);
    cr_assert_eq(rig_scalar(clip, 0, 0), 1);
    cr_assert_eq(rig_scalar(clip, 0, after(0)), 2);
    cr_assert_float_eq(rig_scalar(clip, 0, 0.5f), 2.5, 1e-6);
    cr_assert_eq(rig_scalar(clip, 0, 1), 3);
    cr_assert_eq(rig_scalar(clip, 0, after(1)), 4);
    cr_assert_eq(rig_scalar(clip, 0, 100), 4);
    pm_clip_destroy(clip, NULL);
}

Test(compile_time, of_many_keys_at_one_time_only_the_first_and_the_last_count) {
    static const float times[] = {0, 1, 1, 1, 1, 2}, values[] = {0, 10, 1e6f, -1e6f, 20, 30};
    pm_channel channel = scalar(PM_INTERPOLATION_LINEAR, 6, times, values);
    pm_clip *clip = rig_compile(&channel, 1, skeleton, NULL);
    cr_assert_float_eq(rig_scalar(clip, 0, 0.5f), 5, 1e-5);
    cr_assert_eq(rig_scalar(clip, 0, 1), 10);
    cr_assert_eq(rig_scalar(clip, 0, after(1)), 20);
    cr_assert_float_eq(rig_scalar(clip, 0, 1.5f), 25, 1e-5);
    pm_clip_destroy(clip, NULL);
}

Test(compile_time, all_keys_at_one_time) {
    static const float times[] = {1, 1, 1}, values[] = {10, 20, 30};
    pm_channel channel = scalar(PM_INTERPOLATION_LINEAR, 3, times, values);
    pm_clip *clip = rig_compile(&channel, 1, skeleton, NULL);
    cr_assert_eq(rig_scalar(clip, 0, 0), 10);
    cr_assert_eq(rig_scalar(clip, 0, 1), 10);
    cr_assert_eq(rig_scalar(clip, 0, after(1)), 30);
    cr_assert_eq(rig_scalar(clip, 0, 2), 30);
    pm_clip_destroy(clip, NULL);
}

Test(compile_time, neighbouring_floats_are_times_of_their_own) {
    float times[] = {1, after(1), after(after(1))}, values[] = {10, 20, 30};
    pm_channel channel = scalar(PM_INTERPOLATION_LINEAR, 3, times, values);
    static diagnostics list;
    pm_report report = diagnostics_report(&list);
    pm_clip *clip = rig_compile(&channel, 1, skeleton, &report);
    cr_assert_eq(list.count, 0);
    for (int k = 0; k < 3; k++) cr_assert_eq(rig_scalar(clip, 0, times[k]), values[k]);
    pm_clip_destroy(clip, NULL);
}

Test(compile_time, jump_right_before_a_key_at_the_next_float_keeps_that_key) {
    float times[] = {0, 1, 1, after(1), 2}, values[] = {0, 10, 20, 30, 40};
    pm_channel channel = scalar(PM_INTERPOLATION_STEP, 5, times, values);
    pm_clip *clip = rig_compile(&channel, 1, skeleton, NULL);
    cr_assert_eq(rig_scalar(clip, 0, 1), 10);
    cr_assert_eq(rig_scalar(clip, 0, after(1)), 30);
    cr_assert_eq(rig_scalar(clip, 0, 1.5f), 30);
    cr_assert_eq(rig_scalar(clip, 0, 2), 40);
    pm_clip_destroy(clip, NULL);
}

Test(compile_time, unsorted_keys_are_sorted_or_refused) {
    static const float times[] = {0, 2, 1, 3}, values[] = {0, 20, 5, 0};
    pm_channel channel = scalar(PM_INTERPOLATION_LINEAR, 4, times, values);
    rig_fault fault = {PM_SEVERITY_REPAIR, PM_FAULT_TIME_UNSORTED, 2, "s0"};
    pm_clip *clip = rig_compile_faulty(&channel, skeleton, fault);
    cr_assert_float_eq(rig_scalar(clip, 0, 0.5f), 2.5, 1e-6);
    cr_assert_float_eq(rig_scalar(clip, 0, 1.5f), 12.5, 1e-6);
    cr_assert_float_eq(rig_scalar(clip, 0, 2.5f), 10, 1e-6);
    pm_clip_destroy(clip, NULL);
}

Test(compile_time, sorting_keeps_the_order_of_equal_times_and_takes_tangents_along) {
    static const float times[] = {2, 0, 1, 1}, values[] = {0, 4, 10, 20};
    static const float in[] = {3, 0, 1, 0}, out[] = {0, 2, 0, -1};
    pm_channel channel = rig_channel(PM_PATH_SCALAR, PM_INTERPOLATION_CUBIC, 0, 4, times, values, in, out);
    pm_clip *clip = rig_compile(&channel, 1, skeleton, NULL);
    cr_assert_float_eq(rig_scalar(clip, 0, 0.5f), 7 + (2 - 1) / 8.0, 1e-5);
    cr_assert_eq(rig_scalar(clip, 0, 1), 10);
    cr_assert_float_eq(rig_scalar(clip, 0, 1.5f), 10 + (-1 - 3) / 8.0, 1e-5);
    pm_clip_destroy(clip, NULL);
}

Test(compile_time, negative_times_are_kept_and_noted) {
    static const float times[] = {-1, 1, 2}, values[] = {0, 20, 30};
    pm_channel channel = scalar(PM_INTERPOLATION_LINEAR, 3, times, values);
    rig_fault fault = {PM_SEVERITY_NOTE, PM_FAULT_TIME_NEGATIVE, 0, "s0"};
    pm_clip *clip = rig_compile_faulty(&channel, skeleton, fault);
    cr_assert_float_eq(rig_scalar(clip, 0, 0), 10, 1e-6);
    cr_assert_float_eq(rig_scalar(clip, 0, 0.5f), 15, 1e-6);
    cr_assert_eq(pm_clip_get_info(clip).duration_seconds, 2);
    pm_clip_destroy(clip, NULL);
}

Test(compile_time, only_negative_times_make_a_clip_of_no_duration) {
    static const float times[] = {-2, -1}, values[] = {1, 2};
    pm_channel channel = scalar(PM_INTERPOLATION_LINEAR, 2, times, values);
    pm_clip *clip = rig_compile(&channel, 1, skeleton, NULL);
    cr_assert_eq(pm_clip_get_info(clip).duration_seconds, 0);
    cr_assert_eq(rig_scalar(clip, 0, 0), 2);
    cr_assert_eq(rig_scalar(clip, 0, 5), 2);
    pm_clip_destroy(clip, NULL);
}

Test(compile_time, one_key_is_a_constant_for_all_times) {
    static const float time = 2, value = 7;
    for (int mode = PM_INTERPOLATION_STEP; mode <= PM_INTERPOLATION_LINEAR; mode++) {
        pm_channel channel = scalar((pm_interpolation)mode, 1, &time, &value);
        pm_clip *clip = rig_compile(&channel, 1, skeleton, NULL);
        cr_assert_eq(pm_clip_get_info(clip).duration_seconds, 2);
        cr_assert_eq(pm_clip_get_track(clip, 0).kind, PM_TRACK_CONSTANT);
        static const float sampled[] = {-INFINITY, -1, 0, 1, 2, 3, 1e7f, INFINITY};
        for (int i = 0; i < 8; i++) cr_assert_eq(rig_scalar(clip, 0, sampled[i]), 7);
        pm_clip_destroy(clip, NULL);
    }
}

Test(compile_time, no_key_is_refused_or_dropped) {
    static const float nothing = 0;
    pm_channel channels[] = {scalar(PM_INTERPOLATION_LINEAR, 0, &nothing, &nothing),
                             scalar(PM_INTERPOLATION_LINEAR, 0, NULL, NULL)};
    for (int i = 0; i < 2; i++) {
        rig_fault fault = {PM_SEVERITY_DROPPED, PM_FAULT_KEYS_MISSING, PM_NONE, "s0"};
        pm_clip *clip = rig_compile_faulty(&channels[i], skeleton, fault);
        cr_assert_eq(rig_scalar(clip, 0, 0), 0.5f);
        pm_clip_destroy(clip, NULL);
    }
}

Test(compile_time, time_that_is_not_finite_costs_the_channel) {
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        float times[] = {0, 1, bad[i], 3}, values[] = {1, 2, 3, 4};
        pm_channel channel = scalar(PM_INTERPOLATION_LINEAR, 4, times, values);
        rig_fault fault = {PM_SEVERITY_DROPPED, PM_FAULT_TIME_NOT_FINITE, 2, "s0"};
        pm_clip *clip = rig_compile_faulty(&channel, skeleton, fault);
        cr_assert_eq(rig_scalar(clip, 0, 1), 0.5f);
        pm_clip_destroy(clip, NULL);
    }
}

Test(compile_time, value_that_is_not_finite_leaves_its_key_out) {
    static const float times[] = {0, 1, 2}, values[] = {0, NAN, 4};
    pm_channel channel = scalar(PM_INTERPOLATION_LINEAR, 3, times, values);
    rig_fault fault = {PM_SEVERITY_REPAIR, PM_FAULT_VALUE_NOT_FINITE, 1, "s0"};
    pm_clip *clip = rig_compile_faulty(&channel, skeleton, fault);
    cr_assert_float_eq(rig_scalar(clip, 0, 1), 2, 1e-6);
    pm_clip_destroy(clip, NULL);
    static const float none[] = {NAN, NAN, INFINITY};
    channel.values = none;
    static diagnostics list;
    pm_report report = diagnostics_report(&list);
    clip = rig_compile(&channel, 1, skeleton, &report);
    cr_assert_not_null(diagnostics_find(&list, PM_FAULT_KEYS_MISSING, 0));
    cr_assert_eq(rig_scalar(clip, 0, 1), 0.5f);
    pm_clip_destroy(clip, NULL);
}

Test(compile_time, more_keys_than_sixteen_bits_count) {
    enum { KEYS = 70001 };
    float *times = calloc(KEYS, sizeof *times), *values = calloc(KEYS, sizeof *values);
    // Unequal steps keep the times off any grid.
    for (uint32_t k = 0; k < KEYS; k++) {
        times[k] = (float)k * 0.5f + (k % 3 == 1 ? 0.125f : 0);
        values[k] = (float)(k * 7919u % KEYS);
    }
    pm_channel channel = scalar(PM_INTERPOLATION_LINEAR, KEYS, times, values);
    pm_clip *clip = rig_compile(&channel, 1, skeleton, NULL);
    for (uint32_t k = 0; k < KEYS; k += 997) cr_assert_eq(rig_scalar(clip, 0, times[k]), values[k]);
    cr_assert_eq(rig_scalar(clip, 0, times[KEYS - 1]), values[KEYS - 1]);
    pm_clip_destroy(clip, NULL);
    free(times);
    free(values);
}

Test(compile_time, uniform_grids_are_recognised_and_jittered_ones_too) {
    enum { KEYS = 121 };
    static float times[KEYS], values[KEYS];
    for (int jitter = 0; jitter < 2; jitter++) {
        for (int k = 0; k < KEYS; k++) {
            times[k] = (float)((k + jitter * (k % 2 ? 8e-5 : -8e-5)) / 30.0);
            values[k] = (float)(k * k);
        }
        pm_channel channel = scalar(PM_INTERPOLATION_LINEAR, KEYS, times, values);
        pm_clip *clip = rig_compile(&channel, 1, skeleton, NULL);
        pm_timeline_info timeline = pm_clip_get_timeline(clip, 0);
        cr_assert_eq(timeline.key_count, KEYS);
        cr_assert_float_eq(timeline.rate_hz, 30, 0.01);
        cr_assert_eq(pm_clip_get_info(clip).cursor_count, 0);
        for (int k = 0; k < KEYS; k++) {
            cr_assert_eq(rig_scalar(clip, 0, times[k]), values[k]);
            if (k) cr_assert_leq(rig_scalar(clip, 0, before(times[k])), values[k]);
        }
        pm_clip_destroy(clip, NULL);
    }
}

Test(compile_time, channels_of_equal_times_share_a_timeline_by_value) {
    static const float times[] = {0, 0.3f, 1}, same[] = {0, 0.3f, 1}, first[] = {1, 2, 3},
                       second[] = {3, 1, 2};
    static const float translations[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    pm_channel channels[] = {
        rig_channel(PM_PATH_SCALAR, PM_INTERPOLATION_LINEAR, 0, 3, times, first, NULL, NULL),
        rig_channel(PM_PATH_SCALAR, PM_INTERPOLATION_STEP, 1, 3, same, second, NULL, NULL),
        rig_channel(PM_PATH_TRANSLATION, PM_INTERPOLATION_LINEAR, 0, 3, same, translations, NULL, NULL)};
    pm_clip *clip = rig_compile(channels, 3, skeleton, NULL);
    pm_clip_info info = pm_clip_get_info(clip);
    cr_assert_eq(info.timeline_count, 1);
    cr_assert_eq(info.cursor_count, 1);
    cr_assert_eq(info.channel_count, 3);
    cr_assert_eq(pm_clip_get_timeline(clip, 0).rate_hz, 0);
    pm_clip_destroy(clip, NULL);
}
