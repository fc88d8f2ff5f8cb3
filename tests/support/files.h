// Tests: real files that may be absent, and small ones that tests write.
#ifndef FILES_H
#define FILES_H

#include <stdbool.h>
#include <stddef.h>

enum { FILES_PATH_SIZE = 1024 };

// The path of `name` in the data folder, which is $POSEMILL_DATA or ../shared/data beside the source. Returns
// false where there is no such file or folder; a test then calls cr_skip_test and says what it went without.
bool data_path(const char *name, char path[FILES_PATH_SIZE]);

// Whether something is there to be read under this path.
bool file_exists(const char *path);

// Writes a file of that name in a new temporary folder, and gives its path. temporary_remove removes both.
void temporary_write(const char *name, const void *bytes, size_t size, char path[FILES_PATH_SIZE]);
void temporary_remove(const char *path);

#endif
