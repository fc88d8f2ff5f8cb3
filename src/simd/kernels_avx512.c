// x86-64 with AVX-512 F, VL, DQ and BW; a block in one register.
#define PM_LANES 16
#include "kernels_body.h"

PM_DEFINE_KERNELS(avx512);
