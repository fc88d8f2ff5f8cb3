#include "plan.h"

#include <math.h>
#include <string.h>

// Keys this close to a grid, in frames, are found by a guess of one multiplication and a look at the
// neighbours.
#define GRID_TOLERANCE_FRAMES 0.25

// What makes two timelines one: times, and how they are read.
typedef struct timing {
    uint32_t count;
    const float *times;
    float cadence_hz;
    const pm_easing_record *easing; // [count + 1], from the segment before the first key on, or NULL
} timing;

static timing lane_timing(const pm_lane *lane) {
    if (!pm_lane_moves(lane)) return (timing){0};
    return (timing){lane->key_count, lane->times, lane->cadence_hz, lane->easing};
}

static bool same_times(timing a, timing b) {
    return a.count == b.count && (!a.count || !memcmp(a.times, b.times, a.count * sizeof *a.times));
}

static bool same_easing(timing a, timing b) {
    if (!a.easing || !b.easing) return a.easing == b.easing;
    return a.count == b.count && !memcmp(a.easing, b.easing, (a.count + 1) * sizeof *a.easing);
}

static bool equal(timing a, timing b) {
    return same_times(a, b) && a.cadence_hz == b.cadence_hz && same_easing(a, b);
}

// Whether one timeline can serve both: an eased segment cannot be cut, nor be read at two cadences.
static bool can_merge(timing a, timing b) {
    return equal(a, b) || (a.cadence_hz == b.cadence_hz && !a.easing && !b.easing);
}

// All times of both, once. False: no memory.
static bool merge(pm_arena *arena, timing *into, timing from) {
    if (same_times(*into, from)) return true;
    float *merged = pm_arena_allocate(arena, (size_t)into->count + from.count, sizeof *merged);
    if (!merged) return false;
    uint32_t count = 0, i = 0, j = 0;
    while (i < into->count || j < from.count) {
        bool take_first = j == from.count || (i < into->count && into->times[i] <= from.times[j]);
        float next = take_first ? into->times[i++] : from.times[j++];
        if (!count || merged[count - 1] < next) merged[count++] = next;
    }
    into->count = count;
    into->times = merged;
    return true;
}

// Keys a second if the times lie on a uniform grid, else 0.
static float find_grid_rate(timing t) {
    if (t.count < 2) return 1.0f;
    double first = t.times[0], last = t.times[t.count - 1];
    double rate = (t.count - 1) / (last - first);
    if (rate > 1e30) return 0;
    for (uint32_t k = 0; k < t.count; k++)
        if (fabs((t.times[k] - first) * rate - k) > GRID_TOLERANCE_FRAMES) return 0;
    return (float)rate;
}

static uint32_t shift_for(uint32_t key_count) {
    uint32_t shift = 0;
    while (key_count >> shift > UINT16_MAX) shift++;
    return shift;
}

static void add_timeline(pm_clip_plan *plan, timing t) {
    struct pm_clip *header = &plan->header;
    pm_plan_timeline *timeline = plan->timelines + header->timeline_count++;
    float rate = find_grid_rate(t);
    timeline->times = t.times;
    timeline->easing = t.easing;
    timeline->record = (pm_timeline){
        .key_count = t.count,
        .cursor = rate > 0 ? PM_NONE : header->cursor_count++,
        .cursor_shift = shift_for(t.count),
        .grid_rate_hz = rate,
        .first = t.times[0],
        .last = t.times[t.count - 1],
        .cadence_hz = t.cadence_hz,
    };
}

static timing timeline_timing(const pm_plan_timeline *timeline) {
    const pm_timeline *record = &timeline->record;
    return (timing){record->key_count, timeline->times, record->cadence_hz, timeline->easing};
}

static void use_timeline(pm_clip_plan *plan, pm_plan_track *track, timing all) {
    struct pm_clip *header = &plan->header;
    uint32_t i = 0;
    while (i < header->timeline_count && !equal(all, timeline_timing(plan->timelines + i))) i++;
    if (i == header->timeline_count) add_timeline(plan, all);
    track->record.kind = PM_TRACK_SHARED;
    track->record.timeline = i;
}

static bool fits_bundle(const pm_plan_bundle *bundle, const pm_plan_track *track) {
    for (uint32_t i = 0; i < PM_BLOCK_LANES; i++)
        if (!equal(lane_timing(track->lanes[i]), lane_timing(bundle->lanes[i]))) return false;
    return true;
}

// Lanes of a long bundle with equal times share them.
static void place_lane_times(pm_plan_bundle *bundle, uint32_t lane) {
    timing own = lane_timing(bundle->lanes[lane]);
    uint32_t same = 0;
    while (same < lane && !same_times(own, lane_timing(bundle->lanes[same]))) same++;
    bundle->record.first_time[lane] = same < lane ? bundle->record.first_time[same] : bundle->time_count;
    if (same == lane) bundle->time_count += (uint32_t)pm_padded_time_count(own.count);
}

static void add_bundle(pm_clip_plan *plan, const pm_plan_track *track) {
    struct pm_clip *header = &plan->header;
    pm_plan_bundle *bundle = plan->bundles + header->bundle_count++;
    pm_bundle *record = &bundle->record;
    uint32_t longest = 0;
    for (uint32_t i = 0; i < PM_BLOCK_LANES; i++) {
        timing own = lane_timing(track->lanes[i]);
        bundle->lanes[i] = track->lanes[i];
        record->key_count[i] = own.count;
        record->first_segment[i] = bundle->segment_count;
        bundle->segment_count += own.count + 1;
        record->cadence_hz[i] = own.cadence_hz;
        record->has_cadence = record->has_cadence || own.cadence_hz > 0;
        bundle->has_easing = bundle->has_easing || own.easing;
        longest = own.count > longest ? own.count : longest;
    }
    record->cursor = PM_NONE;
    if (longest < PM_SHORT_ROWS) {
        record->row_count = longest < 4 ? 4 : longest < 8 ? 8 : 16;
        bundle->time_count = record->row_count * PM_BLOCK_LANES;
        return;
    }
    for (uint32_t i = 0; i < PM_BLOCK_LANES; i++) place_lane_times(bundle, i);
    record->cursor = header->cursor_count;
    header->cursor_count += PM_BLOCK_LANES;
}

static void use_bundle(pm_clip_plan *plan, pm_plan_track *track) {
    uint32_t i = 0;
    while (i < plan->header.bundle_count && !fits_bundle(plan->bundles + i, track)) i++;
    if (i == plan->header.bundle_count) add_bundle(plan, track);
    track->record.kind = PM_TRACK_MIXED;
    track->record.timeline = i;
}

bool pm_plan_find_timeline(pm_clip_plan *plan, pm_plan_track *track, float growth_limit) {
    timing all = {0};
    uint32_t longest = 0;
    bool mergeable = true;
    for (uint32_t i = 0; i < PM_BLOCK_LANES && mergeable; i++) {
        timing own = lane_timing(track->lanes[i]);
        if (!own.count) continue;
        if (!all.count) all = own;
        mergeable = can_merge(all, own);
        if (mergeable && !merge(&plan->arena, &all, own)) return false;
        longest = own.count > longest ? own.count : longest;
    }
    bool grows = all.count > longest;
    if (!mergeable || (grows && (double)all.count > (double)growth_limit * longest)) {
        use_bundle(plan, track);
    } else {
        use_timeline(plan, track, all);
    }
    return true;
}

static void write_times(const float *times, uint32_t count, float *written) {
    const float infinity = 1e30f * 1e30f;
    for (uint32_t k = 0; k < count; k++) written[k] = times[k];
    for (uint64_t k = count; k < pm_padded_time_count(count); k++) written[k] = infinity;
}

void pm_plan_write_timeline(const pm_plan_timeline *timeline, void *clip) {
    const pm_timeline *record = &timeline->record;
    write_times(timeline->times, record->key_count, (float *)((char *)clip + record->times_offset));
    // No sample lies before the first key: times are clamped to the timeline.
    if (timeline->easing)
        memcpy((char *)clip + record->easing_offset, timeline->easing + 1,
               record->key_count * sizeof *timeline->easing);
}

static void write_time_rows(const pm_plan_bundle *bundle, float *rows) {
    const float infinity = 1e30f * 1e30f;
    for (uint32_t k = 0; k < bundle->record.row_count; k++) {
        for (uint32_t i = 0; i < PM_BLOCK_LANES; i++) {
            timing own = lane_timing(bundle->lanes[i]);
            rows[k * PM_BLOCK_LANES + i] = k < own.count ? own.times[k] : infinity;
        }
    }
}

void pm_plan_write_bundle(const pm_plan_bundle *bundle, void *clip) {
    const pm_bundle *record = &bundle->record;
    float *times = (float *)((char *)clip + record->times_offset);
    pm_easing_record *easing = (pm_easing_record *)((char *)clip + record->easing_offset);
    write_time_rows(bundle, times);
    for (uint32_t i = 0; i < PM_BLOCK_LANES; i++) {
        timing own = lane_timing(bundle->lanes[i]);
        if (!record->row_count) write_times(own.times, own.count, times + record->first_time[i]);
        for (uint32_t k = 0; bundle->has_easing && k <= own.count; k++)
            easing[record->first_segment[i] + k] =
                own.easing ? own.easing[k] : (pm_easing_record){.power = {1.0f}};
    }
}
