#include "corpus.h"

#include <stdio.h>
#include <stdlib.h>

#define ANY       PM_INTERPOLATION_COUNT
#define STEP      PM_INTERPOLATION_STEP
#define LINEAR    PM_INTERPOLATION_LINEAR
#define CUBIC     PM_INTERPOLATION_CUBIC
#define GRID      PM_SYNTHETIC_GRID
#define IRREGULAR PM_SYNTHETIC_IRREGULAR
#define OWN       PM_SYNTHETIC_OWN
#define JUMPS     PM_SYNTHETIC_JUMPS
#define LATE      PM_SYNTHETIC_LATE
#define ORDINARY  PM_SYNTHETIC_ORDINARY
#define TINY      PM_SYNTHETIC_TINY
#define EXTREME   PM_SYNTHETIC_HUGE
#define OPPOSED   PM_SYNTHETIC_OPPOSED
#define STILL     PM_SYNTHETIC_STILL

enum { SEED = 2718, TAIL_LIMIT = 65 };

// Joints, scalars, keys; modes, times, values; channels absent, constant, eased and held in 16; scalars only;
// merging; packed; additive.
static const pm_synthetic_recipe recipes[] = {
    {"constant", 5, 3, 2, LINEAR, GRID, ORDINARY, 4, 12, 0, 0, false, 0, false, false},
    {"one key", 3, 1, 1, LINEAR, LATE, ORDINARY, 0, 0, 0, 0, false, 0, false, false},
    {"step grid", 16, 0, 24, STEP, GRID, ORDINARY, 0, 2, 0, 0, false, 0, false, false},
    {"linear grid", 64, 5, 49, LINEAR, GRID, ORDINARY, 2, 6, 0, 0, false, 0, false, false},
    {"cubic grid", 17, 16, 31, CUBIC, GRID, ORDINARY, 1, 1, 0, 0, false, 0, false, false},
    {"blended grid", 33, 17, 25, ANY, GRID, ORDINARY, 1, 3, 0, 0, false, 0, false, false},
    {"step irregular", 7, 2, 19, STEP, IRREGULAR, ORDINARY, 0, 0, 0, 0, false, 0, false, false},
    {"linear irregular", 22, 0, 40, LINEAR, IRREGULAR, ORDINARY, 1, 4, 0, 0, false, 0, false, false},
    {"cubic irregular", 48, 1, 36, CUBIC, IRREGULAR, ORDINARY, 0, 0, 0, 0, false, 0, false, false},
    {"blended irregular", 15, 33, 12, ANY, IRREGULAR, ORDINARY, 2, 2, 0, 0, false, 0, false, false},
    {"linear, own times", 18, 4, 9, LINEAR, OWN, ORDINARY, 1, 3, 0, 0, false, 0, false, false},
    {"cubic, own times", 16, 4, 8, CUBIC, OWN, ORDINARY, 0, 0, 0, 0, false, 0, false, false},
    {"blended, own times", 21, 9, 7, ANY, OWN, ORDINARY, 1, 1, 0, 0, false, 0, false, false},
    {"step jumps", 4, 0, 14, STEP, JUMPS, ORDINARY, 0, 0, 0, 0, false, 0, false, false},
    {"linear jumps", 20, 3, 22, LINEAR, JUMPS, ORDINARY, 0, 2, 0, 0, false, 0, false, false},
    {"cubic jumps", 9, 3, 18, CUBIC, JUMPS, ORDINARY, 0, 0, 0, 0, false, 0, false, false},
    {"blended late", 31, 2, 10, ANY, LATE, ORDINARY, 3, 2, 0, 0, false, 0, false, false},
    {"linear tiny", 6, 6, 9, LINEAR, IRREGULAR, TINY, 0, 1, 0, 0, false, 0, false, false},
    {"cubic tiny", 7, 5, 8, CUBIC, GRID, TINY, 0, 1, 0, 0, false, 0, false, false},
    {"blended tiny, own times", 8, 4, 7, ANY, OWN, TINY, 0, 0, 0, 0, false, 0, false, false},
    {"linear huge", 9, 3, 9, LINEAR, IRREGULAR, EXTREME, 0, 1, 0, 0, false, 0, false, false},
    {"cubic huge", 10, 2, 8, CUBIC, GRID, EXTREME, 0, 1, 0, 0, false, 0, false, false},
    {"blended huge, own times", 11, 1, 7, ANY, OWN, EXTREME, 0, 0, 0, 0, false, 0, false, false},
    {"linear opposed", 12, 0, 9, LINEAR, GRID, OPPOSED, 0, 0, 0, 0, false, 0, false, false},
    {"cubic opposed", 13, 0, 8, CUBIC, GRID, OPPOSED, 0, 1, 0, 0, false, 0, false, false},
    {"cubic opposed, own times", 17, 0, 7, CUBIC, OWN, OPPOSED, 0, 2, 0, 0, false, 0, false, false},
    {"blended opposed", 33, 0, 7, ANY, IRREGULAR, OPPOSED, 1, 1, 0, 0, false, 0, false, false},
    {"linear still", 34, 20, 30, LINEAR, GRID, STILL, 1, 2, 0, 0, false, 0, false, false},
    {"blended still, own times", 16, 16, 12, ANY, OWN, STILL, 1, 2, 0, 0, false, 0, false, false},
    {"linear eased", 18, 9, 12, LINEAR, GRID, ORDINARY, 0, 1, 16, 0, false, 0, false, false},
    {"cubic eased, own times", 19, 8, 11, CUBIC, OWN, ORDINARY, 0, 1, 16, 0, false, 0, false, false},
    {"blended, some eased, jumps", 20, 7, 10, ANY, JUMPS, ORDINARY, 0, 1, 8, 0, false, 0, false, false},
    {"linear held", 21, 6, 9, LINEAR, IRREGULAR, ORDINARY, 0, 1, 0, 16, false, 0, false, false},
    {"cubic held, own times", 22, 5, 8, CUBIC, OWN, ORDINARY, 0, 1, 0, 16, false, 0, false, false},
    {"blended, some eased or held", 65, 20, 9, ANY, LATE, ORDINARY, 1, 1, 5, 5, false, 0, false, false},
    {"blended, some eased or held, own times", 40, 20, 9, ANY, OWN, ORDINARY, 1, 1, 5, 5, false, 0, false,
     false},
    // More keys than a cursor counts.
    {"long irregular", 1, 1, 70000, LINEAR, IRREGULAR, ORDINARY, 0, 0, 0, 0, true, 0, false, false},
    {"long grid", 1, 1, 66000, CUBIC, GRID, ORDINARY, 0, 0, 0, 0, true, 0, false, false},
};

// Every number of joints up to one above four blocks, so that every tail of a block occurs.
static pm_synthetic_recipe tail_recipe(uint32_t joint_count) {
    return (pm_synthetic_recipe){
        .name = "tail",
        .joint_count = joint_count,
        .scalar_count = TAIL_LIMIT - joint_count,
        .key_count = 2 + joint_count % 5,
        .interpolation = (pm_interpolation)(joint_count % (PM_INTERPOLATION_COUNT + 1)),
        .timing = (pm_synthetic_timing)(joint_count % PM_SYNTHETIC_TIMING_COUNT),
        .nature =
            joint_count % 7 < PM_SYNTHETIC_NATURE_COUNT ? (pm_synthetic_nature)(joint_count % 7) : ORDINARY,
        .absent_in_16 = 2,
        .constant_in_16 = 2,
        .eased_in_16 = joint_count % 3,
        .held_in_16 = joint_count % 4,
    };
}

enum { RECIPES = sizeof recipes / sizeof recipes[0], CLIP_LIMIT = 3 * (RECIPES + TAIL_LIMIT) };

static bool add_clip(pm_corpus *corpus, const pm_synthetic_recipe *recipe, pm_report *report) {
    uint32_t index = corpus->clip_count;
    pm_synthetic_clip *created = &corpus->synthetic[index];
    if (pm_synthetic_create(created, recipe, SEED + index, report)) return false;
    corpus->clip_count++;
    size_t size = pm_clip_get_info(created->clip).size_bytes;
    return !pm_clip_load(created->clip, size, &corpus->clips[index], report);
}

// Clips in which channels keep their own timelines, those that can with merged ones, too, and all once more
// with packed keys.
static bool make_clips(pm_corpus *corpus, pm_report *report) {
    corpus->synthetic = calloc(CLIP_LIMIT, sizeof *corpus->synthetic);
    corpus->clips = calloc(CLIP_LIMIT, sizeof *corpus->clips);
    if (!corpus->synthetic || !corpus->clips) return false;
    for (uint32_t i = 0; i < RECIPES + TAIL_LIMIT; i++) {
        pm_synthetic_recipe recipe = i < RECIPES ? recipes[i] : tail_recipe(i - RECIPES + 1);
        if (!add_clip(corpus, &recipe, report)) return false;
        if (recipe.timing == OWN) {
            recipe.merge_growth_limit = 1e30f;
            if (!add_clip(corpus, &recipe, report)) return false;
        }
        recipe.packed = true;
        if (!add_clip(corpus, &recipe, report)) return false;
    }
    if (!report->counts[PM_SEVERITY_DROPPED]) return true;
    snprintf(report->message, sizeof report->message, "channels were dropped");
    return false;
}

bool pm_corpus_create(pm_corpus *corpus) {
    pm_report report = {0};
    *corpus = (pm_corpus){0};
    if (make_clips(corpus, &report)) return true;
    fprintf(stderr, "posemill-check: cannot make its clips: %s\n",
            report.message[0] ? report.message : "out of memory");
    pm_corpus_destroy(corpus);
    return false;
}

void pm_corpus_destroy(pm_corpus *corpus) {
    for (uint32_t i = 0; i < corpus->clip_count; i++) pm_synthetic_destroy(&corpus->synthetic[i]);
    free(corpus->synthetic);
    free(corpus->clips);
    *corpus = (pm_corpus){0};
}
