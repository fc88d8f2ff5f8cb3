// posemill sample and posemill info: rows, columns and JSON, against values worked out by hand.
#include "support/command.h"
#include "support/moving_file.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <posemill/compile.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOL(...)    command_run((const char *const[]){POSEMILL_TOOL, __VA_ARGS__, NULL})
#define COLUMN_COUNT 9

static const char header[] =
    "clip\tname\ttime\tnode\ttx ty tz\tqx qy qz qw\tsx sy sz\tweights\tworld matrix, column-major\n";

// The index-th line of a text, split at tabs in place.
static char **columns_of(const char *text, size_t index, char *line, size_t size) {
    static char *columns[COLUMN_COUNT + 1];
    for (; index; index--) text = strchr(text, '\n') + 1;
    snprintf(line, size, "%.*s", (int)strcspn(text, "\n"), text);
    size_t count = 0;
    for (char *column = line; count <= COLUMN_COUNT;) {
        columns[count++] = column;
        column = strchr(column, '\t');
        if (!column) break;
        *column++ = '\0';
    }
    cr_assert_eq(count, COLUMN_COUNT, "%zu columns", count);
    return columns;
}

static void assert_numbers(const char *text, const double *expected, size_t count) {
    char *end;
    for (size_t i = 0; i < count; i++) {
        double value = strtod(text, &end);
        cr_assert(end != text, "too few numbers");
        cr_assert_float_eq(value, expected[i], 1e-6, "number %zu is %.9g, not %.9g", i, value, expected[i]);
        text = end;
    }
    cr_assert_str_empty(text);
}

Test(cli_sample, header_is_that_of_the_expected_values) {
    char path[FILES_PATH_SIZE], line[256];
    if (!data_path("expected.tsv", path)) cr_skip_test("no expected.tsv under POSEMILL_DATA");
    FILE *file = fopen(path, "r");
    cr_assert(file && fgets(line, sizeof line, file));
    fclose(file);
    cr_assert(strncmp(line, "file\t", 5) == 0);
    cr_assert_str_eq(line + 5, header);
}

Test(cli_sample, rows_of_animated_nodes_in_the_file_s_order) {
    char path[FILES_PATH_SIZE], line[1024];
    write_moving_gltf(MOVING_ALL, path);
    command_result result = TOOL("sample", path, "--clip", "0", "--times", "0,0.5,2");
    cr_assert_eq(result.exit_code, 0, "%s", result.errors);
    cr_assert(strncmp(result.output, header, sizeof header - 1) == 0, "%s", result.output);
    cr_assert_eq(count_lines(result.output), 1 + 3 * 3);
    static const char *const times[] = {"0", "0.5", "2"}, *const nodes[] = {"0", "1", "2"};
    for (size_t t = 0; t < 3; t++) {
        for (size_t n = 0; n < 3; n++) {
            char **columns = columns_of(result.output, 1 + 3 * t + n, line, sizeof line);
            cr_assert_str_eq(columns[0], "0");
            cr_assert_str_eq(columns[1], "\"Wave \\\"hi\\\"\"");
            cr_assert_str_eq(columns[2], times[t]);
            cr_assert_str_eq(columns[3], nodes[n]);
        }
    }
    command_release(&result);
    temporary_remove(path);
}

// At 0.5 s the arm has turned by 45 degrees, at (1, 0, 0) from the hips, which are at (0.5, 1, 2).
Test(cli_sample, local_values_weights_and_world_matrices) {
    char path[FILES_PATH_SIZE], line[1024];
    write_moving_gltf(MOVING_ALL, path);
    command_result result = TOOL("sample", path, "--times", "0.5");
    cr_assert_eq(result.exit_code, 0, "%s", result.errors);
    const double half = sqrt(0.5), sine = sin(acos(-1) / 8), cosine = cos(acos(-1) / 8);
    char **arm = columns_of(result.output, 1, line, sizeof line);
    assert_numbers(arm[4], (const double[]){1, 0, 0}, 3);
    assert_numbers(arm[5], (const double[]){0, 0, sine, cosine}, 4);
    assert_numbers(arm[6], (const double[]){1, 1, 1}, 3);
    cr_assert_str_empty(arm[7]);
    assert_numbers(arm[8], (const double[]){half, half, 0, 0, -half, half, 0, 0, 0, 0, 1, 0, 1.5, 1, 2, 1},
                   16);
    char **face = columns_of(result.output, 2, line, sizeof line);
    assert_numbers(face[7], (const double[]){0.5, 0.5}, 2);
    assert_numbers(face[8], (const double[]){1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, 16);
    char **hips = columns_of(result.output, 3, line, sizeof line);
    assert_numbers(hips[4], (const double[]){0.5, 1, 2}, 3);
    command_release(&result);
    temporary_remove(path);
}

// Before the first key and behind the last the ends hold. Nodes of another clip are not listed, and weights
// that the clip does not drive are left out.
Test(cli_sample, clip_by_name_and_times_outside) {
    char path[FILES_PATH_SIZE], line[1024];
    write_moving_gltf(MOVING_ALL, path);
    command_result result = TOOL("sample", path, "--clip", "Nod", "--times=-5,1e9");
    cr_assert_eq(result.exit_code, 0, "%s", result.errors);
    cr_assert_eq(count_lines(result.output), 1 + 2 * 2);
    char **before = columns_of(result.output, 1, line, sizeof line);
    cr_assert_str_eq(before[0], "1");
    cr_assert_str_eq(before[3], "0");
    assert_numbers(before[5], (const double[]){0, 0, 0, 1}, 4);
    char **behind = columns_of(result.output, 4, line, sizeof line);
    cr_assert_str_eq(behind[3], "3");
    assert_numbers(behind[5], (const double[]){0, 0, sqrt(0.5), sqrt(0.5)}, 4);
    cr_assert_str_empty(behind[7]);
    command_release(&result);
    temporary_remove(path);
}

// The arm's turn at a time: its angle about z in degrees.
static double arm_angle(const char *path, const char *times, const char *option, const char *value) {
    char line[1024];
    command_result result = TOOL("sample", path, "--clip=Nod", times, option, value);
    cr_assert_eq(result.exit_code, 0, "%s", result.errors);
    char **arm = columns_of(result.output, 1, line, sizeof line);
    double q[4];
    cr_assert_eq(sscanf(arm[5], "%lf %lf %lf %lf", &q[0], &q[1], &q[2], &q[3]), 4);
    command_release(&result);
    return 360 * atan2(q[2], q[3]) / acos(-1);
}

// The clip "Nod" turns the arm by 90 degrees in a second.
Test(cli_sample, loops_go_on_outside_of_the_clip) {
    char path[FILES_PATH_SIZE];
    write_moving_gltf(MOVING_ALL, path);
    cr_assert_float_eq(arm_angle(path, "--times=5.5", "--loop", "clamp"), 90, 1e-4);
    cr_assert_float_eq(arm_angle(path, "--times=5.25", "--loop", "repeat"), 22.5, 1e-4);
    cr_assert_float_eq(arm_angle(path, "--times=-0.25", "--loop", "repeat"), 67.5, 1e-4);
    cr_assert_float_eq(arm_angle(path, "--times=5.25", "--loop", "ping-pong"), 67.5, 1e-4);
    temporary_remove(path);
}

static void blend_of(const char *path, const char *rest, char blend[FILES_PATH_SIZE + 32]) {
    snprintf(blend, FILES_PATH_SIZE + 32, "%s:%s", path, rest);
}

// At 0.5 s "Wave" has the hips at (0.5, 1, 2) and "Nod" leaves them at rest, which is the origin.
Test(cli_sample, blends_share_the_weight_and_show_every_node_that_moves) {
    char path[FILES_PATH_SIZE], blend[FILES_PATH_SIZE + 32], line[1024];
    write_moving_gltf(MOVING_ALL, path);
    blend_of(path, "Nod:0.75", blend);
    command_result result = TOOL("sample", path, "--times=0.5", "--blend", blend);
    cr_assert_eq(result.exit_code, 0, "%s", result.errors);
    cr_assert_eq(count_lines(result.output), 1 + 4);
    char **hips = columns_of(result.output, 3, line, sizeof line);
    assert_numbers(hips[4], (const double[]){0.125, 0.25, 0.5}, 3);
    char **prop = columns_of(result.output, 4, line, sizeof line);
    cr_assert_str_eq(prop[3], "3");
    command_release(&result);
    temporary_remove(path);
}

Test(cli_sample, blends_that_cannot_be_are_one_line) {
    char path[FILES_PATH_SIZE], bvh[FILES_PATH_SIZE], blend[FILES_PATH_SIZE + 32];
    write_moving_gltf(MOVING_ALL, path);
    write_moving_bvh(4, bvh);
    static const char *const wrong[] = {"Nod", "Nod:", "Nod:2", "Nod:-1", "Nod:x", ":1", "Nod:nan"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        blend_of(path, wrong[i], blend);
        command_result result = TOOL("sample", path, "--times=0", "--blend", blend);
        cr_assert_eq(result.exit_code, 2, "%s", wrong[i]);
        cr_assert_eq(count_lines(result.errors), 1);
        command_release(&result);
    }
    blend_of(path, "Nope:1", blend);
    command_result result = TOOL("sample", path, "--times=0", "--blend", blend);
    cr_assert_eq(result.exit_code, 1);
    cr_assert_eq(count_lines(result.errors), 1);
    command_release(&result);
    blend_of(bvh, "0:1", blend);
    result = TOOL("sample", path, "--times=0", "--blend", blend);
    cr_assert_eq(result.exit_code, 1);
    cr_assert(strstr(result.errors, "skeleton"));
    command_release(&result);
    temporary_remove(path);
    temporary_remove(bvh);
}

static json_t *info_of(const char *path) {
    json_error_t error;
    command_result result = TOOL("info", path, "--json");
    cr_assert_eq(result.exit_code, 0, "%s", result.errors);
    json_t *parsed = json_loads(result.output, 0, &error);
    cr_assert(parsed, "%s: %s", error.text, result.output);
    command_release(&result);
    return parsed;
}

static const json_t *at(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    cr_assert(value, "no key %s", key);
    return value;
}

Test(cli_info, json_holds_everything) {
    char path[FILES_PATH_SIZE];
    write_moving_gltf(MOVING_ALL, path);
    json_t *info = info_of(path);
    cr_assert_str_eq(json_string_value(at(info, "file")), path);
    cr_assert_str_eq(json_string_value(at(info, "generator")), "by hand");
    cr_assert_eq(json_number_value(at(info, "merge_growth_limit")), (double)PM_MERGE_GROWTH_LIMIT);

    const json_t *joints = at(at(info, "skeleton"), "joints"), *clips = at(info, "clips");
    cr_assert_eq(json_array_size(joints), 4);
    for (size_t i = 0; i < 4; i++) {
        const json_t *joint = json_array_get(joints, i);
        bool is_arm = strcmp(json_string_value(at(joint, "name")), "Arm") == 0;
        cr_assert_eq(is_arm, json_integer_value(at(joint, "node")) == 0);
        cr_assert_eq(is_arm, !json_is_null(at(joint, "parent")));
    }
    cr_assert_eq(json_array_size(at(at(info, "skeleton"), "scalars")), 4);

    cr_assert_eq(json_array_size(clips), 3);
    const json_t *wave = json_array_get(clips, 0);
    cr_assert_str_eq(json_string_value(at(wave, "name")), "Wave \"hi\"");
    cr_assert_eq(json_real_value(at(wave, "duration_seconds")), 2);
    cr_assert_eq(json_array_size(at(wave, "channels")), 4, "rotation, two weights, translation");
    cr_assert(json_integer_value(at(wave, "size_bytes")) > 0);
    json_int_t shared = json_integer_value(at(at(at(at(wave, "tracks"), "rotation"), "shared"), "count"));
    json_int_t constant = json_integer_value(at(at(at(at(wave, "tracks"), "scale"), "constant"), "count"));
    cr_assert_eq(shared, 1);
    cr_assert_eq(constant, 1);
    size_t timeline_count = json_array_size(at(wave, "timelines"));
    cr_assert(timeline_count >= 1 && timeline_count <= 2);
    json_decref(info);
    temporary_remove(path);
}

// The clip without channels is reported, by the fault's name for programs and by its own for people.
Test(cli_info, diagnostics) {
    char path[FILES_PATH_SIZE];
    write_moving_gltf(MOVING_WITHOUT_CHANNELS, path);
    json_t *info = info_of(path);
    const json_t *diagnostics = at(info, "diagnostics");
    bool found = false;
    for (size_t i = 0; i < json_array_size(diagnostics); i++) {
        const json_t *diagnostic = json_array_get(diagnostics, i);
        found = found || strcmp(json_string_value(at(diagnostic, "fault")), "clip-empty") == 0;
    }
    cr_assert(found);
    json_decref(info);
    command_result text = TOOL("info", path);
    cr_assert(strstr(text.output, "Nothing"), "%s", text.output);
    command_release(&text);
    temporary_remove(path);
}

Test(cli_info, many_diagnostics_are_grouped_until_asked_for) {
    // Ten clips without channels.
    char path[FILES_PATH_SIZE],
        text[1024] = "{\"asset\": {\"version\": \"2.0\"}, \"nodes\": [{}], \"animations\": [";
    for (int i = 0; i < 10; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "%s{\"name\": \"clip%d\", \"channels\": [], \"samplers\": []}", i ? ", " : "", i);
    strcat(text, "]}");
    temporary_write("empty.gltf", text, strlen(text), path);
    command_result grouped = TOOL("info", path), listed = TOOL("info", path, "--verbose");
    cr_assert_eq(grouped.exit_code, 0, "%s", grouped.errors);
    cr_assert(strstr(grouped.output, "--verbose lists them"), "%s", grouped.output);
    cr_assert(strstr(grouped.output, "clip-empty"), "%s", grouped.output);
    const char *list = strstr(listed.output, " diagnostics\n");
    cr_assert(list && count_lines(list) > 10, "%s", listed.output);
    command_release(&grouped);
    command_release(&listed);
    temporary_remove(path);
}
