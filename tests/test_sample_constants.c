// Constants that are written only when an instance's clip changes.
#include "support/rig.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 40, BLOCKS = 3, SCALARS = 20, SCALAR_BLOCKS = 2, INSTANCES = 70, CLIPS = 3, TICKS = 24 };

typedef struct crowd {
    _Alignas(64) pm_pose_block poses[INSTANCES][BLOCKS];
    _Alignas(64) float scalars[INSTANCES][SCALAR_BLOCKS * PM_BLOCK_LANES];
} crowd;

static pm_skeleton *skeleton;
static pm_clip *clips[CLIPS];
static crowd kept, fresh; // with constants_clip, and without
static uint32_t clip_index[INSTANCES], constants_clip[INSTANCES], order[INSTANCES];
static float times[INSTANCES];
static pm_sample_job job;

// 0: rotations of all joints move (and a third scalar), 1: a translation and two rotations on timelines of
// their own, 2: nothing at all.
static void make_clips(void) {
    static const float two[] = {0, 1}, three[] = {0.1f, 0.5f, 0.9f}, numbers[] = {0, 1, 0.5f};
    static const float vectors[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    static const float turns[] = {0, 0, 0, 1, 0, 0.6f, 0, 0.8f, 0.6f, 0, 0, 0.8f};
    pm_channel channels[JOINTS + 1];
    for (uint32_t i = 0; i < JOINTS; i++)
        channels[i] = rig_channel(PM_PATH_ROTATION, PM_INTERPOLATION_LINEAR, i, 2, two, turns, NULL, NULL);
    channels[JOINTS] = rig_channel(PM_PATH_SCALAR, PM_INTERPOLATION_LINEAR, 2, 3, three, numbers, NULL, NULL);
    clips[0] = rig_compile(channels, JOINTS + 1, skeleton, NULL);
    channels[0] = rig_channel(PM_PATH_TRANSLATION, PM_INTERPOLATION_STEP, 18, 3, three, vectors, NULL, NULL);
    channels[1] = rig_channel(PM_PATH_ROTATION, PM_INTERPOLATION_LINEAR, 18, 2, two, turns, NULL, NULL);
    channels[2] = rig_channel(PM_PATH_ROTATION, PM_INTERPOLATION_LINEAR, 19, 3, three, turns, NULL, NULL);
    pm_clip_source source = rig_source(channels, 3);
    pm_compile_options options = pm_default_compile_options();
    options.merge_growth_limit = 0;
    cr_assert_eq(pm_clip_compile(&source, skeleton, &options, NULL, &clips[1], NULL), PM_OK);
    clips[2] = rig_compile(channels, 0, skeleton, NULL);
}

static void make(void) {
    skeleton = rig_skeleton(JOINTS, SCALARS);
    make_clips();
    job = pm_default_sample_job();
    job.kernels = pm_kernels_best();
    job.clips = (const pm_clip *const *)clips;
    job.clip_count = CLIPS;
    job.instance_count = job.order_count = INSTANCES;
    job.clip_index = clip_index;
    job.time_seconds = times;
    job.order = order;
    job.pose_stride = sizeof kept.poses[0];
    job.scalar_stride = sizeof kept.scalars[0];
}

static void drop(void) {
    for (int i = 0; i < CLIPS; i++) pm_clip_destroy(clips[i], NULL);
    pm_skeleton_destroy(skeleton);
}

TestSuite(sample_constants, .init = make, .fini = drop);

static uint64_t run(crowd *output, uint32_t *constants, uint32_t split) {
    job.poses = output->poses[0];
    job.scalars = output->scalars[0];
    job.constants_clip = constants;
    cr_assert_null(pm_sample_validate(&job));
    uint64_t guarded = pm_sample_run(&job, 0, split);
    return guarded + pm_sample_run(&job, split, INSTANCES);
}

static void forget(void) {
    memset(constants_clip, 0, sizeof constants_clip);
}

// Some change their clip, some lose their time, some play no clip for a while.
static void advance(rig_random *random) {
    for (uint32_t i = 0; i < INSTANCES; i++) {
        uint32_t chance = rig_random_below(random, 12);
        if (chance == 0) clip_index[i] = rig_random_below(random, CLIPS);
        if (chance == 1) clip_index[i] = CLIPS;
        times[i] = chance == 2 ? NAN : rig_random_between(random, -0.2f, 1.2f);
    }
    pm_sample_job by_clip = job;
    void *scratch = malloc(pm_order_scratch_size(INSTANCES, CLIPS));
    cr_assert(scratch);
    job.order_count = pm_order_by_clip_and_time(&by_clip, NULL, INSTANCES, false, order, scratch);
    free(scratch);
    // Those that play none are in the list, too, anywhere.
    for (uint32_t i = 0; i < INSTANCES; i++) {
        if (clip_index[i] != CLIPS) continue;
        uint32_t at = rig_random_below(random, job.order_count + 1);
        memmove(order + at + 1, order + at, (job.order_count - at) * sizeof *order);
        order[at] = i;
        job.order_count++;
    }
    cr_assert_eq(job.order_count, INSTANCES);
}

Test(sample_constants, poses_are_the_same_whatever_happens) {
    for (uint32_t k = 0; pm_kernels_at(k); k++)
        for (uint32_t limit = 1; limit <= BLOCKS; limit++) {
            rig_random random = {k * 10 + limit};
            job.kernels = pm_kernels_at(k);
            job.block_limit = limit;
            job.streaming = limit % 2 ? PM_STREAMING_ON : PM_STREAMING_OFF;
            forget();
            memset(&kept, 0, sizeof kept);
            memset(&fresh, 0, sizeof fresh);
            for (uint32_t tick = 0; tick < TICKS; tick++) {
                advance(&random);
                cr_assert_eq(run(&kept, constants_clip, tick), run(&fresh, NULL, 0));
                cr_assert_eq(memcmp(&kept, &fresh, sizeof kept), 0, "%s, %u blocks, tick %u",
                             pm_kernels_name(job.kernels), limit, tick);
            }
        }
}

Test(sample_constants, are_not_written_while_the_clip_stays) {
    for (uint32_t i = 0; i < INSTANCES; i++) order[i] = i, times[i] = 0.4f;
    forget();
    run(&kept, constants_clip, 0);
    for (uint32_t i = 0; i < INSTANCES; i++) cr_assert_eq(constants_clip[i], 1);
    fresh = kept;
    // The clip's scale never moves; its rotations do.
    kept.poses[7][1].scale[0][3] = 77;
    kept.poses[7][1].rotation[0][3] = 77;
    kept.scalars[7][19] = 77;
    run(&kept, constants_clip, 0);
    cr_assert_eq(kept.poses[7][1].scale[0][3], 77);
    cr_assert_eq(kept.scalars[7][19], 77);
    cr_assert_neq(kept.poses[7][1].rotation[0][3], 77);
    constants_clip[7] = 0;
    run(&kept, constants_clip, 0);
    cr_assert_eq(memcmp(&kept, &fresh, sizeof kept), 0);
}

Test(sample_constants, blocks_beyond_the_limit_rest_and_stay) {
    for (uint32_t i = 0; i < INSTANCES; i++) order[i] = i, times[i] = 0.4f;
    forget();
    job.block_limit = 1;
    run(&kept, constants_clip, 0);
    cr_assert_arr_eq(&kept.poses[7][2], skeleton->rest + 2, sizeof kept.poses[7][2]);
    kept.poses[7][2].rotation[0][3] = 77;
    run(&kept, constants_clip, 0);
    cr_assert_eq(kept.poses[7][2].rotation[0][3], 77);
}

Test(sample_constants, an_instance_at_rest_holds_no_clip) {
    for (uint32_t i = 0; i < INSTANCES; i++) order[i] = i, times[i] = 0.4f;
    forget();
    times[3] = NAN;
    cr_assert_eq(run(&kept, constants_clip, 0), 3 * JOINTS + SCALARS);
    cr_assert_eq(constants_clip[2], 1);
    cr_assert_eq(constants_clip[3], 0);
}

Test(sample_constants, job_refuses_what_cannot_hold_them) {
    job.poses = kept.poses[0];
    job.constants_clip = (uint32_t *)((char *)constants_clip + 2);
    cr_assert_str_eq(pm_sample_validate(&job), "constants_clip or its stride is not a multiple of 4 bytes");
    job.constants_clip = constants_clip;
    job.constants_clip_stride = 6;
    cr_assert_str_eq(pm_sample_validate(&job), "constants_clip or its stride is not a multiple of 4 bytes");
    job.constants_clip_stride = 0;
    cr_assert_str_eq(pm_sample_validate(&job),
                     "constants_clip_stride is 0: instances would share an element");
    job.constants_clip_stride = 4;
    cr_assert_null(pm_sample_validate(&job));
}
