#include "asset_json.h"
#include "summary.h"

static json_t *index_or_null(uint32_t index) {
    return index == PM_NONE ? json_null() : json_integer(index);
}

static json_t *joints_to_json(const pm_skeleton *skeleton) {
    json_t *joints = json_array();
    for (uint32_t i = 0; i < skeleton->joint_count; i++)
        json_array_append_new(joints, json_pack("{so so si}", "name", pm_json_text(skeleton->names[i]),
                                                "parent", index_or_null(skeleton->parents[i]), "node",
                                                (int)skeleton->joint_to_node[i]));
    return joints;
}

static json_t *scalars_to_json(const pm_skeleton *skeleton) {
    json_t *scalars = json_array();
    for (uint32_t i = 0; i < skeleton->scalar_count; i++)
        json_array_append_new(scalars, json_pack("{so so}", "name", pm_json_text(skeleton->scalar_names[i]),
                                                 "joint", index_or_null(skeleton->scalar_joints[i])));
    return scalars;
}

static json_t *skins_to_json(const pm_skeleton *skeleton) {
    json_t *skins = json_array();
    for (uint32_t i = 0; i < skeleton->skin_count; i++)
        json_array_append_new(skins, json_pack("{so si}", "name", pm_json_text(skeleton->skins[i].name),
                                               "joint_count", (int)skeleton->skins[i].joint_count));
    return skins;
}

static json_t *skeleton_to_json(const pm_skeleton *skeleton) {
    return json_pack("{si si so so so}", "joint_count", (int)skeleton->joint_count, "block_count",
                     (int)skeleton->block_count, "joints", joints_to_json(skeleton), "scalars",
                     scalars_to_json(skeleton), "skins", skins_to_json(skeleton));
}

static json_t *channels_to_json(const pm_clip_source *source) {
    json_t *channels = json_array();
    for (uint32_t i = 0; i < source->channel_count; i++) {
        const pm_channel *channel = &source->channels[i];
        json_array_append_new(channels, json_pack("{ss si ss si}", "path", pm_path_name(channel->path),
                                                  "target", (int)channel->target, "interpolation",
                                                  pm_interpolation_name(channel->interpolation), "key_count",
                                                  (int)channel->key_count));
    }
    return channels;
}

static json_t *timelines_to_json(const pm_clip *clip, uint32_t timeline_count) {
    json_t *timelines = json_array();
    for (uint32_t i = 0; i < timeline_count; i++) {
        pm_timeline_info info = pm_clip_get_timeline(clip, i);
        json_t *rate = info.rate_hz > 0 ? json_real((double)info.rate_hz) : json_null();
        json_array_append_new(timelines,
                              json_pack("{si sf sf so}", "key_count", (int)info.key_count, "first_seconds",
                                        (double)info.first_seconds, "last_seconds", (double)info.last_seconds,
                                        "rate_hz", rate));
    }
    return timelines;
}

// {"translation": {"constant": {"count": 1, "bytes": 192}, ...}, ...}
static json_t *tracks_to_json(const pm_summary *summary) {
    json_t *paths = json_object();
    for (int path = 0; path < PM_PATH_COUNT; path++) {
        json_t *kinds = json_object();
        for (int kind = 0; kind < PM_TRACK_KIND_COUNT; kind++)
            json_object_set_new(kinds, pm_track_kind_name((pm_track_kind)kind),
                                json_pack("{sI sI}", "count", (json_int_t)summary->track_counts[path][kind],
                                          "bytes", (json_int_t)summary->track_bytes[path][kind]));
        json_object_set_new(paths, pm_path_name((pm_path)path), kinds);
    }
    return paths;
}

static json_t *clip_to_json(pm_asset *asset, uint32_t index) {
    const pm_clip_source *source = &asset->scene->clips[index];
    const pm_clip *clip = pm_asset_compile(asset, index);
    pm_summary summary = pm_summary_of_clip(source, clip);
    json_t *object = json_pack("{si so sb so}", "index", (int)index, "name", pm_json_text(source->name),
                               "refused", clip == NULL, "channels", channels_to_json(source));
    if (!clip) return object;
    pm_clip_info info = pm_clip_get_info(clip);
    json_t *compiled =
        json_pack("{sf sI si si si so so}", "duration_seconds", (double)info.duration_seconds, "size_bytes",
                  (json_int_t)info.size_bytes, "cursor_count", (int)info.cursor_count, "track_count",
                  (int)info.track_count, "packed_count", (int)summary.packed_count, "tracks",
                  tracks_to_json(&summary), "timelines", timelines_to_json(clip, info.timeline_count));
    json_object_update(object, compiled);
    json_decref(compiled);
    return object;
}

static json_t *diagnostics_to_json(const pm_asset *asset) {
    json_t *diagnostics = json_array();
    for (size_t i = 0; i < asset->finding_count; i++) {
        const pm_finding *finding = &asset->findings[i];
        json_array_append_new(
            diagnostics,
            json_pack("{ss ss so so so so}", "severity", pm_severity_name(finding->severity), "fault",
                      pm_fault_name(finding->fault), "clip", pm_json_text(finding->clip), "channel",
                      pm_json_text(finding->channel), "key", index_or_null(finding->key), "message",
                      pm_json_text(finding->message)));
    }
    return diagnostics;
}

json_t *pm_asset_to_json(pm_asset *asset) {
    json_t *clips = json_array();
    for (uint32_t i = 0; i < asset->scene->clip_count; i++)
        json_array_append_new(clips, clip_to_json(asset, i));
    return json_pack("{so so sf si so so so}", "file", pm_json_text(asset->path), "generator",
                     pm_json_text(asset->scene->generator), "merge_growth_limit",
                     (double)asset->options.merge_growth_limit, "key_bits", (int)asset->options.key_bits,
                     "skeleton", skeleton_to_json(asset->scene->skeleton), "clips", clips, "diagnostics",
                     diagnostics_to_json(asset));
}
