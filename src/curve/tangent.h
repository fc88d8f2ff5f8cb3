// Posemill internals: from a key and its neighbours to the tangents of its rules.
#ifndef PM_TANGENT_H
#define PM_TANGENT_H

#include <posemill/curve.h>

// A segment beside a key, one component of it.
typedef struct pm_chord {
    bool present;
    double duration, difference; // seconds, value units; both in the direction of time
} pm_chord;

// A key with what is around it, one component of it. An end key has the chord beyond its only neighbour in
// `far`.
typedef struct pm_tangent_site {
    const pm_curve_key *key;
    uint32_t component;
    pm_chord before, after, far;
} pm_tangent_site;

// The slope of a rule, value units per second. `out` is the side.
double pm_tangent_slope(pm_tangent_rule rule, bool out, const pm_tangent_site *site);

#endif
