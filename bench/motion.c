#include "motion.h"

#include "../tools/check/random.h"

#include <math.h>
#include <stdlib.h>

static const double sparse_seconds = 2.0, two_pi = 6.283185307179586;

// One channel. x = amplitude * sin(two_pi * frequency * t + phase) is an angle about an axis, added to the
// base angle, or a way along the axis from (base, base, base).
typedef struct swing {
    pm_path path;
    double base, amplitude, frequency_hz, phase, axis[3];
} swing;

const char *motion_keys_name(motion_keys keys) {
    static const char *const names[MOTION_KEYS_COUNT] = {
        "baked-linear", "baked-cubic", "baked-broken", "baked-linear-cubic", "sparse-linear", "sparse-cubic"};
    return names[keys];
}

static bool is_sparse(motion_keys keys) {
    return keys == MOTION_SPARSE_LINEAR || keys == MOTION_SPARSE_CUBIC;
}

static bool is_cubic(motion_keys keys, pm_path path) {
    return keys == MOTION_BAKED_CUBIC || keys == MOTION_BAKED_BROKEN || keys == MOTION_SPARSE_CUBIC ||
           (keys == MOTION_BAKED_LINEAR_CUBIC && path == PM_PATH_ROTATION);
}

pm_skeleton *motion_create_skeleton(uint32_t joint_count) {
    static const float length = 0.1f; // of a bone
    pm_node_def *nodes = calloc(joint_count, sizeof *nodes);
    uint32_t *joints = calloc(joint_count, sizeof *joints);
    float(*inverse_binds)[PM_MATRIX_FLOATS] = calloc(joint_count, sizeof *inverse_binds);
    pm_skeleton *skeleton = NULL;
    for (uint32_t i = 0; nodes && joints && inverse_binds && i < joint_count; i++) {
        nodes[i].parent = i ? i - 1 : PM_NONE;
        nodes[i].rest =
            (pm_transform){.translation = {0, length, 0}, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
        nodes[i].used = true;
        joints[i] = i;
        for (int r = 0; r < 3; r++) inverse_binds[i][5 * r] = 1;
        inverse_binds[i][7] = -length * (float)(i + 1);
    }
    if (nodes && joints && inverse_binds) {
        pm_skin_def skin = {.joint_count = joint_count, .nodes = joints, .inverse_binds = inverse_binds[0]};
        pm_skeleton_def def = {.node_count = joint_count, .nodes = nodes, .skin_count = 1, .skins = &skin};
        if (pm_skeleton_create(&def, NULL, &skeleton, NULL)) skeleton = NULL;
    }
    free(nodes);
    free(joints);
    free(inverse_binds);
    return skeleton;
}

// In [0, 1).
static double random_fraction(pm_random *random) {
    return (double)(pm_random_next(random) >> 40) * 0x1p-24;
}

static swing choose_swing(pm_path path, pm_random *random) {
    swing s = {.path = path, .phase = two_pi * random_fraction(random)};
    s.frequency_hz = 0.5 + random_fraction(random);
    s.base = path == PM_PATH_SCALE ? 1.0 : random_fraction(random);
    s.amplitude = path == PM_PATH_ROTATION ? 0.4 + 0.4 * random_fraction(random) : 0.1;
    double length2 = 0;
    for (int c = 0; c < 3; c++) {
        s.axis[c] = random_fraction(random) + 0.1;
        length2 += s.axis[c] * s.axis[c];
    }
    for (int c = 0; c < 3; c++) s.axis[c] /= sqrt(length2);
    return s;
}

// The value and its derivative by time.
static void evaluate(const swing *s, double time_seconds, double value[4], double slope[4]) {
    double rate = two_pi * s->frequency_hz, angle = rate * time_seconds + s->phase;
    double x = s->amplitude * sin(angle), dx = s->amplitude * rate * cos(angle);
    double half = 0.5 * (s->base + x);
    bool rotation = s->path == PM_PATH_ROTATION;
    for (int c = 0; c < 3; c++) {
        value[c] = rotation ? s->axis[c] * sin(half) : s->base + s->axis[c] * x;
        slope[c] = rotation ? s->axis[c] * cos(half) * 0.5 * dx : s->axis[c] * dx;
    }
    value[3] = cos(half);
    slope[3] = -sin(half) * 0.5 * dx;
}

// Fills the channel's four arrays, which lie one behind the other, and returns what is behind them.
static float *fill_channel(pm_channel *channel, const swing *s, motion_keys keys, pm_random *random,
                           float *memory) {
    const uint32_t components = channel->component_count, key_count = channel->key_count;
    const size_t size = (size_t)key_count * components;
    const double in_share = keys == MOTION_BAKED_BROKEN ? 0.75 : 1.0;
    float *times = memory, *values = times + key_count, *in = values + size, *out = in + size;
    for (uint32_t k = 0; k < key_count; k++) {
        // A random place in its own share of the clip: no two channels agree, no two keys are too close.
        double place = (k + 0.1 + 0.8 * random_fraction(random)) / key_count;
        times[k] = (float)(is_sparse(keys) ? place * sparse_seconds : k / MOTION_RATE_HZ);
        double value[4], slope[4];
        evaluate(s, (double)times[k], value, slope);
        for (uint32_t c = 0; c < components; c++) {
            values[k * components + c] = (float)value[c];
            out[k * components + c] = (float)slope[c];
            in[k * components + c] = (float)(slope[c] * in_share);
        }
    }
    channel->times = times;
    channel->values = values;
    if (channel->interpolation == PM_INTERPOLATION_CUBIC) {
        channel->in_tangents = in;
        channel->out_tangents = out;
    }
    return out + size;
}

bool motion_create(motion *made, motion_keys keys, uint32_t joint_count, uint32_t key_count, uint32_t seed) {
    static const pm_path paths[3] = {PM_PATH_TRANSLATION, PM_PATH_ROTATION, PM_PATH_SCALE};
    const size_t floats_per_key = 3 + 3 * (3 + 4 + 3); // three times; value and two tangents of each path
    *made =
        (motion){.channels = calloc((size_t)joint_count * 3, sizeof *made->channels),
                 .memory = calloc((size_t)joint_count * key_count, floats_per_key * sizeof *made->memory)};
    if (!made->channels || !made->memory) {
        motion_destroy(made);
        return false;
    }
    pm_random random = {seed};
    float *memory = made->memory;
    for (uint32_t i = 0; i < joint_count * 3; i++) {
        pm_path path = paths[i % 3];
        made->channels[i] = (pm_channel){
            .path = path,
            .interpolation = is_cubic(keys, path) ? PM_INTERPOLATION_CUBIC : PM_INTERPOLATION_LINEAR,
            .target = i / 3,
            .component_count = pm_path_component_count(path),
            .key_count = key_count,
            .value_count = key_count,
        };
        swing s = choose_swing(path, &random);
        memory = fill_channel(made->channels + i, &s, keys, &random, memory);
    }
    made->source = (pm_clip_source){
        .name = motion_keys_name(keys), .channel_count = joint_count * 3, .channels = made->channels};
    return true;
}

void motion_destroy(motion *destroyed) {
    free(destroyed->channels);
    free(destroyed->memory);
    *destroyed = (motion){0};
}
