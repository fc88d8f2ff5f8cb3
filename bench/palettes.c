#include "palettes.h"

#include "pages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAIVE_JOINTS_LIMIT = 1024 };

static uint32_t matrix_count(const pm_skeleton *skeleton) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < skeleton->skin_count; i++) count += skeleton->skins[i].joint_count;
    return count;
}

const char *palettes_create(palettes *made, const content *clips, const pm_sample_job *sample, bool fused,
                            uint32_t worker_count) {
    *made = (palettes){.bytes = 0};
    if (!clips->skeleton && (!clips->scenes[0] || clips->scenes[1])) return "palettes need one skeleton";
    const pm_skeleton *skeleton = clips->skeleton ? clips->skeleton : clips->scenes[0]->skeleton;
    if (skeleton->joint_count > NAIVE_JOINTS_LIMIT) return "the naive evaluator has no room for the joints";
    pm_palette_job job = pm_default_palette_job();
    job.kernels = sample->kernels;
    job.skeleton = skeleton;
    job.instance_count = sample->instance_count;
    if (fused) {
        job.sample = sample;
    } else {
        job.poses = sample->poses;
        job.pose_stride = sample->pose_stride;
    }
    made->bytes = job.palette_stride = pm_matrices_size(matrix_count(skeleton));
    job.palettes = pages_allocate(sample->instance_count * made->bytes);
    made->job = job;
    made->naive = pages_allocate((size_t)sample->instance_count * matrix_count(skeleton) *
                                 sizeof(float[PM_MATRIX_FLOATS]));
    if (!job.palettes || !made->naive) return "out of memory";
    const char *fault = pm_palette_validate(&made->job);
    if (fault) return fault;
    made->scratch_size = pm_palette_scratch_size(&made->job);
    made->scratch = aligned_alloc(PM_ALIGNMENT, worker_count * made->scratch_size);
    return made->scratch ? NULL : "out of memory";
}

void palettes_destroy(palettes *destroyed) {
    free(destroyed->job.palettes);
    free(destroyed->naive);
    free(destroyed->scratch);
    *destroyed = (palettes){.bytes = 0};
}

void palettes_run(palettes *p, const pm_sample_job *sample, uint32_t worker, uint32_t begin, uint32_t end) {
    pm_palette_job job = p->job;
    job.order = sample->order;
    job.order_count = sample->order_count;
    pm_palette_run(&job, begin, end, p->scratch + worker * p->scratch_size);
}

// Three rows of four.
static inline void multiply(const float *a, const float *b, float *restrict product) {
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++) {
            float sum = c == 3 ? a[4 * r + 3] : 0;
            for (int k = 0; k < 3; k++) sum += a[4 * r + k] * b[4 * k + c];
            product[4 * r + c] = sum;
        }
}

static inline void find_local(const pm_transform *t, float *restrict local) {
    float x = t->rotation[0], y = t->rotation[1], z = t->rotation[2], w = t->rotation[3];
    const float rotation[3][3] = {
        {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
        {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
        {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)},
    };
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) local[4 * r + c] = rotation[r][c] * t->scale[c];
        local[4 * r + 3] = t->translation[r];
    }
}

void palettes_run_naive(palettes *p, const pm_transform *pose, size_t instance) {
    const pm_skeleton *skeleton = p->job.skeleton;
    float models[NAIVE_JOINTS_LIMIT][PM_MATRIX_FLOATS];
    for (uint32_t joint = 0; joint < skeleton->joint_count; joint++) {
        float local[PM_MATRIX_FLOATS];
        uint32_t parent = skeleton->parents[joint];
        find_local(pose + joint, local);
        if (parent == PM_NONE)
            memcpy(models[joint], local, sizeof local);
        else
            multiply(models[parent], local, models[joint]);
    }
    float *out = p->naive + instance * matrix_count(skeleton) * PM_MATRIX_FLOATS;
    for (uint32_t i = 0; i < skeleton->skin_count; i++)
        for (uint32_t j = 0; j < skeleton->skins[i].joint_count; j++, out += PM_MATRIX_FLOATS)
            multiply(models[skeleton->skins[i].joints[j]],
                     skeleton->skins[i].inverse_binds + (size_t)j * PM_MATRIX_FLOATS, out);
}

double palettes_difference(const palettes *p, size_t instance) {
    const size_t count = (size_t)matrix_count(p->job.skeleton) * PM_MATRIX_FLOATS;
    const float *ours = (const float *)((const char *)p->job.palettes + instance * p->bytes);
    const float *naive = p->naive + instance * count;
    double worst = 0, largest = 1;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs((double)naive[i]));
        worst = fmax(worst, fabs((double)ours[i] - (double)naive[i]));
    }
    return worst / largest;
}
