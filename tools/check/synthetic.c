#include "synthetic.h"
#include "random.h"

#include <stdlib.h>
#include <string.h>

#define GRID_RATE 30.0

enum { COMPONENTS = 4 }; // at most, of a value

// Everything that one clip is made from, until it is compiled.
typedef struct workshop {
    const pm_synthetic_recipe *recipe;
    pm_random random;
    pm_node_def *nodes;
    pm_scalar_def *scalars;
    pm_channel *channels; // room for three a joint and one a scalar
    float **key_blocks;   // [channel_count], one allocation for all that belongs to a channel
    uint32_t channel_count;
    float *shared_times; // [key_count]
} workshop;

// A unit quaternion, to rounding, without a square root: the stereographic projection of a point in space.
static void random_rotation(pm_random *random, float rotation[4]) {
    float x = pm_random_signed(random), y = pm_random_signed(random), z = pm_random_signed(random);
    float square = x * x + y * y + z * z;
    rotation[0] = 2 * x / (1 + square);
    rotation[1] = 2 * y / (1 + square);
    rotation[2] = 2 * z / (1 + square);
    rotation[3] = (1 - square) / (1 + square);
}

static void random_value(pm_random *random, pm_path path, float *value) {
    if (path == PM_PATH_ROTATION) {
        random_rotation(random, value);
        return;
    }
    for (uint32_t i = 0; i < pm_path_component_count(path); i++) value[i] = 4 * pm_random_signed(random);
}

// What a value is multiplied by; a power of two, so that nothing is rounded but denormals.
static float magnitude_of(pm_synthetic_nature nature, pm_path path) {
    switch (nature) {
    case PM_SYNTHETIC_TINY:
        return path == PM_PATH_ROTATION ? 0x1p-60f : 0x1p-132f;
    case PM_SYNTHETIC_HUGE:
        return path == PM_PATH_ROTATION ? 0x1p100f : 0x1p56f;
    default:
        return 1.0f;
    }
}

static void random_times(pm_random *random, const pm_synthetic_recipe *recipe, float *times) {
    float now = recipe->timing == PM_SYNTHETIC_LATE ? 0.75f : 0;
    for (uint32_t i = 0; i < recipe->key_count; i++) {
        // Multiples of 2^-10 s below 2^14 s: sums are exact.
        bool jump = recipe->timing == PM_SYNTHETIC_JUMPS && i % 5 == 3;
        if (i && !jump) now += (float)(1 + pm_random_below(random, 255)) * 0x1p-10f;
        times[i] = recipe->timing == PM_SYNTHETIC_GRID ? (float)((double)i / GRID_RATE) : now;
    }
}

// Values and tangents of a channel.
static void random_keys(workshop *shop, pm_path path, bool constant, float *values, float *in, float *out) {
    const pm_synthetic_recipe *recipe = shop->recipe;
    pm_random *random = &shop->random;
    uint32_t components = pm_path_component_count(path);
    bool opposed = recipe->nature == PM_SYNTHETIC_OPPOSED && path == PM_PATH_ROTATION;
    float magnitude = magnitude_of(recipe->nature, path), first[COMPONENTS], other[COMPONENTS];
    random_value(random, path, first);
    random_value(random, path, other);
    for (uint32_t key = 0; key < recipe->key_count; key++) {
        float *value = values + (size_t)key * components;
        random_value(random, path, value);
        bool second = pm_random_below(random, 2);
        if (recipe->nature == PM_SYNTHETIC_STILL)
            memcpy(value, second ? other : first, components * sizeof *value);
        if (constant || opposed) memcpy(value, first, components * sizeof *value);
        for (uint32_t i = 0; i < components; i++) {
            size_t at = (size_t)key * components + i;
            value[i] *= opposed && key % 2 ? -magnitude : magnitude;
            in[at] = constant || opposed ? 0 : 2 * pm_random_signed(random) * magnitude;
            out[at] = constant || opposed ? 0 : 2 * pm_random_signed(random) * magnitude;
        }
    }
}

// Easings of all segments. Rotations that are slerps may not be thrown past their keys. All numbers are
// multiples of 1/8 below 16, so that sums are exact.
static void random_easings(pm_random *random, bool inside, uint32_t count, float (*easings)[6]) {
    static const float slow_in_out[6] = {0, 0, 3, -2, 0, 0}, slow_in[6] = {0, 0, 1, 0, 0, 0};
    for (uint32_t i = 0; i < count; i++) {
        float *easing = easings[i];
        memcpy(easing, pm_random_below(random, 2) ? slow_in : slow_in_out, sizeof slow_in);
        if (inside) continue;
        float last = 1;
        for (uint32_t power = 1; power < 5; power++) {
            easing[power] = (float)pm_random_below(random, 32) * 0.125f - 2;
            last -= easing[power];
        }
        easing[5] = last;
    }
}

static bool add_channel(workshop *shop, pm_path path, uint32_t target) {
    const pm_synthetic_recipe *recipe = shop->recipe;
    pm_random *random = &shop->random;
    uint32_t lot = pm_random_below(random, 16), components = pm_path_component_count(path);
    if (lot < recipe->absent_in_16) return true;
    bool constant = lot < recipe->absent_in_16 + recipe->constant_in_16;
    pm_interpolation mode = recipe->interpolation;
    if (mode == PM_INTERPOLATION_COUNT)
        mode = (pm_interpolation)pm_random_below(random, PM_INTERPOLATION_COUNT);

    size_t key_count = recipe->key_count, value_floats = key_count * components;
    float *times = malloc((7 * key_count + 3 * value_floats) * sizeof *times);
    if (!times) return false;
    float *values = times + key_count, *in = values + value_floats, *out = in + value_floats;
    float(*easing)[6] = (float(*)[6])(out + value_floats);
    shop->key_blocks[shop->channel_count] = times;
    if (recipe->timing == PM_SYNTHETIC_OWN)
        random_times(random, recipe, times);
    else
        memcpy(times, shop->shared_times, key_count * sizeof *times);
    random_keys(shop, path, constant, values, in, out);
    bool slerp = path == PM_PATH_ROTATION && mode == PM_INTERPOLATION_LINEAR;
    random_easings(random, slerp, recipe->key_count - 1, easing);
    bool eased = pm_random_below(random, 16) < recipe->eased_in_16 && key_count > 1;
    bool held = pm_random_below(random, 16) < recipe->held_in_16;
    // In powers of two, a third, and faster than the keys.
    static const float cadences_hz[] = {8.0f, 10.0f, 240.0f};
    shop->channels[shop->channel_count++] = (pm_channel){
        .path = path,
        .interpolation = mode,
        .target = target,
        .component_count = components,
        .key_count = recipe->key_count,
        .value_count = recipe->key_count,
        .times = times,
        .values = values,
        .in_tangents = mode == PM_INTERPOLATION_CUBIC ? in : NULL,
        .out_tangents = mode == PM_INTERPOLATION_CUBIC ? out : NULL,
        .cadence_hz = held ? cadences_hz[pm_random_below(random, 3)] : 0,
        .easing = eased ? (const float(*)[6])easing : NULL,
    };
    return true;
}

static bool add_channels(workshop *shop) {
    uint32_t joint_count = shop->recipe->scalars_only ? 0 : shop->recipe->joint_count;
    for (uint32_t joint = 0; joint < joint_count; joint++)
        for (int path = PM_PATH_TRANSLATION; path <= PM_PATH_SCALE; path++)
            if (!add_channel(shop, (pm_path)path, joint)) return false;
    for (uint32_t scalar = 0; scalar < shop->recipe->scalar_count; scalar++)
        if (!add_channel(shop, PM_PATH_SCALAR, scalar)) return false;
    return true;
}

// A tree of joints: every parent comes before its children, so that joints keep their numbers.
static void make_nodes(workshop *shop) {
    pm_random *random = &shop->random;
    for (uint32_t i = 0; i < shop->recipe->joint_count; i++) {
        pm_node_def *node = &shop->nodes[i];
        node->parent = i ? i - 1 - pm_random_below(random, i < 3 ? i : 3) : PM_NONE;
        node->used = true;
        random_value(random, PM_PATH_TRANSLATION, node->rest.translation);
        random_value(random, PM_PATH_ROTATION, node->rest.rotation);
        random_value(random, PM_PATH_SCALE, node->rest.scale);
    }
    for (uint32_t i = 0; i < shop->recipe->scalar_count; i++) {
        shop->scalars[i].node = PM_NONE;
        random_value(random, PM_PATH_SCALAR, &shop->scalars[i].rest);
    }
}

static bool open_workshop(workshop *shop, const pm_synthetic_recipe *recipe, uint64_t seed) {
    size_t channel_limit = 3 * (size_t)recipe->joint_count + recipe->scalar_count;
    *shop = (workshop){.recipe = recipe, .random = {seed}};
    shop->nodes = calloc(recipe->joint_count, sizeof *shop->nodes);
    shop->scalars = calloc(recipe->scalar_count + 1u, sizeof *shop->scalars);
    shop->channels = calloc(channel_limit, sizeof *shop->channels);
    shop->key_blocks = calloc(channel_limit, sizeof *shop->key_blocks);
    shop->shared_times = calloc(recipe->key_count, sizeof *shop->shared_times);
    return shop->nodes && shop->scalars && shop->channels && shop->key_blocks && shop->shared_times;
}

static void close_workshop(workshop *shop) {
    for (uint32_t i = 0; i < shop->channel_count; i++) free(shop->key_blocks[i]);
    free(shop->nodes);
    free(shop->scalars);
    free(shop->channels);
    free(shop->key_blocks);
    free(shop->shared_times);
}

static pm_result compile(const workshop *shop, pm_synthetic_clip *created, pm_report *report) {
    pm_skeleton_def def = {.node_count = shop->recipe->joint_count,
                           .nodes = shop->nodes,
                           .scalar_count = shop->recipe->scalar_count,
                           .scalars = shop->scalars};
    pm_clip_source source = {
        .name = shop->recipe->name, .channel_count = shop->channel_count, .channels = shop->channels};
    pm_compile_options options = pm_default_compile_options();
    options.merge_growth_limit = shop->recipe->merge_growth_limit;
    options.key_bits = shop->recipe->packed ? 16 : 32;
    pm_additive_options additive = pm_default_additive_options();
    additive.compile = &options;
    pm_result result = pm_skeleton_create(&def, NULL, &created->skeleton, report);
    if (result) return result;
    if (shop->recipe->additive)
        return pm_additive_compile(&source, created->skeleton, &additive, NULL, &created->clip, report);
    return pm_clip_compile(&source, created->skeleton, &options, NULL, &created->clip, report);
}

pm_result pm_synthetic_create(pm_synthetic_clip *created, const pm_synthetic_recipe *recipe, uint64_t seed,
                              pm_report *report) {
    workshop shop;
    pm_result result = PM_ERROR_MEMORY;
    *created = (pm_synthetic_clip){.time_count = recipe->key_count};
    created->times = calloc(recipe->key_count, sizeof *created->times);
    if (open_workshop(&shop, recipe, seed) && created->times) {
        random_times(&shop.random, recipe, shop.shared_times);
        make_nodes(&shop);
        if (add_channels(&shop)) result = compile(&shop, created, report);
        const float *times = shop.channel_count ? shop.channels[0].times : shop.shared_times;
        memcpy(created->times, times, recipe->key_count * sizeof *created->times);
    }
    close_workshop(&shop);
    if (result) pm_synthetic_destroy(created);
    return result;
}

void pm_synthetic_destroy(pm_synthetic_clip *destroyed) {
    pm_clip_destroy(destroyed->clip, NULL);
    pm_skeleton_destroy(destroyed->skeleton);
    free(destroyed->times);
    *destroyed = (pm_synthetic_clip){0};
}
