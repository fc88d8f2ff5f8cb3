// BVH motion capture.
#include <posemill/import.h>

#include "import/bvh.h"
#include "support/bvh_reference.h"
#include "support/diagnostics.h"
#include "support/failing_allocator.h"
#include "support/files.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Positions on three joints, all six on one of them, Y only on another; a rotation order for each; two joints
// of one name.
static const char *const hierarchy =
    "HIERARCHY\n"
    "ROOT Hips\n"
    "{\n"
    "  OFFSET 1 2 3\n"
    "  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
    "  JOINT Arm\n"
    "  {\n"
    "    OFFSET 0 10 0\n"
    "    CHANNELS 6 Xposition Yposition Zposition Xrotation Yrotation Zrotation\n"
    "    JOINT Hand\n"
    "    {\n"
    "      OFFSET 4 5 6\n"
    "      CHANNELS 4 Yposition Yrotation Zrotation Xrotation\n"
    "      End Site\n"
    "      {\n"
    "        OFFSET 0 10 0\n"
    "      }\n"
    "    }\n"
    "  }\n"
    "  JOINT Arm\n"
    "  {\n"
    "    OFFSET 0 -11 0\n"
    "    CHANNELS 1 Xrotation\n"
    "    End Site\n"
    "    {\n"
    "      OFFSET 0 10 0\n"
    "    }\n"
    "  }\n"
    "}\n";

static const char *const first_frame = "0 0 0 0 0 0  0 0 0 0 0 0  0 0 0 0  0\n";
static const char *const second_frame = "1 2 3 10 20 30  4 5 6 40 50 60  7 80 90 100  90\n";

static pm_result import(const char *text, pm_scene **scene, pm_report *report) {
    return pm_import_bvh_memory(text, strlen(text), "folder/take 1.bvh", NULL, scene, report);
}

static pm_scene *import_ok(const char *text) {
    pm_report report = {0};
    pm_scene *scene = NULL;
    cr_assert_eq(import(text, &scene, &report), PM_OK, "%s", report.message);
    return scene;
}

static void expect_refused(const char *text, pm_fault fault, const char *words) {
    pm_report report = {0};
    pm_scene *scene = (pm_scene *)&report;
    cr_assert_eq(import(text, &scene, &report), PM_ERROR_FORMAT, "accepted, where \"%s\" was due", words);
    cr_assert_null(scene);
    cr_assert_eq(report.fault, fault, "%s", report.message);
    cr_assert(strstr(report.message, words), "\"%s\" does not say \"%s\"", report.message, words);
    cr_assert(strstr(report.message, "folder/take 1.bvh"));
}

// The hierarchy above with a motion section of that many declared frames.
static char *with_motion(const char *declared, const char *frames) {
    size_t size = strlen(hierarchy) + strlen(frames) + 200;
    char *text = malloc(size);
    snprintf(text, size, "%sMOTION\nFrames: %s\nFrame Time: 0.5\n%s", hierarchy, declared, frames);
    return text;
}

static char *two_frames(void) {
    char frames[256];
    snprintf(frames, sizeof frames, "%s%s", first_frame, second_frame);
    return with_motion("2", frames);
}

static const pm_channel *find_channel(const pm_scene *scene, uint32_t node, pm_path path) {
    uint32_t joint = scene->skeleton->node_to_joint[node];
    for (uint32_t c = 0; c < scene->clips[0].channel_count; c++) {
        const pm_channel *channel = &scene->clips[0].channels[c];
        if (channel->path == path && channel->target == joint) return channel;
    }
    return NULL;
}

// One joint, one frame.
static pm_scene *import_single(const char *channels, const char *values) {
    char text[512];
    snprintf(text, sizeof text,
             "HIERARCHY ROOT A\n{ OFFSET 0 0 0 CHANNELS %s End Site\n{ OFFSET 0 1 0 } }\n"
             "MOTION Frames: 1 Frame Time: 1 %s\n",
             channels, values);
    return import_ok(text);
}

static void expect_rotation(const char *channels, const char *values, double x, double y, double z,
                            double w) {
    pm_scene *scene = import_single(channels, values);
    const float *q = find_channel(scene, 0, PM_PATH_ROTATION)->values;
    double dot = fabs(q[0] * x + q[1] * y + q[2] * z + q[3] * w);
    cr_assert(fabs(dot - 1) < 1e-7, "%s %s gives %g %g %g %g", channels, values, q[0], q[1], q[2], q[3]);
    pm_scene_destroy(scene);
}

Test(bvh, rotation_order_as_declared) {
    // Two quarter turns: X Y gives i, j, k and 1 in equal parts; Y X the same with k negative.
    expect_rotation("2 Xrotation Yrotation", "90 90", 0.5, 0.5, 0.5, 0.5);
    expect_rotation("2 Yrotation Xrotation", "90 90", 0.5, 0.5, -0.5, 0.5);
    expect_rotation("2 Yrotation Zrotation", "90 90", 0.5, 0.5, 0.5, 0.5);
    expect_rotation("2 Zrotation Xrotation", "90 90", 0.5, 0.5, 0.5, 0.5);
    // All three: Z X Y of 90 degrees each is (Z X) Y.
    expect_rotation("3 Zrotation Xrotation Yrotation", "90 90 90", 0, sqrt(0.5), sqrt(0.5), 0);
    expect_rotation("3 Xrotation Yrotation Zrotation", "90 90 90", sqrt(0.5), 0, sqrt(0.5), 0);
    // An axis may come twice.
    expect_rotation("3 Zrotation Xrotation Zrotation", "90 90 -90", 0, sqrt(0.5), 0, sqrt(0.5));
}

Test(bvh, degrees_of_many_turns) {
    expect_rotation("1 Zrotation", "30", 0, 0, sin(15 * 3.14159265358979 / 180),
                    cos(15 * 3.14159265358979 / 180));
    expect_rotation("1 Zrotation", "360000000030", 0, 0, sin(15 * 3.14159265358979 / 180),
                    cos(15 * 3.14159265358979 / 180));
    expect_rotation("1 Yrotation", "-720000000180", 0, 1, 0, 0);
}

Test(bvh, offsets_are_rest_translations_and_end_sites_are_no_joints) {
    char *text = two_frames();
    pm_scene *scene = import_ok(text);
    free(text);
    static const struct {
        const char *name;
        uint32_t parent;
        float offset[3];
    } expected[] = {{"Hips", PM_NONE, {1, 2, 3}},
                    {"Arm", 0, {0, 10, 0}},
                    {"Hand", 1, {4, 5, 6}},
                    {"Arm", 0, {0, -11, 0}}};
    const pm_skeleton *skeleton = scene->skeleton;
    cr_assert_eq(skeleton->node_count, 4);
    cr_assert_eq(skeleton->joint_count, 4);
    for (uint32_t node = 0; node < 4; node++) {
        uint32_t joint = skeleton->node_to_joint[node];
        cr_assert_str_eq(skeleton->names[joint], expected[node].name);
        uint32_t parent = skeleton->parents[joint];
        cr_assert_eq(parent == PM_NONE ? PM_NONE : skeleton->joint_to_node[parent], expected[node].parent);
        pm_transform rest = pm_pose_get_joint(skeleton->rest, joint);
        cr_assert(memcmp(rest.translation, expected[node].offset, sizeof rest.translation) == 0);
        cr_assert(rest.rotation[3] == 1 && rest.scale[0] == 1 && rest.scale[1] == 1 && rest.scale[2] == 1);
    }
    cr_assert_eq(scene->clip_count, 1);
    cr_assert_str_eq(scene->clips[0].name, "take 1");
    cr_assert_eq(scene->mesh_count, 0);
    pm_scene_destroy(scene);
}

Test(bvh, positions_on_joints_other_than_the_root) {
    char *text = two_frames();
    pm_scene *scene = import_ok(text);
    free(text);
    const pm_channel *arm = find_channel(scene, 1, PM_PATH_TRANSLATION);
    cr_assert(arm && arm->key_count == 2 && arm->interpolation == PM_INTERPOLATION_LINEAR);
    cr_assert(memcmp(arm->values, (float[]){0, 0, 0, 4, 5, 6}, 6 * sizeof(float)) == 0);
    // Y only: the others stay at the offset.
    const pm_channel *hand = find_channel(scene, 2, PM_PATH_TRANSLATION);
    cr_assert(hand && memcmp(hand->values, (float[]){4, 0, 6, 4, 7, 6}, 6 * sizeof(float)) == 0);
    cr_assert_null(find_channel(scene, 3, PM_PATH_TRANSLATION));
    pm_scene_destroy(scene);
}

Test(bvh, joints_of_one_name_are_told_apart) {
    char *text = two_frames();
    diagnostics list;
    pm_report report = diagnostics_report(&list);
    pm_scene *scene;
    cr_assert_eq(import(text, &scene, &report), PM_OK);
    free(text);
    cr_assert_eq(diagnostics_count(&list, PM_FAULT_NAME_DUPLICATE), 1);
    const float *first = find_channel(scene, 1, PM_PATH_ROTATION)->values + 4;
    const float *second = find_channel(scene, 3, PM_PATH_ROTATION)->values + 4;
    // The second turns about x by 90 degrees, the first by 40, 50 and 60 about all three.
    cr_assert(fabsf(second[0] - sqrtf(0.5f)) < 1e-6f && second[1] == 0 && second[2] == 0);
    cr_assert(fabsf(first[1]) > 0.1f);
    pm_scene_destroy(scene);
}

Test(bvh, a_frame_count_that_disagrees_with_the_data_is_refused) {
    char frames[256];
    snprintf(frames, sizeof frames, "%s%s", first_frame, second_frame);
    char *more = with_motion("3", frames), *fewer = with_motion("1", frames);
    expect_refused(more, PM_FAULT_FILE_TRUNCATED,
                   "3 frames of 17 values are declared, but 34 values follow, which is 2 frames");
    expect_refused(fewer, PM_FAULT_KEY_COUNT,
                   "1 frames of 17 values are declared, but 34 values follow, which is 2 frames");
    char *part = with_motion("2", "0 0 0 0 0 0  0 0 0 0 0 0  0 0 0 0  0\n 1 2 3");
    expect_refused(part, PM_FAULT_FILE_TRUNCATED, "but 20 values follow");
    // No memory is taken for what is only claimed.
    char *claim = with_motion("4294967294", frames);
    expect_refused(claim, PM_FAULT_FILE_TRUNCATED, "4294967294 frames");
    free(more), free(fewer), free(part), free(claim);
}

Test(bvh, times_are_products_in_double_precision) {
    char text[40000] = "HIERARCHY\nROOT A\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\n"
                       "Frames: 9000\nFrame Time: .0083333\n";
    size_t length = strlen(text);
    for (int frame = 0; frame < 9000; frame++) length += (size_t)sprintf(text + length, "%d\n", frame % 10);
    pm_scene *scene = import_ok(text);
    const pm_channel *channel = &scene->clips[0].channels[0];
    for (uint32_t frame = 0; frame < 9000; frame++)
        cr_assert_eq(channel->times[frame], (float)(frame * .0083333));
    pm_scene_destroy(scene);
}

Test(bvh, line_ends_braces_names_and_case_as_writers_have_them) {
    pm_scene *scene =
        import_ok("\xEF\xBB\xBFhierarchy\r\nroot mixamorig:Left Hand {\r\n\tOffset 1e0 -.5 +2.\r\n"
                  "\tchannels 3 XPOSITION yrotation Zrotation\r\n\tend site toe {\r\n\t\tOFFSET 0 0 0\r\n"
                  "\t}\r\n}\r\nmotion\r\nFrames:2\r\nframe time:\t0.25\r\n1 2\r\n3\r\n 4 5 6");
    cr_assert_str_eq(scene->skeleton->names[0], "mixamorig:Left Hand");
    pm_transform rest = pm_pose_get_joint(scene->skeleton->rest, 0);
    cr_assert(rest.translation[0] == 1 && rest.translation[1] == -0.5f && rest.translation[2] == 2);
    const pm_channel *translation = find_channel(scene, 0, PM_PATH_TRANSLATION);
    cr_assert(memcmp(translation->values, (float[]){1, -0.5f, 2, 4, -0.5f, 2}, 6 * sizeof(float)) == 0);
    cr_assert_eq(translation->times[1], 0.25f);
    pm_scene_destroy(scene);
}

Test(bvh, several_roots) {
    pm_scene *scene = import_ok(
        "HIERARCHY\nROOT A\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\n"
        "ROOT B\n{\nOFFSET 5 0 0\nCHANNELS 1 Yposition\n}\nMOTION\nFrames: 1\nFrame Time: 1\n0 7\n");
    cr_assert_eq(scene->skeleton->joint_count, 2);
    cr_assert_eq(scene->skeleton->parents[1], PM_NONE);
    cr_assert(memcmp(find_channel(scene, 1, PM_PATH_TRANSLATION)->values, (float[]){5, 7, 0},
                     3 * sizeof(float)) == 0);
    pm_scene_destroy(scene);
}

Test(bvh, no_frames_or_no_channels_leave_a_skeleton) {
    static const char *const texts[] = {
        "HIERARCHY\nROOT A\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\nFrames: 0\nFrame Time: 1\n",
        "HIERARCHY\nROOT A\n{\nOFFSET 0 0 0\n}\nMOTION\nFrames: 4000000000\nFrame Time: 1\n"};
    for (size_t i = 0; i < 2; i++) {
        diagnostics list;
        pm_report report = diagnostics_report(&list);
        pm_scene *scene;
        cr_assert_eq(import(texts[i], &scene, &report), PM_OK);
        cr_assert_eq(scene->skeleton->joint_count, 1);
        cr_assert(scene->clip_count == 1 && scene->clips[0].channel_count == 0);
        cr_assert_eq(diagnostics_count(&list, PM_FAULT_CLIP_EMPTY), 1);
        pm_scene_destroy(scene);
    }
}

Test(bvh, a_value_that_is_no_number_costs_its_channel_only) {
    pm_scene *scene = import_single("4 Xposition Xrotation Yrotation Zrotation", "nan 10 20 30");
    cr_assert(isnan(find_channel(scene, 0, PM_PATH_TRANSLATION)->values[0]));
    cr_assert(isfinite(find_channel(scene, 0, PM_PATH_ROTATION)->values[0]));
    pm_scene_destroy(scene);
    scene = import_single("2 Xposition Xrotation", "1e300 inf");
    cr_assert(isinf(find_channel(scene, 0, PM_PATH_TRANSLATION)->values[0]));
    cr_assert(isnan(find_channel(scene, 0, PM_PATH_ROTATION)->values[0]));
    pm_scene_destroy(scene);
}

Test(bvh, broken_files_are_refused_with_line_and_reason) {
    static const struct {
        const char *text;
        pm_fault fault;
        const char *words;
    } cases[] = {
        {"", PM_FAULT_FILE_TRUNCATED, "the file ends at line 1, where HIERARCHY should be"},
        {"MOTION", PM_FAULT_FILE_FORMAT, "line 1: \"MOTION\" where HIERARCHY should be"},
        {"HIERARCHY\nJOINT A", PM_FAULT_FILE_FORMAT, "line 2: \"JOINT\" where ROOT should be"},
        {"HIERARCHY ROOT A", PM_FAULT_FILE_TRUNCATED, "where { should be"},
        {"HIERARCHY ROOT A\n{ OFFSET 0 0 }", PM_FAULT_FILE_FORMAT, "\"}\" where an offset should be"},
        {"HIERARCHY ROOT A\n{ }", PM_FAULT_FILE_FORMAT, "joint \"A\" has no OFFSET"},
        {"HIERARCHY ROOT A\n{ OFFSET 0 0 0 OFFSET 0 0 0 }", PM_FAULT_FILE_FORMAT, "\"OFFSET\" where"},
        {"HIERARCHY ROOT A\n{ OFFSET 0 0 0 CHANNELS 7", PM_FAULT_FILE_FORMAT, "a number of channels"},
        {"HIERARCHY ROOT A\n{ OFFSET 0 0 0 CHANNELS 1.5", PM_FAULT_FILE_FORMAT, "a number of channels"},
        {"HIERARCHY ROOT A\n{ OFFSET 0 0 0 CHANNELS 1 Xscale", PM_FAULT_FILE_FORMAT,
         "\"Xscale\" where another channel"},
        {"HIERARCHY ROOT A\n{ OFFSET 0 0 0 CHANNELS 2 Xposition xposition", PM_FAULT_FILE_FORMAT,
         "another channel"},
        {"HIERARCHY ROOT A\n{ OFFSET 0 0 0 } }", PM_FAULT_FILE_FORMAT, "where ROOT or MOTION should be"},
        {"HIERARCHY ROOT A\n{ OFFSET 0 0 0 End Site\n{ JOINT", PM_FAULT_FILE_FORMAT,
         "where OFFSET should be"},
        {"HIERARCHY ROOT A\n{ OFFSET 0 0 0 }", PM_FAULT_FILE_TRUNCATED, "where ROOT or MOTION should be"},
        {"HIERARCHY ROOT A\n{ OFFSET 0 0 0 } MOTION Frames: -1", PM_FAULT_FILE_FORMAT, "a number of frames"},
        {"HIERARCHY ROOT A\n{ OFFSET 0 0 0 } MOTION Frames: 1 Frame Time: 0", PM_FAULT_FILE_FORMAT,
         "a frame time above 0"},
        {"HIERARCHY ROOT A\n{ OFFSET 0 0 0 } MOTION Frames: 1 Frame Time: nan", PM_FAULT_FILE_FORMAT,
         "a frame time"},
        {"HIERARCHY ROOT A\n{ OFFSET 0 0 0 CHANNELS 1 Xrotation } MOTION Frames: 1 Frame Time: 1\n\n0,5",
         PM_FAULT_FILE_FORMAT, "line 4: \"0,5\" where a value should be"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_refused(cases[i].text, cases[i].fault, cases[i].words);
}

Test(bvh, a_skeleton_that_is_not_finite_is_refused) {
    pm_report report = {0};
    pm_scene *scene;
    pm_result result =
        import("HIERARCHY ROOT A\n{ OFFSET 1e300 0 0 } MOTION Frames: 0 Frame Time: 1", &scene, &report);
    cr_assert_eq(result, PM_ERROR_DATA);
    cr_assert_null(scene);
    cr_assert_eq(report.fault, PM_FAULT_SKELETON_REST, "%s", report.message);
}

Test(bvh, any_cut_and_any_damage_is_an_error_or_a_scene) {
    char *text = two_frames();
    size_t size = strlen(text);
    for (size_t length = 0; length < size; length++) {
        pm_report report = {0};
        pm_scene *scene;
        // Of an exact size, so that a read beyond the end is seen.
        char *cut = malloc(length ? length : 1);
        memcpy(cut, text, length);
        pm_result result = pm_import_bvh_memory(cut, length, NULL, NULL, &scene, &report);
        // Only white space and the last digit may go.
        cr_assert(result || length >= size - 2, "%zu of %zu bytes", length, size);
        cr_assert_eq(result == PM_OK, report.message[0] == '\0');
        pm_scene_destroy(scene);
        free(cut);
    }
    srand(7);
    for (int i = 0; i < 3000; i++) {
        char *damaged = malloc(size);
        memcpy(damaged, text, size);
        for (int n = rand() % 4; n >= 0; n--) damaged[(size_t)rand() % size] = "{}:\n 0-eXJ\xff"[rand() % 11];
        pm_scene *scene;
        pm_result result = pm_import_bvh_memory(damaged, size, NULL, NULL, &scene, NULL);
        cr_assert_eq(result == PM_OK, scene != NULL);
        pm_scene_destroy(scene);
        free(damaged);
    }
    free(text);
}

Test(bvh, an_allocation_that_fails_leaks_nothing) {
    char *text = two_frames();
    uint64_t fail_at = 1;
    for (;; fail_at++) {
        failing_allocator memory = {.fail_at = fail_at};
        pm_allocator allocator = failing_allocator_interface(&memory);
        pm_import_options options = pm_default_import_options();
        options.allocator = &allocator;
        pm_report report = {0};
        pm_scene *scene;
        pm_result result = pm_import_bvh_memory(text, strlen(text), "a.bvh", &options, &scene, &report);
        pm_scene_destroy(scene);
        cr_assert_eq(memory.live_count, 0);
        if (memory.allocation_count < fail_at) {
            cr_assert_eq(result, PM_OK, "%s", report.message);
            break;
        }
        cr_assert_eq(result, PM_ERROR_MEMORY);
        cr_assert_eq(report.fault, PM_FAULT_MEMORY);
    }
    cr_assert_gt(fail_at, 3);
    free(text);
}

Test(bvh, a_file_is_found_by_its_extension_in_any_case) {
    char path[FILES_PATH_SIZE];
    char *text = two_frames();
    temporary_write("Take.BVH", text, strlen(text), path);
    free(text);
    pm_report report = {0};
    pm_scene *scene;
    cr_assert_eq(pm_import_file(path, NULL, &scene, &report), PM_OK, "%s", report.message);
    cr_assert_str_eq(scene->clips[0].name, "Take");
    cr_assert_str_eq(scene->file, path);
    pm_scene_destroy(scene);
    temporary_remove(path);
    cr_assert_eq(pm_import_file(path, NULL, &scene, &report), PM_ERROR_FILE);
    cr_assert_null(scene);
    cr_assert(strstr(report.message, "No such file"), "%s", report.message);
}

// Positions of all joints of all frames, through the importer's keys and through matrices.
static void compare_with_reference(const char *path) {
    bvh_reference *reference = bvh_reference_read(path);
    pm_report report = {0};
    pm_scene *scene;
    cr_assert_eq(pm_import_file(path, NULL, &scene, &report), PM_OK, "%s", report.message);
    const pm_skeleton *skeleton = scene->skeleton;
    cr_assert_eq((int)skeleton->node_count, reference->joint_count);
    cr_assert_eq((int)skeleton->joint_count, reference->joint_count);
    static double expected[128][3], actual[128][3], rotations[128][4];
    for (int frame = 0; frame < reference->frame_count; frame++) {
        bvh_reference_positions(reference, frame, expected);
        double size = 0, error = 0;
        for (uint32_t node = 0; node < skeleton->node_count; node++) {
            pm_transform rest = pm_pose_get_joint(skeleton->rest, skeleton->node_to_joint[node]);
            const pm_channel *moved = find_channel(scene, node, PM_PATH_TRANSLATION);
            const pm_channel *turned = find_channel(scene, node, PM_PATH_ROTATION);
            const float *t = moved ? moved->values + 3 * frame : rest.translation;
            const float *r = turned ? turned->values + 4 * frame : rest.rotation;
            int parent = reference->joints[node].parent;
            double identity[4] = {0, 0, 0, 1}, origin[3] = {0, 0, 0};
            const double *q = parent < 0 ? identity : rotations[parent],
                         *p = parent < 0 ? origin : actual[parent];
            // p + q t q*, by way of 2 q x (q x t + w t).
            double c[3] = {q[1] * t[2] - q[2] * t[1] + q[3] * t[0], q[2] * t[0] - q[0] * t[2] + q[3] * t[1],
                           q[0] * t[1] - q[1] * t[0] + q[3] * t[2]};
            actual[node][0] = p[0] + t[0] + 2 * (q[1] * c[2] - q[2] * c[1]);
            actual[node][1] = p[1] + t[1] + 2 * (q[2] * c[0] - q[0] * c[2]);
            actual[node][2] = p[2] + t[2] + 2 * (q[0] * c[1] - q[1] * c[0]);
            rotations[node][0] = q[3] * r[0] + q[0] * r[3] + q[1] * r[2] - q[2] * r[1];
            rotations[node][1] = q[3] * r[1] + q[1] * r[3] + q[2] * r[0] - q[0] * r[2];
            rotations[node][2] = q[3] * r[2] + q[2] * r[3] + q[0] * r[1] - q[1] * r[0];
            rotations[node][3] = q[3] * r[3] - q[0] * r[0] - q[1] * r[1] - q[2] * r[2];
            for (int axis = 0; axis < 3; axis++) {
                size = fmax(size, fabs(expected[node][axis]));
                error = fmax(error, fabs(expected[node][axis] - actual[node][axis]));
            }
        }
        cr_assert(error <= 1e-6 * size, "%s frame %d: off by %g of %g", path, frame, error, size);
    }
    pm_scene_destroy(scene);
    bvh_reference_free(reference);
}

Test(bvh, a_small_file_as_matrices_give_it) {
    char path[FILES_PATH_SIZE];
    char *text = two_frames();
    temporary_write("small.bvh", text, strlen(text), path);
    free(text);
    compare_with_reference(path);
    temporary_remove(path);
}

Test(bvh, jumping_jacks_as_matrices_give_them) {
    char path[FILES_PATH_SIZE];
    if (!data_path("models/bvh/jumping_jacks.bvh", path)) cr_skip_test("no data folder");
    compare_with_reference(path);
}

Test(bvh, dab_as_matrices_give_it) {
    char path[FILES_PATH_SIZE];
    if (!data_path("models/bvh/dab.bvh", path)) cr_skip_test("no data folder");
    compare_with_reference(path);
}

Test(bvh, motion_capture_of_the_distribution_as_matrices_give_it) {
    const char *path = "/usr/share/assimp/models/BVH/01_01.bvh";
    if (!file_exists(path)) cr_skip_test("assimp-testmodels is not installed");
    compare_with_reference(path);
}

Test(bvh, a_real_file_with_a_frame_too_many_is_refused) {
    const char *path = "/usr/share/assimp/models/BVH/Boxing_Toes.bvh";
    if (!file_exists(path)) cr_skip_test("assimp-testmodels is not installed");
    pm_report report = {0};
    pm_scene *scene;
    cr_assert_eq(pm_import_file(path, NULL, &scene, &report), PM_ERROR_FORMAT);
    cr_assert(strstr(report.message,
                     "3069 frames of 66 values are declared, but 202620 values follow, which is 3070 frames"),
              "%s", report.message);
}
