// Benchmarks: Google Benchmark for C.
//
// A session measures groups of rows. The repetitions of a group's rows are shuffled, so that whatever
// disturbs the machine meanwhile disturbs all of them alike and ratios within a group hold on a busy machine.
#ifndef BENCHMARK_SHIM_H
#define BENCHMARK_SHIM_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A number that goes into the JSON beside the times.
typedef struct bench_counter {
    const char *name;
    double value;
} bench_counter;

// One thing to measure.
//   tick        does the work once; called over and over
//   joints      evaluated by a tick; gives the counter ns_per_joint
//   wall_clock  time on the wall instead of this thread's on a CPU, for work on several threads
typedef struct bench_row {
    const char *name;
    void (*tick)(void *user);
    void *user;
    double joints;
    bool wall_clock;
    const bench_counter *counters;
    uint32_t counter_count;
} bench_row;

// How to measure.
//   repetitions  of each row, at least 1
//   seconds      that each repetition takes at least
//   json_path    receives everything in Google Benchmark's JSON; NULL for none
//   context      texts for the JSON's head, name and value in turns, up to NULL
typedef struct bench_settings {
    uint32_t repetitions;
    double seconds;
    const char *json_path;
    const char *const *context;
} bench_settings;

typedef struct bench_session bench_session;

// NULL if the JSON file cannot be written. One at a time.
bench_session *bench_session_create(const bench_settings *settings);

// Measures `rows`.
//   median_ns  [row_count], receives the medians over the repetitions, nanoseconds a tick
void bench_session_measure(bench_session *session, const bench_row *rows, uint32_t row_count,
                           double *median_ns);

// Completes the JSON and releases the session. False if the file could not be written.
bool bench_session_finish(bench_session *session);

#ifdef __cplusplus
}
#endif

#endif
