// Tests: characters in random poses on random trees of joints, and the matrices that a palette job makes.
#ifndef PALETTES_H
#define PALETTES_H

#include "matrices.h"

enum {
    PALETTES_INSTANCES = 70, // more than two chunks
    PALETTES_JOINTS = 64,
    PALETTES_BLOCKS = PALETTES_JOINTS / PM_BLOCK_LANES,
    PALETTES_SKINS = 4,
    PALETTES_ENTRIES = 2 * PALETTES_JOINTS + 5,
    PALETTES_ROOM = 16, // floats behind an instance's matrices that nobody is to write
    PALETTES_MODEL_FLOATS = PALETTES_JOINTS * PM_MATRIX_FLOATS + PALETTES_ROOM,
    PALETTES_PALETTE_FLOATS = (PALETTES_ENTRIES + 3) / 4 * 4 * PM_MATRIX_FLOATS + PALETTES_ROOM,
    PALETTES_UNTOUCHED = 0xcd // bytes of the output before a run
};

// What a run writes.
typedef struct palettes_output {
    _Alignas(64) float models[PALETTES_INSTANCES][PALETTES_MODEL_FLOATS];
    _Alignas(64) float palettes[PALETTES_INSTANCES][PALETTES_PALETTE_FLOATS];
} palettes_output;

typedef struct palettes {
    _Alignas(64) pm_pose_block poses[PALETTES_INSTANCES][PALETTES_BLOCKS];
    float placements[PALETTES_INSTANCES][PM_MATRIX_FLOATS + 1]; // aligned like a float
    palettes_output output;
    pm_skeleton *skeleton;
    pm_palette_job job;
} palettes;

// A skeleton of these parents, each before its children, with random rest poses. Its joints are its nodes:
// parents are such that no subtree is entered twice. A skin's joints are `nodes`.
pm_skeleton *palettes_skeleton(uint64_t seed, uint32_t joint_count, const uint32_t *parents,
                               uint32_t skin_count, const pm_skin_def *skins);

// A valid job of all instances and all kinds of output on the best kernels, with placements. The tree is
// random, of several roots. Its skins: some joints in any order and some of them twice; none; all joints
// backwards; five that are any joints.
palettes *palettes_create(uint64_t seed, uint32_t joint_count);
void palettes_destroy(palettes *p);

// Takes another skeleton for the job.
void palettes_take(palettes *p, pm_skeleton *skeleton);

// Runs a part of the job after its output was made untouched, in scratch memory of just the right size with
// no numbers in it. Returns what the run returned.
uint64_t palettes_run(palettes *p, uint32_t begin, uint32_t end);

// The same with the output as it is.
uint64_t palettes_go_on(palettes *p, uint32_t begin, uint32_t end);

// Matrices of all skins of the job's range.
uint32_t palettes_entry_count(const palettes *p);

// Fails where instances [0, count) have not identity behind their matrices up to a multiple of four, or if
// anything else than their matrices was written.
void palettes_expect_padding(const palettes *p, uint32_t count);

// Fails where a number in the matrices of instances [0, count) is not finite.
void palettes_expect_finite(const palettes *p, uint32_t count);

#endif
