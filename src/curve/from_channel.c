#include "curve.h"

#include <math.h>

// What a channel's keys are turned into before a curve is made of them.
typedef struct reading {
    const pm_channel *channel;
    pm_curve_key *keys;
    pm_place place;
    pm_report *report;
} reading;

static pm_result refuse(const reading *r, pm_fault fault, const char *text) {
    return pm_fail(r->report, PM_ERROR_DATA, fault, r->place, "%s", text);
}

static pm_result check(const reading *r) {
    const pm_channel *channel = r->channel;
    if ((unsigned)channel->interpolation >= PM_INTERPOLATION_COUNT)
        return refuse(r, PM_FAULT_INTERPOLATION, "the interpolation is unknown");
    if (channel->component_count != pm_path_component_count(channel->path))
        return refuse(r, PM_FAULT_KEY_COUNT, "the components are not as many as the path has");
    if (channel->key_count == 0) return refuse(r, PM_FAULT_KEYS_MISSING, "it has no keys");
    bool tangents = channel->in_tangents && channel->out_tangents;
    if (!channel->times || !channel->values || channel->value_count != channel->key_count ||
        (channel->interpolation == PM_INTERPOLATION_CUBIC && !tangents))
        return refuse(r, PM_FAULT_KEY_COUNT, "times, values and tangents are not equally many");
    return PM_OK;
}

static pm_tangent_rule rule_of(pm_interpolation interpolation) {
    if (interpolation == PM_INTERPOLATION_STEP) return PM_TANGENT_STEP;
    return interpolation == PM_INTERPOLATION_LINEAR ? PM_TANGENT_LINEAR : PM_TANGENT_HERMITE;
}

static void read_key(const reading *r, uint32_t i) {
    const pm_channel *channel = r->channel;
    pm_curve_key *key = &r->keys[i];
    float time = channel->times[i];
    // Of two keys at one time the second counts right after it, which is the next float.
    if (i > 0 && time == channel->times[i - 1]) time = nextafterf((float)key[-1].time, INFINITY);
    key->time = (double)time;
    key->in_rule = key->out_rule = rule_of(channel->interpolation);
    if (channel->easing && i + 1 < channel->key_count) {
        key->easing.family = PM_EASING_POLYNOMIAL;
        for (int k = 0; k < 6; ++k) key->easing.coefficients[k] = (double)channel->easing[i][k];
    }
    for (uint32_t c = 0; c < channel->component_count; ++c) {
        size_t at = (size_t)i * channel->component_count + c;
        key->value[c] = (double)channel->values[at];
        if (channel->interpolation != PM_INTERPOLATION_CUBIC) continue;
        key->in_tangent[c] = (double)channel->in_tangents[at];
        key->out_tangent[c] = (double)channel->out_tangents[at];
    }
}

// A quaternion and its negative are one rotation, and LINEAR takes the short way between them.
static void align_signs(const reading *r) {
    for (uint32_t i = 1; i < r->channel->key_count; ++i) {
        double dot = 0.0;
        for (int c = 0; c < 4; ++c) dot += r->keys[i].value[c] * r->keys[i - 1].value[c];
        for (int c = 0; dot < 0.0 && c < 4; ++c) r->keys[i].value[c] = -r->keys[i].value[c];
    }
}

pm_result pm_curve_create_from_channel(const pm_channel *channel, const char *file, const char *clip,
                                       const pm_allocator *allocator, pm_curve **curve, pm_report *report) {
    *curve = NULL;
    reading r = {channel, NULL, {file, clip, channel->name, PM_NONE}, report};
    pm_result failed = check(&r);
    if (failed) return failed;
    pm_allocator memory = pm_allocator_or_default(allocator);
    r.keys = pm_allocate(&memory, channel->key_count, sizeof *r.keys);
    if (!r.keys) return pm_fail_memory(report, "a channel's keys");
    for (uint32_t i = 0; i < channel->key_count; ++i) read_key(&r, i);
    if (channel->path == PM_PATH_ROTATION && channel->interpolation == PM_INTERPOLATION_LINEAR)
        align_signs(&r);

    pm_curve_def def = pm_default_curve_def();
    def.file = file;
    def.clip = clip;
    def.name = channel->name;
    def.component_count = channel->component_count;
    def.key_count = channel->key_count;
    def.keys = r.keys;
    def.cadence_hz = channel->cadence_hz;
    pm_result result = pm_curve_create(&def, allocator, curve, report);
    pm_release(&memory, r.keys);
    return result;
}
