// Tests: an allocator that counts, and that fails when told to.
#ifndef FAILING_ALLOCATOR_H
#define FAILING_ALLOCATOR_H

#include <posemill/base.h>

// Zero-initialise, set `fail_at`, hand failing_allocator_interface() to the code under test.
//
//     for (uint64_t fail_at = 1;; fail_at++) {
//         failing_allocator memory = {.fail_at = fail_at};
//         pm_allocator allocator = failing_allocator_interface(&memory);
//         pm_result result = ...;
//         if (memory.allocation_count < fail_at) break; // it came through without reaching the failure
//         cr_assert_eq(result, PM_ERROR_MEMORY);
//         cr_assert_eq(memory.live_count, 0);
//     }
typedef struct failing_allocator {
    uint64_t fail_at;          // the allocation that returns NULL, counted from 1; 0 for none
    uint64_t allocation_count; // asked for, the failed one included
    uint64_t live_count;       // not yet released
    size_t live_bytes;
    size_t peak_bytes;
} failing_allocator;

pm_allocator failing_allocator_interface(failing_allocator *memory);

#endif
