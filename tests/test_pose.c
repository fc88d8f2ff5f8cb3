#include <posemill/pose.h>

#include <criterion/criterion.h>
#include <string.h>

// Every part of every joint has a number of its own.
static pm_transform numbered(uint32_t joint) {
    float values[10];
    for (uint32_t i = 0; i < 10; i++) values[i] = (float)(joint * 10 + i + 1);
    pm_transform transform;
    memcpy(&transform, values, sizeof transform);
    return transform;
}

Test(pose, block_is_640_bytes_translation_rotation_scale) {
    cr_assert_eq(sizeof(pm_pose_block), 640);
    cr_assert_eq(offsetof(pm_pose_block, rotation), 192);
    cr_assert_eq(offsetof(pm_pose_block, scale), 448);
    cr_assert_eq(sizeof(pm_transform), 40);
}

Test(pose, block_count_rounds_up_and_does_not_overflow) {
    cr_assert_eq(pm_block_count(0), 0);
    cr_assert_eq(pm_block_count(1), 1);
    cr_assert_eq(pm_block_count(16), 1);
    cr_assert_eq(pm_block_count(17), 2);
    cr_assert_eq(pm_block_count(UINT32_MAX), 1u << 28);
}

Test(pose, set_reaches_the_lane_and_no_other) {
    pm_pose_block blocks[3];
    memset(blocks, 0, sizeof blocks);
    pm_transform expected = numbered(20);
    pm_pose_set_joint(blocks, 20, &expected);
    for (int c = 0; c < 3; c++) cr_assert_eq(blocks[1].translation[c][4], expected.translation[c]);
    for (int c = 0; c < 4; c++) cr_assert_eq(blocks[1].rotation[c][4], expected.rotation[c]);
    for (int c = 0; c < 3; c++) cr_assert_eq(blocks[1].scale[c][4], expected.scale[c]);
    const float *values = (const float *)blocks;
    size_t nonzero = 0;
    for (size_t i = 0; i < 3 * sizeof(pm_pose_block) / sizeof(float); i++) nonzero += values[i] != 0;
    cr_assert_eq(nonzero, 10);
}

Test(pose, get_returns_what_set_stored) {
    pm_pose_block blocks[5];
    for (uint32_t joint = 0; joint < 80; joint++) {
        pm_transform transform = numbered(joint);
        pm_pose_set_joint(blocks, joint, &transform);
    }
    for (uint32_t joint = 0; joint < 80; joint++) {
        pm_transform got = pm_pose_get_joint(blocks, joint), expected = numbered(joint);
        cr_assert_arr_eq(&got, &expected, sizeof got);
    }
}

Test(pose, export_writes_structs_at_the_stride_and_nothing_between) {
    pm_pose_block blocks[2];
    memset(blocks, 0, sizeof blocks);
    for (uint32_t joint = 0; joint < 32; joint++) {
        pm_transform transform = numbered(joint);
        pm_pose_set_joint(blocks, joint, &transform);
    }
    enum { JOINTS = 19, STRIDE = 52 };
    unsigned char bytes[(JOINTS + 1) * STRIDE];
    memset(bytes, 0xEE, sizeof bytes);
    pm_pose_export(blocks, JOINTS, bytes, STRIDE);
    for (uint32_t joint = 0; joint <= JOINTS; joint++) {
        pm_transform expected = numbered(joint);
        if (joint < JOINTS) cr_assert_arr_eq(bytes + joint * STRIDE, &expected, sizeof expected);
        for (size_t i = joint < JOINTS ? sizeof expected : 0; i < STRIDE; i++) {
            cr_assert_eq(bytes[joint * STRIDE + i], 0xEE);
        }
    }
}

Test(pose, export_of_no_joints_writes_nothing) {
    pm_pose_block block;
    memset(&block, 0, sizeof block);
    float untouched = 3;
    pm_pose_export(&block, 0, &untouched, sizeof(pm_transform));
    cr_assert_eq(untouched, 3);
}
