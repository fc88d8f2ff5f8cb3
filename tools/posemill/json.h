// JSON output through Jansson.
#ifndef PM_TOOL_JSON_H
#define PM_TOOL_JSON_H

#include <jansson.h>

// A JSON string of text that need not be valid UTF-8: then every byte beyond ASCII becomes '?'. NULL is as
// "".
json_t *pm_json_text(const char *text);

// The text as JSON writes it, quotes included; release with free.
char *pm_json_quote(const char *text);

// Prints the value on stdout, indented, floats with nine digits, and releases it. Returns a pm_exit.
int pm_json_finish(json_t *value);

#endif
