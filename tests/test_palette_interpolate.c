// The palette job between two poses of an interpolate job, beside the same by way of memory.
#include "support/palettes.h"
#include "support/poses.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INSTANCES = PALETTES_INSTANCES, BLOCKS = PALETTES_BLOCKS, SCALARS = PM_BLOCK_LANES };

// Poses, or what lies between them.
typedef struct moment {
    _Alignas(64) pm_pose_block poses[INSTANCES][BLOCKS];
    _Alignas(64) float scalars[INSTANCES][SCALARS];
} moment;

typedef struct outcome {
    palettes_output matrices;
    float scalars[INSTANCES][SCALARS];
    uint64_t guarded;
} outcome;

static palettes *p;
static moment from, to, between;
static float fractions[INSTANCES][2];
static pm_interpolate_job job;
static outcome expected, actual;

static void point(pm_pose_source *end, const moment *m) {
    *end = (pm_pose_source){.poses = m->poses[0],
                            .pose_stride = sizeof m->poses[0],
                            .scalars = m->scalars[0],
                            .scalar_stride = sizeof m->scalars[0]};
}

static void fill(moment *m, uint64_t seed) {
    rig_random random = {seed};
    poses_random(&random, m->poses[0], INSTANCES * BLOCKS);
    for (uint32_t i = 0; i < INSTANCES; i++)
        for (uint32_t s = 0; s < SCALARS; s++) m->scalars[i][s] = rig_random_between(&random, -5, 5);
}

static void make(void) {
    p = palettes_create(5, PALETTES_JOINTS);
    fill(&from, 6);
    fill(&to, 7);
    from.poses[40][1].rotation[2][3] = NAN;
    from.poses[41][0].translation[0][0] = INFINITY;
    for (uint32_t i = 0; i < INSTANCES; i++) fractions[i][0] = (float)i / (INSTANCES - 1);
    job = pm_default_interpolate_job();
    job.kernels = pm_kernels_best();
    job.instance_count = INSTANCES;
    job.block_count = BLOCKS;
    job.scalar_block_count = 1;
    point(&job.from, &from);
    point(&job.to, &to);
    job.fractions = fractions[0];
    job.fraction_stride = sizeof fractions[0];
    job.scalars = between.scalars[0];
    job.scalar_stride = sizeof between.scalars[0];
    p->job.poses = NULL;
    p->job.interpolate = &job;
}

static void drop(void) {
    palettes_destroy(p);
}

TestSuite(palette_interpolate, .init = make, .fini = drop);

static uint32_t range_count(void) {
    return p->job.order ? p->job.order_count : INSTANCES;
}

static void go_through_memory(outcome *o) {
    const pm_palette_job kept = p->job;
    pm_interpolate_job written = job;
    written.poses = between.poses[0];
    written.pose_stride = sizeof between.poses[0];
    written.order = p->job.order;
    written.order_count = p->job.order_count;
    memset(&between, PALETTES_UNTOUCHED, sizeof between);
    o->guarded = pm_interpolate_run(&written, 0, range_count());
    p->job.interpolate = NULL;
    p->job.poses = between.poses[0];
    p->job.pose_stride = sizeof between.poses[0];
    o->guarded += palettes_run(p, 0, range_count());
    o->matrices = p->output;
    memcpy(o->scalars, between.scalars, sizeof o->scalars);
    p->job = kept;
}

static void go_directly(outcome *o, uint32_t size) {
    const uint32_t count = range_count();
    memset(&between, PALETTES_UNTOUCHED, sizeof between);
    memset(&p->output, PALETTES_UNTOUCHED, sizeof p->output);
    o->guarded = 0;
    for (uint32_t begin = 0; begin < count; begin += size)
        o->guarded += palettes_go_on(p, begin, begin + size < count ? begin + size : count);
    o->matrices = p->output;
    memcpy(o->scalars, between.scalars, sizeof o->scalars);
    const unsigned char *poses = (const unsigned char *)between.poses;
    cr_assert(poses[0] == PALETTES_UNTOUCHED && !memcmp(poses, poses + 1, sizeof between.poses - 1));
}

static void expect_the_same_on_every_kernel(void) {
    static const uint32_t sizes[] = {INSTANCES, 33, 1};
    go_through_memory(&expected);
    for (uint32_t k = 0; pm_kernels_at(k); k++)
        for (int i = 0; i < 3; i++) {
            p->job.kernels = pm_kernels_at(k);
            p->job.streaming = i % 2 ? PM_STREAMING_ON : PM_STREAMING_OFF;
            go_directly(&actual, sizes[i]);
            const char *name = pm_kernels_name(p->job.kernels);
            cr_assert_eq(memcmp(&actual.matrices, &expected.matrices, sizeof expected.matrices), 0, "%s",
                         name);
            cr_assert_eq(memcmp(actual.scalars, expected.scalars, sizeof expected.scalars), 0, "%s", name);
            cr_assert_eq(actual.guarded, expected.guarded, "%s", name);
        }
}

Test(palette_interpolate, gives_the_bits_of_poses_in_memory_in_any_order_and_to_any_limit) {
    static uint32_t order[INSTANCES];
    for (uint32_t i = 0; i < INSTANCES; i++) order[i] = i * 37 % INSTANCES;
    for (int ordered = 0; ordered < 2; ordered++)
        for (uint32_t limit = 1; limit <= BLOCKS; limit++) {
            p->job.order = ordered ? order : NULL;
            p->job.order_count = ordered ? INSTANCES - 5 : 0;
            job.block_count = p->job.block_limit = limit; // what is not evaluated is not guarded
            go_through_memory(&expected);
            job.block_count = BLOCKS;
            const outcome limited = expected;
            go_directly(&actual, INSTANCES);
            cr_assert_eq(memcmp(&actual, &limited, sizeof actual.matrices), 0);
            cr_assert_eq(actual.guarded, limited.guarded);
            cr_assert_gt(actual.guarded, 0);
        }
    p->job.block_limit = UINT32_MAX;
    expect_the_same_on_every_kernel();
}

Test(palette_interpolate, one_fraction_for_all_offsets_and_a_pose_that_all_share) {
    static size_t offsets[INSTANCES], scalar_offsets[INSTANCES], outputs[INSTANCES];
    for (uint32_t i = 0; i < INSTANCES; i++) {
        offsets[i] = (INSTANCES - 1 - i) * sizeof from.poses[0];
        scalar_offsets[i] = (INSTANCES - 1 - i) * sizeof from.scalars[0];
        outputs[i] = i * 37 % INSTANCES * sizeof from.scalars[0];
    }
    job.fractions = NULL;
    job.fraction = 0.25f;
    expect_the_same_on_every_kernel();
    job.from.pose_offsets = offsets;
    job.to.scalar_offsets = scalar_offsets;
    job.scalar_offsets = outputs;
    job.to.pose_stride = job.from.scalar_stride = 0;
    expect_the_same_on_every_kernel();
    job.scalars = NULL;
    expect_the_same_on_every_kernel();
    job.fraction = 1; // all at the one pose
    p->job.placements = NULL;
    p->job.interpolate = &job;
    go_directly(&actual, INSTANCES);
    cr_assert_eq(
        memcmp(actual.matrices.models[7], actual.matrices.models[60], sizeof actual.matrices.models[7]), 0);
}

Test(palette_interpolate, a_limit_of_no_block_rests_all_joints) {
    p->job.block_limit = 0;
    p->job.placements = NULL;
    cr_assert_null(pm_palette_validate(&p->job));
    go_directly(&actual, INSTANCES);
    p->job.interpolate = NULL;
    p->job.poses = p->skeleton->rest;
    p->job.pose_stride = 0;
    p->job.block_limit = UINT32_MAX;
    cr_assert_eq(palettes_run(p, 0, INSTANCES), 0);
    cr_assert_eq(memcmp(&actual.matrices, &p->output, sizeof p->output), 0);
}

#define INVALID(change, word)                                                                                \
    do {                                                                                                     \
        const pm_interpolate_job kept = job;                                                                 \
        change;                                                                                              \
        const char *fault = pm_palette_validate(&p->job);                                                    \
        cr_assert(fault &&strstr(fault, word), "\"%s\" does not say \"%s\"", fault ? fault : "valid", word); \
        job = kept;                                                                                          \
    } while (0)

Test(palette_interpolate, every_way_to_be_invalid_has_its_reason) {
    cr_assert_null(pm_palette_validate(&p->job));
    INVALID(job.instance_count = INSTANCES - 1, "interpolate has fewer instances");
    INVALID(job.block_count = BLOCKS - 1, "another block_count");
    INVALID(job.cookie = 0, "pm_default_interpolate_job");
    INVALID(job.to.poses = NULL, "to.poses is NULL");
    INVALID(job.from.scalars = NULL, "from.scalars is NULL");
    p->job.poses = p->poses[0];
    INVALID(job.fraction = 0, "not one of poses, sample, blend and interpolate");
}
