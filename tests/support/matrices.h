// Tests: matrices in double precision, and how far from them float may end up.
#ifndef MATRICES_H
#define MATRICES_H

#include "poses.h"

// Three rows of four numbers, with a bound for what rounding did to each where a kernel computed it.
typedef struct matrices_bounded {
    double value[PM_MATRIX_FLOATS], error[PM_MATRIX_FLOATS];
} matrices_bounded;

// A matrix that is given, and so without error.
matrices_bounded matrices_given(const float *matrix);

// The local matrix of a joint of a pose.
matrices_bounded matrices_local(const pm_pose_block *pose, uint32_t joint);

matrices_bounded matrices_multiply(const matrices_bounded *a, const matrices_bounded *b);

// How far off a matrix is, as a part of the bound; above 1 is wrong. The largest of its numbers.
double matrices_difference(const matrices_bounded *expected, const float *actual);

// a * b in float, summed in the order that palette.h states.
void matrices_product(const float *a, const float *b, float *product);

#endif
