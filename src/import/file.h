// Posemill internals: whole files in memory.
#ifndef PM_IMPORT_FILE_H
#define PM_IMPORT_FILE_H

#include "diagnose.h"
#include "memory.h"

// Bytes that belong to somebody else.
typedef struct pm_bytes {
    const uint8_t *data;
    size_t size;
} pm_bytes;

// Reads a file, or its first `limit` bytes, into `arena`, without a diagnostic. One zero byte follows the
// last.
//   reason  receives why not, in words, with PM_ERROR_FILE; memory of the C library, until it is used next
pm_result pm_file_load(pm_arena *arena, const char *path, size_t limit, pm_bytes *bytes, const char **reason);

// Reads the whole file of an import, saying in the report why it cannot be read. One zero byte follows the
// last, so that text parsers have an end to run into.
pm_result pm_file_read(pm_arena *arena, const char *path, pm_place place, pm_report *report, pm_bytes *bytes);

#endif
