// Easing and cadence as properties of a clip's timelines.
#include <posemill/posemill.h>

#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>

#include "support/reference.h"

static const float smootherstep[6] = {0, 0, 0, 10, -15, 6};
static const float no_easing[6] = {0, 1, 0, 0, 0, 0};

typedef struct fixture {
    pm_skeleton *skeleton;
    pm_clip *clip;
    pm_report report;
} fixture;

static fixture compile(const pm_channel *channels, uint32_t count, float growth_limit) {
    pm_node_def nodes[2] = {{"root", PM_NONE, {{0}, {0, 0, 0, 1}, {1, 1, 1}}, true},
                            {"tip", 0, {{0}, {0, 0, 0, 1}, {1, 1, 1}}, true}};
    pm_skeleton_def def = {.node_count = 2, .nodes = nodes};
    fixture f = {0};
    cr_assert_eq(pm_skeleton_create(&def, NULL, &f.skeleton, &f.report), PM_OK, "%s", f.report.message);
    pm_clip_source source = {"eased.glb", "clip", count, channels};
    pm_compile_options options = pm_default_compile_options();
    options.merge_growth_limit = growth_limit;
    cr_assert_eq(pm_clip_compile(&source, f.skeleton, &options, NULL, &f.clip, &f.report), PM_OK, "%s",
                 f.report.message);
    const pm_clip *checked;
    cr_assert_eq(pm_clip_load(f.clip, pm_clip_get_info(f.clip).size_bytes, &checked, &f.report), PM_OK, "%s",
                 f.report.message);
    return f;
}

static void release(fixture *f) {
    pm_clip_destroy(f->clip, NULL);
    pm_skeleton_destroy(f->skeleton);
}

// One joint at one time, the same on all kernels.
static pm_transform sample(const fixture *f, uint32_t joint, float time) {
    pm_pose_block *poses = aligned_alloc(PM_ALIGNMENT, 2 * sizeof *poses);
    const pm_clip *clips[1] = {f->clip};
    uint32_t clip_index = 0;
    pm_sample_job job = pm_default_sample_job();
    job.clips = clips;
    job.clip_count = 1;
    job.instance_count = 1;
    job.clip_index = &clip_index;
    job.time_seconds = &time;
    pm_transform first = {0};
    for (uint32_t k = 0; pm_kernels_at(k); k++) {
        job.kernels = pm_kernels_at(k);
        job.poses = poses + (k > 0);
        cr_assert_null(pm_sample_validate(&job));
        pm_sample_run(&job, 0, 1);
        cr_assert_arr_eq(poses, poses + (k > 0), sizeof *poses, "%s differs", pm_kernels_name(job.kernels));
        first = pm_pose_get_joint(poses, joint);
    }
    free(poses);
    return first;
}

static double polynomial(const float p[6], double u) {
    double f = 0;
    for (int i = 5; i >= 0; i--) f = f * u + p[i];
    return f;
}

// A keyed move of a joint on x; times 0, 1, 3.
static const float times[3] = {0, 1, 3};
static const float moves[9] = {0, 0, 0, 2, 0, 0, 1, 0, 0};

static pm_channel move(uint32_t joint, const float (*easing)[6], float cadence_hz) {
    return (pm_channel){.path = PM_PATH_TRANSLATION,
                        .interpolation = PM_INTERPOLATION_LINEAR,
                        .target = joint,
                        .component_count = 3,
                        .key_count = 3,
                        .value_count = 3,
                        .times = times,
                        .values = moves,
                        .cadence_hz = cadence_hz,
                        .easing = easing};
}

static double expected_move(double t, const float first[6], const float second[6]) {
    return t < 1 ? 2 * polynomial(first, t) : 2 - polynomial(second, (t - 1) / 2);
}

Test(compile_easing, degree_five_is_evaluated_in_every_segment) {
    float easing[2][6];
    for (int i = 0; i < 6; i++) easing[0][i] = smootherstep[i], easing[1][i] = no_easing[i];
    pm_channel channel = move(0, (const float(*)[6])easing, 0);
    fixture f = compile(&channel, 1, INFINITY);
    for (int i = 0; i <= 300; i++) {
        float t = (float)i / 100.0f;
        double expected = expected_move((double)t, smootherstep, no_easing);
        cr_assert_float_eq(sample(&f, 0, t).translation[0], expected, 2e-6, "at %g", t);
    }
    cr_assert_eq(sample(&f, 0, 1.0f).translation[0], 2.0f, "the key is hit");
    release(&f);
}

Test(compile_easing, lanes_with_and_without_easing_keep_their_own) {
    float easing[2][6];
    for (int i = 0; i < 6; i++) easing[0][i] = easing[1][i] = smootherstep[i];
    pm_channel channels[2] = {move(0, (const float(*)[6])easing, 0), move(1, NULL, 0)};
    fixture f = compile(channels, 2, INFINITY);
    for (int i = 0; i <= 300; i++) {
        float t = (float)i / 100.0f;
        cr_assert_float_eq(sample(&f, 0, t).translation[0],
                           expected_move((double)t, smootherstep, smootherstep), 2e-6);
        cr_assert_float_eq(sample(&f, 1, t).translation[0], expected_move((double)t, no_easing, no_easing),
                           2e-6);
    }
    release(&f);
}

Test(compile_easing, arcs_ease_too_and_must_stay_between_their_ends) {
    float rotations[8] = {0, 0, 0, 1, 0, 0, sinf(0.7f), cosf(0.7f)};
    float easing[1][6], back[1][6] = {{0, 0, -2, 3, 0, 0}};
    for (int i = 0; i < 6; i++) easing[0][i] = smootherstep[i];
    pm_channel channel = {.path = PM_PATH_ROTATION,
                          .interpolation = PM_INTERPOLATION_LINEAR,
                          .component_count = 4,
                          .key_count = 2,
                          .value_count = 2,
                          .times = times,
                          .values = rotations,
                          .easing = (const float(*)[6])easing};
    fixture f = compile(&channel, 1, INFINITY);
    for (int i = 0; i <= 100; i++) {
        float t = (float)i / 100.0f;
        double angle = 0.7 * polynomial(smootherstep, (double)t);
        cr_assert_float_eq(sample(&f, 0, t).rotation[2], sin(angle), 1e-6);
    }
    release(&f);
    channel.easing = (const float(*)[6])back;
    f = compile(&channel, 1, INFINITY);
    cr_assert_eq(f.report.counts[PM_SEVERITY_DROPPED], 1);
    release(&f);
}

Test(compile_easing, polynomials_that_miss_the_keys_are_refused) {
    float easing[2][6] = {{0, 1, 0, 0, 0, 0}, {0, 0.5f, 0, 0, 0, 0}};
    pm_channel channel = move(0, (const float(*)[6])easing, 0);
    fixture f = compile(&channel, 1, INFINITY);
    cr_assert_eq(f.report.counts[PM_SEVERITY_DROPPED], 1);
    release(&f);
}

Test(compile_easing, body_on_twos_and_camera_continuous_in_one_clip) {
    pm_channel channels[2] = {move(0, NULL, 12), move(1, NULL, 0)};
    fixture f = compile(channels, 2, INFINITY);
    for (int i = 0; i <= 3000; i++) {
        float t = (float)i / 1000.0f;
        int k = (int)(3.0 * 12) + 1;
        while ((float)(k / 12.0) > t) k--;
        double held = (double)(float)(k / 12.0);
        cr_assert_float_eq(sample(&f, 0, t).translation[0], expected_move(held, no_easing, no_easing), 2e-6,
                           "at %g", t);
        cr_assert_float_eq(sample(&f, 1, t).translation[0], expected_move((double)t, no_easing, no_easing),
                           2e-6);
    }
    release(&f);
}

Test(compile_easing, cadence_holds_by_time_at_every_multiple_and_just_before) {
    pm_channel channel = move(0, NULL, 24);
    fixture f = compile(&channel, 1, INFINITY);
    for (int k = 1; k <= 72; k++) {
        float at = (float)(k / 24.0), before = nextafterf(at, 0);
        float previous = (float)((k - 1) / 24.0);
        cr_assert_float_eq(sample(&f, 0, at).translation[0], expected_move((double)at, no_easing, no_easing),
                           2e-6);
        cr_assert_eq(sample(&f, 0, before).translation[0], sample(&f, 0, previous).translation[0]);
    }
    release(&f);
}

Test(compile_easing, slow_cadence_shows_the_first_key_at_all_times) {
    // The multiple before 0 is beyond what a float can hold.
    static const float later[3] = {0, 2, 3};
    pm_channel channels[2] = {move(0, NULL, 1e-40f), move(1, NULL, 1e-40f)};
    channels[1].times = later;
    static const float limits[2] = {0, INFINITY};
    for (int i = 0; i < 2; i++) {
        fixture f = compile(channels, 2, limits[i]);
        cr_assert_eq(sample(&f, 0, -1).translation[0], 0);
        cr_assert_eq(sample(&f, 0, 2).translation[0], 0);
        release(&f);
    }
}

Test(compile_easing, impossible_cadences_are_refused) {
    const float wrong[3] = {-1.0f, NAN, 1e7f};
    for (int i = 0; i < 3; i++) {
        pm_channel channel = move(0, NULL, wrong[i]);
        fixture f = compile(&channel, 1, INFINITY);
        cr_assert_eq(f.report.counts[PM_SEVERITY_DROPPED], 1);
        release(&f);
    }
}
