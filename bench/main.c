// posemill-bench: Posemill, a naive evaluator and the bound of the machine, measured in one run.
#define _POSIX_C_SOURCE 200809L

#include "benchmark_shim.h"
#include "list.h"
#include "table.h"

#include <getopt.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_DATA = 1, EXIT_USAGE = 2 };

typedef struct settings {
    const char *filter, *json_path, *isa;
    uint32_t repetitions;
    double seconds;
    bool list;
} settings;

static const char usage[] =
    "usage: posemill-bench [--filter REGEX] [--json FILE] [--isa NAME] [--repetitions N] [--seconds S] "
    "[--list]\n"
    "  --filter REGEX   only workloads whose name matches this extended regular expression\n"
    "  --json FILE      write every repetition as Google Benchmark's JSON\n"
    "  --isa NAME       kernels of workloads that name none (default: the best)\n"
    "  --repetitions N  of each row (default 7)\n"
    "  --seconds S      that a repetition takes at least (default 0.04)\n"
    "  --list           print the workloads' names\n"
    "Real files are looked for in the folder that the environment variable POSEMILL_DATA names.\n";

static int complain(int status, const char *text, const char *what) {
    fprintf(stderr, "posemill-bench: %s%s\n", text, what);
    return status;
}

// Reads the command line; an exit code, or -1 to go on.
static int parse(int argc, char **argv, settings *chosen) {
    static const struct option options[] = {
        {"filter", required_argument, NULL, 'f'},  {"json", required_argument, NULL, 'j'},
        {"isa", required_argument, NULL, 'i'},     {"repetitions", required_argument, NULL, 'r'},
        {"seconds", required_argument, NULL, 's'}, {"list", no_argument, NULL, 'l'},
        {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0},
    };
    int option;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (option) {
        case 'f':
            chosen->filter = optarg;
            break;
        case 'j':
            chosen->json_path = optarg;
            break;
        case 'i':
            chosen->isa = optarg;
            break;
        case 'r':
            chosen->repetitions = (uint32_t)strtoul(optarg, NULL, 10);
            break;
        case 's':
            chosen->seconds = strtod(optarg, NULL);
            break;
        case 'l':
            chosen->list = true;
            break;
        case 'h':
            fputs(usage, stdout);
            return 0;
        default:
            fputs(usage, stderr);
            return EXIT_USAGE;
        }
    }
    if (optind < argc) return complain(EXIT_USAGE, "no operands are expected, but: ", argv[optind]);
    if (!chosen->repetitions || chosen->repetitions > 1000 || !(chosen->seconds > 0 && chosen->seconds < 60))
        return complain(EXIT_USAGE, "--repetitions must be 1 to 1000, --seconds above 0 and below 60", "");
    if (chosen->isa && !pm_kernels_find(chosen->isa))
        return complain(EXIT_USAGE, "no kernels of this name run here: ", chosen->isa);
    return -1;
}

static const char *data_folder(void) {
    const char *folder = getenv("POSEMILL_DATA");
    return folder && folder[0] ? folder : POSEMILL_SOURCE_DIR "/../shared/data";
}

// What programs that read the JSON need to know about a workload.
enum { COUNTER_COUNT = 10 };

static void describe(const workload *w, bench_counter counters[COUNTER_COUNT]) {
    double instances = w->def.instance_count;
    const bench_counter all[COUNTER_COUNT] = {
        {"instances", instances},
        {"joints", w->joint_total / instances},
        {"clips", w->content->clip_count},
        {"keys", w->def.key_count},
        {"threads", w->def.thread_count},
        {"output_bytes_per_joint", (double)w->output_bytes / w->joint_total},
        {"key_bytes_per_joint", w->key_bytes / w->joint_total},
        {"bytes_per_joint", ((double)w->output_bytes + w->key_bytes) / w->joint_total},
        {"cursor_bytes_per_instance", (double)w->job.cursor_stride},
        {"cursor_bytes_per_timeline", w->content->cursor_bytes_per_timeline},
    };
    memcpy(counters, all, sizeof all);
}

static void measure(bench_session *session, workload *w, table *rows) {
    bench_counter counters[COUNTER_COUNT];
    describe(w, counters);
    enum { KINDS = 4 };
    static const char *const kinds[KINDS] = {"naive", "sample", "bound", "bytes"};
    void (*const ticks[KINDS])(void *) = {workload_naive, workload_sample, workload_bound, workload_bytes};
    char names[KINDS][WORKLOAD_NAME_SIZE + 8];
    bench_row benchmarks[KINDS];
    double median_ns[KINDS];
    for (int i = 0; i < KINDS; i++) {
        snprintf(names[i], sizeof names[i], "%s/%s", kinds[i], w->name);
        benchmarks[i] = (bench_row){names[i], ticks[i],     w, w->joint_total, w->def.thread_count > 1,
                                    counters, COUNTER_COUNT};
    }
    bench_session_measure(session, benchmarks, KINDS, median_ns);
    for (int i = 0; i < KINDS; i++) median_ns[i] /= w->joint_total;
    table_add(rows, w, &(table_times){median_ns[0], median_ns[1], median_ns[2], median_ns[3]});
}

// Measures one workload. `clips` are the last one's, and are kept if they are what this one needs.
static void run(bench_session *session, const workload_def *def, const pm_kernels *kernels, content *clips,
                table *rows) {
    char reason[CONTENT_REASON_SIZE];
    content_def wanted = workload_content(def);
    if (!clips->clip_count || !content_def_equal(&clips->def, &wanted)) {
        content_destroy(clips);
        if (!content_create(clips, &wanted, data_folder(), reason)) {
            table_skip(def, reason);
            return;
        }
    }
    workload w;
    if (!workload_create(&w, def, clips, kernels, reason)) {
        table_skip(def, reason);
        return;
    }
    measure(session, &w, rows);
    workload_destroy(&w);
}

// The processor's name, as Linux has it, in `name`.
static const char *find_cpu(char *name, size_t size) {
    snprintf(name, size, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file) return name;
    char line[256];
    while (fgets(line, sizeof line, file)) {
        char *value = strchr(line, ':');
        if (strncmp(line, "model name", strlen("model name")) || !value) continue;
        value[strcspn(value, "\n")] = 0;
        snprintf(name, size, "%s", value + 2);
        break;
    }
    fclose(file);
    return name;
}

static bench_session *open_session(const settings *chosen, const pm_kernels *kernels) {
    char cpu[128];
    const char *const context[] = {"kernels",   pm_kernels_name(kernels),  "compiler", __VERSION__,
                                   "processor", find_cpu(cpu, sizeof cpu), NULL};
    bench_settings session = {chosen->repetitions, chosen->seconds, chosen->json_path, context};
    printf("%s, %s kernels, compiler %s, %u repetitions\n\n", cpu, pm_kernels_name(kernels), __VERSION__,
           chosen->repetitions);
    return bench_session_create(&session);
}

static int run_all(const settings *chosen, const regex_t *filter) {
    const pm_kernels *kernels = chosen->isa ? pm_kernels_find(chosen->isa) : pm_kernels_best();
    table *rows = table_create(workload_list_count);
    bench_session *session = rows ? open_session(chosen, kernels) : NULL;
    if (!session) return complain(EXIT_DATA, "cannot write ", chosen->json_path ? chosen->json_path : "");
    content clips = {.clip_count = 0};
    const char *section = NULL; // of the next row
    for (uint32_t i = 0; i < workload_list_count; i++) {
        workload_def def = workload_complete(workload_list + i);
        char name[WORKLOAD_NAME_SIZE];
        workload_name(&def, name);
        if (def.section) section = def.section;
        if (filter && regexec(filter, name, 0, NULL, 0)) continue;
        def.section = section;
        section = NULL;
        const pm_kernels *row_kernels = def.isa ? pm_kernels_find(def.isa) : kernels;
        if (row_kernels)
            run(session, &def, row_kernels, &clips, rows);
        else
            table_skip(&def, "these kernels do not run here");
    }
    content_destroy(&clips);
    table_finish(rows);
    if (!bench_session_finish(session)) return complain(EXIT_DATA, "cannot write ", chosen->json_path);
    return 0;
}

static int list_names(void) {
    for (uint32_t i = 0; i < workload_list_count; i++) {
        workload_def def = workload_complete(workload_list + i);
        char name[WORKLOAD_NAME_SIZE];
        workload_name(&def, name);
        puts(name);
    }
    return 0;
}

int main(int argc, char **argv) {
    settings chosen = {.repetitions = 7, .seconds = 0.04};
    int status = parse(argc, argv, &chosen);
    if (status >= 0) return status;
    if (chosen.list) return list_names();
    regex_t filter;
    if (chosen.filter && regcomp(&filter, chosen.filter, REG_EXTENDED | REG_NOSUB))
        return complain(EXIT_USAGE, "not an extended regular expression: ", chosen.filter);
    status = run_all(&chosen, chosen.filter ? &filter : NULL);
    if (chosen.filter) regfree(&filter);
    return status;
}
