// Posemill: results, memory and the few macros that every header needs.
#ifndef POSEMILL_BASE_H
#define POSEMILL_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PM_VERSION_MAJOR 0
#define PM_VERSION_MINOR 1
#define PM_VERSION_PATCH 0

#if defined(POSEMILL_SHARED) && defined(_WIN32)
#if defined(POSEMILL_BUILDING)
#define PM_API __declspec(dllexport)
#else
#define PM_API __declspec(dllimport)
#endif
#elif defined(POSEMILL_SHARED) && defined(__GNUC__)
#define PM_API __attribute__((visibility("default")))
#else
#define PM_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// Joints (or scalars) side by side in one block, on every instruction set.
#define PM_BLOCK_LANES 16

// Alignment in bytes of pose blocks, clips and everything else that kernels read or write.
#define PM_ALIGNMENT 64

// Rest values, keys, and tangents times their segment's duration stay within this magnitude, so that no sum
// of them leaves float range. Larger ones are limited, with a diagnostic.
#define PM_VALUE_LIMIT 1.0e18f

// "No such joint, parent, node or scalar."
#define PM_NONE UINT32_MAX

// What a call that can fail returns. Zero is success, so `if (pm_...)` reads as "if it failed".
// The reason, in words, is in the pm_report that was passed.
typedef enum pm_result {
    PM_OK = 0,
    PM_ERROR_MEMORY,      // the allocator returned NULL; everything taken until then was released
    PM_ERROR_FILE,        // a file could not be opened or read
    PM_ERROR_FORMAT,      // bytes that are not what they claim to be
    PM_ERROR_UNSUPPORTED, // well formed, but of a kind that this build does not read
    PM_ERROR_DATA,        // animation data that a strict caller refuses, or that cannot be repaired
    PM_ERROR_ARGUMENT     // an options struct or job that is not initialised or not valid
} pm_result;

// The result's name as text ("PM_ERROR_DATA"); static memory.
PM_API const char *pm_result_name(pm_result result);

// Where memory comes from, for everything that happens before sampling. Sampling allocates nothing.
//   allocate  returns `size` bytes aligned to `alignment` (a power of two, at most PM_ALIGNMENT), or NULL
//   release   takes back what allocate returned; never called with NULL
//   user      handed to both
// A NULL pm_allocator means the C library's. An allocator must outlive what was made with it, and is called
// only from the thread that called Posemill.
typedef struct pm_allocator {
    void *(*allocate)(size_t size, size_t alignment, void *user);
    void (*release)(void *memory, void *user);
    void *user;
} pm_allocator;

#ifdef __cplusplus
}
#endif

#endif
