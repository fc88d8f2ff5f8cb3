// Posemill: easings, functions from the position in a segment (0 to 1) to the position in its motion.
//
// An easing changes when a segment's values are reached, not which: value(u) = segment(easing(u)). Every
// easing is 0 at 0 and 1 at 1 exactly. Some leave [0, 1] in between (back, elastic, a Bezier with such
// handles); the segment is then extended beyond its ends. All functions here are pure and may be called from
// any thread; their results are the same bits on every machine.
#ifndef POSEMILL_EASING_H
#define POSEMILL_EASING_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Each family as a function of u for PM_EASING_IN. OUT is 1 - in(1 - u); IN_OUT is in(2u) / 2 up to the
// middle and 1 - in(2 - 2u) / 2 from there on. What stands above QUAD has no direction.
// The families from QUAD on are R. Penner's ("Programming Macromedia Flash MX", chapter 7). His EXPO and
// ELASTIC miss 0 by up to 1/1024, which shows as a jump; here their 2^(10u - 10) is replaced by
// (2^(10u) - 1) / 1023.
typedef enum pm_easing_family {
    PM_EASING_LINEAR,       // u
    PM_EASING_SMOOTHSTEP,   // 3u^2 - 2u^3
    PM_EASING_SMOOTHERSTEP, // 6u^5 - 15u^4 + 10u^3 (K. Perlin, "Improving Noise", 2002)
    PM_EASING_BEZIER,       // y where x = u on the cubic Bezier curve (0, 0), (x1, y1), (x2, y2), (1, 1)
    PM_EASING_POLYNOMIAL,   // c[0] + c[1] u + ... + c[5] u^5, of one's own
    PM_EASING_QUAD,         // u^2
    PM_EASING_CUBIC,        // u^3
    PM_EASING_QUART,        // u^4
    PM_EASING_QUINT,        // u^5
    PM_EASING_SINE,         // 1 - cos(u pi / 2)
    PM_EASING_EXPO,         // (2^(10u) - 1) / 1023
    PM_EASING_BACK,         // (s + 1) u^3 - s u^2, s = 1.70158; IN_OUT: s = 1.70158 * 1.525
    PM_EASING_ELASTIC,      // expo(u) cos(2 pi (1 - u) / p), p = 0.3; IN_OUT: p = 0.45
    PM_EASING_BOUNCE,       // OUT is four parabolas that meet at 4/11, 8/11 and 10/11
    PM_EASING_FAMILY_COUNT
} pm_easing_family;

typedef enum pm_easing_direction {
    PM_EASING_IN,
    PM_EASING_OUT,
    PM_EASING_IN_OUT,
    PM_EASING_DIRECTION_COUNT
} pm_easing_direction;

// An easing. Zeroed, it is LINEAR: the segment as it is.
//   x1, x2        BEZIER only: when the handles stand, 0 to 1
//   y1, y2        BEZIER only: any finite value up to PM_EASING_NUMBER_LIMIT in magnitude
//   coefficients  POLYNOMIAL only, by rising power, up to PM_EASING_NUMBER_LIMIT in magnitude; 0 at 0 and
//                 1 at 1, to 1e-4
typedef struct pm_easing {
    pm_easing_family family;
    pm_easing_direction direction;
    double x1, y1, x2, y2;
    double coefficients[6];
} pm_easing;

#define PM_EASING_NUMBER_LIMIT 1.0e6

// An easing's value with its first and second derivative with respect to u.
typedef struct pm_easing_sample {
    double value, first, second;
} pm_easing_sample;

// Evaluates a valid easing.
//   u  clamped to [0, 1]; NaN counts as 0
// Where a derivative jumps (the middle of some IN_OUT, the contacts of BOUNCE) the one towards larger u is
// given; at 1 the one from below. A BEZIER's derivatives are infinite where its curve stands upright, and the
// second at an end whose handle lies on the end point; its u is met within 2^-40.
PM_API pm_easing_sample pm_easing_evaluate(const pm_easing *easing, double u);

// NULL if the easing can be evaluated, else the reason in words (static memory).
PM_API const char *pm_easing_validate(const pm_easing *easing);

// Degree of a piece that is no polynomial.
#define PM_EASING_NO_DEGREE UINT32_MAX

// A part of an easing on which it is smooth: c[0] + c[1] u + ... + c[degree] u^degree, with u that of the
// whole easing, for u from `begin` to `end`.
typedef struct pm_easing_piece {
    double begin, end;
    uint32_t degree; // at most 5, or PM_EASING_NO_DEGREE: then the coefficients are zero
    double coefficients[6];
} pm_easing_piece;

#define PM_EASING_PIECES_MAX 8

// Takes an easing apart, in order and without gaps.
//   pieces   [PM_EASING_PIECES_MAX], filled in
//   returns  how many: 1 for most, 2 for IN_OUT, 4 or 8 for BOUNCE
PM_API uint32_t pm_easing_get_pieces(const pm_easing *easing, pm_easing_piece *pieces);

// What an easing does over all of [0, 1].
typedef struct pm_easing_report {
    double at_zero, at_one; // of a POLYNOMIAL as its coefficients have it; 0 and 1 for everything else
    double minimum, maximum;
    bool monotone; // never falls
} pm_easing_report;

// Looks at an easing; also at a POLYNOMIAL that does not go from 0 to 1 and so is not valid.
PM_API pm_easing_report pm_easing_inspect(const pm_easing *easing);

// Reads "linear", "smoothstep", "smootherstep", "FAMILY-in", "FAMILY-out", "FAMILY-in-out" (quad, cubic,
// quart, quint, sine, expo, back, elastic, bounce; no direction is in-out), "bezier:x1,y1,x2,y2",
// "polynomial:c0,c1,..." (up to c5), or one of CSS's "ease", "ease-in", "ease-out", "ease-in-out" (CSS Easing
// Functions Level 1). False, leaving *easing alone, if it is none of these or not valid.
PM_API bool pm_easing_parse(const char *text, pm_easing *easing);

#define PM_EASING_NAME_SIZE 192

// Writes an easing as pm_easing_parse reads it. Returns `text`.
PM_API const char *pm_easing_format(const pm_easing *easing, char text[PM_EASING_NAME_SIZE]);

#ifdef __cplusplus
}
#endif

#endif
