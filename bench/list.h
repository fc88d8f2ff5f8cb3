// Benchmarks: the list of workloads, with what each should reach.
#ifndef BENCH_LIST_H
#define BENCH_LIST_H

#include "workload.h"

extern const workload_def workload_list[];
extern const uint32_t workload_list_count;

#endif
