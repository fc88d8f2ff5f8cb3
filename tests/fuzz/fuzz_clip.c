// Any bytes are a clip that samples to finite poses, the same on all kernels, or an error with a reason.
// Inputs grow from clips that are compiled here; run with -max_len=20000, or whole clips do not fit.
#include "../support/clip_probe.h"

#include <posemill/compile.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most);

enum { JOINTS = 2, CHANNELS = 3 * JOINTS + 1, MOST_KEYS = 20 };

static uint32_t next(uint32_t *random) {
    *random = *random * 1664525u + 1013904223u;
    return *random >> 8;
}

// Smoothstep for every segment.
static float easing[MOST_KEYS][6];

static void fill_channel(pm_channel *channel, uint32_t index, uint32_t *random) {
    static float times[CHANNELS][MOST_KEYS], values[CHANNELS][3][MOST_KEYS * 4];
    bool is_scalar = index == 3 * JOINTS;
    pm_path path = is_scalar ? PM_PATH_SCALAR : (pm_path)(index % 3);
    uint32_t key_count = 1 + next(random) % MOST_KEYS;
    for (uint32_t k = 0; k < MOST_KEYS; k++) easing[k][2] = 3, easing[k][3] = -2;
    for (uint32_t k = 0; k < key_count; k++) {
        float step = 0.1f * (float)(1 + next(random) % 8);
        times[index][k] = k ? times[index][k - 1] + step : 0;
    }
    for (uint32_t i = 0; i < 3 * MOST_KEYS * 4; i++) {
        values[index][i / (MOST_KEYS * 4)][i % (MOST_KEYS * 4)] = (float)(next(random) % 2000) * 0.001f - 1;
    }
    *channel = (pm_channel){path,
                            (pm_interpolation)(next(random) % PM_INTERPOLATION_COUNT),
                            is_scalar ? 0 : index / 3,
                            pm_path_component_count(path),
                            key_count,
                            key_count,
                            times[index],
                            values[index][0],
                            values[index][1],
                            values[index][2],
                            "channel",
                            (float)(next(random) % 3) * 12,
                            next(random) % 2 ? NULL : (const float(*)[6])easing};
}

static size_t compile(uint8_t *bytes, size_t most, uint32_t random) {
    static const pm_transform rest = {{1, 2, 3}, {0, 0, 0, 1}, {1, 1, 1}};
    const pm_node_def nodes[JOINTS] = {{"a", PM_NONE, rest, true}, {"b", 0, rest, true}};
    static const pm_scalar_def scalar = {"s", PM_NONE, 1};
    pm_skeleton_def def = {.node_count = JOINTS, .nodes = nodes, .scalar_count = 1, .scalars = &scalar};
    pm_channel channels[CHANNELS];
    for (uint32_t i = 0; i < CHANNELS; i++) fill_channel(&channels[i], i, &random);
    pm_clip_source source = {NULL, "fuzz", CHANNELS, channels};
    pm_compile_options options = pm_default_compile_options();
    options.merge_growth_limit = (float)(next(&random) % 5);
    options.key_bits = next(&random) % 2 ? 16 : 32;
    pm_skeleton *skeleton;
    pm_clip *clip;
    if (pm_skeleton_create(&def, NULL, &skeleton, NULL)) abort();
    if (pm_clip_compile(&source, skeleton, &options, NULL, &clip, NULL)) abort();
    size_t size = pm_clip_get_info(clip).size_bytes;
    if (size > most) size = most;
    memcpy(bytes, clip, size);
    pm_clip_destroy(clip, NULL);
    pm_skeleton_destroy(skeleton);
    return size;
}

// What is too short to be a clip becomes one; everything else is changed as libFuzzer likes.
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed) {
    return size < 128 ? compile(bytes, most, seed) : LLVMFuzzerMutate(bytes, size, most);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    // Whole units of alignment, so that a sanitizer sees reads behind the clip.
    size_t usable = size / PM_ALIGNMENT * PM_ALIGNMENT;
    void *memory = aligned_alloc(PM_ALIGNMENT, usable ? usable : PM_ALIGNMENT);
    if (!memory) abort();
    memcpy(memory, bytes, usable);
    const pm_clip *clip;
    pm_report report = {0};
    pm_result result = pm_clip_load(memory, usable, &clip, &report);
    if ((result == PM_OK) != (clip != NULL) || (result == PM_OK) != (report.message[0] == '\0')) abort();
    if (clip && clip_probe(clip)) abort();
    free(memory);
    return 0;
}
