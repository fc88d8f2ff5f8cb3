#include "world.h"

#include <string.h>

// Translation * rotation * scale; the rotation's columns are the axes turned by the unit quaternion.
static void local_matrix(const pm_transform *local, double matrix[16]) {
    double x = local->rotation[0], y = local->rotation[1], z = local->rotation[2], w = local->rotation[3];
    const double axes[3][3] = {
        {1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)},
        {2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)},
        {2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)},
    };
    for (int column = 0; column < 3; column++) {
        for (int row = 0; row < 3; row++)
            matrix[4 * column + row] = axes[column][row] * (double)local->scale[column];
        matrix[4 * column + 3] = 0;
        matrix[12 + column] = (double)local->translation[column];
    }
    matrix[15] = 1;
}

static void multiply(const double a[16], const double b[16], double product[16]) {
    for (int column = 0; column < 4; column++) {
        for (int row = 0; row < 4; row++) {
            double sum = 0;
            for (int i = 0; i < 4; i++) sum += a[4 * i + row] * b[4 * column + i];
            product[4 * column + row] = sum;
        }
    }
}

void pm_world_matrices(const pm_skeleton *skeleton, const pm_pose_block *pose, double (*matrices)[16]) {
    for (uint32_t joint = 0; joint < skeleton->joint_count; joint++) {
        pm_transform transform = pm_pose_get_joint(pose, joint);
        double local[16];
        local_matrix(&transform, local);
        uint32_t parent = skeleton->parents[joint];
        if (parent == PM_NONE)
            memcpy(matrices[joint], local, sizeof local);
        else
            multiply(matrices[parent], local, matrices[joint]);
    }
}
