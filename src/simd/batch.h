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

PM_INLINE bool is_wanted(const batch *b, const pm_track *track) {
    if (track->path == PM_PATH_SCALAR) return b->scalars[0] != NULL;
    return b->pose[0] && track->block < b->block_count;
}

// What a loop over a batch's instances reads of a track, in locals: what is behind pointers would be read
// again after every store, which might have changed it.
typedef struct track_view {
    const char *keys;
    size_t key_bytes, output_offset;
    char *const *outputs; // of each instance
    uint32_t count;       // of instances
} track_view;

PM_INLINE track_view view_track(const batch *b, const pm_track *track) {
    char *const *outputs = track->path == PM_PATH_SCALAR ? b->scalars : b->pose;
    return (track_view){clip_bytes(b->clip, track->keys_offset), track->key_bytes, track->output_offset,
                        outputs, b->count};
}

PM_INLINE const float *key_of(track_view v, uint32_t key) {
    return (const float *)(v.keys + key * v.key_bytes);
}

PM_INLINE float *output_of(track_view v, uint32_t i) {
    return (float *)(v.outputs[i] + v.output_offset);
}

PM_INLINE const float *rest_of(const batch *b, const pm_track *track) {
    return &pm_clip_rest(b->clip)[track->block].rotation[0][0];
}

#endif
