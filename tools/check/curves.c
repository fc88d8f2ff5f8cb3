// The authoring side: every tangent rule and easing, from keys to channels.
#include "check.h"
#include "hash.h"
#include "random.h"

#include <stdio.h>

enum { CURVES = 300, KEYS_LIMIT = 9, COMPONENTS = 3, TIMES = 40 };

static uint64_t add_doubles(uint64_t hash, const double *values, uint32_t count) {
    return pm_check_hash(hash, values, count * sizeof *values);
}

static pm_easing random_easing(pm_random *random) {
    pm_easing easing = {.family = (pm_easing_family)pm_random_below(random, PM_EASING_FAMILY_COUNT),
                        .direction = (pm_easing_direction)pm_random_below(random, PM_EASING_DIRECTION_COUNT),
                        .x1 = 0.25 * pm_random_below(random, 5),
                        .y1 = (double)pm_random_signed(random),
                        .x2 = 0.25 * pm_random_below(random, 5),
                        .y2 = (double)pm_random_signed(random),
                        .coefficients = {0, 0.5, 0.25, -1, 0.75, 0.5}};
    return easing;
}

static uint32_t random_keys(pm_random *random, pm_curve_key keys[KEYS_LIMIT]) {
    uint32_t count = 1 + pm_random_below(random, KEYS_LIMIT);
    double time = (double)pm_random_signed(random);
    for (uint32_t k = 0; k < count; k++) {
        keys[k] = (pm_curve_key){.time = time,
                                 .turns = (int32_t)pm_random_below(random, 3) - 1,
                                 .tension = (double)pm_random_signed(random),
                                 .continuity = (double)pm_random_signed(random),
                                 .bias = (double)pm_random_signed(random),
                                 .in_rule = (pm_tangent_rule)pm_random_below(random, PM_TANGENT_RULE_COUNT),
                                 .out_rule = (pm_tangent_rule)pm_random_below(random, PM_TANGENT_RULE_COUNT)};
        if (pm_random_below(random, 2)) keys[k].easing = random_easing(random);
        for (uint32_t c = 0; c < COMPONENTS; c++) {
            keys[k].value[c] = 10 * (double)pm_random_signed(random);
            keys[k].in_tangent[c] = 10 * (double)pm_random_signed(random);
            keys[k].out_tangent[c] = 10 * (double)pm_random_signed(random);
        }
        time += 0.0625 * (1 + pm_random_below(random, 16));
    }
    return count;
}

static uint64_t add_channel(uint64_t hash, const pm_curve_channel *made) {
    const pm_channel *channel = &made->channel;
    size_t bytes = (size_t)channel->value_count * channel->component_count * sizeof(float);
    hash = pm_check_hash(hash, channel->times, channel->key_count * sizeof(float));
    hash = pm_check_hash(hash, channel->values, bytes);
    if (channel->in_tangents) hash = pm_check_hash(hash, channel->in_tangents, bytes);
    if (channel->out_tangents) hash = pm_check_hash(hash, channel->out_tangents, bytes);
    return hash;
}

// Keys, samples and the channel of one curve.
static bool add_curve(pm_random *random, uint64_t *hash) {
    pm_curve_key keys[KEYS_LIMIT];
    pm_curve_def def = pm_default_curve_def();
    def.component_count = COMPONENTS;
    def.keys = keys;
    def.key_count = random_keys(random, keys);
    def.looping = def.key_count > 1 && pm_random_below(random, 4) == 0;
    def.phase_seconds = def.looping ? (double)pm_random_signed(random) : 0;
    def.cadence_hz = pm_random_below(random, 4) ? 0 : 12.0f;
    def.duration_seconds = def.cadence_hz > 0 ? 2 : 0;
    def.angle_mode = (pm_angle_mode)pm_random_below(random, PM_ANGLE_MODE_COUNT);
    pm_curve *curve = NULL;
    pm_curve_channel *channel = NULL;
    pm_report report = {0};
    pm_result result = pm_curve_create(&def, NULL, &curve, &report);
    if (!result) result = pm_curve_get_channel(curve, PM_PATH_TRANSLATION, 0, NULL, NULL, &channel, &report);
    for (uint32_t i = 0; !result && i < TIMES; i++) {
        pm_curve_sample sample = pm_curve_evaluate(curve, 6 * (double)pm_random_signed(random));
        *hash = add_doubles(*hash, sample.value, COMPONENTS);
        *hash = add_doubles(*hash, sample.velocity, COMPONENTS);
    }
    if (!result) *hash = add_channel(*hash, channel);
    pm_curve_channel_destroy(channel);
    pm_curve_destroy(curve);
    return !result || pm_check_complain("curves: %s", report.message);
}

bool pm_check_curves(const pm_check *check, uint64_t *hash) {
    (void)check;
    pm_random random = {662607015};
    uint64_t own = PM_CHECK_HASH_START;
    for (uint32_t i = 0; i < CURVES; i++)
        if (!add_curve(&random, &own)) return false;
    char note[64];
    snprintf(note, sizeof note, "%d curves", (int)CURVES);
    pm_check_print("curves", "-", true, own, note);
    *hash = pm_check_hash(*hash, &own, sizeof own);
    return true;
}
