// posemill-counts: small crowds to count the kernels' instructions on. bench/check_counts runs it under
// callgrind, which counts what happens inside pm_sample_run, pm_palette_run and pm_order_by_clip_and_time
// during count_ticks, and writes a dump after each. Prints a line a case: its name and the joints that were evaluated. With a
// case's name runs that alone, for a look with callgrind_annotate.
#include "small_crowd.h"

#include <stdio.h>
#include <string.h>

static const char kernels_name[] = "avx2"; // the widest that callgrind knows

typedef struct count_case {
    const char *name;
    small_crowd_def def;
} count_case;

#define CACHED   .streaming = PM_STREAMING_OFF
#define STREAMED .streaming = PM_STREAMING_ON
#define ORDERED  .ordered = true
#define RANDOM   .random = true
#define PACKED   .packed = true
#define PALETTES .palettes = true

// Clips, instances.
static const count_case cases[] = {
    {"baked-cubic/n64", {MOTION_BAKED_CUBIC, 1, 64, CACHED}},
    {"baked-cubic/n64/streamed", {MOTION_BAKED_CUBIC, 1, 64, STREAMED}},
    {"baked-cubic/n64/two-clips", {MOTION_BAKED_CUBIC, 2, 64, CACHED}},
    {"baked-cubic/n64/two-clips/ordered", {MOTION_BAKED_CUBIC, 2, 64, CACHED, ORDERED}},
    {"baked-cubic/n1", {MOTION_BAKED_CUBIC, 1, 1, CACHED}},
    {"baked-broken/n64", {MOTION_BAKED_BROKEN, 1, 64, CACHED}},
    {"baked-linear/n64", {MOTION_BAKED_LINEAR, 1, 64, CACHED}},
    {"baked-linear/n1", {MOTION_BAKED_LINEAR, 1, 1, CACHED}},
    {"baked-linear-cubic/n64", {MOTION_BAKED_LINEAR_CUBIC, 1, 64, CACHED}},
    {"baked-cubic/n64/packed", {MOTION_BAKED_CUBIC, 1, 64, CACHED, PACKED}},
    {"baked-linear/n64/packed", {MOTION_BAKED_LINEAR, 1, 64, CACHED, PACKED}},
    {"sparse-cubic/n64/ordered", {MOTION_SPARSE_CUBIC, 1, 64, CACHED, ORDERED}},
    {"sparse-cubic/n64/random", {MOTION_SPARSE_CUBIC, 1, 64, CACHED, RANDOM}},
    {"sparse-cubic/n1", {MOTION_SPARSE_CUBIC, 1, 1, CACHED}},
    {"sparse-linear/n64/ordered", {MOTION_SPARSE_LINEAR, 1, 64, CACHED, ORDERED}},
    {"sparse-linear/n64/random", {MOTION_SPARSE_LINEAR, 1, 64, CACHED, RANDOM}},
    {"baked-cubic/n64/palettes", {MOTION_BAKED_CUBIC, 1, 64, CACHED, PALETTES}},
    {"baked-cubic/n1/palettes", {MOTION_BAKED_CUBIC, 1, 1, CACHED, PALETTES}},
};

// Seen by callgrind under this name; called through a pointer, so that it is not inlined.
void count_ticks(small_crowd *crowd);

void count_ticks(small_crowd *crowd) {
    for (uint32_t tick = 1; tick <= SMALL_CROWD_TICKS; tick++) small_crowd_run(crowd, tick);
}

int main(int argc, char **argv) {
    void (*volatile count)(small_crowd *) = count_ticks;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (argc > 1 && strcmp(argv[1], cases[i].name)) continue;
        small_crowd_def def = cases[i].def;
        small_crowd crowd;
        def.kernels = pm_kernels_find(kernels_name);
        if (!def.kernels || !small_crowd_create(&crowd, &def)) {
            fprintf(stderr, "posemill-counts: no %s here, or no memory\n", kernels_name);
            return 1;
        }
        small_crowd_run(&crowd, 0); // finds the cursors
        count(&crowd);
        printf("%s %u\n", cases[i].name, SMALL_CROWD_TICKS * SMALL_CROWD_JOINTS * def.instance_count);
        small_crowd_destroy(&crowd);
    }
    return 0;
}
