#include "maths.h"

#include <math.h>
#include <stdint.h>

// Evaluates coefficients c[0] + c[1] x + ... by Horner's rule.
static double polynomial(const double *c, int count, double x) {
    double sum = c[count - 1];
    for (int i = count - 2; i >= 0; --i) sum = sum * x + c[i];
    return sum;
}

#define POLYNOMIAL(coefficients, x)                                                                          \
    polynomial(coefficients, (int)(sizeof(coefficients) / sizeof *(coefficients)), x)

// An angle within [-pi/4, pi/4], as a sum of two doubles, and how many quarter turns were taken off, mod 4.
typedef struct reduced_angle {
    double high, low;
    int quadrant;
} reduced_angle;

// Cody and Waite: pi/2 in three parts. The first two have 33 bits each, so that their products with a count
// of quarter turns below 2^20 are exact, and the subtraction of the first is exact too, the operands being
// close.
static const double half_pi_1 = 0x1.921fb544p+0;
static const double half_pi_2 = 0x1.0b4611a6p-34;
static const double half_pi_3 = 0x1.3198a2e037073p-69;

static reduced_angle reduce(double radians) {
    if (!(fabs(radians) <= 1e6)) radians = fmod(radians, 2.0 * PM_PI);
    double turns = floor(radians * (2.0 / PM_PI) + 0.5);
    double first = radians - turns * half_pi_1;
    double second = turns * half_pi_2;
    double third = turns * half_pi_3;
    // Two exact sums (Knuth): first - second, then minus third, rounding errors gathered in low.
    double sum = first - second;
    double part = sum - first;
    double error = (first - (sum - part)) - (second + part);
    double high = sum - third;
    part = high - sum;
    double low = error + ((sum - (high - part)) - (third + part));
    double quadrant = turns - 4.0 * floor(turns * 0.25);
    // The comparison is false for NaN, whose conversion would be undefined.
    return (reduced_angle){high, low, quadrant >= 1.0 ? (int)quadrant : 0};
}

// (sin(x) / x - 1) / x^2 in z = x^2, |x| up to pi/4; sine's relative error 2^-57.
static const double sine_coefficients[] = {
    -0x1.5555555555555p-3,  0x1.111111111111p-7,   -0x1.a01a01a019926p-13, 0x1.71de3a545e7p-19,
    -0x1.ae64540f0ba18p-26, 0x1.61217c1864fa1p-33, -0x1.ab161757f0c63p-41,
};

// (cos(x) - 1 + x^2 / 2) / x^4 in z = x^2, |x| up to pi/4; cosine's relative error 2^-59.
static const double cosine_coefficients[] = {
    0x1.5555555555555p-5,   -0x1.6c16c16c1696p-10, 0x1.a01a019f4d0edp-16,
    -0x1.27e4fa15bd814p-22, 0x1.1eeb66b683028p-29, -0x1.907c0e63adbb6p-37,
};

// sin(high + low) = sin(high) + low cos(high), to first order in low.
static double sine_of(double high, double low) {
    double z = high * high;
    double tail = high * z * POLYNOMIAL(sine_coefficients, z) + low * (1.0 - 0.5 * z);
    return high + tail;
}

// cos(high + low) = cos(high) - low sin(high). What rounding takes from 1 - z/2 is added back.
static double cosine_of(double high, double low) {
    double z = high * high;
    double half = 0.5 * z;
    double head = 1.0 - half;
    double lost = (1.0 - head) - half;
    return head + (lost + (z * z * POLYNOMIAL(cosine_coefficients, z) - high * low));
}

static double wave(reduced_angle angle, int quadrant) {
    double value = quadrant & 1 ? cosine_of(angle.high, angle.low) : sine_of(angle.high, angle.low);
    return quadrant & 2 ? -value : value;
}

double pm_sin(double radians) {
    if (radians == 0.0) return radians; // keeps the sign of zero
    reduced_angle angle = reduce(radians);
    return wave(angle, angle.quadrant);
}

double pm_cos(double radians) {
    reduced_angle angle = reduce(radians);
    return wave(angle, angle.quadrant + 1);
}

// (atan(x) / x - 1) / x^2 in z = x^2, |x| up to 1/4; arc tangent's relative error 2^-59.
static const double arctangent_coefficients[] = {
    -0x1.5555555555555p-2, 0x1.9999999999816p-3,  -0x1.2492492469ec8p-3,
    0x1.c71c71933024bp-4,  -0x1.745d0681dd281p-4, 0x1.3b10a453096d5p-4,
    -0x1.10bd2a28b43fbp-4, 0x1.d7441e68ba39cp-5,  -0x1.5012240fdb9b5p-5,
};

// Where the arc tangent is expanded: up to `limit`, around `centre`, whose arc tangent is high + low.
static const struct {
    double limit, centre, high, low;
} arctangent_pieces[] = {
    {0.25, 0.0, 0.0, 0.0},
    {0.75, 0.5, 0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {1.6, 1.0, 0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
    {4.0, 2.0, 0x1.1b6e192ebbe44p+0, 0x1.b1b466a88828ep-54},
};

double pm_atan(double x) {
    enum { PIECES = sizeof arctangent_pieces / sizeof *arctangent_pieces };
    double size = fabs(x);
    int piece = 0;
    while (piece < PIECES && size > arctangent_pieces[piece].limit) ++piece;
    // atan(x) = atan(c) + atan((x - c) / (1 + c x)); beyond the last piece c is infinite.
    double y = -1.0 / size, high = 0x1.921fb54442d18p+0, low = 0x1.1a62633145c07p-54;
    if (piece < PIECES) {
        double centre = arctangent_pieces[piece].centre;
        y = (size - centre) / (1.0 + centre * size);
        high = arctangent_pieces[piece].high;
        low = arctangent_pieces[piece].low;
    }
    double z = y * y;
    double angle = high + (y + (y * z * POLYNOMIAL(arctangent_coefficients, z) + low));
    return copysign(angle, x);
}

double pm_atan2(double y, double x) {
    if (x == 0.0 && y == 0.0) return copysign(copysign(1.0, x) < 0.0 ? PM_PI : 0.0, y);
    if (x == 0.0) return copysign(y == y ? PM_PI / 2.0 : y, y);
    double ratio = fabs(y) / fabs(x);
    double angle = pm_atan(ratio);
    // The second part of pi keeps the digits that subtracting from it would lose.
    if (copysign(1.0, x) < 0.0) angle = PM_PI - (angle - 0x1.1a62633145c07p-53);
    return copysign(angle, y);
}

double pm_acos(double x) {
    return 2.0 * pm_atan2(sqrt(1.0 - x), sqrt(1.0 + x));
}

double pm_asin(double x) {
    return pm_atan2(x, sqrt((1.0 - x) * (1.0 + x)));
}

// (2^x - 1) / x, |x| up to 1/2; relative error of the power 2^-55.
static const double power_coefficients[] = {
    0x1.62e42fefa39efp-1,  0x1.ebfbdff82c58fp-3,  0x1.c6b08d704a0c6p-5,  0x1.3b2ab6fba4e79p-7,
    0x1.5d87fe78a3ef9p-10, 0x1.430912f86b79ap-13, 0x1.ffcbfc6de821dp-17, 0x1.62c02242d24bcp-20,
    0x1.b524eb29e2f3p-24,  0x1.e4cf105a3a015p-28, 0x1.e9ed48b35dbf1p-32, 0x1.c4a37e478b25dp-36,
};

double pm_exp2(double x) {
    if (x != x) return x;
    if (x > 1025.0) x = 1025.0;
    if (x < -1080.0) x = -1080.0;
    double whole = floor(x + 0.5);
    double fraction = x - whole;
    return ldexp(1.0 + fraction * POLYNOMIAL(power_coefficients, fraction), (int)whole);
}
