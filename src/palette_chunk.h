// Posemill internals: what palette.c hands to the palette kernel: where a few instances' poses are, and where
// their matrices go.
#ifndef PM_PALETTE_CHUNK_H
#define PM_PALETTE_CHUNK_H

#include <posemill/palette.h>

// Instances whose poses are made before their matrices are, where they are not in memory already.
enum { PM_PALETTE_CHUNK = 32 };

// Floats of one model matrix in scratch memory: of as many instances side by side as any kernel has lanes.
enum { PM_PALETTE_SCRATCH_FLOATS = 16 * PM_MATRIX_FLOATS };

typedef struct pm_palette_instance {
    const pm_pose_block *pose;
    const float *placement; // finite
    float *models;          // NULL to leave them out
    float *palette;
} pm_palette_instance;

typedef struct pm_palette_chunk {
    const pm_skeleton *skeleton;
    uint32_t block_limit;       // at most the skeleton's block_count
    uint32_t entry_count;       // matrices in a palette
    const uint32_t *joints;     // [entry_count]
    const float *inverse_binds; // [entry_count][PM_MATRIX_FLOATS]
    float *scratch;             // [joint_count][PM_PALETTE_SCRATCH_FLOATS], 64-byte aligned
    uint32_t instance_count;
    pm_palette_instance instances[PM_PALETTE_CHUNK];
} pm_palette_chunk;

#endif
