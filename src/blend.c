#include <posemill/blend.h>

#include "blend_chunk.h"
#include "job.h"
#include "simd/environment.h"
#include "simd/kernels.h"

#include <assert.h>
#include <string.h>

enum { BLEND_COOKIE = 0x506d4231 };

// Sampled layers that a chunk may hold: they are read back at once, and a second-level cache has that much.
#define SCRATCH_BYTES ((size_t)256 << 10)

pm_blend_job pm_default_blend_job(void) {
    return (pm_blend_job){
        .cookie = BLEND_COOKIE,
        .streaming = PM_STREAMING_AUTO,
        .layer_stride = sizeof(pm_layer),
        .block_limit = UINT32_MAX,
    };
}

static uint32_t all_blocks(const pm_blend_job *job) {
    return pm_block_count(job->clips[0]->joint_count);
}

static uint32_t evaluated_blocks(const pm_blend_job *job) {
    uint32_t blocks = all_blocks(job);
    return job->block_limit < blocks ? job->block_limit : blocks;
}

static uint32_t written_blocks(const pm_blend_job *job) {
    return job->beyond == PM_BEYOND_KEEP ? evaluated_blocks(job) : all_blocks(job);
}

static size_t scalar_bytes(const pm_blend_job *job) {
    return pm_block_count(job->clips[0]->scalar_count) * PM_BLOCK_LANES * sizeof(float);
}

static uint32_t most_cursors(const pm_blend_job *job) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < job->clip_count; i++)
        most = most < job->clips[i]->cursor_count ? job->clips[i]->cursor_count : most;
    return most;
}

static const char *validate_layers(const pm_blend_job *job) {
    for (uint32_t i = 1; i < job->clip_count; i++)
        if (job->clips[i]->joint_count != job->clips[0]->joint_count ||
            job->clips[i]->scalar_count != job->clips[0]->scalar_count)
            return "clips differ in their number of joints or scalars";
    if (!job->layers) return "layers is NULL";
    if (!job->layer_count || job->layer_count > PM_LAYERS_MAX) return "layer_count is not 1 to PM_LAYERS_MAX";
    if (!pm_is_strided(job->layers, job->layer_stride, _Alignof(pm_layer)))
        return "layers or layer_stride is not a multiple of 4 bytes";
    if (job->instance_stride % _Alignof(pm_layer)) return "instance_stride is not a multiple of 4 bytes";
    if (job->mask_count && !job->masks) return "mask_count is set but masks is NULL";
    for (uint32_t i = 0; i < job->mask_count; i++) {
        if (!job->masks[i]) return "masks contains a NULL pointer";
        if (!pm_is_aligned(job->masks[i], PM_ALIGNMENT))
            return "masks contains a mask that is not 64-byte aligned";
    }
    if (job->order_count && !job->order) return "order_count is set but order is NULL";
    return NULL;
}

static const char *validate_cursors(const pm_blend_job *job) {
    if (!job->cursors) return NULL;
    if (!pm_is_strided(job->cursors, job->cursor_stride, sizeof(uint16_t)) ||
        job->layer_cursor_stride % sizeof(uint16_t))
        return "cursors or their strides are not multiples of 2 bytes";
    size_t bytes = most_cursors(job) * sizeof(uint16_t);
    if (job->layer_count > 1 && job->layer_cursor_stride < bytes)
        return "layer_cursor_stride is below 2 bytes for each of a clip's cursors";
    if (job->instance_count > 1 && job->cursor_stride < bytes)
        return "cursor_stride is below 2 bytes for each of a clip's cursors";
    return NULL;
}

static const char *validate_outputs(const pm_blend_job *job) {
    if (!job->poses && !job->scalars) return "poses and scalars are both NULL: nothing would be written";
    if (job->poses && !job->rest) return "rest is NULL: pass the skeleton's";
    if (!pm_is_aligned(job->rest, PM_ALIGNMENT)) return "rest is not 64-byte aligned";
    if (job->scalars && !job->scalar_rest) return "scalar_rest is NULL: pass the skeleton's";
    if (!pm_is_aligned(job->scalar_rest, PM_ALIGNMENT)) return "scalar_rest is not 64-byte aligned";
    if (!pm_is_strided(job->poses, job->pose_offsets ? 0 : job->pose_stride, PM_ALIGNMENT))
        return "poses or pose_stride is not a multiple of 64 bytes";
    if (!pm_is_strided(job->scalars, job->scalar_offsets ? 0 : job->scalar_stride, PM_ALIGNMENT))
        return "scalars or scalar_stride is not a multiple of 64 bytes";
    if (job->instance_count < 2) return NULL;
    if (job->poses && !job->pose_offsets && job->pose_stride < written_blocks(job) * sizeof(pm_pose_block))
        return "pose_stride is below the pose of a clip";
    if (job->scalars && !job->scalar_offsets && job->scalar_stride < scalar_bytes(job))
        return "scalar_stride is below the scalars of a clip";
    return NULL;
}

const char *pm_blend_validate(const pm_blend_job *job) {
    if (!job) return "the job is NULL";
    if (job->cookie != BLEND_COOKIE) return "the job was not made by pm_default_blend_job";
    if (!job->kernels) return "kernels is NULL: pass pm_kernels_best()";
    if ((unsigned)job->streaming > PM_STREAMING_OFF) return "streaming is not one of AUTO, ON, OFF";
    if ((unsigned)job->beyond > PM_BEYOND_KEEP) return "beyond is not one of REST, KEEP";
    const char *fault = pm_validate_clips(job->clips, job->clip_count);
    if (!fault) fault = validate_layers(job);
    if (!fault) fault = validate_cursors(job);
    return fault ? fault : validate_outputs(job);
}

// Scratch memory: for each layer and instance of a chunk a pose and scalars, and for one layer cursors.
typedef struct scratch_layout {
    size_t pose_bytes, scalar_bytes, cursor_bytes;
    uint32_t chunk; // instances at a time
} scratch_layout;

static scratch_layout lay_out_scratch(const pm_blend_job *job) {
    scratch_layout layout = {
        .pose_bytes = job->poses ? evaluated_blocks(job) * sizeof(pm_pose_block) : 0,
        .scalar_bytes = job->scalars ? scalar_bytes(job) : 0,
        .cursor_bytes = most_cursors(job) * sizeof(uint16_t),
    };
    size_t instance_bytes =
        (layout.pose_bytes + layout.scalar_bytes) * job->layer_count + layout.cursor_bytes;
    size_t fitting = instance_bytes ? SCRATCH_BYTES / instance_bytes : PM_BLEND_CHUNK;
    layout.chunk = (uint32_t)(fitting < 1 ? 1 : fitting < PM_BLEND_CHUNK ? fitting : PM_BLEND_CHUNK);
    return layout;
}

size_t pm_blend_scratch_size(const pm_blend_job *job) {
    scratch_layout layout = lay_out_scratch(job);
    size_t slots = (size_t)layout.chunk * job->layer_count;
    size_t bytes = slots * (layout.pose_bytes + layout.scalar_bytes) + layout.chunk * layout.cursor_bytes;
    return (size_t)pm_align(bytes);
}

// A run: the job, what was derived from it, and the chunk at hand.
typedef struct blend_run {
    const pm_blend_job *job;
    scratch_layout layout;
    char *scratch;
    bool stream;
    uint32_t sole_count; // instances of one plain layer, which are sampled where they belong
    uint32_t soles[PM_BLEND_CHUNK], sole_layers[PM_BLEND_CHUNK];
    uint32_t indices[PM_BLEND_CHUNK];              // of the chunk's instances
    uint8_t layers[PM_BLEND_CHUNK][PM_LAYERS_MAX]; // which of its layers each input is
    pm_blend_chunk chunk;
} blend_run;

static const pm_layer *layer_of(const pm_blend_job *job, uint32_t instance, uint32_t layer) {
    return (const pm_layer *)((const char *)job->layers + instance * job->instance_stride +
                              layer * job->layer_stride);
}

static uint16_t *cursors_of(const pm_blend_job *job, uint32_t instance, uint32_t layer) {
    return (uint16_t *)((char *)job->cursors + instance * job->cursor_stride +
                        layer * job->layer_cursor_stride);
}

static pm_pose_block *pose_of(const pm_blend_job *job, uint32_t instance) {
    size_t offset = job->pose_offsets ? job->pose_offsets[instance] : instance * job->pose_stride;
    return (pm_pose_block *)((char *)job->poses + offset);
}

static bool is_on(const pm_blend_job *job, const pm_layer *layer) {
    return layer->weight > 0 && layer->clip < job->clip_count && (unsigned)layer->mode < PM_LAYER_MODE_COUNT;
}

// Adds an instance to the chunk, with its layers that count.
static void add_instance(blend_run *run, uint32_t instance) {
    const pm_blend_job *job = run->job;
    uint32_t slot = run->chunk.instance_count;
    pm_blend_instance *added = run->chunk.instances + slot;
    uint32_t count = 0;
    for (uint32_t l = 0; l < job->layer_count; l++) {
        const pm_layer *layer = layer_of(job, instance, l);
        if (!is_on(job, layer)) continue;
        run->layers[slot][count] = (uint8_t)l;
        added->inputs[count++] = (pm_blend_input){
            .mask = layer->mask < job->mask_count ? job->masks[layer->mask] : NULL,
            .weight = layer->weight < 1 ? layer->weight : 1,
            .mode = layer->mode,
        };
    }
    const pm_blend_input *first = added->inputs;
    if (count == 1 && first->weight == 1 && !first->mask && first->mode != PM_LAYER_ADDITIVE) {
        run->sole_layers[run->sole_count] = run->layers[slot][0];
        run->soles[run->sole_count++] = instance;
        return;
    }
    size_t scalars = job->scalar_offsets ? job->scalar_offsets[instance] : instance * job->scalar_stride;
    added->input_count = count;
    added->pose = job->poses ? pose_of(job, instance) : NULL;
    added->scalars = job->scalars ? (float *)((char *)job->scalars + scalars) : NULL;
    run->indices[slot] = instance;
    run->chunk.instance_count++;
}

static pm_sample_job sample_job_of(const pm_blend_job *job) {
    pm_sample_job sample = pm_default_sample_job();
    sample.kernels = job->kernels;
    sample.clips = job->clips;
    sample.clip_count = job->clip_count;
    sample.instance_count = job->instance_count;
    sample.block_limit = job->block_limit;
    return sample;
}

// Blocks beyond those that are evaluated: the job's rest, which need not be the clips', as where layers are
// blended.
static void rest_sole(const blend_run *run, uint32_t instance) {
    uint32_t first = run->chunk.block_count;
    memcpy(pose_of(run->job, instance) + first, run->job->rest + first,
           run->chunk.rest_block_count * sizeof(pm_pose_block));
}

// Instances of one plain layer: an ordinary sample job over the host's arrays.
static uint64_t sample_soles(blend_run *run, uint32_t layer) {
    const pm_blend_job *job = run->job;
    uint32_t order[PM_BLEND_CHUNK], count = 0;
    for (uint32_t i = 0; i < run->sole_count; i++)
        if (run->sole_layers[i] == layer) order[count++] = run->soles[i];
    if (!count) return 0;
    pm_sample_job sample = sample_job_of(job);
    const pm_layer *first = layer_of(job, 0, layer);
    sample.clip_index = &first->clip;
    sample.time_seconds = &first->time_seconds;
    sample.clip_index_stride = sample.time_stride = job->instance_stride;
    sample.order = order;
    sample.order_count = count;
    sample.cursors = job->cursors ? cursors_of(job, 0, layer) : NULL;
    sample.cursor_stride = job->cursor_stride;
    sample.poses = job->poses;
    sample.pose_stride = job->pose_stride;
    sample.pose_offsets = job->pose_offsets;
    sample.scalars = job->scalars;
    sample.scalar_stride = job->scalar_stride;
    sample.scalar_offsets = job->scalar_offsets;
    sample.beyond = PM_BEYOND_KEEP;
    for (uint32_t i = 0; job->poses && run->chunk.rest_block_count && i < count; i++)
        rest_sole(run, order[i]);
    return job->kernels->sample(&sample, 0, count, run->stream);
}

// One layer of the chunk's instances, into scratch, with instances of one clip side by side.
typedef struct layer_sample {
    uint32_t count;
    uint32_t slots[PM_BLEND_CHUNK], inputs[PM_BLEND_CHUNK];
    uint32_t clips[PM_BLEND_CHUNK];
    float times[PM_BLEND_CHUNK];
    uint16_t *cursors[PM_BLEND_CHUNK]; // the host's
} layer_sample;

static void gather_layer(const blend_run *run, uint32_t layer, layer_sample *gathered) {
    const pm_blend_job *job = run->job;
    gathered->count = 0;
    for (uint32_t slot = 0; slot < run->chunk.instance_count; slot++) {
        uint32_t input = 0, input_count = run->chunk.instances[slot].input_count;
        while (input < input_count && run->layers[slot][input] != layer) input++;
        if (input == input_count) continue;
        const pm_layer *from = layer_of(job, run->indices[slot], layer);
        // Insertion by clip: a chunk is short.
        uint32_t at = gathered->count++;
        for (; at > 0 && gathered->clips[at - 1] > from->clip; at--) {
            gathered->slots[at] = gathered->slots[at - 1];
            gathered->inputs[at] = gathered->inputs[at - 1];
            gathered->clips[at] = gathered->clips[at - 1];
            gathered->times[at] = gathered->times[at - 1];
            gathered->cursors[at] = gathered->cursors[at - 1];
        }
        gathered->slots[at] = slot;
        gathered->inputs[at] = input;
        gathered->clips[at] = from->clip;
        gathered->times[at] = from->time_seconds;
        gathered->cursors[at] = job->cursors ? cursors_of(job, run->indices[slot], layer) : NULL;
    }
}

static uint64_t sample_layer(blend_run *run, uint32_t layer) {
    const pm_blend_job *job = run->job;
    const scratch_layout *layout = &run->layout;
    layer_sample gathered;
    gather_layer(run, layer, &gathered);
    if (!gathered.count) return 0;

    char *poses = run->scratch + layer * layout->chunk * layout->pose_bytes;
    char *scalars = run->scratch + job->layer_count * layout->chunk * layout->pose_bytes +
                    layer * layout->chunk * layout->scalar_bytes;
    char *cursors =
        run->scratch + job->layer_count * layout->chunk * (layout->pose_bytes + layout->scalar_bytes);
    pm_sample_job sample = sample_job_of(job);
    sample.clip_index = gathered.clips;
    sample.time_seconds = gathered.times;
    sample.poses = job->poses ? (pm_pose_block *)poses : NULL;
    sample.pose_stride = layout->pose_bytes;
    sample.scalars = job->scalars ? (float *)scalars : NULL;
    sample.scalar_stride = layout->scalar_bytes;
    sample.beyond = PM_BEYOND_KEEP;
    sample.cursors = job->cursors ? (uint16_t *)cursors : NULL;
    sample.cursor_stride = layout->cursor_bytes;

    for (uint32_t i = 0; job->cursors && i < gathered.count; i++)
        memcpy(cursors + i * layout->cursor_bytes, gathered.cursors[i],
               job->clips[gathered.clips[i]]->cursor_count * sizeof(uint16_t));
    uint64_t guarded = job->kernels->sample(&sample, 0, gathered.count, false);
    for (uint32_t i = 0; job->cursors && i < gathered.count; i++)
        memcpy(gathered.cursors[i], cursors + i * layout->cursor_bytes,
               job->clips[gathered.clips[i]]->cursor_count * sizeof(uint16_t));

    for (uint32_t i = 0; i < gathered.count; i++) {
        pm_blend_input *input = run->chunk.instances[gathered.slots[i]].inputs + gathered.inputs[i];
        input->pose = (const pm_pose_block *)(poses + i * layout->pose_bytes);
        input->scalars = (const float *)(scalars + i * layout->scalar_bytes);
    }
    return guarded;
}

static uint64_t run_chunk(blend_run *run) {
    uint64_t guarded = 0;
    for (uint32_t l = 0; l < run->job->layer_count; l++) {
        if (run->sole_count) guarded += sample_soles(run, l);
        guarded += sample_layer(run, l);
    }
    if (run->chunk.instance_count) guarded += run->job->kernels->blend(&run->chunk, run->stream);
    run->sole_count = run->chunk.instance_count = 0;
    return guarded;
}

static blend_run begin_run(const pm_blend_job *job, void *scratch) {
    uint32_t written = written_blocks(job), evaluated = evaluated_blocks(job);
    size_t bytes =
        (job->poses ? written * sizeof(pm_pose_block) : 0) + (job->scalars ? scalar_bytes(job) : 0);
    blend_run run;
    run.job = job;
    run.layout = lay_out_scratch(job);
    run.scratch = scratch;
    run.stream = pm_should_stream(job->streaming, bytes * job->instance_count);
    run.sole_count = 0;
    run.chunk.rest = job->rest;
    run.chunk.scalar_rest = job->scalar_rest;
    run.chunk.block_count = evaluated;
    run.chunk.rest_block_count = written - evaluated;
    run.chunk.scalar_block_count = pm_block_count(job->clips[0]->scalar_count);
    run.chunk.instance_count = 0;
    return run;
}

static PM_NOINLINE uint64_t run_range(blend_run *run, uint32_t begin, uint32_t end) {
    uint64_t guarded = 0;
    for (uint32_t i = begin; i < end; i++) {
        add_instance(run, run->job->order ? run->job->order[i] : i);
        if (run->sole_count + run->chunk.instance_count == run->layout.chunk) guarded += run_chunk(run);
    }
    return guarded + run_chunk(run);
}

uint64_t pm_blend_run(const pm_blend_job *job, uint32_t begin, uint32_t end, void *scratch) {
    assert(job->cookie == BLEND_COOKIE && begin <= end);
    assert(end <= (job->order ? job->order_count : job->instance_count));
    assert(pm_is_aligned(scratch, PM_ALIGNMENT));
    blend_run run = begin_run(job, scratch);
    // Weights are compared here: where denormals are flushed, a tiny one would be none.
    wide_environment was = wide_environment_enter();
    uint64_t guarded = run_range(&run, begin, end);
    wide_environment_restore(was);
    return guarded;
}
