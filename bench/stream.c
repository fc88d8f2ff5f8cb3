#include "stream.h"

#include <posemill/kernels.h>

stream_fill *stream_fill_best(void) {
#if defined(BENCH_X86)
    if (pm_kernels_find("avx512")) return stream_fill_avx512;
    if (pm_kernels_find("avx2")) return stream_fill_avx2;
#endif
    return stream_fill_baseline;
}
