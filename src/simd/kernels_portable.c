// SIMDe's plain C: the reference that every other kernel must equal bit by bit.
#define PM_LANES 4
#include "kernels_body.h"

PM_DEFINE_KERNELS(portable);
