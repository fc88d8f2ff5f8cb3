// cases.md, "Cubic segments": what compile and a sample together must make of them.
#include "support/reference.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static pm_skeleton *skeleton;

static void make_skeleton(void) {
    skeleton = rig_skeleton(2, 2);
}

static void drop_skeleton(void) {
    pm_skeleton_destroy(skeleton);
}

TestSuite(compile_cubic, .init = make_skeleton, .fini = drop_skeleton);

static pm_channel cubic_scalar(uint32_t key_count, const float *times, const float *values, const float *in,
                               const float *out) {
    return rig_channel(PM_PATH_SCALAR, PM_INTERPOLATION_CUBIC, 0, key_count, times, values, in, out);
}

static pm_channel cubic_rotation(uint32_t key_count, const float *times, const float *values, const float *in,
                                 const float *out) {
    return rig_channel(PM_PATH_ROTATION, PM_INTERPOLATION_CUBIC, 0, key_count, times, values, in, out);
}

static double rotation_error(const pm_clip *clip, float time, double x, double y, double z, double w) {
    double expected[4] = {x, y, z, w};
    pm_transform transform = rig_joint(clip, 0, time);
    return reference_rotation_error(expected, transform.rotation);
}

Test(compile_cubic, tangents_are_per_second_on_segments_of_unequal_length) {
    // Segments of 1/2, 4 and 1 seconds. With tangents m0, m1 the middle is
    // (p0 + p1) / 2 + (m0 - m1) * dt / 8.
    static const float times[] = {0, 0.5f, 4.5f, 5.5f}, values[] = {1, 2, -3, 4};
    static const float in[] = {100, 3, 1, 7}, out[] = {2, -1, 5, 100};
    pm_channel channel = cubic_scalar(4, times, values, in, out);
    pm_clip *clip = rig_compile(&channel, 1, skeleton, NULL);
    cr_assert_float_eq(rig_scalar(clip, 0, 0.25f), 1.5 + (2 - 3) * 0.5 / 8, 1e-6);
    cr_assert_float_eq(rig_scalar(clip, 0, 2.5f), -0.5 + (-1 - 1) * 4.0 / 8, 1e-6);
    cr_assert_float_eq(rig_scalar(clip, 0, 5.0f), 0.5 + (5 - 7) * 1.0 / 8, 1e-6);
    pm_clip_destroy(clip, NULL);
}

Test(compile_cubic, outer_tangents_are_never_used) {
    static const float times[] = {1, 2}, values[] = {1, 3}, none[] = {0, 0}, wild[] = {1e6f, 0},
                       wilder[] = {0, 1e6f};
    pm_channel plain = cubic_scalar(2, times, values, none, none);
    pm_channel odd = cubic_scalar(2, times, values, wild, wilder);
    pm_clip *clip = rig_compile(&plain, 1, skeleton, NULL), *odd_clip = rig_compile(&odd, 1, skeleton, NULL);
    for (float time = 0; time < 3; time += 0.125f) {
        cr_assert_eq(rig_scalar(clip, 0, time), rig_scalar(odd_clip, 0, time));
    }
    pm_clip_destroy(clip, NULL);
    pm_clip_destroy(odd_clip, NULL);
}

Test(compile_cubic, without_tangents_it_says_three_per_key) {
    static const float times[] = {0, 1}, values[] = {1, 3}, tangents[] = {0, 0};
    pm_channel channels[] = {cubic_scalar(2, times, values, NULL, NULL),
                             cubic_scalar(2, times, values, tangents, NULL),
                             cubic_scalar(2, times, values, NULL, tangents)};
    for (int i = 0; i < 3; i++) {
        rig_fault fault = {PM_SEVERITY_DROPPED, PM_FAULT_KEY_COUNT, PM_NONE, "s0"};
        pm_clip *clip = rig_compile_faulty(&channels[i], skeleton, fault);
        cr_assert_eq(rig_scalar(clip, 0, 0.5f), 0.5f);
        pm_clip_destroy(clip, NULL);
        static diagnostics list;
        pm_report report = diagnostics_report(&list);
        pm_clip_destroy(rig_compile(&channels[i], 1, skeleton, &report), NULL);
        const seen_diagnostic *seen = diagnostics_find(&list, PM_FAULT_KEY_COUNT, 0);
        cr_assert(strstr(seen->message, "three per key"), "%s", seen->message);
    }
}

Test(compile_cubic, rotations_are_evaluated_per_component_then_normalised) {
    // At u = 1/2 the sum is (q0 + q1) / 2 + (m0 - m1) / 8, which is (0.25, 0.25, 0, 0.5) here.
    static const float times[] = {0, 1}, values[] = {0, 0, 0, 1, 0.5f, 0, 0, 0};
    static const float in[] = {0, 0, 0, 0, 0, -1, 0, 0}, out[] = {0, 1, 0, 0, 0, 0, 0, 0};
    pm_channel channel = cubic_rotation(2, times, values, in, out);
    pm_clip *clip = rig_compile(&channel, 1, skeleton, NULL);
    cr_assert_lt(rotation_error(clip, 0.5f, 0.25, 0.25, 0, 0.5), 1e-6);
    pm_clip_destroy(clip, NULL);
}

Test(compile_cubic, rotation_keys_are_not_normalised) {
    // A key of length 3 outweighs one of length 1: (0, 0, 0.5, 1.5), not the middle.
    static const float times[] = {0, 1}, values[] = {0, 0, 0, 3, 0, 0, 1, 0}, flat[8] = {0};
    pm_channel channel = cubic_rotation(2, times, values, flat, flat);
    pm_clip *clip = rig_compile(&channel, 1, skeleton, NULL);
    cr_assert_lt(rotation_error(clip, 0.5f, 0, 0, 0.5, 1.5), 1e-6);
    pm_clip_destroy(clip, NULL);
}

Test(compile_cubic, rotation_keys_keep_their_sign) {
    // From identity to minus 20 degrees' quaternion: the authored long way, over a quarter turn away at
    // u = 1/2.
    static const float times[] = {0, 1}, flat[8] = {0};
    float values[] = {0, 0, 0, 1, 0, 0, -0.173648178f, -0.984807753f};
    pm_channel channel = cubic_rotation(2, times, values, flat, flat);
    pm_clip *clip = rig_compile(&channel, 1, skeleton, NULL);
    cr_assert_lt(rotation_error(clip, 0.5f, 0, 0, -0.173648178 / 2, 0.5 - 0.984807753 / 2), 1e-5);
    cr_assert_gt(rotation_error(clip, 0.5f, 0, 0, 0, 1), 2);
    pm_clip_destroy(clip, NULL);
}

Test(compile_cubic, rotation_of_no_length_becomes_the_rest_rotation) {
    static const float times[] = {0, 1}, values[] = {0, 0, 0.6f, 0.8f, 0, 0, -0.6f, -0.8f}, flat[8] = {0};
    pm_channel channel = cubic_rotation(2, times, values, flat, flat);
    pm_clip *clip = rig_compile(&channel, 1, skeleton, NULL);
    rig_pose pose;
    rig_sample(clip, pm_kernels_best(), 0.5f, &pose);
    pm_transform transform = pm_pose_get_joint(pose.blocks, 0), rest = pm_pose_get_joint(skeleton->rest, 0);
    cr_assert_arr_eq(transform.rotation, rest.rotation, sizeof rest.rotation);
    cr_assert_eq(pose.guarded_count, 1);
    rig_sample(clip, pm_kernels_best(), 0.25f, &pose);
    cr_assert_eq(pose.guarded_count, 0);
    pm_clip_destroy(clip, NULL);
}

static void expect_scaled_rotation(float scale) {
    static const float times[] = {0, 2};
    float values[] = {0, 0, 0, 1, 0, 0.6f, 0, 0.8f}, in[] = {0, 0, 0, 0, 0.5f, 0, 0, 0};
    float out[] = {0, 0, 0.25f, 0, 0, 0, 0, 0};
    for (int i = 0; i < 8; i++) values[i] *= scale, in[i] *= scale, out[i] *= scale;
    pm_channel channel = cubic_rotation(2, times, values, in, out);
    pm_clip *clip = rig_compile(&channel, 1, skeleton, NULL);
    for (float time = 0; time <= 2; time += 0.25f) {
        double u = time / 2, w1 = 2 * u * (1 - u) * (1 - u), w2 = u * u * (3 - 2 * u),
               w3 = 2 * u * u * (u - 1);
        double error = rotation_error(clip, time, 0.5 * w3, 0.6 * w2, 0.25 * w1, 1 - 0.2 * w2);
        cr_assert_lt(error, 1e-6, "scale %g, time %g: %g", (double)scale, (double)time, error);
    }
    pm_clip_destroy(clip, NULL);
}

Test(compile_cubic, rotation_keys_whose_squares_leave_float_range_are_scaled) {
    expect_scaled_rotation(1);
    expect_scaled_rotation(1e25f);
    expect_scaled_rotation(1e37f);
    expect_scaled_rotation(1e-25f);
    expect_scaled_rotation(1e-30f);
}

Test(compile_cubic, equal_rotation_keys_with_zero_tangents_do_not_move) {
    static const float times[] = {0, 1, 2}, flat[12] = {0};
    static const float values[] = {0.1f, 0.2f, 0.3f, 0.9f, 0.1f, 0.2f, 0.3f, 0.9f, 0, 0, 0, 1};
    pm_channel channel = cubic_rotation(3, times, values, flat, flat);
    pm_clip *clip = rig_compile(&channel, 1, skeleton, NULL);
    pm_transform first = rig_joint(clip, 0, 0);
    for (int i = 1; i <= 1000; i++) {
        pm_transform transform = rig_joint(clip, 0, (float)i / 1000);
        cr_assert_arr_eq(&transform, &first, sizeof first);
    }
    pm_transform moved = rig_joint(clip, 0, 1.5f);
    cr_assert_neq(memcmp(&moved, &first, sizeof first), 0);
    pm_clip_destroy(clip, NULL);
}

Test(compile_cubic, foot_keyed_at_the_floor_stays_there_to_the_bit) {
    static const float times[] = {0, 0.7f, 1.9f, 3}, floor_values[] = {0.1f, 0.1f, 0.1f, 5}, flat[4] = {0};
    // Another channel of the block has other times, so that the foot may be put on their union.
    static const float other_times[] = {0, 0.3f, 1.1f, 2.3f, 3}, other_values[] = {0, 1, -1, 1, 0};
    pm_channel channels[] = {
        cubic_scalar(4, times, floor_values, flat, flat),
        rig_channel(PM_PATH_SCALAR, PM_INTERPOLATION_LINEAR, 1, 5, other_times, other_values, NULL, NULL)};
    pm_clip *clip = rig_compile(channels, 2, skeleton, NULL);
    for (int i = 0; i <= 1900; i++) cr_assert_eq(rig_scalar(clip, 0, (float)i / 1000), 0.1f);
    cr_assert_gt(rig_scalar(clip, 0, 2.5f), 0.1f);
    pm_clip_destroy(clip, NULL);
}

Test(compile_cubic, one_key_is_a_constant_and_its_tangents_are_ignored) {
    static const float time = 1, value = 3, tangent = 1000;
    pm_channel channel = cubic_scalar(1, &time, &value, &tangent, &tangent);
    rig_fault fault = {PM_SEVERITY_NOTE, PM_FAULT_CUBIC_SINGLE_KEY, 0, "s0"};
    pm_clip *clip = rig_compile_faulty(&channel, skeleton, fault);
    cr_assert_eq(rig_scalar(clip, 0, 0), 3);
    cr_assert_eq(rig_scalar(clip, 0, 1), 3);
    cr_assert_eq(rig_scalar(clip, 0, 1.5f), 3);
    cr_assert_eq(pm_clip_get_track(clip, 0).kind, PM_TRACK_CONSTANT);
    pm_clip_destroy(clip, NULL);
}

Test(compile_cubic, tangents_that_are_all_zero_are_reported) {
    static const float times[] = {0, 1, 2}, values[] = {0, 1, 4}, zero[] = {0, -0.0f, 0};
    pm_channel channel = cubic_scalar(3, times, values, zero, zero);
    rig_fault fault = {PM_SEVERITY_NOTE, PM_FAULT_CUBIC_TANGENTS_ZERO, PM_NONE, "s0"};
    pm_clip *clip = rig_compile_faulty(&channel, skeleton, fault);
    cr_assert_float_eq(rig_scalar(clip, 0, 0.25f), 0.15625, 1e-7);
    pm_clip_destroy(clip, NULL);
    // One tangent that is not zero, or a value that never changes, is no such fault.
    static const float one[] = {0, 0, 1}, still[] = {2, 2, 2};
    pm_channel sound[] = {cubic_scalar(3, times, values, zero, one),
                          cubic_scalar(3, times, still, zero, zero)};
    for (int i = 0; i < 2; i++) {
        static diagnostics list;
        pm_report report = diagnostics_report(&list);
        pm_clip_destroy(rig_compile(&sound[i], 1, skeleton, &report), NULL);
        cr_assert_eq(list.count, 0);
    }
}

Test(compile_cubic, tangent_that_is_not_finite_is_taken_as_zero) {
    static const float times[] = {0, 1, 2}, values[] = {0, 1, 1}, in[] = {0, 0, 0}, out[] = {0, NAN, 1};
    pm_channel channel = cubic_scalar(3, times, values, in, out);
    rig_fault fault = {PM_SEVERITY_REPAIR, PM_FAULT_VALUE_NOT_FINITE, 1, "s0"};
    pm_clip *clip = rig_compile_faulty(&channel, skeleton, fault);
    cr_assert_eq(rig_scalar(clip, 0, 1.5f), 1);
    cr_assert_float_eq(rig_scalar(clip, 0, 0.5f), 0.5, 1e-7);
    pm_clip_destroy(clip, NULL);
}

Test(compile_cubic, huge_values_and_tangents_are_limited) {
    static const float times[] = {0, 1}, values[] = {3e38f, -3e38f}, tangents[] = {3e38f, 3e38f};
    pm_channel channel = cubic_scalar(2, times, values, tangents, tangents);
    rig_fault fault = {PM_SEVERITY_REPAIR, PM_FAULT_VALUE_HUGE, PM_NONE, "s0"};
    pm_clip *clip = rig_compile_faulty(&channel, skeleton, fault);
    cr_assert_eq(rig_scalar(clip, 0, 0), PM_VALUE_LIMIT);
    cr_assert_eq(rig_scalar(clip, 0, 1), -PM_VALUE_LIMIT);
    for (float time = 0; time < 1; time += 0.0625f) cr_assert(isfinite(rig_scalar(clip, 0, time)));
    pm_clip_destroy(clip, NULL);
}

Test(compile_cubic, huge_tangent_on_a_long_segment_is_limited) {
    static const float times[] = {0, 1e10f}, values[] = {0, 1}, tangents[] = {1e30f, 1e30f};
    pm_channel channel = cubic_scalar(2, times, values, tangents, tangents);
    rig_fault fault = {PM_SEVERITY_REPAIR, PM_FAULT_VALUE_HUGE, PM_NONE, "s0"};
    pm_clip *clip = rig_compile_faulty(&channel, skeleton, fault);
    for (float u = 0; u < 1; u += 0.0625f) cr_assert(isfinite(rig_scalar(clip, 0, u * 1e10f)));
    cr_assert_eq(rig_scalar(clip, 0, 1e10f), 1);
    pm_clip_destroy(clip, NULL);
}
