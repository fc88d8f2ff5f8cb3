// Posemill internals: glTF skins.
#ifndef PM_IMPORT_GLTF_SKIN_H
#define PM_IMPORT_GLTF_SKIN_H

#include "gltf_document.h"

// Reads all skins into the builder; nodes must be there. A skin with fewer inverse bind matrices than joints
// refuses the file; one that cannot be read is left out (see pm_gltf.skin_map).
pm_result pm_gltf_skins_read(pm_gltf *gltf);

#endif
