// Posemill: root motion, a clip's walk taken out of its pose, and given back as a step for each instance.
//
//     pm_motion_options options = pm_default_motion_options();
//     options.joint = pm_skeleton_find_joint(skeleton, "Hips");
//     pm_motion_split *split;
//     if (pm_motion_split_create(&source, skeleton, &options, NULL, &split, &report)) ...
//     pm_clip_compile(&split->source, skeleton, NULL, NULL, &clip, &report);   // walks on the spot
//     ...
//     pm_motion_job job = pm_default_motion_job();
//     job.clips = clips;   job.motions = motions;            // one for each clip: split->motion, or NULL
//     job.from_phases = last_phases;   job.to_phases = phases;   job.deltas = deltas;   ...
//     pm_motion_run(&job, begin, end);                       // from any thread, on disjoint ranges
//     place[i] = place[i] * deltas[i];                       // the host's: where the character stands
//
// The joint's local transform L(t) is split as M(t) * R(t): the motion M is a translation and a turn about
// the up axis, and R what remains in the pose. M is identity at clip time 0, so poses start as they were.
// Where the translation of an axis is taken out, R keeps it at its value at time 0; where the turn is taken
// out, R has none left but the one at time 0. Clips that are not split stay as they are.
//
// A translation without a turn is split exactly, curve by curve. With the turn, M and R are cubic curves that
// meet M * R = L, and its velocity, at their keys; keys are added until they meet it in between, within the
// options' tolerances.
#ifndef POSEMILL_MOTION_H
#define POSEMILL_MOTION_H

#include "channel.h"
#include "playback.h"
#include "report.h"
#include "skeleton.h"

#ifdef __cplusplus
extern "C" {
#endif

// The track that a clip's motion has become: one immutable, position-independent block, like a clip.
typedef struct pm_motion pm_motion;

// Obtain from pm_default_motion_options(), then change fields.
//   joint              whose motion it is: the root of what moves
//   axes               translation along x, y, z that is taken out, in the space of the joint's parent
//   turn               whether the turn about the up axis is taken out
//   up_axis            0, 1 or 2: the axis that the turn is about
//   tolerance_radians  how far the rotation may be off between keys where the turn is taken out
//   tolerance          the same for the translation, in its units
typedef struct pm_motion_options {
    uint32_t cookie; // set by pm_default_motion_options; anything else is PM_ERROR_ARGUMENT
    uint32_t joint;
    bool axes[3];
    bool turn;
    uint32_t up_axis;
    double tolerance_radians;
    double tolerance;
} pm_motion_options;

// Joint 0, x and z and the turn about y, 1e-4 radians and 1e-4 units.
PM_API pm_motion_options pm_default_motion_options(void);

// A source without its motion, and the motion.
typedef struct pm_motion_split {
    pm_clip_source source; // to compile; what was not changed still lies in the source that was split
    const pm_motion *motion;
    size_t motion_size; // bytes of the motion, for hosts that keep it elsewhere
} pm_motion_split;

// Splits a clip's motion from its channels. Faults of the joint's channels are mended as by compile's repair
// policy, with diagnostics. A joint whose translation and rotation have no channels has no motion, which is
// no fault. Channels with an easing or a cadence are PM_ERROR_UNSUPPORTED: their motion is not a smooth
// curve.
//   allocator  NULL for the C library's; used by pm_motion_split_destroy, too
//   split      receives the result; NULL on failure
PM_API pm_result pm_motion_split_create(const pm_clip_source *source, const pm_skeleton *skeleton,
                                        const pm_motion_options *options, const pm_allocator *allocator,
                                        pm_motion_split **split, pm_report *report);

// Releases a split with its motion; NULL is allowed.
PM_API void pm_motion_split_destroy(pm_motion_split *split);

// Checks that `size` bytes at `memory` are a motion (PM_ERROR_FORMAT otherwise). Any bytes are safe to pass.
// Takes no copy: on success *motion is `memory`, which must stay as it is while the motion is in use.
//   memory  64-byte aligned (PM_ERROR_ARGUMENT otherwise)
PM_API pm_result pm_motion_load(const void *memory, size_t size, const pm_motion **motion, pm_report *report);

// A translation, then a turn about the up axis.
typedef struct pm_motion_delta {
    float translation[3];
    float rotation[4]; // xyzw
    float turn_radians;
} pm_motion_delta;

// M at a clip time (clamped to the motion's keys; NaN counts as 0).
PM_API pm_motion_delta pm_motion_evaluate(const pm_motion *motion, double time_seconds);

// Everything a run reads and writes; plain data. Obtain from pm_default_motion_job().
typedef struct pm_motion_job {
    uint32_t cookie; // set by pm_default_motion_job
    uint32_t instance_count;

    const pm_clip *const *clips;     // [clip_count], none NULL: their durations are needed
    const pm_motion *const *motions; // [clip_count]; NULL where a clip has none
    uint32_t clip_count;

    // Read, per instance; as in pm_event_job.
    const uint32_t *clip_index; // below clip_count; an instance with another index is left as it is
    size_t clip_index_stride;
    const pm_playback *playbacks; // mode and loop_count
    size_t playback_stride;
    const double *from_phases;
    size_t from_stride;
    const double *to_phases;
    size_t to_stride;

    // Which instances a range means, as in pm_sample_job; NULL for all.
    const uint32_t *order; // [order_count], below instance_count
    uint32_t order_count;

    // Written, per instance: what takes the character from where it stood at from_phases to where it stands
    // at to_phases, in its own space at from_phases. REPEAT goes on from where the last cycle ended, forwards
    // and backwards, over any number of cycles; PING_PONG walks back.
    pm_motion_delta *deltas;
    size_t delta_stride; // default sizeof(pm_motion_delta)
} pm_motion_job;

// Strides of packed arrays, everything else zero.
PM_API pm_motion_job pm_default_motion_job(void);

// Checks everything but the content of per-instance arrays. NULL if the job can run, else the reason in words
// (static memory).
PM_API const char *pm_motion_validate(const pm_motion_job *job);

// Evaluates instances [begin, end) of a valid job (see `order`). Thread-safe on disjoint ranges; allocates
// nothing, locks nothing. The same bits on every machine.
PM_API void pm_motion_run(const pm_motion_job *job, uint32_t begin, uint32_t end);

#ifdef __cplusplus
}
#endif

#endif
