#include "assimp_import.h"

#include "diagnose.h"

pm_result pm_import_assimp_file(const char *path, const pm_import_options *options, pm_scene **scene,
                                pm_report *report) {
    (void)options;
    *scene = NULL;
    return pm_fail(report, PM_ERROR_UNSUPPORTED, PM_FAULT_FILE_UNSUPPORTED,
                   (pm_place){path, NULL, NULL, PM_NONE},
                   "this build reads no FBX and Collada; build with POSEMILL_WITH_ASSIMP");
}
