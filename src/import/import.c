#include <posemill/import.h>

#include "assimp_import.h"
#include "bvh.h"
#include "diagnose.h"

#include <assert.h>
#include <string.h>

typedef pm_result (*read_file)(const char *path, const pm_import_options *options, pm_scene **scene,
                               pm_report *report);

static const struct {
    const char *extension;
    read_file read;
} formats[] = {
    {"bvh", pm_import_bvh_file},
    {"fbx", pm_import_assimp_file},
    {"dae", pm_import_assimp_file},
    {"zae", pm_import_assimp_file},
};

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

pm_result pm_import_file(const char *path, const pm_import_options *options, pm_scene **scene,
                         pm_report *report) {
    assert(path && scene);
    *scene = NULL;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (has_extension(path, formats[i].extension)) return formats[i].read(path, options, scene, report);
    return pm_fail(report, PM_ERROR_UNSUPPORTED, PM_FAULT_FILE_UNSUPPORTED,
                   (pm_place){path, NULL, NULL, PM_NONE},
                   "not a file of a known kind; these are .gltf, .glb, .vrma, .bvh, .fbx, .dae and .zae");
}
