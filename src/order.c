#include <posemill/order.h>

#include "clip_format.h"

#include <assert.h>
#include <string.h>

// A counting sort. A bucket is a span of time of one clip; buckets lie clip by clip.

// More spans than this a float cannot tell apart.
#define SPANS_LIMIT (1u << 24)

// Where all tracks of a clip are on timelines that the whole clip shares, neighbours read the same keys
// whichever comes first, and fewer spans are counted faster: so many instances share a span on average. But a
// clip has MANY_SPANS as long as so many share one at least.
#define INSTANCES_PER_SPAN      16
#define FEWEST_INSTANCES_A_SPAN 4
#define MANY_SPANS              32

// Mixed tracks want each instance as close to the one before as can be: the lanes that leave their segment in
// between are what they cost.
#define SPANS_PER_INSTANCE 2

static uint64_t coarse_spans(uint64_t average) {
    uint64_t spans = average / INSTANCES_PER_SPAN, most = average / FEWEST_INSTANCES_A_SPAN;
    if (spans >= MANY_SPANS) return spans;
    return most < MANY_SPANS ? most : MANY_SPANS;
}

static uint32_t spans_per_clip(uint32_t count, uint32_t clip_count, bool finest) {
    uint64_t average = count / clip_count;
    uint64_t spans = finest ? average * SPANS_PER_INSTANCE : coarse_spans(average);
    const uint32_t most = (PM_NONE - 1) / clip_count; // buckets are counted in 32 bits
    if (spans > most) spans = most;
    if (spans > SPANS_LIMIT) return SPANS_LIMIT;
    return spans ? (uint32_t)spans : 1;
}

static bool has_mixed_tracks(const pm_sample_job *job) {
    for (uint32_t i = 0; i < job->clip_count; i++)
        if (job->clips[i]->bundle_count) return true;
    return false;
}

// Scratch memory: each instance's bucket, how far each bucket is filled, each clip's spans a second.
size_t pm_order_scratch_size(uint32_t instance_count, uint32_t clip_count) {
    if (!clip_count) return 0;
    uint64_t buckets = (uint64_t)spans_per_clip(instance_count, clip_count, true) * clip_count;
    uint64_t words = instance_count + buckets + clip_count;
    return words > SIZE_MAX / sizeof(uint32_t) ? SIZE_MAX : (size_t)words * sizeof(uint32_t);
}

// Selects whose "no" also takes NaN, be it the time or 0 times an infinite rate.
static uint32_t find_span(float time_seconds, float spans_per_second, float last_span) {
    float position = time_seconds * spans_per_second;
    position = position > 0 ? position : 0;
    return (uint32_t)(position < last_span ? position : last_span);
}

// Times come from whoever wrote them, often another core: they are asked for so many instances ahead.
#define INSTANCES_AHEAD 256

// Fills in the bucket of each instance and counts each bucket's instances.
static void count_instances(const pm_sample_job *job, const uint32_t *instances, uint32_t count,
                            uint32_t span_count, const float *spans_per_second, uint32_t *bucket_of,
                            uint32_t *fill) {
    const char *clip_index = (const char *)job->clip_index, *time_seconds = (const char *)job->time_seconds;
    const size_t clip_stride = job->clip_index_stride, time_stride = job->time_stride;
    const uint32_t clip_count = job->clip_count;
    const float last_span = (float)(span_count - 1);
    for (uint32_t i = 0; i < count; i++) {
        size_t instance = instances ? instances[i] : i;
        uint32_t clip = *(const uint32_t *)(clip_index + instance * clip_stride);
        if (clip >= clip_count) {
            bucket_of[i] = PM_NONE;
            continue;
        }
        const char *at = time_seconds + instance * time_stride;
        __builtin_prefetch((const void *)((uintptr_t)at + INSTANCES_AHEAD * time_stride));
        float time = *(const float *)at;
        uint32_t bucket = clip * span_count + find_span(time, spans_per_second[clip], last_span);
        bucket_of[i] = bucket;
        fill[bucket]++;
    }
}

// Turns counts into where buckets begin; returns the sum.
static uint32_t place_buckets(uint32_t *fill, uint32_t clip_count, uint32_t span_count, bool clips_backward,
                              bool spans_backward) {
    uint32_t total = 0;
    for (uint32_t c = 0; c < clip_count; c++) {
        uint32_t *spans = fill + (size_t)(clips_backward ? clip_count - 1 - c : c) * span_count;
        for (uint32_t s = 0; s < span_count; s++) {
            uint32_t *span = spans + (spans_backward ? span_count - 1 - s : s), size = *span;
            *span = total;
            total += size;
        }
    }
    return total;
}

uint32_t pm_order_by_clip_and_time(const pm_sample_job *job, const uint32_t *instances, uint32_t count,
                                   bool backward, uint32_t *order, void *scratch) {
    assert(instances || count <= job->instance_count);
    const uint32_t clip_count = job->clip_count;
    if (!clip_count) return 0;
    const bool finest = has_mixed_tracks(job);
    const uint32_t span_count = spans_per_clip(count, clip_count, finest);
    const size_t bucket_count = (size_t)span_count * clip_count;
    uint32_t *bucket_of = scratch, *fill = bucket_of + count;
    float *spans_per_second = (float *)(fill + bucket_count);
    memset(fill, 0, bucket_count * sizeof *fill);
    for (uint32_t i = 0; i < clip_count; i++)
        spans_per_second[i] = (float)span_count / job->clips[i]->duration_seconds;
    count_instances(job, instances, count, span_count, spans_per_second, bucket_of, fill);

    uint32_t total = place_buckets(fill, clip_count, span_count, backward, backward && !finest);
    for (uint32_t i = 0; i < count; i++)
        if (bucket_of[i] != PM_NONE) order[fill[bucket_of[i]]++] = instances ? instances[i] : i;
    return total;
}
