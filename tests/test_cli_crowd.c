// posemill crowd: what it prints, and that poses depend on neither threads nor kernels.
#include "support/command.h"
#include "support/moving_file.h"

#include <posemill/kernels.h>

#include <criterion/criterion.h>
#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOL(...) command_run((const char *const[]){POSEMILL_TOOL, __VA_ARGS__, NULL})

static json_t *parse_output(command_result *result) {
    json_error_t error;
    cr_assert_eq(result->exit_code, 0, "%s", result->errors);
    json_t *parsed = json_loads(result->output, 0, &error);
    cr_assert(parsed, "%s: %s", error.text, result->output);
    command_release(result);
    return parsed;
}

// The pose hash of a crowd of both files.
static void hash_of(const char *const files[2], const char *option, const char *value, char hash[17]) {
    command_result result =
        TOOL("crowd", files[0], files[1], "--characters=1001", "--seconds=1.5", "--json", option, value);
    json_t *parsed = parse_output(&result);
    const char *text = json_string_value(json_object_get(parsed, "pose_hash"));
    cr_assert(text && strlen(text) == 16 && strspn(text, "0123456789abcdef") == 16);
    memcpy(hash, text, 17);
    json_decref(parsed);
}

Test(cli_crowd, hash_depends_on_neither_threads_nor_kernels) {
    char bvh[FILES_PATH_SIZE], gltf[FILES_PATH_SIZE], first[17], hash[17];
    write_moving_bvh(40, bvh);
    write_moving_gltf(MOVING_ALL, gltf);
    const char *const files[2] = {bvh, gltf};
    static const char *const threads[] = {"2", "3", "7", "64"};
    hash_of(files, "--threads", "1", first);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        hash_of(files, "--threads", threads[i], hash);
        cr_assert_str_eq(hash, first, "%s threads", threads[i]);
    }
    for (uint32_t i = 0; pm_kernels_at(i); i++) {
        hash_of(files, "--isa", pm_kernels_name(pm_kernels_at(i)), hash);
        cr_assert_str_eq(hash, first, "%s", pm_kernels_name(pm_kernels_at(i)));
    }
    temporary_remove(bvh);
    temporary_remove(gltf);
}

Test(cli_crowd, hash_depends_on_no_order) {
    char bvh[FILES_PATH_SIZE], gltf[FILES_PATH_SIZE], first[17], hash[17];
    write_moving_bvh(40, bvh);
    write_moving_gltf(MOVING_ALL, gltf);
    const char *const files[2] = {bvh, gltf};
    hash_of(files, "--order", "given", first);
    hash_of(files, "--order", "time", hash);
    cr_assert_str_eq(hash, first);
    temporary_remove(bvh);
    temporary_remove(gltf);
}

Test(cli_crowd, layouts) {
    char gltf[FILES_PATH_SIZE];
    write_moving_gltf(MOVING_ALL, gltf);
    static const char *const layouts[] = {"auto", "merged", "mixed"};
    for (size_t i = 0; i < 3; i++) {
        command_result result = TOOL("crowd", gltf, "--characters=30", "--json", "--layout", layouts[i]);
        json_t *parsed = parse_output(&result);
        cr_assert_str_eq(json_string_value(json_object_get(parsed, "layout")), layouts[i]);
        cr_assert_eq(json_integer_value(json_object_get(parsed, "guarded_lanes")), 0);
        json_decref(parsed);
    }
    temporary_remove(gltf);
}

Test(cli_crowd, key_bits) {
    char bvh[FILES_PATH_SIZE];
    write_moving_bvh(40, bvh);
    json_int_t bytes[2];
    for (int i = 0; i < 2; i++) {
        command_result result =
            TOOL("crowd", bvh, "--characters=30", "--json", "--key-bits", i ? "16" : "32");
        json_t *parsed = parse_output(&result);
        cr_assert_eq(json_integer_value(json_object_get(parsed, "key_bits")), i ? 16 : 32);
        cr_assert_eq(json_integer_value(json_object_get(parsed, "guarded_lanes")), 0);
        bytes[i] = json_integer_value(json_object_get(parsed, "clip_bytes"));
        json_decref(parsed);
    }
    cr_assert_lt(bytes[1], bytes[0] * 3 / 4);
    command_result floats = TOOL("info", bvh, "--json");
    json_t *unpacked = parse_output(&floats);
    cr_assert_eq(json_integer_value(
                     json_object_get(json_array_get(json_object_get(unpacked, "clips"), 0), "packed_count")),
                 0);
    json_decref(unpacked);
    command_result info = TOOL("info", bvh, "--json", "--key-bits", "16");
    json_t *parsed = parse_output(&info);
    cr_assert_eq(json_integer_value(json_object_get(parsed, "key_bits")), 16);
    json_t *clip = json_array_get(json_object_get(parsed, "clips"), 0);
    cr_assert_eq(json_integer_value(json_object_get(clip, "size_bytes")), bytes[1]);
    json_int_t packed = json_integer_value(json_object_get(clip, "packed_count"));
    cr_assert(packed > 0 && packed <= json_integer_value(json_object_get(clip, "track_count")));
    json_decref(parsed);
    temporary_remove(bvh);
}

Test(cli_crowd, hash_depends_on_what_is_played) {
    char bvh[FILES_PATH_SIZE], gltf[FILES_PATH_SIZE], first[17], hash[17];
    write_moving_bvh(40, bvh);
    write_moving_gltf(MOVING_ALL, gltf);
    const char *const files[2] = {bvh, gltf}, *const swapped[2] = {gltf, bvh};
    hash_of(files, "--threads", "1", first);
    static const char *const options[][2] = {
        {"--characters", "1002"}, {"--rate", "31"}, {"--seconds", "1.6"}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        hash_of(files, options[i][0], options[i][1], hash);
        cr_assert_str_neq(hash, first, "%s", options[i][0]);
    }
    hash_of(swapped, "--threads", "1", hash);
    cr_assert_str_neq(hash, first);
    temporary_remove(bvh);
    temporary_remove(gltf);
}

// A crowd that loops, mixes, fades and rests; 46 ticks, so that the last one goes backward where the crowd is
// ordered.
static void played_hash(const char *const files[2], const char *play, const char *value, const char *option,
                        const char *given, char hash[17]) {
    command_result result = TOOL("crowd", files[0], files[1], "--characters=301", "--seconds=1.5334",
                                 "--json", play, value, option, given);
    json_t *parsed = parse_output(&result);
    cr_assert_eq(json_integer_value(json_object_get(parsed, "guarded_lanes")), 0);
    memcpy(hash, json_string_value(json_object_get(parsed, "pose_hash")), 17);
    json_decref(parsed);
}

Test(cli_crowd, layers_fades_loops_and_update_rates_change_poses_but_threads_kernels_and_order_do_not) {
    char bvh[FILES_PATH_SIZE], gltf[FILES_PATH_SIZE], plain[17], first[17], hash[17];
    write_moving_bvh(40, bvh);
    write_moving_gltf(MOVING_ALL, gltf);
    const char *const files[2] = {bvh, gltf};
    static const char *const plays[][2] = {
        {"--layers", "3"},   {"--layers", "8"},      {"--fade", "0.3"},      {"--loop", "ping-pong"},
        {"--loop", "clamp"}, {"--update-rate", "4"}, {"--update-rate", "8"},
    };
    static const char *const others[][2] = {{"--threads", "3"}, {"--order", "given"}, {"--isa", "portable"}};
    played_hash(files, "--loop", "repeat", "--threads", "1", plain);
    for (size_t i = 0; i < sizeof plays / sizeof *plays; i++) {
        played_hash(files, plays[i][0], plays[i][1], "--threads", "1", first);
        cr_assert_str_neq(first, plain, "%s %s", plays[i][0], plays[i][1]);
        for (size_t j = 0; j < 3; j++) {
            played_hash(files, plays[i][0], plays[i][1], others[j][0], others[j][1], hash);
            cr_assert_str_eq(hash, first, "%s %s, %s", plays[i][0], plays[i][1], others[j][0]);
        }
    }
    temporary_remove(bvh);
    temporary_remove(gltf);
}

Test(cli_crowd, constants_that_are_written_once_do_not_change_poses) {
    char bvh[FILES_PATH_SIZE], gltf[FILES_PATH_SIZE], always[17], once[17];
    write_moving_bvh(40, bvh);
    write_moving_gltf(MOVING_ALL, gltf);
    const char *const files[2] = {bvh, gltf};
    played_hash(files, "--loop", "repeat", "--constants", "always", always);
    played_hash(files, "--loop", "repeat", "--constants", "once", once);
    cr_assert_str_eq(once, always);
    played_hash(files, "--update-rate", "4", "--constants", "always", always);
    played_hash(files, "--update-rate", "4", "--constants", "once", once);
    cr_assert_str_eq(once, always);
    command_result result = TOOL("crowd", bvh, "--layers=2", "--constants=once");
    cr_assert_eq(result.exit_code, 2);
    cr_assert(strstr(result.errors, "one layer"), "%s", result.errors);
    command_release(&result);
    temporary_remove(bvh);
    temporary_remove(gltf);
}

Test(cli_crowd, an_update_rate_evaluates_a_part_of_the_crowd_each_tick) {
    char bvh[FILES_PATH_SIZE];
    write_moving_bvh(40, bvh);
    command_result result = TOOL("crowd", bvh, "--characters=80", "--rate=30", "--seconds=3",
                                 "--update-rate=8", "--fade=0.5", "--json");
    json_t *parsed = parse_output(&result);
    cr_assert_eq(json_integer_value(json_object_get(parsed, "update_interval")), 8);
    cr_assert_eq(json_integer_value(json_object_get(parsed, "layers")), 2);
    cr_assert_eq(json_number_value(json_object_get(parsed, "fade_seconds")), 0.5);
    // All at the first of 90 ticks, ten at each of the others.
    cr_assert_eq(json_integer_value(json_object_get(parsed, "evaluated")), 80 + 89 * 10);
    json_decref(parsed);
    temporary_remove(bvh);
}

// What the poses of these files are is settled: another hash means another pose, or another way to hash.
Test(cli_crowd, golden_hash) {
    char bvh[FILES_PATH_SIZE], gltf[FILES_PATH_SIZE], hash[17];
    write_moving_bvh(40, bvh);
    write_moving_gltf(MOVING_ALL, gltf);
    const char *const files[2] = {bvh, gltf};
    hash_of(files, "--threads", "1", hash);
    cr_assert_str_eq(hash, "f64fa5b8dd676ef9");
    temporary_remove(bvh);
    temporary_remove(gltf);
}

static json_int_t integer_of(const json_t *object, const char *key) {
    json_t *value = json_object_get(object, key);
    cr_assert(json_is_integer(value), "%s is no integer", key);
    return json_integer_value(value);
}

Test(cli_crowd, json_adds_up) {
    char bvh[FILES_PATH_SIZE], gltf[FILES_PATH_SIZE];
    write_moving_bvh(40, bvh);
    write_moving_gltf(MOVING_ALL, gltf);
    // Three clips can be played: the BVH's and two of the glTF's. They take turns.
    command_result result = TOOL("crowd", bvh, gltf, "--characters=10", "--rate=24", "--seconds=2", "--json",
                                 "--isa=portable", "--threads=2");
    json_t *parsed = parse_output(&result);
    cr_assert_eq(integer_of(parsed, "characters"), 10);
    cr_assert_eq(integer_of(parsed, "joints"), 4 * 3 + 6 * 4);
    cr_assert_eq(integer_of(parsed, "lanes"), 10 * 16);
    cr_assert_eq(integer_of(parsed, "ticks"), 48);
    cr_assert_eq(integer_of(parsed, "threads"), 2);
    cr_assert_eq(integer_of(parsed, "clip_count"), 3);
    cr_assert_eq(integer_of(parsed, "pose_bytes"), 10 * 640);
    cr_assert_eq(integer_of(parsed, "scalar_bytes"), 6 * 64);
    cr_assert_eq(integer_of(parsed, "guarded_lanes"), 0);
    cr_assert_str_eq(json_string_value(json_object_get(parsed, "isa")), "portable");
    const json_t *files = json_object_get(parsed, "files");
    cr_assert_eq(json_array_size(files), 2);
    cr_assert_eq(integer_of(json_array_get(files, 0), "characters"), 4);
    cr_assert_eq(integer_of(json_array_get(files, 1), "characters"), 6);
    cr_assert_eq(integer_of(json_array_get(files, 0), "clip_bytes") +
                     integer_of(json_array_get(files, 1), "clip_bytes"),
                 integer_of(parsed, "clip_bytes"));
    double median = json_real_value(json_object_get(json_object_get(parsed, "tick_ms"), "median"));
    double joint = json_real_value(json_object_get(parsed, "ns_a_joint"));
    cr_assert(median > 0);
    cr_assert_float_eq(joint, median * 1e6 / 36, 1e-3 * joint);
    json_decref(parsed);
    temporary_remove(bvh);
    temporary_remove(gltf);
}

Test(cli_crowd, table_says_what_it_must) {
    static const char *const parts[] = {"characters",  "joints", "a tick",        "a joint",
                                        "an instance", "a clip", "guarded lanes", "pose_hash"};
    char bvh[FILES_PATH_SIZE];
    write_moving_bvh(40, bvh);
    command_result result = TOOL("crowd", bvh, "--characters=12", "--seconds=0.1");
    cr_assert_eq(result.exit_code, 0, "%s", result.errors);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        cr_assert(strstr(result.output, parts[i]), "no %s in %s", parts[i], result.output);
    for (const char *c = result.output; *c; c++)
        cr_assert_not(c[0] == ' ' && c[1] == '\n', "a line ends in a space: %s", result.output);
    command_release(&result);
    temporary_remove(bvh);
}

// The hash of matrices of a crowd of 301.
static void matrix_hash(const char *file, const char *output, const char *option, const char *value,
                        char hash[17]) {
    command_result result = TOOL("crowd", file, "--characters=301", "--seconds=1.5334", "--json", "--output",
                                 output, option, value);
    json_t *parsed = parse_output(&result);
    cr_assert_str_eq(json_string_value(json_object_get(parsed, "output")), output);
    cr_assert_null(json_object_get(parsed, "pose_hash"));
    cr_assert_eq(integer_of(parsed, "pose_bytes"), 0);
    cr_assert_eq(integer_of(parsed, "guarded_lanes"), 0);
    // Four joints, or entries of the skin; three joints are written as four, too.
    cr_assert_eq(integer_of(parsed, "matrix_bytes"), 301 * 4 * 48);
    memcpy(hash, json_string_value(json_object_get(parsed, "matrix_hash")), 17);
    json_decref(parsed);
}

Test(cli_crowd, matrices_depend_on_what_is_played_not_on_threads_kernels_or_order) {
    char gltf[FILES_PATH_SIZE], first[17], hash[17];
    static const char *const others[][2] = {
        {"--threads", "3"}, {"--order", "given"}, {"--isa", "portable"}, {"--isa", "sse2"}};
    write_moving_gltf(MOVING_ALL, gltf);
    matrix_hash(gltf, "models", "--threads", "1", first);
    for (size_t i = 0; i < (pm_kernels_find("sse2") ? 4 : 3); i++) {
        matrix_hash(gltf, "models", others[i][0], others[i][1], hash);
        cr_assert_str_eq(hash, first, "%s %s", others[i][0], others[i][1]);
    }
    matrix_hash(gltf, "models", "--layers", "2", hash);
    cr_assert_str_neq(hash, first);
    temporary_remove(gltf);
}

// A skin of all joints without inverse binds has their model matrices for its palette, in the skin's order.
Test(cli_crowd, palettes_are_of_the_skin) {
    char gltf[FILES_PATH_SIZE], models[17], same[17], turned[17];
    write_moving_gltf(MOVING_ALL, gltf);
    matrix_hash(gltf, "models", "--threads", "1", models);
    json_t *scene = json_load_file(gltf, 0, NULL);
    cr_assert(scene);
    // Joints come depth first: node 1, then 2 with its child 0, then 3.
    json_object_set_new(scene, "skins", json_pack("[{s:[iiii]}]", "joints", 1, 2, 0, 3));
    cr_assert_eq(json_dump_file(scene, gltf, 0), 0);
    matrix_hash(gltf, "palettes", "--threads", "2", same);
    cr_assert_str_eq(same, models);
    json_object_set_new(scene, "skins", json_pack("[{s:[ii]}, {s:[ii]}]", "joints", 3, 2, "joints", 1, 0));
    cr_assert_eq(json_dump_file(scene, gltf, 0), 0);
    matrix_hash(gltf, "palettes", "--threads", "2", turned);
    cr_assert_str_neq(turned, models);
    json_decref(scene);
    temporary_remove(gltf);
}

Test(cli_crowd, output_that_cannot_be_is_refused) {
    char bvh[FILES_PATH_SIZE];
    write_moving_bvh(40, bvh);
    command_result result = TOOL("crowd", bvh, "--output=palettes");
    cr_assert_eq(result.exit_code, 1);
    cr_assert(strstr(result.errors, "no skin"), "%s", result.errors);
    cr_assert(strstr(result.errors, bvh), "%s", result.errors);
    command_release(&result);
    result = TOOL("crowd", bvh, "--output=models", "--constants=once");
    cr_assert_eq(result.exit_code, 2);
    cr_assert(strstr(result.errors, "--output poses"), "%s", result.errors);
    command_release(&result);
    temporary_remove(bvh);
}

// A crowd of one whose time is within a single tick plays the first pose only.
Test(cli_crowd, less_than_a_tick_is_one_tick) {
    char bvh[FILES_PATH_SIZE];
    write_moving_bvh(40, bvh);
    command_result result = TOOL("crowd", bvh, "--characters=1", "--seconds=0.001", "--rate=0.001", "--json");
    json_t *parsed = parse_output(&result);
    cr_assert_eq(integer_of(parsed, "ticks"), 1);
    json_decref(parsed);
    temporary_remove(bvh);
}

Test(cli_crowd, one_frame_loops) {
    char bvh[FILES_PATH_SIZE];
    write_moving_bvh(1, bvh);
    command_result result = TOOL("crowd", bvh, "--characters=50", "--json");
    json_t *parsed = parse_output(&result);
    cr_assert_eq(integer_of(parsed, "guarded_lanes"), 0);
    json_decref(parsed);
    temporary_remove(bvh);
}
