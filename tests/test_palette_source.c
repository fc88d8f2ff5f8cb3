// The palette job whose poses are made from a sample or a blend job, beside the same by way of memory.
#include "palette_chunk.h"
#include "support/layers.h"
#include "support/palettes.h"

#include <criterion/criterion.h>
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 35, INSTANCES = LAYERS_INSTANCES, SCALAR_FLOATS = LAYERS_SCALAR_BLOCKS * PM_BLOCK_LANES };

// What an instance plays, as a host may keep it.
typedef struct play {
    uint32_t clip;
    float time_seconds;
} play;

// What a run led to.
typedef struct outcome {
    palettes_output matrices;
    float scalars[INSTANCES][SCALAR_FLOATS];
    uint64_t guarded;
} outcome;

static layers *l;
static palettes *p;
static play plays[INSTANCES];
static pm_sample_job sample;
static size_t cursor_bytes; // of one instance and clip, no byte more
static uint16_t *cursors;   // [INSTANCES][PM_LAYERS_MAX], for sample jobs the first of each
static uint32_t order[INSTANCES];
static outcome expected, actual;

static void make_cursors(void) {
    cursor_bytes = 0;
    for (uint32_t i = 0; i < LAYERS_CLIPS; i++) {
        size_t bytes = pm_clip_get_info(l->clips[i]).cursor_count * sizeof(uint16_t);
        cursor_bytes = bytes > cursor_bytes ? bytes : cursor_bytes;
    }
    cr_assert_gt(cursor_bytes, 0);
    cursors = calloc(INSTANCES * PM_LAYERS_MAX, cursor_bytes);
}

// Some play no clip, some have no time, one stands where its matrices overflow.
static void make(void) {
    l = layers_create(PM_LAYERS_MAX);
    p = palettes_create(3, JOINTS);
    make_cursors();
    rig_random random = {77};
    for (uint32_t i = 0; i < INSTANCES; i++) {
        plays[i].clip = rig_random_below(&random, LAYERS_CLIPS);
        plays[i].time_seconds = rig_random_between(&random, -0.5f, 8);
        order[i] = i * 37 % INSTANCES;
        if (i % 16 == 3) plays[i].clip = i % 32 == 3 ? LAYERS_CLIPS : UINT32_MAX;
        if (i % 16 == 9) plays[i].time_seconds = NAN;
        if (i % 16 == 11) l->layers[i][i % 3].time_seconds = NAN;
    }
    for (int n = 0; n < PM_MATRIX_FLOATS; n++) p->placements[33][n] = 2e38f;
    sample = pm_default_sample_job();
    sample.kernels = pm_kernels_best();
    sample.clips = l->clips;
    sample.clip_count = LAYERS_CLIPS;
    sample.instance_count = INSTANCES;
    sample.clip_index = &plays[0].clip;
    sample.clip_index_stride = sizeof plays[0];
    sample.time_seconds = &plays[0].time_seconds;
    sample.time_stride = sizeof plays[0];
    sample.scalars = l->output.scalars[0];
    sample.scalar_stride = sizeof l->output.scalars[0];
    p->job.poses = NULL;
    p->job.sample = &sample;
}

static void drop(void) {
    palettes_destroy(p);
    layers_destroy(l);
    free(cursors);
}

TestSuite(palette_source, .init = make, .fini = drop);

static void use_blend(void) {
    p->job.sample = NULL;
    p->job.blend = &l->job;
}

static uint32_t range_count(void) {
    return p->job.order ? p->job.order_count : INSTANCES;
}

static void keep(outcome *o, uint64_t guarded) {
    o->matrices = p->output;
    memcpy(o->scalars, l->output.scalars, sizeof o->scalars);
    o->guarded = guarded;
}

// Writes the job's poses to memory. Returns lanes guarded.
static uint64_t write_poses(void) {
    memset(&l->output, PALETTES_UNTOUCHED, sizeof l->output);
    if (p->job.blend) {
        pm_blend_job job = l->job;
        job.block_limit = p->job.block_limit;
        job.order = p->job.order;
        job.order_count = p->job.order_count;
        void *scratch = aligned_alloc(64, pm_blend_scratch_size(&job));
        const uint32_t count = range_count();
        uint64_t guarded = 0;
        // Cursors that neighbours find depend on who is evaluated together: as many as palettes are made of.
        for (uint32_t begin = 0, end; begin < count; begin = end) {
            end = begin + PM_PALETTE_CHUNK < count ? begin + PM_PALETTE_CHUNK : count;
            guarded += pm_blend_run(&job, begin, end, scratch);
        }
        free(scratch);
        return guarded;
    }
    pm_sample_job job = sample;
    job.poses = l->output.poses[0];
    job.pose_stride = sizeof l->output.poses[0];
    job.block_limit = p->job.block_limit;
    job.order = p->job.order;
    job.order_count = p->job.order_count;
    return pm_sample_run(&job, 0, range_count());
}

// What must come out: the poses that are written, and matrices of them.
static void go_through_memory(outcome *o) {
    const pm_palette_job kept = p->job;
    uint32_t present[INSTANCES], count = 0;
    uint64_t guarded = write_poses();
    for (uint32_t i = 0; i < range_count(); i++) {
        const uint32_t instance = p->job.order ? p->job.order[i] : i;
        if (p->job.blend || plays[instance].clip < LAYERS_CLIPS) present[count++] = instance;
    }
    p->job.sample = NULL;
    p->job.blend = NULL;
    p->job.poses = l->output.poses[0];
    p->job.pose_stride = sizeof l->output.poses[0];
    p->job.order = present;
    p->job.order_count = count;
    guarded += palettes_run(p, 0, count);
    keep(o, guarded);
    p->job = kept;
}

// Ranges of so many instances.
static void go_directly(outcome *o, uint32_t size) {
    const uint32_t count = range_count();
    uint64_t guarded = 0;
    memset(&l->output, PALETTES_UNTOUCHED, sizeof l->output);
    memset(&p->output, PALETTES_UNTOUCHED, sizeof p->output);
    for (uint32_t begin = 0; begin < count; begin += size)
        guarded += palettes_go_on(p, begin, begin + size < count ? begin + size : count);
    keep(o, guarded);
    // The host's poses are none of its business.
    const unsigned char *poses = (const unsigned char *)l->output.poses;
    cr_assert(poses[0] == PALETTES_UNTOUCHED && !memcmp(poses, poses + 1, sizeof l->output.poses - 1));
}

static void expect_outcome(const char *what) {
    cr_assert_eq(memcmp(&actual.matrices, &expected.matrices, sizeof expected.matrices), 0, "%s", what);
    cr_assert_eq(memcmp(actual.scalars, expected.scalars, sizeof expected.scalars), 0, "%s: scalars", what);
    cr_assert_eq(actual.guarded, expected.guarded, "%s: %u", what, (unsigned)actual.guarded);
}

static void expect_the_same_on_every_kernel(void) {
    static const uint32_t sizes[] = {INSTANCES, 33, 7, 1};
    go_through_memory(&expected);
    for (uint32_t k = 0; pm_kernels_at(k); k++)
        for (int i = 0; i < 4; i++) {
            p->job.kernels = pm_kernels_at(k);
            p->job.streaming = i % 2 ? PM_STREAMING_ON : PM_STREAMING_OFF;
            go_directly(&actual, sizes[i]);
            expect_outcome(pm_kernels_name(p->job.kernels));
        }
}

static void expect_the_same_in_any_order_and_to_any_limit(void) {
    for (int ordered = 0; ordered < 2; ordered++)
        for (uint32_t limit = 0; limit <= LAYERS_BLOCKS; limit++) {
            p->job.order = ordered ? order : NULL;
            p->job.order_count = ordered ? INSTANCES - 9 : 0;
            p->job.block_limit = limit;
            expect_the_same_on_every_kernel();
            // All joints of those without a time are guarded; one overflows.
            cr_assert_gt(expected.guarded, limit ? JOINTS : 0);
        }
}

Test(palette_source, a_sample_job_gives_the_bits_of_poses_in_memory) {
    expect_the_same_in_any_order_and_to_any_limit();
}

Test(palette_source, a_blend_job_gives_the_bits_of_poses_in_memory) {
    use_blend();
    expect_the_same_in_any_order_and_to_any_limit();
}

Test(palette_source, models_or_palettes_alone_are_the_same_bits) {
    for (int blends = 0; blends < 2; blends++) {
        if (blends) use_blend();
        for (int palettes_only = 0; palettes_only < 2; palettes_only++) {
            p->job.models = palettes_only ? NULL : p->output.models[0];
            p->job.palettes = palettes_only ? p->output.palettes[0] : NULL;
            expect_the_same_on_every_kernel();
        }
    }
}

// Cursors, the host's, of any content in the end.
static void expect_any_cursors_to_do(void *host, size_t bytes) {
    rig_random random = {4};
    memset(host, 0, bytes);
    for (int round = 0; round < 3; round++) {
        expect_the_same_on_every_kernel();
        for (size_t i = 0; i < bytes / sizeof(uint16_t); i++)
            ((uint16_t *)host)[i] = (uint16_t)rig_random_next(&random);
    }
    expect_the_same_on_every_kernel();
}

Test(palette_source, a_sample_jobs_cursors_may_be_any) {
    sample.cursors = cursors + (INSTANCES * (PM_LAYERS_MAX - 1)) * cursor_bytes / sizeof *cursors;
    sample.cursor_stride = cursor_bytes;
    expect_any_cursors_to_do(sample.cursors, INSTANCES * cursor_bytes);
}

Test(palette_source, a_blend_jobs_cursors_may_be_any_and_lie_layer_by_layer) {
    use_blend();
    l->job.cursors = cursors;
    l->job.cursor_stride = cursor_bytes;
    l->job.layer_cursor_stride = INSTANCES * cursor_bytes;
    expect_any_cursors_to_do(cursors, INSTANCES * PM_LAYERS_MAX * cursor_bytes);
}

// From zeros, and from what no timeline has.
static void expect_cursors_as_through_memory(size_t bytes) {
    uint16_t *left = malloc(bytes);
    for (int content = 0; content <= 0xff; content += 0xff) {
        memset(cursors, content, bytes);
        go_through_memory(&expected);
        memcpy(left, cursors, bytes);
        memset(cursors, content, bytes);
        go_directly(&actual, INSTANCES);
        cr_assert_eq(memcmp(left, cursors, bytes), 0);
    }
    free(left);
}

Test(palette_source, a_sample_jobs_cursors_are_remembered_as_by_way_of_memory) {
    sample.cursors = cursors;
    sample.cursor_stride = cursor_bytes;
    expect_cursors_as_through_memory(INSTANCES * cursor_bytes);
}

Test(palette_source, a_blend_jobs_cursors_are_remembered_as_by_way_of_memory) {
    use_blend();
    l->job.cursors = cursors;
    l->job.cursor_stride = PM_LAYERS_MAX * cursor_bytes;
    l->job.layer_cursor_stride = cursor_bytes;
    expect_cursors_as_through_memory(INSTANCES * PM_LAYERS_MAX * cursor_bytes);
}

Test(palette_source, instances_without_a_clip_are_left_as_they_are) {
    for (uint32_t i = 0; i < INSTANCES; i++) plays[i].clip = LAYERS_CLIPS;
    memset(&expected, PALETTES_UNTOUCHED, sizeof expected);
    expected.guarded = 0;
    go_directly(&actual, INSTANCES);
    expect_outcome("no clip");
    // One in the second chunk.
    plays[40].clip = 1;
    expect_the_same_on_every_kernel();
}

Test(palette_source, what_the_manual_says_does_not_count_does_not) {
    static const size_t nowhere[INSTANCES] = {0};
    go_through_memory(&expected);
    pm_sample_job other = sample;
    other.poses = (pm_pose_block *)((char *)l->output.poses[0] + 4);
    other.pose_stride = 3;
    other.order_count = 5;
    other.streaming = (pm_streaming)9;
    other.kernels = NULL;
    other.constants_clip = (uint32_t *)((char *)l->output.poses[0] + 2);
    other.block_limit = 0;
    p->job.sample = &other;
    go_directly(&actual, INSTANCES);
    expect_outcome("sample");
    other.poses = NULL;
    other.order = order;
    other.pose_offsets = nowhere;
    go_directly(&actual, INSTANCES);
    expect_outcome("sample without poses");

    use_blend();
    go_through_memory(&expected);
    pm_blend_job blend = l->job;
    blend.poses = (pm_pose_block *)((char *)l->output.poses[0] + 4);
    blend.pose_stride = 3;
    blend.order_count = 5;
    blend.streaming = (pm_streaming)9;
    blend.kernels = NULL;
    blend.block_limit = 0;
    p->job.blend = &blend;
    go_directly(&actual, INSTANCES);
    expect_outcome("blend");
    blend.poses = NULL;
    blend.order = order;
    blend.pose_offsets = nowhere;
    go_directly(&actual, INSTANCES);
    expect_outcome("blend without poses");
}

Test(palette_source, strides_of_0_offsets_of_scalars_and_no_scalars_are_as_in_the_jobs_themselves) {
    size_t offsets[INSTANCES];
    for (uint32_t i = 0; i < INSTANCES; i++) offsets[i] = (INSTANCES - 1 - i) * sizeof l->output.scalars[0];
    for (uint32_t i = 0; i < INSTANCES; i++) plays[i].clip %= LAYERS_CLIPS;
    sample.scalar_offsets = l->job.scalar_offsets = offsets;
    sample.clip_index_stride = sample.time_stride = 0;
    expect_the_same_on_every_kernel();
    sample.scalars = NULL;
    expect_the_same_on_every_kernel();
    use_blend();
    expect_the_same_on_every_kernel();
    l->job.instance_stride = 0;
    l->job.scalars = NULL;
    expect_the_same_on_every_kernel();
}

Test(palette_source, no_cursors_are_as_good_as_any) {
    use_blend();
    l->job.cursors = NULL;
    expect_the_same_on_every_kernel();
}

Test(palette_source, layers_may_be_few_plain_or_none_and_lie_apart) {
    static pm_layer transposed[PM_LAYERS_MAX][INSTANCES];
    use_blend();
    for (uint32_t i = 0; i < INSTANCES; i++) {
        // Half of them play one plain layer, some none at all.
        for (uint32_t n = 0; i % 2 && n < PM_LAYERS_MAX; n++)
            l->layers[i][n] = (pm_layer){i % 4, 0.3f + (float)i / 16, n == i % 3, PM_NONE, PM_LAYER_BLEND};
        for (uint32_t n = 0; n < PM_LAYERS_MAX; n++) transposed[n][i] = l->layers[i][n];
    }
    l->job.layers = transposed[0];
    l->job.instance_stride = sizeof(pm_layer);
    l->job.layer_stride = sizeof transposed[0];
    for (uint32_t count = 1; count <= PM_LAYERS_MAX; count += 2) {
        l->job.layer_count = count;
        expect_the_same_on_every_kernel();
    }
}

Test(palette_source, a_host_that_rounds_another_way_gets_the_same_bits_and_its_mode_back) {
    for (int blends = 0; blends < 2; blends++) {
        if (blends) use_blend();
        go_through_memory(&expected);
        for (uint32_t k = 0; pm_kernels_at(k); k++) {
            p->job.kernels = pm_kernels_at(k);
            fesetround(FE_DOWNWARD);
            go_directly(&actual, INSTANCES);
            cr_assert_eq(fegetround(), FE_DOWNWARD);
            fesetround(FE_TONEAREST);
            expect_outcome(pm_kernels_name(p->job.kernels));
        }
    }
}

#define INVALID(change, word)                                                                                \
    do {                                                                                                     \
        pm_palette_job job = p->job;                                                                         \
        pm_sample_job from = sample;                                                                         \
        pm_blend_job blend = l->job;                                                                         \
        if (job.sample) job.sample = &from;                                                                  \
        if (job.blend) job.blend = &blend;                                                                   \
        change;                                                                                              \
        const char *fault = pm_palette_validate(&job);                                                       \
        cr_assert(fault &&strstr(fault, word), "\"%s\" does not say \"%s\"", fault ? fault : "valid", word); \
    } while (0)

Test(palette_source, every_way_to_be_invalid_has_its_reason) {
    scenario_options options = {.seed = 1, .joint_count = 2, .modes = SCENARIO_LINEAR, .most_keys = 2};
    scenario *other = scenario_create(&options);
    const pm_clip *different[] = {l->clips[0], other->clip}, *small[] = {other->clip};
    cr_assert_null(pm_palette_validate(&p->job));
    INVALID(job.poses = p->poses[0], "not one of poses, sample, blend and interpolate");
    INVALID(job.blend = &blend, "not one of poses, sample, blend and interpolate");
    INVALID((job.sample = NULL, job.blend = &blend, job.poses = p->poses[0]), "not one of poses, sample,");
    INVALID(from.instance_count = INSTANCES - 1, "sample has fewer instances");
    INVALID((from.clips = different, from.clip_count = 2), "another number of joints");
    INVALID(from.cookie = 0, "pm_default_sample_job");
    INVALID(from.clip_count = 0, "clip_count is 0");
    INVALID(from.time_seconds = NULL, "time_seconds is NULL");
    INVALID(from.scalar_stride = 64, "scalar_stride is below");
    INVALID((from.cursors = cursors, from.cursor_stride = 2), "cursor_stride is below");
    INVALID(job.model_stride = 64, "model_stride is below");
    use_blend();
    cr_assert_null(pm_palette_validate(&p->job));
    INVALID(job.poses = p->poses[0], "not one of poses, sample, blend and interpolate");
    INVALID(blend.instance_count = INSTANCES - 1, "blend has fewer instances");
    INVALID((blend.clips = small, blend.clip_count = 1), "another number of joints");
    INVALID(blend.cookie = 0, "pm_default_blend_job");
    INVALID(blend.layer_count = 0, "layer_count");
    INVALID(blend.rest = NULL, "rest is NULL");
    INVALID(blend.layer_cursor_stride = 2, "layer_cursor_stride is below");
    INVALID(job.model_stride = 64, "model_stride is below");
    scenario_destroy(other);
}
