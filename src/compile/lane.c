#include "lane.h"

#include "maths.h"

#include <math.h>
#include <string.h>

double pm_half_angle(const double a[4], const double b[4], double *tangent) {
    double difference2 = 0, sum2 = 0;
    for (int c = 0; c < 4; c++) {
        difference2 += (a[c] - b[c]) * (a[c] - b[c]);
        sum2 += (a[c] + b[c]) * (a[c] + b[c]);
    }
    // The chord |a - b| and |a + b| are the legs of a right triangle; this stays exact for tiny angles.
    *tangent = sqrt(difference2) / sqrt(sum2);
    return pm_atan(*tangent);
}

void pm_slerp(const double a[4], const double b[4], double u, double result[4]) {
    double half_tangent;
    double half = pm_half_angle(a, b, &half_tangent);
    double weight = u;
    if (half > 1e-8) {
        double v = (u - 0.5) * 2 * half;
        weight = 0.5 + pm_sin(v) / pm_cos(v) / (2 * half_tangent);
    }
    double length2 = 0;
    for (int c = 0; c < 4; c++) {
        result[c] = a[c] + weight * (b[c] - a[c]);
        length2 += result[c] * result[c];
    }
    for (int c = 0; c < 4; c++) result[c] /= sqrt(length2);
}

// The segment k with times[k] <= time < times[k + 1]; time lies between the first and the last key.
static uint32_t find_segment(const pm_lane *lane, float time, uint32_t hint) {
    uint32_t k = hint < lane->key_count && lane->times[hint] <= time ? hint : 0;
    while (k + 1 < lane->key_count && lane->times[k + 1] <= time) k++;
    return k;
}

static void split_cubic(const pm_lane *lane, uint32_t k, double u, double duration, pm_lane_key *key) {
    const double *a = lane->values + (size_t)k * lane->components, *b = a + lane->components;
    const double *out = lane->out + (size_t)k * lane->components;
    const double *in = lane->in + (size_t)(k + 1) * lane->components;
    double left = 1 - u;
    double w1 = u * left * left, w2 = u * u * (3 - 2 * u), w3 = u * u * (u - 1);
    double d1 = left * (1 - 3 * u), d2 = 6 * u * left, d3 = u * (3 * u - 2);
    for (uint32_t c = 0; c < lane->components; c++) {
        double step = b[c] - a[c];
        key->value[c] = a[c] + w2 * step + duration * (w1 * out[c] + w3 * in[c]);
        key->in[c] = key->out[c] = d2 * step / duration + d1 * out[c] + d3 * in[c];
    }
}

static void split_linear(const pm_lane *lane, uint32_t k, double u, pm_lane_key *key) {
    const double *a = lane->values + (size_t)k * lane->components, *b = a + lane->components;
    if (lane->components == 4) {
        pm_slerp(a, b, u, key->value);
        return;
    }
    for (uint32_t c = 0; c < lane->components; c++) key->value[c] = a[c] + u * (b[c] - a[c]);
}

pm_lane_key pm_lane_split(const pm_lane *lane, float time, uint32_t *hint) {
    pm_lane_key key = {{0}, {0}, {0}};
    size_t value_bytes = lane->components * sizeof(double);
    uint32_t last = lane->key_count - 1;
    bool before = time<lane->times[0], behind = time> lane->times[last];
    uint32_t k = before ? 0 : behind ? last : find_segment(lane, time, *hint);
    *hint = k;

    const double *value = lane->values + (size_t)k * lane->components;
    memcpy(key.value, value, value_bytes);
    if (lane->constant || before || behind) return key;
    if (lane->times[k] == time) {
        if (lane->interpolation != PM_INTERPOLATION_CUBIC) return key;
        // The curve rests outside its end keys.
        if (k > 0) memcpy(key.in, lane->in + (size_t)k * lane->components, value_bytes);
        if (k < last) memcpy(key.out, lane->out + (size_t)k * lane->components, value_bytes);
        return key;
    }
    double duration = (double)lane->times[k + 1] - lane->times[k];
    double u = ((double)time - lane->times[k]) / duration;
    if (lane->interpolation == PM_INTERPOLATION_CUBIC) split_cubic(lane, k, u, duration, &key);
    if (lane->interpolation == PM_INTERPOLATION_LINEAR) split_linear(lane, k, u, &key);
    return key;
}
