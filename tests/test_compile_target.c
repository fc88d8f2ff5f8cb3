// Rest poses, targets, shapes and options: what becomes of paths without a channel and of channels that fit
// nothing.
#include "support/rig.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static pm_skeleton *skeleton;

static void make_skeleton(void) {
    skeleton = rig_skeleton(20, 18);
}

static void drop_skeleton(void) {
    pm_skeleton_destroy(skeleton);
}

TestSuite(compile_target, .init = make_skeleton, .fini = drop_skeleton);

static const float two_times[] = {0, 1};
static const float two_vectors[] = {10, 20, 30, 11, 21, 31};
static const float two_numbers[] = {10, 20};

static pm_channel translation(uint32_t joint) {
    return rig_channel(PM_PATH_TRANSLATION, PM_INTERPOLATION_LINEAR, joint, 2, two_times, two_vectors, NULL,
                       NULL);
}

static pm_channel scalar(uint32_t index) {
    return rig_channel(PM_PATH_SCALAR, PM_INTERPOLATION_LINEAR, index, 2, two_times, two_numbers, NULL, NULL);
}

static void expect_rest(const pm_clip *clip, float time, uint32_t but_joint, uint32_t but_scalar) {
    rig_pose pose;
    rig_sample(clip, pm_kernels_best(), time, &pose);
    cr_assert_eq(pose.guarded_count, 0);
    for (uint32_t lane = 0; lane < 32; lane++) {
        pm_transform transform = pm_pose_get_joint(pose.blocks, lane);
        pm_transform rest = pm_pose_get_joint(skeleton->rest, lane); // identity past the last joint
        if (lane != but_joint) cr_assert_arr_eq(&transform, &rest, sizeof rest, "lane %u", (unsigned)lane);
        if (lane != but_scalar) cr_assert_eq(pose.scalars[lane], skeleton->scalar_rest[lane]);
    }
}

Test(compile_target, paths_without_a_channel_take_the_rest_value) {
    pm_channel channels[] = {translation(17), scalar(3)};
    pm_clip *clip = rig_compile(channels, 2, skeleton, NULL);
    expect_rest(clip, 0, 17, 3);
    expect_rest(clip, 0.5f, 17, 3);
    expect_rest(clip, 2, 17, 3);
    pm_transform transform = rig_joint(clip, 17, 0.5f), rest = pm_pose_get_joint(skeleton->rest, 17);
    cr_assert_eq(transform.translation[1], 20.5f);
    cr_assert_arr_eq(transform.rotation, rest.rotation, sizeof rest.rotation);
    cr_assert_arr_eq(transform.scale, rest.scale, sizeof rest.scale);
    cr_assert_eq(rig_scalar(clip, 3, 0.5f), 15);
    pm_clip_destroy(clip, NULL);
}

Test(compile_target, nothing_of_the_clip_played_before_stays) {
    pm_channel first[] = {translation(2), scalar(4)}, second = translation(5);
    pm_clip *clips[] = {rig_compile(first, 2, skeleton, NULL), rig_compile(&second, 1, skeleton, NULL)};
    rig_pose pose;
    float time = 0.5f;
    uint32_t index = 0;
    pm_sample_job job = pm_default_sample_job();
    job.kernels = pm_kernels_best();
    job.clips = (const pm_clip *const *)clips, job.clip_count = 2;
    job.clip_index = &index, job.time_seconds = &time, job.instance_count = 1;
    job.poses = pose.blocks, job.pose_stride = sizeof pose.blocks;
    job.scalars = pose.scalars, job.scalar_stride = sizeof pose.scalars;
    cr_assert_null(pm_sample_validate(&job));
    pm_sample_run(&job, 0, 1);
    cr_assert_eq(pm_pose_get_joint(pose.blocks, 2).translation[0], 10.5f);
    cr_assert_eq(pose.scalars[4], 15);
    index = 1;
    pm_sample_run(&job, 0, 1);
    pm_transform transform = pm_pose_get_joint(pose.blocks, 2), rest = pm_pose_get_joint(skeleton->rest, 2);
    cr_assert_arr_eq(&transform, &rest, sizeof rest);
    cr_assert_eq(pose.scalars[4], skeleton->scalar_rest[4]);
    pm_clip_destroy(clips[0], NULL);
    pm_clip_destroy(clips[1], NULL);
}

Test(compile_target, clip_without_channels_is_the_rest_pose_and_says_so) {
    static diagnostics list;
    pm_report report = diagnostics_report(&list);
    pm_clip *clip = rig_compile(NULL, 0, skeleton, &report);
    cr_assert_eq(list.count, 1);
    cr_assert_eq(list.seen[0].fault, PM_FAULT_CLIP_EMPTY);
    expect_rest(clip, 0, PM_NONE, PM_NONE);
    expect_rest(clip, 3, PM_NONE, PM_NONE);
    cr_assert_eq(pm_clip_get_info(clip).duration_seconds, 0);
    cr_assert_eq(pm_clip_get_info(clip).channel_count, 0);
    pm_clip_destroy(clip, NULL);
}

Test(compile_target, skeleton_without_joints_has_clips_of_scalars_alone) {
    pm_skeleton *numbers = rig_skeleton(0, 1);
    pm_channel channel = scalar(0);
    pm_clip *clip = rig_compile(&channel, 1, numbers, NULL);
    cr_assert_eq(pm_clip_get_info(clip).block_count, 0);
    cr_assert_eq(rig_scalar(clip, 0, 0.25f), 12.5f);
    pm_clip_destroy(clip, NULL);
    pm_skeleton_destroy(numbers);
}

Test(compile_target, skeleton_without_anything) {
    pm_skeleton *nothing = rig_skeleton(0, 0);
    pm_clip *clip = rig_compile(NULL, 0, nothing, NULL);
    rig_pose pose;
    rig_sample(clip, pm_kernels_best(), 0, &pose);
    cr_assert_eq(pose.guarded_count, 0);
    pm_clip_destroy(clip, NULL);
    pm_skeleton_destroy(nothing);
}

Test(compile_target, of_two_channels_for_one_target_the_first_wins) {
    static const float other_vectors[] = {1, 2, 3, 4, 5, 6};
    pm_channel channels[] = {translation(2), translation(2), translation(3)};
    channels[1].values = other_vectors;
    static diagnostics list;
    pm_report report = diagnostics_report(&list);
    pm_clip *clip = rig_compile(channels, 3, skeleton, &report);
    cr_assert_eq(list.count, 1);
    cr_assert_eq(list.seen[0].fault, PM_FAULT_TARGET_DUPLICATE);
    cr_assert_eq(list.seen[0].severity, PM_SEVERITY_DROPPED);
    cr_assert(strstr(list.seen[0].message, "j2.translation"), "%s", list.seen[0].message);
    cr_assert_eq(rig_joint(clip, 2, 0).translation[0], 10);
    cr_assert_eq(pm_clip_get_info(clip).channel_count, 2);
    pm_clip_destroy(clip, NULL);

    pm_compile_options strict = pm_default_compile_options();
    strict.policy = PM_POLICY_STRICT;
    pm_clip_source source = rig_source(channels, 3);
    pm_report refused = {0};
    cr_assert_eq(pm_clip_compile(&source, skeleton, &strict, NULL, &clip, &refused), PM_ERROR_DATA);
    cr_assert_eq(refused.fault, PM_FAULT_TARGET_DUPLICATE);
    cr_assert_null(clip);
}

Test(compile_target, target_out_of_range_is_dropped) {
    pm_channel channels[] = {translation(20), scalar(18), translation(PM_NONE)};
    for (int i = 0; i < 3; i++) {
        channels[i].name = "lost";
        rig_fault fault = {PM_SEVERITY_DROPPED, PM_FAULT_TARGET_MISSING, PM_NONE, "lost"};
        pm_clip *clip = rig_compile_faulty(&channels[i], skeleton, fault);
        expect_rest(clip, 0.5f, PM_NONE, PM_NONE);
        pm_clip_destroy(clip, NULL);
    }
    // Without a name of its own the channel is called something all the same.
    pm_channel nameless = translation(20);
    pm_report report = {0};
    pm_clip_destroy(rig_compile(&nameless, 1, skeleton, &report), NULL);
    cr_assert_eq(report.counts[PM_SEVERITY_DROPPED], 1);
}

Test(compile_target, unknown_path_is_dropped) {
    pm_channel channel = translation(0);
    channel.path = (pm_path)7;
    channel.name = "odd";
    rig_fault fault = {PM_SEVERITY_DROPPED, PM_FAULT_TARGET_MISSING, PM_NONE, "odd"};
    pm_clip_destroy(rig_compile_faulty(&channel, skeleton, fault), NULL);
}

Test(compile_target, unknown_interpolation_is_dropped) {
    pm_channel channel = translation(0);
    channel.interpolation = (pm_interpolation)7;
    rig_fault fault = {PM_SEVERITY_DROPPED, PM_FAULT_INTERPOLATION, PM_NONE, "j0.translation"};
    pm_clip_destroy(rig_compile_faulty(&channel, skeleton, fault), NULL);
}

Test(compile_target, component_count_that_is_not_the_paths_is_dropped) {
    for (uint32_t count = 0; count < 6; count++) {
        pm_channel channel = translation(0);
        channel.component_count = count;
        if (count == 3) continue;
        rig_fault fault = {PM_SEVERITY_DROPPED, PM_FAULT_KEY_COUNT, PM_NONE, "j0.translation"};
        pm_clip_destroy(rig_compile_faulty(&channel, skeleton, fault), NULL);
    }
}

Test(compile_target, value_count_that_is_not_the_key_count_is_dropped) {
    static const uint32_t counts[] = {0, 1, 3, 6};
    for (int i = 0; i < 4; i++) {
        pm_channel channel = translation(0);
        channel.value_count = counts[i];
        rig_fault fault = {PM_SEVERITY_DROPPED, PM_FAULT_KEY_COUNT, PM_NONE, "j0.translation"};
        pm_clip_destroy(rig_compile_faulty(&channel, skeleton, fault), NULL);
    }
}

Test(compile_target, faulty_first_channel_does_not_take_the_target_from_a_sound_second) {
    pm_channel channels[] = {translation(2), translation(2)};
    channels[0].key_count = channels[0].value_count = 0;
    pm_clip *clip = rig_compile(channels, 2, skeleton, NULL);
    cr_assert_eq(rig_joint(clip, 2, 1).translation[0], 11);
    pm_clip_destroy(clip, NULL);
}

Test(compile_target, huge_values_are_limited) {
    static const float values[] = {1e20f, 1, 2, -3e38f, 3, 4};
    pm_channel channel = translation(0);
    channel.values = values;
    rig_fault fault = {PM_SEVERITY_REPAIR, PM_FAULT_VALUE_HUGE, PM_NONE, "j0.translation"};
    pm_clip *clip = rig_compile_faulty(&channel, skeleton, fault);
    cr_assert_eq(rig_joint(clip, 0, 0).translation[0], PM_VALUE_LIMIT);
    cr_assert_eq(rig_joint(clip, 0, 1).translation[0], -PM_VALUE_LIMIT);
    cr_assert_eq(rig_joint(clip, 0, 1).translation[1], 3);
    pm_clip_destroy(clip, NULL);
}

Test(compile_target, zero_and_negative_scale_are_legal) {
    static const float scales[] = {0, -1, 1, 0, 1, -1};
    pm_channel channel =
        rig_channel(PM_PATH_SCALE, PM_INTERPOLATION_LINEAR, 0, 2, two_times, scales, NULL, NULL);
    static diagnostics list;
    pm_report report = diagnostics_report(&list);
    pm_clip *clip = rig_compile(&channel, 1, skeleton, &report);
    cr_assert_eq(list.count, 0);
    pm_transform transform = rig_joint(clip, 0, 0.25f);
    cr_assert_eq(transform.scale[0], 0);
    cr_assert_eq(transform.scale[1], -0.5f);
    cr_assert_eq(transform.scale[2], 0.5f);
    pm_clip_destroy(clip, NULL);
}

Test(compile_target, diagnostics_use_the_channels_own_name) {
    pm_channel channel = translation(1);
    channel.key_count = channel.value_count = 0;
    channel.name = "Hips \xE2\x82\xAC.translation";
    rig_fault fault = {PM_SEVERITY_DROPPED, PM_FAULT_KEYS_MISSING, PM_NONE, "Hips \xE2\x82\xAC.translation"};
    pm_clip_destroy(rig_compile_faulty(&channel, skeleton, fault), NULL);
}

Test(compile_target, strict_accepts_sound_data) {
    pm_channel channels[] = {translation(2), scalar(1)};
    pm_compile_options strict = pm_default_compile_options();
    strict.policy = PM_POLICY_STRICT;
    pm_clip_source source = rig_source(channels, 2);
    static diagnostics list;
    pm_report report = diagnostics_report(&list);
    pm_clip *clip;
    cr_assert_eq(pm_clip_compile(&source, skeleton, &strict, NULL, &clip, &report), PM_OK);
    cr_assert_eq(list.count, 0);
    pm_clip_destroy(clip, NULL);
}

Test(compile_target, options_that_are_not_initialised_are_refused) {
    pm_compile_options options;
    memset(&options, 0, sizeof options);
    pm_channel channel = translation(0);
    pm_clip_source source = rig_source(&channel, 1);
    pm_clip *clip = (pm_clip *)&options;
    pm_clip_plan *plan = (pm_clip_plan *)&options;
    pm_report report = {0};
    cr_assert_eq(pm_clip_compile(&source, skeleton, &options, NULL, &clip, &report), PM_ERROR_ARGUMENT);
    cr_assert_null(clip);
    cr_assert_eq(report.fault, PM_FAULT_ARGUMENT);
    cr_assert_eq(pm_clip_plan_create(&source, skeleton, &options, NULL, &plan, NULL), PM_ERROR_ARGUMENT);
    cr_assert_null(plan);
    options = pm_default_compile_options();
    options.policy = (pm_policy)9;
    cr_assert_eq(pm_clip_compile(&source, skeleton, &options, NULL, &clip, NULL), PM_ERROR_ARGUMENT);
}
