// Posemill internals: tracks whose lanes are all on one timeline, and constant tracks.
#ifndef PM_SIMD_SHARED_KERNEL_H
#define PM_SIMD_SHARED_KERNEL_H

#include "batch.h"

enum { FEW_INSTANCES = 2 };

// Where each instance of a batch is on one timeline: segment, position in it, Hermite weights.
struct segments {
    uint32_t key[BATCH];
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

PM_INLINE uint32_t guess_on_grid(const pm_timeline *timeline, float t) {
    float frame = (t - timeline->first) * timeline->grid_rate_hz;
    float last = (float)(timeline->key_count - 1);
    return (uint32_t)(frame < last ? frame : last);
}

// Positions of instances i and on, as many as `store` stores, from their offset and the segment's duration.
PM_INLINE void place(segments *s, uint32_t i, wide u, wide duration, void (*store)(float *, wide)) {
    hermite_weights w = find_weights(u);
    store(s->u + i, u);
    store(s->w1 + i, wide_mul(w.w1, duration));
    store(s->w2 + i, w.w2);
    store(s->w3 + i, wide_mul(w.w3, duration));
}

PM_INLINE void place_instances(const batch *b, const pm_timeline *timeline, float *offset, float *duration,
                               segments *s) {
    const pm_easing_record *easing = (const pm_easing_record *)clip_bytes(b->clip, timeline->easing_offset);
    // A few go one by one: what was stored as single numbers cannot be loaded as a vector without a stall.
    const bool few = b->count <= FEW_INSTANCES;
    for (uint32_t i = 0; few && i < b->count; i++) {
        wide span = wide_set(duration[i]);
        wide u = wide_div(wide_set(offset[i]), span);
        if (timeline->easing_offset) u = ease(easing + s->key[i], u);
        place(s, i, u, span, wide_store_first);
    }
    if (few) return;
    const uint32_t padded = (b->count + PM_LANES - 1) / PM_LANES * PM_LANES;
    for (uint32_t i = b->count; i < padded; i++) {
        offset[i] = 0.0f;
        duration[i] = 1.0f;
    }
    for (uint32_t i = 0; i < padded; i += PM_LANES) {
        wide span = wide_load(duration + i);
        place(s, i, wide_div(wide_load(offset + i), span), span, wide_store);
    }
    for (uint32_t i = 0; timeline->easing_offset && i < b->count; i++)
        place(s, i, ease(easing + s->key[i], wide_set(s->u[i])), wide_set(duration[i]), wide_store_first);
}

PM_INLINE void find_segments(const batch *b, const pm_timeline *timeline, segments *s) {
    const float *times = (const float *)clip_bytes(b->clip, timeline->times_offset);
    const uint32_t n = timeline->key_count;
    const bool grid = timeline->grid_rate_hz > 0;
    _Alignas(64) float offset[BATCH], duration[BATCH];
    for (uint32_t i = 0; i < b->count; i++) {
        float t = timeline->cadence_hz > 0 ? hold_time(b->time[i], timeline->cadence_hz) : b->time[i];
        t = t < timeline->first ? timeline->first : t;
        t = timeline->last < t ? timeline->last : t;
        uint32_t k;
        if (grid) {
            k = find_segment(times, n, t, guess_on_grid(timeline, t));
        } else if (b->cursor[i]) {
            uint16_t *cursor = b->cursor[i] + timeline->cursor;
            k = find_segment(times, n, t, (uint32_t)*cursor << timeline->cursor_shift);
            *cursor = (uint16_t)(k >> timeline->cursor_shift);
        } else {
            // In an ordered range the previous instance is close.
            k = find_segment(times, n, t, i ? s->key[i - 1] : n);
        }
        s->key[i] = k;
        offset[i] = t - times[k];
        // The last key's segment has no end; u stays 0 in it.
        duration[i] = k + 1 < n ? times[k + 1] - times[k] : 1.0f;
    }
    place_instances(b, timeline, offset, duration, s);
}

PM_INLINE position position_of(const segments *s, uint32_t i) {
    return (position){
        .u = wide_set(s->u[i]),
        .w = {wide_set(s->w1[i]), wide_set(s->w2[i]), wide_set(s->w3[i])},
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

// One instance's translations, scales or scalars: `key` begins its segment. `mode` is from->mode, apart so
// that a caller who knows it compiles no other.
PM_INLINE void put_shared_vector(float *output, const source *from, uint32_t mode, uint32_t key,
                                 const position *at, uint32_t rows, bool stream) {
    const uint32_t floats = rows * LANES;
    const float *a = key_of(from, key), *b = key_of(from, key + 1);
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
    default:
        put_cubic(output, cubic_segment(a, b, floats), from->masks, at, rows, stream);
    }
}

// The same for rotations. Returns how many lanes were guarded.
PM_INLINE uint32_t put_shared_rotation(float *output, const source *from, uint32_t mode, uint32_t key,
                                       const position *at, bool stream) {
    enum { FLOATS = 4 * LANES };
    const float *a = key_of(from, key), *b = key_of(from, key + 1), *rest = from->rest;
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
    default:
        return put_blended_rotation(output, rest, cubic_segment(a, b, FLOATS), a + 3 * FLOATS,
                                    from->masks + LANES, from->masks, at, stream);
    }
}

#endif
