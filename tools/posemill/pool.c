#define _POSIX_C_SOURCE 200809L

#include "pool.h"
#include "storage.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct worker {
    pm_pool *pool;
    uint32_t index;
    pthread_t thread;
} worker;

// The items that one thread takes first: neighbours, so that threads do not read the same keys into each
// one's cache. A cache line apart, and 64 bits, so that `next` cannot wrap.
typedef struct share {
    _Alignas(64) atomic_uint_fast64_t next; // first item that no thread has taken
    uint64_t end;
} share;

struct pm_pool {
    pthread_mutex_t mutex; // guards all that follows but what shares count
    pthread_cond_t started, finished;
    atomic_uint_fast64_t job_number; // counts up with each job; workers wait for it to change
    atomic_uint busy_count;          // workers that have not finished the job
    bool stopping;

    pm_pool_work *work;
    void *context;
    uint32_t chunk;
    share *shares; // of the caller and each worker

    uint32_t worker_count; // threads besides the caller's
    worker *workers;
};

// A job often follows the last one, and the last worker the caller, sooner than a thread falls asleep and
// wakes: look again so many times before that (some tens of microseconds), and then so many times with a
// chance for other threads in between (a few hundred, as long as a big crowd takes to be ordered).
enum { LOOKS = 30000, LOOKS_BEFORE_SLEEP = LOOKS + 1000 };

static void look_again(int looks) {
    if (looks >= LOOKS) sched_yield();
}

static bool is_next_job(pm_pool *pool, uint64_t done_number) {
    return atomic_load_explicit(&pool->job_number, memory_order_acquire) != done_number;
}

static bool is_finished(pm_pool *pool) {
    return !atomic_load_explicit(&pool->busy_count, memory_order_acquire);
}

static void take_from(pm_pool *pool, share *from, uint32_t worker_index) {
    for (;;) {
        uint64_t begin = atomic_fetch_add_explicit(&from->next, pool->chunk, memory_order_relaxed);
        if (begin >= from->end) return;
        uint64_t end = begin + pool->chunk;
        if (end > from->end) end = from->end;
        pool->work(pool->context, worker_index, (uint32_t)begin, (uint32_t)end);
    }
}

// Its own share, then what others have left.
static void take_chunks(pm_pool *pool, uint32_t worker_index) {
    uint32_t thread_count = pool->worker_count + 1;
    for (uint32_t i = 0; i < thread_count; i++)
        take_from(pool, &pool->shares[(worker_index + i) % thread_count], worker_index);
}

static void *run_worker(void *argument) {
    worker *self = argument;
    pm_pool *pool = self->pool;
    uint64_t done_number = 0;
    for (;;) {
        for (int i = 0; i < LOOKS_BEFORE_SLEEP && !is_next_job(pool, done_number); i++) look_again(i);
        pthread_mutex_lock(&pool->mutex);
        while (!pool->stopping && !is_next_job(pool, done_number))
            pthread_cond_wait(&pool->started, &pool->mutex);
        if (pool->stopping) break;
        done_number = pool->job_number;
        pthread_mutex_unlock(&pool->mutex);
        take_chunks(pool, self->index);
        pthread_mutex_lock(&pool->mutex);
        if (--pool->busy_count == 0) pthread_cond_signal(&pool->finished);
        pthread_mutex_unlock(&pool->mutex);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

pm_pool *pm_pool_create(uint32_t thread_count) {
    pm_pool *pool = pm_storage_allocate(1, sizeof *pool);
    pool->workers = pm_storage_allocate(thread_count, sizeof *pool->workers);
    pool->shares = pm_storage_allocate_aligned(thread_count * sizeof *pool->shares);
    if (!pool->shares) {
        free(pool->workers);
        free(pool);
        return NULL;
    }
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->started, NULL);
    pthread_cond_init(&pool->finished, NULL);
    for (uint32_t i = 1; i < thread_count; i++) {
        worker *added = &pool->workers[pool->worker_count];
        *added = (worker){.pool = pool, .index = i};
        if (pthread_create(&added->thread, NULL, run_worker, added)) {
            pm_pool_destroy(pool);
            return NULL;
        }
        pool->worker_count++;
    }
    return pool;
}

void pm_pool_run(pm_pool *pool, pm_pool_work *work, void *context, uint32_t item_count, uint32_t chunk,
                 bool backward) {
    pthread_mutex_lock(&pool->mutex);
    pool->work = work;
    pool->context = context;
    pool->chunk = chunk;
    uint64_t thread_count = pool->worker_count + 1;
    for (uint64_t i = 0; i < thread_count; i++) {
        share *given = &pool->shares[backward ? thread_count - 1 - i : i];
        atomic_store_explicit(&given->next, i * item_count / thread_count, memory_order_relaxed);
        given->end = (i + 1) * item_count / thread_count;
    }
    pool->busy_count = pool->worker_count;
    pool->job_number++;
    pthread_cond_broadcast(&pool->started);
    pthread_mutex_unlock(&pool->mutex);

    take_chunks(pool, 0);

    for (int i = 0; i < LOOKS_BEFORE_SLEEP && !is_finished(pool); i++) look_again(i);
    pthread_mutex_lock(&pool->mutex);
    while (!is_finished(pool)) pthread_cond_wait(&pool->finished, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
}

void pm_pool_destroy(pm_pool *pool) {
    if (!pool) return;
    pthread_mutex_lock(&pool->mutex);
    pool->stopping = true;
    pthread_cond_broadcast(&pool->started);
    pthread_mutex_unlock(&pool->mutex);
    for (uint32_t i = 0; i < pool->worker_count; i++) pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->finished);
    pthread_cond_destroy(&pool->started);
    pthread_mutex_destroy(&pool->mutex);
    free(pool->shares);
    free(pool->workers);
    free(pool);
}
