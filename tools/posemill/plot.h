// Pictures of curves, as SVG or PNG by the file's name (Cairo).
#ifndef PM_TOOL_PLOT_H
#define PM_TOOL_PLOT_H

#include <posemill/curve.h>

// One component of a curve, with what the legend calls it.
typedef struct pm_plot_series {
    pm_curve *curve;
    uint32_t component;
    const char *name;
} pm_plot_series;

// Series over one another, each in a colour of its own.
//   title    above the picture, UTF-8
//   x_label  under the time axis
//   simple   values only, without keys and tangents
typedef struct pm_plot {
    const char *title;
    const char *x_label;
    const pm_plot_series *series;
    uint32_t series_count;
    bool simple;
} pm_plot;

// Draws value, velocity and acceleration under one another, with keys, tangents and overshoot marked.
// `path` has been checked (pm_canvas_check_path). PM_EXIT_OK, or PM_EXIT_DATA after one line on stderr.
int pm_plot_write(const pm_plot *plot, const char *path);

// Draws the four Hermite basis functions.
int pm_plot_basis(const char *path);

#endif
