// Posemill: channels, the raw side of a clip: keys as a file or an animator gives them.
#ifndef POSEMILL_CHANNEL_H
#define POSEMILL_CHANNEL_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

// What of its target a channel drives. Components: 3, 4 (xyzw), 3, 1.
typedef enum pm_path {
    PM_PATH_TRANSLATION,
    PM_PATH_ROTATION,
    PM_PATH_SCALE,
    PM_PATH_SCALAR,
    PM_PATH_COUNT
} pm_path;

// How a value comes about between two keys.
//   STEP    the earlier key's value until the later key's time
//   LINEAR  straight line; for rotations slerp, the short way
//   CUBIC   cubic Hermite with the keys' tangents; for rotations per component, then normalised
typedef enum pm_interpolation {
    PM_INTERPOLATION_STEP,
    PM_INTERPOLATION_LINEAR,
    PM_INTERPOLATION_CUBIC,
    PM_INTERPOLATION_COUNT
} pm_interpolation;

// Keys of one target. Plain data: the arrays belong to the caller and are read only during calls.
//   target          joint of the skeleton, or scalar of the skeleton when path is PM_PATH_SCALAR
//   component_count floats a value; must be the path's count (3, 4, 3, 1)
//   key_count       number of times
//   value_count     number of values, each of component_count floats; must equal key_count
//   times           seconds, one a key; finite; sorted or not (see pm_compile_options.policy)
//   values          [key][component]
//   in_tangents     [key][component], value units per second, arriving at the key; CUBIC only, else NULL
//   out_tangents    the same, leaving the key
//   name            for diagnostics, such as "Hips.rotation"; NULL makes one from the skeleton's names
//   cadence_hz      0 to 1e6; above 0 time is held: the channel shows its curve at the last k / cadence_hz
//                   that is not after the clip time (12 is animation "on twos")
//   easing          NULL, or [key_count - 1][6], for the segment that each key begins: a polynomial, lowest
//                   power first, whose value replaces the position u in the segment. The first number is 0
//                   and the sum 1, so that keys are hit; 0 1 0 0 0 0 is none; each within 64. STEP ignores
//                   it. On LINEAR rotations it must stay within 0 and 1.
//
// Two keys at one time are a jump: the first value counts at that very time, the last right after it.
typedef struct pm_channel {
    pm_path path;
    pm_interpolation interpolation;
    uint32_t target;
    uint32_t component_count;
    uint32_t key_count;
    uint32_t value_count;
    const float *times;
    const float *values;
    const float *in_tangents;
    const float *out_tangents;
    const char *name;
    float cadence_hz;
    const float (*easing)[6];
} pm_channel;

// All channels of one clip, in the file's order. Of two channels for one target the first counts.
//   file  for diagnostics; may be NULL
//   name  the clip's name, UTF-8; NULL is as ""
typedef struct pm_clip_source {
    const char *file;
    const char *name;
    uint32_t channel_count;
    const pm_channel *channels;
} pm_clip_source;

// Components of a path: 3, 4, 3, 1.
PM_API uint32_t pm_path_component_count(pm_path path);

// "translation", "rotation", "scale", "scalar"; static memory.
PM_API const char *pm_path_name(pm_path path);

// "STEP", "LINEAR", "CUBICSPLINE" (glTF's words); static memory.
PM_API const char *pm_interpolation_name(pm_interpolation interpolation);

#ifdef __cplusplus
}
#endif

#endif
