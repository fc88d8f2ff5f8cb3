#include "passes.h"
#include "random.h"

#include <string.h>

static const pm_pass passes[] = {
    {"keys", PM_PASS_KEYS, PM_PASS_NO_CURSORS, PM_STREAMING_ON, 4096, false},
    {"inside", PM_PASS_INSIDE, PM_PASS_KEPT_CURSORS, PM_STREAMING_OFF, 61, false},
    {"a frame later", PM_PASS_FORWARD, PM_PASS_KEPT_CURSORS, PM_STREAMING_AUTO, 256, true},
    {"another frame later", PM_PASS_FORWARD, PM_PASS_KEPT_CURSORS, PM_STREAMING_ON, 17, false},
    {"a frame back", PM_PASS_BACKWARD, PM_PASS_KEPT_CURSORS, PM_STREAMING_OFF, 1, false},
    {"keys again", PM_PASS_KEYS, PM_PASS_KEPT_CURSORS, PM_STREAMING_ON, 100, true},
    {"foreign cursors", PM_PASS_INSIDE, PM_PASS_RANDOM_CURSORS, PM_STREAMING_AUTO, 3, true},
    {"hostile times", PM_PASS_HOSTILE, PM_PASS_RANDOM_CURSORS, PM_STREAMING_OFF, 333, false},
};

const pm_pass *pm_passes(uint32_t *count) {
    *count = sizeof passes / sizeof passes[0];
    return passes;
}

static float from_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float hostile_time(pm_random *random) {
    static const uint32_t bits[] = {
        0x7FC00000, // NaN
        0xFFC00001, // NaN with a sign and a payload
        0x7F800000, // infinity
        0xFF800000, // minus infinity
        0xBF800000, // -1
        0x4B189680, // 1e7
        0x7F7FFFFF, // the largest
        0x00000001, // the smallest, denormal
        0x80000000, // minus zero
    };
    uint32_t choice = pm_random_below(random, 2 * (sizeof bits / sizeof bits[0]));
    bool listed = choice < sizeof bits / sizeof bits[0];
    return from_bits(listed ? bits[choice] : (uint32_t)pm_random_next(random));
}

// Forward and back by a frame of 1/32 s, and the sums stay exact enough to be the same everywhere: float
// addition is.
static float next_time(const pm_pass *pass, const pm_synthetic_clip *clip, pm_random *random, float before) {
    float last = clip->times[clip->time_count - 1];
    switch (pass->times) {
    case PM_PASS_KEYS:
        return clip->times[pm_random_below(random, clip->time_count)];
    case PM_PASS_INSIDE:
        return (0.5f + 0.55f * pm_random_signed(random)) * last;
    case PM_PASS_FORWARD:
        return before + 0.03125f;
    case PM_PASS_BACKWARD:
        return before - 0.03125f;
    case PM_PASS_HOSTILE:
        break;
    }
    return hostile_time(random);
}

void pm_pass_set_times(const pm_pass *pass, const pm_synthetic_clip *clips, uint32_t clip_count,
                       uint32_t instance_count, uint64_t seed, float *times) {
    pm_random random = {seed};
    for (uint32_t i = 0; i < instance_count; i++)
        times[i] = next_time(pass, &clips[i % clip_count], &random, times[i]);
}
