// The project's own elementary functions, at arguments of all magnitudes.
#include "check.h"
#include "hash.h"
#include "random.h"

#include <maths.h>

#include <stdio.h>

enum { ARGUMENTS = 20000 };

// NaN has many bits; which of them an operation gives is left open.
static uint64_t add(uint64_t hash, double value) {
    if (value != value) value = 0.125;
    return pm_check_hash(hash, &value, sizeof value);
}

// 53 random bits times a power of two of -60 to 67.
static double random_argument(pm_random *random) {
    double value = (double)(int64_t)(pm_random_next(random) >> 11) * 0x1p-53;
    uint32_t exponent = pm_random_below(random, 128);
    for (uint32_t i = 60; i < exponent; i++) value *= 2;
    for (uint32_t i = exponent; i < 60; i++) value *= 0.5;
    return pm_random_below(random, 2) ? -value : value;
}

bool pm_check_maths(const pm_check *check, uint64_t *hash) {
    (void)check;
    pm_random random = {299792458};
    uint64_t own = PM_CHECK_HASH_START;
    for (uint32_t i = 0; i < ARGUMENTS; i++) {
        double x = random_argument(&random), y = random_argument(&random),
               u = (double)pm_random_signed(&random);
        own = add(add(add(own, pm_sin(x)), pm_cos(x)), pm_atan(x));
        own = add(add(add(own, pm_atan2(y, x)), pm_acos(u)), pm_asin(u));
        own = add(add(own, pm_exp2(x)), pm_exp2(u * 1100));
    }
    char note[64];
    snprintf(note, sizeof note, "%d arguments", (int)ARGUMENTS);
    pm_check_print("maths", "-", true, own, note);
    *hash = pm_check_hash(*hash, &own, sizeof own);
    return true;
}
