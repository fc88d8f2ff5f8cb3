// Posemill internals: from rows of 16 lanes to 16 results. What shared and mixed tracks have in common.
#ifndef PM_SIMD_ROWS_H
#define PM_SIMD_ROWS_H

#include "clip_format.h"
#include "wide.h"

#if defined(__GNUC__)
#define PM_INLINE static inline __attribute__((always_inline))
#define PM_COLD   static __attribute__((noinline, cold))
#else
#define PM_INLINE static inline
#define PM_COLD   static
#endif

enum { LANES = PM_BLOCK_LANES };

// A rotation shorter than this, squared, has no direction left but that of rounding errors.
#define MINIMUM_LENGTH2 1e-30f

// Weights of Hermite's cubic, a + w2 * (b - a) + w1 * out + w3 * in. All are exactly 0 at u = 0.
typedef struct hermite_weights {
    wide w1, w2, w3;
} hermite_weights;

PM_INLINE hermite_weights find_weights(wide u) {
    const wide one = wide_set(1.0f), three = wide_set(3.0f);
    wide u2 = wide_mul(u, u);
    wide left = wide_sub(one, u);
    return (hermite_weights){
        .w1 = wide_mul(u, wide_mul(left, left)),
        .w2 = wide_mul(u2, wide_sub(three, wide_add(u, u))),
        .w3 = wide_mul(u2, wide_sub(u, one)),
    };
}

// Where lanes are in their segments: all at one u, whose weights are at hand, or each at its own. Weights at
// hand have the segment's duration in w1 and w3, for tangents a second; tangents of lanes at u of their own
// have it in them.
typedef struct position {
    bool is_per_lane;
    const float *lane_u; // of 16 lanes, if each is at its own
    wide u;
    hermite_weights w;
} position;

PM_INLINE wide position_u(const position *at, uint32_t lane) {
    return at->is_per_lane ? wide_load(at->lane_u + lane) : at->u;
}

PM_INLINE hermite_weights position_weights(const position *at, uint32_t lane) {
    return at->is_per_lane ? find_weights(wide_load(at->lane_u + lane)) : at->w;
}

PM_INLINE void put(float *p, wide value, bool stream) {
    if (stream) {
        wide_stream(p, value);
    } else {
        wide_store(p, value);
    }
}

PM_INLINE void put_rows(float *output, const float *value, uint32_t rows, bool stream) {
    for (uint32_t lane = 0; lane < rows * LANES; lane += PM_LANES)
        put(output + lane, wide_load(value + lane), stream);
}

// `rows` components of a, and of b at `next`.
PM_INLINE void put_linear(float *output, const float *a, const float *next, const position *at, uint32_t rows,
                          bool stream) {
    for (uint32_t lane = 0; lane < LANES; lane += PM_LANES) {
        wide u = position_u(at, lane);
        for (uint32_t c = lane; c < rows * LANES; c += LANES) {
            wide from = wide_load(a + c);
            wide step = wide_sub(wide_load(next + c), from);
            put(output + c, wide_add(from, wide_mul(u, step)), stream);
        }
    }
}

// What a cubic reads, each of as many rows as the path has components.
typedef struct cubic_rows {
    const float *a, *out, *in, *b;
} cubic_rows;

PM_INLINE wide hermite(cubic_rows r, uint32_t i, hermite_weights w) {
    wide from = wide_load(r.a + i);
    wide out = wide_mul(w.w1, wide_load(r.out + i));
    wide in = wide_mul(w.w3, wide_load(r.in + i));
    wide step = wide_mul(w.w2, wide_sub(wide_load(r.b + i), from));
    return wide_add(wide_add(from, step), wide_add(out, in));
}

// With `moving`, lanes that are off there stand still (they have no tangents).
PM_INLINE void put_cubic(float *output, cubic_rows r, const uint32_t *moving, const position *at,
                         uint32_t rows, bool stream) {
    for (uint32_t lane = 0; lane < LANES; lane += PM_LANES) {
        hermite_weights w = position_weights(at, lane);
        if (moving) w.w2 = wide_select(wide_mask_load(moving + lane), w.w2, wide_set(0.0f));
        for (uint32_t c = lane; c < rows * LANES; c += LANES) put(output + c, hermite(r, c, w), stream);
    }
}

// tan(x) / x for x^2 in [0, (pi/4)^2], within 2e-8; our own minimax fit with the constant fixed at 1.
PM_INLINE wide tangent_ratio(wide x2) {
    wide t = wide_set(0.009385652689206998f);
    t = wide_add(wide_mul(t, x2), wide_set(0.0031194938802827f));
    t = wide_add(wide_mul(t, x2), wide_set(0.024430403899321097f));
    t = wide_add(wide_mul(t, x2), wide_set(0.053411205518730916f));
    t = wide_add(wide_mul(t, x2), wide_set(0.13338800311306606f));
    t = wide_add(wide_mul(t, x2), wide_set(0.3333315682034177f));
    return wide_add(wide_mul(t, x2), wide_set(1.0f));
}

// The weight of b - a that makes slerp (see clip_format.h); exactly 0 at u = 0, where keys must be hit.
PM_INLINE wide slerp_weight(wide angle2, wide scale, wide u) {
    wide v = wide_sub(u, wide_set(0.5f));
    wide ratio = tangent_ratio(wide_mul(angle2, wide_mul(v, v)));
    wide w2 = wide_add(wide_set(0.5f), wide_mul(wide_mul(v, scale), ratio));
    return wide_select(wide_less(wide_set(0.0f), u), w2, wide_set(0.0f));
}

// Lanes without a length get the rest rotation. Apart, as it hardly ever happens and would fill the loops; by
// value, so that nothing is kept in memory for it.
PM_COLD uint32_t put_guarded_rotation(float *output, const float *rest, wide x, wide y, wide z, wide w,
                                      wide_mask sound) {
    const wide unit[4] = {x, y, z, w};
    for (uint32_t c = 0; c < 4; c++)
        wide_store(output + c * LANES, wide_select(sound, unit[c], wide_load(rest + c * LANES)));
    uint32_t guarded = 0, bits = wide_mask_bits(sound);
    for (uint32_t lane = 0; lane < PM_LANES; lane++) guarded += !(bits >> lane & 1);
    return guarded;
}

// Normalises PM_LANES quaternions and writes them. Returns how many had no length.
PM_INLINE uint32_t put_rotation(float *output, const float *rest, const wide q[4], bool stream) {
    wide xy = wide_add(wide_mul(q[0], q[0]), wide_mul(q[1], q[1]));
    wide zw = wide_add(wide_mul(q[2], q[2]), wide_mul(q[3], q[3]));
    wide length2 = wide_add(xy, zw);
    wide_mask sound = wide_less(wide_set(MINIMUM_LENGTH2), length2);
    wide scale = wide_div(wide_set(1.0f), wide_sqrt(length2));
    wide x = wide_mul(q[0], scale), y = wide_mul(q[1], scale);
    wide z = wide_mul(q[2], scale), w = wide_mul(q[3], scale);
    if (wide_mask_bits(sound) != (1u << PM_LANES) - 1)
        return put_guarded_rotation(output, rest, x, y, z, w, sound);
    put(output, x, stream);
    put(output + LANES, y, stream);
    put(output + 2 * LANES, z, stream);
    put(output + 3 * LANES, w, stream);
    return 0;
}

// Rows a[4], b[4] at `next`, and angle2 and scale at `slerp`.
PM_INLINE uint32_t put_slerp(float *output, const float *rest, const float *a, const float *next,
                             const float *slerp, const position *at, bool stream) {
    uint32_t guarded = 0;
    for (uint32_t lane = 0; lane < LANES; lane += PM_LANES) {
        wide u = position_u(at, lane);
        wide w2 = slerp_weight(wide_load(slerp + lane), wide_load(slerp + LANES + lane), u);
        wide q[4];
        for (uint32_t c = 0; c < 4; c++) {
            wide from = wide_load(a + c * LANES + lane);
            wide step = wide_sub(wide_load(next + c * LANES + lane), from);
            q[c] = wide_add(from, wide_mul(w2, step));
        }
        guarded += put_rotation(output + lane, rest + lane, q, stream);
    }
    return guarded;
}

PM_INLINE uint32_t put_cubic_rotation(float *output, const float *rest, cubic_rows r, const position *at,
                                      bool stream) {
    uint32_t guarded = 0;
    for (uint32_t lane = 0; lane < LANES; lane += PM_LANES) {
        hermite_weights w = position_weights(at, lane);
        wide q[4];
        for (uint32_t c = 0; c < 4; c++) q[c] = hermite(r, c * LANES + lane, w);
        guarded += put_rotation(output + lane, rest + lane, q, stream);
    }
    return guarded;
}

// Lanes of both kinds: where `slerped` is on, slerp by angle2 and scale at `slerp` and no tangents; where
// `moving` (may be NULL: all move) is off, nothing moves.
PM_INLINE uint32_t put_blended_rotation(float *output, const float *rest, cubic_rows r, const float *slerp,
                                        const uint32_t *slerped, const uint32_t *moving, const position *at,
                                        bool stream) {
    const wide zero = wide_set(0.0f);
    uint32_t guarded = 0;
    for (uint32_t lane = 0; lane < LANES; lane += PM_LANES) {
        wide_mask arc = wide_mask_load(slerped + lane);
        wide arc_w2 =
            slerp_weight(wide_load(slerp + lane), wide_load(slerp + LANES + lane), position_u(at, lane));
        hermite_weights w = position_weights(at, lane);
        w.w1 = wide_select(arc, zero, w.w1);
        w.w2 = wide_select(arc, arc_w2, w.w2);
        w.w3 = wide_select(arc, zero, w.w3);
        if (moving) w.w2 = wide_select(wide_mask_load(moving + lane), w.w2, zero);
        wide q[4];
        for (uint32_t c = 0; c < 4; c++) q[c] = hermite(r, c * LANES + lane, w);
        guarded += put_rotation(output + lane, rest + lane, q, stream);
    }
    return guarded;
}

#endif
