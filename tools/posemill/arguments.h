// The command line after the command's name: options into a struct, the rest as operands.
//
// Every command describes its options in one table; parsing, range checks, error lines and the help page come
// from it. `--name value`, `--name=value` and `--` (only operands follow) are understood.
#ifndef PM_TOOL_ARGUMENTS_H
#define PM_TOOL_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// How the text after an option is read, and the type of the field that receives it.
typedef enum pm_option_kind {
    PM_OPTION_FLAG,    // bool; takes no value
    PM_OPTION_TEXT,    // const char *; not empty
    PM_OPTION_CHOICE,  // const char *; one of the words of value_name ("given|time")
    PM_OPTION_COUNT,   // uint32_t; a whole number within the limits
    PM_OPTION_NUMBER,  // double; a finite number within the limits
    PM_OPTION_NUMBERS, // pm_numbers; finite numbers separated by commas, each within the limits
    PM_OPTION_TEXTS    // pm_texts; the option may be repeated
} pm_option_kind;

// Numbers as given; release with pm_numbers_release.
typedef struct pm_numbers {
    uint32_t count;
    double *values;
} pm_numbers;

// Texts in the order given; the pointers are into argv.
#define PM_TEXTS_LIMIT 16
typedef struct pm_texts {
    uint32_t count;
    const char *items[PM_TEXTS_LIMIT];
} pm_texts;

// One option of a command.
//   name              without the dashes
//   value_name        what help shows behind it; NULL for flags
//   help              what it does, in one or more lines separated by '\n', the default included
//   offset            of its field in the command's settings struct
//   minimum, maximum  both allowed; equal limits mean any
typedef struct pm_option {
    const char *name;
    const char *value_name;
    const char *help;
    pm_option_kind kind;
    size_t offset;
    double minimum, maximum;
} pm_option;

// One subcommand.
//   operands                  as usage shows them: "FILE..."
//   operand_min, operand_max  how many there may be
//   summary                   one line for `posemill help`
//   details                   paragraphs for `posemill help <name>`, wrapped at 80 columns; may be NULL
//   options                   [option_count]
//   run                       argv without the program's and the command's name; returns a pm_exit
typedef struct pm_command {
    const char *name;
    const char *operands;
    uint32_t operand_min, operand_max;
    const char *summary;
    const char *details;
    const pm_option *options;
    uint32_t option_count;
    int (*run)(int argc, char **argv);
} pm_command;

// What is left of the command line: pointers into argv.
typedef struct pm_operands {
    uint32_t count;
    char **items;
} pm_operands;

// Reads a command line into `settings`, whose fields hold their defaults beforehand. Operands are moved to
// the front of argv. Returns PM_EXIT_OK, or PM_EXIT_USAGE after one line on stderr; NUMBERS fields are then
// released already.
int pm_arguments_parse(const pm_command *command, int argc, char **argv, void *settings,
                       pm_operands *operands);

// Prints the help page of a command on stdout.
void pm_arguments_help(const pm_command *command);

// Releases the numbers of a PM_OPTION_NUMBERS field; a zeroed one is allowed.
void pm_numbers_release(pm_numbers *numbers);

#endif
