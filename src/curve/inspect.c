#include "curve.h"
#include "environment.h"

#include <posemill/inspect.h>

#include <assert.h>
#include <math.h>

// Keys further off the frame grid than this are counted, in frames.
static const double grid_tolerance = 0.01;

typedef struct report_memory {
    pm_curve_report report; // first: the caller's pointer is to it
    pm_allocator allocator;
    pm_arena arena;
} report_memory;

// A report being filled in.
typedef struct inspection {
    const pm_curve *curve;
    pm_curve_report *report;
    pm_inspected_segment *segments;
    pm_inspected_key *keys;
} inspection;

static double key_value(const pm_curve *curve, uint32_t key, uint32_t c) {
    return curve->values[(size_t)key * curve->component_count + c];
}

// Derivatives at u of a segment's component, from inside of the segment.
static pm_cubic_sample sample_span(const pm_curve *curve, uint32_t key, uint32_t c, double u) {
    pm_cubic cubic = pm_curve_cubic(curve, key, c);
    pm_cubic_sample sample = pm_curve_eased(&cubic, pm_easing_evaluate(&curve->easings[key], u));
    if (u == 1.0) sample.value = key_value(curve, curve->steps[key] ? key : key + 1, c);
    return sample;
}

// What is rounding to float in a component: a share of its largest key.
static double noise_of(const pm_curve_report *report, uint32_t c) {
    return PM_INSPECT_NOISE_SHARE * fmax(fabs(report->key_minimum[c]), fabs(report->key_maximum[c]));
}

// The range of a component's keys, or 0 if that is but rounding.
static double range_of(const pm_curve_report *report, uint32_t c) {
    double range = report->key_maximum[c] - report->key_minimum[c];
    return range > noise_of(report, c) ? range : 0.0;
}

// Whether a segment never turns back: its turns, taken in order, lead from one end to the other.
static bool is_monotone(const pm_curve *curve, uint32_t key, uint32_t c, double slack) {
    double turns[PM_TURNS_MAX];
    uint32_t count = pm_curve_find_turns(curve, key, c, turns);
    double first = key_value(curve, key, c), last = key_value(curve, key + 1, c), before = first;
    double direction = last < first ? -1.0 : 1.0;
    for (uint32_t i = 0; i <= count; ++i) {
        double value = i < count ? sample_span(curve, key, c, turns[i]).value : last;
        if (direction * (value - before) < -slack) return false;
        // A level segment that leaves its level turns back, whichever way it went.
        if (first == last && fabs(value - before) > slack) return false;
        before = value;
    }
    return true;
}

static pm_inspected_span inspect_span(const inspection *in, uint32_t key, uint32_t c) {
    const pm_curve *curve = in->curve;
    pm_inspected_span span = {0};
    for (int i = 0; i < PM_INSPECT_FRACTIONS; ++i) {
        pm_cubic_sample sample = sample_span(curve, key, c, i / (double)(PM_INSPECT_FRACTIONS - 1));
        span.value[i] = sample.value;
        span.velocity[i] = sample.velocity;
        span.acceleration[i] = sample.acceleration;
    }
    pm_extent extent = pm_curve_find_extent(curve, key, c);
    span.minimum = extent.minimum;
    span.minimum_seconds = extent.minimum_seconds;
    span.maximum = extent.maximum;
    span.maximum_seconds = extent.maximum_seconds;

    double a = key_value(curve, key, c), b = key_value(curve, key + 1, c);
    double below = fmin(a, b) - extent.minimum, above = extent.maximum - fmax(a, b);
    double slack = fmax(noise_of(in->report, c), PM_INSPECT_NOISE_SHARE * range_of(in->report, c));
    double most = fmax(below, above);
    if (most > slack) {
        span.overshoot = most;
        span.overshoot_seconds = above >= below ? extent.maximum_seconds : extent.minimum_seconds;
    }
    span.monotone = curve->steps[key] || is_monotone(curve, key, c, slack);
    return span;
}

static bool has_zero_tangents(const pm_curve *curve, uint32_t key) {
    bool moves = false;
    for (uint32_t c = 0; c < curve->component_count; ++c) {
        pm_cubic cubic = pm_curve_cubic(curve, key, c);
        if (cubic.m != 0.0 || cubic.n != 0.0) return false;
        moves = moves || cubic.a != cubic.b;
    }
    return moves && !curve->steps[key];
}

// Whether a segment keeps one value in every component.
static bool is_at_rest(const pm_inspected_segment *segment, uint32_t component_count) {
    for (uint32_t c = 0; c < component_count; ++c)
        if (segment->components[c].minimum != segment->components[c].maximum) return false;
    return true;
}

static void keep_worst(pm_worst *worst, double size, double range, double seconds, uint32_t key, uint32_t c) {
    size = fabs(size);
    double share = range > 0.0 ? size / range : 0.0;
    // By share, so that a component of large values does not hide the others.
    if (share > worst->share || (share == worst->share && size > worst->size))
        *worst = (pm_worst){size, share, seconds, key, c};
}

static void inspect_keys_range(const inspection *in) {
    const pm_curve *curve = in->curve;
    for (uint32_t c = 0; c < curve->component_count; ++c) {
        double low = key_value(curve, 0, c), high = low;
        for (uint32_t key = 1; key < curve->key_count; ++key) {
            low = fmin(low, key_value(curve, key, c));
            high = fmax(high, key_value(curve, key, c));
        }
        in->report->key_minimum[c] = in->report->minimum[c] = low;
        in->report->key_maximum[c] = in->report->maximum[c] = high;
        in->report->minimum_seconds[c] = in->report->maximum_seconds[c] = curve->seconds[0];
    }
}

// Widens the curve's own range by a segment's.
static void widen(pm_curve_report *report, const pm_inspected_span *span, uint32_t key, uint32_t c) {
    if (key == 0 || span->minimum < report->minimum[c]) {
        report->minimum[c] = span->minimum;
        report->minimum_seconds[c] = span->minimum_seconds;
    }
    if (key == 0 || span->maximum > report->maximum[c]) {
        report->maximum[c] = span->maximum;
        report->maximum_seconds[c] = span->maximum_seconds;
    }
}

static void inspect_segments(const inspection *in) {
    const pm_curve *curve = in->curve;
    pm_curve_report *report = in->report;
    bool moves = false, all_zero = true;
    for (uint32_t key = 0; key < report->segment_count; ++key) {
        pm_inspected_segment *segment = &in->segments[key];
        segment->begin_seconds = curve->seconds[key];
        segment->end_seconds = curve->seconds[key + 1];
        segment->step = curve->steps[key];
        segment->easing = pm_easing_inspect(&curve->easings[key]);
        segment->tangents_zero = has_zero_tangents(curve, key);
        bool overshoots = false;
        for (uint32_t c = 0; c < curve->component_count; ++c) {
            segment->components[c] = inspect_span(in, key, c);
            const pm_inspected_span *span = &segment->components[c];
            widen(report, span, key, c);
            overshoots = overshoots || span->overshoot > 0.0;
            if (span->overshoot > 0.0)
                keep_worst(&report->overshoot, span->overshoot,
                           report->key_maximum[c] - report->key_minimum[c], span->overshoot_seconds, key, c);
        }
        report->overshoot_count += overshoots;
        if (is_at_rest(segment, curve->component_count)) continue;
        moves = true;
        all_zero = all_zero && segment->tangents_zero;
    }
    report->tangents_zero = moves && all_zero;
}

static void inspect_monotony(const inspection *in) {
    for (uint32_t c = 0; c < in->curve->component_count; ++c) {
        bool rises = true, falls = true, smooth = true;
        for (uint32_t key = 0; key < in->report->segment_count; ++key) {
            double change = key_value(in->curve, key + 1, c) - key_value(in->curve, key, c);
            rises = rises && change >= 0.0;
            falls = falls && change <= 0.0;
            smooth = smooth && in->segments[key].components[c].monotone;
        }
        in->report->monotone[c] = smooth && (rises || falls);
    }
}

// The speed with which a component arrives at (or leaves) a key whose other side is at rest.
static double settle_speed(const inspection *in, uint32_t key, bool rest_before, bool rest_after,
                           uint32_t c) {
    uint32_t last = in->curve->key_count - 1;
    if (rest_after && !rest_before && key > 0) return sample_span(in->curve, key - 1, c, 1.0).velocity;
    if (rest_before && !rest_after && key < last) return sample_span(in->curve, key, c, 0.0).velocity;
    return 0.0;
}

static void inspect_key(const inspection *in, uint32_t key, double frame_rate_hz) {
    const pm_curve *curve = in->curve;
    pm_curve_report *report = in->report;
    uint32_t last = curve->key_count - 1, components = curve->component_count;
    pm_inspected_key *out = &in->keys[key];
    out->seconds = curve->seconds[key];
    if (frame_rate_hz > 0.0) {
        double frames = out->seconds * frame_rate_hz;
        out->frames_off = frames - floor(frames + 0.5);
        if (fabs(out->frames_off) > grid_tolerance) ++report->off_grid_count;
        keep_worst(&report->off_grid, out->frames_off, 1.0, out->seconds, key, 0);
    }
    bool has_before = key > 0 || curve->looping, has_after = key < last || curve->looping;
    uint32_t before = key > 0 ? key - 1 : last - 1, after = key < last ? key : 0;
    bool rest_before = !has_before || is_at_rest(&in->segments[before], components);
    bool rest_after = !has_after || is_at_rest(&in->segments[after], components);
    out->settles = rest_before != rest_after;
    for (uint32_t c = 0; c < components; ++c) {
        double range = range_of(report, c);
        out->settle_speed[c] = settle_speed(in, key, rest_before, rest_after, c);
        keep_worst(&report->settle_speed, out->settle_speed[c], range, out->seconds, key, c);
        if (!has_before || !has_after) continue;
        pm_cubic_sample in_side = sample_span(curve, before, c, 1.0),
                        out_side = sample_span(curve, after, c, 0.0);
        out->velocity_jump[c] = out_side.velocity - in_side.velocity;
        out->acceleration_jump[c] = out_side.acceleration - in_side.acceleration;
        keep_worst(&report->velocity_jump, out->velocity_jump[c], range, out->seconds, key, c);
        keep_worst(&report->acceleration_jump, out->acceleration_jump[c], range, out->seconds, key, c);
    }
}

pm_curve_cut pm_curve_join(const pm_curve *first, const pm_curve *second) {
    assert(first->component_count == second->component_count);
    uint32_t components = first->component_count, last = first->key_count - 1;
    pm_cubic_sample ends[PM_CURVE_COMPONENTS_MAX] = {0}, begins[PM_CURVE_COMPONENTS_MAX] = {0};
    double dot = 0.0;
    for (uint32_t c = 0; c < components; ++c) {
        if (last > 0) ends[c] = sample_span(first, last - 1, c, 1.0);
        ends[c].value = key_value(first, last, c);
        if (second->key_count > 1) begins[c] = sample_span(second, 0, c, 0.0);
        begins[c].value = key_value(second, 0, c);
        dot += ends[c].value * begins[c].value;
    }
    double sign = components == 4 && dot < 0.0 ? -1.0 : 1.0;
    pm_curve_cut cut = {0};
    for (uint32_t c = 0; c < components; ++c) {
        cut.value[c] = sign * begins[c].value - ends[c].value;
        cut.velocity[c] = sign * begins[c].velocity - ends[c].velocity;
        cut.acceleration[c] = sign * begins[c].acceleration - ends[c].acceleration;
    }
    return cut;
}

static void inspect(const inspection *in, double frame_rate_hz) {
    inspect_keys_range(in);
    inspect_segments(in);
    inspect_monotony(in);
    if (in->curve->key_count > 1)
        for (uint32_t key = 0; key < in->curve->key_count; ++key) inspect_key(in, key, frame_rate_hz);
    else
        in->keys[0].seconds = in->curve->seconds[0];
    in->report->seam = pm_curve_join(in->curve, in->curve);
}

pm_result pm_curve_inspect(const pm_curve *curve, double frame_rate_hz, const pm_allocator *allocator,
                           pm_curve_report **report) {
    *report = NULL;
    pm_allocator kept = pm_allocator_or_default(allocator);
    report_memory *memory = pm_allocate(&kept, 1, sizeof *memory);
    if (!memory) return PM_ERROR_MEMORY;
    memory->allocator = memory->arena.allocator = kept;
    pm_curve_report *filled = &memory->report;
    filled->component_count = curve->component_count;
    filled->key_count = curve->key_count;
    filled->segment_count = curve->key_count - 1;
    inspection in = {curve, filled,
                     pm_arena_allocate(&memory->arena, filled->segment_count, sizeof(pm_inspected_segment)),
                     pm_arena_allocate(&memory->arena, filled->key_count, sizeof(pm_inspected_key))};
    if (!in.segments || !in.keys) {
        pm_curve_report_destroy(filled);
        return PM_ERROR_MEMORY;
    }
    filled->segments = in.segments;
    filled->keys = in.keys;
    pm_environment environment = pm_environment_enter();
    inspect(&in, frame_rate_hz);
    pm_environment_leave(&environment);
    *report = filled;
    return PM_OK;
}

void pm_curve_report_destroy(pm_curve_report *report) {
    if (!report) return;
    report_memory *memory = (report_memory *)report;
    pm_allocator allocator = memory->allocator;
    pm_arena_release(&memory->arena);
    pm_release(&allocator, memory);
}
