#include "assimp_import.h"

#include "../file.h"
#include "assimp_reader.h"
#include "collada.h"

#include <assimp/cimport.h>
#include <assimp/commonMetaData.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <limits.h>
#include <string.h>

static struct aiPropertyStore *make_properties(void) {
    struct aiPropertyStore *properties = aiCreatePropertyStore();
    if (!properties) return NULL;
    // Assimp (5.2) gives an animated FBX node with pivots several channels, for which there are nodes only if
    // pivots are preserved. Nodes that do not move are folded away again here.
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, 1);
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_FBX_OPTIMIZE_EMPTY_ANIMATION_CURVES, 0);
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_FBX_READ_MATERIALS, 0);
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_FBX_READ_TEXTURES, 0);
    // No meshes made up for files that have none.
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
    aiSetImportPropertyInteger(properties, AI_CONFIG_PP_RVC_FLAGS,
                               aiComponent_TEXCOORDS | aiComponent_COLORS |
                                   aiComponent_TANGENTS_AND_BITANGENTS);
    return properties;
}

// From memory, so that what Assimp cannot bear can be taken out before.
static pm_result open_scene(pm_scene_builder *builder, pm_bytes bytes, const char *extension,
                            const struct aiScene **scene) {
    pm_place place = pm_scene_builder_place(builder, NULL, NULL);
    // Assimp asserts on no bytes at all.
    if (!bytes.size)
        return pm_fail(builder->report, PM_ERROR_FORMAT, PM_FAULT_FILE_TRUNCATED, place, "the file is empty");
    if (bytes.size > UINT_MAX)
        return pm_fail(builder->report, PM_ERROR_UNSUPPORTED, PM_FAULT_FILE_UNSUPPORTED, place,
                       "the file is larger than 4 GiB");
    struct aiPropertyStore *properties = make_properties();
    if (!properties) return pm_fail_memory(builder->report, "Assimp");
    unsigned steps = 0;
    if (builder->options.meshes)
        steps = aiProcess_RemoveComponent | aiProcess_Triangulate | aiProcess_JoinIdenticalVertices;
    *scene = aiImportFileFromMemoryWithProperties((const char *)bytes.data, (unsigned)bytes.size, steps,
                                                  extension, properties);
    aiReleasePropertyStore(properties);
    if (!*scene)
        return pm_fail(builder->report, PM_ERROR_FORMAT, PM_FAULT_FILE_FORMAT, place, "Assimp: %s",
                       aiGetErrorString());
    if (!(*scene)->mRootNode)
        return pm_fail(builder->report, PM_ERROR_FORMAT, PM_FAULT_FILE_FORMAT, place, "there are no nodes");
    return PM_OK;
}

// The program that wrote the file, where Assimp knows it.
static pm_result read_generator(pm_assimp_reader *reader) {
    const struct aiMetadata *metadata = reader->scene->mMetaData;
    for (unsigned i = 0; metadata && i < metadata->mNumProperties; i++) {
        if (strcmp(metadata->mKeys[i].data, AI_METADATA_SOURCE_GENERATOR) ||
            metadata->mValues[i].mType != AI_AISTRING)
            continue;
        const struct aiString *text = metadata->mValues[i].mData;
        char *copy = pm_arena_copy_text(&reader->builder->kept, text->data, strlen(text->data));
        if (!copy) return pm_fail_memory(reader->builder->report, "the generator's name");
        reader->builder->generator = copy;
    }
    return PM_OK;
}

static pm_result read_scene(pm_scene_builder *builder, const struct aiScene *scene, bool has_rest_weights) {
    pm_assimp_reader reader = {.builder = builder, .scene = scene, .has_rest_weights = has_rest_weights};
    pm_result result = read_generator(&reader);
    if (!result) result = pm_assimp_read_nodes(&reader);
    if (!result) result = pm_assimp_read_meshes(&reader);
    if (!result) result = pm_assimp_read_animations(&reader);
    return result;
}

static pm_result import_file(const char *path, const pm_import_options *options, pm_scene **scene,
                             pm_report *report, const char *extension) {
    bool is_collada = !strcmp(extension, "dae");
    pm_scene_builder builder;
    const struct aiScene *source = NULL;
    pm_bytes bytes;
    pm_result result = pm_scene_builder_start(&builder, path, options, report);
    if (!result)
        result = pm_file_read(&builder.scratch, path, pm_scene_builder_place(&builder, NULL, NULL), report,
                              &bytes);
    if (!result && is_collada) result = pm_collada_silence_morphs(&builder, &bytes);
    if (!result) result = open_scene(&builder, bytes, extension, &source);
    if (!result) result = read_scene(&builder, source, is_collada);
    result = pm_scene_builder_finish(&builder, result, scene);
    // Only now, as the builder's nodes and skins have their names from there.
    aiReleaseImport(source);
    return result;
}

pm_result pm_import_fbx_file(const char *path, const pm_import_options *options, pm_scene **scene,
                             pm_report *report) {
    return import_file(path, options, scene, report, "fbx");
}

pm_result pm_import_collada_file(const char *path, const pm_import_options *options, pm_scene **scene,
                                 pm_report *report) {
    return import_file(path, options, scene, report, "dae");
}
