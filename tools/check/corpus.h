// The clips that every section works on, the same on every target.
#ifndef PM_CHECK_CORPUS_H
#define PM_CHECK_CORPUS_H

#include "synthetic.h"

typedef struct pm_corpus {
    uint32_t clip_count;
    pm_synthetic_clip *synthetic; // [clip_count]
    const pm_clip **clips;        // [clip_count], of these
} pm_corpus;

// Makes all clips; false after one line on stderr.
bool pm_corpus_create(pm_corpus *corpus);

// A zeroed one is allowed.
void pm_corpus_destroy(pm_corpus *corpus);

#endif
