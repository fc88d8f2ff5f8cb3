// Posemill internals: what Collada files must not contain when Assimp reads them.
#ifndef PM_ASSIMP_COLLADA_H
#define PM_ASSIMP_COLLADA_H

#include "../file.h"
#include "../scene.h"

// Makes Assimp pass over animation channels of morph weights, on which it (5.2 to 6.0) writes outside of its
// memory; each leaves a diagnostic. Refuses text in two-byte units, in which they would not be found.
//   bytes  becomes a changed copy if there are any
pm_result pm_collada_silence_morphs(pm_scene_builder *builder, pm_bytes *bytes);

#endif
