// Posemill internals: glTF animations.
#ifndef PM_IMPORT_GLTF_ANIMATION_H
#define PM_IMPORT_GLTF_ANIMATION_H

#include "gltf_document.h"

// Reads all animations into the builder; nodes must be there. Keys are handed over as the file has them, in
// order and value; only their number is checked.
pm_result pm_gltf_animations_read(pm_gltf *gltf);

#endif
