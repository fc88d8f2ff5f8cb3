#include "gltf.h"

#include "gltf_animation.h"
#include "gltf_document.h"
#include "gltf_mesh.h"
#include "gltf_node.h"
#include "gltf_skin.h"

#include <assert.h>

static pm_result read_gltf(pm_scene_builder *builder, pm_bytes bytes) {
    pm_gltf gltf;
    pm_result result = pm_gltf_open(&gltf, builder, bytes);
    if (!result) result = pm_gltf_nodes_read(&gltf);
    if (!result) result = pm_gltf_skins_read(&gltf);
    if (!result) result = pm_gltf_animations_read(&gltf);
    if (!result && builder->options.meshes) result = pm_gltf_meshes_read(&gltf);
    pm_gltf_close(&gltf);
    return result;
}

pm_result pm_import_gltf_memory(const void *bytes, size_t size, const char *path,
                                const pm_import_options *options, pm_scene **scene, pm_report *report) {
    assert(scene && (bytes || size == 0));
    pm_scene_builder builder;
    pm_result result = pm_scene_builder_start(&builder, path, options, report);
    if (!result) result = read_gltf(&builder, (pm_bytes){bytes, size});
    return pm_scene_builder_finish(&builder, result, scene);
}

pm_result pm_import_gltf_file(const char *path, const pm_import_options *options, pm_scene **scene,
                              pm_report *report) {
    pm_scene_builder builder;
    pm_bytes bytes;
    pm_result result = pm_scene_builder_start(&builder, path, options, report);
    if (!result)
        result = pm_file_read(&builder.scratch, path, pm_scene_builder_place(&builder, NULL, NULL), report,
                              &bytes);
    if (!result) result = read_gltf(&builder, bytes);
    return pm_scene_builder_finish(&builder, result, scene);
}
