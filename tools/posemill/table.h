// Tables on a terminal: columns aligned, long texts shortened when a line would be too long.
#ifndef PM_TOOL_TABLE_H
#define PM_TOOL_TABLE_H

#include "text.h"

#include <stdbool.h>
#include <stdio.h>

// What becomes of a text when the table is wider than the terminal.
typedef enum pm_shortening {
    PM_WHOLE,      // it stays
    PM_CUT_MIDDLE, // names, which differ at both ends
    PM_CUT_START   // paths, whose ends tell them apart
} pm_shortening;

// One column. The heading may be "". Numbers are aligned to the right.
typedef struct pm_column {
    const char *heading;
    bool right;
    pm_shortening shortening;
} pm_column;

typedef struct pm_table pm_table;

// A table without rows. `columns` is kept, not copied.
pm_table *pm_table_create(const pm_column *columns, uint32_t column_count);

// Adds one cell, row by row; printf-style. Control codes become '?'.
void pm_table_add(pm_table *table, const char *format, ...) PM_TEXT_FORMAT(2, 3);

// Prints the table, indented by two columns, headings first unless all are empty; a table without rows
// prints nothing. Releases the table.
void pm_table_finish(pm_table *table, FILE *file);

// Columns of the terminal that `file` is, or 0 if it is none.
uint32_t pm_terminal_width(FILE *file);

// "1234567" as "1,234,567", and bytes as "12.3 kB", into a buffer of the caller.
#define PM_AMOUNT_SIZE 32
char *pm_amount_count(char buffer[PM_AMOUNT_SIZE], uint64_t count);
char *pm_amount_bytes(char buffer[PM_AMOUNT_SIZE], double bytes);

#endif
