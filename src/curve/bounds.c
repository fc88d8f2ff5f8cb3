#include "curve.h"

#include <math.h>

// Passes in which tangents are shortened just enough. Shortening one may let its neighbour's segment out
// again, by less each time; who is still out after these gets tangents of zero, which hold any bounds.
enum { GENTLE_PASSES = 24, HALVINGS = 40 };

typedef struct bounds {
    pm_curve *curve;
    const pm_curve_def *def;
    pm_report *report;
} bounds;

// By how much an extent leaves the bounds of a component; 0 if it does not, or by no more than rounding.
static double excess_of(const bounds *b, const pm_extent *extent, uint32_t c) {
    double below = b->def->minimum[c] - extent->minimum, above = extent->maximum - b->def->maximum[c];
    double most = below > above ? below : above;
    double size = fmax(fabs(extent->minimum), fabs(extent->maximum));
    return most > 1e-13 * size ? most : 0.0;
}

static bool is_outside(const bounds *b, uint32_t key, uint32_t c) {
    pm_extent extent = pm_curve_find_extent(b->curve, key, c);
    return excess_of(b, &extent, c) > 0.0;
}

// Finds the longest share of the segment's two tangents that holds the bounds, and leaves them there. A
// segment's value is linear in that share, so the shares that hold are an interval. False if not even flat
// tangents do.
static bool shorten(const bounds *b, uint32_t key, uint32_t c, bool flat) {
    uint32_t components = b->curve->component_count;
    double *out = &b->curve->out[(size_t)key * components + c];
    double *in = &b->curve->in[((size_t)key + 1) * components + c];
    double whole_out = *out, whole_in = *in;
    *out = *in = 0.0;
    if (is_outside(b, key, c)) {
        *out = whole_out;
        *in = whole_in;
        return false;
    }
    if (flat) return true;
    double low = 0.0, high = 1.0;
    for (int i = 0; i < HALVINGS; ++i) {
        double share = 0.5 * (low + high);
        *out = share * whole_out;
        *in = share * whole_in;
        if (is_outside(b, key, c))
            high = share;
        else
            low = share;
    }
    *out = low * whole_out;
    *in = low * whole_in;
    return true;
}

// Gives a tangent that was one with the shortened one its new value.
static void follow(double *tangent, double before, double after) {
    if (*tangent == before) *tangent = after;
}

// Shortens a segment's tangents, and the other sides of its keys where they were one tangent. The keys at the
// seam of a looping curve are one key.
static bool shorten_unified(const bounds *b, uint32_t key, uint32_t c, bool flat) {
    pm_curve *curve = b->curve;
    uint32_t components = curve->component_count, last = curve->key_count - 1;
    double *in = curve->in + c, *out = curve->out + c;
    size_t first = (size_t)key * components, second = first + components, end = (size_t)last * components;
    double leaving = out[first], arriving = in[second];
    if (!shorten(b, key, c, flat)) return false;
    follow(&in[first], leaving, out[first]);
    follow(&out[second], arriving, in[second]);
    if (curve->looping && key == 0) {
        follow(&in[end], leaving, out[first]);
        follow(&out[end], leaving, out[first]);
    }
    if (curve->looping && key + 1 == last) {
        follow(&in[0], arriving, in[second]);
        follow(&out[0], arriving, in[second]);
    }
    return true;
}

static bool can_shorten(const bounds *b, uint32_t key, uint32_t c) {
    const pm_curve *curve = b->curve;
    return !curve->steps[key] && !curve->straight[key] &&
           (curve->out[(size_t)key * curve->component_count + c] != 0.0 ||
            curve->in[((size_t)key + 1) * curve->component_count + c] != 0.0);
}

static void hold_component(const bounds *b, uint32_t c) {
    bool changed = true;
    for (int pass = 0; changed; ++pass) {
        changed = false;
        for (uint32_t key = 0; key + 1 < b->curve->key_count; ++key)
            if (can_shorten(b, key, c) && is_outside(b, key, c))
                changed = shorten_unified(b, key, c, pass >= GENTLE_PASSES) || changed;
    }
}

static void describe(const bounds *b, uint32_t key, uint32_t c, const pm_extent *extent, pm_severity severity,
                     const char *outcome) {
    bool above = extent->maximum - b->def->maximum[c] >= b->def->minimum[c] - extent->minimum;
    pm_place place = b->curve->place;
    place.key = key;
    pm_diagnose(b->report, severity, PM_FAULT_CURVE_BOUNDS, place,
                "component %u of the segment after this key is %g %s its bounds [%g, %g] at %.9g s%s",
                (unsigned)c, excess_of(b, extent, c), above ? "above" : "below", b->def->minimum[c],
                b->def->maximum[c], above ? extent->maximum_seconds : extent->minimum_seconds, outcome);
}

// A curve of one key has no segment: its value is looked at alone.
static void report_single_key(const bounds *b) {
    for (uint32_t c = 0; c < b->curve->component_count; ++c) {
        double value = b->curve->values[c], seconds = b->curve->seconds[0];
        pm_extent extent = {value, value, seconds, seconds};
        if (excess_of(b, &extent, c) > 0.0) describe(b, 0, c, &extent, PM_SEVERITY_NOTE, "");
    }
}

void pm_curve_hold_bounds(pm_curve *curve, const pm_curve_def *def, pm_report *report) {
    bounds b = {curve, def, report};
    if (curve->key_count == 1) report_single_key(&b);
    for (uint32_t c = 0; c < curve->component_count; ++c) {
        // Told before anything is shortened: how far it was out.
        for (uint32_t key = 0; key + 1 < curve->key_count; ++key) {
            pm_extent extent = pm_curve_find_extent(curve, key, c);
            bool limited = def->bounds == PM_BOUNDS_LIMIT && can_shorten(&b, key, c);
            if (excess_of(&b, &extent, c) > 0.0)
                describe(&b, key, c, &extent, limited ? PM_SEVERITY_REPAIR : PM_SEVERITY_NOTE,
                         limited ? "; its tangents are shortened" : "");
        }
        if (def->bounds != PM_BOUNDS_LIMIT) continue;
        hold_component(&b, c);
        for (uint32_t key = 0; key + 1 < curve->key_count; ++key) {
            pm_extent extent = pm_curve_find_extent(curve, key, c);
            if (can_shorten(&b, key, c) && excess_of(&b, &extent, c) > 0.0)
                describe(&b, key, c, &extent, PM_SEVERITY_NOTE, "; shorter tangents cannot hold it");
        }
    }
}
