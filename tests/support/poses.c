#include "poses.h"

#include "reference.h"

#include <math.h>

void poses_random(rig_random *random, pm_pose_block *blocks, uint32_t block_count) {
    for (uint32_t joint = 0; joint < block_count * PM_BLOCK_LANES; joint++) {
        pm_transform transform;
        for (int c = 0; c < 3; c++) {
            transform.translation[c] = rig_random_between(random, -10, 10);
            transform.scale[c] = rig_random_between(random, -2, 2);
        }
        rig_random_rotation(random, transform.rotation);
        pm_pose_set_joint(blocks, joint, &transform);
    }
}

poses_joint poses_get(const pm_pose_block *blocks, uint32_t joint) {
    pm_transform transform = pm_pose_get_joint(blocks, joint);
    poses_joint result;
    for (int c = 0; c < 3; c++) {
        result.translation[c] = (double)transform.translation[c];
        result.scale[c] = (double)transform.scale[c];
    }
    for (int c = 0; c < 4; c++) result.rotation[c] = (double)transform.rotation[c];
    return result;
}

void poses_compare(const poses_joint *expected, const pm_pose_block *blocks, uint32_t joint,
                   double *worst_vector, double *worst_angle) {
    pm_transform transform = pm_pose_get_joint(blocks, joint);
    for (int c = 0; c < 3; c++) {
        double translation = fabs((double)transform.translation[c] - expected->translation[c]);
        double scale = fabs((double)transform.scale[c] - expected->scale[c]);
        *worst_vector = fmax(*worst_vector, fmax(translation, scale));
    }
    *worst_angle = fmax(*worst_angle, reference_rotation_error(expected->rotation, transform.rotation));
}

void poses_multiply(const double a[4], const double b[4], double product[4]) {
    product[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    product[1] = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
    product[2] = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
    product[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

void poses_normalise(double q[4]) {
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int c = 0; c < 4; c++) q[c] /= length;
}
