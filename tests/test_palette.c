// The palette job: from poses to model matrices and palettes.
#include "support/palettes.h"

#include <criterion/criterion.h>
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Whether the host flushes denormals, where tests know how to say so.
#if defined(__SSE2__)
#include <xmmintrin.h>

enum { FLUSHES = 0x8040 }; // to zero, results and operands

static void set_flushing(bool flushes) {
    _mm_setcsr((_mm_getcsr() & ~(unsigned)FLUSHES) | (flushes ? FLUSHES : 0u));
}

static bool get_flushing(void) {
    return (_mm_getcsr() & FLUSHES) == FLUSHES;
}
#else
static bool flushing;

static void set_flushing(bool flushes) {
    flushing = flushes;
}

static bool get_flushing(void) {
    return flushing;
}
#endif

enum { JOINTS = 37, INSTANCES = PALETTES_INSTANCES };

static palettes *p;

static void make(void) {
    p = palettes_create(1, JOINTS);
}

static void drop(void) {
    palettes_destroy(p);
}

TestSuite(palette, .init = make, .fini = drop);

// A copy of what was written.
static const palettes_output *keep_output(void) {
    static palettes_output kept;
    kept = p->output;
    return &kept;
}

Test(palette, matrices_take_whole_cache_lines_four_by_four) {
    static const uint32_t counts[] = {0, 1, 3, 4, 5, 63, 64, UINT32_MAX};
    static const uint64_t fours[] = {0, 1, 1, 1, 2, 16, 16, UINT64_C(1) << 30};
    for (int i = 0; i < 7 + (sizeof(size_t) > 4); i++)
        cr_assert_eq(pm_matrices_size(counts[i]), fours[i] * 4 * 48);
}

// A root and its child, and a skin of the child, the root, the child.
static void take_two_joints(const float inverse_binds[3][PM_MATRIX_FLOATS]) {
    const uint32_t parents[] = {PM_NONE, 0}, joints[] = {1, 0, 1};
    const pm_skin_def skin = {"skin", 3, joints, inverse_binds[0]};
    palettes_take(p, palettes_skeleton(1, 2, parents, 1, &skin));
    p->job.instance_count = 1;
}

Test(palette, of_two_joints_is_what_comes_out_by_hand) {
    // By a third of a turn about (1, 1, 1), x goes to y, y to z, z to x; exactly, as do all numbers here.
    const pm_transform root = {{1, 2, 3}, {0.5f, 0.5f, 0.5f, 0.5f}, {2, 3, 4}};
    const pm_transform child = {{10, 20, 30}, {0, 0, 1, 0}, {1, -1, 0.5f}}; // half a turn about z
    const float placement[] = {1, 0, 0, 100, 0, 0, -1, 200, 0, 1, 0, 300};  // y goes to z, z to -y
    const float inverse_binds[3][PM_MATRIX_FLOATS] = {
        {1, 0, 0, -1, 0, 1, 0, -2, 0, 0, 1, -3},
        {0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 5},
        {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0},
    };
    const float models[4][PM_MATRIX_FLOATS] = {
        {0, 0, 4, 101, 0, -3, 0, 197, 2, 0, 0, 302},
        {0, 0, 2, 221, 0, -3, 0, 137, -2, 0, 0, 322},
        {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0},
        {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0},
    };
    const float palette[4][PM_MATRIX_FLOATS] = {
        {0, 0, 2, 215, 0, -3, 0, 143, -2, 0, 0, 324},
        {4, 0, 0, 121, 0, 0, -3, 197, 0, 2, 0, 302},
        {0, 0, 4, 221, 0, -6, 0, 137, -4, 0, 0, 322},
        {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0},
    };
    take_two_joints(inverse_binds);
    pm_pose_set_joint(p->poses[0], 0, &root);
    pm_pose_set_joint(p->poses[0], 1, &child);
    p->job.placements = placement;
    for (uint32_t k = 0; pm_kernels_at(k); k++) {
        p->job.kernels = pm_kernels_at(k);
        cr_assert_eq(palettes_run(p, 0, 1), 0);
        for (int m = 0; m < 4; m++)
            for (int n = 0; n < PM_MATRIX_FLOATS; n++) {
                const int at = m * PM_MATRIX_FLOATS + n;
                cr_assert_eq(p->output.models[0][at], models[m][n], "model %d, number %d", m, n);
                cr_assert_eq(p->output.palettes[0][at], palette[m][n], "entry %d, number %d", m, n);
            }
        palettes_expect_padding(p, 1);
    }
}

Test(palette, turns_a_child_by_its_parents_quarter_turn) {
    // The root turns x to y and y to -x; the child is 2 along the root's x, which the scale makes 6.
    const float half = sqrtf(0.5f);
    const pm_transform root = {{1, 0, 0}, {0, 0, half, half}, {3, 1, 1}};
    const pm_transform child = {{2, 5, 7}, {0, 0, 0, 1}, {1, 1, 1}};
    const float inverse_binds[3][PM_MATRIX_FLOATS] = {{1, 0, 0, -1, 0, 1, 0, 0, 0, 0, 1, 0}};
    const float root_model[] = {0, -1, 0, 1, 3, 0, 0, 0, 0, 0, 1, 0};
    const float child_model[] = {0, -1, 0, -4, 3, 0, 0, 6, 0, 0, 1, 7};
    const float entry[] = {0, -1, 0, -4, 3, 0, 0, 3, 0, 0, 1, 7};
    take_two_joints(inverse_binds);
    pm_pose_set_joint(p->poses[0], 0, &root);
    pm_pose_set_joint(p->poses[0], 1, &child);
    p->job.placements = NULL;
    palettes_run(p, 0, 1);
    for (int n = 0; n < PM_MATRIX_FLOATS; n++) {
        cr_assert_float_eq(p->output.models[0][n], root_model[n], 1e-6);
        cr_assert_float_eq(p->output.models[0][PM_MATRIX_FLOATS + n], child_model[n], 1e-6);
        cr_assert_float_eq(p->output.palettes[0][n], entry[n], 1e-6);
    }
}

// Compares one instance with double precision. Returns the largest difference, as a part of the bound.
static double compare_instance(uint32_t instance) {
    static matrices_bounded models[PALETTES_JOINTS];
    const pm_skeleton *skeleton = p->skeleton;
    const matrices_bounded placement = matrices_given(p->placements[instance]);
    double worst = 0;
    for (uint32_t j = 0; j < skeleton->joint_count; j++) {
        const uint32_t parent = skeleton->parents[j];
        const matrices_bounded local = matrices_local(p->poses[instance], j);
        models[j] = matrices_multiply(parent == PM_NONE ? &placement : &models[parent], &local);
        const float *actual = p->output.models[instance] + (size_t)j * PM_MATRIX_FLOATS;
        worst = fmax(worst, matrices_difference(&models[j], actual));
    }
    const float *actual = p->output.palettes[instance];
    for (uint32_t s = 0; s < skeleton->skin_count; s++)
        for (uint32_t j = 0; j < skeleton->skins[s].joint_count; j++, actual += PM_MATRIX_FLOATS) {
            const pm_skin *skin = skeleton->skins + s;
            const matrices_bounded bind = matrices_given(skin->inverse_binds + (size_t)j * PM_MATRIX_FLOATS);
            const matrices_bounded entry = matrices_multiply(&models[skin->joints[j]], &bind);
            worst = fmax(worst, matrices_difference(&entry, actual));
        }
    return worst;
}

Test(palette, agrees_with_double_precision) {
    static const uint32_t counts[] = {1, 3, 4, 5, 16, 17, JOINTS, PALETTES_JOINTS};
    double worst = 0;
    for (int i = 0; i < 8; i++)
        for (uint64_t seed = 1; seed <= 5; seed++) {
            palettes_destroy(p);
            p = palettes_create(seed, counts[i]);
            cr_assert_eq(palettes_run(p, 0, INSTANCES), 0);
            palettes_expect_padding(p, INSTANCES);
            for (uint32_t instance = 0; instance < INSTANCES; instance++)
                worst = fmax(worst, compare_instance(instance));
        }
    cr_assert_leq(worst, 1); // see matrices.c for the bound
    cr_assert_gt(worst, 0.1, "%g: a bound that says nothing", worst);
}

Test(palette, sums_are_in_the_order_that_the_manual_states) {
    // Local matrices to the bit: models of the same joints that are all roots.
    static palettes_output locals;
    uint32_t roots[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) roots[i] = PM_NONE;
    palettes *flat = palettes_create(1, JOINTS);
    palettes_take(flat, palettes_skeleton(1, JOINTS, roots, 0, NULL));
    flat->job.palettes = NULL;
    flat->job.placements = NULL;
    palettes_run(flat, 0, INSTANCES);
    locals = flat->output;
    palettes_destroy(flat);

    palettes_run(p, 0, INSTANCES);
    const pm_skin *skin = p->skeleton->skins;
    for (uint32_t i = 0; i < INSTANCES; i++) {
        const float *models = p->output.models[i];
        float expected[PM_MATRIX_FLOATS];
        for (uint32_t j = 0; j < JOINTS; j++) {
            const uint32_t parent = p->skeleton->parents[j];
            const float *above = parent == PM_NONE ? p->placements[i] : models + parent * PM_MATRIX_FLOATS;
            matrices_product(above, locals.models[i] + j * PM_MATRIX_FLOATS, expected);
            cr_assert_arr_eq(models + j * PM_MATRIX_FLOATS, expected, sizeof expected, "joint %u", j);
        }
        for (uint32_t e = 0; e < skin->joint_count; e++) {
            matrices_product(models + skin->joints[e] * PM_MATRIX_FLOATS,
                             skin->inverse_binds + e * PM_MATRIX_FLOATS, expected);
            cr_assert_arr_eq(p->output.palettes[i] + e * PM_MATRIX_FLOATS, expected, sizeof expected);
        }
    }
}

// Runs the first `count` instances, and compares with the same of `expected`.
static void expect_first(uint32_t count, const palettes_output *expected) {
    cr_assert_eq(palettes_run(p, 0, count), 0);
    palettes_expect_padding(p, count);
    const char *name = pm_kernels_name(p->job.kernels);
    if (p->job.models)
        cr_assert_eq(memcmp(p->output.models, expected->models, count * sizeof expected->models[0]), 0,
                     "models, %s, %u instances", name, count);
    if (p->job.palettes)
        cr_assert_eq(memcmp(p->output.palettes, expected->palettes, count * sizeof expected->palettes[0]), 0,
                     "palettes, %s, %u instances", name, count);
}

static void expect_same_on_every_kernel(uint32_t joint_count, uint32_t count_step) {
    palettes_destroy(p);
    p = palettes_create(2, joint_count);
    p->job.kernels = pm_kernels_find("portable");
    memset(&p->output, PALETTES_UNTOUCHED, sizeof p->output);
    for (uint32_t i = 0; i < INSTANCES; i++) palettes_go_on(p, i, i + 1);
    const palettes_output *expected = keep_output();
    for (uint32_t k = 0; pm_kernels_at(k); k++)
        for (uint32_t count = 1; count <= 40; count += count_step)
            for (int way = 0; way < 6; way++) {
                p->job.kernels = pm_kernels_at(k);
                p->job.streaming = way % 2 ? PM_STREAMING_ON : PM_STREAMING_OFF;
                p->job.models = way / 2 == 1 ? NULL : p->output.models[0];
                p->job.palettes = way / 2 == 2 ? NULL : p->output.palettes[0];
                expect_first(count, expected);
            }
}

Test(palette, every_kernel_equals_portable_bit_by_bit_stored_and_streamed) {
    expect_same_on_every_kernel(JOINTS, 1 + RIG_EVERY / 2);
}

Test(palette, every_kernel_equals_portable_for_any_number_of_joints) {
    static const uint32_t counts[] = {1, 2, 3, 4, 5, 16, 17, PALETTES_JOINTS};
    for (int i = 0; i < 8; i++) expect_same_on_every_kernel(counts[i], 3 * RIG_EVERY);
}

Test(palette, any_cut_of_the_range_gives_the_same_bits) {
    palettes_run(p, 0, INSTANCES);
    const palettes_output *expected = keep_output();
    cr_assert_eq(palettes_run(p, 9, 9), 0);
    palettes_expect_padding(p, 0);
    for (uint32_t size = 1; size <= INSTANCES; size += size < 20 ? 1 : 7) {
        memset(&p->output, PALETTES_UNTOUCHED, sizeof p->output);
        for (uint32_t begin = 0; begin < INSTANCES; begin += size)
            palettes_go_on(p, begin, begin + size < INSTANCES ? begin + size : INSTANCES);
        cr_assert_arr_eq(&p->output, expected, sizeof *expected, "ranges of %u", size);
    }
}

Test(palette, an_order_and_offsets_give_the_same_bits_and_leave_the_others_alone) {
    static palettes_output expected;
    palettes_run(p, 0, INSTANCES);
    expected = p->output;
    uint32_t order[INSTANCES];
    size_t poses[INSTANCES], models[INSTANCES], matrices[INSTANCES];
    for (uint32_t i = 0; i < INSTANCES; i++) {
        order[i] = i * 37 % INSTANCES;
        // Of poses, each second one's place is that of the instance before.
        poses[i] = (i & ~1u) * sizeof p->poses[0];
        models[i] = (INSTANCES - 1 - i) * sizeof expected.models[0];
        matrices[i] = i * sizeof expected.palettes[0];
        if (i % 2) memcpy(p->poses[i], p->poses[i - 1], sizeof p->poses[i]);
    }
    palettes_run(p, 0, INSTANCES);
    expected = p->output;
    memset(p->poses[1], 0xff, sizeof p->poses[1]); // not read
    p->job.order = order;
    p->job.order_count = INSTANCES - 1;
    p->job.pose_offsets = poses;
    p->job.model_offsets = models;
    p->job.palette_offsets = matrices;
    p->job.pose_stride = p->job.model_stride = p->job.palette_stride = 3; // not looked at
    palettes_run(p, 0, INSTANCES - 1);
    const uint32_t left = order[INSTANCES - 1];
    memset(expected.models[left], PALETTES_UNTOUCHED, sizeof expected.models[left]);
    memset(expected.palettes[left], PALETTES_UNTOUCHED, sizeof expected.palettes[left]);
    cr_assert_arr_eq(p->output.palettes, expected.palettes, sizeof expected.palettes);
    for (uint32_t i = 0; i < INSTANCES; i++)
        cr_assert_arr_eq(p->output.models[INSTANCES - 1 - i], expected.models[i], sizeof expected.models[i]);
}

Test(palette, strides_of_0_read_one_pose_and_one_placement_for_all) {
    for (uint32_t i = 1; i < INSTANCES; i++) {
        memcpy(p->poses[i], p->poses[0], sizeof p->poses[0]);
        memcpy(p->placements[i], p->placements[0], sizeof p->placements[0]);
    }
    palettes_run(p, 0, INSTANCES);
    const palettes_output *expected = keep_output();
    memset(p->poses[1], 0xff, sizeof p->poses - sizeof p->poses[0]);
    memset(p->placements[1], 0xff, sizeof p->placements - sizeof p->placements[0]);
    p->job.pose_stride = p->job.placement_stride = 0;
    palettes_run(p, 0, INSTANCES);
    cr_assert_arr_eq(&p->output, expected, sizeof *expected);
}

Test(palette, no_placements_are_identity) {
    static const float identity[PM_MATRIX_FLOATS] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    p->job.placements = identity;
    p->job.placement_stride = 0;
    palettes_run(p, 0, INSTANCES);
    const palettes_output *expected = keep_output();
    p->job.placements = NULL;
    palettes_run(p, 0, INSTANCES);
    cr_assert_arr_eq(&p->output, expected, sizeof *expected);
}

Test(palette, joints_beyond_the_limit_rest_on_their_moved_parents_and_their_blocks_are_not_there) {
    for (uint32_t limit = 0; limit <= 4; limit++) {
        // Where the last instance's evaluated blocks end, so does the memory.
        const uint32_t blocks = limit < 3 ? limit : 3;
        pm_pose_block *few = aligned_alloc(64, blocks ? INSTANCES * blocks * sizeof *few : 64);
        palettes *full = palettes_create(1, JOINTS);
        for (uint32_t i = 0; i < INSTANCES; i++) {
            memcpy(few + i * blocks, p->poses[i], blocks * sizeof *few);
            memcpy(full->poses[i] + blocks, p->skeleton->rest + blocks, (3 - blocks) * sizeof *few);
        }
        palettes_run(full, 0, INSTANCES);
        p->job.poses = few;
        p->job.pose_stride = blocks * sizeof *few;
        p->job.block_limit = limit;
        for (uint32_t k = 0; pm_kernels_at(k); k++) {
            p->job.kernels = pm_kernels_at(k);
            palettes_run(p, 0, INSTANCES);
            cr_assert_arr_eq(&p->output, &full->output, sizeof full->output, "%u blocks", limit);
        }
        palettes_destroy(full);
        free(few);
    }
}

// The skins of a range, as they lie in palettes of all skins.
static void expect_skins(const palettes_output *all, uint32_t first_skin, uint32_t skin_count) {
    uint32_t before = 0;
    for (uint32_t s = 0; s < first_skin; s++) before += p->skeleton->skins[s].joint_count;
    p->job.first_skin = first_skin;
    p->job.skin_count = skin_count;
    const size_t size = palettes_entry_count(p) * sizeof(float[PM_MATRIX_FLOATS]);
    palettes_run(p, 0, INSTANCES);
    palettes_expect_padding(p, INSTANCES);
    for (uint32_t i = 0; i < INSTANCES; i++) {
        cr_assert_arr_eq(p->output.palettes[i], all->palettes[i] + before * PM_MATRIX_FLOATS, size);
        cr_assert_arr_eq(p->output.models[i], all->models[i], sizeof all->models[i]);
    }
}

Test(palette, holds_the_skins_that_are_asked_for_one_behind_the_other) {
    palettes_run(p, 0, INSTANCES);
    const palettes_output *all = keep_output();
    cr_assert_eq(p->skeleton->skins[1].joint_count, 0);
    for (uint32_t k = 0; pm_kernels_at(k); k++) {
        p->job.kernels = pm_kernels_at(k);
        expect_skins(all, 0, 1);
        expect_skins(all, 0, 2);
        expect_skins(all, 1, 2);
        expect_skins(all, 2, 1);
        expect_skins(all, 2, UINT32_MAX);
        expect_skins(all, 3, 7);
    }
}

Test(palette, models_alone_need_no_skin) {
    palettes_run(p, 0, INSTANCES);
    const palettes_output *expected = keep_output();
    p->job.palettes = NULL;
    p->job.first_skin = 9;
    palettes_run(p, 0, INSTANCES);
    cr_assert_arr_eq(p->output.models, expected->models, sizeof expected->models);
}

// Poses of numbers so small that sums of their products are denormal.
static void shrink_poses(void) {
    float *numbers = p->poses[0][0].translation[0];
    for (size_t n = 0; n < sizeof p->poses / sizeof(float); n++) numbers[n] *= 1e-20f;
    for (uint32_t i = 0; i < INSTANCES; i++)
        for (uint32_t n = 0; n < PM_MATRIX_FLOATS; n++) p->placements[i][n] *= 1e-19f;
}

static uint32_t count_denormals(const palettes_output *output) {
    const float *models = output->models[0];
    uint32_t count = 0;
    for (uint32_t n = 0; n < JOINTS * PM_MATRIX_FLOATS; n++)
        count += fabsf(models[n]) < FLT_MIN && fabsf(models[n]) > 0;
    return count;
}

Test(palette, a_host_that_flushes_or_rounds_another_way_gets_the_same_bits_and_its_mode_back) {
    static const int roundings[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};
    for (int small = 0; small < 2; small++) {
        if (small) shrink_poses();
        palettes_run(p, 0, INSTANCES);
        const palettes_output *expected = keep_output();
        if (small) cr_assert_gt(count_denormals(expected), 10);
        for (uint32_t k = 0; pm_kernels_at(k); k++)
            for (int m = 0; m < 8; m++) {
                p->job.kernels = pm_kernels_at(k);
                fesetround(roundings[m % 4]);
                set_flushing(m / 4);
                palettes_run(p, 0, INSTANCES);
                const bool kept = fegetround() == roundings[m % 4] && get_flushing() == m / 4;
                set_flushing(0);
                fesetround(FE_TONEAREST);
                cr_assert(kept, "%s, mode %d", pm_kernels_name(p->job.kernels), m);
                cr_assert_eq(memcmp(&p->output, expected, sizeof *expected), 0, "%s, mode %d",
                             pm_kernels_name(p->job.kernels), m);
            }
    }
}

#define INVALID(change, word)                                                                                \
    do {                                                                                                     \
        pm_palette_job job = p->job;                                                                         \
        change;                                                                                              \
        const char *fault = pm_palette_validate(&job);                                                       \
        cr_assert(fault &&strstr(fault, word), "\"%s\" does not say \"%s\"", fault ? fault : "valid", word); \
    } while (0)

Test(palette, every_way_to_be_invalid_has_its_reason) {
    pm_skeleton empty = *p->skeleton;
    empty.joint_count = 0;
    cr_assert_null(pm_palette_validate(&p->job));
    cr_assert(strstr(pm_palette_validate(NULL), "the job is NULL"));
    INVALID(job.cookie = 0, "pm_default_palette_job");
    INVALID(job.kernels = NULL, "kernels is NULL");
    INVALID(job.streaming = (pm_streaming)3, "streaming");
    INVALID(job.skeleton = NULL, "skeleton is NULL");
    INVALID(job.skeleton = &empty, "no joints");
    INVALID(job.placements = (const float *)((const char *)job.placements + 2), "placements or");
    INVALID(job.placement_stride += 2, "placements or placement_stride");
    INVALID(job.order_count = 1, "order is NULL");
    INVALID(job.poses = NULL, "not one of poses, sample, blend and interpolate");
    INVALID(job.poses = (const pm_pose_block *)((const char *)job.poses + 32), "poses or pose_stride");
    INVALID(job.pose_stride += 32, "poses or pose_stride");
    INVALID(job.pose_stride = 2 * sizeof(pm_pose_block), "pose_stride is below");
    INVALID((job.models = NULL, job.palettes = NULL), "nothing would be written");
    INVALID(job.models += 8, "models or model_stride");
    INVALID(job.model_stride += 32, "models or model_stride");
    INVALID(job.model_stride = pm_matrices_size(JOINTS) - 64, "model_stride is below");
    INVALID(job.model_stride = 0, "model_stride is below");
    INVALID(job.palettes += 8, "palettes or palette_stride");
    INVALID(job.palette_stride += 32, "palettes or palette_stride");
    INVALID(job.palette_stride = pm_matrices_size(palettes_entry_count(p)) - 64, "palette_stride is below");
    INVALID(job.first_skin = PALETTES_SKINS, "no such skin");
    INVALID(job.skin_count = 0, "no such skin");
    INVALID((job.first_skin = 1, job.skin_count = 1), "no such skin");
}

Test(palette, a_job_needs_no_more_than_it_uses) {
    const size_t offsets[INSTANCES] = {0};
    p->job.pose_stride = 3 * sizeof(pm_pose_block);
    p->job.model_stride = pm_matrices_size(JOINTS);
    p->job.palette_stride = pm_matrices_size(palettes_entry_count(p));
    cr_assert_null(pm_palette_validate(&p->job));
    p->job.block_limit = 1;
    p->job.pose_stride = sizeof(pm_pose_block);
    cr_assert_null(pm_palette_validate(&p->job));
    p->job.skin_count = 1;
    p->job.palette_stride = pm_matrices_size(palettes_entry_count(p));
    cr_assert_null(pm_palette_validate(&p->job));
    p->job.pose_offsets = p->job.model_offsets = p->job.palette_offsets = offsets;
    p->job.pose_stride = p->job.model_stride = p->job.palette_stride = 1;
    cr_assert_null(pm_palette_validate(&p->job));
    p->job.pose_offsets = p->job.model_offsets = p->job.palette_offsets = NULL;
    p->job.pose_stride = p->job.model_stride = p->job.palette_stride = 0;
    p->job.instance_count = 1;
    cr_assert_null(pm_palette_validate(&p->job));
}
