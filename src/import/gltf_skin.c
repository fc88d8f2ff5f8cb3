#include "gltf_skin.h"

#include "gltf_accessor.h"

#include <math.h>

// Reads inverse binds: glTF stores columns, the skeleton three rows.
static pm_result read_inverse_binds(pm_gltf *gltf, uint32_t index, uint32_t accessor_index,
                                    pm_skin_def *skin) {
    pm_gltf_accessor accessor;
    const float *columns;
    pm_place here = pm_gltf_here(gltf);
    pm_result result = pm_gltf_accessor_open(gltf, accessor_index, here, &accessor);
    if (result) return result;
    if (accessor.component_count != 16)
        return pm_gltf_drop(gltf, PM_FAULT_ACCESSOR, here, "skin %u: inverse bind matrices are not MAT4",
                            (unsigned)index);
    if (accessor.count < skin->joint_count)
        return pm_fail(gltf->builder->report, PM_ERROR_FORMAT, PM_FAULT_SKIN, here,
                       "skin %u has %u joints, but %u inverse bind matrices", (unsigned)index,
                       (unsigned)skin->joint_count, (unsigned)accessor.count);
    result = pm_gltf_accessor_floats(gltf, &accessor, &columns);
    if (result) return result;
    float *rows = pm_arena_allocate(&gltf->builder->scratch, skin->joint_count, 12 * sizeof *rows);
    if (!rows) return pm_gltf_fail_memory(gltf, "inverse bind matrices");
    skin->inverse_binds = rows;
    for (uint32_t j = 0; j < skin->joint_count; j++, columns += 16)
        for (int row = 0; row < 3; row++)
            for (int column = 0; column < 4; column++) {
                float value = columns[4 * column + row];
                if (!isfinite(value))
                    return pm_gltf_drop(gltf, PM_FAULT_VALUE_NOT_FINITE, here,
                                        "skin %u: the inverse bind matrix of joint %u is not finite",
                                        (unsigned)index, (unsigned)j);
                *rows++ = value;
            }
    return PM_OK;
}

static pm_result read_skin(pm_gltf *gltf, uint32_t index, pm_skin_def *skin) {
    pm_arena *scratch = &gltf->builder->scratch;
    const json_t *json = json_array_get(gltf->skins, index);
    const json_t *joints = json_object_get(json, "joints");
    size_t count = json_array_size(joints);
    if (count == 0 || count >= PM_NONE)
        return pm_gltf_drop(gltf, PM_FAULT_SKIN, pm_gltf_here(gltf), "skin %u has no joints",
                            (unsigned)index);
    uint32_t *nodes = pm_arena_allocate(scratch, count, sizeof *nodes);
    const char *name = pm_gltf_copy_text(scratch, json_object_get(json, "name"));
    if (!nodes || !name) return pm_gltf_fail_memory(gltf, "a skin");
    // Joints that do not exist refuse the file; pm_skeleton_create has the words.
    for (size_t j = 0; j < count; j++) nodes[j] = pm_gltf_index(json_array_get(joints, j));
    *skin = (pm_skin_def){name, (uint32_t)count, nodes, NULL};
    const json_t *accessor = json_object_get(json, "inverseBindMatrices");
    return accessor ? read_inverse_binds(gltf, index, pm_gltf_index(accessor), skin) : PM_OK;
}

pm_result pm_gltf_skins_read(pm_gltf *gltf) {
    pm_scene_builder *builder = gltf->builder;
    size_t count = json_array_size(gltf->skins);
    builder->skins = pm_arena_allocate(&builder->scratch, count, sizeof *builder->skins);
    gltf->skin_map = pm_arena_allocate(&builder->scratch, count, sizeof *gltf->skin_map);
    if (!builder->skins || !gltf->skin_map || count >= PM_NONE) return pm_gltf_fail_memory(gltf, "skins");
    for (uint32_t s = 0; s < count; s++) {
        pm_result result = read_skin(gltf, s, &builder->skins[builder->skin_count]);
        if (result && result != PM_ERROR_DATA) return result;
        gltf->skin_map[s] = result ? PM_NONE : builder->skin_count++;
    }
    return PM_OK;
}
