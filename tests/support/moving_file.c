#include "moving_file.h"

#include <criterion/criterion.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>

void write_moving_bvh(unsigned frame_count, char path[FILES_PATH_SIZE]) {
    static char text[1 << 16];
    size_t length =
        (size_t)snprintf(text, sizeof text,
                         "HIERARCHY\nROOT Hips\n{\n OFFSET 0 0 0\n"
                         " CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
                         " JOINT Spine\n {\n  OFFSET 0 2 0\n  CHANNELS 3 Zrotation Xrotation Yrotation\n"
                         "  JOINT Head\n  {\n   OFFSET 0 1 0.5\n   CHANNELS 3 Zrotation Xrotation Yrotation\n"
                         "   End Site\n   {\n    OFFSET 0 1 0\n   }\n  }\n }\n}\n"
                         "MOTION\nFrames: %u\nFrame Time: 0.0333333\n",
                         frame_count);
    for (unsigned i = 0; i < frame_count; i++) {
        int frame = (int)i, sway = 7 * frame % 40 - 20;
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "%d.5 17.%02u %d 3 %d -4.25 %d 5 1 0 %d %d\n", frame, i % 100, -2 * frame,
                                   sway, -sway, 3 * frame % 90, 2 * sway);
        cr_assert(length < sizeof text);
    }
    temporary_write("moving.bvh", text, length, path);
}

// The glTF's one buffer: float arrays, one behind the other.
static const float buffer[] = {
    0, 1,                                                   // accessor 0: times
    0, 0, 0, 1, 0, 0, 0.70710678f, 0.70710678f,             // 1: the arm's rotations
    0, 0, 0, 1, 0, 0, 0,           0,           1, 0, 0, 0, // 2: weights, two keys of in, value, out
    0, 2,                                                   // 3: times
    0, 0, 0, 2, 4, 8,                                       // 4: the hips' translations
    0, 0, 0, 1, 0, 0, 0,           1,           0,          // 5: a triangle
};

static const char document[] =
    "{\"asset\": {\"version\": \"2.0\", \"generator\": \"by hand\"}, \"scene\": 0, \"scenes\": [{\"nodes\": "
    "[1, 2, 3]}],\n"
    "\"nodes\": [{\"name\": \"Arm\", \"translation\": [1, 0, 0]}, {\"name\": \"Face\", \"mesh\": 0},\n"
    " {\"name\": \"Hips\", \"children\": [0]}, {\"name\": \"Prop\", \"mesh\": 0}],\n"
    "\"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 5},\n"
    " \"targets\": [{\"POSITION\": 5}, {\"POSITION\": 5}]}], \"weights\": [0.5, 0.25]}],\n"
    "\"buffers\": [{\"byteLength\": %zu, \"uri\": \"data:application/octet-stream;base64,%s\"}],\n"
    "\"bufferViews\": [{\"buffer\": 0, \"byteLength\": %zu}],\n"
    "\"accessors\": [\n"
    " {\"bufferView\": 0, \"componentType\": 5126, \"count\": 2, \"type\": \"SCALAR\", \"min\": [0], "
    "\"max\": [1]},\n"
    " {\"bufferView\": 0, \"byteOffset\": 8, \"componentType\": 5126, \"count\": 2, \"type\": \"VEC4\"},\n"
    " {\"bufferView\": 0, \"byteOffset\": 40, \"componentType\": 5126, \"count\": 12, \"type\": "
    "\"SCALAR\"},\n"
    " {\"bufferView\": 0, \"byteOffset\": 88, \"componentType\": 5126, \"count\": 2, \"type\": \"SCALAR\",\n"
    "  \"min\": [0], \"max\": [2]},\n"
    " {\"bufferView\": 0, \"byteOffset\": 96, \"componentType\": 5126, \"count\": 2, \"type\": \"VEC3\"},\n"
    " {\"bufferView\": 0, \"byteOffset\": 120, \"componentType\": 5126, \"count\": 3, \"type\": \"VEC3\",\n"
    "  \"min\": [0, 0, 0], \"max\": [1, 1, 0]}]%s}\n";

static const char empty_clip[] =
    ",\n\"animations\": [{\"name\": \"Nothing\", \"channels\": [], \"samplers\": []}]";

static const char all_clips[] =
    ",\n\"animations\": [{\"name\": \"Wave \\\"hi\\\"\",\n"
    " \"samplers\": [{\"input\": 0, \"output\": 1},\n"
    "  {\"input\": 0, \"output\": 2, \"interpolation\": \"CUBICSPLINE\"}, {\"input\": 3, \"output\": 4}],\n"
    " \"channels\": [{\"sampler\": 0, \"target\": {\"node\": 0, \"path\": \"rotation\"}},\n"
    "  {\"sampler\": 1, \"target\": {\"node\": 1, \"path\": \"weights\"}},\n"
    "  {\"sampler\": 2, \"target\": {\"node\": 2, \"path\": \"translation\"}}]},\n"
    " {\"name\": \"Nod\", \"samplers\": [{\"input\": 0, \"output\": 1}],\n"
    "  \"channels\": [{\"sampler\": 0, \"target\": {\"node\": 0, \"path\": \"rotation\"}},\n"
    "   {\"sampler\": 0, \"target\": {\"node\": 3, \"path\": \"rotation\"}}]},\n"
    " {\"name\": \"Nothing\", \"channels\": [], \"samplers\": []}]";

static void to_base64(const unsigned char *bytes, size_t size, char *text) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        uint32_t group = (uint32_t)bytes[i] << 16;
        if (i + 1 < size) group |= (uint32_t)bytes[i + 1] << 8;
        if (i + 2 < size) group |= bytes[i + 2];
        *text++ = digits[group >> 18];
        *text++ = digits[group >> 12 & 63];
        *text++ = i + 1 < size ? digits[group >> 6 & 63] : '=';
        *text++ = i + 2 < size ? digits[group & 63] : '=';
    }
    *text = '\0';
}

void write_moving_gltf(moving_part part, char path[FILES_PATH_SIZE]) {
    static char base64[4 * sizeof buffer], text[sizeof document + sizeof all_clips + sizeof base64];
    const char *clips = part == MOVING_ALL ? all_clips : part == MOVING_WITHOUT_CHANNELS ? empty_clip : "";
    to_base64((const unsigned char *)buffer, sizeof buffer, base64);
    int length = snprintf(text, sizeof text, document, sizeof buffer, base64, sizeof buffer, clips);
    temporary_write("moving.gltf", text, (size_t)length, path);
}
