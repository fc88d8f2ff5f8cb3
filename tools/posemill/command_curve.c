// posemill curve: keys, rules and easings as numbers and as pictures.
#include "canvas.h"
#include "commands.h"
#include "keys_csv.h"
#include "plot.h"
#include "storage.h"
#include "text.h"

#include <posemill/curve.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RULES_MAX = 8 };

typedef struct curve_settings {
    pm_texts rules;
    double tension, continuity, bias;
    const char *easing;
    double cadence_hz, frame_rate_hz;
    const char *angle;
    pm_numbers times, bounds;
    bool limit, loop, basis;
    double phase_seconds, time_scale;
    const char *plot;
} curve_settings;

static const pm_option options[] = {
    {"rule", "NAME",
     "tangent rule of keys that name none: auto, hermite, linear, flat, step,\n"
     "catmull-rom, tcb, monotone, pchip, bezier; several, repeated or separated by\n"
     "commas, are shown together. Default auto; hermite for keys with in or out,\n"
     "linear if an easing is given",
     PM_OPTION_TEXTS, offsetof(curve_settings, rules), 0, 0},
    {"tension", "X", "of tcb, for keys that give none; default 0", PM_OPTION_NUMBER,
     offsetof(curve_settings, tension), -1e6, 1e6},
    {"continuity", "X", "the same", PM_OPTION_NUMBER, offsetof(curve_settings, continuity), -1e6, 1e6},
    {"bias", "X", "the same", PM_OPTION_NUMBER, offsetof(curve_settings, bias), -1e6, 1e6},
    {"easing", "NAME[:X,...]",
     "of segments that name none: smoothstep, smootherstep, quad-in, sine-in-out,\n"
     "bezier:x1,y1,x2,y2, polynomial:c0,c1,... and others. Without KEYS it is what\n"
     "is shown, over times from 0 to 1",
     PM_OPTION_TEXT, offsetof(curve_settings, easing), 0, 0},
    {"cadence", "HZ", "hold time down to multiples of 1 / HZ; on twos is 12", PM_OPTION_NUMBER,
     offsetof(curve_settings, cadence_hz), 0, 1e6},
    {"angle", "UNIT[:WAY]",
     "values are angles in degrees or radians; way is short (default), long or\n"
     "counted (as written, with the column turns)",
     PM_OPTION_TEXT, offsetof(curve_settings, angle), 0, 0},
    {"fps", "N",
     "key times are frames at N a second. Times of --at are in seconds all the same,\n"
     "and tangents per second",
     PM_OPTION_NUMBER, offsetof(curve_settings, frame_rate_hz), 0, 1e9},
    {"loop", NULL, "the last key is the first of the next round: end tangents go across the seam",
     PM_OPTION_FLAG, offsetof(curve_settings, loop), 0, 0},
    {"phase", "SECONDS", "start later; a looping curve wraps around. Default 0", PM_OPTION_NUMBER,
     offsetof(curve_settings, phase_seconds), -1e9, 1e9},
    {"time-scale", "X", "stretch time; default 1", PM_OPTION_NUMBER, offsetof(curve_settings, time_scale),
     1e-6, 1e6},
    {"bounds", "LOW,HIGH", "say where the curve leaves them, on stderr", PM_OPTION_NUMBERS,
     offsetof(curve_settings, bounds), -1e18, 1e18},
    {"limit", NULL, "shorten tangents until the curve holds --bounds", PM_OPTION_FLAG,
     offsetof(curve_settings, limit), 0, 0},
    {"at", "T,T,...", "print a row a time", PM_OPTION_NUMBERS, offsetof(curve_settings, times), -1e30, 1e30},
    {"plot", "FILE", "draw value, velocity and acceleration as .svg or .png", PM_OPTION_TEXT,
     offsetof(curve_settings, plot), 0, 0},
    {"basis", NULL, "draw the four Hermite basis functions (with --plot)", PM_OPTION_FLAG,
     offsetof(curve_settings, basis), 0, 0},
};

// What is drawn and printed: one curve a rule, or an easing.
typedef struct curve_set {
    pm_tangent_rule rules[RULES_MAX];
    uint32_t rule_count; // 0: each key's default
    pm_easing easing;
    bool has_easing;
    pm_plot_series series[RULES_MAX];
    uint32_t series_count;
} curve_set;

static int parse_rules(const pm_texts *texts, curve_set *set) {
    for (uint32_t i = 0; i < texts->count; i++) {
        const char *text = texts->items[i];
        for (;;) {
            size_t length = strcspn(text, ",");
            char *name = pm_storage_format("%.*s", (int)length, text);
            int status = PM_EXIT_OK;
            if (set->rule_count == RULES_MAX)
                status = pm_complain(PM_EXIT_USAGE, "--rule takes at most %d rules", RULES_MAX);
            else if (!pm_tangent_rule_parse(name, &set->rules[set->rule_count++]))
                status = pm_complain(PM_EXIT_USAGE,
                                     "--rule %s: there is no such rule; see posemill help curve", name);
            free(name);
            if (status) return status;
            if (!text[length]) break;
            text += length + 1;
        }
    }
    return PM_EXIT_OK;
}

// Why a text is no easing: a polynomial that can be read but does not go from 0 to 1 is told apart.
static int parse_easing(const char *text, curve_set *set) {
    if (!text) return PM_EXIT_OK;
    set->has_easing = true;
    if (pm_easing_parse(text, &set->easing)) return PM_EXIT_OK;
    return pm_complain(
        PM_EXIT_USAGE,
        "--easing %s: there is no such easing, or its numbers cannot be used (bezier:x1,y1,x2,y2 needs "
        "x1 and x2 from 0 to 1; polynomial:c0,c1,... must be 0 at 0 and 1 at 1)",
        text);
}

static int parse_angle(const char *text, pm_curve_def *def) {
    static const char *const units[] = {"degrees", "radians"};
    static const char *const ways[] = {"short", "long", "counted"};
    if (!text) return PM_EXIT_OK;
    size_t length = strcspn(text, ":");
    const char *way = text[length] ? text + length + 1 : "short";
    int unit = 0, mode = 0;
    while (unit < 2 && !(strlen(units[unit]) == length && memcmp(units[unit], text, length) == 0)) unit++;
    while (mode < 3 && strcmp(ways[mode], way) != 0) mode++;
    if (unit == 2 || mode == 3)
        return pm_complain(PM_EXIT_USAGE,
                           "--angle must be degrees or radians, with :short, :long or :counted, not %s",
                           text);
    def->angle_unit = (pm_angle_unit)unit;
    def->angle_mode = (pm_angle_mode)(PM_ANGLE_SHORT + mode);
    return PM_EXIT_OK;
}

// A row as a key under a rule (NULL: its default).
static pm_curve_key key_of(const pm_csv_key *row, const curve_settings *settings, const curve_set *set,
                           const pm_tangent_rule *rule) {
    pm_curve_key key = row->key;
    bool given = row->filled & (1u << PM_CSV_IN | 1u << PM_CSV_OUT),
         eased = row->filled >> PM_CSV_EASING & 1u;
    if (!eased) key.easing = set->easing;
    if (!(row->filled >> PM_CSV_TENSION & 1u)) key.tension = settings->tension;
    if (!(row->filled >> PM_CSV_CONTINUITY & 1u)) key.continuity = settings->continuity;
    if (!(row->filled >> PM_CSV_BIAS & 1u)) key.bias = settings->bias;
    if (row->filled >> PM_CSV_RULE & 1u) return key;
    pm_tangent_rule fallback = given                      ? PM_TANGENT_HERMITE
                               : set->has_easing || eased ? PM_TANGENT_LINEAR
                                                          : PM_TANGENT_AUTO;
    key.in_rule = key.out_rule = rule ? *rule : fallback;
    return key;
}

static void print_diagnostic(void *user, const pm_diagnostic *diagnostic) {
    (void)user;
    if (diagnostic->severity != PM_SEVERITY_ERROR) fprintf(stderr, "posemill: %s\n", diagnostic->message);
}

// One curve of the set, under a rule or the keys' defaults.
static int add_curve(const char *path, const pm_keys_csv *csv, const curve_settings *settings, curve_set *set,
                     pm_curve_def *def, const pm_tangent_rule *rule) {
    pm_curve_key *keys = pm_storage_allocate(csv->count, sizeof *keys);
    for (size_t i = 0; i < csv->count; i++) keys[i] = key_of(&csv->keys[i], settings, set, rule);
    // The segment before an eased one is straight too if nothing else was asked for.
    for (size_t i = 1; i < csv->count && !rule; i++)
        if (keys[i - 1].out_rule == PM_TANGENT_LINEAR && keys[i].in_rule == PM_TANGENT_AUTO &&
            !(csv->keys[i].filled >> PM_CSV_RULE & 1u))
            keys[i].in_rule = PM_TANGENT_LINEAR;
    def->file = path;
    def->keys = keys;
    def->key_count = (uint32_t)csv->count;
    pm_report report = {.callback = print_diagnostic};
    pm_curve *curve;
    int status = PM_EXIT_OK;
    if (pm_curve_create(def, NULL, &curve, &report))
        status = pm_complain(PM_EXIT_DATA, "%s", report.message);
    else
        set->series[set->series_count++] =
            (pm_plot_series){.curve = curve, .name = rule ? pm_tangent_rule_name(*rule) : "keys"};
    free(keys);
    return status;
}

static int make_curves(const char *path, const curve_settings *settings, curve_set *set) {
    pm_curve_def def = pm_default_curve_def();
    def.frame_rate_hz = settings->frame_rate_hz;
    def.cadence_hz = (float)settings->cadence_hz;
    def.looping = settings->loop;
    def.phase_seconds = settings->phase_seconds;
    def.time_scale = settings->time_scale;
    int status = parse_angle(settings->angle, &def);
    if (!status && settings->limit && settings->bounds.count == 0)
        status = pm_complain(PM_EXIT_USAGE, "--limit needs --bounds");
    if (!status && settings->bounds.count) {
        if (settings->bounds.count != 2 || !(settings->bounds.values[0] <= settings->bounds.values[1]))
            return pm_complain(PM_EXIT_USAGE, "--bounds takes two numbers, the lower one first");
        def.bounds = settings->limit ? PM_BOUNDS_LIMIT : PM_BOUNDS_REPORT;
        def.minimum[0] = settings->bounds.values[0];
        def.maximum[0] = settings->bounds.values[1];
    }
    pm_keys_csv csv = {0};
    if (!status) status = pm_keys_csv_read(path, &csv);
    uint32_t count = set->rule_count ? set->rule_count : 1;
    for (uint32_t i = 0; i < count && !status; i++)
        status = add_curve(path, &csv, settings, set, &def, set->rule_count ? &set->rules[i] : NULL);
    pm_keys_csv_release(&csv);
    return status;
}

// The easing as a curve from 0 to 1 in one second, so that it is printed and drawn like any other.
static int make_easing(curve_set *set, const char *name) {
    pm_curve_key keys[2] = {{.time = 0, .value = {0}}, {.time = 1, .value = {1}}};
    for (int i = 0; i < 2; i++) keys[i].in_rule = keys[i].out_rule = PM_TANGENT_LINEAR;
    keys[0].easing = set->easing;
    pm_curve_def def = pm_default_curve_def();
    def.keys = keys;
    def.key_count = 2;
    pm_report report = {0};
    pm_curve *curve;
    if (pm_curve_create(&def, NULL, &curve, &report)) return pm_complain(PM_EXIT_DATA, "%s", report.message);
    set->series[set->series_count++] = (pm_plot_series){.curve = curve, .name = name};
    return PM_EXIT_OK;
}

// Rows of all curves; with several, each row ends with the rule's name.
static void print_rows(const curve_set *set, const pm_numbers *times) {
    for (uint32_t s = 0; s < set->series_count; s++) {
        for (uint32_t t = 0; t < times->count; t++) {
            pm_curve_sample sample = pm_curve_evaluate(set->series[s].curve, times->values[t]);
            // Adding 0 makes 0 of -0.
            printf("%.12g\t%.12g\t%.12g\t%.12g", times->values[t] + 0.0, sample.value[0] + 0.0,
                   sample.velocity[0] + 0.0, sample.acceleration[0] + 0.0);
            if (set->series_count > 1) printf("\t%s", set->series[s].name);
            putchar('\n');
        }
    }
}

static int check_request(const curve_settings *settings, uint32_t file_count) {
    int status = settings->plot ? pm_canvas_check_path(settings->plot) : PM_EXIT_OK;
    if (status) return status;
    if (settings->basis) {
        if (!settings->plot) return pm_complain(PM_EXIT_USAGE, "--basis needs --plot FILE");
        if (file_count || settings->times.count)
            return pm_complain(PM_EXIT_USAGE, "--basis takes neither keys nor --at");
        return PM_EXIT_OK;
    }
    if (!settings->times.count && !settings->plot)
        return pm_complain(PM_EXIT_USAGE, "curve needs --at, in seconds (--at 0,0.5,1), or --plot FILE");
    if (file_count == 0 && !settings->easing)
        return pm_complain(PM_EXIT_USAGE, "curve needs a file of keys, or --easing");
    return PM_EXIT_OK;
}

static int show(const curve_settings *settings, const pm_operands *files) {
    if (settings->basis) return pm_plot_basis(settings->plot);
    curve_set set = {0};
    int status = parse_rules(&settings->rules, &set);
    if (!status) status = parse_easing(settings->easing, &set);
    if (!status)
        status =
            files->count ? make_curves(files->items[0], settings, &set) : make_easing(&set, settings->easing);
    if (!status) print_rows(&set, &settings->times);
    pm_plot plot = {.title = files->count ? files->items[0] : settings->easing,
                    .x_label = files->count ? "time (s)" : "position in the segment",
                    .series = set.series,
                    .series_count = set.series_count};
    if (!status && settings->plot) status = pm_plot_write(&plot, settings->plot);
    for (uint32_t i = 0; i < set.series_count; i++) pm_curve_destroy(set.series[i].curve);
    return status;
}

static int run(int argc, char **argv) {
    curve_settings settings = {.time_scale = 1.0};
    pm_operands files;
    int status = pm_arguments_parse(&pm_command_curve, argc, argv, &settings, &files);
    if (status) return status;
    status = check_request(&settings, files.count);
    if (!status) status = show(&settings, &files);
    pm_numbers_release(&settings.times);
    pm_numbers_release(&settings.bounds);
    return status;
}

const pm_command pm_command_curve = {
    .name = "curve",
    .operands = "[KEYS.csv]",
    .operand_min = 0,
    .operand_max = 1,
    .summary = "shape keys with rules and easings, as numbers or a picture",
    .details = "Reads keys from a CSV file whose header names its columns: time, value, and any\n"
               "of in, out, tension, continuity, bias, turns, rule, easing. Prints a row a time\n"
               "of --at, tab-separated: time, value, velocity, acceleration, and, where several\n"
               "rules are compared, the rule.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
