#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct row {
    char name[WORKLOAD_NAME_SIZE];
    double sample_ns;
} row;

struct table {
    uint32_t count, capacity;
    uint32_t target_count, met_count;
    double cursor_bytes; // the most a timeline and instance
    row *rows;
};

// The targets of one row as text, and whether one is not met.
typedef struct verdict {
    char text[128];
    size_t length;
    bool falls_short;
} verdict;

table *table_create(uint32_t row_capacity) {
    table *rows = calloc(1, sizeof *rows);
    if (!rows) return NULL;
    rows->capacity = row_capacity;
    rows->rows = calloc(row_capacity, sizeof *rows->rows);
    if (!rows->rows) {
        free(rows);
        return NULL;
    }
    return rows;
}

static const row *find(const table *rows, const char *name) {
    for (uint32_t i = 0; i < rows->count; i++)
        if (!strcmp(rows->rows[i].name, name)) return rows->rows + i;
    return NULL;
}

static void judge(table *rows, verdict *v, bool met, const char *text) {
    rows->target_count++;
    rows->met_count += met;
    if (!met) v->falls_short = true;
    int length =
        snprintf(v->text + v->length, sizeof v->text - v->length, "%s%s", v->length ? ", " : "", text);
    v->length += (size_t)length;
    if (v->length >= sizeof v->text) v->length = sizeof v->text - 1;
}

static void judge_reference(table *rows, verdict *v, const workload_def *def, double sample_ns) {
    const row *reference = find(rows, def->reference);
    char text[96];
    if (!reference) {
        snprintf(v->text + v->length, sizeof v->text - v->length, "(%s not measured)", def->reference);
        return;
    }
    double ratio = sample_ns / reference->sample_ns;
    if (def->thread_count > 1)
        snprintf(text, sizeof text, ">= %.1f x one thread: %.2f", 1 / def->reference_at_most, 1 / ratio);
    else
        snprintf(text, sizeof text, "<= %.2f x n10000: %.2f", def->reference_at_most, ratio);
    judge(rows, v, ratio <= def->reference_at_most, text);
}

static void print_head(void) {
    printf("%-44s %7s %7s %7s %7s %8s %8s %8s  %s\n", "workload", "naive", "sample", "bound", "bytes",
           "x naive", "x bound", "x bytes", "target");
}

static void print_section(const workload_def *def) {
    if (def->section) printf("\n%s\n", def->section);
}

void table_add(table *rows, const workload *measured, const table_times *times) {
    const workload_def *def = &measured->def;
    const double over_naive = times->naive_ns / times->sample_ns,
                 over_bound = times->sample_ns / times->bound_ns;
    verdict v = {.length = 0};
    char text[64];
    if (def->bound_at_most > 0) {
        snprintf(text, sizeof text, "<= %.1f x bound", def->bound_at_most);
        judge(rows, &v, over_bound <= def->bound_at_most, text);
    }
    if (def->naive_at_least > 0) {
        snprintf(text, sizeof text, ">= %.0f x naive", def->naive_at_least);
        judge(rows, &v, over_naive >= def->naive_at_least, text);
    }
    if (def->reference) judge_reference(rows, &v, def, times->sample_ns);
    if (!rows->count) print_head();
    print_section(def);
    printf("%-44s %7.2f %7.2f %7.2f %7.2f %8.1f %8.2f %8.2f  %s%s\n", measured->name, times->naive_ns,
           times->sample_ns, times->bound_ns, times->bytes_ns, over_naive, over_bound,
           times->sample_ns / times->bytes_ns, v.text, v.falls_short ? "  <-- falls short" : "");
    fflush(stdout);
    double cursor_bytes = measured->content->cursor_bytes_per_timeline;
    if (cursor_bytes > rows->cursor_bytes) rows->cursor_bytes = cursor_bytes;
    if (rows->count == rows->capacity) return;
    row *added = rows->rows + rows->count++;
    memcpy(added->name, measured->name, sizeof added->name);
    added->sample_ns = times->sample_ns;
}

void table_skip(const workload_def *def, const char *reason) {
    char name[WORKLOAD_NAME_SIZE];
    workload_name(def, name);
    print_section(def);
    printf("%-44s skipped: %s\n", name, reason);
    fflush(stdout);
}

void table_finish(table *rows) {
    if (rows->count) {
        bool met = rows->cursor_bytes <= 2;
        rows->target_count++;
        rows->met_count += met;
        printf("\nCursors take at most %.2f bytes a timeline and instance (<= 2)%s.\n", rows->cursor_bytes,
               met ? "" : "  <-- falls short");
    }
    printf("%u of %u targets met. Times are nanoseconds a real joint, medians; bound is to write the poses,\n"
           "bytes to write them with all padding and to read the keys. Names: clips, j joints, c clips, n "
           "instances, direction, k keys a "
           "channel,\n"
           "t threads.\n",
           rows->met_count, rows->target_count);
    free(rows->rows);
    free(rows);
}
