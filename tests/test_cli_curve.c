// posemill curve: rows against numbers worked out by hand, CSV in all its forms, pictures, and refusals.
#include "support/command.h"
#include "support/files.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOL(...) command_run((const char *const[]){POSEMILL_TOOL, "curve", __VA_ARGS__, NULL})

// Writes keys.csv, runs the command on it and expects these rows.
#define ROWS(csv, expected, ...)                                                                             \
    do {                                                                                                     \
        char path_[FILES_PATH_SIZE];                                                                         \
        temporary_write("keys.csv", csv, strlen(csv), path_);                                                \
        command_result result_ = TOOL(path_, __VA_ARGS__);                                                   \
        cr_assert_eq(result_.exit_code, 0, "%s", result_.errors);                                            \
        cr_assert_str_eq(result_.output, expected);                                                          \
        command_release(&result_);                                                                           \
        temporary_remove(path_);                                                                             \
    } while (0)

static const char kochanek_bartels[] = "time,value\n-1,-3\n0,0\n1,1\n2,0\n";

Test(cli_curve, tension_of_kochanek_and_bartels) {
    ROWS(kochanek_bartels, "0.5\t0.75\t1\t-2\n", "--rule", "tcb", "--at", "0.5");
    ROWS(kochanek_bartels, "0.5\t0.625\t1.25\t-1\n", "--rule", "tcb", "--tension", "0.5", "--at", "0.5");
    ROWS(kochanek_bartels, "0.5\t0.5\t1.5\t0\n", "--rule=tcb", "--tension=1", "--at=0.5");
    ROWS("time,value,tension\n-1,-3,0\n0,0,1\n1,1,1\n2,0,0\n", "0.5\t0.5\t1.5\t0\n", "--rule", "tcb", "--at",
         "0.5");
}

Test(cli_curve, easings_need_no_keys) {
    command_result result = TOOL("--easing", "smoothstep", "--at", "0.25,0.5");
    cr_assert_eq(result.exit_code, 0);
    cr_assert_str_eq(result.output, "0.25\t0.15625\t1.125\t3\n0.5\t0.5\t1.5\t0\n");
    command_release(&result);
    result = TOOL("--easing", "bezier:0,0,1,1", "--at", "0.25");
    cr_assert_str_eq(result.output, "0.25\t0.25\t1\t0\n");
    command_release(&result);
}

Test(cli_curve, several_rules_end_their_rows_with_their_name) {
    static const char expected[] =
        "0.5\t0.75\t1\t-2\tcatmull-rom\n0.5\t0.75\t1\t-2\tmonotone\n0.5\t0.5\t1\t0\tlinear\n";
    ROWS(kochanek_bartels, expected, "--rule", "catmull-rom,monotone", "--rule", "linear", "--at", "0.5");
}

Test(cli_curve, columns_of_the_keys) {
    // Any order, semicolons, quotes, a mark at the beginning, comments, empty cells and lines, CR LF.
    ROWS("\xEF\xBB\xBFvalue;time;rule\r\n# a comment\r\n\r\n0;0;\"linear\"\r\n2; 1 ;linear\r\n",
         "0.25\t0.5\t2\t0\n", "--at", "0.25");
    ROWS("time\tvalue\tout\tin\n0\t0\t3\t\n1\t1\t\t\n", "0\t0\t3\t-6\n1\t1\t0\t0\n", "--at", "0,1");
    ROWS("time,value,rule\n0,0,auto\n1,1,flat/linear\n2,3,linear\n", "0.5\t0.5\t1.5\t0\n1.5\t2\t2\t0\n",
         "--at", "0.5,1.5");
    // A segment with an easing is a straight line underneath, unless a rule is given.
    ROWS("time,value,easing\n0,0,\"bezier:0,0,1,1\"\n1,4,quad-in\n2,8,\n", "0.5\t2\t4\t0\n1.5\t5\t4\t8\n",
         "--at", "0.5,1.5");
    ROWS("time,value,in,out,rule\n0,0,0,1,bezier\n3,3,2,0,bezier\n", "1\t1\t1\t0\n", "--at", "1");
    ROWS("time,value,turns\n0,350,0\n1,10,1\n", "0.5\t360\t20\t0\n", "--at", "0.5", "--angle",
         "degrees:counted", "--rule", "linear");
}

Test(cli_curve, frames_cadence_angles_phase_and_bounds) {
    ROWS("time,value\n0,0\n24,24\n", "0.5\t12\t24\t0\n", "--fps", "24", "--rule", "linear", "--at", "0.5");
    ROWS("time,value\n0,0\n24,24\n", "0.12\t0\t24\t0\n0.13\t3\t24\t0\n", "--fps", "24", "--rule", "linear",
         "--cadence", "8", "--at", "0.12,0.13");
    ROWS("time,value\n0,350\n1,10\n", "0.5\t360\t20\t0\n", "--angle", "degrees", "--rule", "linear", "--at",
         "0.5");
    ROWS("time,value\n0,350\n1,10\n", "0.5\t180\t-340\t0\n", "--angle", "degrees:long", "--rule", "linear",
         "--at", "0.5");
    ROWS("time,value\n0,0\n2,4\n", "2\t0.5\t0.5\t0\n", "--phase", "1", "--time-scale", "4", "--rule",
         "linear", "--at", "2");
    ROWS("time,value\n0,0\n1,1\n2,1\n3,0\n", "1.5\t1\t0\t0\n", "--rule", "catmull-rom", "--bounds", "0,1",
         "--limit", "--at", "1.5");
    ROWS("time,value\n0,0\n1,1\n2,0\n3,-1\n4,0\n", "0\t0\t1\t2\n4.5\t0.625\t1.25\t-1\n", "--rule",
         "catmull-rom", "--loop", "--at", "0,4.5");
}

static void assert_refused(const char *csv, const char *reason) {
    char path[FILES_PATH_SIZE];
    temporary_write("keys.csv", csv, strlen(csv), path);
    command_result result = TOOL(path, "--at", "0");
    cr_assert_eq(result.exit_code, 1, "%s", csv);
    cr_assert_str_empty(result.output);
    cr_assert_eq(count_lines(result.errors), 1, "%s", result.errors);
    cr_assert(strstr(result.errors, "keys.csv") && strstr(result.errors, reason), "\"%s\" lacks \"%s\"",
              result.errors, reason);
    command_release(&result);
    temporary_remove(path);
}

Test(cli_curve, faulty_keys_are_refused_naming_the_line) {
    assert_refused("", "no keys");
    assert_refused("time,value\n", "no keys");
    assert_refused("time,worth\n0,0\n", "line 1");
    assert_refused("time,time,value\n0,0,0\n", "line 1");
    assert_refused("time,in\n0,0\n", "time and value");
    assert_refused("time,value\n0,0\n1\n", "line 3: time or value is missing");
    assert_refused("time,value\n0,0\n1,x\n", "line 3: value must be a finite number, not \"x\"");
    assert_refused("time,value\n0,nan\n", "line 2: value must be a finite number");
    assert_refused("time,value\n0,1,2\n", "more cells");
    assert_refused("time,value,rule\n0,1,wavy\n", "wavy");
    assert_refused("time,value,easing\n0,1,wavy\n", "wavy");
    assert_refused("time,value,turns\n0,1,0.5\n", "whole");
    assert_refused("time,value\n0,\"1\n", "quote");
    assert_refused("time,value\n0,1\n0,2\n", "key 1");
    assert_refused("time,value\n1,1\n0,2\n", "key 1");
    assert_refused("time,value\n0,1e300\n1,2\n", "key 0");
}

static void assert_usage(const char *const *arguments, const char *reason) {
    command_result result = command_run(arguments);
    cr_assert_eq(result.exit_code, 2, "%s", result.errors);
    cr_assert_eq(count_lines(result.errors), 1);
    cr_assert(strstr(result.errors, reason), "\"%s\" lacks \"%s\"", result.errors, reason);
    command_release(&result);
}

#define USAGE(reason, ...)                                                                                   \
    assert_usage((const char *const[]){POSEMILL_TOOL, "curve", __VA_ARGS__, NULL}, reason)

Test(cli_curve, wrong_command_lines_are_refused_with_a_reason) {
    USAGE("--at", "--easing", "sine-in");
    USAGE("easing", "--at", "0");
    USAGE("no such easing", "--easing", "wavy", "--at", "0");
    USAGE("no such rule", "--easing", "sine-in", "--rule", "linear,wavy", "--at", "0");
    USAGE(".png", "--easing", "sine-in", "--plot", "x.jpg");
    USAGE(".png", "no-such-file.csv", "--at", "0", "--plot", "x.jpg");
    USAGE("--plot", "--basis");
    USAGE("--basis takes neither", "--basis", "--plot", "x.svg", "--at", "0");
    USAGE("--angle", "keys.csv", "--angle", "gradians", "--at", "0");
    USAGE("--bounds", "keys.csv", "--limit", "--at", "0");
    USAGE("lower", "keys.csv", "--bounds", "1,0", "--at", "0");
}

// Reads a picture's first bytes and removes it.
static size_t read_picture(const char *path, char *bytes, size_t size) {
    FILE *file = fopen(path, "rb");
    cr_assert(file, "%s", path);
    size_t length = fread(bytes, 1, size - 1, file);
    bytes[length] = '\0';
    fclose(file);
    return length;
}

Test(cli_curve, pictures_are_svg_or_png) {
    char csv[FILES_PATH_SIZE], picture[FILES_PATH_SIZE];
    static char bytes[1 << 20];
    temporary_write("keys.csv", kochanek_bartels, strlen(kochanek_bartels), csv);
    snprintf(picture, sizeof picture, "%.*s.svg", (int)strlen(csv) - 4, csv);
    command_result result = TOOL(csv, "--rule", "catmull-rom,monotone", "--plot", picture);
    cr_assert_eq(result.exit_code, 0, "%s", result.errors);
    cr_assert_str_empty(result.output);
    cr_assert_gt(read_picture(picture, bytes, sizeof bytes), 10000);
    cr_assert(strstr(bytes, "<svg") && strstr(bytes, "</svg>"));
    remove(picture);
    command_release(&result);

    snprintf(picture, sizeof picture, "%.*s.png", (int)strlen(csv) - 4, csv);
    result = TOOL("--basis", "--plot", picture);
    cr_assert_eq(result.exit_code, 0, "%s", result.errors);
    cr_assert_gt(read_picture(picture, bytes, sizeof bytes), 10000);
    cr_assert_eq(memcmp(bytes, "\x89PNG", 4), 0);
    remove(picture);
    command_release(&result);

    result = TOOL(csv, "--plot", "/nonexistent/folder/x.png");
    cr_assert_eq(result.exit_code, 1);
    cr_assert_str_eq(result.errors, "posemill: /nonexistent/folder/x.png: cannot be written\n");
    command_release(&result);
    result = TOOL(csv, "--plot", "/nonexistent/folder/x.svg");
    cr_assert_eq(result.exit_code, 1);
    cr_assert_str_eq(result.errors, "posemill: /nonexistent/folder/x.svg: cannot be written\n");
    command_release(&result);
    temporary_remove(csv);
}

Test(cli_curve, pictures_of_odd_curves) {
    static const char *const files[] = {
        "time,value\n3,5\n", // one key
        "time,value\n0,5\n1,5\n",
        "time,value,rule\n0,0,step\n1,1,step\n2,0,step\n",
        "time,value,easing\n0,0,\"bezier:0,1,1,0\"\n1,1,\n", // infinite speed
        "time,value\n0,-1e17\n1e-3,1e17\n",
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char csv[FILES_PATH_SIZE], picture[FILES_PATH_SIZE];
        static char bytes[1 << 20];
        temporary_write("keys.csv", files[i], strlen(files[i]), csv);
        snprintf(picture, sizeof picture, "%.*s.svg", (int)strlen(csv) - 4, csv);
        command_result result = TOOL(csv, "--plot", picture);
        cr_assert_eq(result.exit_code, 0, "%s", result.errors);
        read_picture(picture, bytes, sizeof bytes);
        cr_assert(strstr(bytes, "</svg>") && !strstr(bytes, "nan") && !strstr(bytes, "inf"), "%zu", i);
        remove(picture);
        command_release(&result);
        temporary_remove(csv);
    }
}
