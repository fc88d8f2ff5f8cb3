// The command line tool from outside: help, wrong command lines, wrong files, terminals.
#include "support/command.h"
#include "support/moving_file.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOL(...) command_run((const char *const[]){POSEMILL_TOOL, __VA_ARGS__, NULL})

static void assert_contains(const char *text, const char *part) {
    cr_assert(strstr(text, part), "no \"%s\" in: %s", part, text);
}

// A failed command says why in one line, and nothing on stdout.
static void assert_refused(command_result *result, int exit_code, const char *reason) {
    cr_assert_eq(result->exit_code, exit_code, "exit code %d, not %d: %s", result->exit_code, exit_code,
                 result->errors);
    cr_assert_eq(count_lines(result->errors), 1, "not one line: %s", result->errors);
    cr_assert(strncmp(result->errors, "posemill: ", 10) == 0, "%s", result->errors);
    assert_contains(result->errors, reason);
    cr_assert_str_empty(result->output, "on stdout: %s", result->output);
    command_release(result);
}

Test(cli, help_names_every_command) {
    static const char *const commands[] = {"info", "sample", "crowd"};
    static const char *const ways[] = {"--help", "-h", "help"};
    for (size_t way = 0; way < 3; way++) {
        command_result result = TOOL(ways[way]);
        cr_assert_eq(result.exit_code, 0);
        for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
            assert_contains(result.output, commands[i]);
        command_release(&result);
    }
}

Test(cli, help_of_a_command_names_its_options) {
    static const char *const parts[][10] = {
        {"info", "usage: posemill info FILE", "--json", "--verbose"},
        {"sample", "usage: posemill sample FILE", "--clip N", "--times T,T,..."},
        {"crowd", "usage: posemill crowd FILE...", "--characters N", "--rate HZ", "--seconds S",
         "--threads T", "--isa NAME", "--order given|time", "--layout auto|merged|mixed", "--json"},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        command_result help = TOOL("help", parts[i][0]), option = TOOL(parts[i][0], "--help");
        cr_assert_eq(help.exit_code, 0);
        cr_assert_eq(option.exit_code, 0);
        cr_assert_str_eq(help.output, option.output);
        for (size_t p = 1; p < 10 && parts[i][p]; p++) assert_contains(help.output, parts[i][p]);
        for (const char *line = help.output; *line; line += strcspn(line, "\n") + 1)
            cr_assert(strcspn(line, "\n") <= 80, "a line is wider than 80 columns: %s", line);
        command_release(&help);
        command_release(&option);
    }
}

Test(cli, version) {
    command_result result = TOOL("--version");
    cr_assert_eq(result.exit_code, 0);
    cr_assert_str_eq(result.output, "posemill 0.1.0\n");
    command_release(&result);
}

Test(cli, no_command) {
    command_result result = command_run((const char *const[]){POSEMILL_TOOL, NULL});
    assert_refused(&result, 2, "a command is needed");
}

// Each is refused before any file is looked at.
Test(cli, wrong_command_lines) {
    static const struct {
        const char *arguments[6];
        const char *reason;
    } cases[] = {
        {{"crowed", "x.glb"}, "there is no command 'crowed'; did you mean crowd?"},
        {{"dance"}, "there is no command 'dance'"},
        {{"--fast"}, "there is no option --fast"},
        {{"help", "dance"}, "there is no command 'dance'"},
        {{"info"}, "info needs FILE"},
        {{"sample", "--times", "0"}, "sample needs FILE"},
        {{"crowd"}, "crowd needs FILE..."},
        {{"info", "a.glb", "b.glb"}, "info does not know what to do with 'b.glb'"},
        {{"crowd", "x.glb", "--character", "5"}, "did you mean --characters?"},
        {{"crowd", "x.glb", "--frobnicate", "5"}, "crowd has no option --frobnicate"},
        {{"crowd", "x.glb", "-n", "5"}, "crowd has no option -n"},
        {{"crowd", "x.glb", "--characters"}, "--characters needs a value"},
        {{"crowd", "x.glb", "--characters="}, "--characters needs a value"},
        {{"crowd", "--characters", "--json", "x.glb"}, "--characters needs a value"},
        {{"crowd", "x.glb", "--json=yes"}, "--json takes no value"},
        {{"crowd", "x.glb", "--characters", "0"}, "--characters takes a whole number from 1 to"},
        {{"crowd", "x.glb", "--characters", "-5"}, "--characters takes a whole number"},
        {{"crowd", "x.glb", "--characters", "1e3"}, "--characters takes a whole number"},
        {{"crowd", "x.glb", "--characters", "4294967297"}, "--characters takes a whole number"},
        {{"crowd", "x.glb", "--characters", "99999999999999999999999"}, "--characters takes a whole number"},
        {{"crowd", "x.glb", "--rate", "0"}, "--rate takes a number from"},
        {{"crowd", "x.glb", "--rate", "-30"}, "--rate takes a number from"},
        {{"crowd", "x.glb", "--rate", "nan"}, "--rate takes a number from"},
        {{"crowd", "x.glb", "--rate", "inf"}, "--rate takes a number from"},
        {{"crowd", "x.glb", "--rate", "30Hz"}, "not '30Hz'"},
        {{"crowd", "x.glb", "--seconds", "0"}, "--seconds takes a number from"},
        {{"crowd", "x.glb", "--seconds", "nan"}, "--seconds takes a number from"},
        {{"crowd", "x.glb", "--seconds", "1e9"}, "more than 10000000 ticks"},
        {{"crowd", "x.glb", "--threads", "0"}, "--threads takes a whole number from 1 to 256"},
        {{"crowd", "x.glb", "--threads", "1000"}, "--threads takes a whole number from 1 to 256"},
        {{"crowd", "x.glb", "--isa", "quantum"}, "--isa quantum does not run here; these do: portable"},
        {{"crowd", "x.glb", "--order", "random"}, "--order takes one of given|time, not 'random'"},
        {{"crowd", "x.glb", "--layout", "mix"}, "--layout takes one of auto|merged|mixed, not 'mix'"},
        {{"crowd", "x.glb", "--order", "given|time"}, "--order takes one of given|time, not"},
        {{"sample", "x.glb"}, "sample needs --times"},
        {{"sample", "x.glb", "--times", ""}, "--times needs a value"},
        {{"sample", "x.glb", "--times", "1,,2"}, "--times takes numbers separated by commas"},
        {{"sample", "x.glb", "--times", "1,2,"}, "--times takes numbers separated by commas"},
        {{"sample", "x.glb", "--times", "0,nan"}, "--times takes numbers separated by commas"},
        {{"sample", "x.glb", "--times", "1e300"}, "--times takes numbers separated by commas"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *arguments[8] = {POSEMILL_TOOL};
        for (size_t a = 0; a < 6; a++) arguments[1 + a] = cases[i].arguments[a];
        command_result result = command_run(arguments);
        assert_refused(&result, 2, cases[i].reason);
    }
}

Test(cli, options_with_equals_and_operands_behind_two_dashes) {
    char path[FILES_PATH_SIZE];
    write_moving_bvh(20, path);
    command_result split = TOOL("sample", path, "--times", "0.25");
    command_result joined = TOOL("sample", "--times=0.25", "--", path);
    cr_assert_eq(split.exit_code, 0, "%s", split.errors);
    cr_assert_str_eq(split.output, joined.output);
    command_release(&split);
    command_release(&joined);
    temporary_remove(path);
}

static void assert_file_refused(const char *path, const char *reason) {
    command_result results[] = {TOOL("info", path), TOOL("info", path, "--json"),
                                TOOL("sample", path, "--times", "0"),
                                TOOL("crowd", path, "--characters", "3")};
    for (size_t i = 0; i < 4; i++) {
        assert_contains(results[i].errors, path);
        assert_refused(&results[i], 1, reason);
    }
}

Test(cli, files_that_are_not_there_or_not_files) {
    assert_file_refused("/nowhere/walk.glb", "");
    assert_file_refused("/nowhere/walk.bvh", "");
    assert_file_refused("/tmp", "");
    assert_file_refused("walk.blend", "");
}

Test(cli, files_of_wrong_content) {
    static const struct {
        const char *name, *content;
    } cases[] = {
        {"empty.glb", ""},
        {"empty.gltf", ""},
        {"empty.bvh", ""},
        {"text.glb", "glTF, or so it says"},
        {"broken.gltf", "{\"asset\": {\"version\": \"2.0\"}, "},
        {"array.gltf", "[]"},
        {"broken.bvh", "HIERARCHY\nROOT Hips\n{\n"},
        {"escape.bvh", "\033[31mHIERARCHY\nROOT\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[FILES_PATH_SIZE];
        temporary_write(cases[i].name, cases[i].content, strlen(cases[i].content), path);
        assert_file_refused(path, "");
        temporary_remove(path);
    }
}

Test(cli, file_names_cannot_command_the_terminal) {
    command_result result = TOOL("info", "a\033[2J\nb.glb");
    cr_assert_null(strchr(result.errors, '\033'));
    assert_refused(&result, 1, "a?[2J?b.glb");
}

Test(cli, file_without_clips) {
    char path[FILES_PATH_SIZE];
    write_moving_gltf(MOVING_WITHOUT_CLIPS, path);
    command_result crowd = TOOL("crowd", path), sample = TOOL("sample", path, "--times", "0"),
                   info = TOOL("info", path);
    assert_refused(&crowd, 1, "no clips in this file");
    assert_refused(&sample, 1, "no clips in this file");
    cr_assert_eq(info.exit_code, 0, "%s", info.errors);
    assert_contains(info.output, "clips      0");
    command_release(&info);
    temporary_remove(path);
}

Test(cli, clips_without_channels) {
    char path[FILES_PATH_SIZE];
    write_moving_gltf(MOVING_WITHOUT_CHANNELS, path);
    command_result crowd = TOOL("crowd", path), sample = TOOL("sample", path, "--times", "0"),
                   info = TOOL("info", path);
    assert_refused(&crowd, 1, "no clip that can be played");
    assert_refused(&sample, 1, "moves no node");
    cr_assert_eq(info.exit_code, 0, "%s", info.errors);
    command_release(&info);
    temporary_remove(path);
}

Test(cli, file_without_nodes) {
    static const char text[] = "{\"asset\": {\"version\": \"2.0\"}, \"animations\": [{\"name\": \"a\", "
                               "\"channels\": [], \"samplers\": []}]}";
    char path[FILES_PATH_SIZE];
    temporary_write("bare.gltf", text, sizeof text - 1, path);
    command_result crowd = TOOL("crowd", path), sample = TOOL("sample", path, "--times", "0");
    assert_refused(&crowd, 1, "no joints in this file");
    assert_refused(&sample, 1, "moves no node");
    temporary_remove(path);
}

Test(cli, clip_that_is_not_there) {
    char path[FILES_PATH_SIZE];
    write_moving_gltf(MOVING_ALL, path);
    static const char *const clips[] = {"3", "-1", "99999999999999999999", "Jump"};
    for (size_t i = 0; i < sizeof clips / sizeof *clips; i++) {
        command_result result = TOOL("sample", path, "--times", "0", "--clip", clips[i]);
        assert_contains(result.errors, clips[i]);
        assert_refused(&result, 1, "there are 0 to 2");
    }
    temporary_remove(path);
}

Test(cli, more_characters_than_memory) {
    char path[FILES_PATH_SIZE];
    write_moving_bvh(20, path);
    command_result result = TOOL("crowd", path, "--characters", "4000000000");
    assert_refused(&result, 1, "this machine has");
    temporary_remove(path);
}

Test(cli, output_that_cannot_be_written) {
    if (!file_exists("/dev/full")) cr_skip_test("no /dev/full here");
    char path[FILES_PATH_SIZE];
    write_moving_bvh(20, path);
    const char *const cases[][6] = {{POSEMILL_TOOL, "info", path, NULL},
                                    {POSEMILL_TOOL, "info", path, "--json", NULL},
                                    {POSEMILL_TOOL, "sample", path, "--times", "0,1", NULL},
                                    {POSEMILL_TOOL, "crowd", path, "--characters=5", NULL}};
    for (size_t i = 0; i < 4; i++) {
        command_result result = command_run_into(cases[i], "/dev/full");
        assert_refused(&result, 1, "cannot write the output");
    }
    temporary_remove(path);
}

Test(cli, tables_keep_to_the_terminal) {
    char path[FILES_PATH_SIZE];
    write_moving_gltf(MOVING_ALL, path);
    const char *const cases[][6] = {
        {POSEMILL_TOOL, "info", path, NULL},
        {POSEMILL_TOOL, "crowd", path, "--characters=10000", "--seconds=0.1", NULL}};
    for (size_t i = 0; i < 2; i++) {
        command_result result = command_run_on_terminal(cases[i], 80);
        cr_assert_eq(result.exit_code, 0, "%s", result.output);
        // What follows the progress line's last erasure is what stays to be seen.
        const char *line = result.output;
        for (const char *erased; (erased = strstr(line, "\033[K"));) line = erased + 3;
        cr_assert(count_lines(line) > 8, "%s", line);
        for (; *line; line += strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n')) {
            size_t columns = 0;
            for (const char *c = line; *c && *c != '\n' && *c != '\r'; c++) columns += (*c & 0xC0) != 0x80;
            cr_assert(columns <= 80, "%zu columns: %s", columns, line);
        }
        command_release(&result);
    }
    temporary_remove(path);
}

Test(cli, progress_on_a_terminal_only) {
    char path[FILES_PATH_SIZE];
    write_moving_bvh(20, path);
    const char *const arguments[] = {POSEMILL_TOOL, "crowd", path, "--characters=20", "--seconds=20", NULL};
    command_result terminal = command_run_on_terminal(arguments, 80), file = command_run(arguments);
    cr_assert_eq(terminal.exit_code, 0);
    cr_assert_eq(file.exit_code, 0);
    assert_contains(terminal.output, "of 600, ");
    cr_assert_str_empty(file.errors);
    cr_assert_null(strchr(file.output, '\r'));
    command_release(&terminal);
    command_release(&file);
    temporary_remove(path);
}
