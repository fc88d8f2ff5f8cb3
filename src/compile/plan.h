// Posemill internals: a clip laid out but not yet written.
//
//   repair.c    channel -> lane          what is wrong with it, and mending that
//   lane.c      lane -> key at any time  splits that leave the curve as it is
//   timeline.c  lanes -> timelines       merged, shared by value, grids recognised
//   track.c     16 lanes -> rows         the bytes of one track's keys
//   plan.c      all of it, in order
#ifndef PM_COMPILE_PLAN_H
#define PM_COMPILE_PLAN_H

#include "clip_format.h"
#include "lane.h"

#include <posemill/compile.h>

// A timeline of the clip to be.
typedef struct pm_plan_timeline {
    uint32_t key_count;
    const float *times;
    pm_timeline record; // as it will be written
} pm_plan_timeline;

// A track of the clip to be. Lanes without a channel are NULL: they rest.
typedef struct pm_plan_track {
    const pm_lane *lanes[PM_BLOCK_LANES];
    const float *rest; // [component][16]
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
};

// timeline.c

// Gives a track that moves the timeline that all its lanes' keys lie on: an existing one if the times are
// equal, else a new one, for which `timelines` has room. Counts header.timeline_count. False: no memory.
bool pm_plan_find_timeline(pm_clip_plan *plan, pm_plan_track *track);

// track.c

// Settles kind, mode and key size of a track from its lanes.
void pm_plan_classify_track(pm_plan_track *track);

// Bytes of a track's keys, and of its lane masks.
uint64_t pm_plan_track_bytes(const pm_clip_plan *plan, const pm_plan_track *track);
uint64_t pm_plan_mask_bytes(const pm_plan_track *track);

// Writes keys and masks where the track's record says.
void pm_plan_write_track(const pm_clip_plan *plan, const pm_plan_track *track, void *clip);

#endif
