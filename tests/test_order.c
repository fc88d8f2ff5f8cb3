#include <posemill/posemill.h>

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// SPANS: of one clip, in an order of all instances; of 1 clip if that is all there is.
enum { CLIPS = 5, COUNT = 1000, SPANS = 32, SPANS_OF_ONE = COUNT / 16 };

// A crowd in the shape a host might have it: an array of structs.
typedef struct character {
    double position[3];
    float time_seconds;
    uint32_t clip;
} character;

typedef struct fixture {
    pm_skeleton *skeleton;
    pm_clip *clips[CLIPS];
    character characters[COUNT];
    pm_sample_job job;
    uint32_t order[COUNT + 1];
    void *scratch;
} fixture;

static const float durations[CLIPS] = {1.0f, 0.25f, 8.0f, 0.0f, 3.0f};

// One joint that moves along x; a clip of no duration has one key.
static pm_clip *make_clip(const pm_skeleton *skeleton, float duration_seconds) {
    float times[2] = {0, duration_seconds}, values[6] = {1, 0, 0, 2, 0, 0};
    uint32_t keys = duration_seconds > 0 ? 2 : 1;
    pm_channel channel = {.path = PM_PATH_TRANSLATION,
                          .interpolation = PM_INTERPOLATION_LINEAR,
                          .component_count = 3,
                          .key_count = keys,
                          .value_count = keys,
                          .times = times,
                          .values = values};
    pm_clip_source source = {.channel_count = 1, .channels = &channel};
    pm_clip *clip;
    cr_assert_eq(pm_clip_compile(&source, skeleton, NULL, NULL, &clip, NULL), PM_OK);
    return clip;
}

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u; // Numerical Recipes' constants
    return *state >> 8;
}

static fixture *fixture_create(void) {
    fixture *f = calloc(1, sizeof *f);
    cr_assert(f);
    pm_node_def node = {
        .parent = PM_NONE, .rest = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}}, .used = true};
    pm_skeleton_def def = {.node_count = 1, .nodes = &node};
    cr_assert_eq(pm_skeleton_create(&def, NULL, &f->skeleton, NULL), PM_OK);
    uint32_t state = 1;
    for (uint32_t i = 0; i < CLIPS; i++) f->clips[i] = make_clip(f->skeleton, durations[i]);
    for (uint32_t i = 0; i < COUNT; i++) {
        f->characters[i].clip = next_random(&state) % CLIPS;
        float fraction = (float)next_random(&state) / 16777216.0f;
        f->characters[i].time_seconds = fraction * durations[f->characters[i].clip];
    }
    f->job = pm_default_sample_job();
    f->job.kernels = pm_kernels_best();
    f->job.clips = (const pm_clip *const *)f->clips;
    f->job.clip_count = CLIPS;
    f->job.instance_count = COUNT;
    f->job.clip_index = &f->characters[0].clip;
    f->job.time_seconds = &f->characters[0].time_seconds;
    f->job.clip_index_stride = f->job.time_stride = sizeof(character);
    f->scratch = malloc(pm_order_scratch_size(COUNT, CLIPS));
    cr_assert(f->scratch);
    return f;
}

static void fixture_destroy(fixture *f) {
    for (uint32_t i = 0; i < CLIPS; i++) pm_clip_destroy(f->clips[i], NULL);
    pm_skeleton_destroy(f->skeleton);
    free(f->scratch);
    free(f);
}

// The span that the header promises, computed another way.
static uint32_t span_of(const character *c, uint32_t span_count) {
    float duration = durations[c->clip];
    uint32_t span = 0;
    while (span + 1 < span_count && duration > 0 &&
           c->time_seconds >= duration * (float)(span + 1) / (float)span_count)
        span++;
    return span;
}

static void assert_sorted(const fixture *f, const uint32_t *order, uint32_t count, uint32_t span_count) {
    for (uint32_t i = 1; i < count; i++) {
        const character *before = f->characters + order[i - 1], *after = f->characters + order[i];
        cr_assert_leq(before->clip, after->clip);
        if (before->clip != after->clip) continue;
        // Rounding may put a time that lies on a border into either span.
        double step = 1.0001 * (double)durations[after->clip] / span_count;
        cr_assert_leq((double)before->time_seconds, (double)after->time_seconds + step);
        if (span_of(before, span_count) == span_of(after, span_count)) cr_assert_lt(order[i - 1], order[i]);
    }
}

Test(order, is_by_clip_then_by_time_and_has_each_instance_once) {
    fixture *f = fixture_create();
    uint32_t count = pm_order_by_clip_and_time(&f->job, NULL, COUNT, false, f->order, f->scratch);
    cr_assert_eq(count, COUNT);
    assert_sorted(f, f->order, count, SPANS);
    bool seen[COUNT] = {false};
    for (uint32_t i = 0; i < count; i++) {
        cr_assert_lt(f->order[i], COUNT);
        cr_assert_not(seen[f->order[i]]);
        seen[f->order[i]] = true;
    }
    fixture_destroy(f);
}

Test(order, backward_goes_through_the_spans_the_other_way) {
    fixture *f = fixture_create();
    uint32_t backward[COUNT];
    cr_assert_eq(pm_order_by_clip_and_time(&f->job, NULL, COUNT, true, backward, f->scratch), COUNT);
    uint32_t steps = 0;
    for (uint32_t i = 1; i < COUNT; i++) {
        const character *before = f->characters + backward[i - 1], *after = f->characters + backward[i];
        cr_assert_geq(before->clip, after->clip);
        if (before->clip != after->clip) continue;
        double step = 1.0001 * (double)durations[after->clip] / SPANS;
        cr_assert_geq((double)before->time_seconds, (double)after->time_seconds - step);
        steps += before->time_seconds > after->time_seconds;
        if (span_of(before, SPANS) == span_of(after, SPANS)) cr_assert_lt(backward[i - 1], backward[i]);
    }
    cr_assert_gt(steps, COUNT / 4);
    bool seen[COUNT] = {false};
    for (uint32_t i = 0; i < COUNT; i++) seen[backward[i]] = true;
    for (uint32_t i = 0; i < COUNT; i++) cr_assert(seen[i]);
    fixture_destroy(f);
}

// The longest step back in time between neighbours of one clip, as a fraction of its duration.
static double longest_step_back(fixture *f, bool backward) {
    uint32_t count = pm_order_by_clip_and_time(&f->job, NULL, COUNT, backward, f->order, f->scratch);
    double worst = 0;
    for (uint32_t i = 1; i < count; i++) {
        const character *before = f->characters + f->order[i - 1], *after = f->characters + f->order[i];
        if (before->clip != after->clip || durations[after->clip] <= 0) continue;
        double back =
            ((double)before->time_seconds - (double)after->time_seconds) / (double)durations[after->clip];
        if (back > worst) worst = back;
    }
    return worst;
}

Test(order, neighbours_of_one_clip_are_within_one_span) {
    fixture *f = fixture_create();
    // A coarser sort would leave steps back of several spans, a finer one none as long as this.
    double worst = longest_step_back(f, false);
    cr_assert_gt(worst, 0.5 / SPANS);
    cr_assert_leq(worst, 1.0001 / SPANS);
    fixture_destroy(f);
}

Test(order, many_instances_of_a_clip_share_spans) {
    fixture *f = fixture_create();
    uint32_t state = 2;
    for (uint32_t i = 0; i < COUNT; i++)
        f->characters[i] = (character){.time_seconds = (float)next_random(&state) / 16777216.0f};
    f->job.clip_count = 1;
    double worst = longest_step_back(f, false);
    cr_assert_gt(worst, 0.5 / SPANS_OF_ONE);
    cr_assert_leq(worst, 1.0001 / SPANS_OF_ONE);
    fixture_destroy(f);
}

// Two joints on timelines of their own.
static pm_clip *make_mixed_clip(float duration_seconds) {
    pm_node_def nodes[2] = {
        {.parent = PM_NONE, .rest = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}}, .used = true},
        {.parent = 0, .rest = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}}, .used = true}};
    pm_skeleton_def def = {.node_count = 2, .nodes = nodes};
    pm_skeleton *skeleton;
    cr_assert_eq(pm_skeleton_create(&def, NULL, &skeleton, NULL), PM_OK);
    float times[2][2] = {{0, duration_seconds}, {0, duration_seconds / 3}}, values[6] = {1, 0, 0, 2, 0, 0};
    pm_channel channels[2];
    for (uint32_t i = 0; i < 2; i++)
        channels[i] = (pm_channel){.target = i,
                                   .path = PM_PATH_TRANSLATION,
                                   .interpolation = PM_INTERPOLATION_LINEAR,
                                   .component_count = 3,
                                   .key_count = 2,
                                   .value_count = 2,
                                   .times = times[i],
                                   .values = values};
    pm_clip_source source = {.channel_count = 2, .channels = channels};
    pm_compile_options options = pm_default_compile_options();
    options.merge_growth_limit = 0;
    pm_clip *clip;
    cr_assert_eq(pm_clip_compile(&source, skeleton, &options, NULL, &clip, NULL), PM_OK);
    cr_assert_eq(pm_clip_get_track(clip, 0).kind, PM_TRACK_MIXED);
    pm_skeleton_destroy(skeleton);
    return clip;
}

Test(order, spans_are_finer_where_a_clip_has_mixed_tracks) {
    fixture *f = fixture_create();
    pm_clip_destroy(f->clips[2], NULL);
    f->clips[2] = make_mixed_clip(durations[2]);
    double worst = longest_step_back(f, false);
    cr_assert_gt(worst, 0);
    cr_assert_leq(worst, 1.0001 / (2 * (COUNT / CLIPS)));
    // Backward, too, lanes go on: only the clips come the other way round.
    cr_assert_eq(longest_step_back(f, true), worst);
    cr_assert_gt(f->characters[f->order[0]].clip, f->characters[f->order[COUNT - 1]].clip);
    fixture_destroy(f);
}

Test(order, takes_a_list_of_instances_and_leaves_the_others_out) {
    fixture *f = fixture_create();
    uint32_t visible[COUNT / 3], count = 0;
    for (uint32_t i = COUNT; i-- > 0 && count < COUNT / 3;)
        if (i % 3 == 1) visible[count++] = i;
    f->order[count] = 0xEEEEEEEE;
    cr_assert_eq(pm_order_by_clip_and_time(&f->job, visible, count, false, f->order, f->scratch), count);
    cr_assert_eq(f->order[count], 0xEEEEEEEE);
    bool seen[COUNT] = {false};
    for (uint32_t i = 0; i < count; i++) {
        cr_assert_eq(f->order[i] % 3, 1);
        cr_assert_not(seen[f->order[i]]);
        seen[f->order[i]] = true;
    }
    for (uint32_t i = 1; i < count; i++)
        cr_assert_leq(f->characters[f->order[i - 1]].clip, f->characters[f->order[i]].clip);
    fixture_destroy(f);
}

Test(order, keeps_the_given_order_within_one_span) {
    fixture *f = fixture_create();
    for (uint32_t i = 0; i < COUNT; i++) f->characters[i] = (character){.clip = 2, .time_seconds = 4.0f};
    const uint32_t given[4] = {700, 3, 999, 0};
    cr_assert_eq(pm_order_by_clip_and_time(&f->job, given, 4, false, f->order, f->scratch), 4);
    cr_assert_arr_eq(f->order, given, sizeof given);
    fixture_destroy(f);
}

Test(order, nan_and_times_outside_the_clip_go_to_its_ends) {
    fixture *f = fixture_create();
    const float times[8] = {7.9f, NAN, INFINITY, -INFINITY, 4.0f, -1.0f, 1e7f, 0.1f};
    for (uint32_t i = 0; i < 24; i++) f->characters[i] = (character){.clip = 2, .time_seconds = times[i % 8]};
    f->job.clip_count = 3; // 24 instances, 2 spans
    const uint32_t expected[24] = {1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23,
                                   0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22};
    cr_assert_eq(pm_order_by_clip_and_time(&f->job, NULL, 24, false, f->order, f->scratch), 24);
    cr_assert_arr_eq(f->order, expected, sizeof expected);
    fixture_destroy(f);
}

Test(order, clip_of_no_duration_takes_any_time) {
    fixture *f = fixture_create();
    const float times[6] = {0.0f, 1.0f, NAN, -0.0f, INFINITY, -INFINITY};
    for (uint32_t i = 0; i < 6; i++) f->characters[i] = (character){.clip = 3, .time_seconds = times[i]};
    f->job.clip_count = 4;
    bool seen[6] = {false};
    cr_assert_eq(pm_order_by_clip_and_time(&f->job, NULL, 6, false, f->order, f->scratch), 6);
    for (uint32_t i = 0; i < 6; i++) {
        cr_assert_lt(f->order[i], 6);
        cr_assert_not(seen[f->order[i]]);
        seen[f->order[i]] = true;
    }
    fixture_destroy(f);
}

Test(order, instances_without_a_clip_are_left_out) {
    fixture *f = fixture_create();
    uint32_t left_out = 0;
    for (uint32_t i = 0; i < COUNT; i += 7, left_out++) f->characters[i].clip = i % 2 ? CLIPS : UINT32_MAX;
    uint32_t count = pm_order_by_clip_and_time(&f->job, NULL, COUNT, false, f->order, f->scratch);
    cr_assert_eq(count, COUNT - left_out);
    for (uint32_t i = 0; i < count; i++) cr_assert_neq(f->order[i] % 7, 0);
    assert_sorted(f, f->order, count, SPANS);
    fixture_destroy(f);
}

Test(order, nothing_in_nothing_out) {
    fixture *f = fixture_create();
    f->order[0] = 0xEEEEEEEE;
    cr_assert_eq(pm_order_by_clip_and_time(&f->job, NULL, 0, false, f->order, f->scratch), 0);
    f->job.clip_count = 0;
    cr_assert_eq(pm_order_by_clip_and_time(&f->job, NULL, COUNT, false, f->order, f->scratch), 0);
    cr_assert_eq(pm_order_scratch_size(COUNT, 0), 0);
    cr_assert_eq(f->order[0], 0xEEEEEEEE);
    fixture_destroy(f);
}

static void assert_stays_within_scratch(fixture *f, uint32_t count, uint32_t clip_count, bool backward) {
    size_t size = pm_order_scratch_size(count, clip_count);
    // In memory of exactly that size, so that the address sanitizer sees what is behind it.
    unsigned char *scratch = malloc(size + 1);
    cr_assert(scratch);
    memset(scratch, 0xA5, size + 1);
    f->job.clip_count = clip_count;
    cr_assert_leq(pm_order_by_clip_and_time(&f->job, NULL, count, backward, f->order, scratch), count);
    cr_assert_eq(scratch[size], 0xA5);
    free(scratch);
}

Test(order, stays_within_its_scratch_memory) {
    fixture *f = fixture_create();
    for (int mixed = 0; mixed < 2; mixed++) {
        for (uint32_t count = 1; count < 40; count++)
            for (uint32_t clip_count = 1; clip_count <= CLIPS; clip_count++)
                for (int backward = 0; backward < 2; backward++)
                    assert_stays_within_scratch(f, count, clip_count, backward);
        assert_stays_within_scratch(f, COUNT, 1, mixed);
        // With it spans are as fine as they become, and all of the scratch memory is used.
        pm_clip_destroy(f->clips[0], NULL);
        f->clips[0] = make_mixed_clip(durations[0]);
    }
    fixture_destroy(f);
}

Test(order, scratch_size_does_not_overflow) {
    cr_assert_eq(pm_order_scratch_size(10000, 16), (10000 + 20000 + 16) * sizeof(uint32_t));
    cr_assert_eq(pm_order_scratch_size(3, 1000), (3 + 1000 + 1000) * sizeof(uint32_t));
    uint64_t largest = ((uint64_t)UINT32_MAX * 3) * sizeof(uint32_t);
    cr_assert_eq(pm_order_scratch_size(UINT32_MAX, UINT32_MAX),
                 largest > SIZE_MAX ? SIZE_MAX : (size_t)largest);
    cr_assert_geq(pm_order_scratch_size(UINT32_MAX, 1), (size_t)UINT32_MAX);
    // More instances never want less.
    for (uint32_t count = 1u << 30; count < 0xF0000000u; count += 1u << 28)
        cr_assert_leq(pm_order_scratch_size(count, 128), pm_order_scratch_size(count + (1u << 28), 128));
}

Test(order, does_not_change_poses) {
    fixture *f = fixture_create();
    size_t size = COUNT * sizeof(pm_pose_block);
    pm_pose_block *given = aligned_alloc(PM_ALIGNMENT, size), *ordered = aligned_alloc(PM_ALIGNMENT, size);
    cr_assert(given && ordered);
    f->characters[17].time_seconds = NAN;
    f->job.pose_stride = sizeof(pm_pose_block);
    f->job.poses = given;
    cr_assert_null(pm_sample_validate(&f->job));
    uint64_t guarded = pm_sample_run(&f->job, 0, COUNT);

    f->job.poses = ordered;
    f->job.order_count = pm_order_by_clip_and_time(&f->job, NULL, COUNT, false, f->order, f->scratch);
    f->job.order = f->order;
    cr_assert_null(pm_sample_validate(&f->job));
    cr_assert_eq(pm_sample_run(&f->job, 0, f->job.order_count), guarded);
    cr_assert_arr_eq(given, ordered, size);

    f->job.order_count = pm_order_by_clip_and_time(&f->job, NULL, COUNT, true, f->order, f->scratch);
    memset(ordered, 0, size);
    cr_assert_eq(pm_sample_run(&f->job, 0, f->job.order_count), guarded);
    cr_assert_arr_eq(given, ordered, size);

    // The job that holds an order can be ordered again.
    f->job.order_count = pm_order_by_clip_and_time(&f->job, NULL, COUNT, false, f->order, f->scratch);
    uint32_t again[COUNT];
    cr_assert_eq(pm_order_by_clip_and_time(&f->job, NULL, COUNT, false, again, f->scratch), COUNT);
    cr_assert_arr_eq(again, f->order, sizeof again);
    free(given);
    free(ordered);
    fixture_destroy(f);
}
