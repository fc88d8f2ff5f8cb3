// Posemill: additive clips, the difference of a clip from a reference, for ADDITIVE layers (blend.h).
//
//     pm_additive_options options = pm_default_additive_options();   // against the clip's own first frame
//     if (pm_additive_compile(&source, skeleton, &options, NULL, &clip, &report)) ...
//
// The difference is what has to come after the reference to give the clip:
//
//   translation  clip - reference
//   rotation     conjugate(reference) * clip, so that reference * difference is the clip
//   scale        clip / reference
//   scalars      clip - reference
//
// The reference stands still, so each of these is a linear map of the clip's curve: applied to the values of
// keys (and its linear part to their tangents) it gives the difference exactly, between keys too, whatever
// the interpolation. A path without a channel has no difference: identity, not rest.
#ifndef POSEMILL_ADDITIVE_H
#define POSEMILL_ADDITIVE_H

#include "compile.h"

#ifdef __cplusplus
extern "C" {
#endif

// Obtain from pm_default_additive_options(), then change fields.
typedef struct pm_additive_options {
    uint32_t cookie; // set by pm_default_additive_options; anything else is PM_ERROR_ARGUMENT

    // What the clip is compared with: a pose of the skeleton, unit rotations, such as skeleton->rest; or,
    // where that is NULL, the clip itself at reference_seconds.
    const pm_pose_block *reference; // [block_count]
    const float *reference_scalars; // [16 * scalar_block_count]; NULL with a reference is the skeleton's rest
    float reference_seconds;        // clamped to the clip; default 0
    const pm_compile_options *compile; // NULL is the default
} pm_additive_options;

// The clip's own first frame, default compile options.
PM_API pm_additive_options pm_default_additive_options(void);

// Compiles the difference; like pm_clip_compile in everything else. Release the clip with pm_clip_destroy.
// Where the reference scales by less than 1e-6, no difference can be told: the component is left alone, with
// a diagnostic.
PM_API pm_result pm_additive_compile(const pm_clip_source *source, const pm_skeleton *skeleton,
                                     const pm_additive_options *options, const pm_allocator *allocator,
                                     pm_clip **clip, pm_report *report);

#ifdef __cplusplus
}
#endif

#endif
