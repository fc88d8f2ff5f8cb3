#include "curve.h"
#include "environment.h"
#include "piece.h"

#include <posemill/compile.h>

#include <math.h>
#include <string.h>

enum { OPTIONS_COOKIE = 0x63686f70 };

// Beyond this a cadence and a duration cannot both be meant.
static const double most_ticks = 1 << 24;

pm_curve_channel_options pm_default_curve_channel_options(void) {
    return (pm_curve_channel_options){OPTIONS_COOKIE, 1e-4, true, true};
}

// A channel being written, with the memory that it will live in.
typedef struct pm_channel_memory {
    pm_curve_channel channel; // first: the caller's pointer is to it
    pm_allocator allocator;
    pm_arena arena;
} pm_channel_memory;

// Arrays being filled; the pointers in pm_channel are to const.
typedef struct writer {
    const pm_curve *curve;
    uint32_t components, count;
    float *times, *values, *in, *out;
    float (*easing)[6];
} writer;

// Arrays for at most `capacity` keys. False: no memory.
static bool prepare(writer *w, pm_channel_memory *memory, uint32_t capacity, bool cubic, bool eased) {
    size_t values = (size_t)capacity * w->components;
    pm_arena *arena = &memory->arena;
    w->times = pm_arena_allocate(arena, capacity, sizeof *w->times);
    w->values = pm_arena_allocate(arena, values, sizeof *w->values);
    if (cubic) w->in = pm_arena_allocate(arena, values, sizeof *w->in);
    if (cubic) w->out = pm_arena_allocate(arena, values, sizeof *w->out);
    if (eased) w->easing = pm_arena_allocate(arena, capacity, sizeof *w->easing);
    return w->times && w->values && (!cubic || (w->in && w->out)) && (!eased || w->easing);
}

static const double no_easing[6] = {0, 1, 0, 0, 0, 0};

// Adds a key; NULL tangents are zero, a NULL easing is none.
static void put_key(writer *w, float seconds, const double *value, const double *in, const double *out,
                    const double *easing) {
    for (int k = 0; w->easing && k < 6; ++k)
        w->easing[w->count][k] = (float)(easing ? easing[k] : no_easing[k]);
    for (uint32_t c = 0; c < w->components; ++c) {
        size_t at = (size_t)w->count * w->components + c;
        w->values[at] = (float)value[c];
        if (w->in && in) w->in[at] = (float)in[c];
        if (w->out && out) w->out[at] = (float)out[c];
    }
    w->times[w->count++] = seconds;
}

static bool same_floats(const double *a, const double *b, uint32_t count) {
    for (uint32_t c = 0; c < count; ++c)
        if ((float)a[c] != (float)b[c]) return false;
    return true;
}

// Adds the key where a piece begins, or the last one (`piece` is NULL then). If the piece before ends at
// another value, that value is kept up to the last float before.
static void put_joint(writer *w, const pm_piece *before, const pm_piece *piece, double seconds,
                      const double *value) {
    float here = (float)seconds, pred = nextafterf(here, -INFINITY);
    bool jumps = before && !same_floats(before->b, value, w->components);
    if (jumps && pred > w->times[w->count - 1]) put_key(w, pred, before->b, before->n, NULL, NULL);
    put_key(w, here, value, before && !jumps ? before->n : NULL, piece ? piece->m : NULL,
            piece ? piece->easing : NULL);
}

// The value at the very end: of the last key if the layout ends with it, else where the last piece arrives.
static const double *end_value(const pm_curve *curve, const pm_piece *last) {
    bool aligned = !curve->looping || last->end == curve->seconds[curve->key_count - 1];
    return aligned ? curve->values + (size_t)(curve->key_count - 1) * curve->component_count : last->b;
}

static pm_interpolation mode_of(const pm_piece_list *list) {
    bool all_steps = list->count > 0, all_straight = true;
    for (uint32_t i = 0; i < list->count; ++i) {
        all_steps = all_steps && list->pieces[i].step;
        all_straight = all_straight && (list->pieces[i].straight || list->pieces[i].step);
    }
    if (all_steps) return PM_INTERPOLATION_STEP;
    return all_straight ? PM_INTERPOLATION_LINEAR : PM_INTERPOLATION_CUBIC;
}

static bool any_eased(const pm_piece_list *list) {
    for (uint32_t i = 0; i < list->count; ++i)
        if (list->pieces[i].eased) return true;
    return false;
}

// Keys from pieces. STEP channels need no key to close a step.
static bool write_pieces(writer *w, pm_channel_memory *memory, const pm_piece_list *list,
                         pm_interpolation interpolation) {
    bool step = interpolation == PM_INTERPOLATION_STEP;
    if (!prepare(w, memory, 2 * list->count + 2, interpolation == PM_INTERPOLATION_CUBIC, any_eased(list)))
        return false;
    const pm_piece *before = NULL;
    for (uint32_t i = 0; i < list->count; ++i) {
        const pm_piece *piece = &list->pieces[i];
        put_joint(w, before, piece, piece->begin, piece->a);
        if (!step) before = piece;
    }
    if (list->count == 0) {
        put_joint(w, NULL, NULL, w->curve->seconds[0], w->curve->values);
    } else {
        const pm_piece *last = &list->pieces[list->count - 1];
        put_joint(w, before, NULL, last->end, end_value(w->curve, last));
    }
    return true;
}

// One STEP key a tick, from the first tick after the beginning to the last one that is not past the end.
static pm_result write_ticks(writer *w, pm_channel_memory *memory, pm_report *report) {
    const pm_curve *curve = w->curve;
    double rate = (double)curve->cadence_hz;
    float begin = (float)curve->window_begin, end = (float)curve->window_end;
    double ticks = ((double)end - (double)begin) * rate;
    if (!(ticks <= most_ticks))
        return pm_fail(report, PM_ERROR_DATA, PM_FAULT_CURVE_PARAMETER, curve->place,
                       "its cadence would take more than %g keys", most_ticks);
    if (!prepare(w, memory, (uint32_t)ticks + 4, false, false))
        return pm_fail_memory(report, "a curve's ticks");
    pm_curve_sample sample = pm_curve_evaluate(curve, (double)begin);
    put_key(w, begin, sample.value, NULL, NULL, NULL);
    for (double tick = floor((double)begin * rate); (float)(tick / rate) <= end; ++tick) {
        float seconds = (float)(tick / rate);
        if (!(seconds > w->times[w->count - 1])) continue;
        sample = pm_curve_evaluate(curve, (double)seconds);
        put_key(w, seconds, sample.value, NULL, NULL, NULL);
    }
    if (w->times[w->count - 1] < end) put_key(w, end, sample.value, NULL, NULL, NULL);
    return PM_OK;
}

static void finish(const writer *w, pm_curve_channel *channel, pm_path path, uint32_t target,
                   pm_interpolation interpolation) {
    channel->channel = (pm_channel){
        .path = path,
        .interpolation = interpolation,
        .target = target,
        .component_count = w->components,
        .key_count = w->count,
        .value_count = w->count,
        .times = w->times,
        .values = w->values,
        .in_tangents = w->in,
        .out_tangents = w->out,
        .easing = (const float(*)[6])w->easing,
    };
    uint32_t authored = w->curve->key_count;
    channel->added_key_count = w->count > authored ? w->count - authored : 0;
}

static pm_result write_curve(writer *w, pm_channel_memory *memory, pm_path path, uint32_t target,
                             const pm_curve_channel_options *options, pm_report *report) {
    pm_curve_channel *channel = &memory->channel;
    if (w->curve->cadence_hz > 0.0f && !options->keep_cadence) {
        pm_result failed = write_ticks(w, memory, report);
        if (!failed) finish(w, channel, path, target, PM_INTERPOLATION_STEP);
        return failed;
    }
    pm_piece_list list = {.allocator = memory->allocator};
    pm_result result = pm_curve_lay_out(w->curve, options->tolerance, options->keep_easing, &list, report);
    if (!result) {
        pm_interpolation interpolation = mode_of(&list);
        if (!write_pieces(w, memory, &list, interpolation))
            result = pm_fail_memory(report, "a curve's channel");
        else
            finish(w, channel, path, target, interpolation);
        channel->error = list.error;
        channel->channel.cadence_hz = w->curve->cadence_hz;
    }
    pm_piece_list_release(&list);
    if (!result && channel->error > options->tolerance)
        pm_diagnose(report, PM_SEVERITY_NOTE, PM_FAULT_CURVE_TOLERANCE, w->curve->place,
                    "cubics as short as floats allow follow it within %g of its range, not %g",
                    channel->error, options->tolerance);
    return result;
}

// What is wrong with the request, or NULL.
static const char *fault_of(const pm_curve *curve, pm_path path, const pm_curve_channel_options *options) {
    if (options->cookie != OPTIONS_COOKIE) return "the options are not from pm_default_curve_channel_options";
    if (!(options->tolerance > 0.0 && options->tolerance <= 1.0))
        return "the tolerance must be above 0 and at most 1";
    if (pm_path_component_count(path) != curve->component_count)
        return "the path does not have as many components as the curve";
    if (path == PM_PATH_ROTATION) return "a curve's components cannot be keyed as a rotation";
    return NULL;
}

pm_result pm_curve_get_channel(const pm_curve *curve, pm_path path, uint32_t target,
                               const pm_curve_channel_options *options, const pm_allocator *allocator,
                               pm_curve_channel **channel, pm_report *report) {
    *channel = NULL;
    pm_curve_channel_options chosen = options ? *options : pm_default_curve_channel_options();
    const char *fault = fault_of(curve, path, &chosen);
    if (fault) return pm_fail(report, PM_ERROR_ARGUMENT, PM_FAULT_ARGUMENT, curve->place, "%s", fault);

    pm_allocator kept = pm_allocator_or_default(allocator);
    pm_channel_memory *memory = pm_allocate(&kept, 1, sizeof *memory);
    if (!memory) return pm_fail_memory(report, "a curve's channel");
    memory->allocator = memory->arena.allocator = kept;
    writer w = {.curve = curve, .components = curve->component_count};
    pm_environment environment = pm_environment_enter();
    pm_result result = write_curve(&w, memory, path, target, &chosen, report);
    pm_environment_leave(&environment);
    const char *name = curve->place.channel;
    if (!result && name) {
        memory->channel.channel.name = pm_arena_copy_text(&memory->arena, name, strlen(name));
        if (!memory->channel.channel.name) result = pm_fail_memory(report, "a curve's channel");
    }
    if (result)
        pm_curve_channel_destroy(&memory->channel);
    else
        *channel = &memory->channel;
    return result;
}

void pm_curve_channel_destroy(pm_curve_channel *channel) {
    if (!channel) return;
    pm_channel_memory *memory = (pm_channel_memory *)channel;
    pm_allocator allocator = memory->allocator;
    pm_arena_release(&memory->arena);
    pm_release(&allocator, memory);
}
