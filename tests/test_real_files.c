// Files of 13 exporters (not part of the project, see support/files.h): each imports, or is refused with a
// reason, and has in it what INDEX.tsv says.
#include <posemill/import.h>
#include <posemill/posemill.h>

#include "support/files.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

enum { LINE_SIZE = 4096, FIELD_COUNT = 48 };

// INDEX.tsv, read line by line.
typedef struct index_file {
    FILE *file;
    char header[LINE_SIZE], line[LINE_SIZE];
    char *names[FIELD_COUNT], *fields[FIELD_COUNT];
    int field_count;
} index_file;

static int split(char *line, char *fields[FIELD_COUNT]) {
    int count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *tab = line; tab && count < FIELD_COUNT; count++) {
        fields[count] = tab;
        tab = strchr(tab, '\t');
        if (tab) *tab++ = '\0';
    }
    return count;
}

static void index_open(index_file *index) {
    char path[FILES_PATH_SIZE];
    if (!data_path("INDEX.tsv", path)) cr_skip_test("no data folder; set POSEMILL_DATA");
    index->file = fopen(path, "r");
    cr_assert(index->file && fgets(index->header, LINE_SIZE, index->file));
    index->field_count = split(index->header, index->names);
}

static bool index_next(index_file *index) {
    if (!fgets(index->line, LINE_SIZE, index->file)) {
        fclose(index->file);
        return false;
    }
    cr_assert_eq(split(index->line, index->fields), index->field_count);
    return true;
}

static const char *index_field(const index_file *index, const char *name) {
    for (int f = 0; f < index->field_count; f++)
        if (!strcmp(index->names[f], name)) return index->fields[f];
    cr_assert_fail("INDEX.tsv has no column %s", name);
    return NULL;
}

// The number behind `name` in a list such as "rotation:147,weights:42".
static uint32_t number_of(const char *list, const char *name) {
    const char *found = strstr(list, name);
    return found ? (uint32_t)strtoul(found + strlen(name) + 1, NULL, 10) : 0;
}

// What was said while one file was imported.
typedef struct listener {
    uint32_t dropped_channels;
    bool has_empty_message;
} listener;

static void listen(void *user, const pm_diagnostic *diagnostic) {
    listener *heard = user;
    if (!diagnostic->message[0]) heard->has_empty_message = true;
    if (diagnostic->severity == PM_SEVERITY_DROPPED && diagnostic->channel) heard->dropped_channels++;
}

// Channels of a scene as the file counts them: the weights of a node are one.
typedef struct channel_counts {
    uint32_t by_path[PM_PATH_COUNT], by_mode[PM_INTERPOLATION_COUNT];
    uint32_t channels, keys;
} channel_counts;

static bool is_first_weight(const pm_scene *scene, uint32_t scalar) {
    for (uint32_t w = 0; w < scene->weight_range_count; w++)
        if (scene->weight_ranges[w].first_scalar == scalar) return true;
    return false;
}

static channel_counts count_channels(const pm_scene *scene) {
    channel_counts counts = {0};
    for (uint32_t c = 0; c < scene->clip_count; c++)
        for (uint32_t i = 0; i < scene->clips[c].channel_count; i++) {
            const pm_channel *channel = &scene->clips[c].channels[i];
            if (channel->path == PM_PATH_SCALAR && !is_first_weight(scene, channel->target)) continue;
            counts.by_path[channel->path]++;
            counts.by_mode[channel->interpolation]++;
            counts.channels++;
            counts.keys += channel->key_count;
        }
    return counts;
}

static void compare(const index_file *index, const pm_scene *scene, uint32_t dropped) {
    const char *path = index_field(index, "path"), *paths = index_field(index, "paths");
    // A few files that are invalid on purpose have no numbers.
    if (!strcmp(index_field(index, "animations"), "-")) return;
    cr_assert_eq(scene->clip_count, (uint32_t)atoi(index_field(index, "animations")), "%s", path);
    cr_assert_eq(scene->skeleton->node_count, (uint32_t)atoi(index_field(index, "nodes")), "%s", path);
    if (strstr(paths, "pointer:")) return;
    channel_counts counts = count_channels(scene);
    cr_assert_eq(counts.channels + dropped, (uint32_t)atoi(index_field(index, "channels")), "%s", path);
    if (dropped) return;
    cr_assert_eq(counts.by_path[PM_PATH_TRANSLATION], number_of(paths, "translation"), "%s", path);
    cr_assert_eq(counts.by_path[PM_PATH_ROTATION], number_of(paths, "rotation"), "%s", path);
    cr_assert_eq(counts.by_path[PM_PATH_SCALE], number_of(paths, "scale"), "%s", path);
    cr_assert_eq(counts.by_path[PM_PATH_SCALAR], number_of(paths, "weights"), "%s", path);
    cr_assert_eq(counts.keys, (uint32_t)atoi(index_field(index, "total_keys")), "%s", path);
    cr_assert_eq(counts.by_mode[PM_INTERPOLATION_CUBIC], (uint32_t)atoi(index_field(index, "CUBICSPLINE")),
                 "%s", path);
    cr_assert_eq(counts.by_mode[PM_INTERPOLATION_STEP], (uint32_t)atoi(index_field(index, "STEP")), "%s",
                 path);
}

Test(real_files, every_file_imports_or_is_refused_with_a_reason) {
    index_file index;
    uint32_t file_count = 0, imported = 0;
    for (index_open(&index); index_next(&index); file_count++) {
        char name[FILES_PATH_SIZE], path[FILES_PATH_SIZE];
        snprintf(name, sizeof name, "models/%s", index_field(&index, "path"));
        cr_assert(data_path(name, path), "%s", name);
        listener heard = {0};
        pm_report report = {.callback = listen, .user = &heard};
        pm_scene *scene;
        pm_result result = pm_import_file(path, NULL, &scene, &report);
        cr_assert_eq(result != PM_OK, report.message[0] != '\0', "%s", name);
        cr_assert_eq(result == PM_OK, scene != NULL);
        cr_assert_not(heard.has_empty_message, "%s", name);
        if (scene) {
            compare(&index, scene, heard.dropped_channels);
            imported++;
        }
        pm_scene_destroy(scene);
    }
    cr_assert_gt(file_count, 100);
    cr_assert_eq(imported, file_count); // none of these is broken in its structure
}

// Of what was said, only what such a file deserves: files that are valid have nothing left out.
Test(real_files, valid_files_lose_nothing) {
    index_file index;
    for (index_open(&index); index_next(&index);) {
        const char *file = index_field(&index, "path");
        if (!strncmp(file, "validator/", 10) || strstr(file, "missing-target") || strstr(file, "NodeMisc_08"))
            continue;
        char name[FILES_PATH_SIZE], path[FILES_PATH_SIZE];
        snprintf(name, sizeof name, "models/%s", file);
        cr_assert(data_path(name, path));
        pm_report report = {0};
        pm_scene *scene;
        cr_assert_eq(pm_import_file(path, NULL, &scene, &report), PM_OK, "%s", report.message);
        cr_assert_eq(report.counts[PM_SEVERITY_DROPPED], 0, "%s", file);
        pm_scene_destroy(scene);
    }
}

#if defined(__SSE2__)
// How many of `rounds` samples of a clip met a subnormal number, by the processor's sticky flags.
static uint32_t count_subnormal_rounds(const pm_clip *clip, uint32_t rounds) {
    enum { DENORMAL_OPERAND = 0x02, UNDERFLOW = 0x10 };
    pm_clip_info info = pm_clip_get_info(clip);
    const uint32_t clip_index = 0;
    uint32_t met = 0;
    float time;
    pm_sample_job job = pm_default_sample_job();
    job.kernels = pm_kernels_at(0);
    job.clips = &clip, job.clip_count = 1;
    job.instance_count = 1;
    job.clip_index = &clip_index, job.time_seconds = &time;
    job.pose_stride = info.block_count * sizeof(pm_pose_block);
    job.poses = aligned_alloc(PM_ALIGNMENT, job.pose_stride);
    cr_assert(job.poses);
    cr_assert_null(pm_sample_validate(&job));
    for (uint32_t i = 0; i < rounds; i++) {
        time = info.duration_seconds * ((float)i + 0.37f) / (float)rounds;
        _mm_setcsr(_mm_getcsr() & ~0x3fu);
        pm_sample_run(&job, 0, 1);
        met += (_mm_getcsr() & (DENORMAL_OPERAND | UNDERFLOW)) != 0;
    }
    free(job.poses);
    return met;
}

// Arithmetic with subnormal numbers is a hundred times slower on some processors. Exporters write values
// whose squares are subnormal; compile must not let them through.
Test(real_files, sampling_meets_no_subnormal_numbers) {
    enum { ROUNDS = 24 };
    index_file index;
    uint64_t met = 0, rounds = 0;
    for (index_open(&index); index_next(&index);) {
        const char *file = index_field(&index, "path");
        if (!strncmp(file, "validator/", 10)) continue; // broken on purpose
        char name[FILES_PATH_SIZE], path[FILES_PATH_SIZE];
        snprintf(name, sizeof name, "models/%s", file);
        cr_assert(data_path(name, path));
        pm_scene *scene;
        if (pm_import_file(path, NULL, &scene, NULL)) continue;
        for (uint32_t i = 0; i < scene->clip_count && scene->skeleton->joint_count; i++) {
            pm_clip *clip;
            if (pm_clip_compile(&scene->clips[i], scene->skeleton, NULL, NULL, &clip, NULL)) continue;
            met += count_subnormal_rounds(clip, ROUNDS);
            rounds += ROUNDS;
            pm_clip_destroy(clip, NULL);
        }
        pm_scene_destroy(scene);
    }
    // A vector on its way through 0 may be one for an instant.
    cr_assert_gt(rounds, 5000);
    cr_assert_lt(met, rounds / 1000, "%llu of %llu", (unsigned long long)met, (unsigned long long)rounds);
}
#endif

// The same animation plain and compressed by gltfpack.
Test(real_files, compressed_keys_equal_plain_ones) {
    char plain_path[FILES_PATH_SIZE], compressed_path[FILES_PATH_SIZE];
    if (!data_path("models/flutter-scene/two_triangles_plain.glb", plain_path) ||
        !data_path("models/flutter-scene/two_triangles_compressed.glb", compressed_path))
        cr_skip_test("no data folder; set POSEMILL_DATA");
    pm_scene *plain, *compressed;
    cr_assert_eq(pm_import_file(plain_path, NULL, &plain, NULL), PM_OK);
    cr_assert_eq(pm_import_file(compressed_path, NULL, &compressed, NULL), PM_OK);
    cr_assert_eq(plain->clip_count, 2);
    cr_assert_eq(compressed->clip_count, 2);
    for (uint32_t c = 0; c < 2; c++) {
        const pm_channel *a = plain->clips[c].channels, *b = compressed->clips[c].channels;
        cr_assert_eq(a->path, b->path);
        cr_assert_eq(a->key_count, b->key_count);
        for (uint32_t i = 0; i < a->key_count * a->component_count; i++)
            cr_assert_float_eq(a->values[i], b->values[i], 1e-3f);
    }
    cr_assert_eq(plain->mesh_count, compressed->mesh_count);
    pm_scene_destroy(plain);
    pm_scene_destroy(compressed);
}
