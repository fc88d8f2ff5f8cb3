// Posemill: the blend job, from layers of clips to one pose, for ranges of instances.
//
//     pm_blend_job job = pm_default_blend_job();
//     job.kernels = pm_kernels_best();
//     job.clips = clips;                job.clip_count = 5;
//     job.layers = layers;              // [instance][layer]
//     job.layer_count = 3;              job.instance_count = 10000;
//     job.instance_stride = 3 * sizeof(pm_layer);
//     job.rest = skeleton->rest;
//     job.poses = poses;                job.pose_stride = block_count * sizeof(pm_pose_block);
//     const char *fault = pm_blend_validate(&job);          // once
//     size_t size = pm_blend_scratch_size(&job);            // for each worker, 64-byte aligned
//     ...
//     pm_blend_run(&job, begin, end, scratch);              // from any thread, on disjoint ranges
//
// Layers are applied in order, from the rest pose up. With w a layer's weight times its mask at a joint:
//
//   BLEND     a run of BLEND layers is one mix: the sum of w * pose over the run, divided by the sum of w if
//             that is above 1. Where it is below 1, the weight that is missing goes to what was there before
//             the run, which below the first layer is the rest pose.
//   OVERRIDE  a mix of its own: (1 - w) of what was there before and w of this pose
//   ADDITIVE  adds w of a difference, from an additive clip (additive.h), to what was there before:
//                 translation + w * difference
//                 rotation * (w of the difference)
//                 scale * (1 + w * (difference - 1))
//
// So two BLEND layers cross-fade with weights that sum to 1, an OVERRIDE layer with a mask lays a wave of the
// hand over a walk, and a joint outside of a mask keeps what it had, to the bit. Rotations are mixed as
// quaternions, each on the side of the sum before it, and renormalised after each step.
#ifndef POSEMILL_BLEND_H
#define POSEMILL_BLEND_H

#include "kernels.h"
#include "sample.h"

#ifdef __cplusplus
extern "C" {
#endif

// Most layers of an instance.
#define PM_LAYERS_MAX 8

typedef enum pm_layer_mode {
    PM_LAYER_BLEND,
    PM_LAYER_OVERRIDE,
    PM_LAYER_ADDITIVE,
    PM_LAYER_MODE_COUNT
} pm_layer_mode;

// One layer of one instance. Plain data of the host's, rewritten as the host likes; the playback job can
// write time_seconds where it lies.
//   clip          below clip_count; any other number turns the layer off
//   time_seconds  clip time, as in pm_sample_job; NaN gives the clip's rest pose (additive clips: nothing)
//   weight        0 to 1; above 1 counts as 1. 0, negative and NaN turn the layer off: it is not sampled.
//   mask          which mask of the job; any number that is not below mask_count is all joints
//   mode          any other number turns the layer off
typedef struct pm_layer {
    uint32_t clip;
    float time_seconds;
    float weight;
    uint32_t mask;
    pm_layer_mode mode;
} pm_layer;

// Everything a run reads and writes; plain data. Obtain from pm_default_blend_job().
typedef struct pm_blend_job {
    uint32_t cookie;        // set by pm_default_blend_job
    pm_streaming streaming; // default AUTO
    const pm_kernels *kernels;

    const pm_clip *const *clips; // [clip_count], none NULL; all of one number of joints and of scalars
    uint32_t clip_count;
    uint32_t instance_count;
    uint32_t layer_count; // 1 to PM_LAYERS_MAX, of every instance

    // Read, per instance and layer: layer l of instance i lies at
    // i * instance_stride + l * layer_stride bytes.
    const pm_layer *layers;
    size_t instance_stride; // no default
    size_t layer_stride;    // default sizeof(pm_layer)

    // Weights of joints, each [16 * block_count], 64-byte aligned; clamped to 0 to 1, NaN counts as 0.
    // Scalars have no masks.
    const float *const *masks; // [mask_count], none NULL
    uint32_t mask_count;

    // What lies below the first layer, and beyond block_limit: the skeleton's rest. Needed with poses.
    const pm_pose_block *rest;
    const float *scalar_rest; // the same for scalars

    // Which instances a range means, as in pm_sample_job; NULL for all.
    const uint32_t *order; // [order_count], below instance_count
    uint32_t order_count;

    // Read and written, per instance and layer, as in pm_sample_job. NULL is allowed.
    uint16_t *cursors;
    size_t cursor_stride;       // bytes from one instance's cursors to the next one's
    size_t layer_cursor_stride; // bytes from one layer's cursors to the next one's

    // Written, per instance, as in pm_sample_job. NULL leaves joints (scalars) out.
    pm_pose_block *poses;
    size_t pose_stride;
    float *scalars;
    size_t scalar_stride;
    const size_t *pose_offsets;
    const size_t *scalar_offsets;

    uint32_t block_limit; // level of detail, as in pm_sample_job
    pm_beyond beyond;
} pm_blend_job;

// Streaming AUTO, packed layers, all blocks, everything else zero.
PM_API pm_blend_job pm_default_blend_job(void);

// Checks everything but the content of per-instance arrays. NULL if the job can run, else the reason in words
// (static memory). O(clips + masks).
PM_API const char *pm_blend_validate(const pm_blend_job *job);

// Bytes of scratch memory that a run of this valid job needs: about a quarter of a megabyte, more only for
// very large skeletons. Multiple of 64.
PM_API size_t pm_blend_scratch_size(const pm_blend_job *job);

// Evaluates instances [begin, end) of a valid job (see `order`). Thread-safe on disjoint ranges with scratch
// of their own; allocates nothing, locks nothing. The same bits on every kernel and however the range is cut.
// A single layer of weight 1 that is not ADDITIVE and has no mask gives the sample job's pose to the bit, at
// its cost (beyond block_limit `rest`, as everywhere).
//   scratch  pm_blend_scratch_size bytes, 64-byte aligned (asserted); its content does not matter
//   returns  lanes that were guarded: those of the layers' samples (see pm_sample_run), and lanes whose
//            blend was not finite, which got their rest value
PM_API uint64_t pm_blend_run(const pm_blend_job *job, uint32_t begin, uint32_t end, void *scratch);

#ifdef __cplusplus
}
#endif

#endif
