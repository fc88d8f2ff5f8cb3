// Interpolate jobs: pairs of poses of random numbers, some of them no numbers.
#include "random.h"
#include "task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INSTANCES = 1500, BLOCKS = 2, SCALAR_BLOCKS = 1, MOMENTS = 3 };
enum {
    POSE_BYTES = BLOCKS * sizeof(pm_pose_block),
    SCALAR_BYTES = SCALAR_BLOCKS * PM_BLOCK_LANES * sizeof(float)
};
enum { POSES_BYTES = INSTANCES * POSE_BYTES, OUTPUT_BYTES = POSES_BYTES + INSTANCES * SCALAR_BYTES };

typedef struct pairs {
    float *from, *to; // laid out as the output is
    float fractions[INSTANCES];
    pm_interpolate_job job;
} pairs;

// One word in a hundred is any word; half of the words of `to` are as in `from`, and half of the rest its
// negative.
static void fill(pairs *p) {
    pm_random random = {141421};
    for (size_t i = 0; i < OUTPUT_BYTES / sizeof(float); i++) {
        uint32_t lot = pm_random_below(&random, 200), word = (uint32_t)pm_random_next(&random);
        p->from[i] = 2 * pm_random_signed(&random);
        p->to[i] = lot < 100 ? p->from[i] : lot < 150 ? -p->from[i] : 2 * pm_random_signed(&random);
        if (lot == 198) memcpy(&p->from[i], &word, sizeof word);
        if (lot == 199) memcpy(&p->to[i], &word, sizeof word);
    }
}

static void set_moment(void *context, uint32_t moment) {
    static const float special[] = {0.0f, 1.0f, -1.0f, 2.0f, 0.5f, 1e30f * 1e30f - 1e30f * 1e30f};
    enum { SPECIAL = sizeof special / sizeof special[0] };
    pairs *p = context;
    pm_random random = {moment};
    for (uint32_t i = 0; i < INSTANCES; i++) {
        uint32_t lot = pm_random_below(&random, 2 * SPECIAL);
        p->fractions[i] = lot < SPECIAL ? special[lot] : 0.5f + 0.5f * pm_random_signed(&random);
    }
}

static pm_pose_source source(const float *memory) {
    return (pm_pose_source){.poses = (const pm_pose_block *)memory,
                            .pose_stride = POSE_BYTES,
                            .scalars = memory + POSES_BYTES / sizeof(float),
                            .scalar_stride = SCALAR_BYTES};
}

static const char *prepare(void *context, const pm_check_run *run) {
    pairs *p = context;
    pm_interpolate_job job = pm_default_interpolate_job();
    job.kernels = run->kernels;
    job.streaming = run->streaming;
    job.instance_count = INSTANCES;
    job.block_count = BLOCKS;
    job.scalar_block_count = SCALAR_BLOCKS;
    job.from = source(p->from);
    job.to = source(p->to);
    job.fractions = p->fractions;
    job.order = run->order;
    job.order_count = run->order ? INSTANCES : 0;
    job.poses = (pm_pose_block *)run->output;
    job.pose_stride = POSE_BYTES;
    job.scalars = (float *)(run->output + POSES_BYTES);
    job.scalar_stride = SCALAR_BYTES;
    p->job = job;
    return pm_interpolate_validate(&p->job);
}

static uint64_t run_range(const void *context, uint32_t begin, uint32_t end) {
    const pairs *p = context;
    return pm_interpolate_run(&p->job, begin, end);
}

static void explain(const void *context, size_t byte, char *text, size_t size) {
    const pairs *p = context;
    bool scalar = byte >= POSES_BYTES;
    size_t instance = scalar ? (byte - POSES_BYTES) / SCALAR_BYTES : byte / POSE_BYTES;
    size_t word = (scalar ? (byte - POSES_BYTES) % SCALAR_BYTES : byte % POSE_BYTES) / sizeof(float);
    snprintf(text, size, "instance %zu, fraction %.9g, %s row %zu, lane %zu", instance,
             (double)p->fractions[instance], scalar ? "scalar" : "pose", word / PM_BLOCK_LANES,
             word % PM_BLOCK_LANES);
}

bool pm_check_interpolate(const pm_check *check, uint64_t *hash) {
    pairs *p = calloc(1, sizeof *p);
    if (!p) return pm_check_complain("out of memory");
    p->from = aligned_alloc(PM_ALIGNMENT, OUTPUT_BYTES);
    p->to = aligned_alloc(PM_ALIGNMENT, OUTPUT_BYTES);
    pm_check_task task = {
        .section = "between",
        .item_count = INSTANCES,
        .moment_count = MOMENTS,
        .output_bytes = OUTPUT_BYTES,
        .context = p,
        .set_moment = set_moment,
        .prepare = prepare,
        .run = run_range,
        .explain = explain,
    };
    bool ok = (p->from && p->to) || pm_check_complain("out of memory");
    if (ok) {
        fill(p);
        ok = pm_check_run_task(check, &task, hash);
    }
    free(p->from);
    free(p->to);
    free(p);
    return ok;
}
