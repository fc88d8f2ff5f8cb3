// Posemill internals: one component of one segment, a cubic Hermite polynomial.
#ifndef PM_CUBIC_H
#define PM_CUBIC_H

#include <stdbool.h>
#include <stdint.h>

// From value a to value b in `duration` seconds, leaving with slope m and arriving with slope n (units a
// second). A straight one goes from a to b evenly, and its slopes are the chord's.
typedef struct pm_cubic {
    double duration;
    double a, b, m, n;
    bool straight;
} pm_cubic;

typedef struct pm_cubic_sample {
    double value, velocity, acceleration;
} pm_cubic_sample;

// At s, usually 0 to 1; an easing may ask for more. The value is exactly a at 0; at 1 it may miss b by
// rounding.
pm_cubic_sample pm_cubic_evaluate(const pm_cubic *cubic, double s);

// Where the velocity passes through zero and changes its sign, for s above `low` and below `high`. Returns
// how many (at most 2), in rising order.
uint32_t pm_cubic_find_turns(const pm_cubic *cubic, double low, double high, double turns[2]);

// Smallest and largest value for s from `low` to `high`, both exact up to rounding.
void pm_cubic_find_range(const pm_cubic *cubic, double low, double high, double *minimum, double *maximum);

#endif
