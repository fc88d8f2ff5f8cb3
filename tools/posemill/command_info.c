// posemill info: what a file holds and what it compiles to.
#include "asset_json.h"
#include "commands.h"
#include "storage.h"
#include "summary.h"
#include "table.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

// Up to here diagnostics are listed one by one.
#define FEW_FINDINGS 8

typedef struct info_settings {
    const char *key_bits;
    bool json, verbose;
} info_settings;

static const pm_option options[] = {
    {"json", NULL, "everything, for programs", PM_OPTION_FLAG, offsetof(info_settings, json), 0, 0},
    {"verbose", NULL, "joints, scalars, timelines and every diagnostic too", PM_OPTION_FLAG,
     offsetof(info_settings, verbose), 0, 0},
    {"key-bits", "32|16", "compile keys of so many bits a number; default 32", PM_OPTION_CHOICE,
     offsetof(info_settings, key_bits), 0, 0},
};

static void print_skeleton(const pm_skeleton *skeleton) {
    char joints[PM_AMOUNT_SIZE];
    uint32_t root_count = 0;
    for (uint32_t i = 0; i < skeleton->joint_count; i++) root_count += skeleton->parents[i] == PM_NONE;
    printf("  skeleton   %s joint%s in %u block%s, %u root%s\n",
           pm_amount_count(joints, skeleton->joint_count), skeleton->joint_count == 1 ? "" : "s",
           skeleton->block_count, skeleton->block_count == 1 ? "" : "s", root_count,
           root_count == 1 ? "" : "s");
    if (skeleton->skin_count) {
        printf("  skins      %u (", skeleton->skin_count);
        for (uint32_t i = 0; i < skeleton->skin_count && i < 8; i++)
            printf("%s%u", i ? ", " : "", skeleton->skins[i].joint_count);
        printf("%s joints)\n", skeleton->skin_count > 8 ? ", ..." : "");
    }
    if (skeleton->scalar_count) printf("  scalars    %s\n", pm_amount_count(joints, skeleton->scalar_count));
}

static void print_totals(const pm_summary *sum, const pm_compile_options *compiled) {
    char count[PM_AMOUNT_SIZE], bytes[PM_AMOUNT_SIZE], timelines[PM_AMOUNT_SIZE], grids[PM_AMOUNT_SIZE];
    uint64_t clip_count = sum->clip_count + sum->refused_count;
    printf("  clips      %s", pm_amount_count(count, clip_count));
    if (sum->refused_count) printf(", %s of them refused", pm_amount_count(count, sum->refused_count));
    printf(", %s compiled", pm_amount_bytes(bytes, (double)sum->clip_bytes));
    if (compiled->key_bits == 16) {
        uint64_t shared_count = 0;
        for (int path = 0; path < PM_PATH_COUNT; path++)
            shared_count += sum->track_counts[path][PM_TRACK_SHARED];
        printf(", keys of 16 bits in %s", pm_amount_count(count, sum->packed_count));
        printf(" of %s shared blocks", pm_amount_count(count, shared_count));
    }
    putchar('\n');
    printf("  timelines  %s, %s of them uniform grids; merged where keys grow at most %g times\n",
           pm_amount_count(timelines, sum->timeline_count), pm_amount_count(grids, sum->grid_count),
           (double)compiled->merge_growth_limit);
}

static void print_channels(const pm_summary *sum) {
    static const pm_column columns[] = {{"channels", false, PM_WHOLE},
                                        {"STEP", true, PM_WHOLE},
                                        {"LINEAR", true, PM_WHOLE},
                                        {"CUBICSPLINE", true, PM_WHOLE},
                                        {"keys", true, PM_WHOLE}};
    pm_table *table = pm_table_create(columns, sizeof columns / sizeof columns[0]);
    char buffer[PM_AMOUNT_SIZE];
    for (int path = 0; path < PM_PATH_COUNT; path++) {
        uint64_t all = 0;
        for (int i = 0; i < PM_INTERPOLATION_COUNT; i++) all += sum->channel_counts[path][i];
        if (all == 0) continue;
        pm_table_add(table, "%s", pm_path_name((pm_path)path));
        for (int i = 0; i < PM_INTERPOLATION_COUNT; i++)
            pm_table_add(table, "%s", pm_amount_count(buffer, sum->channel_counts[path][i]));
        pm_table_add(table, "%s", pm_amount_count(buffer, sum->key_counts[path]));
    }
    putchar('\n');
    pm_table_finish(table, stdout);
}

static void print_blocks(const pm_summary *sum) {
    static const pm_column columns[] = {{"blocks", false, PM_WHOLE}, {"constant", true, PM_WHOLE},
                                        {"bytes", true, PM_WHOLE},   {"shared", true, PM_WHOLE},
                                        {"bytes", true, PM_WHOLE},   {"mixed", true, PM_WHOLE},
                                        {"bytes", true, PM_WHOLE}};
    pm_table *table = pm_table_create(columns, sizeof columns / sizeof columns[0]);
    char buffer[PM_AMOUNT_SIZE];
    for (int path = 0; path < PM_PATH_COUNT; path++) {
        uint64_t all = 0;
        for (int kind = 0; kind < PM_TRACK_KIND_COUNT; kind++) all += sum->track_counts[path][kind];
        if (all == 0) continue;
        pm_table_add(table, "%s", pm_path_name((pm_path)path));
        for (int kind = 0; kind < PM_TRACK_KIND_COUNT; kind++) {
            pm_table_add(table, "%s", pm_amount_count(buffer, sum->track_counts[path][kind]));
            pm_table_add(table, "%s", pm_amount_bytes(buffer, (double)sum->track_bytes[path][kind]));
        }
    }
    putchar('\n');
    pm_table_finish(table, stdout);
}

static void add_clip(pm_table *table, const pm_clip_source *source, uint32_t index, const pm_clip *clip,
                     const pm_summary *summary) {
    char buffer[PM_AMOUNT_SIZE];
    pm_table_add(table, "%u", index);
    pm_table_add(table, "%s", source->name ? source->name : "");
    if (clip)
        pm_table_add(table, "%.3f", (double)pm_clip_get_info(clip).duration_seconds);
    else
        pm_table_add(table, "refused");
    pm_table_add(table, "%s", pm_amount_count(buffer, summary->channel_count));
    pm_table_add(table, "%s", pm_amount_count(buffer, summary->timeline_count));
    pm_table_add(table, "%s", pm_amount_count(buffer, summary->track_count));
    pm_table_add(table, "%s", pm_amount_bytes(buffer, (double)summary->clip_bytes));
}

// Compiles every clip, adding its row and its numbers.
static pm_table *tabulate_clips(pm_asset *asset, pm_summary *sum) {
    static const pm_column columns[] = {{"#", true, PM_WHOLE},         {"clip", false, PM_CUT_MIDDLE},
                                        {"seconds", true, PM_WHOLE},   {"channels", true, PM_WHOLE},
                                        {"timelines", true, PM_WHOLE}, {"blocks", true, PM_WHOLE},
                                        {"bytes", true, PM_WHOLE}};
    pm_table *table = pm_table_create(columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < asset->scene->clip_count; i++) {
        const pm_clip *clip = pm_asset_compile(asset, i);
        pm_summary summary = pm_summary_of_clip(&asset->scene->clips[i], clip);
        pm_summary_add(sum, &summary);
        add_clip(table, &asset->scene->clips[i], i, clip, &summary);
    }
    return table;
}

static void print_joints(const pm_skeleton *skeleton) {
    static const pm_column columns[] = {{"joint", true, PM_WHOLE},
                                        {"parent", true, PM_WHOLE},
                                        {"node", true, PM_WHOLE},
                                        {"name", false, PM_CUT_MIDDLE}};
    pm_table *table = pm_table_create(columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        uint32_t parent = skeleton->parents[i];
        pm_table_add(table, "%u", i);
        if (parent == PM_NONE)
            pm_table_add(table, "-");
        else
            pm_table_add(table, "%u", parent);
        pm_table_add(table, "%u", skeleton->joint_to_node[i]);
        pm_table_add(table, "%s", skeleton->names[i]);
    }
    putchar('\n');
    pm_table_finish(table, stdout);
}

static void print_scalars(const pm_skeleton *skeleton) {
    static const pm_column columns[] = {
        {"scalar", true, PM_WHOLE}, {"joint", true, PM_WHOLE}, {"name", false, PM_CUT_MIDDLE}};
    pm_table *table = pm_table_create(columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < skeleton->scalar_count; i++) {
        pm_table_add(table, "%u", i);
        if (skeleton->scalar_joints[i] == PM_NONE)
            pm_table_add(table, "-");
        else
            pm_table_add(table, "%u", skeleton->scalar_joints[i]);
        pm_table_add(table, "%s", skeleton->scalar_names[i]);
    }
    putchar('\n');
    pm_table_finish(table, stdout);
}

static void print_timelines(const pm_asset *asset) {
    static const pm_column columns[] = {{"clip", true, PM_WHOLE},   {"timeline", true, PM_WHOLE},
                                        {"keys", true, PM_WHOLE},   {"first s", true, PM_WHOLE},
                                        {"last s", true, PM_WHOLE}, {"grid Hz", true, PM_WHOLE}};
    pm_table *table = pm_table_create(columns, sizeof columns / sizeof columns[0]);
    for (uint32_t c = 0; c < asset->scene->clip_count; c++) {
        const pm_clip *clip = asset->clips[c];
        uint32_t timeline_count = clip ? pm_clip_get_info(clip).timeline_count : 0;
        for (uint32_t i = 0; i < timeline_count; i++) {
            pm_timeline_info info = pm_clip_get_timeline(clip, i);
            char buffer[PM_AMOUNT_SIZE];
            pm_table_add(table, "%u", c);
            pm_table_add(table, "%u", i);
            pm_table_add(table, "%s", pm_amount_count(buffer, info.key_count));
            pm_table_add(table, "%.4f", (double)info.first_seconds);
            pm_table_add(table, "%.4f", (double)info.last_seconds);
            if (info.rate_hz > 0)
                pm_table_add(table, "%.4g", (double)info.rate_hz);
            else
                pm_table_add(table, "-");
        }
    }
    putchar('\n');
    pm_table_finish(table, stdout);
}

// The message without the file's name, which the page begins with.
static char *finding_text(const pm_asset *asset, const pm_finding *finding) {
    size_t length = strlen(asset->path);
    const char *message = finding->message;
    if (!strncmp(message, asset->path, length) && !strncmp(message + length, ": ", 2)) message += length + 2;
    return pm_text_clean(pm_storage_copy_text(message));
}

static void list_findings(const pm_asset *asset) {
    for (size_t i = 0; i < asset->finding_count; i++) {
        char *text = finding_text(asset, &asset->findings[i]);
        printf("  %-8s ", pm_severity_name(asset->findings[i].severity));
        pm_text_print_wrapped(stdout, text, 11, pm_terminal_width(stdout));
        free(text);
    }
}

// One row for each severity and fault, the gravest first.
static void group_findings(const pm_asset *asset) {
    static const pm_column columns[] = {
        {"", false, PM_WHOLE}, {"", true, PM_WHOLE}, {"", false, PM_WHOLE}, {"", false, PM_CUT_MIDDLE}};
    pm_table *table = pm_table_create(columns, sizeof columns / sizeof columns[0]);
    for (int severity = PM_SEVERITY_COUNT - 1; severity >= 0; severity--) {
        for (int fault = 0; fault < PM_FAULT_COUNT; fault++) {
            const pm_finding *first = NULL;
            uint64_t count = 0;
            for (size_t i = 0; i < asset->finding_count; i++) {
                const pm_finding *finding = &asset->findings[i];
                if ((int)finding->severity != severity || (int)finding->fault != fault) continue;
                if (count++ == 0) first = finding;
            }
            if (!first) continue;
            char *text = finding_text(asset, first), buffer[PM_AMOUNT_SIZE];
            pm_table_add(table, "%s", pm_severity_name((pm_severity)severity));
            pm_table_add(table, "%s", pm_amount_count(buffer, count));
            pm_table_add(table, "%s", pm_fault_name((pm_fault)fault));
            pm_table_add(table, "%s%s", count > 1 ? "such as " : "", text);
            free(text);
        }
    }
    pm_table_finish(table, stdout);
}

static void print_findings(const pm_asset *asset, bool verbose) {
    char buffer[PM_AMOUNT_SIZE];
    bool listed = verbose || asset->finding_count <= FEW_FINDINGS;
    if (asset->finding_count == 0) {
        puts("\n  no diagnostics");
        return;
    }
    printf("\n  %s diagnostic%s%s\n", pm_amount_count(buffer, asset->finding_count),
           asset->finding_count == 1 ? "" : "s", listed ? "" : " (--verbose lists them one by one)");
    if (listed)
        list_findings(asset);
    else
        group_findings(asset);
}

static void print_page(pm_asset *asset, bool verbose) {
    const pm_scene *scene = asset->scene;
    pm_summary sum = {0};
    pm_table *clips = tabulate_clips(asset, &sum);
    char *title = pm_text_clean(pm_storage_copy_text(asset->path));
    char *generator = pm_text_clean(pm_storage_copy_text(scene->generator));
    puts(title);
    if (generator[0]) printf("  generator  %s\n", generator);
    print_skeleton(scene->skeleton);
    print_totals(&sum, &asset->options);
    if (sum.channel_count) print_channels(&sum);
    if (sum.track_count) print_blocks(&sum);
    if (scene->clip_count) putchar('\n');
    pm_table_finish(clips, stdout);
    if (verbose && scene->skeleton->joint_count) print_joints(scene->skeleton);
    if (verbose && scene->skeleton->scalar_count) print_scalars(scene->skeleton);
    if (verbose && sum.timeline_count) print_timelines(asset);
    print_findings(asset, verbose);
    free(title);
    free(generator);
}

static int run(int argc, char **argv) {
    info_settings settings = {.key_bits = "32"};
    pm_operands files;
    pm_asset asset;
    int status = pm_arguments_parse(&pm_command_info, argc, argv, &settings, &files);
    if (!status) status = pm_asset_open(&asset, files.items[0]);
    if (status) return status;
    asset.options.key_bits = pm_asset_key_bits(settings.key_bits);
    if (settings.json)
        status = pm_json_finish(pm_asset_to_json(&asset));
    else
        print_page(&asset, settings.verbose);
    pm_asset_close(&asset);
    return status;
}

const pm_command pm_command_info = {
    .name = "info",
    .operands = "FILE",
    .operand_min = 1,
    .operand_max = 1,
    .summary = "show what a file holds and what it compiles to",
    .details = "Skeleton, clips, channels, timelines, the kinds of blocks that the clips compile\n"
               "to with their bytes, and what was wrong with the file. A block is 16 joints of\n"
               "one path: constant costs nothing to evaluate, shared has one timeline for all,\n"
               "mixed one for each.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
