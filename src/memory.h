// Posemill internals: memory through the caller's allocator. Cold paths only. PM_API because the importer,
// which is a library of its own, uses them too.
#ifndef PM_MEMORY_H
#define PM_MEMORY_H

#include <posemill/base.h>

// Rounded up to a multiple of PM_ALIGNMENT.
static inline uint64_t pm_align(uint64_t bytes) {
    return (bytes + PM_ALIGNMENT - 1) / PM_ALIGNMENT * PM_ALIGNMENT;
}

// The caller's allocator, or the C library's for NULL.
PM_API pm_allocator pm_allocator_or_default(const pm_allocator *allocator);

// `count * size` bytes at PM_ALIGNMENT, zeroed; NULL if that overflows or memory is short. Never returns NULL
// for zero bytes unless memory is short.
PM_API void *pm_allocate(const pm_allocator *allocator, size_t count, size_t size);

// NULL is allowed.
PM_API void pm_release(const pm_allocator *allocator, void *memory);

// An arena: many small pieces that are released together. Zero-initialise, then set `allocator`.
typedef struct pm_arena {
    pm_allocator allocator;
    struct pm_arena_chunk *chunks; // the one being filled first
} pm_arena;

// `count * size` zeroed bytes at 16-byte alignment, or at PM_ALIGNMENT for pieces of 64 bytes and more; NULL
// if memory is short.
PM_API void *pm_arena_allocate(pm_arena *arena, size_t count, size_t size);

// A copy of `length` bytes of text with a terminating zero; NULL if memory is short.
PM_API char *pm_arena_copy_text(pm_arena *arena, const char *text, size_t length);

// Releases every piece; the arena may be used again.
PM_API void pm_arena_release(pm_arena *arena);

#endif
