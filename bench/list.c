#include "list.h"

#define LINEAR       .keys = MOTION_BAKED_LINEAR
#define CUBIC        .keys = MOTION_BAKED_CUBIC
#define BROKEN       .keys = MOTION_BAKED_BROKEN
#define LINEAR_CUBIC .keys = MOTION_BAKED_LINEAR_CUBIC
#define SPARSE       .keys = MOTION_SPARSE_LINEAR
#define SPARSE_CUBIC .keys = MOTION_SPARSE_CUBIC
#define BACKWARD     .play = WORKLOAD_BACKWARD
#define RANDOM       .play = WORKLOAD_RANDOM
#define PALETTES     .output = WORKLOAD_PALETTES
#define AFTER_POSES  .output = WORKLOAD_POSES_AND_PALETTES

#define KNIGHT     .set = "knight", .files = {"models/kaykit/Knight.glb"}
#define FOX        .set = "fox", .files = {"models/khronos/Fox.glb"}
#define MANNEQUINY .set = "mannequiny", .files = {"models/godot/mannequiny.glb"}
#define CAPTURE                                                                                              \
    .set = "capture",                                                                                        \
    .files = {"/usr/share/assimp/models/BVH/01_01.bvh", "/usr/share/assimp/models/BVH/01_03.bvh"}

// A workload with SSE2, at least so many times as fast as naive, and with AVX2.
#define OLDER(naive_limit, ...)                                                                              \
    {__VA_ARGS__, .isa = "sse2", .naive_at_least = (naive_limit)}, {                                         \
        __VA_ARGS__, .isa = "avx2"                                                                           \
    }

// Neighbours of equal content share it: they are compiled once. A reference comes before who refers to it.
const workload_def workload_list[] = {
    {.section = "A key a frame", CUBIC, .bound_at_most = 1.1, .naive_at_least = 12},
    {CUBIC, BACKWARD, .bound_at_most = 1.1},
    {CUBIC, RANDOM, .bound_at_most = 1.1},
    {CUBIC, .clip_count = 16, .bound_at_most = 1.1, .naive_at_least = 12},
    {CUBIC, .clip_count = 16, BACKWARD, .bound_at_most = 1.1},
    {CUBIC, .clip_count = 16, RANDOM, .bound_at_most = 1.1},
    {BROKEN, .bound_at_most = 1.1},
    {BROKEN, .clip_count = 16, .bound_at_most = 1.1},
    {BROKEN, .clip_count = 16, RANDOM, .bound_at_most = 1.1},
    {LINEAR_CUBIC, .bound_at_most = 1.1},
    {LINEAR_CUBIC, RANDOM, .bound_at_most = 1.1},
    {LINEAR_CUBIC, .clip_count = 16, .bound_at_most = 1.1},
    {LINEAR_CUBIC, .clip_count = 16, BACKWARD, .bound_at_most = 1.1},
    {LINEAR_CUBIC, .clip_count = 16, RANDOM, .bound_at_most = 1.1},
    {LINEAR, .bound_at_most = 1.5, .naive_at_least = 12},
    {LINEAR, BACKWARD, .bound_at_most = 1.5},
    {LINEAR, RANDOM, .bound_at_most = 1.5},
    {LINEAR, .clip_count = 16, .bound_at_most = 1.5, .naive_at_least = 12},
    {LINEAR, .clip_count = 16, BACKWARD, .bound_at_most = 1.5},
    {LINEAR, .clip_count = 16, RANDOM, .bound_at_most = 1.5},

    {.section = "22 joints, in 32 lanes", CUBIC, .joint_count = 22, .bound_at_most = 1.6},
    {CUBIC, .joint_count = 22, .clip_count = 16, .bound_at_most = 1.6},
    {CUBIC, .joint_count = 22, .clip_count = 16, RANDOM, .bound_at_most = 1.6},
    {LINEAR, .joint_count = 22, .clip_count = 16},

    {.section = "Keys beyond the cache", CUBIC, .clip_count = 128, .bound_at_most = 2.5},
    {CUBIC, .clip_count = 128, RANDOM, .bound_at_most = 2.5},
    {LINEAR, .clip_count = 128, .bound_at_most = 2.5},
    {LINEAR, .clip_count = 128, RANDOM, .bound_at_most = 2.5},

    {.section = "Keys of 16 bits", CUBIC, .packed = true},
    {CUBIC, .clip_count = 16, .packed = true},
    {CUBIC, .clip_count = 128, .packed = true, .bound_at_most = 2.5},
    {LINEAR, .packed = true},
    {LINEAR, .clip_count = 16, .packed = true, .bound_at_most = 1.5},
    {LINEAR, .clip_count = 128, .packed = true, .bound_at_most = 2.5},
    {CAPTURE, .packed = true, .bound_at_most = 1.5},

    {.section = "12 keys a channel, all at different times", SPARSE_CUBIC, .naive_at_least = 6},
    {SPARSE_CUBIC, RANDOM, .naive_at_least = 6},
    {SPARSE_CUBIC, .clip_count = 16, .naive_at_least = 6},
    {SPARSE_CUBIC, .clip_count = 16, RANDOM, .naive_at_least = 6},
    {SPARSE, .clip_count = 16, .naive_at_least = 6},
    {SPARSE, .clip_count = 16, RANDOM, .naive_at_least = 6},
    {SPARSE, .clip_count = 128, .naive_at_least = 6},
    {SPARSE_CUBIC, .merged = true},
    {SPARSE_CUBIC, .merged = true, RANDOM},
    {SPARSE_CUBIC, .clip_count = 16, .merged = true},

    {.section = "Real files, all their clips; bytes of padding lanes count", KNIGHT, .bound_at_most = 1.5},
    {KNIGHT, RANDOM, .bound_at_most = 1.5},
    {FOX, .bound_at_most = 1.5},
    {FOX, RANDOM, .bound_at_most = 1.5},
    {MANNEQUINY, .bound_at_most = 1.5},
    {MANNEQUINY, RANDOM, .bound_at_most = 1.5},
    {CAPTURE, .bound_at_most = 1.5},
    {CAPTURE, RANDOM, .bound_at_most = 1.5},
    {KNIGHT, .holds = true},
    {FOX, .holds = true},
    {MANNEQUINY, .holds = true},
    {CAPTURE, .holds = true},

    {.section = "Few characters, in the cache",
     CUBIC,
     .instance_count = 1,
     .reference_at_most = 1.15,
     .reference = "baked-cubic/j64/c1/n10000/forward"},
    {CUBIC, .instance_count = 64, .reference_at_most = 1.15,
     .reference = "baked-cubic/j64/c1/n10000/forward"},
    {CUBIC, .instance_count = 1024},
    {LINEAR, .instance_count = 1, .reference_at_most = 1.15,
     .reference = "baked-linear/j64/c1/n10000/forward"},
    {LINEAR, .instance_count = 64, .reference_at_most = 1.15,
     .reference = "baked-linear/j64/c1/n10000/forward"},
    {LINEAR, .instance_count = 1024},
    {SPARSE_CUBIC, .instance_count = 1, .reference_at_most = 1.15,
     .reference = "sparse-cubic/j64/c1/n10000/forward"},
    {SPARSE_CUBIC, .instance_count = 64, .reference_at_most = 1.15,
     .reference = "sparse-cubic/j64/c1/n10000/forward"},
    {SPARSE_CUBIC, .instance_count = 1024},

    {.section = "Skinning palettes of sampled poses", CUBIC, PALETTES},
    {CUBIC, AFTER_POSES},
    {CUBIC, .clip_count = 16, PALETTES},
    {SPARSE_CUBIC, .clip_count = 16, PALETTES},
    {CUBIC, .instance_count = 64, PALETTES},
    {CUBIC, .instance_count = 1, PALETTES},
    {KNIGHT, PALETTES},
    {KNIGHT, AFTER_POSES},
    {MANNEQUINY, PALETTES},
    OLDER(0, CUBIC, PALETTES),
    OLDER(0, CUBIC, AFTER_POSES),
    OLDER(0, CUBIC, .instance_count = 64, PALETTES),

    {.section = "Two threads",
     CUBIC,
     .clip_count = 16,
     .thread_count = 2,
     .reference_at_most = 1 / 1.9,
     .reference = "baked-cubic/j64/c16/n10000/forward"},
    {LINEAR, .clip_count = 16, .thread_count = 2, .reference_at_most = 1 / 1.9,
     .reference = "baked-linear/j64/c16/n10000/forward"},
    {SPARSE_CUBIC, .clip_count = 16, .thread_count = 2, .reference_at_most = 1 / 1.9,
     .reference = "sparse-cubic/j64/c16/n10000/forward"},

    {.section = "Older instruction sets", CUBIC, .isa = "sse2", .naive_at_least = 6},
    {CUBIC, .isa = "avx2"},
    OLDER(6, CUBIC, BACKWARD),
    OLDER(6, CUBIC, RANDOM),
    OLDER(6, CUBIC, .clip_count = 16),
    OLDER(6, CUBIC, .clip_count = 16, BACKWARD),
    OLDER(6, CUBIC, .clip_count = 16, RANDOM),
    OLDER(6, BROKEN, .clip_count = 16),
    OLDER(6, LINEAR_CUBIC),
    OLDER(6, LINEAR_CUBIC, .clip_count = 16),
    OLDER(6, LINEAR),
    OLDER(6, LINEAR, .clip_count = 16),
    OLDER(6, LINEAR, .clip_count = 16, BACKWARD),
    OLDER(6, LINEAR, .clip_count = 16, RANDOM),
    OLDER(0, CUBIC, .joint_count = 22),
    OLDER(0, CUBIC, .joint_count = 22, .clip_count = 16),
    OLDER(0, CUBIC, .clip_count = 128),
    OLDER(0, LINEAR, .clip_count = 128),
    OLDER(0, SPARSE_CUBIC),
    OLDER(0, SPARSE_CUBIC, .clip_count = 16),
    OLDER(0, SPARSE_CUBIC, .clip_count = 16, RANDOM),
    OLDER(0, SPARSE, .clip_count = 128),
    OLDER(0, KNIGHT),
    OLDER(0, FOX),
    OLDER(0, MANNEQUINY),
    OLDER(0, CAPTURE),
    OLDER(6, CUBIC, .instance_count = 64),
    OLDER(6, LINEAR, .instance_count = 64),
    OLDER(0, SPARSE_CUBIC, .instance_count = 64),

    {.section = "Growth: instances", CUBIC, .instance_count = 4},
    {CUBIC, .instance_count = 16},
    {CUBIC, .instance_count = 256},
    {CUBIC, .instance_count = 4096},
    {CUBIC, .instance_count = 16384},
    {CUBIC, .instance_count = 65536},

    {.section = "Growth: joints, 640,000 in all", CUBIC, .joint_count = 16, .instance_count = 40000},
    {CUBIC, .joint_count = 32, .instance_count = 20000},
    {CUBIC, .joint_count = 128, .instance_count = 5000},
    {CUBIC, .joint_count = 256, .instance_count = 2500},
    {CUBIC, .joint_count = 512, .instance_count = 1250},
    {CUBIC, .joint_count = 1024, .instance_count = 625},

    {.section = "Growth: clips", CUBIC, .clip_count = 2},
    {CUBIC, .clip_count = 4},
    {CUBIC, .clip_count = 8},
    {CUBIC, .clip_count = 32},
    {CUBIC, .clip_count = 64},

    {.section = "Growth: keys", CUBIC, .key_count = 600},
    {CUBIC, .key_count = 600, RANDOM},
    {CUBIC, .key_count = 6000},
    {CUBIC, .key_count = 6000, RANDOM},
};

const uint32_t workload_list_count = sizeof workload_list / sizeof *workload_list;
