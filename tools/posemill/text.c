#include "text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#define LINE_SIZE  2048
#define WORD_LIMIT 32

int pm_complain(pm_exit status, const char *format, ...) {
    char line[LINE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    fflush(stdout);
    fprintf(stderr, "posemill: %s\n", pm_text_clean(line));
    return (int)status;
}

char *pm_text_clean(char *text) {
    for (unsigned char *c = (unsigned char *)text; *c; c++) {
        // C1 controls are two bytes in UTF-8, C2 80 to C2 9F; some terminals obey them.
        bool c1 = c[0] == 0xC2 && c[1] >= 0x80 && c[1] < 0xA0;
        if (*c < 0x20 || *c == 0x7F) *c = '?';
        if (c1) c[0] = c[1] = '?';
    }
    return text;
}

// Decodes one character, or takes one byte of what is no UTF-8.
static size_t decode(const char *text, uint32_t *character) {
    const unsigned char *c = (const unsigned char *)text;
    size_t length = c[0] < 0xC0 ? 1 : c[0] < 0xE0 ? 2 : c[0] < 0xF0 ? 3 : 4;
    uint32_t value = length == 1 ? c[0] : c[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((c[i] & 0xC0) != 0x80) {
            *character = c[0];
            return 1;
        }
        value = value << 6 | (c[i] & 0x3Fu);
    }
    *character = value;
    return length;
}

// The common ranges of Unicode's East Asian Width property (wide and fullwidth) and of combining marks.
static uint32_t character_width(uint32_t character) {
    static const uint32_t combining[][2] = {
        {0x300, 0x36F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}};
    static const uint32_t wide[][2] = {{0x1100, 0x115F},   {0x2E80, 0xA4CF},   {0xAC00, 0xD7A3},
                                       {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
                                       {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF},
                                       {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
    for (size_t i = 0; i < sizeof combining / sizeof combining[0]; i++)
        if (character >= combining[i][0] && character <= combining[i][1]) return 0;
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++)
        if (character >= wide[i][0] && character <= wide[i][1]) return 2;
    return 1;
}

uint32_t pm_text_width(const char *text) {
    uint32_t width = 0, character;
    while (*text) {
        text += decode(text, &character);
        width += character_width(character);
    }
    return width;
}

size_t pm_text_length(const char *text) {
    uint32_t character;
    return decode(text, &character);
}

size_t pm_text_prefix(const char *text, uint32_t columns) {
    uint32_t width = 0, character;
    size_t length = 0;
    while (text[length]) {
        size_t bytes = decode(text + length, &character);
        width += character_width(character);
        if (width > columns) break;
        length += bytes;
    }
    return length;
}

void pm_text_print_wrapped(FILE *file, const char *text, uint32_t indent, uint32_t columns) {
    uint32_t column = indent;
    while (*text) {
        size_t length = strcspn(text, " ");
        char word[LINE_SIZE];
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        uint32_t width = pm_text_width(word);
        bool first = column == indent;
        if (!first && columns && column + 1 + width > columns) {
            fprintf(file, "\n%*s", (int)indent, "");
            column = indent;
            first = true;
        }
        fprintf(file, "%s%s", first ? "" : " ", word);
        column += width + !first;
        text += length + (text[length] == ' ');
    }
    fputc('\n', file);
}

// Optimal string alignment: Levenshtein's table with one more case for two neighbours swapped.
uint32_t pm_text_distance(const char *a, const char *b) {
    size_t rows = strlen(a), columns = strlen(b);
    if (rows > WORD_LIMIT || columns > WORD_LIMIT) return WORD_LIMIT;
    uint32_t table[WORD_LIMIT + 1][WORD_LIMIT + 1];
    for (uint32_t i = 0; i <= rows; i++) table[i][0] = i;
    for (uint32_t j = 0; j <= columns; j++) table[0][j] = j;
    for (size_t i = 1; i <= rows; i++) {
        for (size_t j = 1; j <= columns; j++) {
            uint32_t best = table[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (table[i - 1][j] + 1 < best) best = table[i - 1][j] + 1;
            if (table[i][j - 1] + 1 < best) best = table[i][j - 1] + 1;
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && table[i - 2][j - 2] + 1 < best) best = table[i - 2][j - 2] + 1;
            table[i][j] = best;
        }
    }
    return table[rows][columns];
}
