// x86-64 with AVX2; eight lanes.
#define PM_LANES 8
#include "kernels_body.h"

PM_DEFINE_KERNELS(avx2);
