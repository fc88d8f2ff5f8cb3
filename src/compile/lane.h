// Posemill internals: a lane, one channel after repair, in double precision, ready to be put on any timeline.
#ifndef PM_COMPILE_LANE_H
#define PM_COMPILE_LANE_H

#include "clip_format.h"
#include "memory.h"

#include <posemill/channel.h>

// Keys at strictly increasing times. Rotations of STEP and LINEAR lanes are unit and, along LINEAR lanes,
// each on the hemisphere of the one before.
typedef struct pm_lane {
    pm_interpolation interpolation;
    bool constant; // never leaves values[0]
    uint32_t components;
    uint32_t key_count; // at least 1
    float end_seconds;  // the last key's time as authored
    float *times;       // [key]
    double *values;     // [key][component]
    double *in, *out;   // [key][component], value units per second; CUBIC only
    float cadence_hz;   // 0: none
    pm_easing_record
        *easing; // [key + 1], of the segment before the first key, between keys, behind the last; or NULL
} pm_lane;

// Value and slopes (value units per second) on both sides of one instant.
typedef struct pm_lane_key {
    double value[4];
    double in[4], out[4]; // 0 for lanes that are not CUBIC
} pm_lane_key;

// The lane at `time`: at a key exactly the key, between keys a split that leaves the curve as it is, outside
// the end keys' values at rest. `hint` is the last segment found (start with 0); times asked for in rising
// order are cheap.
pm_lane_key pm_lane_split(const pm_lane *lane, float time, uint32_t *hint);

// Slerp between unit quaternions on one hemisphere.
void pm_slerp(const double a[4], const double b[4], double u, double result[4]);

// The angle between two unit quaternions, halved, and its tangent.
double pm_half_angle(const double a[4], const double b[4], double *tangent);

#endif
