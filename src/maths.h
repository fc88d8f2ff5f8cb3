// Posemill internals: elementary functions with the same bits on every machine.
//
// Libraries of C differ in their last bits, so whatever ends up in the bytes of a clip uses these instead.
// They are made of IEEE double + - * / and square root, and of floor, fmod, fabs, ldexp and copysign, which
// are exact. Each states its largest error in units in the last place (ulp) of the result, as measured
// against a reference of higher precision by tests/test_maths.c.
//
// Polynomials are our own: interpolation of the function's even part at Chebyshev nodes, solved with 60
// decimal digits and rounded to double. Their own relative error is stated beside each in maths.c.
#ifndef PM_MATHS_H
#define PM_MATHS_H

#include <posemill/base.h>

#define PM_PI 3.14159265358979323846

// Degrees in a radian's worth of arc and back: multiply.
#define PM_RADIANS_PER_DEGREE (PM_PI / 180.0)
#define PM_DEGREES_PER_RADIAN (180.0 / PM_PI)

// Components of a rotation below this, relative to its largest, are made 0. Exporters write 1e-20 where they
// mean no rotation about an axis. That turns nothing by as much as rounding does, but squares of such specks,
// and of what weights make of them, are subnormal, and arithmetic with subnormal numbers takes many
// processors as long as a whole block of joints.
#define PM_ROTATION_SPECK 0x1p-40

// Sine and cosine of an angle in radians, within 1 ulp for |x| up to 1e6 (near the zeros too). Beyond that
// the period is twice the double nearest to pi, so that large angles stay in [-1, 1] but drift: convert turns
// first. Not finite gives NaN.
PM_API double pm_sin(double radians);
PM_API double pm_cos(double radians);

// Arc tangent, in [-pi/2, pi/2], within 2 ulp; NaN gives NaN.
PM_API double pm_atan(double x);

// The angle of the point (x, y), in [-pi, pi], within 3 ulp; signs of zero as in the C library, infinities
// not supported (NaN).
PM_API double pm_atan2(double y, double x);

// Arc cosine, in [0, pi], and arc sine, in [-pi/2, pi/2], within 4 ulp. Outside of [-1, 1] gives NaN. Of an
// angle between unit vectors prefer pm_atan2(|a - b|, |a + b|) * 2, which does not lose digits near 0.
PM_API double pm_acos(double x);
PM_API double pm_asin(double x);

// Two to the power of x, within 1.5 ulp where the result is normal; 0 and infinity beyond the range of
// double.
PM_API double pm_exp2(double x);

#endif
