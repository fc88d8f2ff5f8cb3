// Where a clip that repeats has got to.
#ifndef PM_TOOL_LOOP_H
#define PM_TOOL_LOOP_H

#include <math.h>
#include <stdint.h>

// `seconds` modulo `period`: what fmod gives, exactly, in a tenth of the time.
//   seconds  at least 0
//   period   a float's value above 0
//
// The quotient has 29 bits at most and the period 24, so their product is exact, and so is the difference.
// The division may have rounded up to the next whole number, which leaves a negative rest; adding the period
// is exact again, since the sum is the remainder, and a remainder of two doubles is a double.
static inline double pm_loop_wrap(double seconds, double period) {
    double quotient = seconds / period;
    if (!(quotient < 536870912.0)) return fmod(seconds, period);
    double rest = seconds - (double)(int32_t)quotient * period;
    return rest < 0 ? rest + period : rest;
}

#endif
