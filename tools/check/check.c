#include "check.h"
#include "random.h"
#include "workers.h"

#include "../posemill/hash.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SEED 0x506F73656D696C6Cu // "Posemill"

// Ends the program.
static void fail(const char *format, ...) {
    va_list arguments;
    fputs("posemill-check: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

static void *allocate(size_t count, size_t size) {
    size_t bytes = (count * size / PM_ALIGNMENT + 1) * PM_ALIGNMENT;
    void *memory = aligned_alloc(PM_ALIGNMENT, bytes);
    if (!memory) fail("out of memory");
    return memset(memory, 0, bytes);
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size) {
    for (size_t at = 0; at + sizeof(uint32_t) <= size; at += sizeof(uint32_t)) {
        uint32_t word;
        memcpy(&word, (const char *)bytes + at, sizeof word);
        hash = pm_hash_word(hash, word);
    }
    return hash;
}

static void make_clip(pm_check *check, uint32_t index, const pm_synthetic_recipe *recipe) {
    pm_report report = {0};
    const pm_clip *loaded;
    pm_synthetic_clip *made = &check->clips[index];
    pm_result result = pm_synthetic_create(made, recipe, SEED + index, &report);
    if (result) fail("clip \"%s\": %s %s", recipe->name, pm_result_name(result), report.message);
    pm_clip_info info = pm_clip_get_info(made->clip);
    if (pm_clip_load(made->clip, info.size_bytes, &loaded, &report))
        fail("clip \"%s\" does not load: %s", recipe->name, report.message);
    check->clip_pointers[index] = made->clip;
    check->clip_bytes += info.size_bytes;
    check->clip_hash = hash_bytes(check->clip_hash, made->clip, info.size_bytes);
    if (info.cursor_count > check->cursor_count) check->cursor_count = info.cursor_count;
}

static void make_instances(pm_check *check) {
    pm_random random = {SEED};
    for (uint32_t i = 0; i < PM_CHECK_INSTANCES; i++) {
        pm_clip_info info = pm_clip_get_info(check->clip_pointers[i % check->clip_count]);
        check->clip_index[i] = i % check->clip_count;
        check->pose_offsets[i] = check->pose_bytes;
        check->scalar_offsets[i] = check->scalar_bytes;
        check->pose_bytes += info.block_count * sizeof(pm_pose_block);
        check->scalar_bytes += info.scalar_block_count * (PM_BLOCK_LANES * sizeof(float));
        check->joint_count += info.joint_count;
        // Fisher and Yates' shuffle, as the list grows.
        uint32_t place = pm_random_below(&random, i + 1);
        check->order[i] = check->order[place];
        check->order[place] = i;
    }
}

static void allocate_output(const pm_check *check, pm_check_output *output) {
    output->poses = allocate(check->pose_bytes, 1);
    output->scalars = allocate(check->scalar_bytes, 1);
}

void pm_check_create(pm_check *check, uint32_t worker_count) {
    *check = (pm_check){.worker_count = worker_count, .clip_hash = PM_HASH_START};
    const pm_synthetic_recipe *recipes = pm_synthetic_recipes(&check->clip_count);
    check->clips = allocate(check->clip_count, sizeof *check->clips);
    check->clip_pointers = allocate(check->clip_count, sizeof *check->clip_pointers);
    for (uint32_t i = 0; i < check->clip_count; i++) make_clip(check, i, &recipes[i]);

    check->clip_index = allocate(PM_CHECK_INSTANCES, sizeof *check->clip_index);
    check->order = allocate(PM_CHECK_INSTANCES, sizeof *check->order);
    check->times = allocate(PM_CHECK_INSTANCES, sizeof *check->times);
    check->cursors = allocate((size_t)PM_CHECK_INSTANCES * check->cursor_count, sizeof *check->cursors);
    check->pose_offsets = allocate(PM_CHECK_INSTANCES, sizeof *check->pose_offsets);
    check->scalar_offsets = allocate(PM_CHECK_INSTANCES, sizeof *check->scalar_offsets);
    make_instances(check);
    allocate_output(check, &check->reference);
    allocate_output(check, &check->checked);
}

void pm_check_destroy(pm_check *check) {
    for (uint32_t i = 0; i < check->clip_count; i++) pm_synthetic_destroy(&check->clips[i]);
    free(check->clips);
    free(check->clip_pointers);
    free(check->clip_index);
    free(check->order);
    free(check->times);
    free(check->cursors);
    free(check->pose_offsets);
    free(check->scalar_offsets);
    free(check->reference.poses);
    free(check->reference.scalars);
    free(check->checked.poses);
    free(check->checked.scalars);
}

static pm_sample_job make_job(const pm_check *check, const pm_kernels *kernels,
                              const pm_check_output *output) {
    pm_sample_job job = pm_default_sample_job();
    job.kernels = kernels;
    job.clips = check->clip_pointers;
    job.clip_count = check->clip_count;
    job.instance_count = PM_CHECK_INSTANCES;
    job.clip_index = check->clip_index;
    job.time_seconds = check->times;
    job.poses = output->poses;
    job.pose_offsets = check->pose_offsets;
    job.scalars = output->scalars;
    job.scalar_offsets = check->scalar_offsets;
    return job;
}

static double now_seconds(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Runs the job into an output that held something else. Returns the seconds it took.
static double run_job(const pm_check *check, const pm_sample_job *job, uint32_t piece,
                      pm_check_output *output) {
    const char *fault = pm_sample_validate(job);
    if (fault) fail("%s", fault);
    memset(output->poses, 0xA5, check->pose_bytes);
    memset(output->scalars, 0xA5, check->scalar_bytes);
    double begin = now_seconds();
    if (!pm_workers_run(job, PM_CHECK_INSTANCES, piece, check->worker_count, &output->guarded_count))
        fail("cannot start %u threads", (unsigned)check->worker_count);
    return now_seconds() - begin;
}

void pm_check_run_reference(pm_check *check, const pm_pass *pass, uint64_t seed) {
    pm_pass_set_times(pass, check->clips, check->clip_count, PM_CHECK_INSTANCES, seed, check->times);
    pm_sample_job job = make_job(check, pm_kernels_find("portable"), &check->reference);
    job.streaming = PM_STREAMING_OFF;
    run_job(check, &job, PM_CHECK_INSTANCES, &check->reference);
}

double pm_check_run_pass(pm_check *check, const pm_pass *pass, const pm_kernels *kernels) {
    pm_sample_job job = make_job(check, kernels, &check->checked);
    job.streaming = pass->streaming;
    if (pass->shuffled) {
        job.order = check->order;
        job.order_count = PM_CHECK_INSTANCES;
    }
    if (pass->cursors == PM_PASS_RANDOM_CURSORS) {
        pm_random random = {SEED};
        for (size_t i = 0; i < (size_t)PM_CHECK_INSTANCES * check->cursor_count; i++)
            check->cursors[i] = (uint16_t)pm_random_next(&random);
    }
    if (pass->cursors != PM_PASS_NO_CURSORS && check->cursor_count) {
        job.cursors = check->cursors;
        job.cursor_stride = check->cursor_count * sizeof *check->cursors;
    }
    return run_job(check, &job, pass->piece, &check->checked);
}

// The instance whose output holds a byte: the last one that begins at or before it.
static uint32_t instance_at(const size_t *offsets, size_t byte) {
    uint32_t instance = PM_CHECK_INSTANCES - 1;
    while (instance && offsets[instance] > byte) instance--;
    return instance;
}

// Says where two outputs differ first, if they do.
static bool same(const pm_check *check, const char *label, const void *expected, const void *found,
                 size_t size, const size_t *offsets) {
    const char *a = expected, *b = found;
    if (!memcmp(a, b, size)) return true;
    size_t at = 0;
    while (!memcmp(a + at, b + at, sizeof(float))) at += sizeof(float);
    uint32_t words[2], instance = instance_at(offsets, at);
    memcpy(&words[0], a + at, sizeof(float));
    memcpy(&words[1], b + at, sizeof(float));
    fprintf(stderr, "%s: instance %u, clip \"%s\", time %.9g, float %zu: %08x, not %08x\n", label,
            (unsigned)instance, check->clips[check->clip_index[instance]].recipe->name,
            (double)check->times[instance], (at - offsets[instance]) / sizeof(float), (unsigned)words[1],
            (unsigned)words[0]);
    return false;
}

bool pm_check_compare(const pm_check *check, const pm_pass *pass, const pm_kernels *kernels) {
    const pm_check_output *expected = &check->reference, *found = &check->checked;
    char label[128];
    snprintf(label, sizeof label, "%s, pass \"%s\"", pm_kernels_name(kernels), pass->name);
    bool poses = same(check, label, expected->poses, found->poses, check->pose_bytes, check->pose_offsets);
    bool scalars =
        same(check, label, expected->scalars, found->scalars, check->scalar_bytes, check->scalar_offsets);
    bool guarded = expected->guarded_count == found->guarded_count;
    if (!guarded)
        fprintf(stderr, "%s: %llu lanes guarded, not %llu\n", label, (unsigned long long)found->guarded_count,
                (unsigned long long)expected->guarded_count);
    return poses && scalars && guarded;
}

uint64_t pm_check_hash(const pm_check *check, const pm_check_output *output, uint64_t hash) {
    for (uint32_t i = 0; i < PM_CHECK_INSTANCES; i++) {
        pm_clip_info info = pm_clip_get_info(check->clip_pointers[check->clip_index[i]]);
        hash = pm_hash_pose(hash, output->poses + check->pose_offsets[i] / sizeof(pm_pose_block),
                            info.joint_count);
        hash = pm_hash_floats(hash, output->scalars + check->scalar_offsets[i] / sizeof(float),
                              info.scalar_count);
    }
    return pm_hash_word(hash, (uint32_t)output->guarded_count);
}
