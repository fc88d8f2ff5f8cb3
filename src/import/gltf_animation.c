#include "gltf_animation.h"

#include "gltf_accessor.h"
#include "gltf_node.h"
#include "gltf_target.h"

#include <string.h>

// One animation while it is read.
typedef struct clip_reader {
    pm_gltf *gltf;
    const json_t *samplers;
    const char *label; // its name for diagnostics
    pm_clip_draft *draft;
    uint32_t channel_capacity;
} clip_reader;

// A sampler whose accessors were found.
typedef struct sampler {
    pm_interpolation interpolation;
    uint32_t key_count;
    const float *times;
    pm_gltf_accessor output;
} sampler;

static pm_interpolation read_interpolation(const pm_gltf *gltf, const json_t *json, pm_place place) {
    const json_t *value = json_object_get(json, "interpolation");
    if (!value) return PM_INTERPOLATION_LINEAR;
    const char *name = pm_gltf_text(value);
    for (int i = 0; i < PM_INTERPOLATION_COUNT; i++)
        if (!strcmp(name, pm_interpolation_name((pm_interpolation)i))) return (pm_interpolation)i;
    pm_diagnose(gltf->builder->report, PM_SEVERITY_REPAIR, PM_FAULT_INTERPOLATION, place,
                json_is_string(value) ? "unknown interpolation \"%.32s\"; taken as LINEAR"
                                      : "its interpolation is no text%s; taken as LINEAR",
                name);
    return PM_INTERPOLATION_LINEAR;
}

static pm_result read_sampler(clip_reader *reader, const json_t *json, pm_place place, sampler *result) {
    pm_gltf *gltf = reader->gltf;
    uint32_t index = pm_gltf_index(json_object_get(json, "sampler"));
    const json_t *object = json_array_get(reader->samplers, index);
    if (!object) return pm_gltf_drop(gltf, PM_FAULT_REFERENCE, place, "its sampler does not exist");
    result->interpolation = read_interpolation(gltf, object, place);
    pm_gltf_accessor input;
    pm_result error =
        pm_gltf_accessor_open(gltf, pm_gltf_index(json_object_get(object, "input")), place, &input);
    if (error) return error;
    if (input.component_count != 1)
        return pm_gltf_drop(gltf, PM_FAULT_ACCESSOR, place, "accessor %u: key times are not SCALAR",
                            (unsigned)input.index);
    error = pm_gltf_accessor_floats(gltf, &input, &result->times);
    if (error) return error;
    result->key_count = input.count;
    return pm_gltf_accessor_open(gltf, pm_gltf_index(json_object_get(object, "output")), place,
                                 &result->output);
}

// Checks that the output has what its target needs, and binds a pointer's target.
static pm_result match_output(pm_gltf *gltf, const sampler *keys, pm_place place, pm_gltf_target *target) {
    const pm_gltf_accessor *output = &keys->output;
    uint32_t components = target->pointer ? output->component_count : pm_path_component_count(target->path);
    if (output->component_count != components || components > 4)
        return pm_gltf_drop(gltf, PM_FAULT_ACCESSOR, place,
                            "accessor %u has %u components, which is wrong for this target",
                            (unsigned)output->index, (unsigned)output->component_count);
    if (output->base.component != PM_GLTF_FLOAT && !output->normalized && !target->pointer)
        pm_diagnose(gltf->builder->report, PM_SEVERITY_NOTE, PM_FAULT_ACCESSOR, place,
                    "accessor %u has integers that are not normalized; taken as they are",
                    (unsigned)output->index);

    size_t parts = keys->interpolation == PM_INTERPOLATION_CUBIC ? 3 : 1;
    size_t numbers = (size_t)output->count * output->component_count;
    size_t key_count = keys->key_count;
    // Numbers a key and part: given by the target, or whatever the output has.
    size_t width = target->pointer ? target->count : (size_t)target->count * components;
    if (width == 0) width = key_count ? numbers / key_count / parts : output->component_count;
    if (parts == 3 && key_count && numbers == key_count * width)
        return pm_gltf_drop(gltf, PM_FAULT_KEY_COUNT, place,
                            "CUBICSPLINE with one value a key; it needs three per key: in-tangent, value, "
                            "out-tangent");
    if (width == 0 || width >= PM_NONE || numbers != key_count * parts * width)
        return pm_gltf_drop(gltf, PM_FAULT_KEY_COUNT, place,
                            "%zu numbers for %zu keys of %zu, which should be %zu%s", numbers, key_count,
                            width, key_count * parts * width, parts == 3 ? " (three per key)" : "");
    if (!target->pointer) return PM_OK;
    return pm_gltf_target_bind(gltf, target, place, (uint32_t)width, output->component_count > 1);
}

// glTF keeps all numbers of a key together: `a1..ak v1..vk b1..bk` for k cubic morph weights. Channels want
// the keys of each number together, tangents apart.
static void take_apart(const float *numbers, const pm_gltf_output *shape, float *values) {
    size_t components = shape->component_count, target_count = shape->target_count;
    for (size_t key = 0; key < shape->key_count; key++)
        for (size_t part = 0; part < shape->part_count; part++)
            for (size_t target = 0; target < target_count; target++, numbers += components) {
                size_t run = part * target_count + target;
                memcpy(values + (run * shape->key_count + key) * components, numbers,
                       components * sizeof *values);
            }
}

// Fills in `output->values` for the shape that is given. Samplers that share an accessor share the result.
static pm_result read_output(pm_gltf *gltf, const pm_gltf_accessor *accessor, pm_gltf_output *output) {
    if (output->part_count == 1 && output->target_count == 1)
        return pm_gltf_accessor_floats(gltf, accessor, &output->values);
    pm_gltf_output *known = &gltf->outputs[accessor->index];
    if (known->values && known->key_count == output->key_count && known->part_count == output->part_count &&
        known->target_count == output->target_count && known->component_count == output->component_count) {
        output->values = known->values;
        return PM_OK;
    }
    size_t element_bytes = accessor->component_count * sizeof(float);
    float *numbers = pm_arena_allocate(&gltf->builder->scratch, accessor->count, element_bytes);
    float *values = pm_arena_allocate(&gltf->builder->kept, accessor->count, element_bytes);
    if (!numbers || !values) return pm_gltf_fail_memory(gltf, "keys");
    pm_gltf_accessor_copy_floats(accessor, numbers);
    take_apart(numbers, output, values);
    output->values = values;
    *known = *output;
    return PM_OK;
}

static pm_result add_channel(clip_reader *reader, pm_channel channel) {
    pm_clip_draft *draft = reader->draft;
    if (draft->channel_count == reader->channel_capacity) {
        uint32_t capacity = reader->channel_capacity ? 2 * reader->channel_capacity : 16;
        pm_channel *grown = NULL;
        if (reader->channel_capacity <= PM_NONE / 2)
            grown = pm_arena_allocate(&reader->gltf->builder->scratch, capacity, sizeof *grown);
        if (!grown) return pm_gltf_fail_memory(reader->gltf, "channels");
        if (draft->channel_count) memcpy(grown, draft->channels, draft->channel_count * sizeof *grown);
        draft->channels = grown;
        reader->channel_capacity = capacity;
    }
    draft->channels[draft->channel_count++] = channel;
    return PM_OK;
}

// A channel for each number that the target consists of, one for a joint's path.
static pm_result add_channels(clip_reader *reader, const pm_gltf_target *target, const sampler *keys) {
    pm_scene_builder *builder = reader->gltf->builder;
    bool is_scalar = target->path == PM_PATH_SCALAR;
    bool is_cubic = keys->interpolation == PM_INTERPOLATION_CUBIC;
    pm_gltf_output output = {keys->key_count, is_cubic ? 3 : 1, target->count,
                             pm_path_component_count(target->path), NULL};
    pm_result result = read_output(reader->gltf, &keys->output, &output);
    size_t run = (size_t)output.key_count * output.component_count;
    size_t part = run * output.target_count;
    for (uint32_t t = 0; !result && t < target->count; t++) {
        const float *first = output.values + t * run;
        pm_channel channel = {
            .path = target->path,
            .interpolation = keys->interpolation,
            .target = target->first + t,
            .component_count = output.component_count,
            .key_count = keys->key_count,
            .value_count = keys->key_count,
            .times = keys->times,
            .values = is_cubic ? first + part : first,
            .in_tangents = is_cubic ? first : NULL,
            .out_tangents = is_cubic ? first + 2 * part : NULL,
            .name = is_scalar ? builder->scalars[target->first + t].name : target->name,
        };
        result = add_channel(reader, channel);
    }
    return result;
}

// PM_ERROR_DATA if the channel has to be left out.
static pm_result read_channel(clip_reader *reader, const json_t *json, uint32_t index) {
    pm_gltf *gltf = reader->gltf;
    pm_gltf_target target;
    sampler keys;
    char number[32];
    snprintf(number, sizeof number, "channel %u", (unsigned)index);
    pm_place place = pm_scene_builder_place(gltf->builder, reader->label, number);
    pm_result result = pm_gltf_target_find(gltf, json, &place, &target);
    if (!result) result = read_sampler(reader, json, place, &keys);
    if (!result) result = match_output(gltf, &keys, place, &target);
    if (result) return result;
    if (target.path != PM_PATH_SCALAR && pm_gltf_node_has_matrix(gltf, target.first))
        pm_diagnose(gltf->builder->report, PM_SEVERITY_REPAIR, PM_FAULT_TARGET_MATRIX, place,
                    "its node is given by a matrix; it was taken apart into translation, rotation and scale");
    return add_channels(reader, &target, &keys);
}

static pm_result read_animation(pm_gltf *gltf, uint32_t index, pm_clip_draft *draft) {
    pm_scene_builder *builder = gltf->builder;
    const json_t *json = json_array_get(gltf->animations, index);
    const json_t *channels = json_object_get(json, "channels");
    draft->name = pm_gltf_copy_text(&builder->kept, json_object_get(json, "name"));
    const char *unnamed = pm_arena_print(&builder->scratch, "animation %u", (unsigned)index);
    if (!draft->name || !unnamed) return pm_gltf_fail_memory(gltf, "an animation's name");
    clip_reader reader = {gltf, json_object_get(json, "samplers"), draft->name[0] ? draft->name : unnamed,
                          draft, 0};
    for (uint32_t c = 0; c < json_array_size(channels); c++) {
        pm_result result = read_channel(&reader, json_array_get(channels, c), c);
        if (result && result != PM_ERROR_DATA) return result;
    }
    return PM_OK;
}

static pm_result note_duplicate_name(pm_gltf *gltf, json_t *names, const char *name) {
    if (!name[0]) return PM_OK;
    if (json_object_get(names, name))
        pm_diagnose(gltf->builder->report, PM_SEVERITY_NOTE, PM_FAULT_NAME_DUPLICATE,
                    pm_scene_builder_place(gltf->builder, name, NULL), "another animation has the same name");
    else if (json_object_set_new(names, name, json_true()))
        return pm_gltf_fail_memory(gltf, "names");
    return PM_OK;
}

static pm_result read_animations(pm_gltf *gltf, json_t *names) {
    pm_scene_builder *builder = gltf->builder;
    for (uint32_t a = 0; a < builder->clip_count; a++) {
        pm_result result = read_animation(gltf, a, &builder->clips[a]);
        if (!result) result = note_duplicate_name(gltf, names, builder->clips[a].name);
        if (result) return result;
    }
    return PM_OK;
}

pm_result pm_gltf_animations_read(pm_gltf *gltf) {
    pm_scene_builder *builder = gltf->builder;
    size_t count = json_array_size(gltf->animations);
    builder->clips = pm_arena_allocate(&builder->scratch, count, sizeof *builder->clips);
    if (!builder->clips || count >= PM_NONE) return pm_gltf_fail_memory(gltf, "clips");
    builder->clip_count = (uint32_t)count;
    json_t *names = json_object();
    gltf->pointer_scalars = json_object();
    pm_result result = names && gltf->pointer_scalars ? read_animations(gltf, names)
                                                      : pm_gltf_fail_memory(gltf, "tables of names");
    json_decref(names);
    return result;
}
