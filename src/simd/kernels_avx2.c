// x86-64 with AVX2; eight lanes.
#define PM_LANES 8
#include "sample_kernel.h"

const pm_kernels pm_kernels_avx2 = {"avx2", run_in_ieee_environment};
