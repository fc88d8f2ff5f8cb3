// Real files (not part of the project, see support/files.h), all the way from import to poses: every row of
// expected.tsv, which an independent implementation made in double precision, in every layout and on every
// kernel.
#include <posemill/import.h>

#include "support/files.h"
#include "support/reference.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// How far expected.tsv can be trusted, as the README beside it says: relative to a channel's largest key, in
// radians, and relative to a matrix's largest entry.
#define VALUE_BOUND    1e-6
#define ROTATION_BOUND 1e-6
#define MATRIX_BOUND   1e-5

// And what the float sums of model matrices add to that; the other comparison of matrices is in double.
#define MODEL_BOUND 1e-5

// It interpolates LINEAR rotations as they are in the file; ours are normalised first. Keys of a length of 1
// +- d then differ by at most this times d in between: 2e-5 for 16-bit keys, 1e-4 for keys of three decimals,
// 1e-3 for 8 bits.
#define LENGTH_SHARE 0.5

enum { LINE_SIZE = 4096, MOST_ROWS = 1024, MOST_NUMBERS = 64, LAYOUTS = 3 };

// Columns of expected.tsv.
enum { FILE_FIELD, CLIP_FIELD, NAME_FIELD, TIME_FIELD, NODE_FIELD, FIRST_VALUE_FIELD, FIELDS = 10 };

// A row a time and animated node.
typedef struct row {
    char text[LINE_SIZE];
    char *fields[FIELDS];
} row;

// The largest errors, each as a share of its bound.
typedef struct worst {
    double translation, rotation, scale, weight, matrix, model;
} worst;

// Neighbouring rows share file, clip and time; they are read together.
typedef struct table {
    FILE *file;
    row rows[MOST_ROWS + 1]; // the last one read belongs to the next group
    uint32_t group_count;
    bool has_next;
    char path[LINE_SIZE];
    pm_scene *scene;
    uint32_t clip_index;
    pm_clip *clips[LAYOUTS];
    // Clip times are floats, rows are at doubles: two samples of each layout, at the nearest float and at its
    // neighbour on the other side of the row's time, and how far from the first to the second that is.
    pm_pose_block *poses[LAYOUTS][2];
    float *scalars[LAYOUTS][2];
    double fraction;
    float *models[LAYOUTS];  // [joint][PM_MATRIX_FLOATS], of the first of the two
    double *lengths;         // [joint] of the expected rotations, 1 where none is expected
    double *rotation_bounds; // [joint] in this clip, beyond ROTATION_BOUND
    uint32_t row_count, file_count, model_row_count; // rows: of all layouts
    worst errors;
} table;

static bool read_row(table *t, row *r) {
    if (!fgets(r->text, LINE_SIZE, t->file)) return false;
    r->text[strcspn(r->text, "\r\n")] = '\0';
    char *at = r->text;
    for (int i = 0; i < FIELDS; i++) {
        cr_assert_not_null(at, "row %u has but %d columns", (unsigned)t->row_count, i);
        r->fields[i] = at;
        at = strchr(at, '\t');
        if (at) *at++ = '\0';
    }
    return true;
}

static bool is_one_group(const row *a, const row *b) {
    return !strcmp(a->fields[FILE_FIELD], b->fields[FILE_FIELD]) &&
           !strcmp(a->fields[CLIP_FIELD], b->fields[CLIP_FIELD]) &&
           !strcmp(a->fields[TIME_FIELD], b->fields[TIME_FIELD]);
}

static void copy_row(row *to, const row *from) {
    *to = *from;
    for (int i = 0; i < FIELDS; i++) to->fields[i] = to->text + (from->fields[i] - from->text);
}

static bool next_group(table *t) {
    if (!t->has_next) return false;
    copy_row(&t->rows[0], &t->rows[t->group_count]);
    t->group_count = 1;
    while ((t->has_next = read_row(t, &t->rows[t->group_count])) &&
           is_one_group(t->rows, &t->rows[t->group_count])) {
        t->group_count++;
        cr_assert_leq(t->group_count, MOST_ROWS);
    }
    t->row_count += t->group_count;
    return true;
}

static uint32_t read_numbers(const char *text, double numbers[MOST_NUMBERS]) {
    uint32_t count = 0;
    for (char *end; *text && count < MOST_NUMBERS; text = end) {
        numbers[count] = strtod(text, &end);
        if (end == text) break;
        count++;
    }
    return count;
}

static void close_clips(table *t) {
    for (int i = 0; i < LAYOUTS; i++) {
        pm_clip_destroy(t->clips[i], NULL);
        t->clips[i] = NULL;
        for (int side = 0; side < 2; side++) {
            free(t->poses[i][side]);
            free(t->scalars[i][side]);
            t->poses[i][side] = NULL;
            t->scalars[i][side] = NULL;
        }
        free(t->models[i]);
        t->models[i] = NULL;
    }
    t->clip_index = PM_NONE;
}

static void open_file(table *t) {
    char file_path[FILES_PATH_SIZE], relative[FILES_PATH_SIZE];
    close_clips(t);
    pm_scene_destroy(t->scene);
    snprintf(t->path, sizeof t->path, "%s", t->rows[0].fields[FILE_FIELD]);
    snprintf(relative, sizeof relative, "models/%s", t->rows[0].fields[FILE_FIELD]);
    cr_assert(data_path(relative, file_path), "%s is missing", relative);
    pm_report report = {0};
    cr_assert_eq(pm_import_file(file_path, NULL, &t->scene, &report), PM_OK, "%s", report.message);
    free(t->lengths);
    free(t->rotation_bounds);
    t->lengths = calloc(t->scene->skeleton->joint_count + 1, sizeof *t->lengths);
    t->rotation_bounds = calloc(t->scene->skeleton->joint_count + 1, sizeof *t->rotation_bounds);
    t->file_count++;
}

static void *allocate(size_t bytes) {
    void *memory = aligned_alloc(64, bytes ? bytes : 64);
    cr_assert_not_null(memory);
    return memory;
}

static void find_rotation_bounds(table *t, const pm_clip_source *source) {
    for (uint32_t joint = 0; joint < t->scene->skeleton->joint_count; joint++) t->rotation_bounds[joint] = 0;
    for (uint32_t i = 0; i < source->channel_count; i++) {
        const pm_channel *channel = &source->channels[i];
        if (channel->path != PM_PATH_ROTATION || channel->interpolation != PM_INTERPOLATION_LINEAR) continue;
        double *bound = &t->rotation_bounds[channel->target];
        for (uint32_t k = 0; k < channel->key_count; k++) {
            double squares = 0;
            for (uint32_t c = k * 4; c < k * 4 + 4; c++) squares += pow((double)channel->values[c], 2);
            *bound = fmax(*bound, LENGTH_SHARE * fabs(sqrt(squares) - 1));
        }
    }
}

static void open_clip(table *t, uint32_t clip_index) {
    static const float limits[LAYOUTS] = {0, PM_MERGE_GROWTH_LIMIT, INFINITY};
    close_clips(t);
    cr_assert_lt(clip_index, t->scene->clip_count, "%s", t->path);
    for (int i = 0; i < LAYOUTS; i++) {
        pm_compile_options options = pm_default_compile_options();
        options.merge_growth_limit = limits[i];
        pm_report report = {0};
        pm_result result = pm_clip_compile(&t->scene->clips[clip_index], t->scene->skeleton, &options, NULL,
                                           &t->clips[i], &report);
        cr_assert_eq(result, PM_OK, "%s", report.message);
        pm_clip_info info = pm_clip_get_info(t->clips[i]);
        for (int side = 0; side < 2; side++) {
            t->poses[i][side] = allocate(info.block_count * sizeof(pm_pose_block));
            t->scalars[i][side] = allocate(info.scalar_block_count * (size_t)64);
        }
        t->models[i] = allocate(pm_matrices_size(info.joint_count));
    }
    find_rotation_bounds(t, &t->scene->clips[clip_index]);
    t->clip_index = clip_index;
}

static void run_job(const pm_clip *clip, const pm_kernels *kernels, float time, pm_pose_block *pose,
                    float *scalars) {
    uint32_t clip_index = 0;
    pm_sample_job job = pm_default_sample_job();
    job.kernels = kernels;
    job.clips = &clip, job.clip_count = 1, job.instance_count = 1;
    job.clip_index = &clip_index, job.time_seconds = &time;
    job.poses = pose, job.scalars = scalars;
    const char *fault = pm_sample_validate(&job);
    cr_assert_null(fault, "%s", fault);
    cr_assert_eq(pm_sample_run(&job, 0, 1), 0);
}

// One side of one layout, on every kernel.
static void sample(table *t, int layout, int side, float time) {
    pm_clip_info info = pm_clip_get_info(t->clips[layout]);
    size_t pose_bytes = info.block_count * sizeof(pm_pose_block);
    size_t scalar_bytes = info.scalar_block_count * (size_t)64;
    pm_pose_block *expected_pose = t->poses[layout][side], *pose = allocate(pose_bytes);
    float *expected_scalars = t->scalars[layout][side], *scalars = allocate(scalar_bytes);
    run_job(t->clips[layout], pm_kernels_at(0), time, expected_pose, expected_scalars);
    for (uint32_t k = 1; pm_kernels_at(k); k++) {
        const char *name = pm_kernels_name(pm_kernels_at(k));
        run_job(t->clips[layout], pm_kernels_at(k), time, pose, scalars);
        cr_assert_eq(memcmp(pose, expected_pose, pose_bytes), 0, "%s: %s", t->path, name);
        cr_assert_eq(memcmp(scalars, expected_scalars, scalar_bytes), 0, "%s: %s", t->path, name);
    }
    free(pose);
    free(scalars);
}

static void find_models(table *t, int layout) {
    pm_palette_job job = pm_default_palette_job();
    job.kernels = pm_kernels_best();
    job.skeleton = t->scene->skeleton;
    job.instance_count = 1;
    job.poses = t->poses[layout][0];
    job.models = t->models[layout];
    const char *fault = pm_palette_validate(&job);
    cr_assert_null(fault, "%s", fault);
    void *scratch = allocate(pm_palette_scratch_size(&job));
    cr_assert_eq(pm_palette_run(&job, 0, 1, scratch), 0);
    free(scratch);
}

static void sample_both_sides(table *t, double time) {
    float nearest = (float)time;
    float other = nextafterf(nearest, time > (double)nearest ? INFINITY : -INFINITY);
    t->fraction = (time - (double)nearest) / ((double)other - (double)nearest);
    for (int layout = 0; layout < LAYOUTS; layout++) {
        sample(t, layout, 0, nearest);
        sample(t, layout, 1, other);
        find_models(t, layout);
    }
}

static double largest_key(const table *t, pm_path path, uint32_t target, const double *expected,
                          uint32_t count) {
    double largest = 0;
    for (uint32_t c = 0; c < count; c++) largest = fmax(largest, fabs(expected[c]));
    const pm_clip_source *source = &t->scene->clips[t->clip_index];
    for (uint32_t i = 0; i < source->channel_count; i++) {
        const pm_channel *channel = &source->channels[i];
        if (channel->path != path || channel->target != target) continue;
        for (uint32_t k = 0; k < channel->key_count * channel->component_count; k++) {
            largest = fmax(largest, fabs((double)channel->values[k]));
        }
    }
    return largest;
}

static void widen(const row *r, double *share, double error, double bound, const char *what) {
    if (!(error <= bound)) {
        cr_assert_fail("%s, clip %s, time %s, node %s: %s is off by %g, bound %g", r->fields[FILE_FIELD],
                       r->fields[CLIP_FIELD], r->fields[TIME_FIELD], r->fields[NODE_FIELD], what, error,
                       bound);
    }
    if (bound > 0) *share = fmax(*share, error / bound);
}

// `actual` and `other` are what the two sides give.
static void compare_values(const table *t, const row *r, pm_path path, uint32_t target,
                           const double *expected, const float *actual, const float *other, uint32_t count,
                           double *share) {
    double bound = VALUE_BOUND * largest_key(t, path, target, expected, count);
    for (uint32_t c = 0; c < count; c++) {
        double rounded_time = t->fraction * fabs((double)other[c] - (double)actual[c]);
        widen(r, share, fabs(expected[c] - (double)actual[c]), bound + rounded_time, pm_path_name(path));
    }
}

// Column-major 3x4, in double, from the local transform of a joint, whose rotation is given the length that
// was expected: matrices of rotations that are off unit length are off, too.
static void local_matrix(const pm_pose_block *pose, uint32_t joint, double length, double m[12]) {
    pm_transform transform = pm_pose_get_joint(pose, joint);
    double q[4], squares = 0;
    for (int c = 0; c < 4; c++) squares += (double)transform.rotation[c] * (double)transform.rotation[c];
    for (int c = 0; c < 4; c++) q[c] = (double)transform.rotation[c] * length / sqrt(squares);
    double x = q[0], y = q[1], z = q[2], w = q[3];
    double rotation[9] = {1 - 2 * (y * y + z * z), 2 * (x * y + z * w),     2 * (x * z - y * w),
                          2 * (x * y - z * w),     1 - 2 * (x * x + z * z), 2 * (y * z + x * w),
                          2 * (x * z + y * w),     2 * (y * z - x * w),     1 - 2 * (x * x + y * y)};
    for (int c = 0; c < 9; c++) m[c] = rotation[c] * (double)transform.scale[c / 3];
    for (int c = 0; c < 3; c++) m[9 + c] = (double)transform.translation[c];
}

static void multiply(const double a[12], const double b[12], double result[12]) {
    for (int i = 0; i < 12; i++) {
        int column = i / 3, line = i % 3;
        double sum = column == 3 ? a[9 + line] : 0;
        for (int k = 0; k < 3; k++) sum += a[k * 3 + line] * b[column * 3 + k];
        result[i] = sum;
    }
}

static void world_matrix(const table *t, const pm_pose_block *pose, uint32_t joint, double world[12]) {
    const uint32_t *parents = t->scene->skeleton->parents;
    local_matrix(pose, joint, t->lengths[joint], world);
    for (uint32_t parent = parents[joint]; parent != PM_NONE; parent = parents[parent]) {
        double local[12], product[12];
        local_matrix(pose, parent, t->lengths[parent], local);
        multiply(local, world, product);
        memcpy(world, product, sizeof product);
    }
}

static void compare_matrix(table *t, const row *r, uint32_t joint, int layout, const double *expected) {
    const float *model = t->models[layout] + (size_t)joint * PM_MATRIX_FLOATS;
    double world[12], other[12], largest = 0;
    double off_unit = 0;
    world_matrix(t, t->poses[layout][0], joint, world);
    world_matrix(t, t->poses[layout][1], joint, other);
    for (int i = 0; i < 16; i++) largest = fmax(largest, fabs(expected[i]));
    double share = MATRIX_BOUND;
    for (uint32_t j = joint; j != PM_NONE; j = t->scene->skeleton->parents[j]) {
        share += t->rotation_bounds[j];
        off_unit += fabs(t->lengths[j] - 1);
    }
    for (int i = 0; i < 12; i++) {
        double error = fabs(expected[i / 3 * 4 + i % 3] - world[i]);
        double rounded_time = t->fraction * fabs(other[i] - world[i]);
        widen(r, &t->errors.matrix, error, share * largest + rounded_time, "world matrix");
        if (off_unit > MATRIX_BOUND / 4) continue; // model matrices are of unit rotations
        t->model_row_count += i == 0;
        error = fabs(expected[i / 3 * 4 + i % 3] - (double)model[i % 3 * 4 + i / 3]);
        widen(r, &t->errors.model, error, (share + MODEL_BOUND) * largest + rounded_time, "model matrix");
    }
}

static void compare_weights(table *t, const row *r, uint32_t joint, int layout, const double *expected,
                            uint32_t count) {
    if (!count) return; // they are listed where a clip drives them
    for (uint32_t i = 0; i < t->scene->weight_range_count; i++) {
        const pm_weight_range *range = &t->scene->weight_ranges[i];
        if (range->joint != joint) continue;
        cr_assert_eq(range->count, count, "%s", t->path);
        for (uint32_t w = 0; w < count; w++) {
            uint32_t scalar = range->first_scalar + w;
            compare_values(t, r, PM_PATH_SCALAR, scalar, expected + w, t->scalars[layout][0] + scalar,
                           t->scalars[layout][1] + scalar, 1, &t->errors.weight);
        }
        return;
    }
    cr_assert_fail("%s: weights are expected of node %s", t->path, r->fields[NODE_FIELD]);
}

static uint32_t joint_of(const table *t, const row *r) {
    uint32_t node = (uint32_t)strtoul(r->fields[NODE_FIELD], NULL, 10);
    cr_assert_lt(node, t->scene->skeleton->node_count);
    uint32_t joint = t->scene->skeleton->node_to_joint[node];
    cr_assert_neq(joint, PM_NONE, "%s: node %u is no joint", t->path, (unsigned)node);
    return joint;
}

static void find_lengths(table *t) {
    for (uint32_t joint = 0; joint < t->scene->skeleton->joint_count; joint++) t->lengths[joint] = 1;
    for (uint32_t i = 0; i < t->group_count; i++) {
        double q[MOST_NUMBERS];
        cr_assert_eq(read_numbers(t->rows[i].fields[FIRST_VALUE_FIELD + 1], q), 4);
        t->lengths[joint_of(t, &t->rows[i])] = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    }
}

static void compare_row(table *t, const row *r, int layout) {
    enum { TRANSLATION, ROTATION, SCALE, WEIGHTS, MATRIX, VALUES };
    double expected[VALUES][MOST_NUMBERS];
    uint32_t counts[VALUES];
    for (int i = 0; i < VALUES; i++) counts[i] = read_numbers(r->fields[FIRST_VALUE_FIELD + i], expected[i]);
    cr_assert(counts[TRANSLATION] == 3 && counts[ROTATION] == 4 && counts[SCALE] == 3 &&
              counts[MATRIX] == 16);
    uint32_t joint = joint_of(t, r);
    pm_transform actual = pm_pose_get_joint(t->poses[layout][0], joint);
    pm_transform other = pm_pose_get_joint(t->poses[layout][1], joint);
    compare_values(t, r, PM_PATH_TRANSLATION, joint, expected[TRANSLATION], actual.translation,
                   other.translation, 3, &t->errors.translation);
    compare_values(t, r, PM_PATH_SCALE, joint, expected[SCALE], actual.scale, other.scale, 3,
                   &t->errors.scale);
    double quaternion[4];
    for (int c = 0; c < 4; c++) quaternion[c] = (double)actual.rotation[c];
    double rounded_time = t->fraction * reference_rotation_error(quaternion, other.rotation);
    double angle = reference_rotation_error(expected[ROTATION], actual.rotation);
    widen(r, &t->errors.rotation, angle, ROTATION_BOUND + t->rotation_bounds[joint] + rounded_time,
          "rotation");
    compare_weights(t, r, joint, layout, expected[WEIGHTS], counts[WEIGHTS]);
    compare_matrix(t, r, joint, layout, expected[MATRIX]);
}

Test(expected, every_row_of_every_real_file_is_met) {
    static table t;
    char path[FILES_PATH_SIZE];
    if (!data_path("expected.tsv", path)) cr_skip_test("no expected.tsv; set POSEMILL_DATA");
    t.file = fopen(path, "r");
    cr_assert_not_null(t.file);
    // The first line names the columns.
    cr_assert(read_row(&t, &t.rows[0]) && read_row(&t, &t.rows[0]));
    t.has_next = true;
    t.clip_index = PM_NONE;
    while (next_group(&t)) {
        const row *first = &t.rows[0];
        if (strcmp(t.path, first->fields[FILE_FIELD]) != 0) open_file(&t);
        uint32_t clip_index = (uint32_t)strtoul(first->fields[CLIP_FIELD], NULL, 10);
        if (clip_index != t.clip_index) open_clip(&t, clip_index);
        sample_both_sides(&t, strtod(first->fields[TIME_FIELD], NULL));
        find_lengths(&t);
        for (uint32_t i = 0; i < t.group_count * LAYOUTS; i++)
            compare_row(&t, &t.rows[i / LAYOUTS], (int)(i % LAYOUTS));
    }
    fclose(t.file);
    close_clips(&t);
    pm_scene_destroy(t.scene);
    free(t.lengths);
    free(t.rotation_bounds);
    cr_assert_gt(t.row_count, 0);
    cr_assert_gt(10 * t.model_row_count, 9 * LAYOUTS * t.row_count);
    printf("%u rows of %u files met; largest errors as shares of their bounds: translation %.2f, rotation "
           "%.2f, scale %.2f, weights %.2f, world matrix %.2f, model matrix %.2f\n",
           (unsigned)t.row_count, (unsigned)t.file_count, t.errors.translation, t.errors.rotation,
           t.errors.scale, t.errors.weight, t.errors.matrix, t.errors.model);
}
