#include "bvh_reference.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_channels(FILE *file, bvh_reference *bvh, bvh_reference_joint *joint) {
    cr_assert_eq(fscanf(file, "%d", &joint->channel_count), 1);
    cr_assert_leq(joint->channel_count, 6);
    for (int c = 0; c < joint->channel_count; c++) cr_assert_eq(fscanf(file, "%15s", joint->channels[c]), 1);
    bvh->column_count += joint->channel_count;
}

static void read_hierarchy(FILE *file, bvh_reference *bvh) {
    char word[64];
    int open = -1, in_end_site = 0;
    while (fscanf(file, "%63s", word) == 1 && strcmp(word, "MOTION")) {
        bvh_reference_joint *joint = &bvh->joints[open < 0 ? 0 : open];
        double offset[3];
        if (!strcmp(word, "ROOT") || !strcmp(word, "JOINT")) {
            cr_assert_lt(bvh->joint_count, 128);
            bvh->joints[bvh->joint_count].parent = open;
            open = bvh->joint_count++;
            cr_assert_eq(fscanf(file, "%63s", bvh->joints[open].name), 1);
        } else if (!strcmp(word, "OFFSET")) {
            cr_assert_eq(fscanf(file, "%lf %lf %lf", &offset[0], &offset[1], &offset[2]), 3);
            if (!in_end_site) memcpy(joint->offset, offset, sizeof offset);
        } else if (!strcmp(word, "CHANNELS"))
            read_channels(file, bvh, joint);
        else if (!strcmp(word, "Site"))
            in_end_site = 1;
        else if (!strcmp(word, "}")) {
            if (!in_end_site) open = joint->parent;
            in_end_site = 0;
        }
    }
}

bvh_reference *bvh_reference_read(const char *path) {
    FILE *file = fopen(path, "r");
    cr_assert(file, "%s", path);
    bvh_reference *bvh = calloc(1, sizeof *bvh);
    read_hierarchy(file, bvh);
    cr_assert_eq(fscanf(file, " Frames: %d Frame Time: %lf", &bvh->frame_count, &bvh->frame_seconds), 2);
    int count = bvh->frame_count * bvh->column_count;
    bvh->values = calloc((size_t)count, sizeof *bvh->values);
    for (int i = 0; i < count; i++) cr_assert_eq(fscanf(file, "%lf", &bvh->values[i]), 1);
    fclose(file);
    return bvh;
}

void bvh_reference_free(bvh_reference *bvh) {
    free(bvh->values);
    free(bvh);
}

// m becomes m times a turn about one axis.
static void turn(double m[3][3], int axis, double degrees) {
    double radians = degrees * (3.14159265358979323846 / 180.0), s = sin(radians), c = cos(radians);
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    for (int row = 0; row < 3; row++) {
        double ma = m[row][a], mb = m[row][b];
        m[row][a] = ma * c + mb * s;
        m[row][b] = mb * c - ma * s;
    }
}

void bvh_reference_positions(const bvh_reference *bvh, int frame, double (*positions)[3]) {
    static double rotations[128][3][3];
    const double *value = bvh->values + (size_t)frame * (size_t)bvh->column_count;
    for (int j = 0; j < bvh->joint_count; j++) {
        const bvh_reference_joint *joint = &bvh->joints[j];
        double local[3];
        memcpy(local, joint->offset, sizeof local);
        for (int row = 0; row < 3; row++)
            for (int column = 0; column < 3; column++)
                rotations[j][row][column] =
                    joint->parent < 0 ? row == column : rotations[joint->parent][row][column];
        for (int c = 0; c < joint->channel_count; c++) {
            int axis = joint->channels[c][0] - 'X';
            if (!strcmp(joint->channels[c] + 1, "position"))
                local[axis] = *value++;
            else
                turn(rotations[j], axis, *value++);
        }
        for (int row = 0; row < 3; row++) {
            positions[j][row] = joint->parent < 0 ? local[row] : positions[joint->parent][row];
            for (int column = 0; column < 3 && joint->parent >= 0; column++)
                positions[j][row] += rotations[joint->parent][row][column] * local[column];
        }
    }
}
