#include "scenario.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *take(scenario *s, size_t count, size_t size) {
    void *memory = pm_arena_allocate(&s->memory, count, size);
    cr_assert_not_null(memory);
    return memory;
}

static float *make_times(scenario *s, rig_random *random, uint32_t count) {
    float *times = take(s, count, sizeof *times);
    float step = s->options.grid ? 1.0f / 30 : 0.4f;
    float first = rig_random_below(random, 2) ? 0 : step * (float)rig_random_below(random, 5);
    if (s->options.faulty && !rig_random_below(random, 6)) first = -first;
    double time = first;
    for (uint32_t k = 0; k < count; k++) {
        times[k] = s->options.grid ? (float)(first + k / 30.0) : (float)time;
        time += rig_random_between(random, 0.02f, 0.4f);
    }
    return times;
}

static void spoil_times(rig_random *random, float *times, uint32_t count) {
    if (rig_random_below(random, 2)) {
        uint32_t k = 1 + rig_random_below(random, count - 1);
        times[k] = times[k - 1];
    }
    if (!rig_random_below(random, 3)) {
        uint32_t i = rig_random_below(random, count), j = rig_random_below(random, count);
        float kept = times[i];
        times[i] = times[j];
        times[j] = kept;
    }
}

static void make_vectors(const scenario *s, rig_random *random, float *values, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        float scale = s->options.wide_range ? powf(10, rig_random_between(random, -6, 6)) : 1;
        values[i] = scale * rig_random_between(random, -1, 1);
    }
}

static void make_rotations(rig_random *random, float *values, uint32_t key_count) {
    for (uint32_t k = 0; k < key_count; k++) {
        rig_random_rotation(random, values + 4 * k);
        // Mostly motion as it is: a small turn from the key before.
        if (!k || rig_random_below(random, 3) == 0) continue;
        double squares = 0;
        float blend = powf(10, rig_random_between(random, -6, 0));
        for (uint32_t c = 0; c < 4; c++) {
            values[4 * k + c] = values[4 * k - 4 + c] + blend * values[4 * k + c];
            squares += (double)values[4 * k + c] * values[4 * k + c];
        }
        for (uint32_t c = 0; c < 4; c++) values[4 * k + c] /= (float)sqrt(squares);
    }
}

static void spoil_values(rig_random *random, const pm_channel *channel, float *values) {
    uint32_t n = channel->component_count, k = rig_random_below(random, channel->key_count);
    bool is_rotation = channel->path == PM_PATH_ROTATION;
    switch (rig_random_below(random, 5)) {
    case 0:
        values[k * n + rig_random_below(random, n)] = rig_random_below(random, 2) ? NAN : INFINITY;
        break;
    case 1:
        for (uint32_t c = 0; c < n; c++) values[k * n + c] = 0;
        break;
    case 2:
        if (!is_rotation) break;
        for (uint32_t c = 0; c < n; c++) values[k * n + c] *= 3;
        break;
    default: // sign flips, as exporters make them
        for (uint32_t i = 0; i < channel->key_count && is_rotation; i++) {
            float sign = rig_random_below(random, 3) ? 1.0f : -1.0f;
            for (uint32_t c = 0; c < n; c++) values[i * n + c] *= sign;
        }
        break;
    }
}

static float *make_tangents(scenario *s, rig_random *random, const pm_channel *channel) {
    uint32_t count = channel->key_count * channel->component_count;
    float *tangents = take(s, count, sizeof *tangents);
    make_vectors(s, random, tangents, count);
    bool is_rotation = channel->path == PM_PATH_ROTATION;
    for (uint32_t i = 0; i < count; i++) tangents[i] *= is_rotation ? 0.5f : 5.0f;
    if (is_rotation && s->options.wide_range) memset(tangents, 0, count * sizeof *tangents);
    if (s->options.faulty && !rig_random_below(random, 8)) tangents[rig_random_below(random, count)] = NAN;
    return tangents;
}

// Polynomials from 0 to 1; the first ones do not leave that range, which arcs ask for.
static void make_easing(scenario *s, rig_random *random, pm_channel *channel) {
    static const float known[][6] = {{0, 1, 0, 0, 0, 0},
                                     {0, 0, 3, -2, 0, 0},
                                     {0, 0, 0, 10, -15, 6},
                                     {0, 0, 1, 0, 0, 0},
                                     {0, 2, -1, 0, 0, 0}};
    enum { KNOWN = sizeof known / sizeof *known };
    bool is_arc = channel->path == PM_PATH_ROTATION && channel->interpolation == PM_INTERPOLATION_LINEAR;
    float(*easing)[6] = take(s, channel->key_count, sizeof *easing);
    for (uint32_t k = 0; k + 1 < channel->key_count; k++) {
        uint32_t choice = rig_random_below(random, is_arc ? KNOWN : KNOWN + 2);
        if (choice < KNOWN) {
            memcpy(easing[k], known[choice], sizeof known[choice]);
            continue;
        }
        easing[k][5] = 1;
        for (int power = 1; power < 5; power++) {
            easing[k][power] = (float)rig_random_below(random, 9) * 0.25f - 1;
            easing[k][5] -= easing[k][power];
        }
    }
    channel->easing = (const float(*)[6])easing;
}

static pm_interpolation choose_mode(const scenario *s, rig_random *random) {
    for (;;) {
        uint32_t mode = rig_random_below(random, PM_INTERPOLATION_COUNT);
        if (s->options.modes >> mode & 1) return (pm_interpolation)mode;
    }
}

static uint32_t choose_key_count(const scenario *s, rig_random *random) {
    if (!rig_random_below(random, 10)) return 1;
    return 2 + rig_random_below(random, s->options.most_keys - 1);
}

typedef struct timeline {
    uint32_t key_count;
    float *times;
} timeline;

static void make_channel(scenario *s, rig_random *random, const timeline *timelines, pm_channel *channel,
                         pm_path path, uint32_t target) {
    timeline own;
    if (s->options.timelines) {
        own = timelines[rig_random_below(random, s->options.timelines)];
    } else {
        own.key_count = choose_key_count(s, random);
        own.times = make_times(s, random, own.key_count);
    }
    if (s->options.faulty && own.key_count > 1) {
        float *times = take(s, own.key_count, sizeof *times);
        memcpy(times, own.times, own.key_count * sizeof *times);
        spoil_times(random, times, own.key_count);
        own.times = times;
    }
    uint32_t n = pm_path_component_count(path), count = own.key_count * n;
    float *values = take(s, count, sizeof *values);
    *channel =
        rig_channel(path, choose_mode(s, random), target, own.key_count, own.times, values, NULL, NULL);
    if (path == PM_PATH_ROTATION) {
        make_rotations(random, values, own.key_count);
    } else {
        make_vectors(s, random, values, count);
    }
    // A fifth of the channels does not move.
    for (uint32_t i = n; i < count && target % 5 == 4; i++) values[i] = values[i - n];
    if (s->options.faulty && !rig_random_below(random, 3)) spoil_values(random, channel, values);
    static const float cadences_hz[] = {12, 8, 24000.0f / 1001, 3};
    if (s->options.eased && rig_random_below(random, 2)) make_easing(s, random, channel);
    if (s->options.cadence && rig_random_below(random, 2))
        channel->cadence_hz = cadences_hz[rig_random_below(random, 4)];
    if (channel->interpolation != PM_INTERPOLATION_CUBIC) return;
    channel->in_tangents = make_tangents(s, random, channel);
    channel->out_tangents = make_tangents(s, random, channel);
}

static void make_channels(scenario *s, rig_random *random) {
    timeline *timelines = take(s, s->options.timelines, sizeof *timelines);
    for (uint32_t i = 0; i < s->options.timelines; i++) {
        timelines[i].key_count = 2 + rig_random_below(random, s->options.most_keys - 1);
        timelines[i].times = make_times(s, random, timelines[i].key_count);
    }
    pm_channel *channels = take(s, s->options.joint_count * 3 + s->options.scalar_count, sizeof *channels);
    s->source = rig_source(channels, 0);
    for (uint32_t joint = 0; joint < s->options.joint_count; joint++) {
        for (int path = PM_PATH_TRANSLATION; path <= PM_PATH_SCALE; path++) {
            if (s->options.faulty && !rig_random_below(random, 8)) continue;
            pm_channel *channel = &channels[s->source.channel_count++];
            make_channel(s, random, timelines, channel, (pm_path)path, joint);
        }
    }
    for (uint32_t scalar = 0; scalar < s->options.scalar_count; scalar++) {
        pm_channel *channel = &channels[s->source.channel_count++];
        make_channel(s, random, timelines, channel, PM_PATH_SCALAR, scalar);
    }
}

static void choose_times(scenario *s, rig_random *random) {
    static const float fixed[] = {0,        -0.0f,    -1,        1e7f, -1e7f, 3.4e38f,
                                  -3.4e38f, INFINITY, -INFINITY, NAN,  1e-45f};
    enum { FIXED = sizeof fixed / sizeof *fixed, FREE = 25, KEYS = 25 };
    s->times = take(s, FIXED + FREE + 3 * KEYS, sizeof *s->times);
    for (uint32_t i = 0; i < FIXED; i++) s->times[s->time_count++] = fixed[i];
    for (uint32_t i = 0; i < KEYS && s->source.channel_count; i++) {
        const pm_channel *channel = &s->source.channels[rig_random_below(random, s->source.channel_count)];
        float time = channel->times[rig_random_below(random, channel->key_count)];
        s->times[s->time_count++] = time;
        s->times[s->time_count++] = nextafterf(time, INFINITY);
        s->times[s->time_count++] = nextafterf(time, -INFINITY);
    }
    float duration = pm_clip_get_info(s->clip).duration_seconds;
    for (uint32_t i = 0; i < FREE; i++) {
        s->times[s->time_count++] = rig_random_between(random, -0.1f, duration + 0.1f);
    }
}

scenario *scenario_create(const scenario_options *options) {
    scenario *s = calloc(1, sizeof *s);
    rig_random random = {options->seed * 0x9E3779B97F4A7C15u}; // small seeds would begin with small numbers
    s->options = *options;
    s->memory.allocator = pm_allocator_or_default(NULL);
    s->skeleton = rig_skeleton(options->joint_count, options->scalar_count);
    make_channels(s, &random);
    pm_compile_options compile = pm_default_compile_options();
    compile.merge_growth_limit = options->merge_growth_limit;
    compile.key_bits = options->packed ? 16 : 32;
    pm_report report = {0};
    pm_result result = pm_clip_compile(&s->source, s->skeleton, &compile, NULL, &s->clip, &report);
    cr_assert_eq(result, PM_OK, "%s", report.message);
    s->reference = reference_create(&s->source, s->skeleton);
    choose_times(s, &random);
    return s;
}

void scenario_destroy(scenario *s) {
    reference_destroy(s->reference);
    pm_clip_destroy(s->clip, NULL);
    pm_skeleton_destroy(s->skeleton);
    pm_arena_release(&s->memory);
    free(s);
}

static void compare_vector(const reference_value *expected, const float *actual, uint32_t count,
                           scenario_error *worst) {
    for (uint32_t c = 0; c < count; c++) {
        double error = fabs(expected->value[c] - actual[c]);
        if (expected->exact)
            cr_assert_eq(error, 0, "%.9g instead of %.9g", (double)actual[c], expected->value[c]);
        if (expected->magnitude > 0) error /= expected->magnitude;
        cr_assert(error <= 1, "%.9g instead of %.9g", (double)actual[c], expected->value[c]);
        worst->vector = fmax(worst->vector, error);
    }
}

static void compare_rotation(const reference_value *expected, const float *actual, scenario_error *worst) {
    double squares = 0;
    for (int c = 0; c < 4; c++) squares += (double)actual[c] * actual[c];
    cr_assert_float_eq(squares, 1, 1e-6);
    double error = reference_rotation_error(expected->value, actual);
    if (expected->interpolation == PM_INTERPOLATION_CUBIC) {
        // Where nothing is left of a rotation, rounding decides.
        if (expected->length > 1e-5)
            worst->cubic_rotation = fmax(worst->cubic_rotation, error * expected->length);
    } else {
        worst->linear_rotation = fmax(worst->linear_rotation, error / expected->easing);
    }
}

static void expect_padding(const scenario *s, const rig_pose *pose) {
    static const pm_transform identity = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    for (uint32_t lane = s->options.joint_count; lane % PM_BLOCK_LANES; lane++) {
        pm_transform actual = pm_pose_get_joint(pose->blocks, lane);
        cr_assert_arr_eq(&actual, &identity, sizeof identity, "lane %u is not identity", (unsigned)lane);
    }
    for (uint32_t lane = s->options.scalar_count; lane % PM_BLOCK_LANES; lane++) {
        cr_assert_eq(pose->scalars[lane], 0);
    }
}

void scenario_compare(const scenario *s, const rig_pose *pose, float time_seconds, scenario_error *worst) {
    for (uint32_t joint = 0; joint < s->options.joint_count; joint++) {
        reference_transform expected = reference_joint(s->reference, joint, (double)time_seconds);
        pm_transform actual = pm_pose_get_joint(pose->blocks, joint);
        compare_vector(&expected.translation, actual.translation, 3, worst);
        compare_rotation(&expected.rotation, actual.rotation, worst);
        compare_vector(&expected.scale, actual.scale, 3, worst);
    }
    for (uint32_t scalar = 0; scalar < s->options.scalar_count; scalar++) {
        reference_value expected = reference_scalar(s->reference, scalar, (double)time_seconds);
        compare_vector(&expected, &pose->scalars[scalar], 1, worst);
    }
    expect_padding(s, pose);
}
