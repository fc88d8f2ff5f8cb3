#define _POSIX_C_SOURCE 200809L

#include "pool.h"
#include "storage.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct worker {
    pm_pool *pool;
    uint32_t index;
    pthread_t thread;
} worker;

struct pm_pool {
    pthread_mutex_t mutex; // guards all that follows but `next`
    pthread_cond_t started, finished;
    uint64_t job_number; // counts up with each job; workers wait for it to change
    uint32_t busy_count; // workers that have not finished the job
    bool stopping;

    pm_pool_work *work;
    void *context;
    uint32_t item_count, chunk;
    atomic_uint_fast64_t next; // first item that no thread has taken; 64 bits, so that it cannot wrap

    uint32_t worker_count; // threads besides the caller's
    worker *workers;
};

static void take_chunks(pm_pool *pool, uint32_t worker_index) {
    for (;;) {
        uint64_t begin = atomic_fetch_add_explicit(&pool->next, pool->chunk, memory_order_relaxed);
        if (begin >= pool->item_count) return;
        uint64_t end = begin + pool->chunk;
        if (end > pool->item_count) end = pool->item_count;
        pool->work(pool->context, worker_index, (uint32_t)begin, (uint32_t)end);
    }
}

static void *run_worker(void *argument) {
    worker *self = argument;
    pm_pool *pool = self->pool;
    uint64_t done_number = 0;
    pthread_mutex_lock(&pool->mutex);
    for (;;) {
        while (!pool->stopping && pool->job_number == done_number)
            pthread_cond_wait(&pool->started, &pool->mutex);
        if (pool->stopping) break;
        done_number = pool->job_number;
        pthread_mutex_unlock(&pool->mutex);
        take_chunks(pool, self->index);
        pthread_mutex_lock(&pool->mutex);
        if (--pool->busy_count == 0) pthread_cond_signal(&pool->finished);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

pm_pool *pm_pool_create(uint32_t thread_count) {
    pm_pool *pool = pm_storage_allocate(1, sizeof *pool);
    pool->workers = pm_storage_allocate(thread_count, sizeof *pool->workers);
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

void pm_pool_run(pm_pool *pool, pm_pool_work *work, void *context, uint32_t item_count, uint32_t chunk) {
    pthread_mutex_lock(&pool->mutex);
    pool->work = work;
    pool->context = context;
    pool->item_count = item_count;
    pool->chunk = chunk;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    pool->busy_count = pool->worker_count;
    pool->job_number++;
    pthread_cond_broadcast(&pool->started);
    pthread_mutex_unlock(&pool->mutex);

    take_chunks(pool, 0);

    pthread_mutex_lock(&pool->mutex);
    while (pool->busy_count) pthread_cond_wait(&pool->finished, &pool->mutex);
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
    free(pool->workers);
    free(pool);
}
