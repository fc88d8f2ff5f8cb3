#include "cubic.h"

#include <math.h>

pm_cubic_sample pm_cubic_evaluate(const pm_cubic *cubic, double s) {
    double chord = cubic->b - cubic->a, d = cubic->duration;
    if (cubic->straight) return (pm_cubic_sample){cubic->a + s * chord, chord / d, 0.0};
    double m = cubic->m, n = cubic->n, r = s - 1.0;
    pm_cubic_sample sample;
    sample.value = cubic->a + (3.0 - 2.0 * s) * s * s * chord + d * s * r * (r * m + s * n);
    sample.velocity = 6.0 * s * -r * (chord / d) + r * (3.0 * s - 1.0) * m + s * (3.0 * s - 2.0) * n;
    sample.acceleration = ((6.0 - 12.0 * s) * (chord / d) + (6.0 * s - 4.0) * m + (6.0 * s - 2.0) * n) / d;
    return sample;
}

uint32_t pm_cubic_find_turns(const pm_cubic *cubic, double low, double high, double turns[2]) {
    if (cubic->straight) return 0;
    // The velocity as a polynomial: k2 s^2 + 2 k1 s + k0.
    double chord = (cubic->b - cubic->a) / cubic->duration;
    double k2 = 3.0 * (cubic->m + cubic->n - 2.0 * chord);
    double k1 = 3.0 * chord - 2.0 * cubic->m - cubic->n;
    double k0 = cubic->m;
    double square = k1 * k1 - k2 * k0;
    // A double root touches zero without passing it.
    if (!(square > 0.0)) return 0;
    // The larger root by magnitude comes without cancellation, the other one from their product.
    double q = -(k1 + copysign(sqrt(square), k1));
    double first = k2 != 0.0 ? q / k2 : INFINITY;
    double second = q != 0.0 ? k0 / q : INFINITY;
    if (first > second) {
        double swapped = first;
        first = second;
        second = swapped;
    }
    uint32_t count = 0;
    if (first > low && first < high) turns[count++] = first;
    if (second > low && second < high) turns[count++] = second;
    return count;
}

void pm_cubic_find_range(const pm_cubic *cubic, double low, double high, double *minimum, double *maximum) {
    double places[4] = {low, high};
    uint32_t count = 2 + pm_cubic_find_turns(cubic, low, high, places + 2);
    *minimum = INFINITY;
    *maximum = -INFINITY;
    for (uint32_t i = 0; i < count; ++i) {
        double value = places[i] == 1.0 ? cubic->b : pm_cubic_evaluate(cubic, places[i]).value;
        *minimum = value < *minimum ? value : *minimum;
        *maximum = value > *maximum ? value : *maximum;
    }
}
