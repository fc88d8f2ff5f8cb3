#include "gltf_accessor.h"

#include "gltf_buffer.h"

#include <string.h>

static size_t component_bytes(pm_gltf_component component) {
    switch (component) {
    case PM_GLTF_BYTE:
    case PM_GLTF_UNSIGNED_BYTE:
        return 1;
    case PM_GLTF_SHORT:
    case PM_GLTF_UNSIGNED_SHORT:
        return 2;
    case PM_GLTF_UNSIGNED_INT:
    case PM_GLTF_FLOAT:
        return 4;
    }
    return 0;
}

// Components of a type, 0 if it is unknown. MAT2 and MAT3 pad their columns, and nothing here is made of
// them.
static uint32_t type_components(const char *type) {
    static const struct {
        const char *name;
        uint32_t count;
    } types[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT4", 16}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(type, types[i].name)) return types[i].count;
    return 0;
}

// Finds `count` elements in the buffer view that `json` names, and checks that they are there.
//   elements  component and component_count are given, the rest is filled in
static pm_result locate(pm_gltf *gltf, const json_t *json, uint32_t count, uint32_t accessor, pm_place place,
                        pm_gltf_elements *elements) {
    uint32_t view = pm_gltf_index(json_object_get(json, "bufferView"));
    size_t offset;
    if (!pm_gltf_size(json, "byteOffset", 0, &offset))
        return pm_gltf_drop(gltf, PM_FAULT_ACCESSOR, place, "accessor %u: byteOffset is no offset",
                            (unsigned)accessor);
    pm_bytes bytes;
    pm_result result = pm_gltf_view_read(gltf, view, place, &bytes, &elements->stride);
    if (result) return result;
    size_t element_bytes = component_bytes(elements->component) * elements->component_count;
    if (elements->stride == 0) elements->stride = element_bytes;
    if (elements->stride < element_bytes)
        return pm_gltf_drop(gltf, PM_FAULT_ACCESSOR, place,
                            "accessor %u: elements of %zu bytes at a stride of %zu", (unsigned)accessor,
                            element_bytes, elements->stride);
    elements->data = bytes.data;
    if (count == 0) return PM_OK;
    if (element_bytes > bytes.size || offset > bytes.size - element_bytes ||
        count - 1 > (bytes.size - element_bytes - offset) / elements->stride)
        return pm_gltf_drop(gltf, PM_FAULT_FILE_TRUNCATED, place,
                            "accessor %u: %u elements do not fit into the %zu bytes of bufferView %u",
                            (unsigned)accessor, (unsigned)count, bytes.size, (unsigned)view);
    elements->data += offset;
    return PM_OK;
}

static uint32_t read_unsigned(const uint8_t *bytes, pm_gltf_component component) {
    uint16_t half;
    uint32_t word;
    switch (component) {
    case PM_GLTF_UNSIGNED_BYTE:
        return bytes[0];
    case PM_GLTF_UNSIGNED_SHORT:
        memcpy(&half, bytes, sizeof half);
        return half;
    default:
        memcpy(&word, bytes, sizeof word);
        return word;
    }
}

static double read_number(const uint8_t *bytes, pm_gltf_component component) {
    int16_t half;
    float number;
    switch (component) {
    case PM_GLTF_BYTE:
        return (int8_t)bytes[0];
    case PM_GLTF_SHORT:
        memcpy(&half, bytes, sizeof half);
        return half;
    case PM_GLTF_FLOAT:
        memcpy(&number, bytes, sizeof number);
        return (double)number;
    default:
        return read_unsigned(bytes, component);
    }
}

// What an integer is divided by to become a fraction.
static double fraction_of(pm_gltf_component component) {
    switch (component) {
    case PM_GLTF_BYTE:
        return 127;
    case PM_GLTF_UNSIGNED_BYTE:
        return 255;
    case PM_GLTF_SHORT:
        return 32767;
    case PM_GLTF_UNSIGNED_SHORT:
        return 65535;
    case PM_GLTF_UNSIGNED_INT:
        return 4294967295.0;
    case PM_GLTF_FLOAT:
        return 1;
    }
    return 1;
}

// Element `element` as floats.
static void read_element(const pm_gltf_elements *elements, bool normalized, uint32_t element, float *values) {
    const uint8_t *bytes = elements->data + element * elements->stride;
    if (elements->component == PM_GLTF_FLOAT) {
        memcpy(values, bytes, elements->component_count * sizeof *values);
        return;
    }
    double divisor = normalized ? fraction_of(elements->component) : 1;
    size_t step = component_bytes(elements->component);
    for (uint32_t c = 0; c < elements->component_count; c++) {
        double value = read_number(bytes + c * step, elements->component) / divisor;
        values[c] = (float)(normalized && value < -1 ? -1 : value);
    }
}

static uint32_t read_index(const uint8_t *bytes, pm_gltf_component component) {
    double number = read_number(bytes, component);
    if (!(number >= 0 && number < PM_NONE)) return PM_NONE;
    uint32_t index = (uint32_t)number;
    return (double)index == number ? index : PM_NONE;
}

static uint32_t sparse_index(const pm_gltf_accessor *accessor, uint32_t i) {
    const pm_gltf_elements *indices = &accessor->sparse_indices;
    return read_unsigned(indices->data + i * indices->stride, indices->component);
}

// The accessor says how many components, the sparse object where those are that differ from the base.
static pm_result open_sparse(pm_gltf *gltf, const json_t *sparse, pm_place place,
                             pm_gltf_accessor *accessor) {
    unsigned index = accessor->index;
    const json_t *indices = json_object_get(sparse, "indices");
    accessor->sparse_count = pm_gltf_index(json_object_get(sparse, "count"));
    if (accessor->sparse_count > accessor->count)
        return pm_gltf_drop(gltf, PM_FAULT_ACCESSOR, place,
                            "accessor %u: more sparse values than elements, or no count", index);
    uint32_t component = pm_gltf_index(json_object_get(indices, "componentType"));
    if (component != PM_GLTF_UNSIGNED_BYTE && component != PM_GLTF_UNSIGNED_SHORT &&
        component != PM_GLTF_UNSIGNED_INT)
        return pm_gltf_drop(gltf, PM_FAULT_ACCESSOR, place,
                            "accessor %u: sparse indices are not of an unsigned type", index);
    accessor->sparse_indices =
        (pm_gltf_elements){.component = (pm_gltf_component)component, .component_count = 1};
    accessor->sparse_values = (pm_gltf_elements){.component = accessor->base.component,
                                                 .component_count = accessor->component_count};
    pm_result result = locate(gltf, indices, accessor->sparse_count, index, place, &accessor->sparse_indices);
    if (result) return result;
    result = locate(gltf, json_object_get(sparse, "values"), accessor->sparse_count, index, place,
                    &accessor->sparse_values);
    if (result) return result;
    for (uint32_t i = 0; i < accessor->sparse_count; i++)
        if (sparse_index(accessor, i) >= accessor->count)
            return pm_gltf_drop(gltf, PM_FAULT_ACCESSOR, place, "accessor %u: sparse index %u of %u elements",
                                index, (unsigned)sparse_index(accessor, i), (unsigned)accessor->count);
    return PM_OK;
}

// Reads what an accessor says of its elements.
static pm_result read_shape(pm_gltf *gltf, const json_t *json, pm_place place, pm_gltf_accessor *accessor) {
    unsigned index = accessor->index;
    const char *type = pm_gltf_text(json_object_get(json, "type"));
    accessor->component_count = type_components(type);
    if (accessor->component_count == 0)
        return pm_gltf_drop(gltf, PM_FAULT_ACCESSOR, place, "accessor %u: type \"%.16s\"", index, type);
    uint32_t component = pm_gltf_index(json_object_get(json, "componentType"));
    if (component_bytes((pm_gltf_component)component) == 0)
        return pm_gltf_drop(gltf, PM_FAULT_ACCESSOR, place, "accessor %u: unknown componentType", index);
    accessor->count = pm_gltf_index(json_object_get(json, "count"));
    if (accessor->count == PM_NONE)
        return pm_gltf_drop(gltf, PM_FAULT_ACCESSOR, place, "accessor %u: no valid count", index);
    accessor->normalized = json_is_true(json_object_get(json, "normalized"));
    accessor->base = (pm_gltf_elements){.component = (pm_gltf_component)component,
                                        .component_count = accessor->component_count};
    return PM_OK;
}

pm_result pm_gltf_accessor_open(pm_gltf *gltf, uint32_t index, pm_place place, pm_gltf_accessor *accessor) {
    *accessor = (pm_gltf_accessor){.index = index};
    if (index == PM_NONE) return pm_gltf_drop(gltf, PM_FAULT_REFERENCE, place, "it names no accessor");
    const json_t *json = json_array_get(gltf->accessors, index);
    if (!json)
        return pm_gltf_drop(gltf, PM_FAULT_REFERENCE, place, "accessor %u does not exist", (unsigned)index);
    pm_result result = read_shape(gltf, json, place, accessor);
    if (result) return result;
    if (json_object_get(json, "bufferView")) {
        result = locate(gltf, json, accessor->count, index, place, &accessor->base);
        if (result) return result;
    } else if (!gltf->floats[index] && !gltf->outputs[index].values &&
               !pm_gltf_take_zeros(gltf, (size_t)accessor->count * accessor->component_count)) {
        return pm_gltf_drop(gltf, PM_FAULT_ACCESSOR, place,
                            "accessor %u: %u zeros that the file does not contain", index,
                            (unsigned)accessor->count);
    }
    const json_t *sparse = json_object_get(json, "sparse");
    return sparse ? open_sparse(gltf, sparse, place, accessor) : PM_OK;
}

void pm_gltf_accessor_copy_floats(const pm_gltf_accessor *accessor, float *values) {
    const pm_gltf_elements *base = &accessor->base;
    size_t width = accessor->component_count;
    size_t bytes = accessor->count * width * sizeof *values;
    if (!base->data)
        memset(values, 0, bytes);
    else if (base->component == PM_GLTF_FLOAT && base->stride == width * sizeof *values)
        memcpy(values, base->data, bytes);
    else
        for (uint32_t i = 0; i < accessor->count; i++)
            read_element(base, accessor->normalized, i, values + i * width);
    for (uint32_t i = 0; i < accessor->sparse_count; i++)
        read_element(&accessor->sparse_values, accessor->normalized, i,
                     values + sparse_index(accessor, i) * width);
}

static void read_indices(const pm_gltf_elements *elements, uint32_t element, uint32_t *values) {
    const uint8_t *bytes = elements->data + element * elements->stride;
    size_t step = component_bytes(elements->component);
    for (uint32_t c = 0; c < elements->component_count; c++)
        values[c] = read_index(bytes + c * step, elements->component);
}

void pm_gltf_accessor_copy_indices(const pm_gltf_accessor *accessor, uint32_t *values) {
    size_t width = accessor->component_count;
    if (!accessor->base.data) memset(values, 0, accessor->count * width * sizeof *values);
    for (uint32_t i = 0; accessor->base.data && i < accessor->count; i++)
        read_indices(&accessor->base, i, values + i * width);
    for (uint32_t i = 0; i < accessor->sparse_count; i++)
        read_indices(&accessor->sparse_values, i, values + sparse_index(accessor, i) * width);
}

pm_result pm_gltf_accessor_floats(pm_gltf *gltf, const pm_gltf_accessor *accessor, const float **values) {
    const float **cached = &gltf->floats[accessor->index];
    if (!*cached) {
        float *copy = pm_arena_allocate(&gltf->builder->kept, accessor->count,
                                        accessor->component_count * sizeof *copy);
        if (!copy) return pm_gltf_fail_memory(gltf, "an accessor's values");
        pm_gltf_accessor_copy_floats(accessor, copy);
        *cached = copy;
    }
    *values = *cached;
    return PM_OK;
}
