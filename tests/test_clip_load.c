// Loading is safe: any bytes are a valid clip or an error.
#include "support/clip_probe.h"
#include "support/scenario.h"

#include "clip_format.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(memory, size)   ((void)(memory), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(memory, size) ((void)(memory), (void)(size))
#endif

// All kinds and modes of tracks, on grids and off them, in little memory.
enum { KINDS = 8 };

static scenario *scenarios[KINDS];

static bool has_packed_keys(const pm_clip *clip) {
    for (uint32_t i = 0; i < clip->track_count; i++)
        if (pm_clip_tracks(clip)[i].packing_offset) return true;
    return false;
}

static void make(void) {
    for (uint32_t i = 0; i < KINDS; i++) {
        scenario_options options = {
            .seed = 5 + i, .joint_count = 3, .scalar_count = 2, .modes = SCENARIO_ALL_MODES};
        options.most_keys = i == 0 ? 5 : i >= 6 ? 30 : 20;
        options.grid = i == 1;
        options.merge_growth_limit = i == 2 || i == 4 ? INFINITY : 0;
        if (i == 3 || i == 6) options.modes = SCENARIO_LINEAR;
        if (i == 7) options.modes = SCENARIO_CUBIC;
        options.packed = i >= 6;
        options.timelines = i == 1 || i >= 6;
        options.eased = options.cadence = i == 4 || i == 5;
        scenarios[i] = scenario_create(&options);
        cr_assert_eq(i >= 6, has_packed_keys(scenarios[i]->clip), "scenario %u is not what it should be",
                     (unsigned)i);
    }
}

static void drop(void) {
    for (uint32_t i = 0; i < KINDS; i++) scenario_destroy(scenarios[i]);
}

TestSuite(clip_load, .init = make, .fini = drop);

static size_t size_of(const pm_clip *clip) {
    return pm_clip_get_info(clip).size_bytes;
}

static unsigned char *copy_of(const pm_clip *clip) {
    unsigned char *copy = aligned_alloc(64, size_of(clip));
    memcpy(copy, clip, size_of(clip));
    return copy;
}

// Any outcome is fine but a fault that the probe finds. Returns whether it was taken for a clip.
static bool expect_safe(const unsigned char *bytes, size_t size) {
    const pm_clip *clip = (const pm_clip *)bytes;
    pm_report report = {0};
    pm_result result = pm_clip_load(bytes, size, &clip, &report);
    if (result) {
        cr_assert_eq(result, PM_ERROR_FORMAT);
        cr_assert_null(clip);
        cr_assert_eq(report.fault, PM_FAULT_FILE_FORMAT);
        cr_assert_neq(report.message[0], '\0');
        return false;
    }
    cr_assert_eq((const void *)clip, (const void *)bytes);
    const char *fault = clip_probe(clip);
    cr_assert_null(fault, "%s", fault);
    return true;
}

Test(clip_load, what_compile_wrote_loads_at_another_address) {
    for (uint32_t i = 0; i < KINDS; i++) {
        unsigned char *copy = copy_of(scenarios[i]->clip);
        const pm_clip *clip;
        cr_assert_eq(pm_clip_load(copy, size_of(scenarios[i]->clip), &clip, NULL), PM_OK);
        for (uint32_t t = 0; t < scenarios[i]->time_count; t++) {
            static rig_pose loaded, compiled;
            rig_sample(clip, pm_kernels_best(), scenarios[i]->times[t], &loaded);
            rig_sample(scenarios[i]->clip, pm_kernels_best(), scenarios[i]->times[t], &compiled);
            cr_assert_arr_eq(&loaded, &compiled, sizeof loaded);
        }
        cr_assert(expect_safe(copy, size_of(scenarios[i]->clip)));
        free(copy);
    }
}

Test(clip_load, every_clip_of_compile_loads) {
    for (uint64_t seed = 1; seed <= 300; seed++) {
        rig_random random = {seed * 0x9E3779B97F4A7C15u};
        scenario_options options = {.seed = seed,
                                    .joint_count = rig_random_below(&random, 40),
                                    .scalar_count = rig_random_below(&random, 20),
                                    .modes = 1 + rig_random_below(&random, 7),
                                    .most_keys = 2 + rig_random_below(&random, 30),
                                    .timelines = rig_random_below(&random, 5),
                                    .grid = rig_random_below(&random, 3) == 0,
                                    .faulty = rig_random_below(&random, 2),
                                    .eased = rig_random_below(&random, 3) == 0,
                                    .cadence = rig_random_below(&random, 3) == 0,
                                    .packed = rig_random_below(&random, 2),
                                    .wide_range = rig_random_below(&random, 4) == 0,
                                    .merge_growth_limit = seed % 3 ? 0 : INFINITY};
        scenario *s = scenario_create(&options);
        pm_report report = {0};
        const pm_clip *clip;
        cr_assert_eq(pm_clip_load(s->clip, size_of(s->clip), &clip, &report), PM_OK, "%s", report.message);
        scenario_destroy(s);
    }
}

Test(clip_load, extreme_but_legal_values_load_and_stay_finite) {
    static const float times[] = {-1e30f, -1, 0, 1e-45f, 1e30f}, huge[] = {3e38f, -3e38f, 3e38f, 0, -3e38f};
    static const float rotations[20] = {3e38f, 0, 0, 3e38f, 1e-45f, 0, 0, 0, 0, 3e38f,
                                        1,     0, 0, 0,     1e-30f, 0, 1, 1, 1, 1};
    static const float tangents[20] = {3e38f, -3e38f, 3e38f, 1, 0, 3e38f};
    pm_skeleton *skeleton = rig_skeleton(3, 2);
    pm_channel channels[] = {
        rig_channel(PM_PATH_SCALAR, PM_INTERPOLATION_LINEAR, 0, 5, times, huge, NULL, NULL),
        rig_channel(PM_PATH_SCALAR, PM_INTERPOLATION_CUBIC, 1, 5, times, huge, tangents, tangents),
        rig_channel(PM_PATH_ROTATION, PM_INTERPOLATION_LINEAR, 0, 5, times, rotations, NULL, NULL),
        rig_channel(PM_PATH_ROTATION, PM_INTERPOLATION_CUBIC, 1, 5, times, rotations, tangents, tangents),
        rig_channel(PM_PATH_ROTATION, PM_INTERPOLATION_STEP, 2, 5, times, rotations, NULL, NULL)};
    static const float limits[] = {0, INFINITY};
    for (int i = 0; i < 2; i++) {
        pm_compile_options options = pm_default_compile_options();
        options.merge_growth_limit = limits[i];
        pm_clip_source source = rig_source(channels, 5);
        pm_clip *clip;
        pm_report report = {0};
        cr_assert_eq(pm_clip_compile(&source, skeleton, &options, NULL, &clip, NULL), PM_OK);
        const pm_clip *loaded;
        cr_assert_eq(pm_clip_load(clip, size_of(clip), &loaded, &report), PM_OK, "%s", report.message);
        const char *fault = clip_probe(clip);
        cr_assert_null(fault, "%s", fault);
        pm_clip_destroy(clip, NULL);
    }
    pm_skeleton_destroy(skeleton);
}

// Every place of a clip that holds smoothstep (see below) gets the largest numbers that an easing may have.
static uint32_t exaggerate_easings(unsigned char *bytes, size_t size, float power) {
    static const float smoothstep[5] = {0, 3, -2, 0, 0};
    float huge[5] = {power, power, power, power, power};
    uint32_t count = 0;
    for (size_t at = 0; at + sizeof huge <= size; at += 4) {
        if (memcmp(bytes + at, smoothstep, sizeof smoothstep) != 0) continue;
        memcpy(bytes + at, huge, sizeof huge);
        count++;
    }
    return count;
}

// Kernels take one track's stride for all on its timeline.
Test(clip_load, tracks_of_a_timeline_have_its_stride_or_are_refused) {
    uint32_t shared_count = 0;
    for (uint32_t i = 0; i < KINDS; i++) {
        unsigned char *copy = copy_of(scenarios[i]->clip);
        const pm_clip *clip = (const pm_clip *)copy;
        for (uint32_t t = 0; t < clip->track_count; t++) {
            pm_track *track = (pm_track *)(copy + clip->tracks_offset) + t;
            const pm_track kept = *track;
            for (int lines = -2; lines <= 2; lines++) {
                track->key_bytes = kept.key_bytes + (uint64_t)(lines * PM_ALIGNMENT);
                cr_assert_eq(expect_safe(copy, size_of(clip)), lines == 0);
            }
            *track = kept;
            shared_count += kept.kind == PM_TRACK_SHARED;
        }
        free(copy);
    }
    cr_assert_gt(shared_count, 8);
}

static void refuse_misplaced_tracks(const pm_clip *original) {
    unsigned char *copy = copy_of(original);
    const pm_clip *clip = (const pm_clip *)copy;
    for (uint32_t t = 0; t < clip->track_count; t++) {
        pm_track *track = (pm_track *)(copy + clip->tracks_offset) + t;
        const pm_track kept = *track;
        track->block++;
        cr_assert(!expect_safe(copy, size_of(clip)));
        *track = kept;
        track->path = (uint8_t)((kept.path + 1) % PM_PATH_COUNT);
        cr_assert(!expect_safe(copy, size_of(clip)));
        *track = kept;
        track->kind = PM_TRACK_KIND_COUNT;
        cr_assert(!expect_safe(copy, size_of(clip)));
        *track = kept;
        for (uint8_t mode = 1; kept.kind == PM_TRACK_CONSTANT && mode <= PM_TRACK_MODE_COUNT; mode++) {
            track->mode = mode;
            track->key_bytes = mode < PM_TRACK_MODE_COUNT ? pm_track_own_bytes(track) : 64;
            cr_assert(!expect_safe(copy, size_of(clip)));
        }
        *track = kept;
    }
    free(copy);
}

// What kernels take for granted of a track's kind and place.
Test(clip_load, tracks_out_of_their_place_or_kind_are_refused) {
    for (uint32_t i = 0; i < KINDS; i++) refuse_misplaced_tracks(scenarios[i]->clip);
    pm_skeleton *skeleton = rig_skeleton(20, 2);
    pm_clip *resting = rig_compile(NULL, 0, skeleton, NULL);
    cr_assert_eq(pm_clip_get_track(resting, 0).kind, PM_TRACK_CONSTANT);
    refuse_misplaced_tracks(resting);
    pm_clip_destroy(resting, NULL);
    pm_skeleton_destroy(skeleton);
}

// A grid's guess is looked up before anything checks it: no rate may lead behind the keys.
Test(clip_load, guesses_of_a_wrong_grid_rate_stay_inside) {
    static const float rates[] = {1e-30f, 1, 1e4f, 1e30f, 3e38f};
    unsigned char *copy = copy_of(scenarios[1]->clip);
    const pm_clip *clip = (const pm_clip *)copy;
    cr_assert_gt(clip->timeline_count, 0);
    pm_timeline *timeline = (pm_timeline *)(copy + clip->timelines_offset);
    cr_assert_gt(timeline->grid_rate_hz, 0);
    // Nothing but the clip may be read.
    unsigned char *last = aligned_alloc(64, size_of(clip) + 4096);
    cr_assert(last);
    ASAN_POISON_MEMORY_REGION(last + size_of(clip), 4096);
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        timeline->grid_rate_hz = rates[i];
        memcpy(last, copy, size_of(clip));
        cr_assert(expect_safe(last, size_of(clip)));
    }
    ASAN_UNPOISON_MEMORY_REGION(last + size_of(clip), 4096);
    free(last);
    free(copy);
}

Test(clip_load, easings_that_leave_their_arcs_far_behind_are_refused_or_harmless) {
    static const float times[] = {0, 0.4f, 1}, other_times[] = {0, 0.7f, 1};
    static const float rotations[] = {0.5f, 0.5f,  0.5f, 0.5f, 0.9f,  0.1f,
                                      0.3f, -0.3f, 0.3f, 0.9f, -0.2f, 0.3f};
    static const float zero[12] = {0};
    static const float easing[2][6] = {{0, 0, 3, -2, 0, 0}, {0, 0, 3, -2, 0, 0}};
    static const float limits[] = {0, INFINITY},
                       powers[] = {PM_TIMELINE_EASING_LIMIT, -PM_TIMELINE_EASING_LIMIT};
    pm_skeleton *skeleton = rig_skeleton(2, 0);
    // Arcs alone, and arcs beside a cubic.
    for (int mode = PM_INTERPOLATION_LINEAR; mode <= PM_INTERPOLATION_CUBIC; mode++) {
        pm_channel channels[] = {
            rig_channel(PM_PATH_ROTATION, PM_INTERPOLATION_LINEAR, 0, 3, times, rotations, NULL, NULL),
            rig_channel(PM_PATH_ROTATION, (pm_interpolation)mode, 1, 3, other_times, rotations, zero, zero)};
        channels[0].easing = channels[1].easing = easing;
        for (int i = 0; i < 4; i++) {
            pm_compile_options options = pm_default_compile_options();
            options.merge_growth_limit = limits[i % 2];
            pm_clip_source source = rig_source(channels, 2);
            pm_clip *clip;
            cr_assert_eq(pm_clip_compile(&source, skeleton, &options, NULL, &clip, NULL), PM_OK);
            unsigned char *copy = copy_of(clip);
            cr_assert_gt(exaggerate_easings(copy, size_of(clip), powers[i / 2]), 0);
            expect_safe(copy, size_of(clip));
            free(copy);
            pm_clip_destroy(clip, NULL);
        }
    }
    pm_skeleton_destroy(skeleton);
}

// Two channels of a path, two keys each, eased in and out. A limit of 0 with `apart` makes the track a mixed
// one.
static pm_clip *compile_eased(pm_path path, pm_interpolation interpolation, const float *times, bool apart) {
    static const float values[] = {0, 0, 0, 1, 0, 1, 0, 0}, tangents[8] = {0},
                       smoothstep[2][6] = {{0, 0, 3, -2}};
    float later[] = {times[0], times[1] / 2};
    pm_channel channels[] = {
        rig_channel(path, interpolation, 0, 2, times, values, tangents, tangents),
        rig_channel(path, interpolation, 1, 2, apart ? later : times, values, tangents, tangents)};
    for (int i = 0; i < 2; i++) channels[i].easing = smoothstep;
    pm_skeleton *skeleton = rig_skeleton(2, 2);
    pm_clip_source source = rig_source(channels, 2);
    pm_clip *clip;
    cr_assert_eq(pm_clip_compile(&source, skeleton, NULL, NULL, &clip, NULL), PM_OK);
    pm_skeleton_destroy(skeleton);
    return clip;
}

// Replaces every easing that moves anything.
static void replace_easings(pm_clip *clip, const float power[5]) {
    const pm_timeline *timelines = pm_clip_timelines(clip);
    const pm_bundle *bundles = pm_clip_bundles(clip);
    for (uint32_t i = 0; i < clip->timeline_count; i++)
        memcpy((char *)clip + timelines[i].easing_offset, power, 5 * sizeof *power);
    for (uint32_t i = 0; i < clip->bundle_count; i++)
        for (uint32_t lane = 0; lane < 2; lane++)
            memcpy((char *)clip + bundles[i].easing_offset +
                       (bundles[i].first_segment[lane] + 1) * sizeof(pm_easing_record),
                   power, 5 * sizeof *power);
}

Test(clip_load, the_steepest_easing_of_the_longest_segment_stays_finite) {
    static const float times[] = {-1e30f, 1e30f}, most = PM_TIMELINE_EASING_LIMIT;
    const float steepest[] = {most, most, most, most, most};
    static const pm_path paths[] = {PM_PATH_SCALAR, PM_PATH_TRANSLATION, PM_PATH_ROTATION};
    for (int i = 0; i < 6; i++) {
        pm_clip *clip = compile_eased(paths[i / 2], PM_INTERPOLATION_CUBIC, times, i % 2);
        replace_easings(clip, steepest);
        cr_assert(expect_safe((unsigned char *)clip, size_of(clip)));
        pm_clip_destroy(clip, NULL);
    }
}

Test(clip_load, a_segment_of_next_to_no_duration_is_split_into_finite_slopes) {
    static const float times[] = {0, 1e-42f, 1}, between[] = {0, 5e-43f, 1},
                       values[] = {0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0};
    static const float tangents[12] = {0};
    static const pm_path paths[] = {PM_PATH_SCALAR, PM_PATH_ROTATION};
    pm_skeleton *skeleton = rig_skeleton(2, 2);
    for (int i = 0; i < 2; i++) {
        pm_channel channels[] = {
            rig_channel(paths[i], PM_INTERPOLATION_CUBIC, 0, 3, times, values, tangents, tangents),
            rig_channel(paths[i], PM_INTERPOLATION_CUBIC, 1, 3, between, values, tangents, tangents)};
        pm_clip_source source = rig_source(channels, 2);
        pm_clip *clip;
        cr_assert_eq(pm_clip_compile(&source, skeleton, NULL, NULL, &clip, NULL), PM_OK);
        cr_assert_eq(clip->bundle_count, 0);
        cr_assert(expect_safe((unsigned char *)clip, size_of(clip)));
        pm_clip_destroy(clip, NULL);
    }
    pm_skeleton_destroy(skeleton);
}

Test(clip_load, more_bytes_than_the_clip_are_allowed) {
    size_t size = size_of(scenarios[0]->clip);
    unsigned char *memory = aligned_alloc(64, size + 64);
    memcpy(memory, scenarios[0]->clip, size);
    memset(memory + size, 0xFF, 64);
    const pm_clip *clip;
    cr_assert_eq(pm_clip_load(memory, size + 37, &clip, NULL), PM_OK);
    free(memory);
}

Test(clip_load, memory_that_is_not_aligned_or_null_is_refused) {
    size_t size = size_of(scenarios[0]->clip);
    unsigned char *memory = aligned_alloc(64, size + 64);
    for (size_t offset = 1; offset < 64; offset++) {
        memcpy(memory + offset, scenarios[0]->clip, size);
        const pm_clip *clip = (const pm_clip *)memory;
        pm_report report = {0};
        cr_assert_eq(pm_clip_load(memory + offset, size, &clip, &report), PM_ERROR_ARGUMENT);
        cr_assert_null(clip);
        cr_assert_eq(report.fault, PM_FAULT_ARGUMENT);
    }
    const pm_clip *clip;
    cr_assert_eq(pm_clip_load(NULL, size, &clip, NULL), PM_ERROR_ARGUMENT);
    free(memory);
}

Test(clip_load, every_truncation_is_refused) {
    for (uint32_t i = 0; i < KINDS; i++) {
        size_t size = size_of(scenarios[i]->clip);
        unsigned char *copy = copy_of(scenarios[i]->clip);
        for (size_t cut = 0; cut < size; cut += RIG_EVERY) {
            ASAN_POISON_MEMORY_REGION(copy + cut, size - cut);
            bool taken = expect_safe(copy, cut);
            ASAN_UNPOISON_MEMORY_REGION(copy + cut, size - cut);
            cr_assert(!taken, "%u bytes of %u", (unsigned)cut, (unsigned)size);
        }
        free(copy);
    }
}

Test(clip_load, truncation_with_a_header_that_agrees_is_refused) {
    for (uint32_t i = 0; i < KINDS; i++) {
        size_t size = size_of(scenarios[i]->clip);
        unsigned char *copy = copy_of(scenarios[i]->clip);
        for (size_t cut = 64; cut < size; cut += 64) {
            uint64_t claimed = cut;
            memcpy(copy + 8, &claimed, sizeof claimed); // the header's size
            ASAN_POISON_MEMORY_REGION(copy + cut, size - cut);
            bool taken = expect_safe(copy, cut);
            ASAN_UNPOISON_MEMORY_REGION(copy + cut, size - cut);
            cr_assert(!taken, "%u bytes of %u", (unsigned)cut, (unsigned)size);
        }
        free(copy);
    }
}

Test(clip_load, random_bytes_are_refused) {
    rig_random random = {77};
    static _Alignas(64) unsigned char bytes[4096];
    for (int round = 0; round < 1000; round++) {
        for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)rig_random_next(&random);
        if (round % 2) memcpy(bytes, scenarios[0]->clip, 8); // magic and version
        cr_assert(!expect_safe(bytes, sizeof bytes));
    }
}

Test(clip_load, random_bit_flips_are_refused_or_harmless) {
    uint32_t taken = 0, rounds = 0;
    for (uint32_t i = 0; i < KINDS; i++) {
        rig_random random = {88 + i};
        size_t size = size_of(scenarios[i]->clip);
        unsigned char *copy = copy_of(scenarios[i]->clip);
        for (int round = 0; round < 3000; round += RIG_EVERY, rounds++) {
            uint32_t flips = 1 + rig_random_below(&random, 3);
            size_t places[3];
            unsigned char kept[3];
            for (uint32_t f = 0; f < flips; f++) {
                // Half of the flips in the structure in front.
                size_t within = rig_random_below(&random, 2) ? size : size / 4;
                places[f] = rig_random_below(&random, (uint32_t)within);
                kept[f] = copy[places[f]];
                copy[places[f]] ^= (unsigned char)(1u << rig_random_below(&random, 8));
            }
            taken += expect_safe(copy, size);
            for (uint32_t f = flips; f-- > 0;) copy[places[f]] = kept[f];
        }
        free(copy);
    }
    // Both outcomes must occur, or the test tests nothing.
    cr_assert_gt(taken, rounds / 20);
    cr_assert_lt(taken, rounds * 19 / 20);
}

Test(clip_load, every_word_replaced_by_awkward_numbers_is_refused_or_harmless) {
    static const uint32_t awkward[] = {0,          1,          0xFFFFFFFF, 0x7FFFFFFF, 0x80000000,
                                       0x40,       0x10000,    0x7F800000, 0xFF800000, 0x7FC00000,
                                       0x7F7FFFFF, 0x04000000, 0x3F800000};
    uint32_t taken = 0, refused = 0;
    for (uint32_t i = 0; i < KINDS; i++) {
        size_t size = size_of(scenarios[i]->clip);
        unsigned char *copy = copy_of(scenarios[i]->clip);
        for (size_t at = 0; at < size; at += 4) {
            // Everything in front, some of the keys.
            if (at > 2048 && at / 4 % 23) continue;
            if (at / 4 % RIG_EVERY != i % RIG_EVERY) continue;
            uint32_t kept;
            memcpy(&kept, copy + at, 4);
            for (size_t a = 0; a < sizeof awkward / sizeof *awkward; a++) {
                memcpy(copy + at, awkward + a, 4);
                if (expect_safe(copy, size)) {
                    taken++;
                } else {
                    refused++;
                }
            }
            uint32_t neighbours[] = {kept - 1, kept + 1, kept + 64, kept - 64, kept * 2};
            for (size_t n = 0; n < 5; n++) {
                memcpy(copy + at, neighbours + n, 4);
                if (expect_safe(copy, size)) {
                    taken++;
                } else {
                    refused++;
                }
            }
            memcpy(copy + at, &kept, 4);
        }
        free(copy);
    }
    cr_assert_gt(taken, 100);
    cr_assert_gt(refused, 100);
}
