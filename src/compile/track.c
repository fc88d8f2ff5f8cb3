#include "plan.h"

#include <math.h>
#include <string.h>

enum { LANES = PM_BLOCK_LANES };

bool pm_lane_moves(const pm_lane *lane) {
    return lane && !lane->constant;
}

// Whether a lane's tangents are equal on both sides of every key, seen on a timeline from `first` to `last`.
static bool is_smooth(const pm_lane *lane, float first, float last) {
    if (!pm_lane_moves(lane)) return true;
    if (lane->interpolation != PM_INTERPOLATION_CUBIC) return false;
    for (uint32_t k = 0; k < lane->key_count; k++) {
        // The curve rests outside its end keys; what lies beyond the timeline is never read.
        bool begins = k == 0, ends = k == lane->key_count - 1;
        if ((begins && lane->times[k] == first) || (ends && lane->times[k] == last)) continue;
        for (uint32_t c = 0; c < lane->components; c++) {
            size_t i = (size_t)k * lane->components + c;
            if ((begins ? 0 : lane->in[i]) != (ends ? 0 : lane->out[i])) return false;
        }
    }
    return true;
}

static bool all_smooth(const pm_plan_track *track, const pm_plan_timeline *timeline) {
    for (uint32_t i = 0; i < LANES; i++)
        if (!is_smooth(track->lanes[i], timeline->record.first, timeline->record.last)) return false;
    return true;
}

pm_track_mode pm_plan_find_mode(const pm_clip_plan *plan, const pm_plan_track *track) {
    bool has[PM_INTERPOLATION_COUNT] = {false};
    for (uint32_t i = 0; i < LANES; i++)
        if (pm_lane_moves(track->lanes[i])) has[track->lanes[i]->interpolation] = true;
    bool step = has[PM_INTERPOLATION_STEP], linear = has[PM_INTERPOLATION_LINEAR];
    bool cubic = has[PM_INTERPOLATION_CUBIC], rotation = track->record.path == PM_PATH_ROTATION;
    if (track->record.kind == PM_TRACK_MIXED) {
        // Its records express steps in every mode.
        if (!cubic) return PM_TRACK_LINEAR;
        return linear && rotation ? PM_TRACK_BLENDED : PM_TRACK_CUBIC;
    }
    if (step) return linear || cubic ? PM_TRACK_BLENDED : PM_TRACK_STEP;
    // A straight line is a cubic whose tangents are its chord; slerp is not.
    if (linear && cubic) return rotation ? PM_TRACK_BLENDED : PM_TRACK_CUBIC;
    if (linear) return PM_TRACK_LINEAR;
    return all_smooth(track, plan->timelines + track->record.timeline) ? PM_TRACK_SMOOTH : PM_TRACK_CUBIC;
}

// Which rows of a key hold what; a mode that has no such rows does not ask.
typedef struct rows {
    uint32_t components;
    uint32_t in, value, out, slerp;
    size_t stride; // floats from one key to the next
    bool has_tangents, has_slerp;
} rows;

static rows rows_of(const pm_track *record, size_t stride) {
    uint32_t components = pm_path_component_count((pm_path)record->path);
    bool smooth = record->mode == PM_TRACK_SMOOTH, blended = record->mode == PM_TRACK_BLENDED;
    rows r = {.components = components, .stride = stride};
    r.has_tangents = smooth || blended || record->mode == PM_TRACK_CUBIC;
    r.has_slerp = record->path == PM_PATH_ROTATION && (blended || record->mode == PM_TRACK_LINEAR);
    r.value = r.has_tangents && !smooth ? components : 0;
    r.out = smooth ? components : 2 * components;
    r.in = smooth ? components : 0;
    r.slerp = r.has_tangents ? 3 * components : components;
    return r;
}

void pm_plan_write_still(const pm_plan_track *track, uint32_t lane, float *value, uint32_t stride) {
    const pm_lane *still = track->lanes[lane];
    uint32_t components = pm_path_component_count((pm_path)track->record.path);
    double length = 1;
    if (still && track->record.path == PM_PATH_ROTATION) {
        const double *q = still->values;
        length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    }
    for (uint32_t c = 0; c < components; c++) {
        bool rests = !still || length == 0;
        value[c * stride] = rests ? track->rest[c * LANES + lane] : (float)(still->values[c] / length);
    }
}

// Where a segment of next to no duration is split, slopes need not be floats.
static float bound_slope(double slope) {
    const double bound = 1e38;
    return (float)(slope > bound ? bound : slope < -bound ? -bound : slope);
}

// Values at the timeline's times, and tangents of CUBIC lanes. What is never read, before the first key and
// behind the last, is 0; in smooth keys the other side's tangent takes the place.
static void write_moving_lane(const pm_plan_track *track, uint32_t lane, rows r, float *keys,
                              const pm_plan_timeline *timeline) {
    uint32_t hint = 0, last = timeline->record.key_count - 1;
    for (uint32_t k = 0; k <= last + 1; k++) {
        uint32_t at = k <= last ? k : last; // the copy of the last key
        pm_lane_key split = pm_lane_split(track->lanes[lane], timeline->times[at], &hint);
        float *key = keys + k * r.stride + lane;
        for (uint32_t c = 0; c < r.components; c++) {
            key[(r.value + c) * LANES] = (float)split.value[c];
            if (!r.has_tangents) continue;
            if (k > 0 && k <= last) key[(r.in + c) * LANES] = bound_slope(split.in[c]);
            if (k < last) key[(r.out + c) * LANES] = bound_slope(split.out[c]);
        }
    }
}

// In a track of cubics a straight line's tangents are its chord; across a jump, which is never seen, there
// are none.
static void write_chords(uint32_t lane, rows r, float *keys, const pm_plan_timeline *timeline) {
    for (uint32_t k = 0; k + 1 < timeline->record.key_count; k++) {
        float *key = keys + k * r.stride + lane, *next = key + r.stride;
        double duration = (double)timeline->times[k + 1] - timeline->times[k];
        for (uint32_t c = 0; c < r.components; c++) {
            double step = (double)next[(r.value + c) * LANES] - (double)key[(r.value + c) * LANES];
            double chord = step / duration;
            bool jump = fabs(chord) > (double)PM_VALUE_LIMIT;
            key[(r.out + c) * LANES] = next[(r.in + c) * LANES] = jump ? 0.0f : (float)chord;
        }
    }
}

void pm_plan_write_slerp(const float *a, const float *b, uint32_t stride, float *angle2, float *scale) {
    double from[4], to[4], tangent;
    for (uint32_t c = 0; c < 4; c++) {
        from[c] = (double)a[c * stride];
        to[c] = (double)b[c * stride];
    }
    double half = pm_half_angle(from, to, &tangent);
    bool still = !(tangent >= 1e-10); // NaN, too: a cubic lane's keys may have no length
    *angle2 = still ? 0.0f : (float)(4 * half * half);
    *scale = still ? 1.0f : (float)(half / tangent);
}

// A lane that is no slerp, and the copy of the last key, get the numbers of an arc of no length.
static void write_arcs(uint32_t lane, rows r, float *keys, uint32_t key_count, bool slerped) {
    for (uint32_t k = 0; k < key_count; k++) {
        const float *value = keys + k * r.stride + r.value * LANES + lane;
        float *slerp = keys + k * r.stride + r.slerp * LANES + lane;
        bool arc = slerped && k + 1 < key_count;
        pm_plan_write_slerp(value, arc ? value + r.stride : value, LANES, slerp, slerp + LANES);
    }
}

static void write_masks(const pm_plan_track *track, uint32_t *masks) {
    for (uint32_t i = 0; i < LANES; i++) {
        if (!pm_lane_moves(track->lanes[i])) continue;
        pm_interpolation interpolation = track->lanes[i]->interpolation;
        masks[i] = interpolation != PM_INTERPOLATION_STEP ? UINT32_MAX : 0;
        bool slerp = interpolation == PM_INTERPOLATION_LINEAR && track->record.path == PM_PATH_ROTATION;
        masks[LANES + i] = slerp ? UINT32_MAX : 0;
    }
}

uint32_t pm_plan_stored_keys(const pm_clip_plan *plan, const pm_plan_track *track) {
    bool shared = track->record.kind == PM_TRACK_SHARED;
    return shared ? plan->timelines[track->record.timeline].record.key_count + 1 : 1;
}

void pm_plan_write_keys(const pm_clip_plan *plan, const pm_plan_track *track, float *keys, size_t stride) {
    bool shared = track->record.kind == PM_TRACK_SHARED;
    const pm_plan_timeline *timeline = shared ? plan->timelines + track->record.timeline : NULL;
    uint32_t key_count = pm_plan_stored_keys(plan, track);
    rows r = rows_of(&track->record, stride);
    for (uint32_t i = 0; i < LANES; i++) {
        const pm_lane *lane = track->lanes[i];
        if (!pm_lane_moves(lane)) {
            for (uint32_t k = 0; k < key_count; k++)
                pm_plan_write_still(track, i, keys + k * r.stride + r.value * LANES + i, LANES);
        } else {
            write_moving_lane(track, i, r, keys, timeline);
        }
        bool line = pm_lane_moves(lane) && lane->interpolation == PM_INTERPOLATION_LINEAR;
        if (r.has_tangents && !r.has_slerp && line) write_chords(i, r, keys, timeline);
        if (r.has_slerp) write_arcs(i, r, keys, key_count, line);
    }
}

void pm_plan_write_track(const pm_clip_plan *plan, const pm_plan_track *track, void *clip) {
    const pm_track *record = &track->record;
    if (track->packing) {
        pm_plan_write_packed(track, pm_plan_stored_keys(plan, track), clip);
    } else {
        float *keys = (float *)((char *)clip + record->keys_offset);
        pm_plan_write_keys(plan, track, keys, (size_t)record->key_bytes / sizeof(float));
    }
    if (record->mode == PM_TRACK_BLENDED)
        write_masks(track, (uint32_t *)((char *)clip + record->masks_offset));
}
