// What `posemill crowd` prints at the end: a table for people, JSON for programs.
#ifndef PM_TOOL_CROWD_REPORT_H
#define PM_TOOL_CROWD_REPORT_H

#include "crowd.h"
#include "json.h"

// How long a part of a tick took, over all ticks.
typedef struct pm_timing {
    double median_seconds, fastest_seconds, slowest_seconds;
} pm_timing;

// What a tick is made of, in this order.
typedef enum pm_crowd_part {
    PM_CROWD_CLOCK,  // clip times
    PM_CROWD_ORDER,  // the order, if there is one
    PM_CROWD_SAMPLE, // poses, or matrices
    PM_CROWD_PART_COUNT
} pm_crowd_part;

typedef struct pm_crowd_result {
    const char *kernels_name;
    const char *order, *layout, *output; // as on the command line
    uint32_t key_bits;
    uint32_t thread_count;
    double rate_hz;
    uint64_t tick_count;
    uint64_t evaluated_count;             // poses, over all ticks
    pm_timing tick;                       // all of it, made of
    pm_timing parts[PM_CROWD_PART_COUNT]; // these
    uint64_t guarded_count;               // lanes, over all ticks
    uint64_t pose_hash;                   // of the last tick
} pm_crowd_result;

// Prints the tables on stdout.
void pm_crowd_report(const pm_crowd *crowd, const pm_asset *assets, uint32_t asset_count,
                     const pm_crowd_result *result);

// The same as JSON; the keys are documented in docs/command-line.md.
json_t *pm_crowd_report_json(const pm_crowd *crowd, const pm_asset *assets, uint32_t asset_count,
                             const pm_crowd_result *result);

#endif
