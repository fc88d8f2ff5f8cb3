// Posemill internals: all that a kernels_<isa>.c compiles, once it has said how many lanes it has.
#ifndef PM_SIMD_KERNELS_BODY_H
#define PM_SIMD_KERNELS_BODY_H

#include "blend_kernel.h"
#include "interpolate_kernel.h"
#include "palette_kernel.h"
#include "sample_kernel.h"

#define PM_DEFINE_KERNELS(isa)                                                                               \
    const pm_kernels pm_kernels_##isa = {                                                                    \
        .name = #isa,                                                                                        \
        .sample = run_sample,                                                                                \
        .interpolate = run_interpolate,                                                                      \
        .blend = run_blend,                                                                                  \
        .palette = run_palettes,                                                                             \
    }

#endif
