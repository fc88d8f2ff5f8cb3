#include "gltf_writer.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct text {
    char *bytes;
    size_t length, capacity;
} text;

static const char *const array_names[] = {"nodes",       "meshes",  "skins",     "animations", "accessors",
                                          "bufferViews", "cameras", "materials", "buffers"};

enum { ARRAY_COUNT = sizeof array_names / sizeof *array_names, BUFFERS = ARRAY_COUNT - 1 };

struct gltf_writer {
    text arrays[ARRAY_COUNT];
    uint32_t counts[ARRAY_COUNT];
    text members;
    text buffer;
};

static void append(text *to, const void *bytes, size_t size) {
    while (to->length + size + 1 > to->capacity) {
        to->capacity = to->capacity ? 2 * to->capacity : 1024;
        to->bytes = realloc(to->bytes, to->capacity);
        cr_assert(to->bytes);
    }
    if (size) memcpy(to->bytes + to->length, bytes, size);
    to->length += size;
    to->bytes[to->length] = '\0';
}

static void append_format(text *to, const char *format, va_list arguments) {
    va_list copy;
    va_copy(copy, arguments);
    int length = vsnprintf(NULL, 0, format, copy);
    va_end(copy);
    cr_assert_geq(length, 0);
    char *bytes = malloc((size_t)length + 1);
    cr_assert(bytes);
    vsnprintf(bytes, (size_t)length + 1, format, arguments);
    for (char *c = bytes; *c; c++)
        if (*c == '\'') *c = '"';
    append(to, bytes, (size_t)length);
    free(bytes);
}

static void __attribute__((format(printf, 2, 3))) print(text *to, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    append_format(to, format, arguments);
    va_end(arguments);
}

gltf_writer *gltf_writer_new(void) {
    gltf_writer *writer = calloc(1, sizeof *writer);
    cr_assert(writer);
    append(&writer->buffer, "", 0);
    return writer;
}

void gltf_writer_free(gltf_writer *writer) {
    for (int a = 0; a < ARRAY_COUNT; a++) free(writer->arrays[a].bytes);
    free(writer->members.bytes);
    free(writer->buffer.bytes);
    free(writer);
}

uint32_t gltf_add(gltf_writer *writer, const char *array, const char *format, ...) {
    int a = 0;
    while (a < ARRAY_COUNT && strcmp(array, array_names[a])) a++;
    cr_assert_lt(a, ARRAY_COUNT, "%s", array);
    if (writer->counts[a]) append(&writer->arrays[a], ",", 1);
    va_list arguments;
    va_start(arguments, format);
    append_format(&writer->arrays[a], format, arguments);
    va_end(arguments);
    return writer->counts[a]++;
}

void gltf_set(gltf_writer *writer, const char *member, const char *format, ...) {
    print(&writer->members, ",'%s':", member);
    va_list arguments;
    va_start(arguments, format);
    append_format(&writer->members, format, arguments);
    va_end(arguments);
}

size_t gltf_bytes(gltf_writer *writer, const void *bytes, size_t size) {
    append(&writer->buffer, "\0\0\0", (4 - writer->buffer.length % 4) % 4);
    size_t offset = writer->buffer.length;
    append(&writer->buffer, bytes, size);
    return offset;
}

uint32_t gltf_view(gltf_writer *writer, const void *bytes, size_t size, size_t stride) {
    size_t offset = gltf_bytes(writer, bytes, size);
    char stride_text[48] = "";
    if (stride) snprintf(stride_text, sizeof stride_text, ",'byteStride':%zu", stride);
    return gltf_add(writer, "bufferViews", "{'buffer':0,'byteOffset':%zu,'byteLength':%zu%s}", offset, size,
                    stride_text);
}

static uint32_t type_components(const char *type) {
    if (!strcmp(type, "SCALAR")) return 1;
    if (!strncmp(type, "VEC", 3)) return (uint32_t)(type[3] - '0');
    cr_assert_str_eq(type, "MAT4");
    return 16;
}

uint32_t gltf_floats(gltf_writer *writer, const char *type, uint32_t count, const float *values) {
    uint32_t view = gltf_view(writer, values, count * type_components(type) * sizeof *values, 0);
    return gltf_add(writer, "accessors", "{'bufferView':%u,'componentType':5126,'count':%u,'type':'%s'}",
                    view, count, type);
}

uint32_t gltf_animate(gltf_writer *writer, const char *target, const char *interpolation, uint32_t input,
                      uint32_t output) {
    char interpolation_text[64] = "";
    if (interpolation)
        snprintf(interpolation_text, sizeof interpolation_text, ",'interpolation':'%s'", interpolation);
    return gltf_add(writer, "animations",
                    "{'samplers':[{'input':%u,'output':%u%s}],'channels':[{'sampler':0,'target':%s}]}", input,
                    output, interpolation_text, target);
}

static void append_base64(text *to, const text *bytes) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t at = 0; at < bytes->length; at += 3) {
        uint32_t bits = 0;
        for (size_t i = 0; i < 3; i++)
            bits = bits << 8 | (at + i < bytes->length ? (uint8_t)bytes->bytes[at + i] : 0);
        char group[4];
        for (int i = 0; i < 4; i++) group[i] = digits[bits >> (18 - 6 * i) & 63];
        if (at + 2 >= bytes->length) group[3] = '=';
        if (at + 1 >= bytes->length) group[2] = '=';
        append(to, group, 4);
    }
}

// The document; buffer 0 is the writer's unless the test has given buffers of its own.
static text document(gltf_writer *writer, const char *uri, bool has_uri) {
    text json = {NULL, 0, 0};
    print(&json, "{'asset':{'version':'2.0'}");
    if (writer->counts[BUFFERS] == 0) {
        print(&json, ",'buffers':[{'byteLength':%zu", writer->buffer.length);
        if (has_uri) print(&json, ",'uri':'%s", uri ? uri : "data:application/octet-stream;base64,");
        if (has_uri && !uri) append_base64(&json, &writer->buffer);
        print(&json, "%s}]", has_uri ? "'" : "");
    }
    for (int a = 0; a < ARRAY_COUNT; a++) {
        if (writer->counts[a] == 0) continue;
        print(&json, ",'%s':[", array_names[a]);
        append(&json, writer->arrays[a].bytes, writer->arrays[a].length);
        append(&json, "]", 1);
    }
    if (writer->members.length) append(&json, writer->members.bytes, writer->members.length);
    append(&json, "}", 1);
    return json;
}

gltf_file gltf_json(gltf_writer *writer, const char *uri) {
    text json = document(writer, uri, true);
    return (gltf_file){json.bytes, json.length};
}

static void append_u32(text *to, size_t value) {
    uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                        (uint8_t)(value >> 24)};
    append(to, bytes, sizeof bytes);
}

gltf_file gltf_glb(gltf_writer *writer) {
    text json = document(writer, NULL, false);
    append(&json, "   ", (4 - json.length % 4) % 4);
    text *binary = &writer->buffer;
    append(binary, "\0\0\0", (4 - binary->length % 4) % 4);
    text glb = {NULL, 0, 0};
    append(&glb, "glTF", 4);
    append_u32(&glb, 2);
    append_u32(&glb, 12 + 8 + json.length + 8 + binary->length);
    append_u32(&glb, json.length);
    append(&glb, "JSON", 4);
    append(&glb, json.bytes, json.length);
    append_u32(&glb, binary->length);
    append(&glb, "BIN\0", 4);
    append(&glb, binary->bytes, binary->length);
    free(json.bytes);
    return (gltf_file){glb.bytes, glb.length};
}

gltf_file gltf_buffer(const gltf_writer *writer) {
    return (gltf_file){writer->buffer.bytes, writer->buffer.length};
}

pm_scene *gltf_import(gltf_writer *writer, pm_report *report) {
    gltf_file glb = gltf_glb(writer);
    gltf_writer_free(writer);
    pm_scene *scene = NULL;
    pm_report own = {0};
    if (!report) report = &own;
    pm_result result = pm_import_gltf_memory(glb.bytes, glb.size, "test.glb", NULL, &scene, report);
    free(glb.bytes);
    cr_assert_eq(result, PM_OK, "%s", report->message);
    cr_assert(scene);
    cr_assert_str_eq(report->message, "");
    return scene;
}

pm_result gltf_refuse(gltf_writer *writer, pm_report *report) {
    gltf_file glb = gltf_glb(writer);
    gltf_writer_free(writer);
    pm_scene *scene = (pm_scene *)&glb;
    pm_result result = pm_import_gltf_memory(glb.bytes, glb.size, "test.glb", NULL, &scene, report);
    free(glb.bytes);
    cr_assert_neq(result, PM_OK);
    cr_assert_null(scene);
    cr_assert(report->message[0]);
    return result;
}
