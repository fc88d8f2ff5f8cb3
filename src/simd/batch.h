// Posemill internals: instances of one clip, side by side.
#ifndef PM_SIMD_BATCH_H
#define PM_SIMD_BATCH_H

#include "rows.h"

enum { BATCH = 32 };

typedef struct batch {
    const pm_clip *clip;
    uint32_t count;
    uint32_t nan_times;      // bit i: instance i gets the rest pose
    uint32_t block_count;    // pose blocks that are evaluated
    bool rests_beyond;       // the others get the rest pose
    float time[BATCH];       // never NaN
    char *pose[BATCH];       // NULL if joints are not wanted
    char *scalars[BATCH];    // NULL if scalars are not wanted
    uint16_t *cursor[BATCH]; // NULL without cursors
} batch;

PM_INLINE const char *clip_bytes(const pm_clip *clip, uint64_t offset) {
    return (const char *)clip + offset;
}

// The last k / hz, as a float, that is not after t (pm_cadence_time).
PM_INLINE float hold_time(float t, float hz) {
    double rate = (double)hz, frame = (double)t * rate;
    // Beyond this every float is a multiple; and the conversion below stays defined.
    if (!(frame < 0x1p50 && frame > -0x1p50)) return t;
    double k = (double)(int64_t)frame;
    k = k > frame ? k - 1.0 : k;
    if ((float)((k + 1.0) / rate) <= t) return (float)((k + 1.0) / rate);
    float held = (float)(k / rate);
    return held <= t ? held : (float)((k - 1.0) / rate);
}

// The easing's value at u.
PM_INLINE wide ease(const pm_easing_record *easing, wide u) {
    wide eased = wide_mul(wide_set(easing->power[4]), u);
    for (int power = 3; power >= 0; power--)
        eased = wide_mul(wide_add(eased, wide_set(easing->power[power])), u);
    return eased;
}

// What one path of a block (or a block of scalars) is made of, for all instances of a batch. Plain values that
// a loop can keep in registers: what is behind pointers would be read again after every store, which might
// have changed it.
typedef struct segments segments;
typedef struct lane_segments lane_segments;
typedef struct source {
    uint32_t mode; // of source_mode
    const char *keys;
    size_t key_bytes;
    const uint32_t *masks;
    const float *rest;             // of the block's rotations
    const segments *at;            // shared tracks
    const lane_segments *lanes;    // mixed tracks
    const uint32_t *first_segment; // mixed tracks, of each lane
    float (*record)[PM_BLOCK_LANES]; // mixed tracks: the previous instance's, as rows
} source;

typedef enum source_mode {
    SOURCE_CONSTANT,
    SOURCE_STEP,
    SOURCE_LINEAR,
    SOURCE_SMOOTH,
    SOURCE_CUBIC,
    SOURCE_BLENDED,
    SOURCE_MIXED_LINEAR,
    SOURCE_MIXED_CUBIC,
    SOURCE_MIXED_BLENDED
} source_mode;

PM_INLINE const float *key_of(const source *from, uint32_t key) {
    return (const float *)(from->keys + key * from->key_bytes);
}

#endif
