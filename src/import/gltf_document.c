#include "gltf_document.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// 256 MiB of floats.
enum { ZEROS_LIMIT = 1 << 26 };

enum {
    GLB_MAGIC = 0x46546c67, // "glTF"
    GLB_CHUNK_JSON = 0x4e4f534a,
    GLB_CHUNK_BINARY = 0x004e4942,
    GLB_HEADER_BYTES = 12,
    GLB_CHUNK_HEADER_BYTES = 8
};

pm_place pm_gltf_here(const pm_gltf *gltf) {
    return pm_scene_builder_place(gltf->builder, NULL, NULL);
}

pm_result pm_gltf_drop(const pm_gltf *gltf, pm_fault fault, pm_place place, const char *format, ...) {
    char text[PM_REPORT_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pm_diagnose(gltf->builder->report, PM_SEVERITY_DROPPED, fault, place, "%s", text);
    return PM_ERROR_DATA;
}

pm_result pm_gltf_fail_memory(const pm_gltf *gltf, const char *what) {
    return pm_fail_memory(gltf->builder->report, what);
}

bool pm_gltf_take_zeros(pm_gltf *gltf, size_t count) {
    if (count > gltf->zeros_left) return false;
    gltf->zeros_left -= count;
    return true;
}

static pm_result fail(const pm_gltf *gltf, pm_result result, pm_fault fault, const char *text) {
    return pm_fail(gltf->builder->report, result, fault, pm_gltf_here(gltf), "%s", text);
}

static uint32_t read_u32(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

// Takes one chunk off `rest`. Some writers leave out the padding of the last chunk, so it is not required.
static bool take_chunk(pm_bytes *rest, uint32_t *type, pm_bytes *chunk) {
    if (rest->size < GLB_CHUNK_HEADER_BYTES) return false;
    uint32_t size = read_u32(rest->data);
    *type = read_u32(rest->data + 4);
    if (size > rest->size - GLB_CHUNK_HEADER_BYTES) return false;
    *chunk = (pm_bytes){rest->data + GLB_CHUNK_HEADER_BYTES, size};
    size_t taken = GLB_CHUNK_HEADER_BYTES + (size_t)size;
    *rest = (pm_bytes){rest->data + taken, rest->size - taken};
    return true;
}

// Finds JSON and binary chunk; what follows the GLB's own length is ignored.
static pm_result open_glb(pm_gltf *gltf, pm_bytes bytes, pm_bytes *json) {
    pm_report *report = gltf->builder->report;
    if (bytes.size < GLB_HEADER_BYTES)
        return fail(gltf, PM_ERROR_FORMAT, PM_FAULT_FILE_TRUNCATED, "the GLB ends within its header");
    uint32_t version = read_u32(bytes.data + 4);
    if (version != 2)
        return pm_fail(report, PM_ERROR_UNSUPPORTED, PM_FAULT_FILE_UNSUPPORTED, pm_gltf_here(gltf),
                       "GLB version %u; only version 2 is read", (unsigned)version);
    uint32_t length = read_u32(bytes.data + 8);
    if (length > bytes.size)
        return pm_fail(report, PM_ERROR_FORMAT, PM_FAULT_FILE_TRUNCATED, pm_gltf_here(gltf),
                       "the GLB says that it has %u bytes, but %zu are there", (unsigned)length, bytes.size);
    if (length < GLB_HEADER_BYTES)
        return fail(gltf, PM_ERROR_FORMAT, PM_FAULT_FILE_FORMAT, "the GLB's length is less than its header");
    pm_bytes rest = {bytes.data + GLB_HEADER_BYTES, length - GLB_HEADER_BYTES};
    uint32_t type;
    if (!take_chunk(&rest, &type, json))
        return fail(gltf, PM_ERROR_FORMAT, PM_FAULT_FILE_TRUNCATED, "the GLB ends within its JSON chunk");
    if (type != GLB_CHUNK_JSON)
        return fail(gltf, PM_ERROR_FORMAT, PM_FAULT_FILE_FORMAT, "the GLB's first chunk is not JSON");
    while (rest.size >= GLB_CHUNK_HEADER_BYTES) {
        pm_bytes chunk;
        if (!take_chunk(&rest, &type, &chunk))
            return fail(gltf, PM_ERROR_FORMAT, PM_FAULT_FILE_TRUNCATED, "the GLB ends within a chunk");
        if (type == GLB_CHUNK_BINARY && !gltf->binary.data) gltf->binary = chunk;
    }
    return PM_OK;
}

// A byte order mark in front and zeros at the end (padding of some GLB writers) are no part of the JSON.
static pm_bytes trim(pm_bytes json) {
    if (json.size >= 3 && !memcmp(json.data, "\xef\xbb\xbf", 3))
        json = (pm_bytes){json.data + 3, json.size - 3};
    while (json.size && json.data[json.size - 1] == '\0') json.size--;
    return json;
}

static pm_result parse_json(pm_gltf *gltf, pm_bytes json) {
    json_error_t error;
    bool repaired;
    pm_result result =
        pm_gltf_parse_json(trim(json), &gltf->builder->scratch, &gltf->root, &repaired, &error);
    if (result == PM_ERROR_MEMORY) return pm_gltf_fail_memory(gltf, "the JSON document");
    if (result)
        return pm_fail(gltf->builder->report, result, PM_FAULT_FILE_FORMAT, pm_gltf_here(gltf),
                       "not valid JSON at line %d, column %d: %s", error.line, error.column, error.text);
    if (repaired)
        pm_diagnose(gltf->builder->report, PM_SEVERITY_REPAIR, PM_FAULT_FILE_FORMAT, pm_gltf_here(gltf),
                    "bytes that are not UTF-8 were taken as '?'");
    if (!json_is_object(gltf->root))
        return fail(gltf, PM_ERROR_FORMAT, PM_FAULT_FILE_FORMAT, "the JSON is no object, so no glTF");
    return PM_OK;
}

static pm_result check_version(pm_gltf *gltf) {
    const json_t *asset = json_object_get(gltf->root, "asset");
    const char *version = pm_gltf_text(json_object_get(asset, "version"));
    // In glTF 1.0 nodes are an object.
    if (!strncmp(version, "1.", 2) || json_is_object(json_object_get(gltf->root, "nodes")))
        return fail(gltf, PM_ERROR_UNSUPPORTED, PM_FAULT_FILE_UNSUPPORTED, "glTF 1.0; only glTF 2.0 is read");
    const char *minimum = pm_gltf_text(json_object_get(asset, "minVersion"));
    if ((version[0] && strncmp(version, "2.", 2)) || (minimum[0] && strcmp(minimum, "2.0")))
        return pm_fail(gltf->builder->report, PM_ERROR_UNSUPPORTED, PM_FAULT_FILE_UNSUPPORTED,
                       pm_gltf_here(gltf), "glTF version \"%.16s\"; only glTF 2.0 is read",
                       minimum[0] ? minimum : version);
    if (version[0]) return PM_OK;
    if (!json_object_get(gltf->root, "nodes") && !json_object_get(gltf->root, "animations"))
        return fail(gltf, PM_ERROR_FORMAT, PM_FAULT_FILE_FORMAT,
                    "JSON without asset, nodes and animations is no glTF");
    pm_diagnose(gltf->builder->report, PM_SEVERITY_NOTE, PM_FAULT_FILE_FORMAT, pm_gltf_here(gltf),
                "no asset.version; taken as 2.0");
    return PM_OK;
}

// What is read here, or cannot change what is read.
static bool is_known_extension(const char *name) {
    static const char *const names[] = {"KHR_animation_pointer",   "EXT_meshopt_compression",
                                        "KHR_meshopt_compression", "KHR_mesh_quantization",
                                        "KHR_lights_punctual",     "KHR_draco_mesh_compression"};
    static const char *const prefixes[] = {"KHR_materials_", "KHR_texture_", "EXT_texture_"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i])) return true;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(name, prefixes[i], strlen(prefixes[i]))) return true;
    return false;
}

static void note_unknown_extensions(const pm_gltf *gltf) {
    const json_t *required = json_object_get(gltf->root, "extensionsRequired");
    for (size_t i = 0; i < json_array_size(required); i++) {
        const char *name = pm_gltf_text(json_array_get(required, i));
        if (is_known_extension(name)) continue;
        pm_diagnose(gltf->builder->report, PM_SEVERITY_NOTE, PM_FAULT_FILE_UNSUPPORTED, pm_gltf_here(gltf),
                    "requires the extension \"%.64s\", which is not known here; what it adds is left out",
                    name);
    }
}

static pm_result find_array(const pm_gltf *gltf, const char *key, const json_t **array) {
    *array = json_object_get(gltf->root, key);
    if (!*array || json_is_array(*array)) return PM_OK;
    return pm_fail(gltf->builder->report, PM_ERROR_FORMAT, PM_FAULT_FILE_FORMAT, pm_gltf_here(gltf),
                   "\"%s\" is not an array", key);
}

static pm_result find_arrays(pm_gltf *gltf) {
    pm_result result = find_array(gltf, "accessors", &gltf->accessors);
    if (!result) result = find_array(gltf, "animations", &gltf->animations);
    if (!result) result = find_array(gltf, "buffers", &gltf->buffers);
    if (!result) result = find_array(gltf, "bufferViews", &gltf->buffer_views);
    if (!result) result = find_array(gltf, "meshes", &gltf->meshes);
    if (!result) result = find_array(gltf, "nodes", &gltf->nodes);
    if (!result) result = find_array(gltf, "skins", &gltf->skins);
    return result;
}

static pm_result allocate_caches(pm_gltf *gltf) {
    pm_arena *scratch = &gltf->builder->scratch;
    size_t accessor_count = json_array_size(gltf->accessors);
    gltf->buffer_sources =
        pm_arena_allocate(scratch, json_array_size(gltf->buffers), sizeof *gltf->buffer_sources);
    gltf->view_sources =
        pm_arena_allocate(scratch, json_array_size(gltf->buffer_views), sizeof *gltf->view_sources);
    gltf->floats = pm_arena_allocate(scratch, accessor_count, sizeof *gltf->floats);
    gltf->outputs = pm_arena_allocate(scratch, accessor_count, sizeof *gltf->outputs);
    bool complete = gltf->buffer_sources && gltf->view_sources && gltf->floats && gltf->outputs;
    return complete ? PM_OK : pm_gltf_fail_memory(gltf, "the document's tables");
}

pm_result pm_gltf_open(pm_gltf *gltf, pm_scene_builder *builder, pm_bytes bytes) {
    *gltf = (pm_gltf){.builder = builder, .zeros_left = ZEROS_LIMIT};
    if (bytes.size == 0) return fail(gltf, PM_ERROR_FORMAT, PM_FAULT_FILE_TRUNCATED, "the file is empty");
    pm_bytes json = bytes;
    pm_result result = PM_OK;
    if (bytes.size >= 4 && read_u32(bytes.data) == GLB_MAGIC) result = open_glb(gltf, bytes, &json);
    if (!result) result = parse_json(gltf, json);
    if (!result) result = check_version(gltf);
    if (!result) result = find_arrays(gltf);
    if (!result) result = allocate_caches(gltf);
    if (result) return result;
    note_unknown_extensions(gltf);
    const json_t *asset = json_object_get(gltf->root, "asset");
    builder->generator = pm_gltf_copy_text(&builder->kept, json_object_get(asset, "generator"));
    return builder->generator ? PM_OK : pm_gltf_fail_memory(gltf, "the generator's name");
}

void pm_gltf_close(pm_gltf *gltf) {
    json_decref(gltf->root);
    json_decref(gltf->pointer_scalars);
    gltf->root = gltf->pointer_scalars = NULL;
}
