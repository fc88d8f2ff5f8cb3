// Posemill internals: what jobs have in common: strided arrays of the host's, and checks of them.
#ifndef PM_JOB_H
#define PM_JOB_H

#include "clip_format.h"

#include <posemill/playback.h>
#include <posemill/sample.h>

// Element `index` of an array whose elements lie `stride` bytes apart. `type` carries const where the array
// is read.
#define PM_ELEMENT(type, base, index, stride) ((type *)((uintptr_t)(base) + (size_t)(index) * (stride)))
#define PM_READ(type, base, index, stride)    (*PM_ELEMENT(const type, base, index, stride))

static inline bool pm_is_aligned(const void *pointer, size_t alignment) {
    return (uintptr_t)pointer % alignment == 0;
}

// Whether every element of an array is aligned. NULL arrays are.
static inline bool pm_is_strided(const void *base, size_t stride, size_t alignment) {
    return !base || (pm_is_aligned(base, alignment) && stride % alignment == 0);
}

// NULL if the clips of a job can be read, else the reason.
static inline const char *pm_validate_clips(const pm_clip *const *clips, uint32_t clip_count) {
    if (!clip_count) return "clip_count is 0: a job needs at least one clip";
    if (!clips) return "clips is NULL";
    for (uint32_t i = 0; i < clip_count; i++) {
        if (!clips[i]) return "clips contains a NULL pointer";
        if (!pm_is_aligned(clips[i], PM_ALIGNMENT))
            return "clips contains a clip that is not 64-byte aligned";
        if (clips[i]->magic != PM_CLIP_MAGIC || clips[i]->version != PM_CLIP_VERSION)
            return "clips contains something that is not a clip of this version";
    }
    return NULL;
}

// What jobs over a span of playback read of each instance: what it plays, from which phase to which.
typedef struct pm_span_arrays {
    const void *clip_index, *playbacks, *from_phases, *to_phases;
    size_t clip_index_stride, playback_stride, from_stride, to_stride;
    const uint32_t *order;
    uint32_t order_count;
} pm_span_arrays;

// NULL if they can be read, else the reason.
static inline const char *pm_validate_span(pm_span_arrays span) {
    if (!span.clip_index) return "clip_index is NULL";
    if (!pm_is_strided(span.clip_index, span.clip_index_stride, sizeof(uint32_t)))
        return "clip_index or its stride is not a multiple of 4 bytes";
    if (!span.playbacks) return "playbacks is NULL";
    if (!pm_is_strided(span.playbacks, span.playback_stride, _Alignof(pm_playback)))
        return "playbacks or its stride is not a multiple of 8 bytes";
    if (!span.from_phases) return "from_phases is NULL";
    if (!pm_is_strided(span.from_phases, span.from_stride, sizeof(double)))
        return "from_phases or its stride is not a multiple of 8 bytes";
    if (!span.to_phases) return "to_phases is NULL";
    if (!pm_is_strided(span.to_phases, span.to_stride, sizeof(double)))
        return "to_phases or its stride is not a multiple of 8 bytes";
    if (span.order_count && !span.order) return "order_count is set but order is NULL";
    return NULL;
}

// A job that writes more than this is taken to leave the cache anyway: about a core's second-level cache.
#define PM_STREAMING_BYTES ((size_t)1 << 20)

// Whether a job that writes so many bytes bypasses the cache.
static inline bool pm_should_stream(pm_streaming streaming, size_t bytes) {
    return streaming == PM_STREAMING_AUTO ? bytes > PM_STREAMING_BYTES : streaming == PM_STREAMING_ON;
}

#endif
