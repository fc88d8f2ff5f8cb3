// Threads, where there are any, that share some work.
#ifndef PM_CHECK_WORKERS_H
#define PM_CHECK_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

#define PM_WORKERS_LIMIT 64

// Items [begin, end) of some work.
typedef void pm_work(void *context, uint32_t begin, uint32_t end);

// Threads that work can be shared by: PM_WORKERS_LIMIT, or 1 where the system has none.
uint32_t pm_workers_limit(void);

// Calls `work` for all `count` items on `worker_count` threads at once, in pieces of at most `piece`. Workers
// take turns at the pieces, so neighbours run side by side. False if a thread could not be started; part of
// the work is then left out.
bool pm_workers_run(uint32_t worker_count, pm_work *work, void *context, uint32_t count, uint32_t piece);

#endif
