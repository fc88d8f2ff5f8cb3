#include "small_crowd.h"

#include "../tools/check/random.h"

#include <stdlib.h>

enum { BLOCKS = SMALL_CROWD_JOINTS / PM_BLOCK_LANES, BAKED_KEYS = 60, SPARSE_KEYS = 12 };

static bool make_clips(small_crowd *made) {
    const small_crowd_def *def = &made->def;
    bool sparse = def->keys == MOTION_SPARSE_LINEAR || def->keys == MOTION_SPARSE_CUBIC;
    pm_compile_options options = pm_default_compile_options();
    if (def->packed) options.key_bits = 16;
    made->skeleton = motion_create_skeleton(SMALL_CROWD_JOINTS);
    made->clips = calloc(def->clip_count, sizeof *made->clips);
    if (!made->skeleton || !made->clips) return false;
    for (uint32_t i = 0; i < def->clip_count; i++) {
        motion moves;
        if (!motion_create(&moves, def->keys, SMALL_CROWD_JOINTS, sparse ? SPARSE_KEYS : BAKED_KEYS, i + 1))
            return false;
        pm_result result =
            pm_clip_compile(&moves.source, made->skeleton, &options, NULL, &made->clips[i], NULL);
        motion_destroy(&moves);
        if (result) return false;
    }
    return true;
}

// Forward, nobody reaches the clip's end within the ticks.
static void fill_times(small_crowd *made) {
    const uint32_t n = made->def.instance_count;
    pm_random random = {1};
    for (uint32_t i = 0; i < n; i++) {
        uint32_t clip = made->clip_index[i] = i % made->def.clip_count;
        double duration = (double)pm_clip_get_info(made->clips[clip]).duration_seconds;
        double span = made->def.random ? duration : duration - SMALL_CROWD_TICKS / MOTION_RATE_HZ, time = 0;
        for (uint32_t tick = 0; tick <= SMALL_CROWD_TICKS; tick++) {
            if (made->def.random || tick == 0)
                time = (double)(pm_random_next(&random) >> 40) * 0x1p-24 * span;
            else
                time += 1 / MOTION_RATE_HZ;
            made->times[(size_t)tick * n + i] = (float)time;
        }
    }
}

static bool make_job(small_crowd *made) {
    const size_t n = made->def.instance_count;
    uint32_t cursor_count = 0;
    for (uint32_t i = 0; i < made->def.clip_count; i++) {
        uint32_t count = pm_clip_get_info(made->clips[i]).cursor_count;
        if (count > cursor_count) cursor_count = count;
    }
    pm_sample_job *job = &made->job;
    *job = pm_default_sample_job();
    job->kernels = made->def.kernels;
    job->streaming = made->def.streaming;
    job->clips = (const pm_clip *const *)made->clips;
    job->clip_count = made->def.clip_count;
    job->clip_index = made->clip_index;
    job->instance_count = made->def.instance_count;
    job->time_seconds = made->times;
    job->cursors = calloc(n * cursor_count + 1, sizeof *job->cursors);
    job->cursor_stride = cursor_count * sizeof *job->cursors;
    job->poses = aligned_alloc(PM_ALIGNMENT, n * BLOCKS * sizeof *job->poses);
    job->pose_stride = BLOCKS * sizeof *job->poses;
    return job->cursors && job->poses && !pm_sample_validate(job);
}

static bool make_palette_job(small_crowd *made) {
    pm_palette_job *job = &made->palette;
    *job = pm_default_palette_job();
    if (!made->def.palettes) return true;
    job->kernels = made->def.kernels;
    job->streaming = made->def.streaming;
    job->skeleton = made->skeleton;
    job->instance_count = made->def.instance_count;
    job->sample = &made->job;
    job->palette_stride = pm_matrices_size(SMALL_CROWD_JOINTS);
    job->palettes = aligned_alloc(PM_ALIGNMENT, job->instance_count * job->palette_stride);
    if (!job->palettes || pm_palette_validate(job)) return false;
    made->palette_scratch = aligned_alloc(PM_ALIGNMENT, pm_palette_scratch_size(job));
    return made->palette_scratch;
}

bool small_crowd_create(small_crowd *made, const small_crowd_def *def) {
    const size_t n = def->instance_count;
    *made = (small_crowd){.def = *def,
                          .clip_index = calloc(n, sizeof *made->clip_index),
                          .order = calloc(n, sizeof *made->order),
                          .times = calloc(n * (SMALL_CROWD_TICKS + 1), sizeof *made->times),
                          .scratch = malloc(pm_order_scratch_size(def->instance_count, def->clip_count))};
    if (made->clip_index && made->order && made->times && made->scratch && make_clips(made)) {
        fill_times(made);
        if (make_job(made) && make_palette_job(made)) return true;
    }
    small_crowd_destroy(made);
    return false;
}

void small_crowd_destroy(small_crowd *destroyed) {
    for (uint32_t i = 0; destroyed->clips && i < destroyed->def.clip_count; i++)
        pm_clip_destroy(destroyed->clips[i], NULL);
    free(destroyed->clips);
    pm_skeleton_destroy(destroyed->skeleton);
    free(destroyed->clip_index);
    free(destroyed->order);
    free(destroyed->times);
    free(destroyed->scratch);
    free(destroyed->job.cursors);
    free(destroyed->job.poses);
    free(destroyed->palette.palettes);
    free(destroyed->palette_scratch);
    *destroyed = (small_crowd){.skeleton = NULL};
}

void small_crowd_run(small_crowd *crowd, uint32_t tick) {
    pm_sample_job *job = &crowd->job;
    uint32_t count = job->instance_count;
    job->time_seconds = crowd->times + (size_t)tick * count;
    if (crowd->def.ordered) {
        count = job->order_count =
            pm_order_by_clip_and_time(job, NULL, count, tick % 2, crowd->order, crowd->scratch);
        job->order = crowd->order;
    }
    if (!crowd->def.palettes) {
        pm_sample_run(job, 0, count);
        return;
    }
    crowd->palette.order = job->order;
    crowd->palette.order_count = job->order_count;
    pm_palette_run(&crowd->palette, 0, count, crowd->palette_scratch);
}
