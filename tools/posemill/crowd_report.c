#include "crowd_report.h"
#include "table.h"

#include <inttypes.h>

// One file's part in a crowd.
typedef struct share {
    uint64_t character_count, clip_count, clip_bytes;
} share;

static share share_of(const pm_crowd *crowd, const pm_asset *asset) {
    share sum = {0};
    for (uint32_t i = 0; i < crowd->clip_count; i++) {
        if (crowd->skeletons[i] != asset->scene->skeleton) continue;
        sum.clip_count++;
        sum.clip_bytes += pm_clip_get_info(crowd->clips[i]).size_bytes;
        sum.character_count += crowd->character_count / crowd->clip_count;
        sum.character_count += i < crowd->character_count % crowd->clip_count;
    }
    return sum;
}

static size_t instance_bytes(const pm_crowd *crowd) {
    size_t output_bytes = crowd->pose_bytes + crowd->matrix_bytes + crowd->scalar_bytes;
    return (output_bytes + crowd->cursor_bytes) / crowd->character_count;
}

static const char *hash_name(const pm_crowd *crowd) {
    return crowd->options.output == PM_CROWD_POSES ? "pose_hash" : "matrix_hash";
}

static double nanoseconds_a_joint(const pm_crowd *crowd, const pm_crowd_result *result) {
    return 1e9 * result->tick.median_seconds / (double)crowd->joint_count;
}

static void print_title(const pm_crowd *crowd, uint32_t asset_count, const pm_crowd_result *result) {
    char characters[PM_AMOUNT_SIZE], ticks[PM_AMOUNT_SIZE];
    printf("%s character%s on %u clip%s of %u file%s\n"
           "%s tick%s at %g Hz, %s, %u thread%s\n\n",
           pm_amount_count(characters, crowd->character_count), crowd->character_count == 1 ? "" : "s",
           crowd->clip_count, crowd->clip_count == 1 ? "" : "s", asset_count, asset_count == 1 ? "" : "s",
           pm_amount_count(ticks, result->tick_count), result->tick_count == 1 ? "" : "s", result->rate_hz,
           result->kernels_name, result->thread_count, result->thread_count == 1 ? "" : "s");
}

static void print_files(const pm_crowd *crowd, const pm_asset *assets, uint32_t asset_count) {
    static const pm_column columns[] = {{"file", false, PM_CUT_START},  {"clips", true, PM_WHOLE},
                                        {"clip bytes", true, PM_WHOLE}, {"joints", true, PM_WHOLE},
                                        {"characters", true, PM_WHOLE}, {"pose bytes", true, PM_WHOLE}};
    pm_table *table = pm_table_create(columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < asset_count; i++) {
        char buffer[PM_AMOUNT_SIZE];
        share part = share_of(crowd, &assets[i]);
        const pm_skeleton *skeleton = assets[i].scene->skeleton;
        pm_table_add(table, "%s", assets[i].path);
        pm_table_add(table, "%s", pm_amount_count(buffer, part.clip_count));
        pm_table_add(table, "%s", pm_amount_bytes(buffer, (double)part.clip_bytes));
        pm_table_add(table, "%s", pm_amount_count(buffer, skeleton->joint_count));
        pm_table_add(table, "%s", pm_amount_count(buffer, part.character_count));
        pm_table_add(table, "%s",
                     pm_amount_bytes(buffer, skeleton->block_count * (double)sizeof(pm_pose_block)));
    }
    pm_table_finish(table, stdout);
    putchar('\n');
}

static void add_timing(pm_table *table, const char *name, const pm_timing *timing) {
    pm_table_add(table, "%s", name);
    pm_table_add(table, "%.3f ms", 1e3 * timing->median_seconds);
}

// What is out of the ordinary.
static void add_play(pm_table *table, const pm_crowd *crowd, const pm_crowd_result *result) {
    const pm_crowd_options *options = &crowd->options;
    if (options->layer_count > 1) {
        pm_table_add(table, "layers a character");
        pm_table_add(table, "%u", options->layer_count);
        if (options->fade_seconds > 0)
            pm_table_add(table, "faded in %g s", options->fade_seconds);
        else
            pm_table_add(table, "mixed evenly");
    }
    if (options->update_interval > 1) {
        pm_table_add(table, "evaluated a tick");
        pm_table_add(table, "%.1f", (double)result->evaluated_count / (double)result->tick_count);
        pm_table_add(table, "every %u ticks, held in between", options->update_interval);
    }
}

static void add_timings(pm_table *table, const pm_crowd *crowd, const pm_crowd_result *result) {
    static const char *const output_names[] = {"  poses", "  models", "  palettes"};
    const char *part_names[PM_CROWD_PART_COUNT] = {"  clip times", "  order",
                                                   output_names[crowd->options.output]};
    add_timing(table, "a tick", &result->tick);
    pm_table_add(table, "median; %.3f to %.3f", 1e3 * result->tick.fastest_seconds,
                 1e3 * result->tick.slowest_seconds);
    for (int i = 0; i < PM_CROWD_PART_COUNT; i++) {
        if (i == PM_CROWD_ORDER && crowd->order == crowd->due) continue;
        add_timing(table, part_names[i], &result->parts[i]);
        pm_table_add(table, "%s", "");
    }
    pm_table_add(table, "  of its 1/%g s", result->rate_hz);
    pm_table_add(table, "%.2f %%", 100 * result->tick.median_seconds * result->rate_hz);
    pm_table_add(table, "%s", "");
    pm_table_add(table, "a joint");
    pm_table_add(table, "%.2f ns", nanoseconds_a_joint(crowd, result));
    pm_table_add(table, "padding not counted");
}

static void add_bytes(pm_table *table, const pm_crowd *crowd) {
    char bytes[PM_AMOUNT_SIZE], all[PM_AMOUNT_SIZE];
    double mean_clip = (double)crowd->clip_bytes / crowd->clip_count;
    pm_table_add(table, "a clip");
    pm_table_add(table, "%s", pm_amount_bytes(bytes, mean_clip));
    pm_table_add(table, "%s for all of them", pm_amount_bytes(all, (double)crowd->clip_bytes));
    pm_table_add(table, "an instance");
    pm_table_add(table, "%s", pm_amount_bytes(bytes, (double)instance_bytes(crowd)));
    const bool poses = crowd->options.output == PM_CROWD_POSES;
    pm_table_add(table, "%s %zu, scalars %zu, cursors %zu bytes", poses ? "pose" : "matrices",
                 (poses ? crowd->pose_bytes : crowd->matrix_bytes) / crowd->character_count,
                 crowd->scalar_bytes / crowd->character_count, crowd->cursor_bytes / crowd->character_count);
}

void pm_crowd_report(const pm_crowd *crowd, const pm_asset *assets, uint32_t asset_count,
                     const pm_crowd_result *result) {
    static const pm_column columns[] = {{"", false, PM_WHOLE}, {"", true, PM_WHOLE}, {"", false, PM_WHOLE}};
    char buffer[PM_AMOUNT_SIZE];
    print_title(crowd, asset_count, result);
    print_files(crowd, assets, asset_count);
    pm_table *table = pm_table_create(columns, sizeof columns / sizeof columns[0]);
    pm_table_add(table, "characters");
    pm_table_add(table, "%s", pm_amount_count(buffer, crowd->character_count));
    pm_table_add(table, "%s", "");
    pm_table_add(table, "joints");
    pm_table_add(table, "%s", pm_amount_count(buffer, crowd->joint_count));
    pm_table_add(table, "in %s lanes", pm_amount_count(buffer, crowd->lane_count));
    add_play(table, crowd, result);
    add_timings(table, crowd, result);
    add_bytes(table, crowd);
    pm_table_add(table, "guarded lanes");
    pm_table_add(table, "%s", pm_amount_count(buffer, result->guarded_count));
    pm_table_add(table, "%s", "");
    pm_table_add(table, "%s", hash_name(crowd));
    pm_table_add(table, "%016" PRIx64, result->pose_hash);
    pm_table_add(table, "%s", "");
    pm_table_finish(table, stdout);
}

static json_t *files_to_json(const pm_crowd *crowd, const pm_asset *assets, uint32_t asset_count) {
    json_t *files = json_array();
    for (uint32_t i = 0; i < asset_count; i++) {
        share part = share_of(crowd, &assets[i]);
        const pm_skeleton *skeleton = assets[i].scene->skeleton;
        json_array_append_new(files, json_pack("{so sI sI sI sI sI}", "file", pm_json_text(assets[i].path),
                                               "clips", (json_int_t)part.clip_count, "clip_bytes",
                                               (json_int_t)part.clip_bytes, "joints",
                                               (json_int_t)skeleton->joint_count, "characters",
                                               (json_int_t)part.character_count, "pose_bytes",
                                               (json_int_t)(skeleton->block_count * sizeof(pm_pose_block))));
    }
    return files;
}

static json_t *timing_to_json(const pm_timing *timing) {
    return json_pack("{sf sf sf}", "median", 1e3 * timing->median_seconds, "fastest",
                     1e3 * timing->fastest_seconds, "slowest", 1e3 * timing->slowest_seconds);
}

// Adds the members of `added`, which is released.
static void merge(json_t *object, json_t *added) {
    json_object_update(object, added);
    json_decref(added);
}

json_t *pm_crowd_report_json(const pm_crowd *crowd, const pm_asset *assets, uint32_t asset_count,
                             const pm_crowd_result *result) {
    static const char *const part_names[PM_CROWD_PART_COUNT] = {"clock_ms", "order_ms", "sample_ms"};
    char hash[PM_AMOUNT_SIZE];
    snprintf(hash, sizeof hash, "%016" PRIx64, result->pose_hash);
    json_t *run =
        json_pack("{ss ss ss si si sf sI}", "isa", result->kernels_name, "order", result->order, "layout",
                  result->layout, "key_bits", (int)result->key_bits, "threads", (int)result->thread_count,
                  "rate_hz", result->rate_hz, "ticks", (json_int_t)result->tick_count);
    merge(run, json_pack("{sI sI sI so}", "characters", (json_int_t)crowd->character_count, "joints",
                         (json_int_t)crowd->joint_count, "lanes", (json_int_t)crowd->lane_count, "files",
                         files_to_json(crowd, assets, asset_count)));
    json_object_set_new(run, "tick_ms", timing_to_json(&result->tick));
    for (int i = 0; i < PM_CROWD_PART_COUNT; i++)
        json_object_set_new(run, part_names[i], timing_to_json(&result->parts[i]));
    merge(run, json_pack("{sf sI sI}", "ns_a_joint", nanoseconds_a_joint(crowd, result), "clip_count",
                         (json_int_t)crowd->clip_count, "clip_bytes", (json_int_t)crowd->clip_bytes));
    merge(run,
          json_pack("{ss sI sI sI sI sI}", "output", result->output, "pose_bytes",
                    (json_int_t)crowd->pose_bytes, "matrix_bytes", (json_int_t)crowd->matrix_bytes,
                    "scalar_bytes", (json_int_t)crowd->scalar_bytes, "cursor_bytes",
                    (json_int_t)crowd->cursor_bytes, "instance_bytes", (json_int_t)instance_bytes(crowd)));
    merge(run, json_pack("{si sf si sI}", "layers", (int)crowd->options.layer_count, "fade_seconds",
                         crowd->options.fade_seconds, "update_interval", (int)crowd->options.update_interval,
                         "evaluated", (json_int_t)result->evaluated_count));
    merge(run,
          json_pack("{sI ss}", "guarded_lanes", (json_int_t)result->guarded_count, hash_name(crowd), hash));
    return run;
}
