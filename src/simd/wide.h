// Posemill internals: the only vocabulary of vector operations, over SIMDe, at 4, 8 or 16 lanes.
//
// A kernels_<isa>.c sets PM_LANES and includes this. Every operation is the IEEE one, so the result of a lane
// does not depend on PM_LANES or on the target: no fused multiply-add, no estimates, minimum and maximum as
// selects. Nothing else in Posemill names an intrinsic.
#ifndef PM_WIDE_H
#define PM_WIDE_H

#include "environment.h"

#include <stdint.h>

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) ||                     \
    defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "Posemill's results must not depend on the compiler: build it without -ffast-math"
#endif
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0
#error "Posemill needs float arithmetic in float: build it with SSE2 arithmetic, not x87"
#endif

#include <simde/x86/sse2.h>
#if PM_LANES == 4
typedef simde__m128 wide;
typedef simde__m128 wide_mask;
#define PM_WIDE(operation) simde_mm_##operation
#elif PM_LANES == 8
#include <simde/x86/avx.h>
typedef simde__m256 wide;
typedef simde__m256 wide_mask;
#define PM_WIDE(operation) simde_mm256_##operation
#elif PM_LANES == 16
#include <simde/x86/avx512.h>
typedef simde__m512 wide;
typedef simde__mmask16 wide_mask;
#define PM_WIDE(operation) simde_mm512_##operation
#else
#error "PM_LANES must be 4, 8 or 16"
#endif

// Loads and stores are of PM_LANES floats, aligned to their size.
static inline wide wide_load(const float *p) {
    return PM_WIDE(load_ps)(p);
}

static inline void wide_store(float *p, wide a) {
    PM_WIDE(store_ps)(p, a);
}

static inline wide wide_set(float a) {
    return PM_WIDE(set1_ps)(a);
}

static inline wide wide_add(wide a, wide b) {
    return PM_WIDE(add_ps)(a, b);
}

static inline wide wide_sub(wide a, wide b) {
    return PM_WIDE(sub_ps)(a, b);
}

static inline wide wide_mul(wide a, wide b) {
    return PM_WIDE(mul_ps)(a, b);
}

static inline wide wide_div(wide a, wide b) {
    return PM_WIDE(div_ps)(a, b);
}

static inline wide wide_sqrt(wide a) {
    return PM_WIDE(sqrt_ps)(a);
}

// Stores the first lane only.
static inline void wide_store_first(float *p, wide a) {
#if PM_LANES == 4
    simde_mm_store_ss(p, a);
#elif PM_LANES == 8
    simde_mm_store_ss(p, simde_mm256_castps256_ps128(a));
#else
    simde_mm_store_ss(p, simde_mm512_castps512_ps128(a));
#endif
}

// Whole numbers from 0 to 2^31 - 1, as integers.
static inline void wide_store_whole(uint32_t *p, wide a) {
#if PM_LANES == 4
    simde_mm_store_si128((simde__m128i *)p, simde_mm_cvttps_epi32(a));
#elif PM_LANES == 8
    simde_mm256_store_si256((simde__m256i *)p, simde_mm256_cvttps_epi32(a));
#else
    _mm512_store_si512(p, _mm512_cvttps_epi32(a)); // SIMDe 0.7.4 has none
#endif
}

// One float from each of PM_LANES places, put together in registers: numbers stored one by one cannot be
// loaded as a vector before they have left the store queue, which may be full of streaming stores.
static inline wide wide_collect(const float *const at[PM_LANES]) {
#if PM_LANES == 4
    return simde_mm_set_ps(*at[3], *at[2], *at[1], *at[0]);
#elif PM_LANES == 8
    return simde_mm256_set_ps(*at[7], *at[6], *at[5], *at[4], *at[3], *at[2], *at[1], *at[0]);
#else
    // GCC 12 would make this of 16 masked broadcasts.
    wide all = simde_mm512_castps128_ps512(simde_mm_set_ps(*at[3], *at[2], *at[1], *at[0]));
    all = simde_mm512_mask_broadcast_f32x4(all, 0x00f0, simde_mm_set_ps(*at[7], *at[6], *at[5], *at[4]));
    all = simde_mm512_mask_broadcast_f32x4(all, 0x0f00, simde_mm_set_ps(*at[11], *at[10], *at[9], *at[8]));
    return simde_mm512_mask_broadcast_f32x4(all, 0xf000, simde_mm_set_ps(*at[15], *at[14], *at[13], *at[12]));
#endif
}

static inline wide wide_collect_neighbours(const float *p) {
    const float *at[PM_LANES];
    for (int i = 0; i < PM_LANES; i++) at[i] = p + i;
    return wide_collect(at);
}

// Four neighbouring floats of PM_LANES records, transposed: rows[c] holds float `first + c` of each record.
// Of `first` only that records + first are readable floats is asked, no alignment.
static inline void wide_load_transposed(const float *const records[PM_LANES], uint32_t first, wide rows[4]);

#if PM_LANES == 4
static inline void wide_load_transposed(const float *const records[4], uint32_t first, wide rows[4]) {
    wide r[4];
    for (int i = 0; i < 4; i++) r[i] = simde_mm_loadu_ps(records[i] + first);
    wide low01 = simde_mm_unpacklo_ps(r[0], r[1]), low23 = simde_mm_unpacklo_ps(r[2], r[3]);
    wide high01 = simde_mm_unpackhi_ps(r[0], r[1]), high23 = simde_mm_unpackhi_ps(r[2], r[3]);
    rows[0] = simde_mm_movelh_ps(low01, low23);
    rows[1] = simde_mm_movehl_ps(low23, low01);
    rows[2] = simde_mm_movelh_ps(high01, high23);
    rows[3] = simde_mm_movehl_ps(high23, high01);
}

static inline wide_mask wide_less(wide a, wide b) {
    return simde_mm_cmplt_ps(a, b);
}

// Lanes whose 32 bits are all ones (or all zeros).
static inline wide_mask wide_mask_load(const uint32_t *lanes) {
    return simde_mm_castsi128_ps(simde_mm_load_si128((const simde__m128i *)lanes));
}

static inline wide wide_select(wide_mask mask, wide yes, wide no) {
    return simde_mm_or_ps(simde_mm_and_ps(mask, yes), simde_mm_andnot_ps(mask, no));
}

static inline wide_mask wide_mask_load_unaligned(const uint32_t *lanes) {
    return simde_mm_castsi128_ps(simde_mm_loadu_si128((const simde__m128i *)lanes));
}

// Bit i is lane i.
static inline uint32_t wide_mask_bits(wide_mask mask) {
    return (uint32_t)simde_mm_movemask_ps(mask);
}

static inline void wide_stream(float *p, wide a) {
    simde_mm_stream_ps(p, a);
}
#elif PM_LANES == 8
static inline void wide_load_transposed(const float *const records[8], uint32_t first, wide rows[4]) {
    wide r[4];
    for (int i = 0; i < 4; i++) {
        wide low = simde_mm256_castps128_ps256(simde_mm_loadu_ps(records[i] + first));
        r[i] = simde_mm256_insertf128_ps(low, simde_mm_loadu_ps(records[i + 4] + first), 1);
    }
    wide low01 = simde_mm256_unpacklo_ps(r[0], r[1]), low23 = simde_mm256_unpacklo_ps(r[2], r[3]);
    wide high01 = simde_mm256_unpackhi_ps(r[0], r[1]), high23 = simde_mm256_unpackhi_ps(r[2], r[3]);
    rows[0] = simde_mm256_shuffle_ps(low01, low23, 0x44);
    rows[1] = simde_mm256_shuffle_ps(low01, low23, 0xee);
    rows[2] = simde_mm256_shuffle_ps(high01, high23, 0x44);
    rows[3] = simde_mm256_shuffle_ps(high01, high23, 0xee);
}

static inline wide_mask wide_less(wide a, wide b) {
    return simde_mm256_cmp_ps(a, b, SIMDE_CMP_LT_OQ);
}

static inline wide_mask wide_mask_load(const uint32_t *lanes) {
    return simde_mm256_castsi256_ps(simde_mm256_load_si256((const simde__m256i *)lanes));
}

static inline wide_mask wide_mask_load_unaligned(const uint32_t *lanes) {
    return simde_mm256_castsi256_ps(simde_mm256_loadu_si256((const simde__m256i *)lanes));
}

static inline wide wide_select(wide_mask mask, wide yes, wide no) {
    return simde_mm256_blendv_ps(no, yes, mask);
}

static inline uint32_t wide_mask_bits(wide_mask mask) {
    return (uint32_t)simde_mm256_movemask_ps(mask);
}

static inline void wide_stream(float *p, wide a) {
    simde_mm256_stream_ps(p, a);
}
#else
static inline void wide_load_transposed(const float *const records[16], uint32_t first, wide rows[4]) {
    wide r[4];
    for (int i = 0; i < 4; i++) {
        r[i] = simde_mm512_castps128_ps512(simde_mm_loadu_ps(records[i] + first));
        r[i] = simde_mm512_mask_broadcast_f32x4(r[i], 0x00f0, simde_mm_loadu_ps(records[i + 4] + first));
        r[i] = simde_mm512_mask_broadcast_f32x4(r[i], 0x0f00, simde_mm_loadu_ps(records[i + 8] + first));
        r[i] = simde_mm512_mask_broadcast_f32x4(r[i], 0xf000, simde_mm_loadu_ps(records[i + 12] + first));
    }
    wide low01 = simde_mm512_unpacklo_ps(r[0], r[1]), low23 = simde_mm512_unpacklo_ps(r[2], r[3]);
    wide high01 = simde_mm512_unpackhi_ps(r[0], r[1]), high23 = simde_mm512_unpackhi_ps(r[2], r[3]);
    rows[0] = simde_mm512_shuffle_ps(low01, low23, 0x44);
    rows[1] = simde_mm512_shuffle_ps(low01, low23, 0xee);
    rows[2] = simde_mm512_shuffle_ps(high01, high23, 0x44);
    rows[3] = simde_mm512_shuffle_ps(high01, high23, 0xee);
}

static inline wide_mask wide_less(wide a, wide b) {
    return simde_mm512_cmp_ps_mask(a, b, SIMDE_CMP_LT_OQ);
}

static inline wide_mask wide_mask_load(const uint32_t *lanes) {
    simde__m512i bits = simde_mm512_load_si512(lanes);
    return simde_mm512_test_epi32_mask(bits, bits);
}

static inline wide_mask wide_mask_load_unaligned(const uint32_t *lanes) {
    simde__m512i bits = simde_mm512_loadu_si512(lanes);
    return simde_mm512_test_epi32_mask(bits, bits);
}

static inline wide wide_select(wide_mask mask, wide yes, wide no) {
    return simde_mm512_mask_blend_ps(mask, no, yes);
}

static inline uint32_t wide_mask_bits(wide_mask mask) {
    return mask;
}

// SIMDe 0.7.4 has no 512-bit stream: the native one, where there is one.
static inline void wide_stream(float *p, wide a) {
#if defined(SIMDE_X86_AVX512F_NATIVE)
    _mm512_stream_ps(p, a);
#else
    wide_store(p, a);
#endif
}
#endif

// Makes streaming stores visible to whoever learns, by ordinary means, that the run has ended.
static inline void wide_stream_fence(void) {
    simde_mm_sfence();
}

#endif
