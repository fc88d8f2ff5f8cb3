// glTF nodes and skins: the tree, rest transforms, names, which nodes become joints.
#include <posemill/import.h>

#include "support/diagnostics.h"
#include "support/gltf_writer.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The transform of a node of the file.
static pm_transform rest_of(const pm_scene *scene, uint32_t node) {
    uint32_t joint = scene->skeleton->node_to_joint[node];
    cr_assert_neq(joint, PM_NONE);
    return pm_pose_get_joint(scene->skeleton->rest, joint);
}

static uint32_t parent_of(const pm_scene *scene, uint32_t node) {
    const pm_skeleton *skeleton = scene->skeleton;
    uint32_t parent = skeleton->parents[skeleton->node_to_joint[node]];
    return parent == PM_NONE ? PM_NONE : skeleton->joint_to_node[parent];
}

// Animates a node, so that it and its ancestors become joints.
static void use(gltf_writer *writer, uint32_t node) {
    float zeros[3] = {0, 0, 0};
    uint32_t input = gltf_floats(writer, "SCALAR", 1, zeros);
    uint32_t output = gltf_floats(writer, "VEC3", 1, zeros);
    char target[64];
    snprintf(target, sizeof target, "{'node':%u,'path':'translation'}", (unsigned)node);
    gltf_animate(writer, target, NULL, input, output);
}

// Imports a file whose only node is `json`, and gives its rest transform.
static pm_transform rest_of_node(const char *json, diagnostics *seen) {
    gltf_writer *writer = gltf_writer_new();
    gltf_add(writer, "nodes", "%s", json);
    gltf_add(writer, "meshes", "{'primitives':[]}");
    pm_report report = diagnostics_report(seen);
    pm_scene *scene = gltf_import(writer, &report);
    pm_transform rest = rest_of(scene, 0);
    pm_scene_destroy(scene);
    return rest;
}

static void check_transform(pm_transform actual, pm_transform expected, double tolerance) {
    // A rotation and its negative are the same.
    double dot = 0;
    for (int c = 0; c < 4; c++) dot += (double)actual.rotation[c] * (double)expected.rotation[c];
    float sign = dot < 0 ? -1 : 1;
    for (int c = 0; c < 3; c++) {
        cr_assert_float_eq(actual.translation[c], expected.translation[c], tolerance);
        cr_assert_float_eq(actual.scale[c], expected.scale[c], tolerance);
    }
    for (int c = 0; c < 4; c++)
        cr_assert_float_eq(actual.rotation[c], sign * expected.rotation[c], tolerance);
}

Test(gltf_node, transform_given_as_translation_rotation_scale) {
    diagnostics seen;
    pm_transform rest =
        rest_of_node("{'mesh':0,'translation':[1,2.5,-3],'rotation':[0.6,0,0.8,0],'scale':[2,0,-1]}", &seen);
    check_transform(rest, (pm_transform){{1, 2.5f, -3}, {0.6f, 0, 0.8f, 0}, {2, 0, -1}}, 0);
    cr_assert_eq(seen.count, 0); // zero and negative scale are legal
}

Test(gltf_node, transform_left_out_is_identity) {
    diagnostics seen;
    pm_transform rest = rest_of_node("{'mesh':0}", &seen);
    check_transform(rest, (pm_transform){{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}, 0);
}

Test(gltf_node, transform_of_a_wrong_type_is_identity_with_a_diagnostic) {
    diagnostics seen;
    pm_transform rest = rest_of_node(
        "{'mesh':0,'translation':[1,2],'rotation':'none','scale':[1,2,'3'],'matrix':[1]}", &seen);
    check_transform(rest, (pm_transform){{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}, 0);
    cr_assert_eq(seen.count, 1);
    rest = rest_of_node("{'mesh':0,'translation':[1,2],'rotation':'none','scale':[1,2,'3']}", &seen);
    check_transform(rest, (pm_transform){{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}, 0);
    cr_assert_eq(diagnostics_count(&seen, PM_FAULT_FILE_FORMAT), 3);
    cr_assert_eq(seen.seen[0].severity, PM_SEVERITY_REPAIR);
}

// The matrix of a transform, column-major.
static void compose(const pm_transform *t, double matrix[16]) {
    double x = (double)t->rotation[0], y = (double)t->rotation[1], z = (double)t->rotation[2],
           w = (double)t->rotation[3];
    double rotation[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                             {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                             {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
    for (int column = 0; column < 3; column++) {
        for (int row = 0; row < 3; row++)
            matrix[4 * column + row] = rotation[column][row] * (double)t->scale[column];
        matrix[4 * column + 3] = 0;
        matrix[12 + column] = (double)t->translation[column];
    }
    matrix[15] = 1;
}

// Gives a node by its matrix and requires that its parts make up the same matrix.
static pm_transform check_matrix(const pm_transform *transform, uint32_t diagnostic_count) {
    double matrix[16], again[16];
    char json[1024];
    compose(transform, matrix);
    int length = snprintf(json, sizeof json, "{'mesh':0,'matrix':[");
    for (int i = 0; i < 16; i++)
        length += snprintf(json + length, sizeof json - (size_t)length, "%s%.17g", i ? "," : "", matrix[i]);
    snprintf(json + length, sizeof json - (size_t)length, "]}");
    diagnostics seen;
    pm_transform rest = rest_of_node(json, &seen);
    cr_assert_eq(seen.count, diagnostic_count, "%s", seen.seen[0].message);
    compose(&rest, again);
    for (int i = 0; i < 16; i++) cr_assert_float_eq(again[i], matrix[i], 2e-5, "%s: %d", json, i);
    return rest;
}

Test(gltf_node, matrix_is_decomposed) {
    // Rotations of every branch of the conversion: by the largest of w, x, y, z.
    static const float rotations[][4] = {{0, 0, 0, 1},
                                         {0.1f, -0.2f, 0.3f, 0.9f},
                                         {0.9f, 0.2f, -0.1f, 0.1f},
                                         {0.1f, 0.9f, 0.2f, -0.1f},
                                         {-0.2f, 0.1f, 0.9f, 0.1f},
                                         {1, 0, 0, 0},
                                         {0, 1, 0, 0},
                                         {0, 0, 1, 0}};
    static const float scales[][3] = {{1, 1, 1}, {2, 3, 0.5f}, {-2, 3, 4}, {1, -1, -1}, {-1, -2, -3}};
    for (size_t r = 0; r < sizeof rotations / sizeof *rotations; r++)
        for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
            pm_transform transform = {{4, 5, 6}, {0}, {0}};
            double length = 0;
            for (int c = 0; c < 4; c++) length += (double)rotations[r][c] * (double)rotations[r][c];
            for (int c = 0; c < 4; c++) transform.rotation[c] = rotations[r][c] / (float)sqrt(length);
            memcpy(transform.scale, scales[s], sizeof transform.scale);
            check_matrix(&transform, 0);
        }
}

Test(gltf_node, matrix_with_axes_of_no_length) {
    static const float scales[][3] = {{0, 2, 3}, {2, 0, 3}, {2, 3, 0}, {0, 0, 2},
                                      {0, 2, 0}, {2, 0, 0}, {0, 0, 0}};
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
        pm_transform transform = {{1, 2, 3}, {0.5f, 0.5f, -0.5f, 0.5f}, {0}};
        memcpy(transform.scale, scales[s], sizeof transform.scale);
        pm_transform rest = check_matrix(&transform, 0);
        for (int c = 0; c < 3; c++) cr_assert_float_eq(fabsf(rest.scale[c]), scales[s][c], 1e-6);
    }
}

Test(gltf_node, matrix_with_shear_is_reported) {
    diagnostics seen;
    rest_of_node("{'name':'Bent','mesh':0,'matrix':[1,0,0,0, 0.5,1,0,0, 0,0,1,0, 0,0,0,1]}", &seen);
    cr_assert_eq(seen.count, 1);
    cr_assert_eq(seen.seen[0].fault, PM_FAULT_SKELETON_REST);
    cr_assert(strstr(seen.seen[0].message, "node 0") && strstr(seen.seen[0].message, "shear"));
}

Test(gltf_node, matrix_of_parallel_axes_gives_a_finite_transform) {
    diagnostics seen;
    pm_transform rest = rest_of_node("{'mesh':0,'matrix':[1,0,0,0, 1,0,0,0, 0,0,0,0, 0,0,0,1]}", &seen);
    for (int c = 0; c < 4; c++) cr_assert(isfinite(rest.rotation[c]));
}

Test(gltf_node, transform_beyond_float_range_is_refused) {
    pm_report report = {0};
    gltf_writer *writer = gltf_writer_new();
    gltf_add(writer, "nodes", "{'name':'Far','mesh':0,'translation':[1e39,0,0]}");
    cr_assert_eq(gltf_refuse(writer, &report), PM_ERROR_DATA);
    cr_assert_eq(report.fault, PM_FAULT_SKELETON_REST);
    cr_assert(strstr(report.message, "Far"), "%s", report.message);
}

Test(gltf_node, children_before_their_parents) {
    gltf_writer *writer = gltf_writer_new();
    gltf_add(writer, "nodes", "{'name':'Hand'}");
    gltf_add(writer, "nodes", "{'name':'Arm','children':[0]}");
    gltf_add(writer, "nodes", "{'name':'Root','children':[1]}");
    use(writer, 0);
    pm_scene *scene = gltf_import(writer, NULL);
    const pm_skeleton *skeleton = scene->skeleton;
    cr_assert_eq(skeleton->joint_count, 3);
    cr_assert_eq(parent_of(scene, 0), 1);
    cr_assert_eq(parent_of(scene, 1), 2);
    cr_assert_eq(parent_of(scene, 2), PM_NONE);
    for (uint32_t j = 0; j < 3; j++) cr_assert(skeleton->parents[j] == PM_NONE || skeleton->parents[j] < j);
    cr_assert_eq(scene->clips[0].channels[0].target, skeleton->node_to_joint[0]);
    pm_scene_destroy(scene);
}

Test(gltf_node, several_roots) {
    gltf_writer *writer = gltf_writer_new();
    gltf_add(writer, "nodes", "{'name':'Body','children':[2]}");
    gltf_add(writer, "nodes", "{'name':'Prop'}");
    gltf_add(writer, "nodes", "{'name':'Head'}");
    use(writer, 2);
    use(writer, 1);
    pm_scene *scene = gltf_import(writer, NULL);
    cr_assert_eq(parent_of(scene, 0), PM_NONE);
    cr_assert_eq(parent_of(scene, 1), PM_NONE);
    cr_assert_eq(parent_of(scene, 2), 0);
    pm_scene_destroy(scene);
}

// Nodes with these children; refused with this fault.
static void check_tree_refused(const char *children[], uint32_t count, pm_fault fault) {
    gltf_writer *writer = gltf_writer_new();
    for (uint32_t i = 0; i < count; i++) gltf_add(writer, "nodes", "{'children':%s}", children[i]);
    use(writer, 0);
    pm_report report = {0};
    cr_assert_eq(gltf_refuse(writer, &report), PM_ERROR_DATA);
    cr_assert_eq(report.fault, fault, "%s", report.message);
}

Test(gltf_node, cycles_are_refused) {
    check_tree_refused((const char *[]){"[0]"}, 1, PM_FAULT_SKELETON_CYCLE);
    check_tree_refused((const char *[]){"[1]", "[0]"}, 2, PM_FAULT_SKELETON_CYCLE);
    check_tree_refused((const char *[]){"[]", "[2]", "[3]", "[1]"}, 4, PM_FAULT_SKELETON_CYCLE);
}

Test(gltf_node, a_node_with_two_parents_is_refused) {
    check_tree_refused((const char *[]){"[2]", "[2]", "[]"}, 3, PM_FAULT_SKELETON_PARENT);
}

Test(gltf_node, a_child_that_is_listed_twice_is_one_child) {
    gltf_writer *writer = gltf_writer_new();
    gltf_add(writer, "nodes", "{'children':[1,1]}");
    gltf_add(writer, "nodes", "{}");
    use(writer, 1);
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_scene *scene = gltf_import(writer, &report);
    cr_assert_eq(parent_of(scene, 1), 0);
    cr_assert_eq(diagnostics_count(&seen, PM_FAULT_SKELETON_PARENT), 1);
    pm_scene_destroy(scene);
}

Test(gltf_node, children_that_do_not_exist_are_left_out) {
    gltf_writer *writer = gltf_writer_new();
    gltf_add(writer, "nodes", "{'children':[1,7,-1,'x']}");
    gltf_add(writer, "nodes", "{}");
    use(writer, 1);
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_scene *scene = gltf_import(writer, &report);
    cr_assert_eq(parent_of(scene, 1), 0);
    cr_assert_eq(diagnostics_count(&seen, PM_FAULT_REFERENCE), 3);
    pm_scene_destroy(scene);
}

// A root, an animated node under a helper that nobody uses, a node with a mesh, a light, a skin's joint.
static gltf_writer *nodes_of_all_kinds(void) {
    gltf_writer *writer = gltf_writer_new();
    gltf_add(writer, "nodes", "{'name':'Root','children':[1,3,4,5]}");
    gltf_add(writer, "nodes", "{'name':'Helper','children':[2],'translation':[1,2,3],'scale':[2,2,2]}");
    gltf_add(writer, "nodes", "{'name':'Animated'}");
    gltf_add(writer, "nodes", "{'name':'Mesh','mesh':0}");
    gltf_add(writer, "nodes", "{'name':'Light'}");
    gltf_add(writer, "nodes", "{'name':'Joint'}");
    gltf_add(writer, "meshes", "{'primitives':[]}");
    gltf_add(writer, "skins", "{'joints':[5]}");
    use(writer, 2);
    return writer;
}

Test(gltf_node, joints_are_what_is_used_and_its_ancestors) {
    pm_scene *scene = gltf_import(nodes_of_all_kinds(), NULL);
    cr_assert_eq(scene->skeleton->node_count, 6);
    cr_assert_eq(scene->skeleton->joint_count, 5);
    cr_assert_eq(scene->skeleton->node_to_joint[4], PM_NONE);
    for (uint32_t j = 0; j < 5; j++)
        cr_assert_eq(scene->skeleton->node_to_joint[scene->skeleton->joint_to_node[j]], j);
    pm_scene_destroy(scene);
}

Test(gltf_node, ancestors_that_are_no_joints_keep_their_transforms) {
    pm_scene *scene = gltf_import(nodes_of_all_kinds(), NULL);
    check_transform(rest_of(scene, 1), (pm_transform){{1, 2, 3}, {0, 0, 0, 1}, {2, 2, 2}}, 0);
    cr_assert_eq(parent_of(scene, 2), 1);
    pm_scene_destroy(scene);
}

Test(gltf_node, all_nodes_on_request) {
    gltf_writer *writer = nodes_of_all_kinds();
    gltf_file glb = gltf_glb(writer);
    pm_import_options options = pm_default_import_options();
    options.all_nodes = true;
    pm_scene *scene;
    cr_assert_eq(pm_import_gltf_memory(glb.bytes, glb.size, NULL, &options, &scene, NULL), PM_OK);
    cr_assert_eq(scene->skeleton->joint_count, 6);
    pm_scene_destroy(scene);
    free(glb.bytes);
    gltf_writer_free(writer);
}

Test(gltf_node, joints_by_depth_on_request) {
    gltf_writer *writer = nodes_of_all_kinds();
    gltf_file glb = gltf_glb(writer);
    pm_import_options options = pm_default_import_options();
    options.order_by_depth = true;
    pm_scene *scene;
    cr_assert_eq(pm_import_gltf_memory(glb.bytes, glb.size, NULL, &options, &scene, NULL), PM_OK);
    cr_assert_eq(scene->skeleton->node_to_joint[2], 4); // the only one at depth 2
    pm_scene_destroy(scene);
    free(glb.bytes);
    gltf_writer_free(writer);
}

Test(gltf_node, names_with_any_utf8) {
    static const char *const names[] = {"H\303\274fte.L", "\xe8\x85\xb0", "\xf0\x9f\xa6\xb4 bone",
                                        "a/b~c \\\\ \\\" %s", ""};
    static const char *const expected[] = {"H\303\274fte.L", "\xe8\x85\xb0", "\xf0\x9f\xa6\xb4 bone",
                                           "a/b~c \\ \" %s", ""};
    gltf_writer *writer = gltf_writer_new();
    for (uint32_t i = 0; i < 5; i++) {
        gltf_add(writer, "nodes", "{'name':'%s'}", names[i]);
        use(writer, i);
    }
    pm_scene *scene = gltf_import(writer, NULL);
    for (uint32_t i = 0; i < 5; i++) {
        uint32_t joint = scene->skeleton->node_to_joint[i];
        cr_assert_str_eq(scene->skeleton->names[joint], expected[i]);
        if (i < 4) cr_assert_eq(pm_skeleton_find_joint(scene->skeleton, expected[i]), joint);
    }
    cr_assert_str_eq(scene->clips[4].channels[0].name, "node 4.translation");
    pm_scene_destroy(scene);
}

Test(gltf_node, zeros_in_names_are_replaced) {
    gltf_writer *writer = gltf_writer_new();
    gltf_add(writer, "nodes", "{'name':'Left\\u0000Arm\\u0000'}");
    use(writer, 0);
    pm_scene *scene = gltf_import(writer, NULL);
    cr_assert_str_eq(scene->skeleton->names[0], "Left\xef\xbf\xbd"
                                                "Arm\xef\xbf\xbd");
    pm_scene_destroy(scene);
}

Test(gltf_node, names_of_a_wrong_type_are_none) {
    gltf_writer *writer = gltf_writer_new();
    gltf_add(writer, "nodes", "{'name':12}");
    use(writer, 0);
    pm_scene *scene = gltf_import(writer, NULL);
    cr_assert_str_eq(scene->skeleton->names[0], "");
    pm_scene_destroy(scene);
}

Test(gltf_node, indices_written_as_reals) {
    gltf_writer *writer = gltf_writer_new();
    gltf_add(writer, "nodes", "{'children':[1.0]}");
    gltf_add(writer, "nodes", "{}");
    use(writer, 1);
    pm_scene *scene = gltf_import(writer, NULL);
    cr_assert_eq(parent_of(scene, 1), 0);
    pm_scene_destroy(scene);
}

Test(gltf_skin, several_skins_that_share_joints) {
    gltf_writer *writer = gltf_writer_new();
    gltf_add(writer, "nodes", "{'children':[1,2]}");
    gltf_add(writer, "nodes", "{}");
    gltf_add(writer, "nodes", "{}");
    gltf_add(writer, "skins", "{'name':'Body','joints':[2,0,1]}");
    gltf_add(writer, "skins", "{'joints':[1,2]}");
    pm_scene *scene = gltf_import(writer, NULL);
    const pm_skeleton *skeleton = scene->skeleton;
    cr_assert_eq(skeleton->skin_count, 2);
    cr_assert_str_eq(skeleton->skins[0].name, "Body");
    static const uint32_t expected[] = {2, 0, 1};
    for (uint32_t j = 0; j < 3; j++)
        cr_assert_eq(skeleton->joint_to_node[skeleton->skins[0].joints[j]], expected[j]);
    cr_assert_eq(skeleton->skins[1].joint_count, 2);
    cr_assert_eq(skeleton->joint_to_node[skeleton->skins[1].joints[0]], 1);
    pm_scene_destroy(scene);
}

Test(gltf_skin, absent_inverse_binds_are_identity) {
    gltf_writer *writer = gltf_writer_new();
    gltf_add(writer, "nodes", "{}");
    gltf_add(writer, "skins", "{'joints':[0]}");
    pm_scene *scene = gltf_import(writer, NULL);
    const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    cr_assert_arr_eq(scene->skeleton->skins[0].inverse_binds, identity, sizeof identity);
    pm_scene_destroy(scene);
}

Test(gltf_skin, inverse_binds_are_turned_from_columns_into_rows) {
    gltf_writer *writer = gltf_writer_new();
    gltf_add(writer, "nodes", "{}");
    gltf_add(writer, "nodes", "{}");
    float matrices[3][16];
    for (int m = 0; m < 3; m++)
        for (int i = 0; i < 16; i++) matrices[m][i] = (float)(100 * m + i);
    // One more than there are joints, which does no harm.
    uint32_t accessor = gltf_floats(writer, "MAT4", 3, (const float *)matrices);
    gltf_add(writer, "skins", "{'joints':[1,0],'inverseBindMatrices':%u}", accessor);
    pm_scene *scene = gltf_import(writer, NULL);
    const float *binds = scene->skeleton->skins[0].inverse_binds;
    for (int j = 0; j < 2; j++)
        for (int row = 0; row < 3; row++)
            for (int column = 0; column < 4; column++)
                cr_assert_eq(binds[12 * j + 4 * row + column], (float)(100 * j + 4 * column + row));
    pm_scene_destroy(scene);
}

Test(gltf_skin, fewer_inverse_binds_than_joints_are_refused) {
    gltf_writer *writer = gltf_writer_new();
    gltf_add(writer, "nodes", "{}");
    gltf_add(writer, "nodes", "{}");
    static const float matrix[16];
    uint32_t accessor = gltf_floats(writer, "MAT4", 1, matrix);
    gltf_add(writer, "skins", "{'joints':[1,0],'inverseBindMatrices':%u}", accessor);
    pm_report report = {0};
    cr_assert_eq(gltf_refuse(writer, &report), PM_ERROR_FORMAT);
    cr_assert_eq(report.fault, PM_FAULT_SKIN);
    cr_assert(strstr(report.message, "2 joints, but 1 inverse bind"), "%s", report.message);
}

Test(gltf_skin, joints_that_do_not_exist_are_refused) {
    gltf_writer *writer = gltf_writer_new();
    gltf_add(writer, "nodes", "{}");
    gltf_add(writer, "skins", "{'joints':[0,3]}");
    pm_report report = {0};
    cr_assert_eq(gltf_refuse(writer, &report), PM_ERROR_DATA);
    cr_assert(report.fault == PM_FAULT_SKIN || report.fault == PM_FAULT_REFERENCE);
}

Test(gltf_skin, skins_that_cannot_be_read_are_left_out) {
    gltf_writer *writer = gltf_writer_new();
    gltf_add(writer, "nodes", "{}");
    float matrix[16] = {0};
    uint32_t vectors = gltf_floats(writer, "VEC4", 4, matrix);
    matrix[5] = NAN;
    uint32_t nans = gltf_floats(writer, "MAT4", 1, matrix);
    gltf_add(writer, "skins", "{'name':'none','joints':[]}");
    gltf_add(writer, "skins", "{'name':'type','joints':[0],'inverseBindMatrices':%u}", vectors);
    gltf_add(writer, "skins", "{'name':'nan','joints':[0],'inverseBindMatrices':%u}", nans);
    gltf_add(writer, "skins", "{'name':'missing','joints':[0],'inverseBindMatrices':99}");
    gltf_add(writer, "skins", "{'name':'good','joints':[0]}");
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_scene *scene = gltf_import(writer, &report);
    cr_assert_eq(scene->skeleton->skin_count, 1);
    cr_assert_str_eq(scene->skeleton->skins[0].name, "good");
    cr_assert_eq(seen.count, 4);
    cr_assert_eq(diagnostics_count(&seen, PM_FAULT_SKIN), 1);
    cr_assert_eq(diagnostics_count(&seen, PM_FAULT_VALUE_NOT_FINITE), 1);
    pm_scene_destroy(scene);
}
