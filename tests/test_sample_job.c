// The job as a contract: how it can be invalid, how ranges, strides, orders, offsets and cursors may lie.
#include "job.h"
#include "simd/kernels.h"
#include "support/scenario.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Two clips for one skeleton of 35 joints and 20 scalars, without grids and with more keys than are found at
// one look, so that cursors matter. One is mixed, the other merged.
enum { CLIPS = 2, INSTANCES = 37, BLOCKS = 3, SCALAR_BLOCKS = 2, CURSORS = 200 };

static scenario *scenarios[CLIPS];
static const pm_clip *clips[CLIPS];

static void make(void) {
    for (uint32_t i = 0; i < CLIPS; i++) {
        scenario_options options = {.seed = 7 + i, .joint_count = 35, .scalar_count = 20};
        options.modes = SCENARIO_ALL_MODES;
        options.most_keys = 40;
        options.merge_growth_limit = i ? INFINITY : 0;
        options.eased = options.cadence = true;
        scenarios[i] = scenario_create(&options);
        clips[i] = scenarios[i]->clip;
        cr_assert_leq(pm_clip_get_info(clips[i]).cursor_count, CURSORS);
        cr_assert_gt(pm_clip_get_info(clips[i]).cursor_count, 0);
    }
}

static void drop(void) {
    for (uint32_t i = 0; i < CLIPS; i++) scenario_destroy(scenarios[i]);
}

TestSuite(sample_job, .init = make, .fini = drop);

// A host's arrays, packed.
typedef struct host {
    _Alignas(64) pm_pose_block poses[INSTANCES][BLOCKS];
    _Alignas(64) float scalars[INSTANCES][SCALAR_BLOCKS * PM_BLOCK_LANES];
    uint32_t clip_index[INSTANCES];
    float time_seconds[INSTANCES];
    uint16_t cursors[INSTANCES][CURSORS];
} host;

static pm_sample_job job_of(host *h, uint64_t seed) {
    rig_random random = {seed};
    memset(h, 0xCD, sizeof *h);
    memset(h->cursors, 0, sizeof h->cursors);
    for (uint32_t i = 0; i < INSTANCES; i++) {
        h->clip_index[i] = rig_random_below(&random, CLIPS);
        h->time_seconds[i] = rig_random_between(&random, -0.5f, 9);
    }
    pm_sample_job job = pm_default_sample_job();
    job.kernels = pm_kernels_best();
    job.clips = clips;
    job.clip_count = CLIPS;
    job.instance_count = INSTANCES;
    job.clip_index = h->clip_index;
    job.time_seconds = h->time_seconds;
    job.cursors = h->cursors[0];
    job.cursor_stride = sizeof h->cursors[0];
    job.poses = h->poses[0];
    job.pose_stride = sizeof h->poses[0];
    job.scalars = h->scalars[0];
    job.scalar_stride = sizeof h->scalars[0];
    return job;
}

static uint64_t run(const pm_sample_job *job, uint32_t begin, uint32_t end) {
    const char *fault = pm_sample_validate(job);
    cr_assert_null(fault, "%s", fault);
    return pm_sample_run(job, begin, end);
}

// What every arrangement of a job must give, instance by instance.
static void expect_pose(const host *h, uint32_t instance, const pm_pose_block *pose, const float *scalars) {
    static rig_pose alone;
    rig_sample(clips[h->clip_index[instance]], pm_kernels_at(0), h->time_seconds[instance], &alone);
    if (pose) cr_assert_arr_eq(pose, alone.blocks, BLOCKS * sizeof *pose, "instance %u", (unsigned)instance);
    if (scalars)
        cr_assert_arr_eq(scalars, alone.scalars, sizeof(float) * SCALAR_BLOCKS * PM_BLOCK_LANES,
                         "instance %u", (unsigned)instance);
}

static void expect_all_poses(const host *h) {
    for (uint32_t i = 0; i < INSTANCES; i++) expect_pose(h, i, h->poses[i], h->scalars[i]);
}

static bool is_untouched(const void *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) {
        if (((const unsigned char *)bytes)[i] != 0xCD) return false;
    }
    return true;
}

static host plain;

Test(sample_job, whole_range_on_every_kernel) {
    for (uint32_t k = 0; pm_kernels_at(k); k++) {
        pm_sample_job job = job_of(&plain, 1);
        job.kernels = pm_kernels_at(k);
        run(&job, 0, INSTANCES);
        expect_all_poses(&plain);
    }
}

Test(sample_job, ranges_may_be_cut_anywhere_and_come_in_any_order) {
    rig_random random = {5};
    for (int round = 0; round < 20; round++) {
        pm_sample_job job = job_of(&plain, 2);
        uint32_t first = rig_random_below(&random, INSTANCES),
                 second = first + rig_random_below(&random, INSTANCES - first);
        run(&job, second, INSTANCES);
        run(&job, 0, first);
        run(&job, first, second);
        expect_all_poses(&plain);
    }
}

Test(sample_job, every_count_of_instances_and_nothing_past_the_range) {
    for (uint32_t begin = 0; begin < 3; begin++) {
        for (uint32_t end = begin; end <= INSTANCES; end++) {
            pm_sample_job job = job_of(&plain, 3);
            run(&job, begin, end);
            for (uint32_t i = 0; i < INSTANCES; i++) {
                if (i >= begin && i < end) {
                    expect_pose(&plain, i, plain.poses[i], plain.scalars[i]);
                } else {
                    cr_assert(is_untouched(plain.poses[i], sizeof plain.poses[i]));
                    cr_assert(is_untouched(plain.scalars[i], sizeof plain.scalars[i]));
                }
            }
        }
    }
}

Test(sample_job, joints_alone_and_scalars_alone) {
    pm_sample_job job = job_of(&plain, 4);
    job.scalars = NULL;
    run(&job, 0, INSTANCES);
    for (uint32_t i = 0; i < INSTANCES; i++) expect_pose(&plain, i, plain.poses[i], NULL);
    cr_assert(is_untouched(plain.scalars, sizeof plain.scalars));

    job = job_of(&plain, 4);
    job.poses = NULL;
    run(&job, 0, INSTANCES);
    for (uint32_t i = 0; i < INSTANCES; i++) expect_pose(&plain, i, NULL, plain.scalars[i]);
    cr_assert(is_untouched(plain.poses, sizeof plain.poses));
}

Test(sample_job, order_list_chooses_and_arranges) {
    static const uint32_t order[] = {36, 0, 17, 5, 4, 3, 20, 21, 22, 1};
    enum { ORDERED = sizeof order / sizeof *order };
    pm_sample_job job = job_of(&plain, 5);
    job.order = order;
    job.order_count = ORDERED;
    run(&job, 4, ORDERED);
    run(&job, 0, 4);
    for (uint32_t i = 0; i < INSTANCES; i++) {
        bool chosen = false;
        for (uint32_t j = 0; j < ORDERED; j++) chosen = chosen || order[j] == i;
        if (chosen) expect_pose(&plain, i, plain.poses[i], plain.scalars[i]);
        cr_assert_eq(is_untouched(plain.poses[i], sizeof plain.poses[i]), !chosen);
    }
}

Test(sample_job, strides_take_the_hosts_structs_as_they_are) {
    typedef struct character {
        _Alignas(64) pm_pose_block pose[BLOCKS];
        _Alignas(64) float scalars[SCALAR_BLOCKS * PM_BLOCK_LANES];
        char name[20];
        float time_seconds;
        uint32_t clip;
        uint16_t cursors[CURSORS];
        char more[50];
    } character;
    static character characters[INSTANCES];
    pm_sample_job job = job_of(&plain, 6);
    memset(characters, 0xCD, sizeof characters);
    for (uint32_t i = 0; i < INSTANCES; i++) {
        characters[i].time_seconds = plain.time_seconds[i];
        characters[i].clip = plain.clip_index[i];
    }
    job.clip_index = &characters->clip, job.clip_index_stride = sizeof(character);
    job.time_seconds = &characters->time_seconds, job.time_stride = sizeof(character);
    job.cursors = characters->cursors, job.cursor_stride = sizeof(character);
    job.poses = characters->pose, job.pose_stride = sizeof(character);
    job.scalars = characters->scalars, job.scalar_stride = sizeof(character);
    run(&job, 0, INSTANCES);
    for (uint32_t i = 0; i < INSTANCES; i++) {
        expect_pose(&plain, i, characters[i].pose, characters[i].scalars);
        cr_assert(is_untouched(characters[i].name, sizeof characters[i].name));
        cr_assert(is_untouched(characters[i].more, sizeof characters[i].more));
    }
}

Test(sample_job, read_stride_of_zero_gives_all_the_same_element) {
    pm_sample_job job = job_of(&plain, 7);
    job.clip_index_stride = 0;
    job.time_stride = 0;
    run(&job, 0, INSTANCES);
    for (uint32_t i = 1; i < INSTANCES; i++) {
        plain.clip_index[i] = plain.clip_index[0];
        plain.time_seconds[i] = plain.time_seconds[0];
    }
    expect_all_poses(&plain);
}

Test(sample_job, offsets_replace_strides) {
    enum { POSE_BYTES = BLOCKS * sizeof(pm_pose_block), SCALAR_BYTES = SCALAR_BLOCKS * 64 };
    static _Alignas(64) unsigned char memory[INSTANCES * (POSE_BYTES + SCALAR_BYTES + 64)];
    size_t pose_offsets[INSTANCES], scalar_offsets[INSTANCES];
    for (size_t i = 0; i < INSTANCES; i++) {
        size_t place = i * 11 % INSTANCES; // scattered
        pose_offsets[i] = place * (POSE_BYTES + SCALAR_BYTES + 64);
        scalar_offsets[i] = pose_offsets[i] + POSE_BYTES;
    }
    pm_sample_job job = job_of(&plain, 8);
    memset(memory, 0xCD, sizeof memory);
    job.poses = (pm_pose_block *)memory, job.pose_offsets = pose_offsets, job.pose_stride = 0;
    job.scalars = (float *)memory, job.scalar_offsets = scalar_offsets, job.scalar_stride = 0;
    run(&job, 0, INSTANCES);
    for (uint32_t i = 0; i < INSTANCES; i++) {
        const unsigned char *pose = memory + pose_offsets[i], *scalars = memory + scalar_offsets[i];
        expect_pose(&plain, i, (const pm_pose_block *)pose, (const float *)scalars);
        cr_assert(is_untouched(scalars + SCALAR_BYTES, 64));
    }
}

Test(sample_job, unknown_clip_index_leaves_the_instance_as_it_is) {
    pm_sample_job job = job_of(&plain, 9);
    plain.clip_index[0] = CLIPS;
    plain.clip_index[20] = PM_NONE;
    plain.clip_index[36] = 77;
    run(&job, 0, INSTANCES);
    for (uint32_t i = 0; i < INSTANCES; i++) {
        bool unknown = plain.clip_index[i] >= CLIPS;
        if (!unknown) expect_pose(&plain, i, plain.poses[i], plain.scalars[i]);
        if (unknown) cr_assert(is_untouched(plain.poses[i], sizeof plain.poses[i]));
        if (unknown) cr_assert(is_untouched(plain.scalars[i], sizeof plain.scalars[i]));
    }
}

Test(sample_job, clips_of_different_skeletons_in_one_job) {
    scenario_options small = {
        .seed = 3, .joint_count = 1, .modes = SCENARIO_LINEAR, .most_keys = 4, .timelines = 1};
    scenario *other = scenario_create(&small);
    const pm_clip *both[] = {clips[0], other->clip};
    pm_sample_job job = job_of(&plain, 10);
    job.clips = both;
    run(&job, 0, INSTANCES);
    for (uint32_t i = 0; i < INSTANCES; i++) {
        static rig_pose alone;
        uint32_t clip = plain.clip_index[i];
        rig_sample(both[clip], pm_kernels_at(0), plain.time_seconds[i], &alone);
        size_t blocks = clip ? 1 : BLOCKS;
        cr_assert_arr_eq(plain.poses[i], alone.blocks, blocks * sizeof(pm_pose_block));
        cr_assert(is_untouched(plain.poses[i] + blocks, (BLOCKS - blocks) * sizeof(pm_pose_block)));
        cr_assert_eq(is_untouched(plain.scalars[i], sizeof plain.scalars[i]), clip == 1);
    }
    scenario_destroy(other);
}

Test(sample_job, streaming_changes_nothing) {
    for (uint32_t k = 0; pm_kernels_at(k); k++) {
        for (int streaming = PM_STREAMING_AUTO; streaming <= PM_STREAMING_OFF; streaming++) {
            pm_sample_job job = job_of(&plain, 11);
            job.kernels = pm_kernels_at(k);
            job.streaming = (pm_streaming)streaming;
            plain.time_seconds[3] = NAN;
            uint64_t guarded = run(&job, 0, INSTANCES);
            cr_assert_eq(guarded, 35 * 3 + 20);
            expect_all_poses(&plain);
        }
    }
}

Test(sample_job, empty_range_and_empty_crowd) {
    pm_sample_job job = job_of(&plain, 12);
    cr_assert_eq(run(&job, 5, 5), 0);
    job.instance_count = 0;
    cr_assert_eq(run(&job, 0, 0), 0);
    cr_assert(is_untouched(plain.poses, sizeof plain.poses));
}

// Cursors

Test(sample_job, null_cursors_search) {
    pm_sample_job job = job_of(&plain, 20);
    job.cursors = NULL;
    job.cursor_stride = 0;
    run(&job, 0, INSTANCES);
    expect_all_poses(&plain);
}

Test(sample_job, random_cursors_never_show) {
    rig_random random = {21};
    for (int round = 0; round < 50; round++) {
        for (uint32_t k = 0; pm_kernels_at(k); k++) {
            pm_sample_job job = job_of(&plain, 21 + (uint64_t)round);
            job.kernels = pm_kernels_at(k);
            for (uint32_t i = 0; i < INSTANCES * CURSORS; i++) {
                uint32_t cursor = rig_random_below(&random, round % 2 ? 16 : 65536);
                plain.cursors[i / CURSORS][i % CURSORS] = (uint16_t)cursor;
            }
            run(&job, 0, INSTANCES);
            expect_all_poses(&plain);
        }
    }
}

Test(sample_job, cursors_of_another_clip_never_show) {
    pm_sample_job job = job_of(&plain, 22);
    run(&job, 0, INSTANCES);
    for (uint32_t i = 0; i < INSTANCES; i++) plain.clip_index[i] = 1 - plain.clip_index[i];
    run(&job, 0, INSTANCES);
    expect_all_poses(&plain);
}

Test(sample_job, clip_replaced_at_the_same_address) {
    size_t sizes[CLIPS] = {pm_clip_get_info(clips[0]).size_bytes, pm_clip_get_info(clips[1]).size_bytes};
    void *memory = aligned_alloc(64, sizes[0] > sizes[1] ? sizes[0] : sizes[1]);
    pm_sample_job job = job_of(&plain, 23);
    const pm_clip *only[] = {memory};
    job.clips = only;
    job.clip_count = 1;
    for (uint32_t i = 0; i < CLIPS; i++) {
        memcpy(memory, clips[i], sizes[i]);
        for (uint32_t j = 0; j < INSTANCES; j++) plain.clip_index[j] = 0;
        run(&job, 0, INSTANCES);
        for (uint32_t j = 0; j < INSTANCES; j++) plain.clip_index[j] = i;
        expect_all_poses(&plain);
    }
    free(memory);
}

Test(sample_job, forward_backward_and_at_random_with_kept_cursors) {
    rig_random random = {24};
    pm_sample_job job = job_of(&plain, 24);
    for (int frame = 0; frame < 200; frame++) {
        for (uint32_t i = 0; i < INSTANCES; i++) {
            float forward = (float)frame / 40 + 0.01f * (float)i;
            float choices[] = {forward, 4 - forward, rig_random_between(&random, -1, 9)};
            plain.time_seconds[i] = choices[i % 3];
        }
        run(&job, 0, INSTANCES);
        if (frame % 5 == 0) expect_all_poses(&plain);
    }
}

Test(sample_job, cursors_are_written_within_their_count_only) {
    uint32_t used = 0;
    for (uint32_t i = 0; i < CLIPS; i++) {
        uint32_t count = pm_clip_get_info(clips[i]).cursor_count;
        used = count > used ? count : used;
    }
    pm_sample_job job = job_of(&plain, 25);
    memset(plain.cursors, 0xCD, sizeof plain.cursors);
    run(&job, 0, INSTANCES);
    for (uint32_t i = 0; i < INSTANCES; i++) {
        cr_assert(is_untouched(plain.cursors[i] + used, (CURSORS - used) * sizeof(uint16_t)));
    }
}

// Guards

Test(sample_job, nan_time_gives_rest_and_counts_every_path) {
    for (uint32_t k = 0; pm_kernels_at(k); k++) {
        pm_sample_job job = job_of(&plain, 30);
        job.kernels = pm_kernels_at(k);
        plain.time_seconds[5] = NAN;
        plain.time_seconds[6] = -NAN;
        cr_assert_eq(run(&job, 0, INSTANCES), 2 * (35 * 3 + 20));
        for (uint32_t i = 5; i < 7; i++) {
            const pm_skeleton *skeleton = scenarios[plain.clip_index[i]]->skeleton;
            cr_assert_arr_eq(plain.poses[i], skeleton->rest, sizeof plain.poses[i]);
            cr_assert_arr_eq(plain.scalars[i], skeleton->scalar_rest, sizeof plain.scalars[i]);
        }
        job.scalars = NULL;
        cr_assert_eq(run(&job, 5, 6), 35 * 3);
        job = job_of(&plain, 30);
        plain.time_seconds[5] = NAN;
        job.poses = NULL;
        cr_assert_eq(run(&job, 5, 6), 20);
    }
}

// Joints 0, 3 and 17 have no length half way; 1 and 18 turn, as slerp, on times of the others or of their
// own.
static void expect_three_guarded(const pm_channel *channels, uint32_t channel_count, pm_track_kind kind) {
    static const uint32_t joints[] = {0, 3, 17};
    const pm_skeleton *skeleton = scenarios[0]->skeleton;
    pm_clip_source source = rig_source(channels, channel_count);
    pm_compile_options options = pm_default_compile_options();
    options.merge_growth_limit = 0;
    pm_clip *clip;
    cr_assert_eq(pm_clip_compile(&source, skeleton, &options, NULL, &clip, NULL), PM_OK);
    cr_assert_eq(pm_clip_get_track(clip, 3 + PM_PATH_ROTATION).kind, kind);
    for (uint32_t k = 0; pm_kernels_at(k); k++) {
        static rig_pose pose;
        rig_sample(clip, pm_kernels_at(k), 0.5f, &pose);
        cr_assert_eq(pose.guarded_count, 3);
        for (int i = 0; i < 3; i++) {
            pm_transform joint = pm_pose_get_joint(pose.blocks, joints[i]);
            pm_transform rest = pm_pose_get_joint(skeleton->rest, joints[i]);
            cr_assert_arr_eq(&joint, &rest, sizeof rest);
        }
        rig_sample(clip, pm_kernels_at(k), 0.25f, &pose);
        cr_assert_eq(pose.guarded_count, 0);
    }
    pm_clip_destroy(clip, NULL);
}

Test(sample_job, rotations_without_length_are_counted_one_by_one) {
    // q to -q with flat tangents: nothing is left half way.
    static const float times[] = {0, 1}, other_times[] = {0, 0.7f}, flat[8] = {0};
    static const float values[] = {0, 0, 0.6f, 0.8f, 0, 0, -0.6f, -0.8f};
    static const float turn[] = {0, 0, 0, 1, 0, 0.6f, 0, 0.8f};
    static const uint32_t joints[] = {0, 3, 17, 1, 18};
    pm_channel channels[5];
    for (int i = 0; i < 3; i++) {
        channels[i] =
            rig_channel(PM_PATH_ROTATION, PM_INTERPOLATION_CUBIC, joints[i], 2, times, values, flat, flat);
    }
    expect_three_guarded(channels, 3, PM_TRACK_SHARED);
    for (int i = 3; i < 5; i++)
        channels[i] =
            rig_channel(PM_PATH_ROTATION, PM_INTERPOLATION_LINEAR, joints[i], 2, times, turn, NULL, NULL);
    expect_three_guarded(channels, 5, PM_TRACK_SHARED);
    channels[3].times = channels[4].times = other_times;
    expect_three_guarded(channels, 5, PM_TRACK_MIXED);
}

// Every way in which a job can be invalid

static void expect_invalid(const pm_sample_job *job, const char *words) {
    const char *fault = pm_sample_validate(job);
    cr_assert_not_null(fault, "accepted, expected \"%s\"", words);
    cr_assert(strstr(fault, words), "\"%s\" does not say \"%s\"", fault, words);
}

Test(sample_job, default_job_is_not_yet_valid_and_null_never) {
    pm_sample_job job = pm_default_sample_job();
    cr_assert_not_null(pm_sample_validate(&job));
    cr_assert_not_null(pm_sample_validate(NULL));
}

Test(sample_job, not_initialised_is_invalid) {
    pm_sample_job job;
    memset(&job, 0, sizeof job);
    expect_invalid(&job, "pm_default_sample_job");
}

Test(sample_job, kernels_null_is_invalid) {
    pm_sample_job job = job_of(&plain, 1);
    job.kernels = NULL;
    expect_invalid(&job, "kernels is NULL");
}

static bool streamed;

static uint64_t note_streaming(const pm_sample_job *job, uint32_t begin, uint32_t end, bool stream) {
    (void)job, (void)begin, (void)end;
    streamed = stream;
    return 0;
}

// Whether AUTO streams for that many instances.
static bool streams(pm_sample_job job, uint32_t instance_count) {
    const pm_kernels noting = {.name = "noting", .sample = note_streaming};
    job.kernels = &noting;
    job.instance_count = instance_count;
    pm_sample_run(&job, 0, 0);
    return streamed;
}

Test(sample_job, automatic_streaming_counts_what_is_written) {
    static host h;
    pm_sample_job job = job_of(&h, 5);
    job.scalars = NULL;
    uint32_t fitting = (uint32_t)(PM_STREAMING_BYTES / sizeof h.poses[0]);
    cr_assert_not(streams(job, fitting));
    cr_assert(streams(job, fitting + 1));
    job.block_limit = 1;
    cr_assert(streams(job, fitting + 1)); // the others are written too
    job.beyond = PM_BEYOND_KEEP;
    cr_assert_not(streams(job, BLOCKS * fitting));
    cr_assert(streams(job, BLOCKS * (fitting + 1)));
    job.scalars = h.scalars[0];
    cr_assert(streams(job, BLOCKS * fitting));
    job.poses = NULL;
    fitting = (uint32_t)(PM_STREAMING_BYTES / sizeof h.scalars[0]);
    cr_assert_not(streams(job, fitting));
    cr_assert(streams(job, fitting + 1));
}

Test(sample_job, unknown_streaming_is_invalid) {
    pm_sample_job job = job_of(&plain, 1);
    job.streaming = (pm_streaming)3;
    expect_invalid(&job, "streaming");
}

Test(sample_job, no_clips_are_invalid) {
    pm_sample_job job = job_of(&plain, 1);
    job.clip_count = 0;
    expect_invalid(&job, "clip_count is 0");
    job = job_of(&plain, 1);
    job.clips = NULL;
    expect_invalid(&job, "clips is NULL");
}

Test(sample_job, null_or_foreign_clip_is_invalid) {
    static _Alignas(64) unsigned char bytes[1024];
    const pm_clip *bad[] = {clips[0], NULL};
    pm_sample_job job = job_of(&plain, 1);
    job.clips = bad;
    expect_invalid(&job, "NULL pointer");
    bad[1] = (const pm_clip *)bytes;
    expect_invalid(&job, "not a clip of this version");
    bad[1] = (const pm_clip *)(bytes + 4);
    expect_invalid(&job, "not 64-byte aligned");
}

Test(sample_job, clip_index_null_or_askew_is_invalid) {
    pm_sample_job job = job_of(&plain, 1);
    job.clip_index = NULL;
    expect_invalid(&job, "clip_index is NULL");
    job.clip_index = (const uint32_t *)((const char *)plain.clip_index + 2);
    expect_invalid(&job, "clip_index");
    job = job_of(&plain, 1);
    job.clip_index_stride = 6;
    expect_invalid(&job, "clip_index");
}

Test(sample_job, time_null_or_askew_is_invalid) {
    pm_sample_job job = job_of(&plain, 1);
    job.time_seconds = NULL;
    expect_invalid(&job, "time_seconds is NULL");
    job.time_seconds = (const float *)((const char *)plain.time_seconds + 1);
    expect_invalid(&job, "time_seconds");
    job = job_of(&plain, 1);
    job.time_stride = 7;
    expect_invalid(&job, "time_seconds");
}

Test(sample_job, order_count_without_an_order_is_invalid) {
    pm_sample_job job = job_of(&plain, 1);
    job.order_count = 3;
    expect_invalid(&job, "order_count is set but order is NULL");
}

Test(sample_job, cursors_askew_or_too_close_are_invalid) {
    pm_sample_job job = job_of(&plain, 1);
    job.cursors = (uint16_t *)((char *)plain.cursors + 1);
    expect_invalid(&job, "cursors");
    job = job_of(&plain, 1);
    job.cursor_stride = 33;
    expect_invalid(&job, "2 bytes");
    job.cursor_stride = 2;
    expect_invalid(&job, "cursor_stride is below");
    job.cursor_stride = 0;
    expect_invalid(&job, "cursor_stride is below");
}

Test(sample_job, nothing_to_write_is_invalid) {
    pm_sample_job job = job_of(&plain, 1);
    job.poses = NULL;
    job.scalars = NULL;
    expect_invalid(&job, "nothing would be written");
}

Test(sample_job, outputs_askew_are_invalid) {
    pm_sample_job job = job_of(&plain, 1);
    job.poses = (pm_pose_block *)((char *)plain.poses + 32);
    expect_invalid(&job, "poses is not 64-byte aligned");
    job = job_of(&plain, 1);
    job.scalars = plain.scalars[0] + 4;
    expect_invalid(&job, "scalars is not 64-byte aligned");
    job = job_of(&plain, 1);
    job.pose_stride += 32;
    expect_invalid(&job, "pose_stride is not a multiple of 64");
    job = job_of(&plain, 1);
    job.scalar_stride += 4;
    expect_invalid(&job, "scalar_stride is not a multiple of 64");
}

Test(sample_job, outputs_that_would_overlap_are_invalid) {
    pm_sample_job job = job_of(&plain, 1);
    job.pose_stride = 2 * sizeof(pm_pose_block);
    expect_invalid(&job, "pose_stride is below");
    job = job_of(&plain, 1);
    job.scalar_stride = 64;
    expect_invalid(&job, "scalar_stride is below");
}
