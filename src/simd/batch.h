// Posemill internals: instances of one clip, side by side.
#ifndef PM_SIMD_BATCH_H
#define PM_SIMD_BATCH_H

#include "rows.h"

// Up to FEW_INSTANCES are looked at one by one.
enum { BATCH = 32, FEW_INSTANCES = 2, EASING_POWERS = 5 };

// Neighbours in a job's range: entries of its order, or, if that is NULL, the instances from `first` on.
typedef struct instance_range {
    const uint32_t *order;
    uint32_t first;
} instance_range;

PM_INLINE size_t instance_of(instance_range instances, uint32_t i) {
    return instances.order ? instances.order[i] : instances.first + i;
}

// Poses or scalars of a batch. Where an instance's are is worked out when they are written, not noted before:
// what a batch notes has to leave the store queue behind all that the previous one streams.
typedef struct outputs {
    instance_range instances;
    char *base;
    size_t stride;
    const size_t *offsets; // NULL: instances lie `stride` apart
} outputs;

// Instance i's, from `offset` on.
PM_INLINE void *output_of(const outputs *of, uint32_t i, size_t offset) {
    const size_t instance = instance_of(of->instances, i);
    return of->base + (of->offsets ? of->offsets[instance] : instance * of->stride) + offset;
}

typedef struct batch {
    const pm_clip *clip;
    uint32_t clip_index; // of the job's clips
    uint32_t count;
    uint32_t nan_times;   // bit i: instance i gets the rest pose
    uint32_t block_count; // pose blocks that are evaluated
    bool rests_beyond;    // the others get the rest pose
    bool has_constants;   // all outputs hold the clip's constants
    instance_range instances;
    outputs poses, scalars; // base NULL: not wanted
    char *cursors;          // NULL: the clip or the host has none
    size_t cursor_stride;
    _Alignas(64) float time[BATCH]; // never NaN; beyond FEW_INSTANCES also up to a multiple of PM_LANES
} batch;

PM_INLINE const char *clip_bytes(const pm_clip *clip, uint64_t offset) {
    return (const char *)clip + offset;
}

// Instance i's cursor number `first` and those behind it, or NULL.
PM_INLINE uint16_t *cursors_of(const batch *b, uint32_t i, uint32_t first) {
    if (!b->cursors) return NULL;
    return (uint16_t *)(b->cursors + instance_of(b->instances, i) * b->cursor_stride) + first;
}

PM_INLINE const float *rest_of(const batch *b, uint32_t block) {
    return &pm_clip_rest(b->clip)[block].rotation[0][0];
}

// A timeline's or bundle's easings.
PM_INLINE const pm_easing_record *easings_of(const pm_clip *clip, uint64_t easing_offset) {
    return (const pm_easing_record *)clip_bytes(clip, easing_offset);
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

// The easing's value at u, from its powers.
PM_INLINE wide ease(const wide power[EASING_POWERS], wide u) {
    wide eased = wide_mul(power[EASING_POWERS - 1], u);
    for (int p = EASING_POWERS - 2; p >= 0; p--) eased = wide_mul(wide_add(eased, power[p]), u);
    return eased;
}

// What a track's keys are, seen by kernels: kind and mode in one. Modes come in the order of pm_track_mode.
typedef enum source_mode {
    SOURCE_CONSTANT,
    SOURCE_STEP,
    SOURCE_LINEAR,
    SOURCE_SMOOTH,
    SOURCE_CUBIC,
    SOURCE_BLENDED,
    SOURCE_PACKED_LINEAR,
    SOURCE_PACKED_SMOOTH,
    SOURCE_PACKED_CUBIC,
    SOURCE_MIXED,
    SOURCE_MIXED_LINEAR = SOURCE_MIXED + PM_TRACK_LINEAR,
    SOURCE_MIXED_CUBIC = SOURCE_MIXED + PM_TRACK_CUBIC,
    SOURCE_MIXED_BLENDED = SOURCE_MIXED + PM_TRACK_BLENDED
} source_mode;

PM_INLINE uint32_t source_mode_of(const pm_track *track) {
    static const uint8_t first[] = {SOURCE_CONSTANT, SOURCE_STEP, SOURCE_MIXED};
    if (track->packing_offset) return SOURCE_PACKED_LINEAR + (uint32_t)track->mode - PM_TRACK_LINEAR;
    return first[track->kind] + (uint32_t)track->mode;
}

// What one path of a block (or a block of scalars) is made of, for all instances of a batch. Plain values
// that a loop can keep in registers: what is behind pointers would be read again after every store, which
// might have changed it.
typedef struct segments segments;
typedef struct lane_segments lane_segments;
typedef struct source {
    const char *keys;
    size_t key_bytes;
    const uint32_t *masks;
    const float *rest;               // of the block's rotations
    const segments *at;              // shared tracks
    const lane_segments *lanes;      // mixed tracks
    float (*record)[PM_BLOCK_LANES]; // mixed tracks: the previous instance's, as rows
    const float *packing;            // packed keys
    uint32_t packed_rows;            // of a packed key
    uint32_t mode;                   // of source_mode
    bool is_there;                   // constants: outputs hold them already
} source;

PM_INLINE const float *key_of(const source *from, uint32_t key) {
    return (const float *)(from->keys + key * from->key_bytes);
}

#endif
