#define _DEFAULT_SOURCE // madvise
#include "pages.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void *pages_allocate(size_t size) {
    const size_t page = (size_t)2 << 20;
    size_t padded = (size / page + 1) * page;
    void *memory = aligned_alloc(page, padded);
    if (!memory) return NULL;
    madvise(memory, padded, MADV_HUGEPAGE);
    memset(memory, 0, padded);
    return memory;
}
