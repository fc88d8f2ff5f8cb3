#include "gltf_target.h"

#include "gltf_node.h"

#include <string.h>

// A JSON pointer (RFC 6901), split at its slashes. The object model of glTF is nowhere near that deep.
enum { TOKEN_LIMIT = 16 };

typedef struct pointer_tokens {
    uint32_t count;
    const char *tokens[TOKEN_LIMIT];
} pointer_tokens;

// Rest values of properties that a document leaves out, where they are not 0 (glTF 2.0 and the ratified
// KHR_materials, KHR_texture_transform and KHR_lights_punctual extensions; the same for all components).
static const struct {
    const char *property;
    float value;
} defaults[] = {
    {"alphaCutoff", 0.5f},
    {"attenuationColor", 1},
    {"baseColorFactor", 1},
    {"color", 1},
    {"emissiveStrength", 1},
    {"intensity", 1},
    {"ior", 1.5f},
    {"iridescenceIor", 1.3f},
    {"iridescenceThicknessMaximum", 400},
    {"iridescenceThicknessMinimum", 100},
    {"metallicFactor", 1},
    {"outerConeAngle", 0.78539816f}, // a quarter of pi
    {"roughnessFactor", 1},
    {"scale", 1},
    {"specularColorFactor", 1},
    {"specularFactor", 1},
    {"strength", 1},
};

static float default_of(const char *pointer) {
    const char *property = strrchr(pointer, '/') + 1;
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        if (!strcmp(property, defaults[i].property)) return defaults[i].value;
    return 0;
}

// Undoes ~1 and ~0 in place.
static void unescape(char *token) {
    char *end = token;
    for (const char *at = token; *at; at++) {
        bool escaped = at[0] == '~' && (at[1] == '0' || at[1] == '1');
        *end++ = !escaped ? *at : at[1] == '0' ? '~' : '/';
        if (escaped) at++;
    }
    *end = '\0';
}

// Splits `text`, which it changes. False if it is no pointer or too deep.
static bool split(char *text, pointer_tokens *result) {
    result->count = 0;
    if (text[0] != '/') return false;
    for (char *slash = text; slash;) {
        char *token = slash + 1;
        slash = strchr(token, '/');
        if (slash) *slash = '\0';
        if (result->count == TOKEN_LIMIT) return false;
        unescape(token);
        result->tokens[result->count++] = token;
    }
    return true;
}

// An array index as RFC 6901 writes it, or PM_NONE.
static uint32_t parse_index(const char *token) {
    uint64_t index = 0;
    if (!token[0] || (token[0] == '0' && token[1])) return PM_NONE;
    for (; *token; token++) {
        if (*token < '0' || *token > '9') return PM_NONE;
        index = 10 * index + (uint64_t)(*token - '0');
        if (index >= PM_NONE) return PM_NONE;
    }
    return (uint32_t)index;
}

// Follows a pointer through the document. A property may be left out for its default, an element of an array
// and a top-level object may not. False if the pointer leads nowhere.
static bool follow(const pm_gltf *gltf, const pointer_tokens *pointer, const json_t **property) {
    const json_t *value = gltf->root;
    uint32_t depth = 0;
    for (; value && depth < pointer->count; depth++) {
        const char *token = pointer->tokens[depth];
        bool is_array = json_is_array(value);
        if (!is_array && !json_is_object(value)) return false;
        value = is_array ? json_array_get(value, parse_index(token)) : json_object_get(value, token);
        if (!value && (is_array || depth == 0)) return false;
    }
    for (; depth < pointer->count; depth++)
        if (parse_index(pointer->tokens[depth]) != PM_NONE) return false;
    *property = value;
    return true;
}

static pm_result missing(const pm_gltf *gltf, pm_place place) {
    return pm_gltf_drop(gltf, PM_FAULT_TARGET_MISSING, place, "its target does not exist");
}

// A node's path by name, as channels and pointers give it.
static pm_result find_node_path(pm_gltf *gltf, uint32_t node, const char *path, pm_place place,
                                pm_gltf_target *target) {
    static const pm_path paths[] = {PM_PATH_TRANSLATION, PM_PATH_ROTATION, PM_PATH_SCALE};
    target->first = node;
    target->count = 1;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        target->path = paths[i];
        if (!strcmp(path, pm_path_name(paths[i]))) return PM_OK;
    }
    if (strcmp(path, "weights"))
        return pm_gltf_drop(gltf, PM_FAULT_TARGET_UNSUPPORTED, place, "unknown path \"%.32s\"", path);
    uint32_t weights = gltf->node_weights[node];
    if (weights == PM_NONE)
        return pm_gltf_drop(gltf, PM_FAULT_TARGET_MISSING, place, "its node has no morph targets");
    target->path = PM_PATH_SCALAR;
    target->first = gltf->builder->weight_ranges[weights].first_scalar;
    target->count = gltf->builder->weight_ranges[weights].count;
    return PM_OK;
}

// Pointers to what an ordinary channel can drive become just that: /nodes/3/rotation, /nodes/3/weights/1.
static pm_result find_node_pointer(pm_gltf *gltf, const pointer_tokens *pointer, pm_place place,
                                   pm_gltf_target *target) {
    const char *path = pointer->tokens[2];
    pm_result result = find_node_path(gltf, parse_index(pointer->tokens[1]), path, place, target);
    if (result || pointer->count == 3) return result;
    uint32_t element = parse_index(pointer->tokens[3]);
    if (element >= target->count) return missing(gltf, place);
    target->first += element;
    target->count = 1;
    return PM_OK;
}

static bool is_node_path(const pointer_tokens *pointer) {
    if (pointer->count < 3 || strcmp(pointer->tokens[0], "nodes")) return false;
    const char *path = pointer->tokens[2];
    if (!strcmp(path, "weights")) return pointer->count <= 4;
    return pointer->count == 3 &&
           (!strcmp(path, "translation") || !strcmp(path, "rotation") || !strcmp(path, "scale"));
}

// How many numbers a property is: 0 if it is something else.
static uint32_t count_numbers(const json_t *property) {
    if (json_is_number(property)) return 1;
    for (size_t i = 0; i < json_array_size(property); i++)
        if (!json_is_number(json_array_get(property, i))) return 0;
    size_t count = json_array_size(property);
    return count < PM_NONE ? (uint32_t)count : 0;
}

static pm_result find_pointer(pm_gltf *gltf, const json_t *json, pm_place *place, pm_gltf_target *target) {
    const json_t *extensions = json_object_get(json, "extensions");
    const json_t *text = json_object_get(json_object_get(extensions, "KHR_animation_pointer"), "pointer");
    const char *pointer = pm_gltf_copy_text(&gltf->builder->kept, text);
    char *scratch = pointer ? pm_arena_copy_text(&gltf->builder->scratch, pointer, strlen(pointer)) : NULL;
    if (!scratch) return pm_gltf_fail_memory(gltf, "a channel's name");
    target->name = pointer;
    if (pointer[0]) place->channel = pointer;
    pointer_tokens tokens;
    if (!split(scratch, &tokens))
        return pm_gltf_drop(gltf, PM_FAULT_TARGET_MISSING, *place, "no valid animation pointer");
    if (is_node_path(&tokens)) {
        if (parse_index(tokens.tokens[1]) >= gltf->builder->node_count) return missing(gltf, *place);
        return find_node_pointer(gltf, &tokens, *place, target);
    }
    if (!follow(gltf, &tokens, &target->property)) return missing(gltf, *place);
    target->path = PM_PATH_SCALAR;
    target->pointer = pointer;
    target->first = PM_NONE;
    target->count = count_numbers(target->property);
    if (target->property && target->count == 0)
        return pm_gltf_drop(gltf, PM_FAULT_TARGET_UNSUPPORTED, *place, "its target is no number or vector");
    return PM_OK;
}

pm_result pm_gltf_target_find(pm_gltf *gltf, const json_t *json, pm_place *place, pm_gltf_target *target) {
    *target = (pm_gltf_target){.name = NULL};
    const json_t *object = json_object_get(json, "target");
    const char *path = pm_gltf_text(json_object_get(object, "path"));
    if (!strcmp(path, "pointer")) return find_pointer(gltf, object, place, target);

    uint32_t node = pm_gltf_index(json_object_get(object, "node"));
    if (!json_object_get(object, "node"))
        return pm_gltf_drop(gltf, PM_FAULT_TARGET_MISSING, *place, "it names no node");
    if (node >= gltf->builder->node_count) return missing(gltf, *place);
    const char *label = pm_gltf_node_label(gltf, node, &gltf->builder->scratch);
    target->name = label ? pm_arena_print(&gltf->builder->kept, "%s.%s", label, path) : NULL;
    if (!target->name) return pm_gltf_fail_memory(gltf, "a channel's name");
    place->channel = target->name;
    return find_node_path(gltf, node, path, *place, target);
}

// Makes the scalars of a property; they rest at its value in the document.
static pm_result add_scalars(pm_gltf *gltf, const pm_gltf_target *target, uint32_t count, bool is_vector,
                             uint32_t *first) {
    pm_scene_builder *builder = gltf->builder;
    bool is_plain = count == 1 && !json_is_array(target->property);
    uint32_t node = PM_NONE;
    if (!strncmp(target->pointer, "/nodes/", 7)) {
        // The pointer was followed, so that this is an index of an existing node.
        node = 0;
        for (const char *digit = target->pointer + 7; *digit && *digit != '/'; digit++)
            node = 10 * node + (uint32_t)(*digit - '0');
    }
    *first = builder->scalar_count;
    for (uint32_t i = 0; i < count; i++) {
        const char *name = target->pointer;
        if (!is_plain && is_vector && count <= 4)
            name = pm_arena_print(&builder->scratch, "%s.%c", target->pointer, "xyzw"[i]);
        else if (!is_plain)
            name = pm_arena_print(&builder->scratch, "%s[%u]", target->pointer, (unsigned)i);
        if (!name) return pm_gltf_fail_memory(gltf, "a scalar's name");
        const json_t *value =
            json_is_array(target->property) ? json_array_get(target->property, i) : target->property;
        float rest = value ? (float)json_number_value(value) : default_of(target->pointer);
        uint32_t scalar;
        pm_result result = pm_scene_builder_add_scalar(builder, name, node, rest, &scalar);
        if (result) return result;
    }
    return PM_OK;
}

pm_result pm_gltf_target_bind(pm_gltf *gltf, pm_gltf_target *target, pm_place place, uint32_t count,
                              bool is_vector) {
    // One table for all clips, from pointers to their scalars.
    const json_t *known = json_object_get(gltf->pointer_scalars, target->pointer);
    uint32_t first = (uint32_t)json_integer_value(json_array_get(known, 0));
    uint32_t known_count = known ? (uint32_t)json_integer_value(json_array_get(known, 1)) : target->count;
    if (known_count != 0 && known_count != count)
        return pm_gltf_drop(gltf, PM_FAULT_KEY_COUNT, place, "%u numbers a key for a target of %u",
                            (unsigned)count, (unsigned)known_count);
    if (!known) {
        pm_result result = add_scalars(gltf, target, count, is_vector, &first);
        if (result) return result;
        json_t *range = json_pack("[I,I]", (json_int_t)first, (json_int_t)count);
        if (json_object_set_new(gltf->pointer_scalars, target->pointer, range))
            return pm_gltf_fail_memory(gltf, "the table of pointers");
    }
    target->first = first;
    target->count = count;
    return PM_OK;
}
