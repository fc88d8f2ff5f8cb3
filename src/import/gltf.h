// Posemill internals: glTF files. From memory see pm_import_gltf_memory.
#ifndef PM_IMPORT_GLTF_H
#define PM_IMPORT_GLTF_H

#include <posemill/import.h>

// Reads a .gltf, .glb or .vrma file.
pm_result pm_import_gltf_file(const char *path, const pm_import_options *options, pm_scene **scene,
                              pm_report *report);

#endif
