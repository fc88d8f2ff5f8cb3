// Benchmarks: the bound, writing as many bytes as the poses have with the widest stores there are.
#ifndef BENCH_STREAM_H
#define BENCH_STREAM_H

#include <stdbool.h>
#include <stddef.h>

// Fills [output, output + size), 64-byte aligned, size a multiple of 64.
//   stream  past the cache, with a fence at the end
typedef void stream_fill(void *output, size_t size, bool stream);

// The widest that this CPU runs; every CPU of the architecture runs stream_fill_baseline.
stream_fill *stream_fill_best(void);

stream_fill stream_fill_baseline, stream_fill_avx2, stream_fill_avx512;

#endif
