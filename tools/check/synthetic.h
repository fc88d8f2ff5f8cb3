// Clips made up from a seed, in every shape that kernels and compile tell apart.
#ifndef PM_CHECK_SYNTHETIC_H
#define PM_CHECK_SYNTHETIC_H

#include <posemill/posemill.h>

// How the keys of a clip lie in time.
typedef enum pm_synthetic_timing {
    PM_SYNTHETIC_GRID,      // all channels on one uniform grid of frames
    PM_SYNTHETIC_IRREGULAR, // all channels on one timeline of unequal segments
    PM_SYNTHETIC_OWN,       // every channel on a timeline of its own
    PM_SYNTHETIC_JUMPS,     // irregular, with pairs of keys at one time
    PM_SYNTHETIC_LATE,      // irregular, beginning after 0
    PM_SYNTHETIC_TIMING_COUNT
} pm_synthetic_timing;

// What the values of a clip are.
typedef enum pm_synthetic_nature {
    PM_SYNTHETIC_ORDINARY,
    PM_SYNTHETIC_TINY,    // denormal, all but the rotations, which are of length 2^-60
    PM_SYNTHETIC_HUGE,    // near the limits of float, rotations too
    PM_SYNTHETIC_OPPOSED, // rotations go to and fro between q and -q: a cubic has no length half way
    PM_SYNTHETIC_STILL,   // each value is one of two, so that neighbours are often equal
    PM_SYNTHETIC_NATURE_COUNT
} pm_synthetic_nature;

// One clip's shape. An interpolation of PM_INTERPOLATION_COUNT means that channels differ. In 16 channels,
// absent_in_16 are left out, constant_in_16 do not move, eased_in_16 have easings and held_in_16 a cadence.
typedef struct pm_synthetic_recipe {
    const char *name;
    uint32_t joint_count, scalar_count, key_count;
    pm_interpolation interpolation;
    pm_synthetic_timing timing;
    pm_synthetic_nature nature;
    uint32_t absent_in_16, constant_in_16, eased_in_16, held_in_16;
    bool scalars_only;        // no channel for any joint
    float merge_growth_limit; // as in pm_compile_options
    bool packed;              // keys of 16 bits
    bool additive;            // the difference from its first frame
} pm_synthetic_recipe;

// A recipe carried out.
typedef struct pm_synthetic_clip {
    pm_skeleton *skeleton;
    pm_clip *clip;
    uint32_t time_count; // key times of one of its channels, to sample at exactly
    float *times;
} pm_synthetic_clip;

// Makes a clip; nothing is left to release on failure. `report` must not be NULL.
pm_result pm_synthetic_create(pm_synthetic_clip *created, const pm_synthetic_recipe *recipe, uint64_t seed,
                              pm_report *report);

// A zeroed one is allowed.
void pm_synthetic_destroy(pm_synthetic_clip *destroyed);

#endif
