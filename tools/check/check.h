// posemill-check: whether kernels and compile give the same bits here as everywhere else.
//
// Each section looks at one part of the runtime and boils its results down to a hash. What the hashes of all
// sections come to is the same on every target, compiler, optimisation level and number of threads. Needs
// nothing but the runtime and the C library.
#ifndef PM_CHECK_CHECK_H
#define PM_CHECK_CHECK_H

#include "corpus.h"
#include "workers.h"

#include <posemill/posemill.h>

// What sections are given.
typedef struct pm_check {
    const pm_corpus *corpus;
    const char *isa; // the only kernels to compare with the portable ones, or NULL for all that run here
    uint32_t worker_count; // threads to share work between, see pm_workers_run
} pm_check;

// Reports on one part of the runtime, a row (pm_check_print) for each set of kernels, and adds results to
// *hash. False if something was not as it must be, after a line on stderr.
typedef bool pm_check_section(const pm_check *check, uint64_t *hash);

pm_check_section pm_check_maths;       // elementary functions
pm_check_section pm_check_curves;      // keys and rules as curves and channels
pm_check_section pm_check_clips;       // the bytes of clips
pm_check_section pm_check_play;        // clip times, events, root motion, fades
pm_check_section pm_check_sample;      // poses
pm_check_section pm_check_blend;       // poses from layers
pm_check_section pm_check_interpolate; // poses between poses
pm_check_section pm_check_palette;     // model matrices and palettes of poses
pm_check_section pm_check_speed;       // how long samples take; adds nothing to the hash

// The index-th kernels to check, or NULL behind the last.
const pm_kernels *pm_check_kernels(const pm_check *check, uint32_t index);

// A row of the report. `kernels` is "-" where none are used.
void pm_check_print(const char *section, const char *kernels, bool ok, uint64_t hash, const char *note);

// One line on stderr. Hands back false, so that a failing check ends in one line.
bool pm_check_complain(const char *format, ...);

#endif
