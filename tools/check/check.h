// One crowd of made-up clips, sampled in different ways and compared bit by bit.
#ifndef PM_CHECK_CHECK_H
#define PM_CHECK_CHECK_H

#include "passes.h"

#define PM_CHECK_INSTANCES 4096

// All output of a pass.
typedef struct pm_check_output {
    pm_pose_block *poses;
    float *scalars;
    uint64_t guarded_count;
} pm_check_output;

typedef struct pm_check {
    uint32_t worker_count;
    uint32_t clip_count;
    pm_synthetic_clip *clips;
    const pm_clip **clip_pointers;
    uint64_t clip_bytes, clip_hash;

    uint32_t *clip_index, *order;
    float *times;
    uint32_t cursor_count; // an instance
    uint16_t *cursors;
    size_t *pose_offsets, *scalar_offsets, pose_bytes, scalar_bytes;
    uint64_t joint_count;      // of all instances
    pm_check_output reference; // portable kernels called plainly: no cursors, no order, ordinary stores
    pm_check_output checked;   // what is compared with it
} pm_check;

// Makes clips and instances. Every failure in here ends the program with one line and code 1.
void pm_check_create(pm_check *check, uint32_t worker_count);
void pm_check_destroy(pm_check *check);

// Sets a pass's times and evaluates them the plain way, into `reference`.
void pm_check_run_reference(pm_check *check, const pm_pass *pass, uint64_t seed);

// Evaluates the same times on these kernels in the pass's way, into `checked`. Returns the seconds it took.
double pm_check_run_pass(pm_check *check, const pm_pass *pass, const pm_kernels *kernels);

// Whether `checked` is `reference`, padding lanes and the number of guarded lanes included. If not, the first
// difference is explained on stderr.
bool pm_check_compare(const pm_check *check, const pm_pass *pass, const pm_kernels *kernels);

// Adds an output's real joints and scalars, and the lanes guarded.
uint64_t pm_check_hash(const pm_check *check, const pm_check_output *output, uint64_t hash);

#endif
