// Benchmarks: the body of a stream_<isa>.c, which sets PM_LANES before.
#include "stream.h"

#include "simd/wide.h"

enum { CACHE_LINE_FLOATS = 16 };

static void fill_lines(void *output, size_t size, bool stream) {
    float *begin = output, *end = begin + size / sizeof *begin;
    wide value = wide_set(1.0f);
    for (float *line = begin; line < end; line += CACHE_LINE_FLOATS) {
        for (int lane = 0; lane < CACHE_LINE_FLOATS; lane += PM_LANES) {
            if (stream)
                wide_stream(line + lane, value);
            else
                wide_store(line + lane, value);
        }
    }
    if (stream) wide_stream_fence();
}
