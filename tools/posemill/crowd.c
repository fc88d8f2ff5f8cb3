#define _POSIX_C_SOURCE 200809L

#include "crowd.h"
#include "hash.h"
#include "storage.h"
#include "table.h"
#include "text.h"

#include <stdlib.h>
#include <unistd.h>

// Multiples of the golden ratio modulo 1 fill [0, 1) evenly, however many there are (Weyl; Knuth's
// multiplicative hashing uses the same constant, 2^32 / 1.618...).
static double phase_fraction(uint32_t index) {
    return (double)(uint32_t)(index * 2654435769u) / 4294967296.0;
}

uint32_t pm_crowd_matrix_count(const pm_skeleton *skeleton, pm_crowd_output output) {
    if (output == PM_CROWD_POSES) return 0;
    if (output == PM_CROWD_MODELS) return skeleton->joint_count;
    uint32_t count = 0;
    for (uint32_t i = 0; i < skeleton->skin_count; i++) count += skeleton->skins[i].joint_count;
    return count;
}

static int gather_clips(pm_crowd *crowd, pm_asset *asset) {
    const pm_scene *scene = asset->scene;
    uint32_t count_before = crowd->clip_count;
    if (crowd->options.output == PM_CROWD_PALETTES &&
        pm_crowd_matrix_count(scene->skeleton, PM_CROWD_PALETTES) == 0)
        return pm_complain(PM_EXIT_DATA, "%s: no skin in this file; --output models needs none", asset->path);
    if (scene->clip_count == 0) return pm_complain(PM_EXIT_DATA, "%s: no clips in this file", asset->path);
    if (scene->skeleton->joint_count == 0)
        return pm_complain(PM_EXIT_DATA, "%s: no joints in this file", asset->path);
    for (uint32_t i = 0; i < scene->clip_count; i++) {
        const pm_clip *clip = pm_asset_compile(asset, i);
        if (!clip) continue;
        pm_clip_info info = pm_clip_get_info(clip);
        if (info.channel_count == 0) continue;
        uint32_t index = crowd->clip_count++;
        crowd->clips[index] = clip;
        crowd->skeletons[index] = scene->skeleton;
        crowd->clip_bytes += info.size_bytes;
    }
    if (crowd->clip_count == count_before)
        return pm_complain(PM_EXIT_DATA, "%s: no clip that can be played%s%s", asset->path,
                           asset->report.message[0] ? ": " : "", asset->report.message);
    return PM_EXIT_OK;
}

// Where each character's output lies and how large everything is.
static void lay_out(pm_crowd *crowd) {
    uint32_t cursor_count = 0;
    for (uint32_t i = 0; i < crowd->clip_count; i++) {
        uint32_t count = pm_clip_get_info(crowd->clips[i]).cursor_count;
        if (count > cursor_count) cursor_count = count;
    }
    for (uint32_t i = 0; i < crowd->character_count; i++) {
        uint32_t clip = i % crowd->clip_count;
        const pm_skeleton *skeleton = crowd->skeletons[clip];
        crowd->clip_index[i] = clip;
        crowd->pose_offsets[i] = crowd->pose_bytes;
        crowd->scalar_offsets[i] = crowd->scalar_bytes;
        crowd->matrix_offsets[i] = crowd->matrix_bytes;
        if (crowd->options.output == PM_CROWD_POSES)
            crowd->pose_bytes += skeleton->block_count * sizeof(pm_pose_block);
        crowd->matrix_bytes += pm_matrices_size(pm_crowd_matrix_count(skeleton, crowd->options.output));
        crowd->scalar_bytes += pm_block_count(skeleton->scalar_count) * (PM_BLOCK_LANES * sizeof(float));
        crowd->joint_count += skeleton->joint_count;
        crowd->lane_count += (uint64_t)skeleton->block_count * PM_BLOCK_LANES;
    }
    crowd->job.cursor_stride = cursor_count * sizeof(uint16_t) * crowd->options.layer_count;
    crowd->cursor_bytes = crowd->character_count * crowd->job.cursor_stride;
}

// Bytes of a whole crowd before any is allocated; in double, which does not overflow.
static double crowd_bytes(const pm_crowd *crowd, uint32_t character_count) {
    double layers =
        crowd->options.layer_count * (double)(sizeof(uint32_t) + sizeof(pm_layer) + sizeof(pm_playback));
    double arrays = layers + 6 * sizeof(uint32_t) + sizeof(pm_fade) + 3 * sizeof(size_t), sum = 0;
    const pm_crowd_output output = crowd->options.output;
    for (uint32_t i = 0; i < crowd->clip_count; i++) {
        pm_clip_info info = pm_clip_get_info(crowd->clips[i]);
        size_t pose_bytes = info.block_count * sizeof(pm_pose_block);
        size_t matrix_bytes = pm_matrices_size(pm_crowd_matrix_count(crowd->skeletons[i], output));
        sum += (double)(output == PM_CROWD_POSES ? pose_bytes : matrix_bytes) +
               (double)info.scalar_block_count * PM_BLOCK_LANES * (double)sizeof(float) +
               (double)info.cursor_count * (double)sizeof(uint16_t) * crowd->options.layer_count + arrays;
    }
    return sum / crowd->clip_count * character_count;
}

// Where memory is handed out before it is there, asking for more than the machine has ends with the process
// being killed: say so beforehand.
static int check_memory(const pm_crowd *crowd, uint32_t character_count) {
    char need[PM_AMOUNT_SIZE], have[PM_AMOUNT_SIZE], characters[PM_AMOUNT_SIZE];
    double bytes = crowd_bytes(crowd, character_count);
    double machine = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (bytes <= machine) return PM_EXIT_OK;
    return pm_complain(PM_EXIT_DATA, "%s characters take %s; this machine has %s",
                       pm_amount_count(characters, character_count), pm_amount_bytes(need, bytes),
                       pm_amount_bytes(have, machine));
}

static int allocate_characters(pm_crowd *crowd, uint32_t character_count) {
    crowd->character_count = character_count;
    crowd->clip_index = pm_storage_allocate(character_count, sizeof *crowd->clip_index);
    size_t layers = (size_t)character_count * crowd->options.layer_count;
    crowd->layer_clip_index = pm_storage_allocate(layers, sizeof *crowd->layer_clip_index);
    crowd->layers = pm_storage_allocate(layers, sizeof *crowd->layers);
    crowd->playbacks = pm_storage_allocate(layers, sizeof *crowd->playbacks);
    crowd->due = pm_storage_allocate(character_count, sizeof *crowd->due);
    if (crowd->options.fade_seconds > 0)
        crowd->fades = pm_storage_allocate(character_count, sizeof *crowd->fades);
    if (crowd->options.keeps_constants)
        crowd->constants_clip = pm_storage_allocate(character_count, sizeof *crowd->constants_clip);
    crowd->pose_offsets = pm_storage_allocate(character_count, sizeof *crowd->pose_offsets);
    crowd->scalar_offsets = pm_storage_allocate(character_count, sizeof *crowd->scalar_offsets);
    crowd->matrix_offsets = pm_storage_allocate(character_count, sizeof *crowd->matrix_offsets);
    lay_out(crowd);
    crowd->poses = pm_storage_allocate_aligned(crowd->pose_bytes);
    crowd->matrices = pm_storage_allocate_aligned(crowd->matrix_bytes);
    crowd->scalars = pm_storage_allocate_aligned(crowd->scalar_bytes);
    crowd->cursors = pm_storage_allocate_aligned(crowd->cursor_bytes);
    if (!crowd->poses || !crowd->matrices || !crowd->scalars || !crowd->cursors)
        return pm_complain(PM_EXIT_DATA, "out of memory for %u characters", character_count);
    return PM_EXIT_OK;
}

// Whether characters are evaluated skeleton by skeleton.
static bool is_grouped(const pm_crowd *crowd) {
    return crowd->options.layer_count > 1 || crowd->options.output != PM_CROWD_POSES;
}

static void allocate_order(pm_crowd *crowd) {
    bool sorts = crowd->options.ordered || is_grouped(crowd);
    crowd->order = sorts ? pm_storage_allocate(crowd->character_count, sizeof *crowd->order) : crowd->due;
    if (!crowd->options.ordered) return;
    size_t scratch_bytes = pm_order_scratch_size(crowd->character_count, crowd->clip_count);
    crowd->order_scratch = pm_storage_allocate(scratch_bytes, 1);
}

static int complain(const char *fault) {
    return fault ? pm_complain(PM_EXIT_DATA, "cannot play: %s", fault) : PM_EXIT_OK;
}

static int prepare_playback(pm_crowd *crowd) {
    const pm_crowd_options *options = &crowd->options;
    static const uint8_t intervals[] = {1, 2, 3, 4, 5, 6, 7, 8};
    crowd->playback = pm_default_playback_job();
    crowd->playback.instance_count = pm_crowd_layer_count(crowd);
    crowd->playback.tick_seconds = 1 / options->rate_hz;
    crowd->playback.clips = crowd->clips;
    crowd->playback.clip_count = crowd->clip_count;
    crowd->playback.clip_index = crowd->layer_clip_index;
    crowd->playback.playbacks = crowd->playbacks;
    crowd->playback.time_seconds = &crowd->layers->time_seconds;
    crowd->playback.time_stride = sizeof *crowd->layers;
    crowd->update = pm_default_update_job();
    crowd->update.mode = PM_UPDATE_HELD;
    crowd->update.instance_count = crowd->character_count;
    crowd->update.intervals = intervals + options->update_interval - 1;
    crowd->update.interval_stride = 0;
    const char *fault = pm_update_validate(&crowd->update);
    return complain(fault ? fault : pm_playback_validate(&crowd->playback));
}

static int prepare_sample(pm_crowd *crowd) {
    pm_sample_job *job = &crowd->job;
    job->kernels = crowd->options.kernels;
    job->clips = crowd->clips;
    job->clip_count = crowd->clip_count;
    job->instance_count = crowd->character_count;
    job->clip_index = crowd->clip_index;
    job->time_seconds = &crowd->layers->time_seconds;
    job->time_stride = crowd->options.layer_count * sizeof *crowd->layers;
    job->order = crowd->order;
    job->cursors = job->cursor_stride ? crowd->cursors : NULL;
    job->constants_clip = crowd->constants_clip;
    job->poses = crowd->poses;
    job->pose_offsets = crowd->pose_offsets;
    job->scalars = crowd->scalar_bytes ? crowd->scalars : NULL;
    job->scalar_offsets = crowd->scalar_offsets;
    return complain(pm_sample_validate(job));
}

// The clips of one file, whose skeleton they share, make a group.
static void find_groups(pm_crowd *crowd) {
    crowd->groups = pm_storage_allocate(crowd->clip_count, sizeof *crowd->groups);
    for (uint32_t i = 0; i < crowd->clip_count; i++) {
        if (i == 0 || crowd->skeletons[i] != crowd->skeletons[i - 1])
            crowd->groups[crowd->group_count++].first_clip = i;
        crowd->groups[crowd->group_count - 1].clip_count++;
    }
}

static int prepare_blend(pm_crowd *crowd, pm_crowd_group *group) {
    const pm_sample_job *sample = &crowd->job;
    const pm_skeleton *skeleton = crowd->skeletons[group->first_clip];
    pm_blend_job *job = &group->blend;
    *job = pm_default_blend_job();
    job->kernels = sample->kernels;
    job->clips = crowd->clips + group->first_clip;
    job->clip_count = group->clip_count;
    job->instance_count = crowd->character_count;
    job->layer_count = crowd->options.layer_count;
    job->layers = crowd->layers;
    job->instance_stride = job->layer_count * sizeof *crowd->layers;
    job->rest = skeleton->rest;
    job->scalar_rest = skeleton->scalar_rest;
    job->cursors = sample->cursors;
    job->cursor_stride = sample->cursor_stride;
    job->layer_cursor_stride = sample->cursor_stride / job->layer_count;
    job->poses = sample->poses;
    job->pose_offsets = sample->pose_offsets;
    job->scalars = skeleton->scalar_count ? sample->scalars : NULL;
    job->scalar_offsets = sample->scalar_offsets;
    return complain(pm_blend_validate(job));
}

static int prepare_palette(pm_crowd *crowd, pm_crowd_group *group) {
    pm_palette_job *job = &group->palette;
    *job = pm_default_palette_job();
    job->kernels = crowd->job.kernels;
    job->skeleton = crowd->skeletons[group->first_clip];
    job->instance_count = crowd->character_count;
    job->blend = &group->blend;
    bool models = crowd->options.output == PM_CROWD_MODELS;
    *(models ? &job->models : &job->palettes) = crowd->matrices;
    *(models ? &job->model_offsets : &job->palette_offsets) = crowd->matrix_offsets;
    return complain(pm_palette_validate(job));
}

static int prepare_groups(pm_crowd *crowd) {
    const bool poses = crowd->options.output == PM_CROWD_POSES;
    size_t scratch_bytes = 0;
    int status = PM_EXIT_OK;
    if (!is_grouped(crowd)) return status;
    find_groups(crowd);
    for (uint32_t i = 0; i < crowd->group_count && !status; i++) {
        pm_crowd_group *group = &crowd->groups[i];
        status = prepare_blend(crowd, group);
        if (!status && !poses) status = prepare_palette(crowd, group);
        if (status) break;
        size_t bytes =
            poses ? pm_blend_scratch_size(&group->blend) : pm_palette_scratch_size(&group->palette);
        if (bytes > scratch_bytes) scratch_bytes = bytes;
    }
    crowd->scratch = pm_storage_allocate(crowd->options.thread_count, sizeof *crowd->scratch);
    for (uint32_t i = 0; i < crowd->options.thread_count && !status; i++) {
        crowd->scratch[i] = pm_storage_allocate_aligned(scratch_bytes);
        if (!crowd->scratch[i]) status = pm_complain(PM_EXIT_DATA, "out of memory for scratch");
    }
    return status;
}

// Layer l of a character plays the l-th clip of its file behind its own, at a phase of its own, with an equal
// share of the weight.
static void make_layers(pm_crowd *crowd, uint32_t character) {
    uint32_t count = crowd->options.layer_count, first = 0, of_file = 0, own = crowd->clip_index[character];
    while (crowd->skeletons[first] != crowd->skeletons[own]) first++;
    while (first + of_file < crowd->clip_count && crowd->skeletons[first + of_file] == crowd->skeletons[own])
        of_file++;
    for (uint32_t l = 0; l < count; l++) {
        uint32_t clip = (own - first + l) % of_file, index = character * count + l;
        double duration_seconds = (double)pm_clip_get_info(crowd->clips[first + clip]).duration_seconds;
        double fraction = phase_fraction(character / crowd->clip_count + l * 40503u);
        crowd->layer_clip_index[index] = first + clip;
        crowd->layers[index] = (pm_layer){.clip = clip, .weight = 1.0f / (float)count, .mask = PM_NONE};
        crowd->playbacks[index] = (pm_playback){
            .base_seconds = fraction * duration_seconds, .rate = 1, .mode = crowd->options.loop};
    }
}

int pm_crowd_create(pm_crowd *crowd, pm_asset *assets, uint32_t asset_count,
                    const pm_crowd_options *options) {
    size_t clip_capacity = 0;
    int status = PM_EXIT_OK;
    *crowd = (pm_crowd){.options = *options, .job = pm_default_sample_job()};
    for (uint32_t i = 0; i < asset_count; i++) clip_capacity += assets[i].scene->clip_count;
    crowd->clips = pm_storage_allocate(clip_capacity, sizeof *crowd->clips);
    crowd->skeletons = pm_storage_allocate(clip_capacity, sizeof *crowd->skeletons);
    for (uint32_t i = 0; i < asset_count && !status; i++) status = gather_clips(crowd, &assets[i]);
    if (!status) status = check_memory(crowd, options->character_count);
    if (!status) status = allocate_characters(crowd, options->character_count);
    if (!status) {
        allocate_order(crowd);
        for (uint32_t i = 0; i < crowd->character_count; i++) make_layers(crowd, i);
        status = prepare_playback(crowd);
    }
    if (!status) status = prepare_sample(crowd);
    if (!status) status = prepare_groups(crowd);
    if (status) pm_crowd_destroy(crowd);
    return status;
}

uint32_t pm_crowd_layer_count(const pm_crowd *crowd) {
    return crowd->character_count * crowd->options.layer_count;
}

// To and fro without end: a fade, as long again at rest, and back; no two neighbours at the same time.
static void make_fade(const pm_crowd *crowd, uint32_t character, int64_t tick, pm_fade *fade) {
    int64_t period = (int64_t)(2 * crowd->options.fade_seconds * crowd->options.rate_hz) + 1;
    int64_t counted = tick + (int64_t)(phase_fraction(character) * (double)period);
    *fade = (pm_fade){.start_tick = tick - counted % period,
                      .duration_seconds = crowd->options.fade_seconds,
                      .from = (float)(counted / period % 2),
                      .to = (float)(1 - counted / period % 2),
                      .easing = {.family = PM_EASING_SMOOTHSTEP}};
}

static void fade_layers(pm_crowd *crowd, int64_t tick) {
    uint32_t count = crowd->options.layer_count, half = count / 2;
    for (uint32_t i = 0; i < crowd->character_count; i++) {
        make_fade(crowd, i, tick, &crowd->fades[i]);
        float weight = pm_fade_weight(&crowd->fades[i], tick, crowd->playback.tick_seconds);
        for (uint32_t l = 0; l < count; l++)
            crowd->layers[i * count + l].weight =
                l < half ? (1 - weight) / (float)half : weight / (float)(count - half);
    }
}

void pm_crowd_begin_tick(pm_crowd *crowd, uint64_t tick) {
    crowd->playback.tick = crowd->update.tick = (int64_t)tick;
    if (crowd->fades) fade_layers(crowd, (int64_t)tick);
    crowd->due_count = 0;
    // Poses have to begin somewhere.
    if (tick == 0)
        while (crowd->due_count < crowd->character_count) {
            crowd->due[crowd->due_count] = crowd->due_count;
            crowd->due_count++;
        }
    else
        crowd->due_count = pm_update_run(&crowd->update, 0, crowd->character_count, crowd->due);
}

void pm_crowd_run_clock(const pm_crowd *crowd, uint32_t begin, uint32_t end) {
    pm_playback_run(&crowd->playback, begin, end);
}

// Those who are due, by skeleton, else as they come.
static void order_by_group(pm_crowd *crowd) {
    uint32_t count = 0;
    for (uint32_t g = 0; g < crowd->group_count; g++)
        for (uint32_t i = 0; i < crowd->due_count; i++)
            if (crowd->clip_index[crowd->due[i]] - crowd->groups[g].first_clip < crowd->groups[g].clip_count)
                crowd->order[count++] = crowd->due[i];
}

bool pm_crowd_is_backward(const pm_crowd *crowd) {
    return crowd->options.ordered && crowd->playback.tick % 2 != 0;
}

void pm_crowd_run_order(pm_crowd *crowd) {
    const bool backward = pm_crowd_is_backward(crowd);
    if (crowd->options.ordered)
        pm_order_by_clip_and_time(&crowd->job, crowd->due, crowd->due_count, backward, crowd->order,
                                  crowd->order_scratch);
    else if (crowd->group_count)
        order_by_group(crowd);
    crowd->job.order_count = crowd->due_count;
    uint32_t end = 0;
    for (uint32_t g = 0; g < crowd->group_count; g++) {
        pm_crowd_group *group = &crowd->groups[backward ? crowd->group_count - 1 - g : g];
        group->due_begin = end;
        while (end < crowd->due_count &&
               crowd->clip_index[crowd->order[end]] - group->first_clip < group->clip_count)
            end++;
        group->due_end = end;
        group->blend.order = group->palette.order = crowd->order;
        group->blend.order_count = group->palette.order_count = crowd->due_count;
    }
}

uint64_t pm_crowd_run_output(const pm_crowd *crowd, uint32_t worker, uint32_t begin, uint32_t end) {
    if (!crowd->group_count) return pm_sample_run(&crowd->job, begin, end);
    uint64_t guarded = 0;
    for (uint32_t g = 0; g < crowd->group_count; g++) {
        const pm_crowd_group *group = &crowd->groups[g];
        uint32_t from = begin > group->due_begin ? begin : group->due_begin;
        uint32_t to = end < group->due_end ? end : group->due_end;
        if (from >= to) continue;
        guarded += crowd->options.output == PM_CROWD_POSES
                       ? pm_blend_run(&group->blend, from, to, crowd->scratch[worker])
                       : pm_palette_run(&group->palette, from, to, crowd->scratch[worker]);
    }
    return guarded;
}

uint64_t pm_crowd_hash(const pm_crowd *crowd) {
    uint64_t hash = PM_CHECK_HASH_START;
    for (uint32_t i = 0; i < crowd->character_count; i++) {
        const pm_skeleton *skeleton = crowd->skeletons[crowd->clip_index[i]];
        if (crowd->options.output == PM_CROWD_POSES)
            hash = pm_hash_pose(hash, crowd->poses + crowd->pose_offsets[i] / sizeof(pm_pose_block),
                                skeleton->joint_count);
        hash = pm_hash_floats(hash, crowd->matrices + crowd->matrix_offsets[i] / sizeof(float),
                              PM_MATRIX_FLOATS * pm_crowd_matrix_count(skeleton, crowd->options.output));
        hash = pm_hash_floats(hash, crowd->scalars + crowd->scalar_offsets[i] / sizeof(float),
                              skeleton->scalar_count);
    }
    return hash;
}

void pm_crowd_destroy(pm_crowd *crowd) {
    free(crowd->clips);
    free(crowd->skeletons);
    free(crowd->clip_index);
    free(crowd->layer_clip_index);
    free(crowd->layers);
    free(crowd->playbacks);
    free(crowd->fades);
    free(crowd->constants_clip);
    free(crowd->pose_offsets);
    free(crowd->scalar_offsets);
    free(crowd->matrix_offsets);
    free(crowd->poses);
    free(crowd->matrices);
    free(crowd->scalars);
    free(crowd->cursors);
    if (crowd->order != crowd->due) free(crowd->order);
    free(crowd->due);
    free(crowd->order_scratch);
    free(crowd->groups);
    for (uint32_t i = 0; crowd->scratch && i < crowd->options.thread_count; i++) free(crowd->scratch[i]);
    free(crowd->scratch);
    *crowd = (pm_crowd){0};
}
