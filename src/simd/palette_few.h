// Posemill internals: matrices of a few instances.
//
// A row of a matrix is a quarter of a vector of 16 lanes: four instances go through the hierarchy side by side
// (two in 8 lanes, one in 4), joint after joint. Local matrices are made of four joints of each of them at a
// time, component by component, and then transposed into rows.
#ifndef PM_SIMD_PALETTE_FEW_H
#define PM_SIMD_PALETTE_FEW_H

#include "kernels.h"
#include "rows.h"

#include <string.h>

// Instances side by side, and floats of one matrix of each of them.
enum { GROUP = WIDE_QUARTERS, GROUP_FLOATS = GROUP * PM_MATRIX_FLOATS };
enum { POSE_ROWS = sizeof(pm_pose_block) / (LANES * sizeof(float)) };

static const float identity_matrix[PM_MATRIX_FLOATS] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

// All ones in the last place of each quarter, where translations are.
_Alignas(64) static const uint32_t translation_lanes[LANES] = {
    [3] = UINT32_MAX, [7] = UINT32_MAX, [11] = UINT32_MAX, [15] = UINT32_MAX};

// Instances of a chunk that are evaluated side by side; the last one stands in for those that are not there.
typedef struct palette_group {
    const pm_palette_chunk *chunk;
    const pm_palette_instance *instance[GROUP];
    uint32_t count;
} palette_group;

PM_INLINE void load_matrix(const float *from, wide matrix[3]) {
    for (uint32_t r = 0; r < 3; r++) matrix[r] = wide_load(from + r * PM_LANES);
}

PM_INLINE void store_matrix(float *to, const wide matrix[3]) {
    for (uint32_t r = 0; r < 3; r++) wide_store(to + r * PM_LANES, matrix[r]);
}

// The same for all instances.
PM_INLINE void load_everywhere(const float from[PM_MATRIX_FLOATS], wide matrix[3]) {
    for (uint32_t r = 0; r < 3; r++) matrix[r] = wide_load_everywhere(from + 4 * r);
}

// Where there is no translation to be added, -0 is: it changes nothing, not even a zero's sign.
PM_INLINE void multiply(const wide a[3], const wide b[3], wide product[3]) {
    const wide_mask translation = wide_mask_load(translation_lanes);
    for (uint32_t r = 0; r < 3; r++) {
        wide x = wide_mul(wide_splat(a[r], 0), b[0]), y = wide_mul(wide_splat(a[r], 1), b[1]);
        wide z = wide_mul(wide_splat(a[r], 2), b[2]);
        wide w = wide_select(translation, a[r], wide_set(-0.0f));
        product[r] = wide_add(wide_add(x, y), wide_add(z, w));
    }
}

// The matrix of unit quaternions.
PM_INLINE void find_rotation(const wide q[4], wide rotation[3][3]) {
    const wide x = q[0], y = q[1], z = q[2], w = q[3], one = wide_set(1.0f);
    const wide x2 = wide_add(x, x), y2 = wide_add(y, y), z2 = wide_add(z, z);
    const wide xx = wide_mul(x, x2), yy = wide_mul(y, y2), zz = wide_mul(z, z2);
    const wide xy = wide_mul(x, y2), xz = wide_mul(x, z2), yz = wide_mul(y, z2);
    const wide wx = wide_mul(w, x2), wy = wide_mul(w, y2), wz = wide_mul(w, z2);
    rotation[0][0] = wide_sub(one, wide_add(yy, zz));
    rotation[0][1] = wide_sub(xy, wz);
    rotation[0][2] = wide_add(xz, wy);
    rotation[1][0] = wide_add(xy, wz);
    rotation[1][1] = wide_sub(one, wide_add(xx, zz));
    rotation[1][2] = wide_sub(yz, wx);
    rotation[2][0] = wide_sub(xz, wy);
    rotation[2][1] = wide_add(yz, wx);
    rotation[2][2] = wide_sub(one, wide_add(xx, yy));
}

// The local matrices of four joints: those in lanes [lane, lane + 4) of each instance's block.
PM_INLINE void find_locals(const pm_pose_block *const block[GROUP], uint32_t lane, wide local[4][3]) {
    const float *at[GROUP];
    for (uint32_t i = 0; i < GROUP; i++) at[i] = block[i]->translation[0] + lane;
    wide in[POSE_ROWS];
    for (uint32_t r = 0; r < POSE_ROWS; r++) in[r] = wide_load_each(at, r * LANES);
    wide rotation[3][3];
    find_rotation(in + 3, rotation);
    for (uint32_t r = 0; r < 3; r++) {
        wide columns[4], rows[4];
        for (uint32_t c = 0; c < 3; c++) columns[c] = wide_mul(rotation[r][c], in[7 + c]);
        columns[3] = in[r];
        wide_transpose_quarters(columns, rows);
        for (uint32_t joint = 0; joint < 4; joint++) local[joint][r] = rows[joint];
    }
}

// In pairs, so that no addition waits for the one before. `count` is a multiple of 3.
PM_INLINE wide sum_of(const wide *numbers, uint32_t count) {
    wide sum = wide_add(wide_add(numbers[0], numbers[1]), numbers[2]);
    for (uint32_t i = 3; i < count; i += 3)
        sum = wide_add(sum, wide_add(wide_add(numbers[i], numbers[i + 1]), numbers[i + 2]));
    return sum;
}

// Whether all numbers that were summed are finite. False for huge ones, too: who asks then looks closer.
PM_INLINE bool is_finite(wide sum) {
    wide_mask finite = wide_less(wide_sub(sum, sum), wide_set(1.0f)); // 0, or NaN
    return wide_mask_bits(finite) == (1u << PM_LANES) - 1;
}

PM_INLINE void store_identity(float to[GROUP_FLOATS]) {
    wide rows[3];
    load_everywhere(identity_matrix, rows);
    store_matrix(to, rows);
}

// Matrices of instances that are not finite become the fallback. Returns how many. Number by number: it
// hardly ever happens.
PM_COLD uint32_t mend_matrix(float *at, const float *fallback, uint32_t instance_count) {
    uint32_t mended = 0;
    for (uint32_t i = 0; i < instance_count; i++) {
        bool finite = true;
        for (uint32_t n = 0; n < PM_MATRIX_FLOATS; n++) {
            float value = at[n / 4 * PM_LANES + 4 * i + n % 4];
            finite = finite && value - value == 0;
        }
        for (uint32_t r = 0; !finite && r < 3; r++)
            memcpy(at + r * PM_LANES + 4 * i, fallback + r * PM_LANES + 4 * i, 4 * sizeof(float));
        mended += !finite;
    }
    return mended;
}

PM_COLD uint32_t mend_placements(float root[GROUP_FLOATS], uint32_t instance_count) {
    _Alignas(64) float identity[GROUP_FLOATS];
    store_identity(identity);
    return mend_matrix(root, identity, instance_count);
}

// Model matrices, to scratch memory; returns their sum. `careful` looks at each whether it is finite and adds
// to *mended those that are not.
PM_INLINE wide find_models(const palette_group *g, bool careful, uint32_t *mended) {
    const pm_skeleton *skeleton = g->chunk->skeleton;
    const uint32_t *parents = skeleton->parents, joint_count = skeleton->joint_count;
    const uint32_t block_limit = g->chunk->block_limit;
    float *const models = g->chunk->scratch;
    const float *placement[GROUP];
    for (uint32_t i = 0; i < GROUP; i++) placement[i] = g->instance[i]->placement;
    _Alignas(64) float root[GROUP_FLOATS];
    for (uint32_t r = 0; r < 3; r++) wide_store(root + r * PM_LANES, wide_load_each(placement, 4 * r));
    if (careful) *mended += mend_placements(root, g->count);
    wide sum = wide_set(0.0f);
    for (uint32_t first = 0; first < joint_count; first += 4) {
        const uint32_t b = first / LANES;
        const pm_pose_block *block[GROUP];
        for (uint32_t i = 0; i < GROUP; i++)
            block[i] = (b < block_limit ? g->instance[i]->pose : skeleton->rest) + b;
        wide local[4][3];
        find_locals(block, first % LANES, local);
        for (uint32_t j = 0; j < 4 && first + j < joint_count; j++) {
            const uint32_t parent = parents[first + j];
            const float *above = parent == PM_NONE ? root : models + (size_t)parent * GROUP_FLOATS;
            float *model = models + (size_t)(first + j) * GROUP_FLOATS;
            wide a[3], product[3];
            load_matrix(above, a);
            multiply(a, local[j], product);
            store_matrix(model, product);
            sum = wide_add(sum, sum_of(product, 3));
            if (careful) *mended += mend_matrix(model, above, g->count);
        }
    }
    return sum;
}

// The rows of four matrices, to `place` matrices behind each instance's output: all of one instance, then all
// of the next.
PM_INLINE void put_matrices(float *const output[GROUP], uint32_t instance_count, size_t place,
                            const wide rows[12], bool stream) {
    enum { LINES = 12 / GROUP };
    wide lines[LINES][GROUP];
    for (uint32_t l = 0; l < LINES; l++) wide_exchange_quarters(rows + l * GROUP, lines[l]);
    for (uint32_t i = 0; i < GROUP; i++)
        for (uint32_t l = 0; i < instance_count && l < LINES; l++)
            put(output[i] + place * PM_MATRIX_FLOATS + l * PM_LANES, lines[l][i], stream);
}

// Model matrices from scratch memory to where the instances have them.
PM_INLINE void put_models(const palette_group *g, bool stream) {
    const uint32_t joint_count = g->chunk->skeleton->joint_count;
    float *output[GROUP];
    for (uint32_t i = 0; i < GROUP; i++) output[i] = g->instance[i]->models;
    for (uint32_t first = 0; first < joint_count; first += 4) {
        wide rows[12];
        for (uint32_t j = 0; j < 4; j++) {
            if (first + j < joint_count) {
                load_matrix(g->chunk->scratch + (size_t)(first + j) * GROUP_FLOATS, rows + 3 * j);
            } else {
                load_everywhere(identity_matrix, rows + 3 * j);
            }
        }
        put_matrices(output, g->count, first, rows, stream);
    }
}

PM_COLD uint32_t mend_entry(wide matrix[3], uint32_t instance_count) {
    _Alignas(64) float numbers[GROUP_FLOATS], identity[GROUP_FLOATS];
    store_identity(identity);
    store_matrix(numbers, matrix);
    uint32_t mended = mend_matrix(numbers, identity, instance_count);
    load_matrix(numbers, matrix);
    return mended;
}

// Palettes from model matrices; returns their sum. `careful` is as above.
PM_INLINE wide put_palettes(const palette_group *g, bool stream, bool careful, uint32_t *mended) {
    const pm_palette_chunk *chunk = g->chunk;
    const uint32_t entry_count = chunk->entry_count, *joints = chunk->joints;
    const float *inverse_binds = chunk->inverse_binds, *const models = chunk->scratch;
    float *output[GROUP];
    for (uint32_t i = 0; i < GROUP; i++) output[i] = g->instance[i]->palette;
    wide sum = wide_set(0.0f);
    for (uint32_t first = 0; first < entry_count; first += 4) {
        wide rows[12];
        for (uint32_t j = 0; j < 4; j++) {
            wide model[3], inverse_bind[3], *product = rows + 3 * j;
            if (first + j < entry_count) {
                load_matrix(models + (size_t)joints[first + j] * GROUP_FLOATS, model);
                load_everywhere(inverse_binds + (size_t)(first + j) * PM_MATRIX_FLOATS, inverse_bind);
                multiply(model, inverse_bind, product);
                sum = wide_add(sum, sum_of(product, 3));
                if (careful) *mended += mend_entry(product, g->count);
            } else {
                load_everywhere(identity_matrix, product);
            }
        }
        put_matrices(output, g->count, first, rows, stream);
    }
    return sum;
}

// What was not finite is done again, matrix by matrix.
PM_COLD uint32_t run_careful_few(const palette_group *g) {
    uint32_t mended = 0;
    find_models(g, true, &mended);
    if (g->instance[0]->models) put_models(g, false);
    if (g->instance[0]->palette) put_palettes(g, false, true, &mended);
    return mended;
}

// Returns how many matrices were mended.
PM_INLINE uint32_t run_few(const palette_group *g, bool stream) {
    uint32_t none = 0;
    wide sum = find_models(g, false, &none);
    if (g->instance[0]->models) put_models(g, stream);
    if (g->instance[0]->palette) sum = wide_add(sum, put_palettes(g, stream, false, &none));
    return is_finite(sum) ? 0 : run_careful_few(g);
}

#endif
