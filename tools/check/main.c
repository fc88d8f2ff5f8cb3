// posemill-check: see check.h. Exits with 1 on a mismatch, 2 on a wrong option.
#include "check.h"
#include "hash.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { EXIT_USAGE = 2 };

static const char usage[] =
    "posemill-check: compares all kernels that run here with the portable ones, bit by bit\n\n"
    "usage: posemill-check [--isa NAME] [--threads N]\n\n"
    "  --isa NAME   check only these kernels\n"
    "  --threads N  share the work between N threads\n\n"
    "The last line is a hash of all results, the same on every machine. Ends with 1 if any bit differs.\n";

static pm_check_section *const sections[] = {
    pm_check_maths, pm_check_curves,      pm_check_clips,   pm_check_play,  pm_check_sample,
    pm_check_blend, pm_check_interpolate, pm_check_palette, pm_check_speed,
};

const pm_kernels *pm_check_kernels(const pm_check *check, uint32_t index) {
    if (!check->isa) return pm_kernels_at(index);
    return index == 0 ? pm_kernels_find(check->isa) : NULL;
}

void pm_check_print(const char *section, const char *kernels, bool ok, uint64_t hash, const char *note) {
    printf("%-8s %-9s %016" PRIx64 "  %-7s  %s\n", section, kernels, hash, ok ? "ok" : "DIFFERS", note);
    fflush(stdout);
}

bool pm_check_complain(const char *format, ...) {
    va_list arguments;
    fflush(stdout);
    fputs("posemill-check: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return false;
}

static bool parse_option(const char *name, const char *value, pm_check *check) {
    bool threads = !strcmp(name, "--threads");
    if (!threads && strcmp(name, "--isa"))
        return pm_check_complain("there is no option %s; see --help", name);
    if (!value) return pm_check_complain("%s needs a value", name);
    if (!threads) {
        check->isa = value;
        return pm_kernels_find(value) || pm_check_complain("--isa %s does not run here", value);
    }
    char *end;
    long count = strtol(value, &end, 10);
    check->worker_count = (uint32_t)count;
    return (!*end && count >= 1 && count <= (long)pm_workers_limit()) ||
           pm_check_complain("--threads %s: must be 1 to %u here", value, (unsigned)pm_workers_limit());
}

int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "--help")) return fputs(usage, stdout) < 0;
    pm_corpus corpus;
    pm_check check = {.corpus = &corpus, .worker_count = 1};
    for (int i = 1; i < argc; i += 2)
        if (!parse_option(argv[i], argv[i + 1], &check)) return EXIT_USAGE;
    if (!pm_corpus_create(&corpus)) return EXIT_FAILURE;
    uint64_t hash = PM_CHECK_HASH_START;
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof sections / sizeof sections[0]; i++) ok = sections[i](&check, &hash);
    pm_corpus_destroy(&corpus);
    if (ok) printf("hash %016" PRIx64 "\n", hash);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
