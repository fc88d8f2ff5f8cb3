// World matrices in double precision, for looking at poses; not a hot path.
#ifndef PM_TOOL_WORLD_H
#define PM_TOOL_WORLD_H

#include <posemill/skeleton.h>

// Local to world transforms of all joints.
//   pose      [skeleton->block_count]
//   matrices  [skeleton->joint_count][16], column-major; receives each joint's matrix, its parents' included
void pm_world_matrices(const pm_skeleton *skeleton, const pm_pose_block *pose, double (*matrices)[16]);

#endif
