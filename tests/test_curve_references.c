// Curves against implementations that others wrote: SciPy's cubic Hermite and PCHIP, npm's bezier-easing.
// Each test is skipped, saying so, where its reference is not installed.
#define _POSIX_C_SOURCE 200809L

#include "support/command.h"
#include "support/curves.h"
#include "support/files.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KEYS = 9, CURVES = 60, TIMES = 33 };

// Asks a program for numbers: `script` is its text, `numbers` the content of the file that is its last
// argument. Gives the numbers that it prints, or NULL if it exits with 77, which says that it lacks its
// library.
static double *ask(const char *program, const char *flag, const char *script, const char *numbers,
                   size_t count) {
    char path[FILES_PATH_SIZE];
    temporary_write("numbers.txt", numbers, strlen(numbers), path);
    command_result result = command_run((const char *const[]){program, flag, script, path, NULL});
    temporary_remove(path);
    if (result.exit_code == 77 || result.exit_code == 127) {
        command_release(&result);
        return NULL;
    }
    cr_assert_eq(result.exit_code, 0, "%s: %s", program, result.errors);
    double *answers = calloc(count, sizeof *answers);
    const char *at = result.output;
    for (size_t i = 0; i < count; ++i) {
        char *end;
        answers[i] = strtod(at, &end);
        cr_assert(end != at, "%s printed %zu numbers, not %zu: %s", program, i, count, result.errors);
        at = end;
    }
    command_release(&result);
    return answers;
}

static const char scipy_script[] =
    "import sys\n"
    "try:\n"
    "    from scipy.interpolate import CubicHermiteSpline, PchipInterpolator\n"
    "except ImportError:\n"
    "    sys.exit(77)\n"
    "for line in open(sys.argv[1]):\n"
    "    kind, *row = line.split()\n"
    "    row = [float(x) for x in row]\n"
    "    n = int(row.pop(0))\n"
    "    t, v, m, at = row[:n], row[n:2*n], row[2*n:3*n], row[3*n:]\n"
    "    f = CubicHermiteSpline(t, v, m) if kind == 'hermite' else PchipInterpolator(t, v)\n"
    "    for x in at:\n"
    "        print(repr(float(f(x))), repr(float(f(x, 1))), repr(float(f(x, 2))))\n";

// A curve with unified tangents, and the line that asks SciPy for it.
static pm_curve *scipy_case(rig_random *random, pm_tangent_rule rule, FILE *lines, double *times) {
    pm_curve_key keys[MOST_KEYS];
    uint32_t count;
    do count = curves_random_keys(random, keys, MOST_KEYS, rule);
    while (count < 2);
    fprintf(lines, "%s %u", rule == PM_TANGENT_PCHIP ? "pchip" : "hermite", count);
    for (uint32_t i = 0; i < count; ++i) keys[i].in_tangent[0] = keys[i].out_tangent[0];
    for (uint32_t i = 0; i < count; ++i) fprintf(lines, " %.17g", keys[i].time);
    for (uint32_t i = 0; i < count; ++i) fprintf(lines, " %.17g", keys[i].value[0]);
    for (uint32_t i = 0; i < count; ++i) fprintf(lines, " %.17g", keys[i].out_tangent[0]);
    for (int k = 0; k < TIMES; ++k) {
        // Off the keys, where the second derivative jumps.
        times[k] = keys[0].time + (keys[count - 1].time - keys[0].time) * (k + 0.377) / TIMES;
        fprintf(lines, " %.17g", times[k]);
    }
    fputc('\n', lines);
    return curves_of(keys, count);
}

static void compare_with_scipy(pm_tangent_rule rule) {
    static char text[CURVES * (3 * MOST_KEYS + TIMES + 2) * 26];
    pm_curve *curves[CURVES];
    double times[CURVES][TIMES];
    rig_random random = {71};
    FILE *lines = fmemopen(text, sizeof text, "w");
    for (int i = 0; i < CURVES; ++i) curves[i] = scipy_case(&random, rule, lines, times[i]);
    fclose(lines);
    double *answers = ask("/usr/bin/python3", "-c", scipy_script, text, CURVES * TIMES * 3);
    for (int i = 0; i < CURVES; ++i) {
        for (int k = 0; k < TIMES && answers; ++k) {
            pm_curve_sample sample = pm_curve_evaluate(curves[i], times[i][k]);
            const double *expected = answers + (i * TIMES + k) * 3;
            cr_assert_float_eq(sample.value[0], expected[0], 1e-11 * (1.0 + fabs(expected[0])));
            cr_assert_float_eq(sample.velocity[0], expected[1], 1e-9 * (1.0 + fabs(expected[1])));
            cr_assert_float_eq(sample.acceleration[0], expected[2], 1e-8 * (100.0 + fabs(expected[2])));
        }
        pm_curve_destroy(curves[i]);
    }
    if (!answers) cr_skip_test("skipped: no SciPy in /usr/bin/python3 (Debian's python3-scipy)");
    free(answers);
}

Test(curve_references, cubic_hermite_is_scipys) {
    compare_with_scipy(PM_TANGENT_HERMITE);
}

Test(curve_references, pchip_is_scipys) {
    compare_with_scipy(PM_TANGENT_PCHIP);
}

static const char bezier_script[] =
    "let easing;\n"
    "try { const m = require('bezier-easing'); easing = m.default || m; } catch (e) { process.exit(77); }\n"
    "for (const line of require('fs').readFileSync(process.argv[1], 'utf8').trim().split('\\n')) {\n"
    "  const [a, b, c, d, ...at] = line.split(' ').map(Number);\n"
    "  const f = easing(a, b, c, d);\n"
    "  for (const x of at) console.log(f(x));\n"
    "}\n";

// The package computes with a table in single precision and few steps: its x is off by up to 1e-6 or so,
// which steep places magnify.
Test(curve_references, bezier_easing_is_that_of_the_web) {
    static char text[CURVES * (TIMES + 4) * 26];
    pm_easing easings[CURVES];
    rig_random random = {72};
    FILE *lines = fmemopen(text, sizeof text, "w");
    for (int i = 0; i < CURVES; ++i) {
        easings[i] = (pm_easing){.family = PM_EASING_BEZIER};
        easings[i].x1 = (double)rig_random_between(&random, 0.05f, 0.95f);
        easings[i].y1 = (double)rig_random_between(&random, -0.5f, 1.5f);
        easings[i].x2 = (double)rig_random_between(&random, 0.05f, 0.95f);
        easings[i].y2 = (double)rig_random_between(&random, -0.5f, 1.5f);
        fprintf(lines, "%.17g %.17g %.17g %.17g", easings[i].x1, easings[i].y1, easings[i].x2, easings[i].y2);
        for (int k = 0; k < TIMES; ++k) fprintf(lines, " %.17g", k / (TIMES - 1.0));
        fputc('\n', lines);
    }
    fclose(lines);
    double *answers = ask("node", "-e", bezier_script, text, CURVES * TIMES);
    if (!answers) cr_skip_test("skipped: no bezier-easing (npm) under NODE_PATH, or no node");
    for (int i = 0; i < CURVES; ++i) {
        for (int k = 0; k < TIMES; ++k) {
            pm_easing_sample sample = pm_easing_evaluate(&easings[i], k / (TIMES - 1.0));
            double tolerance = 2e-6 * (1.0 + fmin(fabs(sample.first), 1000.0));
            cr_assert_float_eq(sample.value, answers[i * TIMES + k], tolerance,
                               "%g,%g,%g,%g at %g: %g, not %g", easings[i].x1, easings[i].y1, easings[i].x2,
                               easings[i].y2, k / (TIMES - 1.0), sample.value, answers[i * TIMES + k]);
        }
    }
    free(answers);
}
