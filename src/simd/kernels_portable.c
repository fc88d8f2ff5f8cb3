// SIMDe's plain C: the reference that every other kernel must equal bit by bit.
#define PM_LANES 4
#include "sample_kernel.h"

const pm_kernels pm_kernels_portable = {"portable", run_in_ieee_environment};
