#include "summary.h"

const char *pm_track_kind_name(pm_track_kind kind) {
    static const char *const names[PM_TRACK_KIND_COUNT] = {"constant", "shared", "mixed"};
    return (unsigned)kind < PM_TRACK_KIND_COUNT ? names[kind] : "unknown kind";
}

static void count_channels(pm_summary *summary, const pm_clip_source *source) {
    summary->channel_count = source->channel_count;
    for (uint32_t i = 0; i < source->channel_count; i++) {
        const pm_channel *channel = &source->channels[i];
        summary->channel_counts[channel->path][channel->interpolation]++;
        summary->key_counts[channel->path] += channel->key_count;
    }
}

static void count_tracks(pm_summary *summary, const pm_clip *clip) {
    pm_clip_info info = pm_clip_get_info(clip);
    summary->clip_count = 1;
    summary->clip_bytes = info.size_bytes;
    summary->cursor_count = info.cursor_count;
    summary->track_count = info.track_count;
    summary->timeline_count = info.timeline_count;
    for (uint32_t i = 0; i < info.track_count; i++) {
        pm_track_info track = pm_clip_get_track(clip, i);
        summary->track_counts[track.path][track.kind]++;
        summary->track_bytes[track.path][track.kind] += track.size_bytes;
        if (track.key_bits == 16) summary->packed_count++;
    }
    for (uint32_t i = 0; i < info.timeline_count; i++)
        if (pm_clip_get_timeline(clip, i).rate_hz > 0) summary->grid_count++;
}

pm_summary pm_summary_of_clip(const pm_clip_source *source, const pm_clip *clip) {
    pm_summary summary = {0};
    count_channels(&summary, source);
    if (clip)
        count_tracks(&summary, clip);
    else
        summary.refused_count = 1;
    return summary;
}

void pm_summary_add(pm_summary *sum, const pm_summary *added) {
    for (int path = 0; path < PM_PATH_COUNT; path++) {
        for (int i = 0; i < PM_INTERPOLATION_COUNT; i++)
            sum->channel_counts[path][i] += added->channel_counts[path][i];
        for (int kind = 0; kind < PM_TRACK_KIND_COUNT; kind++) {
            sum->track_counts[path][kind] += added->track_counts[path][kind];
            sum->track_bytes[path][kind] += added->track_bytes[path][kind];
        }
        sum->key_counts[path] += added->key_counts[path];
    }
    sum->channel_count += added->channel_count;
    sum->track_count += added->track_count;
    sum->packed_count += added->packed_count;
    sum->timeline_count += added->timeline_count;
    sum->grid_count += added->grid_count;
    sum->clip_bytes += added->clip_bytes;
    sum->clip_count += added->clip_count;
    sum->refused_count += added->refused_count;
    if (added->cursor_count > sum->cursor_count) sum->cursor_count = added->cursor_count;
}
