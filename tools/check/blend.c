// Blend jobs: layers of every mode, weight and mask, over clips of one skeleton.
#include "random.h"
#include "task.h"

#include <stdio.h>
#include <stdlib.h>

enum { INSTANCES = 700, LAYERS = 5, MASKS = 3, MOMENTS = 2, JOINTS = 37, SCALARS = 18 };
enum { BLOCKS = (JOINTS + PM_BLOCK_LANES - 1) / PM_BLOCK_LANES };
enum { SCALAR_BLOCKS = (SCALARS + PM_BLOCK_LANES - 1) / PM_BLOCK_LANES };
enum {
    POSE_BYTES = BLOCKS * sizeof(pm_pose_block),
    SCALAR_BYTES = SCALAR_BLOCKS * PM_BLOCK_LANES * sizeof(float)
};
enum { POSES_BYTES = INSTANCES * POSE_BYTES, OUTPUT_BYTES = POSES_BYTES + INSTANCES * SCALAR_BYTES };

static const pm_synthetic_recipe recipes[] = {
    {.name = "additive", .key_count = 10, .interpolation = PM_INTERPOLATION_CUBIC, .additive = true},
    {.name = "additive, linear", .key_count = 10, .interpolation = PM_INTERPOLATION_LINEAR, .additive = true},
    {.name = "cubic", .key_count = 12, .interpolation = PM_INTERPOLATION_CUBIC},
    {.name = "linear, own",
     .key_count = 9,
     .interpolation = PM_INTERPOLATION_LINEAR,
     .timing = PM_SYNTHETIC_OWN},
    {.name = "blended",
     .key_count = 8,
     .interpolation = PM_INTERPOLATION_COUNT,
     .timing = PM_SYNTHETIC_JUMPS},
    {.name = "opposed",
     .key_count = 7,
     .interpolation = PM_INTERPOLATION_CUBIC,
     .nature = PM_SYNTHETIC_OPPOSED},
    {.name = "huge", .key_count = 6, .interpolation = PM_INTERPOLATION_CUBIC, .nature = PM_SYNTHETIC_HUGE},
};

enum { CLIPS = sizeof recipes / sizeof recipes[0] };

typedef struct crowd {
    pm_synthetic_clip synthetic[CLIPS];
    const pm_clip *clips[CLIPS];
    float *masks[MASKS]; // [BLOCKS * 16], each 64-byte aligned
    pm_layer layers[INSTANCES][LAYERS];
    uint32_t cursor_count;
    pm_blend_job job;
} crowd;

static float no_number(void) {
    return 1e30f * 1e30f - 1e30f * 1e30f;
}

static bool make_clips(crowd *c) {
    pm_report report = {0};
    for (uint32_t i = 0; i < CLIPS; i++) {
        pm_synthetic_recipe recipe = recipes[i];
        recipe.joint_count = JOINTS;
        recipe.scalar_count = SCALARS;
        recipe.constant_in_16 = 2;
        if (pm_synthetic_create(&c->synthetic[i], &recipe, i, &report)) return false;
        c->clips[i] = c->synthetic[i].clip;
        uint32_t cursor_count = pm_clip_get_info(c->clips[i]).cursor_count;
        if (cursor_count > c->cursor_count) c->cursor_count = cursor_count;
    }
    return true;
}

static bool make_masks(crowd *c) {
    static const float special[] = {0.0f, 1.0f, -1.0f, 2.0f};
    pm_random random = {57721};
    for (uint32_t i = 0; i < MASKS; i++) {
        c->masks[i] = aligned_alloc(PM_ALIGNMENT, BLOCKS * PM_BLOCK_LANES * sizeof(float));
        if (!c->masks[i]) return false;
        for (uint32_t lane = 0; lane < BLOCKS * PM_BLOCK_LANES; lane++) {
            uint32_t lot = pm_random_below(&random, 8);
            float value = 0.5f + 0.5f * pm_random_signed(&random);
            c->masks[i][lane] = lot < 4 ? special[lot] : lot == 4 ? no_number() : value;
        }
    }
    return true;
}

// Weights of one half of the layers are special ones; some layers name no clip, mask or mode.
static void set_moment(void *context, uint32_t moment) {
    static const float special[] = {0.0f, 1.0f, 1.0f, 0.5f, 2.0f, -1.0f};
    enum { SPECIAL = sizeof special / sizeof special[0] };
    crowd *c = context;
    pm_random random = {moment};
    for (uint32_t i = 0; i < INSTANCES; i++) {
        for (uint32_t l = 0; l < LAYERS; l++) {
            uint32_t lot = pm_random_below(&random, 2 * SPECIAL + 1);
            float weight = 0.5f + 0.5f * pm_random_signed(&random);
            if (lot < SPECIAL) weight = special[lot];
            if (lot == SPECIAL) weight = no_number();
            uint32_t clip = pm_random_below(&random, 32);
            c->layers[i][l] = (pm_layer){
                .clip = clip == 31 ? CLIPS : clip % CLIPS,
                .time_seconds =
                    pm_random_below(&random, 32) ? 0.5f + 0.75f * pm_random_signed(&random) : no_number(),
                .weight = weight,
                .mask = pm_random_below(&random, MASKS + 2),
                .mode = (pm_layer_mode)pm_random_below(&random, PM_LAYER_MODE_COUNT + (clip == 30)),
            };
        }
    }
}

static const char *prepare(void *context, const pm_check_run *run) {
    crowd *c = context;
    pm_blend_job job = pm_default_blend_job();
    job.kernels = run->kernels;
    job.streaming = run->streaming;
    job.clips = c->clips;
    job.clip_count = CLIPS;
    job.instance_count = INSTANCES;
    job.layer_count = LAYERS;
    job.layers = &c->layers[0][0];
    job.instance_stride = sizeof c->layers[0];
    job.masks = (const float *const *)c->masks;
    job.mask_count = MASKS;
    job.rest = c->synthetic[0].skeleton->rest;
    job.scalar_rest = c->synthetic[0].skeleton->scalar_rest;
    job.order = run->order;
    job.order_count = run->order ? INSTANCES : 0;
    job.cursors = run->cursors;
    job.layer_cursor_stride = c->cursor_count * sizeof(uint16_t);
    job.cursor_stride = LAYERS * job.layer_cursor_stride;
    job.poses = (pm_pose_block *)run->output;
    job.pose_stride = POSE_BYTES;
    job.scalars = (float *)(run->output + POSES_BYTES);
    job.scalar_stride = SCALAR_BYTES;
    c->job = job;
    return pm_blend_validate(&c->job);
}

// Without memory nothing is written, which then differs.
static uint64_t run_range(const void *context, uint32_t begin, uint32_t end) {
    const crowd *c = context;
    void *scratch = aligned_alloc(PM_ALIGNMENT, pm_blend_scratch_size(&c->job));
    uint64_t guarded = scratch ? pm_blend_run(&c->job, begin, end, scratch) : 0;
    free(scratch);
    return guarded;
}

static void explain(const void *context, size_t byte, char *text, size_t size) {
    (void)context;
    bool scalar = byte >= POSES_BYTES;
    size_t instance = scalar ? (byte - POSES_BYTES) / SCALAR_BYTES : byte / POSE_BYTES;
    size_t word = (scalar ? (byte - POSES_BYTES) % SCALAR_BYTES : byte % POSE_BYTES) / sizeof(float);
    snprintf(text, size, "instance %zu, %s row %zu, lane %zu", instance, scalar ? "scalar" : "pose",
             word / PM_BLOCK_LANES, word % PM_BLOCK_LANES);
}

bool pm_check_blend(const pm_check *check, uint64_t *hash) {
    crowd *c = calloc(1, sizeof *c);
    if (!c) return pm_check_complain("out of memory");
    bool ok = (make_clips(c) && make_masks(c)) || pm_check_complain("out of memory");
    pm_check_task task = {
        .section = "blend",
        .item_count = INSTANCES,
        .moment_count = MOMENTS,
        .output_bytes = OUTPUT_BYTES,
        .cursor_bytes = (size_t)INSTANCES * LAYERS * c->cursor_count * sizeof(uint16_t),
        .context = c,
        .set_moment = set_moment,
        .prepare = prepare,
        .run = run_range,
        .explain = explain,
    };
    ok = ok && pm_check_run_task(check, &task, hash);
    for (uint32_t i = 0; i < CLIPS; i++) pm_synthetic_destroy(&c->synthetic[i]);
    for (uint32_t i = 0; i < MASKS; i++) free(c->masks[i]);
    free(c);
    return ok;
}
