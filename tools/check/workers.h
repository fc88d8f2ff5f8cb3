// Threads, where there are any, that share a sample job.
#ifndef PM_CHECK_WORKERS_H
#define PM_CHECK_WORKERS_H

#include <posemill/sample.h>

#define PM_WORKERS_LIMIT 64

// Threads that a job can be shared by: PM_WORKERS_LIMIT, or 1 where the system has none.
uint32_t pm_workers_limit(void);

// Runs all `count` places of a job on `worker_count` threads at once, in pieces of at most `piece`. Workers
// take turns at the pieces, so neighbours run side by side. *guarded receives the lanes guarded. False if a
// thread could not be started; the job has then run in part.
bool pm_workers_run(const pm_sample_job *job, uint32_t count, uint32_t piece, uint32_t worker_count,
                    uint64_t *guarded);

#endif
