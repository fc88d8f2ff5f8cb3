#include "memory.h"

#include <stdlib.h>
#include <string.h>

static void *default_allocate(size_t size, size_t alignment, void *user) {
    (void)user;
    // aligned_alloc wants a multiple of the alignment.
    size_t rounded = (size + alignment - 1) / alignment * alignment;
    return aligned_alloc(alignment, rounded ? rounded : alignment);
}

static void default_release(void *memory, void *user) {
    (void)user;
    free(memory);
}

pm_allocator pm_allocator_or_default(const pm_allocator *allocator) {
    if (allocator) return *allocator;
    return (pm_allocator){default_allocate, default_release, NULL};
}

void *pm_allocate(const pm_allocator *allocator, size_t count, size_t size) {
    if (size && count > (SIZE_MAX - PM_ALIGNMENT) / size) return NULL;
    size_t bytes = count * size;
    void *memory = allocator->allocate(bytes ? bytes : 1, PM_ALIGNMENT, allocator->user);
    if (memory) memset(memory, 0, bytes);
    return memory;
}

void pm_release(const pm_allocator *allocator, void *memory) {
    if (memory) allocator->release(memory, allocator->user);
}

// Pieces come from chunks of at least this size; larger pieces get a chunk of their own. Fuzzers are built
// with 1, so that a sanitizer guards the end of every piece.
#ifndef PM_ARENA_CHUNK_BYTES
#define PM_ARENA_CHUNK_BYTES (64 * 1024)
#endif
enum { CHUNK_BYTES = PM_ARENA_CHUNK_BYTES };

struct pm_arena_chunk {
    struct pm_arena_chunk *next;
    size_t used, size; // of the bytes that follow the header
};

// The header takes one alignment unit, so that pieces stay aligned.
enum { HEADER_BYTES = PM_ALIGNMENT };

static size_t align_up(size_t value, size_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

static struct pm_arena_chunk *add_chunk(pm_arena *arena, size_t bytes) {
    size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    struct pm_arena_chunk *chunk = pm_allocate(&arena->allocator, 1, HEADER_BYTES + size);
    if (!chunk) return NULL;
    chunk->size = size;
    // A chunk of one large piece has no room left: the one in front keeps being filled.
    struct pm_arena_chunk **place =
        bytes > CHUNK_BYTES && arena->chunks ? &arena->chunks->next : &arena->chunks;
    chunk->next = *place;
    *place = chunk;
    return chunk;
}

void *pm_arena_allocate(pm_arena *arena, size_t count, size_t size) {
    if (size && count > (SIZE_MAX / 2) / size) return NULL;
    size_t bytes = count * size;
    size_t alignment = bytes >= PM_ALIGNMENT ? PM_ALIGNMENT : 16;
    struct pm_arena_chunk *chunk = arena->chunks;
    if (!chunk || align_up(chunk->used, alignment) + bytes > chunk->size) {
        chunk = add_chunk(arena, bytes);
        if (!chunk) return NULL;
    }
    size_t offset = align_up(chunk->used, alignment);
    chunk->used = offset + bytes;
    return (char *)chunk + HEADER_BYTES + offset;
}

char *pm_arena_copy_text(pm_arena *arena, const char *text, size_t length) {
    char *copy = pm_arena_allocate(arena, length + 1, 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}

void pm_arena_release(pm_arena *arena) {
    while (arena->chunks) {
        struct pm_arena_chunk *next = arena->chunks->next;
        pm_release(&arena->allocator, arena->chunks);
        arena->chunks = next;
    }
}
