#include "curve.h"

#include "environment.h"
#include "maths.h"
#include "tangent.h"

#include <posemill/compile.h>

#include <float.h>
#include <math.h>
#include <string.h>

enum { DEF_COOKIE = 0x43757276 };

// Clip times stay below this magnitude in seconds: far beyond use, and products of them stay in range.
#define TIME_LIMIT 1.0e12

pm_curve_def pm_default_curve_def(void) {
    pm_curve_def def = {0};
    def.cookie = DEF_COOKIE;
    def.component_count = 1;
    def.time_scale = 1.0;
    return def;
}

// Everything that checks and resolves a def.
typedef struct builder {
    const pm_curve_def *def;
    pm_curve *curve;
    double *key_seconds; // [key], before phase and scale
    pm_report *report;
} builder;

static pm_result refuse(const builder *b, uint32_t key, pm_fault fault, const char *text) {
    pm_place place = b->curve->place;
    place.key = key;
    return pm_fail(b->report, PM_ERROR_DATA, fault, place, "%s", text);
}

static pm_result refuse_def(const pm_curve_def *def, pm_report *report, const char *text) {
    pm_place place = {def->file, def->clip, def->name, PM_NONE};
    return pm_fail(report, PM_ERROR_ARGUMENT, PM_FAULT_ARGUMENT, place, "%s", text);
}

static bool within(double x, double most) {
    return fabs(x) <= most; // false for NaN
}

// What is wrong with a def apart from its keys, or NULL.
static const char *fault_of_def(const pm_curve_def *def) {
    if (def->component_count < 1 || def->component_count > PM_CURVE_COMPONENTS_MAX)
        return "a curve has 1 to 4 components";
    if (def->key_count && !def->keys) return "keys are missing";
    if (!(def->frame_rate_hz >= 0.0 && def->frame_rate_hz <= TIME_LIMIT))
        return "the frame rate must be a number of at least 0";
    if (!within(def->phase_seconds, TIME_LIMIT)) return "the phase must be finite";
    if (!(def->time_scale > 0.0 && def->time_scale <= TIME_LIMIT))
        return "the time scale must be above 0 and finite";
    if (!(def->duration_seconds >= 0.0 && def->duration_seconds <= TIME_LIMIT))
        return "the duration must be a number of at least 0";
    if (!(def->cadence_hz >= 0.0f && def->cadence_hz <= PM_CADENCE_LIMIT_HZ))
        return "the cadence must be from 0 to 1e6";
    if ((unsigned)def->angle_mode >= PM_ANGLE_MODE_COUNT) return "the angle mode is unknown";
    if ((unsigned)def->angle_unit >= PM_ANGLE_UNIT_COUNT) return "the angle unit is unknown";
    if ((unsigned)def->bounds >= PM_BOUNDS_MODE_COUNT) return "the bounds mode is unknown";
    for (uint32_t c = 0; def->bounds != PM_BOUNDS_NONE && c < def->component_count; ++c)
        if (!(def->minimum[c] <= def->maximum[c])) return "a minimum is above its maximum, or no number";
    return NULL;
}

static pm_result check_key(const builder *b, uint32_t i) {
    const pm_curve_key *key = &b->def->keys[i];
    if (!within(key->time, DBL_MAX)) return refuse(b, i, PM_FAULT_TIME_NOT_FINITE, "the time is not finite");
    if ((unsigned)key->in_rule >= PM_TANGENT_RULE_COUNT || (unsigned)key->out_rule >= PM_TANGENT_RULE_COUNT)
        return refuse(b, i, PM_FAULT_CURVE_PARAMETER, "the tangent rule is unknown");
    if (!within(key->tension, 1e6) || !within(key->continuity, 1e6) || !within(key->bias, 1e6))
        return refuse(b, i, PM_FAULT_CURVE_PARAMETER,
                      "tension, continuity or bias is not finite or beyond 1e6");
    const char *fault = pm_easing_validate(&key->easing);
    if (fault) return refuse(b, i, PM_FAULT_CURVE_PARAMETER, fault);
    for (uint32_t c = 0; c < b->def->component_count; ++c) {
        if (!within(key->value[c], DBL_MAX))
            return refuse(b, i, PM_FAULT_VALUE_NOT_FINITE, "the value is not finite");
        if (!within(key->in_tangent[c], DBL_MAX) || !within(key->out_tangent[c], DBL_MAX))
            return refuse(b, i, PM_FAULT_VALUE_NOT_FINITE, "a tangent is not finite");
    }
    return PM_OK;
}

static pm_result place_key(const builder *b, uint32_t i) {
    const pm_curve_def *def = b->def;
    double time = def->keys[i].time;
    b->key_seconds[i] = def->frame_rate_hz > 0.0 ? time / def->frame_rate_hz : time;
    double seconds = def->phase_seconds + def->time_scale * b->key_seconds[i];
    b->curve->seconds[i] = seconds;
    if (!within(seconds, TIME_LIMIT))
        return refuse(b, i, PM_FAULT_TIME_NOT_FINITE, "the time is beyond 1e12 seconds");
    if (i == 0) return PM_OK;
    if (time < def->keys[i - 1].time)
        return refuse(b, i, PM_FAULT_TIME_UNSORTED, "the time is before that of the key before");
    if (time == def->keys[i - 1].time)
        return refuse(b, i, PM_FAULT_TIME_DUPLICATE, "the time is that of the key before");
    if (!((float)seconds > (float)b->curve->seconds[i - 1]))
        return refuse(b, i, PM_FAULT_TIME_DUPLICATE,
                      "in single precision the time is that of the key before");
    return PM_OK;
}

// The nearest whole number; halves go towards zero, so that half a turn keeps its sign.
static double whole_turns(double turns) {
    return turns < 0.0 ? floor(turns + 0.5) : ceil(turns - 0.5);
}

static double angle_step(pm_angle_mode mode, double full_turn, double difference) {
    double step = difference - full_turn * whole_turns(difference / full_turn);
    if (mode == PM_ANGLE_SHORT || step == 0.0) return step;
    return step > 0.0 ? step - full_turn : step + full_turn;
}

static pm_result resolve_values(const builder *b) {
    const pm_curve_def *def = b->def;
    uint32_t components = def->component_count;
    double full_turn = def->angle_unit == PM_ANGLE_DEGREES ? 360.0 : 2.0 * PM_PI;
    for (uint32_t i = 0; i < def->key_count; ++i) {
        const pm_curve_key *key = &def->keys[i];
        for (uint32_t c = 0; c < components; ++c) {
            double value = key->value[c];
            if (def->angle_mode == PM_ANGLE_COUNTED)
                value += full_turn * key->turns;
            else if (def->angle_mode != PM_ANGLE_NONE && i > 0)
                value = b->curve->values[(i - 1) * components + c] +
                        angle_step(def->angle_mode, full_turn, value - def->keys[i - 1].value[c]);
            if (!within(value, PM_VALUE_LIMIT))
                return refuse(b, i, PM_FAULT_VALUE_HUGE, "the value is beyond 1e18");
            b->curve->values[i * components + c] = value;
        }
    }
    return PM_OK;
}

static pm_chord chord_after(const builder *b, uint32_t key, uint32_t c) {
    uint32_t components = b->curve->component_count;
    const double *value = b->curve->values + key * components + c;
    return (pm_chord){true, b->key_seconds[key + 1] - b->key_seconds[key], value[components] - value[0]};
}

static pm_tangent_site site_of(const builder *b, uint32_t i, uint32_t c) {
    uint32_t last = b->curve->key_count - 1;
    pm_tangent_site site = {.key = &b->def->keys[i], .component = c};
    if (last == 0) return site;
    // In a looping curve the first and last key are one: the segment before the first is the last one.
    if (i > 0 || b->curve->looping) site.before = chord_after(b, i > 0 ? i - 1 : last - 1, c);
    if (i < last || b->curve->looping) site.after = chord_after(b, i < last ? i : 0, c);
    if (i == 0 && last > 1) site.far = chord_after(b, 1, c);
    if (i == last && last > 1) site.far = chord_after(b, last - 2, c);
    return site;
}

static pm_result resolve_tangents(const builder *b) {
    pm_curve *curve = b->curve;
    double scale = b->def->time_scale;
    uint32_t last = curve->key_count - 1;
    for (uint32_t i = 0; i <= last; ++i) {
        const pm_curve_key *key = &b->def->keys[i];
        curve->steps[i] = i < last && key->out_rule == PM_TANGENT_STEP;
        curve->straight[i] = i < last && key->out_rule == PM_TANGENT_LINEAR &&
                             b->def->keys[i + 1].in_rule == PM_TANGENT_LINEAR;
        curve->easings[i] = key->easing;
        double before = i > 0 ? curve->seconds[i] - curve->seconds[i - 1] : 0.0;
        double after = i < last ? curve->seconds[i + 1] - curve->seconds[i] : 0.0;
        for (uint32_t c = 0; c < curve->component_count; ++c) {
            pm_tangent_site site = site_of(b, i, c);
            double in = pm_tangent_slope(key->in_rule, false, &site) / scale;
            double out = pm_tangent_slope(key->out_rule, true, &site) / scale;
            if (!within(in, FLT_MAX) || !within(out, FLT_MAX) || !within(in * before, PM_VALUE_LIMIT) ||
                !within(out * after, PM_VALUE_LIMIT))
                return refuse(b, i, PM_FAULT_VALUE_HUGE, "a tangent is beyond what a clip can hold");
            curve->in[i * curve->component_count + c] = in;
            curve->out[i * curve->component_count + c] = out;
        }
    }
    return PM_OK;
}

static void resolve_window(const builder *b) {
    const pm_curve_def *def = b->def;
    pm_curve *curve = b->curve;
    double first = curve->seconds[0], last = curve->seconds[curve->key_count - 1];
    curve->window_begin = curve->looping ? first - def->phase_seconds : first;
    curve->window_end = def->duration_seconds > 0.0 ? curve->window_begin + def->duration_seconds
                                                    : curve->window_begin + (last - first);
    // Without a phase the round's end is the last key, to the bit.
    if (def->duration_seconds == 0.0 && curve->window_begin == first) curve->window_end = last;
}

static pm_result resolve(const builder *b) {
    for (uint32_t i = 0; i < b->def->key_count; ++i) {
        pm_result failed = check_key(b, i);
        if (!failed) failed = place_key(b, i);
        if (failed) return failed;
    }
    pm_result failed = resolve_values(b);
    if (!failed) failed = resolve_tangents(b);
    if (failed) return failed;
    resolve_window(b);
    if (b->def->bounds != PM_BOUNDS_NONE) pm_curve_hold_bounds(b->curve, b->def, b->report);
    return PM_OK;
}

static const char *copy_text(pm_arena *arena, const char *text) {
    return text ? pm_arena_copy_text(arena, text, strlen(text)) : NULL;
}

// Gives the curve its arrays. False: no memory.
static bool allocate_arrays(pm_curve *curve, const pm_curve_def *def) {
    size_t keys = def->key_count, values = keys * def->component_count;
    pm_arena *arena = &curve->arena;
    curve->seconds = pm_arena_allocate(arena, keys, sizeof *curve->seconds);
    curve->values = pm_arena_allocate(arena, values, sizeof *curve->values);
    curve->in = pm_arena_allocate(arena, values, sizeof *curve->in);
    curve->out = pm_arena_allocate(arena, values, sizeof *curve->out);
    curve->steps = pm_arena_allocate(arena, keys, sizeof *curve->steps);
    curve->straight = pm_arena_allocate(arena, keys, sizeof *curve->straight);
    curve->easings = pm_arena_allocate(arena, keys, sizeof *curve->easings);
    curve->place = (pm_place){copy_text(arena, def->file), copy_text(arena, def->clip),
                              copy_text(arena, def->name), PM_NONE};
    return curve->seconds && curve->values && curve->in && curve->out && curve->steps && curve->straight &&
           curve->easings && !curve->place.file == !def->file && !curve->place.clip == !def->clip &&
           !curve->place.channel == !def->name;
}

static pm_result create(const pm_curve_def *def, const pm_allocator *allocator, pm_curve **curve,
                        pm_report *report) {
    if (def->cookie != DEF_COOKIE) {
        pm_place nowhere = {NULL, NULL, NULL, PM_NONE};
        return pm_fail(report, PM_ERROR_ARGUMENT, PM_FAULT_ARGUMENT, nowhere,
                       "the curve's def is not from pm_default_curve_def");
    }
    const char *fault = fault_of_def(def);
    if (fault) return refuse_def(def, report, fault);
    if (def->key_count == 0) {
        pm_place place = {def->file, def->clip, def->name, PM_NONE};
        return pm_fail(report, PM_ERROR_DATA, PM_FAULT_KEYS_MISSING, place, "a curve without keys");
    }

    pm_allocator memory = pm_allocator_or_default(allocator);
    pm_curve *created = pm_allocate(&memory, 1, sizeof *created);
    if (!created) return pm_fail_memory(report, "a curve");
    created->allocator = memory;
    created->arena.allocator = memory;
    created->component_count = def->component_count;
    created->key_count = def->key_count;
    created->looping = def->looping;
    created->cadence_hz = def->cadence_hz;
    builder b = {def, created, pm_allocate(&memory, def->key_count, sizeof *b.key_seconds), report};
    pm_result result =
        b.key_seconds && allocate_arrays(created, def) ? resolve(&b) : pm_fail_memory(report, "a curve");
    pm_release(&memory, b.key_seconds);
    if (result)
        pm_curve_destroy(created);
    else
        *curve = created;
    return result;
}

pm_result pm_curve_create(const pm_curve_def *def, const pm_allocator *allocator, pm_curve **curve,
                          pm_report *report) {
    *curve = NULL;
    pm_environment environment = pm_environment_enter();
    pm_result result = create(def, allocator, curve, report);
    pm_environment_leave(&environment);
    return result;
}

void pm_curve_destroy(pm_curve *curve) {
    if (!curve) return;
    pm_allocator allocator = curve->allocator;
    pm_arena_release(&curve->arena);
    pm_release(&allocator, curve);
}

pm_curve_info pm_curve_get_info(const pm_curve *curve) {
    return (pm_curve_info){
        .name = curve->place.channel ? curve->place.channel : "",
        .component_count = curve->component_count,
        .key_count = curve->key_count,
        .first_seconds = curve->seconds[0],
        .last_seconds = curve->seconds[curve->key_count - 1],
        .looping = curve->looping,
        .cadence_hz = curve->cadence_hz,
    };
}

pm_resolved_key pm_curve_get_key(const pm_curve *curve, uint32_t key) {
    pm_resolved_key resolved = {
        .seconds = curve->seconds[key], .step = curve->steps[key], .easing = curve->easings[key]};
    for (uint32_t c = 0; c < curve->component_count; ++c) {
        resolved.value[c] = curve->values[key * curve->component_count + c];
        resolved.in_tangent[c] = curve->in[key * curve->component_count + c];
        resolved.out_tangent[c] = curve->out[key * curve->component_count + c];
    }
    return resolved;
}
