#include "gltf_node.h"

#include "matrix.h"

#include <string.h>

const char *pm_gltf_node_label(const pm_gltf *gltf, uint32_t node, pm_arena *arena) {
    const char *name = gltf->builder->nodes[node].name;
    return name[0] ? name : pm_arena_print(arena, "node %u", (unsigned)node);
}

bool pm_gltf_node_has_matrix(const pm_gltf *gltf, uint32_t node) {
    return json_object_get(json_array_get(gltf->nodes, node), "matrix") != NULL;
}

// Reads `key` if it is there; what is no such list of numbers leaves the default.
static void read_vector(const pm_gltf *gltf, const json_t *json, uint32_t node, const char *key, size_t count,
                        float *values) {
    const json_t *array = json_object_get(json, key);
    if (array && !pm_gltf_numbers(array, count, values))
        pm_diagnose(gltf->builder->report, PM_SEVERITY_REPAIR, PM_FAULT_FILE_FORMAT, pm_gltf_here(gltf),
                    "node %u: %s is not %zu numbers; left out", (unsigned)node, key, count);
}

static pm_transform read_transform(const pm_gltf *gltf, const json_t *json, uint32_t node) {
    pm_transform rest = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    if (!json_object_get(json, "matrix")) {
        read_vector(gltf, json, node, "translation", 3, rest.translation);
        read_vector(gltf, json, node, "rotation", 4, rest.rotation);
        read_vector(gltf, json, node, "scale", 3, rest.scale);
        return rest;
    }
    float matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    read_vector(gltf, json, node, "matrix", 16, matrix);
    if (!pm_matrix_decompose(matrix, &rest))
        pm_diagnose(gltf->builder->report, PM_SEVERITY_REPAIR, PM_FAULT_SKELETON_REST, pm_gltf_here(gltf),
                    "node %u: its matrix is no translation, rotation and scale; its shear is lost",
                    (unsigned)node);
    return rest;
}

// A node in two places of the tree has two world transforms at once: such a file is refused.
static pm_result set_parent(pm_gltf *gltf, uint32_t parent, uint32_t child) {
    pm_scene_builder *builder = gltf->builder;
    pm_place here = pm_gltf_here(gltf);
    if (child >= builder->node_count) {
        pm_gltf_drop(gltf, PM_FAULT_REFERENCE, here, "node %u has a child that does not exist",
                     (unsigned)parent);
        return PM_OK;
    }
    uint32_t *known = &builder->nodes[child].parent;
    if (*known == parent) {
        pm_diagnose(builder->report, PM_SEVERITY_REPAIR, PM_FAULT_SKELETON_PARENT, here,
                    "node %u lists its child %u twice", (unsigned)parent, (unsigned)child);
    } else if (*known != PM_NONE) {
        return pm_fail(builder->report, PM_ERROR_DATA, PM_FAULT_SKELETON_PARENT, here,
                       "node %u is a child of node %u and of node %u", (unsigned)child, (unsigned)*known,
                       (unsigned)parent);
    }
    *known = parent;
    return PM_OK;
}

static pm_result read_parents(pm_gltf *gltf) {
    for (uint32_t node = 0; node < gltf->builder->node_count; node++) {
        const json_t *children = json_object_get(json_array_get(gltf->nodes, node), "children");
        for (size_t i = 0; i < json_array_size(children); i++) {
            pm_result result = set_parent(gltf, node, pm_gltf_index(json_array_get(children, i)));
            if (result) return result;
        }
    }
    return PM_OK;
}

// The most morph targets that a primitive of the mesh has; by the standard they all have the same number.
static uint32_t count_morphs(const json_t *mesh) {
    const json_t *primitives = json_object_get(mesh, "primitives");
    size_t count = 0;
    for (size_t p = 0; p < json_array_size(primitives); p++) {
        size_t targets = json_array_size(json_object_get(json_array_get(primitives, p), "targets"));
        if (targets > count) count = targets;
    }
    return count < PM_NONE ? (uint32_t)count : PM_NONE - 1;
}

// Makes scalars of a node's weights; they rest at the node's own weights, else at the mesh's, else at 0.
static pm_result add_weights(pm_gltf *gltf, uint32_t node, const json_t *mesh, uint32_t count) {
    pm_scene_builder *builder = gltf->builder;
    const json_t *weights = json_object_get(json_array_get(gltf->nodes, node), "weights");
    if (!weights) weights = json_object_get(mesh, "weights");
    const char *label = pm_gltf_node_label(gltf, node, &builder->scratch);
    if (!label) return pm_gltf_fail_memory(gltf, "a node's name");
    pm_weight_range *range = &builder->weight_ranges[builder->weight_range_count];
    *range = (pm_weight_range){node, builder->scalar_count, count};
    for (uint32_t w = 0; w < count; w++) {
        const char *name = pm_arena_print(&builder->scratch, "%s.weights[%u]", label, (unsigned)w);
        if (!name) return pm_gltf_fail_memory(gltf, "a scalar's name");
        uint32_t scalar;
        float rest = (float)json_number_value(json_array_get(weights, w));
        pm_result result = pm_scene_builder_add_scalar(builder, name, node, rest, &scalar);
        if (result) return result;
    }
    gltf->node_weights[node] = builder->weight_range_count++;
    return PM_OK;
}

static pm_result read_weights(pm_gltf *gltf) {
    size_t mesh_count = json_array_size(gltf->meshes);
    uint32_t *morph_counts = pm_arena_allocate(&gltf->builder->scratch, mesh_count, sizeof *morph_counts);
    if (!morph_counts) return pm_gltf_fail_memory(gltf, "meshes");
    for (size_t m = 0; m < mesh_count; m++) morph_counts[m] = count_morphs(json_array_get(gltf->meshes, m));

    for (uint32_t node = 0; node < gltf->builder->node_count; node++) {
        gltf->node_weights[node] = PM_NONE;
        const json_t *json = json_array_get(gltf->nodes, node);
        uint32_t mesh = pm_gltf_index(json_object_get(json, "mesh"));
        if (mesh >= mesh_count || morph_counts[mesh] == 0) continue;
        pm_result result = add_weights(gltf, node, json_array_get(gltf->meshes, mesh), morph_counts[mesh]);
        if (result) return result;
    }
    return PM_OK;
}

pm_result pm_gltf_nodes_read(pm_gltf *gltf) {
    pm_scene_builder *builder = gltf->builder;
    size_t count = json_array_size(gltf->nodes);
    builder->nodes = pm_arena_allocate(&builder->scratch, count, sizeof *builder->nodes);
    builder->weight_ranges = pm_arena_allocate(&builder->scratch, count, sizeof *builder->weight_ranges);
    gltf->node_weights = pm_arena_allocate(&builder->scratch, count, sizeof *gltf->node_weights);
    if (!builder->nodes || !builder->weight_ranges || !gltf->node_weights || count >= PM_NONE)
        return pm_gltf_fail_memory(gltf, "nodes");
    builder->node_count = (uint32_t)count;
    for (uint32_t node = 0; node < builder->node_count; node++) {
        const json_t *json = json_array_get(gltf->nodes, node);
        pm_node_def *def = &builder->nodes[node];
        def->name = pm_gltf_copy_text(&builder->scratch, json_object_get(json, "name"));
        if (!def->name) return pm_gltf_fail_memory(gltf, "a node's name");
        def->parent = PM_NONE;
        def->rest = read_transform(gltf, json, node);
        def->used = json_object_get(json, "mesh") != NULL;
    }
    pm_result result = read_parents(gltf);
    return result ? result : read_weights(gltf);
}
