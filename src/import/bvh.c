// BVH is read here, not by Assimp, whose reader (5.2) drops position channels unless a joint has all three,
// makes joints of end sites and a mesh of the bones, ignores frames beyond the declared count, gives channels
// to joints by name, and computes rotations in single precision.
//
// What the format means follows M. Meredith and S. Maddock, "Motion Capture File Formats Explained"
// (University of Sheffield, 2001), with one difference: a position channel replaces its part of the OFFSET
// instead of adding to it, which is what exporters write for roots that have an offset and for joints that
// have positions.
#include "bvh.h"

#include "file.h"
#include "maths.h"
#include "scene.h"
#include "text.h"

#include <math.h>
#include <string.h>

enum { MAX_CHANNELS = 6 };

// Channels by number: 0 to 2 are the positions, 3 to 5 the rotations about x, y and z.
static const char *const channel_names[] = {"Xposition", "Yposition", "Zposition",
                                            "Xrotation", "Yrotation", "Zrotation"};

// What the node's definition has no room for.
typedef struct bvh_joint {
    double offset[3];
    bool has_offset;
    bool has_positions, has_rotations;
    uint32_t channel_count;
    uint8_t channels[MAX_CHANNELS]; // in the order of the file
    uint32_t first_column;          // of a frame's values
} bvh_joint;

typedef struct bvh_reader {
    pm_scene_builder *builder;
    pm_text text;
    bvh_joint *joints; // [builder->node_count]
    uint32_t column_count;
    uint32_t frame_count;
    double frame_seconds;
    double *values; // [frame][column]
} bvh_reader;

static pm_result refuse(const bvh_reader *reader, pm_fault fault, const char *what, pm_word word) {
    pm_place place = pm_scene_builder_place(reader->builder, NULL, NULL);
    if (!word.length)
        return pm_fail(reader->builder->report, PM_ERROR_FORMAT, PM_FAULT_FILE_TRUNCATED, place,
                       "the file ends at line %u, where %s should be", (unsigned)reader->text.line, what);
    int length = word.length < 40 ? (int)word.length : 40;
    return pm_fail(reader->builder->report, PM_ERROR_FORMAT, fault, place,
                   "line %u: \"%.*s\" where %s should be", (unsigned)reader->text.line, length, word.start,
                   what);
}

static pm_result expect(bvh_reader *reader, const char *expected) {
    pm_word word = pm_text_word(&reader->text);
    return pm_word_is(word, expected) ? PM_OK : refuse(reader, PM_FAULT_FILE_FORMAT, expected, word);
}

static pm_result read_number(bvh_reader *reader, const char *what, double *number) {
    pm_word word = pm_text_word(&reader->text);
    return pm_word_number(word, number) ? PM_OK : refuse(reader, PM_FAULT_FILE_FORMAT, what, word);
}

static pm_result read_offset(bvh_reader *reader, double offset[3]) {
    pm_result result = PM_OK;
    for (int axis = 0; axis < 3 && !result; axis++) result = read_number(reader, "an offset", &offset[axis]);
    return result;
}

static pm_result read_channels(bvh_reader *reader, bvh_joint *joint) {
    double count;
    pm_word word = pm_text_word(&reader->text);
    if (!pm_word_number(word, &count) || !(count >= 0 && count <= MAX_CHANNELS) || count != floor(count))
        return refuse(reader, PM_FAULT_FILE_FORMAT, "a number of channels from 0 to 6", word);
    joint->channel_count = (uint32_t)count;
    joint->first_column = reader->column_count;
    reader->column_count += joint->channel_count;
    uint32_t seen = 0;
    for (uint32_t c = 0; c < joint->channel_count; c++) {
        word = pm_text_word(&reader->text);
        uint8_t channel = 0;
        while (channel < MAX_CHANNELS && !pm_word_is(word, channel_names[channel])) channel++;
        // An axis may turn twice (Z X Z), but a position can only be given once.
        if (channel == MAX_CHANNELS || (channel < 3 && seen & 1u << channel))
            return refuse(reader, PM_FAULT_FILE_FORMAT, "another channel such as Xposition or Zrotation",
                          word);
        seen |= 1u << channel;
        joint->channels[c] = channel;
        if (channel < 3)
            joint->has_positions = true;
        else
            joint->has_rotations = true;
    }
    return PM_OK;
}

// "End Site" and its braces, after the "End".
static pm_result skip_end_site(bvh_reader *reader) {
    double offset[3];
    pm_result result = expect(reader, "Site");
    // Some writers name their end sites.
    if (!result) pm_text_name(&reader->text);
    if (!result) result = expect(reader, "{");
    if (!result) result = expect(reader, "OFFSET");
    if (!result) result = read_offset(reader, offset);
    return result ? result : expect(reader, "}");
}

// A name and an opening brace, after "ROOT" or "JOINT".
static pm_result open_joint(bvh_reader *reader, uint32_t parent) {
    pm_scene_builder *builder = reader->builder;
    pm_word name = pm_text_name(&reader->text);
    char *copy = pm_arena_copy_text(&builder->scratch, name.start, name.length);
    if (!copy) return pm_fail_memory(builder->report, "a joint's name");
    pm_result result = expect(reader, "{");
    if (!result)
        builder->nodes[builder->node_count++] = (pm_node_def){.name = copy, .parent = parent, .used = true};
    return result;
}

// The closing brace of a joint: all of its own lines have been read.
static pm_result close_joint(bvh_reader *reader, uint32_t node) {
    const bvh_joint *joint = &reader->joints[node];
    pm_transform *rest = &reader->builder->nodes[node].rest;
    if (!joint->has_offset)
        return pm_fail(reader->builder->report, PM_ERROR_FORMAT, PM_FAULT_FILE_FORMAT,
                       pm_scene_builder_place(reader->builder, NULL, NULL),
                       "line %u: joint \"%s\" has no OFFSET", (unsigned)reader->text.line,
                       reader->builder->nodes[node].name);
    *rest = (pm_transform){.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    for (int axis = 0; axis < 3; axis++) rest->translation[axis] = pm_import_float(joint->offset[axis]);
    return PM_OK;
}

// One line, or brace, within a joint. `node` becomes the joint that is open afterwards, or PM_NONE.
static pm_result read_joint_part(bvh_reader *reader, uint32_t *node) {
    bvh_joint *joint = &reader->joints[*node];
    pm_word word = pm_text_word(&reader->text);
    if (pm_word_is(word, "OFFSET") && !joint->has_offset) {
        joint->has_offset = true;
        return read_offset(reader, joint->offset);
    }
    if (pm_word_is(word, "CHANNELS") && !joint->channel_count) return read_channels(reader, joint);
    if (pm_word_is(word, "End")) return skip_end_site(reader);
    if (pm_word_is(word, "JOINT")) {
        pm_result result = open_joint(reader, *node);
        if (!result) *node = reader->builder->node_count - 1;
        return result;
    }
    if (pm_word_is(word, "}")) {
        pm_result result = close_joint(reader, *node);
        if (!result) *node = reader->builder->nodes[*node].parent;
        return result;
    }
    return refuse(reader, PM_FAULT_FILE_FORMAT, "OFFSET, CHANNELS, JOINT, End Site or }", word);
}

// No more joints than opening braces.
static pm_result allocate_joints(bvh_reader *reader) {
    pm_scene_builder *builder = reader->builder;
    size_t braces = 0;
    for (const char *at = reader->text.at; at < reader->text.end; at++) braces += *at == '{';
    builder->nodes = pm_arena_allocate(&builder->scratch, braces, sizeof *builder->nodes);
    reader->joints = pm_arena_allocate(&builder->scratch, braces, sizeof *reader->joints);
    // A joint takes more than one byte of text, so that this only guards the counters of 32 bits.
    if (!builder->nodes || !reader->joints || braces >= PM_NONE / MAX_CHANNELS)
        return pm_fail_memory(builder->report, "joints");
    return PM_OK;
}

// From HIERARCHY to MOTION. More than one ROOT is allowed.
static pm_result read_hierarchy(bvh_reader *reader) {
    pm_result result = allocate_joints(reader);
    if (!result) result = expect(reader, "HIERARCHY");
    if (!result) result = expect(reader, "ROOT");
    while (!result) {
        result = open_joint(reader, PM_NONE);
        uint32_t node = reader->builder->node_count - 1;
        while (!result && node != PM_NONE) result = read_joint_part(reader, &node);
        if (result) break;
        pm_word word = pm_text_word(&reader->text);
        if (pm_word_is(word, "MOTION")) return PM_OK;
        if (!pm_word_is(word, "ROOT")) result = refuse(reader, PM_FAULT_FILE_FORMAT, "ROOT or MOTION", word);
    }
    return result;
}

static pm_result read_motion_header(bvh_reader *reader) {
    pm_result result = expect(reader, "Frames");
    if (!result) result = expect(reader, ":");
    if (result) return result;
    double count;
    pm_word word = pm_text_word(&reader->text);
    if (!pm_word_number(word, &count) || !(count >= 0 && count < PM_NONE) || count != floor(count))
        return refuse(reader, PM_FAULT_FILE_FORMAT, "a number of frames", word);
    reader->frame_count = (uint32_t)count;
    result = expect(reader, "Frame");
    if (!result) result = expect(reader, "Time");
    if (!result) result = expect(reader, ":");
    if (result) return result;
    word = pm_text_word(&reader->text);
    if (!pm_word_number(word, &reader->frame_seconds) || !(reader->frame_seconds > 0) ||
        isinf(reader->frame_seconds))
        return refuse(reader, PM_FAULT_FILE_FORMAT, "a frame time above 0", word);
    return PM_OK;
}

// Values are counted before memory is taken, so that a false number of frames costs none.
static pm_result check_value_count(const bvh_reader *reader) {
    pm_text rest = reader->text;
    uint64_t count = 0;
    while (pm_text_word(&rest).length) count++;
    uint64_t expected = (uint64_t)reader->frame_count * reader->column_count;
    if (count == expected) return PM_OK;
    double frames = (double)count / (reader->column_count ? reader->column_count : 1);
    return pm_fail(reader->builder->report, PM_ERROR_FORMAT,
                   count < expected ? PM_FAULT_FILE_TRUNCATED : PM_FAULT_KEY_COUNT,
                   pm_scene_builder_place(reader->builder, NULL, NULL),
                   "%u frames of %u values are declared, but %llu values follow, which is %.10g frames",
                   (unsigned)reader->frame_count, (unsigned)reader->column_count, (unsigned long long)count,
                   frames);
}

static pm_result read_motion(bvh_reader *reader) {
    pm_result result = read_motion_header(reader);
    if (!result) result = check_value_count(reader);
    if (result) return result;
    size_t count = (size_t)reader->frame_count * reader->column_count;
    reader->values = pm_arena_allocate(&reader->builder->scratch, count, sizeof *reader->values);
    if (!reader->values) return pm_fail_memory(reader->builder->report, "motion");
    for (size_t i = 0; i < count && !result; i++) result = read_number(reader, "a value", &reader->values[i]);
    return result;
}

static void fill_translations(const bvh_reader *reader, const bvh_joint *joint, float *out) {
    for (uint32_t frame = 0; frame < reader->frame_count; frame++) {
        const double *row = reader->values + (size_t)frame * reader->column_count + joint->first_column;
        double translation[3];
        memcpy(translation, joint->offset, sizeof translation);
        for (uint32_t c = 0; c < joint->channel_count; c++)
            if (joint->channels[c] < 3) translation[joint->channels[c]] = row[c];
        for (int axis = 0; axis < 3; axis++) *out++ = pm_import_float(translation[axis]);
    }
}

// q becomes q times a turn about one of the axes: the turn is applied first, in the frame that q gives.
static void turn(double q[4], int axis, double degrees) {
    // The half angle has a period of 720 degrees; fmod is exact.
    double half_radians = fmod(degrees, 720.0) * (0.5 * PM_RADIANS_PER_DEGREE);
    double s = pm_sin(half_radians), c = pm_cos(half_radians);
    int next = (axis + 1) % 3, last = (axis + 2) % 3;
    double w = q[3] * c - q[axis] * s;
    double along = q[axis] * c + q[3] * s;
    double b = q[next] * c + q[last] * s;
    double d = q[last] * c - q[next] * s;
    q[axis] = along, q[next] = b, q[last] = d, q[3] = w;
}

static void fill_rotations(const bvh_reader *reader, const bvh_joint *joint, float *out) {
    for (uint32_t frame = 0; frame < reader->frame_count; frame++) {
        const double *row = reader->values + (size_t)frame * reader->column_count + joint->first_column;
        double q[4] = {0, 0, 0, 1};
        for (uint32_t c = 0; c < joint->channel_count; c++)
            if (joint->channels[c] >= 3) turn(q, joint->channels[c] - 3, row[c]);
        for (int i = 0; i < 4; i++) *out++ = (float)q[i];
    }
}

// Adds the channel of one path of a joint and returns room for its keys, or NULL if memory is short.
static float *add_channel(const bvh_reader *reader, pm_clip_draft *clip, uint32_t node, pm_path path,
                          const float *times) {
    uint32_t components = pm_path_component_count(path);
    float *values =
        pm_arena_allocate(&reader->builder->kept, (size_t)reader->frame_count * components, sizeof *values);
    clip->channels[clip->channel_count++] = (pm_channel){
        .path = path,
        .interpolation = PM_INTERPOLATION_LINEAR,
        .target = node,
        .component_count = components,
        .key_count = reader->frame_count,
        .value_count = reader->frame_count,
        .times = times,
        .values = values,
    };
    return values;
}

static pm_result make_channels(const bvh_reader *reader, pm_clip_draft *clip) {
    pm_scene_builder *builder = reader->builder;
    float *times = pm_arena_allocate(&builder->kept, reader->frame_count, sizeof *times);
    clip->channels =
        pm_arena_allocate(&builder->scratch, 2 * (size_t)builder->node_count, sizeof *clip->channels);
    if (!times || !clip->channels) return pm_fail_memory(builder->report, "channels");
    for (uint32_t frame = 0; frame < reader->frame_count; frame++)
        times[frame] = pm_import_float(frame * reader->frame_seconds);
    for (uint32_t node = 0; node < builder->node_count; node++) {
        const bvh_joint *joint = &reader->joints[node];
        if (joint->has_positions) {
            float *values = add_channel(reader, clip, node, PM_PATH_TRANSLATION, times);
            if (!values) return pm_fail_memory(builder->report, "keys");
            fill_translations(reader, joint, values);
        }
        if (joint->has_rotations) {
            float *values = add_channel(reader, clip, node, PM_PATH_ROTATION, times);
            if (!values) return pm_fail_memory(builder->report, "keys");
            fill_rotations(reader, joint, values);
        }
    }
    return PM_OK;
}

// The format has no name for its motion; the file's serves.
static char *clip_name(pm_scene_builder *builder) {
    const char *path = builder->file ? builder->file : "";
    const char *slash = strrchr(path, '/');
    const char *start = slash ? slash + 1 : path;
    const char *point = strrchr(start, '.');
    size_t length = point && point > start ? (size_t)(point - start) : strlen(start);
    return pm_arena_copy_text(&builder->kept, start, length);
}

static pm_result make_clip(const bvh_reader *reader) {
    pm_scene_builder *builder = reader->builder;
    pm_clip_draft *clip = pm_arena_allocate(&builder->scratch, 1, sizeof *clip);
    if (!clip || !(clip->name = clip_name(builder))) return pm_fail_memory(builder->report, "a clip");
    builder->clips = clip;
    builder->clip_count = 1;
    if (reader->frame_count && reader->column_count) return make_channels(reader, clip);
    pm_diagnose(builder->report, PM_SEVERITY_NOTE, PM_FAULT_CLIP_EMPTY,
                pm_scene_builder_place(builder, clip->name, NULL), "the file has %s, only a skeleton",
                reader->frame_count ? "no channels" : "no frames");
    return PM_OK;
}

static pm_result read_bvh(pm_scene_builder *builder, const void *bytes, size_t size) {
    bvh_reader reader = {.builder = builder, .text = pm_text_of(bytes, size)};
    pm_result result = read_hierarchy(&reader);
    if (!result) result = read_motion(&reader);
    return result ? result : make_clip(&reader);
}

pm_result pm_import_bvh_memory(const void *bytes, size_t size, const char *path,
                               const pm_import_options *options, pm_scene **scene, pm_report *report) {
    pm_scene_builder builder;
    pm_result result = pm_scene_builder_start(&builder, path, options, report);
    if (!result) result = read_bvh(&builder, bytes, size);
    return pm_scene_builder_finish(&builder, result, scene);
}

pm_result pm_import_bvh_file(const char *path, const pm_import_options *options, pm_scene **scene,
                             pm_report *report) {
    pm_scene_builder builder;
    pm_bytes bytes;
    pm_result result = pm_scene_builder_start(&builder, path, options, report);
    if (!result)
        result = pm_file_read(&builder.scratch, path, pm_scene_builder_place(&builder, NULL, NULL), report,
                              &bytes);
    if (!result) result = read_bvh(&builder, bytes.data, bytes.size);
    return pm_scene_builder_finish(&builder, result, scene);
}
