#include "text.h"

#include <math.h>
#include <string.h>

pm_text pm_text_of(const void *bytes, size_t size) {
    pm_text text = {bytes, (const char *)bytes + size, 1};
    // The mark that some editors put before UTF-8.
    if (size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) text.at += 3;
    return text;
}

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r') || c == '\0';
}

static bool is_mark(char c) {
    return c == '{' || c == '}' || c == ':';
}

pm_word pm_text_word(pm_text *text) {
    for (; text->at < text->end && is_space(*text->at); text->at++)
        if (*text->at == '\n') text->line++;
    pm_word word = {text->at, 0};
    if (text->at < text->end && is_mark(*text->at))
        text->at++;
    else
        while (text->at < text->end && !is_space(*text->at) && !is_mark(*text->at)) text->at++;
    word.length = (size_t)(text->at - word.start);
    return word;
}

pm_word pm_text_name(pm_text *text) {
    while (text->at < text->end && *text->at != '\n' && is_space(*text->at)) text->at++;
    pm_word name = {text->at, 0};
    while (text->at < text->end && *text->at != '\n' && *text->at != '{') text->at++;
    name.length = (size_t)(text->at - name.start);
    while (name.length && is_space(name.start[name.length - 1])) name.length--;
    return name;
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool pm_word_is(pm_word word, const char *expected) {
    if (word.length != strlen(expected)) return false;
    for (size_t i = 0; i < word.length; i++)
        if (lower(word.start[i]) != lower(expected[i])) return false;
    return true;
}

// 10^exponent for any exponent; exact up to 22.
static double power_of_ten(int exponent) {
    static const double exact[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    double power = 1.0;
    for (; exponent > 22; exponent -= 22) power *= exact[22];
    return power * exact[exponent];
}

// Digits with at most one point, as an integer of up to 19 digits and a power of ten. Returns what follows,
// or NULL if there is no digit.
static const char *read_digits(const char *at, const char *end, uint64_t *digits, int *exponent) {
    bool point = false, any = false;
    for (; at < end; at++) {
        if (*at == '.' && !point) {
            point = true;
            continue;
        }
        if (*at < '0' || *at > '9') break;
        any = true;
        // Further digits are below the precision of a double.
        if (*digits <= (UINT64_MAX - 9) / 10) {
            *digits = *digits * 10 + (uint64_t)(*at - '0');
            if (point && *exponent > -9999) --*exponent;
        } else if (!point && *exponent < 9999)
            ++*exponent;
    }
    return any ? at : NULL;
}

// "e-5" or nothing, up to the end of the word; false for anything else.
static bool read_exponent(const char *at, const char *end, int *exponent) {
    if (at == end) return true;
    if (lower(*at++) != 'e') return false;
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    if (at == end) return false;
    int value = 0;
    for (; at < end; at++) {
        if (*at < '0' || *at > '9') return false;
        if (value < 9999) value = value * 10 + (*at - '0');
    }
    *exponent += negative ? -value : value;
    return true;
}

bool pm_word_number(pm_word word, double *number) {
    const char *at = word.start, *end = word.start + word.length;
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    pm_word rest = {at, (size_t)(end - at)};
    double magnitude;
    uint64_t digits = 0;
    int exponent = 0;
    if (pm_word_is(rest, "nan"))
        magnitude = NAN;
    else if (pm_word_is(rest, "inf") || pm_word_is(rest, "infinity"))
        magnitude = INFINITY;
    else {
        at = read_digits(at, end, &digits, &exponent);
        if (!at || !read_exponent(at, end, &exponent)) return false;
        if (digits == 0 || exponent < -400)
            magnitude = 0.0;
        else if (exponent > 400)
            magnitude = INFINITY;
        else if (exponent < -300)
            magnitude = (double)digits / 1e300 / power_of_ten(-exponent - 300);
        else if (exponent < 0)
            magnitude = (double)digits / power_of_ten(-exponent);
        else
            magnitude = (double)digits * power_of_ten(exponent);
    }
    *number = negative ? -magnitude : magnitude;
    return true;
}
