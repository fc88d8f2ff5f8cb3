// Sample jobs: instances of all clips of the corpus, at times of every kind.
#include "hash.h"
#include "random.h"
#include "task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The times of each clip: some that have nothing to do with it, then at and around keys, then anywhere.
enum { BIT_TIMES = 4, KEYS = 8, TIMES_A_KEY = 4, RANDOM_TIMES = 8 };

static const uint32_t special_times[] = {
    0x00000000, // 0
    0x80000000, // minus zero
    0xBF800000, // -1
    0x4B189680, // 1e7
    0x7F800000, // infinity
    0xFF800000, // minus infinity
    0x7FC00000, // NaN
    0xFF800001, // a signalling NaN
    0x7F7FFFFF, // the largest
    0x00000001, // the smallest
};

enum { SPECIAL_TIMES = sizeof special_times / sizeof special_times[0] };
enum { TIMES = SPECIAL_TIMES + BIT_TIMES + KEYS * TIMES_A_KEY + RANDOM_TIMES };
enum { GAP_BYTES = PM_ALIGNMENT }; // that nothing may be written to, before and behind each output

// What the runs of a moment have in common. Times are the given ones and this much, so that kept cursors are
// of another time.
static const struct {
    float seconds;
    uint32_t block_limit;
    pm_beyond beyond;
} moments[] = {
    {0.0f, UINT32_MAX, PM_BEYOND_REST},
    {0x1p-5f, UINT32_MAX, PM_BEYOND_REST},
    {-0x3p-5f, 2, PM_BEYOND_REST},
    {0x5p-5f, 1, PM_BEYOND_KEEP},
};

typedef struct crowd {
    const pm_corpus *corpus;
    uint32_t instance_count;
    uint32_t *clip_index;   // [instances], neighbours rarely the same
    float *given_seconds;   // [instances]
    float *time_seconds;    // [instances], of the present moment
    uint32_t *sorted;       // [instances], by clip and time
    size_t *pose_offsets;   // [instances]
    size_t *scalar_offsets; // [instances]
    size_t output_bytes;
    uint32_t cursor_count; // the most that a clip needs
    uint32_t moment;
    pm_sample_job job;
} crowd;

static float from_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// The float next to a time, `step` of 1 further from 0, of -1 closer.
static float neighbour(float time, int32_t step) {
    int32_t bits;
    memcpy(&bits, &time, sizeof bits);
    return time == 0 ? from_bits(1) : from_bits((uint32_t)(bits + step));
}

static void fill_times(const pm_synthetic_clip *clip, pm_random *random, float *time) {
    uint32_t last = clip->time_count - 1;
    for (uint32_t i = 0; i < SPECIAL_TIMES; i++) *time++ = from_bits(special_times[i]);
    for (uint32_t i = 0; i < BIT_TIMES; i++) *time++ = from_bits((uint32_t)pm_random_next(random));
    for (uint32_t i = 0; i < KEYS; i++) {
        // The last key always, and any other.
        uint32_t key = i ? pm_random_below(random, clip->time_count) : last;
        float at = clip->times[key], behind = clip->times[key < last ? key + 1 : last];
        *time++ = at;
        *time++ = neighbour(at, -1);
        *time++ = neighbour(at, 1);
        *time++ = at + (behind - at) * 0.5f;
    }
    for (uint32_t i = 0; i < RANDOM_TIMES; i++)
        *time++ = clip->times[last] * (0.5f + 0.55f * pm_random_signed(random));
}

static bool allocate(crowd *c) {
    uint32_t count = c->instance_count = c->corpus->clip_count * TIMES;
    c->clip_index = calloc(count, sizeof *c->clip_index);
    c->given_seconds = calloc(count, sizeof *c->given_seconds);
    c->time_seconds = calloc(count, sizeof *c->time_seconds);
    c->sorted = calloc(count, sizeof *c->sorted);
    c->pose_offsets = calloc(count, sizeof *c->pose_offsets);
    c->scalar_offsets = calloc(count, sizeof *c->scalar_offsets);
    return c->clip_index && c->given_seconds && c->time_seconds && c->sorted && c->pose_offsets &&
           c->scalar_offsets;
}

static void release(crowd *c) {
    free(c->clip_index);
    free(c->given_seconds);
    free(c->time_seconds);
    free(c->sorted);
    free(c->pose_offsets);
    free(c->scalar_offsets);
}

// Poses first, then scalars, from the same base.
static void place_outputs(crowd *c) {
    size_t offset = GAP_BYTES;
    for (uint32_t i = 0; i < c->instance_count; i++) {
        pm_clip_info info = pm_clip_get_info(c->corpus->clips[c->clip_index[i]]);
        c->pose_offsets[i] = offset;
        offset += info.block_count * sizeof(pm_pose_block) + GAP_BYTES;
        if (info.cursor_count > c->cursor_count) c->cursor_count = info.cursor_count;
    }
    for (uint32_t i = 0; i < c->instance_count; i++) {
        pm_clip_info info = pm_clip_get_info(c->corpus->clips[c->clip_index[i]]);
        c->scalar_offsets[i] = offset;
        offset += info.scalar_block_count * PM_BLOCK_LANES * sizeof(float) + GAP_BYTES;
    }
    c->output_bytes = offset;
}

static void make_instances(crowd *c) {
    pm_random random = {16180};
    // Until it is sorted, a shuffle that gives clips to instances.
    uint32_t *instances = c->sorted;
    pm_random_shuffle(&random, instances, c->instance_count);
    for (uint32_t clip = 0; clip < c->corpus->clip_count; clip++) {
        float times[TIMES];
        fill_times(&c->corpus->synthetic[clip], &random, times);
        for (uint32_t i = 0; i < TIMES; i++) {
            uint32_t instance = instances[clip * TIMES + i];
            c->clip_index[instance] = clip;
            c->given_seconds[instance] = times[i];
        }
    }
    memcpy(c->time_seconds, c->given_seconds, c->instance_count * sizeof *c->time_seconds);
    place_outputs(c);
}

static const char *prepare(void *context, const pm_check_run *run) {
    crowd *c = context;
    pm_sample_job job = pm_default_sample_job();
    job.kernels = run->kernels;
    job.streaming = run->streaming;
    job.clips = c->corpus->clips;
    job.clip_count = c->corpus->clip_count;
    job.instance_count = c->instance_count;
    job.clip_index = c->clip_index;
    job.time_seconds = c->time_seconds;
    job.order = run->order;
    job.order_count = run->order ? c->instance_count : 0;
    job.cursors = run->cursors;
    job.cursor_stride = c->cursor_count * sizeof(uint16_t);
    job.poses = (pm_pose_block *)run->output;
    job.scalars = (float *)run->output;
    job.pose_offsets = c->pose_offsets;
    job.scalar_offsets = c->scalar_offsets;
    job.block_limit = moments[c->moment].block_limit;
    job.beyond = moments[c->moment].beyond;
    c->job = job;
    return pm_sample_validate(&c->job);
}

static void set_moment(void *context, uint32_t moment) {
    crowd *c = context;
    c->moment = moment;
    for (uint32_t i = 0; i < c->instance_count; i++)
        c->time_seconds[i] = c->given_seconds[i] + moments[moment].seconds;
}

static uint64_t run_range(const void *context, uint32_t begin, uint32_t end) {
    const crowd *c = context;
    return pm_sample_run(&c->job, begin, end);
}

static void explain(const void *context, size_t byte, char *text, size_t size) {
    const crowd *c = context;
    bool scalar = byte >= c->scalar_offsets[0];
    const size_t *offsets = scalar ? c->scalar_offsets : c->pose_offsets;
    uint32_t instance = c->instance_count - 1;
    while (instance && offsets[instance] > byte) instance--;
    size_t word = (byte - offsets[instance]) / sizeof(float);
    snprintf(text, size, "instance %u, clip \"%s\", time %.9g, %s row %zu, lane %zu", (unsigned)instance,
             pm_clip_get_info(c->corpus->clips[c->clip_index[instance]]).name,
             (double)c->time_seconds[instance], scalar ? "scalar" : "pose", word / PM_BLOCK_LANES,
             word % PM_BLOCK_LANES);
}

// The order that helps the cache is made of floats, too.
static bool sort(crowd *c, uint64_t *hash) {
    void *scratch = malloc(pm_order_scratch_size(c->instance_count, c->corpus->clip_count));
    if (!scratch) return false;
    pm_sample_job job = pm_default_sample_job();
    job.clips = c->corpus->clips;
    job.clip_count = c->corpus->clip_count;
    job.instance_count = c->instance_count;
    job.clip_index = c->clip_index;
    job.time_seconds = c->time_seconds;
    uint32_t count = pm_order_by_clip_and_time(&job, NULL, c->instance_count, false, c->sorted, scratch);
    free(scratch);
    *hash = pm_check_hash(*hash, c->sorted, c->instance_count * sizeof *c->sorted);
    return count == c->instance_count || pm_check_complain("the order leaves instances out");
}

bool pm_check_sample(const pm_check *check, uint64_t *hash) {
    crowd c = {.corpus = check->corpus};
    bool ok = allocate(&c) || pm_check_complain("out of memory");
    if (ok) make_instances(&c);
    ok = ok && sort(&c, hash);
    pm_check_task task = {
        .section = "sample",
        .item_count = c.instance_count,
        .moment_count = sizeof moments / sizeof moments[0],
        .output_bytes = c.output_bytes,
        .cursor_bytes = c.instance_count * (size_t)c.cursor_count * sizeof(uint16_t),
        .sorted = c.sorted,
        .context = &c,
        .set_moment = set_moment,
        .prepare = prepare,
        .run = run_range,
        .explain = explain,
    };
    ok = ok && pm_check_run_task(check, &task, hash);
    release(&c);
    return ok;
}
