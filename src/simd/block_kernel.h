// Posemill internals: one block of the poses of a batch.
//
// An instance's ten rows of a block are written one after the other, whatever tracks they come from: memory
// takes neighbouring cache lines in pairs, and streaming 3 lines here and 4 there costs a sixth of its
// bandwidth on some processors.
#ifndef PM_SIMD_BLOCK_KERNEL_H
#define PM_SIMD_BLOCK_KERNEL_H

#include "mixed_kernel.h"
#include "shared_kernel.h"

// SOURCES: of a block. Slots hold the segments of the timelines and bundles that blocks have used, so that
// they are found once a batch: clips of up to so many timelines do; most have one or two. A block needs at
// most as many as it has sources.
enum { SOURCES = PM_JOINT_PATHS, TIMELINE_SLOTS = 8, BUNDLE_SLOTS = SOURCES };

typedef struct holder {
    uint32_t count; // slots that have been filled
    uint32_t id[TIMELINE_SLOTS];
    uint32_t held; // bit i: slot i is in use by the block at hand
} holder;

typedef struct found_segments {
    holder timelines, bundles;
    bool restless; // see find_lane_segments
    segments shared[TIMELINE_SLOTS];
    lane_segments mixed[BUNDLE_SLOTS];
    _Alignas(64) float record[SOURCES][RECORD_FLOATS_LIMIT][LANES];
} found_segments;

PM_INLINE void forget_all(found_segments *found) {
    found->timelines.count = found->bundles.count = 0;
    found->restless = false;
}

// The slot of `id`, which stays its until the block is done. `is_new`: it has to be filled first.
PM_INLINE uint32_t hold(holder *h, uint32_t slot_count, uint32_t id, bool *is_new) {
    uint32_t slot = 0;
    while (slot < h->count && h->id[slot] != id) slot++;
    *is_new = slot == h->count;
    if (slot == slot_count)
        slot = (uint32_t)__builtin_ctz(~h->held);
    else if (slot == h->count)
        h->count++;
    h->held |= 1u << slot;
    h->id[slot] = id;
    return slot;
}

static const segments *segments_on(const batch *b, uint32_t timeline, found_segments *found) {
    bool is_new;
    segments *s = found->shared + hold(&found->timelines, TIMELINE_SLOTS, timeline, &is_new);
    if (is_new) find_segments(b, pm_clip_timelines(b->clip) + timeline, s);
    return s;
}

static const lane_segments *segments_in(const batch *b, uint32_t bundle, found_segments *found) {
    bool is_new;
    lane_segments *s = found->mixed + hold(&found->bundles, BUNDLE_SLOTS, bundle, &is_new);
    if (is_new) find_lane_segments(b, pm_clip_bundles(b->clip) + bundle, s, &found->restless);
    return s;
}

PM_INLINE void set_packing(const batch *b, const pm_track *track, source *from) {
    from->packing = (const float *)clip_bytes(b->clip, track->packing_offset);
    from->packed_rows = pm_track_rows(track->path, track->mode);
}

static source find_source(const batch *b, const pm_track *track, uint32_t path, found_segments *found) {
    source from = {
        .keys = clip_bytes(b->clip, track->keys_offset),
        .key_bytes = (size_t)track->key_bytes,
        .masks = (const uint32_t *)clip_bytes(b->clip, track->masks_offset),
        .rest = track->path == PM_PATH_ROTATION ? rest_of(b, track->block) : NULL,
        .mode = source_mode_of(track),
        .is_there = b->has_constants,
    };
    if (track->kind == PM_TRACK_SHARED) {
        from.at = segments_on(b, track->timeline, found);
        if (track->packing_offset) set_packing(b, track, &from);
    } else if (track->kind == PM_TRACK_MIXED) {
        from.lanes = segments_in(b, track->timeline, found);
        from.record = found->record[path];
    }
    return from;
}

// Instance i's translations, scales or scalars of a constant or shared track. `mode` is from->mode, apart so
// that a caller who knows it compiles no other; `common` is the instance's place if the block's tracks share
// a timeline, or NULL.
PM_INLINE void put_plain_vector(float *output, const source *from, uint32_t mode, uint32_t i,
                                const place *common, uint32_t rows, bool stream) {
    if (mode == SOURCE_CONSTANT) {
        if (!from->is_there) put_rows(output, (const float *)from->keys, rows, stream);
    } else {
        const place here = common ? *common : place_of(from->at, i);
        put_shared_vector(output, from, mode, &here, rows, stream);
    }
}

// The same for rotations. Returns how many lanes were guarded.
PM_INLINE uint32_t put_plain_rotation(float *output, const source *from, uint32_t mode, uint32_t i,
                                      const place *common, bool stream) {
    if (mode == SOURCE_CONSTANT) {
        if (!from->is_there) put_rows(output, (const float *)from->keys, 4, stream);
        return 0;
    }
    const place here = common ? *common : place_of(from->at, i);
    return put_shared_rotation(output, from, mode, &here, stream);
}

// Of any track.
PM_INLINE void put_any_vector(float *output, const source *from, uint32_t i, uint32_t rows, bool stream) {
    if (from->mode >= SOURCE_MIXED)
        put_mixed_vector(output, from, i, rows, stream);
    else
        put_plain_vector(output, from, from->mode, i, NULL, rows, stream);
}

PM_INLINE uint32_t put_any_rotation(float *output, const source *from, uint32_t i, bool stream) {
    if (from->mode >= SOURCE_MIXED) return put_mixed_rotation(output, from, i, stream);
    return put_plain_rotation(output, from, from->mode, i, NULL, stream);
}

// Instance by instance.
PM_INLINE uint64_t put_together(const batch *b, const source *from, size_t offset, bool stream) {
    const source t = from[PM_PATH_TRANSLATION], r = from[PM_PATH_ROTATION], s = from[PM_PATH_SCALE];
    const uint32_t count = b->count;
    const outputs poses = b->poses;
    uint64_t guarded = 0;
    for (uint32_t i = 0; i < count; i++) {
        pm_pose_block *output = output_of(&poses, i, offset);
        put_any_vector(output->translation[0], &t, i, 3, stream);
        guarded += put_any_rotation(output->rotation[0], &r, i, stream);
        put_any_vector(output->scale[0], &s, i, 3, stream);
    }
    return guarded;
}

// Path by path, which suits mixed tracks in the cache: their rows of records do not crowd each other.
PM_INLINE uint64_t put_apart(const batch *b, const source *from, size_t offset, bool stream) {
    const source t = from[PM_PATH_TRANSLATION], r = from[PM_PATH_ROTATION], s = from[PM_PATH_SCALE];
    const uint32_t count = b->count;
    const outputs poses = b->poses;
    uint64_t guarded = 0;
    for (uint32_t i = 0; i < count; i++)
        put_any_vector(output_of(&poses, i, offset + offsetof(pm_pose_block, translation)), &t, i, 3, stream);
    for (uint32_t i = 0; i < count; i++)
        guarded +=
            put_any_rotation(output_of(&poses, i, offset + offsetof(pm_pose_block, rotation)), &r, i, stream);
    for (uint32_t i = 0; i < count; i++)
        put_any_vector(output_of(&poses, i, offset + offsetof(pm_pose_block, scale)), &s, i, 3, stream);
    return guarded;
}

// Blocks of any kind.
PM_INLINE uint64_t put_blocks(const batch *b, const pm_track *tracks, found_segments *found, bool stream) {
    source from[SOURCES];
    bool mixed = false;
    for (uint32_t path = 0; path < SOURCES; path++) {
        from[path] = find_source(b, tracks + path, path, found);
        mixed = mixed || from[path].mode >= SOURCE_MIXED;
    }
    const size_t offset = tracks->block * sizeof(pm_pose_block);
    return mixed && !stream ? put_apart(b, from, offset, stream) : put_together(b, from, offset, stream);
}

static PM_NOINLINE uint64_t put_blocks_stored(const batch *b, const pm_track *tracks, found_segments *found) {
    return put_blocks(b, tracks, found, false);
}

static PM_NOINLINE uint64_t put_blocks_streamed(const batch *b, const pm_track *tracks,
                                                found_segments *found) {
    return put_blocks(b, tracks, found, true);
}

// What find_source says of a constant or shared track, but for the segments.
PM_INLINE source find_plain_source(const batch *b, const pm_track *track, uint32_t mode) {
    source from = {
        .keys = clip_bytes(b->clip, track->keys_offset),
        .key_bytes = (size_t)track->key_bytes,
        .rest = rest_of(b, track->block),
        .is_there = b->has_constants,
    };
    if (mode >= SOURCE_PACKED_LINEAR && mode <= SOURCE_PACKED_CUBIC) set_packing(b, track, &from);
    return from;
}

PM_INLINE const segments *segments_of(const batch *b, const pm_track *track, found_segments *found) {
    return track->kind == PM_TRACK_SHARED ? segments_on(b, track->timeline, found) : NULL;
}

// Blocks of plain tracks, of modes that the caller knows. `together`: those that move are on one timeline,
// the rotation among them.
PM_INLINE uint64_t put_plain_blocks(const batch *b, const pm_track *tracks, found_segments *found,
                                    uint32_t translation_mode, uint32_t rotation_mode, uint32_t scale_mode,
                                    bool together, bool stream) {
    source t = find_plain_source(b, tracks, translation_mode);
    source r = find_plain_source(b, tracks + 1, rotation_mode);
    source s = find_plain_source(b, tracks + 2, scale_mode);
    r.at = segments_of(b, tracks + 1, found);
    if (together) {
        t.key_bytes = s.key_bytes = r.key_bytes; // of the timeline's frames
    } else {
        t.at = segments_of(b, tracks, found);
        s.at = segments_of(b, tracks + 2, found);
    }
    const size_t offset = tracks->block * sizeof(pm_pose_block);
    const uint32_t count = b->count;
    const outputs poses = b->poses;
    uint64_t guarded = 0;
    for (uint32_t i = 0; i < count; i++) {
        pm_pose_block *output = output_of(&poses, i, offset);
        place here;
        if (together) here = place_of(r.at, i);
        const place *common = together ? &here : NULL;
        put_plain_vector(output->translation[0], &t, translation_mode, i, common, 3, stream);
        guarded += put_plain_rotation(output->rotation[0], &r, rotation_mode, i, common, stream);
        put_plain_vector(output->scale[0], &s, scale_mode, i, common, 3, stream);
    }
    return guarded;
}

// Three modes, and whether all tracks that move are on the rotation's timeline, as one number.
#define KIND(translation, rotation, scale, together)                                                         \
    ((uint32_t)(translation) << 9 | (uint32_t)(rotation) << 5 | (uint32_t)(scale) << 1 | (together))

PM_INLINE bool is_on(const pm_track *track, uint32_t timeline) {
    return track->kind == PM_TRACK_CONSTANT || track->timeline == timeline;
}

// A block of all instances; `tracks` are its three. The kinds that real clips are made of have loops of their
// own.
PM_INLINE uint64_t run_block(const batch *b, const pm_track *tracks, found_segments *found, bool stream) {
    enum { C = SOURCE_CONSTANT, L = SOURCE_LINEAR, S = SOURCE_SMOOTH, K = SOURCE_CUBIC };
    enum { PL = SOURCE_PACKED_LINEAR, PS = SOURCE_PACKED_SMOOTH };
    const pm_track *t = tracks, *r = tracks + 1, *s = tracks + 2;
    found->timelines.held = found->bundles.held = 0;
    const bool together = r->kind == PM_TRACK_SHARED && is_on(t, r->timeline) && is_on(s, r->timeline);
    switch (KIND(source_mode_of(t), source_mode_of(r), source_mode_of(s), together)) {
    case KIND(C, C, C, 0):
        return b->has_constants ? 0 : put_plain_blocks(b, tracks, found, C, C, C, false, stream);
    case KIND(C, L, C, 1):
        return put_plain_blocks(b, tracks, found, C, L, C, true, stream);
    case KIND(L, L, C, 1):
        return put_plain_blocks(b, tracks, found, L, L, C, true, stream);
    case KIND(L, L, L, 1):
        return put_plain_blocks(b, tracks, found, L, L, L, true, stream);
    case KIND(L, L, L, 0):
        return put_plain_blocks(b, tracks, found, L, L, L, false, stream);
    case KIND(L, S, L, 1):
        return put_plain_blocks(b, tracks, found, L, S, L, true, stream);
    case KIND(C, S, C, 1):
        return put_plain_blocks(b, tracks, found, C, S, C, true, stream);
    case KIND(S, S, C, 1):
        return put_plain_blocks(b, tracks, found, S, S, C, true, stream);
    case KIND(S, S, S, 1):
        return put_plain_blocks(b, tracks, found, S, S, S, true, stream);
    case KIND(K, K, K, 1):
        return put_plain_blocks(b, tracks, found, K, K, K, true, stream);
    case KIND(C, PL, C, 1):
        return put_plain_blocks(b, tracks, found, C, PL, C, true, stream);
    case KIND(PL, PL, C, 1):
        return put_plain_blocks(b, tracks, found, PL, PL, C, true, stream);
    case KIND(PL, PL, PL, 1):
        return put_plain_blocks(b, tracks, found, PL, PL, PL, true, stream);
    case KIND(PS, PS, PS, 1):
        return put_plain_blocks(b, tracks, found, PS, PS, PS, true, stream);
    default:
        return stream ? put_blocks_streamed(b, tracks, found) : put_blocks_stored(b, tracks, found);
    }
}

// A block of scalars of all instances.
PM_INLINE void run_scalars(const batch *b, const pm_track *track, found_segments *found, bool stream) {
    found->timelines.held = found->bundles.held = 0;
    const source from = find_source(b, track, 0, found);
    const size_t offset = track->block * LANES * sizeof(float);
    const outputs scalars = b->scalars;
    for (uint32_t i = 0; i < b->count; i++)
        put_any_vector(output_of(&scalars, i, offset), &from, i, 1, stream);
}

#endif
