// A job of the runtime that must give the same bits on all kernels, however it is run.
#ifndef PM_CHECK_TASK_H
#define PM_CHECK_TASK_H

#include "check.h"

// What one run of a task is done with. Cursors are kept from moment to moment, or hold anything.
typedef struct pm_check_run {
    const pm_kernels *kernels;
    pm_streaming streaming;
    const uint32_t *order; // [item_count], or NULL for the given order
    char *output;          // [output_bytes], 64-byte aligned
    uint16_t *cursors;     // [cursor_bytes], or NULL for none
} pm_check_run;

// What is run. `context` is handed to all functions.
//   moment_count  the task is run at each; what is read may differ from one to the next
//   sorted        [item_count], the order that suits the job best, or NULL if there is none
//   set_moment    settles what a moment's runs read
//   prepare       makes the job of a run. NULL, or what is wrong with it (static memory)
//   run           items [begin, end) of the job, from any thread; returns lanes guarded
//   explain       says in words what a byte of the output belongs to
typedef struct pm_check_task {
    const char *section;
    uint32_t item_count, moment_count;
    size_t output_bytes, cursor_bytes; // multiples of 64 and of 2
    const uint32_t *sorted;
    void *context;
    void (*set_moment)(void *context, uint32_t moment);
    const char *(*prepare)(void *context, const pm_check_run *run);
    uint64_t (*run)(const void *context, uint32_t begin, uint32_t end);
    void (*explain)(const void *context, size_t byte, char *text, size_t size);
} pm_check_task;

// Runs a task in many ways on all kernels of the check, compares each with the portable ones that get one
// item a call, prints the rows and adds to *hash. Bytes of the output that the job is not to write must stay
// as they were. False if there is a difference, which is then explained on stderr.
bool pm_check_run_task(const pm_check *check, const pm_check_task *task, uint64_t *hash);

#endif
