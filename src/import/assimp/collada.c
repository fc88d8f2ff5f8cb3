#include "collada.h"

#include <string.h>

static const char *find(const char *from, const char *end, const char *text) {
    size_t length = strlen(text);
    for (; from < end && (size_t)(end - from) >= length; from++) {
        from = memchr(from, text[0], (size_t)(end - from) - length + 1);
        if (!from) return NULL;
        if (!memcmp(from, text, length)) return from;
    }
    return NULL;
}

// The value of the target attribute of the next <channel>, without quotes; false if there is none.
static bool next_target(const char **from, const char *end, const char **start, const char **stop) {
    while ((*from = find(*from, end, "<channel"))) {
        *from += strlen("<channel");
        const char *close = memchr(*from, '>', (size_t)(end - *from));
        const char *target = find(*from, close ? close : end, "target");
        const char *limit = close ? close : end;
        if (!target) continue;
        for (target += strlen("target"); target < limit && *target != '"' && *target != '\'';) target++;
        *start = target < limit ? target + 1 : limit;
        *stop = target < limit ? memchr(*start, *target, (size_t)(limit - *start)) : NULL;
        if (*stop) return true;
    }
    return false;
}

// Whether Assimp takes a channel for one of morph weights: by its name, or because it names no part of a
// node.
static bool is_morph(const char *start, const char *stop) {
    return find(start, stop, "morph-weights") || !memchr(start, '/', (size_t)(stop - start));
}

pm_result pm_collada_silence_morphs(pm_scene_builder *builder, pm_bytes *bytes) {
    const char *text = (const char *)bytes->data, *end = text + bytes->size, *from = text, *start, *stop;
    if (memchr(text, '\0', bytes->size))
        return pm_fail(builder->report, PM_ERROR_UNSUPPORTED, PM_FAULT_FILE_UNSUPPORTED,
                       pm_scene_builder_place(builder, NULL, NULL), "Collada is read in UTF-8 only");
    char *copy = NULL;
    while (next_target(&from, end, &start, &stop)) {
        if (!is_morph(start, stop)) continue;
        if (!copy) copy = pm_arena_copy_text(&builder->scratch, text, bytes->size);
        char *name = pm_arena_copy_text(&builder->scratch, start, (size_t)(stop - start));
        if (!copy || !name) return pm_fail_memory(builder->report, "a file's content");
        // Targets with more than one slash are passed over.
        memset(copy + (start - text), '/', (size_t)(stop - start));
        pm_diagnose(builder->report, PM_SEVERITY_DROPPED, PM_FAULT_TARGET_UNSUPPORTED,
                    pm_scene_builder_place(builder, NULL, name),
                    "morph weights of Collada are not read; left out");
    }
    if (copy) bytes->data = (const uint8_t *)copy;
    return PM_OK;
}
