#include <posemill/pose.h>

#include <string.h>

pm_transform pm_pose_get_joint(const pm_pose_block *pose, uint32_t joint) {
    const pm_pose_block *block = pose + joint / PM_BLOCK_LANES;
    uint32_t lane = joint % PM_BLOCK_LANES;
    pm_transform transform;
    for (int c = 0; c < 3; c++) transform.translation[c] = block->translation[c][lane];
    for (int c = 0; c < 4; c++) transform.rotation[c] = block->rotation[c][lane];
    for (int c = 0; c < 3; c++) transform.scale[c] = block->scale[c][lane];
    return transform;
}

void pm_pose_set_joint(pm_pose_block *pose, uint32_t joint, const pm_transform *transform) {
    pm_pose_block *block = pose + joint / PM_BLOCK_LANES;
    uint32_t lane = joint % PM_BLOCK_LANES;
    for (int c = 0; c < 3; c++) block->translation[c][lane] = transform->translation[c];
    for (int c = 0; c < 4; c++) block->rotation[c][lane] = transform->rotation[c];
    for (int c = 0; c < 3; c++) block->scale[c][lane] = transform->scale[c];
}

void pm_pose_export(const pm_pose_block *pose, uint32_t joint_count, void *transforms, size_t stride_bytes) {
    for (uint32_t joint = 0; joint < joint_count; joint++) {
        pm_transform transform = pm_pose_get_joint(pose, joint);
        memcpy((char *)transforms + joint * stride_bytes, &transform, sizeof transform);
    }
}
