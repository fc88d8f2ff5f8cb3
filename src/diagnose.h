// Posemill internals: how diagnostics get into a pm_report. PM_API because the importer, which is a library
// of its own, uses them too.
#ifndef PM_DIAGNOSE_H
#define PM_DIAGNOSE_H

#include <posemill/report.h>

// Where a fault was found; NULL and PM_NONE where that does not apply.
typedef struct pm_place {
    const char *file;
    const char *clip;
    const char *channel;
    uint32_t key;
} pm_place;

#if defined(__GNUC__)
#define PM_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define PM_PRINTF(text, first)
#endif

// Adds one diagnostic; `report` may be NULL. The message becomes "<file>: clip "<clip>", channel "<channel>",
// key <n>: <text>", with the parts that are known.
PM_API void pm_diagnose(pm_report *report, pm_severity severity, pm_fault fault, pm_place place,
                        const char *format, ...) PM_PRINTF(5, 6);

// The same for an error, handing back `result`, so that a failing call ends in one line.
PM_API pm_result pm_fail(pm_report *report, pm_result result, pm_fault fault, pm_place place,
                         const char *format, ...) PM_PRINTF(5, 6);

// PM_ERROR_MEMORY with its diagnostic.
PM_API pm_result pm_fail_memory(pm_report *report, const char *what);

#endif
