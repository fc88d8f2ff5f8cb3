// Posemill: compile, from channels to a clip. Validates, repairs, explains; runs once, off the hot path.
//
//     pm_compile_options options = pm_default_compile_options();
//     pm_clip *clip;
//     if (pm_clip_compile(&source, skeleton, &options, NULL, &clip, &report)) ...
//
// or, to place the clip in memory of one's own: pm_clip_plan_create, pm_clip_plan_size, pm_clip_plan_write.
#ifndef POSEMILL_COMPILE_H
#define POSEMILL_COMPILE_H

#include "clip.h"
#include "skeleton.h"

#ifdef __cplusplus
extern "C" {
#endif

// Bounds of what a channel's easing polynomials (each coefficient) and cadence may be. Within the first, the
// cube of an easing times the longest segment is a float.
#define PM_TIMELINE_EASING_LIMIT 64.0f
#define PM_CADENCE_LIMIT_HZ      1.0e6f

// The default of pm_compile_options.merge_growth_limit. Evaluating a mixed track costs up to twice as much as
// a shared one of the same bytes, but keys that have grown past this cost more in cache misses
// (docs/performance.md).
#define PM_MERGE_GROWTH_LIMIT 4.0f

// What to do about faulty data.
typedef enum pm_policy {
    PM_POLICY_REPAIR, // mend what can be mended, drop the channel otherwise; each with a diagnostic
    PM_POLICY_STRICT  // the first fault refuses the clip, naming clip, channel and key
} pm_policy;

// Obtain from pm_default_compile_options(), then change fields.
typedef struct pm_compile_options {
    uint32_t cookie; // set by pm_default_compile_options; anything else is PM_ERROR_ARGUMENT
    pm_policy policy;

    // Channels of 16 neighbouring joints (one path) whose keys lie on different timelines are put on the
    // union of these, exactly, if that has at most this many times the keys of the longest; else each keeps
    // its own (a mixed track). At least 0; 0 merges only where that adds no key, INFINITY merges all. The two
    // layouts give results that differ by rounding alone, and both hit every key. pm_clip_get_track tells
    // what became of each and what it costs.
    float merge_growth_limit;

    // Bits of a number in keys: 32, or 16 for about half the memory, and half the bytes that are read: where
    // many clips or long ones are beyond the cache, that is what sampling waits for (docs/performance.md).
    // With 16, a component of a joint's values has 65,536 steps between the least and the largest of its keys
    // (those that merging adds on the curve included). At keys, and on straight lines, it is wrong by half a
    // step at most, and by rounding: 16 micrometres in 2 metres; rotations by 0.005 degrees. Between cubic
    // keys, and on lines with a cubic among the 16 neighbours, tangents add at most four half steps, or one
    // half step of the neighbour that moves most, whichever is more. Numbers that are equal stay equal, and
    // what never changes is exact. Where packing would cost more, or save no byte, or an easing leaves 0 to
    // 1, keys stay floats, as do steps, blends of interpolations and mixed tracks: pm_clip_get_track tells.
    uint32_t key_bits;
} pm_compile_options;

// Policy repair, PM_MERGE_GROWTH_LIMIT, 32 bits.
PM_API pm_compile_options pm_default_compile_options(void);

// A clip that has been checked and laid out but not yet written: its size is known.
typedef struct pm_clip_plan pm_clip_plan;

// Checks the source against the skeleton and lays the clip out. A path without a channel takes the joint's
// rest value, a scalar without one its rest. Components of a rotation key below 2^-40 of its largest become
// 0: they turn nothing by as much as rounding does, but arithmetic with their squares is very slow.
//   options    NULL is the default
//   allocator  NULL for the C library's; used until pm_clip_plan_destroy
//   plan       receives the plan; NULL on failure. It refers to nothing of the source or the skeleton.
PM_API pm_result pm_clip_plan_create(const pm_clip_source *source, const pm_skeleton *skeleton,
                                     const pm_compile_options *options, const pm_allocator *allocator,
                                     pm_clip_plan **plan, pm_report *report);

// Bytes that pm_clip_plan_write fills; a multiple of 64.
PM_API size_t pm_clip_plan_size(const pm_clip_plan *plan);

// Writes the clip to `memory`, which must be 64-byte aligned and hold pm_clip_plan_size bytes (asserted).
// Cannot fail. May be called more than once. Returns `memory`.
PM_API const pm_clip *pm_clip_plan_write(const pm_clip_plan *plan, void *memory);

// Releases a plan; NULL is allowed.
PM_API void pm_clip_plan_destroy(pm_clip_plan *plan);

// Plan, allocate and write in one call; release with pm_clip_destroy and the same allocator.
PM_API pm_result pm_clip_compile(const pm_clip_source *source, const pm_skeleton *skeleton,
                                 const pm_compile_options *options, const pm_allocator *allocator,
                                 pm_clip **clip, pm_report *report);

// Releases what pm_clip_compile made; NULL is allowed.
PM_API void pm_clip_destroy(pm_clip *clip, const pm_allocator *allocator);

#ifdef __cplusplus
}
#endif

#endif
