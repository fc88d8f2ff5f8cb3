#include "repair.h"

#include "maths.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Beyond this a difference of times could leave float range. It is 10^22 years.
#define TIME_LIMIT 1e30f

// Rotations off unit length by more than this are worth a word; BYTE-quantised ones stay below.
#define UNIT_TOLERANCE 1e-2

// One key as it moves through the repairs; `index` is its place as authored.
typedef struct raw_key {
    float time;
    uint32_t index;
} raw_key;

// The repair of one channel.
typedef struct repair {
    pm_compilation *compilation;
    const pm_channel *channel;
    const char *name;
    raw_key *keys;
    pm_lane *lane;
    bool dropped;
} repair;

pm_result pm_compilation_fault(pm_compilation *compilation, pm_severity severity, pm_fault fault,
                               const char *channel_name, uint32_t key, const char *text) {
    const pm_clip_source *source = compilation->source;
    pm_place place = {source->file, source->name ? source->name : "", channel_name, key};
    if (compilation->policy == PM_POLICY_STRICT && severity != PM_SEVERITY_NOTE)
        return pm_fail(compilation->report, PM_ERROR_DATA, fault, place, "%s", text);
    pm_diagnose(compilation->report, severity, fault, place, "%s", text);
    return PM_OK;
}

static pm_result note(repair *r, pm_fault fault, uint32_t key, const char *text) {
    return pm_compilation_fault(r->compilation, PM_SEVERITY_NOTE, fault, r->name, key, text);
}

static pm_result mend(repair *r, pm_fault fault, uint32_t key, const char *text) {
    return pm_compilation_fault(r->compilation, PM_SEVERITY_REPAIR, fault, r->name, key, text);
}

static pm_result drop(repair *r, pm_fault fault, uint32_t key, const char *text) {
    r->dropped = true;
    return pm_compilation_fault(r->compilation, PM_SEVERITY_DROPPED, fault, r->name, key, text);
}

static bool all_finite(const float *values, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (!isfinite(values[i])) return false;
    return true;
}

static pm_result check_shape(repair *r) {
    const pm_channel *channel = r->channel;
    if ((unsigned)channel->interpolation >= PM_INTERPOLATION_COUNT)
        return drop(r, PM_FAULT_INTERPOLATION, PM_NONE, "its interpolation is unknown; channel dropped");
    if (channel->component_count != pm_path_component_count(channel->path))
        return drop(r, PM_FAULT_KEY_COUNT, PM_NONE,
                    "its values have the wrong number of components; channel dropped");
    if (!channel->key_count || !channel->times)
        return drop(r, PM_FAULT_KEYS_MISSING, PM_NONE, "it has no keys; channel dropped");
    if (!channel->values || channel->value_count != channel->key_count)
        return drop(r, PM_FAULT_KEY_COUNT, PM_NONE, "it has not one value for each time; channel dropped");
    if (!(channel->cadence_hz >= 0 && channel->cadence_hz <= PM_CADENCE_LIMIT_HZ))
        return drop(r, PM_FAULT_CADENCE, PM_NONE, "its cadence is not from 0 to 1e6 Hz; channel dropped");
    if (channel->interpolation == PM_INTERPOLATION_CUBIC && (!channel->in_tangents || !channel->out_tangents))
        return drop(r, PM_FAULT_KEY_COUNT, PM_NONE,
                    "a cubic channel needs three per key (in-tangent, value, out-tangent); channel dropped");
    return PM_OK;
}

static int by_time_then_index(const void *a, const void *b) {
    const raw_key *left = a, *right = b;
    if (left->time != right->time) return left->time < right->time ? -1 : 1;
    return left->index < right->index ? -1 : 1;
}

// Gathers the keys that can be used, in rising order of time; equal times stay in authored order.
static pm_result order_keys(repair *r) {
    const pm_channel *channel = r->channel;
    pm_lane *lane = r->lane;
    bool sorted = true;
    uint32_t unsorted_at = PM_NONE;
    pm_result result = PM_OK;
    for (uint32_t i = 0; i < channel->key_count && !result; i++) {
        float time = channel->times[i];
        if (!(fabsf(time) <= TIME_LIMIT))
            return drop(r, PM_FAULT_TIME_NOT_FINITE, i, "its time is not finite; channel dropped");
        if (!all_finite(channel->values + (size_t)i * channel->component_count, channel->component_count)) {
            result = mend(r, PM_FAULT_VALUE_NOT_FINITE, i, "its value is not finite; key left out");
            continue;
        }
        if (lane->key_count && time < r->keys[lane->key_count - 1].time && sorted) {
            sorted = false;
            unsorted_at = i;
        }
        r->keys[lane->key_count++] =
            (raw_key){time + 0.0f, i}; // -0 becomes 0: times are compared by their bytes
    }
    if (!result && !lane->key_count)
        return drop(r, PM_FAULT_KEYS_MISSING, PM_NONE, "it has no key with a finite value; channel dropped");
    if (!result && !sorted) {
        result = mend(r, PM_FAULT_TIME_UNSORTED, unsorted_at,
                      "its time is before the previous key's; keys sorted");
        qsort(r->keys, lane->key_count, sizeof *r->keys, by_time_then_index);
    }
    if (!result && r->keys[0].time < 0)
        result =
            note(r, PM_FAULT_TIME_NEGATIVE, r->keys[0].index, "its time is negative; a clip starts at 0");
    return result;
}

// Of keys at one time the first keeps it, and the last takes the next time that a float can hold. Where
// another key has that time already, nothing is ever seen of the last.
static pm_result part_equal_times(repair *r) {
    pm_lane *lane = r->lane;
    raw_key *keys = r->keys;
    uint32_t kept = 0;
    pm_result result = PM_OK;
    lane->end_seconds = keys[lane->key_count - 1].time;
    for (uint32_t i = 0; i < lane->key_count && !result;) {
        uint32_t behind = i + 1;
        while (behind < lane->key_count && keys[behind].time == keys[i].time) behind++;
        uint32_t last = keys[behind - 1].index;
        float right_after = nextafterf(keys[i].time, INFINITY);
        bool is_seen = behind == lane->key_count || right_after < keys[behind].time;
        bool is_jump = behind - i > 1;
        keys[kept++] = keys[i];
        if (is_jump && is_seen) keys[kept++] = (raw_key){right_after, last};
        if (is_jump)
            result = note(r, PM_FAULT_TIME_DUPLICATE, last,
                          "its time is the previous key's: a jump, the first value counts at that time");
        i = behind;
    }
    lane->key_count = kept;
    return result;
}

// From 0 to 1, with numbers that cannot leave float range.
static bool is_easing(const float polynomial[6]) {
    double sum = 0;
    for (int i = 0; i < 6; i++) {
        if (!(fabsf(polynomial[i]) <= PM_TIMELINE_EASING_LIMIT)) return false;
        sum += (double)polynomial[i];
    }
    return polynomial[0] == 0 && fabs(sum - 1) < 1e-4;
}

static pm_result copy_keys(repair *r) {
    const pm_channel *channel = r->channel;
    pm_lane *lane = r->lane;
    uint32_t components = lane->components;
    bool cubic = lane->interpolation == PM_INTERPOLATION_CUBIC;
    pm_result result = PM_OK;
    for (uint32_t k = 0; k < lane->key_count && !result; k++) {
        uint32_t index = r->keys[k].index;
        size_t from = (size_t)index * components, to = (size_t)k * components;
        lane->times[k] = r->keys[k].time;
        for (uint32_t c = 0; c < components; c++) lane->values[to + c] = channel->values[from + c];
        if (!cubic) continue;
        const float *in = channel->in_tangents + from, *out = channel->out_tangents + from;
        bool in_sound = all_finite(in, components), out_sound = all_finite(out, components);
        if (!in_sound || !out_sound)
            result =
                mend(r, PM_FAULT_VALUE_NOT_FINITE, index, "a tangent is not finite; it is taken as zero");
        for (uint32_t c = 0; c < components; c++) {
            lane->in[to + c] = in_sound ? in[c] : 0;
            lane->out[to + c] = out_sound ? out[c] : 0;
        }
    }
    return result;
}

static double key_length(const double *q) {
    return sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
}

// STEP and LINEAR rotations become unit; a key of no length takes its neighbour's rotation.
static pm_result normalise_rotations(repair *r) {
    pm_lane *lane = r->lane;
    if (r->channel->path != PM_PATH_ROTATION || lane->interpolation == PM_INTERPOLATION_CUBIC) return PM_OK;
    uint32_t sound = PM_NONE; // a key with a length, the previous one if there is one
    for (uint32_t k = lane->key_count; k-- > 0;)
        if (key_length(lane->values + (size_t)k * 4) > 0) sound = k;
    if (sound == PM_NONE)
        return drop(r, PM_FAULT_ROTATION_ZERO, r->keys[0].index,
                    "all its rotations are zero; channel dropped");
    pm_result result = PM_OK;
    bool told = false;
    for (uint32_t k = 0; k < lane->key_count && !result; k++) {
        double *q = lane->values + (size_t)k * 4;
        double length = key_length(q);
        if (length == 0) {
            result = mend(r, PM_FAULT_ROTATION_ZERO, r->keys[k].index,
                          "its rotation is zero; it takes the neighbouring key's");
            memcpy(q, lane->values + (size_t)sound * 4, 4 * sizeof *q);
            length = key_length(q);
        } else {
            sound = k;
        }
        if (fabs(length - 1) > UNIT_TOLERANCE && !told) {
            told = true;
            result =
                mend(r, PM_FAULT_ROTATION_NOT_UNIT, r->keys[k].index, "its rotation is not unit; normalised");
        }
        for (int c = 0; c < 4; c++) q[c] /= length;
    }
    return result;
}

// Slerp takes the short way when neighbours are on one hemisphere.
static pm_result align_hemispheres(repair *r) {
    pm_lane *lane = r->lane;
    if (r->channel->path != PM_PATH_ROTATION || lane->interpolation != PM_INTERPOLATION_LINEAR) return PM_OK;
    for (uint32_t k = 1; k < lane->key_count; k++) {
        double *q = lane->values + (size_t)k * 4;
        const double *p = q - 4;
        if (p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3] < 0)
            for (int c = 0; c < 4; c++) q[c] = -q[c];
    }
    return PM_OK;
}

static double largest(const double *values, size_t count, double at_least) {
    for (size_t i = 0; i < count; i++) at_least = fabs(values[i]) > at_least ? fabs(values[i]) : at_least;
    return at_least;
}

// The longest span next to a key: a tangent times this bounds its share of the curve.
static double longest_segment(const pm_lane *lane) {
    double longest = 0;
    for (uint32_t k = 0; k + 1 < lane->key_count; k++) {
        double duration = (double)lane->times[k + 1] - lane->times[k];
        longest = duration > longest ? duration : longest;
    }
    return longest;
}

// A power of two on a whole cubic rotation changes nothing but its length, and that is exact.
static void scale_cubic_rotation(pm_lane *lane, double magnitude) {
    int exponent;
    frexp(magnitude, &exponent);
    size_t count = (size_t)lane->key_count * lane->components;
    for (size_t i = 0; i < count; i++) {
        lane->values[i] = ldexp(lane->values[i], -exponent);
        lane->in[i] = ldexp(lane->in[i], -exponent);
        lane->out[i] = ldexp(lane->out[i], -exponent);
    }
}

static void limit(double *values, size_t count, double bound) {
    for (size_t i = 0; i < count; i++) {
        if (values[i] > bound) values[i] = bound;
        if (values[i] < -bound) values[i] = -bound;
    }
}

// Keeps every product and sum of the kernels inside float range.
static pm_result bound_magnitudes(repair *r) {
    pm_lane *lane = r->lane;
    bool cubic = lane->interpolation == PM_INTERPOLATION_CUBIC;
    size_t count = (size_t)lane->key_count * lane->components;
    double value = largest(lane->values, count, 0);
    double span = cubic ? longest_segment(lane) : 0;
    double tangent = cubic ? span * largest(lane->out, count, largest(lane->in, count, 0)) : 0;
    double magnitude = value > tangent ? value : tangent;
    if (r->channel->path == PM_PATH_ROTATION) {
        bool extreme = magnitude > 0x1p20 || (magnitude > 0 && magnitude < 0x1p-20);
        if (cubic && extreme) scale_cubic_rotation(lane, magnitude);
        return PM_OK;
    }
    const double bound = (double)PM_VALUE_LIMIT;
    if (magnitude <= bound) return PM_OK;
    limit(lane->values, count, bound);
    if (tangent > bound) {
        limit(lane->in, count, bound / span);
        limit(lane->out, count, bound / span);
    }
    return mend(r, PM_FAULT_VALUE_HUGE, PM_NONE, "it has values or tangents beyond 1e18; limited");
}

static void drop_below(double *values, size_t count, double least) {
    for (size_t i = 0; i < count; i++)
        if (fabs(values[i]) < least) values[i] = 0;
}

// Values beside the others of their key, as cubic keys may be of any length; tangents beside the shortest
// key.
static pm_result drop_specks(repair *r) {
    pm_lane *lane = r->lane;
    if (r->channel->path != PM_PATH_ROTATION) return PM_OK;
    const size_t count = (size_t)lane->key_count * lane->components;
    double smallest = INFINITY; // of the keys' largest components; keys of no length do not count
    for (size_t i = 0; i < count; i += lane->components) {
        double most = largest(lane->values + i, lane->components, 0);
        drop_below(lane->values + i, lane->components, PM_ROTATION_SPECK * most);
        if (most > 0 && most < smallest) smallest = most;
    }
    if (lane->interpolation != PM_INTERPOLATION_CUBIC || smallest == (double)INFINITY) return PM_OK;
    const double span = longest_segment(lane), least = PM_ROTATION_SPECK * smallest;
    drop_below(lane->in, count, span > 1 ? least / span : least);
    drop_below(lane->out, count, span > 1 ? least / span : least);
    return PM_OK;
}

// A polynomial's place among the lane's segments is that of the key that begins it.
static pm_result copy_easing(repair *r) {
    const pm_channel *channel = r->channel;
    pm_lane *lane = r->lane;
    lane->cadence_hz = channel->cadence_hz;
    if (!channel->easing || lane->interpolation == PM_INTERPOLATION_STEP) return PM_OK;
    lane->easing =
        pm_arena_allocate(&r->compilation->arena, (size_t)lane->key_count + 1, sizeof *lane->easing);
    if (!lane->easing) return pm_fail_memory(r->compilation->report, "a channel's easing");
    for (uint32_t k = 0; k <= lane->key_count; k++) lane->easing[k].power[0] = 1.0f;
    bool arc = channel->path == PM_PATH_ROTATION && lane->interpolation == PM_INTERPOLATION_LINEAR;
    for (uint32_t k = 0; k + 1 < lane->key_count; k++) {
        uint32_t index = r->keys[k].index;
        bool jumps = r->keys[k + 1].time == nextafterf(r->keys[k].time, INFINITY);
        if (index + 1 >= channel->key_count || jumps) continue;
        const float *polynomial = channel->easing[index];
        if (!is_easing(polynomial))
            return drop(r, PM_FAULT_EASING, index, "its easing does not lead from 0 to 1; channel dropped");
        if (arc && !pm_easing_stays_within(polynomial + 1))
            return drop(r, PM_FAULT_EASING, index,
                        "its easing leaves 0 to 1, where arcs end; channel dropped");
        memcpy(lane->easing[k + 1].power, polynomial + 1, sizeof lane->easing->power);
    }
    return PM_OK;
}

static bool all_zero(const double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (values[i] != 0) return false;
    return true;
}

// Finds constants; reports what a converter probably did not mean.
static pm_result classify(repair *r) {
    pm_lane *lane = r->lane;
    size_t count = (size_t)lane->key_count * lane->components;
    bool cubic = lane->interpolation == PM_INTERPOLATION_CUBIC;
    bool equal = true;
    for (size_t i = lane->components; i < count; i++)
        equal = equal && lane->values[i] == lane->values[i - lane->components];
    if (lane->key_count == 1) {
        lane->constant = true;
        return cubic ? note(r, PM_FAULT_CUBIC_SINGLE_KEY, r->keys[0].index,
                            "a cubic channel with one key is a constant; its tangents are ignored")
                     : PM_OK;
    }
    bool resting = !cubic || (all_zero(lane->in, count) && all_zero(lane->out, count));
    lane->constant = equal && resting;
    if (cubic && resting && !equal)
        return note(r, PM_FAULT_CUBIC_TANGENTS_ZERO, PM_NONE,
                    "all its tangents are zero: the motion stops at every key");
    return PM_OK;
}

static bool allocate_lane(repair *r) {
    pm_arena *arena = &r->compilation->arena;
    uint32_t count = r->channel->key_count, components = r->channel->component_count;
    pm_lane *lane = pm_arena_allocate(arena, 1, sizeof *lane);
    if (!lane) return false;
    lane->interpolation = r->channel->interpolation;
    lane->components = components;
    lane->times = pm_arena_allocate(arena, count, sizeof *lane->times);
    lane->values = pm_arena_allocate(arena, (size_t)count * components, sizeof *lane->values);
    r->keys = pm_arena_allocate(arena, count, sizeof *r->keys);
    r->lane = lane;
    bool sound = lane->times && lane->values && r->keys;
    if (lane->interpolation == PM_INTERPOLATION_CUBIC) {
        lane->in = pm_arena_allocate(arena, (size_t)count * components, sizeof *lane->in);
        lane->out = pm_arena_allocate(arena, (size_t)count * components, sizeof *lane->out);
        sound = sound && lane->in && lane->out;
    }
    return sound;
}

pm_result pm_repair_channel(pm_compilation *compilation, const pm_channel *channel, const char *channel_name,
                            pm_lane **lane) {
    static pm_result (*const steps[])(repair *) = {order_keys,          part_equal_times,  copy_keys,
                                                   normalise_rotations, align_hemispheres, bound_magnitudes,
                                                   drop_specks,         copy_easing,       classify};
    *lane = NULL;
    repair r = {.compilation = compilation, .channel = channel, .name = channel_name};
    pm_result result = check_shape(&r);
    if (result || r.dropped) return result;
    if (!allocate_lane(&r)) return pm_fail_memory(compilation->report, "a channel's keys");
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && !result && !r.dropped; i++)
        result = steps[i](&r);
    if (!result && !r.dropped) *lane = r.lane;
    return result;
}
