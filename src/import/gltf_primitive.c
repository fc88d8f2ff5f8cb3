#include "gltf_primitive.h"

#include "gltf_accessor.h"

#include <math.h>
#include <string.h>

enum { TRIANGLES = 4, MODE_COUNT = 7 };

// Influences come in sets of four.
enum { SET_INFLUENCES = 4, SET_COUNT = 2 };

// One primitive while it is read.
typedef struct primitive_reader {
    pm_gltf *gltf;
    const json_t *json;
    const char *label;
    pm_gltf_primitive *primitive;
} primitive_reader;

// Reports what of the primitive is left out.
static pm_result leave_out(const primitive_reader *reader, pm_fault fault, const char *what,
                           const char *why) {
    return pm_gltf_drop(reader->gltf, fault, pm_gltf_here(reader->gltf), "%s: %s left out: %s", reader->label,
                        what, why);
}

// Opens an accessor that has one element of `component_count` numbers for each vertex.
static pm_result open_attribute(const primitive_reader *reader, const json_t *index, const char *what,
                                uint32_t component_count, pm_gltf_accessor *accessor) {
    pm_gltf *gltf = reader->gltf;
    pm_result result = pm_gltf_accessor_open(gltf, pm_gltf_index(index), pm_gltf_here(gltf), accessor);
    if (result == PM_ERROR_DATA) return leave_out(reader, PM_FAULT_ACCESSOR, what, "it cannot be read");
    if (result) return result;
    if (accessor->component_count != component_count)
        return leave_out(reader, PM_FAULT_ACCESSOR, what, "it is of a wrong type");
    if (accessor->count != reader->primitive->mesh.vertex_count)
        return leave_out(reader, PM_FAULT_ACCESSOR, what, "it is not as long as the positions");
    return PM_OK;
}

static bool all_finite(const float *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i])) return false;
    return true;
}

// Three finite numbers a vertex, shared with all who use the same accessor.
static pm_result read_vectors(const primitive_reader *reader, const json_t *index, const char *what,
                              const float **values) {
    pm_gltf_accessor accessor;
    const float *read;
    pm_result result = open_attribute(reader, index, what, 3, &accessor);
    if (!result) result = pm_gltf_accessor_floats(reader->gltf, &accessor, &read);
    if (result) return result;
    if (!all_finite(read, (size_t)accessor.count * 3))
        return leave_out(reader, PM_FAULT_VALUE_NOT_FINITE, what, "a value is not finite");
    *values = read;
    return PM_OK;
}

static pm_result read_positions(const primitive_reader *reader) {
    pm_gltf *gltf = reader->gltf;
    const json_t *index = json_object_get(json_object_get(reader->json, "attributes"), "POSITION");
    if (!index) return leave_out(reader, PM_FAULT_REFERENCE, "the mesh", "it has no positions");
    const json_t *accessor = json_array_get(gltf->accessors, pm_gltf_index(index));
    const json_t *extensions = json_object_get(reader->json, "extensions");
    bool is_draco = json_object_get(extensions, "KHR_draco_mesh_compression") != NULL;
    // A file may bring the geometry uncompressed too, for readers without the extension.
    if (is_draco && !json_object_get(accessor, "bufferView"))
        return leave_out(reader, PM_FAULT_FILE_UNSUPPORTED, "the mesh", "its geometry is Draco-compressed");
    // The number of vertices is whatever the positions have.
    pm_mesh *mesh = &reader->primitive->mesh;
    mesh->vertex_count = pm_gltf_index(json_object_get(accessor, "count"));
    return read_vectors(reader, index, "the mesh", &mesh->positions);
}

static pm_result read_indices(const primitive_reader *reader) {
    pm_gltf *gltf = reader->gltf;
    pm_mesh *mesh = &reader->primitive->mesh;
    const json_t *index = json_object_get(reader->json, "indices");
    pm_gltf_accessor accessor = {.count = mesh->vertex_count, .component_count = 1};
    pm_result result = PM_OK;
    if (index) result = pm_gltf_accessor_open(gltf, pm_gltf_index(index), pm_gltf_here(gltf), &accessor);
    if (result == PM_ERROR_DATA)
        return leave_out(reader, PM_FAULT_ACCESSOR, "the mesh", "its indices cannot be read");
    if (result) return result;
    if (accessor.component_count != 1)
        return leave_out(reader, PM_FAULT_ACCESSOR, "the mesh", "its indices are not SCALAR");
    uint32_t *indices = pm_arena_allocate(&gltf->builder->kept, accessor.count, sizeof *indices);
    if (!indices) return pm_gltf_fail_memory(gltf, "a mesh's indices");
    if (index) pm_gltf_accessor_copy_indices(&accessor, indices);
    for (uint32_t i = 0; i < accessor.count; i++) {
        if (!index) indices[i] = i;
        if (indices[i] >= mesh->vertex_count)
            return leave_out(reader, PM_FAULT_REFERENCE, "the mesh", "an index names no vertex");
    }
    mesh->index_count = accessor.count;
    mesh->indices = indices;
    return PM_OK;
}

static pm_result read_normals(const primitive_reader *reader) {
    const json_t *index = json_object_get(json_object_get(reader->json, "attributes"), "NORMAL");
    return index ? read_vectors(reader, index, "its normals", &reader->primitive->mesh.normals) : PM_OK;
}

// Reads one set of four influences into every vertex's `influence_count`, from `first` on. An influence of no
// weight gets joint 0, since writers leave anything there.
static pm_result read_set(const primitive_reader *reader, uint32_t set, uint16_t *joints, float *weights) {
    pm_gltf *gltf = reader->gltf;
    pm_mesh *mesh = &reader->primitive->mesh;
    const json_t *attributes = json_object_get(reader->json, "attributes");
    const char *joints_key = set ? "JOINTS_1" : "JOINTS_0", *weights_key = set ? "WEIGHTS_1" : "WEIGHTS_0";
    pm_gltf_accessor joint_accessor, weight_accessor;
    pm_result result = open_attribute(reader, json_object_get(attributes, joints_key), "its skinning",
                                      SET_INFLUENCES, &joint_accessor);
    if (!result)
        result = open_attribute(reader, json_object_get(attributes, weights_key), "its skinning",
                                SET_INFLUENCES, &weight_accessor);
    if (result) return result;
    size_t count = mesh->vertex_count;
    uint32_t *read_joints = pm_arena_allocate(&gltf->builder->scratch, count, 4 * sizeof *read_joints);
    float *read_weights = pm_arena_allocate(&gltf->builder->scratch, count, 4 * sizeof *read_weights);
    if (!read_joints || !read_weights) return pm_gltf_fail_memory(gltf, "a mesh's influences");
    pm_gltf_accessor_copy_indices(&joint_accessor, read_joints);
    pm_gltf_accessor_copy_floats(&weight_accessor, read_weights);
    for (size_t i = 0; i < 4 * count; i++) {
        uint32_t joint = read_weights[i] == 0 ? 0 : read_joints[i];
        if (joint > UINT16_MAX || !isfinite(read_weights[i]))
            return leave_out(reader, PM_FAULT_ACCESSOR, "its skinning", "a joint or weight is out of range");
        if (joint >= reader->primitive->skin_joint_count) reader->primitive->skin_joint_count = joint + 1;
        size_t to = i / 4 * mesh->influence_count + set * SET_INFLUENCES + i % 4;
        joints[to] = (uint16_t)joint;
        weights[to] = read_weights[i];
    }
    return PM_OK;
}

static pm_result read_influences(const primitive_reader *reader) {
    pm_gltf *gltf = reader->gltf;
    pm_mesh *mesh = &reader->primitive->mesh;
    const json_t *attributes = json_object_get(reader->json, "attributes");
    if (!json_object_get(attributes, "JOINTS_0")) return PM_OK;
    uint32_t sets = json_object_get(attributes, "JOINTS_1") ? 2 : 1;
    if (json_object_get(attributes, "JOINTS_2"))
        leave_out(reader, PM_FAULT_FILE_UNSUPPORTED, "influences", "more than 8 a vertex are not read");
    mesh->influence_count = sets * SET_INFLUENCES;
    pm_arena *kept = &gltf->builder->kept;
    uint16_t *joints = pm_arena_allocate(kept, mesh->vertex_count, mesh->influence_count * sizeof *joints);
    float *weights = pm_arena_allocate(kept, mesh->vertex_count, mesh->influence_count * sizeof *weights);
    if (!joints || !weights) return pm_gltf_fail_memory(gltf, "a mesh's influences");
    mesh->joints = joints;
    mesh->weights = weights;
    pm_result result = PM_OK;
    for (uint32_t set = 0; !result && set < sets; set++) result = read_set(reader, set, joints, weights);
    if (result != PM_ERROR_DATA) return result;
    mesh->influence_count = 0;
    mesh->joints = NULL;
    mesh->weights = NULL;
    return result;
}

// Offsets of all targets; those without positions, or with faulty ones, are zero.
static pm_result read_morphs(const primitive_reader *reader) {
    pm_gltf *gltf = reader->gltf;
    pm_mesh *mesh = &reader->primitive->mesh;
    const json_t *targets = json_object_get(reader->json, "targets");
    size_t target_count = json_array_size(targets);
    size_t size = (size_t)mesh->vertex_count * 3;
    if (target_count == 0 || target_count >= PM_NONE) return PM_OK;
    if (size && target_count > SIZE_MAX / 4 / size) return pm_gltf_fail_memory(gltf, "morph targets");
    if (!pm_gltf_take_zeros(gltf, target_count * size))
        return leave_out(reader, PM_FAULT_FILE_UNSUPPORTED, "its morph targets", "they are too many");
    float *offsets = pm_arena_allocate(&gltf->builder->kept, target_count, size * sizeof *offsets);
    if (!offsets) return pm_gltf_fail_memory(gltf, "morph targets");
    mesh->morph_count = (uint32_t)target_count;
    mesh->morph_positions = offsets;
    for (size_t t = 0; t < target_count; t++, offsets += size) {
        const json_t *index = json_object_get(json_array_get(targets, t), "POSITION");
        if (!index) continue;
        pm_gltf_accessor accessor;
        pm_result result = open_attribute(reader, index, "a morph target", 3, &accessor);
        if (result == PM_ERROR_DATA) continue;
        if (result) return result;
        pm_gltf_accessor_copy_floats(&accessor, offsets);
        if (all_finite(offsets, size)) continue;
        leave_out(reader, PM_FAULT_VALUE_NOT_FINITE, "a morph target", "a value is not finite");
        memset(offsets, 0, size * sizeof *offsets);
    }
    return PM_OK;
}

static pm_result read_mode(const primitive_reader *reader) {
    const json_t *mode = json_object_get(reader->json, "mode");
    uint32_t value = mode ? pm_gltf_index(mode) : TRIANGLES;
    if (value >= MODE_COUNT)
        return leave_out(reader, PM_FAULT_FILE_FORMAT, "the mesh", "its mode is unknown");
    reader->primitive->mesh.primitive_mode = value;
    return PM_OK;
}

pm_result pm_gltf_primitive_read(pm_gltf *gltf, const json_t *json, const char *label,
                                 pm_gltf_primitive *primitive) {
    *primitive = (pm_gltf_primitive){.mesh = {.joint = PM_NONE, .skin = PM_NONE, .first_scalar = PM_NONE}};
    primitive_reader reader = {gltf, json, label, primitive};
    pm_result result = read_mode(&reader);
    if (!result) result = read_positions(&reader);
    if (!result) result = read_indices(&reader);
    if (result) return result;

    pm_result (*const optional[])(const primitive_reader *) = {read_normals, read_influences, read_morphs};
    for (size_t i = 0; i < sizeof optional / sizeof *optional; i++) {
        result = optional[i](&reader);
        if (result && result != PM_ERROR_DATA) return result;
    }
    return PM_OK;
}
