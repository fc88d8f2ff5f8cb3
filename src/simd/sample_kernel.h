// Posemill internals: the sample kernel, compiled once for each instruction set.
//
// Neighbours in the range that play one clip form a batch. It is evaluated block by block: where the batch's
// instances are on a timeline (or bundle) is found when the first block needs it, then each instance's rows
// of the block are made and written.
//
//   wide.h           vector operations
//   rows.h           16 lanes from rows of keys and weights
//   batch.h          instances side by side
//   packed_kernel.h  tracks on one timeline, keys of 16 bits
//   shared_kernel.h  tracks on one timeline
//   mixed_kernel.h   tracks whose lanes have timelines of their own
//   block_kernel.h   blocks of constant, shared and mixed tracks
#ifndef PM_SAMPLE_KERNEL_H
#define PM_SAMPLE_KERNEL_H

#include "block_kernel.h"
#include "job.h"
#include "kernels.h"

// A NaN time: the whole instance is at rest.
static uint64_t rest_instance(const batch *b, uint32_t i) {
    const pm_clip *clip = b->clip;
    uint64_t guarded = 0;
    if (b->poses.base) {
        uint32_t joints = b->block_count * LANES;
        memcpy(output_of(&b->poses, i, 0), pm_clip_rest(clip), b->block_count * sizeof(pm_pose_block));
        guarded += 3 * (uint64_t)(joints < clip->joint_count ? joints : clip->joint_count);
    }
    if (b->scalars.base) {
        memcpy(output_of(&b->scalars, i, 0), pm_clip_scalar_rest(clip),
               pm_block_count(clip->scalar_count) * LANES * sizeof(float));
        guarded += clip->scalar_count;
    }
    return guarded;
}

// Blocks beyond those that are evaluated.
static void rest_beyond(const batch *b) {
    uint32_t block_count = pm_block_count(b->clip->joint_count), first = b->block_count;
    for (uint32_t i = 0; i < b->count; i++)
        memcpy(output_of(&b->poses, i, first * sizeof(pm_pose_block)), pm_clip_rest(b->clip) + first,
               (block_count - first) * sizeof(pm_pose_block));
}

PM_INLINE uint64_t run_batch(const batch *b, bool stream) {
    const pm_clip *clip = b->clip;
    const uint32_t scalar_block_count = pm_block_count(clip->scalar_count);
    const pm_track *tracks = pm_clip_tracks(clip);
    const pm_track *scalar_tracks = tracks + pm_track_place(clip, PM_PATH_SCALAR, 0);
    uint64_t guarded = 0;
    found_segments found;
    forget_all(&found);
    for (uint32_t i = 0; b->poses.base && i < b->block_count; i++)
        guarded += run_block(b, tracks + i * PM_JOINT_PATHS, &found, stream);
    for (uint32_t i = 0; b->scalars.base && i < scalar_block_count; i++)
        run_scalars(b, scalar_tracks + i, &found, stream);
    if (b->rests_beyond && !b->has_constants) rest_beyond(b);
    for (uint32_t i = 0; b->nan_times && i < b->count; i++)
        if (b->nan_times >> i & 1) guarded += rest_instance(b, i);
    return guarded;
}

static uint64_t run_batch_stored(const batch *b) {
    return run_batch(b, false);
}

static uint64_t run_batch_streamed(const batch *b) {
    return run_batch(b, true);
}

PM_INLINE uint32_t *constants_clip_of(const pm_sample_job *job, instance_range instances, uint32_t i) {
    return PM_ELEMENT(uint32_t, job->constants_clip, instance_of(instances, i), job->constants_clip_stride);
}

// A pose at rest holds its clip's constants no longer.
static void note_constants(const pm_sample_job *job, const batch *b) {
    for (uint32_t i = 0; i < b->count; i++)
        *constants_clip_of(job, b->instances, i) = b->nan_times >> i & 1 ? 0 : b->clip_index + 1;
}

// The next instances of one clip, at most a batch; returns where in the range to go on.
PM_INLINE uint32_t choose_instances(const pm_sample_job *job, uint32_t i, uint32_t end, batch *b) {
    const uint32_t *order = job->order, clip_count = job->clip_count;
    const void *clip_index = job->clip_index;
    const size_t stride = job->clip_index_stride;
    uint32_t clip = PM_NONE;
    for (; i < end; i++) {
        clip = PM_READ(uint32_t, clip_index, order ? order[i] : i, stride);
        if (clip < clip_count) break;
    }
    uint32_t count = i < end, most = end - i < BATCH ? end - i : BATCH;
    while (count < most &&
           PM_READ(uint32_t, clip_index, order ? order[i + count] : i + count, stride) == clip)
        count++;
    b->instances = (instance_range){order ? order + i : NULL, i};
    b->count = count;
    b->clip_index = clip;
    return i + count;
}

// Where the batch's instances are in memory.
PM_INLINE void find_instances(const pm_sample_job *job, batch *b) {
    const pm_clip *clip = b->clip = job->clips[b->clip_index];
    b->poses = (outputs){b->instances, (char *)job->poses, job->pose_stride, job->pose_offsets};
    b->scalars = (outputs){b->instances, (char *)job->scalars, job->scalar_stride, job->scalar_offsets};
    b->cursors = clip->cursor_count ? (char *)job->cursors : NULL;
    b->cursor_stride = job->cursor_stride;
    b->has_constants = job->constants_clip;
    for (uint32_t i = 0; b->has_constants && i < b->count; i++)
        b->has_constants = *constants_clip_of(job, b->instances, i) == b->clip_index + 1;
    const uint32_t block_count = pm_block_count(clip->joint_count);
    b->block_count = job->block_limit < block_count ? job->block_limit : block_count;
    b->rests_beyond = job->poses && b->block_count < block_count && job->beyond == PM_BEYOND_REST;
}

// Notes NaN times, which are taken as infinite from here on.
PM_INLINE void read_times(const pm_sample_job *job, batch *b) {
    const void *times = job->time_seconds;
    const size_t stride = job->time_stride;
    const instance_range instances = b->instances;
    const uint32_t count = b->count;
    b->nan_times = 0;
    if (count <= FEW_INSTANCES) {
        for (uint32_t i = 0; i < count; i++) {
            const float time = PM_READ(float, times, instance_of(instances, i), stride);
            b->nan_times |= (uint32_t) !(time < INFINITY || time > 0.0f) << i;
            b->time[i] = time < INFINITY ? time : INFINITY;
        }
        return;
    }
    for (uint32_t i = 0; i < count; i += PM_LANES) {
        const float *at[PM_LANES];
        for (uint32_t lane = 0; lane < PM_LANES; lane++) {
            const uint32_t there = i + lane < count ? i + lane : count - 1;
            at[lane] = PM_ELEMENT(const float, times, instance_of(instances, there), stride);
        }
        wide time = wide_collect(at), infinity = wide_set(INFINITY);
        wide_mask is_below = wide_less(time, infinity);
        uint32_t numbers = wide_mask_bits(is_below) | wide_mask_bits(wide_less(wide_set(0.0f), time));
        b->nan_times |= (numbers ^ ((1u << PM_LANES) - 1)) << i;
        wide_store(b->time + i, wide_select(is_below, time, infinity));
    }
}

static uint64_t sample(const pm_sample_job *job, uint32_t begin, uint32_t end, bool stream) {
    // Reached through a pointer, so that batching is not compiled into each of the two.
    uint64_t (*run)(const batch *) = stream ? run_batch_streamed : run_batch_stored;
    uint64_t guarded = 0;
    batch b;
    for (uint32_t i = begin; i < end;) {
        i = choose_instances(job, i, end, &b);
        if (!b.count) break;
        find_instances(job, &b);
        read_times(job, &b);
        guarded += run(&b);
        if (job->constants_clip && !(b.has_constants && !b.nan_times)) note_constants(job, &b);
    }
    if (stream) wide_stream_fence();
    return guarded;
}

static uint64_t run_sample(const pm_sample_job *job, uint32_t begin, uint32_t end, bool stream) {
    wide_environment was = wide_environment_enter();
    uint64_t guarded = sample(job, begin, end, stream);
    wide_environment_restore(was);
    return guarded;
}

#endif
