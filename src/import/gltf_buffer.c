#include "gltf_buffer.h"

#include "gltf_meshopt.h"
#include "gltf_uri.h"

#include <string.h>

// A name in a diagnostic: data URIs are long.
enum { NAME_SHOWN = 80 };

static pm_result set_faulty(pm_gltf *gltf, pm_gltf_source *source, pm_fault fault, const char *reason) {
    if (!reason) return pm_gltf_fail_memory(gltf, "a diagnostic");
    source->state = PM_SOURCE_FAULTY;
    source->fault = fault;
    source->reason = reason;
    return PM_OK;
}

static void set_read(pm_gltf_source *source, pm_bytes bytes, size_t stride) {
    source->state = PM_SOURCE_READ;
    source->bytes = bytes;
    source->stride = stride;
}

// Reads a buffer in a file of its own, at most `length` bytes of it. Some writers do not encode percent signs
// in names, so that the name as it stands is tried too.
static pm_result read_file(pm_gltf *gltf, const char *uri, size_t length, pm_bytes *bytes,
                           const char **reason) {
    pm_arena *scratch = &gltf->builder->scratch;
    char *decoded = pm_uri_path_beside(scratch, gltf->builder->file, uri, true);
    char *plain = pm_uri_path_beside(scratch, gltf->builder->file, uri, false);
    if (!decoded || !plain) return PM_ERROR_MEMORY;
    pm_result result = pm_file_load(scratch, decoded, length, bytes, reason);
    if (result == PM_ERROR_FILE && strcmp(decoded, plain))
        result = pm_file_load(scratch, plain, length, bytes, reason);
    return result;
}

static pm_result load_uri(pm_gltf *gltf, uint32_t buffer, const char *uri, size_t length,
                          pm_gltf_source *source) {
    pm_arena *scratch = &gltf->builder->scratch;
    pm_bytes bytes;
    const char *reason = "";
    bool is_data = pm_uri_is_data(uri);
    if (!is_data && pm_uri_is_absolute(uri))
        return set_faulty(gltf, source, PM_FAULT_FILE_UNSUPPORTED,
                          pm_arena_print(scratch, "buffer %u is at \"%.*s\", which is not beside the file",
                                         (unsigned)buffer, NAME_SHOWN, uri));
    pm_result result = is_data ? pm_uri_decode_data(uri, scratch, &bytes, &reason)
                               : read_file(gltf, uri, length, &bytes, &reason);
    if (result == PM_ERROR_MEMORY) return pm_gltf_fail_memory(gltf, "a buffer");
    if (result && is_data)
        return set_faulty(gltf, source, PM_FAULT_FILE_FORMAT,
                          pm_arena_print(scratch, "buffer %u: %s", (unsigned)buffer, reason));
    if (result)
        return set_faulty(gltf, source, PM_FAULT_FILE_UNREADABLE,
                          pm_arena_print(scratch, "buffer %u, \"%.*s\", cannot be read: %s", (unsigned)buffer,
                                         NAME_SHOWN, uri, reason));
    if (bytes.size > length) bytes.size = length;
    set_read(source, bytes, 0);
    return PM_OK;
}

static pm_result load_buffer(pm_gltf *gltf, uint32_t buffer, pm_gltf_source *source) {
    pm_arena *scratch = &gltf->builder->scratch;
    const json_t *json = json_array_get(gltf->buffers, buffer);
    size_t length;
    if (!pm_gltf_size(json, "byteLength", SIZE_MAX / 4, &length))
        return set_faulty(gltf, source, PM_FAULT_FILE_FORMAT,
                          pm_arena_print(scratch, "buffer %u has no valid byteLength", (unsigned)buffer));
    const json_t *uri = json_object_get(json, "uri");
    pm_result result = PM_OK;
    if (json_is_string(uri)) {
        result = load_uri(gltf, buffer, json_string_value(uri), length, source);
    } else if (buffer == 0 && gltf->binary.data) {
        pm_bytes bytes = gltf->binary;
        if (bytes.size > length) bytes.size = length;
        set_read(source, bytes, 0);
    } else {
        result =
            set_faulty(gltf, source, PM_FAULT_REFERENCE,
                       pm_arena_print(scratch, "buffer %u has neither a uri nor data", (unsigned)buffer));
    }
    if (!result && source->state == PM_SOURCE_READ && json_object_get(json, "byteLength") &&
        source->bytes.size < length)
        pm_diagnose(gltf->builder->report, PM_SEVERITY_DROPPED, PM_FAULT_FILE_TRUNCATED, pm_gltf_here(gltf),
                    "buffer %u has %zu of its %zu bytes", (unsigned)buffer, source->bytes.size, length);
    return result;
}

// Loads a buffer if it was not yet. Its fault stays in the source.
static pm_result find_buffer(pm_gltf *gltf, uint32_t buffer, const pm_gltf_source **source) {
    static const pm_gltf_source missing = {
        .state = PM_SOURCE_FAULTY, .fault = PM_FAULT_REFERENCE, .reason = "its buffer does not exist"};
    *source = &missing;
    if (buffer >= json_array_size(gltf->buffers)) return PM_OK;
    pm_gltf_source *found = &gltf->buffer_sources[buffer];
    *source = found;
    return found->state == PM_SOURCE_UNREAD ? load_buffer(gltf, buffer, found) : PM_OK;
}

// The bytes that a view, or its compression extension, points to; cut off where the buffer ends.
static pm_result locate(pm_gltf *gltf, const json_t *json, uint32_t view, pm_gltf_source *source,
                        pm_bytes *bytes) {
    pm_arena *scratch = &gltf->builder->scratch;
    size_t offset, length;
    bool valid = pm_gltf_size(json, "byteOffset", 0, &offset);
    valid = pm_gltf_size(json, "byteLength", 0, &length) && valid;
    if (!valid)
        return set_faulty(
            gltf, source, PM_FAULT_FILE_FORMAT,
            pm_arena_print(scratch, "bufferView %u has no valid byteOffset and byteLength", (unsigned)view));
    const pm_gltf_source *buffer;
    pm_result result = find_buffer(gltf, pm_gltf_index(json_object_get(json, "buffer")), &buffer);
    if (result) return result;
    if (buffer->state == PM_SOURCE_FAULTY)
        return set_faulty(gltf, source, buffer->fault,
                          pm_arena_print(scratch, "bufferView %u: %s", (unsigned)view, buffer->reason));
    size_t size = buffer->bytes.size;
    if (offset > size) offset = size;
    if (length > size - offset) length = size - offset;
    *bytes = (pm_bytes){buffer->bytes.data + offset, length};
    return PM_OK;
}

static pm_result load_compressed(pm_gltf *gltf, const json_t *extension, uint32_t view,
                                 pm_gltf_source *source) {
    pm_arena *scratch = &gltf->builder->scratch;
    pm_bytes compressed, decoded;
    pm_result result = locate(gltf, extension, view, source, &compressed);
    if (result || source->state == PM_SOURCE_FAULTY) return result;
    size_t stride;
    const char *reason;
    result = pm_gltf_meshopt_decode(extension, compressed, scratch, &decoded, &stride, &reason);
    if (result == PM_ERROR_MEMORY) return pm_gltf_fail_memory(gltf, "a compressed buffer view");
    if (result)
        return set_faulty(gltf, source, PM_FAULT_FILE_FORMAT,
                          pm_arena_print(scratch, "bufferView %u: %s", (unsigned)view, reason));
    set_read(source, decoded, stride);
    return PM_OK;
}

static pm_result load_plain(pm_gltf *gltf, const json_t *json, uint32_t view, pm_gltf_source *source) {
    size_t stride;
    if (!pm_gltf_size(json, "byteStride", 0, &stride))
        return set_faulty(
            gltf, source, PM_FAULT_FILE_FORMAT,
            pm_arena_print(&gltf->builder->scratch, "bufferView %u has no valid byteStride", (unsigned)view));
    pm_bytes bytes;
    pm_result result = locate(gltf, json, view, source, &bytes);
    if (!result && source->state != PM_SOURCE_FAULTY) set_read(source, bytes, stride);
    return result;
}

// A compressed view's own buffer is a fallback for readers without the extension, and mostly holds nothing.
// It is used where the compressed bytes cannot be.
static pm_result load_view(pm_gltf *gltf, uint32_t view, pm_gltf_source *source) {
    const json_t *json = json_array_get(gltf->buffer_views, view);
    const json_t *extension = pm_gltf_meshopt_extension(json);
    if (!extension) return load_plain(gltf, json, view, source);

    pm_result result = load_compressed(gltf, extension, view, source);
    if (result || source->state == PM_SOURCE_READ) return result;
    pm_gltf_source fallback = {.state = PM_SOURCE_UNREAD};
    result = load_plain(gltf, json, view, &fallback);
    if (result || fallback.state == PM_SOURCE_FAULTY || fallback.bytes.size == 0) return result;
    pm_diagnose(gltf->builder->report, PM_SEVERITY_REPAIR, source->fault, pm_gltf_here(gltf),
                "%s; its uncompressed fallback is used", source->reason);
    *source = fallback;
    return PM_OK;
}

pm_result pm_gltf_view_read(pm_gltf *gltf, uint32_t view, pm_place place, pm_bytes *bytes, size_t *stride) {
    if (view >= json_array_size(gltf->buffer_views))
        return pm_gltf_drop(gltf, PM_FAULT_REFERENCE, place, "its bufferView does not exist");
    pm_gltf_source *source = &gltf->view_sources[view];
    if (source->state == PM_SOURCE_UNREAD) {
        pm_result result = load_view(gltf, view, source);
        if (result) return result;
    }
    if (source->state == PM_SOURCE_FAULTY)
        return pm_gltf_drop(gltf, source->fault, place, "%s", source->reason);
    *bytes = source->bytes;
    *stride = source->stride;
    return PM_OK;
}
