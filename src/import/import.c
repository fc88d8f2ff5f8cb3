#include <posemill/import.h>

#include "bvh.h"
#include "diagnose.h"
#include "gltf.h"
#if defined(PM_HAVE_ASSIMP)
#include "assimp/assimp_import.h"
#endif

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef pm_result (*read_file)(const char *path, const pm_import_options *options, pm_scene **scene,
                               pm_report *report);

#if !defined(PM_HAVE_ASSIMP)
static pm_result refuse_without_assimp(const char *path, const pm_import_options *options, pm_scene **scene,
                                       pm_report *report) {
    (void)options, (void)scene;
    return pm_fail(report, PM_ERROR_UNSUPPORTED, PM_FAULT_FILE_UNSUPPORTED,
                   (pm_place){path, NULL, NULL, PM_NONE},
                   "FBX and Collada are read only if built with Assimp (POSEMILL_WITH_ASSIMP)");
}
#define pm_import_fbx_file     refuse_without_assimp
#define pm_import_collada_file refuse_without_assimp
#endif

static const struct {
    const char *extension;
    read_file read;
} formats[] = {
    {"gltf", pm_import_gltf_file},   {"glb", pm_import_gltf_file}, {"vrma", pm_import_gltf_file},
    {"vrm", pm_import_gltf_file},    {"bvh", pm_import_bvh_file},  {"fbx", pm_import_fbx_file},
    {"dae", pm_import_collada_file},
};

// How files begin whose names do not tell what they are.
static const struct {
    const char *beginning;
    read_file read;
} signatures[] = {
    {"glTF", pm_import_gltf_file},
    {"{", pm_import_gltf_file},
    {"HIERARCHY", pm_import_bvh_file},
    {"Kaydara FBX Binary", pm_import_fbx_file},
};

enum { SIGNATURE_BYTES = 64 };

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool has_extension(const char *path, const char *extension) {
    size_t path_length = strlen(path), length = strlen(extension);
    if (path_length <= length || path[path_length - length - 1] != '.') return false;
    for (size_t i = 0; i < length; i++)
        if (lower(path[path_length - length + i]) != extension[i]) return false;
    return true;
}

static read_file find_by_extension(const char *path) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (has_extension(path, formats[i].extension)) return formats[i].read;
    return NULL;
}

// Compares what follows the white space at the beginning.
static read_file find_by_content(const char *text) {
    text += strspn(text, " \t\r\n");
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++)
        if (!strncmp(text, signatures[i].beginning, strlen(signatures[i].beginning)))
            return signatures[i].read;
    return NULL;
}

// Reads the beginning of a file as text; why not, in words, if it cannot be read.
static const char *peek(const char *path, char text[SIGNATURE_BYTES + 1]) {
    memset(text, 0, SIGNATURE_BYTES + 1);
    FILE *file = fopen(path, "rb");
    if (!file) return strerror(errno);
    size_t size = fread(text, 1, SIGNATURE_BYTES, file);
    const char *reason = size == 0 && ferror(file) ? strerror(errno) : NULL;
    fclose(file);
    return reason;
}

pm_result pm_import_file(const char *path, const pm_import_options *options, pm_scene **scene,
                         pm_report *report) {
    assert(path && scene);
    *scene = NULL;
    pm_place place = {path, NULL, NULL, PM_NONE};
    read_file reader = find_by_extension(path);
    if (!reader) {
        char text[SIGNATURE_BYTES + 1];
        const char *reason = peek(path, text);
        if (reason)
            return pm_fail(report, PM_ERROR_FILE, PM_FAULT_FILE_UNREADABLE, place, "cannot be read: %s",
                           reason);
        reader = find_by_content(text);
    }
    if (reader) return reader(path, options, scene, report);
    return pm_fail(report, PM_ERROR_UNSUPPORTED, PM_FAULT_FILE_UNSUPPORTED, place,
                   "not a file of a known kind; these are .gltf, .glb, .vrma, .bvh, .fbx and .dae");
}
