#include <posemill/fade.h>

#include "job.h"
#include "simd/environment.h"

#include <assert.h>

enum { FADE_COOKIE = 0x506d4631 };

static double clamp01(double x) {
    if (!(x > 0)) return 0; // NaN, too
    return x < 1 ? x : 1;
}

float pm_fade_weight(const pm_fade *fade, int64_t tick, double tick_seconds) {
    double from = clamp01((double)fade->from), to = clamp01((double)fade->to);
    double elapsed = ((double)tick - (double)fade->start_tick) * tick_seconds;
    if (elapsed < 0) return (float)from;
    if (!(fade->duration_seconds > elapsed)) return (float)to;
    double eased = pm_easing_evaluate(&fade->easing, elapsed / fade->duration_seconds).value;
    return (float)clamp01(from + eased * (to - from));
}

void pm_fade_start(pm_fade *fade, int64_t tick, double tick_seconds, float to, double duration_seconds) {
    fade->from = pm_fade_weight(fade, tick, tick_seconds);
    fade->to = to;
    fade->start_tick = tick;
    fade->duration_seconds = duration_seconds;
}

pm_fade_job pm_default_fade_job(void) {
    return (pm_fade_job){
        .cookie = FADE_COOKIE,
        .fade_stride = sizeof(pm_fade),
        .weight_stride = sizeof(float),
        .complement_stride = sizeof(float),
    };
}

static const char *validate_fades(const pm_fade_job *job) {
    if (!job->fades) return "fades is NULL";
    if (!pm_is_strided(job->fades, job->fade_stride, _Alignof(pm_fade)))
        return "fades or its stride is not a multiple of 8 bytes";
    for (uint32_t i = 0; i < job->instance_count; i++)
        if (pm_easing_validate(&PM_ELEMENT(const pm_fade, job->fades, i, job->fade_stride)->easing))
            return "a fade's easing is not valid (see pm_easing_validate)";
    return NULL;
}

const char *pm_fade_validate(const pm_fade_job *job) {
    if (!job) return "the job is NULL";
    if (job->cookie != FADE_COOKIE) return "the job was not made by pm_default_fade_job";
    if (!(job->tick_seconds > 0 && job->tick_seconds - job->tick_seconds == 0))
        return "tick_seconds is not a number above 0";
    const char *fault = validate_fades(job);
    if (fault) return fault;
    if (job->order_count && !job->order) return "order_count is set but order is NULL";
    if (!job->weights && !job->complements)
        return "weights and complements are both NULL: nothing would be written";
    if (!pm_is_strided(job->weights, job->weight_stride, sizeof(float)))
        return "weights or its stride is not a multiple of 4 bytes";
    if (!pm_is_strided(job->complements, job->complement_stride, sizeof(float)))
        return "complements or its stride is not a multiple of 4 bytes";
    if (job->instance_count < 2) return NULL;
    if (job->weights && !job->weight_stride)
        return "weight_stride is 0: instances would overwrite each other";
    if (job->complements && !job->complement_stride)
        return "complement_stride is 0: instances would overwrite each other";
    return NULL;
}

static PM_NOINLINE void run_fades(const pm_fade_job *job, uint32_t begin, uint32_t end) {
    for (uint32_t i = begin; i < end; i++) {
        uint32_t instance = job->order ? job->order[i] : i;
        const pm_fade *fade = PM_ELEMENT(const pm_fade, job->fades, instance, job->fade_stride);
        float weight = pm_fade_weight(fade, job->tick, job->tick_seconds);
        if (job->weights) *PM_ELEMENT(float, job->weights, instance, job->weight_stride) = weight;
        if (job->complements)
            *PM_ELEMENT(float, job->complements, instance, job->complement_stride) = 1 - weight;
    }
}

void pm_fade_run(const pm_fade_job *job, uint32_t begin, uint32_t end) {
    assert(job->cookie == FADE_COOKIE && begin <= end);
    assert(end <= (job->order ? job->order_count : job->instance_count));
    wide_environment was = wide_environment_enter();
    run_fades(job, begin, end);
    wide_environment_restore(was);
}
