// Palette jobs: models and palettes of random poses below random placements, some words of both no numbers.
#include "random.h"
#include "task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INSTANCES = 700, MOMENTS = 2, JOINTS = 37, SKINS = 2, FIRST_SKIN = 26, SECOND_SKIN = 9 };
enum { BLOCKS = (JOINTS + PM_BLOCK_LANES - 1) / PM_BLOCK_LANES, ENTRIES = FIRST_SKIN + SECOND_SKIN };
enum { POSE_FLOATS = BLOCKS * sizeof(pm_pose_block) / sizeof(float) };
// Both with room behind the matrices, which is not to be written.
enum {
    MODEL_BYTES = (JOINTS + 3) / 4 * 4 * PM_MATRIX_FLOATS * sizeof(float) + PM_ALIGNMENT,
    PALETTE_BYTES = (ENTRIES + 3) / 4 * 4 * PM_MATRIX_FLOATS * sizeof(float) + PM_ALIGNMENT
};
enum { MODELS_BYTES = INSTANCES * MODEL_BYTES, OUTPUT_BYTES = MODELS_BYTES + INSTANCES * PALETTE_BYTES };

typedef struct figures {
    pm_skeleton *skeleton;
    float *poses; // [INSTANCES][POSE_FLOATS], 64-byte aligned
    float placements[INSTANCES][PM_MATRIX_FLOATS];
    uint32_t block_limit;
    pm_palette_job job;
} figures;

// One number in 500 is any word, one in 1000 none.
static float number(pm_random *random) {
    float value = pm_random_signed(random);
    uint32_t lot = pm_random_below(random, 1000), word = (uint32_t)pm_random_next(random);
    if (lot == 2) word = 0x7fc00000;
    if (lot < 3) memcpy(&value, &word, sizeof word);
    return value;
}

// A joint in eight is a root, another's parent is any joint before it. The skins' joints are in no order, and
// some are in them twice.
static bool make_skeleton(figures *f) {
    pm_random random = {161803};
    pm_node_def nodes[JOINTS] = {{0}};
    uint32_t skin_nodes[ENTRIES];
    float inverse_binds[ENTRIES][PM_MATRIX_FLOATS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        float *rest = nodes[i].rest.translation;
        nodes[i].parent = i && pm_random_below(&random, 8) ? pm_random_below(&random, i) : PM_NONE;
        nodes[i].used = true;
        for (uint32_t c = 0; c < sizeof(pm_transform) / sizeof(float); c++)
            rest[c] = 1.25f + pm_random_signed(&random);
    }
    for (uint32_t i = 0; i < ENTRIES; i++) {
        skin_nodes[i] = pm_random_below(&random, JOINTS);
        for (uint32_t n = 0; n < PM_MATRIX_FLOATS; n++) inverse_binds[i][n] = 2 * pm_random_signed(&random);
    }
    const pm_skin_def skins[SKINS] = {
        {"first", FIRST_SKIN, skin_nodes, inverse_binds[0]},
        {"second", SECOND_SKIN, skin_nodes + FIRST_SKIN, inverse_binds[FIRST_SKIN]},
    };
    pm_skeleton_def def = {.node_count = JOINTS, .nodes = nodes, .skin_count = SKINS, .skins = skins};
    return !pm_skeleton_create(&def, NULL, &f->skeleton, NULL);
}

// Rotations need not be unit for the same bits.
static bool make_poses(figures *f) {
    pm_random random = {141421};
    f->poses = aligned_alloc(PM_ALIGNMENT, INSTANCES * BLOCKS * sizeof(pm_pose_block));
    for (size_t i = 0; f->poses && i < (size_t)INSTANCES * POSE_FLOATS; i++) f->poses[i] = number(&random);
    return f->poses;
}

// First all joints, then those of the first block, with placements of their own.
static void set_moment(void *context, uint32_t moment) {
    figures *f = context;
    pm_random random = {moment};
    f->block_limit = moment ? 1 : UINT32_MAX;
    for (uint32_t i = 0; i < INSTANCES; i++)
        for (uint32_t n = 0; n < PM_MATRIX_FLOATS; n++) f->placements[i][n] = 10 * number(&random);
}

static const char *prepare(void *context, const pm_check_run *run) {
    figures *f = context;
    pm_palette_job job = pm_default_palette_job();
    job.kernels = run->kernels;
    job.streaming = run->streaming;
    job.skeleton = f->skeleton;
    job.instance_count = INSTANCES;
    job.poses = (const pm_pose_block *)f->poses;
    job.pose_stride = BLOCKS * sizeof(pm_pose_block);
    job.block_limit = f->block_limit;
    job.placements = f->placements[0];
    job.placement_stride = sizeof f->placements[0];
    job.order = run->order;
    job.order_count = run->order ? INSTANCES : 0;
    job.models = (float *)run->output;
    job.model_stride = MODEL_BYTES;
    job.palettes = (float *)(run->output + MODELS_BYTES);
    job.palette_stride = PALETTE_BYTES;
    f->job = job;
    return pm_palette_validate(&f->job);
}

// Without memory nothing is written, which then differs.
static uint64_t run_range(const void *context, uint32_t begin, uint32_t end) {
    const figures *f = context;
    void *scratch = aligned_alloc(PM_ALIGNMENT, pm_palette_scratch_size(&f->job));
    uint64_t mended = scratch ? pm_palette_run(&f->job, begin, end, scratch) : 0;
    free(scratch);
    return mended;
}

static void explain(const void *context, size_t byte, char *text, size_t size) {
    (void)context;
    bool palette = byte >= MODELS_BYTES;
    size_t instance = palette ? (byte - MODELS_BYTES) / PALETTE_BYTES : byte / MODEL_BYTES;
    size_t word = (palette ? (byte - MODELS_BYTES) % PALETTE_BYTES : byte % MODEL_BYTES) / sizeof(float);
    snprintf(text, size, "instance %zu, %s %zu, row %zu, column %zu", instance,
             palette ? "palette entry" : "model of joint", word / PM_MATRIX_FLOATS,
             word % PM_MATRIX_FLOATS / 4, word % 4);
}

bool pm_check_palette(const pm_check *check, uint64_t *hash) {
    figures *f = calloc(1, sizeof *f);
    if (!f) return pm_check_complain("out of memory");
    bool ok = (make_skeleton(f) && make_poses(f)) || pm_check_complain("out of memory");
    pm_check_task task = {
        .section = "palette",
        .item_count = INSTANCES,
        .moment_count = MOMENTS,
        .output_bytes = OUTPUT_BYTES,
        .context = f,
        .set_moment = set_moment,
        .prepare = prepare,
        .run = run_range,
        .explain = explain,
    };
    ok = ok && pm_check_run_task(check, &task, hash);
    pm_skeleton_destroy(f->skeleton);
    free(f->poses);
    free(f);
    return ok;
}
