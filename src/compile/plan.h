// Posemill internals: a clip laid out but not yet written.
//
//   repair.c    channel -> lane          what is wrong with it, and mending that
//   lane.c      lane -> key at any time  splits that leave the curve as it is
//   timeline.c  lanes -> timelines       merged where that is cheap, shared by value, grids recognised
//   track.c     16 lanes -> rows         the bytes of a shared or constant track's keys
//   packing.c   rows -> 16 bits          the same for a shared track whose keys are packed
//   mixed.c     16 lanes -> records      the bytes of a mixed track
//   plan.c      all of it, in order
#ifndef PM_COMPILE_PLAN_H
#define PM_COMPILE_PLAN_H

#include "clip_format.h"
#include "lane.h"

#include <posemill/compile.h>

// A timeline of the clip to be.
typedef struct pm_plan_timeline {
    const float *times;
    const pm_easing_record *easing; // as in pm_lane
    pm_timeline record;             // as it will be written
    uint64_t frames_offset;         // where its tracks' keys begin
} pm_plan_timeline;

// Sixteen timelines of the clip to be, those of `lanes`.
typedef struct pm_plan_bundle {
    const pm_lane *lanes[PM_BLOCK_LANES];
    uint32_t time_count;    // floats, infinities included
    uint32_t segment_count; // of all lanes
    bool has_easing;
    pm_bundle record; // as it will be written
} pm_plan_bundle;

// A track of the clip to be. Lanes without a channel are NULL: they rest.
typedef struct pm_plan_track {
    const pm_lane *lanes[PM_BLOCK_LANES];
    const float *rest; // [component][16]
    float *packing;    // as in clip_format.h; NULL: keys are floats
    uint16_t *packed;  // the keys
    pm_track record;   // as it will be written
} pm_plan_track;

struct pm_clip_plan {
    pm_allocator allocator;
    pm_arena arena; // everything below
    const char *name;
    struct pm_clip header; // as it will be written
    pm_pose_block *rest;
    float *scalar_rest;
    pm_plan_track *tracks;
    pm_plan_timeline *timelines;
    pm_plan_bundle *bundles;
};

// timeline.c

// Gives a track that moves its timeline: that which all its lanes' keys lie on, or, if that has more than
// `growth_limit` times the keys of the longest lane, or lanes differ in easing or cadence, a bundle of the
// lanes' own. Equal ones are shared; `timelines` and `bundles` have room for a new one. Settles the track's
// kind. False: no memory.
bool pm_plan_find_timeline(pm_clip_plan *plan, pm_plan_track *track, float growth_limit);

// Times and easings.
void pm_plan_write_timeline(const pm_plan_timeline *timeline, void *clip);
void pm_plan_write_bundle(const pm_plan_bundle *bundle, void *clip);

// track.c

bool pm_lane_moves(const pm_lane *lane); // NULL does not

// The mode of a track that moves, whose timeline is settled.
pm_track_mode pm_plan_find_mode(const pm_clip_plan *plan, const pm_plan_track *track);

// Writes a constant or shared track's keys as floats, `stride` of them from one key to the next.
void pm_plan_write_keys(const pm_clip_plan *plan, const pm_plan_track *track, float *keys, size_t stride);

// Keys a constant or shared track stores, the copy of the last included.
uint32_t pm_plan_stored_keys(const pm_clip_plan *plan, const pm_plan_track *track);

// Writes a constant or shared track's keys and masks where its record says.
void pm_plan_write_track(const pm_clip_plan *plan, const pm_plan_track *track, void *clip);

// A lane that holds still: its value, unit if a rotation, or rest. `stride` floats from one component to the
// next.
void pm_plan_write_still(const pm_plan_track *track, uint32_t lane, float *value, uint32_t stride);

// The two numbers that make slerp of a to b a weight (clip_format.h), from components `stride` floats apart.
void pm_plan_write_slerp(const float *a, const float *b, uint32_t stride, float *angle2, float *scale);

// packing.c

// Packs the keys of shared tracks, where that saves bytes and does not cost more than compile.h says. False:
// no memory.
bool pm_plan_pack(pm_clip_plan *plan);

// Writes the packing and the packed keys.
void pm_plan_write_packed(const pm_plan_track *track, uint32_t key_count, void *clip);

// mixed.c: the same for mixed tracks.
void pm_plan_write_mixed(const pm_clip_plan *plan, const pm_plan_track *track, void *clip);

#endif
