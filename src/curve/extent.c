#include "curve.h"

#include <math.h>

void pm_curve_find_range(const pm_curve *curve, uint32_t component, double *minimum, double *maximum) {
    *minimum = *maximum = curve->values[component];
    for (uint32_t key = 0; key + 1 < curve->key_count; ++key) {
        double low, high, next = curve->values[(size_t)(key + 1) * curve->component_count + component];
        pm_cubic cubic = pm_curve_cubic(curve, key, component);
        pm_cubic_find_range(&cubic, 0.0, 1.0, &low, &high);
        low = next < low ? next : low;
        high = next > high ? next : high;
        *minimum = low < *minimum ? low : *minimum;
        *maximum = high > *maximum ? high : *maximum;
    }
}

// Adds places where the eased cubic's velocity changes its sign between `begin` and `end`, where it is
// smooth.
static uint32_t find_turns_between(const pm_cubic *cubic, const pm_easing *easing, double begin, double end,
                                   double *turns, uint32_t count) {
    enum { INTERVALS = 64, HALVINGS = 52 };
    double low = begin, velocity = 0.0;
    for (int i = 0; i <= INTERVALS && count < PM_TURNS_MAX; ++i) {
        double high = begin + (end - begin) * i / INTERVALS;
        // At a kink the easing gives the slope to the right: stay inside of the piece.
        double inside = i == INTERVALS ? end - (end - begin) * 1e-9 : high;
        double after = pm_curve_eased(cubic, pm_easing_evaluate(easing, inside)).velocity;
        if ((velocity < 0.0 && after > 0.0) || (velocity > 0.0 && after < 0.0)) {
            double a = low, b = inside;
            for (int k = 0; k < HALVINGS; ++k) {
                double middle = 0.5 * (a + b);
                double at = pm_curve_eased(cubic, pm_easing_evaluate(easing, middle)).velocity;
                if ((at > 0.0) == (velocity > 0.0) && at != 0.0)
                    a = middle;
                else
                    b = middle;
            }
            turns[count++] = b;
        }
        if (after != 0.0) {
            velocity = after;
            low = inside;
        }
    }
    return count;
}

static uint32_t find_turns(const pm_cubic *cubic, const pm_easing *easing, double turns[PM_TURNS_MAX]) {
    if (easing->family == PM_EASING_LINEAR) return pm_cubic_find_turns(cubic, 0.0, 1.0, turns);
    pm_easing_piece pieces[PM_EASING_PIECES_MAX];
    uint32_t piece_count = pm_easing_get_pieces(easing, pieces), count = 0;
    for (uint32_t i = 0; i < piece_count; ++i) {
        if (i > 0 && count < PM_TURNS_MAX) turns[count++] = pieces[i].begin;
        count = find_turns_between(cubic, easing, pieces[i].begin, pieces[i].end, turns, count);
    }
    return count;
}

uint32_t pm_curve_find_turns(const pm_curve *curve, uint32_t key, uint32_t component,
                             double turns[PM_TURNS_MAX]) {
    pm_cubic cubic = pm_curve_cubic(curve, key, component);
    return curve->steps[key] ? 0 : find_turns(&cubic, &curve->easings[key], turns);
}

pm_extent pm_curve_find_extent(const pm_curve *curve, uint32_t key, uint32_t component) {
    double places[PM_TURNS_MAX + 2];
    uint32_t count = pm_curve_find_turns(curve, key, component, places + 1) + 2;
    places[0] = 0.0;
    places[count - 1] = 1.0;
    pm_cubic cubic = pm_curve_cubic(curve, key, component);
    double next = curve->values[((size_t)key + 1) * curve->component_count + component];
    pm_extent extent = {INFINITY, -INFINITY, 0.0, 0.0};
    for (uint32_t i = 0; i < count; ++i) {
        double value = next, u = places[i];
        if (u < 1.0)
            value = pm_cubic_evaluate(&cubic, pm_easing_evaluate(&curve->easings[key], u).value).value;
        double seconds = u < 1.0 ? curve->seconds[key] + u * cubic.duration : curve->seconds[key + 1];
        if (value < extent.minimum) {
            extent.minimum = value;
            extent.minimum_seconds = seconds;
        }
        if (value > extent.maximum) {
            extent.maximum = value;
            extent.maximum_seconds = seconds;
        }
    }
    return extent;
}

pm_easing_report pm_easing_inspect(const pm_easing *easing) {
    static const pm_cubic line = {1.0, 0.0, 1.0, 1.0, 1.0, true};
    double turns[PM_TURNS_MAX];
    uint32_t count = find_turns(&line, easing, turns);
    pm_easing_report report = {0.0, 1.0, 0.0, 1.0, true};
    if (easing->family == PM_EASING_POLYNOMIAL) {
        report.at_zero = easing->coefficients[0];
        report.at_one = 0.0;
        for (int k = 5; k >= 0; --k) report.at_one += easing->coefficients[k];
        report.minimum = fmin(report.at_zero, report.at_one);
        report.maximum = fmax(report.at_zero, report.at_one);
    }
    double before = report.at_zero;
    for (uint32_t i = 0; i <= count; ++i) {
        double value = i < count ? pm_easing_evaluate(easing, turns[i]).value : report.at_one;
        report.minimum = fmin(report.minimum, value);
        report.maximum = fmax(report.maximum, value);
        report.monotone = report.monotone && value >= before;
        before = value;
    }
    return report;
}
