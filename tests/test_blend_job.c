// The blend job as a contract: how it can be invalid, how ranges, strides, orders and cursors may lie.
#include "support/layers.h"

#include <criterion/criterion.h>
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static layers *l;

static void make(void) {
    l = layers_create(PM_LAYERS_MAX);
}

static void drop(void) {
    layers_destroy(l);
}

TestSuite(blend_job, .init = make, .fini = drop);

Test(blend_job, every_kernel_equals_portable_bit_by_bit_stored_and_streamed) {
    static layers_output expected;
    l->job.kernels = pm_kernels_find("portable");
    uint64_t guarded = layers_run(l);
    expected = l->output;
    for (uint32_t k = 0; pm_kernels_at(k); k++)
        for (int streaming = PM_STREAMING_AUTO; streaming <= PM_STREAMING_OFF; streaming++) {
            l->job.kernels = pm_kernels_at(k);
            l->job.streaming = (pm_streaming)streaming;
            cr_assert_eq(layers_run(l), guarded);
            cr_assert_arr_eq(&l->output, &expected, sizeof expected, "%s", pm_kernels_name(l->job.kernels));
        }
}

Test(blend_job, any_cut_of_the_range_gives_the_same_bits) {
    static layers_output expected;
    uint64_t guarded = layers_run(l);
    expected = l->output;
    for (uint32_t size = 1; size < LAYERS_INSTANCES; size += 6) {
        memset(&l->output, 0xcd, sizeof l->output);
        uint64_t sum = 0;
        for (uint32_t begin = 0; begin < LAYERS_INSTANCES; begin += size) {
            uint32_t end = begin + size < LAYERS_INSTANCES ? begin + size : LAYERS_INSTANCES;
            memset(l->scratch, 0xff, pm_blend_scratch_size(&l->job));
            sum += pm_blend_run(&l->job, begin, end, l->scratch);
        }
        cr_assert_eq(sum, guarded);
        cr_assert_arr_eq(&l->output, &expected, sizeof expected);
    }
}

Test(blend_job, an_order_and_offsets_give_the_same_bits_and_leave_the_others_alone) {
    static layers_output expected;
    layers_run(l);
    expected = l->output;
    uint32_t order[LAYERS_INSTANCES];
    size_t offsets[LAYERS_INSTANCES], scalar_offsets[LAYERS_INSTANCES];
    for (uint32_t i = 0; i < LAYERS_INSTANCES; i++) {
        order[i] = i * 37 % LAYERS_INSTANCES;
        offsets[i] = i * sizeof expected.poses[0];
        scalar_offsets[i] = i * sizeof expected.scalars[0];
    }
    l->job.order = order;
    l->job.order_count = LAYERS_INSTANCES - 1;
    l->job.pose_offsets = offsets;
    l->job.scalar_offsets = scalar_offsets;
    l->job.pose_stride = l->job.scalar_stride = 3; // not looked at
    layers_run(l);
    uint32_t left = order[LAYERS_INSTANCES - 1];
    memset(expected.poses[left], 0xcd, sizeof expected.poses[left]);
    memset(expected.scalars[left], 0xcd, sizeof expected.scalars[left]);
    cr_assert_arr_eq(&l->output, &expected, sizeof expected);
}

Test(blend_job, any_cursors_and_none_give_the_same_bits) {
    static layers_output expected;
    layers_run(l);
    expected = l->output;
    rig_random random = {4};
    for (int round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < LAYERS_INSTANCES; i++)
            for (uint32_t n = 0; n < PM_LAYERS_MAX; n++)
                for (uint32_t c = 0; c < LAYERS_CURSORS; c++)
                    l->cursors[i][n][c] = (uint16_t)rig_random_next(&random);
        layers_run(l);
        cr_assert_arr_eq(&l->output, &expected, sizeof expected);
    }
    l->job.cursors = NULL;
    layers_run(l);
    cr_assert_arr_eq(&l->output, &expected, sizeof expected);
}

Test(blend_job, cursors_are_remembered_for_each_layer) {
    for (uint32_t i = 0; i < LAYERS_INSTANCES; i++)
        for (uint32_t n = 0; n < PM_LAYERS_MAX; n++) {
            l->layers[i][n].clip = 0;
            l->layers[i][n].weight = n % 2 ? 0 : 1;
            l->layers[i][n].time_seconds = 7;
        }
    cr_assert_gt(pm_clip_get_info(l->clips[0]).cursor_count, 0);
    layers_run(l);
    for (uint32_t i = 0; i < LAYERS_INSTANCES; i++)
        for (uint32_t n = 0; n < PM_LAYERS_MAX; n++) {
            bool moved = false;
            for (uint32_t c = 0; c < LAYERS_CURSORS; c++) moved = moved || l->cursors[i][n][c];
            // Neighbours of one clip at one time may share what the first one found.
            if (i == 0 || n % 2) cr_assert_eq(moved, n % 2 == 0);
        }
}

Test(blend_job, layers_may_lie_apart_in_the_hosts_structs) {
    // Layer by layer instead of instance by instance.
    static layers_output expected;
    static pm_layer transposed[PM_LAYERS_MAX][LAYERS_INSTANCES];
    layers_run(l);
    expected = l->output;
    for (uint32_t i = 0; i < LAYERS_INSTANCES; i++)
        for (uint32_t n = 0; n < PM_LAYERS_MAX; n++) transposed[n][i] = l->layers[i][n];
    l->job.layers = transposed[0];
    l->job.instance_stride = sizeof(pm_layer);
    l->job.layer_stride = sizeof transposed[0];
    layers_run(l);
    cr_assert_arr_eq(&l->output, &expected, sizeof expected);
}

Test(blend_job, joints_or_scalars_alone_are_the_same_bits) {
    static layers_output expected, nothing;
    layers_run(l);
    expected = l->output;
    memset(&nothing, 0xcd, sizeof nothing);
    pm_blend_job both = l->job;
    l->job.scalars = NULL;
    l->job.scalar_rest = NULL;
    layers_run(l);
    cr_assert_arr_eq(l->output.poses, expected.poses, sizeof expected.poses);
    cr_assert_arr_eq(l->output.scalars, nothing.scalars, sizeof nothing.scalars);
    l->job = both;
    l->job.poses = NULL;
    l->job.rest = NULL;
    layers_run(l);
    cr_assert_arr_eq(l->output.poses, nothing.poses, sizeof nothing.poses);
    cr_assert_arr_eq(l->output.scalars, expected.scalars, sizeof expected.scalars);
}

Test(blend_job, level_of_detail_blends_the_first_blocks_and_rests_or_keeps_the_others) {
    static layers_output expected;
    layers_run(l);
    expected = l->output;
    for (uint32_t limit = 0; limit <= LAYERS_BLOCKS; limit++)
        for (int beyond = PM_BEYOND_REST; beyond <= PM_BEYOND_KEEP; beyond++) {
            l->job.block_limit = limit;
            l->job.beyond = (pm_beyond)beyond;
            layers_run(l);
            for (uint32_t i = 0; i < LAYERS_INSTANCES; i++)
                for (uint32_t block = 0; block < LAYERS_BLOCKS; block++) {
                    pm_pose_block kept, *now = &l->output.poses[i][block];
                    memset(&kept, 0xcd, sizeof kept);
                    if (block < limit) kept = expected.poses[i][block];
                    if (block >= limit && beyond == PM_BEYOND_REST) kept = l->job.rest[block];
                    cr_assert_arr_eq(now, &kept, sizeof kept);
                }
        }
}

Test(blend_job, beyond_the_limit_one_plain_layer_and_several_rest_alike_where_rest_is_not_the_clips) {
    static _Alignas(64) pm_pose_block rest[LAYERS_BLOCKS];
    rig_random random = {29};
    poses_random(&random, rest, LAYERS_BLOCKS);
    l->job.rest = rest;
    l->job.block_limit = 1;
    for (uint32_t i = 0; i < LAYERS_INSTANCES; i++)
        for (uint32_t n = 0; n < PM_LAYERS_MAX; n++)
            l->layers[i][n] = (pm_layer){.clip = i % LAYERS_CLIPS, .weight = n < 1 + i % 2, .mask = PM_NONE};
    layers_run(l);
    for (uint32_t i = 0; i < LAYERS_INSTANCES; i++)
        cr_assert_arr_eq(l->output.poses[i] + 1, rest + 1, (LAYERS_BLOCKS - 1) * sizeof *rest);
}

Test(blend_job, more_layers_than_fit_into_scratch_are_cut_into_smaller_chunks) {
    // 400 joints and 8 layers: 2 MB for 32 instances; the size stays within its bound.
    scenario_options options = {.seed = 3, .joint_count = 400, .modes = SCENARIO_LINEAR, .most_keys = 4};
    scenario *s = scenario_create(&options);
    const pm_clip *clip = s->clip;
    l->job.clips = &clip;
    l->job.clip_count = 1;
    l->job.scalars = NULL;
    l->job.cursors = NULL;
    l->job.masks = NULL;
    l->job.mask_count = 0;
    l->job.rest = s->skeleton->rest;
    l->job.poses = aligned_alloc(64, LAYERS_INSTANCES * 25 * sizeof(pm_pose_block));
    l->job.pose_stride = 25 * sizeof(pm_pose_block);
    cr_assert_null(pm_blend_validate(&l->job));
    cr_assert_leq(pm_blend_scratch_size(&l->job), (size_t)256 << 10);
    void *scratch = aligned_alloc(64, pm_blend_scratch_size(&l->job));
    for (uint32_t i = 0; i < LAYERS_INSTANCES; i++)
        for (uint32_t n = 0; n < PM_LAYERS_MAX; n++)
            l->layers[i][n] =
                (pm_layer){.time_seconds = (float)i / 16, .weight = n == 5, .mode = PM_LAYER_OVERRIDE};
    // Two equal layers of a half each: the same pose, through scratch.
    for (uint32_t i = 1; i < LAYERS_INSTANCES; i += 2)
        for (uint32_t n = 0; n < 8; n++)
            l->layers[i][n] =
                (pm_layer){.time_seconds = (float)i / 16, .weight = 0.125f, .mode = PM_LAYER_BLEND};
    pm_blend_run(&l->job, 0, LAYERS_INSTANCES, scratch);
    double vector = 0, angle = 0;
    for (uint32_t i = 0; i < LAYERS_INSTANCES; i++)
        for (uint32_t joint = 0; joint < 400; joint++) {
            reference_transform transform = reference_joint(s->reference, joint, (double)((float)i / 16));
            poses_joint expected;
            memcpy(expected.translation, transform.translation.value, sizeof expected.translation);
            memcpy(expected.rotation, transform.rotation.value, sizeof expected.rotation);
            memcpy(expected.scale, transform.scale.value, sizeof expected.scale);
            poses_compare(&expected, l->job.poses + 25 * i, joint, &vector, &angle);
        }
    cr_assert_lt(vector, 2e-5);
    cr_assert_lt(angle, 2e-6);
    free(l->job.poses);
    free(scratch);
    scenario_destroy(s);
}

Test(blend_job, a_host_that_rounds_another_way_gets_the_same_bits_and_its_mode_back) {
    static layers_output expected;
    layers_run(l);
    expected = l->output;
    for (uint32_t k = 0; pm_kernels_at(k); k++) {
        l->job.kernels = pm_kernels_at(k);
        fesetround(FE_DOWNWARD);
        layers_run(l);
        cr_assert_eq(fegetround(), FE_DOWNWARD);
        fesetround(FE_TONEAREST);
        cr_assert_arr_eq(&l->output, &expected, sizeof expected);
    }
}

#define INVALID(change, word)                                                                                \
    do {                                                                                                     \
        pm_blend_job job = l->job;                                                                           \
        change;                                                                                              \
        const char *fault = pm_blend_validate(&job);                                                         \
        cr_assert(fault &&strstr(fault, word), "\"%s\" does not say \"%s\"", fault ? fault : "valid", word); \
    } while (0)

Test(blend_job, every_way_to_be_invalid_has_its_reason) {
    scenario_options options = {.seed = 1, .joint_count = 2, .modes = SCENARIO_LINEAR, .most_keys = 2};
    scenario *other = scenario_create(&options);
    const pm_clip *different[] = {l->clips[0], other->clip}, *hole[] = {l->clips[0], NULL};
    const float *no_mask[] = {NULL}, *odd_mask[] = {l->masks[0] + 1};
    cr_assert_null(pm_blend_validate(&l->job));
    cr_assert(strstr(pm_blend_validate(NULL), "the job is NULL"));
    INVALID(job.cookie = 0, "pm_default_blend_job");
    INVALID(job.kernels = NULL, "kernels is NULL");
    INVALID(job.streaming = (pm_streaming)7, "streaming");
    INVALID(job.beyond = (pm_beyond)7, "beyond");
    INVALID(job.clip_count = 0, "clip_count is 0");
    INVALID(job.clips = NULL, "clips is NULL");
    INVALID((job.clips = hole, job.clip_count = 2), "a NULL pointer");
    INVALID((job.clips = different, job.clip_count = 2), "differ in their number");
    INVALID(job.layers = NULL, "layers is NULL");
    INVALID(job.layer_count = 0, "layer_count");
    INVALID(job.layer_count = PM_LAYERS_MAX + 1, "layer_count");
    INVALID(job.layer_stride = 21, "layers or layer_stride");
    INVALID(job.instance_stride = 21, "instance_stride");
    INVALID(job.masks = NULL, "masks is NULL");
    INVALID((job.masks = no_mask, job.mask_count = 1), "masks contains a NULL pointer");
    INVALID((job.masks = odd_mask, job.mask_count = 1), "mask that is not 64-byte aligned");
    INVALID(job.order_count = 1, "order is NULL");
    INVALID(job.cursor_stride = 3, "cursors or their strides");
    INVALID(job.layer_cursor_stride = 3, "cursors or their strides");
    INVALID(job.cursor_stride = 2, "cursor_stride is below");
    INVALID(job.layer_cursor_stride = 2, "layer_cursor_stride is below");
    INVALID((job.poses = NULL, job.scalars = NULL), "nothing would be written");
    INVALID(job.rest = NULL, "rest is NULL");
    INVALID(job.rest = (const pm_pose_block *)((const char *)job.rest + 4), "rest is not 64-byte aligned");
    INVALID(job.scalar_rest = NULL, "scalar_rest is NULL");
    INVALID(job.scalar_rest += 1, "scalar_rest is not 64-byte aligned");
    INVALID(job.pose_stride += 32, "poses or pose_stride");
    INVALID(job.scalar_stride += 32, "scalars or scalar_stride");
    INVALID(job.pose_stride = 640, "pose_stride is below");
    INVALID(job.scalar_stride = 64, "scalar_stride is below");
    scenario_destroy(other);
}
