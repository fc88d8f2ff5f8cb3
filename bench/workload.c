#include "workload.h"

#include "pages.h"

#include "../tools/check/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TICKS = 60, CHUNK = 256, CHECKED_INSTANCES = 64 };

// What a sample job takes to be more than a cache holds.
static const size_t streaming_bytes = (size_t)1 << 20;

// Below this many, neighbours are too far apart in time for an order to help.
static const uint32_t ordered_from = 64;

static uint32_t value_or(uint32_t value, uint32_t default_value) {
    return value ? value : default_value;
}

static bool is_sparse(const workload_def *def) {
    return def->keys == MOTION_SPARSE_LINEAR || def->keys == MOTION_SPARSE_CUBIC;
}

workload_def workload_complete(const workload_def *def) {
    workload_def complete = *def;
    complete.joint_count = value_or(def->joint_count, 64);
    complete.clip_count = value_or(def->clip_count, 1);
    complete.key_count = value_or(def->key_count, is_sparse(def) ? 12 : 60);
    complete.instance_count = value_or(def->instance_count, 10000);
    complete.thread_count = value_or(def->thread_count, 1);
    return complete;
}

content_def workload_content(const workload_def *def) {
    content_def wanted = {.keys = def->keys,
                          .joint_count = def->joint_count,
                          .clip_count = def->clip_count,
                          .key_count = def->key_count,
                          .merged = def->merged,
                          .packed = def->packed};
    memcpy(wanted.files, def->files, sizeof wanted.files);
    return wanted;
}

void workload_name(const workload_def *def, char name[WORKLOAD_NAME_SIZE]) {
    static const char *const plays[] = {"forward", "backward", "random"};
    static const char *const outputs[] = {"", "/palettes", "/poses+palettes"};
    char keys[32] = "", threads[32] = "", clips[64];
    if (def->files[0])
        snprintf(clips, sizeof clips, "%s", def->set);
    else
        snprintf(clips, sizeof clips, "%s/j%u/c%u", motion_keys_name(def->keys), def->joint_count,
                 def->clip_count);
    if (def->key_count != workload_complete(&(workload_def){.keys = def->keys}).key_count)
        snprintf(keys, sizeof keys, "/k%u", def->key_count);
    if (def->thread_count > 1) snprintf(threads, sizeof threads, "/t%u", def->thread_count);
    snprintf(name, WORKLOAD_NAME_SIZE, "%s/n%u/%s%s%s%s%s%s%s%s%s", clips, def->instance_count,
             plays[def->play], keys, def->merged ? "/merged" : "", def->packed ? "/packed" : "",
             def->holds ? "/held" : "", outputs[def->output], threads, def->isa ? "/" : "",
             def->isa ? def->isa : "");
}

static bool allocate(workload *made) {
    const content *clips = made->content;
    size_t n = made->def.instance_count;
    made->times = malloc(TICKS * n * sizeof *made->times);
    made->clip_index = malloc(n * sizeof *made->clip_index);
    made->constants_clip = calloc(n, sizeof *made->constants_clip);
    made->order = malloc(n * sizeof *made->order);
    made->order_scratch = malloc(pm_order_scratch_size(made->def.instance_count, clips->clip_count));
    made->job.poses = pages_allocate(n * clips->block_count * sizeof(pm_pose_block));
    made->job.cursors = calloc(n * clips->cursor_count + 1, sizeof *made->job.cursors);
    made->naive_poses = pages_allocate(n * clips->joint_count * sizeof *made->naive_poses);
    made->naive_cursors = calloc(n * clips->channel_count + 1, sizeof *made->naive_cursors);
    if (made->def.thread_count > 1) made->pool = pm_pool_create(made->def.thread_count);
    return made->times && made->clip_index && made->constants_clip && made->order && made->order_scratch &&
           made->job.poses && made->job.cursors && made->naive_poses && made->naive_cursors &&
           (made->pool || made->def.thread_count == 1);
}

// Phases fill the clip evenly (multiples of the golden ratio, modulo 1); the clips take turns.
static void fill_times(workload *made) {
    const content *clips = made->content;
    const uint32_t n = made->def.instance_count;
    pm_random random = {n};
    for (uint32_t i = 0; i < n; i++) {
        uint32_t clip = made->clip_index[i] = i % clips->clip_count;
        double duration = (double)pm_clip_get_info(clips->clips[clip]).duration_seconds;
        double phase = (double)(uint32_t)(i / clips->clip_count * 2654435769u) * 0x1p-32 * duration;
        for (uint32_t tick = 0; tick < TICKS; tick++) {
            double elapsed = tick / MOTION_RATE_HZ, time = phase;
            if (made->def.play == WORKLOAD_RANDOM)
                time = (double)(pm_random_next(&random) >> 40) * 0x1p-24 * duration;
            else if (duration > 0)
                time =
                    fmod(phase + (made->def.play == WORKLOAD_FORWARD ? elapsed : TICKS * duration - elapsed),
                         duration);
            made->times[(size_t)tick * n + i] = (float)time;
        }
    }
}

// Different bytes of a track's keys that `instance_count` instances read at even times, on average. Of n
// segments that many instances meet n * (1 - (1 - 1/n)^instances).
static double expected_key_bytes(const pm_clip *clip, uint32_t track_index, double instance_count) {
    pm_track_info track = pm_clip_get_track(clip, track_index);
    double size = (double)track.size_bytes;
    if (track.kind == PM_TRACK_CONSTANT) return size;
    if (track.kind == PM_TRACK_MIXED) {
        double segments = fmax(track.key_count / (double)PM_BLOCK_LANES, 1);
        return size * (1 - pow(1 - 1 / segments, instance_count));
    }
    double segments = pm_clip_get_timeline(clip, track.timeline).key_count;
    double key_bytes = size / (segments + 1);
    return fmin(size, key_bytes * (segments * (1 - pow(1 - 1 / segments, instance_count)) + 1));
}

// Bytes that are written for one instance: of all blocks, or of those tracks that move.
static size_t written_bytes(const pm_clip *clip, bool moving_only) {
    static const size_t components[PM_PATH_COUNT] = {3, 4, 3, 1};
    pm_clip_info info = pm_clip_get_info(clip);
    size_t rows = 0;
    for (uint32_t track = 0; track < info.track_count; track++) {
        pm_track_info t = pm_clip_get_track(clip, track);
        bool wanted = t.path != PM_PATH_SCALAR && !(moving_only && t.kind == PM_TRACK_CONSTANT);
        rows += wanted ? components[t.path] : 0;
    }
    return rows * PM_BLOCK_LANES * sizeof(float);
}

// What palettes are written with instead of poses.
static void count_palette_bytes(workload *made) {
    made->output_bytes = made->def.instance_count * made->palettes.bytes;
    made->bound_bytes = made->output_bytes;
    made->streams = made->output_bytes > streaming_bytes;
}

static void count_bytes(workload *made) {
    const content *clips = made->content;
    const uint32_t n = made->def.instance_count;
    for (uint32_t i = 0; i < clips->clip_count; i++) {
        pm_clip_info info = pm_clip_get_info(clips->clips[i]);
        uint32_t playing = n / clips->clip_count + (i < n % clips->clip_count);
        made->joint_total += (double)info.joint_count * playing;
        made->output_bytes += playing * written_bytes(clips->clips[i], made->def.holds);
        for (uint32_t track = 0; playing && track < info.track_count; track++)
            made->key_bytes += expected_key_bytes(clips->clips[i], track, playing);
    }
    // Made-up joints are held against the bytes of joints alone, real ones with their padding.
    size_t unpadded = (size_t)made->joint_total * sizeof(pm_transform);
    made->bound_bytes =
        made->def.files[0] ? made->output_bytes : (unpadded + PM_ALIGNMENT - 1) / PM_ALIGNMENT * PM_ALIGNMENT;
}

static const char *prepare_job(workload *made, const pm_kernels *kernels) {
    const content *clips = made->content;
    pm_sample_job job = pm_default_sample_job();
    job.kernels = kernels;
    job.clips = clips->clips;
    job.clip_count = clips->clip_count;
    job.instance_count = made->def.instance_count;
    job.clip_index = made->clip_index;
    job.time_seconds = made->times;
    job.cursors = made->job.cursors;
    job.cursor_stride = clips->cursor_count * sizeof(uint16_t);
    job.poses = made->job.poses;
    job.pose_stride = clips->block_count * sizeof(pm_pose_block);
    if (made->def.holds) job.constants_clip = made->constants_clip;
    made->job = job;
    made->streams = job.instance_count * job.pose_stride > streaming_bytes;
    return pm_sample_validate(&job);
}

// Whether the tick's order goes from the last clip to the first.
static bool is_backward(const workload *w) {
    return w->tick % 2;
}

// Runs items 0 to count - 1 on the workload's threads.
static void spread(workload *w, pm_pool_work *work, uint32_t count, uint32_t chunk) {
    if (w->pool)
        pm_pool_run(w->pool, work, w, count, chunk, is_backward(w));
    else
        work(w, 0, 0, count);
}

static float *next_times(workload *w) {
    w->tick = (w->tick + 1) % TICKS;
    return w->times + (size_t)w->tick * w->def.instance_count;
}

static void sample_range(void *context, uint32_t worker, uint32_t begin, uint32_t end) {
    workload *w = context;
    if (w->def.output != WORKLOAD_PALETTES) pm_sample_run(&w->job, begin, end);
    if (w->def.output != WORKLOAD_POSES) palettes_run(&w->palettes, &w->job, worker, begin, end);
}

// The tick's order and how many instances it has.
static uint32_t order_tick(workload *w) {
    uint32_t count = w->def.instance_count;
    w->job.time_seconds = next_times(w);
    if (count < ordered_from) return count;
    count = w->job.order_count =
        pm_order_by_clip_and_time(&w->job, NULL, count, is_backward(w), w->order, w->order_scratch);
    w->job.order = w->order;
    return count;
}

void workload_sample(void *user) {
    workload *w = user;
    uint32_t count = order_tick(w);
    spread(w, sample_range, count, CHUNK);
}

static void naive_range(void *context, uint32_t worker, uint32_t begin, uint32_t end) {
    (void)worker;
    workload *w = context;
    const content *clips = w->content;
    for (uint32_t i = begin; i < end; i++) {
        size_t instance = w->job.order ? w->job.order[i] : i;
        naive_sample(clips->naive + w->clip_index[instance], w->job.time_seconds[instance],
                     w->naive_cursors + instance * clips->channel_count,
                     w->naive_poses + instance * clips->joint_count);
        if (w->def.output != WORKLOAD_POSES)
            palettes_run_naive(&w->palettes, w->naive_poses + instance * clips->joint_count, instance);
    }
}

// In the same order, so that it reads its keys from the cache too; without, mixed clips cost it several times
// more.
void workload_naive(void *user) {
    workload *w = user;
    uint32_t count = order_tick(w);
    spread(w, naive_range, count, CHUNK);
}

static char *output_of(const workload *w) {
    return w->def.output == WORKLOAD_POSES ? (char *)w->job.poses : (char *)w->palettes.job.palettes;
}

static void bound_range(void *context, uint32_t worker, uint32_t begin, uint32_t end) {
    (void)worker;
    workload *w = context;
    size_t first = (size_t)begin * PM_ALIGNMENT, size = (size_t)(end - begin) * PM_ALIGNMENT;
    w->pass(NULL, 0, output_of(w) + first, size, 1, w->streams);
}

void workload_bound(void *user) {
    workload *w = user;
    spread(w, bound_range, (uint32_t)(w->bound_bytes / PM_ALIGNMENT), CHUNK * 16);
}

// Where item `index` of `count` begins in so many bytes, down to a whole line.
static size_t slice(double bytes, uint32_t index, uint32_t count) {
    return (size_t)(bytes * index / count) / PM_ALIGNMENT * PM_ALIGNMENT;
}

static void bytes_range(void *context, uint32_t worker, uint32_t begin, uint32_t end) {
    (void)worker;
    workload *w = context;
    const uint32_t count = w->def.instance_count;
    const double keys = fmin(w->key_bytes, (double)w->content->packed_bytes), poses = (double)w->output_bytes;
    const size_t key = slice(keys, begin, count), pose = slice(poses, begin, count);
    w->pass((const char *)w->content->packed + key, slice(keys, end, count) - key, output_of(w) + pose,
            slice(poses, end, count) - pose, end - begin, w->streams);
}

void workload_bytes(void *user) {
    workload *w = user;
    spread(w, bytes_range, w->def.instance_count, CHUNK);
}

// How far a joint of ours is from the naive evaluator's, relative to its size.
static double difference(const pm_transform *ours, const pm_transform *naive) {
    double worst = 0, dot = 0, length2 = 0;
    for (int c = 0; c < 3; c++) {
        double t = (double)naive->translation[c], s = (double)naive->scale[c];
        worst = fmax(worst, fabs((double)ours->translation[c] - t) / (1 + fabs(t)));
        worst = fmax(worst, fabs((double)ours->scale[c] - s) / (1 + fabs(s)));
    }
    for (int c = 0; c < 4; c++) {
        dot += (double)ours->rotation[c] * (double)naive->rotation[c];
        length2 += (double)naive->rotation[c] * (double)naive->rotation[c];
    }
    return fmax(worst, 1 - fabs(dot) / sqrt(length2));
}

// A benchmark of two evaluators that disagree would compare nothing.
static bool check(workload *made, char reason[CONTENT_REASON_SIZE]) {
    const content *clips = made->content;
    const double most = made->def.packed ? 1e-3 : 1e-4; // half a step of where a character walks
    workload_sample(made);
    naive_range(made, 0, 0, made->def.instance_count);
    for (uint32_t i = 0; i < made->def.instance_count && i < CHECKED_INSTANCES; i++) {
        if (made->def.output != WORKLOAD_POSES && palettes_difference(&made->palettes, i) >= most) {
            snprintf(reason, CONTENT_REASON_SIZE, "%s: the evaluators' palettes disagree: instance %u, by %g",
                     made->name, i, palettes_difference(&made->palettes, i));
            return false;
        }
        if (made->def.output == WORKLOAD_PALETTES) continue;
        const pm_pose_block *pose = made->job.poses + (size_t)i * clips->block_count;
        uint32_t joints = clips->naive[made->clip_index[i]].joint_count;
        for (uint32_t joint = 0; joint < joints; joint++) {
            pm_transform ours = pm_pose_get_joint(pose, joint);
            double worst = difference(&ours, made->naive_poses + (size_t)i * clips->joint_count + joint);
            if (worst < most) continue;
            snprintf(reason, CONTENT_REASON_SIZE, "%s: the evaluators disagree: instance %u, joint %u, by %g",
                     made->name, i, joint, worst);
            return false;
        }
    }
    return true;
}

bool workload_create(workload *made, const workload_def *def, const content *clips, const pm_kernels *kernels,
                     char reason[CONTENT_REASON_SIZE]) {
    *made = (workload){.def = *def, .content = clips, .pass = stream_pass_best()};
    workload_name(def, made->name);
    const char *fault = "out of memory";
    if (allocate(made)) {
        fill_times(made);
        count_bytes(made);
        fault = prepare_job(made, kernels);
        if (!fault && def->output != WORKLOAD_POSES) {
            fault = palettes_create(&made->palettes, clips, &made->job, def->output == WORKLOAD_PALETTES,
                                    def->thread_count);
            count_palette_bytes(made);
        }
    }
    if (fault) snprintf(reason, CONTENT_REASON_SIZE, "%s: %s", made->name, fault);
    if (!fault && check(made, reason)) return true;
    workload_destroy(made);
    return false;
}

void workload_destroy(workload *destroyed) {
    pm_pool_destroy(destroyed->pool);
    palettes_destroy(&destroyed->palettes);
    free(destroyed->times);
    free(destroyed->clip_index);
    free(destroyed->constants_clip);
    free(destroyed->order);
    free(destroyed->order_scratch);
    free(destroyed->job.poses);
    free(destroyed->job.cursors);
    free(destroyed->naive_cursors);
    free(destroyed->naive_poses);
    *destroyed = (workload){0};
}
