// Posemill internals: tracks whose lanes are all on one timeline, and constant tracks.
#ifndef PM_SIMD_SHARED_KERNEL_H
#define PM_SIMD_SHARED_KERNEL_H

#include "packed_kernel.h"

#include <math.h>

// Where each instance of a batch is on one timeline: segment, position in it, Hermite weights.
struct segments {
    _Alignas(64) uint32_t key[BATCH];
    _Alignas(64) float u[BATCH];
    _Alignas(64) float w1[BATCH]; // times the segment's duration, as tangents are a second
    _Alignas(64) float w2[BATCH];
    _Alignas(64) float w3[BATCH]; // the same
};

// The k with times[k] <= t < times[k + 1], for times[0] <= t <= times[n - 1]; times[n] is infinite.
static uint32_t search_segment(const float *times, uint32_t n, float t) {
    uint32_t low = 0;
    while (n > 1) {
        uint32_t half = n / 2;
        low = times[low + half] <= t ? low + half : low;
        n -= half;
    }
    return low;
}

// The same, starting from a guess that may be anything.
PM_INLINE uint32_t find_segment(const float *times, uint32_t n, float t, uint32_t guess) {
    if (guess < n) {
        if (times[guess] <= t) {
            if (t < times[guess + 1]) return guess;
            if (t < times[guess + 2]) return guess + 1;
        } else if (guess > 0 && times[guess - 1] <= t) {
            return guess - 1;
        }
    }
    return search_segment(times, n, t);
}

PM_INLINE float clamp_time(const pm_timeline *timeline, float t) {
    t = t < timeline->first ? timeline->first : t;
    return timeline->last < t ? timeline->last : t;
}

PM_INLINE wide clamp_times(const pm_timeline *timeline, wide t) {
    const wide first = wide_set(timeline->first), last = wide_set(timeline->last);
    t = wide_select(wide_less(t, first), first, t);
    return wide_select(wide_less(last, t), last, t);
}

// Never behind the last key, even where a float cannot count that far: what is guessed is looked up.
PM_INLINE void guess_on_grid(const pm_timeline *timeline, wide t, uint32_t *key) {
    const uint32_t last_key = timeline->key_count - 1;
    const wide last = wide_set((float)(last_key < 1u << 24 ? last_key : last_key & ~127u));
    wide frame = wide_mul(wide_sub(t, wide_set(timeline->first)), wide_set(timeline->grid_rate_hz));
    wide_store_whole(key, wide_select(wide_less(frame, last), frame, last));
}

// Instance i's segment, where there is no grid.
PM_INLINE uint32_t find_key(const batch *b, const pm_timeline *timeline, const float *times, uint32_t i,
                            float t, const uint32_t *keys) {
    // In an ordered range the previous instance is close.
    uint16_t *cursor = cursors_of(b, i, timeline->cursor);
    if (!cursor) return find_segment(times, timeline->key_count, t, i ? keys[i - 1] : PM_NONE);
    uint32_t key = find_segment(times, timeline->key_count, t, (uint32_t)*cursor << timeline->cursor_shift);
    *cursor = (uint16_t)(key >> timeline->cursor_shift);
    return key;
}

// Times of keys `key` and on, as many as there are lanes; `after` 1 for those of the keys that follow them.
PM_INLINE wide key_times(const float *times, const uint32_t *key, uint32_t after) {
    const float *at[PM_LANES];
    for (uint32_t lane = 0; lane < PM_LANES; lane++) at[lane] = times + key[lane] + after;
    return wide_collect(at);
}

PM_INLINE void store_positions(segments *s, uint32_t i, wide t, wide begin, wide end, const wide *easing,
                               void (*store)(float *, wide)) {
    // The last key's segment has no end; u stays 0 in it.
    wide duration = wide_sub(end, begin);
    duration = wide_select(wide_less(duration, wide_set(INFINITY)), duration, wide_set(1.0f));
    wide u = wide_div(wide_sub(t, begin), duration);
    if (easing) u = ease(easing, u);
    hermite_weights w = find_weights(u);
    store(s->u + i, u);
    store(s->w1 + i, wide_mul(w.w1, duration));
    store(s->w2 + i, w.w2);
    store(s->w3 + i, wide_mul(w.w3, duration));
}

// One instance, for batches too small to fill vectors.
static void place_instance(const batch *b, const pm_timeline *timeline, const float *time, uint32_t i,
                           segments *s) {
    const float *times = (const float *)clip_bytes(b->clip, timeline->times_offset);
    const float t = clamp_time(timeline, time[i]);
    if (timeline->grid_rate_hz > 0) {
        _Alignas(64) uint32_t guess[PM_LANES];
        guess_on_grid(timeline, wide_set(t), guess);
        s->key[i] = find_segment(times, timeline->key_count, t, guess[0]);
    } else {
        s->key[i] = find_key(b, timeline, times, i, t, s->key);
    }
    wide easing[EASING_POWERS];
    for (uint32_t p = 0; timeline->easing_offset && p < EASING_POWERS; p++)
        easing[p] = wide_set(easings_of(b->clip, timeline->easing_offset)[s->key[i]].power[p]);
    store_positions(s, i, wide_set(t), wide_set(times[s->key[i]]), wide_set(times[s->key[i] + 1]),
                    timeline->easing_offset ? easing : NULL, wide_store_first);
}

// The segments of times t: keys, and when they begin and end. Here with a grid.
PM_INLINE void find_grid_keys(const pm_timeline *timeline, const float *times, wide t, const float *time,
                              uint32_t *key, wide *begin, wide *end) {
    guess_on_grid(timeline, t, key);
    *begin = wide_gather(times, key);
    *end = wide_gather(times + 1, key);
    const uint32_t all = (1u << PM_LANES) - 1;
    uint32_t wrong = wide_mask_bits(wide_less(t, *begin)) | (wide_mask_bits(wide_less(t, *end)) ^ all);
    if (!wrong) return;
    for (; wrong; wrong &= wrong - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(wrong);
        key[lane] = find_segment(times, timeline->key_count, clamp_time(timeline, time[lane]), key[lane]);
    }
    *begin = key_times(times, key, 0);
    *end = key_times(times, key, 1);
}

// The same without.
PM_INLINE void find_keys(const batch *b, const pm_timeline *timeline, const float *times, const float *time,
                         uint32_t i, uint32_t *keys, wide *begin, wide *end) {
    for (uint32_t lane = 0; lane < PM_LANES; lane++) {
        const float t = clamp_time(timeline, time[i + lane]);
        keys[i + lane] = i + lane < b->count ? find_key(b, timeline, times, i + lane, t, keys) : 0;
    }
    *begin = key_times(times, keys + i, 0);
    *end = key_times(times, keys + i, 1);
}

// Instances i and on, as many as there are lanes.
PM_INLINE void place_instances(const batch *b, const pm_timeline *timeline, const float *time, uint32_t i,
                               segments *s) {
    const float *times = (const float *)clip_bytes(b->clip, timeline->times_offset);
    const wide t = clamp_times(timeline, wide_load(time + i));
    wide begin, end;
    if (timeline->grid_rate_hz > 0)
        find_grid_keys(timeline, times, t, time + i, s->key + i, &begin, &end);
    else
        find_keys(b, timeline, times, time, i, s->key, &begin, &end);
    const uint32_t *key = s->key + i;
    const pm_easing_record *records = easings_of(b->clip, timeline->easing_offset);
    wide easing[EASING_POWERS];
    for (uint32_t p = 0; timeline->easing_offset && p < EASING_POWERS; p++) {
        const float *at[PM_LANES];
        for (uint32_t lane = 0; lane < PM_LANES; lane++) at[lane] = records[key[lane]].power + p;
        easing[p] = wide_collect(at);
    }
    store_positions(s, i, t, begin, end, timeline->easing_offset ? easing : NULL, wide_store);
}

static void find_segments(const batch *b, const pm_timeline *timeline, segments *s) {
    _Alignas(64) float held[BATCH];
    const float *time = b->time;
    const bool few = b->count <= FEW_INSTANCES;
    if (timeline->cadence_hz > 0) {
        const uint32_t count = few ? b->count : (b->count + PM_LANES - 1) / PM_LANES * PM_LANES;
        for (uint32_t i = 0; i < count; i++) held[i] = hold_time(b->time[i], timeline->cadence_hz);
        time = held;
    }
    if (few)
        for (uint32_t i = 0; i < b->count; i++) place_instance(b, timeline, time, i, s);
    else
        for (uint32_t i = 0; i < b->count; i += PM_LANES) place_instances(b, timeline, time, i, s);
}

// Where one instance is.
typedef struct place {
    uint32_t key;
    position at;
} place;

PM_INLINE place place_of(const segments *s, uint32_t i) {
    return (place){
        .key = s->key[i],
        .at = {.u = wide_set(s->u[i]), .w = {wide_set(s->w1[i]), wide_set(s->w2[i]), wide_set(s->w3[i])}},
    };
}

// A cubic's segment that begins at `key`: smooth keys are value, tangent; others in, value, out. `floats` is
// the size of one of these, `next` the following key.
PM_INLINE cubic_rows smooth_segment(const float *key, const float *next, uint32_t floats) {
    return (cubic_rows){key, key + floats, next + floats, next};
}

PM_INLINE cubic_rows cubic_segment(const float *key, const float *next, uint32_t floats) {
    return (cubic_rows){key + floats, key + 2 * floats, next, next + floats};
}

// One instance's translations, scales or scalars. `mode` is from->mode, apart so that a caller who knows it
// compiles no other.
PM_INLINE void put_shared_vector(float *output, const source *from, uint32_t mode, const place *here,
                                 uint32_t rows, bool stream) {
    const uint32_t floats = rows * LANES;
    const float *a = key_of(from, here->key), *b = key_of(from, here->key + 1);
    const position *at = &here->at;
    switch (mode) {
    case SOURCE_STEP:
        put_rows(output, a, rows, stream);
        break;
    case SOURCE_LINEAR:
        put_linear(output, a, b, at, rows, stream);
        break;
    case SOURCE_SMOOTH:
        put_cubic(output, smooth_segment(a, b, floats), NULL, at, rows, stream);
        break;
    case SOURCE_CUBIC:
        put_cubic(output, cubic_segment(a, b, floats), NULL, at, rows, stream);
        break;
    case SOURCE_BLENDED:
        put_cubic(output, cubic_segment(a, b, floats), from->masks, at, rows, stream);
        break;
    default:
        put_packed_vector(output, from, mode, here->key, at, rows, stream);
    }
}

// The same for rotations. Returns how many lanes were guarded.
PM_INLINE uint32_t put_shared_rotation(float *output, const source *from, uint32_t mode, const place *here,
                                       bool stream) {
    enum { FLOATS = 4 * LANES };
    const float *a = key_of(from, here->key), *b = key_of(from, here->key + 1), *rest = from->rest;
    const position *at = &here->at;
    switch (mode) {
    case SOURCE_STEP:
        put_rows(output, a, 4, stream);
        return 0;
    case SOURCE_LINEAR:
        return put_slerp(output, rest, a, b, a + FLOATS, at, stream);
    case SOURCE_SMOOTH:
        return put_cubic_rotation(output, rest, smooth_segment(a, b, FLOATS), at, stream);
    case SOURCE_CUBIC:
        return put_cubic_rotation(output, rest, cubic_segment(a, b, FLOATS), at, stream);
    case SOURCE_BLENDED:
        return put_blended_rotation(output, rest, cubic_segment(a, b, FLOATS), a + 3 * FLOATS,
                                    from->masks + LANES, from->masks, at, stream);
    default:
        return put_packed_rotation(output, from, mode, here->key, at, stream);
    }
}

#endif
