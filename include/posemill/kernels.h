// Posemill: which instruction set the kernels use.
//
// Every set of kernels gives the same bits; they differ in speed alone. Nothing is cached in a global: ask
// once and put the answer into jobs.
#ifndef POSEMILL_KERNELS_H
#define POSEMILL_KERNELS_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pm_kernels pm_kernels;

// The fastest kernels that were compiled in and that this CPU runs. Never NULL.
PM_API const pm_kernels *pm_kernels_best(void);

// Kernels by name ("portable", "sse2", "avx2", "avx512", "neon", "wasm128"), or NULL if they were not
// compiled in or this CPU cannot run them.
PM_API const pm_kernels *pm_kernels_find(const char *name);

// The index-th kernels that run here, slowest first, or NULL past the last. Index 0 is "portable".
PM_API const pm_kernels *pm_kernels_at(uint32_t index);

// Their name; static memory.
PM_API const char *pm_kernels_name(const pm_kernels *kernels);

#ifdef __cplusplus
}
#endif

#endif
