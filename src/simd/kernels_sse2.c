// Every x86-64.
#define PM_LANES 4
#include "kernels_body.h"

PM_DEFINE_KERNELS(sse2);
