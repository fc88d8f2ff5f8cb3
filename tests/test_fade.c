// Fades and synchronised playback.
#include "support/rig.h"

#include <posemill/fade.h>
#include <posemill/sync.h>

#include <criterion/criterion.h>
#include <fenv.h>
#include <math.h>
#include <string.h>

Test(fade, goes_from_one_weight_to_the_other_along_its_easing) {
    pm_fade fade = {.start_tick = 10, .duration_seconds = 2, .from = 0.25f, .to = 0.75f};
    cr_assert_eq(pm_fade_weight(&fade, 0, 0.5), 0.25f);
    cr_assert_eq(pm_fade_weight(&fade, 10, 0.5), 0.25f);
    cr_assert_eq(pm_fade_weight(&fade, 11, 0.5), 0.375f);
    cr_assert_eq(pm_fade_weight(&fade, 12, 0.5), 0.5f);
    cr_assert_eq(pm_fade_weight(&fade, 14, 0.5), 0.75f);
    cr_assert_eq(pm_fade_weight(&fade, 1000000, 0.5), 0.75f);
    fade.easing.family = PM_EASING_SMOOTHSTEP; // 5/32 at a quarter
    cr_assert_eq(pm_fade_weight(&fade, 11, 0.5), 0.25f + 0.5f * 0.15625f);
}

Test(fade, numbers_that_are_no_weights_and_no_durations_are_defined) {
    const double durations[] = {0, -1, NAN};
    for (int i = 0; i < 3; i++) {
        pm_fade fade = {.duration_seconds = durations[i], .from = 0, .to = 1};
        cr_assert_eq(pm_fade_weight(&fade, 0, 0.5), 1);
        cr_assert_eq(pm_fade_weight(&fade, -1, 0.5), 0);
    }
    pm_fade fade = {.duration_seconds = 1, .from = NAN, .to = INFINITY};
    cr_assert_eq(pm_fade_weight(&fade, 1, 0.5), 0.5f);
    fade = (pm_fade){.duration_seconds = INFINITY, .from = 0.5f, .to = 1};
    cr_assert_eq(pm_fade_weight(&fade, 1000, 0.5), 0.5f);
    // BACK leaves 0 to 1; a weight does not.
    fade = (pm_fade){.duration_seconds = 1, .from = 0, .to = 1, .easing = {.family = PM_EASING_BACK}};
    for (int tick = 0; tick <= 100; tick++) {
        float weight = pm_fade_weight(&fade, tick, 0.01);
        cr_assert(weight >= 0 && weight <= 1);
    }
}

Test(fade, one_fade_that_cuts_another_short_does_not_jump) {
    pm_fade fade = {.duration_seconds = 1, .from = 0, .to = 1};
    float before = pm_fade_weight(&fade, 3, 0.1);
    pm_fade_start(&fade, 3, 0.1, 0, 0.5);
    cr_assert_eq(pm_fade_weight(&fade, 3, 0.1), before);
    cr_assert_eq(pm_fade_weight(&fade, 8, 0.1), 0);
}

enum { MANY = 40 };

typedef struct faders {
    pm_fade fades[MANY];
    float weights[MANY], complements[MANY];
    pm_fade_job job;
} faders;

static void faders_create(faders *f) {
    rig_random random = {12};
    for (uint32_t i = 0; i < MANY; i++)
        f->fades[i] = (pm_fade){.start_tick = rig_random_below(&random, 20),
                                .duration_seconds = (double)rig_random_between(&random, 0, 1),
                                .from = rig_random_between(&random, 0, 1),
                                .to = rig_random_between(&random, 0, 1),
                                .easing = {.family = (pm_easing_family)(i % 3)}};
    f->job = pm_default_fade_job();
    f->job.instance_count = MANY;
    f->job.tick_seconds = 1.0 / 30;
    f->job.fades = f->fades;
    f->job.weights = f->weights;
    f->job.complements = f->complements;
}

Test(fade, the_job_writes_what_the_function_says_however_it_is_cut) {
    static faders f;
    faders_create(&f);
    cr_assert_null(pm_fade_validate(&f.job));
    for (f.job.tick = 0; f.job.tick < 60; f.job.tick += 7) {
        for (uint32_t i = 0; i < MANY; i += 10) pm_fade_run(&f.job, i, i + 10);
        for (uint32_t i = 0; i < MANY; i++) {
            cr_assert_eq(f.weights[i], pm_fade_weight(&f.fades[i], f.job.tick, 1.0 / 30));
            cr_assert_eq(f.complements[i], 1 - f.weights[i]);
        }
    }
}

#define INVALID(validate, type, given, change, word)                                                         \
    do {                                                                                                     \
        type job = given;                                                                                    \
        change;                                                                                              \
        const char *fault = validate(&job);                                                                  \
        cr_assert(fault &&strstr(fault, word), "\"%s\" does not say \"%s\"", fault ? fault : "valid", word); \
    } while (0)
#define INVALID_FADE(change, word) INVALID(pm_fade_validate, pm_fade_job, f.job, change, word)
#define INVALID_SYNC(change, word) INVALID(pm_sync_validate, pm_sync_job, p.job, change, word)

Test(fade, every_way_to_be_invalid_has_its_reason) {
    static faders f;
    faders_create(&f);
    cr_assert(strstr(pm_fade_validate(NULL), "the job is NULL"));
    INVALID_FADE(job.cookie = 0, "pm_default_fade_job");
    INVALID_FADE(job.tick_seconds = NAN, "tick_seconds");
    INVALID_FADE(job.fades = NULL, "fades is NULL");
    INVALID_FADE(job.fade_stride = 4, "fades or its stride");
    INVALID_FADE(job.order_count = 1, "order is NULL");
    INVALID_FADE((job.weights = NULL, job.complements = NULL), "nothing would be written");
    INVALID_FADE(job.weight_stride = 2, "weights or its stride");
    INVALID_FADE(job.complement_stride = 2, "complements or its stride");
    INVALID_FADE(job.weight_stride = 0, "weight_stride is 0");
    INVALID_FADE(job.complement_stride = 0, "complement_stride is 0");
    f.fades[7].easing.family = PM_EASING_FAMILY_COUNT;
    INVALID_FADE((void)0, "easing");
}

// A walk of one second, a run of 0.75 and a pose without a duration, as layers 0, 1 and 2.
typedef struct pace {
    pm_skeleton *skeleton;
    pm_clip *clips[3];
    pm_layer layers[3];
    pm_playback playbacks[3];
    pm_sync_job job;
} pace;

static const float lengths[] = {1, 0.75f, 0};

static void pace_create(pace *p) {
    memset(p, 0, sizeof *p);
    p->skeleton = rig_skeleton(1, 1);
    for (int i = 0; i < 3; i++) {
        const float times[] = {0, lengths[i]}, values[] = {0, 1};
        pm_channel channel =
            rig_channel(PM_PATH_SCALAR, PM_INTERPOLATION_LINEAR, 0, i < 2 ? 2 : 1, times, values, NULL, NULL);
        p->clips[i] = rig_compile(&channel, 1, p->skeleton, NULL);
        p->layers[i] = (pm_layer){.clip = (uint32_t)i, .weight = i == 0};
        p->playbacks[i].mode = PM_LOOP_REPEAT;
    }
    p->job = pm_default_sync_job();
    p->job.instance_count = 1;
    p->job.tick_seconds = 1.0 / 60;
    p->job.clips = (const pm_clip *const *)p->clips;
    p->job.clip_count = 3;
    p->job.members = 7;
    p->job.layers = p->layers;
    p->job.instance_stride = sizeof p->layers;
    p->job.playbacks = p->playbacks;
    p->job.playback_instance_stride = sizeof p->playbacks;
    cr_assert_null(pm_sync_validate(&p->job));
}

static void pace_destroy(pace *p) {
    for (int i = 0; i < 3; i++) pm_clip_destroy(p->clips[i], NULL);
    pm_skeleton_destroy(p->skeleton);
}

static double cycle_of(const pace *p, int layer, int64_t tick) {
    return pm_playback_phase(&p->playbacks[layer], tick, 1.0 / 60) / (double)lengths[layer];
}

Test(sync, rates_are_scaled_so_that_phases_agree_and_each_clip_alone_plays_as_authored) {
    static pace p;
    pace_create(&p);
    pm_sync_run(&p.job, 0, 1);
    cr_assert_eq(p.playbacks[0].rate, 1);
    cr_assert_eq(p.playbacks[1].rate, 0.75);
    p.layers[0].weight = p.layers[1].weight = 0.5f; // a cycle of 0.875 s
    pm_sync_run(&p.job, 0, 1);
    cr_assert_float_eq(p.playbacks[0].rate, 1 / 0.875, 1e-15);
    cr_assert_float_eq(p.playbacks[1].rate, 0.75 / 0.875, 1e-15);
    p.layers[0].weight = 0;
    pm_sync_run(&p.job, 0, 1);
    cr_assert_eq(p.playbacks[1].rate, 1);
    cr_assert_eq(p.playbacks[2].rate, 0);
    pace_destroy(&p);
}

Test(sync, a_walk_that_becomes_a_run_and_back_for_hours_keeps_step_without_a_jump) {
    static pace p;
    pace_create(&p);
    double before = cycle_of(&p, 0, 0);
    for (int64_t tick = 0; tick < 400000; tick++) {
        p.layers[1].weight = (float)(0.5 - 0.5 * cos(0.001 * (double)tick));
        p.layers[0].weight = 1 - p.layers[1].weight;
        p.job.tick = tick;
        double leading = p.layers[0].weight > 0 ? cycle_of(&p, 0, tick) : cycle_of(&p, 1, tick);
        pm_sync_run(&p.job, 0, 1);
        cr_assert_float_eq(cycle_of(&p, 0, tick), leading, 1e-9);
        cr_assert_float_eq(cycle_of(&p, 1, tick), leading, 1e-9);
        cr_assert_leq(leading - before, 1.0 / 60 / 0.75 + 1e-9);
        cr_assert_geq(leading, before);
        before = leading;
    }
    pace_destroy(&p);
}

Test(sync, speeds_scale_all_members_and_strange_ones_stand_still) {
    static pace p;
    pace_create(&p);
    float speed = 2;
    p.job.speeds = &speed;
    pm_sync_run(&p.job, 0, 1);
    cr_assert_eq(p.playbacks[0].rate, 2);
    cr_assert_eq(p.playbacks[1].rate, 1.5);
    speed = NAN;
    pm_sync_run(&p.job, 0, 1);
    cr_assert_eq(p.playbacks[0].rate, 0);
    pace_destroy(&p);
}

Test(sync, members_without_weight_or_clip_leave_the_instance_as_it_is) {
    static pace p;
    pace_create(&p);
    pm_playback before[3];
    p.layers[0].weight = NAN;
    p.playbacks[0].rate = 7;
    memcpy(before, p.playbacks, sizeof before);
    pm_sync_run(&p.job, 0, 1);
    cr_assert_arr_eq(p.playbacks, before, sizeof before);
    p.layers[0] = (pm_layer){.clip = 99, .weight = 1};
    p.layers[2].weight = 1;
    pm_sync_run(&p.job, 0, 1);
    cr_assert_arr_eq(p.playbacks, before, sizeof before);
    // Layers that are no members are left alone.
    p.layers[0] = (pm_layer){.clip = 0, .weight = 1};
    p.job.members = 1;
    pm_sync_run(&p.job, 0, 1);
    cr_assert_eq(p.playbacks[0].rate, 1);
    cr_assert_arr_eq(&p.playbacks[1], &before[1], 2 * sizeof before[0]);
    pace_destroy(&p);
}

Test(sync, every_way_to_be_invalid_has_its_reason) {
    static pace p;
    pace_create(&p);
    cr_assert(strstr(pm_sync_validate(NULL), "the job is NULL"));
    INVALID_SYNC(job.cookie = 0, "pm_default_sync_job");
    INVALID_SYNC(job.tick_seconds = 0, "tick_seconds");
    INVALID_SYNC(job.clip_count = 0, "clip_count is 0");
    INVALID_SYNC(job.clips = NULL, "clips is NULL");
    INVALID_SYNC(job.members = 0, "members");
    INVALID_SYNC(job.members = 1u << PM_LAYERS_MAX, "members");
    INVALID_SYNC(job.layers = NULL, "layers is NULL");
    INVALID_SYNC(job.layer_stride = 3, "layers or their strides");
    INVALID_SYNC(job.instance_stride = 3, "layers or their strides");
    INVALID_SYNC((job.speeds = &p.layers[0].weight, job.speed_stride = 3), "speeds or its stride");
    INVALID_SYNC(job.playbacks = NULL, "playbacks is NULL");
    INVALID_SYNC(job.playback_stride = 4, "playbacks or their strides");
    INVALID_SYNC(job.playback_instance_stride = 4, "playbacks or their strides");
    INVALID_SYNC(job.order_count = 1, "order is NULL");
    pace_destroy(&p);
}
