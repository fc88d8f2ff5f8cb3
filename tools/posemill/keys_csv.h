// Keys of a curve from a CSV file with a header.
//
// Columns, in any order: time, value, and any of in, out, tension, continuity, bias, turns, rule, easing.
// Separated by commas, semicolons or tabs, whichever the header has; quoted as in spreadsheets; an empty cell
// is as if the column were not there. Empty lines and those that begin with # are left out. A rule is a name
// as pm_tangent_rule_parse reads it, or two for the sides: "flat/linear". A single one of in and out is for
// both sides.
#ifndef PM_TOOL_KEYS_CSV_H
#define PM_TOOL_KEYS_CSV_H

#include <posemill/curve.h>

// Which cells of a row were filled.
typedef enum pm_csv_column {
    PM_CSV_TIME,
    PM_CSV_VALUE,
    PM_CSV_IN,
    PM_CSV_OUT,
    PM_CSV_TENSION,
    PM_CSV_CONTINUITY,
    PM_CSV_BIAS,
    PM_CSV_TURNS,
    PM_CSV_RULE,
    PM_CSV_EASING,
    PM_CSV_COLUMN_COUNT
} pm_csv_column;

// One row.
typedef struct pm_csv_key {
    pm_curve_key key;
    uint32_t filled; // bit 1 << column
} pm_csv_key;

typedef struct pm_keys_csv {
    pm_csv_key *keys;
    size_t count, capacity;
} pm_keys_csv;

// Reads a file. PM_EXIT_OK, or PM_EXIT_DATA after one line on stderr that names the file and line. Release
// the keys in either case.
int pm_keys_csv_read(const char *path, pm_keys_csv *csv);

void pm_keys_csv_release(pm_keys_csv *csv);

#endif
