// Posemill internals: whole files in memory.
#ifndef PM_IMPORT_FILE_H
#define PM_IMPORT_FILE_H

#include "diagnose.h"
#include "memory.h"

// Reads a file whole. One zero byte follows the last, so that text parsers have an end to run into. Refuses
// what is not a file of a size (a directory, a pipe), saying so in the report.
//   arena  takes the bytes
//   path   UTF-8
//   place  for diagnostics; its file need not be `path` (a buffer of a glTF file is the glTF file's fault)
pm_result pm_file_read(pm_arena *arena, const char *path, pm_place place, pm_report *report,
                       unsigned char **bytes, size_t *size);

#endif
