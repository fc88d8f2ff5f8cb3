// posemill-counts: small crowds to count the kernels' instructions on. bench/check_counts runs it under
// callgrind, which counts what happens inside pm_sample_run and pm_order_by_clip_and_time during count_ticks,
// and writes a dump after each. Prints a line a case: its name and the joints that were evaluated.
#include "motion.h"

#include "../tools/check/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 64, BLOCKS = JOINTS / PM_BLOCK_LANES, INSTANCE_LIMIT = 64, CLIP_LIMIT = 2, TICKS = 4 };

static const char kernels_name[] = "avx2"; // the widest that callgrind knows

typedef struct count_case {
    const char *name;
    motion_keys keys;
    uint32_t key_count, clip_count, instance_count;
    bool random, streamed, ordered;
} count_case;

static const count_case cases[] = {
    {"baked-cubic/n64", MOTION_BAKED_CUBIC, 60, 1, 64, false, false, false},
    {"baked-cubic/n64/streamed", MOTION_BAKED_CUBIC, 60, 1, 64, false, true, false},
    {"baked-cubic/n64/ordered", MOTION_BAKED_CUBIC, 60, 2, 64, false, false, true},
    {"baked-cubic/n64/unordered", MOTION_BAKED_CUBIC, 60, 2, 64, false, false, false},
    {"baked-broken/n64", MOTION_BAKED_BROKEN, 60, 1, 64, false, false, false},
    {"baked-cubic/n1", MOTION_BAKED_CUBIC, 60, 1, 1, false, false, false},
    {"baked-linear/n64", MOTION_BAKED_LINEAR, 60, 1, 64, false, false, false},
    {"baked-linear/n1", MOTION_BAKED_LINEAR, 60, 1, 1, false, false, false},
    {"baked-linear-cubic/n64", MOTION_BAKED_LINEAR_CUBIC, 60, 1, 64, false, false, false},
    {"sparse-cubic/n64/ordered", MOTION_SPARSE_CUBIC, 12, 1, 64, false, false, true},
    {"sparse-cubic/n64/random", MOTION_SPARSE_CUBIC, 12, 1, 64, true, false, false},
    {"sparse-cubic/n1", MOTION_SPARSE_CUBIC, 12, 1, 1, false, false, false},
    {"sparse-linear/n64/ordered", MOTION_SPARSE_LINEAR, 12, 1, 64, false, false, true},
    {"sparse-linear/n64/random", MOTION_SPARSE_LINEAR, 12, 1, 64, true, false, false},
};

// What a case's crowd reads and writes.
typedef struct crowd {
    _Alignas(PM_ALIGNMENT) pm_pose_block poses[INSTANCE_LIMIT * BLOCKS];
    uint16_t cursors[INSTANCE_LIMIT * JOINTS * 3];
    uint32_t clip_index[INSTANCE_LIMIT], order[INSTANCE_LIMIT];
    uint32_t scratch[2 * INSTANCE_LIMIT + CLIP_LIMIT];
    float times[TICKS + 1][INSTANCE_LIMIT];
    pm_clip *clips[CLIP_LIMIT];
    pm_sample_job job;
} crowd;

static void run_tick(crowd *c, bool ordered, uint32_t tick) {
    uint32_t count = c->job.instance_count;
    c->job.time_seconds = c->times[tick];
    if (ordered) {
        count = c->job.order_count = pm_order_by_clip_and_time(&c->job, NULL, count, c->order, c->scratch);
        c->job.order = c->order;
    }
    pm_sample_run(&c->job, 0, count);
}

// Seen by callgrind under this name; the address taken in main keeps it from being inlined.
void count_ticks(crowd *c, bool ordered);

void count_ticks(crowd *c, bool ordered) {
    for (uint32_t tick = 1; tick <= TICKS; tick++) run_tick(c, ordered, tick);
}

static void fill_times(crowd *c, const count_case *settings) {
    pm_random random = {1};
    for (uint32_t i = 0; i < settings->instance_count; i++) {
        c->clip_index[i] = i % settings->clip_count;
        double duration = (double)pm_clip_get_info(c->clips[c->clip_index[i]]).duration_seconds;
        for (uint32_t tick = 0; tick <= TICKS; tick++) {
            double fraction =
                (double)(pm_random_next(&random) >> 40) * 0x1p-24 * (settings->random ? 1 : 0.9);
            double phase = settings->random || !tick ? fraction * duration : (double)c->times[0][i];
            c->times[tick][i] = (float)(settings->random ? phase : phase + tick / MOTION_RATE_HZ);
        }
    }
}

static bool create(crowd *c, const count_case *settings, const pm_skeleton *skeleton) {
    memset(c, 0, sizeof *c);
    for (uint32_t i = 0; i < settings->clip_count; i++) {
        motion clip_motion;
        if (!motion_create(&clip_motion, settings->keys, JOINTS, settings->key_count, i + 1)) return false;
        pm_result result = pm_clip_compile(&clip_motion.source, skeleton, NULL, NULL, &c->clips[i], NULL);
        motion_destroy(&clip_motion);
        if (result) return false;
    }
    fill_times(c, settings);
    c->job = pm_default_sample_job();
    c->job.kernels = pm_kernels_find(kernels_name);
    c->job.streaming = settings->streamed ? PM_STREAMING_ON : PM_STREAMING_OFF;
    c->job.clips = (const pm_clip *const *)c->clips;
    c->job.clip_count = settings->clip_count;
    c->job.clip_index = c->clip_index;
    c->job.instance_count = settings->instance_count;
    c->job.time_seconds = c->times[0];
    c->job.cursors = c->cursors;
    c->job.cursor_stride = JOINTS * 3 * sizeof *c->cursors;
    c->job.poses = c->poses;
    c->job.pose_stride = BLOCKS * sizeof *c->poses;
    return !pm_sample_validate(&c->job);
}

int main(int argc, char **argv) {
    void (*volatile count)(crowd *, bool) = count_ticks;
    crowd *c = aligned_alloc(PM_ALIGNMENT, (sizeof *c + PM_ALIGNMENT - 1) / PM_ALIGNMENT * PM_ALIGNMENT);
    pm_skeleton *skeleton = motion_create_skeleton(JOINTS);
    bool made = c && skeleton && pm_kernels_find(kernels_name);
    for (size_t i = 0; made && i < sizeof cases / sizeof *cases; i++) {
        if (argc > 1 && strcmp(argv[1], cases[i].name)) continue;
        made = create(c, cases + i, skeleton);
        if (!made) break;
        run_tick(c, cases[i].ordered, 0);
        count(c, cases[i].ordered);
        printf("%s %u\n", cases[i].name, TICKS * JOINTS * cases[i].instance_count);
        for (uint32_t clip = 0; clip < CLIP_LIMIT; clip++) pm_clip_destroy(c->clips[clip], NULL);
    }
    if (!made) fprintf(stderr, "posemill-counts: no memory, or no %s here\n", kernels_name);
    pm_skeleton_destroy(skeleton);
    free(c);
    return made ? 0 : 1;
}
