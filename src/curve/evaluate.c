#include "curve.h"
#include "environment.h"

#include <math.h>

pm_cubic pm_curve_cubic(const pm_curve *curve, uint32_t key, uint32_t component) {
    size_t first = (size_t)key * curve->component_count + component, second = first + curve->component_count;
    double duration = curve->seconds[key + 1] - curve->seconds[key];
    if (curve->steps[key])
        return (pm_cubic){duration, curve->values[first], curve->values[first], 0.0, 0.0, true};
    return (pm_cubic){duration,          curve->values[first], curve->values[second],
                      curve->out[first], curve->in[second],    curve->straight[key]};
}

pm_cubic_sample pm_curve_eased(const pm_cubic *cubic, pm_easing_sample easing) {
    pm_cubic_sample at = pm_cubic_evaluate(cubic, easing.value);
    // A motion that stands still does so at any pace, an infinite one included.
    double bend = at.velocity == 0.0 ? 0.0 : at.velocity * easing.second / cubic->duration;
    double turn = at.acceleration == 0.0 ? 0.0 : at.acceleration * easing.first * easing.first;
    return (pm_cubic_sample){at.value, at.velocity == 0.0 ? 0.0 : at.velocity * easing.first, turn + bend};
}

// The segment that holds `seconds`, which is at or after the first key and before the last.
static uint32_t find_segment(const pm_curve *curve, double seconds) {
    uint32_t low = 0, high = curve->key_count - 1;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (curve->seconds[middle] <= seconds)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// Brings a clip time into the round that the keys span. The window's own end stays an end.
static double wrap(const pm_curve *curve, double seconds) {
    double first = curve->seconds[0], last = curve->seconds[curve->key_count - 1], round = last - first;
    if (!(round > 0.0)) return first;
    double rounds = floor((seconds - first) / round);
    double wrapped = seconds - rounds * round;
    if (wrapped < first) wrapped = first;
    if (!(wrapped < last)) wrapped = first;
    return wrapped == first && seconds == curve->window_end ? last : wrapped;
}

static void sample_key(const pm_curve *curve, uint32_t key, pm_curve_sample *sample) {
    for (uint32_t c = 0; c < curve->component_count; ++c)
        sample->value[c] = curve->values[(size_t)key * curve->component_count + c];
}

static void sample_segment(const pm_curve *curve, uint32_t key, double u, pm_curve_sample *sample) {
    pm_easing_sample easing = {u, 1.0, 0.0};
    if (curve->easings[key].family != PM_EASING_LINEAR) easing = pm_easing_evaluate(&curve->easings[key], u);
    for (uint32_t c = 0; c < curve->component_count; ++c) {
        pm_cubic cubic = pm_curve_cubic(curve, key, c);
        pm_cubic_sample at = pm_curve_eased(&cubic, easing);
        sample->value[c] = at.value;
        sample->velocity[c] = at.velocity;
        sample->acceleration[c] = at.acceleration;
    }
}

static pm_curve_sample evaluate(const pm_curve *curve, double clip_seconds) {
    pm_curve_sample sample = {0};
    uint32_t last = curve->key_count - 1;
    double seconds = clip_seconds;
    if (curve->cadence_hz > 0.0f) seconds = (double)pm_cadence_time((float)clip_seconds, curve->cadence_hz);
    if (curve->looping && isfinite(seconds)) seconds = wrap(curve, seconds);

    // Written so that NaN takes the first key.
    if (last == 0 || !(seconds >= curve->seconds[0])) {
        sample_key(curve, 0, &sample);
    } else if (seconds >= curve->seconds[last]) {
        if (seconds == curve->seconds[last]) sample_segment(curve, last - 1, 1.0, &sample);
        sample_key(curve, last, &sample);
    } else {
        uint32_t key = find_segment(curve, seconds);
        double start = curve->seconds[key];
        sample_segment(curve, key, (seconds - start) / (curve->seconds[key + 1] - start), &sample);
    }
    return sample;
}

pm_curve_sample pm_curve_evaluate(const pm_curve *curve, double clip_seconds) {
    pm_environment environment = pm_environment_enter();
    pm_curve_sample sample = evaluate(curve, clip_seconds);
    pm_environment_leave(&environment);
    return sample;
}

float pm_cadence_time(float time_seconds, float hz) {
    if (!(hz > 0.0f) || !isfinite(time_seconds) || !isfinite(hz)) return time_seconds;
    double rate = (double)hz;
    double tick = floor((double)time_seconds * rate); // the product of two floats is exact in double
    // Rounding to float may lift the next tick's time down to this one, which is then `time` itself: no
    // further tick can add anything.
    float next = (float)((tick + 1.0) / rate);
    return next <= time_seconds ? next : (float)(tick / rate);
}
