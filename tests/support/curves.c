#include "curves.h"

#include <criterion/criterion.h>

#include <string.h>

void curves_keys(pm_curve_key *keys, uint32_t count, const double *times, const double *values,
                 pm_tangent_rule rule) {
    for (uint32_t i = 0; i < count; ++i) {
        keys[i] = (pm_curve_key){.time = times[i], .value = {values[i]}, .in_rule = rule, .out_rule = rule};
    }
}

pm_curve_def curves_def(const pm_curve_key *keys, uint32_t count) {
    pm_curve_def def = pm_default_curve_def();
    def.keys = keys;
    def.key_count = count;
    return def;
}

pm_curve *curves_create(const pm_curve_def *def) {
    pm_curve *curve;
    pm_report report = {0};
    pm_result result = pm_curve_create(def, NULL, &curve, &report);
    cr_assert_eq(result, PM_OK, "%s", report.message);
    return curve;
}

pm_curve *curves_of(const pm_curve_key *keys, uint32_t count) {
    pm_curve_def def = curves_def(keys, count);
    return curves_create(&def);
}

double curves_value(const pm_curve *curve, double seconds) {
    return pm_curve_evaluate(curve, seconds).value[0];
}

uint32_t curves_random_keys(rig_random *random, pm_curve_key *keys, uint32_t most, pm_tangent_rule rule) {
    uint32_t count = 1 + rig_random_below(random, most);
    double time = (double)rig_random_between(random, -1.0f, 1.0f);
    for (uint32_t i = 0; i < count; ++i) {
        pm_curve_key *key = &keys[i];
        memset(key, 0, sizeof *key);
        key->time = time;
        for (int c = 0; c < PM_CURVE_COMPONENTS_MAX; ++c) {
            bool level = i > 0 && rig_random_below(random, 4) == 0;
            key->value[c] = level ? key[-1].value[c] : (double)rig_random_between(random, -2.0f, 2.0f);
            // Slopes, or handles' values, whichever the rule takes them for.
            key->in_tangent[c] = (double)rig_random_between(random, -4.0f, 4.0f);
            key->out_tangent[c] = (double)rig_random_between(random, -4.0f, 4.0f);
        }
        key->tension = (double)rig_random_between(random, -1.0f, 1.0f);
        key->continuity = (double)rig_random_between(random, -1.0f, 1.0f);
        key->bias = (double)rig_random_between(random, -1.0f, 1.0f);
        key->in_rule = key->out_rule = rule;
        // Spacing over three orders of magnitude.
        float spacing = rig_random_below(random, 3) == 0 ? 0.01f : 1.0f;
        time += (double)(spacing * rig_random_between(random, 0.1f, 1.5f));
    }
    return count;
}
