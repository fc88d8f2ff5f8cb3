#include "matrices.h"

#include <math.h>
#include <string.h>

// Half a unit in the last place of numbers between 1 and 2: what one operation may be off, relative to its
// result.
static const double unit = 0x1p-24;

matrices_bounded matrices_given(const float *matrix) {
    matrices_bounded result = {{0}, {0}};
    for (int n = 0; n < PM_MATRIX_FLOATS; n++) result.value[n] = (double)matrix[n];
    return result;
}

// A diagonal number of a rotation is 1 - (yy + zz) with yy + zz up to 2, where yy = y * (y + y) and a sum of
// equals is exact: products are off by 2 units at most, their sum by 2, the difference by 1. Others, such as
// xy - wz with |xy| + |wz| up to 1, are off by less. One more rounding comes with the scale: 6 units of it.
matrices_bounded matrices_local(const pm_pose_block *pose, uint32_t joint) {
    const poses_joint at = poses_get(pose, joint);
    const double x = at.rotation[0], y = at.rotation[1], z = at.rotation[2], w = at.rotation[3];
    const double rotation[3][3] = {
        {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
        {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
        {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)},
    };
    matrices_bounded local = {{0}, {0}};
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            local.value[4 * r + c] = rotation[r][c] * at.scale[c];
            local.error[4 * r + c] = 6 * unit * fabs(at.scale[c]);
        }
        local.value[4 * r + 3] = at.translation[r];
    }
    return local;
}

// Each number is a sum of up to four, each of which is rounded three times: the product, and two sums. To
// that comes what the factors were off. Errors of errors are below a hundredth for any tree of these tests.
matrices_bounded matrices_multiply(const matrices_bounded *a, const matrices_bounded *b) {
    matrices_bounded product = {{0}, {0}};
    for (int r = 0; r < 12; r += 4)
        for (int c = 0; c < 4; c++) {
            double value = c == 3 ? a->value[r + 3] : 0, size = fabs(value);
            double error = c == 3 ? a->error[r + 3] : 0;
            for (int k = 0; k < 3; k++) {
                double from_a = a->value[r + k], from_b = b->value[4 * k + c];
                value += from_a * from_b;
                size += fabs(from_a * from_b);
                error += a->error[r + k] * fabs(from_b) + fabs(from_a) * b->error[4 * k + c];
            }
            product.value[r + c] = value;
            product.error[r + c] = error + 3 * unit * size;
        }
    return product;
}

double matrices_difference(const matrices_bounded *expected, const float *actual) {
    double worst = 0;
    for (int n = 0; n < PM_MATRIX_FLOATS; n++) {
        double error = fabs((double)actual[n] - expected->value[n]);
        if (!(error <= 1e300)) return INFINITY;
        if (error > 0) worst = fmax(worst, error / (1.01 * expected->error[n]));
    }
    return worst;
}

void matrices_product(const float *a, const float *b, float *product) {
    float result[PM_MATRIX_FLOATS];
    for (int r = 0; r < 12; r += 4)
        for (int c = 0; c < 4; c++) {
            float x = a[r] * b[c], y = a[r + 1] * b[4 + c], z = a[r + 2] * b[8 + c];
            result[r + c] = (x + y) + (c == 3 ? z + a[r + 3] : z);
        }
    memcpy(product, result, sizeof result);
}
