#include "layers.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static float random_weight(rig_random *random) {
    uint32_t choice = rig_random_below(random, 4);
    return choice == 0 ? 0 : choice == 1 ? 1 : rig_random_between(random, 0, 1);
}

static void make_clips(layers *l) {
    for (uint32_t i = 0; i < LAYERS_CLIPS; i++) {
        scenario_options options = {.seed = 21 + i, .joint_count = 35, .scalar_count = 20, .most_keys = 30};
        options.modes = SCENARIO_STEP | SCENARIO_LINEAR;
        options.timelines = i ? 2 : 0;
        l->scenarios[i] = scenario_create(&options);
        l->clips[i] = l->scenarios[i]->clip;
        cr_assert_leq(pm_clip_get_info(l->clips[i]).cursor_count, LAYERS_CURSORS);
    }
}

static void make_layers(layers *l) {
    rig_random random = {99};
    for (uint32_t m = 0; m < LAYERS_MASKS; m++) {
        l->mask_list[m] = l->masks[m];
        for (uint32_t j = 0; j < LAYERS_BLOCKS * PM_BLOCK_LANES; j++) l->masks[m][j] = random_weight(&random);
    }
    for (uint32_t i = 0; i < LAYERS_INSTANCES; i++)
        for (uint32_t n = 0; n < PM_LAYERS_MAX; n++)
            l->layers[i][n] = (pm_layer){
                .clip = rig_random_below(&random, LAYERS_CLIPS),
                .time_seconds = rig_random_between(&random, -0.5f, 8),
                .weight = random_weight(&random),
                .mask = rig_random_below(&random, LAYERS_MASKS + 1),
                .mode = (pm_layer_mode)rig_random_below(&random, PM_LAYER_MODE_COUNT),
            };
}

layers *layers_create(uint32_t layer_count) {
    layers *l = aligned_alloc(64, (sizeof *l + 63) / 64 * 64);
    memset(l, 0, sizeof *l);
    make_clips(l);
    make_layers(l);
    pm_blend_job job = pm_default_blend_job();
    job.kernels = pm_kernels_best();
    job.clips = l->clips;
    job.clip_count = LAYERS_CLIPS;
    job.instance_count = LAYERS_INSTANCES;
    job.layer_count = layer_count;
    job.layers = l->layers[0];
    job.instance_stride = sizeof l->layers[0];
    job.masks = l->mask_list;
    job.mask_count = LAYERS_MASKS;
    job.rest = l->scenarios[0]->skeleton->rest;
    job.scalar_rest = l->scenarios[0]->skeleton->scalar_rest;
    job.cursors = l->cursors[0][0];
    job.cursor_stride = sizeof l->cursors[0];
    job.layer_cursor_stride = sizeof l->cursors[0][0];
    job.poses = l->output.poses[0];
    job.pose_stride = sizeof l->output.poses[0];
    job.scalars = l->output.scalars[0];
    job.scalar_stride = sizeof l->output.scalars[0];
    l->job = job;
    l->scratch = NULL;
    return l;
}

void layers_destroy(layers *l) {
    for (uint32_t i = 0; i < LAYERS_CLIPS; i++) scenario_destroy(l->scenarios[i]);
    free(l->scratch);
    free(l);
}

uint64_t layers_run(layers *l) {
    const char *fault = pm_blend_validate(&l->job);
    cr_assert_null(fault, "%s", fault);
    free(l->scratch);
    l->scratch = aligned_alloc(64, pm_blend_scratch_size(&l->job));
    memset(&l->output, 0xcd, sizeof l->output);
    return pm_blend_run(&l->job, 0, l->job.order ? l->job.order_count : LAYERS_INSTANCES, l->scratch);
}

static bool is_on(const layers *l, const pm_layer *layer) {
    return layer->weight > 0 && layer->clip < l->job.clip_count &&
           (unsigned)layer->mode < PM_LAYER_MODE_COUNT;
}

static double weight_of(const layers *l, const pm_layer *layer, uint32_t joint) {
    double mask = layer->mask < l->job.mask_count ? (double)l->job.masks[layer->mask][joint] : 1;
    return fmin((double)layer->weight, 1) * mask;
}

// Adds weight of b to sum, on sum's side.
static void add_rotation(double sum[4], const double b[4], double weight) {
    double dot = 0;
    for (int c = 0; c < 4; c++) dot += sum[c] * b[c];
    for (int c = 0; c < 4; c++) sum[c] += (dot < 0 ? -weight : weight) * b[c];
}

static void apply_difference(poses_joint *joint, const poses_joint *difference, double weight) {
    double side = difference->rotation[3] < 0 ? -1 : 1, part[4], product[4];
    for (int c = 0; c < 3; c++) {
        joint->translation[c] += weight * difference->translation[c];
        joint->scale[c] *= 1 + weight * (difference->scale[c] - 1);
        part[c] = weight * side * difference->rotation[c];
    }
    part[3] = 1 - weight + weight * side * difference->rotation[3];
    poses_multiply(joint->rotation, part, product);
    poses_normalise(product);
    memcpy(joint->rotation, product, sizeof product);
}

static poses_joint sampled_joint(const layers *l, const pm_layer *layer, uint32_t joint) {
    const scenario *s = l->scenarios[layer->clip];
    reference_transform transform = reference_joint(s->reference, joint, (double)layer->time_seconds);
    poses_joint result;
    memcpy(result.translation, transform.translation.value, sizeof result.translation);
    memcpy(result.rotation, transform.rotation.value, sizeof result.rotation);
    memcpy(result.scale, transform.scale.value, sizeof result.scale);
    return result;
}

// One mix of layers [first, last] over what was there before.
static void apply_mix(const layers *l, const pm_layer *const *on, uint32_t first, uint32_t last,
                      uint32_t joint, poses_joint *value) {
    double total = 0;
    poses_joint sum = {{0}, {0}, {0}};
    for (uint32_t n = first; n <= last; n++) total += weight_of(l, on[n], joint);
    if (total == 0) return;
    double kept = total < 1 ? 1 - total : 0, share = total < 1 ? 1 : 1 / total;
    for (uint32_t n = first; n <= last + 1; n++) {
        poses_joint input = n <= last ? sampled_joint(l, on[n], joint) : *value;
        double weight = n <= last ? weight_of(l, on[n], joint) * share : kept;
        for (int c = 0; c < 3; c++) {
            sum.translation[c] += weight * input.translation[c];
            sum.scale[c] += weight * input.scale[c];
        }
        add_rotation(sum.rotation, input.rotation, weight);
    }
    poses_normalise(sum.rotation);
    *value = sum;
}

static uint32_t layers_on(const layers *l, uint32_t instance, const pm_layer **on) {
    uint32_t count = 0;
    for (uint32_t n = 0; n < l->job.layer_count; n++)
        if (is_on(l, &l->layers[instance][n])) on[count++] = &l->layers[instance][n];
    return count;
}

// The last layer of the mix that begins with `first`.
static uint32_t last_of_mix(const pm_layer *const *on, uint32_t count, uint32_t first) {
    uint32_t last = first;
    while (on[first]->mode == PM_LAYER_BLEND && last + 1 < count && on[last + 1]->mode == PM_LAYER_BLEND)
        last++;
    return last;
}

poses_joint layers_joint(const layers *l, uint32_t instance, uint32_t joint) {
    const pm_layer *on[PM_LAYERS_MAX];
    uint32_t count = layers_on(l, instance, on);
    poses_joint value = poses_get(l->job.rest, joint);
    for (uint32_t n = 0; n < count; n++) {
        if (on[n]->mode == PM_LAYER_ADDITIVE) {
            poses_joint difference = sampled_joint(l, on[n], joint);
            apply_difference(&value, &difference, weight_of(l, on[n], joint));
            continue;
        }
        uint32_t last = last_of_mix(on, count, n);
        apply_mix(l, on, n, last, joint, &value);
        n = last;
    }
    return value;
}

double layers_scalar(const layers *l, uint32_t instance, uint32_t scalar) {
    const pm_layer *on[PM_LAYERS_MAX];
    uint32_t count = layers_on(l, instance, on);
    double value = (double)l->job.scalar_rest[scalar];
    for (uint32_t n = 0; n < count; n++) {
        uint32_t last = on[n]->mode == PM_LAYER_ADDITIVE ? n : last_of_mix(on, count, n);
        double total = 0, sum = 0;
        for (; n <= last; n++) {
            const scenario *s = l->scenarios[on[n]->clip];
            double input = reference_scalar(s->reference, scalar, (double)on[n]->time_seconds).value[0];
            total += fmin((double)on[n]->weight, 1);
            sum += fmin((double)on[n]->weight, 1) * input;
        }
        n = last;
        if (on[n]->mode == PM_LAYER_ADDITIVE) {
            value += sum;
        } else {
            value = total < 1 ? sum + (1 - total) * value : sum / total;
        }
    }
    return value;
}
