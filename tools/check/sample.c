// Sampling gives the same bits on all kernels, whatever order, ranges, cursors, streaming and host.
#include "check.h"
#include "crowd.h"
#include "environment.h"
#include "hash.h"
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum running_order { ORDER_GIVEN, ORDER_BY_CLIP, ORDER_SHUFFLED } running_order;
typedef enum cursor_content { CURSORS_NONE, CURSORS_KEPT, CURSORS_RANDOM } cursor_content;

// One way to run the same instances.
typedef struct way {
    const char *name;
    running_order order;
    cursor_content cursors;
    pm_streaming streaming;
    uint32_t piece; // instances a call
    bool hostile;   // the host rounds upwards and flushes denormals
} way;

// What all others must equal: the portable kernels, each instance in a call of its own.
static const way reference = {"alone", ORDER_GIVEN, CURSORS_NONE, PM_STREAMING_OFF, 1, false};

static const way ways[] = {
    {"given order", ORDER_GIVEN, CURSORS_KEPT, PM_STREAMING_AUTO, 1000, false},
    {"by clip", ORDER_BY_CLIP, CURSORS_NONE, PM_STREAMING_OFF, 101, true},
    {"shuffled", ORDER_SHUFFLED, CURSORS_KEPT, PM_STREAMING_OFF, 37, false},
    {"foreign cursors", ORDER_BY_CLIP, CURSORS_RANDOM, PM_STREAMING_ON, 4096, false},
};

// Each moment's times are the given ones and this much, so that kept cursors are of another time.
static const float moments[] = {0.0f, 0x1p-5f, -0x3p-5f};

enum {
    WAYS = sizeof ways / sizeof ways[0],
    MOMENTS = sizeof moments / sizeof moments[0],
    KERNELS_LIMIT = 16
};

// How one set of kernels fares.
typedef struct verdict {
    const pm_kernels *kernels;
    pm_check_output output; // its cursors are kept from moment to moment
    uint64_t hash;
    bool ok;
} verdict;

typedef struct sampling {
    const pm_check *check;
    pm_check_crowd crowd;
    pm_check_output expected;
    float *given_seconds; // [instances], the times of moment 0
    uint64_t *guarded;    // [instances], of the call that begins there; 0 elsewhere
    bool *disturbed;      // [instances], whether the call that begins there left another floating-point mode
    uint64_t guarded_count; // of the reference
    uint64_t guarded_total; // the same, of all moments
} sampling;

typedef struct call {
    sampling *s;
    pm_sample_job job;
    bool hostile;
} call;

static void run_range(void *context, uint32_t begin, uint32_t end) {
    const call *c = context;
    uint64_t mode = pm_check_environment();
    pm_check_set_environment(c->hostile ? PM_CHECK_HOSTILE : mode);
    uint64_t during = pm_check_environment();
    c->s->guarded[begin] = pm_sample_run(&c->job, begin, end);
    c->s->disturbed[begin] = pm_check_environment() != during;
    pm_check_set_environment(mode);
}

static pm_sample_job make_job(const pm_check_crowd *crowd, const pm_check_output *output, const way *w,
                              const pm_kernels *kernels) {
    pm_sample_job job = pm_default_sample_job();
    job.kernels = kernels;
    job.streaming = w->streaming;
    job.clips = crowd->corpus->clips;
    job.clip_count = crowd->corpus->clip_count;
    job.instance_count = crowd->instance_count;
    job.clip_index = crowd->clip_index;
    job.time_seconds = crowd->time_seconds;
    job.order = w->order == ORDER_GIVEN ? NULL : w->order == ORDER_BY_CLIP ? crowd->by_clip : crowd->shuffled;
    job.order_count = job.order ? crowd->instance_count : 0;
    job.cursors = w->cursors == CURSORS_NONE ? NULL : output->cursors;
    job.cursor_stride = crowd->cursor_count * sizeof(uint16_t);
    job.poses = output->poses;
    job.scalars = output->scalars;
    job.pose_offsets = crowd->pose_offsets;
    job.scalar_offsets = crowd->scalar_offsets;
    return job;
}

// Runs all instances in one way; *guarded receives the lanes guarded.
static bool run_way(sampling *s, pm_check_output *output, const way *w, const pm_kernels *kernels,
                    uint64_t *guarded) {
    const pm_check_crowd *crowd = &s->crowd;
    const char *name = pm_kernels_name(kernels);
    call c = {s, make_job(crowd, output, w, kernels), w->hostile};
    const char *fault = pm_sample_validate(&c.job);
    if (fault) return pm_check_complain("%s, %s: %s", name, w->name, fault);

    pm_random random = {271828};
    for (size_t i = 0; w->cursors == CURSORS_RANDOM && i < crowd->cursor_bytes / sizeof(uint16_t); i++)
        output->cursors[i] = (uint16_t)pm_random_next(&random);
    pm_check_output_clear(output, crowd);
    memset(s->guarded, 0, crowd->instance_count * sizeof *s->guarded);
    memset(s->disturbed, 0, crowd->instance_count * sizeof *s->disturbed);
    if (!pm_workers_run(s->check->worker_count, run_range, &c, crowd->instance_count, w->piece))
        return pm_check_complain("cannot start %u threads", (unsigned)s->check->worker_count);

    *guarded = 0;
    bool disturbed = false;
    for (uint32_t i = 0; i < crowd->instance_count; i++) {
        *guarded += s->guarded[i];
        disturbed = disturbed || s->disturbed[i];
    }
    return !disturbed || pm_check_complain("%s, %s: the host's floating-point mode changed", name, w->name);
}

// One moment in all ways on one set of kernels, against the reference.
static bool check_moment(sampling *s, verdict *v) {
    const char *name = pm_kernels_name(v->kernels);
    for (uint32_t i = 0; i < WAYS; i++) {
        char label[64];
        uint64_t guarded;
        snprintf(label, sizeof label, "%s, %s", name, ways[i].name);
        if (!run_way(s, &v->output, &ways[i], v->kernels, &guarded)) return false;
        if (!pm_check_output_equal(&v->output, &s->expected, &s->crowd, label)) return false;
        if (guarded != s->guarded_count)
            return pm_check_complain("%s: %llu lanes guarded, must be %llu", label,
                                     (unsigned long long)guarded, (unsigned long long)s->guarded_count);
    }
    v->hash = pm_check_output_hash(&v->output, &s->crowd, v->hash);
    return true;
}

static bool check_moments(sampling *s, verdict *verdicts, uint32_t verdict_count, uint64_t *hash) {
    for (uint32_t m = 0; m < MOMENTS; m++) {
        for (uint32_t i = 0; i < s->crowd.instance_count; i++)
            s->crowd.time_seconds[i] = s->given_seconds[i] + moments[m];
        if (!run_way(s, &s->expected, &reference, pm_kernels_at(0), &s->guarded_count)) return false;
        s->guarded_total += s->guarded_count;
        *hash = pm_check_output_hash(&s->expected, &s->crowd, *hash);
        for (uint32_t v = 0; v < verdict_count; v++)
            verdicts[v].ok = verdicts[v].ok && check_moment(s, &verdicts[v]);
    }
    return true;
}

static bool check_kernels(sampling *s, uint64_t *hash) {
    verdict verdicts[KERNELS_LIMIT] = {0};
    uint32_t count = 0;
    bool ok = true;
    for (; count < KERNELS_LIMIT && pm_check_kernels(s->check, count); count++) {
        verdict *v = &verdicts[count];
        *v = (verdict){.kernels = pm_check_kernels(s->check, count), .hash = *hash, .ok = true};
        ok = pm_check_output_create(&v->output, &s->crowd) && ok;
    }
    if (!ok) pm_check_complain("out of memory");
    ok = ok && check_moments(s, verdicts, count, hash);
    for (uint32_t i = 0; i < count; i++) {
        char note[64];
        snprintf(note, sizeof note, "%u poses, %llu lanes guarded",
                 (unsigned)(s->crowd.instance_count * MOMENTS), (unsigned long long)s->guarded_total);
        if (ok)
            pm_check_print("sample", pm_kernels_name(verdicts[i].kernels), verdicts[i].ok, verdicts[i].hash,
                           note);
        pm_check_output_destroy(&verdicts[i].output);
    }
    for (uint32_t i = 0; i < count; i++) ok = ok && verdicts[i].ok;
    *hash = pm_check_hash(*hash, &s->guarded_total, sizeof s->guarded_total);
    return ok;
}

bool pm_check_sample(const pm_check *check, uint64_t *hash) {
    sampling s = {.check = check};
    bool sound =
        pm_check_crowd_create(&s.crowd, check->corpus) && pm_check_output_create(&s.expected, &s.crowd);
    uint32_t count = s.crowd.instance_count;
    s.given_seconds = malloc(count * sizeof *s.given_seconds);
    s.guarded = malloc(count * sizeof *s.guarded);
    s.disturbed = malloc(count * sizeof *s.disturbed);
    sound = sound && s.given_seconds && s.guarded && s.disturbed;
    if (sound) memcpy(s.given_seconds, s.crowd.time_seconds, count * sizeof *s.given_seconds);
    bool ok = sound ? check_kernels(&s, hash) : pm_check_complain("out of memory");
    free(s.given_seconds);
    free(s.guarded);
    free(s.disturbed);
    pm_check_output_destroy(&s.expected);
    pm_check_crowd_destroy(&s.crowd);
    return ok;
}
