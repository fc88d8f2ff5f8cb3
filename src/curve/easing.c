#include <posemill/easing.h>

#include "bezier.h"
#include "maths.h"

#include <math.h>
#include <string.h>

// Coefficients of a polynomial of degree at most 5, by rising power.
typedef struct quintic {
    double c[6];
} quintic;

static const double back_overshoot = 1.70158;
static const double back_overshoot_in_out = 1.70158 * 1.525;

static bool is_directed(pm_easing_family family) {
    return family >= PM_EASING_QUAD;
}

// The degree of an easing's pieces, or PM_EASING_NO_DEGREE.
static uint32_t family_degree(const pm_easing *easing) {
    static const uint32_t degrees[PM_EASING_FAMILY_COUNT] = {
        [PM_EASING_LINEAR] = 1,
        [PM_EASING_SMOOTHSTEP] = 3,
        [PM_EASING_SMOOTHERSTEP] = 5,
        [PM_EASING_BEZIER] = PM_EASING_NO_DEGREE,
        [PM_EASING_QUAD] = 2,
        [PM_EASING_CUBIC] = 3,
        [PM_EASING_QUART] = 4,
        [PM_EASING_QUINT] = 5,
        [PM_EASING_SINE] = PM_EASING_NO_DEGREE,
        [PM_EASING_EXPO] = PM_EASING_NO_DEGREE,
        [PM_EASING_BACK] = 3,
        [PM_EASING_ELASTIC] = PM_EASING_NO_DEGREE,
        [PM_EASING_BOUNCE] = 2,
    };
    if (easing->family != PM_EASING_POLYNOMIAL) return degrees[easing->family];
    uint32_t degree = 5;
    while (degree > 1 && easing->coefficients[degree] == 0.0) --degree;
    return degree;
}

// The polynomial families' basic form: "in", or what has no direction. BOUNCE has its own.
static quintic family_polynomial(const pm_easing *easing) {
    double s = easing->direction == PM_EASING_IN_OUT ? back_overshoot_in_out : back_overshoot;
    quintic own;
    switch (easing->family) {
    case PM_EASING_POLYNOMIAL:
        memcpy(own.c, easing->coefficients, sizeof own.c);
        return own;
    case PM_EASING_SMOOTHSTEP:
        return (quintic){{0, 0, 3, -2, 0, 0}};
    case PM_EASING_SMOOTHERSTEP:
        return (quintic){{0, 0, 0, 10, -15, 6}};
    case PM_EASING_QUAD:
        return (quintic){{0, 0, 1, 0, 0, 0}};
    case PM_EASING_CUBIC:
        return (quintic){{0, 0, 0, 1, 0, 0}};
    case PM_EASING_QUART:
        return (quintic){{0, 0, 0, 0, 1, 0}};
    case PM_EASING_QUINT:
        return (quintic){{0, 0, 0, 0, 0, 1}};
    case PM_EASING_BACK:
        return (quintic){{0, 0, -s, s + 1.0, 0, 0}};
    default:
        return (quintic){{0, 1, 0, 0, 0, 0}};
    }
}

// BOUNCE out: parabolas 7.5625 (u - centre)^2 + floor, each up to `end`.
static const struct {
    double end, centre, floor;
} bounces[] = {
    {4.0 / 11.0, 0.0, 0.0},
    {8.0 / 11.0, 6.0 / 11.0, 0.75},
    {10.0 / 11.0, 9.0 / 11.0, 0.9375},
    {1.0, 10.5 / 11.0, 0.984375},
};

enum { BOUNCES = sizeof bounces / sizeof *bounces };

static const double bounce_gravity = 7.5625;

static quintic bounce_polynomial(int bounce) {
    double centre = bounces[bounce].centre;
    return (quintic){{bounce_gravity * centre * centre + bounces[bounce].floor,
                      -2.0 * bounce_gravity * centre, bounce_gravity, 0, 0, 0}};
}

static pm_easing_sample quintic_sample(const quintic *p, double u) {
    const double *c = p->c;
    return (pm_easing_sample){
        ((((c[5] * u + c[4]) * u + c[3]) * u + c[2]) * u + c[1]) * u + c[0],
        (((5.0 * c[5] * u + 4.0 * c[4]) * u + 3.0 * c[3]) * u + 2.0 * c[2]) * u + c[1],
        ((20.0 * c[5] * u + 12.0 * c[4]) * u + 6.0 * c[3]) * u + 2.0 * c[2],
    };
}

// p(shift + scale * u) as a polynomial in u, by Horner's rule on polynomials.
static quintic substitute(const quintic *p, double shift, double scale) {
    quintic result = {{p->c[5], 0, 0, 0, 0, 0}};
    for (int i = 4; i >= 0; --i) {
        for (int k = 5; k > 0; --k) result.c[k] = result.c[k] * shift + result.c[k - 1] * scale;
        result.c[0] = result.c[0] * shift + p->c[i];
    }
    return result;
}

// floor + scale * p
static quintic rescale(quintic p, double floor, double scale) {
    for (int k = 0; k < 6; ++k) p.c[k] *= scale;
    p.c[0] += floor;
    return p;
}

static pm_easing_sample sine_in(double u) {
    double half = 0.25 * PM_PI * u, sine = pm_sin(half);
    double rate = 0.5 * PM_PI;
    // 1 - cos(x) = 2 sin(x/2)^2, which keeps its digits near 0.
    return (pm_easing_sample){2.0 * sine * sine, rate * pm_sin(2.0 * half), rate * rate * pm_cos(2.0 * half)};
}

// ln 2 times 10: the rate at which 2^(10u) grows.
static const double expo_rate = 6.931471805599453;

static pm_easing_sample expo_in(double u) {
    double power = pm_exp2(10.0 * u) / 1023.0;
    return (pm_easing_sample){power - 1.0 / 1023.0, expo_rate * power, expo_rate * expo_rate * power};
}

// Expo times cos(w (1 - u)): a swing that grows until it reaches 1. Penner's sine with its phase written out.
static pm_easing_sample elastic_in(double u, double period) {
    pm_easing_sample e = expo_in(u);
    double w = 2.0 * PM_PI / period, angle = w * (1.0 - u);
    double cosine = pm_cos(angle), sine = pm_sin(angle);
    return (pm_easing_sample){e.value * cosine, e.first * cosine + e.value * w * sine,
                              e.second * cosine + 2.0 * e.first * w * sine - e.value * w * w * cosine};
}

// The sample at 1 - u of 1 - e, given the one of e at u.
static pm_easing_sample mirrored(pm_easing_sample e) {
    return (pm_easing_sample){1.0 - e.value, e.first, -e.second};
}

// BOUNCE out; at a contact `before` asks for the parabola that ends there.
static pm_easing_sample bounce_out(double u, bool before) {
    int bounce = 0;
    while (bounce < BOUNCES - 1 && (before ? u > bounces[bounce].end : u >= bounces[bounce].end)) ++bounce;
    double away = u - bounces[bounce].centre;
    return (pm_easing_sample){bounce_gravity * away * away + bounces[bounce].floor,
                              2.0 * bounce_gravity * away, 2.0 * bounce_gravity};
}

// The form "in" of a directed family; `falling` says that u is a falling function of the caller's.
static pm_easing_sample family_in(const pm_easing *easing, double u, bool falling) {
    switch (easing->family) {
    case PM_EASING_SINE:
        return sine_in(u);
    case PM_EASING_EXPO:
        return expo_in(u);
    case PM_EASING_ELASTIC:
        return elastic_in(u, easing->direction == PM_EASING_IN_OUT ? 0.45 : 0.3);
    case PM_EASING_BOUNCE:
        // Mirroring turns the direction once more.
        return mirrored(bounce_out(1.0 - u, !falling));
    default: {
        quintic p = family_polynomial(easing);
        return quintic_sample(&p, u);
    }
    }
}

static pm_easing_sample directed_sample(const pm_easing *easing, double u) {
    if (easing->direction == PM_EASING_IN) return family_in(easing, u, false);
    if (easing->direction == PM_EASING_OUT) return mirrored(family_in(easing, 1.0 - u, true));
    bool first_half = u < 0.5;
    pm_easing_sample half =
        first_half ? family_in(easing, 2.0 * u, false) : mirrored(family_in(easing, 2.0 - 2.0 * u, true));
    double floor = first_half ? 0.0 : 0.5;
    return (pm_easing_sample){floor + 0.5 * half.value, half.first, 2.0 * half.second};
}

pm_easing_sample pm_easing_evaluate(const pm_easing *easing, double u) {
    if (!(u > 0.0)) u = 0.0;
    if (u > 1.0) u = 1.0;
    pm_easing_sample sample;
    if (easing->family == PM_EASING_BEZIER) {
        sample = pm_bezier_ease(easing->x1, easing->y1, easing->x2, easing->y2, u);
    } else if (is_directed(easing->family)) {
        sample = directed_sample(easing, u);
    } else {
        quintic p = family_polynomial(easing);
        sample = quintic_sample(&p, u);
    }
    // Rounding would miss the ends by a hair; keys must be hit.
    if (u == 0.0 || u == 1.0) sample.value = u;
    return sample;
}

static const char *fault_of_polynomial(const pm_easing *easing) {
    double sum = 0.0;
    for (int k = 0; k < 6; ++k) {
        if (!(fabs(easing->coefficients[k]) <= PM_EASING_NUMBER_LIMIT))
            return "a polynomial easing's coefficients must be finite and not beyond 1e6";
        sum += easing->coefficients[k];
    }
    if (!(fabs(easing->coefficients[0]) <= 1e-4)) return "a polynomial easing must be 0 at 0";
    return fabs(sum - 1.0) <= 1e-4 ? NULL : "a polynomial easing must be 1 at 1";
}

const char *pm_easing_validate(const pm_easing *easing) {
    if ((unsigned)easing->family >= PM_EASING_FAMILY_COUNT) return "the easing's family is unknown";
    if ((unsigned)easing->direction >= PM_EASING_DIRECTION_COUNT) return "the easing's direction is unknown";
    if (easing->family == PM_EASING_POLYNOMIAL) return fault_of_polynomial(easing);
    if (easing->family != PM_EASING_BEZIER) return NULL;
    // Written so that NaN fails.
    if (!(easing->x1 >= 0.0 && easing->x1 <= 1.0 && easing->x2 >= 0.0 && easing->x2 <= 1.0))
        return "a Bezier easing's x1 and x2 must be between 0 and 1, or time would run backwards";
    if (!(fabs(easing->y1) <= PM_EASING_NUMBER_LIMIT && fabs(easing->y2) <= PM_EASING_NUMBER_LIMIT))
        return "a Bezier easing's y1 and y2 must be finite and not beyond 1e6";
    return NULL;
}

static void put_piece(pm_easing_piece *piece, double begin, double end, uint32_t degree, const quintic *p) {
    *piece = (pm_easing_piece){begin, end, degree, {0}};
    if (degree != PM_EASING_NO_DEGREE) memcpy(piece->coefficients, p->c, sizeof p->c);
}

// The pieces of a directed family's "out" form, from those of "in", or the other way.
static uint32_t base_pieces(const pm_easing *easing, bool out, pm_easing_piece *pieces) {
    uint32_t degree = family_degree(easing);
    if (easing->family != PM_EASING_BOUNCE) {
        quintic p = family_polynomial(easing);
        if (out) {
            quintic turned = substitute(&p, 1.0, -1.0);
            p = rescale(turned, 1.0, -1.0);
        }
        put_piece(pieces, 0.0, 1.0, degree, &p);
        return 1;
    }
    for (int i = 0; i < BOUNCES; ++i) {
        int bounce = out ? i : BOUNCES - 1 - i;
        double begin = bounce ? bounces[bounce - 1].end : 0.0, end = bounces[bounce].end;
        quintic p = bounce_polynomial(bounce);
        if (out) {
            put_piece(&pieces[i], begin, end, degree, &p);
        } else {
            quintic turned = substitute(&p, 1.0, -1.0);
            p = rescale(turned, 1.0, -1.0);
            put_piece(&pieces[i], 1.0 - end, 1.0 - begin, degree, &p);
        }
    }
    return BOUNCES;
}

uint32_t pm_easing_get_pieces(const pm_easing *easing, pm_easing_piece *pieces) {
    if (!is_directed(easing->family) || easing->direction == PM_EASING_IN)
        return base_pieces(easing, false, pieces);
    if (easing->direction == PM_EASING_OUT) return base_pieces(easing, true, pieces);

    uint32_t count = base_pieces(easing, false, pieces);
    base_pieces(easing, true, pieces + count);
    for (uint32_t i = 0; i < 2 * count; ++i) {
        double floor = i < count ? 0.0 : 0.5;
        quintic p;
        memcpy(p.c, pieces[i].coefficients, sizeof p.c);
        p = substitute(&p, -2.0 * floor, 2.0);
        p = rescale(p, floor, 0.5);
        bool polynomial = pieces[i].degree != PM_EASING_NO_DEGREE;
        put_piece(&pieces[i], floor + 0.5 * pieces[i].begin, floor + 0.5 * pieces[i].end, pieces[i].degree,
                  polynomial ? &p : NULL);
    }
    return 2 * count;
}
