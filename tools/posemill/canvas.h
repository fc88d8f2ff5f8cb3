// A page to draw on, SVG or PNG by the file's name, with the few pens that plots need.
#ifndef PM_TOOL_CANVAS_H
#define PM_TOOL_CANVAS_H

#include <cairo.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct pm_canvas {
    cairo_surface_t *surface;
    cairo_t *cairo; // draw with it; coordinates are in points, y downwards
    const char *path;
    bool png;
} pm_canvas;

// PM_EXIT_OK if the name ends in .svg or .png, else PM_EXIT_USAGE after one line on stderr.
int pm_canvas_check_path(const char *path);

// A white page; `path` has been checked. PM_EXIT_OK, or PM_EXIT_DATA after one line on stderr.
int pm_canvas_open(pm_canvas *canvas, const char *path, double width, double height);

// Writes the file. PM_EXIT_OK, or PM_EXIT_DATA after one line on stderr.
int pm_canvas_close(pm_canvas *canvas);

// Sets the colour 0xRRGGBB.
void pm_canvas_colour(const pm_canvas *canvas, uint32_t rgb, double alpha);

// Where a text is put with respect to its point, 0 to 1: x 0 begins there, 0.5 is centred, 1 ends there; y 0
// hangs below the point, 1 stands on it.
typedef struct pm_anchor {
    double x, y;
} pm_anchor;

void pm_canvas_text(const pm_canvas *canvas, double x, double y, pm_anchor anchor, double size, bool bold,
                    const char *text);

// The same over a white outline, where there may be lines behind.
void pm_canvas_text_on_white(const pm_canvas *canvas, double x, double y, pm_anchor anchor, double size,
                             const char *text);

// The same, reading upwards, centred on the point.
void pm_canvas_text_upwards(const pm_canvas *canvas, double x, double y, double size, const char *text);

double pm_canvas_text_width(const pm_canvas *canvas, double size, const char *text);

#endif
