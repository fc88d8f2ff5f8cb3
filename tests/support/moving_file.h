// Tests: small animation files, made on the spot, whose values are easily worked out by hand.
#ifndef MOVING_FILE_H
#define MOVING_FILE_H

#include "files.h"

// A BVH of three joints that walk and turn for `frame_count` frames at 30 Hz.
void write_moving_bvh(unsigned frame_count, char path[FILES_PATH_SIZE]);

// A glTF of four nodes. The clip "Wave \"hi\"" moves three: "Arm" (node 0, child of 2) turns by 90 degrees
// about z from 0 s to 1 s (LINEAR), at (1, 0, 0) from its parent; "Face" (1) has two morph weights that go
// from 0, 1 to 1, 0 (CUBICSPLINE, flat tangents); "Hips" (2) goes from 0 to (2, 4, 8) in 2 s (LINEAR). The
// clip "Nod" turns the arm and "Prop" (3), which has morph weights too, in the same way. The clip "Nothing"
// has no channel.
typedef enum moving_part {
    MOVING_ALL,
    MOVING_WITHOUT_CLIPS,
    MOVING_WITHOUT_CHANNELS, // only the clip "Nothing"
} moving_part;
void write_moving_gltf(moving_part part, char path[FILES_PATH_SIZE]);

#endif
