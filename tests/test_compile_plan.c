// Clips as memory: sizes, bytes, lifetimes, failing allocators.
#include "support/failing_allocator.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 20, KEYS = 7, CHANNELS = 8 };

// A source with constants, two timelines, all modes and paths; some of it faulty, so that repairs run too.
typedef struct mixture {
    float times[KEYS], other_times[KEYS], shuffled_times[KEYS];
    float vectors[KEYS * 3], rotations[KEYS * 4], tangents[KEYS * 4], zero[KEYS * 4];
    pm_channel channels[CHANNELS];
    char name[8];
} mixture;

static void fill(mixture *m) {
    rig_random random = {42};
    for (int k = 0; k < KEYS; k++) {
        m->times[k] = (float)k * 0.25f;
        m->other_times[k] = (float)k * 0.2f + (float)(k * k) * 0.01f;
        m->shuffled_times[k] = (float)(k * 3 % KEYS) * 0.25f;
        rig_random_rotation(&random, m->rotations + 4 * k);
    }
    for (int i = 0; i < KEYS * 3; i++) m->vectors[i] = rig_random_between(&random, -1, 1);
    for (int i = 0; i < KEYS * 4; i++) m->tangents[i] = rig_random_between(&random, -1, 1);
    memset(m->zero, 0, sizeof m->zero);
    const float *t = m->times, *o = m->other_times, *v = m->vectors, *r = m->rotations, *d = m->tangents;
    m->channels[0] = rig_channel(PM_PATH_TRANSLATION, PM_INTERPOLATION_LINEAR, 0, KEYS, t, v, NULL, NULL);
    m->channels[1] = rig_channel(PM_PATH_ROTATION, PM_INTERPOLATION_LINEAR, 1, KEYS, o, r, NULL, NULL);
    m->channels[2] = rig_channel(PM_PATH_ROTATION, PM_INTERPOLATION_CUBIC, 2, KEYS, t, r, d, d);
    m->channels[3] = rig_channel(PM_PATH_ROTATION, PM_INTERPOLATION_STEP, 18, KEYS, t, r, NULL, NULL);
    m->channels[4] = rig_channel(PM_PATH_SCALE, PM_INTERPOLATION_CUBIC, 18, KEYS, o, v, d, d);
    m->channels[5] = rig_channel(PM_PATH_SCALAR, PM_INTERPOLATION_STEP, 0, KEYS, t, v, NULL, NULL);
    m->channels[6] =
        rig_channel(PM_PATH_TRANSLATION, PM_INTERPOLATION_LINEAR, 3, KEYS, m->shuffled_times, v, NULL, NULL);
    m->channels[7] = rig_channel(PM_PATH_ROTATION, PM_INTERPOLATION_LINEAR, 4, KEYS, t, m->zero, NULL, NULL);
    strcpy(m->name, "odd");
    m->channels[7].name = m->name;
}

static mixture source_data;
static pm_clip_source source;
static pm_skeleton *skeleton;

static void make(void) {
    skeleton = rig_skeleton(JOINTS, 1);
    fill(&source_data);
    source = rig_source(source_data.channels, CHANNELS);
}

static void drop(void) {
    pm_skeleton_destroy(skeleton);
}

TestSuite(compile_plan, .init = make, .fini = drop);

Test(compile_plan, size_is_known_beforehand_and_a_multiple_of_64) {
    pm_clip_plan *plan;
    cr_assert_eq(pm_clip_plan_create(&source, skeleton, NULL, NULL, &plan, NULL), PM_OK);
    size_t size = pm_clip_plan_size(plan);
    cr_assert_gt(size, 0);
    cr_assert_eq(size % 64, 0);
    unsigned char *memory = aligned_alloc(64, size + 64);
    memset(memory + size, 0x5A, 64);
    const pm_clip *clip = pm_clip_plan_write(plan, memory);
    cr_assert_eq((const void *)clip, (const void *)memory);
    for (int i = 0; i < 64; i++) cr_assert_eq(memory[size + (size_t)i], 0x5A);
    cr_assert_eq(pm_clip_get_info(clip).size_bytes, size);
    free(memory);
    pm_clip_plan_destroy(plan);
    pm_clip_plan_destroy(NULL);
}

Test(compile_plan, bytes_depend_neither_on_place_nor_on_what_was_there) {
    pm_clip_plan *plan;
    cr_assert_eq(pm_clip_plan_create(&source, skeleton, NULL, NULL, &plan, NULL), PM_OK);
    size_t size = pm_clip_plan_size(plan);
    unsigned char *first = aligned_alloc(64, size), *second = aligned_alloc(64, size);
    memset(first, 0xFF, size);
    memset(second, 0x00, size);
    pm_clip_plan_write(plan, first);
    pm_clip_plan_write(plan, second);
    cr_assert_arr_eq(first, second, size);
    failing_allocator dirty = {0};
    pm_allocator allocator = failing_allocator_interface(&dirty);
    pm_clip *clip;
    cr_assert_eq(pm_clip_compile(&source, skeleton, NULL, &allocator, &clip, NULL), PM_OK);
    cr_assert_eq(pm_clip_get_info(clip).size_bytes, size);
    cr_assert_arr_eq(clip, first, size);
    pm_clip_destroy(clip, &allocator);
    cr_assert_eq(dirty.live_count, 0);
    pm_clip_plan_destroy(plan);
    free(first);
    free(second);
}

Test(compile_plan, plan_refers_to_nothing_of_source_and_skeleton) {
    pm_clip *expected = rig_compile(source.channels, CHANNELS, skeleton, NULL);
    mixture *copy = malloc(sizeof *copy);
    fill(copy);
    pm_skeleton *other = rig_skeleton(JOINTS, 1);
    char *name = malloc(5);
    strcpy(name, "Test");
    pm_clip_source volatile_source = {"rig.glb", name, CHANNELS, copy->channels};
    pm_clip_plan *plan;
    cr_assert_eq(pm_clip_plan_create(&volatile_source, other, NULL, NULL, &plan, NULL), PM_OK);
    memset(copy, 0xEE, sizeof *copy);
    free(copy);
    free(name);
    pm_skeleton_destroy(other);
    void *memory = aligned_alloc(64, pm_clip_plan_size(plan));
    pm_clip_plan_write(plan, memory);
    cr_assert_arr_eq(memory, expected, pm_clip_plan_size(plan));
    pm_clip_plan_destroy(plan);
    free(memory);
    pm_clip_destroy(expected, NULL);
    pm_clip_destroy(NULL, NULL);
}

Test(compile_plan, survives_a_failure_at_every_allocation) {
    uint64_t fail_at = 1;
    for (;; fail_at++) {
        failing_allocator memory = {.fail_at = fail_at};
        pm_allocator allocator = failing_allocator_interface(&memory);
        pm_report report = {0};
        pm_clip *clip = (pm_clip *)&report;
        pm_result result = pm_clip_compile(&source, skeleton, NULL, &allocator, &clip, &report);
        if (memory.allocation_count < fail_at) {
            cr_assert_eq(result, PM_OK);
            cr_assert_eq(memory.live_count, 1, "%u pieces for one clip", (unsigned)memory.live_count);
            pm_clip_destroy(clip, &allocator);
            cr_assert_eq(memory.live_count, 0);
            break;
        }
        cr_assert_eq(result, PM_ERROR_MEMORY);
        cr_assert_null(clip);
        cr_assert_eq(report.fault, PM_FAULT_MEMORY);
        cr_assert_eq(memory.live_count, 0);
    }
    cr_assert_gt(fail_at, 2);
}

Test(compile_plan, refused_clip_leaves_nothing_behind) {
    pm_compile_options strict = pm_default_compile_options();
    strict.policy = PM_POLICY_STRICT;
    failing_allocator memory = {0};
    pm_allocator allocator = failing_allocator_interface(&memory);
    pm_clip *clip;
    cr_assert_eq(pm_clip_compile(&source, skeleton, &strict, &allocator, &clip, NULL), PM_ERROR_DATA);
    cr_assert_null(clip);
    cr_assert_gt(memory.allocation_count, 0);
    cr_assert_eq(memory.live_count, 0);
}

Test(compile_plan, facts_add_up) {
    pm_clip *clip = rig_compile(source.channels, CHANNELS, skeleton, NULL);
    pm_clip_info info = pm_clip_get_info(clip);
    cr_assert_str_eq(info.name, "Test");
    cr_assert_eq(info.joint_count, JOINTS);
    cr_assert_eq(info.block_count, 2);
    cr_assert_eq(info.scalar_count, 1);
    cr_assert_eq(info.scalar_block_count, 1);
    cr_assert_eq(info.channel_count, CHANNELS - 1);
    cr_assert_eq(info.track_count, 2 * 3 + 1);
    cr_assert_leq(info.cursor_count, info.timeline_count);
    size_t key_bytes = 0;
    uint32_t seen[PM_PATH_COUNT] = {0};
    for (uint32_t i = 0; i < info.track_count; i++) {
        pm_track_info track = pm_clip_get_track(clip, i);
        key_bytes += track.size_bytes;
        seen[track.path] |= 1u << track.block;
        if (track.kind == PM_TRACK_CONSTANT) {
            cr_assert_eq(track.timeline, PM_NONE);
            cr_assert_eq(track.key_count, 1);
        } else if (track.kind == PM_TRACK_SHARED) {
            cr_assert_lt(track.timeline, info.timeline_count);
            cr_assert_geq(track.key_count, pm_clip_get_timeline(clip, track.timeline).key_count);
        }
    }
    cr_assert_eq(seen[PM_PATH_TRANSLATION], 3);
    cr_assert_eq(seen[PM_PATH_ROTATION], 3);
    cr_assert_eq(seen[PM_PATH_SCALE], 3);
    cr_assert_eq(seen[PM_PATH_SCALAR], 1);
    cr_assert_lt(key_bytes, info.size_bytes);
    for (uint32_t i = 0; i < info.timeline_count; i++) {
        pm_timeline_info timeline = pm_clip_get_timeline(clip, i);
        cr_assert_gt(timeline.key_count, 1);
        cr_assert_lt(timeline.first_seconds, timeline.last_seconds);
        cr_assert_leq(timeline.last_seconds, info.duration_seconds);
    }
    pm_clip_destroy(clip, NULL);
}

Test(compile_plan, constants_cost_one_key_and_no_timeline) {
    static const float times[] = {0, 1, 2}, still[] = {1, 2, 3, 1, 2, 3, 1, 2, 3};
    pm_channel channels[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        channels[i] =
            rig_channel(PM_PATH_TRANSLATION, PM_INTERPOLATION_LINEAR, i, 3, times, still, NULL, NULL);
    }
    pm_clip *clip = rig_compile(channels, JOINTS, skeleton, NULL);
    pm_clip_info info = pm_clip_get_info(clip);
    cr_assert_eq(info.timeline_count, 0);
    cr_assert_eq(info.cursor_count, 0);
    cr_assert_eq(info.duration_seconds, 2);
    for (uint32_t i = 0; i < info.track_count; i++) {
        cr_assert_eq(pm_clip_get_track(clip, i).kind, PM_TRACK_CONSTANT);
    }
    cr_assert_eq(rig_joint(clip, 19, 1.5f).translation[2], 3);
    pm_clip_destroy(clip, NULL);
}

Test(compile_plan, clip_without_a_name_has_an_empty_one) {
    pm_clip_source nameless = {NULL, NULL, CHANNELS, source_data.channels};
    pm_clip *clip;
    cr_assert_eq(pm_clip_compile(&nameless, skeleton, NULL, NULL, &clip, NULL), PM_OK);
    cr_assert_str_eq(pm_clip_get_info(clip).name, "");
    pm_clip_destroy(clip, NULL);
}
