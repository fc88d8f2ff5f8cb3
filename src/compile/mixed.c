#include "plan.h"

#include <string.h>

enum { LANES = PM_BLOCK_LANES };

static bool is_slerp(const pm_plan_track *track, uint32_t lane) {
    return pm_lane_moves(track->lanes[lane]) && track->record.path == PM_PATH_ROTATION &&
           track->lanes[lane]->interpolation == PM_INTERPOLATION_LINEAR;
}

// Where in a record the parts are, in floats.
typedef struct parts {
    uint32_t out, in, b, slerp;
    bool has_tangents;
} parts;

static parts parts_of(const pm_track *record) {
    uint32_t components = pm_path_component_count((pm_path)record->path);
    bool tangents = record->mode != PM_TRACK_LINEAR;
    if (!tangents) return (parts){.b = components, .slerp = 2 * components};
    return (parts){components, 2 * components, 3 * components, components, true};
}

// The segment from key k to the next one.
static void write_segment(const pm_plan_track *track, uint32_t lane, uint32_t k, float *record) {
    const pm_lane *curve = track->lanes[lane];
    const parts at = parts_of(&track->record);
    const uint32_t components = curve->components;
    const double *a = curve->values + (size_t)k * components;
    bool steps = curve->interpolation == PM_INTERPOLATION_STEP;
    const double *b = steps ? a : a + components;
    double duration = (double)curve->times[k + 1] - curve->times[k];
    for (uint32_t c = 0; c < components; c++) {
        record[c] = (float)a[c];
        record[at.b + c] = (float)b[c];
        if (!at.has_tangents || is_slerp(track, lane)) continue;
        bool cubic = curve->interpolation == PM_INTERPOLATION_CUBIC;
        // A straight line among cubics has its chord for tangents.
        float chord = record[at.b + c] - record[c];
        size_t i = (size_t)k * components + c;
        record[at.out + c] = cubic ? (float)(curve->out[i] * duration) : chord;
        record[at.in + c] = cubic ? (float)(curve->in[i + components] * duration) : chord;
    }
}

// Before the first and behind the last key: the key's value.
static void write_end(const pm_plan_track *track, uint32_t lane, uint32_t key, float *record) {
    const pm_lane *curve = track->lanes[lane];
    const parts at = parts_of(&track->record);
    for (uint32_t c = 0; c < curve->components; c++)
        record[c] = record[at.b + c] = (float)curve->values[(size_t)key * curve->components + c];
}

static void write_lane(const pm_plan_track *track, uint32_t lane, char *records) {
    const pm_lane *curve = track->lanes[lane];
    const parts at = parts_of(&track->record);
    const size_t bytes = (size_t)track->record.key_bytes;
    bool moves = pm_lane_moves(curve), rotation = track->record.path == PM_PATH_ROTATION;
    uint32_t count = moves ? curve->key_count + 1 : 1;
    for (uint32_t i = 0; i < count; i++) {
        float *record = (float *)(records + (size_t)i * bytes);
        if (!moves) {
            pm_plan_write_still(track, lane, record, 1);
            pm_plan_write_still(track, lane, record + at.b, 1);
        } else if (i == 0 || i == count - 1) {
            write_end(track, lane, i == 0 ? 0 : i - 1, record);
        } else {
            write_segment(track, lane, i - 1, record);
        }
        if (rotation && (!at.has_tangents || is_slerp(track, lane)))
            pm_plan_write_slerp(record, record + at.b, 1, record + at.slerp, record + at.slerp + 1);
    }
}

void pm_plan_write_mixed(const pm_clip_plan *plan, const pm_plan_track *track, void *clip) {
    const pm_bundle *bundle = &plan->bundles[track->record.timeline].record;
    char *records = (char *)clip + track->record.keys_offset;
    uint32_t *slerped = (uint32_t *)((char *)clip + track->record.masks_offset);
    for (uint32_t i = 0; i < LANES; i++) {
        slerped[i] = is_slerp(track, i) ? UINT32_MAX : 0;
        write_lane(track, i, records + (size_t)(bundle->first_segment[i] * track->record.key_bytes));
    }
}
