// Instances of all clips of the corpus, at times of every kind, and the room that sampling them needs.
#ifndef PM_CHECK_CROWD_H
#define PM_CHECK_CROWD_H

#include "corpus.h"

typedef struct pm_check_crowd {
    const pm_corpus *corpus;
    uint32_t instance_count;
    uint32_t *clip_index;   // [instance_count], neighbours rarely the same
    float *time_seconds;    // [instance_count]
    uint32_t *by_clip;      // [instance_count], an order in which instances of one clip are neighbours
    uint32_t *shuffled;     // [instance_count], another order
    size_t *pose_offsets;   // [instance_count], with gaps that nothing may be written to
    size_t *scalar_offsets; // [instance_count], the same
    uint32_t cursor_count;  // the most that a clip needs
    size_t pose_bytes, scalar_bytes, cursor_bytes;
} pm_check_crowd;

// What sampling a crowd writes.
typedef struct pm_check_output {
    pm_pose_block *poses;
    float *scalars;
    uint16_t *cursors;
} pm_check_output;

// False when memory is short; destroy it either way.
bool pm_check_crowd_create(pm_check_crowd *crowd, const pm_corpus *corpus);
void pm_check_crowd_destroy(pm_check_crowd *crowd);

// Cursors are zero. False when memory is short; destroy it either way.
bool pm_check_output_create(pm_check_output *output, const pm_check_crowd *crowd);
void pm_check_output_destroy(pm_check_output *output);

// Fills poses and scalars with a pattern that no kernel writes.
void pm_check_output_clear(pm_check_output *output, const pm_check_crowd *crowd);

// Whether two outputs have the same poses and scalars, padding and gaps included. If not, the first
// difference is explained on stderr, as one of `label`.
bool pm_check_output_equal(const pm_check_output *output, const pm_check_output *expected,
                           const pm_check_crowd *crowd, const char *label);

// The hash so far, and all poses and scalars.
uint64_t pm_check_output_hash(const pm_check_output *output, const pm_check_crowd *crowd, uint64_t hash);

#endif
