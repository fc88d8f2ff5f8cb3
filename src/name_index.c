#include "name_index.h"

#include <string.h>

// Merges two sorted runs; of equal names the earlier run's comes first.
static void merge(const char *const *names, const uint32_t *first, size_t first_count, const uint32_t *second,
                  size_t second_count, uint32_t *merged) {
    while (first_count && second_count) {
        if (strcmp(names[*first], names[*second]) <= 0) {
            *merged++ = *first++;
            first_count--;
        } else {
            *merged++ = *second++;
            second_count--;
        }
    }
    memcpy(merged, first, first_count * sizeof *first);
    memcpy(merged + first_count, second, second_count * sizeof *second);
}

void pm_name_index_sort(const char *const *names, uint32_t count, uint32_t *sorted, uint32_t *scratch) {
    for (uint32_t i = 0; i < count; i++) sorted[i] = i;
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t begin = 0; begin < count; begin += 2 * run) {
            size_t left = count - begin;
            size_t first_count = left < run ? left : run;
            size_t second_count = left - first_count < run ? left - first_count : run;
            const uint32_t *first = sorted + begin;
            merge(names, first, first_count, first + first_count, second_count, scratch + begin);
        }
        memcpy(sorted, scratch, count * sizeof *sorted);
    }
}

uint32_t pm_name_index_find(const char *const *names, uint32_t count, const uint32_t *sorted,
                            const char *name) {
    uint32_t begin = 0, end = count;
    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2;
        if (strcmp(names[sorted[middle]], name) < 0) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin < count && strcmp(names[sorted[begin]], name) == 0 ? sorted[begin] : PM_NONE;
}
