// posemill sample: what a clip's animated nodes are at given times, as text.
#include "asset.h"
#include "commands.h"
#include "json.h"
#include "storage.h"
#include "text.h"
#include "world.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct sample_settings {
    const char *clip;
    pm_numbers times;
} sample_settings;

static const pm_option options[] = {
    {"clip", "N", "number (from 0) or name of the clip; default 0", PM_OPTION_TEXT,
     offsetof(sample_settings, clip), 0, 0},
    {"times", "T,T,...", "times in seconds; needed. Times outside of the clip\ngive its first or last pose",
     PM_OPTION_NUMBERS, offsetof(sample_settings, times), -1e30, 1e30},
};

// A node that gets a row, and its morph weights if the clip drives them.
typedef struct row {
    uint32_t node, joint;
    uint32_t first_scalar, scalar_count;
} row;

static int compare_rows(const void *a, const void *b) {
    uint32_t first = ((const row *)a)->node, second = ((const row *)b)->node;
    return (first > second) - (first < second);
}

// Marks what a clip moves: joints, and joints' morph weights.
static void mark_moved(const pm_skeleton *skeleton, const pm_clip_source *clip, bool *joints, bool *weights) {
    for (uint32_t i = 0; i < clip->channel_count; i++) {
        uint32_t joint = clip->channels[i].target;
        bool scalar = clip->channels[i].path == PM_PATH_SCALAR;
        if (scalar) joint = joint < skeleton->scalar_count ? skeleton->scalar_joints[joint] : PM_NONE;
        if (joint >= skeleton->joint_count) continue;
        joints[joint] = true;
        if (scalar) weights[joint] = true;
    }
}

// The animated nodes of a clip in the file's order. The caller frees them.
static row *find_rows(const pm_scene *scene, const pm_clip_source *clip, uint32_t *row_count) {
    const pm_skeleton *skeleton = scene->skeleton;
    bool *joints = pm_storage_allocate(skeleton->joint_count, sizeof *joints);
    bool *weights = pm_storage_allocate(skeleton->joint_count, sizeof *weights);
    row *rows = pm_storage_allocate(skeleton->joint_count, sizeof *rows);
    mark_moved(skeleton, clip, joints, weights);
    *row_count = 0;
    for (uint32_t joint = 0; joint < skeleton->joint_count; joint++) {
        if (!joints[joint]) continue;
        row *added = &rows[(*row_count)++];
        *added = (row){.node = skeleton->joint_to_node[joint], .joint = joint};
        for (uint32_t i = 0; weights[joint] && i < scene->weight_range_count; i++) {
            if (scene->weight_ranges[i].joint != joint) continue;
            added->first_scalar = scene->weight_ranges[i].first_scalar;
            added->scalar_count = scene->weight_ranges[i].count;
        }
    }
    free(joints);
    free(weights);
    qsort(rows, *row_count, sizeof *rows, compare_rows);
    return rows;
}

static void print_floats(const float *values, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) printf("%s%.9g", i ? " " : "", (double)values[i]);
    putchar('\t');
}

static void print_row(const row *printed, const pm_pose_block *pose, const float *scalars,
                      const double world[16]) {
    pm_transform local = pm_pose_get_joint(pose, printed->joint);
    printf("%u\t", printed->node);
    print_floats(local.translation, 3);
    print_floats(local.rotation, 4);
    print_floats(local.scale, 3);
    print_floats(scalars + printed->first_scalar, printed->scalar_count);
    // Adding 0 makes 0 of -0, of which products of rotations are full.
    for (int i = 0; i < 16; i++) printf("%s%.9g", i ? " " : "", world[i] + 0.0);
    putchar('\n');
}

// One row a time and animated node.
static int print_samples(const pm_skeleton *skeleton, const pm_clip *clip, const char *label,
                         const pm_numbers *times, const row *rows, uint32_t row_count) {
    pm_clip_info info = pm_clip_get_info(clip);
    const uint32_t clip_index = 0;
    float time_seconds;
    size_t pose_bytes = info.block_count * sizeof(pm_pose_block);
    size_t scalar_bytes = info.scalar_block_count * (PM_BLOCK_LANES * sizeof(float));
    pm_pose_block *pose = pm_storage_allocate_aligned(pose_bytes);
    float *scalars = pm_storage_allocate_aligned(scalar_bytes);
    double(*world)[16] = pm_storage_allocate(skeleton->joint_count, sizeof *world);

    pm_sample_job job = pm_default_sample_job();
    job.kernels = pm_kernels_best();
    job.clips = &clip;
    job.clip_count = job.instance_count = 1;
    job.clip_index = &clip_index;
    job.time_seconds = &time_seconds;
    job.poses = pose;
    job.pose_stride = pose_bytes;
    job.scalars = scalars;
    job.scalar_stride = scalar_bytes;
    const char *fault = pm_sample_validate(&job);
    int status = fault ? pm_complain(PM_EXIT_DATA, "cannot sample: %s", fault) : PM_EXIT_OK;
    for (uint32_t t = 0; !fault && t < times->count; t++) {
        time_seconds = (float)times->values[t];
        pm_sample_run(&job, 0, 1);
        pm_world_matrices(skeleton, pose, world);
        for (uint32_t r = 0; r < row_count; r++) {
            printf("%s\t%.9g\t", label, times->values[t]);
            print_row(&rows[r], pose, scalars, world[rows[r].joint]);
        }
    }
    free(world);
    free(scalars);
    free(pose);
    return status;
}

static int sample_clip(pm_asset *asset, uint32_t clip_number, const pm_numbers *times) {
    const pm_clip_source *source = &asset->scene->clips[clip_number];
    const pm_clip *clip = pm_asset_compile(asset, clip_number);
    if (!clip) return pm_complain(PM_EXIT_DATA, "%s", asset->report.message);
    uint32_t row_count;
    row *rows = find_rows(asset->scene, source, &row_count);
    int status;
    if (row_count == 0) {
        status = pm_complain(PM_EXIT_DATA, "%s: clip %u moves no node", asset->path, clip_number);
    } else {
        char *label = pm_json_quote(source->name);
        char *columns = pm_storage_format("%u\t%s", clip_number, label);
        puts("clip\tname\ttime\tnode\ttx ty tz\tqx qy qz qw\tsx sy sz\tweights\t"
             "world matrix, column-major");
        status = print_samples(asset->scene->skeleton, clip, columns, times, rows, row_count);
        free(columns);
        free(label);
    }
    free(rows);
    return status;
}

static int run(int argc, char **argv) {
    sample_settings settings = {.clip = "0"};
    pm_operands files;
    int status = pm_arguments_parse(&pm_command_sample, argc, argv, &settings, &files);
    if (status) return status;
    pm_asset asset = {0};
    uint32_t clip;
    if (settings.times.count == 0)
        status = pm_complain(PM_EXIT_USAGE, "sample needs --times, in seconds: --times 0,0.5,1");
    if (!status) status = pm_asset_open(&asset, files.items[0]);
    if (!status) status = pm_asset_find_clip(&asset, settings.clip, &clip);
    if (!status) status = sample_clip(&asset, clip, &settings.times);
    pm_asset_close(&asset);
    pm_numbers_release(&settings.times);
    return status;
}

const pm_command pm_command_sample = {
    .name = "sample",
    .operands = "FILE",
    .operand_min = 1,
    .operand_max = 1,
    .summary = "print the animated nodes of a clip at given times",
    .details = "Prints tab-separated lines under a header: one for each time and node that the\n"
               "clip moves, with clip, name, time, node, translation, rotation (xyzw), scale,\n"
               "morph weights (if it drives them) and world matrix (column-major). Nodes are\n"
               "numbered as in the file.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
