// Benchmarks: a crowd that plays a content, and the four ways to spend a tick on it.
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include "content.h"
#include "palettes.h"
#include "stream.h"

#include "../tools/posemill/pool.h"

// How clip times change from one tick to the next.
typedef enum workload_play {
    WORKLOAD_FORWARD,  // 30 ticks a second, clips repeat
    WORKLOAD_BACKWARD, // the same at a rate of -1
    WORKLOAD_RANDOM    // every time anywhere in the clip
} workload_play;

// What a tick makes of clips.
typedef enum workload_output {
    WORKLOAD_POSES,
    WORKLOAD_PALETTES,          // poses stay in the cache
    WORKLOAD_POSES_AND_PALETTES // poses are written, and read again for palettes
} workload_output;

// What is measured, and what it should reach. Zero is the default: 64 joints, one clip, 60 keys (12 when
// sparse), 10,000 instances, one thread, the best instruction set; a limit of zero is none.
//   section         heading of a group that begins here
//   set             first part of the name, for files; made-up clips are named after their keys
//   bound_at_most   time over the bound's
//   naive_at_least  the naive evaluator's time over Posemill's
//   merged, packed  see content_def
//   holds           constants are written when a character's clip changes, here once
//   isa             kernels of this name; NULL leaves it to the command line
//   reference       name of another workload, and the most that the time a joint may be, over its
typedef struct workload_def {
    const char *section;
    const char *set;
    const char *files[CONTENT_FILES_LIMIT];
    motion_keys keys;
    uint32_t joint_count, clip_count, key_count, instance_count, thread_count;
    workload_play play;
    workload_output output;
    bool merged, packed, holds;
    const char *isa;
    double bound_at_most, naive_at_least, reference_at_most;
    const char *reference;
} workload_def;

enum { WORKLOAD_NAME_SIZE = 96 };

typedef struct workload {
    workload_def def; // with defaults filled in
    const content *content;
    char name[WORKLOAD_NAME_SIZE];
    double joint_total; // joints of all instances, without padding
    double key_bytes;   // different bytes of keys that a tick reads, expected
    size_t output_bytes, bound_bytes;
    bool streams; // as a sample job that is left to choose

    uint32_t tick;
    float *times; // [WORKLOAD_TICKS][instance]
    uint32_t *clip_index, *constants_clip, *order;
    void *order_scratch;
    pm_sample_job job;
    palettes palettes;
    uint16_t *naive_cursors;
    pm_transform *naive_poses;
    stream_pass *pass;
    pm_pool *pool; // NULL for one thread
} workload;

// Defaults filled in.
workload_def workload_complete(const workload_def *def);

// The clips that it plays.
content_def workload_content(const workload_def *def);

// Its name: set/j<joints>/c<clips>/n<instances>/<play>, and /k<keys>, /merged, /held, /palettes,
// /poses+palettes, /t<threads>, /<isa> where they are not the defaults. `def` must be complete.
void workload_name(const workload_def *def, char name[WORKLOAD_NAME_SIZE]);

// Makes one and checks that the naive evaluator and Posemill agree on it. False: `reason` says why not.
// The content must outlive it.
bool workload_create(workload *made, const workload_def *def, const content *clips, const pm_kernels *kernels,
                     char reason[CONTENT_REASON_SIZE]);

void workload_destroy(workload *destroyed);

// One tick of all instances, ordering included. `user` is the workload.
void workload_sample(void *user);
void workload_naive(void *user);

// Writes the bytes of all poses, or palettes.
void workload_bound(void *user);

// The same with their padding, and reads as many bytes of the clips as a tick reads keys.
void workload_bytes(void *user);

#endif
