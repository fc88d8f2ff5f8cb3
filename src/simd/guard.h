// Posemill internals: writes that let nothing through but finite numbers and unit rotations, for kernels
// whose input is not a checked clip.
#ifndef PM_SIMD_GUARD_H
#define PM_SIMD_GUARD_H

#include "rows.h"

// Above this in magnitude, a number counts as infinite.
#define FINITE_LIMIT 3.0e38f

PM_INLINE uint32_t count_off(uint32_t bits) {
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < PM_LANES; lane++) count += !(bits >> lane & 1);
    return count;
}

// Writes a value; lanes that are not finite get the fallback. Returns how many.
PM_INLINE uint32_t put_finite(float *output, wide value, wide fallback, bool stream) {
    // Each comparison is false for NaN.
    wide_mask below = wide_less(value, wide_set(FINITE_LIMIT));
    wide_mask above = wide_less(wide_set(-FINITE_LIMIT), value);
    uint32_t bits = wide_mask_bits(below) & wide_mask_bits(above);
    if (bits == (1u << PM_LANES) - 1) {
        put(output, value, stream);
        return 0;
    }
    put(output, wide_select(below, wide_select(above, value, fallback), fallback), stream);
    return count_off(bits);
}

// The squared length of a quaternion, summed as everywhere.
PM_INLINE wide length2_of(const wide q[4]) {
    wide xy = wide_add(wide_mul(q[0], q[0]), wide_mul(q[1], q[1]));
    wide zw = wide_add(wide_mul(q[2], q[2]), wide_mul(q[3], q[3]));
    return wide_add(xy, zw);
}

PM_INLINE wide dot_of(const wide a[4], const wide b[4]) {
    wide xy = wide_add(wide_mul(a[0], b[0]), wide_mul(a[1], b[1]));
    wide zw = wide_add(wide_mul(a[2], b[2]), wide_mul(a[3], b[3]));
    return wide_add(xy, zw);
}

// Writes a quaternion times `scale`; lanes that have no length, or one that is not finite, get the fallback,
// rows of 16 lanes. Returns how many.
PM_INLINE uint32_t put_scaled_rotation(float *output, const wide q[4], wide length2, wide scale,
                                       const float *fallback, bool stream) {
    wide_mask long_enough = wide_less(wide_set(MINIMUM_LENGTH2), length2);
    wide_mask short_enough = wide_less(length2, wide_set(FINITE_LIMIT));
    uint32_t bits = wide_mask_bits(long_enough) & wide_mask_bits(short_enough);
    if (bits == (1u << PM_LANES) - 1) {
        for (uint32_t c = 0; c < 4; c++) put(output + c * LANES, wide_mul(q[c], scale), stream);
        return 0;
    }
    for (uint32_t c = 0; c < 4; c++) {
        wide other = wide_load(fallback + c * LANES), unit = wide_mul(q[c], scale);
        unit = wide_select(long_enough, wide_select(short_enough, unit, other), other);
        put(output + c * LANES, unit, stream);
    }
    return count_off(bits);
}

#endif
