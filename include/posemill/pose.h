// Posemill: poses, local transforms of all joints of one character, as blocks of 16 joints.
//
// A pose is `block_count` consecutive pm_pose_block, 64-byte aligned; joint j is lane j % 16 of block j / 16.
// Lanes behind the last joint are identity (no translation, no rotation, scale 1).
#ifndef POSEMILL_POSE_H
#define POSEMILL_POSE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

// 16 joints side by side, 640 bytes: translation xyz, rotation xyzw (unit), scale xyz.
typedef struct pm_pose_block {
    float translation[3][PM_BLOCK_LANES];
    float rotation[4][PM_BLOCK_LANES];
    float scale[3][PM_BLOCK_LANES];
} pm_pose_block;

// One joint's local transform as an array of structs, for hosts that want one joint.
typedef struct pm_transform {
    float translation[3];
    float rotation[4]; // xyzw
    float scale[3];
} pm_transform;

// Blocks that hold `count` joints or scalars: count / 16, rounded up.
static inline uint32_t pm_block_count(uint32_t count) {
    return count / PM_BLOCK_LANES + (count % PM_BLOCK_LANES != 0);
}

// Reads one joint of a pose. `joint` must be below 16 times the pose's block count (not checked).
PM_API pm_transform pm_pose_get_joint(const pm_pose_block *pose, uint32_t joint);

// Writes one joint of a pose. The rotation is stored as given: pass a unit quaternion.
PM_API void pm_pose_set_joint(pm_pose_block *pose, uint32_t joint, const pm_transform *transform);

// Writes joints 0 to joint_count - 1 to an array of pm_transform, the host's.
//   stride_bytes  distance of two transforms, at least sizeof(pm_transform), a multiple of 4
PM_API void pm_pose_export(const pm_pose_block *pose, uint32_t joint_count, void *transforms,
                           size_t stride_bytes);

#ifdef __cplusplus
}
#endif

#endif
