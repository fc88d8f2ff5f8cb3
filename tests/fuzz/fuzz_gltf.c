// Any bytes are a glTF file or an error with a reason; what comes of them keeps import.h's promises and
// compiles.
//
//     cmake --preset fuzz && cmake --build --preset fuzz --target fuzz_gltf
//     build/fuzz/fuzz_gltf -max_len=65536 -rss_limit_mb=3000 -malloc_limit_mb=1500 CORPUS_FOLDER
//
// with small .gltf and .glb files in the folder to begin with.
#include <posemill/import.h>
#include <posemill/posemill.h>

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void require(bool condition) {
    if (!condition) abort();
}

// Reads every value, so that a sanitizer sees an array that is too short.
static void touch(const float *values, size_t count) {
    volatile float sum = 0;
    for (size_t i = 0; i < count; i++) sum = sum + values[i];
}

static void check_channel(const pm_scene *scene, const pm_channel *channel) {
    const pm_skeleton *skeleton = scene->skeleton;
    size_t count = (size_t)channel->key_count * channel->component_count;
    bool is_scalar = channel->path == PM_PATH_SCALAR;
    require(channel->target < (is_scalar ? skeleton->scalar_count : skeleton->joint_count));
    require(channel->component_count == pm_path_component_count(channel->path));
    require(channel->value_count == channel->key_count);
    require((channel->interpolation == PM_INTERPOLATION_CUBIC) == (channel->in_tangents != NULL));
    touch(channel->times, channel->key_count);
    touch(channel->values, count);
    if (channel->in_tangents) touch(channel->in_tangents, count);
    if (channel->out_tangents) touch(channel->out_tangents, count);
    require(channel->name != NULL);
}

static void check_mesh(const pm_scene *scene, const pm_mesh *mesh) {
    size_t vertex_count = mesh->vertex_count;
    require(mesh->joint < scene->skeleton->joint_count);
    touch(mesh->positions, 3 * vertex_count);
    if (mesh->normals) touch(mesh->normals, 3 * vertex_count);
    if (mesh->morph_positions) touch(mesh->morph_positions, 3 * vertex_count * mesh->morph_count);
    for (uint32_t i = 0; i < mesh->index_count; i++) require(mesh->indices[i] < vertex_count);
    if (mesh->skin != PM_NONE) {
        require(mesh->skin < scene->skeleton->skin_count);
        for (size_t i = 0; i < vertex_count * mesh->influence_count; i++) {
            require(mesh->joints[i] < scene->skeleton->skins[mesh->skin].joint_count);
            require(isfinite(mesh->weights[i]));
        }
    }
    if (mesh->first_scalar != PM_NONE)
        require(mesh->first_scalar + mesh->morph_count <= scene->skeleton->scalar_count);
}

// What was imported compiles, in a file of any faults: repair leaves out what it cannot mend.
static void check_clip(const pm_clip_source *source, const pm_skeleton *skeleton) {
    pm_clip *clip;
    const pm_clip *loaded;
    require(pm_clip_compile(source, skeleton, NULL, NULL, &clip, NULL) == PM_OK);
    require(pm_clip_load(clip, pm_clip_get_info(clip).size_bytes, &loaded, NULL) == PM_OK);
    pm_clip_destroy(clip, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    pm_report report = {0};
    pm_scene *scene;
    // A folder that is not there: buffers in files of their own are not looked for.
    pm_result result = pm_import_gltf_memory(bytes, size, "no/such/folder/fuzz.glb", NULL, &scene, &report);
    require((result == PM_OK) == (scene != NULL));
    require((result == PM_OK) == (report.message[0] == '\0'));
    if (!scene) return 0;
    for (uint32_t c = 0; c < scene->clip_count; c++) {
        for (uint32_t i = 0; i < scene->clips[c].channel_count; i++)
            check_channel(scene, &scene->clips[c].channels[i]);
        check_clip(&scene->clips[c], scene->skeleton);
    }
    for (uint32_t m = 0; m < scene->mesh_count; m++) check_mesh(scene, &scene->meshes[m]);
    for (uint32_t w = 0; w < scene->weight_range_count; w++)
        require(scene->weight_ranges[w].joint < scene->skeleton->joint_count);
    pm_scene_destroy(scene);
    return 0;
}
