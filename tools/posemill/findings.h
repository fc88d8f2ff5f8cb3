// What is odd about the curves of a file, counted over its channels, with the worst of each kind.
#ifndef PM_TOOL_FINDINGS_H
#define PM_TOOL_FINDINGS_H

#include "asset.h"

typedef enum pm_finding_kind {
    PM_FINDING_OVERSHOOT,     // leaves the range of a segment's keys
    PM_FINDING_ENDS_EARLY,    // last key before the clip's end
    PM_FINDING_STARTS_LATE,   // first key after the clip's first one
    PM_FINDING_VELOCITY_JUMP, // CUBICSPLINE whose tangents differ at a key
    PM_FINDING_SETTLE,        // arrives at, or leaves, a hold within the clip at speed
    PM_FINDING_SEAM,          // last value is not the first
    PM_FINDING_OFF_GRID,      // keys off the frame grid
    PM_FINDING_ZERO_TANGENTS, // CUBICSPLINE that stops at every key
    PM_FINDING_REFUSED,       // keys that are no curve
    PM_FINDING_COUNT
} pm_finding_kind;

// Words for each, and how its size is shown: multiplied, with a unit.
extern const char *const pm_finding_names[PM_FINDING_COUNT];
extern const char *const pm_finding_units[PM_FINDING_COUNT];
extern const double pm_finding_scales[PM_FINDING_COUNT];

// All channels with one kind of finding.
//   worst    sizes: shares of the component's range (a second), seconds, frames, or keys
//   channel  the worst one's name; NULL if there is none
typedef struct pm_curve_finding {
    uint32_t count;
    double worst, seconds;
    uint32_t clip;
    char *channel;
} pm_curve_finding;

typedef struct pm_findings {
    uint32_t channel_count;
    uint64_t key_count;
    double frame_rate_hz; // as given or guessed; 0 for none
    pm_curve_finding kinds[PM_FINDING_COUNT];
} pm_findings;

// Looks at all channels of some clips. A frame rate of 0 is guessed. Release the findings.
pm_findings pm_findings_collect(const pm_asset *asset, uint32_t first_clip, uint32_t clip_count,
                                double frame_rate_hz);

void pm_findings_release(pm_findings *findings);

// The usual rate on whose frames at least nine in ten keys of the clips lie, the lowest one; 0 if there is
// none.
double pm_findings_guess_rate(const pm_scene *scene, uint32_t first_clip, uint32_t clip_count);

// "Hips.translation"; release with free.
char *pm_findings_channel_name(const pm_skeleton *skeleton, const pm_channel *channel);

// The clip's first channel of a joint's path, or of a scalar, by name; NULL if there is none.
const pm_channel *pm_findings_find_channel(const pm_skeleton *skeleton, const pm_clip_source *clip,
                                           const char *name, pm_path path);

#endif
