#include "hash.h"

uint64_t pm_hash_floats(uint64_t hash, const float *values, uint32_t count) {
    return pm_check_hash(hash, values, count * sizeof *values);
}

uint64_t pm_hash_pose(uint64_t hash, const pm_pose_block *pose, uint32_t joint_count) {
    for (uint32_t joint = 0; joint < joint_count; joint++) {
        pm_transform transform = pm_pose_get_joint(pose, joint);
        hash = pm_hash_floats(hash, transform.translation, 3);
        hash = pm_hash_floats(hash, transform.rotation, 4);
        hash = pm_hash_floats(hash, transform.scale, 3);
    }
    return hash;
}
