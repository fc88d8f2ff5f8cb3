#include <posemill/sample.h>

#include "job.h"
#include "simd/kernels.h"

#include <assert.h>

enum { SAMPLE_COOKIE = 0x506d5331 };

pm_sample_job pm_default_sample_job(void) {
    return (pm_sample_job){
        .cookie = SAMPLE_COOKIE,
        .streaming = PM_STREAMING_AUTO,
        .clip_index_stride = sizeof(uint32_t),
        .time_stride = sizeof(float),
        .constants_clip_stride = sizeof(uint32_t),
        .block_limit = UINT32_MAX,
    };
}

static const char *validate_inputs(const pm_sample_job *job) {
    if (!job->clip_index) return "clip_index is NULL";
    if (!pm_is_strided(job->clip_index, job->clip_index_stride, sizeof(uint32_t)))
        return "clip_index or its stride is not a multiple of 4 bytes";
    if (!job->time_seconds) return "time_seconds is NULL";
    if (!pm_is_strided(job->time_seconds, job->time_stride, sizeof(float)))
        return "time_seconds or its stride is not a multiple of 4 bytes";
    if (job->order_count && !job->order) return "order_count is set but order is NULL";
    if (job->constants_clip &&
        !pm_is_strided(job->constants_clip, job->constants_clip_stride, sizeof(uint32_t)))
        return "constants_clip or its stride is not a multiple of 4 bytes";
    if (job->constants_clip && !job->constants_clip_stride && job->instance_count > 1)
        return "constants_clip_stride is 0: instances would share an element";
    return NULL;
}

static const char *validate_cursors(const pm_sample_job *job) {
    if (!job->cursors) return NULL;
    if (!pm_is_strided(job->cursors, job->cursor_stride, sizeof(uint16_t)))
        return "cursors or their stride is not a multiple of 2 bytes";
    for (uint32_t i = 0; i < job->clip_count; i++)
        if (job->instance_count > 1 && job->cursor_stride / sizeof(uint16_t) < job->clips[i]->cursor_count)
            return "cursor_stride is below 2 bytes for each of a clip's cursors";
    return NULL;
}

// What an instance of this clip writes.
static size_t pose_bytes(const pm_sample_job *job, const pm_clip *clip) {
    uint32_t blocks = pm_block_count(clip->joint_count);
    if (job->beyond == PM_BEYOND_KEEP && job->block_limit < blocks) blocks = job->block_limit;
    return blocks * sizeof(pm_pose_block);
}

static size_t scalar_bytes(const pm_clip *clip) {
    return pm_block_count(clip->scalar_count) * PM_BLOCK_LANES * sizeof(float);
}

static const char *validate_outputs(const pm_sample_job *job) {
    if (!job->poses && !job->scalars) return "poses and scalars are both NULL: nothing would be written";
    if (job->poses && !pm_is_aligned(job->poses, PM_ALIGNMENT)) return "poses is not 64-byte aligned";
    if (job->scalars && !pm_is_aligned(job->scalars, PM_ALIGNMENT)) return "scalars is not 64-byte aligned";
    bool strided_poses = job->poses && !job->pose_offsets;
    bool strided_scalars = job->scalars && !job->scalar_offsets;
    if (strided_poses && job->pose_stride % PM_ALIGNMENT) return "pose_stride is not a multiple of 64";
    if (strided_scalars && job->scalar_stride % PM_ALIGNMENT) return "scalar_stride is not a multiple of 64";
    if (job->instance_count < 2) return NULL;
    for (uint32_t i = 0; i < job->clip_count; i++) {
        if (strided_poses && job->pose_stride < pose_bytes(job, job->clips[i]))
            return "pose_stride is below the pose of a clip";
        if (strided_scalars && job->scalar_stride < scalar_bytes(job->clips[i]))
            return "scalar_stride is below the scalars of a clip";
    }
    return NULL;
}

const char *pm_sample_validate(const pm_sample_job *job) {
    if (!job) return "the job is NULL";
    if (job->cookie != SAMPLE_COOKIE) return "the job was not made by pm_default_sample_job";
    if (!job->kernels) return "kernels is NULL: pass pm_kernels_best()";
    if ((unsigned)job->streaming > PM_STREAMING_OFF) return "streaming is not one of AUTO, ON, OFF";
    if ((unsigned)job->beyond > PM_BEYOND_KEEP) return "beyond is not one of REST, KEEP";
    const char *fault = pm_validate_clips(job->clips, job->clip_count);
    if (!fault) fault = validate_inputs(job);
    if (!fault) fault = validate_cursors(job);
    if (!fault) fault = validate_outputs(job);
    return fault;
}

// Takes the first clip for all: a run must not cost more the more clips there are.
static bool should_stream(const pm_sample_job *job) {
    const pm_clip *clip = job->clips[0];
    size_t bytes = (job->poses ? pose_bytes(job, clip) : 0) + (job->scalars ? scalar_bytes(clip) : 0);
    return pm_should_stream(job->streaming, bytes * job->instance_count);
}

uint64_t pm_sample_run(const pm_sample_job *job, uint32_t begin, uint32_t end) {
    assert(job->cookie == SAMPLE_COOKIE && begin <= end);
    assert(end <= (job->order ? job->order_count : job->instance_count));
    return job->kernels->sample(job, begin, end, should_stream(job));
}
