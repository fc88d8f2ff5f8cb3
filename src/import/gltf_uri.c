#include "gltf_uri.h"

#include <string.h>

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Schemes and media types are written in any case.
static bool starts_with(const char *text, const char *lower_case) {
    for (; *lower_case; text++, lower_case++) {
        char c = is_letter(*text) ? (char)(*text | 0x20) : *text;
        if (c != *lower_case) return false;
    }
    return true;
}

bool pm_uri_is_data(const char *uri) {
    return starts_with(uri, "data:");
}

bool pm_uri_is_absolute(const char *uri) {
    if (uri[0] == '/' || uri[0] == '\\') return true;
    if (!is_letter(uri[0])) return false;
    size_t length = 1;
    while (is_letter(uri[length]) || (uri[length] && strchr("0123456789+-.", uri[length]))) length++;
    // Names with a colon in them are no schemes.
    return uri[length] == ':' && (length == 1 || !strncmp(uri + length, "://", 3));
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// Decodes %XX; a percent sign that starts no such triple stays. Returns the number of bytes written.
static size_t percent_decode(const char *text, size_t length, uint8_t *bytes) {
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        int high = text[i] == '%' && length - i > 2 ? hex_digit(text[i + 1]) : -1;
        int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
        bytes[count++] = (uint8_t)(low >= 0 ? high << 4 | low : text[i]);
        if (low >= 0) i += 2;
    }
    return count;
}

static int base64_digit(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// Padding at the end may be missing. False if there is anything but base64 (RFC 4648).
static bool base64_decode(const char *text, size_t length, uint8_t *bytes, size_t *count) {
    while (length && text[length - 1] == '=') length--;
    uint32_t bits = 0;
    *count = 0;
    for (size_t i = 0; i < length; i++) {
        int digit = base64_digit(text[i]);
        if (digit < 0) return false;
        bits = bits << 6 | (uint32_t)digit;
        if (i % 4 != 0) bytes[(*count)++] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
    }
    return length % 4 != 1;
}

pm_result pm_uri_decode_data(const char *uri, pm_arena *arena, pm_bytes *bytes, const char **reason) {
    *bytes = (pm_bytes){NULL, 0};
    const char *comma = strchr(uri, ',');
    if (!comma) {
        *reason = "the data URI has no comma";
        return PM_ERROR_FORMAT;
    }
    const char *content = comma + 1;
    size_t length = strlen(content);
    uint8_t *data = pm_arena_allocate(arena, length, 1);
    if (!data) return PM_ERROR_MEMORY;
    static const char base64[] = ";base64";
    size_t suffix = sizeof base64 - 1;
    bytes->data = data;
    if ((size_t)(comma - uri) < suffix || !starts_with(comma - suffix, base64)) {
        bytes->size = percent_decode(content, length, data);
        return PM_OK;
    }
    if (base64_decode(content, length, data, &bytes->size)) return PM_OK;
    *reason = "the data URI is not valid base64";
    return PM_ERROR_FORMAT;
}

char *pm_uri_path_beside(pm_arena *arena, const char *base, const char *name, bool decode) {
    const char *slash = base ? strrchr(base, '/') : NULL;
    // Without a folder, too, a name that begins with an encoded slash must not become an absolute path.
    const char *folder = slash ? base : "./";
    size_t folder_length = slash ? (size_t)(slash - base) + 1 : 2;
    size_t name_length = strlen(name);
    char *path = pm_arena_allocate(arena, folder_length + name_length + 1, 1);
    if (!path) return NULL;
    memcpy(path, folder, folder_length);
    uint8_t *end = (uint8_t *)path + folder_length;
    if (decode)
        end[percent_decode(name, name_length, end)] = '\0';
    else
        memcpy(end, name, name_length + 1);
    return path;
}
