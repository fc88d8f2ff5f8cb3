// Every x86-64.
#define PM_LANES 4
#include "sample_kernel.h"

const pm_kernels pm_kernels_sse2 = {"sse2", run_in_ieee_environment};
