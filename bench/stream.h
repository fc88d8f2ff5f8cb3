// Benchmarks: the bounds, writing as many bytes as the poses have, and reading as many as the keys, with the
// widest stores and loads there are.
#ifndef BENCH_STREAM_H
#define BENCH_STREAM_H

#include <stdbool.h>
#include <stddef.h>

// Reads [input, input + input_size) and fills [output, output + output_size), in turns: both are cut into
// `piece_count` pieces, at least 1. All 64-byte aligned, sizes multiples of 64.
//   stream  past the cache, with a fence at the end
typedef void stream_pass(const void *input, size_t input_size, void *output, size_t output_size,
                         size_t piece_count, bool stream);

// The widest that this CPU runs; every CPU of the architecture runs stream_pass_baseline.
stream_pass *stream_pass_best(void);

stream_pass stream_pass_baseline, stream_pass_avx2, stream_pass_avx512;

#endif
