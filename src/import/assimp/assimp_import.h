// Posemill internals: FBX and Collada through Assimp.
#ifndef PM_IMPORT_ASSIMP_H
#define PM_IMPORT_ASSIMP_H

#include <posemill/import.h>

// Assimp keeps the reason of its last failure in a global variable: one import at a time.

// Text or binary, from version 7.1 on.
pm_result pm_import_fbx_file(const char *path, const pm_import_options *options, pm_scene **scene,
                             pm_report *report);

// Collada 1.4 and 1.5. Nodes are named by their ids, which are unique and on which Assimp's animations
// depend.
pm_result pm_import_collada_file(const char *path, const pm_import_options *options, pm_scene **scene,
                                 pm_report *report);

#endif
