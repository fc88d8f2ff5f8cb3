#define _POSIX_C_SOURCE 200809L

#include "crowd.h"
#include "hash.h"
#include "loop.h"
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

static int gather_clips(pm_crowd *crowd, pm_asset *asset) {
    const pm_scene *scene = asset->scene;
    uint32_t count_before = crowd->clip_count;
    if (scene->clip_count == 0) return pm_complain(PM_EXIT_DATA, "%s: no clips in this file", asset->path);
    if (scene->skeleton->joint_count == 0)
        return pm_complain(PM_EXIT_DATA, "%s: no joints in this file", asset->path);
    for (uint32_t i = 0; i < scene->clip_count; i++) {
        const pm_clip *clip = pm_asset_compile(asset, i);
        if (!clip) continue;
        pm_clip_info info = pm_clip_get_info(clip);
        if (info.channel_count == 0) continue;
        uint32_t index = crowd->clip_count++;
        double duration_seconds = (double)info.duration_seconds;
        crowd->clips[index] = clip;
        crowd->skeletons[index] = scene->skeleton;
        // A clip of no duration is one pose: any time gives it.
        crowd->loop_seconds[index] = duration_seconds > 0 ? duration_seconds : 1;
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
        crowd->phase_seconds[i] = phase_fraction(i / crowd->clip_count) * crowd->loop_seconds[clip];
        crowd->pose_offsets[i] = crowd->pose_bytes;
        crowd->scalar_offsets[i] = crowd->scalar_bytes;
        crowd->pose_bytes += skeleton->block_count * sizeof(pm_pose_block);
        crowd->scalar_bytes += pm_block_count(skeleton->scalar_count) * (PM_BLOCK_LANES * sizeof(float));
        crowd->joint_count += skeleton->joint_count;
        crowd->lane_count += (uint64_t)skeleton->block_count * PM_BLOCK_LANES;
    }
    crowd->cursor_bytes = (size_t)crowd->character_count * cursor_count * sizeof(uint16_t);
    crowd->job.cursor_stride = cursor_count * sizeof(uint16_t);
}

// Bytes of a whole crowd before any is allocated; in double, which does not overflow.
static double crowd_bytes(const pm_crowd *crowd, uint32_t character_count) {
    double arrays = 4 * sizeof(uint32_t) + sizeof(double) + sizeof(float) + 2 * sizeof(size_t), sum = 0;
    for (uint32_t i = 0; i < crowd->clip_count; i++) {
        pm_clip_info info = pm_clip_get_info(crowd->clips[i]);
        sum += (double)info.block_count * (double)sizeof(pm_pose_block) +
               (double)info.scalar_block_count * PM_BLOCK_LANES * (double)sizeof(float) +
               (double)info.cursor_count * (double)sizeof(uint16_t) + arrays;
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
    crowd->phase_seconds = pm_storage_allocate(character_count, sizeof *crowd->phase_seconds);
    crowd->time_seconds = pm_storage_allocate(character_count, sizeof *crowd->time_seconds);
    crowd->pose_offsets = pm_storage_allocate(character_count, sizeof *crowd->pose_offsets);
    crowd->scalar_offsets = pm_storage_allocate(character_count, sizeof *crowd->scalar_offsets);
    lay_out(crowd);
    crowd->poses = pm_storage_allocate_aligned(crowd->pose_bytes);
    crowd->scalars = pm_storage_allocate_aligned(crowd->scalar_bytes);
    crowd->cursors = pm_storage_allocate_aligned(crowd->cursor_bytes);
    if (!crowd->poses || !crowd->scalars || !crowd->cursors)
        return pm_complain(PM_EXIT_DATA, "out of memory for %u characters", character_count);
    return PM_EXIT_OK;
}

static void allocate_order(pm_crowd *crowd) {
    size_t scratch_bytes = pm_order_scratch_size(crowd->character_count, crowd->clip_count);
    crowd->order = pm_storage_allocate(crowd->character_count, sizeof *crowd->order);
    crowd->order_scratch = pm_storage_allocate(scratch_bytes, 1);
    crowd->job.order = crowd->order;
    crowd->job.order_count = crowd->character_count;
}

static int prepare_job(pm_crowd *crowd, const pm_kernels *kernels) {
    pm_sample_job *job = &crowd->job;
    job->kernels = kernels;
    job->clips = crowd->clips;
    job->clip_count = crowd->clip_count;
    job->instance_count = crowd->character_count;
    job->clip_index = crowd->clip_index;
    job->time_seconds = crowd->time_seconds;
    job->cursors = job->cursor_stride ? crowd->cursors : NULL;
    job->poses = crowd->poses;
    job->pose_offsets = crowd->pose_offsets;
    job->scalars = crowd->scalar_bytes ? crowd->scalars : NULL;
    job->scalar_offsets = crowd->scalar_offsets;
    const char *fault = pm_sample_validate(job);
    return fault ? pm_complain(PM_EXIT_DATA, "cannot sample: %s", fault) : PM_EXIT_OK;
}

int pm_crowd_create(pm_crowd *crowd, pm_asset *assets, uint32_t asset_count,
                    const pm_crowd_options *options) {
    size_t clip_capacity = 0;
    int status = PM_EXIT_OK;
    *crowd = (pm_crowd){.job = pm_default_sample_job()};
    for (uint32_t i = 0; i < asset_count; i++) clip_capacity += assets[i].scene->clip_count;
    crowd->clips = pm_storage_allocate(clip_capacity, sizeof *crowd->clips);
    crowd->skeletons = pm_storage_allocate(clip_capacity, sizeof *crowd->skeletons);
    crowd->loop_seconds = pm_storage_allocate(clip_capacity, sizeof *crowd->loop_seconds);
    for (uint32_t i = 0; i < asset_count && !status; i++) status = gather_clips(crowd, &assets[i]);
    if (!status) status = check_memory(crowd, options->character_count);
    if (!status) status = allocate_characters(crowd, options->character_count);
    if (!status && options->ordered) allocate_order(crowd);
    if (!status) status = prepare_job(crowd, options->kernels);
    if (status) pm_crowd_destroy(crowd);
    return status;
}

void pm_crowd_run_clock(pm_crowd *crowd, uint64_t tick, double rate_hz, uint32_t begin, uint32_t end) {
    double elapsed_seconds = (double)tick / rate_hz;
    for (uint32_t i = begin; i < end; i++) {
        double period = crowd->loop_seconds[crowd->clip_index[i]];
        crowd->time_seconds[i] = (float)pm_loop_wrap(crowd->phase_seconds[i] + elapsed_seconds, period);
    }
}

void pm_crowd_run_order(pm_crowd *crowd) {
    if (!crowd->order) return;
    crowd->job.order_count = pm_order_by_clip_and_time(&crowd->job, NULL, crowd->character_count,
                                                       crowd->order, crowd->order_scratch);
}

uint64_t pm_crowd_run_sample(const pm_crowd *crowd, uint32_t begin, uint32_t end) {
    return pm_sample_run(&crowd->job, begin, end);
}

uint64_t pm_crowd_hash(const pm_crowd *crowd) {
    uint64_t hash = PM_HASH_START;
    for (uint32_t i = 0; i < crowd->character_count; i++) {
        const pm_skeleton *skeleton = crowd->skeletons[crowd->clip_index[i]];
        hash = pm_hash_pose(hash, crowd->poses + crowd->pose_offsets[i] / sizeof(pm_pose_block),
                            skeleton->joint_count);
        hash = pm_hash_floats(hash, crowd->scalars + crowd->scalar_offsets[i] / sizeof(float),
                              skeleton->scalar_count);
    }
    return hash;
}

void pm_crowd_destroy(pm_crowd *crowd) {
    free(crowd->clips);
    free(crowd->skeletons);
    free(crowd->loop_seconds);
    free(crowd->clip_index);
    free(crowd->phase_seconds);
    free(crowd->time_seconds);
    free(crowd->pose_offsets);
    free(crowd->scalar_offsets);
    free(crowd->poses);
    free(crowd->scalars);
    free(crowd->cursors);
    free(crowd->order);
    free(crowd->order_scratch);
    *crowd = (pm_crowd){0};
}
