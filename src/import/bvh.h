// Posemill internals: motion capture in Biovision's BVH format.
#ifndef PM_IMPORT_BVH_H
#define PM_IMPORT_BVH_H

#include <posemill/import.h>

// Reads a BVH file. Nodes are its ROOTs and JOINTs in the order of the file; its one clip is named after the
// file.
pm_result pm_import_bvh_file(const char *path, const pm_import_options *options, pm_scene **scene,
                             pm_report *report);

// The same from memory; `path` is for names and diagnostics and may be NULL. Any bytes are safe.
pm_result pm_import_bvh_memory(const void *bytes, size_t size, const char *path,
                               const pm_import_options *options, pm_scene **scene, pm_report *report);

#endif
