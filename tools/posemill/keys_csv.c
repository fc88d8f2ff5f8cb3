#include "keys_csv.h"

#include "storage.h"
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const column_names[PM_CSV_COLUMN_COUNT] = {
    "time", "value", "in", "out", "tension", "continuity", "bias", "turns", "rule", "easing",
};

enum { COLUMNS_MAX = 64 };

typedef struct reader {
    const char *path;
    unsigned line;
    char separator;
    int column_count;
    int columns[COLUMNS_MAX]; // which column the i-th cell is of
    pm_keys_csv *csv;
} reader;

// Says what is wrong with the present line, and with which cell of it (or NULL).
static int complain(const reader *r, const char *reason, const char *cell) {
    if (!cell) return pm_complain(PM_EXIT_DATA, "%s: line %u: %s", r->path, r->line, reason);
    return pm_complain(PM_EXIT_DATA, "%s: line %u: %s, not \"%.60s\"", r->path, r->line, reason, cell);
}

static char *trim(char *text) {
    while (*text == ' ') text++;
    size_t length = strlen(text);
    while (length && (text[length - 1] == ' ' || text[length - 1] == '\r')) text[--length] = '\0';
    return text;
}

// Splits a line into cells, in place. Returns how many, or -1 if a quote stays open or there are too many.
static int split(char *line, char separator, char **cells) {
    int count = 0;
    for (char *from = line; count < COLUMNS_MAX;) {
        char *to = from;
        cells[count++] = from;
        bool quoted = false;
        for (; *from && (quoted || *from != separator); from++) {
            if (*from != '"') {
                *to++ = *from;
            } else if (quoted && from[1] == '"') {
                *to++ = *from++;
            } else {
                quoted = !quoted;
            }
        }
        if (quoted) return -1;
        bool last = *from == '\0';
        *to = '\0';
        if (last) return count;
        from++;
    }
    return -1;
}

static int read_header(reader *r, char *line) {
    r->separator = strchr(line, '\t') ? '\t' : strchr(line, ';') ? ';' : ',';
    char *cells[COLUMNS_MAX];
    r->column_count = split(line, r->separator, cells);
    if (r->column_count < 0) return complain(r, "the header cannot be split into columns", NULL);
    uint32_t seen = 0;
    for (int i = 0; i < r->column_count; i++) {
        char *name = trim(cells[i]);
        int column = 0;
        while (column < PM_CSV_COLUMN_COUNT && strcmp(name, column_names[column]) != 0) column++;
        if (column == PM_CSV_COLUMN_COUNT)
            return complain(
                r,
                "the header must name the columns time, value, in, out, tension, continuity, bias, "
                "turns, rule or easing",
                name);
        if (seen >> column & 1u) return complain(r, "each column must be there once", name);
        seen |= 1u << column;
        r->columns[i] = column;
    }
    if (!(seen & 1u << PM_CSV_TIME) || !(seen & 1u << PM_CSV_VALUE))
        return complain(r, "the header must name the columns time and value", NULL);
    return PM_EXIT_OK;
}

// "linear", or "flat/linear" for the two sides.
static bool parse_rules(const char *text, pm_curve_key *key) {
    const char *slash = strchr(text, '/');
    if (!slash)
        return pm_tangent_rule_parse(text, &key->in_rule) && pm_tangent_rule_parse(text, &key->out_rule);
    char *in = pm_storage_format("%.*s", (int)(slash - text), text);
    bool read = pm_tangent_rule_parse(in, &key->in_rule) && pm_tangent_rule_parse(slash + 1, &key->out_rule);
    free(in);
    return read;
}

static double *number_of(pm_curve_key *key, int column) {
    switch (column) {
    case PM_CSV_TIME:
        return &key->time;
    case PM_CSV_VALUE:
        return &key->value[0];
    case PM_CSV_IN:
        return &key->in_tangent[0];
    case PM_CSV_OUT:
        return &key->out_tangent[0];
    case PM_CSV_TENSION:
        return &key->tension;
    case PM_CSV_CONTINUITY:
        return &key->continuity;
    default:
        return &key->bias;
    }
}

static int read_cell(const reader *r, int column, const char *cell, pm_curve_key *key) {
    if (column == PM_CSV_RULE)
        return parse_rules(cell, key) ? PM_EXIT_OK : complain(r, "rule must name a tangent rule", cell);
    if (column == PM_CSV_EASING)
        return pm_easing_parse(cell, &key->easing) ? PM_EXIT_OK
                                                   : complain(r, "easing must name an easing", cell);
    char *end;
    double number = strtod(cell, &end);
    char *reason = NULL;
    if (end == cell || *end || !isfinite(number))
        reason = pm_storage_format("%s must be a finite number", column_names[column]);
    else if (column == PM_CSV_TURNS && !(fabs(number) <= 1e9 && floor(number) == number))
        reason = pm_storage_format("turns must be a whole number");
    else if (column == PM_CSV_TURNS)
        key->turns = (int32_t)number;
    else
        *number_of(key, column) = number;
    int status = reason ? complain(r, reason, cell) : PM_EXIT_OK;
    free(reason);
    return status;
}

static int read_row(const reader *r, char *line) {
    char *cells[COLUMNS_MAX];
    int count = split(line, r->separator, cells);
    if (count < 0) return complain(r, "a quote is not closed, or there are too many columns", NULL);
    if (count > r->column_count) return complain(r, "there are more cells than columns", NULL);
    pm_csv_key row = {0};
    for (int i = 0; i < count; i++) {
        const char *cell = trim(cells[i]);
        if (!*cell) continue;
        int status = read_cell(r, r->columns[i], cell, &row.key);
        if (status) return status;
        row.filled |= 1u << r->columns[i];
    }
    if (!(row.filled >> PM_CSV_TIME & 1u) || !(row.filled >> PM_CSV_VALUE & 1u))
        return complain(r, "time or value is missing", NULL);
    bool in = row.filled >> PM_CSV_IN & 1u, out = row.filled >> PM_CSV_OUT & 1u;
    if (in && !out) row.key.out_tangent[0] = row.key.in_tangent[0];
    if (out && !in) row.key.in_tangent[0] = row.key.out_tangent[0];

    r->csv->keys = pm_storage_grow(r->csv->keys, &r->csv->capacity, r->csv->count + 1, sizeof row);
    r->csv->keys[r->csv->count++] = row;
    return PM_EXIT_OK;
}

static int read_lines(reader *r, char *text) {
    if (strncmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3;
    for (char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        char *next = line + length + (line[length] == '\n');
        line[length] = '\0';
        r->line++;
        char *begin = trim(line);
        int status = PM_EXIT_OK;
        if (*begin && *begin != '#') status = r->column_count ? read_row(r, begin) : read_header(r, begin);
        if (status) return status;
        line = next;
    }
    if (r->csv->count == 0) return pm_complain(PM_EXIT_DATA, "%s: there are no keys", r->path);
    return PM_EXIT_OK;
}

int pm_keys_csv_read(const char *path, pm_keys_csv *csv) {
    FILE *file = fopen(path, "rb");
    if (!file) return pm_complain(PM_EXIT_DATA, "%s: %s", path, strerror(errno));
    char *text = NULL;
    size_t capacity = 0, length = 0, read;
    do {
        text = pm_storage_grow(text, &capacity, length + 4097, 1);
        read = fread(text + length, 1, 4096, file);
        length += read;
    } while (read > 0);
    int status = PM_EXIT_OK;
    if (ferror(file)) status = pm_complain(PM_EXIT_DATA, "%s: %s", path, strerror(errno));
    fclose(file);
    text[length] = '\0';
    if (!status && memchr(text, '\0', length))
        status = pm_complain(PM_EXIT_DATA, "%s: this is no text", path);
    reader r = {.path = path, .csv = csv};
    if (!status) status = read_lines(&r, text);
    free(text);
    return status;
}

void pm_keys_csv_release(pm_keys_csv *csv) {
    free(csv->keys);
    *csv = (pm_keys_csv){0};
}
