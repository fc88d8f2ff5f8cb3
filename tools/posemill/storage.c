#include "storage.h"
#include "text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *memory) {
    if (!memory) exit(pm_complain(PM_EXIT_DATA, "out of memory"));
    return memory;
}

void *pm_storage_allocate(size_t count, size_t size) {
    return checked(calloc(count ? count : 1, size));
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
