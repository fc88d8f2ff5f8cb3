#include "palette_source.h"
#include "job.h"
#include "simd/kernels.h"

#include <string.h>

uint32_t pm_palette_blocks(const pm_palette_job *job) {
    uint32_t blocks = job->skeleton->block_count;
    return job->block_limit < blocks ? job->block_limit : blocks;
}

static size_t pose_bytes(const pm_palette_job *job) {
    return pm_palette_blocks(job) * sizeof(pm_pose_block);
}

// The host's jobs, as far as they say what a pose is made of.

static pm_sample_job sample_job_of(const pm_palette_job *job, void *poses) {
    pm_sample_job sample = *job->sample;
    sample.kernels = job->kernels;
    sample.streaming = PM_STREAMING_OFF;
    sample.order = NULL;
    sample.order_count = 0;
    sample.constants_clip = NULL;
    sample.poses = poses;
    sample.pose_stride = pose_bytes(job);
    sample.pose_offsets = NULL;
    sample.block_limit = pm_palette_blocks(job);
    sample.beyond = PM_BEYOND_KEEP;
    return sample;
}

static pm_blend_job blend_job_of(const pm_palette_job *job, void *poses) {
    pm_blend_job blend = *job->blend;
    blend.kernels = job->kernels;
    blend.streaming = PM_STREAMING_OFF;
    blend.order = NULL;
    blend.order_count = 0;
    blend.poses = poses;
    blend.pose_stride = pose_bytes(job);
    blend.pose_offsets = NULL;
    blend.block_limit = pm_palette_blocks(job);
    blend.beyond = PM_BEYOND_KEEP;
    return blend;
}

static pm_interpolate_job interpolate_job_of(const pm_palette_job *job, void *poses) {
    pm_interpolate_job interpolate = *job->interpolate;
    interpolate.kernels = job->kernels;
    interpolate.streaming = PM_STREAMING_OFF;
    interpolate.order = NULL;
    interpolate.order_count = 0;
    interpolate.poses = poses;
    interpolate.pose_stride = pose_bytes(job);
    interpolate.pose_offsets = NULL;
    interpolate.block_count = pm_palette_blocks(job);
    return interpolate;
}

static const char *validate_clips(const pm_palette_job *job, const pm_clip *const *clips, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (clips[i]->joint_count != job->skeleton->joint_count)
            return "a clip has another number of joints than the skeleton";
    return NULL;
}

// Stands for poses where nothing is written, but it matters that there are some.
static void *any_poses(const pm_palette_job *job) {
    return (void *)(uintptr_t)job->skeleton->rest;
}

static const char *validate_sample(const pm_palette_job *job) {
    if (job->sample->instance_count < job->instance_count) return "sample has fewer instances than the job";
    pm_sample_job sample = sample_job_of(job, any_poses(job));
    const char *fault = pm_sample_validate(&sample);
    return fault ? fault : validate_clips(job, sample.clips, sample.clip_count);
}

static const char *validate_blend(const pm_palette_job *job) {
    if (job->blend->instance_count < job->instance_count) return "blend has fewer instances than the job";
    pm_blend_job blend = blend_job_of(job, any_poses(job));
    const char *fault = pm_blend_validate(&blend);
    return fault ? fault : validate_clips(job, blend.clips, blend.clip_count);
}

static const char *validate_interpolate(const pm_palette_job *job) {
    if (job->interpolate->instance_count < job->instance_count)
        return "interpolate has fewer instances than the job";
    if (job->interpolate->block_count != job->skeleton->block_count)
        return "interpolate has another block_count than the skeleton";
    pm_interpolate_job interpolate = interpolate_job_of(job, any_poses(job));
    interpolate.block_count = job->skeleton->block_count; // a block_limit of 0 is no fault
    interpolate.pose_stride = job->skeleton->block_count * sizeof(pm_pose_block);
    return pm_interpolate_validate(&interpolate);
}

const char *pm_palette_source_validate(const pm_palette_job *job) {
    if (job->sample) return validate_sample(job);
    return job->blend ? validate_blend(job) : validate_interpolate(job);
}

static size_t most_cursor_bytes(const pm_clip *const *clips, uint32_t clip_count) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < clip_count; i++)
        most = most < clips[i]->cursor_count ? clips[i]->cursor_count : most;
    return most * sizeof(uint16_t);
}

static pm_palette_source measure(const pm_palette_job *job) {
    pm_palette_source source = {.job = job, .pose_bytes = pose_bytes(job)};
    if (job->sample && job->sample->cursors) {
        source.layer_count = 1;
        source.cursor_bytes = most_cursor_bytes(job->sample->clips, job->sample->clip_count);
    } else if (job->blend && job->blend->cursors) {
        source.layer_count = job->blend->layer_count;
        source.cursor_bytes = most_cursor_bytes(job->blend->clips, job->blend->clip_count);
    }
    return source;
}

static size_t poses_size(const pm_palette_source *source) {
    return PM_PALETTE_CHUNK * source->pose_bytes;
}

static size_t cursors_size(const pm_palette_source *source) {
    return (size_t)pm_align(PM_PALETTE_CHUNK * source->layer_count * source->cursor_bytes);
}

size_t pm_palette_source_size(const pm_palette_job *job) {
    const pm_palette_source source = measure(job);
    size_t size = poses_size(&source) + cursors_size(&source);
    if (!job->blend) return size;
    pm_blend_job blend = blend_job_of(job, any_poses(job));
    return size + pm_blend_scratch_size(&blend);
}

pm_palette_source pm_palette_source_begin(const pm_palette_job *job, char *scratch) {
    pm_palette_source source = measure(job);
    source.poses = scratch;
    source.cursors = source.poses + poses_size(&source);
    source.blend_scratch = source.cursors + cursors_size(&source);
    return source;
}

bool pm_palette_source_has(const pm_palette_job *job, uint32_t instance) {
    if (!job->sample) return true;
    return PM_READ(uint32_t, job->sample->clip_index, instance, job->sample->clip_index_stride) <
           job->sample->clip_count;
}

const pm_pose_block *pm_palette_source_pose(const pm_palette_source *source, uint32_t slot) {
    return (const pm_pose_block *)(source->poses + slot * source->pose_bytes);
}

// Cursors from the host's arrays to scratch memory, or back.
static void copy_cursors(const pm_palette_source *source, const uint32_t *instances, uint32_t count,
                         bool back) {
    const pm_sample_job *sample = source->job->sample;
    const pm_blend_job *blend = source->job->blend;
    const size_t layer_stride = sample ? 0 : blend->layer_cursor_stride;
    char *scratch = source->cursors;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t l = 0; l < source->layer_count; l++, scratch += source->cursor_bytes) {
            char *host = sample ? PM_ELEMENT(char, sample->cursors, instances[i], sample->cursor_stride)
                                : PM_ELEMENT(char, blend->cursors, instances[i], blend->cursor_stride);
            host += l * layer_stride;
            memcpy(back ? host : scratch, back ? scratch : host, source->cursor_bytes);
        }
}

// Where the host has what belongs to a chunk's instances, in an array at `base`. NULL: there is none.
static const size_t *find_offsets(const void *base, size_t stride, const size_t *of_instances,
                                  const uint32_t *instances, uint32_t count, size_t *offsets) {
    for (uint32_t i = 0; base && i < count; i++)
        offsets[i] = of_instances ? of_instances[instances[i]] : instances[i] * stride;
    return base ? offsets : NULL;
}

static uint64_t sample_poses(const pm_palette_source *source, const uint32_t *instances, uint32_t count) {
    const pm_sample_job *from = source->job->sample;
    uint32_t clips[PM_PALETTE_CHUNK];
    float times[PM_PALETTE_CHUNK];
    size_t scalars[PM_PALETTE_CHUNK];
    for (uint32_t i = 0; i < count; i++) {
        clips[i] = PM_READ(uint32_t, from->clip_index, instances[i], from->clip_index_stride);
        times[i] = PM_READ(float, from->time_seconds, instances[i], from->time_stride);
    }
    pm_sample_job sample = sample_job_of(source->job, source->poses);
    sample.instance_count = count;
    sample.clip_index = clips;
    sample.clip_index_stride = sizeof *clips;
    sample.time_seconds = times;
    sample.time_stride = sizeof *times;
    sample.cursors = source->layer_count ? (uint16_t *)source->cursors : NULL;
    sample.cursor_stride = source->cursor_bytes;
    sample.scalar_offsets =
        find_offsets(from->scalars, from->scalar_stride, from->scalar_offsets, instances, count, scalars);
    return sample.kernels->sample(&sample, 0, count, false);
}

static uint64_t blend_poses(const pm_palette_source *source, const uint32_t *instances, uint32_t count) {
    const pm_blend_job *from = source->job->blend;
    pm_layer layers[PM_PALETTE_CHUNK][PM_LAYERS_MAX];
    size_t scalars[PM_PALETTE_CHUNK];
    for (uint32_t i = 0; i < count; i++) {
        const char *first = PM_ELEMENT(const char, from->layers, instances[i], from->instance_stride);
        for (uint32_t l = 0; l < from->layer_count; l++)
            layers[i][l] = PM_READ(pm_layer, first, l, from->layer_stride);
    }
    pm_blend_job blend = blend_job_of(source->job, source->poses);
    blend.instance_count = count;
    blend.layers = layers[0];
    blend.instance_stride = sizeof layers[0];
    blend.layer_stride = sizeof layers[0][0];
    blend.cursors = source->layer_count ? (uint16_t *)source->cursors : NULL;
    blend.cursor_stride = source->layer_count * source->cursor_bytes;
    blend.layer_cursor_stride = source->cursor_bytes;
    blend.scalar_offsets =
        find_offsets(from->scalars, from->scalar_stride, from->scalar_offsets, instances, count, scalars);
    return pm_blend_run(&blend, 0, count, source->blend_scratch);
}

// Where one end of a chunk's instances is.
typedef struct end_offsets {
    size_t poses[PM_PALETTE_CHUNK], scalars[PM_PALETTE_CHUNK];
} end_offsets;

static void find_end(pm_pose_source *end, const uint32_t *instances, uint32_t count, end_offsets *offsets) {
    end->pose_offsets =
        find_offsets(end->poses, end->pose_stride, end->pose_offsets, instances, count, offsets->poses);
    end->scalar_offsets = find_offsets(end->scalars, end->scalar_stride, end->scalar_offsets, instances,
                                       count, offsets->scalars);
}

static uint64_t interpolate_poses(const pm_palette_source *source, const uint32_t *instances,
                                  uint32_t count) {
    const pm_interpolate_job *from = source->job->interpolate;
    float fractions[PM_PALETTE_CHUNK];
    size_t scalars[PM_PALETTE_CHUNK];
    end_offsets from_offsets, to_offsets;
    for (uint32_t i = 0; from->fractions && i < count; i++)
        fractions[i] = PM_READ(float, from->fractions, instances[i], from->fraction_stride);
    pm_interpolate_job interpolate = interpolate_job_of(source->job, source->poses);
    interpolate.instance_count = count;
    find_end(&interpolate.from, instances, count, &from_offsets);
    find_end(&interpolate.to, instances, count, &to_offsets);
    interpolate.fractions = from->fractions ? fractions : NULL;
    interpolate.fraction_stride = sizeof *fractions;
    interpolate.scalar_offsets =
        find_offsets(from->scalars, from->scalar_stride, from->scalar_offsets, instances, count, scalars);
    return interpolate.kernels->interpolate(&interpolate, 0, count, false);
}

uint64_t pm_palette_source_fill(const pm_palette_source *source, const uint32_t *instances, uint32_t count) {
    if (source->cursor_bytes) copy_cursors(source, instances, count, false);
    uint64_t guarded = source->job->sample  ? sample_poses(source, instances, count)
                       : source->job->blend ? blend_poses(source, instances, count)
                                            : interpolate_poses(source, instances, count);
    if (source->cursor_bytes) copy_cursors(source, instances, count, true);
    return guarded;
}
