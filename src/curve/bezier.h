// Posemill internals: the cubic Bezier easing.
#ifndef PM_BEZIER_H
#define PM_BEZIER_H

#include <posemill/easing.h>

// The curve (0, 0), (x1, y1), (x2, y2), (1, 1) where its x is u, with derivatives by x; u is above 0 and
// below 1, or either end (where the value is exact). x1 and x2 are in [0, 1].
pm_easing_sample pm_bezier_ease(double x1, double y1, double x2, double y2, double u);

#endif
