// Every kernel against the portable one, bit by bit, and the portable one against the reference.
#include "support/scenario.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What rounding to float may cost, relative to keys and to tangents times duration.
#define VECTOR_BOUND 1e-6
// In radians.
#define LINEAR_ROTATION_BOUND 1e-6
#define CUBIC_ROTATION_BOUND  2e-6

// NaN last.
static int compare_times(const void *a, const void *b) {
    const float *x = a, *y = b;
    if (isnan(*x) || isnan(*y)) return (isnan(*x) != 0) - (isnan(*y) != 0);
    return (*x > *y) - (*x < *y);
}

// That many instances at once, at all times, get what each gets alone.
static void check_together(const scenario *s, const pm_kernels *kernels, const float *times) {
    pm_clip_info info = pm_clip_get_info(s->clip);
    const uint32_t clip_index = 0, count = s->time_count;
    const size_t scalars = (size_t)info.scalar_block_count * PM_BLOCK_LANES;
    pm_sample_job job = pm_default_sample_job();
    job.kernels = kernels;
    job.clips = (const pm_clip *const *)&s->clip, job.clip_count = 1;
    job.clip_index = &clip_index, job.clip_index_stride = 0;
    job.instance_count = count, job.time_seconds = times;
    job.pose_stride = info.block_count * sizeof(pm_pose_block), job.scalar_stride = scalars * sizeof(float);
    job.poses = aligned_alloc(PM_ALIGNMENT, (count + 1) * job.pose_stride + PM_ALIGNMENT);
    job.scalars = aligned_alloc(PM_ALIGNMENT, (count + 1) * job.scalar_stride + PM_ALIGNMENT);
    cr_assert(job.poses && job.scalars);
    cr_assert_null(pm_sample_validate(&job));
    uint64_t guarded = pm_sample_run(&job, 0, count);
    for (uint32_t i = 0; i < count; i++) {
        static rig_pose alone;
        rig_sample(s->clip, kernels, times[i], &alone);
        guarded -= alone.guarded_count;
        cr_assert_eq(memcmp(job.poses + (size_t)i * info.block_count, alone.blocks, job.pose_stride), 0,
                     "%s, time %.9g", pm_kernels_name(kernels), (double)times[i]);
        cr_assert_eq(memcmp(job.scalars + i * scalars, alone.scalars, job.scalar_stride), 0, "%s, time %.9g",
                     pm_kernels_name(kernels), (double)times[i]);
    }
    cr_assert_eq(guarded, 0);
    free(job.poses);
    free(job.scalars);
}

// Tracks with packed keys that a test has met, by mode.
static uint32_t packed_counts[PM_TRACK_MODE_COUNT];

static void count_packed(const pm_clip *clip) {
    for (uint32_t i = 0; i < pm_clip_get_info(clip).track_count; i++) {
        pm_track_info track = pm_clip_get_track(clip, i);
        if (track.key_bits == 16) packed_counts[track.mode]++;
    }
}

static void check(const scenario_options *options, scenario_error *worst) {
    scenario *s = scenario_create(options);
    count_packed(s->clip);
    for (uint32_t i = 0; i < s->time_count; i++) {
        static rig_pose portable, other;
        rig_sample(s->clip, pm_kernels_at(0), s->times[i], &portable);
        if (!options->packed) scenario_compare(s, &portable, s->times[i], worst);
        for (uint32_t k = 1; pm_kernels_at(k); k++) {
            const pm_kernels *kernels = pm_kernels_at(k);
            rig_sample(s->clip, kernels, s->times[i], &other);
            cr_assert_arr_eq(other.blocks, portable.blocks, sizeof other.blocks, "%s, time %.9g",
                             pm_kernels_name(kernels), (double)s->times[i]);
            cr_assert_arr_eq(other.scalars, portable.scalars, sizeof other.scalars, "%s, time %.9g",
                             pm_kernels_name(kernels), (double)s->times[i]);
            cr_assert_eq(other.guarded_count, portable.guarded_count);
        }
    }
    // As they come, and as an order has them: most lanes stay where they are, some go on, one at a time.
    float *ordered = malloc(s->time_count * sizeof *ordered);
    cr_assert(ordered);
    for (uint32_t i = 0; i < s->time_count; i++) ordered[i] = s->times[i];
    qsort(ordered, s->time_count, sizeof *ordered, compare_times);
    for (uint32_t k = 0; pm_kernels_at(k); k++) {
        check_together(s, pm_kernels_at(k), s->times);
        check_together(s, pm_kernels_at(k), ordered);
    }
    free(ordered);
    scenario_destroy(s);
}

static void expect_within_bounds(const scenario_error *worst) {
    if (getenv("POSEMILL_TEST_VERBOSE"))
        printf("vector %.2g, linear rotation %.2g, cubic rotation %.2g\n", worst->vector,
               worst->linear_rotation, worst->cubic_rotation);
    cr_assert_lt(worst->vector, VECTOR_BOUND, "%g", worst->vector);
    cr_assert_lt(worst->linear_rotation, LINEAR_ROTATION_BOUND, "%g", worst->linear_rotation);
    cr_assert_lt(worst->cubic_rotation, CUBIC_ROTATION_BOUND, "%g", worst->cubic_rotation);
}

// Mixed wherever timelines differ, as by default, merged everywhere.
static const float merge_growth_limits[] = {0, PM_MERGE_GROWTH_LIMIT, INFINITY};

// One joint to five blocks with all tails of the first two, in each layout.
static void check_joint_counts(scenario_options options) {
    scenario_error worst = {0};
    for (uint32_t joint_count = 1; joint_count <= 65;
         joint_count += joint_count < 33 || joint_count > 62 ? 1 : 10) {
        options.seed = 1000 + joint_count;
        options.joint_count = joint_count;
        options.scalar_count = joint_count % 37;
        for (uint32_t i = joint_count % RIG_EVERY % 3; i < 3; i += RIG_EVERY) {
            options.merge_growth_limit = merge_growth_limits[i];
            check(&options, &worst);
        }
    }
    expect_within_bounds(&worst);
}

Test(sample_kernels, step) {
    check_joint_counts((scenario_options){.modes = SCENARIO_STEP, .most_keys = 8, .timelines = 1});
}

Test(sample_kernels, linear) {
    check_joint_counts((scenario_options){.modes = SCENARIO_LINEAR, .most_keys = 8, .timelines = 1});
}

Test(sample_kernels, cubic) {
    check_joint_counts((scenario_options){.modes = SCENARIO_CUBIC, .most_keys = 8, .timelines = 1});
}

Test(sample_kernels, all_modes_in_one_block) {
    check_joint_counts((scenario_options){.modes = SCENARIO_ALL_MODES, .most_keys = 8, .timelines = 1});
}

Test(sample_kernels, linear_beside_cubic) {
    check_joint_counts(
        (scenario_options){.modes = SCENARIO_LINEAR | SCENARIO_CUBIC, .most_keys = 8, .timelines = 1});
}

Test(sample_kernels, step_beside_linear) {
    check_joint_counts(
        (scenario_options){.modes = SCENARIO_STEP | SCENARIO_LINEAR, .most_keys = 8, .timelines = 1});
}

Test(sample_kernels, two_timelines) {
    check_joint_counts((scenario_options){.modes = SCENARIO_ALL_MODES, .most_keys = 8, .timelines = 2});
}

Test(sample_kernels, every_channel_on_its_own_timeline) {
    check_joint_counts((scenario_options){.modes = SCENARIO_ALL_MODES, .most_keys = 6});
    check_joint_counts((scenario_options){.modes = SCENARIO_ALL_MODES, .most_keys = 40});
}

// Bundles have 4, 8 or 16 rows of times; from 16 keys on they are stored otherwise.
Test(sample_kernels, as_many_keys_as_rows_have_room_for_and_one_more) {
    static const uint32_t most_keys[] = {3, 4, 7, 8, 15, 16};
    for (size_t i = 0; i < sizeof most_keys / sizeof *most_keys; i++)
        check_joint_counts((scenario_options){.modes = SCENARIO_ALL_MODES, .most_keys = most_keys[i]});
}

// What packing costs in accuracy test_compile_packed says.
Test(sample_kernels, packed_keys) {
    scenario_options options = {.most_keys = 30, .timelines = 1, .packed = true};
    static const uint32_t modes[] = {SCENARIO_LINEAR, SCENARIO_CUBIC, SCENARIO_LINEAR | SCENARIO_CUBIC,
                                     SCENARIO_ALL_MODES};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        options.modes = modes[i];
        check_joint_counts(options);
    }
    cr_assert(packed_counts[PM_TRACK_LINEAR] > 50 && packed_counts[PM_TRACK_CUBIC] > 50,
              "%u linear, %u cubic", (unsigned)packed_counts[PM_TRACK_LINEAR],
              (unsigned)packed_counts[PM_TRACK_CUBIC]);
    options.timelines = 2, options.eased = options.cadence = true;
    check_joint_counts(options);
}

Test(sample_kernels, grids) {
    check_joint_counts(
        (scenario_options){.modes = SCENARIO_ALL_MODES, .most_keys = 40, .timelines = 2, .grid = true});
}

Test(sample_kernels, faulty_data) {
    check_joint_counts((scenario_options){.modes = SCENARIO_ALL_MODES, .most_keys = 8, .faulty = true});
    check_joint_counts(
        (scenario_options){.modes = SCENARIO_ALL_MODES, .most_keys = 8, .timelines = 3, .faulty = true});
}

Test(sample_kernels, easings) {
    check_joint_counts(
        (scenario_options){.modes = SCENARIO_ALL_MODES, .most_keys = 8, .timelines = 2, .eased = true});
    check_joint_counts((scenario_options){.modes = SCENARIO_ALL_MODES, .most_keys = 20, .eased = true});
}

Test(sample_kernels, cadences) {
    check_joint_counts(
        (scenario_options){.modes = SCENARIO_ALL_MODES, .most_keys = 8, .timelines = 2, .cadence = true});
    check_joint_counts((scenario_options){.modes = SCENARIO_ALL_MODES, .most_keys = 20, .cadence = true});
}

Test(sample_kernels, magnitudes_from_a_millionth_to_a_million) {
    check_joint_counts(
        (scenario_options){.modes = SCENARIO_ALL_MODES, .most_keys = 8, .timelines = 2, .wide_range = true});
}

Test(sample_kernels, many_random_clips) {
    scenario_error worst = {0};
    for (uint64_t seed = 1; seed <= 1000; seed += RIG_EVERY) {
        rig_random random = {seed * 0x9E3779B97F4A7C15u};
        scenario_options options = {.seed = seed,
                                    .joint_count = 1 + rig_random_below(&random, 40),
                                    .scalar_count = rig_random_below(&random, 20),
                                    .modes = 1 + rig_random_below(&random, 7),
                                    .most_keys = 2 + rig_random_below(&random, 30),
                                    .timelines = rig_random_below(&random, 5),
                                    .grid = rig_random_below(&random, 3) == 0,
                                    .faulty = rig_random_below(&random, 2),
                                    .wide_range = rig_random_below(&random, 4) == 0,
                                    .eased = rig_random_below(&random, 3) == 0,
                                    .cadence = rig_random_below(&random, 3) == 0,
                                    .merge_growth_limit = merge_growth_limits[rig_random_below(&random, 3)]};
        check(&options, &worst);
    }
    expect_within_bounds(&worst);
}

Test(sample_kernels, there_are_as_many_as_the_machine_runs) {
    cr_assert_str_eq(pm_kernels_name(pm_kernels_at(0)), "portable");
    const pm_kernels *last = NULL;
    for (uint32_t i = 0; pm_kernels_at(i); i++) {
        last = pm_kernels_at(i);
        cr_assert_eq(pm_kernels_find(pm_kernels_name(last)), last);
        for (uint32_t j = 0; j < i; j++)
            cr_assert_str_neq(pm_kernels_name(last), pm_kernels_name(pm_kernels_at(j)));
    }
    cr_assert_eq(pm_kernels_best(), last);
    cr_assert_null(pm_kernels_find("mmx"));
    cr_assert_null(pm_kernels_find(""));
}
