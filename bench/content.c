#include "content.h"

#include "pages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool equal_times(const naive_channel *a, const naive_channel *b) {
    return a->key_count == b->key_count && !memcmp(a->times, b->times, a->key_count * sizeof *a->times);
}

// Different timelines of the channels that have more than one key.
static uint32_t count_timelines(const naive_clip *clip) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < clip->channel_count; i++) {
        bool is_new = clip->channels[i].key_count > 1;
        for (uint32_t j = 0; is_new && j < i; j++)
            if (equal_times(clip->channels + i, clip->channels + j)) is_new = false;
        count += is_new;
    }
    return count;
}

// Compiles one clip and copies it for the naive evaluator.
static bool add_clip(content *made, const pm_clip_source *source, const pm_skeleton *skeleton,
                     char reason[CONTENT_REASON_SIZE]) {
    pm_report report = {0};
    pm_clip *clip;
    pm_compile_options options = pm_default_compile_options();
    if (made->def.merged) options.merge_growth_limit = INFINITY;
    if (made->def.packed) options.key_bits = 16;
    if (pm_clip_compile(source, skeleton, &options, NULL, &clip, &report)) {
        snprintf(reason, CONTENT_REASON_SIZE, "%s", report.message);
        return false;
    }
    made->clips[made->clip_count] = clip;
    naive_clip *naive = made->naive + made->clip_count++;
    if (!naive_clip_create(naive, source, skeleton)) {
        snprintf(reason, CONTENT_REASON_SIZE, "out of memory");
        return false;
    }
    pm_clip_info info = pm_clip_get_info(clip);
    if (info.block_count > made->block_count) made->block_count = info.block_count;
    if (info.joint_count > made->joint_count) made->joint_count = info.joint_count;
    if (info.cursor_count > made->cursor_count) made->cursor_count = info.cursor_count;
    if (naive->channel_count > made->channel_count) made->channel_count = naive->channel_count;
    double cursor_bytes = info.cursor_count * (double)sizeof(uint16_t);
    double per_timeline = info.cursor_count ? cursor_bytes / count_timelines(naive) : 0;
    if (per_timeline > made->cursor_bytes_per_timeline) made->cursor_bytes_per_timeline = per_timeline;
    return true;
}

static bool make_room(content *made, size_t clip_count, char reason[CONTENT_REASON_SIZE]) {
    made->clips = calloc(clip_count, sizeof *made->clips);
    made->naive = calloc(clip_count, sizeof *made->naive);
    if (made->clips && made->naive) return true;
    snprintf(reason, CONTENT_REASON_SIZE, "out of memory");
    return false;
}

static bool make_up(content *made, char reason[CONTENT_REASON_SIZE]) {
    const content_def *def = &made->def;
    made->skeleton = motion_create_skeleton(def->joint_count);
    if (!made->skeleton || !make_room(made, def->clip_count, reason)) return false;
    for (uint32_t i = 0; i < def->clip_count; i++) {
        motion clip_motion;
        if (!motion_create(&clip_motion, def->keys, def->joint_count, def->key_count, i + 1)) return false;
        bool added = add_clip(made, &clip_motion.source, made->skeleton, reason);
        motion_destroy(&clip_motion);
        if (!added) return false;
    }
    return true;
}

static bool import(content *made, const char *data_folder, char reason[CONTENT_REASON_SIZE]) {
    size_t clip_count = 0;
    for (int i = 0; i < CONTENT_FILES_LIMIT && made->def.files[i]; i++) {
        const char *file = made->def.files[i];
        char path[1024];
        snprintf(path, sizeof path, "%s%s%s", file[0] == '/' ? "" : data_folder, file[0] == '/' ? "" : "/",
                 file);
        pm_report report = {0};
        if (pm_import_file(path, NULL, &made->scenes[i], &report)) {
            snprintf(reason, CONTENT_REASON_SIZE, "%s", report.message);
            return false;
        }
        clip_count += made->scenes[i]->clip_count;
    }
    if (!make_room(made, clip_count + 1, reason)) return false;
    for (int i = 0; i < CONTENT_FILES_LIMIT && made->scenes[i]; i++)
        for (uint32_t clip = 0; clip < made->scenes[i]->clip_count; clip++)
            if (!add_clip(made, made->scenes[i]->clips + clip, made->scenes[i]->skeleton, reason))
                return false;
    if (made->clip_count) return true;
    snprintf(reason, CONTENT_REASON_SIZE, "%s: no clips", made->def.files[0]);
    return false;
}

// All clips side by side in huge pages: they hold no pointers, so a copy is as good. Keys of many clips are
// then not looked up page by page.
static bool pack_clips(content *made) {
    size_t size = 0;
    for (uint32_t i = 0; i < made->clip_count; i++) size += pm_clip_get_info(made->clips[i]).size_bytes;
    char *next = made->packed = pages_allocate(size);
    made->packed_bytes = size;
    if (!next) return false;
    for (uint32_t i = 0; i < made->clip_count; i++) {
        size_t clip_size = pm_clip_get_info(made->clips[i]).size_bytes;
        memcpy(next, made->clips[i], clip_size);
        pm_clip_destroy((pm_clip *)made->clips[i], NULL);
        made->clips[i] = (const pm_clip *)next;
        next += clip_size;
    }
    return true;
}

bool content_create(content *made, const content_def *def, const char *data_folder,
                    char reason[CONTENT_REASON_SIZE]) {
    *made = (content){.def = *def};
    snprintf(reason, CONTENT_REASON_SIZE, "out of memory");
    if (def->files[0] ? import(made, data_folder, reason) : make_up(made, reason)) {
        if (pack_clips(made)) return true;
        snprintf(reason, CONTENT_REASON_SIZE, "out of memory");
    }
    content_destroy(made);
    return false;
}

bool content_def_equal(const content_def *a, const content_def *b) {
    bool equal = a->keys == b->keys && a->joint_count == b->joint_count && a->clip_count == b->clip_count &&
                 a->key_count == b->key_count && a->merged == b->merged && a->packed == b->packed;
    // Names are literals: equal files have equal addresses, or are read again.
    for (int i = 0; i < CONTENT_FILES_LIMIT; i++) equal = equal && a->files[i] == b->files[i];
    return equal;
}

void content_destroy(content *destroyed) {
    for (uint32_t i = 0; i < destroyed->clip_count; i++) {
        if (!destroyed->packed) pm_clip_destroy((pm_clip *)destroyed->clips[i], NULL);
        naive_clip_destroy(destroyed->naive + i);
    }
    free(destroyed->packed);
    free(destroyed->clips);
    free(destroyed->naive);
    pm_skeleton_destroy(destroyed->skeleton);
    for (int i = 0; i < CONTENT_FILES_LIMIT; i++) pm_scene_destroy(destroyed->scenes[i]);
    *destroyed = (content){0};
}
