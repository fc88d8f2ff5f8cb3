// Benchmarks: the clips that a crowd plays, compiled for Posemill and copied for the naive evaluator.
#ifndef BENCH_CONTENT_H
#define BENCH_CONTENT_H

#include "motion.h"
#include "naive.h"

#include <posemill/import.h>
#include <posemill/posemill.h>

enum { CONTENT_FILES_LIMIT = 2, CONTENT_REASON_SIZE = 640 };

// What clips to make, or which files to take all clips of.
//   merged    channels on different timelines go onto their union, whatever it costs, not onto mixed tracks
//   packed    keys of 16 bits a number
//   files     file names below the data folder, or absolute; all NULL for made-up clips
typedef struct content_def {
    motion_keys keys;
    uint32_t joint_count, clip_count, key_count;
    bool merged, packed;
    const char *files[CONTENT_FILES_LIMIT];
} content_def;

typedef struct content {
    content_def def;
    uint32_t clip_count;
    const pm_clip **clips;
    void *packed; // the clips' memory
    size_t packed_bytes;
    naive_clip *naive;
    pm_skeleton *skeleton; // of made-up clips
    pm_scene *scenes[CONTENT_FILES_LIMIT];
    // The largest of any clip.
    uint32_t block_count, joint_count, cursor_count, channel_count;
    double cursor_bytes_per_timeline; // of the channels' different timelines, as authored
} content;

// Makes it, or says in `reason` why not: mostly files that are not there. Nothing is left to release then.
//   data_folder  where files are looked for
bool content_create(content *made, const content_def *def, const char *data_folder,
                    char reason[CONTENT_REASON_SIZE]);

bool content_def_equal(const content_def *a, const content_def *b);

void content_destroy(content *destroyed);

#endif
