// Keys of 16 bits: what they save and what they cost.
#include "support/reference.h"
#include "support/rig.h"

#include "clip_format.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 40, JOINTS = 3 };

static pm_skeleton *skeleton;
static float times[KEYS], values[KEYS * 4], in[KEYS * 4], out[KEYS * 4];

static void make(void) {
    skeleton = rig_skeleton(JOINTS, 1);
    rig_random random = {77};
    for (int k = 0; k < KEYS; k++) {
        times[k] = (float)k / 30.0f;
        for (int c = 0; c < 4; c++) {
            values[k * 4 + c] = rig_random_between(&random, -2, 3);
            in[k * 4 + c] = rig_random_between(&random, -20, 20);
            out[k * 4 + c] = rig_random_between(&random, -10, 5);
        }
    }
}

static void drop(void) {
    pm_skeleton_destroy(skeleton);
}

TestSuite(compile_packed, .init = make, .fini = drop);

static pm_clip *compile(const pm_channel *channels, uint32_t channel_count, uint32_t key_bits) {
    pm_compile_options options = pm_default_compile_options();
    options.key_bits = key_bits;
    pm_clip_source source = rig_source(channels, channel_count);
    pm_report report = {0};
    pm_clip *clip = NULL;
    cr_assert_eq(pm_clip_compile(&source, skeleton, &options, NULL, &clip, &report), PM_OK, "%s",
                 report.message);
    const pm_clip *loaded;
    cr_assert_eq(pm_clip_load(clip, pm_clip_get_info(clip).size_bytes, &loaded, &report), PM_OK, "%s",
                 report.message);
    return clip;
}

static pm_track_info track_of(const pm_clip *clip, pm_path path) {
    for (uint32_t i = 0; i < pm_clip_get_info(clip).track_count; i++) {
        pm_track_info track = pm_clip_get_track(clip, i);
        if (track.path == path) return track;
    }
    cr_assert_fail("no such track");
    return (pm_track_info){0};
}

static double range_of(const float *numbers, uint32_t components, uint32_t c) {
    double least = INFINITY, most = -INFINITY;
    for (int k = 0; k < KEYS; k++) {
        least = fmin(least, (double)numbers[(uint32_t)k * components + c]);
        most = fmax(most, (double)numbers[(uint32_t)k * components + c]);
    }
    return most - least;
}

// At keys and between them, by half a step and rounding.
static void check_translation(const float *in_tangents, const float *out_tangents, double tangent_error) {
    pm_interpolation interpolation = in_tangents ? PM_INTERPOLATION_CUBIC : PM_INTERPOLATION_LINEAR;
    pm_channel channel =
        rig_channel(PM_PATH_TRANSLATION, interpolation, 1, KEYS, times, values, in_tangents, out_tangents);
    pm_clip *exact = compile(&channel, 1, 32), *packed = compile(&channel, 1, 16);
    double worst[3] = {0};
    for (float time = 0; time < times[KEYS - 1]; time += 0.0037f) {
        pm_transform expected = rig_joint(exact, 1, time), actual = rig_joint(packed, 1, time);
        for (uint32_t c = 0; c < 3; c++)
            worst[c] = fmax(worst[c], fabs((double)expected.translation[c] - (double)actual.translation[c]));
    }
    for (uint32_t c = 0; c < 3; c++) {
        double bound = range_of(values, 3, c) / 131070 * 1.001 + tangent_error + 2e-6;
        cr_assert_lt(worst[c], bound);
        cr_assert_gt(worst[c], bound / 50, "as if nothing were packed");
    }
    pm_clip_destroy(exact, NULL);
    pm_clip_destroy(packed, NULL);
}

Test(compile_packed, lines_are_wrong_by_half_a_step_at_most) {
    check_translation(NULL, NULL, 0);
}

// The weights of a segment's two tangents are at most 4/27 of its duration each, and together less than 1/4.
Test(compile_packed, cubics_are_wrong_by_that_and_what_their_tangents_are) {
    double half_step = 20.0 / 32767 / 2;
    check_translation(in, out, half_step / 30 / 4);
    check_translation(in, in, half_step / 30 / 4);
}

static void check_rotation(pm_interpolation interpolation, double bound) {
    float rotations[KEYS * 4], flat[KEYS * 4] = {0};
    rig_random random = {5};
    for (int k = 0; k < KEYS; k++) rig_random_rotation(&random, rotations + k * 4);
    const bool cubic = interpolation == PM_INTERPOLATION_CUBIC;
    pm_channel channel = rig_channel(PM_PATH_ROTATION, interpolation, 2, KEYS, times, rotations,
                                     cubic ? flat : NULL, cubic ? flat : NULL);
    pm_clip *exact = compile(&channel, 1, 32), *packed = compile(&channel, 1, 16);
    double worst = 0;
    for (int k = 0; k < KEYS; k++) {
        for (int part = 0; part < (cubic ? 1 : 8); part++) { // a cubic may pass by 0 between keys
            float time = times[k] + (float)part / 240.0f;
            pm_transform expected = rig_joint(exact, 2, time), actual = rig_joint(packed, 2, time);
            double rotation[4];
            for (int c = 0; c < 4; c++) rotation[c] = (double)expected.rotation[c];
            worst = fmax(worst, reference_rotation_error(rotation, actual.rotation));
        }
    }
    cr_assert_lt(worst, bound);
    cr_assert_gt(worst, bound / 10, "as if nothing were packed");
    pm_clip_destroy(exact, NULL);
    pm_clip_destroy(packed, NULL);
}

Test(compile_packed, rotations_are_within_five_thousandths_of_a_degree) {
    check_rotation(PM_INTERPOLATION_LINEAR, 0.005 / 57.29578);
    check_rotation(PM_INTERPOLATION_CUBIC, 0.005 / 57.29578);
}

// A line beside a cubic has tangents. Across a jump they are so steep that packed ones would leave nothing of
// the others.
Test(compile_packed, a_jump_does_not_cost_the_curve_beside_it) {
    enum { FEW = 20 };
    float line[FEW * 3], jump_times[FEW], flat[FEW * 3] = {0};
    for (int jumps = 0; jumps < 2; jumps++) {
        for (int k = 0; k < FEW; k++) {
            jump_times[k] = (float)k;
            for (int c = 0; c < 3; c++) line[k * 3 + c] = jumps && k > 2 ? (float)k - 3 : (float)k;
        }
        if (jumps) jump_times[3] = nextafterf(jump_times[2], 3);
        const pm_channel channels[] = {
            rig_channel(PM_PATH_TRANSLATION, PM_INTERPOLATION_LINEAR, 0, FEW, jump_times, line, NULL, NULL),
            rig_channel(PM_PATH_TRANSLATION, PM_INTERPOLATION_CUBIC, 1, FEW, jump_times, line, flat, flat)};
        pm_clip *clip = compile(channels, 2, 16), *exact = compile(channels, 2, 32);
        cr_assert_eq(track_of(clip, PM_PATH_TRANSLATION).key_bits, jumps ? 32 : 16);
        for (float time = 0; time < (float)FEW; time += 0.03f) {
            float expected = rig_joint(exact, 0, time).translation[0];
            cr_assert_float_eq(rig_joint(clip, 0, time).translation[0], expected, 5 * 20.0 / 131070);
        }
        pm_clip_destroy(clip, NULL);
        pm_clip_destroy(exact, NULL);
    }
}

Test(compile_packed, equal_keys_hold_to_the_bit_and_what_never_changes_is_exact) {
    for (int k = 0; k < KEYS; k++) {
        values[k * 3] = k / 4 % 2 ? 0.7f : (float)(k / 8) * 0.3f;
        values[k * 3 + 1] = 0.1f;
    }
    memset(in, 0, sizeof in);
    memset(out, 0, sizeof out);
    for (int cubic = 0; cubic < 2; cubic++) {
        pm_interpolation mode = cubic ? PM_INTERPOLATION_CUBIC : PM_INTERPOLATION_LINEAR;
        pm_channel channel = rig_channel(PM_PATH_TRANSLATION, mode, 0, KEYS, times, values, cubic ? in : NULL,
                                         cubic ? out : NULL);
        pm_clip *clip = compile(&channel, 1, 16);
        for (int k = 0; k + 1 < KEYS; k++) {
            pm_transform at_key = rig_joint(clip, 0, times[k]);
            cr_assert_eq(at_key.translation[1], 0.1f);
            for (int part = 1; part < 8; part++) {
                pm_transform between = rig_joint(clip, 0, times[k] + (float)part / 240.0f);
                cr_assert_eq(between.translation[1], 0.1f);
                if (values[k * 3] != values[k * 3 + 3]) continue;
                cr_assert_eq(between.translation[0], at_key.translation[0]);
            }
        }
        pm_clip_destroy(clip, NULL);
    }
}

static pm_track_info track_of_channel(pm_channel channel, uint32_t key_bits) {
    pm_clip *clip = compile(&channel, 1, key_bits);
    pm_track_info track = track_of(clip, channel.path);
    pm_clip_destroy(clip, NULL);
    return track;
}

Test(compile_packed, takes_half_the_bytes_and_lows_and_steps) {
    pm_channel linear =
        rig_channel(PM_PATH_SCALE, PM_INTERPOLATION_LINEAR, 0, KEYS, times, values, NULL, NULL);
    pm_channel cubic = rig_channel(PM_PATH_SCALE, PM_INTERPOLATION_CUBIC, 0, KEYS, times, values, in, out);
    pm_channel smooth = rig_channel(PM_PATH_SCALE, PM_INTERPOLATION_CUBIC, 0, KEYS, times, values, in, in);
    pm_channel scalar = rig_channel(PM_PATH_SCALAR, PM_INTERPOLATION_CUBIC, 0, KEYS, times, values, in, out);
    const pm_channel channels[] = {linear, cubic, smooth, scalar};
    static const uint32_t rows[] = {3, 9, 6, 3};
    for (int i = 0; i < 4; i++) {
        pm_track_info floats = track_of_channel(channels[i], 32), packed = track_of_channel(channels[i], 16);
        cr_assert_eq(floats.key_bits, 32);
        cr_assert_eq(packed.key_bits, 16, "case %d", i);
        cr_assert_eq(floats.size_bytes, (KEYS + 1) * rows[i] * 64);
        cr_assert_eq(packed.size_bytes, (KEYS + 1) * rows[i] * 32 + rows[i] * 128);
    }
}

// Of whole clips: frames of keys are rounded up, and lows and steps take what five keys save at best.
Test(compile_packed, never_takes_more_bytes) {
    static const pm_path paths[] = {PM_PATH_TRANSLATION, PM_PATH_SCALAR};
    for (uint32_t keys = 2; keys <= KEYS; keys++) {
        for (int i = 0; i < 2; i++) {
            pm_channel channel =
                rig_channel(paths[i], PM_INTERPOLATION_LINEAR, 0, keys, times, values, NULL, NULL);
            pm_clip *floats = compile(&channel, 1, 32), *packed = compile(&channel, 1, 16);
            size_t float_bytes = pm_clip_get_info(floats).size_bytes;
            size_t packed_bytes = pm_clip_get_info(packed).size_bytes;
            bool saves = track_of(packed, paths[i]).key_bits == 16;
            cr_assert(saves ? packed_bytes < float_bytes : packed_bytes == float_bytes, "%u keys",
                      (unsigned)keys);
            cr_assert_eq(saves, paths[i] == PM_PATH_TRANSLATION && keys > 5);
            pm_clip_destroy(floats, NULL);
            pm_clip_destroy(packed, NULL);
        }
    }
}

Test(compile_packed, every_kernel_gives_the_same_bits) {
    float rotations[KEYS * 4];
    rig_random random = {9};
    for (int k = 0; k < KEYS; k++) rig_random_rotation(&random, rotations + k * 4);
    for (int smooth = 0; smooth < 2; smooth++) {
        const float *tangents = smooth ? in : out;
        const pm_channel channels[] = {
            rig_channel(PM_PATH_TRANSLATION, PM_INTERPOLATION_CUBIC, 0, KEYS, times, values, in, tangents),
            rig_channel(PM_PATH_ROTATION, PM_INTERPOLATION_CUBIC, 1, KEYS, times, rotations, in, tangents),
            rig_channel(PM_PATH_SCALE, PM_INTERPOLATION_CUBIC, 2, KEYS, times, values, in, tangents),
            rig_channel(PM_PATH_SCALAR, PM_INTERPOLATION_CUBIC, 0, KEYS, times, values, in, tangents)};
        pm_clip *clip = compile(channels, 4, 16);
        for (uint32_t i = 0; i < 4; i++) {
            pm_track_info track = track_of(clip, channels[i].path);
            cr_assert_eq(track.key_bits, 16);
            cr_assert_eq(track.mode, smooth ? PM_TRACK_SMOOTH : PM_TRACK_CUBIC);
        }
        for (float time = -0.1f; time < times[KEYS - 1] + 0.1f; time += 0.011f) {
            static rig_pose portable, other;
            rig_sample(clip, pm_kernels_at(0), time, &portable);
            for (uint32_t k = 1; pm_kernels_at(k); k++) {
                rig_sample(clip, pm_kernels_at(k), time, &other);
                cr_assert_eq(memcmp(&other, &portable, sizeof other), 0, "%s",
                             pm_kernels_name(pm_kernels_at(k)));
            }
        }
        pm_clip_destroy(clip, NULL);
    }
}

Test(compile_packed, stays_floats_where_it_would_not_do) {
    pm_channel step = rig_channel(PM_PATH_SCALE, PM_INTERPOLATION_STEP, 0, KEYS, times, values, NULL, NULL);
    cr_assert_eq(track_of_channel(step, 16).key_bits, 32);
    const pm_channel blend[] = {
        step, rig_channel(PM_PATH_SCALE, PM_INTERPOLATION_CUBIC, 1, KEYS, times, values, in, out)};
    pm_clip *clip = compile(blend, 2, 16);
    cr_assert_eq(track_of(clip, PM_PATH_SCALE).mode, PM_TRACK_BLENDED);
    cr_assert_eq(track_of(clip, PM_PATH_SCALE).key_bits, 32);
    pm_clip_destroy(clip, NULL);
}

Test(compile_packed, stays_floats_where_kernels_could_not_stay_finite_or_rotations_would_suffer) {
    float rotations[KEYS * 4], flat[KEYS * 4] = {0};
    rig_random random = {11};
    for (int k = 0; k < KEYS; k++) {
        rig_random_rotation(&random, rotations + k * 4);
        for (int c = 0; c < 4 && k % 2; c++) rotations[k * 4 + c] *= 0.05f; // a cubic's may be of any length
    }
    pm_channel cubic =
        rig_channel(PM_PATH_ROTATION, PM_INTERPOLATION_CUBIC, 0, KEYS, times, rotations, flat, flat);
    cr_assert_eq(track_of_channel(cubic, 16).key_bits, 32);
    static float leaving[KEYS][6];
    for (int k = 0; k < KEYS; k++) leaving[k][1] = 4, leaving[k][2] = -3;
    pm_channel eased =
        rig_channel(PM_PATH_SCALE, PM_INTERPOLATION_LINEAR, 0, KEYS, times, values, NULL, NULL);
    cr_assert_eq(track_of_channel(eased, 16).key_bits, 16);
    eased.easing = (const float(*)[6])leaving;
    cr_assert_eq(track_of_channel(eased, 16).key_bits, 32);
    // A duration that numbers must not be multiplied with; the loader would refuse it.
    for (int k = 0; k < KEYS; k++) times[k] = (float)k * 1e24f;
    pm_channel slow = rig_channel(PM_PATH_SCALE, PM_INTERPOLATION_LINEAR, 0, KEYS, times, values, NULL, NULL);
    cr_assert_eq(track_of_channel(slow, 16).key_bits, 32);
}

Test(compile_packed, other_bits_are_refused) {
    pm_channel channel =
        rig_channel(PM_PATH_SCALE, PM_INTERPOLATION_LINEAR, 0, KEYS, times, values, NULL, NULL);
    pm_clip_source source = rig_source(&channel, 1);
    pm_compile_options options = pm_default_compile_options();
    static const uint32_t bits[] = {0, 8, 15, 17, 64};
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        options.key_bits = bits[i];
        pm_clip *clip;
        pm_report report = {0};
        cr_assert_eq(pm_clip_compile(&source, skeleton, &options, NULL, &clip, &report), PM_ERROR_ARGUMENT);
        cr_assert_null(clip);
        cr_assert(strstr(report.message, "key_bits"));
    }
}

// A float among a track's lows and steps, by turns what none may be.
static void spoil(pm_clip *clip, const pm_track *track, rig_random *random) {
    static const float spoils[] = {NAN, INFINITY, -INFINITY, 1e21f, 3e38f};
    float *packing = (float *)((char *)clip + track->packing_offset);
    size_t count = pm_track_packing_bytes(track) / sizeof *packing, size = pm_clip_get_info(clip).size_bytes;
    for (int i = 0; i < 40; i++) {
        float *spoiled = packing + rig_random_below(random, (uint32_t)count), kept = *spoiled;
        const pm_clip *loaded;
        *spoiled = spoils[i % 5];
        cr_assert_eq(pm_clip_load(clip, size, &loaded, NULL), PM_ERROR_FORMAT);
        *spoiled = kept;
    }
    float *step = packing + count / 2, kept = *step;
    const pm_clip *loaded;
    *step = -1;
    cr_assert_eq(pm_clip_load(clip, size, &loaded, NULL), PM_ERROR_FORMAT);
    *step = kept;
    cr_assert_eq(pm_clip_load(clip, size, &loaded, NULL), PM_OK);
}

Test(compile_packed, any_numbers_are_finite_keys_and_any_packing_that_would_not_make_them_is_refused) {
    rig_random random = {3};
    float rotations[KEYS * 4];
    for (int k = 0; k < KEYS; k++) rig_random_rotation(&random, rotations + k * 4);
    pm_channel channels[] = {
        rig_channel(PM_PATH_TRANSLATION, PM_INTERPOLATION_CUBIC, 0, KEYS, times, values, in, out),
        rig_channel(PM_PATH_ROTATION, PM_INTERPOLATION_LINEAR, 0, KEYS, times, rotations, NULL, NULL)};
    pm_clip *clip = compile(channels, 2, 16);
    for (uint32_t t = 0; t < clip->track_count; t++) {
        pm_track *track = (pm_track *)((char *)clip + clip->tracks_offset) + t;
        if (!track->packing_offset) continue;
        spoil(clip, track, &random);
        for (uint32_t k = 0; k <= KEYS; k++) {
            uint16_t *key = (uint16_t *)((char *)clip + track->keys_offset + k * track->key_bytes);
            for (uint32_t i = 0; i < pm_track_rows(track->path, track->mode) * PM_BLOCK_LANES; i++)
                key[i] = (uint16_t)rig_random_next(&random);
        }
    }
    const pm_clip *loaded;
    cr_assert_eq(pm_clip_load(clip, pm_clip_get_info(clip).size_bytes, &loaded, NULL), PM_OK);
    for (float time = 0; time < times[KEYS - 1]; time += 0.01f) {
        pm_transform joint = rig_joint(loaded, 0, time);
        double length2 = 0;
        for (int c = 0; c < 4; c++) length2 += (double)joint.rotation[c] * (double)joint.rotation[c];
        cr_assert_float_eq(length2, 1, 1e-5);
        for (int c = 0; c < 3; c++) cr_assert(fabsf(joint.translation[c]) < 1e4f);
    }
    pm_clip_destroy(clip, NULL);
}
