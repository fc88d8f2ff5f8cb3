// Passes: different ways to sample one crowd, each of which must give what the plain way gives.
#ifndef PM_CHECK_PASSES_H
#define PM_CHECK_PASSES_H

#include "synthetic.h"

// What the times of a pass are.
typedef enum pm_pass_times {
    PM_PASS_KEYS,    // key times, exactly
    PM_PASS_INSIDE,  // anywhere in the clip, and a little outside
    PM_PASS_FORWARD, // the pass before, a frame later
    PM_PASS_BACKWARD,
    PM_PASS_HOSTILE // NaN, infinities, huge, tiny, random bits
} pm_pass_times;

// What the cursors hold when a pass begins.
typedef enum pm_pass_cursors {
    PM_PASS_NO_CURSORS,
    PM_PASS_KEPT_CURSORS, // as the pass before left them; zero to begin with
    PM_PASS_RANDOM_CURSORS
} pm_pass_cursors;

typedef struct pm_pass {
    const char *name;
    pm_pass_times times;
    pm_pass_cursors cursors;
    pm_streaming streaming;
    uint32_t piece; // instances a call
    bool shuffled;  // through an order
} pm_pass;

// The passes, in order; *count receives how many.
const pm_pass *pm_passes(uint32_t *count);

// Sets the time of every instance for a pass. `times` holds the times of the pass before.
void pm_pass_set_times(const pm_pass *pass, const pm_synthetic_clip *clips, uint32_t clip_count,
                       uint32_t instance_count, uint64_t seed, float *times);

#endif
