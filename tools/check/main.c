// posemill-check: do all kernels give the same bits here, and the same as everywhere else?
//
// Samples made-up clips of every kind in every way on each set of kernels that this machine runs, and
// compares them bit by bit with the portable ones, called plainly. The last line is a hash of all clips and
// poses: it is the same on every machine, compiler, optimisation level and number of threads. Depends on
// nothing but the runtime library and the C library.
#include "check.h"
#include "workers.h"

#include "../posemill/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNELS_LIMIT 16
#define SEED          1

static const char usage[] =
    "posemill-check: compares all kernels that run here with the portable ones, bit by bit\n\n"
    "usage: posemill-check [--isa NAME] [--threads N]\n\n"
    "  --isa NAME   check only these kernels\n"
    "  --threads N  share the work between N threads\n\n"
    "The last line is a hash of all clips and poses, the same on every machine.\n"
    "Ends with 1 if any bit differs.\n";

typedef struct settings {
    const char *isa; // NULL for all
    uint32_t worker_count;
} settings;

// How one set of kernels fared.
typedef struct verdict {
    const pm_kernels *kernels;
    bool differs;
    double seconds;
    uint64_t hash;
} verdict;

static int complain(const char *format, const char *text) {
    fputs("posemill-check: ", stderr);
    fprintf(stderr, format, text);
    fputc('\n', stderr);
    return 2;
}

static int parse(int argc, char **argv, settings *parsed) {
    *parsed = (settings){.worker_count = 1};
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        bool threads = !strcmp(argv[i], "--threads");
        if (!threads && strcmp(argv[i], "--isa"))
            return complain("there is no option %s; see --help", argv[i]);
        if (!*value) return complain("%s needs a value", argv[i]);
        i++;
        if (!threads) {
            parsed->isa = value;
            continue;
        }
        char *end;
        unsigned long count = strtoul(value, &end, 10);
        if (*end || *value == '-' || count < 1 || count > pm_workers_limit())
            return complain("--threads %s: more than this build can, or none", value);
        parsed->worker_count = (uint32_t)count;
    }
    if (parsed->isa && !pm_kernels_find(parsed->isa))
        return complain("--isa %s does not run here", parsed->isa);
    return 0;
}

static uint32_t find_kernels(const char *isa, verdict *verdicts) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < KERNELS_LIMIT && pm_kernels_at(i); i++) {
        const pm_kernels *kernels = pm_kernels_at(i);
        if (isa && strcmp(isa, pm_kernels_name(kernels))) continue;
        verdicts[count++] = (verdict){.kernels = kernels, .hash = PM_HASH_START};
    }
    return count;
}

// All passes on all kernels. Returns the reference's hash, of clips and poses.
static uint64_t run_passes(pm_check *check, verdict *verdicts, uint32_t verdict_count, uint32_t *pass_count) {
    const pm_pass *passes = pm_passes(pass_count);
    uint64_t hash = check->clip_hash;
    for (uint32_t v = 0; v < verdict_count; v++) verdicts[v].hash = hash;
    for (uint32_t p = 0; p < *pass_count; p++) {
        pm_check_run_reference(check, &passes[p], SEED + p);
        hash = pm_check_hash(check, &check->reference, hash);
        for (uint32_t v = 0; v < verdict_count; v++) {
            verdict *judged = &verdicts[v];
            judged->seconds += pm_check_run_pass(check, &passes[p], judged->kernels);
            if (!pm_check_compare(check, &passes[p], judged->kernels)) judged->differs = true;
            judged->hash = pm_check_hash(check, &check->checked, judged->hash);
        }
    }
    return hash;
}

int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "--help")) return fputs(usage, stdout) < 0;
    settings parsed;
    int status = parse(argc, argv, &parsed);
    if (status) return status;

    pm_check check;
    verdict verdicts[KERNELS_LIMIT];
    uint32_t pass_count, verdict_count = find_kernels(parsed.isa, verdicts);
    pm_check_create(&check, parsed.worker_count);
    uint64_t hash = run_passes(&check, verdicts, verdict_count, &pass_count);
    double joint_count = (double)check.joint_count * pass_count;
    printf("%u clips of %" PRIu64 " bytes, %u instances, %u passes, %u thread%s\n",
           (unsigned)check.clip_count, check.clip_bytes, (unsigned)PM_CHECK_INSTANCES, (unsigned)pass_count,
           (unsigned)parsed.worker_count, parsed.worker_count == 1 ? "" : "s");
    for (uint32_t v = 0; v < verdict_count; v++) {
        const verdict *judged = &verdicts[v];
        printf("%-10s %016" PRIx64 "  %-7s  %7.2f ns a joint\n", pm_kernels_name(judged->kernels),
               judged->hash, judged->differs ? "DIFFERS" : "ok", 1e9 * judged->seconds / joint_count);
        if (judged->differs) status = 1;
    }
    printf("hash %016" PRIx64 "\n", hash);
    pm_check_destroy(&check);
    return status;
}
