#include <posemill/palette.h>

#include "job.h"
#include "palette_chunk.h"
#include "palette_source.h"
#include "simd/kernels.h"

#include <assert.h>

enum { PALETTE_COOKIE = 0x506d5031 };

pm_palette_job pm_default_palette_job(void) {
    return (pm_palette_job){
        .cookie = PALETTE_COOKIE,
        .streaming = PM_STREAMING_AUTO,
        .block_limit = UINT32_MAX,
        .skin_count = UINT32_MAX,
    };
}

// The skins that a palette is made of; the joints of skins lie one behind the other in a skeleton.
typedef struct skin_range {
    const pm_skin *skins;
    uint32_t count, entry_count;
} skin_range;

static skin_range skins_of(const pm_palette_job *job) {
    const pm_skeleton *skeleton = job->skeleton;
    skin_range range = {NULL, 0, 0};
    if (job->first_skin >= skeleton->skin_count) return range;
    uint32_t most = skeleton->skin_count - job->first_skin;
    range.skins = skeleton->skins + job->first_skin;
    range.count = job->skin_count < most ? job->skin_count : most;
    for (uint32_t i = 0; i < range.count; i++) range.entry_count += range.skins[i].joint_count;
    return range;
}

// Validation

static const char *validate_source(const pm_palette_job *job) {
    int sources = (job->poses != NULL) + (job->sample != NULL) + (job->blend != NULL);
    if (sources + (job->interpolate != NULL) != 1)
        return "not one of poses, sample, blend and interpolate is set";
    if (job->poses) {
        size_t stride = job->pose_offsets ? 0 : job->pose_stride;
        if (!pm_is_strided(job->poses, stride, PM_ALIGNMENT))
            return "poses or pose_stride is not a multiple of 64 bytes";
        if (stride && stride < pm_palette_blocks(job) * sizeof(pm_pose_block))
            return "pose_stride is below the skeleton's pose";
        return NULL;
    }
    return pm_palette_source_validate(job);
}

static const char *validate_outputs(const pm_palette_job *job) {
    if (!job->models && !job->palettes) return "models and palettes are both NULL: nothing would be written";
    if (!pm_is_strided(job->models, job->model_offsets ? 0 : job->model_stride, PM_ALIGNMENT))
        return "models or model_stride is not a multiple of 64 bytes";
    if (!pm_is_strided(job->palettes, job->palette_offsets ? 0 : job->palette_stride, PM_ALIGNMENT))
        return "palettes or palette_stride is not a multiple of 64 bytes";
    skin_range skins = skins_of(job);
    if (job->palettes && !skins.entry_count) return "the skeleton has no such skin, or it has no joints";
    if (job->instance_count < 2) return NULL;
    if (job->models && !job->model_offsets &&
        job->model_stride < pm_matrices_size(job->skeleton->joint_count))
        return "model_stride is below the matrices of the skeleton's joints";
    if (job->palettes && !job->palette_offsets && job->palette_stride < pm_matrices_size(skins.entry_count))
        return "palette_stride is below the matrices of the skins";
    return NULL;
}

const char *pm_palette_validate(const pm_palette_job *job) {
    if (!job) return "the job is NULL";
    if (job->cookie != PALETTE_COOKIE) return "the job was not made by pm_default_palette_job";
    if (!job->kernels) return "kernels is NULL: pass pm_kernels_best()";
    if ((unsigned)job->streaming > PM_STREAMING_OFF) return "streaming is not one of AUTO, ON, OFF";
    if (!job->skeleton) return "skeleton is NULL";
    if (!job->skeleton->joint_count) return "the skeleton has no joints";
    if (!pm_is_strided(job->placements, job->placement_stride, sizeof(float)))
        return "placements or placement_stride is not a multiple of 4 bytes";
    if (job->order_count && !job->order) return "order_count is set but order is NULL";
    const char *fault = validate_source(job);
    return fault ? fault : validate_outputs(job);
}

static size_t model_bytes(const pm_palette_job *job) {
    return job->skeleton->joint_count * sizeof(float[PM_PALETTE_SCRATCH_FLOATS]);
}

size_t pm_palette_scratch_size(const pm_palette_job *job) {
    return model_bytes(job) + (job->poses ? 0 : pm_palette_source_size(job));
}

// A run: the job, what was derived from it, and the chunk at hand.
typedef struct palette_run {
    const pm_palette_job *job;
    bool stream;
    pm_palette_source source;           // where poses are made
    uint32_t indices[PM_PALETTE_CHUNK]; // of the chunk's instances
    pm_palette_chunk chunk;
} palette_run;

static size_t offset_of(const size_t *offsets, size_t stride, uint32_t instance) {
    return offsets ? offsets[instance] : instance * stride;
}

static void add_instance(palette_run *run, uint32_t instance) {
    static const float none[PM_MATRIX_FLOATS] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const pm_palette_job *job = run->job;
    if (!job->poses && !pm_palette_source_has(job, instance)) return;
    uint32_t slot = run->chunk.instance_count++;
    size_t pose = offset_of(job->pose_offsets, job->pose_stride, instance);
    size_t models = offset_of(job->model_offsets, job->model_stride, instance);
    size_t palette = offset_of(job->palette_offsets, job->palette_stride, instance);
    run->indices[slot] = instance;
    run->chunk.instances[slot] = (pm_palette_instance){
        .pose = job->poses ? (const pm_pose_block *)((const char *)job->poses + pose)
                           : pm_palette_source_pose(&run->source, slot),
        .placement = job->placements
                         ? PM_ELEMENT(const float, job->placements, instance, job->placement_stride)
                         : none,
        .models = job->models ? (float *)((char *)job->models + models) : NULL,
        .palette = job->palettes ? (float *)((char *)job->palettes + palette) : NULL,
    };
}

static uint64_t run_chunk(palette_run *run) {
    if (!run->chunk.instance_count) return 0;
    uint64_t guarded = 0;
    if (!run->job->poses)
        guarded = pm_palette_source_fill(&run->source, run->indices, run->chunk.instance_count);
    guarded += run->job->kernels->palette(&run->chunk, run->stream);
    run->chunk.instance_count = 0;
    return guarded;
}

static palette_run begin_run(const pm_palette_job *job, void *scratch) {
    const skin_range skins = skins_of(job);
    const size_t bytes = (job->models ? pm_matrices_size(job->skeleton->joint_count) : 0) +
                         (job->palettes ? pm_matrices_size(skins.entry_count) : 0);
    palette_run run;
    run.job = job;
    run.stream = pm_should_stream(job->streaming, bytes * job->instance_count);
    if (!job->poses) run.source = pm_palette_source_begin(job, (char *)scratch + model_bytes(job));
    run.chunk.skeleton = job->skeleton;
    run.chunk.block_limit = pm_palette_blocks(job);
    run.chunk.entry_count = skins.entry_count;
    run.chunk.joints = skins.entry_count ? skins.skins->joints : NULL;
    run.chunk.inverse_binds = skins.entry_count ? skins.skins->inverse_binds : NULL;
    run.chunk.scratch = scratch;
    run.chunk.instance_count = 0;
    return run;
}

uint64_t pm_palette_run(const pm_palette_job *job, uint32_t begin, uint32_t end, void *scratch) {
    assert(job->cookie == PALETTE_COOKIE && begin <= end);
    assert(end <= (job->order ? job->order_count : job->instance_count));
    assert(pm_is_aligned(scratch, PM_ALIGNMENT));
    palette_run run = begin_run(job, scratch);
    uint64_t guarded = 0;
    for (uint32_t i = begin; i < end; i++) {
        add_instance(&run, job->order ? job->order[i] : i);
        if (run.chunk.instance_count == PM_PALETTE_CHUNK) guarded += run_chunk(&run);
    }
    return guarded + run_chunk(&run);
}
