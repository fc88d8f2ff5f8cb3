// The only code that asks what the CPU can do.
#include "kernels.h"

#include <string.h>

typedef bool (*cpu_check)(void);

static bool always(void) {
    return true;
}

#if defined(PM_HAVE_AVX2)
static bool cpu_has_avx2(void) {
    return __builtin_cpu_supports("avx2");
}
#endif

#if defined(PM_HAVE_AVX512)
static bool cpu_has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
}
#endif

// What was compiled in, slowest first.
static const struct {
    const pm_kernels *kernels;
    cpu_check runs;
} compiled[] = {
    {&pm_kernels_portable, always},
#if defined(PM_HAVE_SSE2)
    {&pm_kernels_sse2, always},
#endif
#if defined(PM_HAVE_NEON)
    {&pm_kernels_neon, always},
#endif
#if defined(PM_HAVE_WASM128)
    {&pm_kernels_wasm128, always},
#endif
#if defined(PM_HAVE_AVX2)
    {&pm_kernels_avx2, cpu_has_avx2},
#endif
#if defined(PM_HAVE_AVX512)
    {&pm_kernels_avx512, cpu_has_avx512},
#endif
};

enum { COMPILED_COUNT = sizeof compiled / sizeof compiled[0] };

const pm_kernels *pm_kernels_best(void) {
    uint32_t best = COMPILED_COUNT - 1;
    while (!compiled[best].runs()) best--;
    return compiled[best].kernels;
}

const pm_kernels *pm_kernels_at(uint32_t index) {
    for (uint32_t i = 0; i < COMPILED_COUNT; i++)
        if (compiled[i].runs() && index-- == 0) return compiled[i].kernels;
    return NULL;
}

const pm_kernels *pm_kernels_find(const char *name) {
    for (uint32_t i = 0; i < COMPILED_COUNT; i++)
        if (!strcmp(compiled[i].kernels->name, name) && compiled[i].runs()) return compiled[i].kernels;
    return NULL;
}

const char *pm_kernels_name(const pm_kernels *kernels) {
    return kernels->name;
}
