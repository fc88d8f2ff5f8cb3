// Benchmarks: the table on stdout, a row a workload, with what it should reach.
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include "workload.h"

// What was measured of one workload, nanoseconds a real joint.
typedef struct table_times {
    double naive_ns, sample_ns, bound_ns, bytes_ns;
} table_times;

typedef struct table table;

// NULL: no memory.
table *table_create(uint32_t row_capacity);

// Prints a row, marked if it falls short of one of its targets. Targets that refer to a workload which was
// not measured before say so.
void table_add(table *rows, const workload *measured, const table_times *times);

// Prints a row that could not be measured, and why.
void table_skip(const workload_def *def, const char *reason);

// Prints how many targets were met, and releases the table.
void table_finish(table *rows);

#endif
