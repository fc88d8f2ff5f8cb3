#include "gltf_mesh.h"

#include "gltf_primitive.h"

// Every node that carries a mesh repeats its primitives, so that a small file could ask for billions.
enum { MESH_LIMIT = 1 << 20 };

// A mesh whose primitives were read.
typedef struct mesh_record {
    bool is_read;
    const char *name;
    uint32_t primitive_count; // that could be read
    pm_gltf_primitive *primitives;
} mesh_record;

static pm_result read_mesh(pm_gltf *gltf, uint32_t mesh, mesh_record *record) {
    pm_scene_builder *builder = gltf->builder;
    const json_t *json = json_array_get(gltf->meshes, mesh);
    const json_t *primitives = json_object_get(json, "primitives");
    size_t count = json_array_size(primitives);
    record->is_read = true;
    record->name = pm_gltf_copy_text(&builder->kept, json_object_get(json, "name"));
    record->primitives = pm_arena_allocate(&builder->scratch, count, sizeof *record->primitives);
    if (!record->name || !record->primitives) return pm_gltf_fail_memory(gltf, "a mesh");
    for (size_t p = 0; p < count; p++) {
        char label[64];
        snprintf(label, sizeof label, "mesh %u, primitive %zu", (unsigned)mesh, p);
        pm_gltf_primitive *primitive = &record->primitives[record->primitive_count];
        pm_result result = pm_gltf_primitive_read(gltf, json_array_get(primitives, p), label, primitive);
        if (result == PM_ERROR_DATA) continue;
        if (result) return result;
        primitive->mesh.name = record->name;
        record->primitive_count++;
    }
    return PM_OK;
}

// The skin of a node with a mesh, or PM_NONE.
static uint32_t find_skin(const pm_gltf *gltf, uint32_t node) {
    const json_t *skin = json_object_get(json_array_get(gltf->nodes, node), "skin");
    if (!skin) return PM_NONE;
    uint32_t index = pm_gltf_index(skin);
    if (index < json_array_size(gltf->skins)) return gltf->skin_map[index];
    pm_gltf_drop(gltf, PM_FAULT_REFERENCE, pm_gltf_here(gltf), "node %u: its skin does not exist",
                 (unsigned)node);
    return PM_NONE;
}

// A primitive as one node carries it. Joints that the skin does not have cost the skinning.
static pm_mesh place_primitive(const pm_gltf *gltf, uint32_t node, uint32_t skin,
                               const pm_gltf_primitive *primitive) {
    pm_mesh mesh = primitive->mesh;
    mesh.joint = node;
    uint32_t weights = gltf->node_weights[node];
    if (mesh.morph_count && weights != PM_NONE)
        mesh.first_scalar = gltf->builder->weight_ranges[weights].first_scalar;
    uint32_t joint_count = skin == PM_NONE ? 0 : gltf->builder->skins[skin].joint_count;
    if (mesh.influence_count && primitive->skin_joint_count <= joint_count) {
        mesh.skin = skin;
        return mesh;
    }
    if (mesh.influence_count && skin != PM_NONE)
        pm_gltf_drop(gltf, PM_FAULT_SKIN, pm_gltf_here(gltf),
                     "node %u: its mesh names joint %u of a skin of %u; not skinned", (unsigned)node,
                     (unsigned)primitive->skin_joint_count - 1, (unsigned)joint_count);
    mesh.influence_count = 0;
    mesh.joints = NULL;
    mesh.weights = NULL;
    return mesh;
}

// Reads the meshes that nodes carry and counts how many primitives come of it.
static pm_result read_records(pm_gltf *gltf, mesh_record *records, size_t *total) {
    size_t mesh_count = json_array_size(gltf->meshes);
    *total = 0;
    for (uint32_t node = 0; node < gltf->builder->node_count; node++) {
        const json_t *index = json_object_get(json_array_get(gltf->nodes, node), "mesh");
        uint32_t mesh = pm_gltf_index(index);
        if (index && mesh >= mesh_count)
            pm_gltf_drop(gltf, PM_FAULT_REFERENCE, pm_gltf_here(gltf), "node %u: its mesh does not exist",
                         (unsigned)node);
        if (mesh >= mesh_count) continue;
        pm_result result = records[mesh].is_read ? PM_OK : read_mesh(gltf, mesh, &records[mesh]);
        if (result) return result;
        *total += records[mesh].primitive_count;
        if (*total > MESH_LIMIT)
            return pm_fail(gltf->builder->report, PM_ERROR_UNSUPPORTED, PM_FAULT_FILE_UNSUPPORTED,
                           pm_gltf_here(gltf), "more than %d meshes", MESH_LIMIT);
    }
    return PM_OK;
}

pm_result pm_gltf_meshes_read(pm_gltf *gltf) {
    pm_scene_builder *builder = gltf->builder;
    size_t mesh_count = json_array_size(gltf->meshes), total;
    mesh_record *records = pm_arena_allocate(&builder->scratch, mesh_count, sizeof *records);
    if (!records) return pm_gltf_fail_memory(gltf, "meshes");
    pm_result result = read_records(gltf, records, &total);
    if (result) return result;
    builder->meshes = pm_arena_allocate(&builder->scratch, total, sizeof *builder->meshes);
    if (!builder->meshes) return pm_gltf_fail_memory(gltf, "meshes");
    for (uint32_t node = 0; node < builder->node_count; node++) {
        uint32_t mesh = pm_gltf_index(json_object_get(json_array_get(gltf->nodes, node), "mesh"));
        if (mesh >= mesh_count) continue;
        uint32_t skin = find_skin(gltf, node);
        for (uint32_t p = 0; p < records[mesh].primitive_count; p++)
            builder->meshes[builder->mesh_count++] =
                place_primitive(gltf, node, skin, &records[mesh].primitives[p]);
    }
    return PM_OK;
}
