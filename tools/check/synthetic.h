// Clips made up from a seed, in every shape that the kernels tell apart.
#ifndef PM_CHECK_SYNTHETIC_H
#define PM_CHECK_SYNTHETIC_H

#include <posemill/posemill.h>

// How the keys of a clip lie in time.
typedef enum pm_synthetic_timing {
    PM_SYNTHETIC_GRID,      // all channels on one uniform grid of frames
    PM_SYNTHETIC_IRREGULAR, // all channels on one timeline of unequal segments
    PM_SYNTHETIC_OWN,       // every channel on a timeline of its own
    PM_SYNTHETIC_JUMPS,     // irregular, with pairs of keys at one time
    PM_SYNTHETIC_LATE       // irregular, beginning after 0
} pm_synthetic_timing;

// One clip's shape. An interpolation of PM_INTERPOLATION_COUNT means that channels differ. In 16 channels,
// absent_in_16 are left out and constant_in_16 do not move.
typedef struct pm_synthetic_recipe {
    const char *name;
    uint32_t joint_count, scalar_count, key_count;
    pm_interpolation interpolation;
    pm_synthetic_timing timing;
    uint32_t absent_in_16, constant_in_16;
} pm_synthetic_recipe;

// A recipe carried out.
typedef struct pm_synthetic_clip {
    const pm_synthetic_recipe *recipe;
    pm_skeleton *skeleton;
    pm_clip *clip;
    uint32_t time_count; // key times of one of its channels, to sample at exactly
    float *times;
} pm_synthetic_clip;

// The recipes; *count receives how many.
const pm_synthetic_recipe *pm_synthetic_recipes(uint32_t *count);

// Makes a clip; nothing is left to release on failure. `report` must not be NULL.
pm_result pm_synthetic_create(pm_synthetic_clip *created, const pm_synthetic_recipe *recipe, uint64_t seed,
                              pm_report *report);

// A zeroed one is allowed.
void pm_synthetic_destroy(pm_synthetic_clip *destroyed);

#endif
