// WebAssembly with SIMD.
#define PM_LANES 4
#include "kernels_body.h"

PM_DEFINE_KERNELS(wasm128);
