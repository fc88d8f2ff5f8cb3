// Benchmarks: memory as a host that cares would have it.
#ifndef BENCH_PAGES_H
#define BENCH_PAGES_H

#include <stddef.h>

// Whole huge pages where the system has them, all of them touched and zero; NULL if memory is short. Release
// with free.
void *pages_allocate(size_t size);

#endif
