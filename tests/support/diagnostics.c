#include "diagnostics.h"

#include <string.h>

static void remember(void *user, const pm_diagnostic *diagnostic) {
    diagnostics *list = user;
    if (list->count < DIAGNOSTICS_CAPACITY) {
        seen_diagnostic *seen = &list->seen[list->count];
        *seen = (seen_diagnostic){.severity = diagnostic->severity,
                                  .fault = diagnostic->fault,
                                  .key = diagnostic->key,
                                  .has_clip = diagnostic->clip != NULL,
                                  .has_channel = diagnostic->channel != NULL};
        strncpy(seen->message, diagnostic->message, sizeof seen->message - 1);
    }
    list->count++;
}

pm_report diagnostics_report(diagnostics *list) {
    list->count = 0;
    return (pm_report){.callback = remember, .user = list};
}

static uint32_t kept(const diagnostics *list) {
    return list->count < DIAGNOSTICS_CAPACITY ? list->count : DIAGNOSTICS_CAPACITY;
}

const seen_diagnostic *diagnostics_find(const diagnostics *list, pm_fault fault, uint32_t index) {
    for (uint32_t i = 0; i < kept(list); i++) {
        if (list->seen[i].fault == fault && index-- == 0) return &list->seen[i];
    }
    return NULL;
}

uint32_t diagnostics_count(const diagnostics *list, pm_fault fault) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < kept(list); i++) count += list->seen[i].fault == fault;
    return count;
}
