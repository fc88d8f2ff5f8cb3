#include "check.h"
#include "hash.h"

#include <stdio.h>

bool pm_check_clips(const pm_check *check, uint64_t *hash) {
    const pm_corpus *corpus = check->corpus;
    size_t size = 0;
    uint64_t own = PM_CHECK_HASH_START;
    for (uint32_t i = 0; i < corpus->clip_count; i++) {
        size_t clip_size = pm_clip_get_info(corpus->clips[i]).size_bytes;
        own = pm_check_hash(own, corpus->clips[i], clip_size);
        size += clip_size;
    }
    char note[64];
    snprintf(note, sizeof note, "%u clips, %zu bytes", (unsigned)corpus->clip_count, size);
    pm_check_print("clips", "-", true, own, note);
    *hash = pm_check_hash(*hash, &own, sizeof own);
    return true;
}
