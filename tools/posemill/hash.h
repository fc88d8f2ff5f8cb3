// One number for many poses, to compare runs by.
#ifndef PM_TOOL_HASH_H
#define PM_TOOL_HASH_H

#include "../check/hash.h"

#include <posemill/pose.h>

// The hash so far (PM_CHECK_HASH_START to begin with), and joints 0 to joint_count - 1: translation,
// rotation, scale of each. Padding lanes do not count.
uint64_t pm_hash_pose(uint64_t hash, const pm_pose_block *pose, uint32_t joint_count);

// The same with floats, by their bits.
uint64_t pm_hash_floats(uint64_t hash, const float *values, uint32_t count);

#endif
