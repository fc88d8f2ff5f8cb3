// cases.md, "Rotations": what compile and a sample together must make of LINEAR and STEP ones.
#include "support/reference.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static pm_skeleton *skeleton;

static void make_skeleton(void) {
    skeleton = rig_skeleton(1, 0);
}

static void drop_skeleton(void) {
    pm_skeleton_destroy(skeleton);
}

TestSuite(compile_rotation, .init = make_skeleton, .fini = drop_skeleton);

static const double pi = 3.14159265358979323846;

// A turn about z, in degrees.
static void turn(double degrees, float sign, float *q) {
    q[0] = q[1] = 0;
    q[2] = sign * (float)sin(degrees * pi / 360);
    q[3] = sign * (float)cos(degrees * pi / 360);
}

static pm_channel rotation(pm_interpolation interpolation, uint32_t key_count, const float *times,
                           const float *values) {
    return rig_channel(PM_PATH_ROTATION, interpolation, 0, key_count, times, values, NULL, NULL);
}

// How far the clip is from a turn about z at a time, in radians.
static double turn_error(const pm_clip *clip, float time, double degrees) {
    double expected[4] = {0, 0, sin(degrees * pi / 360), cos(degrees * pi / 360)};
    pm_transform transform = rig_joint(clip, 0, time);
    double length = 0;
    for (int c = 0; c < 4; c++) length += (double)transform.rotation[c] * transform.rotation[c];
    cr_assert_float_eq(length, 1, 1e-6);
    return reference_rotation_error(expected, transform.rotation);
}

Test(compile_rotation, neighbours_of_opposite_sign_take_the_short_way) {
    // 21 degrees, never 339.
    static const float times[] = {0, 1};
    float values[8];
    turn(0, 1, values);
    turn(21, -1, values + 4);
    pm_channel channel = rotation(PM_INTERPOLATION_LINEAR, 2, times, values);
    pm_clip *clip = rig_compile(&channel, 1, skeleton, NULL);
    for (int i = 0; i <= 21; i++) cr_assert_lt(turn_error(clip, (float)i / 21, i), 1e-6);
    pm_clip_destroy(clip, NULL);
}

Test(compile_rotation, signs_are_aligned_along_the_whole_channel) {
    // After alignment 0, 50, 100 ... 400 degrees: past 180 the quaternions change hemisphere of w, and the
    // authored signs alternate as they like.
    enum { KEYS = 9 };
    float times[KEYS], values[KEYS * 4];
    for (int k = 0; k < KEYS; k++) {
        times[k] = (float)k;
        turn(50 * k, k % 3 == 1 ? -1.0f : 1.0f, values + 4 * k);
    }
    pm_channel channel = rotation(PM_INTERPOLATION_LINEAR, KEYS, times, values);
    pm_clip *clip = rig_compile(&channel, 1, skeleton, NULL);
    for (int i = 0; i <= 80; i++) cr_assert_lt(turn_error(clip, (float)i / 10, 5 * i), 1e-6);
    pm_clip_destroy(clip, NULL);
}

Test(compile_rotation, slerp_is_exact_at_all_angles) {
    static const double angles[] = {0,  1e-6, 1e-4, 1e-3, 0.01, 0.1, 1,     10,
                                    45, 90,   120,  150,  170,  179, 179.9, 179.99};
    static const float times[] = {0, 1};
    for (size_t a = 0; a < sizeof angles / sizeof *angles; a++) {
        float values[8];
        turn(30, 1, values);
        turn(30 + angles[a], 1, values + 4);
        double from[4], to[4], expected[4];
        for (int c = 0; c < 4; c++) from[c] = values[c], to[c] = values[4 + c];
        pm_channel channel = rotation(PM_INTERPOLATION_LINEAR, 2, times, values);
        pm_clip *clip = rig_compile(&channel, 1, skeleton, NULL);
        for (int i = 0; i <= 64; i++) {
            reference_slerp(from, to, i / 64.0, expected);
            pm_transform transform = rig_joint(clip, 0, (float)i / 64);
            double error = reference_rotation_error(expected, transform.rotation);
            cr_assert_lt(error, 1e-6, "%g degrees, u %g: off by %g", angles[a], i / 64.0, error);
        }
        pm_clip_destroy(clip, NULL);
    }
}

Test(compile_rotation, half_a_turn_is_taken_one_way_or_the_other_at_even_speed) {
    static const float times[] = {0, 1}, values[] = {0, 0, 0, 1, 0, 0, 1, 0};
    pm_channel channel = rotation(PM_INTERPOLATION_LINEAR, 2, times, values);
    pm_clip *clip = rig_compile(&channel, 1, skeleton, NULL);
    double side = turn_error(clip, 0.5f, 90) < 1 ? 1 : -1;
    for (int i = 0; i <= 18; i++) cr_assert_lt(turn_error(clip, (float)i / 18, side * 10 * i), 1e-6);
    pm_clip_destroy(clip, NULL);
}

Test(compile_rotation, dot_above_one_and_identical_neighbours_give_no_nan) {
    static const float times[] = {0, 1, 2, 3};
    float values[16];
    for (int k = 0; k < 4; k++) turn(73, 1, values + 4 * k);
    // The dot product of neighbours is a little above 1 before they are normalised.
    for (int c = 0; c < 4; c++) values[4 + c] *= 1.0000005f;
    turn(74, 1, values + 12);
    pm_channel channel = rotation(PM_INTERPOLATION_LINEAR, 4, times, values);
    pm_clip *clip = rig_compile(&channel, 1, skeleton, NULL);
    for (int i = 0; i <= 20; i++) cr_assert_lt(turn_error(clip, (float)i / 10, 73), 1e-6);
    cr_assert_lt(turn_error(clip, 2.5f, 73.5), 1e-6);
    pm_clip_destroy(clip, NULL);
}

Test(compile_rotation, specks_become_zero_so_that_no_square_is_subnormal) {
    // About x a speck, about y as little as still is kept.
    static const float times[] = {0, 1}, tangents[8] = {1e-21f, 0, 0, 0, 0, -1e-21f, 0, 0};
    for (int mode = PM_INTERPOLATION_STEP; mode <= PM_INTERPOLATION_CUBIC; mode++) {
        float values[8];
        turn(30, 1, values);
        turn(60, 1, values + 4);
        values[0] = 3e-20f;
        values[4] = -1e-20f;
        values[1] = values[5] = 1e-11f;
        bool cubic = mode == PM_INTERPOLATION_CUBIC;
        pm_channel channel = rig_channel(PM_PATH_ROTATION, (pm_interpolation)mode, 0, 2, times, values,
                                         cubic ? tangents : NULL, cubic ? tangents : NULL);
        pm_clip *clip = rig_compile(&channel, 1, skeleton, NULL);
        for (int i = 0; i <= 8; i++) {
            pm_transform transform = rig_joint(clip, 0, (float)i / 8);
            cr_assert_eq(transform.rotation[0], 0);
            cr_assert_float_eq((double)transform.rotation[1], 1e-11, 1e-12);
        }
        pm_clip_destroy(clip, NULL);
    }
}

Test(compile_rotation, a_short_cubic_key_is_no_speck) {
    // Cubic keys weigh by their length; one of next to none still has a direction.
    static const float times[] = {0, 1}, values[] = {5e-13f, 0, 0, 0, 0, 0, 0, 1}, flat[8] = {0};
    pm_channel channel =
        rig_channel(PM_PATH_ROTATION, PM_INTERPOLATION_CUBIC, 0, 2, times, values, flat, flat);
    pm_clip *clip = rig_compile(&channel, 1, skeleton, NULL);
    cr_assert_eq(rig_joint(clip, 0, 0).rotation[0], 1);
    pm_clip_destroy(clip, NULL);
}

Test(compile_rotation, a_small_slope_over_a_long_time_is_no_speck) {
    // 1e-12 a second turns by 1e-4 in a hundred million.
    static const float times[] = {0, 1e8f}, values[] = {0, 0, 0, 1, 1e-4f, 0, 0, 1};
    static const float slopes[] = {1e-12f, 0, 0, 0, 1e-12f, 0, 0, 0};
    static const float faster[] = {4e-13f, 0, 0, 0, 4e-13f, 0, 0, 0};
    for (int i = 0; i < 2; i++) {
        const float *slope = i ? faster : slopes;
        pm_channel channel =
            rig_channel(PM_PATH_ROTATION, PM_INTERPOLATION_CUBIC, 0, 2, times, values, slope, slope);
        pm_clip *clip = rig_compile(&channel, 1, skeleton, NULL);
        double u = 0.25, d = 1e8 * (double)slope[0];
        double x = u * u * (3 - 2 * u) * 1e-4 + u * (1 - u) * (1 - u) * d + u * u * (u - 1) * d;
        cr_assert_float_eq((double)rig_joint(clip, 0, 0.25e8f).rotation[0], x, 1e-8);
        pm_clip_destroy(clip, NULL);
    }
}

Test(compile_rotation, zero_key_takes_its_neighbours_rotation) {
    for (int mode = PM_INTERPOLATION_STEP; mode <= PM_INTERPOLATION_LINEAR; mode++) {
        static const float times[] = {0, 1, 2, 3};
        float values[16] = {0};
        turn(30, 1, values);
        turn(60, 1, values + 8);
        turn(60, 1, values + 12);
        pm_channel channel = rotation((pm_interpolation)mode, 4, times, values);
        rig_fault fault = {PM_SEVERITY_REPAIR, PM_FAULT_ROTATION_ZERO, 1, "j0.rotation"};
        pm_clip *clip = rig_compile_faulty(&channel, skeleton, fault);
        cr_assert_lt(turn_error(clip, 0.5f, 30), 1e-6);
        cr_assert_lt(turn_error(clip, 1, 30), 1e-6);
        cr_assert_lt(turn_error(clip, 1.5f, mode == PM_INTERPOLATION_STEP ? 30 : 45), 1e-6);
        cr_assert_lt(turn_error(clip, 2, 60), 1e-6);
        pm_clip_destroy(clip, NULL);
    }
}

Test(compile_rotation, zero_key_in_front_takes_the_first_rotation) {
    static const float times[] = {0, 1, 2};
    float values[12] = {0};
    turn(30, 1, values + 4);
    turn(60, 1, values + 8);
    pm_channel channel = rotation(PM_INTERPOLATION_LINEAR, 3, times, values);
    rig_fault fault = {PM_SEVERITY_REPAIR, PM_FAULT_ROTATION_ZERO, 0, "j0.rotation"};
    pm_clip *clip = rig_compile_faulty(&channel, skeleton, fault);
    cr_assert_lt(turn_error(clip, 0.5f, 30), 1e-6);
    cr_assert_lt(turn_error(clip, 1.5f, 45), 1e-6);
    pm_clip_destroy(clip, NULL);
}

Test(compile_rotation, nothing_but_zeros_is_dropped) {
    static const float times[] = {0, 1}, values[8] = {0};
    pm_channel channel = rotation(PM_INTERPOLATION_LINEAR, 2, times, values);
    rig_fault fault = {PM_SEVERITY_DROPPED, PM_FAULT_ROTATION_ZERO, 0, "j0.rotation"};
    pm_clip *clip = rig_compile_faulty(&channel, skeleton, fault);
    pm_transform transform = rig_joint(clip, 0, 0.5f), rest = pm_pose_get_joint(skeleton->rest, 0);
    cr_assert_arr_eq(&transform, &rest, sizeof rest);
    pm_clip_destroy(clip, NULL);
}

Test(compile_rotation, tiny_huge_and_other_lengths_are_normalised_with_a_diagnostic) {
    static const float lengths[] = {1e-38f, 1e-20f, 0.5f, 0.985f, 1.015f, 2, 1e19f, 3e38f};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        static const float times[] = {0, 1};
        float values[8];
        turn(30, 1, values);
        turn(60, 1, values + 4);
        for (int c = 4; c < 8; c++) values[c] *= lengths[i];
        pm_channel channel = rotation(PM_INTERPOLATION_LINEAR, 2, times, values);
        rig_fault fault = {PM_SEVERITY_REPAIR, PM_FAULT_ROTATION_NOT_UNIT, 1, "j0.rotation"};
        pm_clip *clip = rig_compile_faulty(&channel, skeleton, fault);
        cr_assert_lt(turn_error(clip, 0.5f, 45), 1e-6, "length %g", (double)lengths[i]);
        cr_assert_lt(turn_error(clip, 1, 60), 1e-6);
        pm_clip_destroy(clip, NULL);
    }
}

Test(compile_rotation, smallest_denormals_are_a_rotation) {
    static const float times[] = {0, 1}, values[] = {0, 0, 1e-45f, 1e-45f, 0, 0, 1e-45f, 1e-45f};
    pm_channel channel = rotation(PM_INTERPOLATION_LINEAR, 2, times, values);
    pm_clip *clip = rig_compile(&channel, 1, skeleton, NULL);
    cr_assert_lt(turn_error(clip, 0.5f, 90), 1e-6);
    pm_clip_destroy(clip, NULL);
}

Test(compile_rotation, rounded_lengths_are_normalised_silently) {
    static const float times[] = {0, 1};
    float values[8];
    turn(30, 1, values);
    turn(60, 1, values + 4);
    for (int c = 0; c < 8; c++) values[c] *= 1.008f;
    pm_channel channel = rotation(PM_INTERPOLATION_LINEAR, 2, times, values);
    static diagnostics list;
    pm_report report = diagnostics_report(&list);
    pm_clip *clip = rig_compile(&channel, 1, skeleton, &report);
    cr_assert_eq(list.count, 0);
    cr_assert_lt(turn_error(clip, 0.5f, 45), 1e-6);
    pm_clip_destroy(clip, NULL);
}

Test(compile_rotation, step_holds_and_keys_come_out_normalised) {
    static const float times[] = {0, 1};
    float values[8];
    turn(30, 1, values);
    turn(60, -1, values + 4);
    pm_channel channel = rotation(PM_INTERPOLATION_STEP, 2, times, values);
    pm_clip *clip = rig_compile(&channel, 1, skeleton, NULL);
    cr_assert_lt(turn_error(clip, 0.999f, 30), 1e-7);
    cr_assert_lt(turn_error(clip, 1, 60), 1e-7);
    pm_clip_destroy(clip, NULL);
}

Test(compile_rotation, value_that_is_not_finite_leaves_its_key_out) {
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        static const float times[] = {0, 1, 2};
        float values[12];
        for (int k = 0; k < 3; k++) turn(30 * k, 1, values + 4 * k);
        values[4 + i] = bad[i];
        pm_channel channel = rotation(PM_INTERPOLATION_LINEAR, 3, times, values);
        rig_fault fault = {PM_SEVERITY_REPAIR, PM_FAULT_VALUE_NOT_FINITE, 1, "j0.rotation"};
        pm_clip *clip = rig_compile_faulty(&channel, skeleton, fault);
        cr_assert_lt(turn_error(clip, 0.5f, 15), 1e-6);
        cr_assert_lt(turn_error(clip, 1.5f, 45), 1e-6);
        pm_clip_destroy(clip, NULL);
    }
}

Test(compile_rotation, at_a_key_nothing_of_the_next_one_is_seen) {
    // The bits at a key that is left at once are those of a key that is held.
    static const float times[] = {0, 1, 2};
    rig_random random = {31};
    for (int round = 0; round < 200; round++) {
        float moving[12], held[12];
        for (int k = 0; k < 3; k++) rig_random_rotation(&random, moving + 4 * k);
        memcpy(held, moving, sizeof held);
        memcpy(held + 4, moving, 4 * sizeof *held);
        pm_channel channels[] = {rotation(PM_INTERPOLATION_LINEAR, 3, times, moving),
                                 rotation(PM_INTERPOLATION_LINEAR, 3, times, held)};
        pm_clip *leaves = rig_compile(&channels[0], 1, skeleton, NULL);
        pm_clip *holds = rig_compile(&channels[1], 1, skeleton, NULL);
        pm_transform expected = rig_joint(holds, 0, 0), actual = rig_joint(leaves, 0, 0);
        cr_assert_arr_eq(&actual, &expected, sizeof expected);
        pm_clip_destroy(leaves, NULL);
        pm_clip_destroy(holds, NULL);
    }
}
