// Posemill internals: the sample kernel, compiled once for each instruction set.
//
// Neighbours in the range that play one clip form a batch. For each timeline the batch's segments and weights
// are found once; then every track on the timeline is evaluated for all instances of the batch.
#ifndef PM_SAMPLE_KERNEL_H
#define PM_SAMPLE_KERNEL_H

#include "clip_format.h"
#include "kernels.h"
#include "wide.h"

#include <string.h>

#if defined(__GNUC__)
#define PM_INLINE static inline __attribute__((always_inline))
#else
#define PM_INLINE static inline
#endif

enum { LANES = PM_BLOCK_LANES, BATCH = 16 };

// A rotation shorter than this, squared, has no direction left but that of rounding errors.
#define MINIMUM_LENGTH2 1e-30f

// Instances of one clip, side by side.
typedef struct batch {
    const pm_clip *clip;
    uint32_t count;
    uint32_t nan_times;      // bit i: instance i gets the rest pose
    float time[BATCH];       // finite or infinite, never NaN
    char *pose[BATCH];       // NULL if joints are not wanted
    char *scalars[BATCH];    // NULL if scalars are not wanted
    uint16_t *cursor[BATCH]; // NULL without cursors
} batch;

// Where each instance of a batch is on one timeline: segment, position in it, Hermite weights.
typedef struct segments {
    _Alignas(64) uint32_t key[BATCH];
    _Alignas(64) float u[BATCH];
    _Alignas(64) float w1[BATCH]; // of the out-tangent
    _Alignas(64) float w2[BATCH]; // of the step between the values
    _Alignas(64) float w3[BATCH]; // of the in-tangent
} segments;

PM_INLINE const char *clip_bytes(const pm_clip *clip, uint64_t offset) {
    return (const char *)clip + offset;
}

// The k with times[k] <= t < times[k + 1], for times[0] <= t <= times[n - 1]; times[n] is infinite.
static uint32_t search_segment(const float *times, uint32_t n, float t) {
    uint32_t low = 0;
    while (n > 1) {
        uint32_t half = n / 2;
        low = times[low + half] <= t ? low + half : low;
        n -= half;
    }
    return low;
}

// The same, starting from a guess that may be anything.
PM_INLINE uint32_t find_segment(const float *times, uint32_t n, float t, uint32_t guess) {
    if (guess < n) {
        if (times[guess] <= t) {
            if (t < times[guess + 1]) return guess;
            if (t < times[guess + 2]) return guess + 1;
        } else if (guess > 0 && times[guess - 1] <= t) {
            return guess - 1;
        }
    }
    return search_segment(times, n, t);
}

PM_INLINE uint32_t guess_on_grid(const pm_timeline *timeline, float t) {
    float frame = (t - timeline->first) * timeline->grid_rate_hz;
    float last = (float)(timeline->key_count - 1);
    return (uint32_t)(frame < last ? frame : last);
}

// Weights of Hermite's cubic: a + w2 * (b - a) + w1 * out + w3 * in. All are exactly 0 at u = 0.
PM_INLINE void find_weights(segments *s) {
    const wide one = wide_set(1.0f), three = wide_set(3.0f);
    for (uint32_t lane = 0; lane < BATCH; lane += PM_LANES) {
        wide u = wide_load(s->u + lane);
        wide u2 = wide_mul(u, u);
        wide left = wide_sub(one, u);
        wide_store(s->w1 + lane, wide_mul(u, wide_mul(left, left)));
        wide_store(s->w2 + lane, wide_mul(u2, wide_sub(three, wide_add(u, u))));
        wide_store(s->w3 + lane, wide_mul(u2, wide_sub(u, one)));
    }
}

PM_INLINE void find_segments(const batch *b, const pm_timeline *timeline, segments *s) {
    const float *times = (const float *)clip_bytes(b->clip, timeline->times_offset);
    const uint32_t n = timeline->key_count;
    const bool grid = timeline->grid_rate_hz > 0;
    _Alignas(64) float offset[BATCH] = {0}, duration[BATCH];
    for (uint32_t i = b->count; i < BATCH; i++) duration[i] = 1.0f;

    for (uint32_t i = 0; i < b->count; i++) {
        float t = b->time[i];
        t = t < timeline->first ? timeline->first : t;
        t = timeline->last < t ? timeline->last : t;
        uint32_t k;
        if (grid) {
            k = find_segment(times, n, t, guess_on_grid(timeline, t));
        } else if (b->cursor[i]) {
            uint16_t *cursor = b->cursor[i] + timeline->cursor;
            k = find_segment(times, n, t, (uint32_t)*cursor << timeline->cursor_shift);
            *cursor = (uint16_t)(k >> timeline->cursor_shift);
        } else {
            k = search_segment(times, n, t);
        }
        s->key[i] = k;
        offset[i] = t - times[k];
        duration[i] = times[k + 1] - times[k];
    }
    for (uint32_t lane = 0; lane < BATCH; lane += PM_LANES)
        wide_store(s->u + lane, wide_div(wide_load(offset + lane), wide_load(duration + lane)));
    find_weights(s);
}

PM_INLINE void put(float *p, wide value, bool stream) {
    if (stream) {
        wide_stream(p, value);
    } else {
        wide_store(p, value);
    }
}

// Where an instance's keys of a track are, and where its output goes.
PM_INLINE const float *key_of(const batch *b, const pm_track *track, uint32_t key) {
    return (const float *)clip_bytes(b->clip, track->keys_offset + (uint64_t)key * track->key_bytes);
}

PM_INLINE float *output_of(const batch *b, const pm_track *track, uint32_t i) {
    char *base = track->path == PM_PATH_SCALAR ? b->scalars[i] : b->pose[i];
    return (float *)(base + track->output_offset);
}

// Constants, and STEP: `key` is NULL for constants.
PM_INLINE void hold(const batch *b, const pm_track *track, const uint32_t *key, uint32_t rows, bool stream) {
    for (uint32_t i = 0; i < b->count; i++) {
        const float *value = key_of(b, track, key ? key[i] : 0);
        float *output = output_of(b, track, i);
        for (uint32_t lane = 0; lane < rows * LANES; lane += PM_LANES)
            put(output + lane, wide_load(value + lane), stream);
    }
}

PM_INLINE void vector_linear(const batch *b, const pm_track *track, const segments *s, uint32_t rows,
                             bool stream) {
    for (uint32_t i = 0; i < b->count; i++) {
        const float *a = key_of(b, track, s->key[i]);
        const float *next = a + rows * LANES;
        float *output = output_of(b, track, i);
        wide u = wide_set(s->u[i]);
        for (uint32_t lane = 0; lane < rows * LANES; lane += PM_LANES) {
            wide from = wide_load(a + lane);
            wide step = wide_sub(wide_load(next + lane), from);
            put(output + lane, wide_add(from, wide_mul(u, step)), stream);
        }
    }
}

// One component: value, out-tangent, in-tangent, value, `stride` floats apart.
PM_INLINE wide hermite(const float *value, uint32_t stride, wide w1, wide w2, wide w3) {
    wide a = wide_load(value);
    wide out = wide_mul(w1, wide_load(value + stride));
    wide in = wide_mul(w3, wide_load(value + 2 * stride));
    wide step = wide_mul(w2, wide_sub(wide_load(value + 3 * stride), a));
    return wide_add(wide_add(a, step), wide_add(out, in));
}

PM_INLINE void vector_cubic(const batch *b, const pm_track *track, const segments *s, uint32_t rows,
                            bool stream) {
    for (uint32_t i = 0; i < b->count; i++) {
        const float *value = key_of(b, track, s->key[i]) + rows * LANES;
        float *output = output_of(b, track, i);
        wide w1 = wide_set(s->w1[i]), w2 = wide_set(s->w2[i]), w3 = wide_set(s->w3[i]);
        for (uint32_t lane = 0; lane < rows * LANES; lane += PM_LANES)
            put(output + lane, hermite(value + lane, rows * LANES, w1, w2, w3), stream);
    }
}

// Lanes that stand still (STEP) have no tangents; their w2 is masked out.
PM_INLINE void vector_blended(const batch *b, const pm_track *track, const segments *s, uint32_t rows,
                              bool stream) {
    const uint32_t *moving = (const uint32_t *)clip_bytes(b->clip, track->masks_offset);
    for (uint32_t i = 0; i < b->count; i++) {
        const float *value = key_of(b, track, s->key[i]) + rows * LANES;
        float *output = output_of(b, track, i);
        wide w1 = wide_set(s->w1[i]), w2 = wide_set(s->w2[i]), w3 = wide_set(s->w3[i]);
        for (uint32_t lane = 0; lane < rows * LANES; lane += PM_LANES) {
            wide w2_lane = wide_select(wide_mask_load(moving + lane % LANES), w2, wide_set(0.0f));
            put(output + lane, hermite(value + lane, rows * LANES, w1, w2_lane, w3), stream);
        }
    }
}

// tan(x) / x for x^2 in [0, (pi/4)^2], within 2e-8; our own minimax fit with the constant fixed at 1.
PM_INLINE wide tangent_ratio(wide x2) {
    wide t = wide_set(0.009385652689206998f);
    t = wide_add(wide_mul(t, x2), wide_set(0.0031194938802827f));
    t = wide_add(wide_mul(t, x2), wide_set(0.024430403899321097f));
    t = wide_add(wide_mul(t, x2), wide_set(0.053411205518730916f));
    t = wide_add(wide_mul(t, x2), wide_set(0.13338800311306606f));
    t = wide_add(wide_mul(t, x2), wide_set(0.3333315682034177f));
    return wide_add(wide_mul(t, x2), wide_set(1.0f));
}

// The weight of b - a that makes slerp (see clip_format.h), v = u - 1/2.
PM_INLINE wide slerp_weight(wide angle2, wide scale, wide v) {
    wide ratio = tangent_ratio(wide_mul(angle2, wide_mul(v, v)));
    return wide_add(wide_set(0.5f), wide_mul(wide_mul(v, scale), ratio));
}

// Normalises PM_LANES quaternions and writes them; lanes without a length get the rest rotation. Returns how
// many.
PM_INLINE uint32_t put_rotation(float *output, const float *rest, const wide q[4], bool stream) {
    wide xy = wide_add(wide_mul(q[0], q[0]), wide_mul(q[1], q[1]));
    wide zw = wide_add(wide_mul(q[2], q[2]), wide_mul(q[3], q[3]));
    wide length2 = wide_add(xy, zw);
    wide_mask sound = wide_less(wide_set(MINIMUM_LENGTH2), length2);
    wide scale = wide_div(wide_set(1.0f), wide_sqrt(length2));
    uint32_t bits = wide_mask_bits(sound);
    if (bits == (1u << PM_LANES) - 1) {
        for (uint32_t c = 0; c < 4; c++) put(output + c * LANES, wide_mul(q[c], scale), stream);
        return 0;
    }
    for (uint32_t c = 0; c < 4; c++) {
        wide unit = wide_mul(q[c], scale);
        put(output + c * LANES, wide_select(sound, unit, wide_load(rest + c * LANES)), stream);
    }
    uint32_t guarded = 0;
    for (uint32_t lane = 0; lane < PM_LANES; lane++) guarded += !(bits >> lane & 1);
    return guarded;
}

PM_INLINE const float *rest_rotation(const batch *b, const pm_track *track) {
    return &pm_clip_rest(b->clip)[track->block].rotation[0][0];
}

PM_INLINE uint32_t rotation_linear(const batch *b, const pm_track *track, const segments *s, bool stream) {
    const float *rest = rest_rotation(b, track);
    uint32_t guarded = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        const float *a = key_of(b, track, s->key[i]);
        // At a key's very time the weight must be 0 to the bit: read the key as its own successor.
        const float *next = s->u[i] > 0 ? a + 6 * LANES : a;
        float *output = output_of(b, track, i);
        wide v = wide_set(s->u[i] - 0.5f);
        for (uint32_t lane = 0; lane < LANES; lane += PM_LANES) {
            wide w2 = slerp_weight(wide_load(a + 4 * LANES + lane), wide_load(a + 5 * LANES + lane), v);
            wide q[4];
            for (uint32_t c = 0; c < 4; c++) {
                wide from = wide_load(a + c * LANES + lane);
                wide step = wide_sub(wide_load(next + c * LANES + lane), from);
                q[c] = wide_add(from, wide_mul(w2, step));
            }
            guarded += put_rotation(output + lane, rest + lane, q, stream);
        }
    }
    return guarded;
}

PM_INLINE uint32_t rotation_cubic(const batch *b, const pm_track *track, const segments *s, bool stream) {
    const float *rest = rest_rotation(b, track);
    uint32_t guarded = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        const float *value = key_of(b, track, s->key[i]) + 4 * LANES;
        float *output = output_of(b, track, i);
        wide w1 = wide_set(s->w1[i]), w2 = wide_set(s->w2[i]), w3 = wide_set(s->w3[i]);
        for (uint32_t lane = 0; lane < LANES; lane += PM_LANES) {
            wide q[4];
            for (uint32_t c = 0; c < 4; c++) q[c] = hermite(value + c * LANES + lane, 4 * LANES, w1, w2, w3);
            guarded += put_rotation(output + lane, rest + lane, q, stream);
        }
    }
    return guarded;
}

// Lanes of all modes: STEP lanes have w2 masked out, LINEAR lanes have slerp's w2 and no tangents.
PM_INLINE uint32_t rotation_blended(const batch *b, const pm_track *track, const segments *s, bool stream) {
    const uint32_t *moving = (const uint32_t *)clip_bytes(b->clip, track->masks_offset);
    const uint32_t *slerped = moving + LANES;
    const float *rest = rest_rotation(b, track);
    uint32_t guarded = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        const float *in = key_of(b, track, s->key[i]);
        const float *value = in + 4 * LANES, *slerp = in + 12 * LANES;
        float *output = output_of(b, track, i);
        wide w1 = wide_set(s->w1[i]), w2 = wide_set(s->w2[i]), w3 = wide_set(s->w3[i]);
        wide v = wide_set(s->u[i] - 0.5f), at_key = wide_set(s->u[i] > 0 ? 1.0f : 0.0f);
        for (uint32_t lane = 0; lane < LANES; lane += PM_LANES) {
            wide arc = slerp_weight(wide_load(slerp + lane), wide_load(slerp + LANES + lane), v);
            wide w2_lane = wide_select(wide_mask_load(slerped + lane), wide_mul(arc, at_key), w2);
            w2_lane = wide_select(wide_mask_load(moving + lane), w2_lane, wide_set(0.0f));
            wide q[4];
            for (uint32_t c = 0; c < 4; c++) {
                const float *component = value + c * LANES + lane;
                wide a = wide_load(component);
                wide out = wide_mul(w1, wide_load(component + 4 * LANES));
                // The next key's in-tangent and value lie behind this key's slerp rows.
                wide next_in = wide_mul(w3, wide_load(component + 10 * LANES));
                wide step = wide_mul(w2_lane, wide_sub(wide_load(component + 14 * LANES), a));
                q[c] = wide_add(wide_add(a, step), wide_add(out, next_in));
            }
            guarded += put_rotation(output + lane, rest + lane, q, stream);
        }
    }
    return guarded;
}

PM_INLINE void vector_track(const batch *b, const pm_track *track, const segments *s, uint32_t rows,
                            bool stream) {
    switch (track->mode) {
    case PM_TRACK_STEP:
        hold(b, track, s->key, rows, stream);
        break;
    case PM_TRACK_LINEAR:
        vector_linear(b, track, s, rows, stream);
        break;
    case PM_TRACK_CUBIC:
        vector_cubic(b, track, s, rows, stream);
        break;
    default:
        vector_blended(b, track, s, rows, stream);
        break;
    }
}

PM_INLINE uint32_t rotation_track(const batch *b, const pm_track *track, const segments *s, bool stream) {
    switch (track->mode) {
    case PM_TRACK_STEP:
        hold(b, track, s->key, 4, stream);
        return 0;
    case PM_TRACK_LINEAR:
        return rotation_linear(b, track, s, stream);
    case PM_TRACK_CUBIC:
        return rotation_cubic(b, track, s, stream);
    default:
        return rotation_blended(b, track, s, stream);
    }
}

PM_INLINE bool wanted(const batch *b, const pm_track *track) {
    return (track->path == PM_PATH_SCALAR ? b->scalars[0] : b->pose[0]) != NULL;
}

PM_INLINE void constant_track(const batch *b, const pm_track *track, bool stream) {
    switch (track->path) {
    case PM_PATH_ROTATION:
        hold(b, track, NULL, 4, stream);
        break;
    case PM_PATH_SCALAR:
        hold(b, track, NULL, 1, stream);
        break;
    default:
        hold(b, track, NULL, 3, stream);
        break;
    }
}

PM_INLINE uint32_t shared_track(const batch *b, const pm_track *track, const segments *s, bool stream) {
    switch (track->path) {
    case PM_PATH_ROTATION:
        return rotation_track(b, track, s, stream);
    case PM_PATH_SCALAR:
        vector_track(b, track, s, 1, stream);
        return 0;
    default:
        vector_track(b, track, s, 3, stream);
        return 0;
    }
}

// A NaN time: the whole instance is at rest.
static uint64_t rest_instance(const batch *b, uint32_t i) {
    const pm_clip *clip = b->clip;
    uint64_t guarded = 0;
    if (b->pose[i]) {
        memcpy(b->pose[i], pm_clip_rest(clip), pm_block_count(clip->joint_count) * sizeof(pm_pose_block));
        guarded += 3 * (uint64_t)clip->joint_count;
    }
    if (b->scalars[i]) {
        memcpy(b->scalars[i], pm_clip_scalar_rest(clip),
               pm_block_count(clip->scalar_count) * LANES * sizeof(float));
        guarded += clip->scalar_count;
    }
    return guarded;
}

PM_INLINE uint64_t run_batch(const batch *b, bool stream) {
    const pm_clip *clip = b->clip;
    const pm_track *tracks = pm_clip_tracks(clip);
    const pm_timeline *timelines = pm_clip_timelines(clip);
    uint64_t guarded = 0;
    for (uint32_t i = 0; i < clip->constant_track_count; i++)
        if (wanted(b, tracks + i)) constant_track(b, tracks + i, stream);

    segments s;
    for (uint32_t t = 0; t < clip->timeline_count; t++) {
        const pm_timeline *timeline = timelines + t;
        find_segments(b, timeline, &s);
        const pm_track *track = tracks + timeline->first_track;
        for (uint32_t i = 0; i < timeline->track_count; i++, track++)
            if (wanted(b, track)) guarded += shared_track(b, track, &s, stream);
    }
    for (uint32_t i = 0; i < b->count; i++)
        if (b->nan_times >> i & 1) guarded += rest_instance(b, i);
    return guarded;
}

static uint64_t run_batch_stored(const batch *b) {
    return run_batch(b, false);
}

static uint64_t run_batch_streamed(const batch *b) {
    return run_batch(b, true);
}

#define ELEMENT(type, base, index, stride) ((type *)((char *)(base) + (size_t)(index) * (stride)))
#define READ(type, base, index, stride)    (*(const type *)((const char *)(base) + (size_t)(index) * (stride)))

PM_INLINE void add_instance(batch *b, const pm_sample_job *job, uint32_t instance) {
    uint32_t i = b->count++;
    float time = READ(float, job->time_seconds, instance, job->time_stride);
    bool is_nan = time != time;
    b->nan_times |= (uint32_t)is_nan << i;
    b->time[i] = is_nan ? 0.0f : time;
    size_t pose = job->pose_offsets ? job->pose_offsets[instance] : instance * job->pose_stride;
    size_t scalars = job->scalar_offsets ? job->scalar_offsets[instance] : instance * job->scalar_stride;
    b->pose[i] = job->poses ? (char *)job->poses + pose : NULL;
    b->scalars[i] = job->scalars ? (char *)job->scalars + scalars : NULL;
    b->cursor[i] = job->cursors ? ELEMENT(uint16_t, job->cursors, instance, job->cursor_stride) : NULL;
}

static uint64_t sample(const pm_sample_job *job, uint32_t begin, uint32_t end, bool stream) {
    // Reached through a pointer, so that batching is not compiled into each of the two.
    uint64_t (*run)(const batch *) = stream ? run_batch_streamed : run_batch_stored;
    uint64_t guarded = 0;
    batch b = {0};
    uint32_t batch_clip = PM_NONE;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t instance = job->order ? job->order[i] : i;
        uint32_t clip = READ(uint32_t, job->clip_index, instance, job->clip_index_stride);
        if (clip >= job->clip_count) continue;
        if (b.count && (clip != batch_clip || b.count == BATCH)) {
            guarded += run(&b);
            b.count = b.nan_times = 0;
        }
        if (!b.count) {
            batch_clip = clip;
            b.clip = job->clips[clip];
        }
        add_instance(&b, job, instance);
    }
    if (b.count) guarded += run(&b);
    if (stream) wide_stream_fence();
    return guarded;
}

static uint64_t run_in_ieee_environment(const pm_sample_job *job, uint32_t begin, uint32_t end, bool stream) {
    wide_environment was = wide_environment_enter();
    uint64_t guarded = sample(job, begin, end, stream);
    wide_environment_restore(was);
    return guarded;
}

#endif
