// Inspection: findings on curves whose faults are known by hand, and against a fine grid on random ones.
#include "support/curves.h"
#include "support/failing_allocator.h"

#include <posemill/inspect.h>

#include <criterion/criterion.h>

#include <math.h>

static pm_curve_report *inspect(const pm_curve *curve, double frame_rate_hz) {
    pm_curve_report *report;
    cr_assert_eq(pm_curve_inspect(curve, frame_rate_hz, NULL, &report), PM_OK);
    return report;
}

Test(inspect, overshoot_by_hand) {
    // Between the two keys of 1 the slopes are 1/2 and -1/2: 1/8 above, at the middle.
    pm_curve_key keys[4];
    curves_keys(keys, 4, (double[]){0, 1, 2, 3}, (double[]){0, 1, 1, 0}, PM_TANGENT_CATMULL_ROM);
    pm_curve *curve = curves_of(keys, 4);
    pm_curve_report *report = inspect(curve, 0.0);
    cr_assert_eq(report->overshoot_count, 1);
    cr_assert_eq(report->overshoot.size, 0.125);
    cr_assert_eq(report->overshoot.share, 0.125);
    cr_assert_eq(report->overshoot.key, 1);
    cr_assert_eq(report->overshoot.seconds, 1.5);
    cr_assert_eq(report->maximum[0], 1.125);
    cr_assert_eq(report->maximum_seconds[0], 1.5);
    cr_assert_eq(report->minimum[0], 0.0);
    cr_assert_eq(report->key_maximum[0], 1.0);
    const pm_inspected_segment *segment = &report->segments[1];
    cr_assert_not(segment->components[0].monotone);
    cr_assert(report->segments[0].components[0].monotone);
    cr_assert_not(report->monotone[0]);
    // Value and derivatives at 0, 1/4, 1/2, 3/4, 1.
    static const double value[] = {1, 1.09375, 1.125, 1.09375, 1}, velocity[] = {0.5, 0.25, 0, -0.25, -0.5};
    for (int i = 0; i < PM_INSPECT_FRACTIONS; ++i) {
        cr_assert_eq(segment->components[0].value[i], value[i]);
        cr_assert_eq(segment->components[0].velocity[i], velocity[i]);
        cr_assert_eq(segment->components[0].acceleration[i], -1.0);
    }
    pm_curve_report_destroy(report);
    pm_curve_destroy(curve);
}

Test(inspect, jumps_of_velocity_and_acceleration_by_hand) {
    pm_curve_key keys[3];
    curves_keys(keys, 3, (double[]){0, 1, 3}, (double[]){0, 1, -1}, PM_TANGENT_LINEAR);
    pm_easing_parse("quad-in", &keys[0].easing); // arrives with twice the chord's speed, acceleration 2
    pm_curve *curve = curves_of(keys, 3);
    pm_curve_report *report = inspect(curve, 0.0);
    cr_assert_eq(report->keys[1].velocity_jump[0], -1.0 - 2.0);
    cr_assert_eq(report->keys[1].acceleration_jump[0], -2.0);
    cr_assert_eq(report->velocity_jump.size, 3.0);
    cr_assert_eq(report->velocity_jump.share, 1.5);
    cr_assert_eq(report->velocity_jump.key, 1);
    cr_assert_eq(report->acceleration_jump.size, 2.0);
    cr_assert_eq(report->keys[0].velocity_jump[0], 0.0);
    pm_curve_report_destroy(report);
    pm_curve_destroy(curve);
}

Test(inspect, speed_at_keys_that_should_settle) {
    // Moves, holds from 1 to 2, moves on. Catmull-Rom would slide through the hold's ends.
    pm_curve_key keys[4];
    curves_keys(keys, 4, (double[]){0, 1, 2, 3}, (double[]){0, 1, 1, 3}, PM_TANGENT_AUTO);
    keys[1].in_rule = PM_TANGENT_LINEAR;
    keys[2].out_rule = PM_TANGENT_LINEAR;
    pm_curve *curve = curves_of(keys, 4);
    pm_curve_report *report = inspect(curve, 0.0);
    cr_assert(report->keys[1].settles && report->keys[2].settles);
    cr_assert_eq(report->keys[1].settle_speed[0], 1.0);
    cr_assert_eq(report->keys[2].settle_speed[0], 2.0);
    cr_assert_eq(report->settle_speed.size, 2.0);
    cr_assert_eq(report->settle_speed.key, 2);
    // The ends are held outside, and AUTO is at rest there.
    cr_assert(report->keys[0].settles);
    cr_assert_eq(report->keys[3].settle_speed[0], 0.0);
    pm_curve_report_destroy(report);
    pm_curve_destroy(curve);
}

Test(inspect, seam_and_join_by_hand) {
    pm_curve_key keys[3];
    curves_keys(keys, 3, (double[]){0, 1, 2}, (double[]){1, 3, 1.5}, PM_TANGENT_LINEAR);
    pm_curve *curve = curves_of(keys, 3);
    pm_curve_report *report = inspect(curve, 0.0);
    cr_assert_eq(report->seam.value[0], -0.5);
    cr_assert_eq(report->seam.velocity[0], 2.0 - -1.5);
    pm_curve_report_destroy(report);
    pm_curve_key other[2];
    curves_keys(other, 2, (double[]){5, 6}, (double[]){2, 3}, PM_TANGENT_LINEAR);
    pm_easing_parse("quad-in", &other[0].easing);
    pm_curve *next = curves_of(other, 2);
    pm_curve_cut cut = pm_curve_join(curve, next);
    cr_assert_eq(cut.value[0], 0.5);
    cr_assert_eq(cut.velocity[0], 1.5);
    cr_assert_eq(cut.acceleration[0], 2.0);
    pm_curve_destroy(curve);
    pm_curve_destroy(next);
}

Test(inspect, rotations_join_with_the_nearer_sign) {
    float times[] = {0, 1}, a[] = {0, 0, 0, 1, 0, 0, 1, 0}, b[] = {0, 0, -1, 0, 0, 0, 0, -1};
    pm_channel first = rig_channel(PM_PATH_ROTATION, PM_INTERPOLATION_STEP, 0, 2, times, a, NULL, NULL);
    pm_channel second = rig_channel(PM_PATH_ROTATION, PM_INTERPOLATION_STEP, 0, 2, times, b, NULL, NULL);
    pm_curve *x, *y;
    cr_assert_eq(pm_curve_create_from_channel(&first, NULL, NULL, NULL, &x, NULL), PM_OK);
    cr_assert_eq(pm_curve_create_from_channel(&second, NULL, NULL, NULL, &y, NULL), PM_OK);
    pm_curve_cut cut = pm_curve_join(x, y);
    for (int c = 0; c < 4; ++c) cr_assert_eq(cut.value[c], 0.0);
    pm_curve_destroy(x);
    pm_curve_destroy(y);
}

Test(inspect, keys_off_the_frame_grid) {
    pm_curve_key keys[4];
    curves_keys(keys, 4, (double[]){0, 1.0 / 24, 2.25 / 24, 2.995 / 24}, (double[]){0, 1, 2, 3},
                PM_TANGENT_LINEAR);
    pm_curve *curve = curves_of(keys, 4);
    pm_curve_report *report = inspect(curve, 24.0);
    cr_assert_eq(report->off_grid_count, 1);
    cr_assert_float_eq(report->off_grid.size, 0.25, 1e-12);
    cr_assert_eq(report->off_grid.key, 2);
    cr_assert_float_eq(report->keys[3].frames_off, -0.005, 1e-12);
    pm_curve_report_destroy(report);
    report = inspect(curve, 0.0);
    cr_assert_eq(report->off_grid_count, 0);
    pm_curve_report_destroy(report);
    pm_curve_destroy(curve);
}

Test(inspect, tangents_that_are_all_zero) {
    pm_curve_key keys[3];
    curves_keys(keys, 3, (double[]){0, 1, 2}, (double[]){0, 1, 2}, PM_TANGENT_FLAT);
    pm_curve *curve = curves_of(keys, 3);
    pm_curve_report *report = inspect(curve, 0.0);
    cr_assert(report->tangents_zero && report->segments[0].tangents_zero);
    cr_assert(report->monotone[0]);
    pm_curve_report_destroy(report);
    pm_curve_destroy(curve);
    // A level curve has zero tangents by right, and one tangent is enough to keep moving.
    for (int i = 0; i < 2; ++i) {
        curves_keys(keys, 3, (double[]){0, 1, 2}, i ? (double[]){0, 1, 2} : (double[]){1, 1, 1},
                    PM_TANGENT_FLAT);
        if (i) keys[1].in_rule = PM_TANGENT_LINEAR;
        curve = curves_of(keys, 3);
        report = inspect(curve, 0.0);
        cr_assert_not(report->tangents_zero);
        pm_curve_report_destroy(report);
        pm_curve_destroy(curve);
    }
}

Test(inspect, easing_of_each_segment) {
    pm_curve_key keys[3];
    curves_keys(keys, 3, (double[]){0, 1, 2}, (double[]){0, 1, 2}, PM_TANGENT_LINEAR);
    pm_easing_parse("polynomial:0,4,-3", &keys[1].easing);
    pm_curve *curve = curves_of(keys, 3);
    pm_curve_report *report = inspect(curve, 0.0);
    cr_assert(report->segments[0].easing.monotone);
    cr_assert_not(report->segments[1].easing.monotone);
    cr_assert_float_eq(report->segments[1].easing.maximum, 4.0 / 3.0, 1e-12);
    cr_assert_float_eq(report->overshoot.size, 1.0 / 3.0, 1e-12);
    cr_assert_float_eq(report->overshoot.seconds, 1.0 + 2.0 / 3.0, 1e-9);
    pm_curve_report_destroy(report);
    pm_curve_destroy(curve);
}

Test(inspect, extrema_are_those_of_a_fine_grid) {
    static const char *const easings[] = {"linear",      "smootherstep", "elastic-out",
                                          "back-in-out", "bounce-in",    "bezier:0.3,-0.6,0.7,1.6"};
    rig_random random = {61};
    for (int round = 0; round < 180; ++round) {
        pm_curve_key keys[6];
        uint32_t count =
            curves_random_keys(&random, keys, 6, (pm_tangent_rule)(round % PM_TANGENT_RULE_COUNT));
        for (uint32_t i = 0; i < count; ++i)
            pm_easing_parse(easings[((uint32_t)round / 10 + i) % 6], &keys[i].easing);
        pm_curve *curve = curves_of(keys, count);
        pm_curve_report *report = inspect(curve, 30.0);
        for (uint32_t i = 0; i + 1 < count; ++i) {
            const pm_inspected_span *span = &report->segments[i].components[0];
            double low = fmin(keys[i].value[0], keys[i + 1].value[0]);
            double high = fmax(keys[i].value[0], keys[i + 1].value[0]), grid_low = low, grid_high = high;
            for (int k = 0; k < 2000; ++k) {
                double t = keys[i].time + (keys[i + 1].time - keys[i].time) * k / 2000.0;
                double value = curves_value(curve, t);
                grid_low = fmin(grid_low, value);
                grid_high = fmax(grid_high, value);
            }
            double size = 1e-4 * (1.0 + fabs(grid_high) + fabs(grid_low));
            cr_assert(span->minimum <= grid_low + 1e-12 && span->minimum >= grid_low - size, "%g %g",
                      span->minimum, grid_low);
            cr_assert(span->maximum >= grid_high - 1e-12 && span->maximum <= grid_high + size);
            cr_assert_float_eq(span->overshoot, fmax(low - span->minimum, span->maximum - high), 1e-5);
            if (!report->segments[i].step) {
                double value = curves_value(curve, span->maximum_seconds);
                cr_assert_float_eq(value, span->maximum, 1e-9 * (1.0 + fabs(value)));
            }
        }
        pm_curve_report_destroy(report);
        pm_curve_destroy(curve);
    }
}

Test(inspect, one_key_and_failing_allocations) {
    pm_curve_key key = {.time = 1, .value = {2}};
    pm_curve *curve = curves_of(&key, 1);
    uint64_t fail_at = 1;
    for (;; ++fail_at) {
        failing_allocator memory = {.fail_at = fail_at};
        pm_allocator allocator = failing_allocator_interface(&memory);
        pm_curve_report *report;
        pm_result result = pm_curve_inspect(curve, 24.0, &allocator, &report);
        if (!result) {
            cr_assert(report->segment_count == 0 && report->key_count == 1 && report->minimum[0] == 2.0);
            cr_assert(report->overshoot.size == 0.0 && report->monotone[0]);
        } else {
            cr_assert_null(report);
        }
        pm_curve_report_destroy(report);
        cr_assert_eq(memory.live_count, 0);
        if (memory.allocation_count < fail_at) break;
        cr_assert_eq(result, PM_ERROR_MEMORY);
    }
    cr_assert_gt(fail_at, 2);
    pm_curve_destroy(curve);
}
