#include "bezier.h"

#include <math.h>

// One coordinate of the curve as a polynomial in its parameter s: ((a s + b) s + c) s.
typedef struct coordinate {
    double a, b, c;
} coordinate;

static coordinate coordinate_of(double first, double second) {
    double c = 3.0 * first;
    double b = 3.0 * (second - first) - c;
    return (coordinate){1.0 - c - b, b, c};
}

static double position(coordinate p, double s) {
    return ((p.a * s + p.b) * s + p.c) * s;
}

static double slope(coordinate p, double s) {
    return (3.0 * p.a * s + 2.0 * p.b) * s + p.c;
}

static double bend(coordinate p, double s) {
    return 6.0 * p.a * s + 2.0 * p.b;
}

// The parameter at which x is u. x rises with s, so a bracket is kept, and Newton's step is taken only inside
// of it. Where x is flat Newton's steps shrink the bracket too slowly; every third step halves it instead.
static double solve(coordinate x, double u) {
    double low = 0.0, high = 1.0, s = u;
    for (int step = 0; step < 160; ++step) {
        double error = position(x, s) - u;
        if (error == 0.0) break;
        if (error < 0.0)
            low = s;
        else
            high = s;
        double next = s - error / slope(x, s);
        // Written so that NaN and infinity take the midpoint.
        if (step % 3 == 2 || !(next > low && next < high)) next = 0.5 * (low + high);
        if (next == s || next == low || next == high) break;
        s = next;
    }
    return s;
}

// dy/dx and its derivative by x at parameter s. Where x stands still the limit is taken (l'Hopital).
static pm_easing_sample derivatives(coordinate x, coordinate y, double s) {
    pm_easing_sample sample = {position(y, s), 0.0, 0.0};
    double dx = slope(x, s), dy = slope(y, s), ddx = bend(x, s), ddy = bend(y, s);
    if (dx > 0.0) {
        sample.first = dy / dx;
        sample.second = (ddy * dx - dy * ddx) / (dx * dx * dx);
        return sample;
    }
    bool upright = dy != 0.0 || (ddx == 0.0 && ddy != 0.0);
    if (upright) {
        double rise = dy != 0.0 ? dy : ddy;
        sample.first = copysign(INFINITY, rise);
        sample.second = copysign(INFINITY, s < 0.5 ? -rise : rise);
    } else if (ddx != 0.0) {
        sample.first = ddy / ddx;
        double change = y.a * ddx - ddy * x.a;
        if (change != 0.0) sample.second = copysign(INFINITY, change);
    } else {
        sample.first = y.a / x.a;
    }
    return sample;
}

pm_easing_sample pm_bezier_ease(double x1, double y1, double x2, double y2, double u) {
    coordinate x = coordinate_of(x1, x2), y = coordinate_of(y1, y2);
    return derivatives(x, y, u > 0.0 && u < 1.0 ? solve(x, u) : u);
}
