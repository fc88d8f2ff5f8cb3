// Joint level of detail: the sample job evaluates the first blocks only.
#include "support/scenario.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { INSTANCES = 9, BLOCKS = 3, JOINTS = 40 };

typedef struct poses {
    _Alignas(64) pm_pose_block blocks[INSTANCES][BLOCKS];
} poses;

static scenario *s;
static pm_sample_job job;
static float times[INSTANCES];
static poses full, limited;

static void make(void) {
    scenario_options options = {
        .seed = 5, .joint_count = JOINTS, .modes = SCENARIO_ALL_MODES, .most_keys = 9};
    s = scenario_create(&options);
    static const uint32_t clip_index = 0;
    for (int i = 0; i < INSTANCES; i++) times[i] = 0.3f * (float)i;
    times[4] = NAN;
    job = pm_default_sample_job();
    job.kernels = pm_kernels_best();
    job.clips = (const pm_clip *const *)&s->clip;
    job.clip_count = 1;
    job.instance_count = INSTANCES;
    job.clip_index = &clip_index;
    job.clip_index_stride = 0;
    job.time_seconds = times;
    job.poses = full.blocks[0];
    job.pose_stride = sizeof full.blocks[0];
    cr_assert_eq(pm_sample_run(&job, 0, INSTANCES), 3 * JOINTS);
    memset(&limited, 0xcd, sizeof limited);
    job.poses = limited.blocks[0];
}

static void drop(void) {
    scenario_destroy(s);
}

TestSuite(level_of_detail, .init = make, .fini = drop);

Test(level_of_detail, the_first_blocks_are_as_ever_and_the_rest_is_at_rest) {
    for (uint32_t k = 0; pm_kernels_at(k); k++)
        for (uint32_t limit = 0; limit <= BLOCKS + 1; limit++) {
            job.kernels = pm_kernels_at(k);
            job.block_limit = limit;
            job.streaming = k % 2 ? PM_STREAMING_ON : PM_STREAMING_OFF;
            cr_assert_null(pm_sample_validate(&job));
            uint64_t guarded = pm_sample_run(&job, 0, INSTANCES);
            cr_assert_eq(guarded, 3 * (limit < BLOCKS ? limit * PM_BLOCK_LANES : JOINTS));
            for (uint32_t i = 0; i < INSTANCES; i++)
                for (uint32_t block = 0; block < BLOCKS; block++) {
                    const pm_pose_block *expected =
                        block < limit ? &full.blocks[i][block] : s->skeleton->rest + block;
                    cr_assert_arr_eq(&limited.blocks[i][block], expected, sizeof *expected);
                }
        }
}

Test(level_of_detail, the_rest_keeps_the_last_pose_when_asked_to) {
    static poses before;
    before = limited;
    job.beyond = PM_BEYOND_KEEP;
    job.block_limit = 1;
    cr_assert_eq(pm_sample_run(&job, 0, INSTANCES), 3 * PM_BLOCK_LANES);
    for (uint32_t i = 0; i < INSTANCES; i++) {
        cr_assert_arr_eq(&limited.blocks[i][0], &full.blocks[i][0], sizeof full.blocks[i][0]);
        cr_assert_arr_eq(&limited.blocks[i][1], &before.blocks[i][1], 2 * sizeof(pm_pose_block));
    }
}

Test(level_of_detail, poses_that_are_kept_need_no_room_for_the_rest) {
    job.block_limit = 2;
    job.pose_stride = 2 * sizeof(pm_pose_block);
    cr_assert(strstr(pm_sample_validate(&job), "pose_stride is below"));
    job.beyond = PM_BEYOND_KEEP;
    cr_assert_null(pm_sample_validate(&job));
    pm_sample_run(&job, 0, INSTANCES);
    for (uint32_t i = 0; i < INSTANCES; i++)
        cr_assert_arr_eq(limited.blocks[0] + 2 * i, full.blocks[i], 2 * sizeof(pm_pose_block));
}

Test(level_of_detail, an_unknown_choice_for_the_rest_is_refused) {
    job.beyond = (pm_beyond)2;
    cr_assert(strstr(pm_sample_validate(&job), "beyond"));
}
