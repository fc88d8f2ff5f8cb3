// The interpolate job: poses between two poses.
#include "support/poses.h"
#include "support/reference.h"

#include <criterion/criterion.h>
#include <fenv.h>
#include <math.h>
#include <string.h>

enum { INSTANCES = 21, BLOCKS = 2, SCALAR_BLOCKS = 1 };

typedef struct memory {
    _Alignas(64) pm_pose_block poses[INSTANCES][BLOCKS];
    _Alignas(64) float scalars[INSTANCES][SCALAR_BLOCKS * PM_BLOCK_LANES];
} memory;

typedef struct fixture {
    memory from, to, shown;
    float fractions[INSTANCES];
    pm_interpolate_job job;
} fixture;

static fixture f;

static void fill(memory *m, rig_random *random) {
    poses_random(random, m->poses[0], INSTANCES * BLOCKS);
    for (uint32_t i = 0; i < INSTANCES; i++)
        for (uint32_t s = 0; s < SCALAR_BLOCKS * PM_BLOCK_LANES; s++)
            m->scalars[i][s] = rig_random_between(random, -5, 5);
}

static void point(pm_pose_source *source, const memory *m) {
    source->poses = m->poses[0];
    source->pose_stride = sizeof m->poses[0];
    source->scalars = m->scalars[0];
    source->scalar_stride = sizeof m->scalars[0];
}

static void set_up(void) {
    rig_random random = {11};
    fill(&f.from, &random);
    fill(&f.to, &random);
    memset(&f.shown, 0xcd, sizeof f.shown);
    for (uint32_t i = 0; i < INSTANCES; i++) f.fractions[i] = (float)i / (INSTANCES - 1);
    pm_interpolate_job job = pm_default_interpolate_job();
    job.kernels = pm_kernels_best();
    job.instance_count = INSTANCES;
    job.block_count = BLOCKS;
    job.scalar_block_count = SCALAR_BLOCKS;
    point(&job.from, &f.from);
    point(&job.to, &f.to);
    job.fractions = f.fractions;
    job.poses = f.shown.poses[0];
    job.pose_stride = sizeof f.shown.poses[0];
    job.scalars = f.shown.scalars[0];
    job.scalar_stride = sizeof f.shown.scalars[0];
    f.job = job;
    cr_assert_null(pm_interpolate_validate(&f.job));
}

TestSuite(interpolate, .init = set_up);

static poses_joint between(const poses_joint *a, const poses_joint *b, double fraction) {
    poses_joint result;
    double dot = 0;
    for (int c = 0; c < 4; c++) dot += a->rotation[c] * b->rotation[c];
    for (int c = 0; c < 3; c++) {
        result.translation[c] = a->translation[c] + fraction * (b->translation[c] - a->translation[c]);
        result.scale[c] = a->scale[c] + fraction * (b->scale[c] - a->scale[c]);
    }
    for (int c = 0; c < 4; c++)
        result.rotation[c] = (1 - fraction) * a->rotation[c] + fraction * (dot < 0 ? -1 : 1) * b->rotation[c];
    poses_normalise(result.rotation);
    return result;
}

Test(interpolate, agrees_with_double_precision) {
    cr_assert_eq(pm_interpolate_run(&f.job, 0, INSTANCES), 0);
    double vector = 0, angle = 0;
    for (uint32_t i = 0; i < INSTANCES; i++)
        for (uint32_t joint = 0; joint < BLOCKS * PM_BLOCK_LANES; joint++) {
            poses_joint a = poses_get(f.from.poses[i], joint), b = poses_get(f.to.poses[i], joint);
            poses_joint expected = between(&a, &b, (double)f.fractions[i]);
            poses_compare(&expected, f.shown.poses[i], joint, &vector, &angle);
        }
    for (uint32_t i = 0; i < INSTANCES; i++)
        for (uint32_t s = 0; s < PM_BLOCK_LANES; s++) {
            double a = (double)f.from.scalars[i][s], b = (double)f.to.scalars[i][s];
            double error = fabs((double)f.shown.scalars[i][s] - (a + (double)f.fractions[i] * (b - a)));
            vector = fmax(vector, error);
        }
    cr_assert_lt(vector, 4e-6); // translations up to 10, differences up to 20
    cr_assert_lt(angle, 2e-6);
}

Test(interpolate, every_kernel_equals_portable_bit_by_bit_stored_and_streamed) {
    pm_interpolate_run(&f.job, 0, INSTANCES);
    static memory expected;
    f.job.kernels = pm_kernels_find("portable");
    pm_interpolate_run(&f.job, 0, INSTANCES);
    expected = f.shown;
    for (uint32_t k = 0; pm_kernels_at(k); k++)
        for (int streaming = PM_STREAMING_AUTO; streaming <= PM_STREAMING_OFF; streaming++) {
            memset(&f.shown, 0xcd, sizeof f.shown);
            f.job.kernels = pm_kernels_at(k);
            f.job.streaming = (pm_streaming)streaming;
            pm_interpolate_run(&f.job, 0, INSTANCES);
            cr_assert_arr_eq(&f.shown, &expected, sizeof expected, "%s", pm_kernels_name(f.job.kernels));
        }
}

Test(interpolate, any_cut_of_the_range_an_order_and_offsets_give_the_same_bits) {
    static memory expected;
    pm_interpolate_run(&f.job, 0, INSTANCES);
    expected = f.shown;
    memset(&f.shown, 0xcd, sizeof f.shown);
    uint32_t order[INSTANCES];
    size_t offsets[INSTANCES], scalar_offsets[INSTANCES];
    for (uint32_t i = 0; i < INSTANCES; i++) {
        order[i] = i * 8 % INSTANCES;
        offsets[i] = i * sizeof f.from.poses[0];
        scalar_offsets[i] = i * sizeof f.from.scalars[0];
    }
    f.job.order = order;
    f.job.order_count = INSTANCES;
    f.job.from.pose_offsets = f.job.to.pose_offsets = f.job.pose_offsets = offsets;
    f.job.from.scalar_offsets = f.job.to.scalar_offsets = f.job.scalar_offsets = scalar_offsets;
    f.job.from.pose_stride = f.job.to.pose_stride = f.job.pose_stride = 1; // not looked at
    cr_assert_null(pm_interpolate_validate(&f.job));
    for (uint32_t i = INSTANCES; i-- > 0;) pm_interpolate_run(&f.job, i, i + 1);
    cr_assert_arr_eq(&f.shown, &expected, sizeof expected);
}

Test(interpolate, the_ends_are_the_two_poses_to_the_bit) {
    f.from.poses[3][0].translation[0][0] = -0.0f;
    f.to.poses[4][0].scale[0][0] = -0.0f;
    f.job.fractions = NULL;
    const float starts[] = {0, -0.0f, -1, -INFINITY, NAN}, ends[] = {1, 1.5f, INFINITY};
    for (int i = 0; i < 5; i++) {
        f.job.fraction = starts[i];
        cr_assert_eq(pm_interpolate_run(&f.job, 0, INSTANCES), 0);
        cr_assert_arr_eq(&f.shown, &f.from, sizeof f.from);
    }
    for (int i = 0; i < 3; i++) {
        f.job.fraction = ends[i];
        cr_assert_eq(pm_interpolate_run(&f.job, 0, INSTANCES), 0);
        cr_assert_arr_eq(&f.shown, &f.to, sizeof f.to);
    }
}

Test(interpolate, takes_the_short_way_and_q_and_minus_q_give_q) {
    // 350 degrees apart as quaternions of opposite signs: the middle is 5 degrees from either.
    double half = acos(-1) / 180;
    pm_transform a = {{0}, {0, 0, 0, 1}, {1, 1, 1}}, b = a, minus = a;
    b.rotation[2] = (float)-sin(5 * half);
    b.rotation[3] = (float)-cos(5 * half);
    minus.rotation[3] = -1;
    pm_pose_set_joint(f.from.poses[0], 0, &a);
    pm_pose_set_joint(f.to.poses[0], 0, &b);
    pm_pose_set_joint(f.from.poses[0], 1, &a);
    pm_pose_set_joint(f.to.poses[0], 1, &minus);
    f.job.fractions = NULL;
    f.job.fraction = 0.5f;
    pm_interpolate_run(&f.job, 0, 1);
    double expected[4] = {0, 0, sin(2.5 * half), cos(2.5 * half)};
    cr_assert_lt(reference_rotation_error(expected, pm_pose_get_joint(f.shown.poses[0], 0).rotation), 1e-6);
    pm_transform same = pm_pose_get_joint(f.shown.poses[0], 1);
    cr_assert_arr_eq(same.rotation, a.rotation, sizeof a.rotation);
}

Test(interpolate, may_write_over_either_source) {
    static memory expected;
    pm_interpolate_run(&f.job, 0, INSTANCES);
    expected = f.shown;
    f.shown = f.to;
    point(&f.job.to, &f.shown);
    f.job.streaming = PM_STREAMING_OFF;
    pm_interpolate_run(&f.job, 0, INSTANCES);
    cr_assert_arr_eq(&f.shown, &expected, sizeof expected);
}

Test(interpolate, no_nan_leaves_and_guarded_lanes_are_counted) {
    f.from.poses[2][1].translation[1][3] = NAN;
    f.to.poses[2][1].scale[2][4] = INFINITY;
    f.from.poses[2][0].rotation[0][5] = NAN;
    f.to.scalars[2][7] = -INFINITY;
    for (int c = 0; c < 4; c++) f.from.poses[2][0].rotation[c][6] = f.to.poses[2][0].rotation[c][6] = 0;
    f.from.poses[2][0].scale[0][9] = 2.9e38f;
    f.to.poses[2][0].scale[0][9] = -2.9e38f; // their difference is infinite
    f.job.fractions = NULL;
    for (uint32_t k = 0; pm_kernels_at(k); k++)
        for (int step = 0; step <= 4; step++) {
            f.job.kernels = pm_kernels_at(k);
            f.job.fraction = (float)step / 4;
            uint64_t guarded = pm_interpolate_run(&f.job, 0, INSTANCES);
            const float *values = (const float *)&f.shown;
            for (size_t i = 0; i < sizeof f.shown / sizeof(float); i++) cr_assert(isfinite(values[i]));
            // At an end only that end's faults matter.
            cr_assert_eq(guarded, step == 0 ? 3 : step == 4 ? 3 : 6);
            if (step == 2) {
                cr_assert_eq(f.shown.poses[2][1].translation[1][3], 0);
                cr_assert_eq(f.shown.poses[2][1].scale[2][4], 1);
                cr_assert_eq(f.shown.poses[2][0].rotation[3][5], 1);
                cr_assert_eq(f.shown.poses[2][0].rotation[3][6], 1);
                cr_assert_eq(f.shown.scalars[2][7], 0);
            }
        }
}

Test(interpolate, a_stride_of_0_reads_one_pose_for_all) {
    f.job.from.pose_stride = 0;
    f.job.from.scalar_stride = 0;
    f.job.fractions = NULL;
    f.job.fraction = 0;
    cr_assert_null(pm_interpolate_validate(&f.job));
    pm_interpolate_run(&f.job, 0, INSTANCES);
    for (uint32_t i = 0; i < INSTANCES; i++)
        cr_assert_arr_eq(f.shown.poses[i], f.from.poses[0], sizeof f.from.poses[0]);
}

Test(interpolate, a_host_that_flushes_or_rounds_another_way_gets_the_same_bits_and_its_mode_back) {
    static memory expected;
    pm_interpolate_run(&f.job, 0, INSTANCES);
    expected = f.shown;
    for (uint32_t k = 0; pm_kernels_at(k); k++) {
        f.job.kernels = pm_kernels_at(k);
        fesetround(FE_TOWARDZERO);
        pm_interpolate_run(&f.job, 0, INSTANCES);
        cr_assert_eq(fegetround(), FE_TOWARDZERO);
        fesetround(FE_TONEAREST);
        cr_assert_arr_eq(&f.shown, &expected, sizeof expected);
    }
}

enum { CROWD = 3, SWING_KEYS = 17 };

// A clip of 2 s that loops: a joint goes round a circle of radius 1 and swings by 1 radian, a scalar swings
// by 1, all once in 2 s. Keys are 1/8 s apart, with the motion's own tangents.
typedef struct swing {
    float times[SWING_KEYS], scalars[SWING_KEYS], scalar_tangents[SWING_KEYS];
    float translations[SWING_KEYS][3], translation_tangents[SWING_KEYS][3];
    float rotations[SWING_KEYS][4], rotation_tangents[SWING_KEYS][4];
    pm_channel channels[3];
    pm_clip_source source;
} swing;

static void make_swing(swing *s) {
    const double turn = acos(-1);
    for (int k = 0; k < SWING_KEYS; k++) {
        double at = k / 8.0, angle = k == SWING_KEYS - 1 ? 0 : turn * at;
        double value = sin(angle), speed = turn * cos(angle);
        s->times[k] = (float)at;
        s->scalars[k] = s->translations[k][0] = (float)value;
        s->scalar_tangents[k] = s->translation_tangents[k][0] = (float)speed;
        s->translations[k][1] = (float)cos(angle);
        s->translation_tangents[k][1] = (float)(-turn * value);
        s->rotations[k][2] = (float)sin(value / 2);
        s->rotations[k][3] = (float)cos(value / 2);
        s->rotation_tangents[k][2] = (float)(speed / 2 * cos(value / 2));
        s->rotation_tangents[k][3] = (float)(-speed / 2 * sin(value / 2));
    }
    float *values[] = {s->translations[0], s->rotations[0], s->scalars};
    float *tangents[] = {s->translation_tangents[0], s->rotation_tangents[0], s->scalar_tangents};
    const pm_path paths[] = {PM_PATH_TRANSLATION, PM_PATH_ROTATION, PM_PATH_SCALAR};
    for (int i = 0; i < 3; i++)
        s->channels[i] = rig_channel(paths[i], PM_INTERPOLATION_CUBIC, 0, SWING_KEYS, s->times, values[i],
                                     tangents[i], tangents[i]);
    s->source = rig_source(s->channels, 3);
}

// One character in what a renderer shows.
typedef struct shown_pose {
    _Alignas(64) pm_pose_block poses[1];
    _Alignas(64) float scalars[PM_BLOCK_LANES];
} shown_pose;

typedef struct simulation {
    pm_playback playbacks[CROWD];
    uint32_t clip_index[CROWD];
    float time_seconds[CROWD];
    pm_playback_job playback;
    pm_sample_job sample;
    shown_pose ticks[2][CROWD]; // even ones and odd ones
} simulation;

static void start_simulation(simulation *s, const pm_clip *const *clip, double tick_seconds) {
    for (uint32_t i = 0; i < CROWD; i++)
        s->playbacks[i] = (pm_playback){.base_seconds = 0.7 * i, .rate = 1, .mode = PM_LOOP_REPEAT};
    s->playback = pm_default_playback_job();
    s->playback.tick_seconds = tick_seconds;
    s->sample = pm_default_sample_job();
    s->sample.kernels = pm_kernels_best();
    s->playback.clips = s->sample.clips = clip;
    s->playback.clip_count = s->sample.clip_count = 1;
    s->playback.instance_count = s->sample.instance_count = CROWD;
    s->playback.clip_index = s->sample.clip_index = s->clip_index;
    s->playback.playbacks = s->playbacks;
    s->playback.time_seconds = s->time_seconds;
    s->sample.time_seconds = s->time_seconds;
    s->sample.pose_stride = s->sample.scalar_stride = sizeof(shown_pose);
}

static void simulate(simulation *s, int64_t tick) {
    s->playback.tick = tick;
    s->sample.poses = s->ticks[tick & 1][0].poses;
    s->sample.scalars = s->ticks[tick & 1][0].scalars;
    cr_assert_null(pm_playback_validate(&s->playback));
    cr_assert_null(pm_sample_validate(&s->sample));
    pm_playback_run(&s->playback, 0, CROWD);
    cr_assert_eq(pm_sample_run(&s->sample, 0, CROWD), 0);
}

// The last tick's pose to this tick's.
static void show(const simulation *s, const pm_clock_step *step, shown_pose *shown) {
    const shown_pose *from = s->ticks[~step->tick & 1], *to = s->ticks[step->tick & 1];
    pm_interpolate_job job = pm_default_interpolate_job();
    job.kernels = pm_kernels_best();
    job.instance_count = CROWD;
    job.block_count = job.scalar_block_count = 1;
    job.from = (pm_pose_source){from->poses, sizeof *from, NULL, from->scalars, sizeof *from, NULL};
    job.to = (pm_pose_source){to->poses, sizeof *to, NULL, to->scalars, sizeof *to, NULL};
    job.fraction = step->fraction;
    job.poses = shown->poses;
    job.scalars = shown->scalars;
    job.pose_stride = job.scalar_stride = sizeof *shown;
    cr_assert_null(pm_interpolate_validate(&job));
    cr_assert_eq(pm_interpolate_run(&job, 0, CROWD), 0);
}

Test(interpolate, a_renderer_at_144_hz_shows_a_simulation_at_30_one_tick_late_without_jumps) {
    static swing motion;
    static simulation sim;
    static shown_pose shown[CROWD], before[CROWD];
    make_swing(&motion);
    pm_skeleton *skeleton = rig_skeleton(1, 1);
    pm_clip *clip = rig_compile(motion.channels, 3, skeleton, NULL);
    reference *exact = reference_create(&motion.source, skeleton);
    const uint64_t start_ns = 30 * UINT64_C(86400) * 1000000000 + 123456789; // up for 30 days
    pm_clock clock;
    cr_assert(pm_clock_start(&clock, 30, 1, start_ns));
    double tick_seconds = pm_clock_tick_seconds(&clock);
    start_simulation(&sim, (const pm_clip *const[]){clip}, tick_seconds);
    simulate(&sim, -1); // waits at the start
    simulate(&sim, 0);

    double error = 0, step_length = 0;
    for (uint64_t frame = 0; frame < 6 * 144; frame++) {
        uint64_t now_ns = start_ns + frame * 1000000000 / 144;
        pm_clock_step step = pm_clock_advance(&clock, now_ns);
        for (int64_t i = 1; i <= step.tick_count; i++) simulate(&sim, step.tick - step.tick_count + i);
        show(&sim, &step, shown);
        double seconds = fmax(0, (double)(now_ns - start_ns) * 1e-9 - tick_seconds);
        for (uint32_t i = 0; i < CROWD; i++) {
            double clip_seconds = fmod(0.7 * i + seconds, 2), scalar = (double)shown[i].scalars[0];
            reference_transform at = reference_joint(exact, 0, clip_seconds);
            poses_joint expected, last = poses_get(before[i].poses, 0);
            memcpy(expected.translation, at.translation.value, sizeof expected.translation);
            memcpy(expected.rotation, at.rotation.value, sizeof expected.rotation);
            memcpy(expected.scale, at.scale.value, sizeof expected.scale);
            poses_compare(&expected, shown[i].poses, 0, &error, &error);
            error = fmax(error, fabs(scalar - reference_scalar(exact, 0, clip_seconds).value[0]));
            if (!frame) continue;
            poses_compare(&last, shown[i].poses, 0, &step_length, &step_length);
            step_length = fmax(step_length, fabs(scalar - (double)before[i].scalars[0]));
        }
        memcpy(before, shown, sizeof shown);
    }
    cr_assert_eq(clock.tick, 179);

    // A chord is off its curve by at most h^2 / 8 times the acceleration, which of these motions is pi^2, in
    // metres or radians, and of splines through keys as dense as theirs up to 5 in 100 more. It gets there in
    // the middle of ticks. Nothing is faster than pi, so that far a frame goes at most.
    double half_turn = acos(-1), sagitta = tick_seconds * tick_seconds / 8 * half_turn * half_turn;
    cr_assert_lt(error, 1.05 * sagitta);
    cr_assert_gt(error, 0.9 * sagitta);
    cr_assert_lt(step_length, 1.05 * half_turn / 144);
    cr_assert_gt(step_length, 0.9 * half_turn / 144);
    reference_destroy(exact);
    pm_clip_destroy(clip, NULL);
    pm_skeleton_destroy(skeleton);
}

#define INVALID(change, word)                                                                                \
    do {                                                                                                     \
        pm_interpolate_job job = f.job;                                                                      \
        change;                                                                                              \
        const char *fault = pm_interpolate_validate(&job);                                                   \
        cr_assert(fault &&strstr(fault, word), "\"%s\" does not say \"%s\"", fault ? fault : "valid", word); \
    } while (0)

Test(interpolate, every_way_to_be_invalid_has_its_reason) {
    cr_assert(strstr(pm_interpolate_validate(NULL), "the job is NULL"));
    INVALID(job.cookie = 0, "pm_default_interpolate_job");
    INVALID(job.kernels = NULL, "kernels is NULL");
    INVALID(job.streaming = (pm_streaming)3, "streaming");
    INVALID((job.poses = NULL, job.scalars = NULL), "nothing would be written");
    INVALID(job.fraction_stride = 3, "fractions or its stride");
    INVALID(job.order_count = 1, "order is NULL");
    INVALID(job.block_count = 0, "block_count is 0");
    INVALID(job.scalar_block_count = 0, "scalar_block_count is 0");
    INVALID(job.from.poses = NULL, "from.poses is NULL");
    INVALID(job.to.poses = NULL, "to.poses is NULL");
    INVALID(job.from.scalars = NULL, "from.scalars is NULL");
    INVALID(job.to.scalars = NULL, "to.scalars is NULL");
    INVALID(job.from.pose_stride = 32, "from.poses or its stride");
    INVALID(job.to.pose_stride = 32, "to.poses or its stride");
    INVALID(job.pose_stride = 32, "poses or its stride");
    INVALID(job.pose_stride = 640, "pose_stride is below");
    INVALID(job.from.scalar_stride = 32, "from.scalars or its stride");
    INVALID(job.to.scalar_stride = 32, "to.scalars or its stride");
    INVALID(job.scalar_stride = 32, "scalars or its stride");
    INVALID(job.scalar_stride = 0, "scalar_stride is below");
}
