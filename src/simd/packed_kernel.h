// Posemill internals: tracks on one timeline whose keys are packed (clip_format.h).
//
// Numbers are interpolated as they are and brought to their range at the end, once a result and not once a
// key. They are not kept unpacked for the next instance: whoever packs has more keys than the cache holds.
#ifndef PM_SIMD_PACKED_KERNEL_H
#define PM_SIMD_PACKED_KERNEL_H

#include "batch.h"

// A packed segment that begins at a key: values of both keys and the tangents between, and what a number of
// each is worth.
typedef struct packed_segment {
    const uint16_t *a, *b;
    const int16_t *out, *in;
    const float *low, *step, *tangent_step;
} packed_segment;

// Of `components` rows of values; linear keys have no tangents.
PM_INLINE packed_segment packed_segment_of(const source *from, uint32_t mode, uint32_t key,
                                           uint32_t components) {
    const uint32_t rows = components * LANES, steps = from->packed_rows * LANES;
    const uint32_t value = mode == SOURCE_PACKED_CUBIC ? rows : 0, out = value + rows;
    const uint32_t in = mode == SOURCE_PACKED_CUBIC ? 0 : rows;
    const uint16_t *first = (const uint16_t *)key_of(from, key);
    const uint16_t *second = (const uint16_t *)key_of(from, key + 1);
    return (packed_segment){
        .a = first + value,
        .b = second + value,
        .out = (const int16_t *)first + out,
        .in = (const int16_t *)second + in,
        .low = from->packing + value,
        .step = from->packing + steps + value,
        .tangent_step = from->packing + steps + out,
    };
}

// The value at number n of its range.
PM_INLINE wide unpack(const packed_segment *s, uint32_t i, wide n) {
    return wide_add(wide_load(s->low + i), wide_mul(wide_load(s->step + i), n));
}

PM_INLINE wide packed_line(const packed_segment *s, uint32_t i, wide weight) {
    wide from = wide_load_packed(s->a + i);
    wide step = wide_sub(wide_load_packed(s->b + i), from);
    return unpack(s, i, wide_add(from, wide_mul(weight, step)));
}

PM_INLINE wide packed_hermite(const packed_segment *s, uint32_t i, hermite_weights w) {
    wide out = wide_mul(w.w1, wide_load_packed_signed(s->out + i));
    wide in = wide_mul(w.w3, wide_load_packed_signed(s->in + i));
    wide bend = wide_mul(wide_load(s->tangent_step + i), wide_add(out, in));
    return wide_add(packed_line(s, i, w.w2), bend);
}

// One instance's translations, scales or scalars.
PM_INLINE void put_packed_vector(float *output, const source *from, uint32_t mode, uint32_t key,
                                 const position *at, uint32_t rows, bool stream) {
    const packed_segment s = packed_segment_of(from, mode, key, rows);
    for (uint32_t i = 0; i < rows * LANES; i += PM_LANES) {
        wide value = mode == SOURCE_PACKED_LINEAR ? packed_line(&s, i, at->u) : packed_hermite(&s, i, at->w);
        put(output + i, value, stream);
    }
}

// The same for rotations. Returns how many lanes were guarded.
PM_INLINE uint32_t put_packed_rotation(float *output, const source *from, uint32_t mode, uint32_t key,
                                       const position *at, bool stream) {
    const packed_segment s = packed_segment_of(from, mode, key, 4);
    uint32_t guarded = 0;
    for (uint32_t lane = 0; lane < LANES; lane += PM_LANES) {
        wide q[4], weight = at->u;
        if (mode == SOURCE_PACKED_LINEAR) {
            const uint32_t angle2 = 4 * LANES + lane, scale = angle2 + LANES;
            weight = slerp_weight(unpack(&s, angle2, wide_load_packed(s.a + angle2)),
                                  unpack(&s, scale, wide_load_packed(s.a + scale)), at->u);
        }
        for (uint32_t c = 0; c < 4; c++) {
            const uint32_t i = c * LANES + lane;
            q[c] = mode == SOURCE_PACKED_LINEAR ? packed_line(&s, i, weight) : packed_hermite(&s, i, at->w);
        }
        guarded += put_rotation(output + lane, from->rest + lane, q, stream);
    }
    return guarded;
}

#endif
