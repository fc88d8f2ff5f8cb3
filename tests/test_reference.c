// The yardstick itself, against numbers worked out by hand.
#include "support/reference.h"

#include <criterion/criterion.h>
#include <math.h>

static pm_skeleton *skeleton;

static void make_skeleton(void) {
    static const pm_node_def nodes[] = {
        {"j", PM_NONE, {{7, 8, 9}, {0, 0, 0, 1}, {1, 2, 3}}, true},
    };
    static const pm_scalar_def scalars[] = {{"s", PM_NONE, 0.25f}};
    pm_skeleton_def def = {.node_count = 1, .nodes = nodes, .scalar_count = 1, .scalars = scalars};
    cr_assert_eq(pm_skeleton_create(&def, NULL, &skeleton, NULL), PM_OK);
}

static void drop_skeleton(void) {
    pm_skeleton_destroy(skeleton);
}

TestSuite(reference, .init = make_skeleton, .fini = drop_skeleton);

static pm_channel scalar_channel(pm_interpolation interpolation, uint32_t key_count, const float *times,
                                 const float *values, const float *in, const float *out) {
    return (pm_channel){
        PM_PATH_SCALAR, interpolation, 0, 1, key_count, key_count, times, values, in, out, NULL, 0, NULL};
}

static double scalar_at(const pm_channel *channel, double time) {
    pm_clip_source source = {NULL, NULL, 1, channel};
    reference *clip = reference_create(&source, skeleton);
    double value = reference_scalar(clip, 0, time).value[0];
    reference_destroy(clip);
    return value;
}

static void rotation_at(const pm_channel *channel, double time, double rotation[4]) {
    pm_clip_source source = {NULL, NULL, 1, channel};
    reference *clip = reference_create(&source, skeleton);
    reference_value value = reference_joint(clip, 0, time).rotation;
    for (int c = 0; c < 4; c++) rotation[c] = value.value[c];
    reference_destroy(clip);
}

Test(reference, linear_and_step) {
    static const float times[] = {1, 3, 4}, values[] = {10, 20, 0};
    pm_channel linear = scalar_channel(PM_INTERPOLATION_LINEAR, 3, times, values, NULL, NULL);
    cr_assert_eq(scalar_at(&linear, 1.5), 12.5);
    cr_assert_eq(scalar_at(&linear, 3), 20);
    cr_assert_eq(scalar_at(&linear, 3.75), 5);
    cr_assert_eq(scalar_at(&linear, 0), 10);
    cr_assert_eq(scalar_at(&linear, -INFINITY), 10);
    cr_assert_eq(scalar_at(&linear, INFINITY), 0);
    cr_assert_eq(scalar_at(&linear, NAN), 0.25);
    pm_channel step = scalar_channel(PM_INTERPOLATION_STEP, 3, times, values, NULL, NULL);
    cr_assert_eq(scalar_at(&step, 2.999), 10);
    cr_assert_eq(scalar_at(&step, 3), 20);
    cr_assert_eq(scalar_at(&step, 4), 0);
}

Test(reference, hermite_with_tangents_a_second_on_a_segment_of_two_seconds) {
    // p(u) = h00 * 1 + h10 * 2 * 0.5 + h01 * 3 + h11 * 2 * (-1) at u = 1/2: 0.5 + 0.125 + 1.5 + 0.25.
    static const float times[] = {1, 3}, values[] = {1, 3}, in[] = {9, -1}, out[] = {0.5f, 9};
    pm_channel cubic = scalar_channel(PM_INTERPOLATION_CUBIC, 2, times, values, in, out);
    cr_assert_float_eq(scalar_at(&cubic, 2), 2.375, 1e-15);
    cr_assert_eq(scalar_at(&cubic, 1), 1);
    cr_assert_eq(scalar_at(&cubic, 3), 3);
}

Test(reference, of_two_keys_at_one_time_the_first_counts_then_and_the_last_right_after) {
    static const float times[] = {0, 1, 1, 1, 2}, values[] = {0, 10, 99, 20, 30};
    pm_channel linear = scalar_channel(PM_INTERPOLATION_LINEAR, 5, times, values, NULL, NULL);
    cr_assert_eq(scalar_at(&linear, 0.5), 5);
    cr_assert_eq(scalar_at(&linear, 1), 10);
    cr_assert_eq(scalar_at(&linear, (double)nextafterf(1, 2)), 20);
    cr_assert_float_eq(scalar_at(&linear, 1.5), 25, 1e-5);
}

Test(reference, unsorted_keys_are_sorted) {
    static const float times[] = {2, 0, 1}, values[] = {20, 0, 5};
    pm_channel linear = scalar_channel(PM_INTERPOLATION_LINEAR, 3, times, values, NULL, NULL);
    cr_assert_eq(scalar_at(&linear, 0.5), 2.5);
    cr_assert_eq(scalar_at(&linear, 1.5), 12.5);
}

Test(reference, slerp_takes_the_short_way_and_keeps_the_speed) {
    // 20 degrees about z, one key negated; a third of the way is 20/3 degrees.
    double half = 10 * acos(-1) / 180;
    float values[] = {0, 0, 0, 1, 0, 0, (float)-sin(half), (float)-cos(half)};
    static const float times[] = {0, 3};
    pm_channel channel = {
        PM_PATH_ROTATION, PM_INTERPOLATION_LINEAR, 0, 4, 2, 2, times, values, NULL, NULL, NULL, 0, NULL};
    double rotation[4], expected[4] = {0, 0, sin(half / 3), cos(half / 3)};
    rotation_at(&channel, 1, rotation);
    cr_assert_lt(reference_rotation_angle(rotation, expected), 1e-7);
}

Test(reference, cubic_rotations_are_evaluated_as_authored_then_normalised) {
    // Half way between q and -q with flat tangents there is nothing left: the rest rotation.
    static const float times[] = {0, 1}, values[] = {0, 0, 0.6f, 0.8f, 0, 0, -0.6f, -0.8f}, flat[8] = {0};
    pm_channel channel = {
        PM_PATH_ROTATION, PM_INTERPOLATION_CUBIC, 0, 4, 2, 2, times, values, flat, flat, NULL, 0, NULL};
    double rotation[4], rest[4] = {0, 0, 0, 1}, key[4] = {0, 0, 0.6, 0.8};
    rotation_at(&channel, 0.5, rotation);
    cr_assert_lt(reference_rotation_angle(rotation, rest), 1e-12);
    rotation_at(&channel, 0.25, rotation);
    cr_assert_lt(reference_rotation_angle(rotation, key), 1e-7);
}

Test(reference, paths_without_a_channel_are_at_rest) {
    pm_clip_source source = {NULL, NULL, 0, NULL};
    reference *clip = reference_create(&source, skeleton);
    reference_transform transform = reference_joint(clip, 0, 1);
    cr_assert_eq(transform.translation.value[1], 8);
    cr_assert_eq(transform.rotation.value[3], 1);
    cr_assert_eq(transform.scale.value[2], 3);
    cr_assert_eq(reference_scalar(clip, 0, 1).value[0], 0.25);
    reference_destroy(clip);
}

Test(reference, rotation_angle_folds_the_sign_and_resolves_tiny_angles) {
    double identity[4] = {0, 0, 0, 1}, tiny[4] = {1e-10, 0, 0, -1}, half_turn[4] = {0, 2, 0, 0};
    cr_assert_float_eq(reference_rotation_angle(identity, tiny), 2e-10, 1e-16);
    cr_assert_float_eq(reference_rotation_angle(identity, half_turn), acos(-1), 1e-15);
    cr_assert_eq(reference_rotation_angle(identity, identity), 0);
}
