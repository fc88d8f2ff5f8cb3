// The palette job where matrices would not be finite.
#include "support/palettes.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { JOINTS = 37, BLOCKS = 3, INSTANCES = 40, POSE_ROWS = 10 };

static const float none[PM_MATRIX_FLOATS] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
static const pm_transform at_rest = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};

static palettes *p;
static palettes_output sound; // where all is finite

static void make(void) {
    p = palettes_create(7, JOINTS);
    p->job.instance_count = INSTANCES;
    palettes_run(p, 0, INSTANCES);
    sound = p->output;
}

static void drop(void) {
    palettes_destroy(p);
}

TestSuite(palette_finite, .init = make, .fini = drop);

static const float *model_of(const palettes_output *output, uint32_t instance, uint32_t joint) {
    return output->models[instance] + joint * PM_MATRIX_FLOATS;
}

static float *number_of(pm_pose_block *pose, uint32_t joint, uint32_t row) {
    return pose[joint / PM_BLOCK_LANES].translation[0] + row * PM_BLOCK_LANES + joint % PM_BLOCK_LANES;
}

// Runs on all kernels, stored and streamed, and says what must have come out.
static void expect_everywhere(const palettes_output *expected, uint64_t mended) {
    for (uint32_t k = 0; pm_kernels_at(k); k++)
        for (int streaming = PM_STREAMING_ON; streaming <= PM_STREAMING_OFF; streaming++) {
            p->job.kernels = pm_kernels_at(k);
            p->job.streaming = (pm_streaming)streaming;
            uint64_t counted = palettes_run(p, 0, p->job.instance_count);
            const char *name = pm_kernels_name(p->job.kernels);
            palettes_expect_finite(p, p->job.instance_count);
            cr_assert_eq(memcmp(&p->output, expected, sizeof *expected), 0, "%s", name);
            cr_assert_eq(counted, mended, "%s: %u", name, (unsigned)counted);
        }
}

// One number of one joint of one instance, and what comes of it: the joint does as if it were not there.
static void expect_one_joint_at_rest(uint32_t instance, uint32_t joint, uint32_t row, float value) {
    static palettes_output expected;
    static pm_pose_block kept[BLOCKS];
    memcpy(kept, p->poses[instance], sizeof kept);
    pm_pose_set_joint(p->poses[instance], joint, &at_rest);
    p->job.kernels = pm_kernels_at(0);
    cr_assert_eq(palettes_run(p, 0, INSTANCES), 0);
    expected = p->output;
    const uint32_t parent = p->skeleton->parents[joint];
    const float *above = parent == PM_NONE ? p->placements[instance] : model_of(&expected, instance, parent);
    cr_assert_arr_eq(model_of(&expected, instance, joint), above, sizeof none);
    for (uint32_t i = 0; i < INSTANCES; i++) {
        if (i == instance) continue;
        cr_assert_arr_eq(expected.models[i], sound.models[i], sizeof sound.models[i]);
        cr_assert_arr_eq(expected.palettes[i], sound.palettes[i], sizeof sound.palettes[i]);
    }
    memcpy(p->poses[instance], kept, sizeof kept);
    *number_of(p->poses[instance], joint, row) = value;
    expect_everywhere(&expected, 1);
    memcpy(p->poses[instance], kept, sizeof kept);
}

Test(palette_finite, a_joint_whose_pose_is_no_number_has_its_parents_matrix_and_nobody_else_is_touched) {
    static const uint32_t instances[] = {0, 5, 15, 16, 31, 32, 39}, joints[] = {0, 7, 16, 36};
    static const float values[] = {NAN, INFINITY, -INFINITY};
    for (uint32_t n = 0; n < 7 * 4 * POSE_ROWS; n += RIG_EVERY)
        expect_one_joint_at_rest(instances[n % 7], joints[n / 7 % 4], n / 28, values[n % 3]);
}

Test(palette_finite, lanes_behind_the_last_joint_do_not_matter) {
    for (uint32_t i = 0; i < INSTANCES; i++)
        for (uint32_t lane = JOINTS; lane < BLOCKS * PM_BLOCK_LANES; lane++)
            for (uint32_t row = 0; row < POSE_ROWS; row++)
                *number_of(p->poses[i], lane, row) = row % 2 ? NAN : INFINITY;
    expect_everywhere(&sound, 0);
}

// A chain of joints without rotations, all of one scale, in all poses; its skin has each joint once.
static void take_chain(uint32_t joint_count, float scale, const float *inverse_binds) {
    uint32_t parents[JOINTS], joints[JOINTS];
    pm_transform transform = at_rest;
    for (int c = 0; c < 3; c++) transform.scale[c] = scale;
    for (uint32_t j = 0; j < joint_count; j++) {
        parents[j] = j - 1;
        joints[j] = j;
        for (uint32_t i = 0; i < INSTANCES; i++) pm_pose_set_joint(p->poses[i], j, &transform);
    }
    const pm_skin_def skin = {"chain", joint_count, joints, inverse_binds};
    palettes_take(p, palettes_skeleton(1, joint_count, parents, 1, &skin));
    p->job.placements = NULL;
}

static void set_diagonal(float *matrix, float value) {
    for (int n = 0; n < PM_MATRIX_FLOATS; n++) matrix[n] = none[n] * value;
}

// Output of identity matrices, padding included.
static void fill_with_identity(palettes_output *output, uint32_t joint_count, uint32_t entry_count) {
    memset(output, PALETTES_UNTOUCHED, sizeof *output);
    for (uint32_t i = 0; i < p->job.instance_count; i++) {
        for (uint32_t j = 0; j < (joint_count + 3) / 4 * 4; j++)
            set_diagonal(output->models[i] + j * PM_MATRIX_FLOATS, 1);
        for (uint32_t e = 0; e < (entry_count + 3) / 4 * 4; e++)
            set_diagonal(output->palettes[i] + e * PM_MATRIX_FLOATS, 1);
    }
}

Test(palette_finite, scales_that_multiply_beyond_all_numbers_stop_where_they_still_were_some) {
    static palettes_output expected;
    take_chain(5, 1e18f, NULL);
    // 1e18, 1e36, and then 1e54 would come.
    fill_with_identity(&expected, 5, 5);
    for (uint32_t i = 0; i < INSTANCES; i++)
        for (uint32_t j = 0; j < 5; j++) {
            set_diagonal(expected.models[i] + j * PM_MATRIX_FLOATS, j ? 1e18f * 1e18f : 1e18f);
            set_diagonal(expected.palettes[i] + j * PM_MATRIX_FLOATS, j ? 1e18f * 1e18f : 1e18f);
        }
    expect_everywhere(&expected, 3 * INSTANCES);
}

Test(palette_finite, a_root_that_overflows_has_its_placement) {
    static palettes_output expected;
    take_chain(2, 1, NULL);
    set_diagonal(p->placements[3], 1e30f);
    for (uint32_t i = 0; i < INSTANCES; i++)
        if (i != 3) set_diagonal(p->placements[i], 1);
    p->job.placements = p->placements[0];
    p->poses[3][0].scale[1][0] = 1e9f;
    fill_with_identity(&expected, 2, 2);
    for (uint32_t j = 0; j < 2; j++) {
        set_diagonal(expected.models[3] + j * PM_MATRIX_FLOATS, 1e30f);
        set_diagonal(expected.palettes[3] + j * PM_MATRIX_FLOATS, 1e30f);
    }
    expect_everywhere(&expected, 1);
}

Test(palette_finite, an_inverse_bind_that_overflows_leaves_identity) {
    static palettes_output expected;
    float inverse_binds[3][PM_MATRIX_FLOATS];
    set_diagonal(inverse_binds[0], 2);
    set_diagonal(inverse_binds[1], 1e30f);
    set_diagonal(inverse_binds[2], 0.5f);
    take_chain(3, 1e3f, inverse_binds[0]);
    fill_with_identity(&expected, 3, 3);
    for (uint32_t i = 0; i < INSTANCES; i++) {
        // Of these, what is bound by 1e30 is finite.
        if (i % 5 == 2)
            p->poses[i][0].scale[0][0] = p->poses[i][0].scale[1][0] = p->poses[i][0].scale[2][0] = 1;
        float model = 1;
        for (uint32_t j = 0; j < 3; j++) {
            model *= j == 0 && i % 5 == 2 ? 1 : 1e3f;
            set_diagonal(expected.models[i] + j * PM_MATRIX_FLOATS, model);
            float entry = model * inverse_binds[j][0];
            set_diagonal(expected.palettes[i] + j * PM_MATRIX_FLOATS, isfinite(entry) ? entry : 1);
        }
    }
    p->job.instance_count = INSTANCES;
    expect_everywhere(&expected, 0);
    for (uint32_t i = 0; i < INSTANCES; i++) {
        if (i % 5 == 2) continue;
        p->poses[i][0].scale[1][0] = 1e9f;
        float *model = expected.models[i], *palette = expected.palettes[i];
        for (uint32_t j = 0; j < 3; j++) {
            model[j * PM_MATRIX_FLOATS + 5] = j ? model[j * PM_MATRIX_FLOATS - 7] * 1e3f : 1e9f;
            palette[j * PM_MATRIX_FLOATS + 5] = model[j * PM_MATRIX_FLOATS + 5] * inverse_binds[j][5];
        }
        set_diagonal(palette + PM_MATRIX_FLOATS, 1);
    }
    expect_everywhere(&expected, 4 * INSTANCES / 5);
}

// Joints without parents, at rest in all poses; in the skin, each has its inverse bind.
static void take_roots(uint32_t joint_count, const float *inverse_binds) {
    uint32_t parents[JOINTS], joints[JOINTS];
    for (uint32_t j = 0; j < joint_count; j++) {
        parents[j] = PM_NONE;
        joints[j] = j;
        for (uint32_t i = 0; i < INSTANCES; i++) pm_pose_set_joint(p->poses[i], j, &at_rest);
    }
    const pm_skin_def skin = {"roots", joint_count, joints, inverse_binds};
    palettes_take(p, palettes_skeleton(1, joint_count, parents, 1, &skin));
    for (uint32_t i = 0; i < INSTANCES; i++) set_diagonal(p->placements[i], 1);
}

Test(palette_finite, one_number_of_a_model_is_enough_in_whichever_row) {
    static palettes_output expected;
    take_roots(5, NULL);
    p->job.palettes = NULL;
    for (uint32_t n = 0; n < 5 * 3 * 2; n++) {
        const uint32_t joint = n % 5, row = n / 5 % 3, instance = n % 2 ? 6 : 39;
        float *number = number_of(p->poses[instance], joint, n < 15 ? 7 + row : row), kept = *number;
        p->placements[instance][5 * row] = 1e30f;
        *number = 1e9f;
        fill_with_identity(&expected, 5, 0);
        for (uint32_t j = 0; j < 5; j++) expected.models[instance][j * PM_MATRIX_FLOATS + 5 * row] = 1e30f;
        expect_everywhere(&expected, 1);
        p->placements[instance][5 * row] = 1;
        *number = kept;
    }
}

Test(palette_finite, one_number_of_a_palette_is_enough_wherever_it_is) {
    static palettes_output expected;
    float inverse_binds[5][PM_MATRIX_FLOATS];
    for (uint32_t n = 0; n < 5 * PM_MATRIX_FLOATS; n++) {
        const uint32_t entry = n % 5, number = n / 5, instance = n % 2 ? 6 : 39;
        for (int j = 0; j < 5; j++) set_diagonal(inverse_binds[j], 1);
        inverse_binds[entry][number] = 1e30f;
        take_roots(5, inverse_binds[0]);
        fill_with_identity(&expected, 5, 5);
        for (uint32_t i = 0; i < INSTANCES; i++)
            expected.palettes[i][entry * PM_MATRIX_FLOATS + number] = 1e30f;
        // Of this one, a row is as much larger.
        p->placements[instance][number / 4 * 5] = 1e9f;
        for (uint32_t j = 0; j < 5; j++) {
            expected.models[instance][j * PM_MATRIX_FLOATS + number / 4 * 5] = 1e9f;
            expected.palettes[instance][j * PM_MATRIX_FLOATS + number / 4 * 5] = 1e9f;
        }
        set_diagonal(expected.palettes[instance] + entry * PM_MATRIX_FLOATS, 1);
        expect_everywhere(&expected, 1);
    }
}

Test(palette_finite, huge_numbers_whose_sum_is_none_are_left_as_they_are) {
    static palettes_output expected;
    take_chain(6, 1, NULL);
    fill_with_identity(&expected, 6, 6);
    const uint32_t huge = 21;
    for (int c = 0; c < 3; c++) p->poses[huge][0].scale[c][0] = 3e38f;
    for (uint32_t j = 0; j < 6; j++) {
        set_diagonal(expected.models[huge] + j * PM_MATRIX_FLOATS, 3e38f);
        set_diagonal(expected.palettes[huge] + j * PM_MATRIX_FLOATS, 3e38f);
    }
    expect_everywhere(&expected, 0);
}

Test(palette_finite, placements_that_are_not_finite_count_as_identity) {
    static palettes_output expected;
    static const uint32_t instances[] = {0, 3, 15, 16, 38};
    static const float values[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 5; i++) memcpy(p->placements[instances[i]], none, sizeof none);
    p->job.instance_count = 39; // the last one is in a group that is not full
    palettes_run(p, 0, 39);
    expected = p->output;
    for (uint32_t n = 0; n < PM_MATRIX_FLOATS; n++) {
        for (uint32_t i = 0; i < 5; i++) {
            memcpy(p->placements[instances[i]], none, sizeof none);
            p->placements[instances[i]][n] = values[(n + i) % 3];
        }
        expect_everywhere(&expected, 5);
    }
}

// One word in `every` of all poses is any word; one in as many again no number.
static void spoil_poses(uint64_t seed, uint32_t every) {
    rig_random random = {seed};
    for (uint32_t i = 0; i < INSTANCES; i++)
        for (uint32_t n = 0; n < BLOCKS * sizeof(pm_pose_block) / sizeof(float); n++) {
            float *number = p->poses[i][0].translation[0] + n;
            const uint32_t lot = rig_random_below(&random, every), word = rig_random_next(&random);
            if (lot == 0) memcpy(number, &word, sizeof word);
            if (lot == 1) *number = word % 2 ? NAN : INFINITY;
        }
}

Test(palette_finite, any_words_give_the_same_finite_bits_everywhere) {
    static palettes_output expected;
    for (uint32_t every = 50; every <= 5000; every *= 10) {
        spoil_poses(every, every);
        memset(&p->output, PALETTES_UNTOUCHED, sizeof p->output);
        p->job.kernels = pm_kernels_find("portable");
        uint64_t mended = 0;
        for (uint32_t i = 0; i < INSTANCES; i++) mended += palettes_go_on(p, i, i + 1);
        expected = p->output;
        cr_assert_gt(mended, 0);
        expect_everywhere(&expected, mended);
    }
}

Test(palette_finite, the_count_does_not_depend_on_neighbours_where_models_are_not_written) {
    // The last joint has no child and is in no skin that is asked for; joint 0 is.
    uint32_t parents[5] = {PM_NONE, 0, 1, 1, 1};
    const uint32_t joints[] = {0, 1, 2};
    const pm_skin_def skin = {"skin", 3, joints, NULL};
    palettes_take(p, palettes_skeleton(1, 5, parents, 1, &skin));
    p->job.models = NULL;
    for (uint32_t i = 0; i < INSTANCES; i++) p->poses[i][0].scale[0][4] = NAN;
    for (uint32_t i = 0; i < INSTANCES; i += 3) p->poses[i][0].scale[0][2] = NAN;
    uint64_t alone = 0;
    p->job.kernels = pm_kernels_find("portable");
    for (uint32_t i = 0; i < INSTANCES; i++) alone += palettes_run(p, i, i + 1);
    for (uint32_t k = 0; pm_kernels_at(k); k++) {
        p->job.kernels = pm_kernels_at(k);
        const unsigned together = (unsigned)palettes_run(p, 0, INSTANCES);
        cr_assert_eq(together, alone, "%s: %u, one by one %u", pm_kernels_name(p->job.kernels), together,
                     (unsigned)alone);
    }
}
