#include <posemill/sync.h>

#include "job.h"
#include "simd/environment.h"

#include <assert.h>

enum { SYNC_COOKIE = 0x506d4e31 };

pm_sync_job pm_default_sync_job(void) {
    return (pm_sync_job){
        .cookie = SYNC_COOKIE,
        .layer_stride = sizeof(pm_layer),
        .speed_stride = sizeof(float),
        .playback_stride = sizeof(pm_playback),
    };
}

const char *pm_sync_validate(const pm_sync_job *job) {
    if (!job) return "the job is NULL";
    if (job->cookie != SYNC_COOKIE) return "the job was not made by pm_default_sync_job";
    if (!(job->tick_seconds > 0 && job->tick_seconds - job->tick_seconds == 0))
        return "tick_seconds is not a number above 0";
    const char *fault = pm_validate_clips(job->clips, job->clip_count);
    if (fault) return fault;
    if (!job->members || job->members >> PM_LAYERS_MAX)
        return "members is not a set of layers below PM_LAYERS_MAX";
    if (!job->layers) return "layers is NULL";
    if (!pm_is_strided(job->layers, job->layer_stride, _Alignof(pm_layer)) ||
        job->instance_stride % _Alignof(pm_layer))
        return "layers or their strides are not multiples of 4 bytes";
    if (!pm_is_strided(job->speeds, job->speed_stride, sizeof(float)))
        return "speeds or its stride is not a multiple of 4 bytes";
    if (!job->playbacks) return "playbacks is NULL";
    if (!pm_is_strided(job->playbacks, job->playback_stride, _Alignof(pm_playback)) ||
        job->playback_instance_stride % _Alignof(pm_playback))
        return "playbacks or their strides are not multiples of 8 bytes";
    if (job->order_count && !job->order) return "order_count is set but order is NULL";
    return NULL;
}

// One instance's members that move.
typedef struct group {
    uint32_t count;
    pm_playback *playbacks[PM_LAYERS_MAX];
    double durations[PM_LAYERS_MAX], weights[PM_LAYERS_MAX];
} group;

static group gather(const pm_sync_job *job, uint32_t instance) {
    group g = {.count = 0};
    for (uint32_t l = 0; l < PM_LAYERS_MAX; l++) {
        if (!(job->members >> l & 1)) continue;
        const pm_layer *layer = PM_ELEMENT(const pm_layer, job->layers, instance, job->instance_stride);
        layer = PM_ELEMENT(const pm_layer, layer, l, job->layer_stride);
        if (layer->clip >= job->clip_count || !(job->clips[layer->clip]->duration_seconds > 0)) continue;
        pm_playback *playback =
            PM_ELEMENT(pm_playback, job->playbacks, instance, job->playback_instance_stride);
        g.playbacks[g.count] = PM_ELEMENT(pm_playback, playback, l, job->playback_stride);
        g.durations[g.count] = (double)job->clips[layer->clip]->duration_seconds;
        double weight = layer->weight > 0 ? (double)layer->weight : 0; // NaN, too
        g.weights[g.count++] = weight < 1 ? weight : 1;
    }
    return g;
}

static void keep_step(const pm_sync_job *job, const group *g, double speed) {
    double total = 0, sum = 0;
    uint32_t leader = g->count;
    for (uint32_t i = g->count; i-- > 0;) {
        total += g->weights[i];
        sum += g->weights[i] * g->durations[i];
        if (g->weights[i] > 0) leader = i;
    }
    if (leader == g->count) return;
    double cycle_seconds = sum / total;
    double cycle =
        pm_playback_phase(g->playbacks[leader], job->tick, job->tick_seconds) / g->durations[leader];
    for (uint32_t i = 0; i < g->count; i++) {
        double rate = speed * (g->durations[i] / cycle_seconds);
        if (i != leader) pm_playback_set_phase(g->playbacks[i], job->tick, cycle * g->durations[i]);
        pm_playback_set_rate(g->playbacks[i], job->tick, job->tick_seconds, rate);
    }
}

static PM_NOINLINE void run_sync(const pm_sync_job *job, uint32_t begin, uint32_t end) {
    for (uint32_t i = begin; i < end; i++) {
        uint32_t instance = job->order ? job->order[i] : i;
        group g = gather(job, instance);
        float speed = job->speeds ? PM_READ(float, job->speeds, instance, job->speed_stride) : 1;
        keep_step(job, &g, speed - speed == 0 ? (double)speed : 0);
    }
}

void pm_sync_run(const pm_sync_job *job, uint32_t begin, uint32_t end) {
    assert(job->cookie == SYNC_COOKIE && begin <= end);
    assert(end <= (job->order ? job->order_count : job->instance_count));
    wide_environment was = wide_environment_enter();
    run_sync(job, begin, end);
    wide_environment_restore(was);
}
