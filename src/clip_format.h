// Posemill internals: what a clip's bytes mean. Written by compile, checked by the clip loader, read by
// kernels.
//
// All offsets are in bytes from the start of the clip; key data and times are 64-byte aligned.
//
//   pm_clip | tracks | timelines | bundles | rest blocks | rest scalars | times | masks, keys | name
//
// A track is one path of one block: 16 lanes. Tracks lie in the order of the rows that they write: block by
// block translation, rotation and scale, then the blocks of scalars. The loader proves that, and with it that
// every output row is written.
//
// The keys of all tracks on one timeline are interleaved: first all tracks' first keys, then all second keys.
// An instance reads two neighbours of these frames, whole, and memory is best read in one piece. A track's
// key_bytes is a frame's; kernels take one track's for all on a timeline.
//
// Keys of shared tracks, C components, rows of 16 lanes:
//   constant  value[C]
//   step      value[C]
//   linear    value[C], and for rotations angle2, scale (see rows below)
//   smooth    value[C] tangent[C]
//   cubic     in[C] value[C] out[C]
//   blended   in[C] value[C] out[C], and for rotations angle2, scale; with lane masks
// One more key than the timeline has follows, a copy of the last: the last key is a segment of its own.
// Tangents are a second, as authored.
//
// Packed keys, of shared linear, smooth and cubic tracks, have 16 bits in place of each float: a number n
// stands for low + step * n, where the track's packing is
//   float low[row][16], step[row][16]
// with the rows of one key. Numbers are uint16_t, those of tangents int16_t and their low is 0, so that equal
// keys without tangents hold. A cubic's in-tangents have the step of its out-tangents; the step stored for in
// is not read.
//
// Mixed tracks have a record a lane and segment, so that a lane's record is loaded whole. Segment 0 lies
// before a lane's first key and the last segment from its last key on; there, and in steps, a = b. Tangents
// are multiplied by the segment's duration. Where in the records a lane begins is its bundle's first_segment.
//   linear    a[C] b[C], and for rotations angle2, scale
//   cubic     a[C] out[C] in[C] b[C]
//   blended   the same; lanes that are slerp have angle2, scale in place of out
//
// Slerp is a weight too. With v = u - 1/2 and the angle h between two unit quaternions at least 90 degrees
// apart from their opposites,
//     w = sin(uh) / (sin(uh) + sin((1-u)h)) = 1/2 + tan(vh) / (2 tan(h/2))
// and a + w (b - a) is slerp up to length. Keys carry angle2 = h^2 and scale = (h/2) / tan(h/2), so that
//     w = 1/2 + v * scale * T(v^2 * angle2)  with  T(x^2) = tan(x)/x:
// no division, and 1 + O(h^2) where h vanishes.
#ifndef PM_CLIP_FORMAT_H
#define PM_CLIP_FORMAT_H

#include "memory.h"

#include <posemill/clip.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "A clip's bytes are little-endian: Posemill does not run on this machine"
#endif

#define PM_CLIP_MAGIC   0x31434d50u // "PMC1"
#define PM_CLIP_VERSION 3u

// A hole between two fields would keep whatever the memory held, and a clip's bytes would differ from run to
// run.
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"
#endif

struct pm_clip {
    uint32_t magic, version;
    uint64_t size; // bytes, a multiple of 64
    uint32_t joint_count, scalar_count;
    uint32_t track_count, timeline_count, bundle_count, cursor_count;
    uint32_t channel_count, name_size; // name_size without the terminating zero
    float duration_seconds;
    uint32_t reserved;
    uint64_t tracks_offset, timelines_offset, bundles_offset, rest_offset, scalar_rest_offset, name_offset;
    uint64_t reserved_too[3];
};

// A segment's easing: the powers 1 to 5 of the position in it. None is 1 0 0 0 0.
typedef struct pm_easing_record {
    float power[5];
    float reserved[3];
} pm_easing_record;

// Times are strictly increasing, followed by infinities up to a multiple of 16 and at least one.
typedef struct pm_timeline {
    uint64_t times_offset;
    uint32_t key_count;
    uint32_t cursor;       // index among an instance's cursors, or PM_NONE
    uint32_t cursor_shift; // a cursor holds segment >> cursor_shift
    float grid_rate_hz;    // keys close to first + k / rate; 0: no grid
    float first, last;     // times[0], times[key_count - 1]
    float cadence_hz;      // above 0: times are held down to multiples of 1 / cadence_hz
    uint32_t reserved;
    uint64_t frame_bytes; // key_bytes of all tracks on it
    uint64_t reserved_too;
    uint64_t easing_offset; // 0, or a pm_easing_record a segment
} pm_timeline;

// Sixteen timelines, one a lane; a lane that never moves has no times, and a lane has one segment more than
// keys. Short ones (at most 15 keys) are stored side by side, float[row_count][16], the n-th row each
// lane's n-th time and infinities behind its last, so that all lanes are searched at once. Longer ones are
// stored lane by lane, each lane's times followed by infinities up to a multiple of 16 and at least one.
typedef struct pm_bundle {
    uint64_t times_offset;
    uint64_t easing_offset; // 0, or a pm_easing_record a lane and segment
    uint32_t cursor;        // of the first lane, the others follow, or PM_NONE; holds the key's index / 16
    uint32_t row_count;     // 4, 8 or 16, more than any lane has keys; 0: lane by lane
    uint32_t has_cadence;   // whether any cadence_hz is above 0
    uint32_t reserved;
    uint32_t key_count[PM_BLOCK_LANES];
    uint32_t first_time[PM_BLOCK_LANES];    // floats from times_offset to the lane's times, lane by lane
    uint32_t first_segment[PM_BLOCK_LANES]; // of the lane among the bundle's segments: records, easings
    float cadence_hz[PM_BLOCK_LANES];
} pm_bundle;

enum { PM_SHORT_ROWS = 16 };

typedef struct pm_track {
    uint64_t keys_offset;
    uint64_t key_bytes; // from one key (or record) to the next
    // Rows of 16 uint32_t. Blended: all ones where a lane moves, all ones where it is slerp. Mixed: all ones
    // where a lane is slerp.
    uint64_t masks_offset;
    uint64_t packing_offset; // 0: keys are floats
    uint32_t timeline;       // or bundle; PM_NONE for constants
    uint32_t block;
    uint8_t path, kind, mode, reserved[5];
} pm_track;

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

_Static_assert(sizeof(struct pm_clip) == 128 && sizeof(pm_timeline) == 64 && sizeof(pm_track) == 48 &&
                   sizeof(pm_bundle) == 288 && sizeof(pm_easing_record) == 32,
               "a clip's bytes are the same on every target");

// Whether an easing stays within 0 and 1, seen at 64 places, up to rounding. The weights of arcs are made for
// positions in there; with coefficients of at most PM_TIMELINE_EASING_LIMIT they stay finite between those
// places, too.
static inline bool pm_easing_stays_within(const float power[5]) {
    for (int i = 1; i < 64; i++) {
        double u = i / 64.0, f = 0;
        for (int p = 4; p >= 0; p--) f = (f + (double)power[p]) * u;
        if (f < -1e-4 || f > 1 + 1e-4) return false;
    }
    return true;
}

static inline const pm_track *pm_clip_tracks(const pm_clip *clip) {
    return (const pm_track *)((const char *)clip + clip->tracks_offset);
}

static inline const pm_timeline *pm_clip_timelines(const pm_clip *clip) {
    return (const pm_timeline *)((const char *)clip + clip->timelines_offset);
}

static inline const pm_bundle *pm_clip_bundles(const pm_clip *clip) {
    return (const pm_bundle *)((const char *)clip + clip->bundles_offset);
}

static inline const pm_pose_block *pm_clip_rest(const pm_clip *clip) {
    return (const pm_pose_block *)((const char *)clip + clip->rest_offset);
}

static inline const float *pm_clip_scalar_rest(const pm_clip *clip) {
    return (const float *)((const char *)clip + clip->scalar_rest_offset);
}

enum { PM_JOINT_PATHS = 3 }; // of one joint, in the order of their rows in a pose block

static inline uint64_t pm_clip_track_count(const pm_clip *clip) {
    return PM_JOINT_PATHS * (uint64_t)pm_block_count(clip->joint_count) + pm_block_count(clip->scalar_count);
}

// The place among a clip's tracks of that which serves a path of a block.
static inline uint64_t pm_track_place(const pm_clip *clip, uint32_t path, uint32_t block) {
    if (path == PM_PATH_SCALAR) return PM_JOINT_PATHS * (uint64_t)pm_block_count(clip->joint_count) + block;
    return PM_JOINT_PATHS * (uint64_t)block + path;
}

// Where in an instance's pose (or scalars) the rows of a path of a block are.
static inline uint64_t pm_track_output_offset(uint32_t path, uint32_t block) {
    static const uint64_t rows[PM_PATH_COUNT] = {offsetof(pm_pose_block, translation),
                                                 offsetof(pm_pose_block, rotation),
                                                 offsetof(pm_pose_block, scale), 0};
    uint64_t block_bytes = path == PM_PATH_SCALAR ? PM_BLOCK_LANES * sizeof(float) : sizeof(pm_pose_block);
    return block * block_bytes + rows[path];
}

static inline float pm_longest_segment(const float *times, uint32_t key_count) {
    float longest = 0;
    for (uint32_t k = 0; k + 1 < key_count; k++)
        longest = times[k + 1] - times[k] > longest ? times[k + 1] - times[k] : longest;
    return longest;
}

// Floats of a timeline with the infinities behind its times.
static inline uint64_t pm_padded_time_count(uint32_t key_count) {
    return ((uint64_t)key_count / PM_BLOCK_LANES + 1) * PM_BLOCK_LANES;
}

// Rows of 16 floats that a key of a shared track has.
static inline uint32_t pm_track_rows(uint32_t path, uint32_t mode) {
    uint32_t components = pm_path_component_count((pm_path)path);
    uint32_t slerp_rows = path == PM_PATH_ROTATION ? 2 : 0;
    switch (mode) {
    case PM_TRACK_STEP:
        return components;
    case PM_TRACK_LINEAR:
        return components + slerp_rows;
    case PM_TRACK_SMOOTH:
        return 2 * components;
    case PM_TRACK_CUBIC:
        return 3 * components;
    default:
        return 3 * components + slerp_rows;
    }
}

// Bytes that a key of a shared or constant track itself takes.
static inline uint32_t pm_track_own_bytes(const pm_track *track) {
    uint32_t numbers = pm_track_rows(track->path, track->mode) * PM_BLOCK_LANES;
    return numbers * (uint32_t)(track->packing_offset ? sizeof(uint16_t) : sizeof(float));
}

// Bytes of the lows and steps of a track's packing.
static inline uint64_t pm_track_packing_bytes(const pm_track *track) {
    return 2 * (uint64_t)pm_track_rows(track->path, track->mode) * PM_BLOCK_LANES * sizeof(float);
}

// The largest number in packed keys, and of tangents.
#define PM_PACKED_LIMIT         65535u
#define PM_PACKED_TANGENT_LIMIT 32767

// What a row of a key holds.
typedef enum pm_row_kind { PM_ROW_VALUE, PM_ROW_TANGENT, PM_ROW_ANGLE2, PM_ROW_SCALE } pm_row_kind;

static inline pm_row_kind pm_track_row_kind(const pm_track *track, uint32_t row) {
    const uint32_t components = pm_path_component_count((pm_path)track->path), part = row / components;
    const bool smooth = track->mode == PM_TRACK_SMOOTH, linear = track->mode == PM_TRACK_LINEAR;
    if (part == (linear || smooth || track->mode == PM_TRACK_STEP ? 0u : 1u)) return PM_ROW_VALUE;
    if (!linear && part < 3) return PM_ROW_TANGENT;
    return row % components ? PM_ROW_SCALE : PM_ROW_ANGLE2;
}

// Whether a shared track's keys can only be finite with this packing: on a timeline whose longest segment is
// so long, no value and no tangent is larger than keys may be, and arcs are possible.
bool pm_packing_is_sound(const pm_track *track, const float *packing, float longest_seconds);

static inline uint32_t pm_track_mask_rows(const pm_track *track) {
    if (track->kind == PM_TRACK_MIXED) return 1;
    return track->mode == PM_TRACK_BLENDED ? 2 : 0;
}

// Floats of a mixed track's record, a multiple of 4.
static inline uint32_t pm_record_floats(uint32_t path, uint32_t mode) {
    uint32_t components = pm_path_component_count((pm_path)path);
    uint32_t slerp_floats = path == PM_PATH_ROTATION ? 2 : 0;
    uint32_t floats = mode == PM_TRACK_LINEAR ? 2 * components + slerp_floats : 4 * components;
    return (floats + 3) / 4 * 4;
}

// From one record of so many floats to the next, so that none straddles a cache line.
static inline uint32_t pm_record_bytes(uint32_t floats) {
    uint32_t bytes = floats * (uint32_t)sizeof(float);
    return bytes > 32 ? 64 : bytes;
}

#endif
