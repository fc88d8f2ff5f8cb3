// Words and numbers of text formats.
#include "import/text.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pm_text text_of(const char *string) {
    return pm_text_of(string, strlen(string));
}

static bool number_of(const char *string, double *number) {
    return pm_word_number((pm_word){string, strlen(string)}, number);
}

Test(text, words_lines_and_marks) {
    pm_text text = text_of("\xEF\xBB\xBF"
                           "ROOT  My Hips\t{\r\n\n Frames:2}");
    cr_assert(pm_word_is(pm_text_word(&text), "root"));
    pm_word name = pm_text_name(&text);
    cr_assert_eq(name.length, 7);
    cr_assert(memcmp(name.start, "My Hips", 7) == 0);
    static const char *const rest[] = {"{", "FRAMES", ":", "2", "}", ""};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        cr_assert(pm_word_is(pm_text_word(&text), rest[i]), "word %zu", i);
    cr_assert_eq(text.line, 3);
}

Test(text, a_name_ends_with_its_line) {
    pm_text text = text_of("End Site \r\n{");
    cr_assert(pm_word_is(pm_text_word(&text), "End"));
    cr_assert_eq(pm_text_name(&text).length, 4);
    cr_assert_eq(pm_text_name(&text).length, 0);
    cr_assert(pm_word_is(pm_text_word(&text), "{"));
    cr_assert_eq(pm_text_name(&text).length, 0);
}

Test(text, numbers_as_strtod_has_them) {
    static const char *const exact[] = {
        "0",    "-0",  "1",      ".0083333", "-17.", "+3.5e2", "1E-3", "123456789012345", "9007199254740992",
        "1e22", "0.1", "-89.98", "000012.50"};
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
        double number = NAN, expected = strtod(exact[i], NULL);
        cr_assert(number_of(exact[i], &number), "%s", exact[i]);
        cr_assert(memcmp(&number, &expected, sizeof number) == 0, "%s gives %.17g", exact[i], number);
    }
}

Test(text, random_numbers_are_the_nearest_double) {
    srand(1);
    for (int i = 0; i < 100000; i++) {
        char string[64];
        snprintf(string, sizeof string, "%s%d.%06d", rand() % 2 ? "-" : "", rand() % 100000,
                 rand() % 1000000);
        double number, expected = strtod(string, NULL);
        cr_assert(number_of(string, &number));
        cr_assert_eq(number, expected, "%s gives %.17g", string, number);
    }
}

Test(text, many_digits_and_large_exponents_stay_close) {
    static const char *const close[] = {"3.14159265358979323846264338327950288",
                                        "1.79769313486e308",
                                        "2.2250738585072014e-308",
                                        "123456789012345678901234567890",
                                        "0.00000000000000000000000000000000000012345",
                                        "1e-300",
                                        "12345678901234567e-30"};
    for (size_t i = 0; i < sizeof close / sizeof *close; i++) {
        double number, expected = strtod(close[i], NULL);
        cr_assert(number_of(close[i], &number), "%s", close[i]);
        cr_assert(fabs(number - expected) <= 1e-14 * expected, "%s gives %.17g", close[i], number);
    }
}

Test(text, numbers_beyond_range_and_not_finite) {
    double number;
    cr_assert(number_of("1e999999999999", &number) && number == INFINITY);
    cr_assert(number_of("-1e400", &number) && number == -INFINITY);
    cr_assert(number_of("1e-999999999999", &number) && number == 0);
    cr_assert(number_of("0e999999999999", &number) && number == 0);
    cr_assert(number_of("NaN", &number) && isnan(number));
    cr_assert(number_of("-nan", &number) && isnan(number));
    cr_assert(number_of("-Infinity", &number) && number == -INFINITY);
}

Test(text, what_is_not_a_number) {
    static const char *const wrong[] = {"",      "-",   ".",    "e5",     "1e",    "1e+",
                                        "1.2.3", "0,5", "0x10", "1.#IND", "12abc", "--1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        double number;
        cr_assert_not(number_of(wrong[i], &number), "%s", wrong[i]);
    }
}
