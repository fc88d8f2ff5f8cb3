// Posemill internals: FBX and Collada through Assimp.
#ifndef PM_IMPORT_ASSIMP_H
#define PM_IMPORT_ASSIMP_H

#include <posemill/import.h>

// Reads a file of any format that Assimp knows; meant for FBX and Collada. Collada's nodes are named by their
// ids, which are unique, and on which Assimp's animations depend.
pm_result pm_import_assimp_file(const char *path, const pm_import_options *options, pm_scene **scene,
                                pm_report *report);

#endif
