#include "plan.h"

#include <math.h>
#include <string.h>

enum { LANES = PM_BLOCK_LANES };

// A step below this is none: kernels would meet subnormal numbers.
#define STEP_FLOOR 0x1p-100

// The least is hit exactly, and so is every number where all are the same.
static void find_range(const float *keys, uint32_t key_count, size_t stride, float *low, float *step) {
    float least = keys[0], most = keys[0];
    for (uint32_t k = 1; k < key_count; k++) {
        const float number = keys[k * stride];
        least = number < least ? number : least;
        most = number > most ? number : most;
    }
    double exact = ((double)most - (double)least) / PM_PACKED_LIMIT;
    *low = least;
    *step = exact < STEP_FLOOR ? 0.0f : (float)exact;
}

// Of a tangent: as far to both sides of 0.
static void widen_step(const float *keys, uint32_t key_count, size_t stride, float *step) {
    double most = 0;
    for (uint32_t k = 0; k < key_count; k++) {
        const double size = fabs((double)keys[k * stride]);
        most = size > most ? size : most;
    }
    double exact = most / PM_PACKED_TANGENT_LIMIT;
    if (exact >= STEP_FLOOR) *step = fmaxf(*step, (float)exact);
}

static uint16_t pack(float value, float low, float step) {
    double n = step > 0 ? floor(((double)value - (double)low) / (double)step + 0.5) : 0;
    return (uint16_t)(n < PM_PACKED_LIMIT ? n : PM_PACKED_LIMIT);
}

static uint16_t pack_tangent(float value, float step) {
    double n = step > 0 ? floor((double)value / (double)step + 0.5) : 0;
    n = fmin(fmax(n, -PM_PACKED_TANGENT_LIMIT), PM_PACKED_TANGENT_LIMIT);
    return (uint16_t)(int16_t)n;
}

// One number of all keys, `stride` apart.
static void pack_numbers(const float *keys, uint32_t key_count, size_t stride, bool tangent, float low,
                         float step, uint16_t *packed) {
    for (uint32_t k = 0; k < key_count; k++, keys += stride, packed += stride)
        *packed = tangent ? pack_tangent(*keys, step) : pack(*keys, low, step);
}

// Lanes' lows and steps, of all rows. A cubic's tangents share theirs.
static void find_steps(const pm_track *record, const float *keys, uint32_t key_count, float *packing) {
    const uint32_t rows = pm_track_rows(record->path, record->mode);
    const size_t numbers = (size_t)rows * LANES;
    float *low = packing, *step = packing + numbers;
    memset(packing, 0, 2 * numbers * sizeof *packing);
    for (uint32_t row = 0; row < rows; row++) {
        bool tangent = pm_track_row_kind(record, row) == PM_ROW_TANGENT;
        for (size_t i = row * LANES; i < (row + 1) * LANES; i++) {
            if (tangent)
                widen_step(keys + i, key_count, numbers, step + i);
            else
                find_range(keys + i, key_count, numbers, low + i, step + i);
        }
    }
    const size_t in = 0, out = numbers / 3 * 2;
    for (size_t i = 0; record->mode == PM_TRACK_CUBIC && i < numbers / 3; i++)
        step[in + i] = step[out + i] = fmaxf(step[in + i], step[out + i]);
}

// Whether the curve between keys suffers little from what rounds its tangents, whose weights are 1/4 of a
// duration together: at most by four steps of the values, or by one of the lane that moves most. Where a jump
// or a short segment is steep it could be more than the motion.
static bool are_tangents_fine(const pm_track *record, const float *packing, float longest_seconds) {
    if (record->mode == PM_TRACK_LINEAR) return true;
    const uint32_t numbers = pm_track_rows(record->path, record->mode) * LANES;
    const uint32_t count = pm_path_component_count((pm_path)record->path) * LANES;
    const float *value = packing + numbers + (record->mode == PM_TRACK_SMOOTH ? 0 : count);
    const float *tangent = value + count;
    float largest = 0;
    for (uint32_t i = 0; i < count; i++) largest = value[i] > largest ? value[i] : largest;
    for (uint32_t i = 0; i < count; i++) {
        double error = (double)tangent[i] * (double)longest_seconds / 4, own = 4 * (double)value[i];
        if (error > own && error > (double)largest) return false;
    }
    return true;
}

// Whether rotations at keys are wrong by 0.005 degrees at most. Those of cubics may be of any length, and
// where timelines are merged far from unit: keys are then added on the curve, which overshoots.
static bool are_rotations_fine(const pm_track *record, const float *packing, const float *keys,
                               uint32_t key_count) {
    if (record->path != PM_PATH_ROTATION) return true;
    const double limit = 0.005 / 57.295779513;
    const uint32_t numbers = pm_track_rows(record->path, record->mode) * LANES;
    const uint32_t value = record->mode == PM_TRACK_CUBIC ? 4 * LANES : 0;
    for (uint32_t lane = value; lane < value + LANES; lane++) {
        double step2 = 0;
        for (uint32_t c = 0; c < 4; c++) step2 += pow((double)packing[numbers + c * LANES + lane], 2);
        for (uint32_t k = 0; k < key_count; k++) {
            const float *key = keys + (size_t)k * numbers + lane;
            double length2 = 0;
            for (uint32_t c = 0; c < 4; c++) length2 += pow((double)key[c * LANES], 2);
            if (step2 > limit * limit * length2) return false;
        }
    }
    return true;
}

// What leaves a segment is wrong by more than what stays between its keys.
static bool do_easings_stay_within(const pm_plan_timeline *timeline) {
    for (uint32_t k = 1; timeline->easing && k <= timeline->record.key_count; k++)
        if (!pm_easing_stays_within(timeline->easing[k].power)) return false;
    return true;
}

// Of keys that follow each other without a gap.
static bool pack_keys(pm_clip_plan *plan, pm_plan_track *track, const float *keys, uint32_t key_count) {
    const size_t numbers = (size_t)pm_track_rows(track->record.path, track->record.mode) * LANES;
    float *packing = pm_arena_allocate(&plan->arena, 2 * numbers, sizeof *packing);
    if (!packing) return false;
    find_steps(&track->record, keys, key_count, packing);
    const pm_plan_timeline *timeline = plan->timelines + track->record.timeline;
    float longest = pm_longest_segment(timeline->times, timeline->record.key_count);
    if (!pm_packing_is_sound(&track->record, packing, longest) ||
        !are_tangents_fine(&track->record, packing, longest) ||
        !are_rotations_fine(&track->record, packing, keys, key_count) || !do_easings_stay_within(timeline))
        return true;
    uint16_t *packed = pm_arena_allocate(&plan->arena, key_count, numbers * sizeof *packed);
    if (!packed) return false;
    for (size_t i = 0; i < numbers; i++) {
        bool tangent = pm_track_row_kind(&track->record, (uint32_t)(i / LANES)) == PM_ROW_TANGENT;
        pack_numbers(keys + i, key_count, numbers, tangent, packing[i], packing[numbers + i], packed + i);
    }
    track->packing = packing;
    track->packed = packed;
    return true;
}

static bool pack_track(pm_clip_plan *plan, pm_plan_track *track) {
    const uint8_t kind = track->record.kind, mode = track->record.mode;
    if (kind != PM_TRACK_SHARED || mode == PM_TRACK_STEP || mode == PM_TRACK_BLENDED) return true;
    const uint32_t key_count = pm_plan_stored_keys(plan, track);
    const size_t numbers = (size_t)pm_track_rows(track->record.path, mode) * LANES;
    float *keys = pm_allocate(&plan->allocator, key_count, numbers * sizeof *keys);
    if (!keys) return false;
    memset(keys, 0, key_count * numbers * sizeof *keys);
    pm_plan_write_keys(plan, track, keys, numbers);
    bool packed = pack_keys(plan, track, keys, key_count);
    pm_release(&plan->allocator, keys);
    return packed;
}

// Whether packing makes a timeline's keys smaller by more than packings take: frames are rounded up.
static bool saves_bytes(const pm_clip_plan *plan, uint32_t timeline) {
    uint64_t floats = 0, packed = 0, packings = 0;
    for (uint32_t i = 0; i < plan->header.track_count; i++) {
        const pm_plan_track *track = plan->tracks + i;
        if (track->record.kind != PM_TRACK_SHARED || track->record.timeline != timeline) continue;
        const uint64_t bytes = pm_track_own_bytes(&track->record); // of floats, as it has no packing yet
        floats += bytes;
        packed += track->packing ? bytes / 2 : bytes;
        packings += track->packing ? pm_track_packing_bytes(&track->record) : 0;
    }
    return (floats - pm_align(packed)) * (plan->timelines[timeline].record.key_count + 1) > packings;
}

bool pm_plan_pack(pm_clip_plan *plan) {
    for (uint32_t i = 0; i < plan->header.track_count; i++)
        if (!pack_track(plan, plan->tracks + i)) return false;
    for (uint32_t timeline = 0; timeline < plan->header.timeline_count; timeline++) {
        if (saves_bytes(plan, timeline)) continue;
        for (uint32_t i = 0; i < plan->header.track_count; i++) {
            pm_plan_track *track = plan->tracks + i;
            if (track->record.kind == PM_TRACK_SHARED && track->record.timeline == timeline)
                track->packing = NULL;
        }
    }
    return true;
}

void pm_plan_write_packed(const pm_plan_track *track, uint32_t key_count, void *clip) {
    const pm_track *record = &track->record;
    const size_t numbers = (size_t)pm_track_rows(record->path, record->mode) * LANES;
    memcpy((char *)clip + record->packing_offset, track->packing, 2 * numbers * sizeof *track->packing);
    char *keys = (char *)clip + record->keys_offset;
    for (uint32_t k = 0; k < key_count; k++)
        memcpy(keys + k * record->key_bytes, track->packed + k * numbers, numbers * sizeof *track->packed);
}
