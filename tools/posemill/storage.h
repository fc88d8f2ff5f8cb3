// Memory of the tool itself: a command that runs short of it ends with one line and PM_EXIT_DATA.
#ifndef PM_TOOL_STORAGE_H
#define PM_TOOL_STORAGE_H

#include "text.h"

#include <stdarg.h>
#include <stddef.h>

// `count * size` zeroed bytes; release with free. Does not return when memory is short.
void *pm_storage_allocate(size_t count, size_t size);

// `size` zeroed bytes, aligned to PM_ALIGNMENT, every page touched; release with free. NULL when memory is
// short, so that a command can say for what.
void *pm_storage_allocate_aligned(size_t size);

// Room for at least `count` elements in a growing array of `*capacity`: doubles when it must. Does not return
// when memory is short. New bytes are not initialised.
void *pm_storage_grow(void *array, size_t *capacity, size_t count, size_t size);

// printf into memory of its own; release with free.
char *pm_storage_format_list(const char *format, va_list arguments) PM_TEXT_FORMAT(1, 0);
char *pm_storage_format(const char *format, ...) PM_TEXT_FORMAT(1, 2);

// A copy of the text, "" for NULL; release with free.
char *pm_storage_copy_text(const char *text);

#endif
