// Posemill internals: what a motion's bytes mean. Written by compile/motion.c, checked and read by motion.c.
//
//   pm_motion | times, strictly rising | keys
//
// A key is value[4] in[4] out[4]: translation xyz and the turn in radians (not folded into a circle), then
// the slopes a second on both sides. Between keys Hermite's cubic, outside the end keys' values.
#ifndef PM_MOTION_FORMAT_H
#define PM_MOTION_FORMAT_H

#include <posemill/motion.h>

#define PM_MOTION_MAGIC   0x314d4d50u // "PMM1"
#define PM_MOTION_VERSION 1u

struct pm_motion {
    uint32_t magic, version;
    uint64_t size; // bytes, a multiple of 64
    uint32_t key_count;
    uint32_t up_axis;
    uint64_t times_offset, keys_offset;
    uint64_t unused[3];
};

typedef struct pm_motion_key {
    float value[4], in[4], out[4];
} pm_motion_key;

_Static_assert(sizeof(struct pm_motion) == 64 && sizeof(pm_motion_key) == 48,
               "a motion's bytes are the same on every target");

static inline const float *pm_motion_times(const pm_motion *motion) {
    return (const float *)((const char *)motion + motion->times_offset);
}

static inline const pm_motion_key *pm_motion_keys(const pm_motion *motion) {
    return (const pm_motion_key *)((const char *)motion + motion->keys_offset);
}

#endif
