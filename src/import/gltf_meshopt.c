#include "gltf_meshopt.h"

#include <meshoptimizer.h>
#include <string.h>

typedef enum meshopt_mode { MODE_ATTRIBUTES, MODE_TRIANGLES, MODE_INDICES, MODE_COUNT } meshopt_mode;
typedef enum meshopt_filter {
    FILTER_NONE,
    FILTER_OCTAHEDRAL,
    FILTER_QUATERNION,
    FILTER_EXPONENTIAL,
    FILTER_COUNT
} meshopt_filter;

typedef struct meshopt_layout {
    size_t count, stride;
    meshopt_mode mode;
    meshopt_filter filter;
} meshopt_layout;

// No codec packs better: version 1 of the vertex codec spends at least 2 bits on 256 bytes (version 0 on 16),
// the index codecs at least a byte on three indices. It keeps a small file from asking for gigabytes.
enum { EXPANSION_LIMIT = 1024 };

const json_t *pm_gltf_meshopt_extension(const json_t *object) {
    const json_t *extensions = json_object_get(object, "extensions");
    const json_t *extension = json_object_get(extensions, "EXT_meshopt_compression");
    return extension ? extension : json_object_get(extensions, "KHR_meshopt_compression");
}

// The position of `text` in `names`, or `count`.
static unsigned find_name(const char *text, const char *const *names, unsigned count) {
    unsigned i = 0;
    while (i < count && strcmp(text, names[i])) i++;
    return i;
}

static const char *read_layout(const json_t *extension, meshopt_layout *layout) {
    static const char *const modes[MODE_COUNT] = {"ATTRIBUTES", "TRIANGLES", "INDICES"};
    static const char *const filters[FILTER_COUNT] = {"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL"};
    const json_t *filter = json_object_get(extension, "filter");
    layout->mode =
        (meshopt_mode)find_name(pm_gltf_text(json_object_get(extension, "mode")), modes, MODE_COUNT);
    layout->filter =
        filter ? (meshopt_filter)find_name(pm_gltf_text(filter), filters, FILTER_COUNT) : FILTER_NONE;
    if (layout->mode == MODE_COUNT) return "its meshopt compression has an unknown mode";
    if (layout->filter == FILTER_COUNT) return "its meshopt compression has an unknown filter";
    if (!pm_gltf_size(extension, "count", 0, &layout->count) ||
        !pm_gltf_size(extension, "byteStride", 0, &layout->stride))
        return "its meshopt compression has no count or byteStride";
    return NULL;
}

// What the decoders require of their arguments; they assert it, or read astray.
static const char *check_layout(const meshopt_layout *layout, size_t compressed_size) {
    size_t stride = layout->stride;
    if (layout->mode != MODE_ATTRIBUTES) {
        if (stride != 2 && stride != 4) return "its meshopt indices have a byteStride other than 2 and 4";
        if (layout->mode == MODE_TRIANGLES && layout->count % 3)
            return "its meshopt triangles have a count that 3 does not divide";
        if (layout->filter != FILTER_NONE) return "its meshopt indices have a filter";
    } else if (stride == 0 || stride > 256 || stride % 4)
        return "its meshopt attributes have a byteStride that is no multiple of 4 up to 256";
    if (layout->filter == FILTER_OCTAHEDRAL && stride != 4 && stride != 8)
        return "its octahedral filter has a byteStride other than 4 and 8";
    if (layout->filter == FILTER_QUATERNION && stride != 8)
        return "its quaternion filter has a byteStride other than 8";
    if (layout->count / EXPANSION_LIMIT > compressed_size / stride) return "its meshopt data are too short";
    return NULL;
}

static bool decode(const meshopt_layout *layout, pm_bytes compressed, void *decoded) {
    int failed = -1;
    switch (layout->mode) {
    case MODE_ATTRIBUTES:
        failed = meshopt_decodeVertexBuffer(decoded, layout->count, layout->stride, compressed.data,
                                            compressed.size);
        break;
    case MODE_TRIANGLES:
        failed = meshopt_decodeIndexBuffer(decoded, layout->count, layout->stride, compressed.data,
                                           compressed.size);
        break;
    case MODE_INDICES:
        failed = meshopt_decodeIndexSequence(decoded, layout->count, layout->stride, compressed.data,
                                             compressed.size);
        break;
    case MODE_COUNT:
        break;
    }
    return !failed;
}

static void apply_filter(const meshopt_layout *layout, void *decoded) {
    if (layout->filter == FILTER_OCTAHEDRAL) meshopt_decodeFilterOct(decoded, layout->count, layout->stride);
    if (layout->filter == FILTER_QUATERNION) meshopt_decodeFilterQuat(decoded, layout->count, layout->stride);
    if (layout->filter == FILTER_EXPONENTIAL) meshopt_decodeFilterExp(decoded, layout->count, layout->stride);
}

pm_result pm_gltf_meshopt_decode(const json_t *extension, pm_bytes compressed, pm_arena *arena,
                                 pm_bytes *decoded, size_t *stride, const char **reason) {
    meshopt_layout layout;
    *reason = read_layout(extension, &layout);
    if (!*reason) *reason = check_layout(&layout, compressed.size);
    if (*reason) return PM_ERROR_FORMAT;
    *stride = layout.stride;
    void *data = pm_arena_allocate(arena, layout.count, layout.stride);
    if (!data) return PM_ERROR_MEMORY;
    *decoded = (pm_bytes){data, layout.count * layout.stride};
    if (layout.count == 0) return PM_OK;
    if (!decode(&layout, compressed, data)) {
        *reason = "its meshopt data cannot be decoded";
        return PM_ERROR_FORMAT;
    }
    apply_filter(&layout, data);
    return PM_OK;
}
