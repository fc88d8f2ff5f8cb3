#include "crowd.h"

#include "check.h"
#include "hash.h"
#include "random.h"

#include <stdlib.h>
#include <string.h>

// The times of each clip: some that have nothing to do with it, then at and around keys, then anywhere.
enum { BIT_TIMES = 6, KEYS = 12, TIMES_A_KEY = 4, RANDOM_TIMES = 16 };

static const uint32_t special_times[] = {
    0x00000000, // 0
    0x80000000, // minus zero
    0xBF800000, // -1
    0x4B189680, // 1e7
    0x7F800000, // infinity
    0xFF800000, // minus infinity
    0x7FC00000, // NaN
    0xFF800001, // a signalling NaN
    0x7F7FFFFF, // the largest
    0x00000001, // the smallest
};

enum { SPECIAL_TIMES = sizeof special_times / sizeof special_times[0] };
enum { TIMES = SPECIAL_TIMES + BIT_TIMES + KEYS * TIMES_A_KEY + RANDOM_TIMES };

enum { GAP_BYTES = PM_ALIGNMENT, PATTERN = 0xA5 };

static float from_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// The float next to a time, `step` of 1 further from 0, of -1 closer.
static float neighbour(float time, int32_t step) {
    int32_t bits;
    memcpy(&bits, &time, sizeof bits);
    return time == 0 ? from_bits(1) : from_bits((uint32_t)(bits + step));
}

static void fill_times(const pm_synthetic_clip *clip, pm_random *random, float *time) {
    for (uint32_t i = 0; i < SPECIAL_TIMES; i++) *time++ = from_bits(special_times[i]);
    for (uint32_t i = 0; i < BIT_TIMES; i++) *time++ = from_bits((uint32_t)pm_random_next(random));
    for (uint32_t i = 0; i < KEYS; i++) {
        // The last key always, and any other.
        uint32_t last = clip->time_count - 1, key = i ? pm_random_below(random, clip->time_count) : last;
        float at = clip->times[key], behind = clip->times[key < last ? key + 1 : last];
        *time++ = at;
        *time++ = neighbour(at, -1);
        *time++ = neighbour(at, 1);
        *time++ = at + (behind - at) * 0.5f;
    }
    float last = clip->times[clip->time_count - 1];
    for (uint32_t i = 0; i < RANDOM_TIMES; i++) *time++ = last * (0.5f + 0.55f * pm_random_signed(random));
}

// Fisher and Yates' shuffle.
static void shuffle(uint32_t *order, uint32_t count, pm_random *random) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = pm_random_below(random, i + 1);
        order[i] = order[place];
        order[place] = i;
    }
}

static bool allocate(pm_check_crowd *crowd, uint32_t count) {
    crowd->instance_count = count;
    crowd->clip_index = calloc(count, sizeof *crowd->clip_index);
    crowd->time_seconds = calloc(count, sizeof *crowd->time_seconds);
    crowd->by_clip = calloc(count, sizeof *crowd->by_clip);
    crowd->shuffled = calloc(count, sizeof *crowd->shuffled);
    crowd->pose_offsets = calloc(count, sizeof *crowd->pose_offsets);
    crowd->scalar_offsets = calloc(count, sizeof *crowd->scalar_offsets);
    return crowd->clip_index && crowd->time_seconds && crowd->by_clip && crowd->shuffled &&
           crowd->pose_offsets && crowd->scalar_offsets;
}

static void place_outputs(pm_check_crowd *crowd) {
    size_t pose = GAP_BYTES, scalar = GAP_BYTES;
    for (uint32_t i = 0; i < crowd->instance_count; i++) {
        pm_clip_info info = pm_clip_get_info(crowd->corpus->clips[crowd->clip_index[i]]);
        crowd->pose_offsets[i] = pose;
        crowd->scalar_offsets[i] = scalar;
        pose += info.block_count * sizeof(pm_pose_block) + GAP_BYTES;
        scalar += info.scalar_block_count * PM_BLOCK_LANES * sizeof(float) + GAP_BYTES;
        if (info.cursor_count > crowd->cursor_count) crowd->cursor_count = info.cursor_count;
    }
    crowd->pose_bytes = pose;
    crowd->scalar_bytes = scalar;
    crowd->cursor_bytes = (size_t)crowd->instance_count * crowd->cursor_count * sizeof(uint16_t);
}

bool pm_check_crowd_create(pm_check_crowd *crowd, const pm_corpus *corpus) {
    pm_random random = {31415};
    *crowd = (pm_check_crowd){.corpus = corpus};
    if (!allocate(crowd, corpus->clip_count * TIMES)) return false;
    shuffle(crowd->by_clip, crowd->instance_count, &random);
    shuffle(crowd->shuffled, crowd->instance_count, &random);
    for (uint32_t clip = 0; clip < corpus->clip_count; clip++) {
        const uint32_t *instances = crowd->by_clip + (size_t)clip * TIMES;
        float times[TIMES];
        fill_times(&corpus->synthetic[clip], &random, times);
        for (uint32_t i = 0; i < TIMES; i++) {
            crowd->clip_index[instances[i]] = clip;
            crowd->time_seconds[instances[i]] = times[i];
        }
    }
    place_outputs(crowd);
    return true;
}

void pm_check_crowd_destroy(pm_check_crowd *crowd) {
    free(crowd->clip_index);
    free(crowd->time_seconds);
    free(crowd->by_clip);
    free(crowd->shuffled);
    free(crowd->pose_offsets);
    free(crowd->scalar_offsets);
    *crowd = (pm_check_crowd){0};
}

bool pm_check_output_create(pm_check_output *output, const pm_check_crowd *crowd) {
    output->poses = aligned_alloc(PM_ALIGNMENT, crowd->pose_bytes);
    output->scalars = aligned_alloc(PM_ALIGNMENT, crowd->scalar_bytes);
    output->cursors = calloc(crowd->cursor_bytes + 1, 1);
    return output->poses && output->scalars && output->cursors;
}

void pm_check_output_destroy(pm_check_output *output) {
    free(output->poses);
    free(output->scalars);
    free(output->cursors);
    *output = (pm_check_output){0};
}

void pm_check_output_clear(pm_check_output *output, const pm_check_crowd *crowd) {
    memset(output->poses, PATTERN, crowd->pose_bytes);
    memset(output->scalars, PATTERN, crowd->scalar_bytes);
}

// Whose, when and where the first difference is.
static bool same(const pm_check_crowd *crowd, const void *found, const void *expected, size_t size,
                 const size_t *offsets, const char *label) {
    const char *a = found, *b = expected;
    if (!memcmp(a, b, size)) return true;
    size_t at = 0;
    while (!memcmp(a + at, b + at, sizeof(float))) at += sizeof(float);
    uint32_t instance = 0, is, must_be;
    while (instance + 1 < crowd->instance_count && offsets[instance + 1] <= at) instance++;
    memcpy(&is, a + at, sizeof is);
    memcpy(&must_be, b + at, sizeof must_be);
    size_t word = (at - offsets[instance]) / sizeof(float);
    return pm_check_complain("%s: instance %u, clip \"%s\", time %.9g, row %zu, lane %zu: %08x, must be %08x",
                             label, (unsigned)instance,
                             pm_clip_get_info(crowd->corpus->clips[crowd->clip_index[instance]]).name,
                             (double)crowd->time_seconds[instance], word / PM_BLOCK_LANES,
                             word % PM_BLOCK_LANES, (unsigned)is, (unsigned)must_be);
}

bool pm_check_output_equal(const pm_check_output *output, const pm_check_output *expected,
                           const pm_check_crowd *crowd, const char *label) {
    return same(crowd, output->poses, expected->poses, crowd->pose_bytes, crowd->pose_offsets, label) &&
           same(crowd, output->scalars, expected->scalars, crowd->scalar_bytes, crowd->scalar_offsets, label);
}

uint64_t pm_check_output_hash(const pm_check_output *output, const pm_check_crowd *crowd, uint64_t hash) {
    hash = pm_check_hash(hash, output->poses, crowd->pose_bytes);
    return pm_check_hash(hash, output->scalars, crowd->scalar_bytes);
}
