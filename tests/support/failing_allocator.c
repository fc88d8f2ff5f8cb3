#include "failing_allocator.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// Kept in front of each piece; a whole alignment unit, so that the piece stays aligned.
typedef struct header {
    size_t size;
    char padding[PM_ALIGNMENT - sizeof(size_t)];
} header;

static void *allocate(size_t size, size_t alignment, void *user) {
    failing_allocator *memory = user;
    (void)alignment; // every piece gets the largest
    assert(size > 0);
    assert(alignment > 0 && alignment <= PM_ALIGNMENT && (alignment & (alignment - 1)) == 0);
    memory->allocation_count++;
    if (memory->allocation_count == memory->fail_at) return NULL;
    if (size > SIZE_MAX / 2) return NULL;
    header *piece =
        aligned_alloc(PM_ALIGNMENT, sizeof *piece + (size + PM_ALIGNMENT - 1) / PM_ALIGNMENT * PM_ALIGNMENT);
    if (!piece) return NULL;
    piece->size = size;
    memory->live_count++;
    memory->live_bytes += size;
    if (memory->live_bytes > memory->peak_bytes) memory->peak_bytes = memory->live_bytes;
    // Nobody may rely on fresh memory being zero.
    memset(piece + 1, 0xA5, size);
    return piece + 1;
}

static void release(void *piece, void *user) {
    failing_allocator *memory = user;
    header *start = (header *)piece - 1;
    assert(memory->live_count > 0);
    memory->live_count--;
    memory->live_bytes -= start->size;
    free(start);
}

pm_allocator failing_allocator_interface(failing_allocator *memory) {
    return (pm_allocator){allocate, release, memory};
}
