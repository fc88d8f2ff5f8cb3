#include "plan.h"

#include <math.h>
#include <string.h>

// Keys this close to a grid, in frames, are found by a guess of one multiplication and a look at the
// neighbours.
#define GRID_TOLERANCE_FRAMES 0.25

typedef struct times {
    uint32_t count;
    const float *seconds;
} times;

static bool equal(times a, times b) {
    return a.count == b.count && !memcmp(a.seconds, b.seconds, a.count * sizeof *a.seconds);
}

// All times of both, once. False: no memory.
static bool merge(pm_arena *arena, times *into, times from) {
    if (equal(*into, from)) return true;
    float *merged = pm_arena_allocate(arena, (size_t)into->count + from.count, sizeof *merged);
    if (!merged) return false;
    uint32_t count = 0, i = 0, j = 0;
    while (i < into->count || j < from.count) {
        bool take_first = j == from.count || (i < into->count && into->seconds[i] <= from.seconds[j]);
        float next = take_first ? into->seconds[i++] : from.seconds[j++];
        if (!count || merged[count - 1] < next) merged[count++] = next;
    }
    *into = (times){count, merged};
    return true;
}

// Keys a second if the times lie on a uniform grid, else 0.
static float find_grid_rate(times t) {
    if (t.count < 2) return 1.0f;
    double first = t.seconds[0], last = t.seconds[t.count - 1];
    double rate = (t.count - 1) / (last - first);
    if (rate > 1e30) return 0;
    for (uint32_t k = 0; k < t.count; k++)
        if (fabs((t.seconds[k] - first) * rate - k) > GRID_TOLERANCE_FRAMES) return 0;
    return (float)rate;
}

static uint32_t shift_for(uint32_t key_count) {
    uint32_t shift = 0;
    while (key_count >> shift > UINT16_MAX) shift++;
    return shift;
}

static void add_timeline(pm_clip_plan *plan, times t) {
    struct pm_clip *header = &plan->header;
    pm_plan_timeline *timeline = plan->timelines + header->timeline_count++;
    float rate = find_grid_rate(t);
    timeline->key_count = t.count;
    timeline->times = t.seconds;
    timeline->record = (pm_timeline){
        .key_count = t.count,
        .cursor = rate > 0 ? PM_NONE : header->cursor_count++,
        .cursor_shift = shift_for(t.count),
        .grid_rate_hz = rate,
        .first = t.seconds[0],
        .last = t.seconds[t.count - 1],
    };
}

bool pm_plan_find_timeline(pm_clip_plan *plan, pm_plan_track *track) {
    times all = {0, NULL};
    for (uint32_t i = 0; i < PM_BLOCK_LANES; i++) {
        const pm_lane *lane = track->lanes[i];
        if (!lane || lane->constant) continue;
        times own = {lane->key_count, lane->times};
        if (!all.count) all = own;
        if (!merge(&plan->arena, &all, own)) return false;
    }
    for (uint32_t i = 0; i < plan->header.timeline_count; i++) {
        track->record.timeline = i;
        if (equal(all, (times){plan->timelines[i].key_count, plan->timelines[i].times})) return true;
    }
    track->record.timeline = plan->header.timeline_count;
    add_timeline(plan, all);
    return true;
}
