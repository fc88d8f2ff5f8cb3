#include "naive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t floats_per_key(const pm_channel *channel) {
    return channel->interpolation == PM_INTERPOLATION_CUBIC ? 3 * channel->component_count
                                                            : channel->component_count;
}

static bool is_taken(const pm_channel *channel) {
    return channel->path != PM_PATH_SCALAR && channel->key_count;
}

// Copies to `memory` and returns what is behind the copy.
static float *copy_channel(naive_channel *copy, const pm_channel *channel, float *memory) {
    const uint32_t components = channel->component_count, key_count = channel->key_count;
    const bool cubic = channel->interpolation == PM_INTERPOLATION_CUBIC;
    const size_t value_size = components * sizeof *memory, row = floats_per_key(channel);
    float *times = memory, *keys = times + key_count;
    *copy = (naive_channel){channel->path, channel->interpolation, channel->target, key_count, times, keys};
    memcpy(times, channel->times, key_count * sizeof *times);
    for (uint32_t k = 0; k < key_count; k++) {
        float *key = keys + k * row;
        size_t first = (size_t)k * components;
        if (cubic) {
            memcpy(key, channel->in_tangents + first, value_size);
            memcpy(key + 2 * components, channel->out_tangents + first, value_size);
        }
        memcpy(cubic ? key + components : key, channel->values + first, value_size);
    }
    return keys + key_count * row;
}

bool naive_clip_create(naive_clip *clip, const pm_clip_source *source, const pm_skeleton *skeleton) {
    size_t size = 1;
    for (uint32_t i = 0; i < source->channel_count; i++) {
        const pm_channel *channel = source->channels + i;
        if (is_taken(channel)) size += channel->key_count * (1 + floats_per_key(channel));
    }
    *clip = (naive_clip){.joint_count = skeleton->joint_count,
                         .channels = calloc((size_t)source->channel_count + 1, sizeof *clip->channels),
                         .rest = calloc((size_t)skeleton->joint_count + 1, sizeof *clip->rest),
                         .memory = malloc(size * sizeof *clip->memory)};
    if (!clip->channels || !clip->rest || !clip->memory) {
        naive_clip_destroy(clip);
        return false;
    }
    float *memory = clip->memory;
    for (uint32_t i = 0; i < source->channel_count; i++)
        if (is_taken(source->channels + i))
            memory = copy_channel(clip->channels + clip->channel_count++, source->channels + i, memory);
    clip->complete = clip->channel_count == 3 * clip->joint_count;
    pm_pose_export(skeleton->rest, skeleton->joint_count, clip->rest, sizeof *clip->rest);
    return true;
}

void naive_clip_destroy(naive_clip *clip) {
    free(clip->channels);
    free(clip->rest);
    free(clip->memory);
    *clip = (naive_clip){0};
}

// The segment that holds `time`: the last one, the one behind it, or the result of a binary search. Times
// before the first key and behind the last one get the first and the last segment.
static inline uint32_t find_key(const float *times, uint32_t key_count, float time, uint16_t *cursor) {
    uint32_t k = *cursor, last = key_count - 2;
    if (k <= last && times[k] <= time) {
        if (time < times[k + 1]) return k;
        if (k < last && time < times[k + 2]) {
            *cursor = (uint16_t)(k + 1);
            return k + 1;
        }
    }
    uint32_t low = 0, high = last;
    while (low < high) {
        uint32_t middle = (low + high + 1) / 2;
        if (times[middle] <= time)
            low = middle;
        else
            high = middle - 1;
    }
    *cursor = (uint16_t)low;
    return low;
}

static void normalise(float q[4]) {
    float scale = 1.0f / sqrtf(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int c = 0; c < 4; c++) q[c] *= scale;
}

// The short way. Quaternions so close that the sine would lose its digits are blended and normalised, which
// is the same within 1e-6 rad.
static void slerp(const float *a, const float *b, float u, float result[4]) {
    float dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    float sign = dot < 0 ? -1.0f : 1.0f;
    dot *= sign;
    if (dot > 0.99999f) {
        for (int c = 0; c < 4; c++) result[c] = a[c] + u * (sign * b[c] - a[c]);
        normalise(result);
        return;
    }
    float angle = acosf(dot), scale = 1.0f / sinf(angle);
    float from = sinf((1.0f - u) * angle) * scale, to = sign * sinf(u * angle) * scale;
    for (int c = 0; c < 4; c++) result[c] = from * a[c] + to * b[c];
}

// glTF 2.0, appendix C; `a` and `b` are in-tangent, value, out-tangent of two keys.
static inline void hermite(const float *a, const float *b, uint32_t components, float u, float duration,
                           float *restrict result) {
    float u2 = u * u, u3 = u2 * u;
    float end = 3 * u2 - 2 * u3, start = 1 - end;
    float in = duration * (u3 - u2), out = duration * (u3 - 2 * u2 + u);
    for (uint32_t c = 0; c < components; c++)
        result[c] =
            start * a[components + c] + out * a[2 * components + c] + end * b[components + c] + in * b[c];
}

// Called with constants, so that there is code for vectors and code for rotations.
static inline void evaluate(const naive_channel *channel, uint32_t components, float time, uint16_t *cursor,
                            float *restrict result) {
    const float *times = channel->times, *keys = channel->keys;
    if (channel->key_count == 1) {
        bool cubic = channel->interpolation == PM_INTERPOLATION_CUBIC;
        memcpy(result, cubic ? keys + components : keys, components * sizeof *result);
        return;
    }
    uint32_t k = find_key(times, channel->key_count, time, cursor);
    float duration = times[k + 1] - times[k], u = (time - times[k]) / duration;
    u = u < 0 ? 0 : u > 1 ? 1 : u;
    const float *a;
    switch (channel->interpolation) {
    case PM_INTERPOLATION_CUBIC:
        a = keys + (size_t)k * 3 * components;
        hermite(a, a + 3 * components, components, u, duration, result);
        if (components == 4) normalise(result);
        break;
    case PM_INTERPOLATION_LINEAR:
        a = keys + (size_t)k * components;
        if (components == 4) {
            slerp(a, a + 4, u, result);
        } else {
            for (uint32_t c = 0; c < 3; c++) result[c] = a[c] + u * (a[3 + c] - a[c]);
        }
        break;
    default:
        a = keys + (size_t)k * components;
        memcpy(result, u < 1 ? a : a + components, components * sizeof *result);
        break;
    }
}

void naive_sample(const naive_clip *clip, float time_seconds, uint16_t *cursors, pm_transform *pose) {
    if (!clip->complete) memcpy(pose, clip->rest, clip->joint_count * sizeof *pose);
    for (uint32_t i = 0; i < clip->channel_count; i++) {
        const naive_channel *channel = clip->channels + i;
        pm_transform *joint = pose + channel->joint;
        switch (channel->path) {
        case PM_PATH_TRANSLATION:
            evaluate(channel, 3, time_seconds, cursors + i, joint->translation);
            break;
        case PM_PATH_ROTATION:
            evaluate(channel, 4, time_seconds, cursors + i, joint->rotation);
            break;
        default:
            evaluate(channel, 3, time_seconds, cursors + i, joint->scale);
            break;
        }
    }
}
