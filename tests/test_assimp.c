// FBX and Collada, through Assimp.
#include <posemill/import.h>

#include "support/diagnostics.h"
#include "support/failing_allocator.h"
#include "support/fbx_writer.h"
#include "support/files.h"
#include "support/reference.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pm_scene *import_text(const char *name, const char *text, pm_report *report) {
    char path[FILES_PATH_SIZE];
    temporary_write(name, text, strlen(text), path);
    pm_scene *scene;
    pm_result result = pm_import_file(path, NULL, &scene, report);
    cr_assert_eq(result, PM_OK, "%s", report->message);
    temporary_remove(path);
    return scene;
}

static pm_scene *import_fbx(const fbx_file *file, pm_report *report) {
    char *text = fbx_write(file);
    pm_scene *scene = import_text("small.fbx", text, report);
    free(text);
    return scene;
}

// The world matrix of a joint at a time of the first clip, as rows; at rest if there is no clip.
static void joint_world(const pm_skeleton *skeleton, const reference *clip, uint32_t joint, double time,
                        double world[3][4]) {
    pm_transform rest = pm_pose_get_joint(skeleton->rest, joint);
    double t[3], q[4], s[3];
    reference_transform keyed;
    if (clip) keyed = reference_joint(clip, joint, time);
    for (int i = 0; i < 4; i++) {
        q[i] = clip ? keyed.rotation.value[i] : (double)rest.rotation[i];
        if (i == 3) break;
        t[i] = clip ? keyed.translation.value[i] : (double)rest.translation[i];
        s[i] = clip ? keyed.scale.value[i] : (double)rest.scale[i];
    }
    double local[3][4];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        local[i][i] = (1 - 2 * (q[j] * q[j] + q[k] * q[k])) * s[i];
        local[j][i] = 2 * (q[i] * q[j] + q[3] * q[k]) * s[i];
        local[k][i] = 2 * (q[i] * q[k] - q[3] * q[j]) * s[i];
        local[i][3] = t[i];
    }
    if (skeleton->parents[joint] == PM_NONE) {
        memcpy(world, local, sizeof local);
        return;
    }
    double parent[3][4];
    joint_world(skeleton, clip, skeleton->parents[joint], time, parent);
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++) {
            world[row][column] = column == 3 ? parent[row][3] : 0;
            for (int k = 0; k < 3; k++) world[row][column] += parent[row][k] * local[k][column];
        }
}

static void model_world(const fbx_file *file, int model, int key, double world[3][4]) {
    double local[3][4], parent[3][4];
    fbx_local(file, model, key, local);
    memcpy(world, local, sizeof local);
    if (file->models[model].parent < 0) return;
    model_world(file, file->models[model].parent, key, parent);
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++) {
            world[row][column] = column == 3 ? parent[row][3] : 0;
            for (int k = 0; k < 3; k++) world[row][column] += parent[row][k] * local[k][column];
        }
}

static void expect_world(const pm_scene *scene, const reference *clip, const fbx_file *file, int model,
                         int key, double time) {
    uint32_t joint = pm_skeleton_find_joint(scene->skeleton, file->models[model].name);
    cr_assert_neq(joint, PM_NONE, "no joint %s", file->models[model].name);
    double expected[3][4], actual[3][4], size = 0;
    model_world(file, model, key, expected);
    joint_world(scene->skeleton, clip, joint, time, actual);
    for (int i = 0; i < 12; i++) size = fmax(size, fabs(expected[i / 4][i % 4]));
    for (int i = 0; i < 12; i++)
        cr_assert(fabs(expected[i / 4][i % 4] - actual[i / 4][i % 4]) <= 4e-6 * size,
                  "%s, key %d, row %d, column %d: %g instead of %g", file->models[model].name, key, i / 4,
                  i % 4, actual[i / 4][i % 4], expected[i / 4][i % 4]);
}

// All models at all of `times`, which must be those of all curves, and the joints that this takes.
static void expect_motion(const fbx_file *file, const double *times, int time_count, uint32_t joint_count) {
    diagnostics list;
    pm_report report = diagnostics_report(&list);
    pm_scene *scene = import_fbx(file, &report);
    cr_assert_eq(list.count, 0, "%s", list.seen[0].message);
    cr_assert_eq(scene->clip_count, 1);
    // One more is the scene's root.
    cr_assert_eq(scene->skeleton->joint_count, joint_count + 1, "%u joints", scene->skeleton->joint_count);
    reference *clip = reference_create(&scene->clips[0], scene->skeleton);
    for (int model = 0; model < file->model_count; model++) {
        expect_world(scene, NULL, file, model, -1, 0);
        for (int key = 0; key < time_count; key++) expect_world(scene, clip, file, model, key, times[key]);
    }
    reference_destroy(clip);
    pm_scene_destroy(scene);
}

static const double three_times[] = {0, 0.5, 1};
static const double turns[][3] = {{10, 20, 30}, {-40, 80, 15}, {5, -60, 170}};
static const double moves[][3] = {{1, 2, 3}, {4, -5, 6}, {0, 0, 9}};
static const double sizes[][3] = {{1, 1, 1}, {2, 0.5, 3}, {1, 4, 1}};

Test(assimp, fbx_translation_rotation_and_scale_keys) {
    fbx_model models[] = {{.name = "Hips", .parent = -1, .translation = {1, 2, 3}, .rotation = {10, 20, 30}},
                          {.name = "Spine", .parent = 0, .translation = {0, 7, 0}, .scale = {1, 2, 1}}};
    fbx_curve curves[] = {{0, "Lcl Translation", 3, three_times, moves},
                          {0, "Lcl Rotation", 3, three_times, turns},
                          {1, "Lcl Rotation", 3, three_times, turns},
                          {1, "Lcl Scaling", 3, three_times, sizes}};
    fbx_file file = {2, 4, models, curves, NULL, NULL};
    expect_motion(&file, three_times, 3, 2);
}

Test(assimp, fbx_pre_and_post_rotations) {
    fbx_model models[] = {
        {.name = "Hips", .parent = -1, .pre_rotation = {90, 0, 45}, .translation = {1, 2, 3}},
        {.name = "Spine", .parent = 0, .translation = {0, 7, 0}, .post_rotation = {20, -30, 40}},
        {.name = "Neck",
         .parent = 1,
         .pre_rotation = {10, 20, 30},
         .post_rotation = {0, 50, 0},
         .translation = {3, 0, 1}}};
    fbx_curve curves[] = {{0, "Lcl Rotation", 3, three_times, turns},
                          {1, "Lcl Rotation", 3, three_times, turns},
                          {2, "Lcl Rotation", 3, three_times, turns},
                          {2, "Lcl Translation", 3, three_times, moves}};
    fbx_file file = {3, 4, models, curves, NULL, NULL};
    expect_motion(&file, three_times, 3, 3);
}

Test(assimp, fbx_pivots_of_moving_nodes) {
    fbx_model models[] = {{.name = "Hips",
                           .parent = -1,
                           .translation = {1, 2, 3},
                           .rotation_pivot = {0, 5, 0},
                           .rotation_offset = {1, 0, 2},
                           .pre_rotation = {90, 0, 0}},
                          {.name = "Spine",
                           .parent = 0,
                           .translation = {0, 7, 0},
                           .scaling_pivot = {1, 2, 3},
                           .scaling_offset = {0, 0, 1}},
                          {.name = "Neck", .parent = 1, .translation = {0, 1, 0}}};
    fbx_curve curves[] = {{0, "Lcl Rotation", 3, three_times, turns},
                          {1, "Lcl Rotation", 3, three_times, turns},
                          {1, "Lcl Scaling", 3, three_times, sizes},
                          {2, "Lcl Rotation", 3, three_times, turns}};
    fbx_file file = {3, 4, models, curves, NULL, NULL};
    // One for each model and one for each moving factor of the first two.
    expect_motion(&file, three_times, 3, 6);
}

Test(assimp, fbx_pivots_of_resting_nodes_cost_no_joints) {
    fbx_model models[] = {{.name = "Hips",
                           .parent = -1,
                           .translation = {1, 2, 3},
                           .rotation = {10, 20, 30},
                           .scale = {2, 3, 4},
                           .rotation_pivot = {0, 5, 0},
                           .scaling_pivot = {6, 0, 1},
                           .pre_rotation = {90, 0, 0}},
                          {.name = "Spine", .parent = 0, .translation = {0, 7, 0}}};
    fbx_curve curves[] = {{1, "Lcl Rotation", 3, three_times, turns}};
    fbx_file file = {2, 1, models, curves, NULL, NULL};
    expect_motion(&file, three_times, 3, 2);
}

// A square on the model "Quad", skinned to the models 1000 and 1001, with the morph target "Smile".
static const char *const quad_objects =
    "Geometry: 5000, \"Geometry::Quad\", \"Mesh\" {\nVertices: *12 {\na: 0,0,0,1,0,0,1,1,0,0,1,0\n}\n"
    "PolygonVertexIndex: *4 {\na: 0,1,2,-4\n}\nGeometryVersion: 124\n}\n"
    "Deformer: 5001, \"Deformer::\", \"Skin\" {\nVersion: 101\nLink_DeformAcuracy: 50\n}\n"
    "Deformer: 5002, \"SubDeformer::\", \"Cluster\" {\nVersion: 100\nIndexes: *3 {\na: 0,1,2\n}\n"
    "Weights: *3 {\na: 1,1,0.25\n}\nTransform: *16 {\na: 1,0,0,0,0,1,0,0,0,0,1,0,5,-2,0,1\n}\n"
    "TransformLink: *16 {\na: 1,0,0,0,0,1,0,0,0,0,1,0,0,2,0,1\n}\n}\n"
    "Deformer: 5003, \"SubDeformer::\", \"Cluster\" {\nVersion: 100\nIndexes: *2 {\na: 2,3\n}\n"
    "Weights: *2 {\na: 0.75,1\n}\nTransform: *16 {\na: 1,0,0,0,0,1,0,0,0,0,1,0,5,-9,0,1\n}\n"
    "TransformLink: *16 {\na: 1,0,0,0,0,1,0,0,0,0,1,0,0,9,0,1\n}\n}\n"
    "Deformer: 5010, \"Deformer::Face\", \"BlendShape\" {\nVersion: 100\n}\n"
    "Deformer: 5011, \"SubDeformer::Smile\", \"BlendShapeChannel\" {\nVersion: 100\nDeformPercent: 50\n"
    "FullWeights: *1 {\na: 100\n}\n}\n"
    "Geometry: 5012, \"Geometry::Smile\", \"Shape\" {\nVersion: 100\nIndexes: *1 {\na: 2\n}\n"
    "Vertices: *3 {\na: 0,0,7\n}\nNormals: *3 {\na: 0,0,0\n}\n}\n"
    "AnimationCurveNode: 5020, \"AnimCurveNode::DeformPercent\", \"\" {\n}\n"
    "AnimationCurve: 5021, \"AnimCurve::\", \"\" {\nDefault: 0\nKeyVer: 4008\nKeyTime: *2 {\na: "
    "0,46186158000\n}\n"
    "KeyValueFloat: *2 {\na: 0,75\n}\nKeyAttrFlags: *1 {\na: 24836\n}\nKeyAttrDataFloat: *4 {\na: "
    "0,0,0,0\n}\n"
    "KeyAttrRefCount: *1 {\na: 2\n}\n}\n";
static const char *const quad_connections =
    "C: \"OO\",5000,1002\nC: \"OO\",5001,5000\nC: \"OO\",5002,5001\nC: \"OO\",5003,5001\nC: "
    "\"OO\",1000,5002\n"
    "C: \"OO\",1001,5003\nC: \"OO\",5010,5000\nC: \"OO\",5011,5010\nC: \"OO\",5012,5011\nC: \"OO\",5020,11\n"
    "C: \"OP\",5020,5011, \"DeformPercent\"\nC: \"OP\",5021,5020, \"d|DeformPercent\"\n";

static const fbx_model quad_models[] = {{.name = "Hips", .parent = -1, .translation = {0, 2, 0}},
                                        {.name = "Spine", .parent = 0, .translation = {0, 7, 0}},
                                        {.name = "Quad", .parent = -1, .translation = {5, 0, 0}}};
static const fbx_curve quad_curves[] = {{1, "Lcl Rotation", 3, three_times, turns}};
static const fbx_file quad_file = {3, 1, quad_models, quad_curves, quad_objects, quad_connections};

Test(assimp, fbx_mesh_and_skin) {
    pm_report report = {0};
    pm_scene *scene = import_fbx(&quad_file, &report);
    cr_assert_eq(scene->mesh_count, 1);
    const pm_mesh *mesh = &scene->meshes[0];
    const pm_skeleton *skeleton = scene->skeleton;
    cr_assert_str_eq(skeleton->names[mesh->joint], "Quad");
    cr_assert(mesh->primitive_mode == 4 && mesh->vertex_count == 4 && mesh->index_count == 6);
    cr_assert(mesh->skin == 0 && skeleton->skin_count == 1 && mesh->influence_count == 4);
    const pm_skin *skin = &skeleton->skins[0];
    cr_assert_eq(skin->joint_count, 2);
    for (uint32_t j = 0; j < 2; j++) {
        bool spine = !strcmp(skeleton->names[skin->joints[j]], "Spine");
        cr_assert(spine || !strcmp(skeleton->names[skin->joints[j]], "Hips"));
        float expected[12] = {1, 0, 0, 5, 0, 1, 0, spine ? -9 : -2, 0, 0, 1, 0};
        cr_assert(memcmp(skin->inverse_binds + 12 * j, expected, sizeof expected) == 0);
    }
    // Whatever the order of the vertices, a corner's weights are known by where it is.
    for (uint32_t v = 0; v < 4; v++) {
        const float *p = mesh->positions + 3 * v;
        float hips = 0, spine = 0;
        for (uint32_t i = 0; i < 4; i++) {
            float weight = mesh->weights[4 * v + i];
            if (strcmp(skeleton->names[skin->joints[mesh->joints[4 * v + i]]], "Spine"))
                hips += weight;
            else
                spine += weight;
        }
        cr_assert_eq(hips, p[1] == 0 ? 1 : p[0] == 1 ? 0.25f : 0);
        cr_assert_eq(spine, p[1] == 0 ? 0 : p[0] == 1 ? 0.75f : 1);
    }
    pm_scene_destroy(scene);
}

Test(assimp, fbx_morph_targets_are_scalars) {
    pm_report report = {0};
    pm_scene *scene = import_fbx(&quad_file, &report);
    const pm_mesh *mesh = &scene->meshes[0];
    cr_assert(scene->weight_range_count == 1 && scene->weight_ranges[0].count == 1);
    cr_assert(scene->weight_ranges[0].joint == mesh->joint && mesh->morph_count == 1);
    uint32_t scalar = pm_skeleton_find_scalar(scene->skeleton, "Quad.weights[0]");
    cr_assert(scalar != PM_NONE && scalar == mesh->first_scalar &&
              scalar == scene->weight_ranges[0].first_scalar);
    cr_assert_eq(scene->skeleton->scalar_rest[scalar], 0);
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        const float *p = mesh->positions + 3 * v, *d = mesh->morph_positions + 3 * v;
        cr_assert(d[0] == 0 && d[1] == 0 && d[2] == (p[0] == 1 && p[1] == 1 ? 7 : 0));
    }
    reference *clip = reference_create(&scene->clips[0], scene->skeleton);
    cr_assert_float_eq(reference_scalar(clip, scalar, 0).value[0], 0, 1e-7);
    cr_assert_float_eq(reference_scalar(clip, scalar, 0.5).value[0], 0.375, 1e-6);
    cr_assert_float_eq(reference_scalar(clip, scalar, 1).value[0], 0.75, 1e-6);
    reference_destroy(clip);
    pm_scene_destroy(scene);
}

Test(assimp, options_without_meshes_and_with_all_nodes) {
    char path[FILES_PATH_SIZE], *text = fbx_write(&quad_file);
    temporary_write("small.FBX", text, strlen(text), path);
    free(text);
    pm_import_options options = pm_default_import_options();
    options.meshes = false;
    pm_scene *scene;
    cr_assert_eq(pm_import_file(path, &options, &scene, NULL), PM_OK);
    cr_assert(scene->mesh_count == 0 && scene->skeleton->skin_count == 1 && scene->weight_range_count == 1);
    pm_scene_destroy(scene);
    temporary_remove(path);

    fbx_model models[] = {{.name = "Hips", .parent = -1}, {.name = "Locator", .parent = 0}};
    fbx_curve curves[] = {{0, "Lcl Rotation", 3, three_times, turns}};
    fbx_file file = {2, 1, models, curves, NULL, NULL};
    text = fbx_write(&file);
    temporary_write("small.fbx", text, strlen(text), path);
    free(text);
    cr_assert_eq(pm_import_file(path, NULL, &scene, NULL), PM_OK);
    cr_assert(scene->skeleton->joint_count == 2 && scene->skeleton->node_count == 3);
    pm_scene_destroy(scene);
    options = pm_default_import_options();
    options.all_nodes = true;
    cr_assert_eq(pm_import_file(path, &options, &scene, NULL), PM_OK);
    cr_assert_eq(scene->skeleton->joint_count, 3);
    pm_scene_destroy(scene);
    temporary_remove(path);
}

Test(assimp, joints_of_one_name_lose_their_motion_with_a_reason) {
    fbx_model models[] = {{.name = "Hips", .parent = -1, .translation = {1, 2, 3}},
                          {.name = "Arm", .parent = 0, .translation = {5, 0, 0}},
                          {.name = "Arm", .parent = 0, .translation = {-5, 0, 0}}};
    fbx_curve curves[] = {{0, "Lcl Rotation", 3, three_times, turns},
                          {1, "Lcl Rotation", 3, three_times, turns},
                          {2, "Lcl Translation", 3, three_times, moves}};
    fbx_file file = {3, 3, models, curves, NULL, NULL};
    diagnostics list;
    pm_report report = diagnostics_report(&list);
    pm_scene *scene = import_fbx(&file, &report);
    cr_assert_eq(scene->clips[0].channel_count, 3);
    const seen_diagnostic *dropped = diagnostics_find(&list, PM_FAULT_NAME_DUPLICATE, 0);
    cr_assert(dropped && dropped->severity == PM_SEVERITY_DROPPED);
    cr_assert(strstr(dropped->message, "clip \"Take\", channel \"Arm\": several nodes have this name"), "%s",
              dropped->message);
    pm_scene_destroy(scene);
}

Test(assimp, fbx_times_are_seconds_and_constant_keys_stay) {
    double times[30], values[30][3];
    for (int k = 0; k < 30; k++) {
        times[k] = k / 30.0;
        values[k][0] = values[k][1] = values[k][2] = 1;
    }
    fbx_model models[] = {{.name = "Hips", .parent = -1}};
    fbx_curve curves[] = {{0, "Lcl Translation", 30, times, (const double(*)[3])values}};
    fbx_file file = {1, 1, models, curves, NULL, NULL};
    pm_report report = {0};
    pm_scene *scene = import_fbx(&file, &report);
    const pm_channel *channel = &scene->clips[0].channels[0];
    cr_assert(channel->path == PM_PATH_TRANSLATION && channel->key_count == 30);
    for (int k = 0; k < 30; k++) {
        cr_assert(fabs((double)channel->times[k] - times[k]) <= 1e-7 * times[k], "%d: %.9g", k,
                  (double)channel->times[k]);
        cr_assert_eq(channel->values[3 * k], 1);
    }
    // Translation, rotation and scale of a node have their times in common.
    cr_assert_eq(scene->clips[0].channels[1].times, channel->times);
    pm_scene_destroy(scene);
}

// A joint that turns by a matrix and one that turns about z, in a file of Collada; `channel` is one more
// target.
static char *collada_text(const char *channel) {
    static const char *const format =
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
        "<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">\n"
        "<asset><unit name=\"meter\" meter=\"1\"/><up_axis>Y_UP</up_axis></asset>\n"
        "<library_animations><animation id=\"turn\">\n"
        "<source id=\"in\"><float_array id=\"in-array\" count=\"3\">0 0.5 1</float_array><technique_common>"
        "<accessor source=\"#in-array\" count=\"3\" stride=\"1\"><param name=\"TIME\" "
        "type=\"float\"/></accessor>"
        "</technique_common></source>\n"
        "<source id=\"out\"><float_array id=\"out-array\" count=\"3\">0 90 30</float_array><technique_common>"
        "<accessor source=\"#out-array\" count=\"3\" stride=\"1\"><param name=\"ANGLE\" "
        "type=\"float\"/></accessor>"
        "</technique_common></source>\n"
        "<source id=\"mat\"><float_array id=\"mat-array\" count=\"48\">1 0 0 1 0 1 0 2 0 0 1 3 0 0 0 1 "
        "0 -2 0 4 2 0 0 5 0 0 2 6 0 0 0 1 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</float_array><technique_common>"
        "<accessor source=\"#mat-array\" count=\"3\" stride=\"16\"><param name=\"TRANSFORM\" "
        "type=\"float4x4\"/>"
        "</accessor></technique_common></source>\n"
        "<source id=\"kind\"><Name_array id=\"kind-array\" count=\"3\">LINEAR LINEAR LINEAR</Name_array>"
        "<technique_common><accessor source=\"#kind-array\" count=\"3\" stride=\"1\">"
        "<param name=\"INTERPOLATION\" type=\"name\"/></accessor></technique_common></source>\n"
        "<sampler id=\"s1\"><input semantic=\"INPUT\" source=\"#in\"/><input semantic=\"OUTPUT\" "
        "source=\"#out\"/>"
        "<input semantic=\"INTERPOLATION\" source=\"#kind\"/></sampler>\n"
        "<sampler id=\"s2\"><input semantic=\"INPUT\" source=\"#in\"/><input semantic=\"OUTPUT\" "
        "source=\"#mat\"/>"
        "<input semantic=\"INTERPOLATION\" source=\"#kind\"/></sampler>\n"
        "<channel source=\"#s1\" target=\"arm/turn.ANGLE\"/><channel source=\"#s2\" "
        "target=\"hips/transform\"/>\n"
        "%s</animation></library_animations>\n"
        "<library_visual_scenes><visual_scene id=\"scene\">\n"
        "<node id=\"hips\" name=\"Hips\" type=\"JOINT\"><matrix sid=\"transform\">1 0 0 1 0 1 0 2 0 0 1 3 0 "
        "0 0 1"
        "</matrix>\n<node id=\"arm\" name=\"Arm\" type=\"JOINT\"><translate sid=\"move\">0 7 0</translate>"
        "<rotate sid=\"turn\">0 0 1 45</rotate></node></node></visual_scene></library_visual_scenes>\n"
        "<scene><instance_visual_scene url=\"#scene\"/></scene>\n</COLLADA>\n";
    size_t size = strlen(format) + strlen(channel) + 1;
    char *text = malloc(size);
    snprintf(text, size, format, channel);
    return text;
}

static void expect_vector(const reference_value *value, double x, double y, double z) {
    const double *v = value->value;
    cr_assert(fabs(v[0] - x) < 1e-6 && fabs(v[1] - y) < 1e-6 && fabs(v[2] - z) < 1e-6, "%g %g %g", v[0], v[1],
              v[2]);
}

static void expect_turn_about_z(const reference_value *value, double degrees) {
    double radians = degrees * (3.14159265358979323846 / 180);
    double expected[4] = {0, 0, sin(radians / 2), cos(radians / 2)};
    cr_assert_lt(reference_rotation_angle(expected, value->value), 1e-6);
}

Test(assimp, collada_matrices_and_angles) {
    char *text = collada_text("");
    diagnostics list;
    pm_report report = diagnostics_report(&list);
    pm_scene *scene = import_text("small.dae", text, &report);
    free(text);
    cr_assert_eq(list.count, 0);
    const pm_skeleton *skeleton = scene->skeleton;
    // By their ids.
    uint32_t hips = pm_skeleton_find_joint(skeleton, "hips"), arm = pm_skeleton_find_joint(skeleton, "arm");
    cr_assert(hips != PM_NONE && arm != PM_NONE && skeleton->parents[arm] == hips);
    cr_assert_eq(pm_pose_get_joint(skeleton->rest, arm).translation[1], 7);
    reference *clip = reference_create(&scene->clips[0], skeleton);
    static const double angles[] = {0, 90, 30};
    for (int k = 0; k < 3; k++) {
        reference_transform turned = reference_joint(clip, arm, k * 0.5);
        expect_turn_about_z(&turned.rotation, angles[k]);
        expect_vector(&turned.translation, 0, 7, 0);
    }
    reference_transform moved = reference_joint(clip, hips, 0.5);
    expect_vector(&moved.translation, 4, 5, 6);
    expect_vector(&moved.scale, 2, 2, 2);
    expect_turn_about_z(&moved.rotation, 90);
    reference_destroy(clip);
    pm_scene_destroy(scene);
}

Test(assimp, collada_morph_weights_are_left_out) {
    static const char *const targets[] = {"arm/face-morph-weights(0)", "face-morph-weights(0)", "arm"};
    for (size_t i = 0; i < 3; i++) {
        char channel[256];
        snprintf(channel, sizeof channel,
                 "<sampler id='s3'><input semantic='INPUT' source='#in'/><input semantic='OUTPUT' "
                 "source='#out'/></sampler>\n"
                 "<channel target='%s' source='#s3'/>\n",
                 targets[i]);
        char *text = collada_text(channel);
        diagnostics list;
        pm_report report = diagnostics_report(&list);
        pm_scene *scene = import_text("small.dae", text, &report);
        free(text);
        cr_assert_eq(scene->clips[0].channel_count, 6);
        const seen_diagnostic *dropped = diagnostics_find(&list, PM_FAULT_TARGET_UNSUPPORTED, 0);
        cr_assert(dropped && list.count == 1 && dropped->severity == PM_SEVERITY_DROPPED);
        cr_assert(strstr(dropped->message, targets[i]), "%s", dropped->message);
        pm_scene_destroy(scene);
    }
}

static void expect_refused(const char *name, const char *text, pm_result expected, const char *words) {
    char path[FILES_PATH_SIZE];
    temporary_write(name, text, strlen(text), path);
    pm_report report = {0};
    pm_scene *scene = (pm_scene *)&report;
    cr_assert_eq(pm_import_file(path, NULL, &scene, &report), expected, "%s", report.message);
    cr_assert_null(scene);
    cr_assert(strstr(report.message, words), "%s", report.message);
    cr_assert(strstr(report.message, name), "%s", report.message);
    temporary_remove(path);
}

Test(assimp, broken_files_are_refused_with_a_reason) {
    expect_refused("empty.fbx", "", PM_ERROR_FORMAT, "the file is empty");
    expect_refused("not.fbx", "this is no FBX file", PM_ERROR_FORMAT, "Assimp: ");
    expect_refused("old.fbx", "; FBX 6.1\nFBXHeaderExtension: {\nFBXVersion: 6100\n}\n", PM_ERROR_FORMAT,
                   "Assimp: ");
    expect_refused("not.dae", "<html></html>", PM_ERROR_FORMAT, "Assimp: ");
    expect_refused("half.dae", "<COLLADA version=\"1.4.1\"><library_animations>", PM_ERROR_FORMAT,
                   "Assimp: ");
    pm_report report = {0};
    pm_scene *scene;
    cr_assert_eq(pm_import_file("absent.fbx", NULL, &scene, &report), PM_ERROR_FILE);
    cr_assert(strstr(report.message, "absent.fbx"));
}

Test(assimp, an_allocation_that_fails_leaks_nothing) {
    char path[FILES_PATH_SIZE], *text = fbx_write(&quad_file);
    temporary_write("small.fbx", text, strlen(text), path);
    free(text);
    uint64_t fail_at = 1;
    for (;; fail_at++) {
        failing_allocator memory = {.fail_at = fail_at};
        pm_allocator allocator = failing_allocator_interface(&memory);
        pm_import_options options = pm_default_import_options();
        options.allocator = &allocator;
        pm_report report = {0};
        pm_scene *scene;
        pm_result result = pm_import_file(path, &options, &scene, &report);
        pm_scene_destroy(scene);
        cr_assert_eq(memory.live_count, 0);
        if (memory.allocation_count < fail_at) {
            cr_assert_eq(result, PM_OK, "%s", report.message);
            break;
        }
        cr_assert_eq(result, PM_ERROR_MEMORY);
    }
    cr_assert_gt(fail_at, 3);
    temporary_remove(path);
}

static void import_sample(const char *name, bool animated) {
    char path[FILES_PATH_SIZE];
    snprintf(path, sizeof path, "/usr/share/assimp/models/%s", name);
    if (!file_exists(path)) cr_skip_test("assimp-testmodels is not installed");
    pm_report report = {0};
    pm_scene *scene;
    pm_result result = pm_import_file(path, NULL, &scene, &report);
    cr_assert_eq(result == PM_OK, scene != NULL);
    cr_assert_eq(result == PM_OK, report.message[0] == '\0', "%s", report.message);
    if (animated) {
        cr_assert_eq(result, PM_OK, "%s", report.message);
        cr_assert(scene->clip_count == 1 && scene->clips[0].channel_count > 0);
        cr_assert_eq(report.counts[PM_SEVERITY_DROPPED], 0);
    }
    pm_scene_destroy(scene);
}

Test(assimp, animated_files_of_the_distribution) {
    import_sample("FBX/animation_with_skeleton.fbx", true);
    import_sample("FBX/huesitos.fbx", true);
    import_sample("Collada/box_nested_animation.dae", true);
    import_sample("Collada/anims_with_full_rotations_between_keys.DAE", true);
}

Test(assimp, other_files_of_the_distribution_import_or_are_refused) {
    static const char *const names[] = {"FBX/spider.fbx",
                                        "FBX/cubes_with_mirroring_and_pivot.fbx",
                                        "FBX/close_to_identity_transforms.fbx",
                                        "FBX/box.fbx",
                                        "FBX/transparentTest.fbx",
                                        "FBX/maxPbrMaterial_metalRough.fbx",
                                        "Collada/library_animation_clips.dae",
                                        "Collada/cube_UTF16LE.dae",
                                        "Collada/teapot_instancenodes.DAE",
                                        "Collada/regr01.dae"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) import_sample(names[i], false);
}
