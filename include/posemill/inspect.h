// Posemill: inspect, what is odd about a curve: where it overshoots, jumps, does not come to rest, or does
// not loop.
//
// Everything is measured on the curve before cadence, in clip time. Any thread may inspect any curve.
#ifndef POSEMILL_INSPECT_H
#define POSEMILL_INSPECT_H

#include "curve.h"

#ifdef __cplusplus
extern "C" {
#endif

// The places in a segment at which it is sampled: 0, 1/4, 1/2, 3/4 and 1, derivatives from inside.
#define PM_INSPECT_FRACTIONS 5

// Up to this share of a component's range of keys, and of its largest key, overshoots and ranges are taken
// for what rounding to float leaves behind.
#define PM_INSPECT_NOISE_SHARE 1.0e-6

// One component of one segment.
typedef struct pm_inspected_span {
    double value[PM_INSPECT_FRACTIONS];
    double velocity[PM_INSPECT_FRACTIONS];     // units per second
    double acceleration[PM_INSPECT_FRACTIONS]; // units per second squared
    double minimum, minimum_seconds;           // exact, ends included
    double maximum, maximum_seconds;
    double overshoot;         // how far it leaves the range of the segment's two keys; 0 if it stays
    double overshoot_seconds; // where it is furthest out; meaningless if it stays
    bool monotone;            // never turns back between the two keys
} pm_inspected_span;

// One segment.
typedef struct pm_inspected_segment {
    double begin_seconds, end_seconds;
    bool step;
    bool tangents_zero;      // all tangents are 0 although the values differ: motion stops at both keys
    pm_easing_report easing; // of its easing: ends, range, monotony
    pm_inspected_span components[PM_CURVE_COMPONENTS_MAX];
} pm_inspected_segment;

// One key. Jumps are after minus before; at the ends of a curve that does not loop they are 0, of one that
// does they are those of the seam.
typedef struct pm_inspected_key {
    double seconds;
    double frames_off; // distance from the nearest frame, in frames, signed; 0 without a frame rate
    bool settles;      // the curve is at rest on one side: held before the first key or after the last
                       // (unless it loops), or all the way to a neighbour
    double settle_speed[PM_CURVE_COMPONENTS_MAX]; // of the other side, where it should be 0; signed
    double velocity_jump[PM_CURVE_COMPONENTS_MAX];
    double acceleration_jump[PM_CURVE_COMPONENTS_MAX];
} pm_inspected_key;

// What happens where one curve ends and another begins: the second's first minus the first's last.
typedef struct pm_curve_cut {
    double value[PM_CURVE_COMPONENTS_MAX];
    double velocity[PM_CURVE_COMPONENTS_MAX];
    double acceleration[PM_CURVE_COMPONENTS_MAX];
} pm_curve_cut;

// The worst of its kind in a curve: at which key (or the segment after it), in which component. A size of 0
// means that there is none.
typedef struct pm_worst {
    double size;  // magnitude
    double share; // of the component's range of keys; 0 if there is none but rounding
    double seconds;
    uint32_t key, component;
} pm_worst;

// Everything about one curve. Lives until pm_curve_report_destroy.
typedef struct pm_curve_report {
    uint32_t component_count, key_count, segment_count;
    const pm_inspected_segment *segments; // [segment_count]
    const pm_inspected_key *keys;         // [key_count]

    double key_minimum[PM_CURVE_COMPONENTS_MAX]; // over the keys
    double key_maximum[PM_CURVE_COMPONENTS_MAX];
    double minimum[PM_CURVE_COMPONENTS_MAX], minimum_seconds[PM_CURVE_COMPONENTS_MAX]; // over the curve
    double maximum[PM_CURVE_COMPONENTS_MAX], maximum_seconds[PM_CURVE_COMPONENTS_MAX];
    bool monotone[PM_CURVE_COMPONENTS_MAX]; // over all of the curve, in one direction

    pm_worst overshoot;
    uint32_t overshoot_count; // segments that overshoot in any component
    pm_worst velocity_jump, acceleration_jump;
    pm_worst settle_speed;
    pm_curve_cut seam;       // last value and derivatives against the first
    uint32_t off_grid_count; // keys more than 1/100 frame off
    pm_worst off_grid;       // size in frames
    bool tangents_zero;      // true of every segment that moves, and there is one
} pm_curve_report;

// Looks at a curve.
//   frame_rate_hz  above 0: the grid that keys should be on; 0 for none
//   allocator      NULL for the C library's; kept until pm_curve_report_destroy
//   report         receives the report; NULL if there is no memory, the only way to fail
PM_API pm_result pm_curve_inspect(const pm_curve *curve, double frame_rate_hz, const pm_allocator *allocator,
                                  pm_curve_report **report);

// NULL is allowed.
PM_API void pm_curve_report_destroy(pm_curve_report *report);

// Joins two curves: the second begins where the first ends. Both must have as many components (asserted). Of
// rotations (four components) the second is taken with the sign that is nearer.
PM_API pm_curve_cut pm_curve_join(const pm_curve *first, const pm_curve *second);

#ifdef __cplusplus
}
#endif

#endif
