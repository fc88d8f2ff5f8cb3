// posemill sample: what a clip's animated nodes are at given times, as text.
#include "asset.h"
#include "commands.h"
#include "json.h"
#include "storage.h"
#include "text.h"
#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sample_settings {
    const char *clip, *loop;
    pm_numbers times;
    pm_texts blends;
} sample_settings;

static const pm_option options[] = {
    {"clip", "N", "number (from 0) or name of the clip; default 0", PM_OPTION_TEXT,
     offsetof(sample_settings, clip), 0, 0},
    {"times", "T,T,...", "times in seconds; needed. Times outside of the clip\ngive its first or last pose",
     PM_OPTION_NUMBERS, offsetof(sample_settings, times), -1e30, 1e30},
    {"loop", "clamp|repeat|ping-pong", "what times outside of a clip mean; default clamp", PM_OPTION_CHOICE,
     offsetof(sample_settings, loop), 0, 0},
    {"blend", "FILE:CLIP:WEIGHT",
     "mix in another clip of the same skeleton; may be\nrepeated. The first clip has what is left of 1",
     PM_OPTION_TEXTS, offsetof(sample_settings, blends), 0, 0},
};

// One clip of the mix.
typedef struct part {
    pm_asset asset; // the first one is the command's file
    char *path;     // of a part that was added, on the heap; else NULL
    const pm_clip_source *source;
    const pm_clip *clip;
    float weight;
} part;

// All clips that are sampled; the first is the one that rows are named after.
typedef struct mix {
    part parts[PM_LAYERS_MAX];
    uint32_t count;
    pm_playback playback; // how times outside of a clip are meant
} mix;

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

// The animated nodes of all clips in the file's order. The caller frees them.
static row *find_rows(const mix *m, uint32_t *row_count) {
    const pm_scene *scene = m->parts[0].asset.scene;
    const pm_skeleton *skeleton = scene->skeleton;
    bool *joints = pm_storage_allocate(skeleton->joint_count, sizeof *joints);
    bool *weights = pm_storage_allocate(skeleton->joint_count, sizeof *weights);
    row *rows = pm_storage_allocate(skeleton->joint_count, sizeof *rows);
    for (uint32_t i = 0; i < m->count; i++) mark_moved(skeleton, m->parts[i].source, joints, weights);
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

// A job over the clips of a mix, for one character whose layers these are.
static pm_blend_job make_job(const mix *m, const pm_clip **clips, pm_layer *layers) {
    for (uint32_t i = 0; i < m->count; i++) {
        clips[i] = m->parts[i].clip;
        layers[i] = (pm_layer){.clip = i, .weight = m->parts[i].weight, .mask = PM_NONE};
    }
    const pm_skeleton *skeleton = m->parts[0].asset.scene->skeleton;
    pm_blend_job job = pm_default_blend_job();
    job.kernels = pm_kernels_best();
    job.clips = clips;
    job.clip_count = job.layer_count = m->count;
    job.instance_count = 1;
    job.layers = layers;
    job.rest = skeleton->rest;
    job.scalar_rest = skeleton->scalar_rest;
    return job;
}

static void set_times(const mix *m, double seconds, pm_layer *layers) {
    for (uint32_t i = 0; i < m->count; i++) {
        float duration_seconds = pm_clip_get_info(m->parts[i].clip).duration_seconds;
        bool clamped = m->playback.mode == PM_LOOP_CLAMP;
        layers[i].time_seconds =
            clamped ? (float)seconds
                    : (float)pm_playback_locate(&m->playback, seconds, duration_seconds).time_seconds;
    }
}

// One row a time and animated node.
static int print_samples(const mix *m, const char *label, const pm_numbers *times, const row *rows,
                         uint32_t row_count) {
    const pm_skeleton *skeleton = m->parts[0].asset.scene->skeleton;
    const pm_clip *clips[PM_LAYERS_MAX];
    pm_layer layers[PM_LAYERS_MAX];
    pm_blend_job job = make_job(m, clips, layers);
    job.poses = pm_storage_allocate_aligned(skeleton->block_count * sizeof(pm_pose_block));
    job.scalars = pm_storage_allocate_aligned(pm_block_count(skeleton->scalar_count) *
                                              (PM_BLOCK_LANES * sizeof(float)));
    const char *fault = pm_blend_validate(&job);
    int status = fault ? pm_complain(PM_EXIT_DATA, "cannot sample: %s", fault) : PM_EXIT_OK;
    void *scratch = fault ? NULL : pm_storage_allocate_aligned(pm_blend_scratch_size(&job));
    double(*world)[16] = pm_storage_allocate(skeleton->joint_count, sizeof *world);
    for (uint32_t t = 0; !fault && t < times->count; t++) {
        set_times(m, times->values[t], layers);
        pm_blend_run(&job, 0, 1, scratch);
        pm_world_matrices(skeleton, job.poses, world);
        for (uint32_t r = 0; r < row_count; r++) {
            printf("%s\t%.9g\t", label, times->values[t]);
            print_row(&rows[r], job.poses, job.scalars, world[rows[r].joint]);
        }
    }
    free(world);
    free(scratch);
    free(job.scalars);
    free(job.poses);
    return status;
}

static int print_mix(const mix *m, uint32_t clip_number, const pm_numbers *times) {
    uint32_t row_count;
    row *rows = find_rows(m, &row_count);
    int status;
    if (row_count == 0) {
        status = pm_complain(PM_EXIT_DATA, "%s: clip %u moves no node", m->parts[0].asset.path, clip_number);
    } else {
        char *label = pm_json_quote(m->parts[0].source->name);
        char *columns = pm_storage_format("%u\t%s", clip_number, label);
        puts("clip\tname\ttime\tnode\ttx ty tz\tqx qy qz qw\tsx sy sz\tweights\t"
             "world matrix, column-major");
        status = print_samples(m, columns, times, rows, row_count);
        free(columns);
        free(label);
    }
    free(rows);
    return status;
}

// Opens a part's file and compiles its clip.
static int open_part(part *p, const char *path, const char *clip_text, uint32_t *clip_number) {
    int status = pm_asset_open(&p->asset, path);
    if (!status) status = pm_asset_find_clip(&p->asset, clip_text, clip_number);
    if (status) return status;
    p->source = &p->asset.scene->clips[*clip_number];
    p->clip = pm_asset_compile(&p->asset, *clip_number);
    return p->clip ? PM_EXIT_OK : pm_complain(PM_EXIT_DATA, "%s", p->asset.report.message);
}

static bool same_skeleton(const pm_skeleton *a, const pm_skeleton *b) {
    if (a->joint_count != b->joint_count || a->scalar_count != b->scalar_count) return false;
    for (uint32_t i = 0; i < a->joint_count; i++)
        if (strcmp(a->names[i], b->names[i]) || a->parents[i] != b->parents[i]) return false;
    return true;
}

// FILE:CLIP:WEIGHT, read from its end: a file's name may hold colons.
static int add_part(mix *m, const char *text) {
    part *added = &m->parts[m->count];
    char *path = pm_storage_format("%s", text), *end;
    char *weight = strrchr(path, ':');
    if (weight) *weight++ = '\0';
    char *clip = weight ? strrchr(path, ':') : NULL;
    if (clip) *clip++ = '\0';
    added->path = path;
    m->count++;
    double value = clip ? strtod(weight, &end) : 0;
    if (!clip || !*path || !*clip || !*weight || *end || !(value >= 0 && value <= 1))
        return pm_complain(PM_EXIT_USAGE,
                           "--blend takes FILE:CLIP:WEIGHT with a weight from 0 to 1, not '%s'", text);
    added->weight = (float)value;
    uint32_t clip_number;
    int status = open_part(added, path, clip, &clip_number);
    if (status || same_skeleton(m->parts[0].asset.scene->skeleton, added->asset.scene->skeleton))
        return status;
    return pm_complain(PM_EXIT_DATA, "%s: its skeleton is not that of %s", path, m->parts[0].asset.path);
}

static int open_mix(mix *m, const sample_settings *settings, const char *path, uint32_t *clip_number) {
    if (settings->blends.count >= PM_LAYERS_MAX)
        return pm_complain(PM_EXIT_USAGE, "--blend can be given %d times at most", PM_LAYERS_MAX - 1);
    if (!strcmp(settings->loop, "repeat")) m->playback.mode = PM_LOOP_REPEAT;
    if (!strcmp(settings->loop, "ping-pong")) m->playback.mode = PM_LOOP_PING_PONG;
    m->count = 1;
    int status = open_part(&m->parts[0], path, settings->clip, clip_number);
    float left = 1;
    for (uint32_t i = 0; i < settings->blends.count && !status; i++) {
        status = add_part(m, settings->blends.items[i]);
        left -= m->parts[m->count - 1].weight;
    }
    m->parts[0].weight = left > 0 ? left : 0;
    return status;
}

static int run(int argc, char **argv) {
    sample_settings settings = {.clip = "0", .loop = "clamp"};
    pm_operands files;
    int status = pm_arguments_parse(&pm_command_sample, argc, argv, &settings, &files);
    if (status) return status;
    mix *m = pm_storage_allocate(1, sizeof *m);
    uint32_t clip_number;
    if (settings.times.count == 0)
        status = pm_complain(PM_EXIT_USAGE, "sample needs --times, in seconds: --times 0,0.5,1");
    if (!status) status = open_mix(m, &settings, files.items[0], &clip_number);
    if (!status) status = print_mix(m, clip_number, &settings.times);
    for (uint32_t i = 0; i < m->count; i++) {
        pm_asset_close(&m->parts[i].asset);
        free(m->parts[i].path);
    }
    free(m);
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
               "numbered as in the file. With --blend these are of the mix, for every node that\n"
               "any of its clips moves.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
