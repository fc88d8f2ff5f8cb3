#include "storage.h"
#include "text.h"

#include <posemill/base.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *memory) {
    if (!memory) exit(pm_complain(PM_EXIT_DATA, "out of memory"));
    return memory;
}

void *pm_storage_allocate(size_t count, size_t size) {
    return checked(calloc(count ? count : 1, size));
}

void *pm_storage_allocate_aligned(size_t size) {
    if (size > SIZE_MAX - 2 * PM_ALIGNMENT) return NULL;
    size_t padded = (size / PM_ALIGNMENT + 1) * PM_ALIGNMENT;
    void *memory = aligned_alloc(PM_ALIGNMENT, padded);
    if (memory) memset(memory, 0, padded);
    return memory;
}

void *pm_storage_grow(void *array, size_t *capacity, size_t count, size_t size) {
    if (count <= *capacity) return array;
    size_t wanted = *capacity < 8 ? 8 : *capacity;
    while (wanted < count && wanted <= SIZE_MAX / 2) wanted *= 2;
    if (wanted < count || wanted > SIZE_MAX / size) checked(NULL);
    *capacity = wanted;
    return checked(realloc(array, wanted * size));
}

char *pm_storage_copy_text(const char *text) {
    size_t size = text ? strlen(text) + 1 : 1;
    char *copy = pm_storage_allocate(size, 1);
    if (text) memcpy(copy, text, size);
    return copy;
}

char *pm_storage_format_list(const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    size_t size = length < 0 ? 1 : (size_t)length + 1;
    char *text = pm_storage_allocate(size, 1);
    vsnprintf(text, size, format, arguments);
    return text;
}

char *pm_storage_format(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = pm_storage_format_list(format, arguments);
    va_end(arguments);
    return text;
}
