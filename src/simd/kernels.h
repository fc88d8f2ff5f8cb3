// Posemill internals: the table that a kernels_<isa>.c fills. Jobs carry a pointer to it.
#ifndef PM_SIMD_KERNELS_H
#define PM_SIMD_KERNELS_H

#include "blend_chunk.h"
#include "palette_chunk.h"

#include <posemill/interpolate.h>
#include <posemill/kernels.h>
#include <posemill/sample.h>

struct pm_kernels {
    const char *name;
    // Instances [begin, end) of a valid job; `stream` is settled by the caller. Returns guarded lanes.
    uint64_t (*sample)(const pm_sample_job *job, uint32_t begin, uint32_t end, bool stream);
    uint64_t (*interpolate)(const pm_interpolate_job *job, uint32_t begin, uint32_t end, bool stream);
    // Blends sampled layers and writes the poses.
    uint64_t (*blend)(const pm_blend_chunk *chunk, bool stream);
    // Model matrices and palettes of poses. Returns matrices that were not finite.
    uint64_t (*palette)(const pm_palette_chunk *chunk, bool stream);
};

extern const pm_kernels pm_kernels_portable;
extern const pm_kernels pm_kernels_sse2;
extern const pm_kernels pm_kernels_avx2;
extern const pm_kernels pm_kernels_avx512;
extern const pm_kernels pm_kernels_neon;
extern const pm_kernels pm_kernels_wasm128;

#endif
