// Posemill: the palette job, from poses to model matrices and skinning palettes, for ranges of instances.
//
//     pm_palette_job job = pm_default_palette_job();
//     job.kernels = pm_kernels_best();
//     job.skeleton = skeleton;                job.instance_count = 10000;
//     job.poses = poses;                      job.pose_stride = block_count * sizeof(pm_pose_block);
//     job.palettes = palettes;                job.palette_stride = pm_matrices_size(skin->joint_count);
//     const char *fault = pm_palette_validate(&job);        // once
//     size_t size = pm_palette_scratch_size(&job);          // for each worker, 64-byte aligned
//     ...
//     pm_palette_run(&job, begin, end, scratch);            // from any thread, on disjoint ranges
//
// A matrix is three rows of four floats, row-major, the last row 0 0 0 1 left out: it takes the column
// (x, y, z, 1) to the three numbers that its rows make. With T, R and S a joint's local translation, rotation
// and scale,
//
//     local   = T * R * S
//     model   = model of the parent * local       of a root: placement * local
//     palette = model * inverse bind              of each joint of a skin, in the skin's order
//
// So model matrices take joint space to the space that the placement leads to (the character's own without
// one), and palettes take the space in which a mesh was bound there. Scales of parents that are not uniform
// shear their children, as in every matrix palette; nothing is decomposed. The sums are taken in the order
// (row[0] * x + row[1] * y) + (row[2] * z + row[3]).
#ifndef POSEMILL_PALETTE_H
#define POSEMILL_PALETTE_H

#include "blend.h"
#include "interpolate.h"
#include "kernels.h"
#include "sample.h"
#include "skeleton.h"

#ifdef __cplusplus
extern "C" {
#endif

// Floats of a matrix.
#define PM_MATRIX_FLOATS 12

// Bytes that so many matrices of one instance take: 48 each, rounded up to four of them, which are three
// cache lines. Those behind the last are written, too, as identity.
static inline size_t pm_matrices_size(uint32_t matrix_count) {
    return ((size_t)matrix_count / 4 + (matrix_count % 4 != 0)) * (4 * PM_MATRIX_FLOATS * sizeof(float));
}

// Everything a run reads and writes; plain data. Obtain from pm_default_palette_job().
typedef struct pm_palette_job {
    uint32_t cookie;        // set by pm_default_palette_job
    pm_streaming streaming; // default AUTO
    const pm_kernels *kernels;

    const pm_skeleton *skeleton; // of all instances; for a crowd of several, run a job with an order for each
    uint32_t instance_count;

    // Where local transforms come from: one of these, the others NULL. Poses that another job makes are used
    // while they are in the cache, and not written. Scalars are, as that job says, if it has any. Its poses
    // (NULL is allowed), instance_count (not below this job's), order, streaming, kernels, constants_clip,
    // block_limit and beyond do not count.
    //   poses        read, per instance, 64-byte aligned, rotations unit; as poses are written by other jobs
    //   sample       a sample job whose clips fit the skeleton. An instance whose clip index is out of range
    //                is left as it is.
    //   blend        a blend job whose clips fit the skeleton
    //   interpolate  an interpolate job, of poses with as many blocks as the skeleton's
    const pm_pose_block *poses;
    size_t pose_stride;         // bytes, a multiple of 64; 0 gives every instance the same pose
    const size_t *pose_offsets; // [instance_count], bytes, multiples of 64, not checked; NULL for the stride
    const pm_sample_job *sample;
    const pm_blend_job *blend;
    const pm_interpolate_job *interpolate;

    // Level of detail: joints in pose blocks from block_limit on rest on their parents as in the skeleton's
    // rest pose. Those blocks are not read and need not be there.
    uint32_t block_limit; // default UINT32_MAX: all

    // Read, per instance: the matrix above the root joints, such as where the character stands in the world.
    // One that is not finite counts as identity. NULL, the default, is identity for all.
    const float *placements; // [PM_MATRIX_FLOATS], aligned like a float
    size_t placement_stride; // bytes, a multiple of 4; 0 gives every instance the same one

    // Which instances a range means, as in pm_sample_job; NULL for all.
    const uint32_t *order; // [order_count], below instance_count
    uint32_t order_count;

    // Written, per instance, 64-byte aligned; strides and offsets in bytes, multiples of 64. NULL leaves
    // them out.
    float *models;               // [joint_count][PM_MATRIX_FLOATS], in the order of joints
    size_t model_stride;         // at least pm_matrices_size(joint_count)
    const size_t *model_offsets; // [instance_count], not checked; NULL for the stride
    float *palettes;             // [joints of the skins][PM_MATRIX_FLOATS], skin behind skin
    size_t palette_stride;       // at least pm_matrices_size of the skins' joints together
    const size_t *palette_offsets;

    // Which skins: skin_count of them from first_skin on, or as many as there are.
    uint32_t first_skin; // default 0
    uint32_t skin_count; // default UINT32_MAX: all
} pm_palette_job;

// Streaming AUTO, all blocks, all skins, everything else zero.
PM_API pm_palette_job pm_default_palette_job(void);

// Checks everything but the content of per-instance arrays. NULL if the job can run, else the reason in words
// (static memory). O(clips).
PM_API const char *pm_palette_validate(const pm_palette_job *job);

// Bytes of scratch memory that a run of this valid job needs: 768 a joint, and 32 poses where another job
// makes them (with what that job needs). Multiple of 64.
PM_API size_t pm_palette_scratch_size(const pm_palette_job *job);

// Evaluates instances [begin, end) of a valid job (see `order`). Thread-safe on disjoint ranges with scratch
// of their own; allocates nothing, locks nothing. The same bits on every kernel and however the range is cut.
// Where another job makes the poses, the same as if it had written them.
//   scratch  pm_palette_scratch_size bytes, 64-byte aligned (asserted); its content does not matter
//   returns  lanes guarded by the job that makes the poses, and matrices that would not have been finite, as where
//            scales of 1e18 meet: a joint's model matrix is then its parent's (a root's its placement), a
//            placement or a palette's matrix the identity. Models count whether or not they are written.
PM_API uint64_t pm_palette_run(const pm_palette_job *job, uint32_t begin, uint32_t end, void *scratch);

#ifdef __cplusplus
}
#endif

#endif
