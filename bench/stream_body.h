// Benchmarks: the body of a stream_<isa>.c, which sets PM_LANES before.
#include "stream.h"

#include "simd/wide.h"

enum { CACHE_LINE_FLOATS = 16 };

static wide read_lines(const float *line, const float *end) {
    wide sums[4] = {wide_set(0.0f), wide_set(0.0f), wide_set(0.0f), wide_set(0.0f)};
    for (unsigned sum = 0; line < end; line += PM_LANES, sum++)
        sums[sum % 4] = wide_add(sums[sum % 4], wide_load(line));
    return wide_add(wide_add(sums[0], sums[1]), wide_add(sums[2], sums[3]));
}

static void write_lines(float *line, const float *end, wide value, bool stream) {
    for (; line < end; line += PM_LANES) {
        if (stream)
            wide_stream(line, value);
        else
            wide_store(line, value);
    }
}

// What was read goes into what is written, so that no compiler leaves it out.
static void pass_lines(const float *input, size_t input_size, float *output, size_t output_size,
                       size_t piece_count, bool stream) {
    const size_t line_bytes = CACHE_LINE_FLOATS * sizeof(float);
    const size_t input_lines = input_size / line_bytes, output_lines = output_size / line_bytes;
    wide value = wide_set(1.0f);
    for (size_t piece = 0; piece < piece_count; piece++) {
        const size_t read = input_lines * piece / piece_count, written = output_lines * piece / piece_count;
        const size_t read_end = input_lines * (piece + 1) / piece_count;
        const size_t written_end = output_lines * (piece + 1) / piece_count;
        if (read < read_end)
            value = read_lines(input + read * CACHE_LINE_FLOATS, input + read_end * CACHE_LINE_FLOATS);
        write_lines(output + written * CACHE_LINE_FLOATS, output + written_end * CACHE_LINE_FLOATS, value,
                    stream);
    }
    if (stream) wide_stream_fence();
}
