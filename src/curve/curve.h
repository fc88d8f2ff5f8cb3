// Posemill internals: what a curve is once its rules are resolved.
//
//   curve.c           def -> curve             checks, times, angles
//   from_channel.c    channel -> def
//   tangent.c         key, rules -> tangents
//   bounds.c          curve -> tangents that hold the bounds
//   evaluate.c        curve, time -> value and derivatives
//   extent.c          curve, easing -> turning points and extreme values
//   piece.c           curve -> cubics          easings taken apart, rounds laid out
//   curve_channel.c   cubics -> channel
//   inspect.c         curve -> report
#ifndef PM_CURVE_H
#define PM_CURVE_H

#include "cubic.h"
#include "diagnose.h"
#include "memory.h"

#include <posemill/curve.h>

struct pm_curve {
    pm_allocator allocator;
    pm_arena arena; // everything below
    pm_place place; // for diagnostics
    uint32_t component_count, key_count;
    double *seconds;    // [key], clip time
    double *values;     // [key][component]
    double *in, *out;   // [key][component], value units per clip second
    bool *steps;        // [key], of the segment that follows
    bool *straight;     // [key], of the segment that follows: LINEAR at both ends
    pm_easing *easings; // [key], of the segment that follows
    bool looping;
    double window_begin, window_end; // clip time that a looping curve or one with cadence fills
    float cadence_hz;
};

// One component of the segment that follows `key`, before its easing. key + 1 is below key_count.
pm_cubic pm_curve_cubic(const pm_curve *curve, uint32_t key, uint32_t component);

// A component of a segment at u, easing and all; derivatives by clip time. `easing` has been evaluated at u.
pm_cubic_sample pm_curve_eased(const pm_cubic *cubic, pm_easing_sample easing);

// Smallest and largest value of a component over keys and cubics, as if no segment had an easing.
void pm_curve_find_range(const pm_curve *curve, uint32_t component, double *minimum, double *maximum);

// Turning points of a component within a segment.
#define PM_TURNS_MAX 64

// Where a component of the segment turns (u above 0 and below 1, rising), and where its easing has a kink or
// a join. Returns how many.
uint32_t pm_curve_find_turns(const pm_curve *curve, uint32_t key, uint32_t component,
                             double turns[PM_TURNS_MAX]);

// Smallest and largest value of a component within a segment, with the clip times of both.
typedef struct pm_extent {
    double minimum, maximum;
    double minimum_seconds, maximum_seconds;
} pm_extent;

pm_extent pm_curve_find_extent(const pm_curve *curve, uint32_t key, uint32_t component);

// Shortens tangents so that the curve holds the def's bounds, or reports where it does not.
void pm_curve_hold_bounds(pm_curve *curve, const pm_curve_def *def, pm_report *report);

#endif
