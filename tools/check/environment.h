// The floating-point mode of a host that rounds upwards and flushes denormals to zero. WebAssembly has no
// modes.
#ifndef PM_CHECK_ENVIRONMENT_H
#define PM_CHECK_ENVIRONMENT_H

#include <stdint.h>

#if defined(__SSE2__)
#include <xmmintrin.h>

#define PM_CHECK_HOSTILE 0xDFC0u // MXCSR: flush to zero, round up, exceptions masked, denormals are zero
#define PM_CHECK_MODE    0xFFC0u // without the sticky flags

static inline uint64_t pm_check_environment(void) {
    return _mm_getcsr() & PM_CHECK_MODE;
}

static inline void pm_check_set_environment(uint64_t mode) {
    _mm_setcsr((uint32_t)mode);
}
#elif defined(__aarch64__)
#define PM_CHECK_HOSTILE 0x3400000u // FPCR: default NaN, flush to zero, round towards plus infinity

static inline uint64_t pm_check_environment(void) {
    uint64_t mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    return mode;
}

static inline void pm_check_set_environment(uint64_t mode) {
    __asm__ volatile("msr fpcr, %0" : : "r"(mode));
}
#else
#define PM_CHECK_HOSTILE 0u

static inline uint64_t pm_check_environment(void) {
    return 0;
}

static inline void pm_check_set_environment(uint64_t mode) {
    (void)mode;
}
#endif

#endif
