// The project's own elementary functions against the C library's in long double.
#include "maths.h"

#include <criterion/criterion.h>

#include <float.h>
#include <math.h>
#include <stdint.h>

// The distance of `actual` from the reference, in units in the last place of a double of that size.
static double ulps(double actual, long double expected) {
    int exponent;
    frexpl(expected, &exponent);
    if (exponent < DBL_MIN_EXP) exponent = DBL_MIN_EXP;
    return (double)fabsl(((long double)actual - expected) / ldexpl(1.0L, exponent - DBL_MANT_DIG));
}

typedef double (*function)(double);
typedef long double (*reference)(long double);

static double worst_over(function f, reference r, double from, double to, int count) {
    double worst = 0.0;
    for (int i = 0; i <= count; ++i) {
        double x = from + (to - from) * i / count;
        worst = fmax(worst, ulps(f(x), r((long double)x)));
    }
    return worst;
}

// A long double that is no wider than a double is itself off by up to an ulp.
static const double slack = LDBL_MANT_DIG > DBL_MANT_DIG ? 0.0 : 1.0;

Test(maths, sine_and_cosine_within_one_ulp) {
    static const double limits[] = {1e-8, 0.8, 7.0, 100.0, 1e5, 1e6};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i) {
        double sine = worst_over(pm_sin, sinl, -limits[i], limits[i], 200001);
        double cosine = worst_over(pm_cos, cosl, -limits[i], limits[i], 200001);
        cr_assert_leq(sine, 1.0 + slack, "sine up to %g: %g ulp", limits[i], sine);
        cr_assert_leq(cosine, 1.0 + slack, "cosine up to %g: %g ulp", limits[i], cosine);
    }
}

Test(maths, sine_and_cosine_keep_their_digits_at_multiples_of_half_pi) {
    for (int k = -500000; k <= 500000; k += 37) {
        double x = k * (PM_PI / 2.0);
        double sine = ulps(pm_sin(x), sinl((long double)x));
        double cosine = ulps(pm_cos(x), cosl((long double)x));
        // The reference's own argument reduction is good to 64 bits of the result.
        cr_assert_leq(sine, 1.0 + slack, "sin(%.17g): %g ulp", x, sine);
        cr_assert_leq(cosine, 1.0 + slack, "cos(%.17g): %g ulp", x, cosine);
    }
}

Test(maths, sine_and_cosine_of_anything_stay_in_range) {
    static const double huge[] = {1e6, 1e10, 1e16, 1e100, DBL_MAX};
    for (size_t i = 0; i < sizeof huge / sizeof *huge; ++i) {
        cr_assert_leq(fabs(pm_sin(huge[i])), 1.0);
        cr_assert_leq(fabs(pm_cos(-huge[i])), 1.0);
    }
    cr_assert(isnan(pm_sin(NAN)) && isnan(pm_cos(NAN)) && isnan(pm_sin(INFINITY)) &&
              isnan(pm_cos(-INFINITY)));
    cr_assert(pm_sin(-0.0) == 0.0 && signbit(pm_sin(-0.0)));
    cr_assert_eq(pm_sin(DBL_TRUE_MIN), DBL_TRUE_MIN);
    cr_assert_eq(pm_cos(0.0), 1.0);
    cr_assert_eq(pm_sin(PM_PI / 2.0), 1.0);
}

Test(maths, arc_tangent_within_two_ulp) {
    static const double limits[] = {1e-6, 0.3, 2.0, 5.0, 1000.0, 1e12};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i) {
        double worst = worst_over(pm_atan, atanl, -limits[i], limits[i], 200001);
        cr_assert_leq(worst, 2.0 + slack, "up to %g: %g ulp", limits[i], worst);
    }
    cr_assert_eq(pm_atan(INFINITY), PM_PI / 2.0);
    cr_assert_eq(pm_atan(-INFINITY), -PM_PI / 2.0);
    cr_assert(isnan(pm_atan(NAN)));
}

Test(maths, arc_tangent_is_monotone_where_its_pieces_meet) {
    static const double limits[] = {0.25, 0.75, 1.6, 4.0};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i) {
        double x = limits[i];
        for (int step = 0; step < 8; ++step) x = nextafter(x, 0.0);
        double before = pm_atan(x);
        for (int step = 0; step < 16; ++step) {
            x = nextafter(x, 10.0);
            double angle = pm_atan(x);
            cr_assert_geq(angle, before, "at %.17g", x);
            before = angle;
        }
    }
}

Test(maths, angle_of_a_point_within_three_ulp) {
    double worst = 0.0;
    for (int i = 0; i < 200000; ++i) {
        double angle = -3.2 + 6.4 * i / 200000.0, radius = 0.1 + i % 7;
        double x = radius * cos(angle), y = radius * sin(angle);
        worst = fmax(worst, ulps(pm_atan2(y, x), atan2l((long double)y, (long double)x)));
    }
    cr_assert_leq(worst, 3.0 + slack, "%g ulp", worst);
    cr_assert_eq(pm_atan2(0.0, 1.0), 0.0);
    cr_assert_eq(pm_atan2(0.0, -1.0), PM_PI);
    cr_assert_eq(pm_atan2(-0.0, -1.0), -PM_PI);
    cr_assert_eq(pm_atan2(1.0, 0.0), PM_PI / 2.0);
    cr_assert_eq(pm_atan2(-1.0, -0.0), -PM_PI / 2.0);
    cr_assert_eq(pm_atan2(0.0, 0.0), 0.0);
    cr_assert_eq(pm_atan2(-0.0, -0.0), -PM_PI);
}

Test(maths, arc_sine_and_cosine_within_four_ulp) {
    double sine = worst_over(pm_asin, asinl, -1.0, 1.0, 200001);
    double cosine = worst_over(pm_acos, acosl, -1.0, 1.0, 200001);
    for (int exponent = 1; exponent < 53; ++exponent) {
        double x = 1.0 - ldexp(1.0, -exponent);
        cosine = fmax(cosine, ulps(pm_acos(x), acosl((long double)x)));
        sine = fmax(sine, ulps(pm_asin(-x), asinl((long double)-x)));
    }
    cr_assert_leq(sine, 4.0 + slack, "arc sine: %g ulp", sine);
    cr_assert_leq(cosine, 4.0 + slack, "arc cosine: %g ulp", cosine);
    cr_assert_eq(pm_acos(1.0), 0.0);
    cr_assert_eq(pm_acos(-1.0), PM_PI);
    cr_assert(isnan(pm_acos(1.0000001)) && isnan(pm_asin(-1.5)));
}

Test(maths, power_of_two_within_one_and_a_half_ulp_and_exact_at_integers) {
    static const double limits[] = {1e-9, 0.6, 10.0, 1021.0};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i) {
        double worst = worst_over(pm_exp2, exp2l, -limits[i], limits[i], 200001);
        cr_assert_leq(worst, 1.5 + slack, "up to %g: %g ulp", limits[i], worst);
    }
    for (int k = -1074; k <= 1023; ++k) cr_assert_eq(pm_exp2(k), ldexp(1.0, k));
    cr_assert_eq(pm_exp2(-1e9), 0.0);
    cr_assert_eq(pm_exp2(1e9), INFINITY);
    cr_assert(isnan(pm_exp2(NAN)));
}

static void round_both(double *values) {
    values[0] = (double)(float)values[0];
    values[1] = (double)(float)values[1];
}

// GCC 12 leaves the rounding out when it turns both into one vector operation (see
// cmake/PosemillTargets.cmake).
Test(maths, two_neighbours_are_rounded_to_float) {
    double values[2] = {0.1, 0.3};
    void (*volatile round)(double *) = round_both; // not inlined
    round(values);
    cr_assert_eq(values[0], (double)0.1f);
    cr_assert_eq(values[1], (double)0.3f);
}

// FNV-1a over the bits of many results: one figure for every target.
Test(maths, same_bits_everywhere) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (int i = -2000; i <= 2000; ++i) {
        double x = i * 0.01171875;
        double results[] = {pm_sin(x),         pm_cos(x), pm_atan(x), pm_atan2(x, 1.0 - x),
                            pm_acos(x / 23.5), pm_exp2(x)};
        for (size_t k = 0; k < sizeof results / sizeof *results; ++k) {
            union {
                double value;
                uint64_t bits;
            } word = {results[k]};
            for (int byte = 0; byte < 8; ++byte)
                hash = (hash ^ (word.bits >> (8 * byte) & 0xff)) * 0x100000001b3u;
        }
    }
    cr_assert_eq(hash, 0xdc0b55e9d3229b48u, "0x%016llx", (unsigned long long)hash);
}
