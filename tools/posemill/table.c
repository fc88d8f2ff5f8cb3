#define _POSIX_C_SOURCE 200809L

#include "table.h"
#include "storage.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define INDENT   2
#define GAP      2
#define SHORTEST 12
#define ELLIPSIS "\xE2\x80\xA6"

struct pm_table {
    const pm_column *columns;
    uint32_t column_count;
    size_t cell_count, cell_capacity;
    char **cells; // row by row
};

pm_table *pm_table_create(const pm_column *columns, uint32_t column_count) {
    pm_table *table = pm_storage_allocate(1, sizeof *table);
    table->columns = columns;
    table->column_count = column_count;
    return table;
}

void pm_table_add(pm_table *table, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *cell = pm_storage_format_list(format, arguments);
    va_end(arguments);
    table->cells =
        pm_storage_grow(table->cells, &table->cell_capacity, table->cell_count + 1, sizeof *table->cells);
    table->cells[table->cell_count++] = pm_text_clean(cell);
}

uint32_t pm_terminal_width(FILE *file) {
    int descriptor = fileno(file);
    struct winsize size = {0};
    if (descriptor < 0 || !isatty(descriptor)) return 0;
    if (ioctl(descriptor, TIOCGWINSZ, &size) || size.ws_col < 20) return 80;
    return size.ws_col;
}

// The widest cell of a column, heading included.
static uint32_t column_width(const pm_table *table, uint32_t column) {
    uint32_t width = pm_text_width(table->columns[column].heading);
    for (size_t i = column; i < table->cell_count; i += table->column_count) {
        uint32_t cell = pm_text_width(table->cells[i]);
        if (cell > width) width = cell;
    }
    return width;
}

// Takes what the line is too long by from the flexible columns, the widest first.
static void shorten(const pm_table *table, uint32_t *widths, uint32_t terminal) {
    uint32_t total = INDENT;
    for (uint32_t c = 0; c < table->column_count; c++) total += widths[c] + (c ? GAP : 0);
    while (terminal && total > terminal) {
        uint32_t widest = UINT32_MAX;
        for (uint32_t c = 0; c < table->column_count; c++) {
            bool may = table->columns[c].shortening && widths[c] > SHORTEST;
            if (may && (widest == UINT32_MAX || widths[c] > widths[widest])) widest = c;
        }
        if (widest == UINT32_MAX) return;
        widths[widest]--;
        total--;
    }
}

static void print_spaces(FILE *file, uint32_t count) {
    fprintf(file, "%*s", (int)count, "");
}

static void print_shortened(FILE *file, const char *text, pm_shortening shortening, uint32_t width) {
    uint32_t tail_columns = shortening == PM_CUT_START ? width - 1 : (width - 1) / 2;
    size_t head = pm_text_prefix(text, width - 1 - tail_columns);
    const char *tail = text + head;
    while (pm_text_width(tail) > tail_columns) tail += pm_text_length(tail);
    fprintf(file, "%.*s" ELLIPSIS "%s", (int)head, text, tail);
    print_spaces(file, tail_columns - pm_text_width(tail));
}

static void print_cell(FILE *file, const char *text, const pm_column *column, uint32_t width) {
    uint32_t taken = pm_text_width(text);
    if (taken > width) {
        print_shortened(file, text, column->shortening, width);
        return;
    }
    if (column->right) print_spaces(file, width - taken);
    fputs(text, file);
    if (!column->right) print_spaces(file, width - taken);
}

// Cells that end a row empty are left out, and so are spaces behind the last text.
static void print_row(FILE *file, const pm_table *table, char *const *cells, const uint32_t *widths) {
    uint32_t count = table->column_count;
    while (cells && count && !cells[count - 1][0]) count--;
    print_spaces(file, INDENT);
    for (uint32_t c = 0; c < count; c++) {
        const char *text = cells ? cells[c] : table->columns[c].heading;
        bool last = c + 1 == count;
        if (c) print_spaces(file, GAP);
        if (last && !table->columns[c].right && pm_text_width(text) <= widths[c])
            fputs(text, file);
        else
            print_cell(file, text, &table->columns[c], widths[c]);
    }
    fputc('\n', file);
}

void pm_table_finish(pm_table *table, FILE *file) {
    uint32_t *widths = pm_storage_allocate(table->column_count, sizeof *widths);
    bool headings = false;
    for (uint32_t c = 0; c < table->column_count; c++) {
        widths[c] = column_width(table, c);
        headings = headings || (table->cell_count && table->columns[c].heading[0]);
    }
    shorten(table, widths, pm_terminal_width(file));
    if (headings) print_row(file, table, NULL, widths);
    for (size_t i = 0; i + table->column_count <= table->cell_count; i += table->column_count)
        print_row(file, table, table->cells + i, widths);
    for (size_t i = 0; i < table->cell_count; i++) free(table->cells[i]);
    free(table->cells);
    free(widths);
    free(table);
}

char *pm_amount_count(char buffer[PM_AMOUNT_SIZE], uint64_t count) {
    char digits[PM_AMOUNT_SIZE];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    char *out = buffer;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) *out++ = ',';
        *out++ = digits[i];
    }
    *out = '\0';
    return buffer;
}

char *pm_amount_bytes(char buffer[PM_AMOUNT_SIZE], double bytes) {
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    size_t unit = 0;
    while (bytes >= 999.5 && unit + 1 < sizeof units / sizeof units[0]) {
        bytes /= 1000;
        unit++;
    }
    int decimals = unit == 0 || bytes >= 99.95 ? 0 : bytes >= 9.995 ? 1 : 2;
    snprintf(buffer, PM_AMOUNT_SIZE, "%.*f %s", decimals, bytes, units[unit]);
    return buffer;
}
