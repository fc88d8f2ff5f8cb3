#include "task.h"

#include "environment.h"
#include "hash.h"
#include "random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum running_order { ORDER_GIVEN, ORDER_SORTED, ORDER_SHUFFLED } running_order;
typedef enum cursor_content { CURSORS_NONE, CURSORS_KEPT, CURSORS_RANDOM } cursor_content;

// One way to run the same items.
typedef struct way {
    const char *name;
    running_order order;
    cursor_content cursors;
    pm_streaming streaming;
    uint32_t piece; // items a call
    bool hostile;   // the host rounds upwards and flushes denormals
} way;

// What all others must equal.
static const way reference = {"alone", ORDER_GIVEN, CURSORS_NONE, PM_STREAMING_OFF, 1, false};

static const way ways[] = {
    {"given order", ORDER_GIVEN, CURSORS_KEPT, PM_STREAMING_AUTO, 1000, false},
    {"hostile host", ORDER_SORTED, CURSORS_NONE, PM_STREAMING_OFF, 101, true},
    {"shuffled", ORDER_SHUFFLED, CURSORS_KEPT, PM_STREAMING_OFF, 37, false},
    {"foreign cursors", ORDER_SORTED, CURSORS_RANDOM, PM_STREAMING_ON, 4096, false},
};

enum { WAYS = sizeof ways / sizeof ways[0], KERNELS_LIMIT = 16, PATTERN = 0xA5 };

// How one set of kernels fares.
typedef struct verdict {
    const pm_kernels *kernels;
    uint16_t *cursors; // kept from moment to moment
    uint64_t hash;
    bool ok;
} verdict;

typedef struct trial {
    const pm_check *check;
    const pm_check_task *task;
    uint32_t *shuffled;  // [items]
    uint64_t *guarded;   // [items], of the call that begins there; 0 elsewhere
    bool *disturbed;     // [items], whether the call that begins there left another floating-point mode
    char *expected;      // [output_bytes], of the reference
    char *output;        // [output_bytes]
    bool hostile;        // of the present way
    uint64_t guarded_at; // lanes that the reference guarded at the present moment
    uint64_t guarded_total;
} trial;

static void run_range(void *context, uint32_t begin, uint32_t end) {
    trial *t = context;
    uint64_t mode = pm_check_environment();
    pm_check_set_environment(t->hostile ? PM_CHECK_HOSTILE : mode);
    uint64_t during = pm_check_environment();
    t->guarded[begin] = t->task->run(t->task->context, begin, end);
    t->disturbed[begin] = pm_check_environment() != during;
    pm_check_set_environment(mode);
}

static uint16_t *fill_cursors(const trial *t, cursor_content content, uint16_t *cursors) {
    pm_random random = {271828};
    size_t count = t->task->cursor_bytes / sizeof *cursors;
    for (size_t i = 0; content == CURSORS_RANDOM && i < count; i++)
        cursors[i] = (uint16_t)pm_random_next(&random);
    return content == CURSORS_NONE ? NULL : cursors;
}

// Runs all items in one way; *guarded receives the lanes guarded.
static bool run_way(trial *t, const way *w, const pm_kernels *kernels, uint16_t *cursors, char *output,
                    uint64_t *guarded) {
    const pm_check_task *task = t->task;
    const char *name = pm_kernels_name(kernels);
    const uint32_t *orders[] = {NULL, task->sorted, t->shuffled};
    pm_check_run run = {kernels, w->streaming, orders[w->order], output,
                        fill_cursors(t, w->cursors, cursors)};
    const char *fault = task->prepare(task->context, &run);
    if (fault) return pm_check_complain("%s, %s, %s: %s", task->section, name, w->name, fault);

    memset(output, PATTERN, task->output_bytes);
    memset(t->guarded, 0, task->item_count * sizeof *t->guarded);
    memset(t->disturbed, 0, task->item_count * sizeof *t->disturbed);
    t->hostile = w->hostile;
    if (!pm_workers_run(t->check->worker_count, run_range, t, task->item_count, w->piece))
        return pm_check_complain("cannot start %u threads", (unsigned)t->check->worker_count);

    *guarded = 0;
    bool disturbed = false;
    for (uint32_t i = 0; i < task->item_count; i++) {
        *guarded += t->guarded[i];
        disturbed = disturbed || t->disturbed[i];
    }
    return !disturbed || pm_check_complain("%s, %s, %s: the host's floating-point mode changed",
                                           task->section, name, w->name);
}

static bool compare(const trial *t, const pm_kernels *kernels, const way *w, uint64_t guarded) {
    const pm_check_task *task = t->task;
    const char *name = pm_kernels_name(kernels);
    if (memcmp(t->output, t->expected, task->output_bytes)) {
        size_t at = 0;
        uint32_t is, must_be;
        char place[160];
        while (!memcmp(t->output + at, t->expected + at, sizeof is)) at += sizeof is;
        memcpy(&is, t->output + at, sizeof is);
        memcpy(&must_be, t->expected + at, sizeof must_be);
        task->explain(task->context, at, place, sizeof place);
        return pm_check_complain("%s, %s, %s: %s: %08x, must be %08x", task->section, name, w->name, place,
                                 (unsigned)is, (unsigned)must_be);
    }
    return guarded == t->guarded_at ||
           pm_check_complain("%s, %s, %s: %" PRIu64 " lanes guarded, must be %" PRIu64, task->section, name,
                             w->name, guarded, t->guarded_at);
}

// One moment on one set of kernels: the first in all ways, later ones, for time's sake, in every other.
static void check_kernels(trial *t, verdict *v, uint32_t moment) {
    for (uint32_t i = moment % 2; v->ok && i < WAYS; i += moment ? 2 : 1) {
        uint64_t guarded;
        v->ok = run_way(t, &ways[i], v->kernels, v->cursors, t->output, &guarded) &&
                compare(t, v->kernels, &ways[i], guarded);
    }
    v->hash = pm_check_hash(v->hash, t->output, t->task->output_bytes);
}

static bool check_moments(trial *t, verdict *verdicts, uint32_t verdict_count, uint64_t *hash) {
    const pm_check_task *task = t->task;
    for (uint32_t moment = 0; moment < task->moment_count; moment++) {
        task->set_moment(task->context, moment);
        if (!run_way(t, &reference, pm_kernels_at(0), NULL, t->expected, &t->guarded_at)) return false;
        t->guarded_total += t->guarded_at;
        *hash = pm_check_hash(*hash, t->expected, task->output_bytes);
        for (uint32_t v = 0; v < verdict_count; v++) check_kernels(t, &verdicts[v], moment);
    }
    return true;
}

static bool check_task(trial *t, uint64_t *hash) {
    const pm_check_task *task = t->task;
    verdict verdicts[KERNELS_LIMIT] = {0};
    uint32_t count = 0;
    bool ok = true;
    for (; count < KERNELS_LIMIT && pm_check_kernels(t->check, count); count++) {
        verdict *v = &verdicts[count];
        *v = (verdict){pm_check_kernels(t->check, count), calloc(task->cursor_bytes + 1, 1), *hash, true};
        ok = ok && v->cursors;
    }
    ok = ok ? check_moments(t, verdicts, count, hash) : pm_check_complain("out of memory");
    for (uint32_t i = 0; i < count; i++) {
        char note[80];
        snprintf(note, sizeof note, "%u items, %" PRIu64 " lanes guarded",
                 (unsigned)(task->item_count * task->moment_count), t->guarded_total);
        if (ok)
            pm_check_print(task->section, pm_kernels_name(verdicts[i].kernels), verdicts[i].ok,
                           verdicts[i].hash, note);
        free(verdicts[i].cursors);
    }
    for (uint32_t i = 0; i < count; i++) ok = ok && verdicts[i].ok;
    *hash = pm_check_hash(*hash, &t->guarded_total, sizeof t->guarded_total);
    return ok;
}

bool pm_check_run_task(const pm_check *check, const pm_check_task *task, uint64_t *hash) {
    trial t = {.check = check, .task = task};
    pm_random random = {31415};
    t.shuffled = malloc(task->item_count * sizeof *t.shuffled);
    t.guarded = malloc(task->item_count * sizeof *t.guarded);
    t.disturbed = malloc(task->item_count * sizeof *t.disturbed);
    t.expected = aligned_alloc(PM_ALIGNMENT, task->output_bytes);
    t.output = aligned_alloc(PM_ALIGNMENT, task->output_bytes);
    bool sound = t.shuffled && t.guarded && t.disturbed && t.expected && t.output;
    if (sound) pm_random_shuffle(&random, t.shuffled, task->item_count);
    bool ok = sound ? check_task(&t, hash) : pm_check_complain("out of memory");
    free(t.shuffled);
    free(t.guarded);
    free(t.disturbed);
    free(t.expected);
    free(t.output);
    return ok;
}
