// Tests: curves in one line. All calls fail the running test where they cannot do what they should.
#ifndef CURVES_H
#define CURVES_H

#include "rig.h"

#include <posemill/curve.h>

// Keys of one component at times and values, every key with one rule on both sides.
void curves_keys(pm_curve_key *keys, uint32_t count, const double *times, const double *values,
                 pm_tangent_rule rule);

// A def over keys, everything else at its default.
pm_curve_def curves_def(const pm_curve_key *keys, uint32_t count);

pm_curve *curves_create(const pm_curve_def *def);

// The curve of keys with nothing else set.
pm_curve *curves_of(const pm_curve_key *keys, uint32_t count);

// The first component at a time.
double curves_value(const pm_curve *curve, double seconds);

// Random keys: 1 to `most`, spaced unevenly, values between -2 and 2 with some equal neighbours, random
// tangents and TCB parameters; the rule on both sides of every key. Returns how many.
uint32_t curves_random_keys(rig_random *random, pm_curve_key *keys, uint32_t most, pm_tangent_rule rule);

#endif
