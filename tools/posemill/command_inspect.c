// posemill inspect: what is odd about the curves of a file, one of them in full, or two clips joined.
#include "asset.h"
#include "canvas.h"
#include "commands.h"
#include "findings.h"
#include "plot.h"
#include "storage.h"
#include "table.h"
#include "text.h"

#include <posemill/inspect.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct inspect_settings {
    const char *clip, *node, *path, *join, *plot;
    double frame_rate_hz;
} inspect_settings;

static const pm_option options[] = {
    {"clip", "N", "number (from 0) or name of a clip; default: all, or 0 with --node", PM_OPTION_TEXT,
     offsetof(inspect_settings, clip), 0, 0},
    {"node", "NAME", "report the channel of this node (or scalar) in full", PM_OPTION_TEXT,
     offsetof(inspect_settings, node), 0, 0},
    {"path", "translation|rotation|scale|scalar", "which of its channels; default translation",
     PM_OPTION_CHOICE, offsetof(inspect_settings, path), 0, 0},
    {"fps", "N", "the frame grid that keys should be on; default: guessed", PM_OPTION_NUMBER,
     offsetof(inspect_settings, frame_rate_hz), 1e-3, 1e6},
    {"join", "A B", "jumps of value, velocity and acceleration where clip B follows clip A", PM_OPTION_TEXT,
     offsetof(inspect_settings, join), 0, 0},
    {"plot", "FILE", "draw the channel as .svg or .png (with --node)", PM_OPTION_TEXT,
     offsetof(inspect_settings, plot), 0, 0},
};

static const char *const component_names[PM_CURVE_COMPONENTS_MAX] = {"x", "y", "z", "w"};

static int print_file(const pm_asset *asset, uint32_t first_clip, uint32_t clip_count, double rate_hz) {
    pm_findings findings = pm_findings_collect(asset, first_clip, clip_count, rate_hz);
    printf("%s: %u clip%s, %u channels, %llu keys", asset->path, clip_count, clip_count == 1 ? "" : "s",
           findings.channel_count, (unsigned long long)findings.key_count);
    if (findings.frame_rate_hz > 0.0)
        printf(", frames of %.6g Hz%s\n", findings.frame_rate_hz, rate_hz > 0.0 ? "" : " (guessed)");
    else
        printf(", on no frame grid\n");
    static const pm_column columns[] = {
        {"finding", false, PM_WHOLE}, {"channels", true, PM_WHOLE},      {"share", true, PM_WHOLE},
        {"worst", false, PM_WHOLE},   {"channel", false, PM_CUT_MIDDLE}, {"clip", false, PM_CUT_MIDDLE},
        {"at", true, PM_WHOLE}};
    pm_table *table = pm_table_create(columns, sizeof columns / sizeof columns[0]);
    for (int kind = 0; kind < PM_FINDING_COUNT; kind++) {
        const pm_curve_finding *finding = &findings.kinds[kind];
        pm_table_add(table, "%s", pm_finding_names[kind]);
        pm_table_add(table, "%u", finding->count);
        pm_table_add(table, "%.1f %%",
                     findings.channel_count ? 100.0 * finding->count / findings.channel_count : 0.0);
        if (finding->count == 0) {
            for (int i = 0; i < 4; i++) pm_table_add(table, "%s", "");
            continue;
        }
        pm_table_add(table, pm_finding_scales[kind] == 100.0 ? "%.3g %s" : "%.4g%s",
                     finding->worst * pm_finding_scales[kind], pm_finding_units[kind]);
        pm_table_add(table, "%s", finding->channel);
        pm_table_add(table, "%s", asset->scene->clips[finding->clip].name);
        pm_table_add(table, "%.4g s", finding->seconds + 0.0);
    }
    pm_table_finish(table, stdout);
    pm_findings_release(&findings);
    return PM_EXIT_OK;
}

static void print_components(const pm_curve_report *report) {
    static const pm_column columns[] = {{"component", false, PM_WHOLE}, {"keys", true, PM_WHOLE},
                                        {"minimum", true, PM_WHOLE},    {"at", true, PM_WHOLE},
                                        {"maximum", true, PM_WHOLE},    {"at", true, PM_WHOLE},
                                        {"monotone", false, PM_WHOLE},  {"seam value", true, PM_WHOLE},
                                        {"velocity", true, PM_WHOLE},   {"acceleration", true, PM_WHOLE}};
    pm_table *table = pm_table_create(columns, sizeof columns / sizeof columns[0]);
    for (uint32_t c = 0; c < report->component_count; c++) {
        pm_table_add(table, "%s", component_names[c]);
        pm_table_add(table, "%.6g..%.6g", report->key_minimum[c], report->key_maximum[c]);
        pm_table_add(table, "%.6g", report->minimum[c]);
        pm_table_add(table, "%.6g", report->minimum_seconds[c]);
        pm_table_add(table, "%.6g", report->maximum[c]);
        pm_table_add(table, "%.6g", report->maximum_seconds[c]);
        pm_table_add(table, "%s", report->monotone[c] ? "yes" : "no");
        pm_table_add(table, "%.4g", report->seam.value[c] + 0.0);
        pm_table_add(table, "%.4g", report->seam.velocity[c] + 0.0);
        pm_table_add(table, "%.4g", report->seam.acceleration[c] + 0.0);
    }
    pm_table_finish(table, stdout);
}

static void print_worst(const char *what, const pm_worst *worst, const char *unit) {
    if (!(worst->size > 0.0)) {
        printf("  %-24s none\n", what);
        return;
    }
    printf("  %-24s %.6g%s (%.3g of the range) in %s at key %u, %.6g s\n", what, worst->size, unit,
           worst->share, component_names[worst->component], worst->key, worst->seconds);
}

static void print_summary(const pm_curve_report *report) {
    printf("  %-24s %u of %u\n", "segments overshooting", report->overshoot_count, report->segment_count);
    print_worst("overshoot", &report->overshoot, "");
    print_worst("velocity jump", &report->velocity_jump, "/s");
    print_worst("acceleration jump", &report->acceleration_jump, "/s^2");
    print_worst("speed at a held key", &report->settle_speed, "/s");
    printf("  %-24s %u", "keys off the frame grid", report->off_grid_count);
    if (report->off_grid_count)
        printf(", worst %.3g frames at key %u", report->off_grid.size, report->off_grid.key);
    printf("\n  %-24s %s\n", "tangents all zero",
           report->tangents_zero ? "yes: motion stops at every key" : "no");
}

static void print_segments(const pm_curve_report *report) {
    static const pm_column columns[] = {{"segment", true, PM_WHOLE},
                                        {"begin", true, PM_WHOLE},
                                        {"end", true, PM_WHOLE},
                                        {"", false, PM_WHOLE},
                                        {"minimum", true, PM_WHOLE},
                                        {"maximum", true, PM_WHOLE},
                                        {"overshoot", true, PM_WHOLE},
                                        {"monotone", false, PM_WHOLE},
                                        {"value at 0 1/4 1/2 3/4 1", false, PM_WHOLE},
                                        {"velocity", false, PM_WHOLE},
                                        {"acceleration", false, PM_WHOLE}};
    pm_table *table = pm_table_create(columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < report->segment_count; i++) {
        const pm_inspected_segment *segment = &report->segments[i];
        for (uint32_t c = 0; c < report->component_count; c++) {
            const pm_inspected_span *span = &segment->components[c];
            pm_table_add(table, "%u", i);
            pm_table_add(table, "%.6g", segment->begin_seconds);
            pm_table_add(table, "%.6g", segment->end_seconds);
            pm_table_add(table, "%s", component_names[c]);
            pm_table_add(table, "%.6g", span->minimum);
            pm_table_add(table, "%.6g", span->maximum);
            pm_table_add(table, "%.3g", span->overshoot);
            pm_table_add(table, "%s", span->monotone ? "yes" : "no");
            const double *rows[3] = {span->value, span->velocity, span->acceleration};
            for (int r = 0; r < 3; r++)
                pm_table_add(table, "%.4g %.4g %.4g %.4g %.4g", rows[r][0] + 0.0, rows[r][1] + 0.0,
                             rows[r][2] + 0.0, rows[r][3] + 0.0, rows[r][4] + 0.0);
        }
    }
    pm_table_finish(table, stdout);
}

static int plot_channel(pm_curve *curve, const char *title, const char *path) {
    uint32_t count = pm_curve_get_info(curve).component_count;
    pm_plot_series series[PM_CURVE_COMPONENTS_MAX];
    for (uint32_t c = 0; c < count; c++)
        series[c] = (pm_plot_series){curve, c, count == 1 ? "value" : component_names[c]};
    pm_plot plot = {.title = title, .x_label = "time (s)", .series = series, .series_count = count};
    return pm_plot_write(&plot, path);
}

static int print_channel(const pm_asset *asset, uint32_t clip, const inspect_settings *settings) {
    pm_path path = PM_PATH_TRANSLATION;
    for (int i = 0; settings->path && i < PM_PATH_COUNT; i++)
        if (!strcmp(settings->path, pm_path_name((pm_path)i))) path = (pm_path)i;
    const pm_clip_source *source = &asset->scene->clips[clip];
    const pm_channel *channel =
        pm_findings_find_channel(asset->scene->skeleton, source, settings->node, path);
    if (!channel)
        return pm_complain(PM_EXIT_DATA, "%s: clip %u has no %s channel of \"%s\"", asset->path, clip,
                           pm_path_name(path), settings->node);
    pm_report diagnostics = {0};
    pm_curve *curve;
    if (pm_curve_create_from_channel(channel, asset->path, source->name, NULL, &curve, &diagnostics))
        return pm_complain(PM_EXIT_DATA, "%s", diagnostics.message);
    double rate_hz = settings->frame_rate_hz > 0.0 ? settings->frame_rate_hz
                                                   : pm_findings_guess_rate(asset->scene, clip, 1);
    pm_curve_report *report;
    if (pm_curve_inspect(curve, rate_hz, NULL, &report)) exit(pm_complain(PM_EXIT_DATA, "out of memory"));
    char *title = pm_storage_format("%s.%s in %s", settings->node, pm_path_name(path),
                                    source->name && source->name[0] ? source->name : asset->path);
    pm_text_clean(title);
    printf("%s: %s, %u keys\n", title, pm_interpolation_name(channel->interpolation), report->key_count);
    print_summary(report);
    print_components(report);
    print_segments(report);
    int status = settings->plot ? plot_channel(curve, title, settings->plot) : PM_EXIT_OK;
    free(title);
    pm_curve_report_destroy(report);
    pm_curve_destroy(curve);
    return status;
}

typedef struct join_row {
    const pm_channel *channel;
    pm_curve_cut cut;
    double value, velocity, acceleration; // magnitudes
} join_row;

static int compare_joins(const void *a, const void *b) {
    const join_row *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? 1 : -1;
    return (x->velocity < y->velocity) - (x->velocity > y->velocity);
}

static double magnitude(const double *numbers) {
    double sum = 0.0;
    for (int c = 0; c < PM_CURVE_COMPONENTS_MAX; c++) sum += numbers[c] * numbers[c];
    return sqrt(sum);
}

// The jumps of one target that both clips move. False if only one does, or if its keys cannot be used.
static bool join_channels(const pm_channel *a, const pm_clip_source *second, join_row *row) {
    for (uint32_t i = 0; i < second->channel_count; i++) {
        const pm_channel *b = &second->channels[i];
        if (b->path != a->path || b->target != a->target) continue;
        pm_curve *first_curve = NULL, *second_curve = NULL;
        bool joined = !pm_curve_create_from_channel(a, NULL, NULL, NULL, &first_curve, NULL) &&
                      !pm_curve_create_from_channel(b, NULL, NULL, NULL, &second_curve, NULL);
        if (joined) {
            pm_curve_cut cut = pm_curve_join(first_curve, second_curve);
            *row = (join_row){a, cut, magnitude(cut.value), magnitude(cut.velocity),
                              magnitude(cut.acceleration)};
        }
        pm_curve_destroy(first_curve);
        pm_curve_destroy(second_curve);
        return joined;
    }
    return false;
}

// `names` is both clips, separated by a line break (see run).
static int print_join(const pm_asset *asset, const char *names) {
    size_t length = strcspn(names, "\n");
    if (!names[length]) return pm_complain(PM_EXIT_USAGE, "--join takes two clips: --join walk run");
    char *first_name = pm_storage_format("%.*s", (int)length, names);
    uint32_t first, second;
    int status = pm_asset_find_clip(asset, first_name, &first);
    if (!status) status = pm_asset_find_clip(asset, names + length + 1, &second);
    free(first_name);
    if (status) return status;
    const pm_clip_source *a = &asset->scene->clips[first], *b = &asset->scene->clips[second];
    join_row *rows = pm_storage_allocate(a->channel_count, sizeof *rows);
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->channel_count; i++) count += join_channels(&a->channels[i], b, &rows[count]);
    qsort(rows, count, sizeof *rows, compare_joins);
    printf("clip %u, then %u: %u channels in both\n", first, second, count);
    static const pm_column columns[] = {{"channel", false, PM_CUT_MIDDLE},
                                        {"value", true, PM_WHOLE},
                                        {"velocity", true, PM_WHOLE},
                                        {"acceleration", true, PM_WHOLE},
                                        {"value by component", false, PM_WHOLE}};
    pm_table *table = pm_table_create(columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < count; i++) {
        char *name = pm_findings_channel_name(asset->scene->skeleton, rows[i].channel);
        pm_table_add(table, "%s", name);
        free(name);
        pm_table_add(table, "%.6g", rows[i].value);
        pm_table_add(table, "%.6g", rows[i].velocity);
        pm_table_add(table, "%.6g", rows[i].acceleration);
        const double *value = rows[i].cut.value;
        if (rows[i].channel->component_count == 1)
            pm_table_add(table, "%.6g", value[0] + 0.0);
        else if (rows[i].channel->component_count == 3)
            pm_table_add(table, "%.6g %.6g %.6g", value[0] + 0.0, value[1] + 0.0, value[2] + 0.0);
        else
            pm_table_add(table, "%.6g %.6g %.6g %.6g", value[0] + 0.0, value[1] + 0.0, value[2] + 0.0,
                         value[3] + 0.0);
    }
    pm_table_finish(table, stdout);
    free(rows);
    return PM_EXIT_OK;
}

static int show(pm_asset *asset, const inspect_settings *settings) {
    if (settings->join) return print_join(asset, settings->join);
    uint32_t first = 0, count = asset->scene->clip_count;
    if (settings->clip || settings->node) {
        int status = pm_asset_find_clip(asset, settings->clip ? settings->clip : "0", &first);
        if (status) return status;
        count = 1;
    }
    if (settings->node) return print_channel(asset, first, settings);
    if (count == 0) return pm_complain(PM_EXIT_DATA, "%s: there are no clips", asset->path);
    return print_file(asset, first, count, settings->frame_rate_hz);
}

// "--join A B" has two values, which the parser does not know of: they become one, separated by a line break.
static int merge_join(int argc, char **argv, char **merged) {
    for (int i = 0; i + 2 < argc && strcmp(argv[i], "--"); i++) {
        if (strcmp(argv[i], "--join")) continue;
        *merged = pm_storage_format("%s\n%s", argv[i + 1], argv[i + 2]);
        argv[i + 1] = *merged;
        memmove(&argv[i + 2], &argv[i + 3], (size_t)(argc - i - 3) * sizeof *argv);
        return argc - 1;
    }
    return argc;
}

static int run(int argc, char **argv) {
    inspect_settings settings = {0};
    pm_operands files;
    char *merged = NULL;
    argc = merge_join(argc, argv, &merged);
    int status = pm_arguments_parse(&pm_command_inspect, argc, argv, &settings, &files);
    if (!status && !settings.node && (settings.plot || settings.path))
        status = pm_complain(PM_EXIT_USAGE, "--%s needs --node NAME", settings.plot ? "plot" : "path");
    if (!status && settings.plot) status = pm_canvas_check_path(settings.plot);
    pm_asset asset = {0};
    if (!status) {
        status = pm_asset_open(&asset, files.items[0]);
        if (!status) status = show(&asset, &settings);
        pm_asset_close(&asset);
    }
    free(merged);
    return status;
}

const pm_command pm_command_inspect = {
    .name = "inspect",
    .operands = "FILE",
    .operand_min = 1,
    .operand_max = 1,
    .summary = "find overshoot, jumps and other faults in a file's curves",
    .details = "Prints the worst findings of a file: how many channels overshoot their keys, end\n"
               "before their clip, change speed suddenly, arrive moving at a key that is held, do\n"
               "not loop, or have keys off the frame grid. With --node, everything about one\n"
               "channel. Rotations are looked at component by component.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
