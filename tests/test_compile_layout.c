// Which tracks are merged onto one timeline and which keep one for each lane.
#include "support/rig.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { JOINTS = 18, KEYS = 5 };

static pm_skeleton *skeleton;
static float times[JOINTS][KEYS], vectors[KEYS * 3];
static pm_channel channels[JOINTS];

static void make(void) {
    skeleton = rig_skeleton(JOINTS, 1);
    rig_random random = {99};
    for (int i = 0; i < KEYS * 3; i++) vectors[i] = rig_random_between(&random, -1, 1);
    for (uint32_t joint = 0; joint < JOINTS; joint++) {
        times[joint][0] = 0;
        for (int k = 1; k < KEYS; k++)
            times[joint][k] = times[joint][k - 1] + rig_random_between(&random, 0.1f, 1);
        channels[joint] = rig_channel(PM_PATH_TRANSLATION, PM_INTERPOLATION_LINEAR, joint, KEYS, times[joint],
                                      vectors, NULL, NULL);
    }
}

static void drop(void) {
    pm_skeleton_destroy(skeleton);
}

TestSuite(compile_layout, .init = make, .fini = drop);

static pm_clip *compile_with_limit(float limit, uint32_t channel_count) {
    pm_compile_options options = pm_default_compile_options();
    options.merge_growth_limit = limit;
    pm_clip_source source = rig_source(channels, channel_count);
    pm_clip *clip = NULL;
    cr_assert_eq(pm_clip_compile(&source, skeleton, &options, NULL, &clip, NULL), PM_OK);
    return clip;
}

static uint32_t count_tracks(const pm_clip *clip, pm_track_kind kind) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < pm_clip_get_info(clip).track_count; i++) {
        count += pm_clip_get_track(clip, i).kind == kind;
    }
    return count;
}

static pm_track_info track_of(const pm_clip *clip, pm_path path, uint32_t block) {
    for (uint32_t i = 0; i < pm_clip_get_info(clip).track_count; i++) {
        pm_track_info track = pm_clip_get_track(clip, i);
        if (track.path == path && track.block == block) return track;
    }
    cr_assert_fail("no track of path %d, block %u", (int)path, (unsigned)block);
    return (pm_track_info){0};
}

static void expect_all_keys(const pm_clip *clip, uint32_t channel_count) {
    for (uint32_t joint = 0; joint < channel_count; joint++) {
        for (int k = 0; k < KEYS; k++) {
            pm_transform transform = rig_joint(clip, joint, times[joint][k]);
            for (int c = 0; c < 3; c++) cr_assert_eq(transform.translation[c], vectors[k * 3 + c]);
        }
    }
}

Test(compile_layout, limit_zero_keeps_every_timeline_apart) {
    pm_clip *clip = compile_with_limit(0, JOINTS);
    cr_assert_eq(count_tracks(clip, PM_TRACK_MIXED), 2);
    cr_assert_eq(count_tracks(clip, PM_TRACK_SHARED), 0);
    pm_track_info track = track_of(clip, PM_PATH_TRANSLATION, 0);
    cr_assert_eq(track.timeline, PM_NONE);
    cr_assert_geq(track.key_count, 16 * KEYS);
    cr_assert_eq(track.mode, PM_TRACK_LINEAR);
    expect_all_keys(clip, JOINTS);
    pm_clip_destroy(clip, NULL);
}

Test(compile_layout, limit_infinity_merges_all) {
    pm_clip *clip = compile_with_limit(INFINITY, JOINTS);
    cr_assert_eq(count_tracks(clip, PM_TRACK_MIXED), 0);
    cr_assert_eq(count_tracks(clip, PM_TRACK_SHARED), 2);
    pm_track_info track = track_of(clip, PM_PATH_TRANSLATION, 0);
    // The sixteen lanes have their first time in common.
    cr_assert_eq(pm_clip_get_timeline(clip, track.timeline).key_count, 16 * (KEYS - 1) + 1);
    expect_all_keys(clip, JOINTS);
    pm_clip_destroy(clip, NULL);
}

Test(compile_layout, limit_is_the_growth_over_the_longest_timeline) {
    // Two lanes of five keys, one time in common: nine keys, 1.8 times the longest.
    pm_clip *merged = compile_with_limit(1.81f, 2), *mixed = compile_with_limit(1.79f, 2);
    cr_assert_eq(track_of(merged, PM_PATH_TRANSLATION, 0).kind, PM_TRACK_SHARED);
    cr_assert_eq(track_of(mixed, PM_PATH_TRANSLATION, 0).kind, PM_TRACK_MIXED);
    expect_all_keys(merged, 2);
    expect_all_keys(mixed, 2);
    pm_clip_destroy(merged, NULL);
    pm_clip_destroy(mixed, NULL);
}

Test(compile_layout, equal_timelines_are_shared_whatever_the_limit) {
    for (uint32_t joint = 0; joint < JOINTS; joint++) channels[joint].times = times[0];
    pm_clip *clip = compile_with_limit(0, JOINTS);
    cr_assert_eq(count_tracks(clip, PM_TRACK_MIXED), 0);
    cr_assert_eq(pm_clip_get_info(clip).timeline_count, 1);
    pm_clip_destroy(clip, NULL);
}

Test(compile_layout, lanes_that_do_not_move_have_no_say) {
    static float still[KEYS * 3];
    for (uint32_t joint = 1; joint < 16; joint++) channels[joint].values = still;
    pm_clip *clip = compile_with_limit(0, 16);
    cr_assert_eq(track_of(clip, PM_PATH_TRANSLATION, 0).kind, PM_TRACK_SHARED);
    cr_assert_eq(pm_clip_get_timeline(clip, 0).key_count, KEYS);
    pm_clip_destroy(clip, NULL);
}

Test(compile_layout, layouts_agree_within_rounding) {
    pm_clip *merged = compile_with_limit(INFINITY, JOINTS), *mixed = compile_with_limit(0, JOINTS);
    for (float time = -0.1f; time < 4; time += 0.01f) {
        for (uint32_t joint = 0; joint < JOINTS; joint += 5) {
            pm_transform first = rig_joint(merged, joint, time), second = rig_joint(mixed, joint, time);
            for (int c = 0; c < 3; c++) cr_assert_float_eq(first.translation[c], second.translation[c], 1e-6);
        }
    }
    pm_clip_destroy(merged, NULL);
    pm_clip_destroy(mixed, NULL);
}

Test(compile_layout, limit_that_is_no_ratio_is_refused) {
    static const float bad[] = {-1, -INFINITY, NAN};
    for (int i = 0; i < 3; i++) {
        pm_compile_options options = pm_default_compile_options();
        options.merge_growth_limit = bad[i];
        pm_clip_source source = rig_source(channels, JOINTS);
        pm_clip *clip = (pm_clip *)&options;
        pm_report report = {0};
        cr_assert_eq(pm_clip_compile(&source, skeleton, &options, NULL, &clip, &report), PM_ERROR_ARGUMENT);
        cr_assert_null(clip);
        cr_assert(strstr(report.message, "merge_growth_limit"), "%s", report.message);
    }
}
