// Posemill: events, named marks on a clip (footsteps, hits) that an instance passes, for ranges of instances.
//
//     static const pm_mark steps[] = {{"left", 0.1f}, {"right", 0.6f}};
//     pm_mark_track tracks[CLIPS] = {{steps, 2}};            // one for each clip
//     pm_event_job job = pm_default_event_job();
//     job.clips = clips;   job.clip_index = clip_of;   job.playbacks = playbacks;   job.tracks = tracks;
//     job.from_phases = last_phases;   job.to_phases = phases;   // two runs of the playback job
//     const char *fault = pm_event_validate(&job);           // once
//     ...
//     uint64_t count = pm_event_run(&job, begin, end, events, capacity);
//
// A step goes from one phase to another. The moment where it starts belongs to it, the moment where it ends
// to the next step: a chain of steps, each from where the last one ended, passes every mark exactly once each
// time that its moment comes round, whatever the length of the steps, across loops, forwards and backwards.
//
//   - A mark at 0 lies just inside of the clip's start, one at the duration just inside of its end: where
//     REPEAT begins again, first the one at the end is passed and then the one at the start, and a loop that
//     starts at phase 0 does not pass the end of the cycle before.
//   - PING_PONG passes a mark at a turn once, not once in each direction.
//   - Behind the last cycle of a loop that is not endless, and before its phase 0, nothing is passed.
#ifndef POSEMILL_EVENT_H
#define POSEMILL_EVENT_H

#include "playback.h"

#ifdef __cplusplus
extern "C" {
#endif

// A mark. The name is the host's; Posemill does not look at it.
typedef struct pm_mark {
    const char *name;
    float time_seconds; // clip time, 0 to the clip's duration
} pm_mark;

// The marks of a clip, in rising order of time; several at one time are passed in their order (backwards in
// the reverse). Zeroed, none.
typedef struct pm_mark_track {
    const pm_mark *marks; // [mark_count]
    uint32_t mark_count;
} pm_mark_track;

// An instance passed a mark.
typedef struct pm_event {
    uint32_t instance;
    uint32_t mark;  // of the instance's clip's track
    float fraction; // when, as a part of the step: 0 at its start, to 1
    bool backwards; // the clip time was falling: a foot that leaves the ground, not one that lands
} pm_event;

// Everything a run reads; plain data. Obtain from pm_default_event_job().
typedef struct pm_event_job {
    uint32_t cookie; // set by pm_default_event_job
    uint32_t instance_count;

    const pm_clip *const *clips; // [clip_count], none NULL
    const pm_mark_track *tracks; // [clip_count]
    uint32_t clip_count;

    // Read, per instance; strides as in pm_playback_job.
    const uint32_t *clip_index; // below clip_count; an instance with another index has no events
    size_t clip_index_stride;
    const pm_playback *playbacks; // mode and loop_count
    size_t playback_stride;
    const double *from_phases; // as the playback job wrote them at the step's start and end; NaN counts as 0
    size_t from_stride;
    const double *to_phases;
    size_t to_stride;

    // Which instances a range means, as in pm_sample_job; NULL for all.
    const uint32_t *order; // [order_count], below instance_count
    uint32_t order_count;
} pm_event_job;

// Strides of packed arrays, everything else zero.
PM_API pm_event_job pm_default_event_job(void);

// Checks everything but the content of per-instance arrays. NULL if the job can run, else the reason in words
// (static memory). O(marks).
PM_API const char *pm_event_validate(const pm_event_job *job);

// Finds the events of instances [begin, end) of a valid job (see `order`): instance by instance as the range
// counts them, each instance's in the order in which it passes them. Reads only; thread-safe on any ranges
// with events of their own; allocates nothing. The same bits on every machine.
//   events   [capacity]; may be NULL if capacity is 0
//   returns  how many events there are. If that is more than `capacity`, the first `capacity` were written:
//            nothing is lost, run the range again with room for all.
PM_API uint64_t pm_event_run(const pm_event_job *job, uint32_t begin, uint32_t end, pm_event *events,
                             uint64_t capacity);

#ifdef __cplusplus
}
#endif

#endif
