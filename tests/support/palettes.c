#include "palettes.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SCRATCH_ROOM = 64 }; // bytes behind a run's scratch memory that nobody is to write

pm_skeleton *palettes_skeleton(uint64_t seed, uint32_t joint_count, const uint32_t *parents,
                               uint32_t skin_count, const pm_skin_def *skins) {
    rig_random random = {seed * 0x9E3779B97F4A7C15u};
    pm_node_def *nodes = calloc(joint_count, sizeof *nodes);
    for (uint32_t i = 0; i < joint_count; i++) {
        nodes[i].parent = parents[i];
        nodes[i].used = true;
        for (int c = 0; c < 3; c++) {
            nodes[i].rest.translation[c] = rig_random_between(&random, -1, 1);
            nodes[i].rest.scale[c] = rig_random_between(&random, 0.5f, 1.5f);
        }
        rig_random_rotation(&random, nodes[i].rest.rotation);
    }
    pm_skeleton_def def = {
        .node_count = joint_count, .nodes = nodes, .skin_count = skin_count, .skins = skins};
    pm_report report = {0};
    pm_skeleton *skeleton = NULL;
    cr_assert_eq(pm_skeleton_create(&def, NULL, &skeleton, &report), PM_OK, "%s", report.message);
    for (uint32_t i = 0; i < joint_count; i++) cr_assert_eq(skeleton->joint_to_node[i], i);
    free(nodes);
    return skeleton;
}

static void random_matrix(rig_random *random, float *matrix, float limit) {
    for (int n = 0; n < PM_MATRIX_FLOATS; n++) matrix[n] = rig_random_between(random, -limit, limit);
}

// A joint hangs from the one before it or from one of its ancestors, or is a root.
static void random_parents(rig_random *random, uint32_t *parents, uint32_t joint_count) {
    for (uint32_t i = 0; i < joint_count; i++) {
        parents[i] = i ? i - 1 : PM_NONE;
        while (parents[i] != PM_NONE && rig_random_below(random, 2)) parents[i] = parents[parents[i]];
    }
}

static pm_skeleton *random_skeleton(uint64_t seed, uint32_t joint_count) {
    static float inverse_binds[3][PALETTES_JOINTS][PM_MATRIX_FLOATS];
    rig_random random = {seed * 0x9E3779B97F4A7C15u + 1};
    uint32_t parents[PALETTES_JOINTS], any[PALETTES_JOINTS], backwards[PALETTES_JOINTS], five[5];
    random_parents(&random, parents, joint_count);
    for (uint32_t i = 0; i < joint_count; i++) {
        any[i] = rig_random_below(&random, joint_count);
        backwards[i] = joint_count - 1 - i;
    }
    for (uint32_t i = 0; i < 5; i++) five[i] = rig_random_below(&random, joint_count);
    for (uint32_t s = 0; s < 3; s++)
        for (uint32_t i = 0; i < PALETTES_JOINTS; i++) random_matrix(&random, inverse_binds[s][i], 2);
    const pm_skin_def skins[PALETTES_SKINS] = {
        {"any", 1 + joint_count * 3 / 4, any, inverse_binds[0][0]},
        {"none", 0, NULL, NULL},
        {"backwards", joint_count, backwards, inverse_binds[1][0]},
        {"five", 5, five, inverse_binds[2][0]},
    };
    return palettes_skeleton(seed, joint_count, parents, PALETTES_SKINS, skins);
}

palettes *palettes_create(uint64_t seed, uint32_t joint_count) {
    palettes *p = aligned_alloc(64, (sizeof *p + 63) / 64 * 64);
    rig_random random = {seed * 0x9E3779B97F4A7C15u + 2};
    poses_random(&random, p->poses[0], PALETTES_INSTANCES * PALETTES_BLOCKS);
    for (uint32_t i = 0; i < PALETTES_INSTANCES; i++) random_matrix(&random, p->placements[i], 10);
    p->job = pm_default_palette_job();
    p->job.kernels = pm_kernels_best();
    p->job.instance_count = PALETTES_INSTANCES;
    p->job.poses = p->poses[0];
    p->job.pose_stride = sizeof p->poses[0];
    p->job.placements = p->placements[0];
    p->job.placement_stride = sizeof p->placements[0];
    p->job.models = p->output.models[0];
    p->job.model_stride = sizeof p->output.models[0];
    p->job.palettes = p->output.palettes[0];
    p->job.palette_stride = sizeof p->output.palettes[0];
    p->skeleton = NULL;
    palettes_take(p, random_skeleton(seed, joint_count));
    return p;
}

void palettes_destroy(palettes *p) {
    pm_skeleton_destroy(p->skeleton);
    free(p);
}

void palettes_take(palettes *p, pm_skeleton *skeleton) {
    pm_skeleton_destroy(p->skeleton);
    p->job.skeleton = p->skeleton = skeleton;
}

uint64_t palettes_run(palettes *p, uint32_t begin, uint32_t end) {
    memset(&p->output, PALETTES_UNTOUCHED, sizeof p->output);
    return palettes_go_on(p, begin, end);
}

uint64_t palettes_go_on(palettes *p, uint32_t begin, uint32_t end) {
    const char *fault = pm_palette_validate(&p->job);
    cr_assert_null(fault, "%s", fault);
    size_t size = pm_palette_scratch_size(&p->job);
    cr_assert_eq(size % 64, 0);
    char *scratch = aligned_alloc(64, size + SCRATCH_ROOM), room[SCRATCH_ROOM];
    memset(scratch, 0xff, size + SCRATCH_ROOM);
    memset(room, 0xff, sizeof room);
    uint64_t mended = pm_palette_run(&p->job, begin, end, scratch);
    cr_assert_arr_eq(scratch + size, room, sizeof room, "written behind scratch memory");
    free(scratch);
    return mended;
}

uint32_t palettes_entry_count(const palettes *p) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->job.skin_count && p->job.first_skin + i < p->skeleton->skin_count; i++)
        count += p->skeleton->skins[p->job.first_skin + i].joint_count;
    return count;
}

// All bytes but the first equal the one before.
static void expect_untouched(const float *from, const float *end) {
    const unsigned char *bytes = (const unsigned char *)from;
    const size_t size = (size_t)(end - from) * sizeof *from;
    if (size) cr_assert(bytes[0] == PALETTES_UNTOUCHED && !memcmp(bytes, bytes + 1, size - 1));
}

// Of one instance's `room` floats.
static void expect_padding(const float *matrices, uint32_t count, uint32_t room) {
    static const float identity[PM_MATRIX_FLOATS] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const float *at = matrices + count * PM_MATRIX_FLOATS;
    for (; count % 4; count++, at += PM_MATRIX_FLOATS) cr_assert_arr_eq(at, identity, sizeof identity);
    expect_untouched(at, matrices + room);
}

void palettes_expect_padding(const palettes *p, uint32_t count) {
    const uint32_t entry_count = palettes_entry_count(p);
    for (uint32_t i = 0; i < PALETTES_INSTANCES; i++) {
        const float *models = p->output.models[i], *palette = p->output.palettes[i];
        if (i < count && p->job.models) {
            expect_padding(models, p->skeleton->joint_count, PALETTES_MODEL_FLOATS);
        } else {
            expect_untouched(models, models + PALETTES_MODEL_FLOATS);
        }
        if (i < count && p->job.palettes) {
            expect_padding(palette, entry_count, PALETTES_PALETTE_FLOATS);
        } else {
            expect_untouched(palette, palette + PALETTES_PALETTE_FLOATS);
        }
    }
}

void palettes_expect_finite(const palettes *p, uint32_t count) {
    const uint32_t model_floats = p->skeleton->joint_count * PM_MATRIX_FLOATS;
    const uint32_t palette_floats = palettes_entry_count(p) * PM_MATRIX_FLOATS;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t n = 0; p->job.models && n < model_floats; n++)
            cr_assert(isfinite(p->output.models[i][n]), "instance %u, model of joint %u, number %u", i,
                      n / 12, n % 12);
        for (uint32_t n = 0; p->job.palettes && n < palette_floats; n++)
            cr_assert(isfinite(p->output.palettes[i][n]), "instance %u, entry %u, number %u", i, n / 12,
                      n % 12);
    }
}
