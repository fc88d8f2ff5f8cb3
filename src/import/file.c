#include "file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static pm_result unreadable(const char *path, pm_place place, pm_report *report, const char *reason) {
    if (place.file && strcmp(place.file, path) == 0)
        return pm_fail(report, PM_ERROR_FILE, PM_FAULT_FILE_UNREADABLE, place, "cannot be read: %s", reason);
    return pm_fail(report, PM_ERROR_FILE, PM_FAULT_FILE_UNREADABLE, place, "\"%s\" cannot be read: %s", path,
                   reason);
}

// The size by seeking, as standard C has no other way; a directory opens but does not seek or read.
static bool measure(FILE *file, size_t *size) {
    if (fseek(file, 0, SEEK_END)) return false;
    long end = ftell(file);
    if (end < 0 || end == LONG_MAX || fseek(file, 0, SEEK_SET)) return false;
    *size = (size_t)end;
    return true;
}

static pm_result read_open(FILE *file, pm_arena *arena, const char *path, pm_place place, pm_report *report,
                           unsigned char **bytes, size_t *size) {
    if (!measure(file, size)) return unreadable(path, place, report, "it is not a regular file");
    *bytes = pm_arena_allocate(arena, *size + 1, 1);
    if (!*bytes) return pm_fail_memory(report, "a file's content");
    if (fread(*bytes, 1, *size, file) != *size)
        return unreadable(path, place, report, ferror(file) ? strerror(errno) : "it became shorter");
    return PM_OK;
}

pm_result pm_file_read(pm_arena *arena, const char *path, pm_place place, pm_report *report,
                       unsigned char **bytes, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) return unreadable(path, place, report, strerror(errno));
    pm_result result = read_open(file, arena, path, place, report, bytes, size);
    fclose(file);
    return result;
}
