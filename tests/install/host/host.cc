// The headers serve C++ too.
#include <posemill/import.h>
#include <posemill/posemill.h>

#include <cstdio>

int main() {
    pm_pose_block pose = {};
    pm_transform in = {{1, 2, 3}, {0, 0, 0, 1}, {1, 1, 1}};
    pm_pose_set_joint(&pose, 7, &in);
    std::printf("%s\n", pm_path_name(PM_PATH_ROTATION));
    return pm_pose_get_joint(&pose, 7).translation[2] == 3 ? 0 : 1;
}
