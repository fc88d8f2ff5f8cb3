// Posemill internals: the interpolate kernel, compiled once for each instruction set.
#ifndef PM_SIMD_INTERPOLATE_KERNEL_H
#define PM_SIMD_INTERPOLATE_KERNEL_H

#include "guard.h"
#include "kernels.h"

// How far along, and whether that is an end, where everything is as in `from` (pointed at the right one).
typedef struct stretch {
    wide fraction;
    bool at_end;
} stretch;

// Rows of 16 lanes on a straight line. At an end not even the sign of a zero changes.
PM_INLINE uint32_t interpolate_rows(float *output, const float *from, const float *to, stretch at,
                                    uint32_t rows, float fallback, bool stream) {
    uint32_t guarded = 0;
    for (uint32_t lane = 0; lane < rows * LANES; lane += PM_LANES) {
        wide a = wide_load(from + lane);
        wide step = wide_sub(wide_load(to + lane), a);
        wide value = at.at_end ? a : wide_add(a, wide_mul(at.fraction, step));
        guarded += put_finite(output + lane, value, wide_set(fallback), stream);
    }
    return guarded;
}

PM_INLINE uint32_t interpolate_rotations(float *output, const float *from, const float *to, stretch at,
                                         bool stream) {
    _Alignas(64) static const float identity[4 * LANES] = {
        [3 * LANES] = 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    };
    const wide zero = wide_set(0.0f), one = wide_set(1.0f);
    uint32_t guarded = 0;
    for (uint32_t lane = 0; lane < LANES; lane += PM_LANES) {
        wide a[4], b[4], q[4];
        for (uint32_t c = 0; c < 4; c++) {
            a[c] = wide_load(from + c * LANES + lane);
            b[c] = wide_load(to + c * LANES + lane);
        }
        wide_mask far_side = wide_less(dot_of(a, b), zero);
        for (uint32_t c = 0; c < 4; c++) {
            wide near_b = wide_select(far_side, wide_sub(zero, b[c]), b[c]);
            wide between = wide_add(a[c], wide_mul(at.fraction, wide_sub(near_b, a[c])));
            q[c] = at.at_end ? a[c] : between;
        }
        wide length2 = length2_of(q);
        wide scale = at.at_end ? one : wide_div(one, wide_sqrt(length2));
        guarded += put_scaled_rotation(output + lane, q, length2, scale, identity + lane, stream);
    }
    return guarded;
}

PM_INLINE const void *source_of(const void *base, size_t stride, const size_t *offsets, uint32_t instance) {
    return (const char *)base + (offsets ? offsets[instance] : instance * stride);
}

PM_INLINE uint64_t interpolate_pose(const pm_interpolate_job *job, uint32_t instance, float fraction,
                                    bool stream) {
    const pm_pose_block *from =
        source_of(job->from.poses, job->from.pose_stride, job->from.pose_offsets, instance);
    const pm_pose_block *to = source_of(job->to.poses, job->to.pose_stride, job->to.pose_offsets, instance);
    size_t offset = job->pose_offsets ? job->pose_offsets[instance] : instance * job->pose_stride;
    pm_pose_block *pose = (pm_pose_block *)((char *)job->poses + offset);
    stretch at = {wide_set(fraction), fraction == 0 || fraction == 1};
    if (fraction == 1) from = to;
    uint64_t guarded = 0;
    for (uint32_t block = 0; block < job->block_count; block++, pose++, from++, to++) {
        guarded += interpolate_rows(pose->translation[0], from->translation[0], to->translation[0], at, 3, 0,
                                    stream);
        guarded += interpolate_rotations(pose->rotation[0], from->rotation[0], to->rotation[0], at, stream);
        guarded += interpolate_rows(pose->scale[0], from->scale[0], to->scale[0], at, 3, 1, stream);
    }
    return guarded;
}

PM_INLINE uint64_t interpolate_scalars(const pm_interpolate_job *job, uint32_t instance, float fraction,
                                       bool stream) {
    const float *from =
        source_of(job->from.scalars, job->from.scalar_stride, job->from.scalar_offsets, instance);
    const float *to = source_of(job->to.scalars, job->to.scalar_stride, job->to.scalar_offsets, instance);
    size_t offset = job->scalar_offsets ? job->scalar_offsets[instance] : instance * job->scalar_stride;
    float *scalars = (float *)((char *)job->scalars + offset);
    stretch at = {wide_set(fraction), fraction == 0 || fraction == 1};
    if (fraction == 1) from = to;
    return interpolate_rows(scalars, from, to, at, job->scalar_block_count, 0, stream);
}

PM_INLINE uint64_t interpolate(const pm_interpolate_job *job, uint32_t begin, uint32_t end, bool stream) {
    uint64_t guarded = 0;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t instance = job->order ? job->order[i] : i;
        float fraction = job->fraction;
        if (job->fractions)
            fraction = *(const float *)((const char *)job->fractions + instance * job->fraction_stride);
        fraction = fraction > 0 ? fraction : 0; // NaN, too
        fraction = fraction < 1 ? fraction : 1;
        if (job->poses) guarded += interpolate_pose(job, instance, fraction, stream);
        if (job->scalars) guarded += interpolate_scalars(job, instance, fraction, stream);
    }
    return guarded;
}

static PM_NOINLINE uint64_t interpolate_stored(const pm_interpolate_job *job, uint32_t begin, uint32_t end) {
    return interpolate(job, begin, end, false);
}

static PM_NOINLINE uint64_t interpolate_streamed(const pm_interpolate_job *job, uint32_t begin,
                                                 uint32_t end) {
    uint64_t guarded = interpolate(job, begin, end, true);
    wide_stream_fence();
    return guarded;
}

static uint64_t run_interpolate(const pm_interpolate_job *job, uint32_t begin, uint32_t end, bool stream) {
    wide_environment was = wide_environment_enter();
    uint64_t guarded = stream ? interpolate_streamed(job, begin, end) : interpolate_stored(job, begin, end);
    wide_environment_restore(was);
    return guarded;
}

#endif
