// Posemill internals: the blend kernel, compiled once for each instruction set.
//
// At each group of lanes the layers are walked once, over all ten rows of the block, in registers; each row
// is written once.
#ifndef PM_SIMD_BLEND_KERNEL_H
#define PM_SIMD_BLEND_KERNEL_H

#include "blend_chunk.h"
#include "guard.h"
#include "kernels.h"

#include <string.h>

// One layer at PM_LANES joints. The mean of a mix is carried from layer to layer, mean + share * (pose -
// mean), so that equal poses hold to the bit and a layer without weight leaves no trace.
typedef struct blend_step {
    wide total;        // weight of the mix so far; of an additive layer, its weight
    wide weight;       // the same, at most 1
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

// The step of layer `l` at lanes [lane, lane + PM_LANES) of the masks, behind the step of the layer before.
PM_INLINE blend_step weigh(const pm_blend_instance *instance, uint32_t l, bool masked, uint32_t lane,
                           wide total) {
    const wide zero = wide_set(0.0f), one = wide_set(1.0f);
    const pm_blend_input *input = instance->inputs + l;
    wide weight = wide_set(input->weight);
    if (masked && input->mask) weight = wide_mul(weight, clamp01(wide_load(input->mask + lane)));
    bool blends = input->mode == PM_LAYER_BLEND;
    blend_step step;
    step.additive = input->mode == PM_LAYER_ADDITIVE;
    step.opens = !(blends && l > 0 && input[-1].mode == PM_LAYER_BLEND);
    step.closes = !(blends && l + 1 < instance->input_count && input[1].mode == PM_LAYER_BLEND);
    step.total = step.opens ? weight : wide_add(total, weight);
    step.mixed = wide_less(zero, step.total);
    step.share = wide_select(step.mixed, wide_div(weight, step.total), zero);
    step.shared = wide_less(step.share, one);
    step.partial = wide_less(step.total, one);
    step.weight = wide_select(step.partial, step.total, one);
    return step;
}

PM_INLINE wide lerp(wide from, wide to, wide share, wide_mask shared) {
    wide between = wide_add(from, wide_mul(share, wide_sub(to, from)));
    return wide_select(shared, between, to);
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

// Rows of a block in the order of its memory.
enum { TRANSLATION = 0, ROTATION = 3, SCALE = 7, ROWS = 10 };

PM_INLINE void mix_vectors(const blend_step *step, const wide *input, wide *mean, wide *value,
                           uint32_t rows) {
    for (uint32_t c = 0; c < rows; c++) {
        mean[c] = step->opens ? input[c] : lerp(mean[c], input[c], step->share, step->shared);
        if (step->closes)
            value[c] =
                wide_select(step->mixed, lerp(value[c], mean[c], step->weight, step->partial), value[c]);
    }
}

PM_INLINE void mix_rotation(const blend_step *step, const wide input[4], wide mean[4], wide q[4]) {
    if (step->opens)
        for (uint32_t c = 0; c < 4; c++) mean[c] = input[c];
    else
        lerp_rotation(mean, input, step->share, step->shared);
    if (!step->closes) return;
    wide mixed[4];
    for (uint32_t c = 0; c < 4; c++) mixed[c] = q[c];
    lerp_rotation(mixed, mean, step->weight, step->partial);
    take_rotation(q, mixed, step->mixed);
}

PM_INLINE wide add_translation(const blend_step *step, wide input, wide value) {
    return wide_select(step->mixed, wide_add(value, wide_mul(step->weight, input)), value);
}

PM_INLINE wide multiply_scale(const blend_step *step, wide input, wide value) {
    const wide one = wide_set(1.0f);
    wide factor = wide_add(one, wide_mul(step->weight, wide_sub(input, one)));
    return wide_select(step->mixed, wide_mul(value, factor), value);
}

PM_INLINE void add_difference(const blend_step *step, const wide input[ROWS], wide value[ROWS]) {
    for (uint32_t c = 0; c < 3; c++) {
        value[TRANSLATION + c] = add_translation(step, input[TRANSLATION + c], value[TRANSLATION + c]);
        value[SCALE + c] = multiply_scale(step, input[SCALE + c], value[SCALE + c]);
    }
    append_rotation(value + ROTATION, input + ROTATION, step);
}

// Lanes [lane, lane + PM_LANES) of a block.
PM_INLINE uint32_t blend_lanes(const pm_blend_chunk *chunk, const pm_blend_instance *instance, uint32_t block,
                               uint32_t lane, bool stream) {
    const float *rest = chunk->rest[block].translation[0] + lane;
    float *output = instance->pose[block].translation[0] + lane;
    wide value[ROWS], mean[ROWS], total = wide_set(0.0f);
    for (uint32_t row = 0; row < ROWS; row++) value[row] = mean[row] = wide_load(rest + row * LANES);
    for (uint32_t l = 0; l < instance->input_count; l++) {
        const float *pose = instance->inputs[l].pose[block].translation[0] + lane;
        blend_step step = weigh(instance, l, true, block * LANES + lane, total);
        total = step.total;
        wide input[ROWS];
        for (uint32_t row = 0; row < ROWS; row++) input[row] = wide_load(pose + row * LANES);
        if (step.additive) {
            add_difference(&step, input, value);
        } else {
            mix_vectors(&step, input + TRANSLATION, mean + TRANSLATION, value + TRANSLATION, 3);
            mix_rotation(&step, input + ROTATION, mean + ROTATION, value + ROTATION);
            mix_vectors(&step, input + SCALE, mean + SCALE, value + SCALE, 3);
        }
    }
    uint32_t guarded = 0;
    for (uint32_t row = 0; row < ROWS; row = row == 2 ? SCALE : row + 1)
        guarded += put_finite(output + row * LANES, value[row], wide_load(rest + row * LANES), stream);
    const wide *q = value + ROTATION;
    guarded += put_scaled_rotation(output + ROTATION * LANES, q, length2_of(q), wide_set(1.0f),
                                   rest + ROTATION * LANES, stream);
    return guarded;
}

// Scalars: as translations, without masks.
PM_INLINE uint32_t blend_scalars(const pm_blend_chunk *chunk, const pm_blend_instance *instance,
                                 bool stream) {
    uint32_t guarded = 0;
    for (uint32_t at = 0; at < chunk->scalar_block_count * LANES; at += PM_LANES) {
        wide rest = wide_load(chunk->scalar_rest + at), value = rest, mean = rest, total = wide_set(0.0f);
        for (uint32_t l = 0; l < instance->input_count; l++) {
            blend_step step = weigh(instance, l, false, 0, total);
            total = step.total;
            wide input = wide_load(instance->inputs[l].scalars + at);
            if (step.additive)
                value = add_translation(&step, input, value);
            else
                mix_vectors(&step, &input, &mean, &value, 1);
        }
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
                for (uint32_t lane = 0; lane < LANES; lane += PM_LANES)
                    guarded += blend_lanes(chunk, instance, block, lane, stream);
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
