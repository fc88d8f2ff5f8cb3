// Counts over a file's channels and compiled clips, for listing.
#ifndef PM_TOOL_SUMMARY_H
#define PM_TOOL_SUMMARY_H

#include "asset.h"

// What one clip, or all of a file, amounts to. The arrays are indexed by path, interpolation and track kind.
typedef struct pm_summary {
    uint64_t channel_count;
    uint64_t channel_counts[PM_PATH_COUNT][PM_INTERPOLATION_COUNT];
    uint64_t key_counts[PM_PATH_COUNT]; // keys of channels, as authored
    uint64_t track_count;
    uint64_t track_counts[PM_PATH_COUNT][PM_TRACK_KIND_COUNT];
    uint64_t track_bytes[PM_PATH_COUNT][PM_TRACK_KIND_COUNT];
    uint64_t packed_count; // tracks with keys of 16 bits
    uint64_t timeline_count;
    uint64_t grid_count; // timelines that are uniform frame grids
    uint64_t clip_bytes;
    uint64_t clip_count;    // compiled
    uint64_t refused_count; // clips that the compiler refused
    uint32_t cursor_count;  // the most that an instance needs
} pm_summary;

// "constant", "shared", "mixed"; static memory.
const char *pm_track_kind_name(pm_track_kind kind);

// One clip's numbers. `clip` is NULL for a clip that was refused.
pm_summary pm_summary_of_clip(const pm_clip_source *source, const pm_clip *clip);

// Adds the numbers of one clip.
void pm_summary_add(pm_summary *sum, const pm_summary *added);

#endif
