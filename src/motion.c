#include <posemill/motion.h>

#include "diagnose.h"
#include "environment.h"
#include "job.h"
#include "loop.h"
#include "maths.h"
#include "motion_format.h"
#include "simd/environment.h"

#include <assert.h>

enum { MOTION_COOKIE = 0x506d4d31 };

// Values and slopes beyond this cannot be real; sums of a few of them stay far inside of double's range.
#define MOTION_LIMIT 1e30f

static const char *check_motion(const pm_motion *motion, size_t size) {
    if (size < sizeof *motion) return "it is shorter than a motion's header";
    if (motion->magic != PM_MOTION_MAGIC) return "it does not begin as a motion does";
    if (motion->version != PM_MOTION_VERSION) return "it is of another version";
    if (motion->size > size || motion->size % PM_ALIGNMENT) return "it is cut off";
    if (motion->up_axis > 2) return "its up axis does not exist";
    uint64_t n = motion->key_count, times = motion->times_offset, keys = motion->keys_offset;
    if (!n) return "it has no keys";
    if (times % PM_ALIGNMENT || times > motion->size || n * sizeof(float) > motion->size - times ||
        keys % PM_ALIGNMENT || keys > motion->size || n * sizeof(pm_motion_key) > motion->size - keys)
        return "its keys lie outside of it";
    const float *time = pm_motion_times(motion), *values = pm_motion_keys(motion)->value;
    for (uint64_t k = 0; k < n; k++)
        if (!(time[k] > -MOTION_LIMIT && time[k] < MOTION_LIMIT) || (k > 0 && !(time[k - 1] < time[k])))
            return "key times do not rise";
    for (uint64_t i = 0; i < n * sizeof(pm_motion_key) / sizeof(float); i++)
        if (!(values[i] > -MOTION_LIMIT && values[i] < MOTION_LIMIT)) return "a key's value is not finite";
    return NULL;
}

pm_result pm_motion_load(const void *memory, size_t size, const pm_motion **motion, pm_report *report) {
    pm_place nowhere = {NULL, NULL, NULL, PM_NONE};
    *motion = NULL;
    if (!memory || !pm_is_aligned(memory, PM_ALIGNMENT))
        return pm_fail(report, PM_ERROR_ARGUMENT, PM_FAULT_ARGUMENT, nowhere,
                       "a motion's memory must be 64-byte aligned");
    // Where denormals are flushed, neighbouring times near 0 would be equal.
    pm_environment environment = pm_environment_enter();
    const char *fault = check_motion(memory, size);
    pm_environment_leave(&environment);
    if (fault)
        return pm_fail(report, PM_ERROR_FORMAT, PM_FAULT_FILE_FORMAT, nowhere, "not a valid motion: %s",
                       fault);
    *motion = memory;
    return PM_OK;
}

// A turn about the up axis, then a translation.
typedef struct placement {
    double translation[3];
    double turn;
} placement;

static void rotate(uint32_t up_axis, double turn, double vector[3]) {
    if (turn == 0) return;
    uint32_t a = (up_axis + 1) % 3, b = (up_axis + 2) % 3;
    double sine = pm_sin(turn), cosine = pm_cos(turn), x = vector[a], y = vector[b];
    vector[a] = cosine * x - sine * y;
    vector[b] = sine * x + cosine * y;
}

// first * second: second is in first's space.
static placement compose(uint32_t up_axis, const placement *first, const placement *second) {
    placement result = *second;
    rotate(up_axis, first->turn, result.translation);
    for (int c = 0; c < 3; c++) result.translation[c] += first->translation[c];
    result.turn += first->turn;
    return result;
}

static placement invert(uint32_t up_axis, const placement *p) {
    placement result = {{-p->translation[0], -p->translation[1], -p->translation[2]}, -p->turn};
    rotate(up_axis, -p->turn, result.translation);
    return result;
}

// p * p * ... * p, by repeated squaring; a negative count goes back.
static placement repeat(uint32_t up_axis, placement p, int64_t count) {
    placement result = {{0, 0, 0}, 0};
    if (count < 0) p = invert(up_axis, &p);
    for (uint64_t left = count < 0 ? 0 - (uint64_t)count : (uint64_t)count; left; left >>= 1) {
        if (left & 1) result = compose(up_axis, &result, &p);
        p = compose(up_axis, &p, &p);
    }
    return result;
}

static uint32_t find_key(const float *times, uint32_t n, double time) {
    uint32_t low = 0;
    while (n > 1) {
        uint32_t half = n / 2;
        low = (double)times[low + half] <= time ? low + half : low;
        n -= half;
    }
    return low;
}

static placement evaluate(const pm_motion *motion, double time) {
    const float *times = pm_motion_times(motion);
    uint32_t last = motion->key_count - 1;
    time = time != time ? 0 : time;
    uint32_t k = find_key(times, motion->key_count, time);
    const pm_motion_key *a = pm_motion_keys(motion) + k, *b = a + 1;
    double at[4] = {(double)a->value[0], (double)a->value[1], (double)a->value[2], (double)a->value[3]};
    if (k < last && time > (double)times[k]) {
        double duration = (double)times[k + 1] - (double)times[k];
        double u = (time - (double)times[k]) / duration, left = 1 - u;
        double w1 = duration * (u * left * left), w2 = u * u * (3 - 2 * u), w3 = duration * (u * u * (u - 1));
        for (int c = 0; c < 4; c++)
            at[c] += w2 * ((double)b->value[c] - at[c]) + (w1 * (double)a->out[c] + w3 * (double)b->in[c]);
    }
    return (placement){{at[0], at[1], at[2]}, at[3]};
}

static float to_float(double x) {
    return (float)(x < -3e38 ? -3e38 : x > 3e38 ? 3e38 : x);
}

static pm_motion_delta to_delta(uint32_t up_axis, const placement *p) {
    pm_motion_delta delta = {{0}, {0, 0, 0, 1}, to_float(p->turn)};
    for (int c = 0; c < 3; c++) delta.translation[c] = to_float(p->translation[c]);
    delta.rotation[up_axis] = (float)pm_sin(0.5 * p->turn);
    delta.rotation[3] = (float)pm_cos(0.5 * p->turn);
    return delta;
}

static PM_NOINLINE pm_motion_delta evaluate_delta(const pm_motion *motion, double time_seconds) {
    placement at = evaluate(motion, time_seconds);
    return to_delta(motion->up_axis, &at);
}

pm_motion_delta pm_motion_evaluate(const pm_motion *motion, double time_seconds) {
    wide_environment was = wide_environment_enter();
    pm_motion_delta delta = evaluate_delta(motion, time_seconds);
    wide_environment_restore(was);
    return delta;
}

pm_motion_job pm_default_motion_job(void) {
    return (pm_motion_job){
        .cookie = MOTION_COOKIE,
        .clip_index_stride = sizeof(uint32_t),
        .playback_stride = sizeof(pm_playback),
        .from_stride = sizeof(double),
        .to_stride = sizeof(double),
        .delta_stride = sizeof(pm_motion_delta),
    };
}

static const char *validate_motions(const pm_motion_job *job) {
    if (!job->motions) return "motions is NULL";
    for (uint32_t i = 0; i < job->clip_count; i++) {
        const pm_motion *motion = job->motions[i];
        if (motion && (!pm_is_aligned(motion, PM_ALIGNMENT) || motion->magic != PM_MOTION_MAGIC ||
                       motion->version != PM_MOTION_VERSION))
            return "motions contains something that is not a motion of this version";
    }
    return NULL;
}

const char *pm_motion_validate(const pm_motion_job *job) {
    if (!job) return "the job is NULL";
    if (job->cookie != MOTION_COOKIE) return "the job was not made by pm_default_motion_job";
    const char *fault = pm_validate_clips(job->clips, job->clip_count);
    if (!fault) fault = validate_motions(job);
    if (fault) return fault;
    fault = pm_validate_span((pm_span_arrays){
        .clip_index = job->clip_index,
        .clip_index_stride = job->clip_index_stride,
        .playbacks = job->playbacks,
        .playback_stride = job->playback_stride,
        .from_phases = job->from_phases,
        .from_stride = job->from_stride,
        .to_phases = job->to_phases,
        .to_stride = job->to_stride,
        .order = job->order,
        .order_count = job->order_count,
    });
    if (fault) return fault;
    if (!job->deltas) return "deltas is NULL: nothing would be written";
    if (!pm_is_strided(job->deltas, job->delta_stride, _Alignof(pm_motion_delta)))
        return "deltas or its stride is not a multiple of 4 bytes";
    if (job->instance_count > 1 && job->delta_stride < sizeof(pm_motion_delta))
        return "delta_stride is below the size of a delta";
    return NULL;
}

// The end of the last cycle is the end of that cycle, not the start of another one.
static pm_position locate_held(const pm_loop *loop, double phase) {
    pm_position position = pm_locate(loop, phase);
    if (position.finished && position.cycle > 0) position.cycle--;
    return position;
}

static placement step_of(const pm_motion *motion, const pm_loop *loop, double from_phase, double to_phase) {
    pm_position from = locate_held(loop, from_phase), to = locate_held(loop, to_phase);
    placement start = evaluate(motion, from.time_seconds), end = evaluate(motion, to.time_seconds);
    if (!loop->ping_pong && to.cycle != from.cycle) {
        placement cycle = repeat(motion->up_axis, evaluate(motion, loop->duration), to.cycle - from.cycle);
        end = compose(motion->up_axis, &cycle, &end);
    }
    placement back = invert(motion->up_axis, &start);
    return compose(motion->up_axis, &back, &end);
}

static PM_NOINLINE void run_motion(const pm_motion_job *job, uint32_t begin, uint32_t end) {
    static const pm_motion_delta none = {{0, 0, 0}, {0, 0, 0, 1}, 0};
    for (uint32_t i = begin; i < end; i++) {
        uint32_t instance = job->order ? job->order[i] : i;
        uint32_t clip = PM_READ(uint32_t, job->clip_index, instance, job->clip_index_stride);
        if (clip >= job->clip_count) continue;
        pm_motion_delta *delta = PM_ELEMENT(pm_motion_delta, job->deltas, instance, job->delta_stride);
        const pm_motion *motion = job->motions[clip];
        double from = PM_READ(double, job->from_phases, instance, job->from_stride);
        double to = PM_READ(double, job->to_phases, instance, job->to_stride);
        if (!motion || from == to) {
            *delta = none;
            continue;
        }
        const pm_playback *playback =
            PM_ELEMENT(const pm_playback, job->playbacks, instance, job->playback_stride);
        pm_loop loop = pm_loop_of(playback, job->clips[clip]->duration_seconds);
        placement step = step_of(motion, &loop, from, to);
        *delta = to_delta(motion->up_axis, &step);
    }
}

void pm_motion_run(const pm_motion_job *job, uint32_t begin, uint32_t end) {
    assert(job->cookie == MOTION_COOKIE && begin <= end);
    assert(end <= (job->order ? job->order_count : job->instance_count));
    wide_environment was = wide_environment_enter();
    run_motion(job, begin, end);
    wide_environment_restore(was);
}
