// x86-64 with AVX-512 F, VL, DQ and BW; a block in one register.
#define PM_LANES 16
#include "sample_kernel.h"

const pm_kernels pm_kernels_avx512 = {"avx512", run_in_ieee_environment};
