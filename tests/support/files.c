#define _POSIX_C_SOURCE 200809L
#include "files.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool file_exists(const char *path) {
    return access(path, R_OK) == 0;
}

bool data_path(const char *name, char path[FILES_PATH_SIZE]) {
    const char *data = getenv("POSEMILL_DATA");
    if (!data || !*data) data = POSEMILL_SOURCE_DIR "/../shared/data";
    int length = snprintf(path, FILES_PATH_SIZE, "%s/%s", data, name);
    return length > 0 && length < FILES_PATH_SIZE && file_exists(path);
}

void temporary_write(const char *name, const void *bytes, size_t size, char path[FILES_PATH_SIZE]) {
    const char *parent = getenv("TMPDIR");
    char folder[FILES_PATH_SIZE / 2];
    snprintf(folder, sizeof folder, "%s/posemill-test-XXXXXX", parent && *parent ? parent : "/tmp");
    cr_assert(mkdtemp(folder), "no temporary folder %s", folder);
    int length = snprintf(path, FILES_PATH_SIZE, "%s/%s", folder, name);
    cr_assert(length > 0 && length < FILES_PATH_SIZE);
    FILE *file = fopen(path, "wb");
    cr_assert(file, "cannot write %s", path);
    cr_assert_eq(fwrite(bytes, 1, size, file), size);
    cr_assert_eq(fclose(file), 0);
}

void temporary_remove(const char *path) {
    char folder[FILES_PATH_SIZE];
    snprintf(folder, sizeof folder, "%s", path);
    cr_assert_eq(remove(path), 0);
    *strrchr(folder, '/') = '\0';
    cr_assert_eq(rmdir(folder), 0);
}
