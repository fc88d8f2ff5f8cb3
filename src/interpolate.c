#include <posemill/interpolate.h>

#include "job.h"
#include "simd/kernels.h"

#include <assert.h>

enum { INTERPOLATE_COOKIE = 0x506d4931 };

pm_interpolate_job pm_default_interpolate_job(void) {
    return (pm_interpolate_job){
        .cookie = INTERPOLATE_COOKIE,
        .streaming = PM_STREAMING_AUTO,
        .fraction_stride = sizeof(float),
    };
}

static size_t pose_bytes(const pm_interpolate_job *job) {
    return job->block_count * sizeof(pm_pose_block);
}

static size_t scalar_bytes(const pm_interpolate_job *job) {
    return job->scalar_block_count * PM_BLOCK_LANES * sizeof(float);
}

static const char *validate_poses(const pm_interpolate_job *job) {
    if (!job->block_count) return "block_count is 0 but poses is not NULL";
    if (!job->from.poses) return "from.poses is NULL";
    if (!job->to.poses) return "to.poses is NULL";
    if (!pm_is_strided(job->from.poses, job->from.pose_offsets ? 0 : job->from.pose_stride, PM_ALIGNMENT))
        return "from.poses or its stride is not a multiple of 64 bytes";
    if (!pm_is_strided(job->to.poses, job->to.pose_offsets ? 0 : job->to.pose_stride, PM_ALIGNMENT))
        return "to.poses or its stride is not a multiple of 64 bytes";
    if (!pm_is_strided(job->poses, job->pose_offsets ? 0 : job->pose_stride, PM_ALIGNMENT))
        return "poses or its stride is not a multiple of 64 bytes";
    if (job->instance_count > 1 && !job->pose_offsets && job->pose_stride < pose_bytes(job))
        return "pose_stride is below block_count pose blocks";
    return NULL;
}

static const char *validate_scalars(const pm_interpolate_job *job) {
    if (!job->scalar_block_count) return "scalar_block_count is 0 but scalars is not NULL";
    if (!job->from.scalars) return "from.scalars is NULL";
    if (!job->to.scalars) return "to.scalars is NULL";
    if (!pm_is_strided(job->from.scalars, job->from.scalar_offsets ? 0 : job->from.scalar_stride,
                       PM_ALIGNMENT))
        return "from.scalars or its stride is not a multiple of 64 bytes";
    if (!pm_is_strided(job->to.scalars, job->to.scalar_offsets ? 0 : job->to.scalar_stride, PM_ALIGNMENT))
        return "to.scalars or its stride is not a multiple of 64 bytes";
    if (!pm_is_strided(job->scalars, job->scalar_offsets ? 0 : job->scalar_stride, PM_ALIGNMENT))
        return "scalars or its stride is not a multiple of 64 bytes";
    if (job->instance_count > 1 && !job->scalar_offsets && job->scalar_stride < scalar_bytes(job))
        return "scalar_stride is below scalar_block_count blocks of 16 scalars";
    return NULL;
}

const char *pm_interpolate_validate(const pm_interpolate_job *job) {
    if (!job) return "the job is NULL";
    if (job->cookie != INTERPOLATE_COOKIE) return "the job was not made by pm_default_interpolate_job";
    if (!job->kernels) return "kernels is NULL: pass pm_kernels_best()";
    if ((unsigned)job->streaming > PM_STREAMING_OFF) return "streaming is not one of AUTO, ON, OFF";
    if (!job->poses && !job->scalars) return "poses and scalars are both NULL: nothing would be written";
    if (!pm_is_strided(job->fractions, job->fraction_stride, sizeof(float)))
        return "fractions or its stride is not a multiple of 4 bytes";
    if (job->order_count && !job->order) return "order_count is set but order is NULL";
    const char *fault = job->poses ? validate_poses(job) : NULL;
    return fault || !job->scalars ? fault : validate_scalars(job);
}

uint64_t pm_interpolate_run(const pm_interpolate_job *job, uint32_t begin, uint32_t end) {
    assert(job->cookie == INTERPOLATE_COOKIE && begin <= end);
    assert(end <= (job->order ? job->order_count : job->instance_count));
    size_t bytes = (pose_bytes(job) + scalar_bytes(job)) * job->instance_count;
    return job->kernels->interpolate(job, begin, end, pm_should_stream(job->streaming, bytes));
}
