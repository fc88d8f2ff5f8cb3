#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// One key with its place in the file, by which keys of equal time are told apart.
typedef struct key {
    double time;
    uint32_t index;
    double value[4], in[4], out[4];
    const float *easing; // of the segment that begins here, or NULL
} key;

typedef struct curve {
    pm_interpolation interpolation;
    uint32_t component_count, key_count;
    bool is_rotation;
    double cadence_hz;
    key *keys; // at rising times
} curve;

struct reference {
    const pm_skeleton *skeleton;
    curve *joints;  // [joint_count][3], without keys where there is no channel
    curve *scalars; // [scalar_count]
};

static int compare_keys(const void *left, const void *right) {
    const key *a = left, *b = right;
    if (a->time != b->time) return a->time < b->time ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static double dot(const double a[4], const double b[4]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static double normalise(double q[4]) {
    double length = sqrt(dot(q, q));
    for (int c = 0; c < 4 && length > 0; c++) q[c] /= length;
    return length;
}

// Of keys at one time the first keeps it and the last counts right after: from the next float on, since clip
// times are floats. What no float time can show is dropped.
static uint32_t part_equal_times(key *keys, uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool first = i == 0 || keys[i - 1].time != keys[i].time;
        bool last = i + 1 == count || keys[i + 1].time != keys[i].time;
        if (first) {
            keys[kept++] = keys[i];
        } else if (last) {
            key after = keys[i];
            after.time = nextafterf((float)after.time, INFINITY);
            if (i + 1 == count || keys[i + 1].time > after.time) keys[kept++] = after;
        }
    }
    return kept;
}

static bool all_finite(const float *values, uint32_t count) {
    for (uint32_t c = 0; c < count; c++) {
        if (!isfinite(values[c])) return false;
    }
    return true;
}

// A tangent that is not finite is taken as zero.
static void fetch_tangent(double *tangent, const float *values, uint32_t count) {
    for (uint32_t c = 0; c < count && all_finite(values, count); c++) tangent[c] = values[c];
}

// Keys whose value is not finite are left out.
static void fetch_keys(curve *c, const pm_channel *channel) {
    uint32_t n = c->component_count;
    c->keys = calloc(channel->key_count, sizeof *c->keys);
    for (uint32_t i = 0; i < channel->key_count; i++) {
        if (!all_finite(channel->values + i * n, n)) continue;
        key *k = &c->keys[c->key_count++];
        k->time = channel->times[i];
        k->index = i;
        for (uint32_t j = 0; j < n; j++) k->value[j] = channel->values[i * n + j];
        if (channel->easing && i + 1 < channel->key_count) k->easing = channel->easing[i];
        if (c->interpolation != PM_INTERPOLATION_CUBIC) continue;
        fetch_tangent(k->in, channel->in_tangents + i * n, n);
        fetch_tangent(k->out, channel->out_tangents + i * n, n);
    }
    qsort(c->keys, c->key_count, sizeof *c->keys, compare_keys);
    c->key_count = part_equal_times(c->keys, c->key_count);
}

// Unit keys, each on the side of the one before. A key of no length takes the rotation before it, or the
// first that follows; where there is none, the channel cannot be used.
static void prepare_rotations(curve *c) {
    uint32_t first = 0;
    while (first < c->key_count && !(dot(c->keys[first].value, c->keys[first].value) > 0)) first++;
    if (first == c->key_count) {
        c->key_count = 0;
        return;
    }
    for (uint32_t i = 0; i < c->key_count; i++) {
        double *q = c->keys[i].value;
        const double *neighbour = c->keys[i ? i - 1 : first].value;
        if (!(normalise(q) > 0)) {
            memcpy(q, neighbour, sizeof c->keys[i].value);
            normalise(q);
        }
        if (i && dot(neighbour, q) < 0) {
            for (int j = 0; j < 4; j++) q[j] = -q[j];
        }
    }
}

static bool is_usable(const pm_channel *channel) {
    if ((unsigned)channel->path >= PM_PATH_COUNT) return false;
    if ((unsigned)channel->interpolation >= PM_INTERPOLATION_COUNT) return false;
    if (!channel->key_count || channel->value_count != channel->key_count) return false;
    if (channel->component_count != pm_path_component_count(channel->path)) return false;
    bool cubic = channel->interpolation == PM_INTERPOLATION_CUBIC;
    if (cubic && (!channel->in_tangents || !channel->out_tangents)) return false;
    return all_finite(channel->times, channel->key_count);
}

static void rest_of(const reference *clip, pm_path path, uint32_t target, double value[4]) {
    if (path == PM_PATH_SCALAR) {
        value[0] = clip->skeleton->scalar_rest[target];
        return;
    }
    pm_transform rest = pm_pose_get_joint(clip->skeleton->rest, target);
    const float *parts[] = {rest.translation, rest.rotation, rest.scale};
    for (uint32_t c = 0; c < pm_path_component_count(path); c++) value[c] = parts[path][c];
}

static curve *curve_of(const reference *clip, pm_path path, uint32_t target) {
    return path == PM_PATH_SCALAR ? &clip->scalars[target] : &clip->joints[target * 3 + (uint32_t)path];
}

reference *reference_create(const pm_clip_source *source, const pm_skeleton *skeleton) {
    reference *clip = calloc(1, sizeof *clip);
    clip->skeleton = skeleton;
    clip->joints = calloc(skeleton->joint_count * 3 + 1, sizeof *clip->joints);
    clip->scalars = calloc(skeleton->scalar_count + 1, sizeof *clip->scalars);
    for (uint32_t i = 0; i < source->channel_count; i++) {
        const pm_channel *channel = &source->channels[i];
        if (!is_usable(channel)) continue;
        bool is_scalar = channel->path == PM_PATH_SCALAR;
        if (channel->target >= (is_scalar ? skeleton->scalar_count : skeleton->joint_count)) continue;
        curve *c = curve_of(clip, channel->path, channel->target);
        if (c->key_count) continue; // the first channel of a target wins
        c->interpolation = channel->interpolation;
        c->component_count = channel->component_count;
        c->is_rotation = channel->path == PM_PATH_ROTATION;
        c->cadence_hz = channel->cadence_hz;
        fetch_keys(c, channel);
        if (c->is_rotation && c->interpolation != PM_INTERPOLATION_CUBIC) prepare_rotations(c);
    }
    return clip;
}

void reference_destroy(reference *clip) {
    for (uint32_t i = 0; i < clip->skeleton->joint_count * 3; i++) free(clip->joints[i].keys);
    for (uint32_t i = 0; i < clip->skeleton->scalar_count; i++) free(clip->scalars[i].keys);
    free(clip->joints);
    free(clip->scalars);
    free(clip);
}

void reference_slerp(const double a[4], const double b[4], double u, double result[4]) {
    double side = dot(a, b) < 0 ? -1 : 1, difference = 0, sum = 0;
    for (int c = 0; c < 4; c++) {
        difference += (a[c] - side * b[c]) * (a[c] - side * b[c]);
        sum += (a[c] + side * b[c]) * (a[c] + side * b[c]);
    }
    double angle = 2 * atan2(sqrt(difference), sqrt(sum));
    double from = angle > 1e-8 ? sin((1 - u) * angle) / sin(angle) : 1 - u;
    double to = angle > 1e-8 ? sin(u * angle) / sin(angle) : u;
    for (int c = 0; c < 4; c++) result[c] = from * a[c] + to * side * b[c];
    normalise(result);
}

static void widen(double *magnitude, const double *values, uint32_t count, double factor) {
    for (uint32_t c = 0; c < count; c++) *magnitude = fmax(*magnitude, fabs(values[c] * factor));
}

// The position that easing makes of a position in a segment.
static double ease(const key *a, double u, double *rounding) {
    if (!a->easing) return u;
    double eased = 0, magnitude = 0;
    for (int power = 5; power >= 0; power--) {
        eased = eased * u + a->easing[power];
        magnitude += fabs((double)a->easing[power]);
    }
    *rounding = fmax(1, magnitude);
    return eased;
}

static void interpolate(const curve *c, const key *a, const key *b, double t, reference_value *result) {
    double duration = b->time - a->time;
    double u = ease(a, (t - a->time) / duration, &result->easing);
    widen(&result->magnitude, a->value, c->component_count, 1);
    widen(&result->magnitude, b->value, c->component_count, 1);
    if (c->interpolation == PM_INTERPOLATION_LINEAR && c->is_rotation) {
        reference_slerp(a->value, b->value, u, result->value);
        return;
    }
    if (c->interpolation == PM_INTERPOLATION_CUBIC) {
        widen(&result->magnitude, a->out, c->component_count, duration);
        widen(&result->magnitude, b->in, c->component_count, duration);
    }
    double u2 = u * u, u3 = u2 * u;
    result->magnitude *= result->easing * fmax(1, fabs(u3) * 3);
    for (uint32_t i = 0; i < c->component_count; i++) {
        double p0 = a->value[i], p1 = b->value[i];
        double m0 = a->out[i] * duration, m1 = b->in[i] * duration;
        switch (c->interpolation) {
        case PM_INTERPOLATION_STEP:
            result->value[i] = p0;
            break;
        case PM_INTERPOLATION_LINEAR:
            result->value[i] = (1 - u) * p0 + u * p1;
            break;
        default:
            result->value[i] =
                (2 * u3 - 3 * u2 + 1) * p0 + (u3 - 2 * u2 + u) * m0 + (3 * u2 - 2 * u3) * p1 + (u3 - u2) * m1;
            break;
        }
    }
}

// Keys before `t`, strictly: of two keys at that very time the first then is the next one.
static uint32_t keys_before(const curve *c, double t) {
    uint32_t low = 0, high = c->key_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (c->keys[middle].time < t) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// The last k / cadence, as a float, that is not after t.
static double hold_time(const curve *c, double t) {
    if (!(c->cadence_hz > 0) || fabs(t) > 1e9) return t;
    double k = floor(t * c->cadence_hz) + 2;
    while ((double)(float)(k / c->cadence_hz) > t) k--;
    return (float)(k / c->cadence_hz);
}

static reference_value evaluate(const reference *clip, pm_path path, uint32_t target, double t) {
    const curve *c = curve_of(clip, path, target);
    reference_value result = {{0}, 0, 1, true, 1, c->interpolation};
    if (!c->key_count || isnan(t)) {
        rest_of(clip, path, target, result.value);
        widen(&result.magnitude, result.value, 4, 1);
        return result;
    }
    t = hold_time(c, t);
    uint32_t before = keys_before(c, t);
    const key *next = before < c->key_count ? &c->keys[before] : NULL;
    if (before && next && next->time > t) {
        interpolate(c, next - 1, next, t, &result);
        result.exact = c->interpolation == PM_INTERPOLATION_STEP;
    } else {
        memcpy(result.value, next ? next->value : c->keys[before - 1].value, sizeof result.value);
        widen(&result.magnitude, result.value, c->component_count, 1);
    }
    if (!c->is_rotation) return result;
    double length = normalise(result.value);
    result.length = result.magnitude > 0 ? length / result.magnitude : 0;
    if (!(length > 0)) rest_of(clip, path, target, result.value);
    return result;
}

reference_transform reference_joint(const reference *clip, uint32_t joint, double time_seconds) {
    return (reference_transform){evaluate(clip, PM_PATH_TRANSLATION, joint, time_seconds),
                                 evaluate(clip, PM_PATH_ROTATION, joint, time_seconds),
                                 evaluate(clip, PM_PATH_SCALE, joint, time_seconds)};
}

reference_value reference_scalar(const reference *clip, uint32_t scalar, double time_seconds) {
    return evaluate(clip, PM_PATH_SCALAR, scalar, time_seconds);
}

double reference_rotation_angle(const double a[4], const double b[4]) {
    double p[4], q[4], difference = 0, sum = 0;
    memcpy(p, a, sizeof p);
    memcpy(q, b, sizeof q);
    normalise(p);
    normalise(q);
    for (int c = 0; c < 4; c++) {
        difference += (p[c] - q[c]) * (p[c] - q[c]);
        sum += (p[c] + q[c]) * (p[c] + q[c]);
    }
    return 4 * atan2(sqrt(fmin(difference, sum)), sqrt(fmax(difference, sum)));
}

double reference_rotation_error(const double expected[4], const float actual[4]) {
    double q[4] = {actual[0], actual[1], actual[2], actual[3]};
    return reference_rotation_angle(expected, q);
}
