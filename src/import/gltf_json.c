#include "gltf_json.h"

#include <string.h>

// Length of the UTF-8 sequence at `text`, 0 if there is none (Unicode 15, table 3-7).
static size_t utf8_length(const uint8_t *text, size_t size) {
    uint8_t first = text[0];
    if (first < 0x80) return 1;
    size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    if (length == 0 || length > size) return 0;
    uint8_t low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    uint8_t high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (text[1] < low || text[1] > high) return 0;
    for (size_t i = 2; i < length; i++)
        if ((text[i] & 0xc0) != 0x80) return 0;
    return length;
}

static void replace_invalid_utf8(uint8_t *text, size_t size) {
    for (size_t at = 0; at < size;) {
        size_t length = utf8_length(text + at, size - at);
        if (length == 0) text[at] = '?';
        at += length ? length : 1;
    }
}

static pm_result parse(pm_bytes text, json_t **root, json_error_t *error) {
    *root = json_loadb((const char *)text.data, text.size, JSON_ALLOW_NUL, error);
    if (*root) return PM_OK;
    // Jansson has no words when an allocation fails, unless it takes what is then missing for bad syntax.
    bool is_memory = error->text[0] == '\0' || json_error_code(error) == json_error_out_of_memory;
    return is_memory ? PM_ERROR_MEMORY : PM_ERROR_FORMAT;
}

pm_result pm_gltf_parse_json(pm_bytes text, pm_arena *scratch, json_t **root, bool *repaired,
                             json_error_t *error) {
    *repaired = false;
    pm_result result = parse(text, root, error);
    if (result != PM_ERROR_FORMAT || json_error_code(error) != json_error_invalid_utf8) return result;

    uint8_t *copy = pm_arena_allocate(scratch, text.size, 1);
    if (!copy) return PM_ERROR_MEMORY;
    memcpy(copy, text.data, text.size);
    replace_invalid_utf8(copy, text.size);
    *repaired = true;
    return parse((pm_bytes){copy, text.size}, root, error);
}

static bool to_size(const json_t *value, size_t *size) {
    if (json_is_integer(value)) {
        json_int_t integer = json_integer_value(value);
        if (integer < 0 || (uint64_t)integer > SIZE_MAX / 2) return false;
        *size = (size_t)integer;
        return true;
    }
    double real = json_is_real(value) ? json_real_value(value) : -1;
    // Reals above 2^53 are not exact, and no file has that many bytes.
    if (!(real >= 0 && real <= 9007199254740992.0) || real > (double)(SIZE_MAX / 2)) return false;
    *size = (size_t)real;
    return (double)*size == real;
}

uint32_t pm_gltf_index(const json_t *value) {
    size_t size;
    return to_size(value, &size) && size < PM_NONE ? (uint32_t)size : PM_NONE;
}

bool pm_gltf_size(const json_t *object, const char *key, size_t fallback, size_t *size) {
    const json_t *value = json_object_get(object, key);
    *size = fallback;
    return !value || to_size(value, size);
}

bool pm_gltf_numbers(const json_t *array, size_t count, float *values) {
    if (!json_is_array(array) || json_array_size(array) != count) return false;
    for (size_t i = 0; i < count; i++)
        if (!json_is_number(json_array_get(array, i))) return false;
    for (size_t i = 0; i < count; i++) values[i] = (float)json_number_value(json_array_get(array, i));
    return true;
}

const char *pm_gltf_text(const json_t *value) {
    return json_is_string(value) ? json_string_value(value) : "";
}

const char *pm_gltf_copy_text(pm_arena *arena, const json_t *value) {
    static const char replacement[] = "\xef\xbf\xbd"; // U+FFFD
    enum { REPLACEMENT_BYTES = sizeof replacement - 1 };
    if (!json_is_string(value)) return "";
    const char *text = json_string_value(value);
    size_t length = json_string_length(value);
    size_t zeros = 0;
    for (size_t i = 0; i < length; i++) zeros += text[i] == '\0';
    if (zeros == 0) return pm_arena_copy_text(arena, text, length);

    char *copy = pm_arena_allocate(arena, length + zeros * (REPLACEMENT_BYTES - 1) + 1, 1);
    char *end = copy;
    for (size_t i = 0; copy && i < length; i++) {
        size_t bytes = text[i] ? 1 : REPLACEMENT_BYTES;
        memcpy(end, text[i] ? text + i : replacement, bytes);
        end += bytes;
    }
    return copy;
}
