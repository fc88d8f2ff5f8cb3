#define PM_LANES 16
#include "stream_body.h"

void stream_fill_avx512(void *output, size_t size, bool stream) {
    fill_lines(output, size, stream);
}
