// Additive clips: differences from a pose or a frame, exact for every interpolation.
#include "support/failing_allocator.h"
#include "support/layers.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

_Alignas(64) static char scratch[300 << 10];

// reference + 1 * (clip - reference), with the reference as the rest pose of a blend job.
static void add_back(const pm_clip *additive, const pm_pose_block *below, const float *scalars_below,
                     float time, rig_pose *sum) {
    pm_layer layer = {0, time, 1, PM_NONE, PM_LAYER_ADDITIVE};
    pm_blend_job job = pm_default_blend_job();
    job.kernels = pm_kernels_best();
    job.clips = &additive;
    job.clip_count = job.instance_count = job.layer_count = 1;
    job.layers = &layer;
    job.rest = below;
    job.scalar_rest = scalars_below;
    job.poses = sum->blocks;
    job.scalars = sum->scalars;
    cr_assert_null(pm_blend_validate(&job));
    cr_assert_leq(pm_blend_scratch_size(&job), sizeof scratch);
    sum->guarded_count = pm_blend_run(&job, 0, 1, scratch);
}

static scenario *make_scenario(uint64_t seed, uint32_t modes, bool faulty) {
    scenario_options options = {
        .seed = seed, .joint_count = 20, .scalar_count = 5, .modes = modes, .most_keys = 8};
    options.timelines = 2;
    options.faulty = faulty;
    return scenario_create(&options);
}

// Compares clip and sum at all times of a scenario. Scales of the reference may be small, so errors are
// relative to what the division makes of float's.
static void compare(const scenario *s, const pm_clip *additive, const pm_pose_block *below,
                    const float *scalars_below) {
    static rig_pose expected, sum;
    for (uint32_t i = 0; i < s->time_count; i++) {
        float time = s->times[i];
        if (time != time) continue;
        rig_sample(s->clip, pm_kernels_best(), time, &expected);
        add_back(additive, below, scalars_below, time, &sum);
        for (uint32_t joint = 0; joint < s->skeleton->joint_count; joint++) {
            poses_joint want = poses_get(expected.blocks, joint), base = poses_get(below, joint);
            pm_transform got = pm_pose_get_joint(sum.blocks, joint);
            for (int c = 0; c < 3; c++) {
                double size = 1 + fabs(want.translation[c]) + fabs(base.translation[c]);
                cr_assert_lt(fabs((double)got.translation[c] - want.translation[c]), 1e-4 * size);
                cr_assert_lt(fabs((double)got.scale[c] - want.scale[c]), 1e-4 * (1 + fabs(want.scale[c])));
            }
            double length = 0;
            for (int c = 0; c < 4; c++) length += want.rotation[c] * want.rotation[c];
            cr_assert_float_eq(length, 1, 1e-5);
            double angle = reference_rotation_error(want.rotation, got.rotation);
            cr_assert_lt(angle, 2e-3, "joint %u at %g: %g", joint, (double)time, angle);
        }
        for (uint32_t n = 0; n < s->skeleton->scalar_count; n++)
            cr_assert_float_eq(sum.scalars[n], expected.scalars[n], 1e-4f * (1 + fabsf(expected.scalars[n])));
    }
}

Test(additive, reference_times_difference_is_the_clip_for_every_interpolation) {
    const uint32_t modes[] = {SCENARIO_STEP, SCENARIO_LINEAR, SCENARIO_CUBIC, SCENARIO_ALL_MODES};
    for (uint64_t seed = 1; seed <= 8; seed++) {
        scenario *s = make_scenario(seed, modes[seed % 4], false);
        // A pose that has nothing to do with the clip, in the joints that it has channels for.
        static rig_pose other;
        rig_random random = {seed};
        poses_random(&random, other.blocks, 8);
        for (uint32_t joint = 0; joint < 20; joint++) {
            pm_transform transform = pm_pose_get_joint(other.blocks, joint);
            for (int c = 0; c < 3; c++) transform.scale[c] = 0.5f + fabsf(transform.scale[c]);
            pm_pose_set_joint(other.blocks, joint, &transform);
        }
        for (int c = 0; c < 5; c++) other.scalars[c] = (float)c - 2;
        // A joint without a channel has no difference, so there the clip must have what the reference has.
        pm_additive_options options = pm_default_additive_options();
        options.reference = other.blocks;
        options.reference_scalars = other.scalars;
        for (uint32_t joint = 0; joint < 20; joint++) {
            bool seen[3] = {false, false, false};
            for (uint32_t i = 0; i < s->source.channel_count; i++)
                if (s->source.channels[i].path < PM_PATH_SCALAR && s->source.channels[i].target == joint)
                    seen[s->source.channels[i].path] = true;
            pm_transform rest = pm_pose_get_joint(s->skeleton->rest, joint);
            pm_transform transform = pm_pose_get_joint(other.blocks, joint);
            if (!seen[0]) memcpy(transform.translation, rest.translation, sizeof rest.translation);
            if (!seen[1]) memcpy(transform.rotation, rest.rotation, sizeof rest.rotation);
            if (!seen[2]) memcpy(transform.scale, rest.scale, sizeof rest.scale);
            pm_pose_set_joint(other.blocks, joint, &transform);
        }
        for (uint32_t n = 0; n < 5; n++) {
            bool seen = false;
            for (uint32_t i = 0; i < s->source.channel_count; i++)
                seen = seen ||
                       (s->source.channels[i].path == PM_PATH_SCALAR && s->source.channels[i].target == n);
            if (!seen) other.scalars[n] = s->skeleton->scalar_rest[n];
        }
        pm_clip *additive;
        cr_assert_eq(pm_additive_compile(&s->source, s->skeleton, &options, NULL, &additive, NULL), PM_OK);
        compare(s, additive, other.blocks, other.scalars);
        pm_clip_destroy(additive, NULL);
        scenario_destroy(s);
    }
}

Test(additive, against_a_frame_of_its_own_the_difference_is_nothing_at_that_frame) {
    for (uint64_t seed = 1; seed <= 4; seed++) {
        scenario *s = make_scenario(seed, SCENARIO_STEP | SCENARIO_LINEAR, false);
        pm_additive_options options = pm_default_additive_options();
        options.reference_seconds = 0.75f;
        pm_clip *additive;
        cr_assert_eq(pm_additive_compile(&s->source, s->skeleton, &options, NULL, &additive, NULL), PM_OK);
        static rig_pose frame, nothing;
        rig_sample(s->clip, pm_kernels_best(), 0.75f, &frame);
        rig_sample(additive, pm_kernels_best(), 0.75f, &nothing);
        static const double identity[4] = {0, 0, 0, 1};
        for (uint32_t joint = 0; joint < 20; joint++) {
            pm_transform got = pm_pose_get_joint(nothing.blocks, joint);
            pm_transform whole = pm_pose_get_joint(frame.blocks, joint);
            for (int c = 0; c < 3; c++) {
                cr_assert_float_eq(got.translation[c], 0, 1e-5f);
                // The difference is a quotient: rounding counts for more where the scale is small.
                cr_assert_float_eq(got.scale[c], 1, 1e-6f + 1e-6f / fabsf(whole.scale[c]));
            }
            cr_assert_lt(reference_rotation_error(identity, got.rotation), 2e-6);
        }
        compare(s, additive, frame.blocks, frame.scalars);
        pm_clip_destroy(additive, NULL);
        scenario_destroy(s);
    }
}

Test(additive, a_path_without_a_channel_adds_nothing_and_neither_does_a_nan_time) {
    pm_skeleton *skeleton = rig_skeleton(3, 1);
    static const float times[] = {0, 1}, values[] = {1, 2, 3, 4, 5, 6};
    pm_channel channel =
        rig_channel(PM_PATH_TRANSLATION, PM_INTERPOLATION_LINEAR, 1, 2, times, values, NULL, NULL);
    pm_clip_source source = rig_source(&channel, 1);
    pm_clip *additive;
    cr_assert_eq(pm_additive_compile(&source, skeleton, NULL, NULL, &additive, NULL), PM_OK);
    const float moments[] = {1, NAN};
    for (int i = 0; i < 2; i++)
        for (uint32_t joint = 0; joint < 3; joint++) {
            pm_transform got = rig_joint(additive, joint, moments[i]);
            float moved = joint == 1 && i == 0 ? 3 : 0;
            for (int c = 0; c < 3; c++) {
                cr_assert_eq(got.translation[c], moved);
                cr_assert_eq(got.scale[c], 1);
                cr_assert_eq(got.rotation[c], 0);
            }
            cr_assert_eq(got.rotation[3], 1);
        }
    cr_assert_eq(rig_scalar(additive, 0, 0.5f), 0);
    pm_clip_destroy(additive, NULL);
    pm_skeleton_destroy(skeleton);
}

Test(additive, the_difference_is_on_the_right_worked_out_by_hand) {
    // Reference: a quarter turn about z. Clip: a third of a turn about (1 1 1), which is that times a quarter
    // turn about x. Tangents go the same way: a tangent along the reference becomes one along w.
    pm_skeleton *skeleton = rig_skeleton(1, 0);
    float s = sqrtf(0.5f);
    const float times[] = {0, 1}, values[] = {0, 0, s, s, 0.5f, 0.5f, 0.5f, 0.5f};
    pm_channel channel =
        rig_channel(PM_PATH_ROTATION, PM_INTERPOLATION_LINEAR, 0, 2, times, values, NULL, NULL);
    pm_clip_source source = rig_source(&channel, 1);
    pm_clip *additive;
    cr_assert_eq(pm_additive_compile(&source, skeleton, NULL, NULL, &additive, NULL), PM_OK);
    pm_transform got = rig_joint(additive, 0, 1);
    const float expected[] = {s, 0, 0, s};
    for (int c = 0; c < 4; c++) cr_assert_float_eq(got.rotation[c], expected[c], 1e-6f);
    pm_clip_destroy(additive, NULL);
    pm_skeleton_destroy(skeleton);
}

Test(additive, cubic_translations_subtract_values_not_tangents) {
    pm_skeleton *skeleton = rig_skeleton(1, 0);
    static const float times[] = {0, 2}, values[] = {5, 6, 7, 8, 9, 10};
    static const float in[] = {0, 0, 0, 1, 2, 3}, out[] = {3, 2, 1, 0, 0, 0};
    pm_channel channel =
        rig_channel(PM_PATH_TRANSLATION, PM_INTERPOLATION_CUBIC, 0, 2, times, values, in, out);
    pm_clip_source source = rig_source(&channel, 1);
    pm_clip *additive, *clip = rig_compile(&channel, 1, skeleton, NULL);
    cr_assert_eq(pm_additive_compile(&source, skeleton, NULL, NULL, &additive, NULL), PM_OK);
    for (int i = 0; i <= 8; i++) {
        pm_transform whole = rig_joint(clip, 0, (float)i / 4),
                     difference = rig_joint(additive, 0, (float)i / 4);
        for (int c = 0; c < 3; c++)
            cr_assert_float_eq(difference.translation[c], whole.translation[c] - values[c], 1e-6f);
    }
    pm_clip_destroy(additive, NULL);
    pm_clip_destroy(clip, NULL);
    pm_skeleton_destroy(skeleton);
}

Test(additive, faulty_channels_are_mended_as_ever) {
    for (uint64_t seed = 1; seed <= 6; seed++) {
        scenario *s = make_scenario(seed, SCENARIO_ALL_MODES, true);
        pm_clip *additive;
        pm_report report = {0};
        cr_assert_eq(pm_additive_compile(&s->source, s->skeleton, NULL, NULL, &additive, &report), PM_OK);
        for (uint32_t i = 0; i < s->time_count; i++) {
            static rig_pose pose;
            rig_sample(additive, pm_kernels_best(), s->times[i], &pose);
            for (uint32_t n = 0; n < 2 * 160; n++) cr_assert(isfinite(((const float *)pose.blocks)[n]));
        }
        pm_clip_destroy(additive, NULL);
        scenario_destroy(s);
    }
}

Test(additive, a_reference_that_scales_to_nothing_is_noted_and_left_alone) {
    pm_skeleton *skeleton = rig_skeleton(1, 0);
    static const float times[] = {0, 1}, values[] = {0, 2, 1, 3, 4, 1};
    pm_channel channel = rig_channel(PM_PATH_SCALE, PM_INTERPOLATION_LINEAR, 0, 2, times, values, NULL, NULL);
    pm_clip_source source = rig_source(&channel, 1);
    diagnostics list;
    pm_report report = diagnostics_report(&list);
    pm_clip *additive;
    cr_assert_eq(pm_additive_compile(&source, skeleton, NULL, NULL, &additive, &report), PM_OK);
    cr_assert_eq(report.counts[PM_SEVERITY_NOTE], 1);
    cr_assert(strstr(list.seen[0].message, "j0"));
    pm_transform got = rig_joint(additive, 0, 1);
    cr_assert_eq(got.scale[0], 3);
    cr_assert_eq(got.scale[1], 2);
    pm_clip_destroy(additive, NULL);
    pm_skeleton_destroy(skeleton);
}

Test(additive, refuses_options_that_are_not_initialised_and_what_compile_refuses) {
    pm_skeleton *skeleton = rig_skeleton(1, 0);
    static const float times[] = {1, 0}, values[6] = {0};
    pm_channel channel =
        rig_channel(PM_PATH_TRANSLATION, PM_INTERPOLATION_LINEAR, 0, 2, times, values, NULL, NULL);
    pm_clip_source source = rig_source(&channel, 1);
    pm_additive_options options = {0};
    pm_clip *additive;
    pm_report report = {0};
    cr_assert_eq(pm_additive_compile(&source, skeleton, &options, NULL, &additive, &report),
                 PM_ERROR_ARGUMENT);
    cr_assert(strstr(report.message, "pm_default_additive_options"));
    pm_compile_options strict = pm_default_compile_options();
    strict.policy = PM_POLICY_STRICT;
    options = pm_default_additive_options();
    options.compile = &strict;
    report = (pm_report){0};
    cr_assert_eq(pm_additive_compile(&source, skeleton, &options, NULL, &additive, &report), PM_ERROR_DATA);
    cr_assert_eq(report.fault, PM_FAULT_TIME_UNSORTED);
    cr_assert_null(additive);
    pm_compile_options junk = {0};
    options.compile = &junk;
    cr_assert_eq(pm_additive_compile(&source, skeleton, &options, NULL, &additive, NULL), PM_ERROR_ARGUMENT);
    pm_skeleton_destroy(skeleton);
}

Test(additive, an_allocation_that_fails_anywhere_returns_an_error_and_leaks_nothing) {
    scenario *s = make_scenario(2, SCENARIO_ALL_MODES, false);
    uint64_t fail_at = 1;
    for (;; fail_at++) {
        failing_allocator memory = {.fail_at = fail_at};
        pm_allocator allocator = failing_allocator_interface(&memory);
        pm_clip *additive;
        pm_report report = {0};
        pm_result result = pm_additive_compile(&s->source, s->skeleton, NULL, &allocator, &additive, &report);
        if (memory.allocation_count < fail_at) {
            cr_assert_eq(result, PM_OK);
            pm_clip_destroy(additive, &allocator);
            cr_assert_eq(memory.live_count, 0);
            break;
        }
        cr_assert_eq(result, PM_ERROR_MEMORY);
        cr_assert_eq(report.fault, PM_FAULT_MEMORY);
        cr_assert_eq(memory.live_count, 0);
    }
    cr_assert_gt(fail_at, 4);
    scenario_destroy(s);
}
