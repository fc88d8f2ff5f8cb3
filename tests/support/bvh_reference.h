// Tests: a second reading of BVH files, by matrices and the C library, to compare the importer with.
#ifndef BVH_REFERENCE_H
#define BVH_REFERENCE_H

#include <stdint.h>

typedef struct bvh_reference_joint {
    char name[64];
    int parent; // -1 for roots
    double offset[3];
    int channel_count;
    char channels[6][16];
} bvh_reference_joint;

typedef struct bvh_reference {
    int joint_count, column_count, frame_count;
    double frame_seconds;
    bvh_reference_joint joints[128];
    double *values; // [frame][column]
} bvh_reference;

// Reads a well-formed file whose names have no spaces; asserts otherwise. Release with bvh_reference_free.
bvh_reference *bvh_reference_read(const char *path);
void bvh_reference_free(bvh_reference *bvh);

// World positions of all joints at a frame, [joint][3].
void bvh_reference_positions(const bvh_reference *bvh, int frame, double (*positions)[3]);

#endif
