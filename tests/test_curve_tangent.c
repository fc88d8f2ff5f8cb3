// Tangent rules: the numbers of their papers, and what must hold for any keys.
#include "support/curves.h"

#include <criterion/criterion.h>

#include <float.h>
#include <math.h>

enum { MOST_KEYS = 12, ROUNDS = 400 };

static const double kb_times[] = {-1, 0, 1, 2}, kb_values[] = {-3, 0, 1, 0};

static double kb_middle(pm_tangent_rule rule, double tension) {
    pm_curve_key keys[4];
    curves_keys(keys, 4, kb_times, kb_values, rule);
    for (int i = 0; i < 4; ++i) keys[i].tension = tension;
    pm_curve *curve = curves_of(keys, 4);
    double value = curves_value(curve, 0.5);
    pm_curve_destroy(curve);
    return value;
}

Test(tangent, kochanek_bartels_tension_by_hand) {
    cr_assert_eq(kb_middle(PM_TANGENT_TCB, 0.0), 0.75);
    cr_assert_eq(kb_middle(PM_TANGENT_TCB, 0.5), 0.625);
    cr_assert_eq(kb_middle(PM_TANGENT_TCB, 1.0), 0.5);
    cr_assert_eq(kb_middle(PM_TANGENT_CATMULL_ROM, 0.5), 0.75);
}

Test(tangent, kochanek_bartels_continuity_and_bias_by_hand) {
    // At the second key d- = 3 and d+ = 1, both over one second.
    pm_curve_key keys[4];
    curves_keys(keys, 4, kb_times, kb_values, PM_TANGENT_TCB);
    keys[1].tension = 0.25;
    keys[1].continuity = 0.5;
    keys[1].bias = -0.5;
    pm_curve *curve = curves_of(keys, 4);
    pm_resolved_key key = pm_curve_get_key(curve, 1);
    cr_assert_float_eq(key.out_tangent[0], 0.75 * (1.5 * 0.5 / 2.0 * 3.0 + 0.5 * 1.5 / 2.0 * 1.0), 1e-15);
    cr_assert_float_eq(key.in_tangent[0], 0.75 * (0.5 * 0.5 / 2.0 * 3.0 + 1.5 * 1.5 / 2.0 * 1.0), 1e-15);
    pm_curve_destroy(curve);
}

// One key of three at times 0, 1, 3 with values 0, 1, `last`.
static pm_resolved_key middle_key(pm_tangent_rule rule, double last) {
    pm_curve_key keys[3];
    curves_keys(keys, 3, (double[]){0, 1, 3}, (double[]){0, 1, last}, rule);
    pm_curve *curve = curves_of(keys, 3);
    pm_resolved_key key = pm_curve_get_key(curve, 1);
    pm_curve_destroy(curve);
    return key;
}

Test(tangent, unequal_spacing_by_hand) {
    // Chord slopes 1 and 2, over 1 and 2 seconds.
    cr_assert_float_eq(middle_key(PM_TANGENT_CATMULL_ROM, 5).out_tangent[0], 5.0 / 3.0, 1e-15);
    cr_assert_float_eq(middle_key(PM_TANGENT_TCB, 5).in_tangent[0], 5.0 / 3.0, 1e-15);
    cr_assert_float_eq(middle_key(PM_TANGENT_AUTO, 5).out_tangent[0], 1.5, 1e-15);
    cr_assert_float_eq(middle_key(PM_TANGENT_MONOTONE, 5).out_tangent[0], (2.0 * 1.0 + 1.0 * 2.0) / 3.0,
                       1e-15);
    cr_assert_float_eq(middle_key(PM_TANGENT_PCHIP, 5).out_tangent[0], 9.0 / (5.0 / 1.0 + 4.0 / 2.0), 1e-15);
    cr_assert_eq(middle_key(PM_TANGENT_LINEAR, 5).in_tangent[0], 1.0);
    cr_assert_eq(middle_key(PM_TANGENT_LINEAR, 5).out_tangent[0], 2.0);
    cr_assert_eq(middle_key(PM_TANGENT_FLAT, 5).out_tangent[0], 0.0);
    // Chord slopes 1 and 10: at most 3 times the smaller one.
    cr_assert_eq(middle_key(PM_TANGENT_AUTO, 21).out_tangent[0], 3.0);
    cr_assert_eq(middle_key(PM_TANGENT_MONOTONE, 21).out_tangent[0], 3.0);
    // A local extremum, and a level chord.
    static const pm_tangent_rule calm[] = {PM_TANGENT_AUTO, PM_TANGENT_MONOTONE, PM_TANGENT_PCHIP};
    for (int i = 0; i < 3; ++i) {
        cr_assert_eq(middle_key(calm[i], 0.5).in_tangent[0], 0.0);
        cr_assert_eq(middle_key(calm[i], 1.0).out_tangent[0], 0.0);
    }
}

Test(tangent, end_rules_by_hand) {
    pm_curve_key keys[3];
    static const struct {
        pm_tangent_rule rule;
        double first, last;
    } expected[] = {
        // Chord slopes 2 and 1 over 1 and 2 seconds.
        {PM_TANGENT_CATMULL_ROM, 2.0, 1.0},
        {PM_TANGENT_AUTO, 0.0, 0.0},
        {PM_TANGENT_FLAT, 0.0, 0.0},
        {PM_TANGENT_LINEAR, 2.0, 1.0},
        {PM_TANGENT_STEP, 0.0, 0.0},
        {PM_TANGENT_TCB, 1.25, 0.375},
        {PM_TANGENT_MONOTONE, (4.0 * 2.0 - 1.0) / 3.0, (5.0 * 1.0 - 2.0 * 2.0) / 3.0},
        {PM_TANGENT_PCHIP, (4.0 * 2.0 - 1.0) / 3.0, (5.0 * 1.0 - 2.0 * 2.0) / 3.0},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
        curves_keys(keys, 3, (double[]){0, 1, 3}, (double[]){0, 2, 4}, expected[i].rule);
        for (int k = 0; k < 3; ++k) {
            keys[k].tension = 0.5;
            keys[k].continuity = 0.5;
            keys[k].bias = 0.5;
        }
        pm_curve *curve = curves_of(keys, 3);
        cr_assert_float_eq(pm_curve_get_key(curve, 0).out_tangent[0], expected[i].first, 1e-15, "%s",
                           pm_tangent_rule_name(expected[i].rule));
        cr_assert_float_eq(pm_curve_get_key(curve, 2).in_tangent[0], expected[i].last, 1e-15, "%s",
                           pm_tangent_rule_name(expected[i].rule));
        pm_curve_destroy(curve);
    }
}

Test(tangent, looping_curve_takes_its_end_tangents_across_the_seam) {
    // A sine-like round: the seam is like any other key.
    double times[] = {0, 1, 2, 3, 4}, values[] = {0, 1, 0, -1, 0};
    static const pm_tangent_rule rules[] = {PM_TANGENT_CATMULL_ROM, PM_TANGENT_TCB, PM_TANGENT_AUTO,
                                            PM_TANGENT_MONOTONE, PM_TANGENT_PCHIP};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; ++i) {
        pm_curve_key keys[5];
        curves_keys(keys, 5, times, values, rules[i]);
        pm_curve_def def = curves_def(keys, 5);
        def.looping = true;
        pm_curve *curve = curves_create(&def);
        double first = pm_curve_get_key(curve, 0).out_tangent[0],
               last = pm_curve_get_key(curve, 4).in_tangent[0];
        cr_assert_eq(first, last);
        cr_assert_eq(first, -pm_curve_get_key(curve, 2).out_tangent[0]);
        cr_assert_eq(first, 1.0);
        cr_assert_eq(pm_curve_get_key(curve, 0).in_tangent[0], first);
        pm_curve_destroy(curve);
    }
    // Values that go on from round to round (a walk's travel): differences count, not values.
    pm_curve_key keys[3];
    curves_keys(keys, 3, (double[]){0, 1, 3}, (double[]){0, 2, 3}, PM_TANGENT_CATMULL_ROM);
    pm_curve_def def = curves_def(keys, 3);
    def.looping = true;
    pm_curve *curve = curves_create(&def);
    cr_assert_float_eq(pm_curve_get_key(curve, 0).out_tangent[0], (1.0 + 2.0) / (2.0 + 1.0), 1e-15);
    pm_curve_destroy(curve);
}

Test(tangent, one_and_two_keys_work_with_every_rule) {
    for (int rule = 0; rule < PM_TANGENT_RULE_COUNT; ++rule) {
        for (int looping = 0; looping < 2; ++looping) {
            pm_curve_key keys[2];
            curves_keys(keys, 2, (double[]){1, 3}, (double[]){5, 7}, (pm_tangent_rule)rule);
            pm_curve_def def = curves_def(keys, 1);
            def.looping = looping;
            pm_curve *curve = curves_create(&def);
            for (double t = 0.0; t < 4.0; t += 0.5) cr_assert_eq(curves_value(curve, t), 5.0);
            cr_assert_eq(pm_curve_evaluate(curve, 1.0).velocity[0], 0.0);
            pm_curve_destroy(curve);

            def.key_count = 2;
            curve = curves_create(&def);
            cr_assert_eq(curves_value(curve, 1.0), 5.0);
            cr_assert_eq(curves_value(curve, 3.0), 7.0);
            double middle = curves_value(curve, 2.0);
            if (rule == PM_TANGENT_STEP)
                cr_assert_eq(middle, 5.0);
            else if (rule != PM_TANGENT_BEZIER) // its handles stand at 0 here
                cr_assert_float_eq(middle, 6.0, 1e-15, "%s", pm_tangent_rule_name((pm_tangent_rule)rule));
            pm_curve_destroy(curve);
        }
    }
}

Test(tangent, bezier_handles_and_slopes_are_one_thing) {
    // The Bezier form of the segment, by de Casteljau, is the Hermite form that the handles make.
    rig_random random = {77};
    for (int round = 0; round < ROUNDS; ++round) {
        pm_curve_key keys[MOST_KEYS];
        uint32_t count = curves_random_keys(&random, keys, MOST_KEYS, PM_TANGENT_BEZIER);
        pm_curve *curve = curves_of(keys, count);
        for (uint32_t i = 0; i + 1 < count; ++i) {
            double duration = keys[i + 1].time - keys[i].time;
            pm_resolved_key first = pm_curve_get_key(curve, i), second = pm_curve_get_key(curve, i + 1);
            // And back: a slope puts the handle where it was.
            cr_assert_float_eq(first.value[0] + first.out_tangent[0] * duration / 3.0, keys[i].out_tangent[0],
                               1e-14);
            cr_assert_float_eq(second.value[0] - second.in_tangent[0] * duration / 3.0,
                               keys[i + 1].in_tangent[0], 1e-14);
            double p[4] = {keys[i].value[0], keys[i].out_tangent[0], keys[i + 1].in_tangent[0],
                           keys[i + 1].value[0]};
            double u = 0.3, b[4] = {p[0], p[1], p[2], p[3]};
            for (int level = 3; level > 0; --level)
                for (int k = 0; k < level; ++k) b[k] += u * (b[k + 1] - b[k]);
            cr_assert_float_eq(curves_value(curve, keys[i].time + u * duration), b[0], 1e-12);
        }
        pm_curve_destroy(curve);
    }
}

Test(tangent, keys_are_hit_exactly_and_ends_are_held) {
    rig_random random = {1};
    for (int round = 0; round < ROUNDS; ++round) {
        pm_curve_key keys[MOST_KEYS];
        pm_tangent_rule rule = (pm_tangent_rule)(round % PM_TANGENT_RULE_COUNT);
        uint32_t count = curves_random_keys(&random, keys, MOST_KEYS, rule);
        pm_curve *curve = curves_of(keys, count);
        for (uint32_t i = 0; i < count; ++i)
            cr_assert_eq(curves_value(curve, keys[i].time), keys[i].value[0]);
        cr_assert_eq(curves_value(curve, -1e30), keys[0].value[0]);
        cr_assert_eq(curves_value(curve, (double)-INFINITY), keys[0].value[0]);
        cr_assert_eq(curves_value(curve, (double)NAN), keys[0].value[0]);
        cr_assert_eq(curves_value(curve, (double)INFINITY), keys[count - 1].value[0]);
        pm_curve_destroy(curve);
    }
}

// The largest distance by which the curve leaves the range of the two keys of a segment.
static double overshoot_of(const pm_curve *curve, const pm_curve_key *keys, uint32_t i) {
    double worst = 0.0, duration = keys[i + 1].time - keys[i].time;
    double low = fmin(keys[i].value[0], keys[i + 1].value[0]),
           high = fmax(keys[i].value[0], keys[i + 1].value[0]);
    for (int k = 0; k <= 256; ++k) {
        double value = curves_value(curve, keys[i].time + duration * k / 256.0);
        worst = fmax(worst, fmax(low - value, value - high));
    }
    return worst;
}

Test(tangent, monotone_pchip_and_auto_never_leave_the_range_of_their_keys) {
    static const pm_tangent_rule calm[] = {PM_TANGENT_AUTO, PM_TANGENT_MONOTONE, PM_TANGENT_PCHIP};
    rig_random random = {2};
    double catmull_rom = 0.0;
    for (int round = 0; round < ROUNDS; ++round) {
        pm_curve_key keys[MOST_KEYS];
        uint32_t count = curves_random_keys(&random, keys, MOST_KEYS, calm[round % 3]);
        pm_curve_def def = curves_def(keys, count);
        def.looping = round % 2;
        pm_curve *curve = curves_create(&def);
        for (uint32_t i = 0; i + 1 < count; ++i) {
            double magnitude = fmax(fabs(keys[i].value[0]), fabs(keys[i + 1].value[0]));
            cr_assert_leq(overshoot_of(curve, keys, i), magnitude * DBL_EPSILON, "%s",
                          pm_tangent_rule_name(calm[round % 3]));
        }
        pm_curve_destroy(curve);
        // The same keys do overshoot under a rule that does not mind.
        for (uint32_t i = 0; i < count; ++i) keys[i].in_rule = keys[i].out_rule = PM_TANGENT_CATMULL_ROM;
        curve = curves_of(keys, count);
        for (uint32_t i = 0; i + 1 < count; ++i)
            catmull_rom = fmax(catmull_rom, overshoot_of(curve, keys, i));
        pm_curve_destroy(curve);
    }
    cr_assert_gt(catmull_rom, 0.1);
}

Test(tangent, a_foot_keyed_at_the_floor_stays_above_it) {
    double times[] = {0, 0.1, 0.2, 0.5, 0.52, 0.9}, heights[] = {0.3, 0.02, 0, 0, 0.4, 0};
    static const pm_tangent_rule calm[] = {PM_TANGENT_AUTO, PM_TANGENT_MONOTONE, PM_TANGENT_PCHIP};
    for (int r = 0; r < 3; ++r) {
        pm_curve_key keys[6];
        curves_keys(keys, 6, times, heights, calm[r]);
        pm_curve *curve = curves_of(keys, 6);
        for (int k = 0; k <= 9000; ++k) {
            double height = curves_value(curve, k * 1e-4);
            cr_assert_geq(height, 0.0, "%s at %g", pm_tangent_rule_name(calm[r]), k * 1e-4);
            if (k >= 2000 && k <= 5000) cr_assert_eq(height, 0.0);
        }
        pm_curve_destroy(curve);
    }
}

Test(tangent, catmull_rom_is_tcb_at_zero) {
    rig_random random = {3};
    for (int round = 0; round < ROUNDS; ++round) {
        pm_curve_key keys[MOST_KEYS];
        uint32_t count = curves_random_keys(&random, keys, MOST_KEYS, PM_TANGENT_CATMULL_ROM);
        pm_curve_def def = curves_def(keys, count);
        def.looping = round % 2;
        def.component_count = 3;
        pm_curve *catmull_rom = curves_create(&def);
        for (uint32_t i = 0; i < count; ++i) {
            keys[i].in_rule = keys[i].out_rule = PM_TANGENT_TCB;
            keys[i].tension = keys[i].continuity = keys[i].bias = 0.0;
        }
        pm_curve *tcb = curves_create(&def);
        for (uint32_t i = 0; i < count; ++i) {
            pm_resolved_key a = pm_curve_get_key(catmull_rom, i), b = pm_curve_get_key(tcb, i);
            for (int c = 0; c < 3; ++c) {
                cr_assert_eq(a.in_tangent[c], b.in_tangent[c]);
                cr_assert_eq(a.out_tangent[c], b.out_tangent[c]);
            }
        }
        pm_curve_destroy(catmull_rom);
        pm_curve_destroy(tcb);
    }
}

Test(tangent, reversal_in_time_commutes_with_every_rule) {
    rig_random random = {4};
    for (int round = 0; round < ROUNDS; ++round) {
        pm_tangent_rule rule = (pm_tangent_rule)(round % PM_TANGENT_RULE_COUNT);
        if (rule == PM_TANGENT_STEP) continue;
        pm_curve_key keys[MOST_KEYS], reversed[MOST_KEYS];
        uint32_t count = curves_random_keys(&random, keys, MOST_KEYS, rule);
        double sign = rule == PM_TANGENT_BEZIER ? 1.0 : -1.0; // handles keep their values, slopes turn
        for (uint32_t i = 0; i < count; ++i) {
            reversed[i] = keys[count - 1 - i];
            reversed[i].time = -reversed[i].time;
            reversed[i].bias = -reversed[i].bias;
            for (int c = 0; c < PM_CURVE_COMPONENTS_MAX; ++c) {
                reversed[i].in_tangent[c] = sign * keys[count - 1 - i].out_tangent[c];
                reversed[i].out_tangent[c] = sign * keys[count - 1 - i].in_tangent[c];
            }
        }
        pm_curve_def def = curves_def(keys, count), back = curves_def(reversed, count);
        def.looping = back.looping = round / PM_TANGENT_RULE_COUNT % 2;
        pm_curve *curve = curves_create(&def), *mirror = curves_create(&back);
        for (uint32_t i = 0; i < count; ++i) {
            pm_resolved_key a = pm_curve_get_key(curve, i), b = pm_curve_get_key(mirror, count - 1 - i);
            cr_assert_float_eq(a.in_tangent[0], -b.out_tangent[0], 1e-10, "%s", pm_tangent_rule_name(rule));
            cr_assert_float_eq(a.out_tangent[0], -b.in_tangent[0], 1e-10, "%s", pm_tangent_rule_name(rule));
        }
        for (int k = 1; k < 32; ++k) {
            double first = keys[0].time, seconds = first + (keys[count - 1].time - first) * k / 32.0;
            cr_assert_float_eq(curves_value(curve, seconds), curves_value(mirror, -seconds), 1e-12);
        }
        pm_curve_destroy(curve);
        pm_curve_destroy(mirror);
    }
}

Test(tangent, scaling_time_scales_slopes) {
    rig_random random = {5};
    for (int round = 0; round < ROUNDS; ++round) {
        pm_tangent_rule rule = (pm_tangent_rule)(round % PM_TANGENT_RULE_COUNT);
        pm_curve_key keys[MOST_KEYS];
        uint32_t count = curves_random_keys(&random, keys, MOST_KEYS, rule);
        pm_curve_def def = curves_def(keys, count);
        pm_curve *curve = curves_create(&def);
        def.time_scale = 4.0;
        pm_curve *slow = curves_create(&def);
        for (uint32_t i = 0; i < count; ++i) {
            pm_resolved_key a = pm_curve_get_key(curve, i), b = pm_curve_get_key(slow, i);
            cr_assert_eq(b.seconds, 4.0 * a.seconds);
            cr_assert_eq(b.in_tangent[0], a.in_tangent[0] / 4.0);
            cr_assert_eq(b.out_tangent[0], a.out_tangent[0] / 4.0);
        }
        pm_curve_destroy(curve);
        // Keys that stand further apart are the same thing; given slopes are the author's to scale.
        for (uint32_t i = 0; i < count && rule != PM_TANGENT_HERMITE; ++i) keys[i].time *= 4.0;
        def.time_scale = rule == PM_TANGENT_HERMITE ? 4.0 : 1.0;
        pm_curve *apart = curves_create(&def);
        for (int k = 0; k <= 16; ++k) {
            double first = pm_curve_get_key(slow, 0).seconds,
                   last = pm_curve_get_key(slow, count - 1).seconds;
            double seconds = first + (last - first) * k / 16.0;
            cr_assert_float_eq(curves_value(slow, seconds), curves_value(apart, seconds), 1e-12);
        }
        pm_curve_destroy(slow);
        pm_curve_destroy(apart);
    }
}

Test(tangent, splitting_changes_nothing_beyond_rounding) {
    rig_random random = {6};
    for (int round = 0; round < ROUNDS; ++round) {
        pm_curve_key keys[MOST_KEYS], split[MOST_KEYS + 1];
        uint32_t count =
            curves_random_keys(&random, keys, MOST_KEYS, (pm_tangent_rule)(round % PM_TANGENT_RULE_COUNT));
        if (count < 2) continue;
        pm_curve *curve = curves_of(keys, count);
        uint32_t segment = rig_random_below(&random, count - 1);
        double share = (double)rig_random_between(&random, 0.05f, 0.95f);
        double seconds = keys[segment].time + share * (keys[segment + 1].time - keys[segment].time);
        pm_curve_sample at = pm_curve_evaluate(curve, seconds);
        for (uint32_t i = 0, k = 0; i < count; ++i) {
            pm_resolved_key key = pm_curve_get_key(curve, i);
            split[k] = (pm_curve_key){.time = key.seconds, .value = {key.value[0]}};
            split[k].in_tangent[0] = key.in_tangent[0];
            split[k].out_tangent[0] = key.out_tangent[0];
            split[k].in_rule = PM_TANGENT_HERMITE;
            split[k++].out_rule = key.step ? PM_TANGENT_STEP : PM_TANGENT_HERMITE;
            if (i != segment) continue;
            split[k] = (pm_curve_key){.time = seconds, .value = {at.value[0]}};
            split[k].in_tangent[0] = split[k].out_tangent[0] = at.velocity[0];
            split[k].in_rule = PM_TANGENT_HERMITE;
            split[k++].out_rule = key.step ? PM_TANGENT_STEP : PM_TANGENT_HERMITE;
        }
        pm_curve *both = curves_of(split, count + 1);
        for (int k = 0; k <= 64; ++k) {
            double t = keys[0].time + (keys[count - 1].time - keys[0].time) * k / 64.0;
            pm_curve_sample a = pm_curve_evaluate(curve, t), b = pm_curve_evaluate(both, t);
            cr_assert_float_eq(a.value[0], b.value[0], 1e-12);
            cr_assert_float_eq(a.velocity[0], b.velocity[0], 1e-8);
        }
        pm_curve_destroy(curve);
        pm_curve_destroy(both);
    }
}

Test(tangent, sides_may_have_rules_of_their_own) {
    pm_curve_key keys[3];
    curves_keys(keys, 3, (double[]){0, 1, 2}, (double[]){0, 1, 3}, PM_TANGENT_CATMULL_ROM);
    keys[1].in_rule = PM_TANGENT_FLAT;
    keys[1].out_rule = PM_TANGENT_LINEAR;
    pm_curve *curve = curves_of(keys, 3);
    cr_assert_eq(pm_curve_get_key(curve, 1).in_tangent[0], 0.0);
    cr_assert_eq(pm_curve_get_key(curve, 1).out_tangent[0], 2.0);
    pm_curve_destroy(curve);
    // A step holds whatever arrives after it, and jumps at the very key.
    keys[0].out_rule = PM_TANGENT_STEP;
    curve = curves_of(keys, 3);
    cr_assert_eq(curves_value(curve, nextafter(1.0, 0.0)), 0.0);
    cr_assert_eq(curves_value(curve, 1.0), 1.0);
    cr_assert_eq(pm_curve_evaluate(curve, 0.5).velocity[0], 0.0);
    pm_curve_destroy(curve);
}

Test(tangent, names_read_back) {
    for (int rule = 0; rule < PM_TANGENT_RULE_COUNT; ++rule) {
        pm_tangent_rule read;
        cr_assert(pm_tangent_rule_parse(pm_tangent_rule_name((pm_tangent_rule)rule), &read));
        cr_assert_eq((int)read, rule);
    }
    pm_tangent_rule kept = PM_TANGENT_TCB;
    cr_assert_not(pm_tangent_rule_parse("spline", &kept));
    cr_assert_eq(kept, PM_TANGENT_TCB);
}
