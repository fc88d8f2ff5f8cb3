#include "clip_format.h"

#include "diagnose.h"

#include <posemill/compile.h>
#include "environment.h"

#include <math.h>
#include <string.h>

pm_clip_info pm_clip_get_info(const pm_clip *clip) {
    return (pm_clip_info){
        .name = (const char *)clip + clip->name_offset,
        .size_bytes = (size_t)clip->size,
        .duration_seconds = clip->duration_seconds,
        .joint_count = clip->joint_count,
        .block_count = pm_block_count(clip->joint_count),
        .scalar_count = clip->scalar_count,
        .scalar_block_count = pm_block_count(clip->scalar_count),
        .timeline_count = clip->timeline_count,
        .cursor_count = clip->cursor_count,
        .track_count = clip->track_count,
        .channel_count = clip->channel_count,
    };
}

// Keys (or records) that a track stores, the copy of the last included.
static uint64_t stored_key_count(const pm_clip *clip, const pm_track *track) {
    if (track->kind == PM_TRACK_CONSTANT) return 1;
    if (track->kind == PM_TRACK_SHARED)
        return (uint64_t)pm_clip_timelines(clip)[track->timeline].key_count + 1;
    uint64_t count = 0;
    for (uint32_t i = 0; i < PM_BLOCK_LANES; i++)
        count += (uint64_t)pm_clip_bundles(clip)[track->timeline].key_count[i] + 1;
    return count;
}

// Of one key (or record), without those that are interleaved with it.
static uint64_t own_key_bytes(const pm_track *track) {
    return track->kind == PM_TRACK_MIXED ? pm_record_bytes(pm_record_floats(track->path, track->mode))
                                         : pm_track_own_bytes(track);
}

pm_track_info pm_clip_get_track(const pm_clip *clip, uint32_t index) {
    const pm_track *track = pm_clip_tracks(clip) + index;
    uint64_t stored = stored_key_count(clip, track);
    uint64_t copies = track->kind == PM_TRACK_CONSTANT ? 0
                      : track->kind == PM_TRACK_SHARED ? 1
                                                       : PM_BLOCK_LANES;
    return (pm_track_info){
        .path = (pm_path)track->path,
        .kind = (pm_track_kind)track->kind,
        .mode = (pm_track_mode)track->mode,
        .block = track->block,
        .timeline = track->kind == PM_TRACK_SHARED ? track->timeline : PM_NONE,
        .key_count = (uint32_t)(stored - copies),
        .key_bits = track->packing_offset ? 16 : 32,
        .size_bytes = (size_t)(stored * own_key_bytes(track) +
                               (track->packing_offset ? pm_track_packing_bytes(track) : 0)),
    };
}

pm_timeline_info pm_clip_get_timeline(const pm_clip *clip, uint32_t index) {
    const pm_timeline *timeline = pm_clip_timelines(clip) + index;
    return (pm_timeline_info){timeline->key_count, timeline->first, timeline->last, timeline->grid_rate_hz};
}

// Counts above this cannot be real, and keep every product below inside 64 bits.
enum { COUNT_LIMIT = 1 << 26 };

// Sums of a few values up to this stay finite; compile stays below PM_VALUE_LIMIT, splits a little above.
#define VECTOR_LIMIT   1e20f
#define ROTATION_LIMIT 1e8f

// Compile takes no key time beyond this.
#define TIME_LIMIT 1e30f

// pm_half_angle gives at most 90 degrees, up to rounding.
#define ANGLE2_LIMIT 2.6f
#define SCALE_FLOOR  0.7f
#define SCALE_LIMIT  1.001f

static bool is_inside(const pm_clip *clip, uint64_t offset, uint64_t bytes) {
    return offset % PM_ALIGNMENT == 0 && offset <= clip->size && bytes <= clip->size - offset;
}

static bool all_within(const float *values, uint64_t count, float low, float high) {
    for (uint64_t i = 0; i < count; i++)
        if (!(values[i] >= low && values[i] <= high)) return false;
    return true;
}

static const char *check_header(const pm_clip *clip, size_t size) {
    if (size < sizeof *clip) return "it is shorter than a clip's header";
    if (clip->magic != PM_CLIP_MAGIC) return "it does not begin as a clip does";
    if (clip->version != PM_CLIP_VERSION) return "it is of another version";
    if (clip->size > size || clip->size % PM_ALIGNMENT || clip->size < sizeof *clip) return "it is cut off";
    if (clip->joint_count > COUNT_LIMIT || clip->scalar_count > COUNT_LIMIT ||
        clip->timeline_count > COUNT_LIMIT || clip->bundle_count > COUNT_LIMIT ||
        clip->cursor_count > clip->timeline_count + clip->bundle_count * PM_BLOCK_LANES ||
        clip->name_size > UINT16_MAX)
        return "its counts are impossible";
    if (clip->track_count != pm_clip_track_count(clip))
        return "its number of tracks does not fit its joints and scalars";
    if (!(clip->duration_seconds >= 0 && clip->duration_seconds <= 3e38f))
        return "its duration is not a number";
    return NULL;
}

static const char *check_sections(const pm_clip *clip) {
    uint64_t blocks = pm_block_count(clip->joint_count), scalars = pm_block_count(clip->scalar_count);
    if (!is_inside(clip, clip->tracks_offset, clip->track_count * (uint64_t)sizeof(pm_track)) ||
        !is_inside(clip, clip->timelines_offset, clip->timeline_count * (uint64_t)sizeof(pm_timeline)) ||
        !is_inside(clip, clip->bundles_offset, clip->bundle_count * (uint64_t)sizeof(pm_bundle)) ||
        !is_inside(clip, clip->rest_offset, blocks * sizeof(pm_pose_block)) ||
        !is_inside(clip, clip->scalar_rest_offset, scalars * PM_BLOCK_LANES * sizeof(float)) ||
        !is_inside(clip, clip->name_offset, (uint64_t)clip->name_size + 1))
        return "a section lies outside of it";
    if (((const char *)clip)[clip->name_offset + clip->name_size] != '\0') return "its name does not end";
    if (!all_within((const float *)pm_clip_rest(clip), blocks * sizeof(pm_pose_block) / sizeof(float),
                    -VECTOR_LIMIT, VECTOR_LIMIT) ||
        !all_within(pm_clip_scalar_rest(clip), scalars * PM_BLOCK_LANES, -VECTOR_LIMIT, VECTOR_LIMIT))
        return "its rest pose is not finite";
    return NULL;
}

// Key times: rising, within bounds that keep differences finite, infinities behind.
static const char *check_times(const float *times, uint32_t n) {
    if (!all_within(times, n, -TIME_LIMIT, TIME_LIMIT)) return "a key's time is not finite";
    for (uint32_t k = 1; k < n; k++)
        if (!(times[k - 1] < times[k])) return "key times do not rise";
    for (uint64_t k = n; k < pm_padded_time_count(n); k++)
        if (!(times[k] > 3e38f)) return "a timeline does not end in infinity";
    return NULL;
}

static bool is_cadence(float hz) {
    return hz >= 0.0f && hz <= PM_CADENCE_LIMIT_HZ;
}

// `offset` is 0 where there are none.
static const char *check_easings(const pm_clip *clip, uint64_t offset, uint64_t segment_count) {
    if (!offset) return NULL;
    if (!is_inside(clip, offset, segment_count * sizeof(pm_easing_record)))
        return "an easing lies outside of it";
    const pm_easing_record *easings = (const pm_easing_record *)((const char *)clip + offset);
    for (uint64_t i = 0; i < segment_count; i++)
        if (!all_within(easings[i].power, 5, -PM_TIMELINE_EASING_LIMIT, PM_TIMELINE_EASING_LIMIT))
            return "an easing is not finite";
    return NULL;
}

static const char *check_timeline(const pm_clip *clip, const pm_timeline *timeline) {
    if (!timeline->key_count || timeline->key_count > INT32_MAX) return "a timeline has no keys";
    if (!is_inside(clip, timeline->times_offset, pm_padded_time_count(timeline->key_count) * sizeof(float)))
        return "a timeline lies outside of it";
    const float *times = (const float *)((const char *)clip + timeline->times_offset);
    if (timeline->first != times[0] || timeline->last != times[timeline->key_count - 1])
        return "a timeline's ends are wrong";
    bool grid = timeline->grid_rate_hz > 0 && timeline->grid_rate_hz <= 3e38f;
    if (!grid && !(timeline->grid_rate_hz == 0 && timeline->cursor < clip->cursor_count))
        return "a timeline has neither a grid nor a cursor";
    if (timeline->cursor_shift > 15) return "a cursor is too coarse";
    if (!is_cadence(timeline->cadence_hz)) return "a cadence is impossible";
    const char *fault = check_easings(clip, timeline->easing_offset, timeline->key_count);
    return fault ? fault : check_times(times, timeline->key_count);
}

static const char *check_lane_times(const pm_clip *clip, const pm_bundle *bundle, uint32_t lane) {
    uint64_t last = bundle->first_time[lane] + pm_padded_time_count(bundle->key_count[lane]);
    if (bundle->first_time[lane] % PM_BLOCK_LANES ||
        !is_inside(clip, bundle->times_offset, last * sizeof(float)))
        return "a lane's times lie outside of it";
    const float *times =
        (const float *)((const char *)clip + bundle->times_offset) + bundle->first_time[lane];
    return check_times(times, bundle->key_count[lane]);
}

static const char *check_time_rows(const pm_clip *clip, const pm_bundle *bundle) {
    uint32_t rows = bundle->row_count;
    if (rows != 4 && rows != 8 && rows != 16) return "a bundle's number of rows is impossible";
    if (!is_inside(clip, bundle->times_offset, rows * PM_BLOCK_LANES * sizeof(float)))
        return "a bundle's times lie outside of it";
    const float *times = (const float *)((const char *)clip + bundle->times_offset);
    for (uint32_t i = 0; i < PM_BLOCK_LANES; i++) {
        float lane[PM_SHORT_ROWS];
        if (bundle->key_count[i] >= rows) return "a lane has more keys than there are rows";
        for (uint32_t k = 0; k < PM_SHORT_ROWS; k++)
            lane[k] = k < rows ? times[k * PM_BLOCK_LANES + i] : INFINITY;
        const char *fault = check_times(lane, bundle->key_count[i]);
        if (fault) return fault;
    }
    return NULL;
}

static const char *check_bundle(const pm_clip *clip, const pm_bundle *bundle) {
    if (!bundle->row_count &&
        (clip->cursor_count < PM_BLOCK_LANES || bundle->cursor > clip->cursor_count - PM_BLOCK_LANES))
        return "a bundle's cursors do not exist";
    uint64_t segment_count = 0;
    for (uint32_t i = 0; i < PM_BLOCK_LANES; i++) {
        if (bundle->key_count[i] > INT32_MAX) return "a lane has too many keys";
        if (bundle->first_segment[i] != segment_count) return "a lane's segments are not where they belong";
        if (!is_cadence(bundle->cadence_hz[i])) return "a cadence is impossible";
        segment_count += (uint64_t)bundle->key_count[i] + 1;
        const char *fault = bundle->row_count ? NULL : check_lane_times(clip, bundle, i);
        if (fault) return fault;
    }
    const char *fault = bundle->row_count ? check_time_rows(clip, bundle) : NULL;
    return fault ? fault : check_easings(clip, bundle->easing_offset, segment_count);
}

static const char *check_timelines(const pm_clip *clip) {
    const char *fault = NULL;
    for (uint32_t i = 0; !fault && i < clip->timeline_count; i++)
        fault = check_timeline(clip, pm_clip_timelines(clip) + i);
    for (uint32_t i = 0; !fault && i < clip->bundle_count; i++)
        fault = check_bundle(clip, pm_clip_bundles(clip) + i);
    return fault;
}

static bool is_arc(float angle2, float scale) {
    return angle2 >= 0.0f && angle2 <= ANGLE2_LIMIT && scale >= SCALE_FLOOR && scale <= SCALE_LIMIT;
}

// The most that a tangent (a second) at a key may be: times the longer of the segments there it stays below
// `limit`.
static float find_tangent_limit(const pm_clip *clip, const pm_timeline *timeline, uint64_t key, float limit) {
    const float *times = (const float *)((const char *)clip + timeline->times_offset);
    double before = key > 0 && key < timeline->key_count ? (double)times[key] - (double)times[key - 1] : 0;
    double behind = key + 1 < timeline->key_count ? (double)times[key + 1] - (double)times[key] : 0;
    double longest = before > behind ? before : behind;
    return longest * 1e38 > (double)limit ? (float)((double)limit / longest) : 1e38f;
}

bool pm_packing_is_sound(const pm_track *track, const float *packing, float longest_seconds) {
    const uint32_t rows = pm_track_rows(track->path, track->mode);
    const float limit = track->path == PM_PATH_ROTATION ? ROTATION_LIMIT : VECTOR_LIMIT;
    const float tangent_limit = limit / fmaxf(longest_seconds, 1.0f);
    // Kernels multiply numbers by durations before they multiply by steps.
    if (!(longest_seconds <= 1e20f)) return false;
    const float least[] = {-limit, 0.0f, 0.0f, SCALE_FLOOR};
    const float most[] = {limit, tangent_limit, ANGLE2_LIMIT, SCALE_LIMIT};
    for (uint32_t row = 0; row < rows; row++) {
        const pm_row_kind kind = pm_track_row_kind(track, row);
        for (uint32_t i = row * PM_BLOCK_LANES; i < (row + 1) * PM_BLOCK_LANES; i++) {
            const float low = packing[i], step = packing[rows * PM_BLOCK_LANES + i];
            if (!(low >= least[kind] && step >= 0.0f && low + step * (float)PM_PACKED_LIMIT <= most[kind]))
                return false;
            if (kind == PM_ROW_TANGENT && low != 0.0f) return false;
        }
    }
    return true;
}

static const char *check_packing(const pm_clip *clip, const pm_track *track) {
    if (track->kind != PM_TRACK_SHARED || track->mode == PM_TRACK_STEP || track->mode == PM_TRACK_BLENDED)
        return "keys of a wrong kind are packed";
    if (!is_inside(clip, track->packing_offset, pm_track_packing_bytes(track)))
        return "a packing lies outside of it";
    const pm_timeline *timeline = pm_clip_timelines(clip) + track->timeline;
    const float *times = (const float *)((const char *)clip + timeline->times_offset);
    const float *packing = (const float *)((const char *)clip + track->packing_offset);
    float longest = pm_longest_segment(times, timeline->key_count);
    return pm_packing_is_sound(track, packing, longest) ? NULL : "a packing is not of finite keys";
}

static const char *check_keys(const pm_clip *clip, const pm_track *track) {
    const uint64_t floats = (uint64_t)pm_path_component_count((pm_path)track->path) * PM_BLOCK_LANES;
    const uint64_t key_floats = track->key_bytes / sizeof(float), key_count = stored_key_count(clip, track);
    const float *key = (const float *)((const char *)clip + track->keys_offset);
    bool rotation = track->path == PM_PATH_ROTATION;
    bool smooth = track->mode == PM_TRACK_SMOOTH, blended = track->mode == PM_TRACK_BLENDED;
    bool two_tangents = track->mode == PM_TRACK_CUBIC || blended;
    bool slerp = rotation && (track->mode == PM_TRACK_LINEAR || blended);
    float limit = rotation ? ROTATION_LIMIT : VECTOR_LIMIT, tangent_limit = limit;
    for (uint64_t k = 0; k < key_count; k++, key += key_floats) {
        const float *value = two_tangents ? key + floats : key;
        if (!all_within(value, floats, -limit, limit)) return "a key's value is not finite";
        if (smooth || two_tangents)
            tangent_limit = find_tangent_limit(clip, pm_clip_timelines(clip) + track->timeline, k, limit);
        bool out_sound =
            !(smooth || two_tangents) || all_within(value + floats, floats, -tangent_limit, tangent_limit);
        if (!out_sound || (two_tangents && !all_within(key, floats, -tangent_limit, tangent_limit)))
            return "a key's tangent is not finite";
        const float *angle2 = key + own_key_bytes(track) / sizeof(float) - 2 * PM_BLOCK_LANES;
        for (uint32_t i = 0; slerp && i < PM_BLOCK_LANES; i++)
            if (!is_arc(angle2[i], angle2[PM_BLOCK_LANES + i])) return "an arc's angle is impossible";
    }
    return NULL;
}

static const char *check_records(const pm_clip *clip, const pm_track *track) {
    const uint32_t *slerped = (const uint32_t *)((const char *)clip + track->masks_offset);
    const uint32_t *first = pm_clip_bundles(clip)[track->timeline].first_segment;
    const uint32_t *key_count = pm_clip_bundles(clip)[track->timeline].key_count;
    uint32_t floats = pm_record_floats(track->path, track->mode);
    bool rotation = track->path == PM_PATH_ROTATION, linear = track->mode == PM_TRACK_LINEAR;
    float limit = rotation ? ROTATION_LIMIT : VECTOR_LIMIT;
    for (uint32_t i = 0; i < PM_BLOCK_LANES; i++) {
        for (uint64_t k = 0; k <= key_count[i]; k++) {
            uint64_t offset = track->keys_offset + ((uint64_t)first[i] + k) * track->key_bytes;
            const float *record = (const float *)((const char *)clip + offset);
            if (!all_within(record, floats, -limit, limit)) return "a record's value is not finite";
            const float *arc = record + (linear ? 8 : 4);
            if (rotation && (linear || slerped[i]) && !is_arc(arc[0], arc[1]))
                return "an arc's angle is impossible";
        }
    }
    return NULL;
}

static const char *check_masks(const pm_clip *clip, const pm_track *track) {
    uint32_t count = pm_track_mask_rows(track) * PM_BLOCK_LANES;
    if (!is_inside(clip, track->masks_offset, count * sizeof(uint32_t)))
        return "a lane mask lies outside of it";
    const uint32_t *masks = (const uint32_t *)((const char *)clip + track->masks_offset);
    for (uint32_t i = 0; i < count; i++)
        if (masks[i] != 0 && masks[i] != UINT32_MAX) return "a lane mask is neither on nor off";
    return NULL;
}

// That its timeline exists and its keys are of a kind that there is.
static const char *check_kind(const pm_clip *clip, const pm_track *track) {
    if (track->mode >= PM_TRACK_MODE_COUNT) return "a track is of an unknown mode";
    switch (track->kind) {
    case PM_TRACK_CONSTANT:
        return track->timeline == PM_NONE && track->mode == PM_TRACK_STEP ? NULL : "a constant track moves";
    case PM_TRACK_SHARED:
        return track->timeline < clip->timeline_count ? NULL : "a track's timeline does not exist";
    case PM_TRACK_MIXED:
        if (track->timeline >= clip->bundle_count) return "a track's bundle does not exist";
        // Records have no steps, and of vectors no blend.
        if (track->mode == PM_TRACK_STEP ||
            (track->mode == PM_TRACK_BLENDED && track->path != PM_PATH_ROTATION))
            return "a mixed track is of a wrong mode";
        return NULL;
    default:
        return "a track is of an unknown kind";
    }
}

// That all keys are inside, and those of a timeline's tracks as far apart as the timeline says.
static const char *check_extent(const pm_clip *clip, const pm_track *track) {
    const uint64_t own_bytes = own_key_bytes(track), last = stored_key_count(clip, track) - 1;
    bool shared = track->kind == PM_TRACK_SHARED;
    uint64_t key_bytes = shared ? pm_clip_timelines(clip)[track->timeline].frame_bytes : own_bytes;
    if (track->key_bytes != key_bytes || key_bytes < own_bytes || (shared && key_bytes % PM_ALIGNMENT))
        return "a track's keys are of a wrong size";
    // Rows of packed keys are half as long.
    const uint64_t half = track->packing_offset ? track->keys_offset % PM_ALIGNMENT & PM_ALIGNMENT / 2 : 0;
    if ((last && key_bytes > clip->size / last) ||
        !is_inside(clip, track->keys_offset - half, half + last * key_bytes + own_bytes))
        return "a track's keys lie outside of it";
    return NULL;
}

static bool all_stay_within(const pm_easing_record *easings, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        if (!pm_easing_stays_within(easings[i].power)) return false;
    return true;
}

// Slerp's weights are only made for positions between the ends of an arc. Timelines and masks are sound.
static const char *check_arc_easings(const pm_clip *clip, const pm_track *track) {
    bool linear = track->mode == PM_TRACK_LINEAR, mixed = track->kind == PM_TRACK_MIXED;
    if (track->path != PM_PATH_ROTATION || !(linear || track->mode == PM_TRACK_BLENDED)) return NULL;
    const pm_timeline *timeline = mixed ? NULL : pm_clip_timelines(clip) + track->timeline;
    const pm_bundle *bundle = mixed ? pm_clip_bundles(clip) + track->timeline : NULL;
    uint64_t offset = mixed ? bundle->easing_offset : timeline->easing_offset;
    if (!offset) return NULL;
    const pm_easing_record *easings = (const pm_easing_record *)((const char *)clip + offset);
    const uint32_t *masks = (const uint32_t *)((const char *)clip + track->masks_offset);
    const uint32_t *slerped = mixed ? masks : masks + PM_BLOCK_LANES;
    for (uint32_t i = 0; i < PM_BLOCK_LANES; i++) {
        const pm_easing_record *first = mixed ? easings + bundle->first_segment[i] : easings;
        uint64_t count = mixed ? (uint64_t)bundle->key_count[i] + 1 : timeline->key_count;
        if ((linear || slerped[i]) && !all_stay_within(first, count)) return "an easing leaves its arc";
    }
    return NULL;
}

// Tracks are in the order of what they write, so every output row is written, once.
static const char *check_track(const pm_clip *clip, uint32_t index) {
    const pm_track *track = pm_clip_tracks(clip) + index;
    if (track->path >= PM_PATH_COUNT) return "a track is of an unknown path";
    uint32_t targets = track->path == PM_PATH_SCALAR ? clip->scalar_count : clip->joint_count;
    if (track->block >= pm_block_count(targets)) return "a track's block does not exist";
    if (pm_track_place(clip, track->path, track->block) != index) return "a track is not where it belongs";
    const char *fault = check_kind(clip, track);
    if (!fault) fault = check_extent(clip, track);
    if (!fault) fault = check_masks(clip, track);
    if (!fault) fault = check_arc_easings(clip, track);
    if (fault) return fault;
    if (track->packing_offset) return check_packing(clip, track);
    return track->kind == PM_TRACK_MIXED ? check_records(clip, track) : check_keys(clip, track);
}

static const char *check_clip(const pm_clip *clip, size_t size) {
    const char *fault = check_header(clip, size);
    if (!fault) fault = check_sections(clip);
    if (!fault) fault = check_timelines(clip);
    for (uint32_t i = 0; !fault && i < clip->track_count; i++) fault = check_track(clip, i);
    return fault;
}

pm_result pm_clip_load(const void *memory, size_t size, const pm_clip **clip, pm_report *report) {
    pm_place nowhere = {NULL, NULL, NULL, PM_NONE};
    *clip = NULL;
    if (!memory || (uintptr_t)memory % PM_ALIGNMENT)
        return pm_fail(report, PM_ERROR_ARGUMENT, PM_FAULT_ARGUMENT, nowhere,
                       "a clip's memory must be 64-byte aligned");
    pm_environment environment = pm_environment_enter();
    const char *fault = check_clip(memory, size);
    pm_environment_leave(&environment);
    if (fault)
        return pm_fail(report, PM_ERROR_FORMAT, PM_FAULT_FILE_FORMAT, nowhere, "not a valid clip: %s", fault);
    *clip = memory;
    return PM_OK;
}
