// Posemill internals: the matrices of nodes, taken apart once.
#ifndef PM_IMPORT_MATRIX_H
#define PM_IMPORT_MATRIX_H

#include <posemill/pose.h>

// Takes a matrix (column-major) apart into translation, rotation and scale. A mirrored one gets a
// negative x scale; an axis of no length gets scale 0 and a direction that completes the rotation.
// Returns whether the matrix is such a product; shear and projection are lost.
bool pm_matrix_decompose(const float matrix[16], pm_transform *transform);

#endif
