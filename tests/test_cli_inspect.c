// posemill inspect: findings, one channel's report, and joins, on a small file whose faults are known.
#include "support/command.h"
#include "support/files.h"
#include "support/moving_file.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOL(...) command_run((const char *const[]){POSEMILL_TOOL, "inspect", __VA_ARGS__, NULL})

// The line that begins with `label` after blanks, or a failure.
static const char *line_of(const char *text, const char *label) {
    static char line[512];
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        const char *begin = at + strspn(at, " ");
        if (strncmp(begin, label, strlen(label)) != 0) continue;
        snprintf(line, sizeof line, "%.*s", (int)strcspn(begin, "\n"), begin);
        return line;
    }
    cr_assert_fail("no line \"%s\" in: %s", label, text);
    return NULL;
}

static void assert_has(const char *text, const char *part) {
    cr_assert(strstr(text, part), "\"%s\" lacks \"%s\"", text, part);
}

Test(cli_inspect, findings_of_a_file) {
    char path[FILES_PATH_SIZE];
    write_moving_gltf(MOVING_ALL, path);
    command_result result = TOOL(path, "--clip", "0", "--fps", "30");
    cr_assert_eq(result.exit_code, 0, "%s", result.errors);
    // Arm (ends at 1 s) and the two weights of Face; Hips go on until 2 s. The weights' tangents are all
    // flat.
    assert_has(line_of(result.output, path), "4 channels");
    cr_assert_eq(strtoul(line_of(result.output, "overshoots its keys") + 19, NULL, 10), 0);
    assert_has(line_of(result.output, "ends early"), "1 s");
    cr_assert_eq(strtoul(line_of(result.output, "does not loop") + 13, NULL, 10), 4);
    cr_assert_eq(strtoul(line_of(result.output, "stops at every key") + 18, NULL, 10), 2);
    assert_has(line_of(result.output, "stops at every key"), "50.0 %");
    command_release(&result);
    temporary_remove(path);
}

Test(cli_inspect, one_channel_in_full) {
    char path[FILES_PATH_SIZE], picture[FILES_PATH_SIZE + 8];
    write_moving_gltf(MOVING_ALL, path);
    snprintf(picture, sizeof picture, "%s.svg", path);
    command_result result = TOOL(path, "--node", "Hips", "--path", "translation", "--plot", picture);
    cr_assert_eq(result.exit_code, 0, "%s", result.errors);
    assert_has(line_of(result.output, "Hips.translation"), "LINEAR, 2 keys");
    // From 0 to (2, 4, 8) in 2 s: the components' ranges, and their speeds at all five places.
    assert_has(line_of(result.output, "z "), "0..8");
    assert_has(line_of(result.output, "segments overshooting"), "0 of 1");
    assert_has(result.output, "0 2 4 6 8");
    assert_has(result.output, "4 4 4 4 4");
    cr_assert(file_exists(picture));
    remove(picture);
    command_release(&result);
    result = TOOL(path, "--node", "Arm");
    cr_assert_eq(result.exit_code, 1);
    assert_has(result.errors, "no translation channel of \"Arm\"");
    command_release(&result);
    temporary_remove(path);
}

Test(cli_inspect, two_clips_joined) {
    char path[FILES_PATH_SIZE];
    write_moving_gltf(MOVING_ALL, path);
    // "Nod" begins with the arm as "Wave" does: a jump back by 90 degrees about z.
    command_result result = TOOL("--join", "0", "Nod", path);
    cr_assert_eq(result.exit_code, 0, "%s", result.errors);
    assert_has(line_of(result.output, "clip 0, then 1"), "1 channels in both");
    assert_has(line_of(result.output, "Arm.rotation"), "0 0 -0.707107 0.292893");
    command_release(&result);
    result = TOOL(path, "--join", "0", "Jump");
    cr_assert_eq(result.exit_code, 1);
    command_release(&result);
    result = TOOL(path, "--join", "0");
    cr_assert_eq(result.exit_code, 2);
    command_release(&result);
    temporary_remove(path);
}

Test(cli_inspect, wrong_requests_are_refused_with_a_reason) {
    char path[FILES_PATH_SIZE];
    write_moving_gltf(MOVING_WITHOUT_CLIPS, path);
    command_result result = TOOL(path);
    cr_assert_eq(result.exit_code, 1);
    assert_has(result.errors, "no clips");
    command_release(&result);
    result = TOOL(path, "--plot", "x.png");
    cr_assert_eq(result.exit_code, 2);
    assert_has(result.errors, "--node");
    command_release(&result);
    result = TOOL("no-such-file.glb", "--node", "Hips", "--plot", "x.jpg");
    cr_assert_eq(result.exit_code, 2);
    assert_has(result.errors, ".svg or .png");
    command_release(&result);
    result = TOOL(path, "--node", "Hips", "--path", "speed");
    cr_assert_eq(result.exit_code, 2);
    command_release(&result);
    temporary_remove(path);
}
