#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

// What has no size (a pipe) is read in pieces that grow from this.
enum { FIRST_BYTES = 64 * 1024 };

// What to reserve: the file's size if it tells one. A wrong guess costs a copy, nothing else.
static size_t guess_size(FILE *file, size_t limit) {
    long size = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
    rewind(file);
    // A directory may claim to have LONG_MAX bytes.
    size_t guess = size < 0 || (unsigned long)size > SIZE_MAX / 4 ? FIRST_BYTES : (size_t)size;
    return guess < limit ? guess : limit;
}

static pm_result load_open(FILE *file, pm_arena *arena, size_t limit, pm_bytes *bytes) {
    // One byte more than expected, so that the end is seen without growing.
    size_t capacity = guess_size(file, limit) + 1;
    size_t used = 0;
    uint8_t *data = pm_arena_allocate(arena, capacity + 1, 1);
    while (data) {
        size_t room = capacity - used < limit - used ? capacity - used : limit - used;
        size_t got = fread(data + used, 1, room, file);
        used += got;
        if (got < room || used == limit) break;
        uint8_t *grown = pm_arena_allocate(arena, 2 * capacity + 1, 1);
        if (grown) memcpy(grown, data, used);
        data = grown;
        capacity *= 2;
    }
    *bytes = (pm_bytes){data, used};
    if (!data) return PM_ERROR_MEMORY;
    return ferror(file) ? PM_ERROR_FILE : PM_OK;
}

pm_result pm_file_load(pm_arena *arena, const char *path, size_t limit, pm_bytes *bytes,
                       const char **reason) {
    *bytes = (pm_bytes){NULL, 0};
    *reason = "";
    FILE *file = fopen(path, "rb");
    pm_result result = file ? load_open(file, arena, limit, bytes) : PM_ERROR_FILE;
    if (result == PM_ERROR_FILE) *reason = strerror(errno);
    if (file) fclose(file);
    return result;
}

pm_result pm_file_read(pm_arena *arena, const char *path, pm_place place, pm_report *report,
                       pm_bytes *bytes) {
    const char *reason;
    pm_result result = pm_file_load(arena, path, SIZE_MAX / 4, bytes, &reason);
    if (result == PM_ERROR_MEMORY) return pm_fail_memory(report, "a file's content");
    if (result) return pm_fail(report, result, PM_FAULT_FILE_UNREADABLE, place, "cannot be read: %s", reason);
    return PM_OK;
}
