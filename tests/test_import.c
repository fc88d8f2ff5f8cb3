// How the reader of a file is found.
#include <posemill/import.h>

#include "support/files.h"

#include <criterion/criterion.h>
#include <string.h>

static const char *const bvh =
    "HIERARCHY\nROOT A\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\nFrames: 1\n"
    "Frame Time: 1\n0\n";

static pm_result import(const char *name, const char *text, pm_scene **scene, pm_report *report) {
    char path[FILES_PATH_SIZE];
    temporary_write(name, text, strlen(text), path);
    pm_result result = pm_import_file(path, NULL, scene, report);
    temporary_remove(path);
    return result;
}

Test(import, by_extension_or_else_by_content) {
    static const char *const names[] = {"a.bvh", "a.BvH", "a.txt", "bvh", "a.bvh.bak"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        pm_report report = {0};
        pm_scene *scene;
        cr_assert_eq(import(names[i], bvh, &scene, &report), PM_OK, "%s", report.message);
        cr_assert_eq(scene->skeleton->joint_count, 1);
        pm_scene_destroy(scene);
    }
}

Test(import, the_extension_counts_more_than_the_content) {
    pm_report report = {0};
    pm_scene *scene;
    cr_assert_eq(import("a.glb", bvh, &scene, &report), PM_ERROR_FORMAT);
    cr_assert_null(scene);
}

Test(import, what_is_of_no_known_kind_is_refused) {
    static const char *const texts[] = {"", "hello", "MThd"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        pm_report report = {0};
        pm_scene *scene;
        cr_assert_eq(import("a.mid", texts[i], &scene, &report), PM_ERROR_UNSUPPORTED);
        cr_assert_null(scene);
        cr_assert(report.fault == PM_FAULT_FILE_UNSUPPORTED &&
                      strstr(report.message, "a.mid: not a file of a known"),
                  "%s", report.message);
    }
}

Test(import, what_is_not_there_or_a_folder_is_refused) {
    static const char *const paths[] = {"absent", "absent.bvh", "absent.glb", "absent.fbx", "/tmp", "/"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (!POSEMILL_WITH_ASSIMP && strstr(paths[i], "fbx")) continue;
        pm_report report = {0};
        pm_scene *scene;
        cr_assert_eq(pm_import_file(paths[i], NULL, &scene, &report), PM_ERROR_FILE, "%s", report.message);
        cr_assert_null(scene);
        cr_assert(report.fault == PM_FAULT_FILE_UNREADABLE && strstr(report.message, paths[i]), "%s",
                  report.message);
    }
}

#if !POSEMILL_WITH_ASSIMP
Test(import, without_assimp_fbx_and_collada_are_refused_with_a_hint) {
    static const char *const names[] = {"a.fbx", "a.DAE"};
    for (size_t i = 0; i < 2; i++) {
        pm_report report = {0};
        pm_scene *scene;
        cr_assert_eq(import(names[i], "x", &scene, &report), PM_ERROR_UNSUPPORTED);
        cr_assert_null(scene);
        cr_assert(strstr(report.message, names[i]) && strstr(report.message, "POSEMILL_WITH_ASSIMP"), "%s",
                  report.message);
    }
}
#endif
