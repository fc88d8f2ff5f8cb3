// Posemill internals: IEEE defaults for the cold paths whose results must be the same bits in every host. The
// kernels have their own, cheaper way (simd/wide.h).
#ifndef PM_ENVIRONMENT_H
#define PM_ENVIRONMENT_H

#include <fenv.h>

typedef struct pm_environment {
    fenv_t hosts;
} pm_environment;

// Saves the host's floating-point environment and sets the default one: rounding to nearest, no traps, and on
// every C library that knows of flushing denormals, none of that.
pm_environment pm_environment_enter(void);

void pm_environment_leave(const pm_environment *environment);

#endif
