#include "tangent.h"

#include <math.h>
#include <string.h>

static const char *const rule_names[PM_TANGENT_RULE_COUNT] = {
    [PM_TANGENT_AUTO] = "auto",     [PM_TANGENT_HERMITE] = "hermite",
    [PM_TANGENT_LINEAR] = "linear", [PM_TANGENT_FLAT] = "flat",
    [PM_TANGENT_STEP] = "step",     [PM_TANGENT_CATMULL_ROM] = "catmull-rom",
    [PM_TANGENT_TCB] = "tcb",       [PM_TANGENT_MONOTONE] = "monotone",
    [PM_TANGENT_PCHIP] = "pchip",   [PM_TANGENT_BEZIER] = "bezier",
};

const char *pm_tangent_rule_name(pm_tangent_rule rule) {
    return (unsigned)rule < PM_TANGENT_RULE_COUNT ? rule_names[rule] : "unknown rule";
}

bool pm_tangent_rule_parse(const char *text, pm_tangent_rule *rule) {
    for (int i = 0; i < PM_TANGENT_RULE_COUNT; ++i) {
        if (strcmp(text, rule_names[i]) != 0) continue;
        *rule = (pm_tangent_rule)i;
        return true;
    }
    return false;
}

static double slope_of(pm_chord chord) {
    return chord.difference / chord.duration;
}

// The sign of a slope, without a product that could underflow.
static int sign(double x) {
    return (x > 0.0) - (x < 0.0);
}

// `slope` brought to at most 3 times `chord`'s magnitude; both have one sign. Fritsch and Carlson: within
// that square the cubic is monotone.
static double limit(double slope, double chord) {
    double most = 3.0 * fabs(chord);
    return fabs(slope) > most ? copysign(most, chord) : slope;
}

// 0 at a local extremum or beside a level chord, else limited by the smaller chord.
static double limit_between(double slope, double before, double after) {
    if (sign(before) * sign(after) <= 0) return 0.0;
    return limit(slope, fabs(before) < fabs(after) ? before : after);
}

static double harmonic_mean(const pm_chord *before, const pm_chord *after) {
    double s0 = slope_of(*before), s1 = slope_of(*after);
    if (sign(s0) * sign(s1) <= 0) return 0.0;
    double w0 = 2.0 * after->duration + before->duration;
    double w1 = after->duration + 2.0 * before->duration;
    return (w0 + w1) / (w0 / s0 + w1 / s1);
}

// The slope at an end of the parabola through the end key and the next two.
static double parabola_end(const pm_chord *near, const pm_chord *far) {
    double h0 = near->duration, h1 = far->duration;
    return ((2.0 * h0 + h1) * slope_of(*near) - h0 * slope_of(*far)) / (h0 + h1);
}

static double end_slope(pm_tangent_rule rule, const pm_tangent_site *site) {
    const pm_chord *near = site->before.present ? &site->before : &site->after;
    double chord = slope_of(*near);
    const pm_curve_key *key = site->key;
    switch (rule) {
    case PM_TANGENT_CATMULL_ROM:
        return chord;
    case PM_TANGENT_TCB:
        // Both differences equal: (1-T) ((1+C)(1+B) + (1-C)(1-B)) / 2 at the first key, of which the out-side
        // counts, and with -C at the last, of which the in-side does.
        return (1.0 - key->tension) *
               (1.0 + (site->after.present ? 1.0 : -1.0) * key->continuity * key->bias) * chord;
    case PM_TANGENT_MONOTONE:
    case PM_TANGENT_PCHIP: {
        if (!site->far.present) return chord;
        double slope = parabola_end(near, &site->far);
        if (sign(slope) != sign(chord)) return 0.0;
        bool turns = sign(slope_of(site->far)) != sign(chord);
        return rule == PM_TANGENT_MONOTONE || turns ? limit(slope, chord) : slope;
    }
    default:
        return 0.0;
    }
}

static double tcb_slope(bool out, const pm_tangent_site *site) {
    const pm_curve_key *key = site->key;
    double c = out ? key->continuity : -key->continuity;
    double t = 1.0 - key->tension;
    double before = t * (1.0 + c) * (1.0 + key->bias) * site->before.difference;
    double after = t * (1.0 - c) * (1.0 - key->bias) * site->after.difference;
    return (before + after) / (site->before.duration + site->after.duration);
}

// Rules that look at both neighbours.
static double inner_slope(pm_tangent_rule rule, bool out, const pm_tangent_site *site) {
    const pm_chord *before = &site->before, *after = &site->after;
    double sum = before->duration + after->duration;
    double s0 = slope_of(*before), s1 = slope_of(*after);
    switch (rule) {
    case PM_TANGENT_CATMULL_ROM:
        return (before->difference + after->difference) / sum;
    case PM_TANGENT_TCB:
        return tcb_slope(out, site);
    case PM_TANGENT_MONOTONE:
        return limit_between((after->duration * s0 + before->duration * s1) / sum, s0, s1);
    case PM_TANGENT_PCHIP:
        return harmonic_mean(before, after);
    default:
        return limit_between(0.5 * (s0 + s1), s0, s1);
    }
}

double pm_tangent_slope(pm_tangent_rule rule, bool out, const pm_tangent_site *site) {
    const pm_curve_key *key = site->key;
    const pm_chord *side = out ? &site->after : &site->before;
    switch (rule) {
    case PM_TANGENT_HERMITE:
        return out ? key->out_tangent[site->component] : key->in_tangent[site->component];
    case PM_TANGENT_FLAT:
    case PM_TANGENT_STEP:
        return 0.0;
    case PM_TANGENT_LINEAR:
        return side->present ? slope_of(*side) : 0.0;
    case PM_TANGENT_BEZIER: {
        if (!side->present) return 0.0;
        double value = key->value[site->component];
        double rise =
            out ? key->out_tangent[site->component] - value : value - key->in_tangent[site->component];
        return 3.0 * rise / side->duration;
    }
    default:
        if (!site->before.present && !site->after.present) return 0.0;
        if (!site->before.present || !site->after.present) return end_slope(rule, site);
        return inner_slope(rule, out, site);
    }
}
