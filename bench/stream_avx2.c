#define PM_LANES 8
#include "stream_body.h"

void stream_fill_avx2(void *output, size_t size, bool stream) {
    fill_lines(output, size, stream);
}
