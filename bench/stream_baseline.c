#define PM_LANES 4
#include "stream_body.h"

void stream_fill_baseline(void *output, size_t size, bool stream) {
    fill_lines(output, size, stream);
}
