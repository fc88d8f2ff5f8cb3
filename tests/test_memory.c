#include <posemill/skeleton.h>

#include "memory.h"
#include "support/failing_allocator.h"

#include <criterion/criterion.h>
#include <string.h>

static const pm_transform identity = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};

static pm_result create_skeleton(const pm_allocator *allocator, pm_skeleton **skeleton, pm_report *report) {
    pm_node_def nodes[40];
    for (uint32_t i = 0; i < 40; i++) nodes[i] = (pm_node_def){"joint", i ? i - 1 : PM_NONE, identity, true};
    uint32_t skin_nodes[] = {1, 2, 3};
    pm_skin_def skin = {"skin", 3, skin_nodes, NULL};
    pm_scalar_def scalar = {"smile", 2, 0.5f};
    pm_skeleton_def def = {.node_count = 40,
                           .nodes = nodes,
                           .scalar_count = 1,
                           .scalars = &scalar,
                           .skin_count = 1,
                           .skins = &skin};
    return pm_skeleton_create(&def, allocator, skeleton, report);
}

Test(memory, skeleton_survives_a_failure_at_every_allocation) {
    uint64_t fail_at = 1;
    for (;; fail_at++) {
        failing_allocator memory = {.fail_at = fail_at};
        pm_allocator allocator = failing_allocator_interface(&memory);
        pm_report report = {0};
        pm_skeleton *skeleton = (pm_skeleton *)&report;
        pm_result result = create_skeleton(&allocator, &skeleton, &report);
        if (memory.allocation_count < fail_at) {
            cr_assert_eq(result, PM_OK);
            pm_skeleton_destroy(skeleton);
            cr_assert_eq(memory.live_count, 0);
            break;
        }
        cr_assert_eq(result, PM_ERROR_MEMORY);
        cr_assert_null(skeleton);
        cr_assert_eq(report.fault, PM_FAULT_MEMORY);
        cr_assert_eq(memory.live_count, 0);
    }
    cr_assert_gt(fail_at, 2);
}

Test(memory, skeleton_is_one_allocation) {
    failing_allocator memory = {0};
    pm_allocator allocator = failing_allocator_interface(&memory);
    pm_skeleton *skeleton;
    cr_assert_eq(create_skeleton(&allocator, &skeleton, NULL), PM_OK);
    cr_assert_eq(memory.live_count, 1);
    pm_skeleton_destroy(skeleton);
    cr_assert_eq(memory.live_count, 0);
    cr_assert_eq(memory.live_bytes, 0);
}

Test(memory, refused_skeleton_leaves_nothing_behind) {
    failing_allocator memory = {0};
    pm_allocator allocator = failing_allocator_interface(&memory);
    pm_node_def loop = {"loop", 0, identity, true};
    pm_skeleton_def def = {.node_count = 1, .nodes = &loop};
    pm_skeleton *skeleton;
    cr_assert_eq(pm_skeleton_create(&def, &allocator, &skeleton, NULL), PM_ERROR_DATA);
    cr_assert_gt(memory.allocation_count, 0);
    cr_assert_eq(memory.live_count, 0);
}

Test(memory, allocate_is_zeroed_aligned_and_refuses_overflow) {
    failing_allocator memory = {0};
    pm_allocator allocator = failing_allocator_interface(&memory);
    unsigned char *bytes = pm_allocate(&allocator, 100, 3);
    cr_assert_eq((uintptr_t)bytes % PM_ALIGNMENT, 0);
    for (int i = 0; i < 300; i++) cr_assert_eq(bytes[i], 0);
    pm_release(&allocator, bytes);
    cr_assert_null(pm_allocate(&allocator, SIZE_MAX / 2, 3));
    cr_assert_null(pm_allocate(&allocator, SIZE_MAX, 1));
    void *nothing = pm_allocate(&allocator, 0, 8);
    cr_assert_not_null(nothing);
    pm_release(&allocator, nothing);
    pm_release(&allocator, NULL);
    cr_assert_eq(memory.live_count, 0);
}

Test(memory, default_allocator_is_aligned) {
    pm_allocator allocator = pm_allocator_or_default(NULL);
    for (size_t size = 1; size < 300; size += 13) {
        void *memory = pm_allocate(&allocator, size, 1);
        cr_assert_eq((uintptr_t)memory % PM_ALIGNMENT, 0);
        memset(memory, 0xFF, size);
        pm_release(&allocator, memory);
    }
}

Test(memory, arena_pieces_are_zeroed_aligned_and_apart) {
    failing_allocator memory = {0};
    pm_arena arena = {failing_allocator_interface(&memory), NULL};
    enum { PIECES = 300 };
    unsigned char *pieces[PIECES];
    for (size_t i = 0; i < PIECES; i++) {
        size_t size = 1 + i * i % 1500;
        pieces[i] = pm_arena_allocate(&arena, size, 1);
        cr_assert_eq((uintptr_t)pieces[i] % (size >= PM_ALIGNMENT ? PM_ALIGNMENT : 16), 0);
        for (size_t j = 0; j < size; j++) cr_assert_eq(pieces[i][j], 0);
        memset(pieces[i], (int)(i % 255 + 1), size);
    }
    for (size_t i = 0; i < PIECES; i++) {
        size_t size = 1 + i * i % 1500;
        for (size_t j = 0; j < size; j++) cr_assert_eq(pieces[i][j], i % 255 + 1);
    }
    cr_assert_lt(memory.live_count, 10);
    pm_arena_release(&arena);
    cr_assert_eq(memory.live_count, 0);
}

Test(memory, arena_takes_large_pieces_and_refuses_overflow) {
    failing_allocator memory = {0};
    pm_arena arena = {failing_allocator_interface(&memory), NULL};
    unsigned char *large = pm_arena_allocate(&arena, 1000, 1000);
    cr_assert_not_null(large);
    large[999999] = 1;
    cr_assert_null(pm_arena_allocate(&arena, SIZE_MAX / 4, 8));
    cr_assert_null(pm_arena_allocate(&arena, SIZE_MAX, 1));
    char *text = pm_arena_copy_text(&arena, "abcdef", 3);
    cr_assert_str_eq(text, "abc");
    cr_assert_not_null(pm_arena_allocate(&arena, 0, 1));
    pm_arena_release(&arena);
    cr_assert_eq(memory.live_count, 0);
}
