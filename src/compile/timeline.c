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

static void use_timeline(pm_clip_plan *plan, pm_plan_track *track, times all) {
    struct pm_clip *header = &plan->header;
    uint32_t i = 0;
    while (i < header->timeline_count &&
           !equal(all, (times){plan->timelines[i].key_count, plan->timelines[i].times}))
        i++;
    if (i == header->timeline_count) add_timeline(plan, all);
    track->record.kind = PM_TRACK_SHARED;
    track->record.timeline = i;
}

static times lane_times(const pm_plan_track *track, uint32_t i) {
    const pm_lane *lane = track->lanes[i];
    return pm_lane_moves(lane) ? (times){lane->key_count, lane->times} : (times){0, NULL};
}

static times bundle_times(const pm_plan_bundle *bundle, uint32_t i) {
    return (times){bundle->record.key_count[i], bundle->times[i]};
}

static bool fits_bundle(const pm_plan_bundle *bundle, const pm_plan_track *track) {
    for (uint32_t i = 0; i < PM_BLOCK_LANES; i++) {
        times own = lane_times(track, i), there = bundle_times(bundle, i);
        if (own.count != there.count || (own.count && !equal(own, there))) return false;
    }
    return true;
}

// Lanes with equal times share them.
static void add_bundle(pm_clip_plan *plan, const pm_plan_track *track) {
    struct pm_clip *header = &plan->header;
    pm_plan_bundle *bundle = plan->bundles + header->bundle_count++;
    bool needs_cursor = false;
    for (uint32_t i = 0; i < PM_BLOCK_LANES; i++) {
        times own = lane_times(track, i);
        uint32_t same = 0;
        while (same < i && (own.count != bundle->record.key_count[same] ||
                            (own.count && !equal(own, bundle_times(bundle, same)))))
            same++;
        bundle->times[i] = own.seconds;
        bundle->record.key_count[i] = own.count;
        bundle->record.first_time[i] = same < i ? bundle->record.first_time[same] : bundle->time_count;
        if (same == i) bundle->time_count += (uint32_t)pm_padded_time_count(own.count);
        needs_cursor = needs_cursor || own.count >= PM_BLOCK_LANES;
    }
    bundle->record.cursor = needs_cursor ? header->cursor_count : PM_NONE;
    if (needs_cursor) header->cursor_count += PM_BLOCK_LANES;
}

static void use_bundle(pm_clip_plan *plan, pm_plan_track *track) {
    uint32_t i = 0;
    while (i < plan->header.bundle_count && !fits_bundle(plan->bundles + i, track)) i++;
    if (i == plan->header.bundle_count) add_bundle(plan, track);
    track->record.kind = PM_TRACK_MIXED;
    track->record.timeline = i;
}

bool pm_plan_find_timeline(pm_clip_plan *plan, pm_plan_track *track, float growth_limit) {
    times all = {0, NULL};
    uint32_t longest = 0;
    for (uint32_t i = 0; i < PM_BLOCK_LANES; i++) {
        times own = lane_times(track, i);
        if (!own.count) continue;
        if (!all.count) all = own;
        if (!merge(&plan->arena, &all, own)) return false;
        longest = own.count > longest ? own.count : longest;
    }
    if (all.count > longest && (double)all.count > (double)growth_limit * longest) {
        use_bundle(plan, track);
    } else {
        use_timeline(plan, track, all);
    }
    return true;
}

static void write_times(const float *seconds, uint32_t count, float *written) {
    const float infinity = 1e30f * 1e30f;
    for (uint32_t k = 0; k < count; k++) written[k] = seconds[k];
    for (uint64_t k = count; k < pm_padded_time_count(count); k++) written[k] = infinity;
}

void pm_plan_write_times(const pm_plan_timeline *timeline, void *clip) {
    write_times(timeline->times, timeline->key_count,
                (float *)((char *)clip + timeline->record.times_offset));
}

void pm_plan_write_bundle_times(const pm_plan_bundle *bundle, void *clip) {
    float *all = (float *)((char *)clip + bundle->record.times_offset);
    for (uint32_t i = 0; i < PM_BLOCK_LANES; i++)
        write_times(bundle->times[i], bundle->record.key_count[i], all + bundle->record.first_time[i]);
}
