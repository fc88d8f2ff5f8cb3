#include <posemill/event.h>

#include "job.h"
#include "loop.h"
#include "simd/environment.h"

#include <assert.h>

enum { EVENT_COOKIE = 0x506d4531 };

pm_event_job pm_default_event_job(void) {
    return (pm_event_job){
        .cookie = EVENT_COOKIE,
        .clip_index_stride = sizeof(uint32_t),
        .playback_stride = sizeof(pm_playback),
        .from_stride = sizeof(double),
        .to_stride = sizeof(double),
    };
}

static const char *validate_track(const pm_mark_track *track, float duration_seconds) {
    if (track->mark_count && !track->marks) return "tracks contains a track whose marks are NULL";
    for (uint32_t i = 0; i < track->mark_count; i++) {
        float time = track->marks[i].time_seconds;
        if (!(time >= 0 && time <= duration_seconds)) return "a mark lies outside of its clip";
        if (i > 0 && time < track->marks[i - 1].time_seconds) return "marks are not in rising order of time";
    }
    return NULL;
}

const char *pm_event_validate(const pm_event_job *job) {
    if (!job) return "the job is NULL";
    if (job->cookie != EVENT_COOKIE) return "the job was not made by pm_default_event_job";
    const char *fault = pm_validate_clips(job->clips, job->clip_count);
    if (fault) return fault;
    if (!job->tracks) return "tracks is NULL";
    for (uint32_t i = 0; !fault && i < job->clip_count; i++)
        fault = validate_track(job->tracks + i, job->clips[i]->duration_seconds);
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
    return fault;
}

// Where events go.
typedef struct sink {
    pm_event *events;
    uint64_t capacity, count;
} sink;

// One instance's step.
typedef struct step {
    const pm_mark_track *track;
    pm_loop loop;
    double from, to;
    uint32_t instance;
} step;

// Whether a cycle has a mark that lies `seconds` into it: at a turn only the later cycle has it.
static bool owns(const step *s, double cycle, double seconds) {
    if (!s->loop.ping_pong || seconds < s->loop.duration) return true;
    return s->loop.cycles > 0 && cycle == s->loop.cycles - 1;
}

static bool is_mirrored(const step *s, double cycle) {
    return s->loop.ping_pong && cycle - 2 * floor(cycle / 2) != 0;
}

// Seconds into a cycle at which it comes to a mark.
static double seconds_to(const step *s, double cycle, uint32_t mark) {
    double time = (double)s->track->marks[mark].time_seconds;
    return is_mirrored(s, cycle) ? s->loop.duration - time : time;
}

// Whether the step passes a moment. The first moment of a cycle lies just behind its start and the last one
// just before its end, so that a cycle that is only touched passes nothing.
static bool passes(const step *s, double phase, double seconds) {
    bool first = seconds == 0, last = !first && seconds == s->loop.duration;
    if (s->to < s->from) {
        bool begun = first ? s->from > phase : s->from >= phase;
        return begun && (first ? s->to <= phase : s->to < phase);
    }
    bool begun = last ? s->from < phase : s->from <= phase;
    return begun && (last ? s->to >= phase : s->to > phase);
}

// The marks that one cycle passes, in order.
static void pass_cycle(const step *s, double cycle, sink *out) {
    bool reversed = (s->to < s->from) != is_mirrored(s, cycle);
    uint32_t count = s->track->mark_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t mark = reversed ? count - 1 - i : i;
        double seconds = seconds_to(s, cycle, mark);
        double phase = cycle * s->loop.duration + seconds;
        if (!owns(s, cycle, seconds) || !passes(s, phase, seconds)) continue;
        if (out->count < out->capacity) {
            float fraction = (float)((phase - s->from) / (s->to - s->from));
            out->events[out->count] = (pm_event){s->instance, mark, fraction, reversed};
        }
        out->count++;
    }
}

static uint64_t count_owned(const step *s, double cycle) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < s->track->mark_count; i++) count += owns(s, cycle, seconds_to(s, cycle, i));
    return count;
}

static void pass_step(const step *s, sink *out) {
    bool falling = s->to < s->from;
    double duration = s->loop.duration;
    double low = falling ? s->to : s->from, high = falling ? s->from : s->to;
    double first = 0, last = 0;
    if (duration > 0) {
        // A mark at the duration is passed where the next cycle begins.
        first = floor(low / duration) - 1;
        last = floor(high / duration);
    }
    if (s->loop.cycles > 0) {
        first = first > 0 ? first : 0;
        last = last < s->loop.cycles - 1 ? last : s->loop.cycles - 1;
    }
    if (first < -PM_CYCLE_LIMIT || last > PM_CYCLE_LIMIT) return;
    for (double i = 0, n = last - first + 1; i < n; i++) {
        double cycle = falling ? last - i : first + i;
        if (out->count >= out->capacity && i >= 3 && i + 5 < n) {
            // No more room, and these cycles are passed from end to end: count them two by two.
            double pairs = floor((n - i - 3) / 2);
            out->count += (count_owned(s, cycle) + count_owned(s, cycle + 1)) * (uint64_t)pairs;
            i += 2 * pairs - 1;
            continue;
        }
        pass_cycle(s, cycle, out);
    }
}

static PM_NOINLINE void run_events(const pm_event_job *job, uint32_t begin, uint32_t end, sink *out) {
    for (uint32_t i = begin; i < end; i++) {
        uint32_t instance = job->order ? job->order[i] : i;
        uint32_t clip = PM_READ(uint32_t, job->clip_index, instance, job->clip_index_stride);
        if (clip >= job->clip_count || !job->tracks[clip].mark_count) continue;
        const pm_playback *playback =
            PM_ELEMENT(const pm_playback, job->playbacks, instance, job->playback_stride);
        step s = {
            .track = job->tracks + clip,
            .loop = pm_loop_of(playback, job->clips[clip]->duration_seconds),
            .from = pm_finite_phase(PM_READ(double, job->from_phases, instance, job->from_stride)),
            .to = pm_finite_phase(PM_READ(double, job->to_phases, instance, job->to_stride)),
            .instance = instance,
        };
        if (s.from != s.to) pass_step(&s, out);
    }
}

uint64_t pm_event_run(const pm_event_job *job, uint32_t begin, uint32_t end, pm_event *events,
                      uint64_t capacity) {
    assert(job->cookie == EVENT_COOKIE && begin <= end);
    assert(end <= (job->order ? job->order_count : job->instance_count));
    assert(events || !capacity);
    sink out = {events, capacity, 0};
    wide_environment was = wide_environment_enter();
    run_events(job, begin, end, &out);
    wide_environment_restore(was);
    return out.count;
}
