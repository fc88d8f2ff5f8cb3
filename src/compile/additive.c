#include <posemill/additive.h>

#include "diagnose.h"
#include "memory.h"

#include <posemill/sample.h>

#include <math.h>
#include <string.h>

enum { ADDITIVE_COOKIE = 0x506d4131, LANES = PM_BLOCK_LANES };

// A reference that scales by less has no useful inverse.
#define SMALLEST_SCALE 1e-6

pm_additive_options pm_default_additive_options(void) {
    return (pm_additive_options){.cookie = ADDITIVE_COOKIE};
}

// Everything that one compilation makes; all of it in the arena, which is released at its end.
typedef struct difference {
    const pm_clip_source *source;
    const pm_skeleton *skeleton;
    pm_report *report;
    pm_arena arena;
    const pm_pose_block *reference;
    const float *reference_scalars;
} difference;

// The source at a time, as a reference. Its faults are reported when the difference is compiled, not here.
static pm_result sample_reference(difference *d, const pm_additive_options *options,
                                  const pm_allocator *allocator) {
    pm_pose_block *pose = pm_arena_allocate(&d->arena, d->skeleton->block_count, sizeof *pose);
    float *scalars =
        pm_arena_allocate(&d->arena, pm_block_count(d->skeleton->scalar_count), LANES * sizeof *scalars);
    if (!pose || !scalars) return pm_fail_memory(d->report, "the reference of an additive clip");
    // Of the same faults, a strict compilation of the difference will give the reason.
    pm_clip *clip;
    pm_compile_options compile = options->compile ? *options->compile : pm_default_compile_options();
    compile.policy = PM_POLICY_REPAIR;
    pm_result result = pm_clip_compile(d->source, d->skeleton, &compile, allocator, &clip, NULL);
    if (result == PM_ERROR_MEMORY) return pm_fail_memory(d->report, "the reference of an additive clip");
    if (result) return pm_clip_compile(d->source, d->skeleton, &compile, allocator, &clip, d->report);

    static const uint32_t clip_index = 0;
    pm_sample_job job = pm_default_sample_job();
    job.kernels = pm_kernels_at(0);
    job.clips = (const pm_clip *const *)&clip;
    job.clip_count = job.instance_count = 1;
    job.clip_index = &clip_index;
    job.time_seconds = &options->reference_seconds;
    job.poses = d->skeleton->joint_count ? pose : NULL;
    job.scalars = d->skeleton->scalar_count ? scalars : NULL;
    if (job.poses || job.scalars) pm_sample_run(&job, 0, 1);
    pm_clip_destroy(clip, allocator);
    d->reference = pose;
    d->reference_scalars = scalars;
    return PM_OK;
}

// What compile will refuse or drop is handed on as it is, for it to say why.
static bool is_whole(const difference *d, const pm_channel *channel) {
    if ((unsigned)channel->path >= PM_PATH_COUNT || !channel->values || !channel->key_count) return false;
    uint32_t targets = channel->path == PM_PATH_SCALAR ? d->skeleton->scalar_count : d->skeleton->joint_count;
    return channel->target < targets && channel->component_count == pm_path_component_count(channel->path) &&
           channel->value_count == channel->key_count;
}

// A linear map of a channel's components and what is subtracted before it.
typedef struct linear_map {
    double matrix[4][4];
    double offset[4];
} linear_map;

static linear_map diagonal(const double scale[4], const double offset[4]) {
    linear_map map = {{{0}}, {0}};
    for (int c = 0; c < 4; c++) {
        map.matrix[c][c] = scale[c];
        map.offset[c] = offset[c];
    }
    return map;
}

// q -> conjugate(r) * q
static linear_map rotation_map(const float r[4]) {
    double x = (double)r[0], y = (double)r[1], z = (double)r[2], w = (double)r[3];
    return (linear_map){{{w, z, -y, -x}, {-z, w, x, -y}, {y, -x, w, -z}, {x, y, z, w}}, {0}};
}

static linear_map scale_map(difference *d, const pm_channel *channel, const float reference[3]) {
    static const double none[4] = {0};
    double scale[4] = {0};
    bool told = false;
    for (int c = 0; c < 3; c++) {
        double size = (double)reference[c];
        scale[c] = fabs(size) < SMALLEST_SCALE ? 1 : 1 / size;
        if (fabs(size) >= SMALLEST_SCALE || told) continue;
        told = true;
        pm_place place = {d->source->file, d->source->name ? d->source->name : "",
                          channel->name ? channel->name : d->skeleton->names[channel->target], PM_NONE};
        pm_diagnose(d->report, PM_SEVERITY_NOTE, PM_FAULT_SKELETON_REST, place,
                    "the reference scales it to nothing; the component is taken as it is");
    }
    return diagonal(scale, none);
}

static linear_map map_of(difference *d, const pm_channel *channel) {
    static const double unit[4] = {1, 1, 1, 1};
    double offset[4] = {0};
    if (channel->path == PM_PATH_SCALAR) {
        offset[0] = (double)d->reference_scalars[channel->target];
        return diagonal(unit, offset);
    }
    pm_transform reference = pm_pose_get_joint(d->reference, channel->target);
    if (channel->path == PM_PATH_ROTATION) return rotation_map(reference.rotation);
    if (channel->path == PM_PATH_SCALE) return scale_map(d, channel, reference.scale);
    for (int c = 0; c < 3; c++) offset[c] = (double)reference.translation[c];
    return diagonal(unit, offset);
}

// Maps an array of keys; tangents have no offset. NULL stays NULL; *failed is set where memory is short.
static const float *map_keys(difference *d, const pm_channel *channel, const float *keys,
                             const linear_map *map, bool tangents, bool *failed) {
    uint32_t n = channel->component_count;
    if (!keys) return NULL;
    float *mapped = pm_arena_allocate(&d->arena, channel->key_count, n * sizeof *mapped);
    if (!mapped) {
        *failed = true;
        return NULL;
    }
    for (uint32_t k = 0; k < channel->key_count; k++)
        for (uint32_t row = 0; row < n; row++) {
            double sum = 0;
            for (uint32_t c = 0; c < n; c++) {
                double value = (double)keys[k * n + c] - (tangents ? 0 : map->offset[c]);
                // A component that plays no part must not spoil another one with its NaN.
                if (map->matrix[row][c] != 0) sum += map->matrix[row][c] * value;
            }
            mapped[k * n + row] = (float)sum;
        }
    return mapped;
}

static pm_result map_channels(difference *d, pm_channel *channels) {
    bool failed = false;
    for (uint32_t i = 0; i < d->source->channel_count && !failed; i++) {
        const pm_channel *channel = d->source->channels + i;
        channels[i] = *channel;
        if (!is_whole(d, channel)) continue;
        linear_map map = map_of(d, channel);
        channels[i].values = map_keys(d, channel, channel->values, &map, false, &failed);
        channels[i].in_tangents = map_keys(d, channel, channel->in_tangents, &map, true, &failed);
        channels[i].out_tangents = map_keys(d, channel, channel->out_tangents, &map, true, &failed);
    }
    return failed ? pm_fail_memory(d->report, "the keys of an additive clip") : PM_OK;
}

// The skeleton with identity for rest: what a path without a channel adds.
static pm_result make_identity(difference *d, pm_skeleton *identity) {
    const pm_skeleton *skeleton = d->skeleton;
    pm_pose_block *rest = pm_arena_allocate(&d->arena, skeleton->block_count, sizeof *rest);
    float *scalars =
        pm_arena_allocate(&d->arena, pm_block_count(skeleton->scalar_count), LANES * sizeof *scalars);
    if (!rest || !scalars) return pm_fail_memory(d->report, "the rest pose of an additive clip");
    static const pm_transform none = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    for (uint32_t joint = 0; joint < skeleton->block_count * LANES; joint++)
        pm_pose_set_joint(rest, joint, &none);
    *identity = *skeleton;
    identity->rest = rest;
    identity->scalar_rest = scalars;
    return PM_OK;
}

static pm_result compile_difference(difference *d, const pm_additive_options *options,
                                    const pm_allocator *allocator, pm_clip **clip) {
    pm_skeleton identity;
    pm_result result = PM_OK;
    d->reference = options->reference;
    d->reference_scalars = options->reference_scalars ? options->reference_scalars : d->skeleton->scalar_rest;
    if (!options->reference) result = sample_reference(d, options, allocator);
    if (!result) result = make_identity(d, &identity);
    if (result) return result;
    pm_channel *channels = pm_arena_allocate(&d->arena, d->source->channel_count, sizeof *channels);
    if (!channels) return pm_fail_memory(d->report, "the channels of an additive clip");
    result = map_channels(d, channels);
    if (result) return result;
    pm_clip_source mapped = *d->source;
    mapped.channels = channels;
    return pm_clip_compile(&mapped, &identity, options->compile, allocator, clip, d->report);
}

pm_result pm_additive_compile(const pm_clip_source *source, const pm_skeleton *skeleton,
                              const pm_additive_options *options, const pm_allocator *allocator,
                              pm_clip **clip, pm_report *report) {
    pm_additive_options defaults = pm_default_additive_options();
    *clip = NULL;
    if (!options) options = &defaults;
    if (options->cookie != ADDITIVE_COOKIE) {
        pm_place place = {source->file, source->name, NULL, PM_NONE};
        return pm_fail(report, PM_ERROR_ARGUMENT, PM_FAULT_ARGUMENT, place,
                       "the additive options were not made by pm_default_additive_options");
    }
    difference d = {.source = source, .skeleton = skeleton, .report = report};
    d.arena.allocator = pm_allocator_or_default(allocator);
    pm_result result = compile_difference(&d, options, allocator, clip);
    pm_arena_release(&d.arena);
    return result;
}
