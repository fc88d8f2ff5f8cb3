#include "canvas.h"

#include "text.h"

#include <cairo-svg.h>
#include <fontconfig/fontconfig.h>
#include <string.h>

// Pixels a point in PNG files: sharp on a projector.
static const double png_scale = 2.0;

static bool ends_with(const char *text, const char *ending) {
    size_t length = strlen(text), wanted = strlen(ending);
    return length > wanted && strcmp(text + length - wanted, ending) == 0;
}

int pm_canvas_check_path(const char *path) {
    if (ends_with(path, ".svg") || ends_with(path, ".png")) return PM_EXIT_OK;
    return pm_complain(PM_EXIT_USAGE, "--plot %s: the name must end in .svg or .png", path);
}

static int refuse(const char *path, cairo_status_t status) {
    // Cairo's words for it speak of an output stream.
    const char *reason =
        status == CAIRO_STATUS_WRITE_ERROR ? "cannot be written" : cairo_status_to_string(status);
    return pm_complain(PM_EXIT_DATA, "%s: %s", path, reason);
}

int pm_canvas_open(pm_canvas *canvas, const char *path, double width, double height) {
    bool svg = ends_with(path, ".svg");
    *canvas = (pm_canvas){.path = path, .png = !svg};
    canvas->surface = svg ? cairo_svg_surface_create(path, width, height)
                          : cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(width * png_scale),
                                                       (int)(height * png_scale));
    canvas->cairo = cairo_create(canvas->surface);
    cairo_status_t status = cairo_surface_status(canvas->surface);
    if (status) {
        cairo_destroy(canvas->cairo);
        cairo_surface_destroy(canvas->surface);
        return refuse(path, status);
    }
    if (!svg) cairo_scale(canvas->cairo, png_scale, png_scale);
    pm_canvas_colour(canvas, 0xFFFFFF, 1.0);
    cairo_paint(canvas->cairo);
    cairo_set_line_join(canvas->cairo, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(canvas->cairo, CAIRO_LINE_CAP_ROUND);
    return PM_EXIT_OK;
}

int pm_canvas_close(pm_canvas *canvas) {
    cairo_status_t status = cairo_status(canvas->cairo);
    cairo_destroy(canvas->cairo);
    if (canvas->png) {
        cairo_status_t written = cairo_surface_write_to_png(canvas->surface, canvas->path);
        status = status ? status : written;
    } else {
        cairo_surface_finish(canvas->surface);
    }
    cairo_status_t finished = cairo_surface_status(canvas->surface);
    status = status ? status : finished;
    cairo_surface_destroy(canvas->surface);
    // Fonts are cached for the life of the process; leak checkers would find them.
    cairo_debug_reset_static_data();
    FcFini();
    return status ? refuse(canvas->path, status) : PM_EXIT_OK;
}

void pm_canvas_colour(const pm_canvas *canvas, uint32_t rgb, double alpha) {
    cairo_set_source_rgba(canvas->cairo, (rgb >> 16) / 255.0, (rgb >> 8 & 0xFF) / 255.0, (rgb & 0xFF) / 255.0,
                          alpha);
}

static void choose_font(const pm_canvas *canvas, double size, bool bold) {
    cairo_select_font_face(canvas->cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(canvas->cairo, size);
}

void pm_canvas_text(const pm_canvas *canvas, double x, double y, pm_anchor anchor, double size, bool bold,
                    const char *text) {
    choose_font(canvas, size, bold);
    cairo_text_extents_t extents;
    cairo_text_extents(canvas->cairo, text, &extents);
    // Heights by the size, not by the letters, so that labels share a line.
    cairo_move_to(canvas->cairo, x - anchor.x * extents.x_advance, y + (1.0 - anchor.y) * 0.73 * size);
    cairo_show_text(canvas->cairo, text);
}

void pm_canvas_text_on_white(const pm_canvas *canvas, double x, double y, pm_anchor anchor, double size,
                             const char *text) {
    cairo_t *cairo = canvas->cairo;
    cairo_pattern_t *ink = cairo_pattern_reference(cairo_get_source(cairo));
    choose_font(canvas, size, false);
    cairo_text_extents_t extents;
    cairo_text_extents(cairo, text, &extents);
    cairo_move_to(cairo, x - anchor.x * extents.x_advance, y + (1.0 - anchor.y) * 0.73 * size);
    cairo_text_path(cairo, text);
    pm_canvas_colour(canvas, 0xFFFFFF, 0.9);
    cairo_set_line_width(cairo, 4.0);
    cairo_stroke_preserve(cairo);
    cairo_set_source(cairo, ink);
    cairo_fill(cairo);
    cairo_pattern_destroy(ink);
}

void pm_canvas_text_upwards(const pm_canvas *canvas, double x, double y, double size, const char *text) {
    cairo_save(canvas->cairo);
    cairo_translate(canvas->cairo, x, y);
    cairo_rotate(canvas->cairo, -1.5707963267948966);
    pm_canvas_text(canvas, 0.0, 0.0, (pm_anchor){0.5, 0.5}, size, false, text);
    cairo_restore(canvas->cairo);
}

double pm_canvas_text_width(const pm_canvas *canvas, double size, const char *text) {
    choose_font(canvas, size, false);
    cairo_text_extents_t extents;
    cairo_text_extents(canvas->cairo, text, &extents);
    return extents.x_advance;
}
