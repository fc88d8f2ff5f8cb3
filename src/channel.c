#include <posemill/channel.h>

uint32_t pm_path_component_count(pm_path path) {
    static const uint32_t counts[PM_PATH_COUNT] = {3, 4, 3, 1};
    return (unsigned)path < PM_PATH_COUNT ? counts[path] : 0;
}

const char *pm_path_name(pm_path path) {
    static const char *const names[PM_PATH_COUNT] = {"translation", "rotation", "scale", "scalar"};
    return (unsigned)path < PM_PATH_COUNT ? names[path] : "unknown path";
}

const char *pm_interpolation_name(pm_interpolation interpolation) {
    static const char *const names[PM_INTERPOLATION_COUNT] = {"STEP", "LINEAR", "CUBICSPLINE"};
    return (unsigned)interpolation < PM_INTERPOLATION_COUNT ? names[interpolation] : "unknown interpolation";
}
