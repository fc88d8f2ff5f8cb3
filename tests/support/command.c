#define _XOPEN_SOURCE 700

#include "command.h"

#include <criterion/criterion.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

// Everything that can be read, until the end or, for a terminal, until its last user is gone.
static char *read_all(int file) {
    size_t size = 0, capacity = 4096;
    char *text = malloc(capacity);
    cr_assert(text);
    for (;;) {
        ssize_t count = read(file, text + size, capacity - size - 1);
        if (count <= 0) break;
        size += (size_t)count;
        if (capacity - size < 2) text = realloc(text, capacity *= 2);
        cr_assert(text);
    }
    close(file);
    text[size] = '\0';
    return text;
}

// Starts the program with these as its stdout and stderr, which are closed here.
static pid_t start(const char *const *arguments, int output, int errors) {
    fflush(NULL);
    pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        dup2(output, STDOUT_FILENO);
        dup2(errors, STDERR_FILENO);
        execvp(arguments[0], (char *const *)arguments);
        _exit(127);
    }
    close(output);
    if (errors != output) close(errors);
    return child;
}

static int finish(pid_t child) {
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// A file without a name, for output that a pipe might not hold.
static int open_unnamed(void) {
    FILE *file = tmpfile();
    cr_assert(file);
    int copy = dup(fileno(file));
    fclose(file);
    return copy;
}

static char *read_from_start(int file) {
    cr_assert_eq(lseek(file, 0, SEEK_SET), 0);
    return read_all(file);
}

command_result command_run(const char *const *arguments) {
    int output = open_unnamed(), errors = open_unnamed();
    command_result result;
    result.exit_code = finish(start(arguments, dup(output), dup(errors)));
    result.output = read_from_start(output);
    result.errors = read_from_start(errors);
    return result;
}

command_result command_run_into(const char *const *arguments, const char *output_path) {
    int output = open(output_path, O_WRONLY), errors = open_unnamed();
    cr_assert(output >= 0, "cannot open %s", output_path);
    command_result result;
    result.exit_code = finish(start(arguments, output, dup(errors)));
    result.output = calloc(1, 1);
    result.errors = read_from_start(errors);
    return result;
}

command_result command_run_on_terminal(const char *const *arguments, unsigned short columns) {
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    cr_assert(terminal >= 0 && !grantpt(terminal) && !unlockpt(terminal));
    int user = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    cr_assert(user >= 0);
    struct winsize size = {.ws_row = 50, .ws_col = columns};
    cr_assert_eq(ioctl(user, TIOCSWINSZ, &size), 0);
    command_result result;
    pid_t child = start(arguments, user, user);
    result.output = read_all(terminal);
    result.errors = calloc(1, 1);
    result.exit_code = finish(child);
    return result;
}

void command_release(command_result *result) {
    free(result->output);
    free(result->errors);
    *result = (command_result){0};
}

size_t count_lines(const char *text) {
    size_t count = 0;
    while (*text) {
        count++;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return count;
}
