// What a host of the runtime library does first: include it, link it, keep a pose.
#include <posemill/posemill.h>

#include <stdio.h>

int main(void) {
    _Alignas(PM_ALIGNMENT) pm_pose_block pose = {0};
    pm_transform in = {{1, 2, 3}, {0, 0, 0, 1}, {1, 1, 1}};
    pm_pose_set_joint(&pose, 7, &in);
    pm_transform out = pm_pose_get_joint(&pose, 7);
    printf("posemill %d.%d.%d\n", PM_VERSION_MAJOR, PM_VERSION_MINOR, PM_VERSION_PATCH);
    return out.translation[2] == 3 && pm_path_component_count(PM_PATH_ROTATION) == 4 ? 0 : 1;
}
