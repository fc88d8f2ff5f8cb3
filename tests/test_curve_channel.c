// From curves to channels, through compile and the kernels, back to values.
#include "support/curves.h"
#include "support/failing_allocator.h"

#include <criterion/criterion.h>

#include <float.h>
#include <math.h>

enum { MOST_KEYS = 10, ROUNDS = 120 };

static pm_curve_channel *channel_of(const pm_curve *curve, const pm_curve_channel_options *options) {
    pm_curve_channel *channel;
    pm_report report = {0};
    pm_path path = pm_curve_get_info(curve).component_count == 3 ? PM_PATH_TRANSLATION : PM_PATH_SCALAR;
    pm_result result = pm_curve_get_channel(curve, path, 0, options, NULL, &channel, &report);
    cr_assert_eq(result, PM_OK, "%s", report.message);
    return channel;
}

// What a compiled clip of the channel gives for the first component.
static double clip_value(const pm_clip *clip, pm_path path, double seconds) {
    if (path == PM_PATH_SCALAR) return (double)rig_scalar(clip, 0, (float)seconds);
    return (double)rig_joint(clip, 0, (float)seconds).translation[0];
}

// Largest difference between curve and clip at times that a clip can have, as a share of `range`; times where
// the curve jumps within a float are looked at from the clip's side.
static double worst_difference(const pm_curve *curve, const pm_curve_channel *channel, double range) {
    pm_skeleton *skeleton = rig_skeleton(1, 1);
    pm_report report = {0};
    pm_clip *clip = rig_compile(&channel->channel, 1, skeleton, &report);
    double first = (double)channel->channel.times[0];
    double last = (double)channel->channel.times[channel->channel.key_count - 1], worst = 0.0;
    for (int k = 0; k <= 2000; ++k) {
        double seconds = (double)(float)(first + (last - first) * k / 2000.0);
        double difference =
            fabs(clip_value(clip, channel->channel.path, seconds) - curves_value(curve, seconds));
        worst = fmax(worst, difference / range);
    }
    pm_clip_destroy(clip, NULL);
    pm_skeleton_destroy(skeleton);
    return worst;
}

Test(curve_channel, every_rule_plays_as_the_curve_says) {
    rig_random random = {11};
    for (int round = 0; round < ROUNDS; ++round) {
        pm_curve_key keys[MOST_KEYS];
        uint32_t count =
            curves_random_keys(&random, keys, MOST_KEYS, (pm_tangent_rule)(round % PM_TANGENT_RULE_COUNT));
        // Times and values that are floats, so that only tangents round.
        for (uint32_t i = 0; i < count; ++i) {
            keys[i].time = (double)(float)keys[i].time;
            keys[i].value[0] = (double)(float)keys[i].value[0];
        }
        pm_curve_def def = curves_def(keys, count);
        def.component_count = round % 2 ? 3 : 1;
        pm_curve *curve = curves_create(&def);
        pm_curve_channel *channel = channel_of(curve, NULL);
        cr_assert_eq(channel->error, 0.0);
        cr_assert_eq(channel->channel.key_count, count);
        cr_assert_eq(channel->added_key_count, 0);
        for (uint32_t i = 0; i < count; ++i) {
            cr_assert_eq((double)channel->channel.times[i], keys[i].time, "%s",
                         pm_tangent_rule_name(keys[0].in_rule));
            cr_assert_eq((double)channel->channel.values[i * def.component_count], keys[i].value[0]);
        }
        double worst = worst_difference(curve, channel, 1.0);
        cr_assert_leq(worst, 4e-5, "%s: %g", pm_tangent_rule_name(keys[0].in_rule), worst);
        pm_curve_channel_destroy(channel);
        pm_curve_destroy(curve);
    }
}

Test(curve_channel, its_interpolation_is_the_simplest_that_fits) {
    static const double times[] = {0, 1, 2}, values[] = {0, 1, 3};
    static const struct {
        pm_tangent_rule rule;
        pm_interpolation interpolation;
    } expected[] = {{PM_TANGENT_STEP, PM_INTERPOLATION_STEP},
                    {PM_TANGENT_LINEAR, PM_INTERPOLATION_LINEAR},
                    {PM_TANGENT_FLAT, PM_INTERPOLATION_CUBIC}};
    for (int i = 0; i < 3; ++i) {
        pm_curve_key keys[3];
        curves_keys(keys, 3, times, values, expected[i].rule);
        pm_curve *curve = curves_of(keys, 3);
        pm_curve_channel *channel = channel_of(curve, NULL);
        cr_assert_eq(channel->channel.interpolation, expected[i].interpolation);
        cr_assert_eq(channel->channel.in_tangents != NULL, i == 2);
        pm_curve_channel_destroy(channel);
        pm_curve_destroy(curve);
    }
}

Test(curve_channel, a_step_among_others_jumps_between_two_floats) {
    for (int straight = 0; straight < 2; ++straight) {
        pm_curve_key keys[4];
        curves_keys(keys, 4, (double[]){0, 0.7, 1.9, 3}, (double[]){0, 1, -1, 2},
                    straight ? PM_TANGENT_LINEAR : PM_TANGENT_CATMULL_ROM);
        keys[1].out_rule = PM_TANGENT_STEP;
        pm_curve *curve = curves_of(keys, 4);
        pm_curve_channel *channel = channel_of(curve, NULL);
        cr_assert_eq(channel->channel.interpolation,
                     straight ? PM_INTERPOLATION_LINEAR : PM_INTERPOLATION_CUBIC);
        cr_assert_eq(channel->added_key_count, 1);
        pm_skeleton *skeleton = rig_skeleton(1, 1);
        pm_report report = {0};
        pm_clip *clip = rig_compile(&channel->channel, 1, skeleton, &report);
        cr_assert_eq(rig_scalar(clip, 0, nextafterf(1.9f, 0.0f)), 1.0f);
        cr_assert_eq(rig_scalar(clip, 0, 1.9f), -1.0f);
        cr_assert_eq(rig_scalar(clip, 0, 1.3f), 1.0f);
        cr_assert_eq(rig_scalar(clip, 0, 0.7f), 1.0f);
        pm_clip_destroy(clip, NULL);
        pm_skeleton_destroy(skeleton);
        pm_curve_channel_destroy(channel);
        pm_curve_destroy(curve);
    }
}

// A segment from 2 to 6 in 3 seconds, with an easing; straight or not.
static pm_curve *eased_curve(const pm_easing *easing, bool straight) {
    pm_curve_key keys[3];
    curves_keys(keys, 3, (double[]){0, 3, 4}, (double[]){2, 6, 5},
                straight ? PM_TANGENT_LINEAR : PM_TANGENT_CATMULL_ROM);
    keys[0].easing = *easing;
    return curves_of(keys, 3);
}

Test(curve_channel, easings_of_degree_three_fold_into_the_keys_exactly) {
    static const struct {
        const char *name;
        uint32_t added;
    } folded[] = {{"smoothstep", 0},   {"quad-in", 0},     {"quad-out", 0},   {"cubic-in", 0},
                  {"cubic-out", 0},    {"back-in", 0},     {"back-out", 0},   {"quad-in-out", 1},
                  {"cubic-in-out", 1}, {"back-in-out", 1}, {"bounce-out", 3}, {"bounce-in", 3},
                  {"bounce-in-out", 7}};
    for (size_t i = 0; i < sizeof folded / sizeof *folded; ++i) {
        pm_easing easing;
        cr_assert(pm_easing_parse(folded[i].name, &easing));
        pm_curve *curve = eased_curve(&easing, true);
        pm_curve_channel *channel = channel_of(curve, NULL);
        cr_assert_eq(channel->added_key_count, folded[i].added, "%s: %u", folded[i].name,
                     channel->added_key_count);
        cr_assert_eq(channel->error, 0.0);
        double worst = worst_difference(curve, channel, 4.0);
        cr_assert_leq(worst, 5e-7, "%s: %g", folded[i].name, worst);
        pm_curve_channel_destroy(channel);
        pm_curve_destroy(curve);
    }
}

static const char *const split_easings[] = {
    "smootherstep",   "quart-in",       "quint-out",
    "quint-in-out",   "sine-in",        "sine-in-out",
    "expo-in",        "expo-out",       "expo-in-out",
    "elastic-in",     "elastic-in-out", "ease",
    "ease-in",        "ease-out",       "elastic-out",
    "bezier:0,1,0,1", "bezier:1,0,0,1", "bezier:0.3,-0.6,0.7,1.6",
    "bezier:1,1,1,1", "bezier:0,1,1,0", "bezier:0.0001,1,1,0.5",
};

Test(curve_channel, everything_else_is_split_within_the_tolerance) {
    static const double tolerances[] = {1e-2, 1e-4, 1e-5};
    for (size_t i = 0; i < sizeof split_easings / sizeof *split_easings; ++i) {
        pm_easing easing;
        cr_assert(pm_easing_parse(split_easings[i], &easing));
        for (int straight = 0; straight < 2; ++straight) {
            pm_curve *curve = eased_curve(&easing, straight);
            uint32_t before = 0;
            for (int t = 0; t < 3; ++t) {
                pm_curve_channel_options options = pm_default_curve_channel_options();
                options.keep_easing = false;
                options.tolerance = tolerances[t];
                pm_curve_channel *channel = channel_of(curve, &options);
                cr_assert_leq(channel->error, tolerances[t], "%s: %g", split_easings[i], channel->error);
                // Extended beyond its keys a cubic may range far: floats round by that.
                double worst = worst_difference(curve, channel, straight ? 4.0 : 5.0);
                cr_assert_leq(worst, tolerances[t] * 1.02 + 2e-6, "%s within %g: %g with %u keys",
                              split_easings[i], tolerances[t], worst, channel->channel.key_count);
                cr_assert_geq(channel->channel.key_count, before);
                cr_assert_leq(channel->channel.key_count, 600);
                before = channel->channel.key_count;
                pm_curve_channel_destroy(channel);
            }
            pm_curve_destroy(curve);
        }
    }
}

Test(curve_channel, easings_up_to_degree_five_are_kept_on_segments) {
    static const struct {
        const char *name;
        uint32_t added;
    } kept[] = {{"smootherstep", 0}, {"quart-in", 0},     {"quint-out", 0},
                {"quint-in-out", 1}, {"quart-in-out", 1}, {"polynomial:0,2,0,0,0,-1", 0}};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; ++i) {
        pm_easing easing;
        cr_assert(pm_easing_parse(kept[i].name, &easing));
        for (int straight = 0; straight < 2; ++straight) {
            pm_curve *curve = eased_curve(&easing, straight);
            pm_curve_channel *channel = channel_of(curve, NULL);
            cr_assert_not_null(channel->channel.easing);
            cr_assert_eq(channel->channel.interpolation,
                         straight ? PM_INTERPOLATION_LINEAR : PM_INTERPOLATION_CUBIC);
            cr_assert_eq(channel->error, 0.0);
            cr_assert_eq(channel->added_key_count, kept[i].added);
            double worst = worst_difference(curve, channel, 4.0);
            cr_assert_leq(worst, 2e-6, "%s, straight %d: %g", kept[i].name, straight, worst);

            // And back: the channel is the same curve.
            pm_curve *again;
            cr_assert_eq(pm_curve_create_from_channel(&channel->channel, NULL, NULL, NULL, &again, NULL),
                         PM_OK);
            for (int k = 0; k <= 400; ++k)
                cr_assert_float_eq(curves_value(again, 0.01 * k), curves_value(curve, 0.01 * k), 1e-5);
            pm_curve_destroy(again);
            pm_curve_channel_destroy(channel);
            pm_curve_destroy(curve);
        }
    }
}

Test(curve_channel, easings_of_low_degree_over_curved_segments_are_kept_too) {
    static const char *const names[] = {"smoothstep", "cubic-in",   "quad-in-out",
                                        "back-out",   "bounce-out", "back-in-out"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        pm_easing easing;
        cr_assert(pm_easing_parse(names[i], &easing));
        pm_curve *curve = eased_curve(&easing, false);
        pm_curve_channel *channel = channel_of(curve, NULL);
        cr_assert_not_null(channel->channel.easing, "%s", names[i]);
        // A part that comes back to where it began (a bounce) is split instead.
        cr_assert_leq(channel->error, 1e-4);
        double worst = worst_difference(curve, channel, 5.0);
        cr_assert_leq(worst, channel->error > 0.0 ? 1.02e-4 : 2e-6, "%s: %g", names[i], worst);
        pm_curve_channel_destroy(channel);
        pm_curve_destroy(curve);
    }
}

Test(curve_channel, easings_whose_numbers_clips_do_not_hold_are_split) {
    pm_easing easing = {.family = PM_EASING_POLYNOMIAL, .coefficients = {0, 1, 300, -600, 300}};
    pm_curve *curve = eased_curve(&easing, true);
    pm_curve_channel *channel = channel_of(curve, NULL);
    cr_assert_null(channel->channel.easing);
    double worst = worst_difference(curve, channel, 4.0);
    cr_assert_leq(worst, 1.02e-4, "%g", worst);
    pm_curve_channel_destroy(channel);
    pm_curve_destroy(curve);
}

Test(curve_channel, cadence_becomes_a_key_a_tick) {
    pm_curve_key keys[3];
    curves_keys(keys, 3, (double[]){0, 0.5, 1.04}, (double[]){0, 1, 0}, PM_TANGENT_CATMULL_ROM);
    static const float rates[] = {12.0f, 8.0f, 23.976f, 30.0f};
    for (int r = 0; r < 4; ++r) {
        pm_curve_def def = curves_def(keys, 3);
        def.cadence_hz = rates[r];
        pm_curve *curve = curves_create(&def);
        pm_curve_channel_options options = pm_default_curve_channel_options();
        options.keep_cadence = false;
        pm_curve_channel *channel = channel_of(curve, &options);
        cr_assert_eq(channel->channel.interpolation, PM_INTERPOLATION_STEP);
        cr_assert_eq(channel->channel.cadence_hz, 0.0f);
        // The clip is as long as before.
        cr_assert_eq(channel->channel.times[channel->channel.key_count - 1], 1.04f);
        pm_skeleton *skeleton = rig_skeleton(1, 1);
        pm_report report = {0};
        pm_clip *clip = rig_compile(&channel->channel, 1, skeleton, &report);
        for (int k = -10; k <= 400; ++k) {
            float seconds = (float)k * 0.0026f;
            if (seconds > 1.04f) seconds = 1.04f;
            cr_assert_eq(rig_scalar(clip, 0, seconds), (float)curves_value(curve, (double)seconds),
                         "%g at %g Hz", (double)seconds, (double)rates[r]);
        }
        for (int k = 0; k / (double)rates[r] <= 1.04; ++k) {
            // At the tick, and the float before it.
            float tick = (float)(k / (double)rates[r]);
            cr_assert_eq(rig_scalar(clip, 0, tick), (float)curves_value(curve, (double)tick));
            float before = nextafterf(tick, -1.0f);
            cr_assert_eq(rig_scalar(clip, 0, before), (float)curves_value(curve, (double)before));
        }
        pm_clip_destroy(clip, NULL);
        pm_curve_channel_destroy(channel);

        // Kept, it plays the same.
        channel = channel_of(curve, NULL);
        cr_assert_eq(channel->channel.cadence_hz, rates[r]);
        cr_assert_eq(channel->channel.key_count, 3);
        cr_assert_leq(worst_difference(curve, channel, 1.0), 1e-6);
        pm_curve_channel_destroy(channel);
        pm_skeleton_destroy(skeleton);
        pm_curve_destroy(curve);
    }
}

Test(curve_channel, body_on_twos_and_camera_continuous_share_one_clip) {
    pm_curve_key keys[2];
    curves_keys(keys, 2, (double[]){0, 1}, (double[]){0, 24}, PM_TANGENT_LINEAR);
    pm_curve_def def = curves_def(keys, 2);
    def.cadence_hz = 12.0f;
    pm_curve *body = curves_create(&def);
    def.cadence_hz = 0.0f;
    pm_curve *camera = curves_create(&def);
    pm_curve_channel *first = channel_of(body, NULL), *second = channel_of(camera, NULL);
    pm_channel channels[2] = {first->channel, second->channel};
    channels[1].target = 1;
    pm_skeleton *skeleton = rig_skeleton(1, 2);
    pm_report report = {0};
    pm_clip *clip = rig_compile(channels, 2, skeleton, &report);
    cr_assert_eq(pm_clip_get_info(clip).duration_seconds, 1.0f);
    for (int frame = 0; frame < 24; ++frame) {
        float seconds = (float)(frame / 24.0);
        cr_assert_eq(rig_scalar(clip, 0, seconds), (float)(2 * (frame / 2)), "frame %d", frame);
        cr_assert_float_eq((double)rig_scalar(clip, 1, seconds), (double)frame, 1e-5);
    }
    pm_clip_destroy(clip, NULL);
    pm_skeleton_destroy(skeleton);
    pm_curve_channel_destroy(first);
    pm_curve_channel_destroy(second);
    pm_curve_destroy(body);
    pm_curve_destroy(camera);
}

Test(curve_channel, phase_of_a_looping_curve_wraps_within_the_clip) {
    rig_random random = {12};
    for (int round = 0; round < ROUNDS; ++round) {
        pm_curve_key keys[MOST_KEYS];
        uint32_t count =
            curves_random_keys(&random, keys, MOST_KEYS, (pm_tangent_rule)(round % PM_TANGENT_RULE_COUNT));
        if (count < 2) continue;
        if (round % 3 == 0) pm_easing_parse("sine-in-out", &keys[0].easing);
        pm_curve_def def = curves_def(keys, count);
        def.looping = true;
        double length = keys[count - 1].time - keys[0].time;
        def.phase_seconds = length * (double)rig_random_between(&random, -3.0f, 3.0f);
        if (round % 2) def.duration_seconds = length * 2.5;
        pm_curve *curve = curves_create(&def);
        pm_curve_channel *channel = channel_of(curve, NULL);
        const pm_channel *raw = &channel->channel;
        double begin = keys[0].time, end = begin + (round % 2 ? 2.5 * length : length);
        cr_assert_float_eq((double)raw->times[0], begin, 1e-6);
        cr_assert_float_eq((double)raw->times[raw->key_count - 1], end, 1e-5);

        // The same motion, shifted: the curve without a phase, at the time that was played.
        def.phase_seconds = 0.0;
        pm_curve *still = curves_create(&def);
        for (int k = 0; k < 64; ++k) {
            double seconds = begin + (end - begin) * (k + 0.5) / 64.0;
            double phase = pm_curve_get_info(curve).first_seconds - keys[0].time;
            double a = curves_value(curve, seconds), b = curves_value(still, seconds - phase);
            // A step's edge may fall to either side.
            if (keys[0].in_rule != PM_TANGENT_STEP) cr_assert_float_eq(a, b, 1e-9);
        }
        pm_curve_destroy(still);
        if (keys[0].in_rule != PM_TANGENT_STEP) {
            // Away from the seam, where a curve whose ends differ jumps.
            pm_skeleton *skeleton = rig_skeleton(1, 1);
            pm_report report = {0};
            pm_clip *clip = rig_compile(raw, 1, skeleton, &report);
            for (int k = 0; k <= 200; ++k) {
                double seconds = (double)(float)(begin + (end - begin) * k / 200.0);
                double near = remainder(seconds - pm_curve_get_info(curve).first_seconds, length);
                if (fabs(near) < 1e-4) continue;
                cr_assert_float_eq(clip_value(clip, PM_PATH_SCALAR, seconds), curves_value(curve, seconds),
                                   2e-3);
            }
            pm_clip_destroy(clip, NULL);
            pm_skeleton_destroy(skeleton);
        }
        pm_curve_channel_destroy(channel);
        pm_curve_destroy(curve);
    }
}

Test(curve_channel, phase_and_scale_move_a_curve_in_its_clip) {
    pm_curve_key keys[2];
    curves_keys(keys, 2, (double[]){0, 24}, (double[]){0, 1}, PM_TANGENT_LINEAR);
    pm_curve_def def = curves_def(keys, 2);
    def.frame_rate_hz = 24;
    def.phase_seconds = 0.5;
    def.time_scale = 2.0;
    pm_curve *curve = curves_create(&def);
    pm_curve_channel *channel = channel_of(curve, NULL);
    cr_assert_eq(channel->channel.times[0], 0.5f);
    cr_assert_eq(channel->channel.times[1], 2.5f);
    cr_assert_eq(curves_value(curve, 1.5), 0.5);
    cr_assert_eq(pm_curve_evaluate(curve, 1.5).velocity[0], 0.5);
    pm_curve_channel_destroy(channel);
    pm_curve_destroy(curve);
}

Test(curve_channel, wrong_requests_are_refused_with_a_reason) {
    pm_curve_key keys[2];
    curves_keys(keys, 2, (double[]){0, 1}, (double[]){0, 1}, PM_TANGENT_AUTO);
    pm_curve *curve = curves_of(keys, 2);
    pm_curve_channel *channel;
    pm_report report = {0};
    cr_assert_eq(pm_curve_get_channel(curve, PM_PATH_TRANSLATION, 0, NULL, NULL, &channel, &report),
                 PM_ERROR_ARGUMENT);
    cr_assert_null(channel);
    cr_assert(report.message[0]);
    pm_curve_channel_options options = {0};
    cr_assert_eq(pm_curve_get_channel(curve, PM_PATH_SCALAR, 0, &options, NULL, &channel, NULL),
                 PM_ERROR_ARGUMENT);
    options = pm_default_curve_channel_options();
    options.tolerance = (double)NAN;
    cr_assert_eq(pm_curve_get_channel(curve, PM_PATH_SCALAR, 0, &options, NULL, &channel, NULL),
                 PM_ERROR_ARGUMENT);
    pm_curve_destroy(curve);
    pm_curve_channel_destroy(NULL);
    pm_curve_destroy(NULL);
}

Test(curve_channel, failing_allocations_leak_nothing) {
    pm_curve_key keys[3];
    curves_keys(keys, 3, (double[]){0, 1, 2}, (double[]){0, 1, 3}, PM_TANGENT_AUTO);
    pm_easing_parse("elastic-out", &keys[0].easing);
    pm_curve_def def = curves_def(keys, 3);
    def.name = "antenna";
    uint64_t fail_at = 1;
    for (;; ++fail_at) {
        failing_allocator memory = {.fail_at = fail_at};
        pm_allocator allocator = failing_allocator_interface(&memory);
        pm_curve *curve = NULL;
        pm_curve_channel *channel = NULL;
        pm_curve_channel_options options = pm_default_curve_channel_options();
        options.tolerance = 1e-6;
        pm_result result = pm_curve_create(&def, &allocator, &curve, NULL);
        if (!result)
            result = pm_curve_get_channel(curve, PM_PATH_SCALAR, 0, &options, &allocator, &channel, NULL);
        pm_curve_channel_destroy(channel);
        pm_curve_destroy(curve);
        cr_assert_eq(memory.live_count, 0);
        if (memory.allocation_count < fail_at) break;
        cr_assert_eq(result, PM_ERROR_MEMORY);
    }
    cr_assert_gt(fail_at, 4);
}
