// Posemill internals: the blend kernel, compiled once for each instruction set.
//
// A block's weights are settled first. Then every row walks the layers in registers and is written once.
#ifndef PM_SIMD_BLEND_KERNEL_H
#define PM_SIMD_BLEND_KERNEL_H

#include "blend_chunk.h"
#include "guard.h"
#include "kernels.h"

#include <string.h>

// One layer at PM_LANES joints. The mean of a mix is carried from layer to layer, mean + share * (pose -
// mean), so that equal poses hold to the bit and a layer without weight leaves no trace.
typedef struct blend_step {
    const float *pose; // the block's first row, at these lanes
    wide weight;       // of an additive layer; of a mix, at its last layer, altogether and at most 1
    wide share;        // of this layer in the mean so far
    wide_mask shared;  // lanes where that is below 1; elsewhere the mean is this pose
    wide_mask partial; // lanes where `weight` is below 1: some of what was there before is kept
    wide_mask mixed;   // lanes where it is above 0; the others stay as they are
    bool additive;
    bool opens, closes; // first and last layer of a mix
} blend_step;

PM_INLINE wide clamp01(wide a) {
    const wide zero = wide_set(0.0f), one = wide_set(1.0f);
    a = wide_select(wide_less(zero, a), a, zero); // NaN, too
    return wide_select(wide_less(a, one), a, one);
}

// Weights of an instance's layers at lanes [lane, lane + PM_LANES) of the masks; everything but `pose`.
PM_INLINE void weigh_steps(const pm_blend_instance *instance, bool masked, uint32_t lane, blend_step *steps) {
    const wide zero = wide_set(0.0f), one = wide_set(1.0f);
    wide total = zero;
    for (uint32_t l = 0; l < instance->input_count; l++) {
        const pm_blend_input *input = instance->inputs + l;
        blend_step *step = steps + l;
        wide weight = wide_set(input->weight);
        if (masked && input->mask) weight = wide_mul(weight, clamp01(wide_load(input->mask + lane)));
        bool blends = input->mode == PM_LAYER_BLEND;
        step->additive = input->mode == PM_LAYER_ADDITIVE;
        step->opens = !(blends && l > 0 && input[-1].mode == PM_LAYER_BLEND);
        step->closes = !(blends && l + 1 < instance->input_count && input[1].mode == PM_LAYER_BLEND);
        total = step->opens ? weight : wide_add(total, weight);
        step->mixed = wide_less(zero, total);
        step->share = wide_select(step->mixed, wide_div(weight, total), zero);
        step->shared = wide_less(step->share, one);
        step->partial = wide_less(total, one);
        step->weight = wide_select(step->partial, total, one);
    }
}

PM_INLINE wide lerp(wide from, wide to, wide share, wide_mask shared) {
    wide between = wide_add(from, wide_mul(share, wide_sub(to, from)));
    return wide_select(shared, between, to);
}

// A row of translations or scales, from the rest row's value up.
PM_INLINE wide blend_row(const blend_step *steps, uint32_t count, size_t row, wide value, bool scales) {
    const wide one = wide_set(1.0f);
    wide mean = value;
    for (uint32_t l = 0; l < count; l++) {
        const blend_step *step = steps + l;
        wide input = wide_load(step->pose + row * LANES);
        wide mixed;
        if (step->additive) {
            mixed = scales ? wide_mul(value, wide_add(one, wide_mul(step->weight, wide_sub(input, one))))
                           : wide_add(value, wide_mul(step->weight, input));
        } else {
            mean = step->opens ? input : lerp(mean, input, step->share, step->shared);
            if (!step->closes) continue;
            mixed = lerp(value, mean, step->weight, step->partial);
        }
        value = wide_select(step->mixed, mixed, value);
    }
    return value;
}

// The same between quaternions, the short way: `to` on the side of `from`.
PM_INLINE void lerp_rotation(wide from[4], const wide to[4], wide share, wide_mask shared) {
    const wide zero = wide_set(0.0f);
    wide_mask far_side = wide_less(dot_of(from, to), zero);
    for (uint32_t c = 0; c < 4; c++)
        from[c] = lerp(from[c], wide_select(far_side, wide_sub(zero, to[c]), to[c]), share, shared);
}

// Makes q the normalised r where `mask` is on.
PM_INLINE void take_rotation(wide q[4], const wide r[4], wide_mask mask) {
    wide scale = wide_div(wide_set(1.0f), wide_sqrt(length2_of(r)));
    for (uint32_t c = 0; c < 4; c++) q[c] = wide_select(mask, wide_mul(r[c], scale), q[c]);
}

// q times `weight` of the rotation d: from identity to d on a straight line, on identity's side.
PM_INLINE void append_rotation(wide q[4], const wide d[4], const blend_step *step) {
    const wide zero = wide_set(0.0f), one = wide_set(1.0f);
    wide weight = wide_select(wide_less(d[3], zero), wide_sub(zero, step->weight), step->weight);
    wide x = wide_mul(weight, d[0]), y = wide_mul(weight, d[1]), z = wide_mul(weight, d[2]);
    wide w = wide_add(wide_sub(one, step->weight), wide_mul(weight, d[3]));
    wide r[4] = {
        wide_add(wide_add(wide_mul(q[3], x), wide_mul(q[0], w)),
                 wide_sub(wide_mul(q[1], z), wide_mul(q[2], y))),
        wide_add(wide_add(wide_mul(q[3], y), wide_mul(q[1], w)),
                 wide_sub(wide_mul(q[2], x), wide_mul(q[0], z))),
        wide_add(wide_add(wide_mul(q[3], z), wide_mul(q[2], w)),
                 wide_sub(wide_mul(q[0], y), wide_mul(q[1], x))),
        wide_sub(wide_sub(wide_mul(q[3], w), wide_mul(q[0], x)),
                 wide_add(wide_mul(q[1], y), wide_mul(q[2], z))),
    };
    take_rotation(q, r, step->mixed);
}

PM_INLINE void blend_rotation(const blend_step *steps, uint32_t count, wide q[4]) {
    wide mean[4];
    memcpy(mean, q, sizeof mean);
    for (uint32_t l = 0; l < count; l++) {
        const blend_step *step = steps + l;
        wide input[4];
        for (uint32_t c = 0; c < 4; c++) input[c] = wide_load(step->pose + (3 + c) * LANES);
        if (step->additive) {
            append_rotation(q, input, step);
            continue;
        }
        if (step->opens)
            memcpy(mean, input, sizeof mean);
        else
            lerp_rotation(mean, input, step->share, step->shared);
        if (!step->closes) continue;
        wide mixed[4];
        memcpy(mixed, q, sizeof mixed);
        lerp_rotation(mixed, mean, step->weight, step->partial);
        take_rotation(q, mixed, step->mixed);
    }
}

PM_INLINE uint32_t blend_block(const pm_blend_chunk *chunk, const pm_blend_instance *instance, uint32_t block,
                               bool stream) {
    const float *rest = chunk->rest[block].translation[0];
    float *output = instance->pose[block].translation[0];
    uint32_t count = instance->input_count, guarded = 0;
    blend_step steps[PM_LAYERS_MAX];
    for (uint32_t lane = 0; lane < LANES; lane += PM_LANES) {
        weigh_steps(instance, true, block * LANES + lane, steps);
        for (uint32_t l = 0; l < count; l++)
            steps[l].pose = instance->inputs[l].pose[block].translation[0] + lane;
        // Rows of a block: translation 0 to 2, rotation 3 to 6, scale 7 to 9.
        for (uint32_t row = 0; row < 10; row = row == 2 ? 7 : row + 1) {
            size_t at = row * LANES + lane;
            wide value = blend_row(steps, count, row, wide_load(rest + at), row >= 7);
            guarded += put_finite(output + at, value, wide_load(rest + at), stream);
        }
        wide q[4];
        for (uint32_t c = 0; c < 4; c++) q[c] = wide_load(rest + (3 + c) * LANES + lane);
        blend_rotation(steps, count, q);
        size_t at = 3 * LANES + lane;
        guarded += put_scaled_rotation(output + at, q, length2_of(q), wide_set(1.0f), rest + at, stream);
    }
    return guarded;
}

// Scalars: as translations, without masks.
PM_INLINE uint32_t blend_scalars(const pm_blend_chunk *chunk, const pm_blend_instance *instance,
                                 bool stream) {
    blend_step steps[PM_LAYERS_MAX];
    weigh_steps(instance, false, 0, steps);
    uint32_t guarded = 0;
    for (uint32_t at = 0; at < chunk->scalar_block_count * LANES; at += PM_LANES) {
        for (uint32_t l = 0; l < instance->input_count; l++) steps[l].pose = instance->inputs[l].scalars + at;
        wide rest = wide_load(chunk->scalar_rest + at);
        wide value = blend_row(steps, instance->input_count, 0, rest, false);
        guarded += put_finite(instance->scalars + at, value, rest, stream);
    }
    return guarded;
}

PM_INLINE uint64_t blend(const pm_blend_chunk *chunk, bool stream) {
    uint64_t guarded = 0;
    for (uint32_t i = 0; i < chunk->instance_count; i++) {
        const pm_blend_instance *instance = chunk->instances + i;
        if (instance->pose) {
            for (uint32_t block = 0; block < chunk->block_count; block++)
                guarded += blend_block(chunk, instance, block, stream);
            memcpy(instance->pose + chunk->block_count, chunk->rest + chunk->block_count,
                   chunk->rest_block_count * sizeof(pm_pose_block));
        }
        if (instance->scalars) guarded += blend_scalars(chunk, instance, stream);
    }
    return guarded;
}

static PM_NOINLINE uint64_t blend_stored(const pm_blend_chunk *chunk) {
    return blend(chunk, false);
}

static PM_NOINLINE uint64_t blend_streamed(const pm_blend_chunk *chunk) {
    uint64_t guarded = blend(chunk, true);
    wide_stream_fence();
    return guarded;
}

static uint64_t run_blend(const pm_blend_chunk *chunk, bool stream) {
    wide_environment was = wide_environment_enter();
    uint64_t guarded = stream ? blend_streamed(chunk) : blend_stored(chunk);
    wide_environment_restore(was);
    return guarded;
}

#endif
