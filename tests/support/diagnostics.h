// Tests: remembers the diagnostics that a report passes on.
#ifndef DIAGNOSTICS_H
#define DIAGNOSTICS_H

#include <posemill/report.h>

enum { DIAGNOSTICS_CAPACITY = 64, DIAGNOSTICS_MESSAGE_SIZE = 1100 };

// One remembered diagnostic. `has_clip` and `has_channel` tell NULL from "".
typedef struct seen_diagnostic {
    pm_severity severity;
    pm_fault fault;
    uint32_t key;
    bool has_clip, has_channel;
    char message[DIAGNOSTICS_MESSAGE_SIZE];
} seen_diagnostic;

typedef struct diagnostics {
    uint32_t count; // of all; only the first DIAGNOSTICS_CAPACITY are kept
    seen_diagnostic seen[DIAGNOSTICS_CAPACITY];
} diagnostics;

// Empties `list` and gives a report that fills it.
pm_report diagnostics_report(diagnostics *list);

// The index-th diagnostic (from 0) of that fault, or NULL.
const seen_diagnostic *diagnostics_find(const diagnostics *list, pm_fault fault, uint32_t index);

// How many of that fault were seen.
uint32_t diagnostics_count(const diagnostics *list, pm_fault fault);

#endif
