// Curves: what is refused, angles, cadence, bounds, easings and evaluation, and one hash over all of it.
#include "support/curves.h"

#include <criterion/criterion.h>

#include <float.h>
#include <math.h>
#include <string.h>

static pm_curve_key good_keys[3];

static void refuse(const pm_curve_def *def, pm_result result, pm_fault fault, uint32_t key,
                   const char *words) {
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_curve *curve = (pm_curve *)&seen;
    cr_assert_eq(pm_curve_create(def, NULL, &curve, &report), result, "%s", words);
    cr_assert_null(curve);
    cr_assert_eq(report.fault, fault, "%s: %s", words, report.message);
    cr_assert(strstr(report.message, words), "\"%s\" lacks \"%s\"", report.message, words);
    cr_assert_eq(seen.seen[0].key, key, "%s", words);
    if (key != PM_NONE) cr_assert(strstr(report.message, "channel \"lamp\""), "%s", report.message);
}

static pm_curve_def good_def(void) {
    curves_keys(good_keys, 3, (double[]){0, 1, 2}, (double[]){0, 1, 3}, PM_TANGENT_HERMITE);
    pm_curve_def def = curves_def(good_keys, 3);
    def.name = "lamp";
    return def;
}

Test(curve, faulty_keys_are_refused_naming_the_key) {
    static const double not_finite[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; ++i) {
        pm_curve_def def = good_def();
        good_keys[1].time = not_finite[i];
        refuse(&def, PM_ERROR_DATA, PM_FAULT_TIME_NOT_FINITE, 1, "the time is not finite");
        def = good_def();
        good_keys[2].value[0] = not_finite[i];
        refuse(&def, PM_ERROR_DATA, PM_FAULT_VALUE_NOT_FINITE, 2, "the value is not finite");
        def = good_def();
        good_keys[0].out_tangent[0] = not_finite[i];
        refuse(&def, PM_ERROR_DATA, PM_FAULT_VALUE_NOT_FINITE, 0, "a tangent is not finite");
        def = good_def();
        good_keys[1].bias = not_finite[i];
        refuse(&def, PM_ERROR_DATA, PM_FAULT_CURVE_PARAMETER, 1, "bias");
    }
    pm_curve_def def = good_def();
    good_keys[2].time = 1.0;
    refuse(&def, PM_ERROR_DATA, PM_FAULT_TIME_DUPLICATE, 2, "that of the key before");
    good_keys[2].time = 1.0 + 1e-9;
    refuse(&def, PM_ERROR_DATA, PM_FAULT_TIME_DUPLICATE, 2, "in single precision");
    good_keys[2].time = 0.5;
    refuse(&def, PM_ERROR_DATA, PM_FAULT_TIME_UNSORTED, 2, "before that of the key before");
    good_keys[2].time = 1e300;
    refuse(&def, PM_ERROR_DATA, PM_FAULT_TIME_NOT_FINITE, 2, "1e12");
    def = good_def();
    good_keys[1].value[0] = 1e19;
    refuse(&def, PM_ERROR_DATA, PM_FAULT_VALUE_HUGE, 1, "the value is beyond");
    def = good_def();
    good_keys[1].in_tangent[0] = 1e19;
    refuse(&def, PM_ERROR_DATA, PM_FAULT_VALUE_HUGE, 1, "a tangent is beyond");
    // Small over a short time is huge too, and the other way round is not.
    def = good_def();
    good_keys[1].time = 1e-30;
    good_keys[1].value[0] = 1e10;
    good_keys[1].in_rule = PM_TANGENT_LINEAR;
    refuse(&def, PM_ERROR_DATA, PM_FAULT_VALUE_HUGE, 1, "a tangent is beyond");
    def = good_def();
    good_keys[1].in_rule = (pm_tangent_rule)42;
    refuse(&def, PM_ERROR_DATA, PM_FAULT_CURVE_PARAMETER, 1, "rule");
    def = good_def();
    good_keys[1].easing = (pm_easing){.family = PM_EASING_BEZIER, .x1 = 2, .y2 = 1};
    refuse(&def, PM_ERROR_DATA, PM_FAULT_CURVE_PARAMETER, 1, "Bezier");
    def = good_def();
    def.key_count = 0;
    refuse(&def, PM_ERROR_DATA, PM_FAULT_KEYS_MISSING, PM_NONE, "without keys");
}

Test(curve, faulty_defs_are_refused_with_a_reason) {
    pm_curve_def def = {0};
    refuse(&def, PM_ERROR_ARGUMENT, PM_FAULT_ARGUMENT, PM_NONE, "pm_default_curve_def");
    def = good_def();
    def.component_count = 5;
    refuse(&def, PM_ERROR_ARGUMENT, PM_FAULT_ARGUMENT, PM_NONE, "components");
    def = good_def();
    def.keys = NULL;
    refuse(&def, PM_ERROR_ARGUMENT, PM_FAULT_ARGUMENT, PM_NONE, "missing");
    def = good_def();
    def.frame_rate_hz = (double)NAN;
    refuse(&def, PM_ERROR_ARGUMENT, PM_FAULT_ARGUMENT, PM_NONE, "frame rate");
    def = good_def();
    def.time_scale = 0.0;
    refuse(&def, PM_ERROR_ARGUMENT, PM_FAULT_ARGUMENT, PM_NONE, "time scale");
    def = good_def();
    def.phase_seconds = (double)INFINITY;
    refuse(&def, PM_ERROR_ARGUMENT, PM_FAULT_ARGUMENT, PM_NONE, "phase");
    def = good_def();
    def.duration_seconds = -1.0;
    refuse(&def, PM_ERROR_ARGUMENT, PM_FAULT_ARGUMENT, PM_NONE, "duration");
    def = good_def();
    def.cadence_hz = NAN;
    refuse(&def, PM_ERROR_ARGUMENT, PM_FAULT_ARGUMENT, PM_NONE, "cadence");
    def = good_def();
    def.angle_mode = (pm_angle_mode)9;
    refuse(&def, PM_ERROR_ARGUMENT, PM_FAULT_ARGUMENT, PM_NONE, "angle mode");
    def = good_def();
    def.angle_unit = (pm_angle_unit)9;
    refuse(&def, PM_ERROR_ARGUMENT, PM_FAULT_ARGUMENT, PM_NONE, "angle unit");
    def = good_def();
    def.bounds = PM_BOUNDS_REPORT;
    def.minimum[0] = 1.0;
    refuse(&def, PM_ERROR_ARGUMENT, PM_FAULT_ARGUMENT, PM_NONE, "minimum");
    def.bounds = (pm_bounds_mode)9;
    refuse(&def, PM_ERROR_ARGUMENT, PM_FAULT_ARGUMENT, PM_NONE, "bounds mode");
}

Test(curve, derivatives_are_those_of_the_values) {
    rig_random random = {21};
    for (int round = 0; round < 200; ++round) {
        pm_curve_key keys[8];
        uint32_t count =
            curves_random_keys(&random, keys, 8, (pm_tangent_rule)(round % PM_TANGENT_RULE_COUNT));
        if (count < 2) continue;
        if (round % 2) pm_easing_parse("quint-in", &keys[0].easing);
        pm_curve *curve = curves_of(keys, count);
        for (uint32_t i = 0; i + 1 < count; ++i) {
            double duration = keys[i + 1].time - keys[i].time, step = duration * 1e-5;
            double seconds = keys[i].time + duration * 0.37;
            pm_curve_sample before = pm_curve_evaluate(curve, seconds - step);
            pm_curve_sample here = pm_curve_evaluate(curve, seconds);
            pm_curve_sample after = pm_curve_evaluate(curve, seconds + step);
            double velocity = (after.value[0] - before.value[0]) / (2.0 * step);
            double acceleration = (after.velocity[0] - before.velocity[0]) / (2.0 * step);
            double scale = 10.0 / duration;
            cr_assert_float_eq(here.velocity[0], velocity, 1e-6 * scale * (1.0 + fabs(velocity)));
            cr_assert_float_eq(here.acceleration[0], acceleration,
                               1e-6 * scale * scale * (1.0 + fabs(acceleration)));
        }
        pm_curve_destroy(curve);
    }
}

Test(curve, smoothstep_over_keys_has_its_speed_and_acceleration) {
    pm_curve_key keys[2];
    curves_keys(keys, 2, (double[]){0, 1}, (double[]){0, 1}, PM_TANGENT_LINEAR);
    pm_easing_parse("smoothstep", &keys[0].easing);
    pm_curve *curve = curves_of(keys, 2);
    pm_curve_sample quarter = pm_curve_evaluate(curve, 0.25);
    cr_assert_eq(quarter.value[0], 0.15625);
    cr_assert_eq(quarter.velocity[0], 1.125);
    cr_assert_eq(pm_curve_evaluate(curve, 0.5).velocity[0], 1.5);
    cr_assert_eq(pm_curve_evaluate(curve, 0.0).acceleration[0], 6.0);
    cr_assert_eq(pm_curve_evaluate(curve, 1.0).acceleration[0], -6.0);
    pm_curve_destroy(curve);
}

static void check_angles(pm_angle_mode mode, pm_angle_unit unit, const double *given, const int32_t *turns,
                         const double *expected, uint32_t count, double tolerance) {
    pm_curve_key keys[8];
    for (uint32_t i = 0; i < count; ++i)
        keys[i] = (pm_curve_key){.time = i, .value = {given[i]}, .turns = turns ? turns[i] : 0};
    pm_curve_def def = curves_def(keys, count);
    def.angle_mode = mode;
    def.angle_unit = unit;
    pm_curve *curve = curves_create(&def);
    for (uint32_t i = 0; i < count; ++i)
        cr_assert_float_eq(pm_curve_get_key(curve, i).value[0], expected[i], tolerance, "key %u", i);
    pm_curve_destroy(curve);
}

Test(curve, angles_go_the_short_way_the_long_way_or_as_counted) {
    static const double given[] = {350, 10, 350, 170, -10, -190};
    check_angles(PM_ANGLE_SHORT, PM_ANGLE_DEGREES, given, NULL, (double[]){350, 370, 350, 170, -10, -190}, 6,
                 0.0);
    check_angles(PM_ANGLE_LONG, PM_ANGLE_DEGREES, given, NULL, (double[]){350, 10, 350, 530, 710, 890}, 6,
                 0.0);
    check_angles(PM_ANGLE_NONE, PM_ANGLE_DEGREES, given, NULL, given, 6, 0.0);
    check_angles(PM_ANGLE_COUNTED, PM_ANGLE_DEGREES, (double[]){350, 10, 10}, (int32_t[]){0, 2, -1},
                 (double[]){350, 730, -350}, 3, 0.0);
    check_angles(PM_ANGLE_LONG, PM_ANGLE_DEGREES, (double[]){5, 5, 725}, NULL, (double[]){5, 5, 5}, 3, 0.0);
    check_angles(PM_ANGLE_SHORT, PM_ANGLE_DEGREES, (double[]){0, 900, 0, 1e6}, NULL,
                 (double[]){0, 180, -720 + 720, -80}, 4, 0.0);
    check_angles(PM_ANGLE_SHORT, PM_ANGLE_RADIANS, (double[]){6.2, 0.1}, NULL,
                 (double[]){6.2, 0.1 + 2.0 * acos(-1.0)}, 2, 1e-14);
}

Test(curve, short_way_from_350_to_10_degrees_passes_through_zero) {
    pm_curve_key keys[2];
    curves_keys(keys, 2, (double[]){0, 1}, (double[]){350, 10}, PM_TANGENT_LINEAR);
    pm_curve_def def = curves_def(keys, 2);
    def.angle_mode = PM_ANGLE_SHORT;
    pm_curve *curve = curves_create(&def);
    cr_assert_eq(curves_value(curve, 0.5), 360.0);
    cr_assert_eq(pm_curve_evaluate(curve, 0.5).velocity[0], 20.0);
    pm_curve_destroy(curve);
}

// The definition, word for word, by counting.
static float cadence_by_counting(float time, float hz) {
    double tick = floor((double)time * (double)hz) - 3.0;
    while ((float)((tick + 1.0) / (double)hz) <= time) tick += 1.0;
    return (float)(tick / (double)hz);
}

Test(curve, cadence_takes_the_largest_tick_that_is_not_after_the_time) {
    static const float rates[] = {1.0f, 8.0f, 12.0f, 23.976f, 24.0f, 29.97f, 30.0f, 59.94f, 60.0f, 120.0f};
    rig_random random = {31};
    for (size_t r = 0; r < sizeof rates / sizeof *rates; ++r) {
        for (int k = -2000; k < 20000; ++k) {
            float tick = (float)(k / (double)rates[r]);
            cr_assert_eq(pm_cadence_time(tick, rates[r]), tick, "tick %d of %g Hz", k, (double)rates[r]);
            float before = nextafterf(tick, -INFINITY), after = nextafterf(tick, INFINITY);
            cr_assert_eq(pm_cadence_time(before, rates[r]), (float)((k - 1) / (double)rates[r]));
            cr_assert_eq(pm_cadence_time(after, rates[r]), tick);
        }
        for (int i = 0; i < 20000; ++i) {
            float time = rig_random_between(&random, -100.0f, 1e5f), held = pm_cadence_time(time, rates[r]);
            cr_assert_eq(held, cadence_by_counting(time, rates[r]), "%.9g at %g Hz", (double)time,
                         (double)rates[r]);
            cr_assert_leq(held, time);
        }
    }
    // Ticks closer than floats: every time is one.
    cr_assert_eq(pm_cadence_time(1e7f, 1e4f), 1e7f);
    cr_assert_eq(pm_cadence_time(FLT_MAX, 24.0f), FLT_MAX);
    cr_assert_eq(pm_cadence_time(1.5f, 0.0f), 1.5f);
    cr_assert_eq(pm_cadence_time(1.5f, -1.0f), 1.5f);
    cr_assert_eq(pm_cadence_time(INFINITY, 12.0f), INFINITY);
    cr_assert(isnan(pm_cadence_time(NAN, 12.0f)));
}

Test(curve, frames_have_a_rate) {
    pm_curve_key keys[3];
    curves_keys(keys, 3, (double[]){0, 12, 30}, (double[]){0, 1, 4}, PM_TANGENT_CATMULL_ROM);
    keys[2].in_rule = PM_TANGENT_HERMITE;
    keys[2].in_tangent[0] = 3.0; // a second, not a frame
    pm_curve_def def = curves_def(keys, 3);
    def.frame_rate_hz = 24.0;
    pm_curve *curve = curves_create(&def);
    cr_assert_eq(curves_value(curve, 0.5), 1.0);
    cr_assert_eq(pm_curve_get_info(curve).last_seconds, 1.25);
    cr_assert_float_eq(pm_curve_evaluate(curve, 0.5).velocity[0], 4.0 / 1.25, 1e-14);
    cr_assert_eq(pm_curve_get_key(curve, 2).in_tangent[0], 3.0);
    pm_curve_destroy(curve);
}

// The range of the first component over a fine grid in each segment.
static void range_of(const pm_curve *curve, double *low, double *high) {
    *low = INFINITY;
    *high = -INFINITY;
    for (uint32_t i = 0; i + 1 < pm_curve_get_info(curve).key_count; ++i) {
        double begin = pm_curve_get_key(curve, i).seconds, end = pm_curve_get_key(curve, i + 1).seconds;
        for (int k = 0; k <= 1000; ++k) {
            double value = curves_value(curve, begin + (end - begin) * k / 1000);
            *low = fmin(*low, value);
            *high = fmax(*high, value);
        }
    }
}

Test(curve, leaving_the_bounds_is_reported_with_how_far_and_when) {
    pm_curve_key keys[4];
    curves_keys(keys, 4, (double[]){0, 1, 2, 3}, (double[]){0, 1, 1, 0}, PM_TANGENT_CATMULL_ROM);
    pm_curve_def def = curves_def(keys, 4);
    def.name = "weight";
    def.bounds = PM_BOUNDS_REPORT;
    def.maximum[0] = 1.0;
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_curve *curve;
    cr_assert_eq(pm_curve_create(&def, NULL, &curve, &report), PM_OK);
    // Between two keys of 1 with slopes 1/2 and -1/2 the curve rises by 1/8.
    cr_assert_eq(seen.count, 1);
    cr_assert_eq(seen.seen[0].severity, PM_SEVERITY_NOTE);
    cr_assert_eq(seen.seen[0].fault, PM_FAULT_CURVE_BOUNDS);
    cr_assert_eq(seen.seen[0].key, 1);
    cr_assert(strstr(seen.seen[0].message, "0.125 above") && strstr(seen.seen[0].message, "at 1.5 s"), "%s",
              seen.seen[0].message);
    pm_curve_destroy(curve);

    def.bounds = PM_BOUNDS_LIMIT;
    report = diagnostics_report(&seen);
    cr_assert_eq(pm_curve_create(&def, NULL, &curve, &report), PM_OK);
    cr_assert_eq(seen.count, 1);
    cr_assert_eq(seen.seen[0].severity, PM_SEVERITY_REPAIR);
    double low, high;
    range_of(curve, &low, &high);
    cr_assert_leq(high, 1.0 + 1e-15);
    pm_curve_destroy(curve);
}

Test(curve, limited_tangents_hold_the_bounds_and_no_more) {
    rig_random random = {41};
    for (int round = 0; round < 300; ++round) {
        pm_curve_key keys[10];
        uint32_t count =
            curves_random_keys(&random, keys, 10, round % 2 ? PM_TANGENT_CATMULL_ROM : PM_TANGENT_HERMITE);
        if (count < 2) continue;
        pm_curve_def def = curves_def(keys, count);
        def.looping = round % 3 == 0;
        def.minimum[0] = INFINITY;
        def.maximum[0] = -INFINITY;
        for (uint32_t i = 0; i < count; ++i) {
            def.minimum[0] = fmin(def.minimum[0], keys[i].value[0]);
            def.maximum[0] = fmax(def.maximum[0], keys[i].value[0]);
        }
        // Now and then with a little room, which is used.
        def.maximum[0] += round % 4 ? 0.05 : 0.0;
        def.minimum[0] -= round % 4 ? 0.05 : 0.0;
        pm_curve *free_curve = curves_create(&def);
        def.bounds = PM_BOUNDS_LIMIT;
        pm_curve *held = curves_create(&def);
        double low, high;
        range_of(held, &low, &high);
        cr_assert_geq(low, def.minimum[0] - 1e-12);
        cr_assert_leq(high, def.maximum[0] + 1e-12);
        for (uint32_t i = 0; i < count; ++i) {
            pm_resolved_key a = pm_curve_get_key(free_curve, i), b = pm_curve_get_key(held, i);
            cr_assert_eq(a.value[0], b.value[0]);
            // Shortened, not turned; unified tangents are still unified.
            cr_assert(b.in_tangent[0] * a.in_tangent[0] >= 0.0 &&
                      fabs(b.in_tangent[0]) <= fabs(a.in_tangent[0]));
            cr_assert(b.out_tangent[0] * a.out_tangent[0] >= 0.0 &&
                      fabs(b.out_tangent[0]) <= fabs(a.out_tangent[0]));
            if (a.in_tangent[0] == a.out_tangent[0]) cr_assert_eq(b.in_tangent[0], b.out_tangent[0]);
        }
        double free_low, free_high;
        range_of(free_curve, &free_low, &free_high);
        if (free_low >= def.minimum[0] + 1e-5 && free_high <= def.maximum[0] - 1e-5) {
            for (uint32_t i = 0; i < count; ++i)
                cr_assert_eq(pm_curve_get_key(held, i).out_tangent[0],
                             pm_curve_get_key(free_curve, i).out_tangent[0]);
        }
        pm_curve_destroy(free_curve);
        pm_curve_destroy(held);
    }
}

Test(curve, what_tangents_cannot_hold_is_said) {
    pm_curve_key keys[2];
    curves_keys(keys, 2, (double[]){0, 1}, (double[]){0, 1}, PM_TANGENT_LINEAR);
    pm_easing_parse("back-out", &keys[0].easing);
    pm_curve_def def = curves_def(keys, 2);
    def.bounds = PM_BOUNDS_LIMIT;
    def.maximum[0] = 1.0;
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_curve *curve;
    cr_assert_eq(pm_curve_create(&def, NULL, &curve, &report), PM_OK);
    cr_assert_gt(seen.count, 0);
    for (uint32_t i = 0; i < seen.count; ++i) cr_assert_eq(seen.seen[i].severity, PM_SEVERITY_NOTE);
    pm_curve_destroy(curve);
    // A lone key outside.
    def.key_count = 1;
    def.minimum[0] = 0.5;
    report = diagnostics_report(&seen);
    cr_assert_eq(pm_curve_create(&def, NULL, &curve, &report), PM_OK);
    cr_assert_eq(seen.count, 1);
    cr_assert(strstr(seen.seen[0].message, "0.5 below"), "%s", seen.seen[0].message);
    pm_curve_destroy(curve);
}

Test(curve, channels_from_files_are_curves_too) {
    float times[] = {0.0f, 0.5f, 0.5f, 2.0f}, values[] = {0, 1, 3, 2}, in[] = {0, 1, 2, 3},
          out[] = {4, 5, 6, 7};
    pm_channel channel = rig_channel(PM_PATH_SCALAR, PM_INTERPOLATION_CUBIC, 0, 4, times, values, in, out);
    pm_curve *curve;
    pm_report report = {0};
    cr_assert_eq(pm_curve_create_from_channel(&channel, "a.glb", "Walk", NULL, &curve, &report), PM_OK, "%s",
                 report.message);
    // Of two keys at one time the first counts then, the second right after.
    cr_assert_eq(curves_value(curve, 0.5), 1.0);
    cr_assert_eq(curves_value(curve, (double)nextafterf(0.5f, 1.0f)), 3.0);
    cr_assert_eq(pm_curve_get_key(curve, 3).in_tangent[0], 3.0);
    cr_assert_eq(pm_curve_get_key(curve, 0).out_tangent[0], 4.0);
    pm_curve_destroy(curve);

    float quaternions[] = {0, 0, 0, 1, 0, 0, -0.6f, -0.8f};
    channel = rig_channel(PM_PATH_ROTATION, PM_INTERPOLATION_LINEAR, 0, 2, times, quaternions, NULL, NULL);
    cr_assert_eq(pm_curve_create_from_channel(&channel, NULL, NULL, NULL, &curve, &report), PM_OK);
    cr_assert_eq(pm_curve_get_key(curve, 1).value[3], (double)0.8f);
    pm_curve_destroy(curve);

    channel.value_count = 6;
    cr_assert_eq(pm_curve_create_from_channel(&channel, "a.glb", NULL, NULL, &curve, &report), PM_ERROR_DATA);
    cr_assert_eq(report.fault, PM_FAULT_KEY_COUNT);
}

// FNV-1a over the bytes of everything that a curve becomes: one figure for every target.
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; ++i) hash = (hash ^ byte[i]) * 0x100000001b3u;
    return hash;
}

Test(curve, same_bits_everywhere) {
    static const char *const easings[] = {"linear",     "smoothstep", "quint-in-out", "sine-out",
                                          "elastic-in", "ease-in",    "expo-in-out",  "bounce-out"};
    uint64_t hash = 0xcbf29ce484222325u;
    rig_random random = {51};
    for (int round = 0; round < 160; ++round) {
        pm_curve_key keys[8];
        uint32_t count =
            curves_random_keys(&random, keys, 8, (pm_tangent_rule)(round % PM_TANGENT_RULE_COUNT));
        cr_assert(pm_easing_parse(easings[round / 10 % 8], &keys[0].easing));
        pm_curve_def def = curves_def(keys, count);
        def.component_count = 3;
        def.looping = round % 3 == 0;
        def.phase_seconds = 0.1 * round;
        if (round % 4 == 0) def.cadence_hz = 12.0f;
        if (round % 5 == 0) def.angle_mode = PM_ANGLE_SHORT;
        def.bounds = round % 2 ? PM_BOUNDS_LIMIT : PM_BOUNDS_NONE;
        for (int c = 0; c < 3; ++c) {
            def.minimum[c] = -2.1;
            def.maximum[c] = 2.1;
        }
        pm_curve *curve = curves_create(&def);
        pm_curve_channel *channel;
        cr_assert_eq(pm_curve_get_channel(curve, PM_PATH_TRANSLATION, 0, NULL, NULL, &channel, NULL), PM_OK);
        const pm_channel *raw = &channel->channel;
        size_t values = (size_t)raw->key_count * 3 * sizeof(float);
        hash = hash_bytes(hash, raw->times, raw->key_count * sizeof(float));
        hash = hash_bytes(hash, raw->values, values);
        if (raw->in_tangents) hash = hash_bytes(hash, raw->in_tangents, values);
        if (raw->out_tangents) hash = hash_bytes(hash, raw->out_tangents, values);
        if (raw->easing) hash = hash_bytes(hash, raw->easing, (raw->key_count - 1) * sizeof *raw->easing);
        for (int k = 0; k < 16; ++k) {
            pm_curve_sample sample = pm_curve_evaluate(curve, -2.0 + 0.7 * k + 0.1 * round);
            hash = hash_bytes(hash, sample.value, 3 * sizeof(double));
            hash = hash_bytes(hash, sample.velocity, 3 * sizeof(double));
            hash = hash_bytes(hash, sample.acceleration, 3 * sizeof(double));
        }
        pm_curve_channel_destroy(channel);
        pm_curve_destroy(curve);
    }
    cr_assert_eq(hash, 0xf2214451faf1bda7u, "0x%016llx", (unsigned long long)hash);
}
