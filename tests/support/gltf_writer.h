// Tests: writes small glTF files piece by piece.
//
//     gltf_writer *writer = gltf_writer_new();
//     gltf_add(writer, "nodes", "{'name':'Hips'}");
//     uint32_t times = gltf_floats(writer, "SCALAR", 2, (float[]){0, 1});
//     ...
//     pm_scene *scene = gltf_import(writer, &report); // and releases the writer
//
// In all JSON that is given, single quotes stand for double ones.
#ifndef GLTF_WRITER_H
#define GLTF_WRITER_H

#include <posemill/import.h>

typedef struct gltf_writer gltf_writer;

typedef struct gltf_file {
    char *bytes; // one zero follows the last; release with free
    size_t size;
} gltf_file;

// An empty document of version 2.0 with one buffer.
gltf_writer *gltf_writer_new(void);
void gltf_writer_free(gltf_writer *writer);

// Adds an element to a top-level array ("nodes", "accessors" ...) and gives its index.
uint32_t gltf_add(gltf_writer *writer, const char *array, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Adds a top-level member that is no array of the kind above.
void gltf_set(gltf_writer *writer, const char *member, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Appends bytes to the buffer, 4-byte aligned, and gives their offset.
size_t gltf_bytes(gltf_writer *writer, const void *bytes, size_t size);

// The same with a buffer view; a stride of 0 is left out.
uint32_t gltf_view(gltf_writer *writer, const void *bytes, size_t size, size_t stride);

// The same with an accessor of floats.
uint32_t gltf_floats(gltf_writer *writer, const char *type, uint32_t count, const float *values);

// An animation of one channel, `target` being its JSON. Interpolation NULL is left out.
uint32_t gltf_animate(gltf_writer *writer, const char *target, const char *interpolation, uint32_t input,
                      uint32_t output);

// The document as JSON with the buffer as `uri`; NULL for a data URI.
gltf_file gltf_json(gltf_writer *writer, const char *uri);

// The document as GLB.
gltf_file gltf_glb(gltf_writer *writer);

// The buffer's bytes; they belong to the writer.
gltf_file gltf_buffer(const gltf_writer *writer);

// Imports the document as "test.glb", requires that this works, and releases the writer.
pm_scene *gltf_import(gltf_writer *writer, pm_report *report);

// The same for a document that is refused. Returns why.
pm_result gltf_refuse(gltf_writer *writer, pm_report *report);

#endif
