// Posemill internals: one block of the poses of a batch.
//
// An instance's ten rows of a block are written one after the other, whatever tracks they come from: memory
// takes neighbouring cache lines in pairs, and streaming 3 lines here and 4 there costs a sixth of its
// bandwidth on some processors.
#ifndef PM_SIMD_BLOCK_KERNEL_H
#define PM_SIMD_BLOCK_KERNEL_H

#include "mixed_kernel.h"
#include "shared_kernel.h"

enum { SOURCES = PM_JOINT_PATHS }; // of a block

// Whose segments are at hand: a few timelines, as most clips have one or two, and bundles.
typedef struct holder {
    uint32_t id[SOURCES]; // PM_NONE: none
    uint32_t held;        // bit i: place i is in use by the block at hand
} holder;

typedef struct found_segments {
    holder timelines, bundles;
    segments shared[SOURCES];
    lane_segments mixed[SOURCES];
    _Alignas(64) float record[SOURCES][RECORD_FLOATS_LIMIT][LANES];
} found_segments;

PM_INLINE void forget_all(found_segments *found) {
    for (uint32_t i = 0; i < SOURCES; i++) found->timelines.id[i] = found->bundles.id[i] = PM_NONE;
}

// The place of `id`, which stays its until the block is done. `is_new`: it has to be filled first.
PM_INLINE uint32_t hold(holder *h, uint32_t id, bool *is_new) {
    uint32_t place = 0;
    while (place < SOURCES && h->id[place] != id) place++;
    *is_new = place == SOURCES;
    if (*is_new) place = (uint32_t)__builtin_ctz(~h->held);
    h->held |= 1u << place;
    h->id[place] = id;
    return place;
}

static const segments *segments_on(const batch *b, uint32_t timeline, found_segments *found) {
    bool is_new;
    segments *s = found->shared + hold(&found->timelines, timeline, &is_new);
    if (is_new) find_segments(b, pm_clip_timelines(b->clip) + timeline, s);
    return s;
}

static const lane_segments *segments_in(const batch *b, uint32_t bundle, found_segments *found) {
    bool is_new;
    lane_segments *s = found->mixed + hold(&found->bundles, bundle, &is_new);
    if (is_new) find_lane_segments(b, pm_clip_bundles(b->clip) + bundle, s);
    return s;
}

static source find_source(const batch *b, const pm_track *track, uint32_t path, found_segments *found) {
    source from = {
        .keys = clip_bytes(b->clip, track->keys_offset),
        .key_bytes = (size_t)track->key_bytes,
        .masks = (const uint32_t *)clip_bytes(b->clip, track->masks_offset),
        .rest = rest_of(b, track->block),
        .mode = source_mode_of(track),
        .is_there = b->has_constants,
    };
    if (track->kind == PM_TRACK_SHARED) {
        from.at = segments_on(b, track->timeline, found);
    } else if (track->kind == PM_TRACK_MIXED) {
        from.lanes = segments_in(b, track->timeline, found);
        from.first_segment = pm_clip_bundles(b->clip)[track->timeline].first_segment;
        from.record = found->record[path];
    }
    return from;
}

// Instance i's translations, scales or scalars, of whatever kind.
PM_INLINE void put_vector(float *output, const source *from, uint32_t i, uint32_t rows, bool stream) {
    if (from->mode == SOURCE_CONSTANT) {
        if (!from->is_there) put_rows(output, (const float *)from->keys, rows, stream);
    } else if (from->mode <= SOURCE_BLENDED) {
        const position at = position_of(from->at, i);
        put_shared_vector(output, from, from->mode, from->at->key[i], &at, rows, stream);
    } else {
        put_mixed_vector(output, from, i, rows, stream);
    }
}

// The same for rotations. Returns how many lanes were guarded.
PM_INLINE uint32_t put_quaternion(float *output, const source *from, uint32_t i, bool stream) {
    if (from->mode == SOURCE_CONSTANT) {
        if (!from->is_there) put_rows(output, (const float *)from->keys, 4, stream);
        return 0;
    }
    if (from->mode > SOURCE_BLENDED) return put_mixed_rotation(output, from, i, stream);
    const position at = position_of(from->at, i);
    return put_shared_rotation(output, from, from->mode, from->at->key[i], &at, stream);
}

// Instance by instance.
PM_INLINE uint64_t put_together(const batch *b, const source *from, size_t offset, bool stream) {
    const source t = from[PM_PATH_TRANSLATION], r = from[PM_PATH_ROTATION], s = from[PM_PATH_SCALE];
    const uint32_t count = b->count;
    uint64_t guarded = 0;
    for (uint32_t i = 0; i < count; i++) {
        pm_pose_block *output = (pm_pose_block *)(b->pose[i] + offset);
        put_vector(output->translation[0], &t, i, 3, stream);
        guarded += put_quaternion(output->rotation[0], &r, i, stream);
        put_vector(output->scale[0], &s, i, 3, stream);
    }
    return guarded;
}

// Path by path, which suits mixed tracks in the cache: their rows of records do not crowd each other.
PM_INLINE uint64_t put_apart(const batch *b, const source *from, size_t offset, bool stream) {
    const source t = from[PM_PATH_TRANSLATION], r = from[PM_PATH_ROTATION], s = from[PM_PATH_SCALE];
    const uint32_t count = b->count;
    uint64_t guarded = 0;
    for (uint32_t i = 0; i < count; i++)
        put_vector(((pm_pose_block *)(b->pose[i] + offset))->translation[0], &t, i, 3, stream);
    for (uint32_t i = 0; i < count; i++)
        guarded += put_quaternion(((pm_pose_block *)(b->pose[i] + offset))->rotation[0], &r, i, stream);
    for (uint32_t i = 0; i < count; i++)
        put_vector(((pm_pose_block *)(b->pose[i] + offset))->scale[0], &s, i, 3, stream);
    return guarded;
}

// Blocks of any kind.
PM_INLINE uint64_t put_blocks(const batch *b, const pm_track *tracks, found_segments *found, bool stream) {
    source from[SOURCES];
    bool mixed = false;
    for (uint32_t path = 0; path < SOURCES; path++) {
        from[path] = find_source(b, tracks + path, path, found);
        mixed = mixed || from[path].mode > SOURCE_BLENDED;
    }
    const size_t offset = tracks->block * sizeof(pm_pose_block);
    return mixed && !stream ? put_apart(b, from, offset, stream) : put_together(b, from, offset, stream);
}

PM_APART uint64_t put_blocks_stored(const batch *b, const pm_track *tracks, found_segments *found) {
    return put_blocks(b, tracks, found, false);
}

PM_APART uint64_t put_blocks_streamed(const batch *b, const pm_track *tracks, found_segments *found) {
    return put_blocks(b, tracks, found, true);
}

// The most common kind: constants, and tracks on one timeline, whose modes the caller knows.
PM_INLINE uint64_t put_uniform_blocks(const batch *b, const pm_track *tracks, const segments *at,
                                      uint32_t translation_mode, uint32_t rotation_mode, uint32_t scale_mode,
                                      bool stream) {
    const size_t frame_bytes = (size_t)tracks[1].key_bytes, offset = tracks->block * sizeof(pm_pose_block);
    const source t = {.keys = clip_bytes(b->clip, tracks[0].keys_offset), .key_bytes = frame_bytes};
    const source r = {.keys = clip_bytes(b->clip, tracks[1].keys_offset),
                      .key_bytes = frame_bytes,
                      .rest = rest_of(b, tracks->block)};
    const source s = {.keys = clip_bytes(b->clip, tracks[2].keys_offset), .key_bytes = frame_bytes};
    const uint32_t count = b->count;
    const bool are_there = b->has_constants;
    uint64_t guarded = 0;
    for (uint32_t i = 0; i < count; i++) {
        pm_pose_block *output = (pm_pose_block *)(b->pose[i] + offset);
        const position p = position_of(at, i);
        const uint32_t key = at->key[i];
        if (translation_mode != SOURCE_CONSTANT)
            put_shared_vector(output->translation[0], &t, translation_mode, key, &p, 3, stream);
        else if (!are_there)
            put_rows(output->translation[0], (const float *)t.keys, 3, stream);
        guarded += put_shared_rotation(output->rotation[0], &r, rotation_mode, key, &p, stream);
        if (scale_mode != SOURCE_CONSTANT)
            put_shared_vector(output->scale[0], &s, scale_mode, key, &p, 3, stream);
        else if (!are_there)
            put_rows(output->scale[0], (const float *)s.keys, 3, stream);
    }
    return guarded;
}

#define MODES(translation, rotation, scale) ((translation) << 8 | (rotation) << 4 | (scale))

// A block of all instances; `tracks` are its three.
PM_INLINE uint64_t run_block(const batch *b, const pm_track *tracks, found_segments *found, bool stream) {
    enum { C = SOURCE_CONSTANT, L = SOURCE_LINEAR, S = SOURCE_SMOOTH, K = SOURCE_CUBIC };
    const pm_track *t = tracks, *r = tracks + 1, *s = tracks + 2;
    const uint32_t modes = MODES(source_mode_of(t), source_mode_of(r), source_mode_of(s));
    if (modes == MODES(C, C, C) && b->has_constants) return 0;
    found->timelines.held = found->bundles.held = 0;
    bool on_one_timeline = r->kind == PM_TRACK_SHARED &&
                           (t->kind == PM_TRACK_CONSTANT || t->timeline == r->timeline) &&
                           (s->kind == PM_TRACK_CONSTANT || s->timeline == r->timeline);
    const segments *at = on_one_timeline ? segments_on(b, r->timeline, found) : NULL;
    switch (on_one_timeline ? modes : MODES(C, C, C)) {
    case MODES(L, L, L):
        return put_uniform_blocks(b, tracks, at, L, L, L, stream);
    case MODES(L, L, C):
        return put_uniform_blocks(b, tracks, at, L, L, C, stream);
    case MODES(C, L, C):
        return put_uniform_blocks(b, tracks, at, C, L, C, stream);
    case MODES(S, S, S):
        return put_uniform_blocks(b, tracks, at, S, S, S, stream);
    case MODES(S, S, C):
        return put_uniform_blocks(b, tracks, at, S, S, C, stream);
    case MODES(C, S, C):
        return put_uniform_blocks(b, tracks, at, C, S, C, stream);
    case MODES(L, S, L):
        return put_uniform_blocks(b, tracks, at, L, S, L, stream);
    case MODES(K, K, K):
        return put_uniform_blocks(b, tracks, at, K, K, K, stream);
    default:
        return stream ? put_blocks_streamed(b, tracks, found) : put_blocks_stored(b, tracks, found);
    }
}

// A block of scalars of all instances.
PM_INLINE void run_scalars(const batch *b, const pm_track *track, found_segments *found, bool stream) {
    found->timelines.held = found->bundles.held = 0;
    const source from = find_source(b, track, 0, found);
    const size_t offset = track->block * LANES * sizeof(float);
    for (uint32_t i = 0; i < b->count; i++)
        put_vector((float *)(b->scalars[i] + offset), &from, i, 1, stream);
}

#endif
