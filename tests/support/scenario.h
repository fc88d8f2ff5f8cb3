// Tests: random clips with all that cases.md speaks of, beside the reference that says what they must give.
#ifndef SCENARIO_H
#define SCENARIO_H

#include "memory.h"
#include "reference.h"
#include "rig.h"

// Interpolations as bits.
enum { SCENARIO_STEP = 1, SCENARIO_LINEAR = 2, SCENARIO_CUBIC = 4, SCENARIO_ALL_MODES = 7 };

typedef struct scenario_options {
    uint64_t seed; // not 0
    uint32_t joint_count, scalar_count;
    uint32_t modes;     // which interpolations occur
    uint32_t most_keys; // per channel, at least 2
    uint32_t timelines; // how many there are to choose from; 0: each channel has its own
    bool grid;          // keys on a grid of 30 Hz
    bool faulty;        // unsorted, duplicate and negative times, sign flips, zeros, NaNs, missing channels
    bool wide_range;    // magnitudes from 1e-6 to 1e6 instead of about 1
    bool eased;         // half of the channels have easings
    bool cadence;       // half of the channels hold time
    bool packed;        // keys of 16 bits
    float merge_growth_limit; // as in pm_compile_options, 0 included: it is not the default
} scenario_options;

typedef struct scenario {
    scenario_options options;
    pm_arena memory;
    pm_skeleton *skeleton;
    pm_clip_source source;
    pm_clip *clip;
    reference *reference;
    // Where something can go wrong: keys, their neighbouring floats, between, outside, infinite, NaN.
    uint32_t time_count;
    float *times;
} scenario;

// The largest errors seen: of vectors and scalars relative to what went into them, of rotations in radians
// (CUBIC ones times their length before normalising).
typedef struct scenario_error {
    double vector, linear_rotation, cubic_rotation;
} scenario_error;

scenario *scenario_create(const scenario_options *options);
void scenario_destroy(scenario *s);

// Compares a pose with the reference and widens `worst`. STEP values, keys and rest values must be exact.
void scenario_compare(const scenario *s, const rig_pose *pose, float time_seconds, scenario_error *worst);

#endif
