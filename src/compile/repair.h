// Posemill internals: from a raw channel to a lane, finding and mending what is wrong with it.
#ifndef PM_COMPILE_REPAIR_H
#define PM_COMPILE_REPAIR_H

#include "diagnose.h"
#include "lane.h"

#include <posemill/compile.h>

// What every step of a compilation needs.
typedef struct pm_compilation {
    const pm_clip_source *source;
    const pm_skeleton *skeleton;
    pm_policy policy;
    pm_report *report;
    pm_arena arena; // everything that the plan keeps
} pm_compilation;

// Turns a channel into a lane. *lane is NULL if the channel was dropped. PM_ERROR_DATA: a strict compilation
// refuses it; PM_ERROR_MEMORY: no memory. `channel_name` is used in diagnostics.
pm_result pm_repair_channel(pm_compilation *compilation, const pm_channel *channel, const char *channel_name,
                            pm_lane **lane);

// Reports a fault of this compilation. Under the strict policy repairs and drops are errors: PM_ERROR_DATA.
pm_result pm_compilation_fault(pm_compilation *compilation, pm_severity severity, pm_fault fault,
                               const char *channel_name, uint32_t key, const char *text);

#endif
