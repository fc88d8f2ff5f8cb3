#include "plot.h"

#include "canvas.h"
#include "storage.h"
#include "text.h"

#include <posemill/inspect.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The page, in points.
static const double page_width = 960.0, page_height = 760.0;
static const double margin_left = 92.0, margin_right = 28.0, margin_top = 84.0, margin_bottom = 58.0;
static const double panel_gap = 20.0;
static const double title_size = 19.0, label_size = 14.0, tick_size = 12.5;

static const uint32_t ink = 0x222222, grid_ink = 0xE3E3E3, axis_ink = 0x9A9A9A, alarm_ink = 0xC1121F;

// M. Okabe and K. Ito's colours, told apart by colour-blind people too; yellow is left out on white.
static const uint32_t colours[] = {0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7,
                                   0xE69F00, 0x56B4E9, 0x000000, 0x8C564B};

enum { COLOURS = sizeof colours / sizeof *colours };

// Points a segment is drawn with.
enum { POINTS = 240 };

typedef enum quantity { VALUE, VELOCITY, ACCELERATION, QUANTITIES } quantity;

static const char *const quantity_names[QUANTITIES] = {"value", "velocity (1/s)", "acceleration (1/s²)"};

// One of the panels: what it shows, where it lies, and which ranges it spans.
typedef struct panel {
    quantity quantity;
    double left, top, width, height;
    double first_seconds, last_seconds;
    double low, high;
} panel;

// A place on a curve. Jumps separate strokes.
typedef struct point {
    double seconds;
    double y[QUANTITIES];
    bool begins;
} point;

// A series sampled for drawing.
typedef struct stroke {
    const pm_plot_series *series;
    pm_curve_report *report;
    uint32_t colour;
    double extra_width; // earlier series are wider, so that they show under later ones
    point *points;
    size_t point_count;
} stroke;

static double x_of(const panel *p, double seconds) {
    return p->left + p->width * (seconds - p->first_seconds) / (p->last_seconds - p->first_seconds);
}

static double y_of(const panel *p, double y) {
    return p->top + p->height * (p->high - y) / (p->high - p->low);
}

static void sample_point(stroke *s, double seconds, bool begins) {
    pm_curve_sample sample = pm_curve_evaluate(s->series->curve, seconds);
    uint32_t c = s->series->component;
    s->points[s->point_count++] =
        (point){seconds, {sample.value[c], sample.velocity[c], sample.acceleration[c]}, begins};
}

// Samples each segment from inside, so that jumps at keys show.
static void sample_stroke(stroke *s) {
    pm_curve_info info = pm_curve_get_info(s->series->curve);
    s->points = pm_storage_allocate((size_t)info.key_count * (POINTS + 1), sizeof *s->points);
    for (uint32_t key = 0; key + 1 < info.key_count; key++) {
        double begin = pm_curve_get_key(s->series->curve, key).seconds;
        double end = pm_curve_get_key(s->series->curve, key + 1).seconds;
        for (int i = 0; i < POINTS; i++) {
            // Closer together towards the keys, where curves may stand upright.
            double u = 0.5 - 0.5 * cos(3.14159265358979 * i / POINTS);
            sample_point(s, begin + (end - begin) * u, i == 0);
        }
        sample_point(s, nextafter(end, begin), false);
    }
    // Where a step leads to at the last key.
    sample_point(s, info.last_seconds, info.key_count == 1);
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The range of what a panel shows. Derivatives may be infinite in places, and would flatten everything else:
// their range ends at a multiple of what nearly all points stay below, and what is beyond leaves the panel.
static void find_range(panel *p, const stroke *strokes, uint32_t count) {
    size_t total = 0;
    for (uint32_t s = 0; s < count; s++) total += strokes[s].point_count;
    double *sizes = pm_storage_allocate(total, sizeof *sizes), low = INFINITY, high = -INFINITY;
    size_t finite = 0;
    for (uint32_t s = 0; s < count; s++)
        for (size_t i = 0; i < strokes[s].point_count; i++) {
            double size = fabs(strokes[s].points[i].y[p->quantity]);
            if (isfinite(size)) sizes[finite++] = size;
        }
    qsort(sizes, finite, sizeof *sizes, compare_doubles);
    double limit = INFINITY;
    if (p->quantity != VALUE && finite > 0 && sizes[finite - 1] > 5.0 * sizes[finite * 97 / 100])
        limit = 1.6 * sizes[finite * 97 / 100];
    free(sizes);
    if (!(limit > 0.0)) limit = INFINITY;
    for (uint32_t s = 0; s < count; s++)
        for (size_t i = 0; i < strokes[s].point_count; i++) {
            double y = fmax(-limit, fmin(limit, strokes[s].points[i].y[p->quantity]));
            if (!isfinite(y)) continue;
            low = fmin(low, y);
            high = fmax(high, y);
        }
    if (p->quantity != VALUE) {
        low = fmin(low, 0.0);
        high = fmax(high, 0.0);
    }
    double pad = high > low ? 0.09 * (high - low) : fmax(0.5 * fabs(high), 1.0);
    p->low = low - pad;
    p->high = high + pad;
}

// A round step (1, 2 or 5 times a power of ten) that divides a span into at most `most` parts.
static double tick_step(double span, double most) {
    double step = pow(10.0, floor(log10(span / most)));
    static const double factors[] = {1.0, 2.0, 5.0, 10.0};
    for (int i = 0; i < 4; i++)
        if (span / (factors[i] * step) <= most) return factors[i] * step;
    return 10.0 * step;
}

static void stroke_line(const pm_canvas *canvas, double x0, double y0, double x1, double y1) {
    cairo_move_to(canvas->cairo, x0, y0);
    cairo_line_to(canvas->cairo, x1, y1);
    cairo_stroke(canvas->cairo);
}

static void label_tick(char text[32], double value, double step) {
    // What rounding leaves of 0 is 0; a minus is longer than a hyphen.
    double size = fabs(value) < 1e-9 * step ? 0.0 : fabs(value);
    snprintf(text, 32, "%s%.6g", size > 0.0 && value < 0.0 ? "−" : "", size);
}

static void draw_grid(const pm_canvas *canvas, const panel *p, bool time_labels) {
    char text[32];
    cairo_set_line_width(canvas->cairo, 1.0);
    double step = tick_step(p->last_seconds - p->first_seconds, 10.0);
    for (double tick = ceil(p->first_seconds / step); tick * step <= p->last_seconds; tick++) {
        double x = x_of(p, tick * step);
        pm_canvas_colour(canvas, grid_ink, 1.0);
        stroke_line(canvas, x, p->top, x, p->top + p->height);
        if (!time_labels) continue;
        label_tick(text, tick * step, step);
        pm_canvas_colour(canvas, ink, 1.0);
        pm_canvas_text(canvas, x, p->top + p->height + 8.0, (pm_anchor){0.5, 0.0}, tick_size, false, text);
    }
    step = tick_step(p->high - p->low, p->height > 200.0 ? 9.0 : 5.0);
    for (double tick = ceil(p->low / step); tick * step <= p->high; tick++) {
        double y = y_of(p, tick * step);
        pm_canvas_colour(canvas, tick == 0.0 ? axis_ink : grid_ink, 1.0);
        stroke_line(canvas, p->left, y, p->left + p->width, y);
        label_tick(text, tick * step, step);
        pm_canvas_colour(canvas, ink, 1.0);
        pm_canvas_text(canvas, p->left - 8.0, y, (pm_anchor){1.0, 0.5}, tick_size, false, text);
    }
    pm_canvas_colour(canvas, axis_ink, 1.0);
    cairo_rectangle(canvas->cairo, p->left, p->top, p->width, p->height);
    cairo_stroke(canvas->cairo);
}

static void clip_to(const pm_canvas *canvas, const panel *p) {
    cairo_save(canvas->cairo);
    cairo_rectangle(canvas->cairo, p->left, p->top, p->width, p->height);
    cairo_clip(canvas->cairo);
}

// Infinite values leave the panel a little beyond its edge.
static double bounded_y(const panel *p, double y) {
    double beyond = p->high - p->low;
    return y_of(p, fmax(p->low - beyond, fmin(p->high + beyond, y)));
}

static void draw_stroke(const pm_canvas *canvas, const panel *p, const stroke *s) {
    pm_canvas_colour(canvas, s->colour, 1.0);
    cairo_set_line_width(canvas->cairo, (p->quantity == VALUE ? 2.4 : 1.9) + s->extra_width);
    for (size_t i = 0; i < s->point_count; i++) {
        const point *at = &s->points[i];
        double y = at->y[p->quantity];
        if (isnan(y)) continue;
        // A value that jumps shows its jump; derivatives show theirs as a gap.
        if (at->begins && (p->quantity != VALUE || i == 0)) {
            cairo_stroke(canvas->cairo);
            cairo_move_to(canvas->cairo, x_of(p, at->seconds), bounded_y(p, y));
        } else {
            cairo_line_to(canvas->cairo, x_of(p, at->seconds), bounded_y(p, y));
        }
    }
    cairo_stroke(canvas->cairo);
}

// Fills what lies outside of the range of each segment's two keys.
static void draw_overshoot(const pm_canvas *canvas, const panel *p, const stroke *s) {
    pm_canvas_colour(canvas, alarm_ink, 0.22);
    for (uint32_t i = 0; i < s->report->segment_count; i++) {
        if (!(s->report->segments[i].components[s->series->component].overshoot > 0.0)) continue;
        double a = pm_curve_get_key(s->series->curve, i).value[s->series->component];
        double b = pm_curve_get_key(s->series->curve, i + 1).value[s->series->component];
        for (int side = 0; side < 2; side++) {
            double edge = side ? fmax(a, b) : fmin(a, b);
            const point *first = &s->points[(size_t)i * (POINTS + 1)];
            cairo_move_to(canvas->cairo, x_of(p, first->seconds), y_of(p, edge));
            for (int k = 0; k <= POINTS; k++) {
                double y = side ? fmax(edge, first[k].y[VALUE]) : fmin(edge, first[k].y[VALUE]);
                cairo_line_to(canvas->cairo, x_of(p, first[k].seconds), y_of(p, y));
            }
            cairo_line_to(canvas->cairo, x_of(p, first[POINTS].seconds), y_of(p, edge));
            cairo_close_path(canvas->cairo);
            cairo_fill(canvas->cairo);
        }
    }
}

// Says how far the worst overshoot goes, at the edge that it passes, where the curve is not.
static void label_overshoot(const pm_canvas *canvas, const panel *p, const stroke *s) {
    const pm_inspected_span *worst = NULL;
    for (uint32_t i = 0; i < s->report->segment_count; i++) {
        const pm_inspected_span *span = &s->report->segments[i].components[s->series->component];
        if (span->overshoot > 0.0 && (!worst || span->overshoot > worst->overshoot)) worst = span;
    }
    // What cannot be seen is not labelled.
    if (!worst || worst->overshoot * p->height < 2.0 * (p->high - p->low)) return;
    bool above = worst->overshoot_seconds == worst->maximum_seconds;
    double edge = above ? worst->maximum - worst->overshoot : worst->minimum + worst->overshoot;
    char text[48];
    snprintf(text, sizeof text, "overshoot %.3g", worst->overshoot);
    double half = 0.5 * pm_canvas_text_width(canvas, tick_size, text), x = x_of(p, worst->overshoot_seconds);
    x = fmin(fmax(x, p->left + half + 6.0), p->left + p->width - half - 6.0);
    pm_canvas_colour(canvas, alarm_ink, 1.0);
    pm_canvas_text_on_white(canvas, x, y_of(p, edge) + (above ? 8.0 : -8.0),
                            (pm_anchor){0.5, above ? 0.0 : 1.0}, tick_size, text);
}

static void draw_handle(const pm_canvas *canvas, const panel *p, const pm_resolved_key *key,
                        uint32_t component, double slope, double seconds) {
    double x = x_of(p, key->seconds + seconds), y = y_of(p, key->value[component] + slope * seconds);
    stroke_line(canvas, x_of(p, key->seconds), y_of(p, key->value[component]), x, y);
    cairo_arc(canvas->cairo, x, y, 2.4, 0.0, 6.2832);
    cairo_fill(canvas->cairo);
}

// Tangents as unweighted handles: a third of the segment long. Curves of very many keys would drown in them.
static void draw_keys(const pm_canvas *canvas, const panel *p, const stroke *s) {
    uint32_t count = pm_curve_get_info(s->series->curve).key_count, c = s->series->component;
    if (count > 120) return;
    for (uint32_t i = 0; i < count; i++) {
        pm_resolved_key key = pm_curve_get_key(s->series->curve, i);
        cairo_set_line_width(canvas->cairo, 1.3);
        pm_canvas_colour(canvas, s->colour, 0.6);
        if (i + 1 < count && !key.step && key.easing.family == PM_EASING_LINEAR)
            draw_handle(canvas, p, &key, c, key.out_tangent[c],
                        (pm_curve_get_key(s->series->curve, i + 1).seconds - key.seconds) / 3.0);
        pm_resolved_key before = i > 0 ? pm_curve_get_key(s->series->curve, i - 1) : key;
        if (i > 0 && !before.step && before.easing.family == PM_EASING_LINEAR)
            draw_handle(canvas, p, &key, c, key.in_tangent[c], (before.seconds - key.seconds) / 3.0);
    }
    for (uint32_t i = 0; i < count; i++) {
        pm_resolved_key key = pm_curve_get_key(s->series->curve, i);
        cairo_new_sub_path(canvas->cairo);
        cairo_arc(canvas->cairo, x_of(p, key.seconds), y_of(p, key.value[c]), 4.6, 0.0, 6.2832);
        pm_canvas_colour(canvas, 0xFFFFFF, 1.0);
        cairo_fill_preserve(canvas->cairo);
        pm_canvas_colour(canvas, s->colour, 1.0);
        cairo_set_line_width(canvas->cairo, 2.0);
        cairo_stroke(canvas->cairo);
    }
}

static void draw_panel(const pm_canvas *canvas, const pm_plot *plot, const panel *p, const stroke *strokes,
                       bool last) {
    draw_grid(canvas, p, last);
    pm_canvas_colour(canvas, ink, 1.0);
    pm_canvas_text_upwards(canvas, 22.0, p->top + 0.5 * p->height, label_size, quantity_names[p->quantity]);
    clip_to(canvas, p);
    bool marked = p->quantity == VALUE && !plot->simple;
    for (uint32_t s = 0; s < plot->series_count && marked; s++) draw_overshoot(canvas, p, &strokes[s]);
    for (uint32_t s = 0; s < plot->series_count; s++) draw_stroke(canvas, p, &strokes[s]);
    for (uint32_t s = 0; s < plot->series_count && marked; s++) draw_keys(canvas, p, &strokes[s]);
    for (uint32_t s = 0; s < plot->series_count && marked; s++) label_overshoot(canvas, p, &strokes[s]);
    cairo_restore(canvas->cairo);
}

// What the marks mean, at the right end of the legend's row if there is room.
static void draw_marks_legend(const pm_canvas *canvas, double from) {
    static const char *const names[3] = {"key", "tangent, a third of its segment", "overshoot"};
    double widths[3], x = page_width - margin_right, y = 62.0, total = 0.0;
    for (int i = 0; i < 3; i++) {
        widths[i] = pm_canvas_text_width(canvas, tick_size, names[i]) + 50.0;
        total += widths[i];
    }
    x -= total - 22.0;
    if (x < from) return;
    cairo_set_line_width(canvas->cairo, 1.6);
    for (int i = 0; i < 3; i++) {
        pm_canvas_colour(canvas, i == 2 ? alarm_ink : 0x666666, i == 2 ? 0.3 : 1.0);
        cairo_new_sub_path(canvas->cairo);
        if (i == 0) {
            cairo_arc(canvas->cairo, x + 12.0, y, 4.4, 0.0, 6.2832);
            cairo_stroke(canvas->cairo);
        } else if (i == 1) {
            stroke_line(canvas, x, y, x + 18.0, y);
            cairo_arc(canvas->cairo, x + 18.0, y, 2.4, 0.0, 6.2832);
            cairo_fill(canvas->cairo);
        } else {
            cairo_rectangle(canvas->cairo, x + 2.0, y - 6.0, 18.0, 12.0);
            cairo_fill(canvas->cairo);
        }
        pm_canvas_colour(canvas, 0x555555, 1.0);
        pm_canvas_text(canvas, x + 27.0, y, (pm_anchor){0.0, 0.5}, tick_size, false, names[i]);
        x += widths[i];
    }
}

// The series' names in their colours, in a row under the title.
static void draw_legend(const pm_canvas *canvas, const pm_plot *plot) {
    double x = margin_left, y = 62.0;
    for (uint32_t s = 0; s < plot->series_count; s++) {
        double width = pm_canvas_text_width(canvas, label_size, plot->series[s].name);
        pm_canvas_colour(canvas, colours[s % COLOURS], 1.0);
        cairo_set_line_width(canvas->cairo, 3.0);
        stroke_line(canvas, x, y, x + 22.0, y);
        pm_canvas_colour(canvas, ink, 1.0);
        pm_canvas_text(canvas, x + 30.0, y, (pm_anchor){0.0, 0.5}, label_size, false, plot->series[s].name);
        x += 30.0 + width + 26.0;
    }
    if (!plot->simple) draw_marks_legend(canvas, x);
}

// The title, cut short with an ellipsis where the page ends.
static void draw_title(const pm_canvas *canvas, const char *title) {
    char *text = pm_storage_copy_text(title);
    size_t length = strlen(text);
    char *shown = pm_storage_copy_text(pm_text_clean(text));
    while (length > 1 &&
           pm_canvas_text_width(canvas, 1.1 * title_size, shown) > page_width - margin_left - margin_right) {
        // Not within a character.
        do length--;
        while (length > 1 && ((unsigned char)text[length] & 0xC0) == 0x80);
        free(shown);
        shown = pm_storage_format("%.*s…", (int)length, text);
    }
    pm_canvas_colour(canvas, ink, 1.0);
    pm_canvas_text(canvas, margin_left, 36.0, (pm_anchor){0.0, 0.5}, title_size, true, shown);
    free(shown);
    free(text);
}

static void draw(const pm_canvas *canvas, const pm_plot *plot, const stroke *strokes) {
    double first = INFINITY, last = -INFINITY;
    for (uint32_t s = 0; s < plot->series_count; s++) {
        pm_curve_info info = pm_curve_get_info(plot->series[s].curve);
        first = fmin(first, info.first_seconds);
        last = fmax(last, info.last_seconds);
    }
    if (!(last > first)) last = first + 1.0;
    double pad = plot->simple ? 0.0 : 0.012 * (last - first); // room for the marks of the end keys
    draw_title(canvas, plot->title);
    draw_legend(canvas, plot);
    static const double shares[QUANTITIES] = {0.52, 0.24, 0.24};
    int count = plot->simple ? 1 : QUANTITIES;
    double room = page_height - margin_top - margin_bottom - (count - 1) * panel_gap, top = margin_top;
    for (int q = 0; q < count; q++) {
        panel p = {.quantity = (quantity)q, .left = margin_left, .top = top};
        p.width = page_width - margin_left - margin_right;
        p.height = plot->simple ? room : room * shares[q];
        p.first_seconds = first - pad;
        p.last_seconds = last + pad;
        find_range(&p, strokes, plot->series_count);
        draw_panel(canvas, plot, &p, strokes, q == count - 1);
        top += p.height + panel_gap;
    }
    pm_canvas_colour(canvas, ink, 1.0);
    pm_canvas_text(canvas, margin_left + 0.5 * (page_width - margin_left - margin_right), page_height - 16.0,
                   (pm_anchor){0.5, 1.0}, label_size, false, plot->x_label);
}

int pm_plot_write(const pm_plot *plot, const char *path) {
    pm_canvas canvas;
    int status = pm_canvas_open(&canvas, path, page_width, page_height);
    if (status) return status;
    stroke *strokes = pm_storage_allocate(plot->series_count, sizeof *strokes);
    for (uint32_t s = 0; s < plot->series_count; s++) {
        strokes[s].series = &plot->series[s];
        strokes[s].colour = colours[s % COLOURS];
        strokes[s].extra_width = plot->simple ? 0.0 : 0.7 * (plot->series_count - 1 - s);
        if (pm_curve_inspect(plot->series[s].curve, 0.0, NULL, &strokes[s].report))
            exit(pm_complain(PM_EXIT_DATA, "out of memory"));
        sample_stroke(&strokes[s]);
    }
    draw(&canvas, plot, strokes);
    for (uint32_t s = 0; s < plot->series_count; s++) {
        pm_curve_report_destroy(strokes[s].report);
        free(strokes[s].points);
    }
    free(strokes);
    return pm_canvas_close(&canvas);
}

// Each basis function is the curve of which one of a, b, m, n is 1 and the others are 0.
int pm_plot_basis(const char *path) {
    static const char *const names[4] = {"a: 2u³ − 3u² + 1", "m: u³ − 2u² + u", "b: 3u² − 2u³", "n: u³ − u²"};
    pm_plot_series series[4];
    for (int i = 0; i < 4; i++) {
        pm_curve_key keys[2] = {{.time = 0}, {.time = 1}};
        for (int k = 0; k < 2; k++) keys[k].in_rule = keys[k].out_rule = PM_TANGENT_HERMITE;
        keys[0].value[0] = i == 0;
        keys[0].out_tangent[0] = i == 1;
        keys[1].value[0] = i == 2;
        keys[1].in_tangent[0] = i == 3;
        pm_curve_def def = pm_default_curve_def();
        def.keys = keys;
        def.key_count = 2;
        series[i] = (pm_plot_series){.name = names[i]};
        if (pm_curve_create(&def, NULL, &series[i].curve, NULL))
            exit(pm_complain(PM_EXIT_DATA, "out of memory"));
    }
    pm_plot plot = {.title = "Hermite basis: what each end's value and slope contribute",
                    .x_label = "position in the segment, u",
                    .series = series,
                    .series_count = 4,
                    .simple = true};
    int status = pm_plot_write(&plot, path);
    for (int i = 0; i < 4; i++) pm_curve_destroy(series[i].curve);
    return status;
}
