#include "arguments.h"
#include "storage.h"
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HELP_COLUMN 24

static void *field(const pm_option *option, void *settings) {
    return (char *)settings + option->offset;
}

static bool limited(const pm_option *option) {
    return option->minimum != option->maximum;
}

static bool within(const pm_option *option, double value) {
    return !limited(option) || (value >= option->minimum && value <= option->maximum);
}

// "--rate takes a number from 0.001 to 1000000, not 'x'".
static int refuse(const pm_option *option, const char *what, const char *text) {
    char limits[80] = "";
    if (limited(option))
        snprintf(limits, sizeof limits, " from %.10g to %.10g", option->minimum, option->maximum);
    return pm_complain(PM_EXIT_USAGE, "--%s takes %s%s, not '%s'", option->name, what, limits, text);
}

// strtod, held to plain finite numbers; *end is where it stopped.
static bool read_number(const char *text, char **end, double *value) {
    bool starts = (*text >= '0' && *text <= '9') || *text == '-' || *text == '+' || *text == '.';
    *value = starts ? strtod(text, end) : 0;
    return starts && *end != text && isfinite(*value);
}

static int parse_number(const pm_option *option, const char *text, double *number) {
    char *end;
    if (!read_number(text, &end, number) || *end || !within(option, *number))
        return refuse(option, "a number", text);
    return PM_EXIT_OK;
}

static int parse_count(const pm_option *option, const char *text, uint32_t *count) {
    double maximum = limited(option) ? option->maximum : (double)UINT32_MAX;
    errno = 0;
    unsigned long long value = strtoull(text, NULL, 10);
    bool digits = text[strspn(text, "0123456789")] == '\0';
    if (!digits || errno || (double)value > maximum || !within(option, (double)value))
        return refuse(option, "a whole number", text);
    *count = (uint32_t)value;
    return PM_EXIT_OK;
}

static int parse_numbers(const pm_option *option, const char *text, pm_numbers *numbers) {
    size_t capacity = 0;
    pm_numbers_release(numbers);
    for (const char *rest = text;;) {
        double value;
        char *end;
        if (!read_number(rest, &end, &value) || (*end && *end != ',') || !within(option, value)) {
            pm_numbers_release(numbers);
            return refuse(option, "numbers separated by commas", text);
        }
        numbers->values = pm_storage_grow(numbers->values, &capacity, numbers->count + 1u, sizeof value);
        numbers->values[numbers->count++] = value;
        if (!*end) return PM_EXIT_OK;
        rest = end + 1;
    }
}

static int parse_choice(const pm_option *option, const char *text, const char **choice) {
    size_t length = strlen(text);
    for (const char *word = option->value_name; *word;) {
        size_t word_length = strcspn(word, "|");
        if (word_length == length && !memcmp(word, text, length)) {
            *choice = text;
            return PM_EXIT_OK;
        }
        word += word_length + (word[word_length] == '|');
    }
    return pm_complain(PM_EXIT_USAGE, "--%s takes one of %s, not '%s'", option->name, option->value_name,
                       text);
}

static int parse_texts(const pm_option *option, const char *text, pm_texts *texts) {
    if (texts->count == PM_TEXTS_LIMIT)
        return pm_complain(PM_EXIT_USAGE, "--%s may be given %d times at most", option->name, PM_TEXTS_LIMIT);
    texts->items[texts->count++] = text;
    return PM_EXIT_OK;
}

static int parse_value(const pm_option *option, const char *text, void *settings) {
    if (!*text)
        return pm_complain(PM_EXIT_USAGE, "--%s needs a value (%s)", option->name, option->value_name);
    switch (option->kind) {
    case PM_OPTION_FLAG:
        break;
    case PM_OPTION_TEXT:
        *(const char **)field(option, settings) = text;
        break;
    case PM_OPTION_CHOICE:
        return parse_choice(option, text, field(option, settings));
    case PM_OPTION_COUNT:
        return parse_count(option, text, field(option, settings));
    case PM_OPTION_NUMBER:
        return parse_number(option, text, field(option, settings));
    case PM_OPTION_NUMBERS:
        return parse_numbers(option, text, field(option, settings));
    case PM_OPTION_TEXTS:
        return parse_texts(option, text, field(option, settings));
    }
    return PM_EXIT_OK;
}

// The option of that name, or NULL after a line that names the likeliest one.
static const pm_option *find_option(const pm_command *command, const char *name, size_t length) {
    char wanted[32];
    const pm_option *nearest = NULL;
    uint32_t nearest_distance = 3;
    snprintf(wanted, sizeof wanted, "%.*s", (int)(length < sizeof wanted ? length : sizeof wanted), name);
    for (uint32_t i = 0; i < command->option_count; i++) {
        const pm_option *option = &command->options[i];
        uint32_t distance = pm_text_distance(option->name, wanted);
        if (distance == 0) return option;
        if (distance >= nearest_distance) continue;
        nearest_distance = distance;
        nearest = option;
    }
    if (nearest)
        pm_complain(PM_EXIT_USAGE, "%s has no option --%.*s; did you mean --%s?", command->name, (int)length,
                    name, nearest->name);
    else
        pm_complain(PM_EXIT_USAGE, "%s has no option --%.*s; see posemill help %s", command->name,
                    (int)length, name, command->name);
    return NULL;
}

// One option at argv[*index]; moves *index to its value if that is an argument of its own.
static int parse_option(const pm_command *command, int argc, char **argv, int *index, void *settings) {
    const char *name = argv[*index] + 2;
    size_t length = strcspn(name, "=");
    const pm_option *option = find_option(command, name, length);
    if (!option) return PM_EXIT_USAGE;
    bool attached = name[length] == '=';
    if (option->kind == PM_OPTION_FLAG) {
        if (attached) return pm_complain(PM_EXIT_USAGE, "--%s takes no value", option->name);
        *(bool *)field(option, settings) = true;
        return PM_EXIT_OK;
    }
    if (attached) return parse_value(option, name + length + 1, settings);
    bool missing = *index + 1 >= argc || !strncmp(argv[*index + 1], "--", 2);
    return parse_value(option, missing ? "" : argv[++*index], settings);
}

static int check_operands(const pm_command *command, const pm_operands *operands) {
    if (operands->count < command->operand_min)
        return pm_complain(PM_EXIT_USAGE, "%s needs %s; see posemill help %s", command->name,
                           command->operands, command->name);
    if (operands->count > command->operand_max)
        return pm_complain(PM_EXIT_USAGE, "%s does not know what to do with '%s'; see posemill help %s",
                           command->name, operands->items[command->operand_max], command->name);
    return PM_EXIT_OK;
}

static void release_numbers(const pm_command *command, void *settings) {
    for (uint32_t i = 0; i < command->option_count; i++)
        if (command->options[i].kind == PM_OPTION_NUMBERS)
            pm_numbers_release(field(&command->options[i], settings));
}

int pm_arguments_parse(const pm_command *command, int argc, char **argv, void *settings,
                       pm_operands *operands) {
    bool only_operands = false;
    int status = PM_EXIT_OK;
    operands->count = 0;
    operands->items = argv;
    for (int i = 0; i < argc && !status; i++) {
        if (!only_operands && !strcmp(argv[i], "--"))
            only_operands = true;
        else if (!only_operands && !strncmp(argv[i], "--", 2))
            status = parse_option(command, argc, argv, &i, settings);
        else if (!only_operands && argv[i][0] == '-' && argv[i][1])
            status = pm_complain(PM_EXIT_USAGE, "%s has no option %s; see posemill help %s", command->name,
                                 argv[i], command->name);
        else
            operands->items[operands->count++] = argv[i];
    }
    if (!status) status = check_operands(command, operands);
    if (status) release_numbers(command, settings);
    return status;
}

static void print_option(const pm_option *option) {
    int column = printf("  --%s%s%s", option->name, option->value_name ? " " : "",
                        option->value_name ? option->value_name : "");
    if (column > HELP_COLUMN - 2) column = printf("\n") - 1;
    for (const char *line = option->help; *line;) {
        size_t length = strcspn(line, "\n");
        printf("%*s%.*s\n", HELP_COLUMN - column, "", (int)length, line);
        line += length + (line[length] == '\n');
        column = 0;
    }
}

void pm_arguments_help(const pm_command *command) {
    printf("posemill %s: %s\n\n", command->name, command->summary);
    printf("usage: posemill %s%s%s%s\n", command->name, command->operands[0] ? " " : "", command->operands,
           command->option_count ? " [OPTION]..." : "");
    if (command->details) printf("\n%s\n", command->details);
    if (command->option_count) printf("\noptions:\n");
    for (uint32_t i = 0; i < command->option_count; i++) print_option(&command->options[i]);
}

void pm_numbers_release(pm_numbers *numbers) {
    free(numbers->values);
    numbers->values = NULL;
    numbers->count = 0;
}
