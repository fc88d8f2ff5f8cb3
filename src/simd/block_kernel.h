// Posemill internals: one block of the poses of a batch.
//
// An instance's ten rows of a block are written one after the other, whatever tracks they come from: memory
// takes neighbouring cache lines in pairs, and streaming 3 lines here and 4 there costs a sixth of its
// bandwidth on some processors.
#ifndef PM_SIMD_BLOCK_KERNEL_H
#define PM_SIMD_BLOCK_KERNEL_H

#include "mixed_kernel.h"
#include "shared_kernel.h"

enum { SOURCES = 3 }; // of a block: translation, rotation, scale

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
    static const uint8_t shared_modes[] = {[PM_TRACK_STEP] = SOURCE_STEP,
                                           [PM_TRACK_LINEAR] = SOURCE_LINEAR,
                                           [PM_TRACK_SMOOTH] = SOURCE_SMOOTH,
                                           [PM_TRACK_CUBIC] = SOURCE_CUBIC,
                                           [PM_TRACK_BLENDED] = SOURCE_BLENDED};
    source from = {
        .mode = SOURCE_CONSTANT,
        .keys = clip_bytes(b->clip, track->keys_offset),
        .key_bytes = track->key_bytes,
        .masks = (const uint32_t *)clip_bytes(b->clip, track->masks_offset),
        .rest = &pm_clip_rest(b->clip)[track->block].rotation[0][0],
    };
    if (track->kind == PM_TRACK_SHARED) {
        from.mode = shared_modes[track->mode];
        from.at = segments_on(b, track->timeline, found);
    } else if (track->kind == PM_TRACK_MIXED) {
        from.mode = track->mode == PM_TRACK_LINEAR  ? SOURCE_MIXED_LINEAR
                    : track->mode == PM_TRACK_CUBIC ? SOURCE_MIXED_CUBIC
                                                    : SOURCE_MIXED_BLENDED;
        from.lanes = segments_in(b, track->timeline, found);
        from.first_segment = pm_clip_bundles(b->clip)[track->timeline].first_segment;
        from.record = found->record[path % SOURCES];
    }
    return from;
}

PM_INLINE void put_vector(float *output, const source *from, uint32_t mode, uint32_t i, uint32_t rows,
                          bool stream) {
    if (mode == SOURCE_CONSTANT) {
        put_rows(output, (const float *)from->keys, rows, stream);
    } else if (mode <= SOURCE_BLENDED) {
        const position at = position_of(from->at, i);
        put_shared_vector(output, from, mode, from->at->key[i], &at, rows, stream);
    } else {
        put_mixed_vector(output, from, i, rows, stream);
    }
}

PM_INLINE uint32_t put_rotation_path(float *output, const source *from, uint32_t mode, uint32_t i,
                                     bool stream) {
    if (mode == SOURCE_CONSTANT) {
        put_rows(output, (const float *)from->keys, 4, stream);
        return 0;
    }
    if (mode <= SOURCE_BLENDED) {
        const position at = position_of(from->at, i);
        return put_shared_rotation(output, from, mode, from->at->key[i], &at, stream);
    }
    return put_mixed_rotation(output, from, i, stream);
}

PM_INLINE uint64_t put_blocks(const batch *b, const source *from, size_t offset, uint32_t translation_mode,
                              uint32_t rotation_mode, uint32_t scale_mode, bool stream) {
    const source t = from[PM_PATH_TRANSLATION], r = from[PM_PATH_ROTATION], s = from[PM_PATH_SCALE];
    const uint32_t count = b->count;
    uint64_t guarded = 0;
    for (uint32_t i = 0; i < count; i++) {
        pm_pose_block *output = (pm_pose_block *)(b->pose[i] + offset);
        put_vector(output->translation[0], &t, translation_mode, i, 3, stream);
        guarded += put_rotation_path(output->rotation[0], &r, rotation_mode, i, stream);
        put_vector(output->scale[0], &s, scale_mode, i, 3, stream);
    }
    return guarded;
}

// Blocks whose paths are on one timeline, of which the most common kinds have a loop of their own.
PM_INLINE uint64_t put_blocks_together(const batch *b, const source *from, size_t offset, bool stream) {
    const source t = from[PM_PATH_TRANSLATION], r = from[PM_PATH_ROTATION], s = from[PM_PATH_SCALE];
    const segments *at = r.at;
    const uint32_t count = b->count;
    uint64_t guarded = 0;
    for (uint32_t i = 0; i < count; i++) {
        pm_pose_block *output = (pm_pose_block *)(b->pose[i] + offset);
        const position p = position_of(at, i);
        const uint32_t key = at->key[i];
        put_shared_vector(output->translation[0], &t, SOURCE_SMOOTH, key, &p, 3, stream);
        guarded += put_shared_rotation(output->rotation[0], &r, SOURCE_SMOOTH, key, &p, stream);
        put_shared_vector(output->scale[0], &s, SOURCE_SMOOTH, key, &p, 3, stream);
    }
    return guarded;
}

// Block `block` of all instances.
PM_INLINE uint64_t run_block(const batch *b, uint32_t block, found_segments *found, bool stream) {
    const pm_track *tracks = pm_clip_tracks(b->clip);
    const uint32_t *slots = pm_clip_slots(b->clip) + (size_t)block * SOURCES;
    source from[SOURCES];
    found->timelines.held = found->bundles.held = 0;
    for (uint32_t path = 0; path < SOURCES; path++)
        from[path] = find_source(b, tracks + slots[path], path, found);
    const size_t offset = block * sizeof(pm_pose_block);
    if (from[0].mode == SOURCE_SMOOTH && from[1].mode == SOURCE_SMOOTH && from[2].mode == SOURCE_SMOOTH &&
        from[0].at == from[1].at && from[1].at == from[2].at)
        return put_blocks_together(b, from, offset, stream);
    return put_blocks(b, from, offset, from[0].mode, from[1].mode, from[2].mode, stream);
}

// A block of scalars of all instances.
PM_INLINE void run_scalars(const batch *b, uint32_t block, found_segments *found, bool stream) {
    const uint32_t slot = SOURCES * pm_block_count(b->clip->joint_count) + block;
    const pm_track *track = pm_clip_tracks(b->clip) + pm_clip_slots(b->clip)[slot];
    found->timelines.held = found->bundles.held = 0;
    const source from = find_source(b, track, 0, found);
    for (uint32_t i = 0; i < b->count; i++)
        put_vector((float *)(b->scalars[i] + track->output_offset), &from, from.mode, i, 1, stream);
}

#endif
