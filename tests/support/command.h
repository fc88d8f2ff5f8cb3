// Tests: runs a program and keeps what it said.
#ifndef COMMAND_H
#define COMMAND_H

#include <stddef.h>

typedef struct command_result {
    int exit_code; // 128 and the signal's number added if it was killed, as shells have it
    char *output;  // stdout, terminated
    char *errors;  // stderr, terminated
} command_result;

// Runs `arguments[0]` with the arguments behind it, up to NULL, and waits for its end. Release the result.
command_result command_run(const char *const *arguments);

// The same with stdout going to a file, such as /dev/full; `output` is "".
command_result command_run_into(const char *const *arguments, const char *output_path);

// The same on a terminal of that many columns, which both stdout and stderr are; `errors` is "".
command_result command_run_on_terminal(const char *const *arguments, unsigned short columns);

void command_release(command_result *result);

// Lines of a text; one without a newline at its end counts.
size_t count_lines(const char *text);

#endif
