#include "json.h"
#include "storage.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>

json_t *pm_json_text(const char *text) {
    json_t *string = json_string(text ? text : "");
    if (string) return string;
    char *copy = pm_storage_copy_text(text);
    for (unsigned char *c = (unsigned char *)copy; *c; c++)
        if (*c >= 0x80) *c = '?';
    string = json_string(copy);
    free(copy);
    return string;
}

char *pm_json_quote(const char *text) {
    json_t *string = pm_json_text(text);
    char *quoted = json_dumps(string, JSON_ENCODE_ANY);
    json_decref(string);
    return quoted ? quoted : pm_storage_copy_text("\"\"");
}

int pm_json_finish(json_t *value) {
    int failed = !value || json_dumpf(value, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    json_decref(value);
    if (failed) return pm_complain(PM_EXIT_DATA, "cannot write the output");
    fputc('\n', stdout);
    return PM_EXIT_OK;
}
