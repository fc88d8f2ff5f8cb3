// Posemill internals: tracks whose lanes are on timelines of their own.
//
// Sixteen timelines side by side are a bundle. Instances that are neighbours in an ordered range are close in
// time, so most lanes stay in their segment from one instance to the next, and a vector comparison says
// whether all do. Where one lane has moved on, its record is put among the others'; where more have, all are
// searched for at once and all records loaded.
#ifndef PM_SIMD_MIXED_KERNEL_H
#define PM_SIMD_MIXED_KERNEL_H

#include "batch.h"

#include <math.h>

enum { ALL_LANES = (1u << LANES) - 1 };

// Where each lane of each instance of a batch is.
struct lane_segments {
    uint32_t changed[BATCH];       // bit i: lane i's record has to be loaded; of no lane, one or all
    uint32_t number[BATCH][LANES]; // of these records, see clip_format.h
    _Alignas(64) float u[BATCH][LANES];
};

// The begin of segments that have none. No time comes near it, and dividing by their duration gives no
// subnormal number, which some processors take 170 cycles for.
#define BEFORE_ALL -1e37f

// The segments that lanes were last found in.
typedef struct lane_state {
    _Alignas(64) float begin[LANES], end[LANES]; // begin <= t < end
    _Alignas(64) float inverse[LANES];           // u = (t - begin) * inverse
    _Alignas(64) uint32_t index[LANES];
    _Alignas(64) float time[LANES];                  // each lane's own, where cadences make them differ
    _Alignas(64) float easing[EASING_POWERS][LANES]; // powers of u, if any lane has an easing
} lane_state;

// Times at or before t among 16 rising ones.
PM_INLINE uint32_t count_in_chunk(const float *times, float t) {
    uint32_t later = 1u << LANES;
    wide now = wide_set(t);
    for (uint32_t lane = 0; lane < LANES; lane += PM_LANES)
        later |= wide_mask_bits(wide_less(now, wide_load(times + lane))) << lane;
    return (uint32_t)__builtin_ctz(later);
}

// Keys at or before t: the index of the segment. Long timelines are cut into chunks of 16 times; `chunk` is a
// guess that may be anything and becomes the chunk that was right.
PM_INLINE uint32_t count_keys(const float *times, uint32_t chunk_count, float t, uint32_t *chunk) {
    if (chunk_count == 1) return count_in_chunk(times, t);
    uint32_t c = *chunk < chunk_count ? *chunk : 0;
    bool begun = c == 0 || times[c * LANES] <= t;
    if (!begun || (c + 1 < chunk_count && times[(c + 1) * LANES] <= t)) {
        uint32_t n = chunk_count;
        c = 0;
        while (n > 1) {
            uint32_t half = n / 2;
            c = times[(c + half) * LANES] <= t ? c + half : c;
            n -= half;
        }
    }
    *chunk = c;
    return c * LANES + count_in_chunk(times + c * LANES, t);
}

// The segments of lanes of a long bundle that have left theirs.
PM_INLINE void find_lanes(const batch *b, const pm_bundle *bundle, uint32_t i, uint32_t changed,
                          lane_state *state) {
    static const float before_all = BEFORE_ALL;
    const float *times = (const float *)clip_bytes(b->clip, bundle->times_offset);
    uint16_t *cursor = cursors_of(b, i, bundle->cursor);
    for (; changed; changed &= changed - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(changed);
        uint32_t chunk = cursor ? cursor[lane] : state->index[lane] / LANES;
        state->index[lane] = count_keys(times + bundle->first_time[lane], bundle->key_count[lane] / LANES + 1,
                                        state->time[lane], &chunk);
        if (cursor) cursor[lane] = (uint16_t)chunk;
    }
    for (uint32_t lane = 0; lane < LANES; lane += PM_LANES) {
        const float *begin[PM_LANES], *end[PM_LANES];
        for (uint32_t l = 0; l < PM_LANES; l++) {
            uint32_t index = state->index[lane + l];
            end[l] = times + bundle->first_time[lane + l] + index;
            begin[l] = index ? end[l] - 1 : &before_all;
        }
        wide_store(state->begin + lane, wide_collect(begin));
        wide_store(state->end + lane, wide_collect(end));
    }
}

// PM_LANES lanes of a short bundle on their way to their segments. Of the rows of times, those before row[1]
// are not later than now, and those from row[2 * half] on are, where the next question is row[half].
typedef struct row_search {
    wide now, begin, end, later_count, row[PM_SHORT_ROWS];
} row_search;

// Asks the row in the middle and goes on in one half, all lanes at once.
PM_INLINE void halve_rows(row_search *s, uint32_t half) {
    const wide middle = s->row[half];
    const wide_mask later = wide_less(s->now, middle);
    s->begin = wide_select(later, s->begin, middle);
    s->end = wide_select(later, middle, s->end);
    s->later_count = wide_add(s->later_count, wide_where(later, wide_set((float)half)));
    for (uint32_t k = 1; k < half; k++) s->row[k] = wide_select(later, s->row[k], s->row[half + k]);
}

PM_INLINE row_search search_rows(const float *times, uint32_t row_count, wide now) {
    row_search s = {now, wide_set(BEFORE_ALL), wide_set(INFINITY), wide_set(0.0f), {now}};
    for (uint32_t k = 1; k < row_count; k++) s.row[k] = wide_load(times + (k - 1) * LANES);
    if (row_count > 8) halve_rows(&s, 8);
    if (row_count > 4) halve_rows(&s, 4);
    halve_rows(&s, 2);
    halve_rows(&s, 1);
    return s;
}

// The segments of all lanes of a short bundle.
PM_INLINE void find_all_lanes(const batch *b, const pm_bundle *bundle, lane_state *state) {
    const float *rows = (const float *)clip_bytes(b->clip, bundle->times_offset);
    const uint32_t row_count = bundle->row_count;
    for (uint32_t lane = 0; lane < LANES; lane += PM_LANES) {
        const wide now = wide_load(state->time + lane);
        const row_search s = row_count == 16  ? search_rows(rows + lane, 16, now)
                             : row_count == 8 ? search_rows(rows + lane, 8, now)
                                              : search_rows(rows + lane, 4, now);
        wide_store(state->begin + lane, s.begin);
        wide_store(state->end + lane, s.end);
        wide_store_whole(state->index + lane, wide_sub(wide_set((float)(row_count - 1)), s.later_count));
    }
}

PM_INLINE void find_numbers(const pm_bundle *bundle, const lane_state *state, uint32_t number[LANES]) {
    for (uint32_t lane = 0; lane < LANES; lane += PM_LANES)
        wide_add_integers(number + lane, bundle->first_segment + lane, state->index + lane);
}

PM_INLINE void load_easings(const batch *b, const pm_bundle *bundle, lane_state *state) {
    enum { CHUNKS = sizeof(pm_easing_record) / (4 * sizeof(float)) };
    uint32_t number[LANES];
    find_numbers(bundle, state, number);
    const wide_records easings = {clip_bytes(b->clip, bundle->easing_offset), sizeof(pm_easing_record)};
    for (uint32_t lane = 0; lane < LANES; lane += PM_LANES) {
        wide powers[4 * CHUNKS];
        wide_load_transposed(easings, number + lane, CHUNKS, powers);
        for (uint32_t p = 0; p < EASING_POWERS; p++) wide_store(state->easing[p] + lane, powers[p]);
    }
}

// Before the first key and from the last one on the curve rests, and it does for an instant at a jump: u
// stays 0 there.
PM_INLINE void find_inverses(lane_state *state) {
    const wide one = wide_set(1.0f);
    for (uint32_t lane = 0; lane < LANES; lane += PM_LANES) {
        wide duration = wide_sub(wide_load(state->end + lane), wide_load(state->begin + lane));
        wide inverse = wide_where(wide_less(wide_set(1e-37f), duration), wide_div(one, duration));
        wide_store(state->inverse + lane, wide_where(wide_less(duration, wide_set(1e36f)), inverse));
    }
}

// Within bounds that keep differences finite; keys are within 1e30. Also of a held time: a very slow cadence
// holds a time before 0 at minus infinity.
PM_INLINE float bound_time(float t) {
    t = t < -2e30f ? -2e30f : t;
    return 2e30f < t ? 2e30f : t;
}

// Each lane's time: the instance's, held to the lane's cadence.
PM_INLINE void find_times(const pm_bundle *bundle, float t, lane_state *state) {
    t = bound_time(t);
    for (uint32_t lane = 0; lane < LANES; lane += PM_LANES) wide_store(state->time + lane, wide_set(t));
    for (uint32_t lane = 0; bundle->has_cadence && lane < LANES; lane++) {
        bool as_before = lane && bundle->cadence_hz[lane] == bundle->cadence_hz[lane - 1];
        if (as_before) {
            state->time[lane] = state->time[lane - 1];
        } else if (bundle->cadence_hz[lane] > 0) {
            state->time[lane] = bound_time(hold_time(t, bundle->cadence_hz[lane]));
        }
    }
}

PM_INLINE wide find_u(const pm_bundle *bundle, const lane_state *state, uint32_t lane) {
    wide elapsed = wide_sub(wide_load(state->time + lane), wide_load(state->begin + lane));
    wide u = wide_mul(elapsed, wide_load(state->inverse + lane));
    if (!bundle->easing_offset) return u;
    wide power[EASING_POWERS];
    for (uint32_t p = 0; p < EASING_POWERS; p++) power[p] = wide_load(state->easing[p] + lane);
    return ease(power, u);
}

// Lanes that are not where they were, and of these the ones that went back.
typedef struct lane_changes {
    uint32_t any, back;
} lane_changes;

PM_INLINE lane_changes find_changes(const lane_state *state) {
    uint32_t back = 0, before_end = 0;
    for (uint32_t lane = 0; lane < LANES; lane += PM_LANES) {
        wide now = wide_load(state->time + lane);
        back |= wide_mask_bits(wide_less(now, wide_load(state->begin + lane))) << lane;
        before_end |= wide_mask_bits(wide_less(now, wide_load(state->end + lane))) << lane;
    }
    return (lane_changes){back | (before_end ^ ALL_LANES), back};
}

// A lane of a short bundle that has reached the end of its segment (so it has one) moves on to the next.
PM_INLINE void advance_lane(const batch *b, const pm_bundle *bundle, uint32_t lane, lane_state *state) {
    const float *rows = (const float *)clip_bytes(b->clip, bundle->times_offset);
    const uint32_t index = ++state->index[lane], first = lane / PM_LANES * PM_LANES;
    const wide_mask mask = wide_mask_lane(lane % PM_LANES);
    wide begin = wide_load(state->begin + first), end = wide_load(state->end + first);
    wide_store(state->begin + first, wide_select(mask, end, begin));
    wide_store(state->end + first, wide_select(mask, wide_set(rows[index * LANES + lane]), end));
}

// Where only one lane has changed that is all that is looked at: more at a time are faster searched for, and
// their records loaded, with all others, than told apart by branches that nothing can foresee. For the same
// reason one lane is no case of its own where it is but one of many (`restless`).
PM_INLINE uint32_t find_changed(const batch *b, const pm_bundle *bundle, uint32_t i, lane_changes changed,
                                bool restless, lane_state *state, uint32_t number[LANES]) {
    const bool one = !restless && !(changed.any & (changed.any - 1));
    const uint32_t lane = (uint32_t)__builtin_ctz(changed.any);
    if (!bundle->row_count) {
        find_lanes(b, bundle, i, changed.any, state);
    } else if (one && !changed.back) {
        advance_lane(b, bundle, lane, state);
        if (find_changes(state).any) find_all_lanes(b, bundle, state);
    } else {
        find_all_lanes(b, bundle, state);
    }
    find_inverses(state);
    if (!one) {
        find_numbers(bundle, state, number);
        return ALL_LANES;
    }
    number[lane] = bundle->first_segment[lane] + state->index[lane];
    return changed.any;
}

// `restless`: of the bundle before, more instances saw many lanes change than did not; becomes this one's.
static void find_lane_segments(const batch *b, const pm_bundle *bundle, lane_segments *s, bool *restless) {
    lane_state state;
    uint32_t many = 0;
    // The first instance fills all that is read, but no compiler sees it. An initialiser would clear the
    // whole struct by a string instruction, slower than what follows.
    for (uint32_t lane = 0; lane < LANES; lane++) state.index[lane] = 0; // a guess
    for (uint32_t p = 0; bundle->easing_offset && p < EASING_POWERS; p++)
        for (uint32_t lane = 0; lane < LANES; lane++) state.easing[p][lane] = 0.0f;
    for (uint32_t i = 0; i < b->count; i++) {
        find_times(bundle, b->time[i], &state);
        lane_changes changed = {ALL_LANES, ALL_LANES};
        if (i) changed = find_changes(&state);
        s->changed[i] = 0;
        if (changed.any) {
            s->changed[i] = find_changed(b, bundle, i, changed, *restless, &state, s->number[i]);
            many += (changed.any & (changed.any - 1)) != 0;
            if (bundle->easing_offset) load_easings(b, bundle, &state);
        }
        for (uint32_t lane = 0; lane < LANES; lane += PM_LANES)
            wide_store(s->u[i] + lane, find_u(bundle, &state, lane));
    }
    *restless = 2 * many > b->count;
}

enum { RECORD_FLOATS_LIMIT = 16 };

// Puts a record into its lane, row by whole row: single numbers written into rows would stall the loads of
// rows behind until they have left the store queue, which may be full of streaming stores.
PM_INLINE void patch_record(const source *from, const float *record, uint32_t lane, uint32_t floats) {
    const wide_mask mask = wide_mask_lane(lane % PM_LANES);
    float *row = from->record[0] + lane / PM_LANES * PM_LANES;
    for (uint32_t r = 0; r < floats; r++, row += LANES)
        wide_store(row, wide_select(mask, wide_set(record[r]), wide_load(row)));
}

// Brings the records of instance i into from->record, float r of lane l's to [r][l].
PM_INLINE void load_records(const source *from, uint32_t i, uint32_t floats) {
    const uint32_t changed = from->lanes->changed[i], *number = from->lanes->number[i];
    const wide_records records = {from->keys, pm_record_bytes(floats)};
    if (changed == ALL_LANES) {
        for (uint32_t lane = 0; lane < LANES; lane += PM_LANES) {
            wide rows[RECORD_FLOATS_LIMIT];
            wide_load_transposed(records, number + lane, floats / 4, rows);
            for (uint32_t r = 0; r < floats; r++) wide_store(from->record[r] + lane, rows[r]);
        }
    } else if (changed) {
        uint32_t lane = (uint32_t)__builtin_ctz(changed);
        patch_record(from, wide_record(records, number[lane]), lane, floats);
    }
}

PM_INLINE cubic_rows record_rows(const source *from, uint32_t rows) {
    return (cubic_rows){from->record[0], from->record[rows], from->record[2 * rows], from->record[3 * rows]};
}

PM_INLINE position lane_positions_of(const source *from, uint32_t i) {
    return (position){.is_per_lane = true, .lane_u = from->lanes->u[i]};
}

// Instance i's translations, scales or scalars. Instances come in order, from 0.
PM_INLINE void put_mixed_vector(float *output, const source *from, uint32_t i, uint32_t rows, bool stream) {
    const position at = lane_positions_of(from, i);
    if (from->mode == SOURCE_MIXED_LINEAR) {
        load_records(from, i, (2 * rows + 3) / 4 * 4);
        put_linear(output, from->record[0], from->record[rows], &at, rows, stream);
    } else {
        load_records(from, i, 4 * rows);
        put_cubic(output, record_rows(from, rows), NULL, &at, rows, stream);
    }
}

// The same for rotations. Returns how many lanes were guarded.
PM_INLINE uint32_t put_mixed_rotation(float *output, const source *from, uint32_t i, bool stream) {
    enum { LINEAR_FLOATS = 12, CUBIC_FLOATS = 16 };
    const position at = lane_positions_of(from, i);
    const float *rest = from->rest;
    if (from->mode == SOURCE_MIXED_LINEAR) {
        load_records(from, i, LINEAR_FLOATS);
        return put_slerp(output, rest, from->record[0], from->record[4], from->record[8], &at, stream);
    }
    load_records(from, i, CUBIC_FLOATS);
    if (from->mode == SOURCE_MIXED_CUBIC)
        return put_cubic_rotation(output, rest, record_rows(from, 4), &at, stream);
    // Slerp's two numbers lie where a cubic's out-tangent is.
    return put_blended_rotation(output, rest, record_rows(from, 4), from->record[4], from->masks, NULL, &at,
                                stream);
}

#endif
