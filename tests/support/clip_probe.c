#include "clip_probe.h"

#include <posemill/sample.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

// CROWD: a whole vector of every instruction set and a rest.
// UNWRITTEN makes NaNs, so that rows which nobody writes are seen.
enum { FILLING = 0xCD, UNWRITTEN = 0xFF, GUARD_BYTES = 64, TIMES = 12, CROWD = 19 };

// Outputs of one instance with guard bytes behind each, what it must give at each time, outputs of a crowd.
typedef struct buffers {
    size_t pose_bytes, scalar_bytes, cursor_bytes;
    unsigned char *pose, *expected_poses, *scalars, *expected_scalars, *cursors;
    unsigned char *crowd_poses, *crowd_scalars, *crowd_cursors;
} buffers;

static unsigned char *allocate(size_t bytes) {
    unsigned char *memory = aligned_alloc(PM_ALIGNMENT, (bytes + GUARD_BYTES + 63) / 64 * 64);
    if (!memory) abort();
    return memory;
}

static buffers make_buffers(const pm_clip_info *info) {
    buffers b = {.pose_bytes = info->block_count * sizeof(pm_pose_block),
                 .scalar_bytes = (size_t)info->scalar_block_count * PM_BLOCK_LANES * sizeof(float),
                 .cursor_bytes = info->cursor_count * sizeof(uint16_t)};
    b.pose = allocate(b.pose_bytes);
    b.expected_poses = allocate(TIMES * b.pose_bytes);
    b.scalars = allocate(b.scalar_bytes);
    b.expected_scalars = allocate(TIMES * b.scalar_bytes);
    b.cursors = allocate(b.cursor_bytes);
    b.crowd_poses = allocate(CROWD * b.pose_bytes);
    b.crowd_scalars = allocate(CROWD * b.scalar_bytes);
    b.crowd_cursors = allocate(CROWD * b.cursor_bytes);
    return b;
}

static void free_buffers(buffers *b) {
    free(b->pose);
    free(b->expected_poses);
    free(b->scalars);
    free(b->expected_scalars);
    free(b->cursors);
    free(b->crowd_poses);
    free(b->crowd_scalars);
    free(b->crowd_cursors);
}

static bool all_finite(const unsigned char *bytes, size_t size) {
    for (size_t at = 0; at < size; at += sizeof(float)) {
        float value;
        memcpy(&value, bytes + at, sizeof value);
        if (!isfinite(value)) return false;
    }
    return true;
}

static bool is_guarded(const unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < GUARD_BYTES; i++) {
        if (bytes[size + i] != FILLING) return false;
    }
    return true;
}

static uint64_t sample(const pm_clip *clip, const pm_kernels *kernels, float time, bool with_cursors,
                       buffers *b) {
    uint32_t clip_index = 0;
    pm_sample_job job = pm_default_sample_job();
    job.kernels = kernels;
    job.clips = &clip, job.clip_count = 1;
    job.instance_count = 1;
    job.clip_index = &clip_index, job.time_seconds = &time;
    job.cursors = with_cursors ? (uint16_t *)b->cursors : NULL;
    job.poses = (pm_pose_block *)b->pose, job.pose_stride = b->pose_bytes;
    job.scalars = (float *)b->scalars, job.scalar_stride = b->scalar_bytes;
    if (pm_sample_validate(&job)) return UINT64_MAX;
    memset(b->pose, UNWRITTEN, b->pose_bytes);
    memset(b->scalars, UNWRITTEN, b->scalar_bytes);
    memset(b->pose + b->pose_bytes, FILLING, GUARD_BYTES);
    memset(b->scalars + b->scalar_bytes, FILLING, GUARD_BYTES);
    memset(b->cursors + b->cursor_bytes, FILLING, GUARD_BYTES);
    return pm_sample_run(&job, 0, 1);
}

static bool is_expected(const buffers *b, const unsigned char *pose, const unsigned char *scalars,
                        size_t at) {
    return !memcmp(pose, b->expected_poses + at * b->pose_bytes, b->pose_bytes) &&
           !memcmp(scalars, b->expected_scalars + at * b->scalar_bytes, b->scalar_bytes);
}

static const char *probe_at(const pm_clip *clip, const float *times, size_t at, buffers *b) {
    uint64_t expected_guarded = 0;
    for (uint32_t k = 0; pm_kernels_at(k); k++) {
        for (int with_cursors = 0; with_cursors < 2; with_cursors++) {
            uint64_t guarded = sample(clip, pm_kernels_at(k), times[at], with_cursors, b);
            if (guarded == UINT64_MAX) return "a loaded clip is not valid in a job";
            if (!is_guarded(b->pose, b->pose_bytes) || !is_guarded(b->scalars, b->scalar_bytes) ||
                !is_guarded(b->cursors, b->cursor_bytes))
                return "something behind the output was written";
            if (!all_finite(b->pose, b->pose_bytes) || !all_finite(b->scalars, b->scalar_bytes))
                return "a value is not finite";
            if (k || with_cursors) {
                if (guarded != expected_guarded) return "kernels guard different lanes";
                if (!is_expected(b, b->pose, b->scalars, at)) return "kernels or cursors give different bits";
            } else {
                expected_guarded = guarded;
                memcpy(b->expected_poses + at * b->pose_bytes, b->pose, b->pose_bytes);
                memcpy(b->expected_scalars + at * b->scalar_bytes, b->scalars, b->scalar_bytes);
            }
        }
    }
    return NULL;
}

static size_t time_of(uint32_t instance) {
    return instance * 5 % TIMES;
}

// That each of many together gets what it gets alone; in a second run without its constants being written.
static const char *probe_crowd(const pm_clip *clip, const pm_kernels *kernels, const float *times,
                               buffers *b) {
    float crowd_times[CROWD];
    uint32_t clip_index = 0, constants_clip[CROWD];
    for (uint32_t i = 0; i < CROWD; i++) crowd_times[i] = times[time_of(i)];
    memset(constants_clip, 0, sizeof constants_clip);
    memset(b->crowd_cursors, 0x35, CROWD * b->cursor_bytes);
    pm_sample_job job = pm_default_sample_job();
    job.kernels = kernels;
    job.clips = &clip, job.clip_count = 1;
    job.instance_count = CROWD;
    job.clip_index = &clip_index, job.clip_index_stride = 0, job.time_seconds = crowd_times;
    job.constants_clip = constants_clip;
    job.cursors = (uint16_t *)b->crowd_cursors, job.cursor_stride = b->cursor_bytes;
    job.poses = (pm_pose_block *)b->crowd_poses, job.pose_stride = b->pose_bytes;
    job.scalars = (float *)b->crowd_scalars, job.scalar_stride = b->scalar_bytes;
    for (int run = 0; run < 2; run++) {
        job.streaming = run ? PM_STREAMING_ON : PM_STREAMING_OFF;
        if (pm_sample_validate(&job)) return "a loaded clip is not valid in a job for many";
        pm_sample_run(&job, 0, CROWD);
        for (uint32_t i = 0; i < CROWD; i++)
            if (!is_expected(b, b->crowd_poses + i * b->pose_bytes, b->crowd_scalars + i * b->scalar_bytes,
                             time_of(i)))
                return "an instance among many gets other bits";
    }
    return NULL;
}

static const char *probe_facts(const pm_clip *clip, const pm_clip_info *info) {
    if (strlen(info->name) > info->size_bytes) return "its name is longer than it";
    size_t key_bytes = 0;
    for (uint32_t i = 0; i < info->track_count; i++) {
        pm_track_info track = pm_clip_get_track(clip, i);
        key_bytes += track.size_bytes;
        if (track.timeline != PM_NONE && track.timeline >= info->timeline_count)
            return "a track has no timeline";
    }
    for (uint32_t i = 0; i < info->timeline_count; i++) {
        pm_timeline_info timeline = pm_clip_get_timeline(clip, i);
        if (!(timeline.first_seconds <= timeline.last_seconds)) return "a timeline ends before it begins";
    }
    return key_bytes ? NULL : info->track_count ? "its tracks hold nothing" : NULL;
}

const char *clip_probe(const pm_clip *clip) {
    pm_clip_info info = pm_clip_get_info(clip);
    const char *fault = probe_facts(clip, &info);
    buffers b = make_buffers(&info);
    for (size_t i = 0; i < b.cursor_bytes; i++) b.cursors[i] = (unsigned char)(i * 89 + 7);
    float duration = info.duration_seconds;
    const float times[TIMES] = {
        0,         duration, duration / 3, duration / 2, duration * 0.9f, duration * 0.97f, 1e-45f, INFINITY,
        -INFINITY, NAN,      -1,           1e7f};
    for (size_t i = 0; i < TIMES && !fault; i++) fault = probe_at(clip, times, i, &b);
    for (uint32_t k = 0; pm_kernels_at(k) && !fault; k++)
        fault = probe_crowd(clip, pm_kernels_at(k), times, &b);
    free_buffers(&b);
    return fault;
}
