#include "workers.h"

#include <stddef.h>

#if defined(__unix__) || defined(__APPLE__)
#define PM_HAVE_PTHREAD
#include <pthread.h>
#endif

typedef struct worker {
    pm_work *work;
    void *context;
    uint32_t count, piece, index, worker_count;
} worker;

static void *run_pieces(void *argument) {
    const worker *self = argument;
    uint64_t stride = (uint64_t)self->piece * self->worker_count;
    for (uint64_t begin = (uint64_t)self->piece * self->index; begin < self->count; begin += stride) {
        uint64_t end = begin + self->piece < self->count ? begin + self->piece : self->count;
        self->work(self->context, (uint32_t)begin, (uint32_t)end);
    }
    return NULL;
}

#if defined(PM_HAVE_PTHREAD)

uint32_t pm_workers_limit(void) {
    return PM_WORKERS_LIMIT;
}

// The first worker is the calling thread.
static bool run_all(worker *workers, uint32_t worker_count) {
    pthread_t threads[PM_WORKERS_LIMIT];
    uint32_t started = 1;
    while (started < worker_count &&
           pthread_create(&threads[started], NULL, run_pieces, &workers[started]) == 0)
        started++;
    run_pieces(&workers[0]);
    for (uint32_t i = 1; i < started; i++) pthread_join(threads[i], NULL);
    return started == worker_count;
}

#else

uint32_t pm_workers_limit(void) {
    return 1;
}

static bool run_all(worker *workers, uint32_t worker_count) {
    run_pieces(&workers[0]);
    return worker_count == 1;
}

#endif

bool pm_workers_run(uint32_t worker_count, pm_work *work, void *context, uint32_t count, uint32_t piece) {
    worker workers[PM_WORKERS_LIMIT];
    for (uint32_t i = 0; i < worker_count; i++)
        workers[i] = (worker){work, context, count, piece, i, worker_count};
    return run_all(workers, worker_count);
}
