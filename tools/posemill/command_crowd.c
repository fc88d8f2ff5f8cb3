// posemill crowd: sets a crowd in motion at a fixed rate and says what it costs.
#define _POSIX_C_SOURCE 200809L

#include "commands.h"
#include "crowd_report.h"
#include "pool.h"
#include "storage.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TICK_LIMIT             10000000.0
#define THREAD_LIMIT           256
#define PROGRESS_EVERY_SECONDS 0.1

typedef struct crowd_settings {
    uint32_t character_count, thread_count;
    double rate_hz, duration_seconds;
    const char *isa, *order, *layout, *key_bits, *loop, *constants, *output;
    uint32_t layer_count, update_interval;
    double fade_seconds;
    bool json;
} crowd_settings;

static const pm_option options[] = {
    {"characters", "N", "characters in the crowd; default 10000", PM_OPTION_COUNT,
     offsetof(crowd_settings, character_count), 1, 4e9},
    {"rate", "HZ", "ticks a second; default 30", PM_OPTION_NUMBER, offsetof(crowd_settings, rate_hz), 0.001,
     1e6},
    {"seconds", "S", "time to simulate, as fast as it goes; default 10", PM_OPTION_NUMBER,
     offsetof(crowd_settings, duration_seconds), 0.001, 1e9},
    {"threads", "T", "threads that share the work; default 1", PM_OPTION_COUNT,
     offsetof(crowd_settings, thread_count), 1, THREAD_LIMIT},
    {"isa", "NAME", "kernels to use (portable, sse2, avx2); default the\nfastest that run here",
     PM_OPTION_TEXT, offsetof(crowd_settings, isa), 0, 0},
    {"order", "given|time",
     "sample characters as they come, or by clip and time\n(default): neighbours then read the same keys",
     PM_OPTION_CHOICE, offsetof(crowd_settings, order), 0, 0},
    {"layout", "auto|merged|mixed",
     "put channels of different times on their union, or keep\nthem apart; default auto: what is cheaper",
     PM_OPTION_CHOICE, offsetof(crowd_settings, layout), 0, 0},
    {"key-bits", "32|16", "bits of a number in keys; 16 takes half the memory and\nis not exact; default 32",
     PM_OPTION_CHOICE, offsetof(crowd_settings, key_bits), 0, 0},
    {"loop", "repeat|ping-pong|clamp", "what happens at a clip's end; default repeat", PM_OPTION_CHOICE,
     offsetof(crowd_settings, loop), 0, 0},
    {"layers", "N", "clips of its file that each character mixes; default 1", PM_OPTION_COUNT,
     offsetof(crowd_settings, layer_count), 1, PM_LAYERS_MAX},
    {"fade", "S",
     "characters cross-fade between their layers to and fro,\nin S seconds each; takes two layers at least",
     PM_OPTION_NUMBER, offsetof(crowd_settings, fade_seconds), 0.001, 1e6},
    {"update-rate", "N",
     "evaluate each character every N ticks, staggered, and\nhold its pose in between; default 1",
     PM_OPTION_COUNT, offsetof(crowd_settings, update_interval), 1, 8},
    {"constants", "always|once",
     "write what never moves in a clip each tick (default), or\nonce, for characters of one layer",
     PM_OPTION_CHOICE, offsetof(crowd_settings, constants), 0, 0},
    {"output", "poses|models|palettes",
     "what is written of each character: local transforms\n(default), model matrices, or skinning palettes",
     PM_OPTION_CHOICE, offsetof(crowd_settings, output), 0, 0},
    {"json", NULL, "the results for programs", PM_OPTION_FLAG, offsetof(crowd_settings, json), 0, 0},
};

// A crowd in motion. The arrays of seconds hold one element a tick.
typedef struct crowd_run {
    const crowd_settings *settings;
    pm_crowd *crowd;
    uint64_t tick, tick_count;
    double *tick_seconds, *part_seconds[PM_CROWD_PART_COUNT];
    uint64_t guarded_counts[THREAD_LIMIT]; // a worker
    uint64_t evaluated_count;              // poses
} crowd_run;

static double now_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void work_clock(void *context, uint32_t worker, uint32_t begin, uint32_t end) {
    crowd_run *run = context;
    (void)worker;
    pm_crowd_run_clock(run->crowd, begin, end);
}

static void work_output(void *context, uint32_t worker, uint32_t begin, uint32_t end) {
    crowd_run *run = context;
    run->guarded_counts[worker] += pm_crowd_run_output(run->crowd, worker, begin, end);
}

static void print_progress(const crowd_run *run, double elapsed_seconds) {
    fprintf(stderr, "\r  tick %llu of %llu, %.3f ms each\033[K", (unsigned long long)run->tick + 1,
            (unsigned long long)run->tick_count, 1e3 * elapsed_seconds / (double)(run->tick + 1));
}

// One tick, each part timed. Returns the time when it ended.
static double run_tick(crowd_run *run, pm_pool *pool, uint32_t chunk) {
    double times[PM_CROWD_PART_COUNT + 1] = {now_seconds()};
    pm_crowd_begin_tick(run->crowd, run->tick);
    pm_pool_run(pool, work_clock, run, pm_crowd_layer_count(run->crowd), chunk, false);
    times[PM_CROWD_CLOCK + 1] = now_seconds();
    pm_crowd_run_order(run->crowd);
    times[PM_CROWD_ORDER + 1] = now_seconds();
    pm_pool_run(pool, work_output, run, run->crowd->due_count, chunk, pm_crowd_is_backward(run->crowd));
    run->evaluated_count += run->crowd->due_count;
    times[PM_CROWD_SAMPLE + 1] = now_seconds();
    for (int i = 0; i < PM_CROWD_PART_COUNT; i++) run->part_seconds[i][run->tick] = times[i + 1] - times[i];
    run->tick_seconds[run->tick] = times[PM_CROWD_PART_COUNT] - times[0];
    return times[PM_CROWD_PART_COUNT];
}

static void run_ticks(crowd_run *run, pm_pool *pool) {
    // Small enough to even out between threads that are interrupted.
    uint32_t chunk = run->crowd->character_count / (run->settings->thread_count * 16) + 1;
    bool progress = isatty(STDERR_FILENO);
    double start = now_seconds(), shown = start - PROGRESS_EVERY_SECONDS;
    for (run->tick = 0; run->tick < run->tick_count; run->tick++) {
        double end = run_tick(run, pool, chunk);
        if (!progress || end - shown < PROGRESS_EVERY_SECONDS) continue;
        print_progress(run, end - start);
        shown = end;
    }
    if (progress) fputs("\r\033[K", stderr);
}

static int compare_doubles(const void *a, const void *b) {
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

// Sorts the seconds.
static pm_timing summarise(double *seconds, uint64_t count) {
    qsort(seconds, count, sizeof *seconds, compare_doubles);
    double median_seconds = (seconds[(count - 1) / 2] + seconds[count / 2]) / 2;
    return (pm_timing){median_seconds, seconds[0], seconds[count - 1]};
}

static pm_crowd_result collect(crowd_run *run) {
    pm_crowd_result result = {
        .kernels_name = pm_kernels_name(run->crowd->job.kernels),
        .order = run->settings->order,
        .layout = run->settings->layout,
        .output = run->settings->output,
        .key_bits = pm_asset_key_bits(run->settings->key_bits),
        .thread_count = run->settings->thread_count,
        .rate_hz = run->settings->rate_hz,
        .tick_count = run->tick_count,
        .evaluated_count = run->evaluated_count,
        .tick = summarise(run->tick_seconds, run->tick_count),
        .pose_hash = pm_crowd_hash(run->crowd),
    };
    for (int i = 0; i < PM_CROWD_PART_COUNT; i++)
        result.parts[i] = summarise(run->part_seconds[i], run->tick_count);
    for (uint32_t i = 0; i < THREAD_LIMIT; i++) result.guarded_count += run->guarded_counts[i];
    return result;
}

// Runs the crowd to its end. PM_EXIT_DATA after one line on stderr if the threads cannot be started.
static int run_crowd(const crowd_settings *settings, pm_crowd *crowd, uint64_t tick_count,
                     pm_crowd_result *result) {
    pm_pool *pool = pm_pool_create(settings->thread_count);
    if (!pool) return pm_complain(PM_EXIT_DATA, "cannot start %u threads", settings->thread_count);
    crowd_run run = {.settings = settings, .crowd = crowd, .tick_count = tick_count};
    run.tick_seconds = pm_storage_allocate(tick_count, sizeof(double));
    for (int i = 0; i < PM_CROWD_PART_COUNT; i++)
        run.part_seconds[i] = pm_storage_allocate(tick_count, sizeof(double));
    run_ticks(&run, pool);
    *result = collect(&run);
    for (int i = 0; i < PM_CROWD_PART_COUNT; i++) free(run.part_seconds[i]);
    free(run.tick_seconds);
    pm_pool_destroy(pool);
    return PM_EXIT_OK;
}

static int find_kernels(const char *name, const pm_kernels **kernels) {
    *kernels = name ? pm_kernels_find(name) : pm_kernels_best();
    if (*kernels) return PM_EXIT_OK;
    char names[128] = "";
    size_t length = 0;
    for (uint32_t i = 0; pm_kernels_at(i) && length < sizeof names; i++)
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "",
                                   pm_kernels_name(pm_kernels_at(i)));
    return pm_complain(PM_EXIT_USAGE, "--isa %s does not run here; these do: %s", name, names);
}

static int count_ticks(const crowd_settings *settings, uint64_t *tick_count) {
    double ticks = floor(settings->duration_seconds * settings->rate_hz + 0.5);
    if (ticks > TICK_LIMIT)
        return pm_complain(PM_EXIT_USAGE, "--seconds %g at %g Hz are more than %.0f ticks",
                           settings->duration_seconds, settings->rate_hz, TICK_LIMIT);
    *tick_count = ticks < 1 ? 1 : (uint64_t)ticks;
    return PM_EXIT_OK;
}

static pm_loop_mode loop_mode(const char *loop) {
    if (!strcmp(loop, "clamp")) return PM_LOOP_CLAMP;
    return strcmp(loop, "repeat") ? PM_LOOP_PING_PONG : PM_LOOP_REPEAT;
}

static pm_crowd_output output_of(const char *output) {
    if (!strcmp(output, "models")) return PM_CROWD_MODELS;
    return strcmp(output, "palettes") ? PM_CROWD_POSES : PM_CROWD_PALETTES;
}

static float merge_growth_limit(const char *layout) {
    if (!strcmp(layout, "merged")) return INFINITY;
    return strcmp(layout, "mixed") ? pm_default_compile_options().merge_growth_limit : 0;
}

// Opens files until one cannot be: PM_EXIT_DATA after one line on stderr.
static int open_assets(const pm_operands *files, const crowd_settings *settings, pm_asset *assets) {
    for (uint32_t i = 0; i < files->count; i++) {
        int status = pm_asset_open(&assets[i], files->items[i]);
        if (status) return status;
        assets[i].options.merge_growth_limit = merge_growth_limit(settings->layout);
        assets[i].options.key_bits = pm_asset_key_bits(settings->key_bits);
    }
    return PM_EXIT_OK;
}

static int run_files(const crowd_settings *settings, const pm_operands *files, uint64_t tick_count,
                     const pm_kernels *kernels) {
    pm_crowd crowd = {0};
    pm_crowd_result result;
    pm_crowd_options crowd_options = {.character_count = settings->character_count,
                                      .output = output_of(settings->output),
                                      .kernels = kernels,
                                      .ordered = !strcmp(settings->order, "time"),
                                      .rate_hz = settings->rate_hz,
                                      .loop = loop_mode(settings->loop),
                                      .layer_count = settings->layer_count,
                                      .fade_seconds = settings->fade_seconds,
                                      .update_interval = settings->update_interval,
                                      .keeps_constants = !strcmp(settings->constants, "once"),
                                      .thread_count = settings->thread_count};
    if (settings->fade_seconds > 0 && crowd_options.layer_count < 2) crowd_options.layer_count = 2;
    pm_asset *assets = pm_storage_allocate(files->count, sizeof *assets);
    int status = open_assets(files, settings, assets);
    if (!status) status = pm_crowd_create(&crowd, assets, files->count, &crowd_options);
    if (!status) status = run_crowd(settings, &crowd, tick_count, &result);
    if (!status && settings->json)
        status = pm_json_finish(pm_crowd_report_json(&crowd, assets, files->count, &result));
    else if (!status)
        pm_crowd_report(&crowd, assets, files->count, &result);
    pm_crowd_destroy(&crowd);
    for (uint32_t i = 0; i < files->count; i++) pm_asset_close(&assets[i]);
    free(assets);
    return status;
}

static int run(int argc, char **argv) {
    crowd_settings settings = {.character_count = 10000,
                               .thread_count = 1,
                               .rate_hz = 30,
                               .duration_seconds = 10,
                               .order = "time",
                               .loop = "repeat",
                               .layer_count = 1,
                               .update_interval = 1,
                               .layout = "auto",
                               .key_bits = "32",
                               .constants = "always",
                               .output = "poses"};
    const pm_kernels *kernels = NULL;
    pm_operands files;
    uint64_t tick_count = 0;
    int status = pm_arguments_parse(&pm_command_crowd, argc, argv, &settings, &files);
    bool blends = settings.layer_count > 1 || settings.fade_seconds > 0;
    if (!status && blends && !strcmp(settings.constants, "once"))
        status = pm_complain(PM_EXIT_USAGE, "--constants once is for characters of one layer");
    if (!status && output_of(settings.output) != PM_CROWD_POSES && !strcmp(settings.constants, "once"))
        status = pm_complain(PM_EXIT_USAGE, "--constants once is for --output poses");
    if (!status) status = find_kernels(settings.isa, &kernels);
    if (!status) status = count_ticks(&settings, &tick_count);
    return status ? status : run_files(&settings, &files, tick_count, kernels);
}

const pm_command pm_command_crowd = {
    .name = "crowd",
    .operands = "FILE...",
    .operand_min = 1,
    .operand_max = UINT32_MAX,
    .summary = "set a crowd in motion and say what it costs",
    .details = "Spreads characters over the clips of all files, each with a phase of its own.\n"
               "Every tick works out the clip time and the pose of each character, or matrices\n"
               "made of it. pose_hash (or matrix_hash) is over all of them after the last tick:\n"
               "it depends on the files, the number of characters, the rate, the time, the\n"
               "layout, key bits and what is played, not on threads, kernels or order.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
