// Posemill internals: a curve laid out as cubics, in clip time.
#ifndef PM_PIECE_H
#define PM_PIECE_H

#include "curve.h"

// A span of clip time on which every component is one cubic, or is held.
typedef struct pm_piece {
    double begin, end; // clip seconds, distinct as floats
    bool step;         // held at a; b is a, m and n are 0
    bool straight;
    double a[PM_CURVE_COMPONENTS_MAX], b[PM_CURVE_COMPONENTS_MAX]; // values at begin and end
    double m[PM_CURVE_COMPONENTS_MAX], n[PM_CURVE_COMPONENTS_MAX]; // slopes there, per second
    bool eased;       // the cubic's position is a polynomial of the position in time:
    double easing[6]; // 0 at 0, 1 at 1; 0 1 0 0 0 0 if not eased
} pm_piece;

typedef struct pm_piece_list {
    pm_allocator allocator;
    pm_piece *pieces;
    uint32_t count, capacity;
    double
        error; // largest one of a piece that stands for something else, as a share of the component's range
    bool exhausted; // some piece could not be cut further
} pm_piece_list;

// Lays the curve out over its window (looping) or its keys: without gaps, in order; none for one key. An
// error that is above `tolerance` remains only where pieces are as short as floats allow. PM_ERROR_MEMORY, or
// PM_ERROR_DATA if two times fall together in float (only rounds of a looping curve can).
//   list  zeroed but for the allocator; release with pm_piece_list_release, on failure too
pm_result pm_curve_lay_out(const pm_curve *curve, double tolerance, bool keep_easing, pm_piece_list *list,
                           pm_report *report);

void pm_piece_list_release(pm_piece_list *list);

#endif
