// Tests: random poses, and what double precision makes of two of them.
#ifndef POSES_H
#define POSES_H

#include "rig.h"

// Fills blocks with finite translations and scales of either sign and unit rotations.
void poses_random(rig_random *random, pm_pose_block *blocks, uint32_t block_count);

// One joint in double precision.
typedef struct poses_joint {
    double translation[3], rotation[4], scale[3];
} poses_joint;

poses_joint poses_get(const pm_pose_block *blocks, uint32_t joint);

// Widens `worst_vector` and `worst_angle` (radians) by a joint's difference from the expected one.
void poses_compare(const poses_joint *expected, const pm_pose_block *blocks, uint32_t joint,
                   double *worst_vector, double *worst_angle);

// The rotation a * b.
void poses_multiply(const double a[4], const double b[4], double product[4]);

void poses_normalise(double q[4]);

#endif
