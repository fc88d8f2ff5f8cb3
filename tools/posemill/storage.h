// Memory of the tool itself: a command that runs short of it ends with one line and PM_EXIT_DATA.
#ifndef PM_TOOL_STORAGE_H
#define PM_TOOL_STORAGE_H

#include <stddef.h>

// `count * size` zeroed bytes; release with free. Does not return when memory is short.
void *pm_storage_allocate(size_t count, size_t size);

// Room for at least `count` elements in a growing array of `*capacity`: doubles when it must. Does not return
// when memory is short. New bytes are not initialised.
void *pm_storage_grow(void *array, size_t *capacity, size_t count, size_t size);

// A copy of the text, "" for NULL; release with free.
char *pm_storage_copy_text(const char *text);

#endif
