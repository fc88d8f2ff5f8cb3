#include "rig.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 16 };

static pm_transform rest_of(uint32_t joint) {
    float offset = (float)joint;
    float angle = 0.1f + 0.01f * offset;
    return (pm_transform){
        {offset, 1 + offset, 2 + offset}, {sinf(angle), 0, 0, cosf(angle)}, {1 + 0.125f * offset, 1, 1}};
}

pm_skeleton *rig_skeleton(uint32_t joint_count, uint32_t scalar_count) {
    pm_node_def *nodes = calloc(joint_count + 1, sizeof *nodes);
    pm_scalar_def *scalars = calloc(scalar_count + 1, sizeof *scalars);
    char(*names)[NAME_SIZE] = calloc(joint_count + scalar_count + 1, sizeof *names);
    for (uint32_t i = 0; i < joint_count; i++) {
        snprintf(names[i], NAME_SIZE, "j%u", (unsigned)i);
        nodes[i] = (pm_node_def){names[i], i ? i - 1 : PM_NONE, rest_of(i), true};
    }
    for (uint32_t i = 0; i < scalar_count; i++) {
        snprintf(names[joint_count + i], NAME_SIZE, "s%u", (unsigned)i);
        scalars[i] = (pm_scalar_def){names[joint_count + i], PM_NONE, 0.5f + (float)i};
    }
    pm_skeleton_def def = {.file = "rig.glb",
                           .node_count = joint_count,
                           .nodes = nodes,
                           .scalar_count = scalar_count,
                           .scalars = scalars};
    pm_report report = {0};
    pm_skeleton *skeleton = NULL;
    cr_assert_eq(pm_skeleton_create(&def, NULL, &skeleton, &report), PM_OK, "%s", report.message);
    free(nodes);
    free(scalars);
    free(names);
    return skeleton;
}

pm_channel rig_channel(pm_path path, pm_interpolation interpolation, uint32_t target, uint32_t key_count,
                       const float *times, const float *values, const float *in_tangents,
                       const float *out_tangents) {
    return (pm_channel){.path = path,
                        .interpolation = interpolation,
                        .target = target,
                        .component_count = pm_path_component_count(path),
                        .key_count = key_count,
                        .value_count = key_count,
                        .times = times,
                        .values = values,
                        .in_tangents = in_tangents,
                        .out_tangents = out_tangents};
}

pm_clip_source rig_source(const pm_channel *channels, uint32_t channel_count) {
    return (pm_clip_source){"rig.glb", "Test", channel_count, channels};
}

pm_clip *rig_compile(const pm_channel *channels, uint32_t channel_count, const pm_skeleton *skeleton,
                     pm_report *report) {
    pm_report unheard = {0};
    if (!report) report = &unheard;
    pm_clip_source source = rig_source(channels, channel_count);
    pm_clip *clip = NULL;
    cr_assert_eq(pm_clip_compile(&source, skeleton, NULL, NULL, &clip, report), PM_OK, "%s", report->message);
    return clip;
}

static void expect_words(const char *message, const char *words) {
    cr_assert(strstr(message, words), "\"%s\" does not say \"%s\"", message, words);
}

static void expect_place(const char *message, rig_fault expected) {
    char words[64];
    expect_words(message, "rig.glb");
    expect_words(message, "clip \"Test\"");
    snprintf(words, sizeof words, "channel \"%s\"", expected.channel);
    expect_words(message, words);
    snprintf(words, sizeof words, "key %u", (unsigned)expected.key);
    if (expected.key != PM_NONE) expect_words(message, words);
}

static void expect_strict(const pm_clip_source *source, const pm_skeleton *skeleton, rig_fault expected) {
    pm_compile_options options = pm_default_compile_options();
    options.policy = PM_POLICY_STRICT;
    pm_report report = {0};
    pm_clip *clip = NULL;
    pm_result result = pm_clip_compile(source, skeleton, &options, NULL, &clip, &report);
    if (expected.severity == PM_SEVERITY_NOTE) {
        cr_assert_eq(result, PM_OK, "%s", report.message);
        pm_clip_destroy(clip, NULL);
        return;
    }
    cr_assert_eq(result, PM_ERROR_DATA, "strict: %s", pm_result_name(result));
    cr_assert_null(clip);
    cr_assert_eq(report.fault, expected.fault, "strict: %s: %s", pm_fault_name(report.fault), report.message);
    expect_place(report.message, expected);
}

pm_clip *rig_compile_faulty(const pm_channel *channel, const pm_skeleton *skeleton, rig_fault expected) {
    pm_clip_source source = rig_source(channel, 1);
    expect_strict(&source, skeleton, expected);
    static diagnostics list;
    pm_report report = diagnostics_report(&list);
    pm_clip *clip = rig_compile(channel, 1, skeleton, &report);
    // A dropped channel leaves an empty clip, which is another finding.
    uint32_t others = diagnostics_count(&list, PM_FAULT_CLIP_EMPTY);
    cr_assert_eq(list.count, 1 + others, "%u diagnostics, the last: %s", (unsigned)list.count,
                 list.count ? list.seen[list.count - 1].message : "");
    const seen_diagnostic *seen = diagnostics_find(&list, expected.fault, 0);
    cr_assert_not_null(seen, "%s instead: %s", pm_fault_name(list.seen[0].fault), list.seen[0].message);
    cr_assert_eq(seen->severity, expected.severity, "%s: %s", pm_severity_name(seen->severity),
                 seen->message);
    cr_assert_eq(seen->key, expected.key, "%s", seen->message);
    expect_place(seen->message, expected);
    return clip;
}

void rig_sample(const pm_clip *clip, const pm_kernels *kernels, float time_seconds, rig_pose *pose) {
    memset(pose, 0xCD, sizeof *pose);
    pm_clip_info info = pm_clip_get_info(clip);
    cr_assert(info.block_count <= 8 && info.scalar_block_count <= 8);
    uint32_t clip_index = 0;
    pm_sample_job job = pm_default_sample_job();
    job.kernels = kernels;
    job.clips = &clip;
    job.clip_count = 1;
    job.instance_count = 1;
    job.clip_index = &clip_index;
    job.time_seconds = &time_seconds;
    job.poses = pose->blocks;
    job.pose_stride = sizeof pose->blocks;
    job.scalars = pose->scalars;
    job.scalar_stride = sizeof pose->scalars;
    const char *fault = pm_sample_validate(&job);
    cr_assert_null(fault, "%s", fault);
    pose->guarded_count = pm_sample_run(&job, 0, 1);
}

pm_transform rig_joint(const pm_clip *clip, uint32_t joint, float time_seconds) {
    rig_pose pose;
    rig_sample(clip, pm_kernels_best(), time_seconds, &pose);
    return pm_pose_get_joint(pose.blocks, joint);
}

float rig_scalar(const pm_clip *clip, uint32_t scalar, float time_seconds) {
    rig_pose pose;
    rig_sample(clip, pm_kernels_best(), time_seconds, &pose);
    return pose.scalars[scalar];
}

uint32_t rig_random_next(rig_random *random) {
    random->state ^= random->state << 13;
    random->state ^= random->state >> 7;
    random->state ^= random->state << 17;
    return (uint32_t)(random->state >> 32);
}

uint32_t rig_random_below(rig_random *random, uint32_t limit) {
    return (uint32_t)((uint64_t)rig_random_next(random) * limit >> 32);
}

float rig_random_between(rig_random *random, float low, float high) {
    double unit = rig_random_next(random) / 4294967295.0;
    return (float)(low + unit * ((double)high - low));
}

void rig_random_rotation(rig_random *random, float rotation[4]) {
    double squares;
    do {
        squares = 0;
        for (int c = 0; c < 4; c++) {
            rotation[c] = rig_random_between(random, -1, 1);
            squares += (double)rotation[c] * rotation[c];
        }
    } while (squares < 0.01 || squares > 1);
    for (int c = 0; c < 4; c++) rotation[c] = (float)(rotation[c] / sqrt(squares));
}
