// Posemill internals: primitives of glTF meshes: vertices, indices, influences and morph targets.
#ifndef PM_IMPORT_GLTF_PRIMITIVE_H
#define PM_IMPORT_GLTF_PRIMITIVE_H

#include "gltf_document.h"

// A primitive without the node that carries it: joint, skin and first_scalar are PM_NONE.
typedef struct pm_gltf_primitive {
    pm_mesh mesh;
    uint32_t skin_joint_count; // a skin must have at least that many joints
} pm_gltf_primitive;

// Reads a primitive. Faulty positions or indices, and compressed geometry, cost the primitive
// (PM_ERROR_DATA); faulty normals, influences or morph targets cost just these.
//   label  for diagnostics: "mesh 3, primitive 0"
pm_result pm_gltf_primitive_read(pm_gltf *gltf, const json_t *json, const char *label,
                                 pm_gltf_primitive *primitive);

#endif
