// Posemill internals: poses of a few instances, made by the job that a palette job names, and kept in
// scratch memory until their matrices are made.
#ifndef PM_PALETTE_SOURCE_H
#define PM_PALETTE_SOURCE_H

#include "palette_chunk.h"

// A run's scratch memory for it. Sizes are of one instance.
typedef struct pm_palette_source {
    const pm_palette_job *job;
    size_t pose_bytes, cursor_bytes; // cursors of one of its layers
    uint32_t layer_count;            // that have cursors
    char *poses, *cursors;
    void *blend_scratch;
} pm_palette_source;

// Pose blocks that are evaluated.
uint32_t pm_palette_blocks(const pm_palette_job *job);

// NULL if poses can be made, else the reason.
const char *pm_palette_source_validate(const pm_palette_job *job);

// Bytes of scratch memory, a multiple of 64.
size_t pm_palette_source_size(const pm_palette_job *job);

pm_palette_source pm_palette_source_begin(const pm_palette_job *job, char *scratch);

// Whether an instance has a pose.
bool pm_palette_source_has(const pm_palette_job *job, uint32_t instance);

// Where the pose of the chunk's instance number `slot` will be.
const pm_pose_block *pm_palette_source_pose(const pm_palette_source *source, uint32_t slot);

// Makes the poses of `instances`, [count], in the slots 0 to count - 1. Returns guarded lanes.
uint64_t pm_palette_source_fill(const pm_palette_source *source, const uint32_t *instances, uint32_t count);

#endif
