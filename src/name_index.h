// Posemill internals: look-up by name through a sorted list of indices. Names compare as bytes.
#ifndef PM_NAME_INDEX_H
#define PM_NAME_INDEX_H

#include <posemill/base.h>

// Sorts 0 .. count - 1 by name, equal names by index. O(count log count) comparisons, no recursion.
//   names    [count]
//   sorted   [count], receives the indices
//   scratch  [count]
void pm_name_index_sort(const char *const *names, uint32_t count, uint32_t *sorted, uint32_t *scratch);

// The lowest index of that name, or PM_NONE. O(log count) comparisons.
uint32_t pm_name_index_find(const char *const *names, uint32_t count, const uint32_t *sorted,
                            const char *name);

#endif
