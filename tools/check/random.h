// Random numbers from integers alone, the same on every machine: SplitMix64 (Steele, Lea and Flood, 2014).
#ifndef PM_CHECK_RANDOM_H
#define PM_CHECK_RANDOM_H

#include <stdint.h>

typedef struct pm_random {
    uint64_t state;
} pm_random;

static inline uint64_t pm_random_next(pm_random *random) {
    uint64_t z = random->state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

// Below `count`, which must be above 0 and small against 2^32.
static inline uint32_t pm_random_below(pm_random *random, uint32_t count) {
    return (uint32_t)((pm_random_next(random) >> 32) * count >> 32);
}

// A multiple of 2^-23 in [-1, 1): exact in a float.
static inline float pm_random_signed(pm_random *random) {
    return (float)((int32_t)pm_random_below(random, 1u << 24) - (1 << 23)) * 0x1p-23f;
}

// The numbers 0 to count - 1 in some order: Fisher and Yates' shuffle.
static inline void pm_random_shuffle(pm_random *random, uint32_t *order, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = pm_random_below(random, i + 1);
        order[i] = order[place];
        order[place] = i;
    }
}

#endif
