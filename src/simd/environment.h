// Posemill internals: the floating-point environment that results rely on.
//
// Round to nearest, no flushing of denormals. wide_environment_enter returns what it was, for
// wide_environment_restore. The control register is only written when it differs, since a write costs as much
// as several joints. What computes in between must be a call that is not inlined: to a compiler, arithmetic
// may move across the change.
#ifndef PM_SIMD_ENVIRONMENT_H
#define PM_SIMD_ENVIRONMENT_H

#include <stdint.h>

#if defined(__GNUC__)
#define PM_NOINLINE __attribute__((noinline))
#else
#define PM_NOINLINE
#endif

#if defined(__SSE2__)
#include <xmmintrin.h>
enum { WIDE_MXCSR_IEEE = 0x1f80, WIDE_MXCSR_FLAGS = 0x3f }; // exceptions masked; sticky flags are the host's

typedef uint32_t wide_environment;

static inline wide_environment wide_environment_enter(void) {
    uint32_t was = _mm_getcsr();
    if ((was & ~(uint32_t)WIDE_MXCSR_FLAGS) != WIDE_MXCSR_IEEE) _mm_setcsr(WIDE_MXCSR_IEEE);
    return was;
}

static inline void wide_environment_restore(wide_environment was) {
    if ((was & ~(uint32_t)WIDE_MXCSR_FLAGS) != WIDE_MXCSR_IEEE) _mm_setcsr(was);
}
#elif defined(__aarch64__)
typedef uint64_t wide_environment;

static inline wide_environment wide_environment_enter(void) {
    uint64_t was;
    __asm__ volatile("mrs %0, fpcr" : "=r"(was));
    if (was) __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0));
    return was;
}

static inline void wide_environment_restore(wide_environment was) {
    if (was) __asm__ volatile("msr fpcr, %0" : : "r"(was));
}
#else
// WebAssembly has no such register.
typedef uint32_t wide_environment;

static inline wide_environment wide_environment_enter(void) {
    return 0;
}

static inline void wide_environment_restore(wide_environment was) {
    (void)was;
}
#endif

#endif
