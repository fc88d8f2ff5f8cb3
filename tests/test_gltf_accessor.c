// glTF accessors: component types, strides, sparse forms, compression, and what does not fit.
//
// Values are read through a channel: its times are one float, its output is the accessor under test.
#include <posemill/import.h>

#include "support/diagnostics.h"
#include "support/gltf_writer.h"

#include <criterion/criterion.h>
#include <math.h>
#include <meshoptimizer.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_KEYS = 16 };

// Adds a channel that drives node 0's path with `output`; its keys are at 0, 1, 2 ...
static void use_as_output(gltf_writer *writer, const char *path, uint32_t key_count, uint32_t output) {
    float times[MAX_KEYS];
    cr_assert_leq(key_count, MAX_KEYS);
    for (uint32_t i = 0; i < key_count; i++) times[i] = (float)i;
    uint32_t input = gltf_floats(writer, "SCALAR", key_count, times);
    gltf_add(writer, "nodes", "{'name':'Hips'}");
    char target[64];
    snprintf(target, sizeof target, "{'node':0,'path':'%s'}", path);
    gltf_animate(writer, target, NULL, input, output);
}

static void check_values(gltf_writer *writer, const char *path, uint32_t key_count, uint32_t output,
                         const float *expected) {
    use_as_output(writer, path, key_count, output);
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_scene *scene = gltf_import(writer, &report);
    cr_assert_eq(seen.count, 0, "%s", seen.seen[0].message);
    cr_assert_eq(scene->clips[0].channel_count, 1);
    const pm_channel *channel = &scene->clips[0].channels[0];
    cr_assert_eq(channel->value_count, key_count);
    for (uint32_t i = 0; i < key_count * channel->component_count; i++)
        cr_assert_eq(channel->values[i], expected[i], "%u: %.9g, not %.9g", i, (double)channel->values[i],
                     (double)expected[i]);
    pm_scene_destroy(scene);
}

// The output costs its channel, with this fault and these words.
static void check_dropped(gltf_writer *writer, const char *path, uint32_t key_count, uint32_t output,
                          pm_fault fault, const char *words) {
    use_as_output(writer, path, key_count, output);
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_scene *scene = gltf_import(writer, &report);
    cr_assert_eq(scene->clips[0].channel_count, 0, "%s", words);
    cr_assert_eq(seen.count, 1, "%s", words);
    cr_assert_eq(seen.seen[0].severity, PM_SEVERITY_DROPPED);
    cr_assert_eq(seen.seen[0].fault, fault, "%s", seen.seen[0].message);
    cr_assert(strstr(seen.seen[0].message, words), "%s", seen.seen[0].message);
    cr_assert(strstr(seen.seen[0].message, "clip \"animation 0\", channel \"Hips."), "%s",
              seen.seen[0].message);
    pm_scene_destroy(scene);
}

Test(gltf_accessor, normalised_bytes) {
    gltf_writer *writer = gltf_writer_new();
    static const int8_t bytes[] = {127, -127, -128, 0, 1, 64, -1, 100};
    uint32_t view = gltf_view(writer, bytes, sizeof bytes, 0);
    uint32_t output =
        gltf_add(writer, "accessors",
                 "{'bufferView':%u,'componentType':5120,'normalized':true,'count':2,'type':'VEC4'}", view);
    const float expected[] = {1, -1, -1, 0, 1 / 127.0f, 64 / 127.0f, -1 / 127.0f, 100 / 127.0f};
    check_values(writer, "rotation", 2, output, expected);
}

Test(gltf_accessor, normalised_unsigned_bytes) {
    gltf_writer *writer = gltf_writer_new();
    static const uint8_t bytes[] = {255, 0, 1, 128};
    uint32_t view = gltf_view(writer, bytes, sizeof bytes, 0);
    uint32_t output =
        gltf_add(writer, "accessors",
                 "{'bufferView':%u,'componentType':5121,'normalized':true,'count':1,'type':'VEC4'}", view);
    const float expected[] = {1, 0, 1 / 255.0f, 128 / 255.0f};
    check_values(writer, "rotation", 1, output, expected);
}

Test(gltf_accessor, normalised_shorts) {
    gltf_writer *writer = gltf_writer_new();
    static const int16_t shorts[] = {32767, -32767, INT16_MIN, 12345};
    uint32_t view = gltf_view(writer, shorts, sizeof shorts, 0);
    uint32_t output =
        gltf_add(writer, "accessors",
                 "{'bufferView':%u,'componentType':5122,'normalized':true,'count':1,'type':'VEC4'}", view);
    const float expected[] = {1, -1, -1, 12345 / 32767.0f};
    check_values(writer, "rotation", 1, output, expected);
}

Test(gltf_accessor, normalised_unsigned_shorts) {
    gltf_writer *writer = gltf_writer_new();
    static const uint16_t shorts[] = {65535, 0, 1, 54321};
    uint32_t view = gltf_view(writer, shorts, sizeof shorts, 0);
    uint32_t output =
        gltf_add(writer, "accessors",
                 "{'bufferView':%u,'componentType':5123,'normalized':true,'count':1,'type':'VEC4'}", view);
    const float expected[] = {1, 0, 1 / 65535.0f, 54321 / 65535.0f};
    check_values(writer, "rotation", 1, output, expected);
}

Test(gltf_accessor, integers_that_are_not_normalised_are_taken_as_they_are_and_noted) {
    gltf_writer *writer = gltf_writer_new();
    static const int16_t shorts[] = {100, -200, 300, 0};
    uint32_t view = gltf_view(writer, shorts, sizeof shorts, 0);
    uint32_t output =
        gltf_add(writer, "accessors", "{'bufferView':%u,'componentType':5122,'count':1,'type':'VEC3'}", view);
    use_as_output(writer, "translation", 1, output);
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_scene *scene = gltf_import(writer, &report);
    const float expected[] = {100, -200, 300};
    cr_assert_arr_eq(scene->clips[0].channels[0].values, expected, sizeof expected);
    cr_assert_eq(seen.count, 1);
    cr_assert_eq(seen.seen[0].severity, PM_SEVERITY_NOTE);
    cr_assert_eq(seen.seen[0].fault, PM_FAULT_ACCESSOR);
    pm_scene_destroy(scene);
}

Test(gltf_accessor, interleaved_strides_and_byte_offsets) {
    gltf_writer *writer = gltf_writer_new();
    // 5 floats an element: 3 that count behind 1 that does not.
    static const float data[] = {9, 1, 2, 3, 9, 9, 4, 5, 6, 9, 9, 7, 8, 10};
    uint32_t view = gltf_view(writer, data, sizeof data, 20);
    uint32_t output =
        gltf_add(writer, "accessors",
                 "{'bufferView':%u,'byteOffset':4,'componentType':5126,'count':3,'type':'VEC3'}", view);
    const float expected[] = {1, 2, 3, 4, 5, 6, 7, 8, 10};
    check_values(writer, "scale", 3, output, expected);
}

Test(gltf_accessor, normalised_shorts_with_padding_between_them) {
    gltf_writer *writer = gltf_writer_new();
    static const int16_t data[] = {32767, 0, 0, 0, 99, 99, 0, 0, -32767, 0};
    uint32_t view = gltf_view(writer, data, sizeof data, 12);
    uint32_t output =
        gltf_add(writer, "accessors",
                 "{'bufferView':%u,'componentType':5122,'normalized':true,'count':2,'type':'VEC4'}", view);
    const float expected[] = {1, 0, 0, 0, 0, 0, -1, 0};
    check_values(writer, "rotation", 2, output, expected);
}

Test(gltf_accessor, unaligned_floats) {
    gltf_writer *writer = gltf_writer_new();
    uint8_t data[1 + 12];
    static const float expected[] = {1.5f, -2.5f, 1e20f};
    memcpy(data + 1, expected, sizeof expected);
    uint32_t view = gltf_view(writer, data, sizeof data, 0);
    uint32_t output =
        gltf_add(writer, "accessors",
                 "{'bufferView':%u,'byteOffset':1,'componentType':5126,'count':1,'type':'VEC3'}", view);
    check_values(writer, "translation", 1, output, expected);
}

Test(gltf_accessor, sparse_over_a_base) {
    gltf_writer *writer = gltf_writer_new();
    static const float base[] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, values[] = {40, 50, 60};
    static const uint8_t indices[] = {1};
    uint32_t base_view = gltf_view(writer, base, sizeof base, 0);
    uint32_t index_view = gltf_view(writer, indices, sizeof indices, 0);
    uint32_t value_view = gltf_view(writer, values, sizeof values, 0);
    uint32_t output = gltf_add(writer, "accessors",
                               "{'bufferView':%u,'componentType':5126,'count':3,'type':'VEC3','sparse':"
                               "{'count':1,'indices':{'bufferView':%u,'componentType':5121},"
                               "'values':{'bufferView':%u}}}",
                               base_view, index_view, value_view);
    const float expected[] = {1, 2, 3, 40, 50, 60, 7, 8, 9};
    check_values(writer, "translation", 3, output, expected);
}

Test(gltf_accessor, sparse_without_a_base_is_over_zeros) {
    gltf_writer *writer = gltf_writer_new();
    static const int16_t values[] = {7, 7, 32767, 0, 0, 0, 0, 0, 0, -32767};
    static const uint16_t indices[] = {0, 1, 3};
    uint32_t index_view = gltf_view(writer, indices, sizeof indices, 0);
    uint32_t value_view = gltf_view(writer, values, sizeof values, 0);
    uint32_t output = gltf_add(writer, "accessors",
                               "{'componentType':5122,'normalized':true,'count':4,'type':'VEC4','sparse':"
                               "{'count':2,'indices':{'bufferView':%u,'byteOffset':2,'componentType':5123},"
                               "'values':{'bufferView':%u,'byteOffset':4}}}",
                               index_view, value_view);
    const float expected[] = {0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1};
    check_values(writer, "rotation", 4, output, expected);
}

Test(gltf_accessor, sparse_with_32_bit_indices) {
    gltf_writer *writer = gltf_writer_new();
    static const float values[] = {1, 2, 3, 4, 5, 6};
    static const uint32_t indices[] = {0, 2};
    uint32_t index_view = gltf_view(writer, indices, sizeof indices, 0);
    uint32_t value_view = gltf_view(writer, values, sizeof values, 0);
    uint32_t output = gltf_add(writer, "accessors",
                               "{'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':2,'indices':"
                               "{'bufferView':%u,'componentType':5125},'values':{'bufferView':%u}}}",
                               index_view, value_view);
    const float expected[] = {1, 2, 3, 0, 0, 0, 4, 5, 6};
    check_values(writer, "translation", 3, output, expected);
}

// One key's worth of positions with a sparse object of this JSON; view 0 has 12 bytes, all 0xff.
static void check_sparse_dropped(const char *sparse, pm_fault fault, const char *words) {
    gltf_writer *writer = gltf_writer_new();
    uint8_t bytes[12];
    memset(bytes, 0xff, sizeof bytes);
    gltf_view(writer, bytes, sizeof bytes, 0);
    uint32_t output =
        gltf_add(writer, "accessors", "{'componentType':5126,'count':1,'type':'VEC3','sparse':%s}", sparse);
    check_dropped(writer, "translation", 1, output, fault, words);
}

Test(gltf_accessor, faulty_sparse_objects) {
    check_sparse_dropped(
        "{'count':1,'indices':{'bufferView':0,'componentType':5121},'values':{'bufferView':0}}",
        PM_FAULT_ACCESSOR, "sparse index 255 of 1 elements");
    check_sparse_dropped(
        "{'count':2,'indices':{'bufferView':0,'componentType':5121},'values':{'bufferView':0}}",
        PM_FAULT_ACCESSOR, "more sparse values than elements");
    check_sparse_dropped("{'indices':{'bufferView':0,'componentType':5121},'values':{'bufferView':0}}",
                         PM_FAULT_ACCESSOR, "no count");
    check_sparse_dropped(
        "{'count':1,'indices':{'bufferView':0,'componentType':5126},'values':{'bufferView':0}}",
        PM_FAULT_ACCESSOR, "unsigned type");
    check_sparse_dropped(
        "{'count':1,'indices':{'bufferView':9,'componentType':5121},'values':{'bufferView':0}}",
        PM_FAULT_REFERENCE, "bufferView does not exist");
    check_sparse_dropped("{'count':1,'indices':{'bufferView':0,'componentType':5121},'values':{'bufferView':"
                         "0,'byteOffset':4}}",
                         PM_FAULT_FILE_TRUNCATED, "do not fit");
    check_sparse_dropped("7", PM_FAULT_ACCESSOR, "no count");
}

Test(gltf_accessor, no_base_and_no_sparse_is_zeros) {
    gltf_writer *writer = gltf_writer_new();
    uint32_t output = gltf_add(writer, "accessors", "{'componentType':5126,'count':2,'type':'VEC3'}");
    const float expected[6] = {0};
    check_values(writer, "translation", 2, output, expected);
}

// An accessor of 12 bytes in view 0; `json` is what its object says.
static void check_accessor_dropped(const char *json, pm_fault fault, const char *words) {
    gltf_writer *writer = gltf_writer_new();
    static const float data[3];
    gltf_view(writer, data, sizeof data, 0);
    gltf_add(writer, "bufferViews", "{'buffer':0,'byteLength':12,'byteStride':4}");
    gltf_add(writer, "bufferViews", "{'buffer':7,'byteLength':12}");
    gltf_add(writer, "bufferViews", "{'buffer':0,'byteOffset':-1,'byteLength':12}");
    gltf_add(writer, "bufferViews",
             "{'buffer':0,'byteOffset':9007199254740992,'byteLength':9007199254740992}");
    gltf_add(writer, "bufferViews", "{'buffer':0,'byteLength':'12'}");
    gltf_add(writer, "bufferViews", "{'buffer':0,'byteLength':12,'byteStride':-4}");
    uint32_t output = gltf_add(writer, "accessors", "%s", json);
    check_dropped(writer, "translation", 1, output, fault, words);
}

Test(gltf_accessor, what_does_not_fit_costs_the_channel) {
    static const struct {
        const char *json;
        pm_fault fault;
        const char *words;
    } cases[] = {
        {"{'bufferView':0,'componentType':5126,'count':2,'type':'VEC3'}", PM_FAULT_FILE_TRUNCATED,
         "do not fit"},
        {"{'bufferView':0,'byteOffset':1,'componentType':5126,'count':1,'type':'VEC3'}",
         PM_FAULT_FILE_TRUNCATED, "do not fit"},
        {"{'bufferView':0,'byteOffset':9007199254740992,'componentType':5126,'count':1,'type':'VEC3'}",
         PM_FAULT_FILE_TRUNCATED, "do not fit"},
        {"{'bufferView':0,'byteOffset':9223372036854775807,'componentType':5126,'count':1,'type':'VEC3'}",
         PM_FAULT_FILE_TRUNCATED, "do not fit"},
        {"{'bufferView':0,'byteOffset':-4,'componentType':5126,'count':1,'type':'VEC3'}", PM_FAULT_ACCESSOR,
         "byteOffset"},
        {"{'bufferView':0,'componentType':5126,'count':4294967294,'type':'VEC3'}", PM_FAULT_FILE_TRUNCATED,
         "do not fit"},
        {"{'bufferView':0,'componentType':5126,'count':4294967295,'type':'VEC3'}", PM_FAULT_ACCESSOR,
         "count"},
        {"{'bufferView':0,'componentType':5126,'count':-1,'type':'VEC3'}", PM_FAULT_ACCESSOR, "count"},
        {"{'bufferView':0,'componentType':5126,'count':1.5,'type':'VEC3'}", PM_FAULT_ACCESSOR, "count"},
        {"{'bufferView':0,'componentType':5126,'type':'VEC3'}", PM_FAULT_ACCESSOR, "count"},
        {"{'bufferView':0,'componentType':5124,'count':1,'type':'VEC3'}", PM_FAULT_ACCESSOR, "componentType"},
        {"{'bufferView':0,'count':1,'type':'VEC3'}", PM_FAULT_ACCESSOR, "componentType"},
        {"{'bufferView':0,'componentType':5126,'count':1,'type':'VEC5'}", PM_FAULT_ACCESSOR, "VEC5"},
        {"{'bufferView':0,'componentType':5126,'count':1}", PM_FAULT_ACCESSOR, "type"},
        {"{'bufferView':1,'componentType':5126,'count':1,'type':'VEC3'}", PM_FAULT_ACCESSOR, "stride"},
        {"{'bufferView':2,'componentType':5126,'count':1,'type':'VEC3'}", PM_FAULT_REFERENCE,
         "buffer does not"},
        {"{'bufferView':3,'componentType':5126,'count':1,'type':'VEC3'}", PM_FAULT_FILE_FORMAT, "byteOffset"},
        {"{'bufferView':4,'componentType':5126,'count':1,'type':'VEC3'}", PM_FAULT_FILE_TRUNCATED,
         "do not fit"},
        {"{'bufferView':5,'componentType':5126,'count':1,'type':'VEC3'}", PM_FAULT_FILE_FORMAT, "byteLength"},
        {"{'bufferView':6,'componentType':5126,'count':1,'type':'VEC3'}", PM_FAULT_FILE_FORMAT, "byteStride"},
        {"{'bufferView':99,'componentType':5126,'count':1,'type':'VEC3'}", PM_FAULT_REFERENCE, "bufferView"},
        {"{'componentType':5126,'count':4000000000,'type':'VEC3'}", PM_FAULT_ACCESSOR, "does not contain"},
        {"{'bufferView':0,'componentType':5126,'count':3,'type':'SCALAR'}", PM_FAULT_ACCESSOR,
         "1 components"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_accessor_dropped(cases[i].json, cases[i].fault, cases[i].words);
}

Test(gltf_accessor, zeros_that_the_file_does_not_contain_are_limited_over_the_whole_file) {
    gltf_writer *writer = gltf_writer_new();
    gltf_add(writer, "nodes", "{}");
    // A quarter of the limit each: beside the times there is room for three.
    uint32_t input = gltf_add(writer, "accessors", "{'componentType':5126,'count':4,'type':'SCALAR'}");
    for (int i = 0; i < 6; i++) {
        uint32_t output =
            gltf_add(writer, "accessors", "{'componentType':5126,'count':16777216,'type':'SCALAR'}");
        gltf_animate(writer, "{'node':0,'path':'scale'}", NULL, input, output);
    }
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_scene_destroy(gltf_import(writer, &report));
    uint32_t refused = 0;
    for (uint32_t i = 0; i < seen.count; i++)
        refused += strstr(seen.seen[i].message, "does not contain") != NULL;
    cr_assert_eq(refused, 3);
}

// A compressed view of `count` rows, as an accessor of this type.
static uint32_t add_compressed(gltf_writer *writer, const char *extension, const char *mode,
                               const char *filter, const void *encoded, size_t size, uint32_t count,
                               uint32_t stride, const char *accessor) {
    size_t offset = gltf_bytes(writer, encoded, size);
    char filter_text[48] = "";
    if (filter) snprintf(filter_text, sizeof filter_text, ",'filter':'%s'", filter);
    uint32_t view =
        gltf_add(writer, "bufferViews",
                 "{'buffer':1,'byteLength':%u,'byteStride':%u,'extensions':{'%s':{'buffer':0,"
                 "'byteOffset':%zu,'byteLength':%zu,'byteStride':%u,'count':%u,'mode':'%s'%s}}}",
                 count * stride, stride, extension, offset, size, stride, count, mode, filter_text);
    return gltf_add(writer, "accessors", "{'bufferView':%u,'count':%u,%s}", view, count, accessor);
}

static uint32_t add_attributes(gltf_writer *writer, const char *filter, const void *rows, uint32_t count,
                               uint32_t stride, const char *accessor) {
    size_t bound = meshopt_encodeVertexBufferBound(count, stride);
    uint8_t *encoded = malloc(bound);
    size_t size = meshopt_encodeVertexBuffer(encoded, bound, rows, count, stride);
    uint32_t result = add_compressed(writer, "EXT_meshopt_compression", "ATTRIBUTES", filter, encoded, size,
                                     count, stride, accessor);
    free(encoded);
    return result;
}

// Ends the buffer. Buffer 1 is the fallback without data that compressors leave.
static void add_buffers(gltf_writer *writer) {
    gltf_file buffer = gltf_buffer(writer);
    gltf_add(writer, "buffers", "{'byteLength':%zu}", buffer.size);
    gltf_add(writer, "buffers",
             "{'byteLength':1000,'extensions':{'EXT_meshopt_compression':{'fallback':true}}}");
}

// Imports a channel with compressed output.
static pm_scene *import_compressed(gltf_writer *writer, const char *path, uint32_t key_count,
                                   uint32_t output) {
    use_as_output(writer, path, key_count, output);
    add_buffers(writer);
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_scene *scene = gltf_import(writer, &report);
    cr_assert_eq(seen.count, 0, "%s", seen.seen[0].message);
    cr_assert_eq(scene->clips[0].channel_count, 1);
    return scene;
}

Test(gltf_accessor, meshopt_attributes) {
    gltf_writer *writer = gltf_writer_new();
    float rows[16][3];
    for (int i = 0; i < 16; i++)
        for (int c = 0; c < 3; c++) rows[i][c] = (float)(i * 3 + c) / 7;
    uint32_t output = add_attributes(writer, NULL, rows, 16, 12, "'componentType':5126,'type':'VEC3'");
    pm_scene *scene = import_compressed(writer, "translation", 16, output);
    cr_assert_arr_eq(scene->clips[0].channels[0].values, (float *)rows, sizeof rows);
    pm_scene_destroy(scene);
}

Test(gltf_accessor, meshopt_by_its_khr_name) {
    gltf_writer *writer = gltf_writer_new();
    static const float row[3] = {1, 2, 3};
    uint8_t encoded[256];
    size_t size = meshopt_encodeVertexBuffer(encoded, sizeof encoded, row, 1, 12);
    uint32_t output = add_compressed(writer, "KHR_meshopt_compression", "ATTRIBUTES", "NONE", encoded, size,
                                     1, 12, "'componentType':5126,'type':'VEC3'");
    pm_scene *scene = import_compressed(writer, "translation", 1, output);
    cr_assert_arr_eq(scene->clips[0].channels[0].values, row, sizeof row);
    pm_scene_destroy(scene);
}

Test(gltf_accessor, meshopt_exponential_filter) {
    gltf_writer *writer = gltf_writer_new();
    float rows[5][3];
    for (int i = 0; i < 5; i++)
        for (int c = 0; c < 3; c++) rows[i][c] = (float)(i - 2) * 1.25f + (float)c * 100;
    uint32_t encoded[5][3];
    meshopt_encodeFilterExp(encoded, 5, 12, 20, (float *)rows);
    uint32_t output =
        add_attributes(writer, "EXPONENTIAL", encoded, 5, 12, "'componentType':5126,'type':'VEC3'");
    pm_scene *scene = import_compressed(writer, "translation", 5, output);
    for (int i = 0; i < 15; i++)
        cr_assert_float_eq(scene->clips[0].channels[0].values[i], ((float *)rows)[i], 1e-3);
    pm_scene_destroy(scene);
}

Test(gltf_accessor, meshopt_quaternion_filter) {
    gltf_writer *writer = gltf_writer_new();
    float rows[7][4];
    for (int i = 0; i < 7; i++) {
        double length = 0;
        for (int c = 0; c < 4; c++) rows[i][c] = (float)((i * 5 + c * 3) % 11) - 5;
        for (int c = 0; c < 4; c++) length += (double)rows[i][c] * (double)rows[i][c];
        for (int c = 0; c < 4; c++) rows[i][c] /= (float)sqrt(length);
    }
    int16_t encoded[7][4];
    meshopt_encodeFilterQuat(encoded, 7, 8, 16, (float *)rows);
    uint32_t output = add_attributes(writer, "QUATERNION", encoded, 7, 8,
                                     "'componentType':5122,'normalized':true,'type':'VEC4'");
    pm_scene *scene = import_compressed(writer, "rotation", 7, output);
    for (int i = 0; i < 7; i++) {
        double dot = 0;
        for (int c = 0; c < 4; c++)
            dot += (double)scene->clips[0].channels[0].values[4 * i + c] * (double)rows[i][c];
        cr_assert_gt(fabs(dot), 1 - 1e-4);
    }
    pm_scene_destroy(scene);
}

// A triangle of eight vertices; `normals` is an accessor.
static pm_scene *import_mesh(gltf_writer *writer, uint32_t normals, uint32_t indices) {
    static const float positions[8][3];
    uint32_t position = gltf_floats(writer, "VEC3", 8, (const float *)positions);
    gltf_add(writer, "nodes", "{'mesh':0}");
    char normal_text[48] = "", index_text[48] = "";
    if (normals != PM_NONE) snprintf(normal_text, sizeof normal_text, ",'NORMAL':%u", normals);
    if (indices != PM_NONE) snprintf(index_text, sizeof index_text, ",'indices':%u", indices);
    gltf_add(writer, "meshes", "{'primitives':[{'attributes':{'POSITION':%u%s}%s}]}", position, normal_text,
             index_text);
    add_buffers(writer);
    pm_scene *scene = gltf_import(writer, NULL);
    cr_assert_eq(scene->mesh_count, 1);
    return scene;
}

Test(gltf_accessor, meshopt_octahedral_filter) {
    float normals[8][4];
    for (int i = 0; i < 8; i++) {
        for (int c = 0; c < 3; c++) normals[i][c] = (i >> c & 1 ? 1 : -1) * (0.3f + 0.2f * (float)c);
        double length = sqrt(0.3 * 0.3 + 0.5 * 0.5 + 0.7 * 0.7);
        for (int c = 0; c < 3; c++) normals[i][c] /= (float)length;
        normals[i][3] = 0;
    }
    for (uint32_t stride = 4; stride <= 8; stride += 4) {
        gltf_writer *writer = gltf_writer_new();
        uint8_t encoded[8 * 8];
        meshopt_encodeFilterOct(encoded, 8, stride, stride == 4 ? 8 : 16, (float *)normals);
        uint32_t accessor =
            add_attributes(writer, "OCTAHEDRAL", encoded, 8, stride,
                           stride == 4 ? "'componentType':5120,'normalized':true,'type':'VEC3'"
                                       : "'componentType':5122,'normalized':true,'type':'VEC3'");
        pm_scene *scene = import_mesh(writer, accessor, PM_NONE);
        cr_assert(scene->meshes[0].normals);
        for (int i = 0; i < 8; i++)
            for (int c = 0; c < 3; c++)
                cr_assert_float_eq(scene->meshes[0].normals[3 * i + c], normals[i][c],
                                   stride == 4 ? 0.02f : 1e-4f);
        pm_scene_destroy(scene);
    }
}

Test(gltf_accessor, meshopt_triangles_and_indices) {
    static const unsigned indices[] = {0, 1, 2, 2, 1, 3, 4, 5, 6};
    for (uint32_t stride = 2; stride <= 4; stride += 2) {
        const char *accessor =
            stride == 2 ? "'componentType':5123,'type':'SCALAR'" : "'componentType':5125,'type':'SCALAR'";
        uint8_t encoded[512];
        gltf_writer *writer = gltf_writer_new();
        size_t size = meshopt_encodeIndexBuffer(encoded, sizeof encoded, indices, 9);
        uint32_t triangles = add_compressed(writer, "EXT_meshopt_compression", "TRIANGLES", NULL, encoded,
                                            size, 9, stride, accessor);
        pm_scene *scene = import_mesh(writer, PM_NONE, triangles);
        cr_assert_eq(scene->meshes[0].index_count, 9);
        // The codec may turn triangles, but keeps what they are made of.
        for (int t = 0; t < 9; t += 3) {
            unsigned sum = 0, expected = 0;
            for (int i = 0; i < 3; i++) {
                sum += 1u << scene->meshes[0].indices[t + i];
                expected += 1u << indices[t + i];
            }
            cr_assert_eq(sum, expected);
        }
        pm_scene_destroy(scene);

        writer = gltf_writer_new();
        size = meshopt_encodeIndexSequence(encoded, sizeof encoded, indices, 8);
        uint32_t sequence = add_compressed(writer, "EXT_meshopt_compression", "INDICES", NULL, encoded, size,
                                           8, stride, accessor);
        scene = import_mesh(writer, PM_NONE, sequence);
        cr_assert_eq(scene->meshes[0].index_count, 8);
        cr_assert_arr_eq(scene->meshes[0].indices, indices, 8 * sizeof *indices);
        pm_scene_destroy(scene);
    }
}

// Twelve bytes under a compression that says `extension` of itself.
static void check_compression_dropped(const char *extension, const char *words) {
    gltf_writer *writer = gltf_writer_new();
    static const uint8_t bytes[12] = {0xa0};
    gltf_bytes(writer, bytes, sizeof bytes);
    gltf_add(writer, "bufferViews",
             "{'buffer':1,'byteLength':12,'extensions':{'EXT_meshopt_compression':{'buffer':0,'byteLength':"
             "12,%s}}}",
             extension);
    uint32_t output =
        gltf_add(writer, "accessors", "{'bufferView':0,'componentType':5126,'count':1,'type':'VEC3'}");
    gltf_add(writer, "buffers", "{'byteLength':12}");
    gltf_add(writer, "buffers", "{'byteLength':12}");
    // Times of zero, so that only the output is at stake.
    uint32_t input = gltf_add(writer, "accessors", "{'componentType':5126,'count':1,'type':'SCALAR'}");
    gltf_add(writer, "nodes", "{}");
    gltf_animate(writer, "{'node':0,'path':'scale'}", NULL, input, output);
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_scene *scene = gltf_import(writer, &report);
    cr_assert_eq(scene->clips[0].channel_count, 0, "%s", extension);
    cr_assert_eq(seen.count, 1);
    cr_assert_eq(seen.seen[0].fault, PM_FAULT_FILE_FORMAT);
    cr_assert(strstr(seen.seen[0].message, words), "%s", seen.seen[0].message);
    pm_scene_destroy(scene);
}

Test(gltf_accessor, faulty_meshopt_data_cost_the_channel) {
    check_compression_dropped("'mode':'ATTRIBUTES','count':1,'byteStride':12", "cannot be decoded");
    check_compression_dropped("'mode':'ATTRIBUTES','count':1,'byteStride':10", "byteStride");
    check_compression_dropped("'mode':'ATTRIBUTES','count':1,'byteStride':260", "byteStride");
    check_compression_dropped("'mode':'ATTRIBUTES','count':1,'byteStride':0", "byteStride");
    check_compression_dropped("'mode':'ATTRIBUTES','count':-1,'byteStride':4", "count");
    check_compression_dropped("'mode':'ATTRIBUTES','count':1000000,'byteStride':4", "too short");
    check_compression_dropped("'mode':'TRIANGLES','count':4,'byteStride':4", "3 does not divide");
    check_compression_dropped("'mode':'TRIANGLES','count':3,'byteStride':1", "byteStride");
    check_compression_dropped("'mode':'INDICES','count':3,'byteStride':8", "byteStride");
    check_compression_dropped("'mode':'INDICES','count':3,'byteStride':4,'filter':'EXPONENTIAL'", "filter");
    check_compression_dropped("'mode':'ATTRIBUTES','count':1,'byteStride':12,'filter':'OCTAHEDRAL'",
                              "octahedral");
    check_compression_dropped("'mode':'ATTRIBUTES','count':1,'byteStride':4,'filter':'QUATERNION'",
                              "quaternion");
    check_compression_dropped("'mode':'ATTRIBUTES','count':1,'byteStride':4,'filter':'COLOR'", "filter");
    check_compression_dropped("'count':1,'byteStride':4", "mode");
}

Test(gltf_accessor, a_fallback_with_data_is_used_where_the_compressed_bytes_cannot_be) {
    gltf_writer *writer = gltf_writer_new();
    static const float row[3] = {1, 2, 3};
    size_t offset = gltf_bytes(writer, row, sizeof row);
    gltf_add(writer, "bufferViews",
             "{'buffer':0,'byteOffset':%zu,'byteLength':12,'extensions':{'EXT_meshopt_compression':"
             "{'buffer':0,'byteLength':12,'mode':'ATTRIBUTES','count':1,'byteStride':12}}}",
             offset);
    uint32_t output =
        gltf_add(writer, "accessors", "{'bufferView':0,'componentType':5126,'count':1,'type':'VEC3'}");
    use_as_output(writer, "translation", 1, output);
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_scene *scene = gltf_import(writer, &report);
    cr_assert_eq(scene->clips[0].channel_count, 1);
    cr_assert_arr_eq(scene->clips[0].channels[0].values, row, sizeof row);
    cr_assert_eq(seen.count, 1);
    cr_assert_eq(seen.seen[0].severity, PM_SEVERITY_REPAIR);
    cr_assert(strstr(seen.seen[0].message, "fallback"));
    pm_scene_destroy(scene);
}
