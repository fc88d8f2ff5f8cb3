// What layers mean: mixes, overrides, masks, additive layers, weights of every kind.
#include "support/layers.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { JOINTS = 35, SCALARS = 20 };

static layers *l;

// For jobs of one character of one joint.
_Alignas(64) static char small_scratch[160 << 10];

static void make(void) {
    l = layers_create(PM_LAYERS_MAX);
}

static void drop(void) {
    layers_destroy(l);
}

TestSuite(blend_layers, .init = make, .fini = drop);

static pm_layer plain(uint32_t clip, float time, float weight, pm_layer_mode mode) {
    return (pm_layer){clip, time, weight, PM_NONE, mode};
}

// Gives every instance the same layers.
static void set_layers(uint32_t count, const pm_layer *given) {
    l->job.layer_count = count;
    for (uint32_t i = 0; i < LAYERS_INSTANCES; i++) memcpy(l->layers[i], given, count * sizeof *given);
}

// The pose of one clip alone, from a sample job.
static const pm_pose_block *sampled(uint32_t clip, float time) {
    static rig_pose poses[4];
    static int next;
    rig_pose *pose = &poses[next++ % 4];
    rig_sample(l->clips[clip], l->job.kernels, time, pose);
    return pose->blocks;
}

static void expect_pose(const pm_pose_block *expected, uint32_t instance) {
    cr_assert_arr_eq(l->output.poses[instance], expected, sizeof l->output.poses[0]);
}

Test(blend_layers, agree_with_double_precision) {
    double vector = 0, angle = 0, scalar = 0;
    for (uint32_t count = 1; count <= PM_LAYERS_MAX; count++) {
        l->job.layer_count = count;
        cr_assert_eq(layers_run(l), 0);
        for (uint32_t i = 0; i < LAYERS_INSTANCES; i++) {
            for (uint32_t joint = 0; joint < JOINTS; joint++) {
                poses_joint expected = layers_joint(l, i, joint);
                double size = 1;
                for (int c = 0; c < 3; c++) {
                    size = fmax(size, fabs(expected.translation[c]));
                    size = fmax(size, fabs(expected.scale[c]));
                }
                double error = 0;
                poses_compare(&expected, l->output.poses[i], joint, &error, &angle);
                vector = fmax(vector, error / size);
            }
            for (uint32_t s = 0; s < SCALARS; s++) {
                double expected = layers_scalar(l, i, s);
                scalar =
                    fmax(scalar, fabs((double)l->output.scalars[i][s] - expected) / fmax(1, fabs(expected)));
            }
        }
    }
    cr_assert_lt(vector, 2e-4, "%g", vector);
    cr_assert_lt(angle, 2e-5, "%g", angle);
    cr_assert_lt(scalar, 1e-4, "%g", scalar);
}

Test(blend_layers, one_plain_layer_of_weight_1_is_the_sample_to_the_bit) {
    for (int mode = PM_LAYER_BLEND; mode <= PM_LAYER_OVERRIDE; mode++) {
        pm_layer given[] = {plain(0, 3, 0, PM_LAYER_BLEND), plain(1, 2.5f, 1, (pm_layer_mode)mode)};
        set_layers(2, given);
        layers_run(l);
        for (uint32_t i = 0; i < LAYERS_INSTANCES; i++) expect_pose(sampled(1, 2.5f), i);
    }
}

Test(blend_layers, no_layer_at_all_is_the_rest_pose) {
    pm_layer given[] = {plain(0, 1, 0, PM_LAYER_BLEND), plain(1, 1, 0, PM_LAYER_ADDITIVE)};
    set_layers(2, given);
    cr_assert_eq(layers_run(l), 0);
    expect_pose(l->job.rest, 5);
    cr_assert_arr_eq(l->output.scalars[5], l->job.scalar_rest, sizeof l->output.scalars[5]);
}

Test(blend_layers, missing_weight_is_filled_from_rest) {
    pm_layer given[] = {plain(1, 2, 0.25f, PM_LAYER_BLEND), plain(2, 2, 0.25f, PM_LAYER_BLEND)};
    set_layers(2, given);
    layers_run(l);
    pm_transform a = pm_pose_get_joint(sampled(1, 2), 7), b = pm_pose_get_joint(sampled(2, 2), 7);
    pm_transform rest = pm_pose_get_joint(l->job.rest, 7), got = pm_pose_get_joint(l->output.poses[3], 7);
    for (int c = 0; c < 3; c++) {
        cr_assert_float_eq(got.translation[c],
                           a.translation[c] / 4 + b.translation[c] / 4 + rest.translation[c] / 2, 1e-5f);
        cr_assert_float_eq(got.scale[c], a.scale[c] / 4 + b.scale[c] / 4 + rest.scale[c] / 2, 1e-5f);
    }
}

Test(blend_layers, weights_that_sum_to_more_than_1_are_shared_out) {
    pm_layer given[] = {plain(1, 2, 1, PM_LAYER_BLEND), plain(2, 2, 1, PM_LAYER_BLEND),
                        plain(1, 2, 1, PM_LAYER_BLEND)};
    set_layers(3, given);
    layers_run(l);
    pm_transform a = pm_pose_get_joint(sampled(1, 2), 7), b = pm_pose_get_joint(sampled(2, 2), 7);
    pm_transform got = pm_pose_get_joint(l->output.poses[3], 7);
    for (int c = 0; c < 3; c++)
        cr_assert_float_eq(got.translation[c], (2 * a.translation[c] + b.translation[c]) / 3, 1e-5f);
}

Test(blend_layers, rotations_are_normalised_even_where_weights_sum_to_exactly_1) {
    pm_layer given[] = {plain(1, 2, 0.5f, PM_LAYER_BLEND), plain(2, 3, 0.5f, PM_LAYER_BLEND)};
    set_layers(2, given);
    layers_run(l);
    for (uint32_t joint = 0; joint < JOINTS; joint++) {
        pm_transform got = pm_pose_get_joint(l->output.poses[3], joint);
        double length2 = 0;
        for (int c = 0; c < 4; c++) length2 += (double)got.rotation[c] * (double)got.rotation[c];
        cr_assert_float_eq(length2, 1, 4e-7);
    }
}

Test(blend_layers, an_override_hides_what_lies_below_by_its_weight) {
    pm_layer given[] = {plain(1, 2, 0.5f, PM_LAYER_BLEND), plain(2, 2, 0.5f, PM_LAYER_BLEND),
                        plain(0, 1, 1, PM_LAYER_OVERRIDE)};
    set_layers(3, given);
    layers_run(l);
    pm_transform a = pm_pose_get_joint(sampled(0, 1), 7), got = pm_pose_get_joint(l->output.poses[3], 7);
    cr_assert_arr_eq(got.translation, a.translation, sizeof a.translation);
    cr_assert_arr_eq(got.scale, a.scale, sizeof a.scale);
    given[2].weight = 0.25f;
    set_layers(3, given);
    layers_run(l);
    pm_transform b = pm_pose_get_joint(sampled(1, 2), 7), c = pm_pose_get_joint(sampled(2, 2), 7);
    got = pm_pose_get_joint(l->output.poses[3], 7);
    for (int i = 0; i < 3; i++) {
        float below = (b.translation[i] + c.translation[i]) / 2;
        cr_assert_float_eq(got.translation[i], below + 0.25f * (a.translation[i] - below), 1e-5f);
    }
}

Test(blend_layers, a_joint_outside_a_mask_keeps_what_it_had_to_the_bit) {
    static layers_output below;
    pm_layer given[] = {plain(1, 2, 0.5f, PM_LAYER_BLEND), plain(2, 2, 0.3f, PM_LAYER_BLEND),
                        plain(0, 1, 0.7f, PM_LAYER_OVERRIDE), plain(1, 1, 0.7f, PM_LAYER_ADDITIVE)};
    set_layers(2, given);
    layers_run(l);
    below = l->output;
    given[2].mask = given[3].mask = 0;
    for (uint32_t joint = 0; joint < LAYERS_BLOCKS * PM_BLOCK_LANES; joint++)
        l->masks[0][joint] = joint % 3 == 0;
    set_layers(4, given);
    for (uint32_t k = 0; pm_kernels_at(k); k++) {
        l->job.kernels = pm_kernels_at(k);
        layers_run(l);
        for (uint32_t joint = 0; joint < JOINTS; joint++) {
            pm_transform now = pm_pose_get_joint(l->output.poses[9], joint);
            pm_transform was = pm_pose_get_joint(below.poses[9], joint);
            cr_assert_eq(memcmp(&now, &was, sizeof now) == 0, joint % 3 != 0, "joint %u", joint);
        }
    }
}

Test(blend_layers, a_mask_at_the_first_layer_leaves_rest_outside) {
    pm_layer given[] = {plain(1, 2, 1, PM_LAYER_BLEND)};
    given[0].mask = 1;
    memset(l->masks[1], 0, sizeof l->masks[1]);
    l->masks[1][4] = 1;
    set_layers(1, given);
    layers_run(l);
    pm_transform rest = pm_pose_get_joint(l->job.rest, 3), got = pm_pose_get_joint(l->output.poses[0], 3);
    cr_assert_arr_eq(&got, &rest, sizeof rest);
    pm_transform moved = pm_pose_get_joint(sampled(1, 2), 4);
    got = pm_pose_get_joint(l->output.poses[0], 4);
    cr_assert_arr_eq(got.translation, moved.translation, sizeof moved.translation);
}

// Compiles a clip of one joint that stands still at a transform.
static pm_clip *still_clip(const pm_skeleton *skeleton, const pm_transform *value) {
    static const float zero[] = {0};
    pm_channel channels[] = {
        rig_channel(PM_PATH_TRANSLATION, PM_INTERPOLATION_STEP, 0, 1, zero, value->translation, NULL, NULL),
        rig_channel(PM_PATH_ROTATION, PM_INTERPOLATION_STEP, 0, 1, zero, value->rotation, NULL, NULL),
        rig_channel(PM_PATH_SCALE, PM_INTERPOLATION_STEP, 0, 1, zero, value->scale, NULL, NULL),
    };
    return rig_compile(channels, 3, skeleton, NULL);
}

// Blends two still clips with these layers (clips 0 and 1) and gives the one joint.
static pm_transform blend_two(const pm_transform *a, const pm_transform *b, pm_layer first, pm_layer second) {
    pm_skeleton *skeleton = rig_skeleton(1, 0);
    pm_clip *made[] = {still_clip(skeleton, a), still_clip(skeleton, b)};
    pm_layer both[] = {first, second};
    _Alignas(64) pm_pose_block pose;
    pm_blend_job job = pm_default_blend_job();
    job.kernels = pm_kernels_best();
    job.clips = (const pm_clip *const *)made;
    job.clip_count = 2;
    job.instance_count = 1;
    job.layer_count = 2;
    job.layers = both;
    job.rest = skeleton->rest;
    job.poses = &pose;
    cr_assert_null(pm_blend_validate(&job));
    cr_assert_leq(pm_blend_scratch_size(&job), sizeof small_scratch);
    cr_assert_eq(pm_blend_run(&job, 0, 1, small_scratch), 0);
    pm_clip_destroy(made[0], NULL);
    pm_clip_destroy(made[1], NULL);
    pm_skeleton_destroy(skeleton);
    return pm_pose_get_joint(&pose, 0);
}

Test(blend_layers, q_and_minus_q_give_q) {
    pm_transform a = {{1, 2, 3}, {0.5f, 0.5f, 0.5f, 0.5f}, {1, 1, 1}}, b = a;
    for (int c = 0; c < 4; c++) b.rotation[c] = -b.rotation[c];
    for (int i = 1; i < 4; i++) {
        pm_transform got = blend_two(&a, &b, plain(0, 0, (float)i / 4, PM_LAYER_BLEND),
                                     plain(1, 0, 1 - (float)i / 4, PM_LAYER_BLEND));
        cr_assert_arr_eq(got.rotation, a.rotation, sizeof a.rotation);
        got = blend_two(&a, &b, plain(0, 0, 1, PM_LAYER_BLEND), plain(1, 0, (float)i / 4, PM_LAYER_OVERRIDE));
        cr_assert_arr_eq(got.rotation, a.rotation, sizeof a.rotation);
    }
}

Test(blend_layers, additive_order_is_base_times_delta) {
    // Base: a quarter turn about z. Delta: a quarter turn about x. Worked out by hand with s = sqrt(1/2):
    // (0 0 s s)(s 0 0 s) = (s*s, s*s, s*s, s*s) = a third of a turn about (1 1 1). The other order would give
    // y = -1/2. In numbers: base * delta takes x to y (delta leaves x, base turns it), not x to y to z.
    float s = sqrtf(0.5f);
    pm_transform base = {{1, 2, 3}, {0, 0, s, s}, {2, 3, 4}},
                 delta = {{10, 20, 30}, {s, 0, 0, s}, {0.5f, 2, 1}};
    pm_transform got =
        blend_two(&base, &delta, plain(0, 0, 1, PM_LAYER_BLEND), plain(1, 0, 1, PM_LAYER_ADDITIVE));
    const float rotation[] = {0.5f, 0.5f, 0.5f, 0.5f}, translation[] = {11, 22, 33}, scale[] = {1, 6, 4};
    for (int c = 0; c < 4; c++) cr_assert_float_eq(got.rotation[c], rotation[c], 1e-6f);
    for (int c = 0; c < 3; c++) {
        cr_assert_float_eq(got.translation[c], translation[c], 1e-5f);
        cr_assert_float_eq(got.scale[c], scale[c], 1e-6f);
    }
}

Test(blend_layers, half_of_an_additive_layer_turns_half_as_far) {
    float s = sqrtf(0.5f);
    pm_transform base = {{1, 2, 3}, {0, 0, s, s}, {2, 3, 4}},
                 delta = {{10, 20, 30}, {-s, 0, 0, -s}, {0.5f, 2, 1}};
    pm_transform got =
        blend_two(&base, &delta, plain(0, 0, 1, PM_LAYER_BLEND), plain(1, 0, 0.5f, PM_LAYER_ADDITIVE));
    // An eighth of a turn about x on the right: (0 0 s s)(sin, 0, 0, cos) of 22.5 degrees; -q counts as q.
    double sine = sin(acos(-1) / 8), cosine = cos(acos(-1) / 8), r = sqrt(0.5);
    const double rotation[] = {r * sine, r * sine, r * cosine, r * cosine};
    for (int c = 0; c < 4; c++) cr_assert_float_eq((double)got.rotation[c], rotation[c], 1e-6);
    const float translation[] = {6, 12, 18}, scale[] = {1.5f, 4.5f, 4};
    for (int c = 0; c < 3; c++) {
        cr_assert_float_eq(got.translation[c], translation[c], 1e-5f);
        cr_assert_float_eq(got.scale[c], scale[c], 1e-6f);
    }
}

Test(blend_layers, weights_that_are_no_weights_are_defined) {
    const float off[] = {NAN, -NAN, -1, -INFINITY, -0.0f, 0}, full[] = {1, 1.5f, 1e30f, INFINITY};
    for (int i = 0; i < 6; i++) {
        pm_layer given[] = {plain(1, 2, 1, PM_LAYER_BLEND), plain(0, 1, off[i], PM_LAYER_OVERRIDE)};
        set_layers(2, given);
        cr_assert_eq(layers_run(l), 0);
        expect_pose(sampled(1, 2), 0);
    }
    for (int i = 0; i < 4; i++) {
        pm_layer given[] = {plain(1, 2, 1, PM_LAYER_BLEND), plain(0, 1, full[i], PM_LAYER_OVERRIDE)};
        set_layers(2, given);
        cr_assert_eq(layers_run(l), 0);
        pm_transform expected = pm_pose_get_joint(sampled(0, 1), 0),
                     got = pm_pose_get_joint(l->output.poses[0], 0);
        cr_assert_arr_eq(got.translation, expected.translation, sizeof expected.translation);
    }
}

Test(blend_layers, a_tiny_weight_is_a_weight_and_gives_no_nan) {
    pm_layer given[] = {plain(1, 2, 1e-42f, PM_LAYER_BLEND), plain(0, 1, 1e-42f, PM_LAYER_ADDITIVE)};
    set_layers(2, given);
    cr_assert_eq(layers_run(l), 0);
    pm_transform rest = pm_pose_get_joint(l->job.rest, 3), got = pm_pose_get_joint(l->output.poses[0], 3);
    for (int c = 0; c < 3; c++) cr_assert_float_eq(got.translation[c], rest.translation[c], 1e-6f);
}

Test(blend_layers, masks_with_numbers_that_are_no_weights_are_defined) {
    const float bad[] = {NAN, -1, -INFINITY, INFINITY, 2};
    for (uint32_t joint = 0; joint < 5; joint++) l->masks[0][joint] = bad[joint];
    pm_layer given[] = {plain(1, 2, 1, PM_LAYER_BLEND)};
    given[0].mask = 0;
    set_layers(1, given);
    cr_assert_eq(layers_run(l), 0);
    for (uint32_t joint = 0; joint < 5; joint++) {
        const pm_pose_block *expected = joint < 3 ? l->job.rest : sampled(1, 2);
        pm_transform want = pm_pose_get_joint(expected, joint),
                     got = pm_pose_get_joint(l->output.poses[0], joint);
        cr_assert_arr_eq(got.translation, want.translation, sizeof want.translation);
    }
}

Test(blend_layers, layers_with_no_such_clip_or_mode_are_off) {
    pm_layer given[] = {plain(1, 2, 1, PM_LAYER_BLEND), plain(LAYERS_CLIPS, 1, 1, PM_LAYER_OVERRIDE),
                        plain(PM_NONE, 1, 1, PM_LAYER_ADDITIVE), plain(0, 1, 1, PM_LAYER_MODE_COUNT)};
    set_layers(4, given);
    layers_run(l);
    expect_pose(sampled(1, 2), 0);
}

Test(blend_layers, a_layer_of_weight_0_is_not_sampled) {
    // Its cursor would move, and its NaN time would be counted.
    pm_layer given[] = {plain(1, 2, 0.5f, PM_LAYER_BLEND), plain(0, NAN, 0, PM_LAYER_BLEND)};
    memset(l->cursors, 0xab, sizeof l->cursors);
    set_layers(2, given);
    cr_assert_eq(layers_run(l), 0);
    for (uint32_t c = 0; c < LAYERS_CURSORS; c++) cr_assert_eq(l->cursors[4][1][c], 0xabab);
}

Test(blend_layers, a_nan_time_counts_as_the_rest_pose_and_is_reported) {
    pm_layer given[] = {plain(1, 2, 0.5f, PM_LAYER_BLEND), plain(0, NAN, 0.5f, PM_LAYER_BLEND)};
    set_layers(2, given);
    cr_assert_eq(layers_run(l), LAYERS_INSTANCES * (3 * JOINTS + SCALARS));
    pm_transform a = pm_pose_get_joint(sampled(1, 2), 7), rest = pm_pose_get_joint(l->job.rest, 7);
    pm_transform got = pm_pose_get_joint(l->output.poses[3], 7);
    for (int c = 0; c < 3; c++)
        cr_assert_float_eq(got.translation[c], (a.translation[c] + rest.translation[c]) / 2, 1e-5f);
}

Test(blend_layers, what_leaves_float_range_gets_its_rest_value_and_is_counted) {
    pm_transform base = {{0}, {0, 0, 0, 1}, {1e17f, 1, 1}}, delta = base;
    pm_skeleton *skeleton = rig_skeleton(1, 0);
    pm_clip *made[] = {still_clip(skeleton, &base), still_clip(skeleton, &delta)};
    pm_layer given[] = {plain(0, 0, 1, PM_LAYER_BLEND), plain(1, 0, 1, PM_LAYER_ADDITIVE),
                        plain(1, 0, 1, PM_LAYER_ADDITIVE)};
    _Alignas(64) pm_pose_block pose;
    pm_blend_job job = pm_default_blend_job();
    job.clips = (const pm_clip *const *)made;
    job.clip_count = 2;
    job.instance_count = 1;
    job.layer_count = 3;
    job.layers = given;
    job.rest = skeleton->rest;
    job.poses = &pose;
    for (uint32_t k = 0; pm_kernels_at(k); k++) {
        job.kernels = pm_kernels_at(k);
        cr_assert_eq(pm_blend_run(&job, 0, 1, small_scratch), 1);
        cr_assert_eq(pm_pose_get_joint(&pose, 0).scale[0], pm_pose_get_joint(skeleton->rest, 0).scale[0]);
    }
    pm_clip_destroy(made[0], NULL);
    pm_clip_destroy(made[1], NULL);
    pm_skeleton_destroy(skeleton);
}

Test(blend_layers, padding_lanes_stay_identity) {
    layers_run(l);
    static const pm_transform identity = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    for (uint32_t i = 0; i < LAYERS_INSTANCES; i++)
        for (uint32_t lane = JOINTS; lane < LAYERS_BLOCKS * PM_BLOCK_LANES; lane++) {
            pm_transform got = pm_pose_get_joint(l->output.poses[i], lane);
            cr_assert_arr_eq(got.scale, identity.scale, sizeof got.scale);
            cr_assert_eq(got.rotation[3], 1);
            cr_assert_eq(got.translation[0], 0);
        }
}
