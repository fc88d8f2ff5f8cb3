// Posemill internals: what jobs have in common: strided arrays of the host's, and checks of them.
#ifndef PM_JOB_H
#define PM_JOB_H

#include "clip_format.h"

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

// A job that writes more than this is taken to leave the cache anyway: about a core's second-level cache.
#define PM_STREAMING_BYTES ((size_t)1 << 20)

// Whether a job that writes so many bytes bypasses the cache.
static inline bool pm_should_stream(pm_streaming streaming, size_t bytes) {
    return streaming == PM_STREAMING_AUTO ? bytes > PM_STREAMING_BYTES : streaming == PM_STREAMING_ON;
}

#endif
