#include <posemill/playback.h>

#include "clip_format.h"
#include "job.h"
#include "loop.h"
#include "simd/environment.h"

#include <assert.h>

enum { PLAYBACK_COOKIE = 0x506d5031 };

static double finite_or_zero(double x) {
    return x - x == 0 ? x : 0;
}

// Clip seconds since base_seconds. `step` is rate times the duration of a tick.
static double seconds_since_start(const pm_playback *playback, int64_t tick, double tick_seconds) {
    double step = finite_or_zero(playback->rate * tick_seconds);
    // Ticks of opposite signs may lie further apart than int64_t reaches; as doubles they may not.
    double ticks = (double)tick - (double)playback->start_tick;
    if (tick >= 0 && playback->start_tick >= 0) ticks = (double)(tick - playback->start_tick);
    return ticks > 0 ? ticks * step : 0;
}

double pm_playback_phase(const pm_playback *playback, int64_t tick, double tick_seconds) {
    double since = seconds_since_start(playback, tick, tick_seconds);
    return pm_finite_phase(finite_or_zero(playback->base_seconds) +
                           (since + finite_or_zero(playback->base_residue)));
}

pm_position pm_playback_locate(const pm_playback *playback, double phase, float duration_seconds) {
    pm_loop loop = pm_loop_of(playback, duration_seconds);
    return pm_locate(&loop, phase);
}

void pm_playback_set_rate(pm_playback *playback, int64_t tick, double tick_seconds, double rate) {
    if (tick > playback->start_tick) {
        double base = finite_or_zero(playback->base_seconds);
        double since =
            seconds_since_start(playback, tick, tick_seconds) + finite_or_zero(playback->base_residue);
        // What the sum loses, exactly (Knuth's two-sum).
        double sum = base + since;
        double part = sum - base;
        playback->base_residue = (base - (sum - part)) + (since - part);
        playback->base_seconds = sum;
        playback->start_tick = tick;
    }
    playback->rate = rate;
}

void pm_playback_set_phase(pm_playback *playback, int64_t tick, double phase) {
    playback->start_tick = tick;
    playback->base_seconds = phase;
    playback->base_residue = 0;
}

pm_playback_job pm_default_playback_job(void) {
    return (pm_playback_job){
        .cookie = PLAYBACK_COOKIE,
        .clip_index_stride = sizeof(uint32_t),
        .playback_stride = sizeof(pm_playback),
        .tick_stride = sizeof(int64_t),
        .previous_phase_stride = sizeof(double),
        .time_stride = sizeof(float),
        .phase_stride = sizeof(double),
        .crossing_stride = sizeof(int32_t),
    };
}

static const char *validate_outputs(const pm_playback_job *job) {
    if (!job->time_seconds && !job->phases && !job->crossings)
        return "time_seconds, phases and crossings are all NULL: nothing would be written";
    if (!pm_is_strided(job->time_seconds, job->time_stride, sizeof(float)))
        return "time_seconds or its stride is not a multiple of 4 bytes";
    if (!pm_is_strided(job->phases, job->phase_stride, sizeof(double)))
        return "phases or its stride is not a multiple of 8 bytes";
    if (!pm_is_strided(job->crossings, job->crossing_stride, sizeof(int32_t)))
        return "crossings or its stride is not a multiple of 4 bytes";
    if (job->crossings && !job->previous_phases) return "crossings needs previous_phases, which is NULL";
    if (job->instance_count < 2) return NULL;
    if (job->time_seconds && !job->time_stride)
        return "time_stride is 0: instances would overwrite each other";
    if (job->phases && !job->phase_stride) return "phase_stride is 0: instances would overwrite each other";
    if (job->crossings && !job->crossing_stride)
        return "crossing_stride is 0: instances would overwrite each other";
    return NULL;
}

const char *pm_playback_validate(const pm_playback_job *job) {
    if (!job) return "the job is NULL";
    if (job->cookie != PLAYBACK_COOKIE) return "the job was not made by pm_default_playback_job";
    if (!(job->tick_seconds > 0 && job->tick_seconds - job->tick_seconds == 0))
        return "tick_seconds is not a number above 0";
    if (!pm_is_strided(job->ticks, job->tick_stride, sizeof(int64_t)))
        return "ticks or its stride is not a multiple of 8 bytes";
    const char *fault = pm_validate_clips(job->clips, job->clip_count);
    if (fault) return fault;
    if (!job->clip_index) return "clip_index is NULL";
    if (!pm_is_strided(job->clip_index, job->clip_index_stride, sizeof(uint32_t)))
        return "clip_index or its stride is not a multiple of 4 bytes";
    if (!job->playbacks) return "playbacks is NULL";
    if (!pm_is_strided(job->playbacks, job->playback_stride, _Alignof(pm_playback)))
        return "playbacks or its stride is not a multiple of 8 bytes";
    if (!pm_is_strided(job->previous_phases, job->previous_phase_stride, sizeof(double)))
        return "previous_phases or its stride is not a multiple of 8 bytes";
    if (job->order_count && !job->order) return "order_count is set but order is NULL";
    return validate_outputs(job);
}

static int32_t count_crossings(const pm_loop *loop, double previous_phase, int64_t cycle) {
    int64_t crossed = cycle - pm_locate(loop, previous_phase).cycle;
    return (int32_t)(crossed < INT32_MIN ? INT32_MIN : crossed > INT32_MAX ? INT32_MAX : crossed);
}

static PM_NOINLINE void run_playback(const pm_playback_job *job, uint32_t begin, uint32_t end) {
    for (uint32_t i = begin; i < end; i++) {
        uint32_t instance = job->order ? job->order[i] : i;
        uint32_t clip = PM_READ(uint32_t, job->clip_index, instance, job->clip_index_stride);
        if (clip >= job->clip_count) continue;
        const pm_playback *playback =
            PM_ELEMENT(const pm_playback, job->playbacks, instance, job->playback_stride);
        pm_loop loop = pm_loop_of(playback, job->clips[clip]->duration_seconds);
        int64_t tick = job->ticks ? PM_READ(int64_t, job->ticks, instance, job->tick_stride) : job->tick;
        double phase = pm_playback_phase(playback, tick, job->tick_seconds);
        pm_position position = pm_locate(&loop, phase);
        if (job->time_seconds)
            *PM_ELEMENT(float, job->time_seconds, instance, job->time_stride) = (float)position.time_seconds;
        if (job->phases) *PM_ELEMENT(double, job->phases, instance, job->phase_stride) = phase;
        if (!job->crossings) continue;
        double previous = PM_READ(double, job->previous_phases, instance, job->previous_phase_stride);
        *PM_ELEMENT(int32_t, job->crossings, instance, job->crossing_stride) =
            count_crossings(&loop, previous, position.cycle);
    }
}

void pm_playback_run(const pm_playback_job *job, uint32_t begin, uint32_t end) {
    assert(job->cookie == PLAYBACK_COOKIE && begin <= end);
    assert(end <= (job->order ? job->order_count : job->instance_count));
    wide_environment was = wide_environment_enter();
    run_playback(job, begin, end);
    wide_environment_restore(was);
}
