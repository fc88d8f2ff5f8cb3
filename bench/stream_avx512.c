#define PM_LANES 16
#include "stream_body.h"

void stream_pass_avx512(const void *input, size_t input_size, void *output, size_t output_size,
                        size_t piece_count, bool stream) {
    pass_lines(input, input_size, output, output_size, piece_count, stream);
}
