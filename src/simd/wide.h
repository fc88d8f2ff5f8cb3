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
#if defined(__wasm_simd128__)
#include <simde/wasm/simd128.h>
#endif
typedef simde__m128 wide;
typedef simde__m128 wide_mask;
#define PM_WIDE(operation) simde_mm_##operation
#elif PM_LANES == 8
#include <simde/x86/avx2.h>
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

// PM_LANES numbers of 16 bits, aligned to half the size of a wide. Of the widest kind SIMDe 0.7.4 has none.
static inline wide wide_load_packed(const uint16_t *p) {
#if PM_LANES == 4
    simde__m128i packed = simde_mm_loadl_epi64((const simde__m128i *)p);
    return simde_mm_cvtepi32_ps(simde_mm_unpacklo_epi16(packed, simde_mm_setzero_si128()));
#elif PM_LANES == 8
    return simde_mm256_cvtepi32_ps(simde_mm256_cvtepu16_epi32(simde_mm_load_si128((const simde__m128i *)p)));
#else
    return _mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(_mm256_load_si256((const __m256i *)p)));
#endif
}

static inline wide wide_load_packed_signed(const int16_t *p) {
#if PM_LANES == 4
    simde__m128i packed = simde_mm_loadl_epi64((const simde__m128i *)p);
    return simde_mm_cvtepi32_ps(simde_mm_srai_epi32(simde_mm_unpacklo_epi16(packed, packed), 16));
#elif PM_LANES == 8
    return simde_mm256_cvtepi32_ps(simde_mm256_cvtepi16_epi32(simde_mm_load_si128((const simde__m128i *)p)));
#else
    return _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm256_load_si256((const __m256i *)p)));
#endif
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

// PM_LANES sums. Spelled out, as GCC 12 takes vectors apart to add them where the numbers have other uses.
static inline void wide_add_integers(uint32_t *sum, const uint32_t *a, const uint32_t *b) {
#if PM_LANES == 4
    simde__m128i first = simde_mm_loadu_si128((const simde__m128i *)a);
    simde__m128i second = simde_mm_loadu_si128((const simde__m128i *)b);
    simde_mm_storeu_si128((simde__m128i *)sum, simde_mm_add_epi32(first, second));
#elif PM_LANES == 8
    simde__m256i first = simde_mm256_loadu_si256((const simde__m256i *)a);
    simde__m256i second = simde_mm256_loadu_si256((const simde__m256i *)b);
    simde_mm256_storeu_si256((simde__m256i *)sum, simde_mm256_add_epi32(first, second));
#else
    simde__m512i first = simde_mm512_loadu_si512(a), second = simde_mm512_loadu_si512(b);
    simde_mm512_storeu_si512(sum, simde_mm512_add_epi32(first, second));
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

// base[index], of PM_LANES indices below 2^31 that are aligned like PM_LANES floats. Indices that were stored
// one by one want wide_collect.
static inline wide wide_gather(const float *base, const uint32_t *index) {
#if PM_LANES == 4
    return simde_mm_set_ps(base[index[3]], base[index[2]], base[index[1]], base[index[0]]);
#elif PM_LANES == 8
    return simde_mm256_i32gather_ps(base, simde_mm256_load_si256((const simde__m256i *)index), 4);
#else
    return _mm512_i32gather_ps(_mm512_load_si512(index), base, 4); // SIMDe 0.7.4 has none
#endif
}

// Records of floats, `bytes` from one to the next, aligned to nothing but a float.
typedef struct wide_records {
    const char *base;
    size_t bytes;
} wide_records;

static inline const float *wide_record(wide_records from, uint32_t number) {
    return (const float *)(from.base + number * from.bytes);
}

// Four floats of each record numbered number[0], number[4] and so on, one behind the other.
static inline wide wide_load_quarters(wide_records from, const uint32_t *number, uint32_t first);

// Of r[i], the i-th records of each quarter, to rows[c], the c-th floats of all records. Only by shuffles of
// this kind, as some processors make two of them a cycle, and of others one.
static inline void wide_transpose_quarters(const wide r[4], wide rows[4]) {
    wide low01 = PM_WIDE(shuffle_ps)(r[0], r[1], 0x44), low23 = PM_WIDE(shuffle_ps)(r[2], r[3], 0x44);
    wide high01 = PM_WIDE(shuffle_ps)(r[0], r[1], 0xee), high23 = PM_WIDE(shuffle_ps)(r[2], r[3], 0xee);
    rows[0] = PM_WIDE(shuffle_ps)(low01, low23, 0x88);
    rows[1] = PM_WIDE(shuffle_ps)(low01, low23, 0xdd);
    rows[2] = PM_WIDE(shuffle_ps)(high01, high23, 0x88);
    rows[3] = PM_WIDE(shuffle_ps)(high01, high23, 0xdd);
}

enum { WIDE_QUARTERS = PM_LANES / 4 };

// Float `component` of each quarter, in all four places of the quarter.
#define wide_splat(a, component) PM_WIDE(shuffle_ps)(a, a, (component)*0x55)

// Four floats from each of as many places as there are quarters.
static inline wide wide_load_each(const float *const at[WIDE_QUARTERS], size_t offset);

// The same four floats in each quarter.
static inline wide wide_load_everywhere(const float *p);

// Of as many vectors as there are quarters, to[i]: the i-th quarters of all.
static inline void wide_exchange_quarters(const wide from[WIDE_QUARTERS], wide to[WIDE_QUARTERS]);

#if PM_LANES == 4
static inline wide wide_load_quarters(wide_records from, const uint32_t *number, uint32_t first) {
    return simde_mm_loadu_ps(wide_record(from, number[0]) + first);
}

static inline wide wide_load_each(const float *const at[WIDE_QUARTERS], size_t offset) {
    return simde_mm_loadu_ps(at[0] + offset);
}

static inline wide wide_load_everywhere(const float *p) {
    return simde_mm_loadu_ps(p);
}

static inline void wide_exchange_quarters(const wide from[WIDE_QUARTERS], wide to[WIDE_QUARTERS]) {
    to[0] = from[0];
}

static inline wide_mask wide_less(wide a, wide b) {
    return simde_mm_cmplt_ps(a, b);
}

// Lanes whose 32 bits are all ones (the others' are all zeros).
static inline wide_mask wide_mask_load(const uint32_t *lanes) {
    return simde_mm_castsi128_ps(simde_mm_load_si128((const simde__m128i *)lanes));
}

// a, or 0.
static inline wide wide_where(wide_mask mask, wide a) {
    return simde_mm_and_ps(mask, a);
}

static inline wide wide_select(wide_mask mask, wide yes, wide no) {
    return simde_mm_or_ps(simde_mm_and_ps(mask, yes), simde_mm_andnot_ps(mask, no));
}

// One lane alone.
static inline wide_mask wide_mask_lane(uint32_t lane) {
    static const uint32_t masks[2 * PM_LANES] = {[PM_LANES] = UINT32_MAX};
    const uint32_t *lanes = masks + PM_LANES - lane;
    return simde_mm_castsi128_ps(simde_mm_loadu_si128((const simde__m128i *)lanes));
}

// Bit i is lane i.
static inline uint32_t wide_mask_bits(wide_mask mask) {
#if defined(__wasm_simd128__)
    return simde_wasm_i32x4_bitmask(mask); // SIMDe 0.7.4 takes the other apart, lane by lane
#else
    return (uint32_t)simde_mm_movemask_ps(mask);
#endif
}

static inline void wide_stream(float *p, wide a) {
    simde_mm_stream_ps(p, a);
}
#elif PM_LANES == 8
static inline wide wide_load_quarters(wide_records from, const uint32_t *number, uint32_t first) {
    wide low = simde_mm256_castps128_ps256(simde_mm_loadu_ps(wide_record(from, number[0]) + first));
    return simde_mm256_insertf128_ps(low, simde_mm_loadu_ps(wide_record(from, number[4]) + first), 1);
}

static inline wide wide_load_each(const float *const at[WIDE_QUARTERS], size_t offset) {
    wide low = simde_mm256_castps128_ps256(simde_mm_loadu_ps(at[0] + offset));
    return simde_mm256_insertf128_ps(low, simde_mm_loadu_ps(at[1] + offset), 1);
}

static inline wide wide_load_everywhere(const float *p) {
    return simde_mm256_broadcast_ps((const simde__m128 *)p);
}

static inline void wide_exchange_quarters(const wide from[WIDE_QUARTERS], wide to[WIDE_QUARTERS]) {
    to[0] = simde_mm256_permute2f128_ps(from[0], from[1], 0x20);
    to[1] = simde_mm256_permute2f128_ps(from[0], from[1], 0x31);
}

static inline wide_mask wide_less(wide a, wide b) {
    return simde_mm256_cmp_ps(a, b, SIMDE_CMP_LT_OQ);
}

static inline wide_mask wide_mask_load(const uint32_t *lanes) {
    return simde_mm256_castsi256_ps(simde_mm256_load_si256((const simde__m256i *)lanes));
}

static inline wide_mask wide_mask_lane(uint32_t lane) {
    static const uint32_t masks[2 * PM_LANES] = {[PM_LANES] = UINT32_MAX};
    const uint32_t *lanes = masks + PM_LANES - lane;
    return simde_mm256_castsi256_ps(simde_mm256_loadu_si256((const simde__m256i *)lanes));
}

// a, or 0.
static inline wide wide_where(wide_mask mask, wide a) {
    return simde_mm256_and_ps(mask, a);
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
static inline wide wide_load_quarters(wide_records from, const uint32_t *number, uint32_t first) {
    wide r = simde_mm512_castps128_ps512(simde_mm_loadu_ps(wide_record(from, number[0]) + first));
    r = simde_mm512_mask_broadcast_f32x4(r, 0x00f0, simde_mm_loadu_ps(wide_record(from, number[4]) + first));
    r = simde_mm512_mask_broadcast_f32x4(r, 0x0f00, simde_mm_loadu_ps(wide_record(from, number[8]) + first));
    return simde_mm512_mask_broadcast_f32x4(r, 0xf000,
                                            simde_mm_loadu_ps(wide_record(from, number[12]) + first));
}

static inline wide wide_load_each(const float *const at[WIDE_QUARTERS], size_t offset) {
    wide r = simde_mm512_castps128_ps512(simde_mm_loadu_ps(at[0] + offset));
    r = simde_mm512_mask_broadcast_f32x4(r, 0x00f0, simde_mm_loadu_ps(at[1] + offset));
    r = simde_mm512_mask_broadcast_f32x4(r, 0x0f00, simde_mm_loadu_ps(at[2] + offset));
    return simde_mm512_mask_broadcast_f32x4(r, 0xf000, simde_mm_loadu_ps(at[3] + offset));
}

static inline wide wide_load_everywhere(const float *p) {
    return simde_mm512_broadcast_f32x4(simde_mm_loadu_ps(p));
}

static inline void wide_exchange_quarters(const wide from[WIDE_QUARTERS], wide to[WIDE_QUARTERS]) {
    wide low01 = simde_mm512_shuffle_f32x4(from[0], from[1], 0x44);
    wide low23 = simde_mm512_shuffle_f32x4(from[2], from[3], 0x44);
    wide high01 = simde_mm512_shuffle_f32x4(from[0], from[1], 0xee);
    wide high23 = simde_mm512_shuffle_f32x4(from[2], from[3], 0xee);
    to[0] = simde_mm512_shuffle_f32x4(low01, low23, 0x88);
    to[1] = simde_mm512_shuffle_f32x4(low01, low23, 0xdd);
    to[2] = simde_mm512_shuffle_f32x4(high01, high23, 0x88);
    to[3] = simde_mm512_shuffle_f32x4(high01, high23, 0xdd);
}

static inline wide_mask wide_less(wide a, wide b) {
    return simde_mm512_cmp_ps_mask(a, b, SIMDE_CMP_LT_OQ);
}

static inline wide_mask wide_mask_load(const uint32_t *lanes) {
    simde__m512i bits = simde_mm512_load_si512(lanes);
    return simde_mm512_test_epi32_mask(bits, bits);
}

static inline wide_mask wide_mask_lane(uint32_t lane) {
    return (wide_mask)(1u << lane);
}

// a, or 0.
static inline wide wide_where(wide_mask mask, wide a) {
    return simde_mm512_maskz_mov_ps(mask, a);
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

// The first 4 * chunks floats of PM_LANES records, transposed: rows[c] holds float c of each record. Records
// are read one after the other where registers are enough for all that comes of them: else more pointers
// would be alive than there are places for.
static inline void wide_load_transposed(wide_records from, const uint32_t number[PM_LANES], uint32_t chunks,
                                        wide rows[]) {
    wide r[4][4];
    if (PM_LANES >= 8) {
        for (uint32_t i = 0; i < 4; i++)
            for (uint32_t c = 0; c < chunks; c++) r[c][i] = wide_load_quarters(from, number + i, 4 * c);
        for (uint32_t c = 0; c < chunks; c++) wide_transpose_quarters(r[c], rows + 4 * c);
    } else {
        for (uint32_t c = 0; c < chunks; c++) {
            for (uint32_t i = 0; i < 4; i++) r[c][i] = wide_load_quarters(from, number + i, 4 * c);
            wide_transpose_quarters(r[c], rows + 4 * c);
        }
    }
}

// Makes streaming stores visible to whoever learns, by ordinary means, that the run has ended.
static inline void wide_stream_fence(void) {
    simde_mm_sfence();
}

#endif
