// Nanoseconds a joint on each set of kernels: 64 joints, all paths, a key a frame, in cache. A look, no
// benchmark.
#include "check.h"
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { INSTANCES = 64, JOINTS = 64, BLOCKS = JOINTS / PM_BLOCK_LANES, ROUNDS = 16, KEYS = 60 };

static const pm_synthetic_recipe recipes[] = {
    {.name = "cubic", .joint_count = JOINTS, .key_count = KEYS, .interpolation = PM_INTERPOLATION_CUBIC},
    {.name = "linear", .joint_count = JOINTS, .key_count = KEYS, .interpolation = PM_INTERPOLATION_LINEAR},
};

enum { RECIPES = sizeof recipes / sizeof recipes[0] };

static double now_seconds(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// The best of some rounds.
static double measure(const pm_kernels *kernels, const pm_clip *clip, pm_pose_block *poses) {
    static const uint32_t clip_index = 0;
    float times[INSTANCES];
    pm_random random = {1};
    float duration = pm_clip_get_info(clip).duration_seconds;
    for (uint32_t i = 0; i < INSTANCES; i++) times[i] = duration * (0.5f + 0.5f * pm_random_signed(&random));
    pm_sample_job job = pm_default_sample_job();
    job.kernels = kernels;
    job.streaming = PM_STREAMING_OFF;
    job.clips = &clip;
    job.clip_count = 1;
    job.instance_count = INSTANCES;
    job.clip_index = &clip_index;
    job.clip_index_stride = 0;
    job.time_seconds = times;
    job.poses = poses;
    job.pose_stride = BLOCKS * sizeof(pm_pose_block);
    double best = 0;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        double begin = now_seconds();
        pm_sample_run(&job, 0, INSTANCES);
        double seconds = now_seconds() - begin;
        if (i == 0 || seconds < best) best = seconds;
    }
    return 1e9 * best / (INSTANCES * JOINTS);
}

static bool measure_kernels(const pm_check *check, const pm_synthetic_clip *clips, pm_pose_block *poses) {
    const pm_kernels *kernels;
    for (uint32_t k = 0; (kernels = pm_check_kernels(check, k)); k++) {
        printf("%-8s %-9s", "speed", pm_kernels_name(kernels));
        for (uint32_t i = 0; i < RECIPES; i++)
            printf(" %s %.2f", recipes[i].name, measure(kernels, clips[i].clip, poses));
        printf(" ns a joint\n");
    }
    return true;
}

bool pm_check_speed(const pm_check *check, uint64_t *hash) {
    (void)hash;
    pm_synthetic_clip clips[RECIPES] = {0};
    pm_report report = {0};
    pm_pose_block *poses = aligned_alloc(PM_ALIGNMENT, INSTANCES * BLOCKS * sizeof *poses);
    bool sound = poses != NULL;
    for (uint32_t i = 0; sound && i < RECIPES; i++)
        sound = !pm_synthetic_create(&clips[i], &recipes[i], i, &report);
    bool ok = sound ? measure_kernels(check, clips, poses) : pm_check_complain("out of memory");
    for (uint32_t i = 0; i < RECIPES; i++) pm_synthetic_destroy(&clips[i]);
    free(poses);
    return ok;
}
