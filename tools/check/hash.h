// FNV-1a over 32-bit words (Fowler, Noll, Vo; 64-bit offset and prime).
#ifndef PM_CHECK_HASH_H
#define PM_CHECK_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// To begin with.
#define PM_CHECK_HASH_START 0xCBF29CE484222325u

// The hash so far, and `size` more bytes, a multiple of 4.
static inline uint64_t pm_check_hash(uint64_t hash, const void *memory, size_t size) {
    const char *bytes = memory;
    for (size_t i = 0; i < size; i += sizeof(uint32_t)) {
        uint32_t word;
        memcpy(&word, bytes + i, sizeof word);
        hash = (hash ^ word) * 0x00000100000001B3u;
    }
    return hash;
}

#endif
