// Update rates: who is due when, and what is shown in between.
#include "support/poses.h"

#include <posemill/interpolate.h>
#include <posemill/playback.h>
#include <posemill/update.h>

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INSTANCES = 96, POSE_BYTES = 640 };

static const uint8_t intervals_of[] = {1, 2, 4, 8, 8, 4, 0, 3};

typedef struct fixture {
    uint8_t intervals[INSTANCES];
    int64_t ticks[INSTANCES];
    size_t write_offsets[INSTANCES], from_offsets[INSTANCES], to_offsets[INSTANCES];
    float fractions[INSTANCES];
    uint32_t due[INSTANCES];
    pm_update_job job;
} fixture;

static fixture f;

static void make(void) {
    for (uint32_t i = 0; i < INSTANCES; i++) f.intervals[i] = intervals_of[i / 3 % 8];
    pm_update_job job = pm_default_update_job();
    job.instance_count = INSTANCES;
    job.intervals = f.intervals;
    job.pose_stride = POSE_BYTES;
    job.buffer_stride = INSTANCES * POSE_BYTES;
    job.ticks = f.ticks;
    job.write_offsets = f.write_offsets;
    job.from_offsets = f.from_offsets;
    job.to_offsets = f.to_offsets;
    job.fractions = f.fractions;
    f.job = job;
    cr_assert_null(pm_update_validate(&f.job));
}

TestSuite(update, .init = make);

Test(update, each_instance_is_due_once_in_its_interval) {
    uint32_t seen[INSTANCES] = {0};
    for (int64_t tick = -24; tick < 24; tick++) {
        f.job.tick = tick;
        uint32_t count = pm_update_run(&f.job, 0, INSTANCES, f.due);
        for (uint32_t i = 0; i < count; i++) seen[f.due[i]]++;
        cr_assert_eq(pm_update_run(&f.job, 0, INSTANCES, NULL), count);
    }
    for (uint32_t i = 0; i < INSTANCES; i++) {
        uint32_t interval = f.intervals[i] ? f.intervals[i] : 1;
        cr_assert_eq(seen[i], 48 / interval, "instance %u of interval %u", i, interval);
    }
}

Test(update, a_crowd_of_one_interval_is_spread_evenly_over_its_ticks) {
    static const uint8_t intervals[] = {2, 4, 8};
    f.job.interval_stride = 0;
    for (int n = 0; n < 3; n++) {
        f.job.intervals = intervals + n;
        for (f.job.tick = 100; f.job.tick < 116; f.job.tick++)
            cr_assert_eq(pm_update_run(&f.job, 0, INSTANCES, f.due), INSTANCES / intervals[n]);
    }
}

Test(update, held_instances_are_evaluated_at_their_own_tick_into_one_buffer) {
    f.job.mode = PM_UPDATE_HELD;
    for (f.job.tick = 0; f.job.tick < 9; f.job.tick++) {
        uint32_t count = pm_update_run(&f.job, 0, INSTANCES, f.due);
        for (uint32_t i = 0; i < count; i++) cr_assert_eq(f.ticks[f.due[i]], f.job.tick);
        for (uint32_t i = 0; i < INSTANCES; i++) {
            cr_assert_eq(f.write_offsets[i], i * POSE_BYTES);
            cr_assert_eq(f.from_offsets[i], i * POSE_BYTES);
            cr_assert_eq(f.fractions[i], 0);
        }
    }
}

Test(update, any_cut_of_the_range_gives_the_same) {
    static fixture whole;
    f.job.tick = 77;
    f.job.fraction = 0.3f;
    uint32_t count = pm_update_run(&f.job, 0, INSTANCES, f.due), sum = 0;
    whole = f;
    memset(f.ticks, 0, sizeof f.ticks);
    memset(f.due, 0, sizeof f.due);
    for (uint32_t i = 0; i < INSTANCES; i += 12) sum += pm_update_run(&f.job, i, i + 12, f.due + sum);
    cr_assert_eq(sum, count);
    cr_assert_arr_eq(&f, &whole, offsetof(fixture, due) + count * sizeof f.due[0]);
}

Test(update, a_fraction_that_is_none_counts_as_0_or_1) {
    f.job.tick = 5;
    f.job.fraction = NAN;
    pm_update_run(&f.job, 0, INSTANCES, NULL);
    float at_tick = f.fractions[9];
    f.job.fraction = -3;
    pm_update_run(&f.job, 0, INSTANCES, NULL);
    cr_assert_eq(f.fractions[9], at_tick);
    f.job.fraction = 7;
    pm_update_run(&f.job, 0, INSTANCES, NULL);
    cr_assert_leq(f.fractions[9], 1);
}

// A crowd on a clip of one joint, sampled at every tick and by update rate side by side.
typedef struct show {
    pm_skeleton *skeleton;
    pm_clip *clip;
    pm_playback playbacks[INSTANCES];
    float times[INSTANCES];
    _Alignas(64) pm_pose_block every[INSTANCES], buffers[2 * INSTANCES], shown[INSTANCES];
    pm_playback_job playback;
    pm_sample_job sample;
    pm_interpolate_job interpolate;
} show;

static void show_create(show *s) {
    static const float times[] = {0, 0.5f, 1, 1.5f, 2};
    static const float values[] = {0, 0, 0, 1, 2, -1, 3, 0, 1, 2, 2, 2, 0, 0, 0};
    static const float slopes[15] = {0};
    static const uint32_t clip_index = 0;
    s->skeleton = rig_skeleton(1, 0);
    pm_channel channel =
        rig_channel(PM_PATH_TRANSLATION, PM_INTERPOLATION_CUBIC, 0, 5, times, values, slopes, slopes);
    s->clip = rig_compile(&channel, 1, s->skeleton, NULL);
    for (uint32_t i = 0; i < INSTANCES; i++)
        s->playbacks[i] =
            (pm_playback){.base_seconds = 0.01 * i, .rate = i % 5 ? 1 : -0.5, .mode = PM_LOOP_PING_PONG};
    s->playback = pm_default_playback_job();
    s->playback.instance_count = INSTANCES;
    s->playback.tick_seconds = 1.0 / 60;
    s->playback.clips = (const pm_clip *const *)&s->clip;
    s->playback.clip_count = 1;
    s->playback.clip_index = &clip_index;
    s->playback.clip_index_stride = 0;
    s->playback.playbacks = s->playbacks;
    s->playback.time_seconds = s->times;
    s->sample = pm_default_sample_job();
    s->sample.kernels = pm_kernels_best();
    s->sample.clips = s->playback.clips;
    s->sample.clip_count = 1;
    s->sample.instance_count = INSTANCES;
    s->sample.clip_index = &clip_index;
    s->sample.clip_index_stride = 0;
    s->sample.time_seconds = s->times;
    s->sample.pose_stride = POSE_BYTES;
    s->interpolate = pm_default_interpolate_job();
    s->interpolate.kernels = pm_kernels_best();
    s->interpolate.instance_count = INSTANCES;
    s->interpolate.block_count = 1;
    s->interpolate.from = (pm_pose_source){.poses = s->buffers, .pose_offsets = f.from_offsets};
    s->interpolate.to = (pm_pose_source){.poses = s->buffers, .pose_offsets = f.to_offsets};
    s->interpolate.fractions = f.fractions;
    s->interpolate.poses = s->shown;
    s->interpolate.pose_stride = POSE_BYTES;
}

// One tick at full rate into `every`, and what is due into the buffers.
static uint32_t show_tick(show *s, int64_t tick) {
    f.job.tick = s->playback.tick = tick;
    pm_playback_job playback = s->playback;
    pm_sample_job sample = s->sample;
    pm_playback_run(&playback, 0, INSTANCES);
    sample.poses = s->every;
    pm_sample_run(&sample, 0, INSTANCES);
    uint32_t count = pm_update_run(&f.job, 0, INSTANCES, f.due);
    playback.order = sample.order = f.due;
    playback.order_count = sample.order_count = count;
    playback.ticks = f.ticks;
    pm_playback_run(&playback, 0, count);
    sample.poses = s->buffers;
    sample.pose_offsets = f.write_offsets;
    cr_assert_null(pm_sample_validate(&sample));
    pm_sample_run(&sample, 0, count);
    return count;
}

Test(update, interpolated_instances_show_the_very_pose_when_they_are_due_and_stay_close_in_between) {
    static show s;
    show_create(&s);
    const int64_t start = 1000;
    uint32_t sampled = 0;
    for (int64_t tick = start - 15; tick < start + 200; tick++) {
        uint32_t count = show_tick(&s, tick);
        if (tick < start) continue;
        sampled += count;
        cr_assert_null(pm_interpolate_validate(&s.interpolate));
        pm_interpolate_run(&s.interpolate, 0, INSTANCES);
        for (uint32_t i = 0; i < count; i++)
            cr_assert_arr_eq(&s.shown[f.due[i]], &s.every[f.due[i]], POSE_BYTES);
        for (uint32_t i = 0; i < INSTANCES; i++)
            for (int c = 0; c < 3; c++)
                // The curve's acceleration is up to 6 * 3 / 0.5^2; a chord over 8/60 s is off by 1/8 a h^2.
                cr_assert_float_eq(s.shown[i].translation[c][0], s.every[i].translation[c][0], 0.2f);
    }
    cr_assert_lt(sampled, 200 * INSTANCES / 2);
    pm_clip_destroy(s.clip, NULL);
    pm_skeleton_destroy(s.skeleton);
}

Test(update, held_instances_catch_up_when_they_are_due) {
    static show s;
    show_create(&s);
    f.job.mode = PM_UPDATE_HELD;
    for (int64_t tick = 0; tick < 100; tick++) {
        static pm_pose_block before[INSTANCES];
        memcpy(before, s.buffers, sizeof before);
        uint32_t count = show_tick(&s, tick), next = 0;
        for (uint32_t i = 0; i < INSTANCES; i++) {
            bool due = next < count && f.due[next] == i;
            next += due;
            cr_assert_arr_eq(&s.buffers[i], due ? &s.every[i] : &before[i], POSE_BYTES);
        }
    }
    pm_clip_destroy(s.clip, NULL);
    pm_skeleton_destroy(s.skeleton);
}

#define INVALID(change, word)                                                                                \
    do {                                                                                                     \
        pm_update_job job = f.job;                                                                           \
        change;                                                                                              \
        const char *fault = pm_update_validate(&job);                                                        \
        cr_assert(fault &&strstr(fault, word), "\"%s\" does not say \"%s\"", fault ? fault : "valid", word); \
    } while (0)

Test(update, every_way_to_be_invalid_has_its_reason) {
    cr_assert(strstr(pm_update_validate(NULL), "the job is NULL"));
    INVALID(job.cookie = 0, "pm_default_update_job");
    INVALID(job.mode = PM_UPDATE_MODE_COUNT, "mode");
    INVALID(job.intervals = NULL, "intervals is NULL");
    INVALID(job.pose_stride = 100, "pose_stride");
    INVALID(job.buffer_stride = 100, "buffer_stride");
}
