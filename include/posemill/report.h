// Posemill: what was wrong with the data, in words and as a code.
//
// Import, skeletons, compile and the clip loader take a `pm_report *` (NULL is allowed: nothing is recorded).
// A zeroed report is ready to use:
//
//     pm_report report = {0};
//     if (pm_import_file("knight.glb", NULL, &scene, &report))
//         fprintf(stderr, "%s\n", report.message);
//
// Set `callback` to be told of every diagnostic; `counts` and `message` are filled in either way.
#ifndef POSEMILL_REPORT_H
#define POSEMILL_REPORT_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

// How much a diagnostic matters.
typedef enum pm_severity {
    PM_SEVERITY_NOTE,    // legal, kept as it is, but probably not what its author meant
    PM_SEVERITY_REPAIR,  // a fault that was mended; the motion is what was evidently meant
    PM_SEVERITY_DROPPED, // a channel or other part that could not be used and was left out
    PM_SEVERITY_ERROR,   // the call failed
    PM_SEVERITY_COUNT
} pm_severity;

// What was found. Stable: new ones are appended.
typedef enum pm_fault {
    PM_FAULT_NONE = 0,
    PM_FAULT_MEMORY,              // an allocation failed
    PM_FAULT_ARGUMENT,            // options not initialised, or an argument out of range
    PM_FAULT_FILE_UNREADABLE,     // missing, a directory, or a read error
    PM_FAULT_FILE_FORMAT,         // not the format it claims, or broken structure
    PM_FAULT_FILE_TRUNCATED,      // less data than the file says it has
    PM_FAULT_FILE_UNSUPPORTED,    // a version, extension or format that is not read
    PM_FAULT_REFERENCE,           // an index or name that points at nothing
    PM_FAULT_ACCESSOR,            // glTF accessor of a wrong type, range, stride or component type
    PM_FAULT_SKELETON_CYCLE,      // a joint that is its own ancestor
    PM_FAULT_SKELETON_PARENT,     // a parent that does not exist, or two parents
    PM_FAULT_SKELETON_REST,       // a rest transform that is not finite or has no rotation
    PM_FAULT_SKIN,                // a skin without joints, or with fewer inverse bind matrices than joints
    PM_FAULT_NAME_DUPLICATE,      // two joints, clips or scalars of one name
    PM_FAULT_TARGET_MISSING,      // a channel without a target
    PM_FAULT_TARGET_DUPLICATE,    // two channels of a clip for one target; the first wins
    PM_FAULT_TARGET_UNSUPPORTED,  // a pointer target that is no number
    PM_FAULT_TARGET_MATRIX,       // an animated node whose rest transform is given as a matrix
    PM_FAULT_INTERPOLATION,       // an interpolation mode that is unknown or of a wrong type
    PM_FAULT_KEYS_MISSING,        // no key at all
    PM_FAULT_KEY_COUNT,           // times and values (or tangents) that do not match
    PM_FAULT_CUBIC_SINGLE_KEY,    // a cubic channel with one key: a constant
    PM_FAULT_CUBIC_TANGENTS_ZERO, // motion stops at every key
    PM_FAULT_TIME_NOT_FINITE,     // NaN or infinite key time
    PM_FAULT_TIME_UNSORTED,       // sorted, keeping the order of equal times
    PM_FAULT_TIME_DUPLICATE,      // equal times: first counts at that time, last right after it
    PM_FAULT_TIME_NEGATIVE,       // kept, but a clip starts at 0
    PM_FAULT_VALUE_NOT_FINITE,    // NaN or infinite value or tangent
    PM_FAULT_VALUE_HUGE,          // a magnitude beyond PM_VALUE_LIMIT
    PM_FAULT_ROTATION_ZERO,       // a rotation key of no length
    PM_FAULT_ROTATION_NOT_UNIT,   // a rotation off unit length by more than 1e-2; normalised
    PM_FAULT_CLIP_EMPTY,          // a clip without a usable channel
    PM_FAULT_CURVE_PARAMETER,     // a rule, an easing or a number of a curve's key that cannot be used
    PM_FAULT_CURVE_BOUNDS,        // a curve that leaves its bounds, or tangents shortened to hold them
    PM_FAULT_CURVE_TOLERANCE,     // a curve that cubics cannot follow within the tolerance
    PM_FAULT_EASING,              // a polynomial that does not lead from 0 to 1
    PM_FAULT_CADENCE,             // a cadence out of range
    PM_FAULT_COUNT
} pm_fault;

// One finding. All pointers are valid only during the callback.
typedef struct pm_diagnostic {
    pm_severity severity;
    pm_fault fault;
    const char *file;    // as given by the caller, or NULL
    const char *clip;    // the clip's name, or NULL
    const char *channel; // "Hips.rotation", or NULL
    uint32_t key;        // index of the key as authored, or PM_NONE
    const char *message; // the whole sentence, file, clip, channel and key included
} pm_diagnostic;

#define PM_REPORT_MESSAGE_SIZE 512

// Collects diagnostics. Owned by the caller; one thread at a time.
typedef struct pm_report {
    void (*callback)(void *user, const pm_diagnostic *diagnostic); // may be NULL; must not call Posemill
    void *user;
    uint32_t counts[PM_SEVERITY_COUNT];   // diagnostics seen, by severity; added to, never reset
    pm_fault fault;                       // of the first error, PM_FAULT_NONE if there was none
    char message[PM_REPORT_MESSAGE_SIZE]; // of the first error, "" if there was none; always terminated
} pm_report;

// The fault's name as text ("time-unsorted"), for logs and JSON; static memory.
PM_API const char *pm_fault_name(pm_fault fault);

// The severity's name as text ("repair"); static memory.
PM_API const char *pm_severity_name(pm_severity severity);

#ifdef __cplusplus
}
#endif

#endif
