// Posemill internals: reading JSON values that may be absent or of a wrong type, over Jansson.
//
// Jansson's getters take NULL and wrong types and answer NULL or 0, and so do these.
#ifndef PM_IMPORT_GLTF_JSON_H
#define PM_IMPORT_GLTF_JSON_H

#include <jansson.h>

#include "file.h"

// Parses text. Bytes that are not UTF-8 become '?', which *repaired tells.
//   scratch  for the repaired copy
//   root     receives the document, to be released with json_decref; NULL on failure
//   error    Jansson's line, column and text, with PM_ERROR_FORMAT
// PM_ERROR_MEMORY comes without a diagnostic.
pm_result pm_gltf_parse_json(pm_bytes text, pm_arena *scratch, json_t **root, bool *repaired,
                             json_error_t *error);

// An index, or PM_NONE if it is absent or no index. Integral reals ("3.0") are accepted.
uint32_t pm_gltf_index(const json_t *value);

// A number of bytes or elements; `fallback` if the key is absent. False if it is there but no such number.
bool pm_gltf_size(const json_t *object, const char *key, size_t fallback, size_t *size);

// Reads an array of exactly `count` numbers. False, and `values` as they were, if it is none.
bool pm_gltf_numbers(const json_t *array, size_t count, float *values);

// A string's bytes up to its first zero; "" if it is none.
const char *pm_gltf_text(const json_t *value);

// A copy of a string, in which zeros became U+FFFD; "" if it is none. NULL if memory is short.
const char *pm_gltf_copy_text(pm_arena *arena, const json_t *value);

#endif
