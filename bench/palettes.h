// Benchmarks: what becomes of a crowd's poses, skinning palettes, by Posemill and by the naive evaluator.
#ifndef BENCH_PALETTES_H
#define BENCH_PALETTES_H

#include "content.h"

typedef struct palettes {
    pm_palette_job job; // of a sample job (fused), or of the poses that one wrote
    size_t bytes;       // of one instance
    size_t scratch_size;
    char *scratch; // a piece a worker
    float *naive;  // [instance][matrix][PM_MATRIX_FLOATS]
} palettes;

// Room for the palettes of all instances of a sample job whose clips have one skeleton with a skin. NULL, or
// why not (static memory). There is something to destroy in either case.
//   fused  poses are made from `sample` when they are needed, else read where it writes them
const char *palettes_create(palettes *made, const content *clips, const pm_sample_job *sample, bool fused,
                            uint32_t worker_count);

void palettes_destroy(palettes *destroyed);

// Instances [begin, end) of the sample job's order.
void palettes_run(palettes *p, const pm_sample_job *sample, uint32_t worker, uint32_t begin, uint32_t end);

// One instance's from its pose, matrix by matrix, in scalar code.
void palettes_run_naive(palettes *p, const pm_transform *pose, size_t instance);

// How far an instance's palette is from the naive evaluator's, relative to its numbers.
double palettes_difference(const palettes *p, size_t instance);

#endif
