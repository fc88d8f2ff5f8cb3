// A plain pool of threads: one job at a time, cut into a share for each thread and shares into chunks. Who
// has done its own takes chunks of the others.
#ifndef PM_TOOL_POOL_H
#define PM_TOOL_POOL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct pm_pool pm_pool;

// Part of a job: items [begin, end), on worker number `worker` (below the pool's thread count).
typedef void pm_pool_work(void *context, uint32_t worker, uint32_t begin, uint32_t end);

// A pool of `thread_count` threads, the caller's among them. NULL if they cannot be started.
pm_pool *pm_pool_create(uint32_t thread_count);

// Calls `work` for all items 0 to item_count - 1, at most `chunk` at a time; returns when all are done, with
// everything that the workers wrote visible to the caller. Called by the thread that created the pool.
//   backward  shares are dealt the other way round: to jobs that alternate the order of what they work on, so
//             that each thread still finds its own in its cache
void pm_pool_run(pm_pool *pool, pm_pool_work *work, void *context, uint32_t item_count, uint32_t chunk,
                 bool backward);

// Stops and joins the threads; NULL is allowed.
void pm_pool_destroy(pm_pool *pool);

#endif
