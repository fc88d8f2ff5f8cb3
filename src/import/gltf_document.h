// Posemill internals: a glTF document while it is read: its JSON, and what was read of it already.
//
// Functions that read a part (an accessor, a channel, a primitive) return PM_ERROR_DATA when that part has to
// be left out; the diagnostic was given then, and the caller goes on without the part. Any other error ends
// the import.
#ifndef PM_IMPORT_GLTF_DOCUMENT_H
#define PM_IMPORT_GLTF_DOCUMENT_H

#include "gltf_json.h"
#include "scene.h"

// Bytes of a buffer or of a buffer view, read when they are first asked for.
typedef struct pm_gltf_source {
    enum { PM_SOURCE_UNREAD, PM_SOURCE_READ, PM_SOURCE_FAULTY } state;
    pm_bytes bytes;
    size_t stride;      // of a view, 0 if it gives none
    pm_fault fault;     // of a faulty source,
    const char *reason; // and in words
} pm_gltf_source;

// Sampler output, taken apart into one run of keys for each number that it drives.
//   values  [part][target][key][component]; parts are values, or in-tangents, values and out-tangents
typedef struct pm_gltf_output {
    uint32_t key_count;
    uint32_t part_count;
    uint32_t target_count;
    uint32_t component_count;
    const float *values; // NULL until read
} pm_gltf_output;

typedef struct pm_gltf {
    pm_scene_builder *builder;
    json_t *root;    // owned
    pm_bytes binary; // the binary chunk of a GLB, else empty

    // Arrays of the document; NULL where it has none, which Jansson takes as an empty array.
    const json_t *accessors, *animations, *buffers, *buffer_views, *meshes, *nodes, *skins;

    pm_gltf_source *buffer_sources; // [buffers]
    pm_gltf_source *view_sources;   // [buffer_views]
    const float **floats;           // [accessors], whole accessors in `kept`; NULL until read
    pm_gltf_output *outputs;        // [accessors]
    size_t zeros_left;              // see pm_gltf_take_zeros

    uint32_t *skin_map;      // [skins], skins of the builder, or PM_NONE for faulty ones
    uint32_t *node_weights;  // [nodes], weight ranges of the builder, or PM_NONE
    json_t *pointer_scalars; // owned; see pm_gltf_target_bind
} pm_gltf;

// Parses JSON or GLB. Whatever is returned, pm_gltf_close must follow.
//   bytes  must stay until pm_gltf_close
pm_result pm_gltf_open(pm_gltf *gltf, pm_scene_builder *builder, pm_bytes bytes);

void pm_gltf_close(pm_gltf *gltf);

// Reports a part that is left out. Returns PM_ERROR_DATA.
pm_result pm_gltf_drop(const pm_gltf *gltf, pm_fault fault, pm_place place, const char *format, ...)
    PM_PRINTF(4, 5);

// PM_ERROR_MEMORY with its diagnostic.
pm_result pm_gltf_fail_memory(const pm_gltf *gltf, const char *what);

// A place in the file without clip or channel.
pm_place pm_gltf_here(const pm_gltf *gltf);

// Numbers that the file does not contain (accessors without a buffer view are zero) are granted up to a limit
// for the whole file, so that a hundred bytes cannot ask for gigabytes. False when it is used up.
bool pm_gltf_take_zeros(pm_gltf *gltf, size_t count);

#endif
