#include "piece.h"

#include <posemill/compile.h>

#include <float.h>
#include <math.h>
#include <string.h>

// Where an approximation is compared with what it stands for.
enum { CHECKED_PLACES = 32 };

// Beyond this a duration and a round's length cannot both be meant.
static const double most_keys = 1 << 26;

// Room for what lies between the checked places.
static const double error_margin = 0.9;

// A segment being laid out, shifted by whole rounds.
typedef struct layout {
    const pm_curve *curve;
    uint32_t key;
    double begin, duration; // clip seconds of the whole segment
    const pm_easing *easing;
    const pm_easing_piece *part; // of the easing that is being laid out
    pm_cubic cubics[PM_CURVE_COMPONENTS_MAX];
    double tolerance;
    bool keep_easing;
    const double *ranges; // [component]
    pm_piece_list *list;
} layout;

void pm_piece_list_release(pm_piece_list *list) {
    pm_release(&list->allocator, list->pieces);
    list->pieces = NULL;
    list->count = list->capacity = 0;
}

static bool add_piece(pm_piece_list *list, const pm_piece *piece) {
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity ? 2 * list->capacity : 64;
        if (capacity < list->capacity) return false;
        pm_piece *pieces = pm_allocate(&list->allocator, capacity, sizeof *pieces);
        if (!pieces) return false;
        if (list->count) memcpy(pieces, list->pieces, list->count * sizeof *pieces);
        pm_release(&list->allocator, list->pieces);
        list->pieces = pieces;
        list->capacity = capacity;
    }
    list->pieces[list->count++] = *piece;
    return true;
}

// The easing at u as its present part has it, so that derivatives at a kink are those of this side.
static pm_easing_sample ease(const layout *l, double u) {
    if (l->part->degree == PM_EASING_NO_DEGREE) return pm_easing_evaluate(l->easing, u);
    const double *c = l->part->coefficients;
    pm_easing_sample sample = {
        ((((c[5] * u + c[4]) * u + c[3]) * u + c[2]) * u + c[1]) * u + c[0],
        (((5.0 * c[5] * u + 4.0 * c[4]) * u + 3.0 * c[3]) * u + 2.0 * c[2]) * u + c[1],
        0.0,
    };
    // Keys are hit.
    if (u == 0.0 || u == 1.0) sample.value = u;
    return sample;
}

static double position(const layout *l, double seconds) {
    return (seconds - l->begin) / l->duration;
}

// Value and slope of every component at u.
static void sample_at(const layout *l, double u, double *values, double *slopes) {
    pm_easing_sample easing = ease(l, u);
    const pm_curve *curve = l->curve;
    for (uint32_t c = 0; c < curve->component_count; ++c) {
        pm_cubic_sample sample = pm_curve_eased(&l->cubics[c], easing);
        // At 1 rounding may miss the key.
        values[c] = u == 1.0 ? l->cubics[c].b : sample.value;
        slopes[c] = sample.velocity;
    }
}

// A piece of the segment between two clip times, ends met.
static pm_piece piece_between(const layout *l, double begin, double end) {
    pm_piece piece = {
        .begin = begin, .end = end, .straight = l->curve->straight[l->key], .easing = {0, 1, 0, 0, 0, 0}};
    double steepest = PM_VALUE_LIMIT / (end - begin) < FLT_MAX ? PM_VALUE_LIMIT / (end - begin) : FLT_MAX;
    sample_at(l, position(l, begin), piece.a, piece.m);
    sample_at(l, position(l, end), piece.b, piece.n);
    for (uint32_t c = 0; c < l->curve->component_count; ++c) {
        // Where the curve stands upright, or nearly, no slope is right; this one does not overshoot.
        double steep = 3.0 * (piece.b[c] - piece.a[c]) / (end - begin);
        if (!(fabs(piece.m[c]) <= steepest)) piece.m[c] = steep;
        if (!(fabs(piece.n[c]) <= steepest)) piece.n[c] = steep;
    }
    return piece;
}

static double error_of(const layout *l, const pm_piece *piece) {
    double worst = 0.0, values[PM_CURVE_COMPONENTS_MAX], slopes[PM_CURVE_COMPONENTS_MAX];
    for (int i = 1; i <= CHECKED_PLACES; ++i) {
        double u = (double)i / (CHECKED_PLACES + 1);
        double seconds = piece->begin + u * (piece->end - piece->begin);
        sample_at(l, position(l, seconds), values, slopes);
        for (uint32_t c = 0; c < l->curve->component_count; ++c) {
            pm_cubic cubic = {
                piece->end - piece->begin, piece->a[c], piece->b[c], piece->m[c], piece->n[c], false};
            double difference = fabs(pm_cubic_evaluate(&cubic, u).value - values[c]);
            double error = l->ranges[c] > 0.0 ? difference / l->ranges[c] : 0.0;
            worst = error > worst ? error : worst;
        }
    }
    return worst;
}

// Halves the span until cubics hold the tolerance. False: no memory.
static bool refine(const layout *l, double begin, double end) {
    pm_piece piece = piece_between(l, begin, end);
    piece.straight = false;
    // Between neighbouring floats the clip has no time to be sampled at.
    bool shortest = nextafterf((float)begin, INFINITY) >= (float)end;
    double error = shortest ? 0.0 : error_of(l, &piece);
    double middle = (double)(float)(0.5 * (begin + end));
    if (error > error_margin * l->tolerance && middle > begin && middle < end)
        return refine(l, begin, middle) && refine(l, middle, end);
    l->list->error = error > l->list->error ? error : l->list->error;
    return add_piece(l->list, &piece);
}

// Keeps the easing of the span between two places as a polynomial. False if it does not get anywhere between
// them, so that positions cannot be counted from one to the other.
static bool keep_polynomial(const layout *l, double begin, double end, pm_piece *piece) {
    double from = position(l, begin), to = position(l, end);
    double s0 = ease(l, from).value, s1 = ease(l, to).value, way = s1 - s0;
    if (!(fabs(way) > 1e-3)) return false;
    // c(from + (to - from) w), by Horner's rule on polynomials.
    double p[6] = {l->part->coefficients[5], 0, 0, 0, 0, 0};
    for (int i = 4; i >= 0; --i) {
        for (int k = 5; k > 0; --k) p[k] = p[k] * from + p[k - 1] * (to - from);
        p[0] = p[0] * from + l->part->coefficients[i];
    }
    double easing[6] = {0.0};
    for (int k = 1; k < 6; ++k) {
        easing[k] = p[k] / way;
        if (!(fabs(easing[k]) <= PM_TIMELINE_EASING_LIMIT)) return false;
    }
    memcpy(piece->easing, easing, sizeof easing);
    piece->eased = true;
    for (uint32_t c = 0; c < l->curve->component_count; ++c) {
        // Slopes by the position, over the piece's own duration.
        double scale = l->duration * way / (end - begin);
        piece->m[c] = pm_cubic_evaluate(&l->cubics[c], s0).velocity * scale;
        piece->n[c] = pm_cubic_evaluate(&l->cubics[c], s1).velocity * scale;
    }
    return true;
}

// Lays out a span on which the easing is one smooth part. False: no memory.
static bool lay_out_part(const layout *l, double begin, double end) {
    bool straight = l->curve->straight[l->key];
    uint32_t degree = l->part->degree;
    bool exact = degree == 1 || (straight && degree <= 3);
    if (!exact && !(l->keep_easing && degree <= 5)) return refine(l, begin, end);
    pm_piece piece = piece_between(l, begin, end);
    piece.straight = straight && (degree == 1 || !exact);
    if (!exact && !keep_polynomial(l, begin, end, &piece)) return refine(l, begin, end);
    return add_piece(l->list, &piece);
}

// Lays out what lies between two clip times of the segment. False: no memory.
static bool lay_out_segment(layout *l, double begin, double end) {
    const pm_curve *curve = l->curve;
    if (curve->steps[l->key]) {
        pm_piece piece = {.begin = begin, .end = end, .step = true, .easing = {0, 1, 0, 0, 0, 0}};
        for (uint32_t c = 0; c < curve->component_count; ++c) piece.a[c] = piece.b[c] = l->cubics[c].a;
        return add_piece(l->list, &piece);
    }
    pm_easing_piece parts[PM_EASING_PIECES_MAX];
    uint32_t part_count = pm_easing_get_pieces(l->easing, parts);
    double from = begin;
    for (uint32_t i = 0; i < part_count; ++i) {
        // Parts meet at floats, so that what is computed for a key's time is computed for the time it will
        // have.
        double to = i + 1 < part_count ? (double)(float)(l->begin + l->duration * parts[i].end) : end;
        if (to > end) to = end;
        if (!((float)to > (float)from)) continue;
        l->part = &parts[i];
        uint32_t first = l->list->count;
        if (!lay_out_part(l, from, to)) return false;
        // The parts' polynomials meet to within rounding: one value for both.
        pm_piece *pieces = l->list->pieces;
        if (first > 0 && from > begin) memcpy(pieces[first].a, pieces[first - 1].b, sizeof pieces[first].a);
        from = to;
    }
    return true;
}

// Lays out one round of the keys, shifted in time, as far as it lies in [begin, end].
static pm_result lay_out_round(layout *l, double shift, double begin, double end, pm_report *report) {
    const pm_curve *curve = l->curve;
    for (uint32_t key = 0; key + 1 < curve->key_count; ++key) {
        double from = curve->seconds[key] + shift, to = curve->seconds[key + 1] + shift;
        double first = from > begin ? from : begin, last = to < end ? to : end;
        if (!(first < last)) continue;
        if (!((float)first < (float)last)) {
            // A sliver at the window's edge, of no time in float; or keys that repeating has pushed together.
            if (first > from || last < to) continue;
            pm_place place = curve->place;
            place.key = key + 1;
            return pm_fail(report, PM_ERROR_DATA, PM_FAULT_TIME_DUPLICATE, place,
                           "repeated up to %.9g s its time is, in single precision, that of the key before",
                           to);
        }
        l->key = key;
        l->begin = from;
        l->duration = to - from;
        l->easing = &curve->easings[key];
        for (uint32_t c = 0; c < curve->component_count; ++c) l->cubics[c] = pm_curve_cubic(curve, key, c);
        if (!lay_out_segment(l, first, last)) return pm_fail_memory(report, "a curve's pieces");
    }
    return PM_OK;
}

pm_result pm_curve_lay_out(const pm_curve *curve, double tolerance, bool keep_easing, pm_piece_list *list,
                           pm_report *report) {
    double ranges[PM_CURVE_COMPONENTS_MAX];
    for (uint32_t c = 0; c < curve->component_count; ++c) {
        double minimum, maximum;
        pm_curve_find_range(curve, c, &minimum, &maximum);
        ranges[c] = maximum - minimum;
    }
    layout l = {
        .curve = curve, .tolerance = tolerance, .keep_easing = keep_easing, .ranges = ranges, .list = list};
    double first = curve->seconds[0], round = curve->seconds[curve->key_count - 1] - first;
    if (!curve->looping || !(round > 0.0)) return lay_out_round(&l, 0.0, -INFINITY, INFINITY, report);

    if ((curve->window_end - curve->window_begin) / round * curve->key_count > most_keys)
        return pm_fail(report, PM_ERROR_DATA, PM_FAULT_CURVE_PARAMETER, curve->place,
                       "its rounds would take more than %g keys", most_keys);
    double rounds = floor((curve->window_begin - first) / round);
    for (double shift = rounds * round; first + shift < curve->window_end; shift = ++rounds * round) {
        pm_result failed = lay_out_round(&l, shift, curve->window_begin, curve->window_end, report);
        if (failed) return failed;
    }
    return PM_OK;
}
