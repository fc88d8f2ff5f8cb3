#include "check.h"
#include "hash.h"

#include <stdio.h>

bool pm_check_clips(const pm_check *check, uint64_t *hash) {
    const pm_corpus *corpus = check->corpus;
    uint64_t own = PM_CHECK_HASH_START;
    uint32_t track_counts[PM_TRACK_KIND_COUNT] = {0};
    for (uint32_t i = 0; i < corpus->clip_count; i++) {
        pm_clip_info info = pm_clip_get_info(corpus->clips[i]);
        own = pm_check_hash(own, corpus->clips[i], info.size_bytes);
        for (uint32_t track = 0; track < info.track_count; track++)
            track_counts[pm_clip_get_track(corpus->clips[i], track).kind]++;
    }
    char note[80];
    snprintf(note, sizeof note, "%u clips; tracks: %u constant, %u shared, %u mixed",
             (unsigned)corpus->clip_count, (unsigned)track_counts[PM_TRACK_CONSTANT],
             (unsigned)track_counts[PM_TRACK_SHARED], (unsigned)track_counts[PM_TRACK_MIXED]);
    pm_check_print("clips", "-", true, own, note);
    *hash = pm_check_hash(*hash, &own, sizeof own);
    return true;
}
