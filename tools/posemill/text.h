// Text for people: complaints on stderr, and text from files made safe for a terminal.
#ifndef PM_TOOL_TEXT_H
#define PM_TOOL_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__GNUC__)
#define PM_TEXT_FORMAT(text, first) __attribute__((format(printf, text, first)))
#else
#define PM_TEXT_FORMAT(text, first)
#endif

// Exit codes of every command.
typedef enum pm_exit {
    PM_EXIT_OK = 0,
    PM_EXIT_DATA = 1, // a file, its content, or the machine (memory, threads, a full disk)
    PM_EXIT_USAGE = 2 // the command line
} pm_exit;

// Prints "posemill: <text>" as one line on stderr, whatever line breaks or control codes the text contains,
// and hands back `status`, so that a failing command ends in one line.
int pm_complain(pm_exit status, const char *format, ...) PM_TEXT_FORMAT(2, 3);

// Replaces control codes (a file's names may hold terminal escapes) by '?', in place. Returns `text`.
char *pm_text_clean(char *text);

// Columns that the UTF-8 text takes on a terminal: East Asian wide characters take two, combining marks none.
uint32_t pm_text_width(const char *text);

// Bytes of the first character; the text must not be empty.
size_t pm_text_length(const char *text);

// Bytes of the longest prefix that takes at most `columns` columns, never splitting a character.
size_t pm_text_prefix(const char *text, uint32_t columns);

// Prints the text and a line break, broken between words at `columns` (0: not at all), with further lines
// indented by `indent`, which is also where the first one is taken to begin.
void pm_text_print_wrapped(FILE *file, const char *text, uint32_t indent, uint32_t columns);

// How far apart two words are, in inserted, removed, replaced and swapped letters; for "did you mean".
uint32_t pm_text_distance(const char *a, const char *b);

#endif
