// Posemill internals: the palette kernel, compiled once for each instruction set.
//
// An instance is a lane: as many instances as a vector has lanes go through the hierarchy side by side, each
// number of a matrix a vector. Poses are transposed on the way in, matrices on the way out. What is left over
// at the end of a range, and what turns out not to be finite, goes the way of a few (palette_few.h), to the
// same bits.
#ifndef PM_SIMD_PALETTE_KERNEL_H
#define PM_SIMD_PALETTE_KERNEL_H

#include "palette_few.h"

enum { MANY_FLOATS = PM_LANES * PM_MATRIX_FLOATS }; // of one matrix of each instance

// PM_LANES instances of a chunk.
typedef struct palette_many {
    const pm_palette_chunk *chunk;
    const pm_palette_instance *instances;
} palette_many;

// Four floats of each instance, `offset` floats behind its place, to [float][instance].
PM_INLINE void load_lanes(const float *const at[PM_LANES], size_t offset, wide lanes[4]) {
    wide r[4];
    for (uint32_t i = 0; i < 4; i++) {
        const float *each[GROUP];
        for (uint32_t q = 0; q < GROUP; q++) each[q] = at[i + 4 * q];
        r[i] = wide_load_each(each, offset);
    }
    wide_transpose_quarters(r, lanes);
}

PM_INLINE void load_lane_matrix(const float *from, wide matrix[PM_MATRIX_FLOATS]) {
    for (uint32_t n = 0; n < PM_MATRIX_FLOATS; n++) matrix[n] = wide_load(from + n * PM_LANES);
}

// a * b.
PM_INLINE void multiply_lanes(const wide a[PM_MATRIX_FLOATS], const wide b[PM_MATRIX_FLOATS],
                              wide product[PM_MATRIX_FLOATS]) {
    for (uint32_t c = 0; c < 4; c++)
        for (uint32_t r = 0; r < PM_MATRIX_FLOATS; r += 4) {
            wide x = wide_mul(a[r], b[c]), y = wide_mul(a[r + 1], b[4 + c]), z = wide_mul(a[r + 2], b[8 + c]);
            if (c == 3) z = wide_add(z, a[r + 3]);
            product[r + c] = wide_add(wide_add(x, y), z);
        }
}

// The local matrix of a pose's rows.
PM_INLINE void find_local(const wide in[POSE_ROWS], wide local[PM_MATRIX_FLOATS]) {
    wide rotation[3][3];
    find_rotation(in + 3, rotation);
    for (uint32_t r = 0; r < 3; r++) {
        for (uint32_t c = 0; c < 3; c++) local[4 * r + c] = wide_mul(rotation[r][c], in[7 + c]);
        local[4 * r + 3] = in[r];
    }
}

// Model matrices of four joints, to scratch memory. Returns their sum.
PM_INLINE wide find_models_of_four(const palette_many *m, uint32_t first, const float *root) {
    const pm_skeleton *skeleton = m->chunk->skeleton;
    const uint32_t b = first / LANES;
    float *const models = m->chunk->scratch;
    const float *at[PM_LANES];
    for (uint32_t i = 0; i < PM_LANES; i++) {
        const pm_pose_block *pose = b < m->chunk->block_limit ? m->instances[i].pose : skeleton->rest;
        at[i] = pose[b].translation[0] + first % LANES;
    }
    wide in[4][POSE_ROWS];
    for (uint32_t r = 0; r < POSE_ROWS; r++) {
        wide lanes[4];
        load_lanes(at, r * LANES, lanes);
        for (uint32_t j = 0; j < 4; j++) in[j][r] = lanes[j];
    }
    wide sum = wide_set(0.0f);
    for (uint32_t j = 0; j < 4 && first + j < skeleton->joint_count; j++) {
        const uint32_t parent = skeleton->parents[first + j];
        const float *above = parent == PM_NONE ? root : models + (size_t)parent * MANY_FLOATS;
        float *model = models + (size_t)(first + j) * MANY_FLOATS;
        wide local[PM_MATRIX_FLOATS], a[PM_MATRIX_FLOATS], product[PM_MATRIX_FLOATS];
        find_local(in[j], local);
        load_lane_matrix(above, a);
        multiply_lanes(a, local, product);
        for (uint32_t n = 0; n < PM_MATRIX_FLOATS; n++) wide_store(model + n * PM_LANES, product[n]);
        sum = wide_add(sum, sum_of(product, PM_MATRIX_FLOATS));
    }
    return sum;
}

// Rows of four matrices of all instances: of instance i + 4 * q, quarter q of rows[i].
typedef struct four_matrices {
    wide rows[4][12];
} four_matrices;

PM_INLINE void set_matrix(four_matrices *four, uint32_t j, const wide matrix[PM_MATRIX_FLOATS]) {
    for (uint32_t r = 0; r < 3; r++) {
        wide rows[4];
        wide_transpose_quarters(matrix + 4 * r, rows);
        for (uint32_t i = 0; i < 4; i++) four->rows[i][3 * j + r] = rows[i];
    }
}

PM_INLINE void set_identity(four_matrices *four, uint32_t j) {
    for (uint32_t r = 0; r < 3; r++)
        for (uint32_t i = 0; i < 4; i++)
            four->rows[i][3 * j + r] = wide_load_everywhere(identity_matrix + 4 * r);
}

PM_INLINE void put_four(const palette_many *m, bool palettes, uint32_t first, const four_matrices *four,
                        bool stream) {
    for (uint32_t i = 0; i < 4; i++) {
        float *output[GROUP];
        for (uint32_t q = 0; q < GROUP; q++) {
            const pm_palette_instance *instance = m->instances + i + 4 * q;
            output[q] = palettes ? instance->palette : instance->models;
        }
        put_matrices(output, GROUP, first, four->rows[i], stream);
    }
}

// Model matrices of four joints, as far as there are any.
PM_INLINE void put_models_from(const palette_many *m, uint32_t first, bool stream) {
    four_matrices four;
    for (uint32_t j = 0; j < 4; j++) {
        if (first + j < m->chunk->skeleton->joint_count) {
            wide model[PM_MATRIX_FLOATS];
            load_lane_matrix(m->chunk->scratch + (size_t)(first + j) * MANY_FLOATS, model);
            set_matrix(&four, j, model);
        } else {
            set_identity(&four, j);
        }
    }
    put_four(m, false, first, &four, stream);
}

// Four matrices of palettes, as far as there are any. Returns their sum.
PM_INLINE wide put_entries_from(const palette_many *m, uint32_t first, bool stream) {
    const pm_palette_chunk *chunk = m->chunk;
    four_matrices four;
    wide sum = wide_set(0.0f);
    for (uint32_t j = 0; j < 4; j++) {
        if (first + j < chunk->entry_count) {
            const float *inverse_bind = chunk->inverse_binds + (size_t)(first + j) * PM_MATRIX_FLOATS;
            wide model[PM_MATRIX_FLOATS], b[PM_MATRIX_FLOATS], product[PM_MATRIX_FLOATS];
            load_lane_matrix(chunk->scratch + (size_t)chunk->joints[first + j] * MANY_FLOATS, model);
            for (uint32_t n = 0; n < PM_MATRIX_FLOATS; n++) b[n] = wide_set(inverse_bind[n]);
            multiply_lanes(model, b, product);
            sum = wide_add(sum, sum_of(product, PM_MATRIX_FLOATS));
            set_matrix(&four, j, product);
        } else {
            set_identity(&four, j);
        }
    }
    put_four(m, true, first, &four, stream);
    return sum;
}

// Whether the four entries from this one on exist, or fewer at the end, and can be made of the first joints'
// matrices.
PM_INLINE bool are_ready(const pm_palette_chunk *chunk, uint32_t entry, uint32_t joint_limit) {
    bool ready = entry < chunk->entry_count;
    for (uint32_t e = entry; e < entry + 4 && e < chunk->entry_count; e++)
        ready = ready && chunk->joints[e] < joint_limit;
    return ready;
}

// Returns whether all matrices are finite.
PM_INLINE bool run_many(const palette_many *m, bool stream) {
    const uint32_t joint_count = m->chunk->skeleton->joint_count;
    const float *placement[PM_LANES];
    for (uint32_t i = 0; i < PM_LANES; i++) placement[i] = m->instances[i].placement;
    _Alignas(64) float root[MANY_FLOATS];
    for (uint32_t n = 0; n < PM_MATRIX_FLOATS; n += 4) {
        wide lanes[4];
        load_lanes(placement, n, lanes);
        for (uint32_t c = 0; c < 4; c++) wide_store(root + (n + c) * PM_LANES, lanes[c]);
    }
    wide sum = wide_set(0.0f);
    // Matrices are written as soon as they can be, so that memory has something to do all the time.
    uint32_t entry = m->instances->palette ? 0 : m->chunk->entry_count;
    for (uint32_t first = 0; first < joint_count; first += 4) {
        sum = wide_add(sum, find_models_of_four(m, first, root));
        if (m->instances->models) put_models_from(m, first, stream);
        for (; are_ready(m->chunk, entry, first + 4); entry += 4)
            sum = wide_add(sum, put_entries_from(m, entry, stream));
    }
    return is_finite(sum);
}

PM_INLINE palette_group group_of(const pm_palette_chunk *chunk, uint32_t first) {
    palette_group g = {.chunk = chunk, .count = chunk->instance_count - first};
    if (g.count > GROUP) g.count = GROUP;
    for (uint32_t i = 0; i < GROUP; i++)
        g.instance[i] = chunk->instances + first + (i < g.count ? i : g.count - 1);
    return g;
}

// What was not finite is done again, matrix by matrix.
PM_COLD uint32_t run_careful_many(const pm_palette_chunk *chunk, uint32_t first) {
    uint32_t mended = 0;
    for (uint32_t i = first; i < first + PM_LANES; i += GROUP) {
        palette_group g = group_of(chunk, i);
        mended += run_careful_few(&g);
    }
    return mended;
}

PM_INLINE uint64_t run_palette_groups(const pm_palette_chunk *chunk, bool stream) {
    uint64_t mended = 0;
    uint32_t first = 0;
    for (; first + PM_LANES <= chunk->instance_count; first += PM_LANES) {
        palette_many m = {chunk, chunk->instances + first};
        if (!run_many(&m, stream)) mended += run_careful_many(chunk, first);
    }
    for (; first < chunk->instance_count; first += GROUP) {
        palette_group g = group_of(chunk, first);
        mended += run_few(&g, stream);
    }
    return mended;
}

static PM_NOINLINE uint64_t stored_palettes(const pm_palette_chunk *chunk) {
    return run_palette_groups(chunk, false);
}

static PM_NOINLINE uint64_t streamed_palettes(const pm_palette_chunk *chunk) {
    uint64_t mended = run_palette_groups(chunk, true);
    wide_stream_fence();
    return mended;
}

static uint64_t run_palettes(const pm_palette_chunk *chunk, bool stream) {
    wide_environment was = wide_environment_enter();
    uint64_t mended = stream ? streamed_palettes(chunk) : stored_palettes(chunk);
    wide_environment_restore(was);
    return mended;
}

#endif
