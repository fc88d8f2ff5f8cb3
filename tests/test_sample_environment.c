// Hosts that flush denormals or round another way get the same bits, and their mode back.
#include "support/scenario.h"

#include <criterion/criterion.h>
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SSE2__)
#include <xmmintrin.h>

enum {
    FLUSH_TO_ZERO = 0x8000,
    DENORMALS_ARE_ZERO = 0x0040,
    ROUND_DOWN = 0x2000,
    ROUND_UP = 0x4000,
    ROUND_IN = 0x6000
};
enum { STICKY_FLAGS = 0x3F, ALL_MASKED = 0x1F80 };

static const unsigned modes[] = {ALL_MASKED | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO,
                                 ALL_MASKED | FLUSH_TO_ZERO,
                                 ALL_MASKED | DENORMALS_ARE_ZERO,
                                 ALL_MASKED | ROUND_DOWN,
                                 ALL_MASKED | ROUND_UP,
                                 ALL_MASKED | ROUND_IN | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO};
enum { MODES = sizeof modes / sizeof *modes };

// A run as a host in some mode makes it; the mode must be there afterwards.
static void sample_in_mode(unsigned mode, const pm_clip *clip, const pm_kernels *kernels, float time,
                           rig_pose *pose) {
    unsigned was = _mm_getcsr();
    uint32_t clip_index = 0;
    pm_sample_job job = pm_default_sample_job();
    job.kernels = kernels;
    job.clips = &clip, job.clip_count = 1;
    job.instance_count = 1;
    job.clip_index = &clip_index, job.time_seconds = &time;
    job.poses = pose->blocks, job.scalars = pose->scalars;
    job.pose_stride = sizeof pose->blocks, job.scalar_stride = sizeof pose->scalars;
    memset(pose, 0xCD, sizeof *pose);
    _mm_setcsr(mode);
    pose->guarded_count = pm_sample_run(&job, 0, 1);
    unsigned after = _mm_getcsr();
    _mm_setcsr(was);
    cr_assert_eq(after & ~(unsigned)STICKY_FLAGS, mode);
}

static void expect_same_bits(const pm_clip *clip, const float *times, uint32_t time_count) {
    static rig_pose expected, pose;
    for (uint32_t i = 0; i < time_count; i++) {
        rig_sample(clip, pm_kernels_at(0), times[i], &expected);
        for (uint32_t k = 0; pm_kernels_at(k); k++) {
            for (int m = 0; m < MODES; m++) {
                sample_in_mode(modes[m], clip, pm_kernels_at(k), times[i], &pose);
                cr_assert_arr_eq(&pose, &expected, sizeof pose, "%s, mode %x, time %.9g",
                                 pm_kernels_name(pm_kernels_at(k)), modes[m], (double)times[i]);
            }
        }
    }
}

Test(sample_environment, any_mode_gives_the_same_bits_and_comes_back) {
    for (uint64_t seed = 1; seed <= 12; seed++) {
        scenario_options options = {.seed = seed, .joint_count = 20, .scalar_count = 5, .most_keys = 9};
        options.modes = SCENARIO_ALL_MODES;
        options.timelines = (uint32_t)seed % 3;
        options.merge_growth_limit = seed % 2 ? 0 : INFINITY;
        options.eased = options.cadence = seed % 4 >= 2;
        scenario *s = scenario_create(&options);
        expect_same_bits(s->clip, s->times, s->time_count);
        scenario_destroy(s);
    }
}

// Keys, steps between keys and times that only exist with denormals.
static const float tiny_times[] = {0, 1e-40f, 3e-40f, 1};
static const float tiny_values[] = {1e-40f, 3e-40f, -2e-41f, 5e-39f};

static pm_clip *compile_tiny(pm_skeleton *skeleton) {
    pm_channel channels[] = {
        rig_channel(PM_PATH_SCALAR, PM_INTERPOLATION_LINEAR, 0, 4, tiny_times, tiny_values, NULL, NULL),
        rig_channel(PM_PATH_SCALAR, PM_INTERPOLATION_CUBIC, 1, 4, tiny_times, tiny_values, tiny_values,
                    tiny_values)};
    return rig_compile(channels, 2, skeleton, NULL);
}

Test(sample_environment, denormal_keys_and_times_are_numbers) {
    pm_skeleton *skeleton = rig_skeleton(0, 2);
    pm_clip *clip = compile_tiny(skeleton);
    static const float times[] = {0, 5e-41f, 1e-40f, 2e-40f, 3e-40f, 0.25f, 1};
    for (int k = 0; k < 4; k++) cr_assert_eq(rig_scalar(clip, 0, tiny_times[k]), tiny_values[k]);
    cr_assert_float_eq(rig_scalar(clip, 0, 5e-41f), 2e-40, 1e-44);
    expect_same_bits(clip, times, sizeof times / sizeof *times);
    pm_clip_destroy(clip, NULL);
    pm_skeleton_destroy(skeleton);
}

// Slow on some processors; so test_real_files looks for it, too, but there few lanes begin late.
Test(sample_environment, lanes_before_their_first_and_behind_their_last_key_make_no_subnormal_numbers) {
    enum { DENORMAL_OPERAND = 0x02, UNDERFLOW = 0x10 };
    static const float values[] = {1, 2, 3, 5, 8, 13}, early[] = {0, 0.5f}, late[] = {0.6f, 1};
    pm_skeleton *skeleton = rig_skeleton(2, 0);
    pm_channel channels[] = {
        rig_channel(PM_PATH_TRANSLATION, PM_INTERPOLATION_LINEAR, 0, 2, early, values, NULL, NULL),
        rig_channel(PM_PATH_TRANSLATION, PM_INTERPOLATION_CUBIC, 1, 2, late, values, values, values)};
    pm_clip_source source = rig_source(channels, 2);
    pm_compile_options options = pm_default_compile_options();
    options.merge_growth_limit = 0;
    pm_clip *clip;
    cr_assert_eq(pm_clip_compile(&source, skeleton, &options, NULL, &clip, NULL), PM_OK);
    const uint32_t clip_index = 0;
    for (uint32_t k = 0; pm_kernels_at(k); k++) {
        for (float time = -0.5f; time < 1.5f; time += 0.125f) {
            static rig_pose pose;
            pm_sample_job job = pm_default_sample_job();
            job.kernels = pm_kernels_at(k);
            job.clips = (const pm_clip *const *)&clip, job.clip_count = 1;
            job.instance_count = 1, job.clip_index = &clip_index, job.time_seconds = &time;
            job.poses = pose.blocks, job.pose_stride = sizeof pose.blocks;
            cr_assert_null(pm_sample_validate(&job));
            _mm_setcsr(ALL_MASKED);
            pm_sample_run(&job, 0, 1);
            cr_assert_eq(_mm_getcsr() & (DENORMAL_OPERAND | UNDERFLOW), 0, "%s, time %g",
                         pm_kernels_name(job.kernels), (double)time);
        }
    }
    pm_clip_destroy(clip, NULL);
    pm_skeleton_destroy(skeleton);
}

Test(sample_environment, unmasked_exceptions_do_not_trap) {
    // A host that debugs with traps: inexact results and the 0/0 of a guarded lane must not raise.
    static const float times[] = {0, 1}, flat[8] = {0};
    static const float values[] = {0, 0, 0.6f, 0.8f, 0, 0, -0.6f, -0.8f};
    pm_skeleton *skeleton = rig_skeleton(1, 0);
    pm_channel channel =
        rig_channel(PM_PATH_ROTATION, PM_INTERPOLATION_CUBIC, 0, 2, times, values, flat, flat);
    pm_clip *clip = rig_compile(&channel, 1, skeleton, NULL);
    static rig_pose pose;
    sample_in_mode(0, clip, pm_kernels_best(), 0.5f, &pose);
    cr_assert_eq(pose.guarded_count, 1);
    pm_clip_destroy(clip, NULL);
    pm_skeleton_destroy(skeleton);
}

Test(sample_environment, clips_have_the_same_bytes_whatever_the_mode_they_are_compiled_in) {
    for (uint64_t seed = 1; seed <= 12; seed++) {
        scenario_options options = {
            .seed = seed, .joint_count = 20, .scalar_count = 5, .most_keys = 9, .faulty = true};
        options.modes = SCENARIO_ALL_MODES;
        options.merge_growth_limit = seed % 2 ? 0 : INFINITY;
        options.eased = options.cadence = seed % 4 >= 2;
        scenario *s = scenario_create(&options);
        pm_compile_options compile = pm_default_compile_options();
        compile.merge_growth_limit = options.merge_growth_limit;
        for (int m = 0; m < MODES; m++) {
            pm_clip *clip = NULL;
            unsigned was = _mm_getcsr();
            _mm_setcsr(modes[m]);
            pm_result result = pm_clip_compile(&s->source, s->skeleton, &compile, NULL, &clip, NULL);
            unsigned after = _mm_getcsr();
            _mm_setcsr(was);
            cr_assert_eq(result, PM_OK);
            cr_assert_eq(after & ~(unsigned)STICKY_FLAGS, modes[m]);
            size_t size = pm_clip_get_info(s->clip).size_bytes;
            cr_assert_eq(pm_clip_get_info(clip).size_bytes, size);
            cr_assert_arr_eq(clip, s->clip, size, "mode %x", modes[m]);
            pm_clip_destroy(clip, NULL);
        }
        scenario_destroy(s);
    }
}

Test(sample_environment, skeletons_and_the_loader_mind_no_mode_either) {
    pm_transform rest = {{1e-41f, 0, 0}, {0.3f, -0.4f, 0.1f, 0.7f}, {1, 1, 1}};
    pm_node_def node = {"j", PM_NONE, rest, true};
    pm_scalar_def scalars[] = {{"s0", PM_NONE, 0}, {"s1", PM_NONE, 0}};
    pm_skeleton_def def = {.node_count = 1, .nodes = &node, .scalar_count = 2, .scalars = scalars};
    pm_skeleton *expected, *skeleton;
    cr_assert_eq(pm_skeleton_create(&def, NULL, &expected, NULL), PM_OK);
    pm_clip *clip = compile_tiny(expected);
    for (int m = 0; m < MODES; m++) {
        unsigned was = _mm_getcsr();
        const pm_clip *loaded = NULL;
        _mm_setcsr(modes[m]);
        pm_result result = pm_skeleton_create(&def, NULL, &skeleton, NULL);
        pm_result load_result = pm_clip_load(clip, pm_clip_get_info(clip).size_bytes, &loaded, NULL);
        unsigned after = _mm_getcsr();
        _mm_setcsr(was);
        cr_assert_eq(after & ~(unsigned)STICKY_FLAGS, modes[m]);
        cr_assert_eq(result, PM_OK);
        cr_assert_eq(load_result, PM_OK);
        cr_assert_arr_eq(skeleton->rest, expected->rest, sizeof *expected->rest, "mode %x", modes[m]);
        pm_skeleton_destroy(skeleton);
    }
    pm_clip_destroy(clip, NULL);
    pm_skeleton_destroy(expected);
}
#endif

Test(sample_environment, the_c_librarys_rounding_mode_comes_back) {
    static const int roundings[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    scenario_options options = {.seed = 4, .joint_count = 3, .modes = SCENARIO_ALL_MODES, .most_keys = 5};
    scenario *s = scenario_create(&options);
    for (int i = 0; i < 4; i++) {
        static rig_pose pose;
        fesetround(roundings[i]);
        rig_sample(s->clip, pm_kernels_best(), 0.3f, &pose);
        int after = fegetround();
        fesetround(FE_TONEAREST);
        cr_assert_eq(after, roundings[i]);
    }
    scenario_destroy(s);
}
