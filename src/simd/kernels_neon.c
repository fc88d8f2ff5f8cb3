// AArch64, where NEON's floats are IEEE's (on 32-bit ARM they flush denormals).
#define PM_LANES 4
#include "kernels_body.h"

PM_DEFINE_KERNELS(neon);
