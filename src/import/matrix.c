#include "matrix.h"

#include <math.h>

// Off-diagonal dot products of unit axes up to here are rounding, not shear.
static const double shear_limit = 1e-4;

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double result[3]) {
    result[0] = a[1] * b[2] - a[2] * b[1];
    result[1] = a[2] * b[0] - a[0] * b[2];
    result[2] = a[0] * b[1] - a[1] * b[0];
}

// A unit vector at right angles to a unit vector: across the coordinate axis it is farthest from.
static void perpendicular(const double axis[3], double result[3]) {
    int least = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(axis[i]) < fabs(axis[least])) least = i;
    double unit[3] = {0, 0, 0};
    unit[least] = 1;
    cross(axis, unit, result);
    double length = sqrt(dot(result, result));
    for (int i = 0; i < 3; i++) result[i] /= length;
}

// Gives axes of no length a direction, so that the three are a right-handed frame.
static void complete(double axes[3][3], const double lengths[3]) {
    int missing = 0, known = 0, last_missing = 0;
    for (int i = 0; i < 3; i++) {
        if (lengths[i] > 0) {
            known = i;
        } else {
            missing++;
            last_missing = i;
        }
    }
    if (missing == 3) {
        for (int i = 0; i < 3; i++)
            for (int c = 0; c < 3; c++) axes[i][c] = i == c;
        return;
    }
    int next = (known + 1) % 3, after = (known + 2) % 3;
    if (missing == 2) {
        perpendicular(axes[known], axes[next]);
        cross(axes[known], axes[next], axes[after]);
    } else if (missing == 1) {
        cross(axes[(last_missing + 1) % 3], axes[(last_missing + 2) % 3], axes[last_missing]);
        double length = sqrt(dot(axes[last_missing], axes[last_missing]));
        if (!(length > 0)) return;
        for (int c = 0; c < 3; c++) axes[last_missing][c] /= length;
    }
}

// Shepperd's method: divides by the largest of the four components. `axes` are the columns.
static void to_quaternion(double axes[3][3], double q[4]) {
    double trace = axes[0][0] + axes[1][1] + axes[2][2];
    if (trace > 0) {
        double s = 2 * sqrt(trace + 1);
        q[0] = (axes[1][2] - axes[2][1]) / s;
        q[1] = (axes[2][0] - axes[0][2]) / s;
        q[2] = (axes[0][1] - axes[1][0]) / s;
        q[3] = s / 4;
        return;
    }
    int i = axes[1][1] > axes[0][0] ? 1 : 0;
    if (axes[2][2] > axes[i][i]) i = 2;
    int j = (i + 1) % 3, k = (i + 2) % 3;
    double s = 2 * sqrt(1 + axes[i][i] - axes[j][j] - axes[k][k]);
    q[i] = s / 4;
    q[j] = (axes[i][j] + axes[j][i]) / s;
    q[k] = (axes[i][k] + axes[k][i]) / s;
    q[3] = (axes[j][k] - axes[k][j]) / s;
}

bool pm_matrix_decompose(const float matrix[16], pm_transform *transform) {
    double axes[3][3], lengths[3], normal[3], q[4];
    for (int i = 0; i < 3; i++) {
        for (int c = 0; c < 3; c++) axes[i][c] = (double)matrix[4 * i + c];
        lengths[i] = sqrt(dot(axes[i], axes[i]));
        for (int c = 0; c < 3 && lengths[i] > 0; c++) axes[i][c] /= lengths[i];
        transform->translation[i] = matrix[12 + i];
        transform->scale[i] = (float)lengths[i];
    }
    bool exact = matrix[3] == 0 && matrix[7] == 0 && matrix[11] == 0 && matrix[15] == 1;
    for (int i = 0; i < 3; i++) exact = exact && fabs(dot(axes[i], axes[(i + 1) % 3])) <= shear_limit;
    complete(axes, lengths);
    cross(axes[0], axes[1], normal);
    if (dot(normal, axes[2]) < 0) {
        transform->scale[0] = -transform->scale[0];
        for (int c = 0; c < 3; c++) axes[0][c] = -axes[0][c];
    }
    to_quaternion(axes, q);
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int c = 0; c < 4; c++) transform->rotation[c] = (float)(q[c] / length);
    return exact;
}
