// Easings: values, derivatives, pieces, names, and the Bezier solver.
#include <posemill/easing.h>

#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static pm_easing easing_of(pm_easing_family family, pm_easing_direction direction) {
    return (pm_easing){.family = family, .direction = direction};
}

static pm_easing bezier(double x1, double y1, double x2, double y2) {
    return (pm_easing){.family = PM_EASING_BEZIER, .x1 = x1, .y1 = y1, .x2 = x2, .y2 = y2};
}

// Every easing without parameters, and two Beziers.
static uint32_t all_easings(pm_easing *easings) {
    uint32_t count = 0;
    for (int family = 0; family < PM_EASING_FAMILY_COUNT; ++family) {
        if (family == PM_EASING_BEZIER || family == PM_EASING_POLYNOMIAL) continue;
        int directions = family < PM_EASING_QUAD ? 1 : PM_EASING_DIRECTION_COUNT;
        for (int direction = 0; direction < directions; ++direction)
            easings[count++] = easing_of((pm_easing_family)family, (pm_easing_direction)direction);
    }
    easings[count++] = bezier(0.25, 0.1, 0.25, 1.0);
    easings[count++] = bezier(0.3, -0.6, 0.7, 1.6);
    cr_assert(pm_easing_parse("polynomial:0,2,-3,2", &easings[count++]));
    return count;
}

static const char *name_of(const pm_easing *easing) {
    static char text[PM_EASING_NAME_SIZE];
    return pm_easing_format(easing, text);
}

Test(easing, smoothstep_and_smootherstep_by_hand) {
    pm_easing smooth = easing_of(PM_EASING_SMOOTHSTEP, PM_EASING_IN);
    pm_easing_sample quarter = pm_easing_evaluate(&smooth, 0.25), middle = pm_easing_evaluate(&smooth, 0.5);
    cr_assert_eq(quarter.value, 0.15625);
    cr_assert_eq(quarter.first, 1.125);
    cr_assert_eq(middle.first, 1.5);
    cr_assert_eq(pm_easing_evaluate(&smooth, 0.0).second, 6.0);
    cr_assert_eq(pm_easing_evaluate(&smooth, 1.0).second, -6.0);

    pm_easing smoother = easing_of(PM_EASING_SMOOTHERSTEP, PM_EASING_IN);
    cr_assert_eq(pm_easing_evaluate(&smoother, 0.5).value, 0.5);
    cr_assert_eq(pm_easing_evaluate(&smoother, 0.5).first, 1.875);
    cr_assert_eq(pm_easing_evaluate(&smoother, 0.0).second, 0.0);
    cr_assert_eq(pm_easing_evaluate(&smoother, 1.0).second, 0.0);
}

// Values from the families' definitions, worked out with the C library.
static double by_definition(pm_easing_family family, bool in_out, double u) {
    double s = in_out ? 1.70158 * 1.525 : 1.70158, p = in_out ? 0.45 : 0.3;
    double expo = (pow(2.0, 10.0 * u) - 1.0) / 1023.0;
    double v = 1.0 - u;
    switch (family) {
    case PM_EASING_QUAD:
        return u * u;
    case PM_EASING_CUBIC:
        return u * u * u;
    case PM_EASING_QUART:
        return u * u * u * u;
    case PM_EASING_QUINT:
        return u * u * u * u * u;
    case PM_EASING_SINE:
        return 1.0 - cos(u * acos(-1.0) / 2.0);
    case PM_EASING_EXPO:
        return expo;
    case PM_EASING_BACK:
        return u * u * ((s + 1.0) * u - s);
    case PM_EASING_ELASTIC:
        return -expo * sin((u - 1.0 - p / 4.0) * 2.0 * acos(-1.0) / p);
    case PM_EASING_BOUNCE:
        if (v < 1.0 / 2.75) return 1.0 - 7.5625 * v * v;
        if (v < 2.0 / 2.75) return 1.0 - (7.5625 * (v - 1.5 / 2.75) * (v - 1.5 / 2.75) + 0.75);
        if (v < 2.5 / 2.75) return 1.0 - (7.5625 * (v - 2.25 / 2.75) * (v - 2.25 / 2.75) + 0.9375);
        return 1.0 - (7.5625 * (v - 2.625 / 2.75) * (v - 2.625 / 2.75) + 0.984375);
    default:
        return NAN;
    }
}

Test(easing, families_follow_their_definitions) {
    for (int family = PM_EASING_QUAD; family < PM_EASING_FAMILY_COUNT; ++family) {
        pm_easing in = easing_of((pm_easing_family)family, PM_EASING_IN);
        pm_easing out = easing_of((pm_easing_family)family, PM_EASING_OUT);
        pm_easing both = easing_of((pm_easing_family)family, PM_EASING_IN_OUT);
        for (int i = 0; i <= 1000; ++i) {
            double u = i / 1000.0;
            double expected = by_definition(in.family, false, u);
            cr_assert_float_eq(pm_easing_evaluate(&in, u).value, expected, 1e-12, "%s at %g", name_of(&in),
                               u);
            cr_assert_float_eq(pm_easing_evaluate(&out, 1.0 - u).value, 1.0 - expected, 1e-12, "%s at %g",
                               name_of(&out), 1.0 - u);
            double half = 0.5 * by_definition(in.family, true, u);
            cr_assert_float_eq(pm_easing_evaluate(&both, 0.5 * u).value, half, 1e-12, "%s", name_of(&both));
            cr_assert_float_eq(pm_easing_evaluate(&both, 1.0 - 0.5 * u).value, 1.0 - half, 1e-12, "%s",
                               name_of(&both));
        }
    }
}

// R. Penner's own EXPO and ELASTIC, which jump at one end, are not further away than that jump.
Test(easing, expo_and_elastic_are_penners_within_his_jump) {
    pm_easing expo = easing_of(PM_EASING_EXPO, PM_EASING_IN),
              elastic = easing_of(PM_EASING_ELASTIC, PM_EASING_IN);
    for (int i = 0; i <= 1000; ++i) {
        double u = i / 1000.0, power = pow(2.0, 10.0 * u - 10.0);
        cr_assert_float_eq(pm_easing_evaluate(&expo, u).value, power, 1.0 / 1023.0);
        cr_assert_float_eq(pm_easing_evaluate(&elastic, u).value,
                           -power * sin((10.0 * u - 10.75) * 2.0 * acos(-1.0) / 3.0), 1.0 / 1023.0);
    }
}

Test(easing, every_easing_starts_at_zero_and_ends_at_one) {
    pm_easing easings[64];
    uint32_t count = all_easings(easings);
    for (uint32_t i = 0; i < count; ++i) {
        cr_assert_eq(pm_easing_evaluate(&easings[i], 0.0).value, 0.0, "%s", name_of(&easings[i]));
        cr_assert_eq(pm_easing_evaluate(&easings[i], 1.0).value, 1.0, "%s", name_of(&easings[i]));
        cr_assert_float_eq(pm_easing_evaluate(&easings[i], 1e-9).value, 0.0, 1e-7);
        cr_assert_float_eq(pm_easing_evaluate(&easings[i], 1.0 - 1e-9).value, 1.0, 1e-7);
        cr_assert_eq(pm_easing_evaluate(&easings[i], -3.0).value, 0.0);
        cr_assert_eq(pm_easing_evaluate(&easings[i], 7.0).value, 1.0);
        cr_assert_eq(pm_easing_evaluate(&easings[i], (double)NAN).value, 0.0);
    }
}

Test(easing, derivatives_are_those_of_the_values) {
    pm_easing easings[64];
    uint32_t count = all_easings(easings);
    for (uint32_t i = 0; i < count; ++i) {
        for (int k = 1; k < 200; ++k) {
            // Off the kinks at 1/2, and off those of BOUNCE, by more than the step.
            double u = (k + 0.3137) / 200.0, step = 1e-5;
            pm_easing_sample before = pm_easing_evaluate(&easings[i], u - step);
            pm_easing_sample here = pm_easing_evaluate(&easings[i], u);
            pm_easing_sample after = pm_easing_evaluate(&easings[i], u + step);
            double first = (after.value - before.value) / (2.0 * step);
            double second = (after.first - before.first) / (2.0 * step);
            cr_assert_float_eq(here.first, first, 1e-5 * (1.0 + fabs(first)), "%s at %g",
                               name_of(&easings[i]), u);
            cr_assert_float_eq(here.second, second, 1e-4 * (10.0 + fabs(second)), "%s at %g",
                               name_of(&easings[i]), u);
        }
    }
}

Test(easing, at_a_kink_the_derivative_to_the_right_is_given) {
    static const double contacts[] = {4.0 / 11.0, 8.0 / 11.0, 10.0 / 11.0};
    pm_easing out = easing_of(PM_EASING_BOUNCE, PM_EASING_OUT),
              in = easing_of(PM_EASING_BOUNCE, PM_EASING_IN);
    for (int i = 0; i < 3; ++i) {
        cr_assert_lt(pm_easing_evaluate(&out, contacts[i]).first, 0.0);
        cr_assert_gt(pm_easing_evaluate(&out, nextafter(contacts[i], 0.0)).first, 0.0);
        // Mirrored contacts round: look at both sides.
        cr_assert_lt(pm_easing_evaluate(&in, 1.0 - contacts[i] - 1e-12).first, 0.0);
        cr_assert_gt(pm_easing_evaluate(&in, 1.0 - contacts[i] + 1e-12).first, 0.0);
    }
}

Test(easing, pieces_are_the_easing) {
    pm_easing easings[64];
    uint32_t count = all_easings(easings);
    for (uint32_t i = 0; i < count; ++i) {
        pm_easing_piece pieces[PM_EASING_PIECES_MAX];
        uint32_t piece_count = pm_easing_get_pieces(&easings[i], pieces);
        cr_assert_leq(piece_count, PM_EASING_PIECES_MAX);
        cr_assert_eq(pieces[0].begin, 0.0);
        cr_assert_eq(pieces[piece_count - 1].end, 1.0);
        for (uint32_t p = 0; p < piece_count; ++p) {
            if (p) cr_assert_eq(pieces[p].begin, pieces[p - 1].end);
            if (pieces[p].degree == PM_EASING_NO_DEGREE) continue;
            for (int k = 1; k < 20; ++k) {
                double u = pieces[p].begin + (pieces[p].end - pieces[p].begin) * k / 20.0, value = 0.0;
                for (int d = 5; d >= 0; --d) value = value * u + pieces[p].coefficients[d];
                cr_assert_float_eq(value, pm_easing_evaluate(&easings[i], u).value, 1e-12, "%s piece %u",
                                   name_of(&easings[i]), p);
                for (uint32_t d = pieces[p].degree + 1; d < 6; ++d)
                    cr_assert_eq(pieces[p].coefficients[d], 0.0);
            }
        }
    }
}

// How far the curve's x, at the parameter that gives this y, is from u: found by bisection over y's own
// parameter, which needs y to rise, so handles with rising y are used.
static double x_at_value(double x1, double y1, double x2, double y2, double value) {
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 200; ++i) {
        double s = 0.5 * (low + high), r = 1.0 - s;
        double y = 3.0 * r * r * s * y1 + 3.0 * r * s * s * y2 + s * s * s;
        if (y < value)
            low = s;
        else
            high = s;
    }
    double s = low, r = 1.0 - s;
    return 3.0 * r * r * s * x1 + 3.0 * r * s * s * x2 + s * s * s;
}

Test(easing, bezier_meets_its_time_for_all_legal_handles) {
    double worst = 0.0;
    for (int a = 0; a <= 16; ++a) {
        for (int b = 0; b <= 16; ++b) {
            // y is the parameter itself for handles at thirds, so the value tells the parameter that was
            // found.
            pm_easing easing = bezier(a / 16.0, 1.0 / 3.0, b / 16.0, 2.0 / 3.0);
            for (int k = 1; k < 512; ++k) {
                double u = k / 512.0, s = pm_easing_evaluate(&easing, u).value, r = 1.0 - s;
                double x = 3.0 * r * r * s * easing.x1 + 3.0 * r * s * s * easing.x2 + s * s * s;
                worst = fmax(worst, fabs(x - u));
            }
        }
    }
    cr_assert_leq(worst, ldexp(1.0, -40), "%g", worst);
    cr_assert_float_eq(
        x_at_value(0.42, 0.0, 0.58, 1.0,
                   pm_easing_evaluate(
                       &(pm_easing){.family = PM_EASING_BEZIER, .x1 = 0.42, .x2 = 0.58, .y2 = 1.0}, 0.3)
                       .value),
        0.3, ldexp(1.0, -22));
}

Test(easing, bezier_near_its_ends_and_with_upright_handles) {
    // x is s^3 near 0 here, and nearly all of time passes near s = 0 and s = 1.
    pm_easing flat = bezier(0.0, 1.0 / 3.0, 0.0, 2.0 / 3.0);
    for (int e = -300; e < 0; e += 7) {
        double u = pow(10.0, e);
        double s = pm_easing_evaluate(&flat, u).value;
        cr_assert_float_eq(s, cbrt(u), 1e-12, "%g at 1e%d", s, e);
    }
    // Upright in the middle.
    pm_easing upright = bezier(1.0, 0.0, 0.0, 1.0);
    pm_easing_sample middle = pm_easing_evaluate(&upright, 0.5);
    cr_assert_eq(middle.value, 0.5);
    cr_assert_eq(middle.first, (double)INFINITY);
    for (int k = 0; k <= 4096; ++k) {
        pm_easing_sample sample = pm_easing_evaluate(&upright, k / 4096.0);
        cr_assert(sample.value >= 0.0 && sample.value <= 1.0 && !isnan(sample.first) &&
                  !isnan(sample.second));
    }
    // A handle on the end point leaves in the other handle's direction.
    pm_easing resting = bezier(0.0, 0.0, 0.5, 0.25);
    cr_assert_eq(pm_easing_evaluate(&resting, 0.0).first, 0.5);
    pm_easing arriving = bezier(0.42, 0.0, 1.0, 1.0);
    cr_assert_float_eq(pm_easing_evaluate(&arriving, 1.0).first, 1.0 / 0.58, 1e-12);
    pm_easing straight = bezier(0.0, 0.0, 1.0, 1.0);
    for (int k = 0; k <= 16; ++k) {
        cr_assert_float_eq(pm_easing_evaluate(&straight, k / 16.0).value, k / 16.0, 1e-15);
        cr_assert_float_eq(pm_easing_evaluate(&straight, k / 16.0).first, 1.0, 1e-12);
    }
}

Test(easing, bezier_leaves_the_unit_range_with_its_handles) {
    pm_easing overshoot = bezier(0.3, -0.6, 0.7, 1.6);
    cr_assert_lt(pm_easing_evaluate(&overshoot, 0.15).value, 0.0);
    cr_assert_gt(pm_easing_evaluate(&overshoot, 0.85).value, 1.0);
}

Test(easing, invalid_easings_are_refused_with_a_reason) {
    pm_easing wrong[] = {
        bezier(-0.01, 0, 0.5, 1),
        bezier(0.1, 0, 1.01, 1),
        bezier((double)NAN, 0, 0.5, 1),
        bezier(0.1, 0, (double)NAN, 1),
        bezier(0.1, (double)INFINITY, 0.5, 1),
        bezier(0.1, 0, 0.5, (double)NAN),
        easing_of((pm_easing_family)99, PM_EASING_IN),
        easing_of(PM_EASING_QUAD, (pm_easing_direction)7),
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
        cr_assert_not_null(pm_easing_validate(&wrong[i]));
    pm_easing right = bezier(0, -5, 1, 5);
    cr_assert_null(pm_easing_validate(&right));
}

Test(easing, inspection_tells_range_monotony_and_ends) {
    static const struct {
        const char *name;
        double minimum, maximum;
        bool monotone;
    } expected[] = {
        {"linear", 0, 1, true},
        {"smootherstep", 0, 1, true},
        {"expo-in-out", 0, 1, true},
        {"back-in", -0.1, 1, false}, // s^3 * 4 / (27 (s + 1)^2)
        {"bounce-out", 0, 1, false},
        {"bezier:0.3,-0.6,0.7,1.6", 0, 0, false},
        {"polynomial:0,0,3,-2", 0, 1, true},
        {"polynomial:0,4,-3", 0, 4.0 / 3.0, false},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
        pm_easing easing;
        cr_assert(pm_easing_parse(expected[i].name, &easing));
        pm_easing_report report = pm_easing_inspect(&easing);
        double minimum = 0.0, maximum = 1.0;
        for (int k = 0; k <= 4096; ++k) {
            double value = pm_easing_evaluate(&easing, k / 4096.0).value;
            minimum = fmin(minimum, value);
            maximum = fmax(maximum, value);
        }
        cr_assert_float_eq(report.minimum, minimum, 1e-6, "%s", expected[i].name);
        cr_assert_float_eq(report.maximum, maximum, 1e-6, "%s", expected[i].name);
        if (expected[i].maximum > 0.0) {
            cr_assert_float_eq(report.minimum, expected[i].minimum, 1e-4, "%s", expected[i].name);
            cr_assert_float_eq(report.maximum, expected[i].maximum, 1e-12, "%s", expected[i].name);
        }
        cr_assert_eq(report.monotone, expected[i].monotone, "%s", expected[i].name);
        cr_assert(report.at_zero == 0.0 && report.at_one == 1.0);
    }
    // One that misses its ends is not valid, but can be looked at.
    pm_easing off = {.family = PM_EASING_POLYNOMIAL, .coefficients = {0.125, 1.0}};
    cr_assert_not_null(pm_easing_validate(&off));
    pm_easing_report report = pm_easing_inspect(&off);
    cr_assert_eq(report.at_zero, 0.125);
    cr_assert_eq(report.at_one, 1.125);
    cr_assert_eq(report.maximum, 1.125);
}

Test(easing, names_read_back_as_they_were_written) {
    pm_easing easings[64];
    uint32_t count = all_easings(easings);
    for (uint32_t i = 0; i < count; ++i) {
        pm_easing read;
        cr_assert(pm_easing_parse(name_of(&easings[i]), &read), "%s", name_of(&easings[i]));
        cr_assert(read.family == easings[i].family && read.direction == easings[i].direction &&
                  read.x1 == easings[i].x1 && read.y1 == easings[i].y1 && read.x2 == easings[i].x2 &&
                  read.y2 == easings[i].y2);
    }
    pm_easing read;
    cr_assert(pm_easing_parse("quad", &read) && read.direction == PM_EASING_IN_OUT);
    cr_assert(pm_easing_parse("ease-in", &read) && read.family == PM_EASING_BEZIER && read.x1 == 0.42);
    static const char *const wrong[] = {"",
                                        "quadratic",
                                        "smoothstep-in",
                                        "quad-",
                                        "quad-inout",
                                        "bezier",
                                        "bezier:1,2,3",
                                        "bezier:0,0,1,1,1",
                                        "linear ",
                                        "bezier:2,0,1,1",
                                        "bezier:nan,0,1,1",
                                        "polynomial:1,0",
                                        "polynomial:0,0.5",
                                        "polynomial:0,0,0,0,0,0,1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
        cr_assert_not(pm_easing_parse(wrong[i], &read), "\"%s\"", wrong[i]);
}
