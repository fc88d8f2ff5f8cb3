// posemill-ticks: times a few crowds with all kernels that run here, on targets without Google Benchmark,
// too. Prints a line each, tab-separated: workload, kernels, nanoseconds a joint (of the quickest repetition:
// what disturbs only adds).
#include "small_crowd.h"

#include <stdio.h>
#include <time.h>

// Enough for a WebAssembly engine to replace its first, plain code by better.
enum { REPETITIONS = 25 };

static const double repetition_seconds = 0.02;

static double now_seconds(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Nanoseconds a joint.
static double measure(small_crowd *crowd) {
    double best = 1e30, joints = (double)SMALL_CROWD_TICKS * SMALL_CROWD_JOINTS * crowd->def.instance_count;
    for (int i = 0; i < REPETITIONS; i++) {
        double begin = now_seconds(), elapsed = 0;
        uint64_t rounds = 0;
        for (; elapsed < repetition_seconds; rounds++, elapsed = now_seconds() - begin)
            for (uint32_t tick = 1; tick <= SMALL_CROWD_TICKS; tick++) small_crowd_run(crowd, tick);
        double time = 1e9 * elapsed / ((double)rounds * joints);
        if (time < best) best = time;
    }
    return best;
}

int main(void) {
    static const small_crowd_def contents[] = {{.keys = MOTION_BAKED_CUBIC},
                                               {.keys = MOTION_BAKED_LINEAR},
                                               {.keys = MOTION_SPARSE_CUBIC},
                                               {.keys = MOTION_BAKED_CUBIC, .palettes = true}};
    static const uint32_t sizes[] = {64, 10000};
    for (int content = 0; content < 4; content++) {
        for (int size = 0; size < 2; size++) {
            small_crowd_def def = contents[content];
            def.clip_count = 1;
            def.instance_count = sizes[size];
            def.ordered = true;
            for (uint32_t i = 0; (def.kernels = pm_kernels_at(i)); i++) {
                small_crowd crowd;
                if (!small_crowd_create(&crowd, &def)) {
                    fputs("posemill-ticks: no memory\n", stderr);
                    return 1;
                }
                small_crowd_run(&crowd, 0);
                printf("%s/j%d/c1/n%u/forward%s\t%s\t%.2f\n", motion_keys_name(def.keys), SMALL_CROWD_JOINTS,
                       sizes[size], def.palettes ? "/palettes" : "", pm_kernels_name(def.kernels),
                       measure(&crowd));
                fflush(stdout);
                small_crowd_destroy(&crowd);
            }
        }
    }
    return 0;
}
