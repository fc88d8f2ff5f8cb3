// Posemill: curves, the authoring side of a channel: keys and the rules by which an animator shapes them.
//
//     pm_curve_key keys[2] = {{.time = 0, .value = {0}}, {.time = 12, .value = {1}}};
//     keys[0].out_rule = PM_TANGENT_CATMULL_ROM;
//     keys[0].easing.family = PM_EASING_SMOOTHSTEP;
//
//     pm_curve_def def = pm_default_curve_def();
//     def.keys = keys;            def.key_count = 2;
//     def.frame_rate_hz = 24;     def.name = "lamp";
//     pm_curve *curve;
//     if (pm_curve_create(&def, NULL, &curve, &report)) ...
//     pm_curve_sample sample = pm_curve_evaluate(curve, 0.25);   // value, velocity, acceleration
//     pm_curve_channel *channel;
//     if (pm_curve_get_channel(curve, PM_PATH_SCALAR, target, NULL, NULL, &channel, &report)) ...
//     ... channel->channel goes into a pm_clip_source ...
//
// A curve has one to four components (a scalar, a translation, a scale; four for looking at rotations) that
// share their times. Everything is computed in double with + - * / and square roots: the same bits on every
// machine. A curve is immutable; any number of threads may read it.
//
// Between two keys with values a and b, duration d, tangents m (leaving the first) and n (arriving at the
// second) a component is the cubic Hermite polynomial in u = (t - t0) / d:
//     a + (3u^2 - 2u^3) (b - a) + (u^3 - 2u^2 + u) d m + (u^3 - u^2) d n
// evaluated at easing(u) instead of u where the segment has an easing.
#ifndef POSEMILL_CURVE_H
#define POSEMILL_CURVE_H

#include "channel.h"
#include "easing.h"
#include "report.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PM_CURVE_COMPONENTS_MAX 4

// How a key's tangent comes about. In the formulas h- and h+ are the durations of the segments before and
// after the key, d- and d+ the differences of value over them, s- = d- / h- and s+ = d+ / h+ the chords'
// slopes.
//
// A key at an end of the curve has one neighbour. Each rule says what it does there; one key alone has
// tangents of zero. In a looping curve the first and last key are the same moment: they take their missing
// neighbour from the other end, and no end rule applies.
typedef enum pm_tangent_rule {
    // What a graph editor's automatic handles do: (s- + s+) / 2, but 0 at a local extremum or beside a level
    // chord, and at most 3 times the smaller chord slope, so that no handle passes its neighbour's value.
    // Ends: 0.
    PM_TANGENT_AUTO,
    // As given in the key: in_tangent and out_tangent, value units per second. Unified when both are equal.
    PM_TANGENT_HERMITE,
    // The chord of the segment at that side. A segment with LINEAR at both ends is a straight line.
    PM_TANGENT_LINEAR,
    // 0.
    PM_TANGENT_FLAT,
    // The value holds until the next key (side out; the segment's easing and the next key's in-side do not
    // matter). On the in-side as FLAT.
    PM_TANGENT_STEP,
    // (d- + d+) / (h- + h+), for spacing of any kind. Ends: the chord, as if the curve went on as its mirror
    // image.
    PM_TANGENT_CATMULL_ROM,
    // Tension T, continuity C and bias B of the key (D. Kochanek and R. Bartels, "Interpolating Splines with
    // Local Tension, Continuity, and Bias Control", SIGGRAPH 1984):
    //     out = ((1-T)(1+C)(1+B)/2 d- + (1-T)(1-C)(1-B)/2 d+) * 2 / (h- + h+)
    //     in  = ((1-T)(1-C)(1+B)/2 d- + (1-T)(1+C)(1-B)/2 d+) * 2 / (h- + h+)
    // where the last factor is their correction for unequal spacing, as a velocity. All zero is CATMULL_ROM.
    // Ends: as there, the missing difference is the mirror image of the present one.
    PM_TANGENT_TCB,
    // No overshoot: the slope (h+ s- + h- s+) / (h- + h+) of the parabola through the three keys, then the
    // limiter of F. Fritsch and R. Carlson ("Monotone Piecewise Cubic Interpolation", SIAM J. Numer. Anal.
    // 17, 1980): 0 at a local extremum or beside a level chord, else at most 3 times the smaller chord slope.
    // Between two keys the curve stays between their values. Ends: the slope there of the parabola through
    // the three nearest keys, 0 if its sign is not the chord's, at most 3 times the chord's. Two keys: the
    // chord.
    PM_TANGENT_MONOTONE,
    // No overshoot either, and softer: 0 at a local extremum, else the weighted harmonic mean
    //     (w1 + w2) / (w1 / s- + w2 / s+),  w1 = 2 h+ + h-,  w2 = h+ + 2 h-
    // (F. Fritsch and J. Butland, SIAM J. Sci. Stat. Comput. 5, 1984), as in SciPy's PchipInterpolator. Ends:
    // the parabola's slope, 0 if its sign is not the chord's, limited to 3 times the chord's where the next
    // chord turns.
    PM_TANGENT_PCHIP,
    // Handles as given in the key: in_tangent and out_tangent hold the handles' values; a handle stands a
    // third of the segment from its key. Slope: 3 (handle - value) / h+, and 3 (value - handle) / h- for the
    // in-side. A handle outside of the curve's ends has no meaning and is ignored.
    PM_TANGENT_BEZIER,
    PM_TANGENT_RULE_COUNT
} pm_tangent_rule;

// "auto", "hermite", "linear", "flat", "step", "catmull-rom", "tcb", "monotone", "pchip", "bezier"; static
// memory.
PM_API const char *pm_tangent_rule_name(pm_tangent_rule rule);

// The rule of that name. False, leaving *rule alone, if there is none.
PM_API bool pm_tangent_rule_parse(const char *text, pm_tangent_rule *rule);

// A key. Zeroed apart from time and value it is AUTO on both sides, without easing.
//   time                       seconds, or frames if the curve has a frame rate; above the key's before it
//   value                      [component_count]
//   turns                      whole turns that are added to the value; PM_ANGLE_COUNTED only
//   in_tangent                 [component_count], arriving: for HERMITE in value units per second, never per
//                              frame; for BEZIER the handle's value
//   out_tangent                the same, leaving
//   tension, continuity, bias  for TCB, usually -1 to 1, at most 1e6 in magnitude
//   in_rule, out_rule          the two sides
//   easing                     of the segment that follows
typedef struct pm_curve_key {
    double time;
    double value[PM_CURVE_COMPONENTS_MAX];
    int32_t turns;
    double in_tangent[PM_CURVE_COMPONENTS_MAX];
    double out_tangent[PM_CURVE_COMPONENTS_MAX];
    double tension, continuity, bias;
    pm_tangent_rule in_rule, out_rule;
    pm_easing easing;
} pm_curve_key;

// What to make of the keys of an angle. Applied to the values before any rule.
//   NONE     numbers, no angles
//   SHORT    whole turns are added so that neighbours are at most half a turn apart: 350 to 10 degrees is
//            +20. Half a turn goes the way it was written.
//   LONG     the other way round: 350 to 10 is -340. Equal neighbours stay where they are.
//   COUNTED  the values as they are, plus each key's turns: 350 to 10 with 2 turns is 350 to 730
typedef enum pm_angle_mode {
    PM_ANGLE_NONE,
    PM_ANGLE_SHORT,
    PM_ANGLE_LONG,
    PM_ANGLE_COUNTED,
    PM_ANGLE_MODE_COUNT
} pm_angle_mode;

typedef enum pm_angle_unit { PM_ANGLE_DEGREES, PM_ANGLE_RADIANS, PM_ANGLE_UNIT_COUNT } pm_angle_unit;

// What to do about values outside of minimum and maximum.
//   NONE    nothing; minimum and maximum are not read
//   REPORT  a note (PM_FAULT_CURVE_BOUNDS) for each segment and component that leaves them: by how much, and
//           when
//   LIMIT   tangents are shortened, no more than needed, until the curve holds the bounds; each with a repair
//           diagnostic. Unified tangents stay unified. Where that is not enough (a key outside, an easing
//           that overshoots) a note says so.
typedef enum pm_bounds_mode {
    PM_BOUNDS_NONE,
    PM_BOUNDS_REPORT,
    PM_BOUNDS_LIMIT,
    PM_BOUNDS_MODE_COUNT
} pm_bounds_mode;

// What a curve is made from. The arrays belong to the caller and are copied. Obtain from
// pm_default_curve_def().
typedef struct pm_curve_def {
    uint32_t cookie;  // set by pm_default_curve_def; anything else is PM_ERROR_ARGUMENT
    const char *file; // for diagnostics; may be NULL, as the next two
    const char *clip;
    const char *name;

    uint32_t component_count; // default 1
    uint32_t key_count;       // at least 1
    const pm_curve_key *keys;
    double frame_rate_hz; // above 0: key times are frames of that rate; default 0: seconds

    // The curve repeats, its last key being the first one of the next round (of equal value, or it jumps
    // there).
    bool looping;

    // Where the curve lies in the clip: clip seconds = phase_seconds + time_scale * key seconds. Tangents are
    // divided by time_scale (2 plays at half speed). All channels of a clip keep the clip's time base: a
    // looping curve fills [first key's time * time_scale, + duration_seconds] whatever its phase, wrapping
    // around.
    double phase_seconds;    // default 0
    double time_scale;       // above 0; default 1
    double duration_seconds; // looping or with cadence: clip seconds to fill; default 0: one round

    // Time is held down to multiples of 1 / cadence_hz (see pm_cadence_time): animation "on twos" is 12.
    // Counts from the clip's start, whatever the phase. 0 to 1e6; default 0: continuous.
    float cadence_hz;

    pm_angle_mode angle_mode; // default NONE
    pm_angle_unit angle_unit; // of the values, where they are angles; default DEGREES

    // Each component's bounds, in value units, minimum at most maximum. Default NONE.
    pm_bounds_mode bounds;
    double minimum[PM_CURVE_COMPONENTS_MAX];
    double maximum[PM_CURVE_COMPONENTS_MAX];
} pm_curve_def;

// One component, seconds, nothing special.
PM_API pm_curve_def pm_default_curve_def(void);

typedef struct pm_curve pm_curve;

// Resolves every rule. Refuses, naming the key and the reason: no keys; times, values, tangents or parameters
// that are not finite; times that do not rise or that fall together in float; values, and tangents times
// durations, beyond PM_VALUE_LIMIT; unknown rules; easings that are not valid; minimum above maximum.
//   allocator  NULL for the C library's; kept until pm_curve_destroy
//   curve      receives the curve; NULL on failure
PM_API pm_result pm_curve_create(const pm_curve_def *def, const pm_allocator *allocator, pm_curve **curve,
                                 pm_report *report);

// The curve that plays a channel: its keys with their tangents (HERMITE), STEP and LINEAR segments. Rotations
// are looked at component by component, LINEAR ones after neighbours were given one sign.
//   channel     read during the call only
//   file, clip  for diagnostics; may be NULL
//   allocator   NULL for the C library's; kept until pm_curve_destroy
//   curve       receives the curve; NULL on failure
PM_API pm_result pm_curve_create_from_channel(const pm_channel *channel, const char *file, const char *clip,
                                              const pm_allocator *allocator, pm_curve **curve,
                                              pm_report *report);

// NULL is allowed.
PM_API void pm_curve_destroy(pm_curve *curve);

// A curve at one time: value, its first derivative (units per second) and its second.
typedef struct pm_curve_sample {
    double value[PM_CURVE_COMPONENTS_MAX];
    double velocity[PM_CURVE_COMPONENTS_MAX];
    double acceleration[PM_CURVE_COMPONENTS_MAX];
} pm_curve_sample;

// The curve at a clip time: cadence first, then wrapped into the round (looping) or held at the ends. At a
// key the value is the key's, and derivatives are those of the segment that follows; at the last key those of
// the segment before it. Where time is held (ends, STEP, cadence) derivatives are those of the position held
// at, and zero outside of the keys. NaN counts as the first key's time.
PM_API pm_curve_sample pm_curve_evaluate(const pm_curve *curve, double clip_seconds);

// Facts about a curve, after all rules.
typedef struct pm_curve_info {
    const char *name; // in the curve's memory, "" if none was given
    uint32_t component_count;
    uint32_t key_count;
    double first_seconds, last_seconds; // clip time of the first and last key
    bool looping;
    float cadence_hz;
} pm_curve_info;

// Looks the facts up.
PM_API pm_curve_info pm_curve_get_info(const pm_curve *curve);

// A key as the curve holds it: clip time, value with turns added, and the tangents that its rules gave.
typedef struct pm_resolved_key {
    double seconds;
    double value[PM_CURVE_COMPONENTS_MAX];
    double in_tangent[PM_CURVE_COMPONENTS_MAX];
    double out_tangent[PM_CURVE_COMPONENTS_MAX];
    bool step; // the segment that follows holds the value
    pm_easing easing;
} pm_resolved_key;

// `key` must be below key_count.
PM_API pm_resolved_key pm_curve_get_key(const pm_curve *curve, uint32_t key);

// How a curve becomes a channel. Obtain from pm_default_curve_channel_options().
typedef struct pm_curve_channel_options {
    uint32_t cookie; // set by pm_default_curve_channel_options; anything else is PM_ERROR_ARGUMENT
    // Largest error of what cannot be kept exactly, as a share of each component's range of values.
    // Default 1e-4.
    double tolerance;
    // Keep easings that are polynomials of degree up to 5 as a property of the segment
    // (pm_curve_channel.easing) instead of turning them into cubics. Default false.
    bool keep_easing;
    // Keep the cadence as the channel's (pm_channel.cadence_hz); false turns the curve into one STEP key a
    // multiple of 1 / cadence_hz. Default true.
    bool keep_cadence;
} pm_curve_channel_options;

// Tolerance 1e-4, easings turned into cubics, cadence kept.
PM_API pm_curve_channel_options pm_default_curve_channel_options(void);

// A curve as a channel. Everything lives until pm_curve_channel_destroy.
typedef struct pm_curve_channel {
    pm_channel channel;
    // Largest error measured where pieces stand for a curve, as the options' share, before rounding to float.
    // 0 if the channel is exact.
    double error;
    // Keys that were not there: where easings had to be cut, steps to be closed, rounds to be repeated.
    uint32_t added_key_count;
} pm_curve_channel;

// Turns a curve into a channel that compile takes. Values, times and tangents are rounded to float, once.
//   - STEP if every segment is one, LINEAR if every segment is straight or a step, else CUBIC.
//   - Straight lines, Hermite segments and easings of degree up to 3 over a straight line are exact.
//     Everything else is split into cubics that meet the curve's values and slopes at their ends and hold the
//     tolerance in between (checked at 32 places of each, with a margin). Pieces are not cut shorter than the
//     times of two floats; where that ends the splitting, `error` says what is left, and a note is made if it
//     is above the tolerance.
//   - Among other segments a step, and the jump of a looping curve whose ends differ, is closed by a key at
//     the last float before the jump: every time that a clip can be sampled at gets the right side.
//   path, target  of the channel; the path's component count must be the curve's
//                 (PM_ERROR_ARGUMENT otherwise)
//   options       NULL is the default
//   allocator     NULL for the C library's; kept until pm_curve_channel_destroy
//   channel       receives the channel; NULL on failure
PM_API pm_result pm_curve_get_channel(const pm_curve *curve, pm_path path, uint32_t target,
                                      const pm_curve_channel_options *options, const pm_allocator *allocator,
                                      pm_curve_channel **channel, pm_report *report);

// NULL is allowed.
PM_API void pm_curve_channel_destroy(pm_curve_channel *channel);

// Time held down to a rate: (float)(k / (double)hz) for the largest whole k for which that is not above
// time_seconds. By time, not by counting frames: the same whatever rate the caller runs at. A rate that is
// not above 0 or not finite, and a time that is not finite, give time_seconds.
PM_API float pm_cadence_time(float time_seconds, float hz);

#ifdef __cplusplus
}
#endif

#endif
