// One number for many poses, to compare runs by: FNV-1a over 32-bit words (Fowler, Noll, Vo; 64-bit offset
// and prime).
#ifndef PM_TOOL_HASH_H
#define PM_TOOL_HASH_H

#include <posemill/pose.h>

#define PM_HASH_START 0xCBF29CE484222325u

// The hash so far, and one more word.
static inline uint64_t pm_hash_word(uint64_t hash, uint32_t word) {
    return (hash ^ word) * 0x00000100000001B3u;
}

// Adds joints 0 to joint_count - 1: translation, rotation, scale of each. Padding lanes do not count.
uint64_t pm_hash_pose(uint64_t hash, const pm_pose_block *pose, uint32_t joint_count);

// Adds floats by their bits.
uint64_t pm_hash_floats(uint64_t hash, const float *values, uint32_t count);

#endif
