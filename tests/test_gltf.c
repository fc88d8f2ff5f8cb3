// glTF files: JSON and GLB, buffers wherever they are, and what is no glTF.
#include <posemill/import.h>

#include "support/diagnostics.h"
#include "support/failing_allocator.h"
#include "support/files.h"
#include "support/gltf_writer.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float two_times[] = {0, 2};
static const float two_positions[] = {1, 2, 3, 4, 5, 6};

// One node that moves.
static gltf_writer *moving_node(void) {
    gltf_writer *writer = gltf_writer_new();
    gltf_add(writer, "nodes", "{'name':'Hips'}");
    uint32_t times = gltf_floats(writer, "SCALAR", 2, two_times);
    uint32_t values = gltf_floats(writer, "VEC3", 2, two_positions);
    gltf_animate(writer, "{'node':0,'path':'translation'}", NULL, times, values);
    return writer;
}

static void check_moving_node(const pm_scene *scene) {
    cr_assert_eq(scene->clip_count, 1);
    cr_assert_eq(scene->clips[0].channel_count, 1);
    const pm_channel *channel = &scene->clips[0].channels[0];
    cr_assert_eq(channel->key_count, 2);
    cr_assert_arr_eq(channel->times, two_times, sizeof two_times);
    cr_assert_arr_eq(channel->values, two_positions, sizeof two_positions);
}

static pm_result import_text(const char *text, pm_scene **scene, pm_report *report) {
    return pm_import_gltf_memory(text, strlen(text), "text.gltf", NULL, scene, report);
}

static void check_refused(const char *text, pm_result result, pm_fault fault, const char *reason) {
    pm_report report = {0};
    pm_scene *scene = (pm_scene *)&report;
    cr_assert_eq(import_text(text, &scene, &report), result, "%s: %s", text, report.message);
    cr_assert_null(scene);
    cr_assert_eq(report.fault, fault, "%s", report.message);
    cr_assert(strstr(report.message, "text.gltf: ") == report.message, "%s", report.message);
    cr_assert(strstr(report.message, reason), "%s", report.message);
}

// Imports and counts what was left out.
static pm_scene *import_text_ok(const char *text, diagnostics *seen) {
    pm_report report = diagnostics_report(seen);
    pm_scene *scene;
    cr_assert_eq(import_text(text, &scene, &report), PM_OK, "%s", report.message);
    return scene;
}

Test(gltf, json_with_a_data_uri) {
    gltf_writer *writer = moving_node();
    gltf_file json = gltf_json(writer, NULL);
    diagnostics seen;
    pm_scene *scene = import_text_ok(json.bytes, &seen);
    check_moving_node(scene);
    cr_assert_eq(seen.count, 0);
    pm_scene_destroy(scene);
    free(json.bytes);
    gltf_writer_free(writer);
}

Test(gltf, glb) {
    pm_scene *scene = gltf_import(moving_node(), NULL);
    check_moving_node(scene);
    cr_assert_str_eq(scene->file, "test.glb");
    cr_assert_str_eq(scene->generator, "");
    pm_scene_destroy(scene);
}

Test(gltf, no_path) {
    gltf_writer *writer = moving_node();
    gltf_file glb = gltf_glb(writer);
    pm_scene *scene;
    cr_assert_eq(pm_import_gltf_memory(glb.bytes, glb.size, NULL, NULL, &scene, NULL), PM_OK);
    cr_assert_null(scene->file);
    check_moving_node(scene);
    pm_scene_destroy(scene);
    free(glb.bytes);
    gltf_writer_free(writer);
}

// A buffer of four bytes in the URI; `time` is read from them.
static void check_one_time(const char *uri, float time) {
    gltf_writer *writer = gltf_writer_new();
    gltf_add(writer, "buffers", "{'byteLength':4,'uri':'%s'}", uri);
    gltf_add(writer, "nodes", "{}");
    gltf_add(writer, "bufferViews", "{'buffer':0,'byteLength':4}");
    gltf_add(writer, "accessors", "{'bufferView':0,'componentType':5126,'count':1,'type':'SCALAR'}");
    gltf_add(writer, "accessors", "{'componentType':5126,'count':1,'type':'VEC3'}");
    gltf_animate(writer, "{'node':0,'path':'scale'}", NULL, 0, 1);
    pm_scene *scene = gltf_import(writer, NULL);
    cr_assert_eq(scene->clips[0].channel_count, 1, "%s", uri);
    cr_assert_eq(scene->clips[0].channels[0].times[0], time, "%s", uri);
    pm_scene_destroy(scene);
}

Test(gltf, data_uris_of_all_kinds) {
    check_one_time("data:application/octet-stream;base64,AADAPw==", 1.5f);
    check_one_time("data:application/gltf-buffer;base64,AADAPw", 1.5f); // padding left out
    check_one_time("DATA:;BASE64,AADAPwAA", 1.5f);                      // more than the buffer says
    check_one_time("data:,%00%00%c0%3F", 1.5f);
    check_one_time("data:text/plain,%00%00%20A", 10);
}

Test(gltf, faulty_data_uri_costs_its_channels) {
    static const char *const uris[] = {"data:application/octet-stream;base64",
                                       "data:application/octet-stream;base64,AAD*PwAA",
                                       "data:application/octet-stream;base64,AADAP"};
    for (size_t i = 0; i < sizeof uris / sizeof *uris; i++) {
        gltf_writer *writer = moving_node();
        gltf_add(writer, "buffers", "{'byteLength':4,'uri':'%s'}", uris[i]);
        diagnostics seen;
        pm_report report = diagnostics_report(&seen);
        pm_scene *scene = gltf_import(writer, &report);
        cr_assert_eq(scene->clips[0].channel_count, 0);
        const seen_diagnostic *why = diagnostics_find(&seen, PM_FAULT_FILE_FORMAT, 0);
        cr_assert(why && strstr(why->message, "data URI"));
        cr_assert_eq(why->severity, PM_SEVERITY_DROPPED);
        pm_scene_destroy(scene);
    }
}

// Writes `name` into the folder of `beside`; the path goes to `path`.
static void write_beside(const char *beside, const char *name, gltf_file file, char path[FILES_PATH_SIZE]) {
    snprintf(path, FILES_PATH_SIZE, "%s", beside);
    snprintf(strrchr(path, '/') + 1, (size_t)(FILES_PATH_SIZE - (strrchr(path, '/') + 1 - path)), "%s", name);
    FILE *out = fopen(path, "wb");
    cr_assert(out);
    cr_assert_eq(fwrite(file.bytes, 1, file.size, out), file.size);
    cr_assert_eq(fclose(out), 0);
}

// Imports a .gltf whose buffer is `uri`, written beside it as `name`.
static void check_external(const char *uri, const char *name) {
    gltf_writer *writer = moving_node();
    gltf_file json = gltf_json(writer, uri);
    char path[FILES_PATH_SIZE], buffer_path[FILES_PATH_SIZE];
    temporary_write("scene.gltf", json.bytes, json.size, path);
    write_beside(path, name, gltf_buffer(writer), buffer_path);
    pm_report report = {0};
    pm_scene *scene;
    cr_assert_eq(pm_import_file(path, NULL, &scene, &report), PM_OK, "%s", report.message);
    check_moving_node(scene);
    pm_scene_destroy(scene);
    cr_assert_eq(remove(buffer_path), 0);
    temporary_remove(path);
    free(json.bytes);
    gltf_writer_free(writer);
}

Test(gltf, buffer_in_a_file_beside_it) {
    check_external("scene.bin", "scene.bin");
    check_external("./scene.bin", "scene.bin");
    check_external("Armature:Walk.bin", "Armature:Walk.bin");
}

Test(gltf, percent_encoded_names) {
    check_external("H%C3%BCfte%20links.bin", "Hüfte links.bin");
    check_external("50%25.bin", "50%.bin");
    check_external("100%25.bin", "100%25.bin"); // not encoded by its writer: the name as it stands
    check_external("100%.bin", "100%.bin");
}

Test(gltf, missing_buffer_costs_only_its_channels) {
    gltf_writer *writer = gltf_writer_new();
    float value = 1;
    gltf_bytes(writer, &value, sizeof value);
    gltf_add(writer, "buffers", "{'byteLength':4}");
    gltf_add(writer, "buffers", "{'byteLength':4,'uri':'not%%20there.bin'}");
    gltf_add(writer, "bufferViews", "{'buffer':0,'byteLength':4}");
    gltf_add(writer, "bufferViews", "{'buffer':1,'byteLength':4}");
    gltf_add(writer, "accessors", "{'bufferView':0,'componentType':5126,'count':1,'type':'SCALAR'}");
    gltf_add(writer, "accessors", "{'bufferView':1,'componentType':5126,'count':1,'type':'SCALAR'}");
    gltf_add(writer, "accessors", "{'componentType':5126,'count':1,'type':'VEC3'}");
    gltf_add(writer, "nodes", "{'name':'Hips'}");
    gltf_animate(writer, "{'node':0,'path':'scale'}", NULL, 1, 2);
    gltf_animate(writer, "{'node':0,'path':'translation'}", NULL, 0, 2);
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_scene *scene = gltf_import(writer, &report);
    cr_assert_eq(scene->clips[0].channel_count, 0);
    cr_assert_eq(scene->clips[1].channel_count, 1);
    cr_assert_eq(scene->clips[1].channels[0].times[0], 1);
    cr_assert_eq(seen.count, 1);
    const seen_diagnostic *why = diagnostics_find(&seen, PM_FAULT_FILE_UNREADABLE, 0);
    cr_assert(why && strstr(why->message, "channel \"Hips.scale\"") &&
              strstr(why->message, "not%20there.bin"));
    pm_scene_destroy(scene);
}

Test(gltf, buffers_that_are_not_beside_the_file_are_left_out) {
    static const char *const uris[] = {"https://example.com/a.bin", "file:///etc/passwd", "/etc/passwd",
                                       "C:/a.bin", "\\\\\\\\host/a.bin"};
    for (size_t i = 0; i < sizeof uris / sizeof *uris; i++) {
        gltf_writer *writer = moving_node();
        gltf_add(writer, "buffers", "{'byteLength':40,'uri':'%s'}", uris[i]);
        diagnostics seen;
        pm_report report = diagnostics_report(&seen);
        pm_scene *scene = gltf_import(writer, &report);
        cr_assert_eq(scene->clips[0].channel_count, 0);
        cr_assert_eq(diagnostics_count(&seen, PM_FAULT_FILE_UNSUPPORTED), 1, "%s", uris[i]);
        pm_scene_destroy(scene);
    }
}

Test(gltf, encoded_slashes_do_not_make_a_path_absolute) {
    char path[FILES_PATH_SIZE], uri[FILES_PATH_SIZE + 3];
    temporary_write("secret.bin", two_times, sizeof two_times, path);
    snprintf(uri, sizeof uri, "%%2F%s", path + 1);
    gltf_writer *writer = gltf_writer_new();
    gltf_add(writer, "nodes", "{}");
    gltf_add(writer, "buffers", "{'byteLength':8,'uri':'%s'}", uri);
    gltf_add(writer, "bufferViews", "{'buffer':0,'byteLength':8}");
    gltf_add(writer, "accessors", "{'bufferView':0,'componentType':5126,'count':2,'type':'SCALAR'}");
    gltf_add(writer, "accessors", "{'componentType':5126,'count':2,'type':'VEC3'}");
    gltf_animate(writer, "{'node':0,'path':'scale'}", NULL, 0, 1);
    gltf_file glb = gltf_glb(writer);
    pm_scene *scene;
    cr_assert_eq(pm_import_gltf_memory(glb.bytes, glb.size, NULL, NULL, &scene, NULL), PM_OK);
    cr_assert_eq(scene->clips[0].channel_count, 0);
    pm_scene_destroy(scene);
    temporary_remove(path);
    free(glb.bytes);
    gltf_writer_free(writer);
}

Test(gltf, short_buffer_costs_what_lies_behind_its_end) {
    gltf_writer *writer = moving_node();
    // Times are bytes 0 to 7, positions 8 to 31: the second channel's times are all that is left.
    gltf_animate(writer, "{'node':0,'path':'weights'}", NULL, 0, 0);
    gltf_file json = gltf_json(writer, "short.bin");
    gltf_file buffer = gltf_buffer(writer);
    buffer.size = 8;
    char path[FILES_PATH_SIZE], buffer_path[FILES_PATH_SIZE];
    temporary_write("scene.gltf", json.bytes, json.size, path);
    write_beside(path, "short.bin", buffer, buffer_path);
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_scene *scene;
    cr_assert_eq(pm_import_file(path, NULL, &scene, &report), PM_OK, "%s", report.message);
    cr_assert_eq(scene->clips[0].channel_count, 0);
    const seen_diagnostic *buffer_fault = diagnostics_find(&seen, PM_FAULT_FILE_TRUNCATED, 0);
    const seen_diagnostic *channel_fault = diagnostics_find(&seen, PM_FAULT_FILE_TRUNCATED, 1);
    cr_assert(buffer_fault && strstr(buffer_fault->message, "buffer 0 has 8 of its 32 bytes"));
    cr_assert(channel_fault && strstr(channel_fault->message, "channel \"Hips.translation\""));
    cr_assert_eq(diagnostics_count(&seen, PM_FAULT_FILE_TRUNCATED), 2);
    pm_scene_destroy(scene);
    cr_assert_eq(remove(buffer_path), 0);
    temporary_remove(path);
    free(json.bytes);
    gltf_writer_free(writer);
}

Test(gltf, glb_cut_off_anywhere_is_refused) {
    gltf_writer *writer = moving_node();
    gltf_file glb = gltf_glb(writer);
    for (size_t size = 0; size < glb.size; size++) {
        // A copy of just that size, so that a sanitizer sees reading beyond.
        char *cut = malloc(size ? size : 1);
        memcpy(cut, glb.bytes, size);
        pm_report report = {0};
        pm_scene *scene;
        pm_result result = pm_import_gltf_memory(cut, size, "cut.glb", NULL, &scene, &report);
        cr_assert_eq(result, PM_ERROR_FORMAT, "%zu", size);
        cr_assert_null(scene);
        cr_assert(size < 4 || report.fault == PM_FAULT_FILE_TRUNCATED, "%s", report.message);
        free(cut);
    }
    free(glb.bytes);
    gltf_writer_free(writer);
}

// Imports the document as GLB with the 32-bit number at `offset` replaced.
static pm_fault import_patched_glb(size_t offset, uint32_t value) {
    gltf_writer *writer = moving_node();
    gltf_file glb = gltf_glb(writer);
    memcpy(glb.bytes + offset, &value, sizeof value);
    pm_report report = {0};
    pm_scene *scene;
    pm_result result = pm_import_gltf_memory(glb.bytes, glb.size, "patched.glb", NULL, &scene, &report);
    cr_assert_eq(result == PM_OK, report.fault == PM_FAULT_NONE);
    pm_scene_destroy(scene);
    free(glb.bytes);
    gltf_writer_free(writer);
    return report.fault;
}

Test(gltf, glb_with_a_broken_structure_is_refused) {
    cr_assert_eq(import_patched_glb(4, 1), PM_FAULT_FILE_UNSUPPORTED);        // version
    cr_assert_eq(import_patched_glb(8, 11), PM_FAULT_FILE_FORMAT);            // length
    cr_assert_eq(import_patched_glb(8, UINT32_MAX), PM_FAULT_FILE_TRUNCATED); // length
    cr_assert_eq(import_patched_glb(12, UINT32_MAX), PM_FAULT_FILE_TRUNCATED);
    cr_assert_eq(import_patched_glb(16, 0x004e4942), PM_FAULT_FILE_FORMAT); // BIN first
}

Test(gltf, glb_may_have_other_chunks_and_more_behind_it) {
    gltf_writer *writer = moving_node();
    gltf_file glb = gltf_glb(writer);
    uint32_t json_size;
    memcpy(&json_size, glb.bytes + 12, sizeof json_size);
    size_t front = 20 + json_size;
    static const char extra[] = "\4\0\0\0TESTxxxx", behind[] = "anything";
    char *bytes = malloc(glb.size + 12 + sizeof behind);
    memcpy(bytes, glb.bytes, front);
    memcpy(bytes + front, extra, 12);
    memcpy(bytes + front + 12, glb.bytes + front, glb.size - front);
    memcpy(bytes + glb.size + 12, behind, sizeof behind);
    uint32_t length = (uint32_t)glb.size + 12;
    memcpy(bytes + 8, &length, sizeof length);
    pm_scene *scene;
    cr_assert_eq(pm_import_gltf_memory(bytes, length + sizeof behind, NULL, NULL, &scene, NULL), PM_OK);
    check_moving_node(scene);
    pm_scene_destroy(scene);
    free(bytes);
    free(glb.bytes);
    gltf_writer_free(writer);
}

Test(gltf, what_is_no_gltf_is_refused_with_a_reason) {
    check_refused("", PM_ERROR_FORMAT, PM_FAULT_FILE_TRUNCATED, "empty");
    check_refused("no JSON", PM_ERROR_FORMAT, PM_FAULT_FILE_FORMAT, "line 1");
    check_refused("{\"asset\":{\"version\":\"2.0\"},\n\"nodes\":[", PM_ERROR_FORMAT, PM_FAULT_FILE_FORMAT,
                  "line 2");
    check_refused("[1,2]", PM_ERROR_FORMAT, PM_FAULT_FILE_FORMAT, "no object");
    check_refused("{\"a\":1}", PM_ERROR_FORMAT, PM_FAULT_FILE_FORMAT, "no glTF");
    check_refused("{\"asset\":{\"version\":\"1.0\"}}", PM_ERROR_UNSUPPORTED, PM_FAULT_FILE_UNSUPPORTED,
                  "1.0");
    check_refused("{\"nodes\":{\"a\":{}}}", PM_ERROR_UNSUPPORTED, PM_FAULT_FILE_UNSUPPORTED, "1.0");
    check_refused("{\"asset\":{\"version\":\"3.0\"}}", PM_ERROR_UNSUPPORTED, PM_FAULT_FILE_UNSUPPORTED,
                  "3.0");
    check_refused("{\"asset\":{\"version\":\"2.1\",\"minVersion\":\"2.1\"}}", PM_ERROR_UNSUPPORTED,
                  PM_FAULT_FILE_UNSUPPORTED, "2.1");
    check_refused("{\"asset\":{\"version\":\"2.0\"},\"animations\":{}}", PM_ERROR_FORMAT,
                  PM_FAULT_FILE_FORMAT, "\"animations\" is not an array");
}

Test(gltf, deeply_nested_json_is_refused) {
    enum { DEPTH = 100000 };
    char *text = malloc(2 * DEPTH + 1);
    memset(text, '[', DEPTH);
    memset(text + DEPTH, ']', DEPTH);
    text[2 * DEPTH] = '\0';
    check_refused(text, PM_ERROR_FORMAT, PM_FAULT_FILE_FORMAT, "depth");
    free(text);
}

Test(gltf, missing_version_is_noted) {
    diagnostics seen;
    pm_scene *scene = import_text_ok("{\"nodes\":[{}]}", &seen);
    cr_assert_eq(seen.count, 1);
    cr_assert_eq(seen.seen[0].severity, PM_SEVERITY_NOTE);
    pm_scene_destroy(scene);
}

Test(gltf, byte_order_mark_and_zeros_at_the_end_are_no_part_of_the_json) {
    static const char text[] = "\xef\xbb\xbf{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}]}\0\0\0";
    pm_report report = {0};
    pm_scene *scene;
    cr_assert_eq(pm_import_gltf_memory(text, sizeof text, NULL, NULL, &scene, &report), PM_OK, "%s",
                 report.message);
    cr_assert_eq(scene->skeleton->node_count, 1);
    pm_scene_destroy(scene);
}

Test(gltf, bytes_that_are_not_utf8_are_replaced) {
    diagnostics seen;
    pm_scene *scene = import_text_ok("{\"asset\":{\"version\":\"2.0\",\"generator\":\"M\xfcller \xe2\x82\xac "
                                     "\xf0\x9f\x98\xc0\x80\xed\xa0\x80\"}}",
                                     &seen);
    cr_assert_str_eq(scene->generator, "M?ller \xe2\x82\xac ????????");
    cr_assert_eq(seen.count, 1);
    cr_assert_eq(seen.seen[0].severity, PM_SEVERITY_REPAIR);
    pm_scene_destroy(scene);
}

Test(gltf, unknown_extensions_do_not_stop_the_animation) {
    gltf_writer *writer = moving_node();
    gltf_set(writer, "extensionsUsed", "['EXT_unheard_of','KHR_materials_unlit']");
    gltf_set(writer, "extensionsRequired", "['EXT_unheard_of','KHR_materials_unlit',7]");
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_scene *scene = gltf_import(writer, &report);
    check_moving_node(scene);
    cr_assert_eq(seen.count, 2);
    cr_assert(strstr(seen.seen[0].message, "EXT_unheard_of"));
    cr_assert_eq(seen.seen[0].severity, PM_SEVERITY_NOTE);
    pm_scene_destroy(scene);
}

Test(gltf, textures_are_not_needed) {
    gltf_writer *writer = moving_node();
    gltf_set(writer, "images", "[{'uri':'not/there.png'},{'bufferView':99}]");
    gltf_set(writer, "textures", "[{'source':0},{'source':12}]");
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_scene *scene = gltf_import(writer, &report);
    check_moving_node(scene);
    cr_assert_eq(seen.count, 0);
    pm_scene_destroy(scene);
}

Test(gltf, an_empty_document) {
    diagnostics seen;
    pm_scene *scene = import_text_ok("{\"asset\":{\"version\":\"2.0\"}}", &seen);
    cr_assert_eq(scene->skeleton->joint_count, 0);
    cr_assert_eq(scene->clip_count, 0);
    cr_assert_eq(scene->mesh_count, 0);
    pm_scene_destroy(scene);
}

Test(gltf, elements_of_wrong_types_are_empty_ones) {
    diagnostics seen;
    pm_scene *scene =
        import_text_ok("{\"asset\":{\"version\":\"2.0\"},\"nodes\":[1,null,\"a\",[]],\"animations\":[7,"
                       "{\"channels\":[3,[]]}],\"skins\":[0],\"meshes\":[0],\"accessors\":[0]}",
                       &seen);
    cr_assert_eq(scene->skeleton->node_count, 4);
    cr_assert_eq(scene->clip_count, 2);
    cr_assert_eq(scene->clips[1].channel_count, 0);
    cr_assert_eq(diagnostics_count(&seen, PM_FAULT_TARGET_MISSING), 2);
    pm_scene_destroy(scene);
}

// Writes the document under `name` and imports it by its path.
static pm_result import_as(const char *name, bool as_glb, pm_report *report) {
    gltf_writer *writer = moving_node();
    gltf_file file = as_glb ? gltf_glb(writer) : gltf_json(writer, NULL);
    char path[FILES_PATH_SIZE];
    temporary_write(name, file.bytes, file.size, path);
    pm_scene *scene;
    pm_result result = pm_import_file(path, NULL, &scene, report);
    if (!result) check_moving_node(scene);
    pm_scene_destroy(scene);
    temporary_remove(path);
    free(file.bytes);
    gltf_writer_free(writer);
    return result;
}

Test(gltf, files_are_known_by_extension_or_by_content) {
    pm_report report = {0};
    cr_assert_eq(import_as("a.gltf", false, &report), PM_OK);
    cr_assert_eq(import_as("a.GLB", true, &report), PM_OK);
    cr_assert_eq(import_as("a.vrma", true, &report), PM_OK);
    cr_assert_eq(import_as("a.gltf", true, &report), PM_OK); // misnamed
    cr_assert_eq(import_as("a.glb", false, &report), PM_OK);
    cr_assert_eq(import_as("download", true, &report), PM_OK);
    cr_assert_eq(import_as("a.json", false, &report), PM_OK);
    cr_assert_eq(report.message[0], '\0');
}

Test(gltf, files_that_are_nothing_are_refused) {
    char path[FILES_PATH_SIZE];
    pm_scene *scene;
    pm_report unknown = {0}, missing = {0}, unread = {0}, folder = {0};
    temporary_write("notes.txt", "hello", 5, path);
    cr_assert_eq(pm_import_file(path, NULL, &scene, &unknown), PM_ERROR_UNSUPPORTED);
    cr_assert_eq(unknown.fault, PM_FAULT_FILE_UNSUPPORTED);
    temporary_remove(path);
    cr_assert_eq(pm_import_file("not/there.glb", NULL, &scene, &missing), PM_ERROR_FILE);
    cr_assert_eq(missing.fault, PM_FAULT_FILE_UNREADABLE);
    cr_assert(strstr(missing.message, "not/there.glb: cannot be read"));
    cr_assert_eq(pm_import_file("not/there", NULL, &scene, &unread), PM_ERROR_FILE);
    cr_assert_eq(pm_import_file(".", NULL, &scene, &folder), PM_ERROR_FILE);
    cr_assert_null(scene);
}

Test(gltf, options_that_were_not_initialised_are_an_error) {
    pm_import_options options = {.meshes = true};
    pm_report report = {0};
    pm_scene *scene;
    cr_assert_eq(pm_import_gltf_memory("{}", 2, NULL, &options, &scene, &report), PM_ERROR_ARGUMENT);
    cr_assert_eq(report.fault, PM_FAULT_ARGUMENT);
    cr_assert_null(scene);
}

Test(gltf, diagnostics_name_the_file) {
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_scene *scene;
    const char *text =
        "{\"asset\":{\"version\":\"2.0\"},\"animations\":[{\"name\":\"Walk\",\"channels\":[{}]}]}";
    cr_assert_eq(import_text(text, &scene, &report), PM_OK);
    cr_assert_eq(seen.count, 1);
    cr_assert_str_eq(seen.seen[0].message,
                     "text.gltf: clip \"Walk\", channel \"channel 0\": it names no node");
    pm_scene_destroy(scene);
}

// Something of everything that is read.
static gltf_writer *scene_of_all_kinds(void) {
    gltf_writer *writer = moving_node();
    static const float matrices[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    uint32_t inverse_binds = gltf_floats(writer, "MAT4", 1, matrices);
    gltf_add(writer, "skins", "{'joints':[0],'inverseBindMatrices':%u}", inverse_binds);
    gltf_add(writer, "meshes",
             "{'primitives':[{'attributes':{'POSITION':1},'targets':[{'POSITION':1},{'POSITION':1}]}]}");
    gltf_add(writer, "nodes", "{'name':'Face\\u0000','mesh':0,'skin':0}");
    uint32_t weights = gltf_floats(writer, "SCALAR", 4, (float[]){0, 1, 2, 3});
    gltf_animate(writer, "{'node':1,'path':'weights'}", NULL, 0, weights);
    gltf_add(writer, "cameras", "{'perspective':{'yfov':1}}");
    gltf_animate(writer,
                 "{'path':'pointer','extensions':{'KHR_animation_pointer':"
                 "{'pointer':'/cameras/0/perspective/yfov'}}}",
                 NULL, 0, 0);
    return writer;
}

Test(gltf, an_allocation_that_fails_anywhere_leaks_nothing) {
    gltf_writer *writer = scene_of_all_kinds();
    gltf_file json = gltf_json(writer, NULL);
    uint64_t fail_at = 1;
    for (;; fail_at++) {
        failing_allocator memory = {.fail_at = fail_at};
        pm_allocator allocator = failing_allocator_interface(&memory);
        pm_import_options options = pm_default_import_options();
        options.allocator = &allocator;
        pm_report report = {0};
        pm_scene *scene;
        pm_result result = pm_import_gltf_memory(json.bytes, json.size, "a.gltf", &options, &scene, &report);
        if (memory.allocation_count < fail_at) cr_assert_eq(result, PM_OK, "%s", report.message);
        pm_scene_destroy(scene);
        cr_assert_eq(memory.live_count, 0);
        if (memory.allocation_count < fail_at) break;
        cr_assert_eq(result, PM_ERROR_MEMORY);
        cr_assert_eq(report.fault, PM_FAULT_MEMORY);
        cr_assert_null(scene);
    }
    cr_assert_gt(fail_at, 3);
    free(json.bytes);
    gltf_writer_free(writer);
}

// Jansson's memory, which does not come from the caller's allocator.
static size_t json_allocation_count, json_live_count, json_fail_at;

static void *allocate_json(size_t size) {
    void *memory = ++json_allocation_count == json_fail_at ? NULL : malloc(size);
    if (memory) json_live_count++;
    return memory;
}

static void release_json(void *memory) {
    if (memory) json_live_count--;
    free(memory);
}

Test(gltf, an_allocation_of_json_that_fails_anywhere_leaks_nothing) {
    gltf_writer *writer = scene_of_all_kinds();
    gltf_file json = gltf_json(writer, NULL);
    json_set_alloc_funcs(allocate_json, release_json);
    size_t failure_count = 0;
    for (json_fail_at = 1;; json_fail_at++) {
        json_allocation_count = 0;
        pm_report report = {0};
        pm_scene *scene;
        pm_result result = pm_import_gltf_memory(json.bytes, json.size, "a.gltf", NULL, &scene, &report);
        cr_assert_eq(result == PM_OK, scene != NULL);
        pm_scene_destroy(scene);
        cr_assert_eq(json_live_count, 0, "%zu", json_fail_at);
        if (json_allocation_count < json_fail_at) {
            cr_assert_eq(result, PM_OK, "%s", report.message);
            break;
        }
        // Jansson may take a token that it has no memory for as bad syntax, or lose a letter of it.
        cr_assert_eq(result != PM_OK, report.message[0] != '\0', "%zu", json_fail_at);
        failure_count += result != PM_OK;
    }
    cr_assert_gt(failure_count, 100);
    free(json.bytes);
    gltf_writer_free(writer);
}
