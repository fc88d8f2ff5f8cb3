#include "stream.h"

#include <posemill/kernels.h>

stream_pass *stream_pass_best(void) {
#if defined(BENCH_X86)
    if (pm_kernels_find("avx512")) return stream_pass_avx512;
    if (pm_kernels_find("avx2")) return stream_pass_avx2;
#endif
    return stream_pass_baseline;
}
