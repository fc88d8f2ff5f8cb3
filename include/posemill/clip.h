// Posemill: compiled clips, immutable blocks of memory that kernels read.
//
// A clip is one position-independent block: it may be copied with memcpy, written to a file, mapped read-only
// and used at any 64-byte aligned address, by any number of threads. It holds no pointers. Its bytes depend
// only on its source and options, not on the machine that compiled it (little-endian machines only).
#ifndef POSEMILL_CLIP_H
#define POSEMILL_CLIP_H

#include "channel.h"
#include "pose.h"
#include "report.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pm_clip pm_clip;

// How one block of one path (16 joints' translations, say) is stored.
typedef enum pm_track_kind {
    PM_TRACK_CONSTANT, // one value a lane; costs no evaluation
    PM_TRACK_SHARED,   // all lanes on one timeline
    PM_TRACK_MIXED,    // every lane on its own timeline
    PM_TRACK_KIND_COUNT
} pm_track_kind;

// What the keys of a track's lanes are.
typedef enum pm_track_mode {
    PM_TRACK_STEP,
    PM_TRACK_LINEAR,
    PM_TRACK_SMOOTH, // cubic, and at every key the tangents of both sides are equal: two thirds of the bytes
    PM_TRACK_CUBIC,
    PM_TRACK_BLENDED, // lanes of different modes
    PM_TRACK_MODE_COUNT
} pm_track_mode;

// Facts about a clip.
typedef struct pm_clip_info {
    const char *name;       // in the clip's memory
    size_t size_bytes;      // of the whole block
    float duration_seconds; // the last key's time over all channels, at least 0
    uint32_t joint_count;
    uint32_t block_count; // pose blocks an instance needs
    uint32_t scalar_count;
    uint32_t scalar_block_count;
    uint32_t timeline_count; // of shared tracks; what the lanes of mixed ones have is not counted
    uint32_t cursor_count;   // uint16_t cursors an instance needs; 0 if every timeline is a grid
    uint32_t track_count;
    uint32_t channel_count; // channels that were compiled
} pm_clip_info;

// Facts about one track.
typedef struct pm_track_info {
    pm_path path;
    pm_track_kind kind;
    pm_track_mode mode; // meaningless for constants
    uint32_t block;     // pose or scalar block
    uint32_t timeline;  // PM_NONE for constant and mixed tracks
    uint32_t key_count; // stored keys: of the timeline, or of all lanes together for mixed
    uint32_t key_bits;  // of each number in its keys: 32 or 16 (pm_compile_options)
    size_t size_bytes;  // of its keys, and of what unpacks them; frames of packed keys are padded to 64
} pm_track_info;

// Facts about one timeline.
typedef struct pm_timeline_info {
    uint32_t key_count;
    float first_seconds, last_seconds;
    float rate_hz; // above 0 if the keys lie on a uniform grid of that rate
} pm_timeline_info;

// Looks the facts up. The clip is one that compile made or pm_clip_load accepted, here and below.
PM_API pm_clip_info pm_clip_get_info(const pm_clip *clip);

// `track` must be below track_count.
PM_API pm_track_info pm_clip_get_track(const pm_clip *clip, uint32_t track);

// `timeline` must be below timeline_count.
PM_API pm_timeline_info pm_clip_get_timeline(const pm_clip *clip, uint32_t timeline);

// Checks that `size` bytes at `memory` are a clip that kernels can run on without reading outside of it or
// producing anything but finite poses. Any bytes are safe to pass. Takes no copy: on success *clip is
// `memory`, which must stay as it is while the clip is in use.
//   memory  64-byte aligned (PM_ERROR_ARGUMENT otherwise)
//   size    bytes available; more than the clip's own size is allowed
PM_API pm_result pm_clip_load(const void *memory, size_t size, const pm_clip **clip, pm_report *report);

#ifdef __cplusplus
}
#endif

#endif
