// posemill: looks at animation files, samples them and sets crowds in motion. Dispatches to subcommands.
#include "commands.h"
#include "text.h"

#include <posemill/base.h>

#include <stdio.h>
#include <string.h>

#define TEXT(token)   #token
#define NUMBER(token) TEXT(token)
#define VERSION       NUMBER(PM_VERSION_MAJOR) "." NUMBER(PM_VERSION_MINOR) "." NUMBER(PM_VERSION_PATCH)

// In the order that help shows; ends with NULL.
static const pm_command *const commands[] = {
    &pm_command_info, &pm_command_inspect, &pm_command_sample, &pm_command_crowd, &pm_command_curve, NULL,
};

static int print_help(void) {
    printf("posemill %s: keyframe animation for crowds\n\n", VERSION);
    printf("usage: posemill COMMAND [ARGUMENT]...\n\ncommands:\n");
    for (const pm_command *const *command = commands; *command; command++)
        printf("  %-10s%s\n", (*command)->name, (*command)->summary);
    printf("\n  posemill help COMMAND   explains a command and its options\n"
           "  posemill --version      prints the version\n");
    return PM_EXIT_OK;
}

// The command of that name, or NULL after a line that names the likeliest one.
static const pm_command *find_command(const char *name) {
    const pm_command *nearest = NULL;
    uint32_t nearest_distance = 3;
    for (const pm_command *const *command = commands; *command; command++) {
        uint32_t distance = pm_text_distance((*command)->name, name);
        if (distance == 0) return *command;
        if (distance >= nearest_distance) continue;
        nearest_distance = distance;
        nearest = *command;
    }
    if (nearest)
        pm_complain(PM_EXIT_USAGE, "there is no command '%s'; did you mean %s?", name, nearest->name);
    else
        pm_complain(PM_EXIT_USAGE, "there is no command '%s'; see posemill --help", name);
    return NULL;
}

static int help(const char *name) {
    if (!name) return print_help();
    const pm_command *command = find_command(name);
    if (!command) return PM_EXIT_USAGE;
    pm_arguments_help(command);
    return PM_EXIT_OK;
}

static bool asks_for_help(const char *argument) {
    return !strcmp(argument, "--help") || !strcmp(argument, "-h");
}

static int dispatch(int argc, char **argv) {
    if (argc < 2) return pm_complain(PM_EXIT_USAGE, "a command is needed; see posemill --help");
    const char *name = argv[1];
    if (asks_for_help(name)) return print_help();
    if (!strcmp(name, "help")) return help(argc > 2 ? argv[2] : NULL);
    if (!strcmp(name, "--version")) {
        puts("posemill " VERSION);
        return PM_EXIT_OK;
    }
    if (name[0] == '-') return pm_complain(PM_EXIT_USAGE, "there is no option %s; see posemill --help", name);
    const pm_command *command = find_command(name);
    if (!command) return PM_EXIT_USAGE;
    for (int i = 2; i < argc && strcmp(argv[i], "--"); i++)
        if (asks_for_help(argv[i])) return help(name);
    return command->run(argc - 2, argv + 2);
}

int main(int argc, char **argv) {
    int status = dispatch(argc, argv);
    // A full disk or a closed pipe shows only when the last buffer is written.
    if (fflush(stdout) || ferror(stdout)) return pm_complain(PM_EXIT_DATA, "cannot write the output");
    return status;
}
