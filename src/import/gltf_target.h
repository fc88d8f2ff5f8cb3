// Posemill internals: what a glTF animation channel drives: a node's path, its morph weights, or by
// KHR_animation_pointer any number of the document.
#ifndef PM_IMPORT_GLTF_TARGET_H
#define PM_IMPORT_GLTF_TARGET_H

#include "gltf_document.h"

typedef struct pm_gltf_target {
    const char *name; // for diagnostics, in `kept`: "Hips.rotation", "/cameras/0/perspective/yfov"
    pm_path path;
    uint32_t first;         // the node of a joint's path, else the first scalar
    uint32_t count;         // scalars driven together; 1 for a joint's path; 0 if only the output can tell
    const char *pointer;    // of a property whose scalars are yet to be found, else NULL
    const json_t *property; // its value in the document, or NULL
} pm_gltf_target;

// Finds the target of a channel.
//   json   the channel's object
//   place  of the clip; its channel is filled in once it has a name
pm_result pm_gltf_target_find(pm_gltf *gltf, const json_t *json, pm_place *place, pm_gltf_target *target);

// Finds or makes the scalars of a target that has a pointer.
//   count      numbers a key; checked against the property
//   is_vector  whether the output is made of vectors (names end in .x) instead of plain numbers (in [0])
pm_result pm_gltf_target_bind(pm_gltf *gltf, pm_gltf_target *target, pm_place place, uint32_t count,
                              bool is_vector);

#endif
