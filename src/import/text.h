// Posemill internals: words and numbers of text formats, with the line they stand on.
#ifndef PM_IMPORT_TEXT_H
#define PM_IMPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What is left to read of a text. Any bytes are safe.
typedef struct pm_text {
    const char *at, *end;
    uint32_t line; // of `at`, from 1
} pm_text;

// A piece of the text; not terminated.
typedef struct pm_word {
    const char *start;
    size_t length;
} pm_word;

pm_text pm_text_of(const void *bytes, size_t size);

// The next word: a brace or a colon, or what stands between these and white space. Its length is 0 at the
// end.
pm_word pm_text_word(pm_text *text);

// The rest of the line up to an opening brace, without white space at both ends; for names with spaces.
pm_word pm_text_name(pm_text *text);

// Without regard to the case of ASCII letters.
bool pm_word_is(pm_word word, const char *expected);

// A decimal number, all of the word; also "nan", "inf" and "infinity". Unlike strtod it knows no locale and
// gives the same bits everywhere: the nearest double for up to 15 digits and powers of ten up to 22,
// otherwise within a few units in the last place.
bool pm_word_number(pm_word word, double *number);

#endif
