#include <posemill/update.h>

#include "job.h"
#include "simd/environment.h"

#include <assert.h>

enum { UPDATE_COOKIE = 0x506d5531 };

pm_update_job pm_default_update_job(void) {
    return (pm_update_job){
        .cookie = UPDATE_COOKIE, .mode = PM_UPDATE_INTERPOLATED, .interval_stride = sizeof(uint8_t)};
}

const char *pm_update_validate(const pm_update_job *job) {
    if (!job) return "the job is NULL";
    if (job->cookie != UPDATE_COOKIE) return "the job was not made by pm_default_update_job";
    if ((unsigned)job->mode >= PM_UPDATE_MODE_COUNT) return "mode is neither INTERPOLATED nor HELD";
    if (!job->intervals) return "intervals is NULL";
    if (job->pose_stride % PM_ALIGNMENT) return "pose_stride is not a multiple of 64";
    if (job->buffer_stride % PM_ALIGNMENT) return "buffer_stride is not a multiple of 64";
    return NULL;
}

// Where an instance is between two ticks at which it is due.
typedef struct turn {
    int64_t due_tick; // the last one, at most the job's tick
    int64_t interval;
    bool odd; // of the turns since tick 0
} turn;

static turn turn_of(const pm_update_job *job, uint32_t instance) {
    int64_t interval = PM_READ(uint8_t, job->intervals, instance, job->interval_stride);
    if (interval == 0) interval = 1;
    // The stagger is below 256, so the sum overflows for no tick that a clock reaches.
    int64_t counted = job->tick + (int64_t)instance % interval;
    int64_t since = counted % interval;
    if (since < 0) since += interval;
    return (turn){job->tick - since, interval, (counted - since) / interval % 2 != 0};
}

static void write_turn(const pm_update_job *job, uint32_t instance, const turn *at, float fraction) {
    bool ahead = job->mode == PM_UPDATE_INTERPOLATED;
    size_t base = instance * job->pose_stride;
    size_t from = base + (ahead && at->odd ? job->buffer_stride : 0);
    size_t to = base + (ahead && !at->odd ? job->buffer_stride : 0);
    float since = (float)(job->tick - at->due_tick);
    if (job->ticks) job->ticks[instance] = at->due_tick + (ahead ? at->interval : 0);
    if (job->write_offsets) job->write_offsets[instance] = to;
    if (job->from_offsets) job->from_offsets[instance] = from;
    if (job->to_offsets) job->to_offsets[instance] = to;
    if (job->fractions) job->fractions[instance] = ahead ? (since + fraction) / (float)at->interval : 0;
}

static PM_NOINLINE uint32_t run_update(const pm_update_job *job, uint32_t begin, uint32_t end,
                                       uint32_t *due) {
    float fraction = job->fraction > 0 ? job->fraction : 0; // NaN, too
    fraction = fraction < 1 ? fraction : 1;
    uint32_t count = 0;
    for (uint32_t instance = begin; instance < end; instance++) {
        turn at = turn_of(job, instance);
        write_turn(job, instance, &at, fraction);
        if (at.due_tick != job->tick) continue;
        if (due) due[count] = instance;
        count++;
    }
    return count;
}

uint32_t pm_update_run(const pm_update_job *job, uint32_t begin, uint32_t end, uint32_t *due) {
    assert(job->cookie == UPDATE_COOKIE && begin <= end && end <= job->instance_count);
    wide_environment was = wide_environment_enter();
    uint32_t count = run_update(job, begin, end, due);
    wide_environment_restore(was);
    return count;
}
