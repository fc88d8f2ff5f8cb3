#include <posemill/skeleton.h>

#include "support/diagnostics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pm_transform identity(void) {
    return (pm_transform){{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
}

static pm_node_def node(const char *name, uint32_t parent) {
    return (pm_node_def){name, parent, identity(), true};
}

static pm_skeleton *create(const pm_skeleton_def *def) {
    pm_report report = {0};
    pm_skeleton *skeleton = NULL;
    cr_assert_eq(pm_skeleton_create(def, NULL, &skeleton, &report), PM_OK, "%s", report.message);
    return skeleton;
}

static pm_skeleton *create_from(const pm_node_def *nodes, uint32_t node_count) {
    pm_skeleton_def def = {.node_count = node_count, .nodes = nodes};
    return create(&def);
}

static void expect_refused(const pm_skeleton_def *def, pm_fault fault, const char *words) {
    pm_report report = {0};
    pm_skeleton *skeleton = (pm_skeleton *)&report;
    cr_assert_eq(pm_skeleton_create(def, NULL, &skeleton, &report), PM_ERROR_DATA);
    cr_assert_null(skeleton);
    cr_assert_eq(report.fault, fault, "%s", report.message);
    cr_assert(strstr(report.message, words), "\"%s\" does not say \"%s\"", report.message, words);
}

static void expect_order(const pm_skeleton *skeleton, const char *names) {
    char joined[256] = "";
    for (uint32_t joint = 0; joint < skeleton->joint_count; joint++) {
        strcat(joined, skeleton->names[joint]);
        cr_assert(skeleton->parents[joint] == PM_NONE || skeleton->parents[joint] < joint);
        cr_assert_eq(skeleton->node_to_joint[skeleton->joint_to_node[joint]], joint);
    }
    cr_assert_str_eq(joined, names);
}

// a has b and c; b has d; c has e; listed children first.
static const pm_node_def children_first[] = {
    {.name = "e", .parent = 3, .rest = {{0}, {0, 0, 0, 1}, {1, 1, 1}}, .used = true},
    {.name = "d", .parent = 2, .rest = {{0}, {0, 0, 0, 1}, {1, 1, 1}}, .used = true},
    {.name = "b", .parent = 4, .rest = {{0}, {0, 0, 0, 1}, {1, 1, 1}}, .used = true},
    {.name = "c", .parent = 4, .rest = {{0}, {0, 0, 0, 1}, {1, 1, 1}}, .used = true},
    {.name = "a", .parent = PM_NONE, .rest = {{0}, {0, 0, 0, 1}, {1, 1, 1}}, .used = true},
};

Test(skeleton, children_before_parents_subtrees_together) {
    pm_skeleton *skeleton = create_from(children_first, 5);
    expect_order(skeleton, "abdce");
    cr_assert_eq(skeleton->parents[0], PM_NONE);
    cr_assert_eq(skeleton->parents[2], 1);
    cr_assert_eq(skeleton->parents[4], 3);
    pm_skeleton_destroy(skeleton);
}

Test(skeleton, children_before_parents_by_depth) {
    pm_skeleton_def def = {.node_count = 5, .nodes = children_first, .order_by_depth = true};
    pm_skeleton *skeleton = create(&def);
    expect_order(skeleton, "abcde");
    pm_skeleton_destroy(skeleton);
}

Test(skeleton, several_roots_keep_the_order_of_the_nodes) {
    pm_node_def nodes[] = {node("a", PM_NONE), node("b", PM_NONE), node("x", 0), node("c", PM_NONE)};
    pm_skeleton *skeleton = create_from(nodes, 4);
    expect_order(skeleton, "axbc");
    pm_skeleton_destroy(skeleton);

    pm_skeleton_def by_depth = {.node_count = 4, .nodes = nodes, .order_by_depth = true};
    skeleton = create(&by_depth);
    expect_order(skeleton, "abcx");
    pm_skeleton_destroy(skeleton);
}

Test(skeleton, unused_nodes_are_left_out_but_unused_ancestors_stay) {
    pm_node_def nodes[] = {node("a", PM_NONE), node("b", 0), node("c", 1), node("d", 0), node("e", 3)};
    for (int i = 0; i < 5; i++) nodes[i].used = i == 2;
    pm_skeleton *skeleton = create_from(nodes, 5);
    expect_order(skeleton, "abc");
    cr_assert_eq(skeleton->node_count, 5);
    cr_assert_eq(skeleton->node_to_joint[3], PM_NONE);
    cr_assert_eq(skeleton->node_to_joint[4], PM_NONE);
    pm_skeleton_destroy(skeleton);
}

Test(skeleton, nodes_of_a_skin_are_in_use) {
    pm_node_def nodes[] = {node("a", PM_NONE), node("b", 0), node("c", 0)};
    for (int i = 0; i < 3; i++) nodes[i].used = false;
    uint32_t skin_nodes[] = {2};
    pm_skin_def skin = {"skin", 1, skin_nodes, NULL};
    pm_skeleton_def def = {.node_count = 3, .nodes = nodes, .skin_count = 1, .skins = &skin};
    pm_skeleton *skeleton = create(&def);
    expect_order(skeleton, "ac");
    cr_assert_eq(skeleton->skins[0].joints[0], 1);
    pm_skeleton_destroy(skeleton);
}

Test(skeleton, nothing_at_all) {
    pm_skeleton_def def = {0};
    pm_skeleton *skeleton = create(&def);
    cr_assert_eq(skeleton->joint_count, 0);
    cr_assert_eq(skeleton->block_count, 0);
    cr_assert_eq(pm_skeleton_find_joint(skeleton, ""), PM_NONE);
    cr_assert_eq(pm_skeleton_find_scalar(skeleton, ""), PM_NONE);
    pm_skeleton_destroy(skeleton);
    pm_skeleton_destroy(NULL);
}

Test(skeleton, cycle_is_refused_and_names_a_node_on_it) {
    // "tail" comes first but only descends from the cycle.
    pm_node_def nodes[] = {node("root", PM_NONE), node("tail", 2), node("left", 3), node("right", 2)};
    pm_skeleton_def def = {.file = "loop.glb", .node_count = 4, .nodes = nodes};
    expect_refused(&def, PM_FAULT_SKELETON_CYCLE, "loop.glb: node ");
    pm_report report = {0};
    pm_skeleton *skeleton;
    pm_skeleton_create(&def, NULL, &skeleton, &report);
    cr_assert(strstr(report.message, "\"left\"") || strstr(report.message, "\"right\""), "%s",
              report.message);
}

Test(skeleton, own_parent_is_refused) {
    pm_node_def nodes[] = {node("root", PM_NONE), node("self", 1)};
    pm_skeleton_def def = {.node_count = 2, .nodes = nodes};
    expect_refused(&def, PM_FAULT_SKELETON_CYCLE, "node 1 \"self\"");
}

Test(skeleton, cycle_of_everything_is_refused) {
    pm_node_def nodes[] = {node("a", 2), node("b", 0), node("c", 1)};
    pm_skeleton_def def = {.node_count = 3, .nodes = nodes, .order_by_depth = true};
    expect_refused(&def, PM_FAULT_SKELETON_CYCLE, "its own ancestor");
}

Test(skeleton, parent_out_of_range_is_refused) {
    pm_node_def nodes[] = {node("root", PM_NONE), node("orphan", 2)};
    pm_skeleton_def def = {.file = "a.gltf", .node_count = 2, .nodes = nodes};
    expect_refused(&def, PM_FAULT_SKELETON_PARENT, "a.gltf: node 1 \"orphan\" has parent 2");
    nodes[1].parent = PM_NONE - 1;
    expect_refused(&def, PM_FAULT_SKELETON_PARENT, "node 1 \"orphan\" has parent 4294967294");
}

Test(skeleton, rest_that_is_not_finite_is_refused) {
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t part = 0; part < 10; part++) {
        pm_node_def nodes[] = {node("root", PM_NONE), node("bad", 0)};
        float values[10];
        memcpy(values, &nodes[1].rest, sizeof values);
        values[part] = bad[part % 3];
        memcpy(&nodes[1].rest, values, sizeof values);
        pm_skeleton_def def = {.node_count = 2, .nodes = nodes};
        expect_refused(&def, PM_FAULT_SKELETON_REST, "node 1 \"bad\"");
    }
}

Test(skeleton, rest_that_is_not_finite_does_not_matter_on_a_node_left_out) {
    pm_node_def nodes[] = {node("root", PM_NONE), node("bad", 0)};
    nodes[1].used = false;
    nodes[1].rest.scale[0] = NAN;
    pm_skeleton *skeleton = create_from(nodes, 2);
    cr_assert_eq(skeleton->joint_count, 1);
    pm_skeleton_destroy(skeleton);
}

static pm_transform rest_of_rotation(float x, float y, float z, float w, pm_fault expected_fault) {
    static diagnostics list;
    pm_report report = diagnostics_report(&list);
    pm_node_def only = node("joint", PM_NONE);
    only.rest.rotation[0] = x, only.rest.rotation[1] = y;
    only.rest.rotation[2] = z, only.rest.rotation[3] = w;
    pm_skeleton_def def = {.node_count = 1, .nodes = &only};
    pm_skeleton *skeleton = NULL;
    cr_assert_eq(pm_skeleton_create(&def, NULL, &skeleton, &report), PM_OK);
    cr_assert_eq(list.count, expected_fault != PM_FAULT_NONE);
    if (expected_fault) {
        cr_assert_eq(list.seen[0].fault, expected_fault);
        cr_assert_eq(list.seen[0].severity, PM_SEVERITY_REPAIR);
        cr_assert(strstr(list.seen[0].message, "node 0 \"joint\""), "%s", list.seen[0].message);
    }
    pm_transform rest = pm_pose_get_joint(skeleton->rest, 0);
    pm_skeleton_destroy(skeleton);
    return rest;
}

static void expect_rotation(pm_transform transform, double x, double y, double z, double w) {
    cr_assert_float_eq(transform.rotation[0], x, 1e-7);
    cr_assert_float_eq(transform.rotation[1], y, 1e-7);
    cr_assert_float_eq(transform.rotation[2], z, 1e-7);
    cr_assert_float_eq(transform.rotation[3], w, 1e-7);
}

Test(skeleton, rest_rotation_of_no_length_becomes_identity) {
    expect_rotation(rest_of_rotation(0, 0, 0, 0, PM_FAULT_SKELETON_REST), 0, 0, 0, 1);
    expect_rotation(rest_of_rotation(-0.0f, 0, -0.0f, -0.0f, PM_FAULT_SKELETON_REST), 0, 0, 0, 1);
}

Test(skeleton, rest_rotation_off_unit_length_is_normalised) {
    expect_rotation(rest_of_rotation(0, 3, 0, 4, PM_FAULT_ROTATION_NOT_UNIT), 0, 0.6, 0, 0.8);
    expect_rotation(rest_of_rotation(0, 0.603f, 0, 0.804f, PM_FAULT_NONE), 0, 0.6, 0, 0.8);
}

Test(skeleton, rest_rotation_tiny_or_huge_is_normalised) {
    expect_rotation(rest_of_rotation(3e-45f, 0, 0, -4e-45f, PM_FAULT_ROTATION_NOT_UNIT), 0.5547001962, 0, 0,
                    -0.8320502943);
    expect_rotation(rest_of_rotation(0, 0, 3e38f, 3e38f, PM_FAULT_ROTATION_NOT_UNIT), 0, 0, 0.7071067812,
                    0.7071067812);
}

Test(skeleton, rest_rotation_specks_become_zero) {
    pm_transform rest = rest_of_rotation(1e-20f, -7e-37f, 0.6f, 0.8f, PM_FAULT_NONE);
    cr_assert_eq(rest.rotation[0], 0);
    cr_assert_eq(rest.rotation[1], 0);
    rest = rest_of_rotation(1e-11f, 0, 0.6f, 0.8f, PM_FAULT_NONE);
    cr_assert_eq(rest.rotation[0], 1e-11f);
}

Test(skeleton, huge_rest_values_are_limited) {
    static diagnostics list;
    pm_report report = diagnostics_report(&list);
    pm_node_def only = node("joint", PM_NONE);
    only.rest.translation[1] = -3e38f;
    only.rest.scale[2] = 1e20f;
    pm_scalar_def scalar = {"smile", PM_NONE, 1e30f};
    pm_skeleton_def def = {.node_count = 1, .nodes = &only, .scalar_count = 1, .scalars = &scalar};
    pm_skeleton *skeleton;
    cr_assert_eq(pm_skeleton_create(&def, NULL, &skeleton, &report), PM_OK);
    pm_transform rest = pm_pose_get_joint(skeleton->rest, 0);
    cr_assert_eq(rest.translation[1], -PM_VALUE_LIMIT);
    cr_assert_eq(rest.scale[2], PM_VALUE_LIMIT);
    cr_assert_eq(skeleton->scalar_rest[0], PM_VALUE_LIMIT);
    cr_assert_eq(list.count, 2);
    cr_assert_eq(diagnostics_count(&list, PM_FAULT_VALUE_HUGE), 2);
    cr_assert(strstr(list.seen[0].message, "node 0 \"joint\""), "%s", list.seen[0].message);
    cr_assert(strstr(list.seen[1].message, "scalar 0 \"smile\""), "%s", list.seen[1].message);
    pm_skeleton_destroy(skeleton);
}

Test(skeleton, zero_and_negative_rest_scale_are_kept) {
    pm_node_def only = node("joint", PM_NONE);
    only.rest.scale[0] = 0, only.rest.scale[1] = -2;
    pm_skeleton *skeleton = create_from(&only, 1);
    pm_transform rest = pm_pose_get_joint(skeleton->rest, 0);
    cr_assert_eq(rest.scale[0], 0);
    cr_assert_eq(rest.scale[1], -2);
    pm_skeleton_destroy(skeleton);
}

static bool lane_is_identity(const pm_pose_block *rest, uint32_t lane) {
    pm_transform transform = pm_pose_get_joint(rest, lane), expected = identity();
    return memcmp(&transform, &expected, sizeof transform) == 0;
}

Test(skeleton, padding_lanes_are_identity_for_every_joint_count) {
    enum { MOST = 65 };
    pm_node_def nodes[MOST];
    for (uint32_t i = 0; i < MOST; i++) {
        nodes[i] = node("j", i ? i - 1 : PM_NONE);
        nodes[i].rest.translation[1] = 1.0f + (float)i;
    }
    for (uint32_t joint_count = 1; joint_count <= MOST; joint_count++) {
        pm_skeleton *skeleton = create_from(nodes, joint_count);
        cr_assert_eq(skeleton->block_count, (joint_count + 15) / 16);
        cr_assert_eq((uintptr_t)skeleton->rest % PM_ALIGNMENT, 0);
        for (uint32_t lane = 0; lane < skeleton->block_count * 16; lane++) {
            cr_assert_eq(lane_is_identity(skeleton->rest, lane), lane >= joint_count);
        }
        pm_skeleton_destroy(skeleton);
    }
}

Test(skeleton, chain_of_a_hundred_thousand_joints) {
    enum { COUNT = 100000 };
    pm_node_def *nodes = calloc(COUNT, sizeof *nodes);
    // The leaf comes first, so that every child precedes its parent.
    for (uint32_t i = 0; i < COUNT; i++) nodes[i] = node(NULL, i + 1 < COUNT ? i + 1 : PM_NONE);
    for (int by_depth = 0; by_depth < 2; by_depth++) {
        pm_skeleton_def def = {.node_count = COUNT, .nodes = nodes, .order_by_depth = by_depth};
        pm_skeleton *skeleton = create(&def);
        cr_assert_eq(skeleton->joint_count, COUNT);
        for (uint32_t joint = 0; joint < COUNT; joint++) {
            cr_assert_eq(skeleton->joint_to_node[joint], COUNT - 1 - joint);
            cr_assert_eq(skeleton->parents[joint], joint - 1); // PM_NONE for the root
        }
        pm_skeleton_destroy(skeleton);
    }
    nodes[COUNT - 1].parent = 0;
    pm_skeleton_def cycle = {.node_count = COUNT, .nodes = nodes};
    expect_refused(&cycle, PM_FAULT_SKELETON_CYCLE, "its own ancestor");
    free(nodes);
}

Test(skeleton, random_trees_are_topological_and_complete) {
    uint32_t state = 1;
    for (int round = 0; round < 200; round++) {
        enum { COUNT = 50 };
        pm_node_def nodes[COUNT];
        uint32_t shuffled[COUNT];
        for (uint32_t i = 0; i < COUNT; i++) shuffled[i] = i;
        for (uint32_t i = COUNT - 1; i > 0; i--) {
            state = state * 1664525u + 1013904223u;
            uint32_t other = (state >> 16) % (i + 1), kept = shuffled[i];
            shuffled[i] = shuffled[other];
            shuffled[other] = kept;
        }
        for (uint32_t i = 0; i < COUNT; i++) {
            state = state * 1664525u + 1013904223u;
            uint32_t parent = i == 0 || (state >> 16) % 8 == 0 ? PM_NONE : shuffled[(state >> 8) % i];
            nodes[shuffled[i]] = node("", parent);
        }
        pm_skeleton_def def = {.node_count = COUNT, .nodes = nodes, .order_by_depth = round % 2};
        pm_skeleton *skeleton = create(&def);
        cr_assert_eq(skeleton->joint_count, COUNT);
        for (uint32_t joint = 0; joint < COUNT; joint++) {
            uint32_t parent_node = nodes[skeleton->joint_to_node[joint]].parent;
            uint32_t parent = parent_node == PM_NONE ? PM_NONE : skeleton->node_to_joint[parent_node];
            cr_assert_eq(skeleton->parents[joint], parent);
            cr_assert(parent == PM_NONE || parent < joint);
            cr_assert_eq(skeleton->node_to_joint[skeleton->joint_to_node[joint]], joint);
        }
        pm_skeleton_destroy(skeleton);
    }
}

Test(skeleton, names_are_copied_and_null_is_empty) {
    char name[] = "H\xC3\xBC"
                  "fte";
    pm_node_def nodes[] = {node(name, PM_NONE), node(NULL, 0)};
    pm_skeleton *skeleton = create_from(nodes, 2);
    memset(name, 'x', sizeof name - 1);
    cr_assert_str_eq(skeleton->names[0], "H\xC3\xBC"
                                         "fte");
    cr_assert_str_eq(skeleton->names[1], "");
    cr_assert_eq(pm_skeleton_find_joint(skeleton, "H\xC3\xBC"
                                                  "fte"),
                 0);
    cr_assert_eq(pm_skeleton_find_joint(skeleton, ""), 1);
    pm_skeleton_destroy(skeleton);
}

Test(skeleton, finds_every_name_of_many) {
    enum { COUNT = 3000 };
    static pm_node_def nodes[COUNT];
    static char names[COUNT][16];
    for (uint32_t i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "joint %u", (unsigned)(i * 7919u % COUNT));
        nodes[i] = node(names[i], i ? (i - 1) / 2 : PM_NONE);
    }
    pm_skeleton *skeleton = create_from(nodes, COUNT);
    for (uint32_t joint = 0; joint < COUNT; joint++) {
        cr_assert_eq(pm_skeleton_find_joint(skeleton, skeleton->names[joint]), joint);
    }
    cr_assert_eq(pm_skeleton_find_joint(skeleton, "joint"), PM_NONE);
    cr_assert_eq(pm_skeleton_find_joint(skeleton, "joint 3000"), PM_NONE);
    cr_assert_eq(pm_skeleton_find_joint(skeleton, "zzz"), PM_NONE);
    cr_assert_eq(pm_skeleton_find_joint(skeleton, ""), PM_NONE);
    pm_skeleton_destroy(skeleton);
}

Test(skeleton, of_equal_names_the_first_joint_is_found_and_a_note_says_so) {
    static diagnostics list;
    pm_report report = diagnostics_report(&list);
    pm_node_def nodes[] = {node("twin", 1), node("root", PM_NONE), node("twin", 1), node("", 1), node("", 1)};
    pm_skeleton_def def = {.node_count = 5, .nodes = nodes};
    pm_skeleton *skeleton;
    cr_assert_eq(pm_skeleton_create(&def, NULL, &skeleton, &report), PM_OK);
    cr_assert_eq(pm_skeleton_find_joint(skeleton, "twin"), 1);
    cr_assert_eq(list.count, 1);
    cr_assert_eq(list.seen[0].severity, PM_SEVERITY_NOTE);
    cr_assert_eq(list.seen[0].fault, PM_FAULT_NAME_DUPLICATE);
    cr_assert(strstr(list.seen[0].message, "2 joints are named \"twin\""), "%s", list.seen[0].message);
    pm_skeleton_destroy(skeleton);
}

Test(skeleton, scalars_keep_their_order_names_and_rest) {
    pm_node_def nodes[] = {node("unused", PM_NONE), node("face", PM_NONE)};
    nodes[0].used = false;
    pm_scalar_def scalars[] = {{"smile", 1, 0.25f}, {"fov", PM_NONE, 60.0f}, {NULL, 0, -1.0f}};
    pm_skeleton_def def = {.node_count = 2, .nodes = nodes, .scalar_count = 3, .scalars = scalars};
    pm_skeleton *skeleton = create(&def);
    cr_assert_eq(skeleton->scalar_count, 3);
    cr_assert_eq(pm_skeleton_find_scalar(skeleton, "smile"), 0);
    cr_assert_eq(pm_skeleton_find_scalar(skeleton, "fov"), 1);
    cr_assert_eq(pm_skeleton_find_scalar(skeleton, "frown"), PM_NONE);
    cr_assert_str_eq(skeleton->scalar_names[2], "");
    cr_assert_eq(skeleton->scalar_joints[0], 0);
    cr_assert_eq(skeleton->scalar_joints[1], PM_NONE);
    cr_assert_eq(skeleton->scalar_joints[2], PM_NONE);
    static const float expected[16] = {0.25f, 60.0f, -1.0f};
    cr_assert_arr_eq(skeleton->scalar_rest, expected, sizeof expected);
    cr_assert_eq((uintptr_t)skeleton->scalar_rest % PM_ALIGNMENT, 0);
    pm_skeleton_destroy(skeleton);
}

Test(skeleton, scalar_of_an_unknown_node_is_refused) {
    pm_node_def only = node("face", PM_NONE);
    pm_scalar_def scalar = {"smile", 1, 0};
    pm_skeleton_def def = {.node_count = 1, .nodes = &only, .scalar_count = 1, .scalars = &scalar};
    expect_refused(&def, PM_FAULT_REFERENCE, "scalar 0 \"smile\" belongs to node 1");
}

Test(skeleton, scalar_rest_that_is_not_finite_is_refused) {
    pm_scalar_def scalar = {"smile", PM_NONE, NAN};
    pm_skeleton_def def = {.scalar_count = 1, .scalars = &scalar};
    expect_refused(&def, PM_FAULT_SKELETON_REST, "scalar 0 \"smile\"");
}

Test(skeleton, skins_share_joints_and_keep_the_order_of_the_mesh) {
    uint32_t first_nodes[] = {0, 2, 4}, second_nodes[] = {4, 3};
    float binds[3][12];
    for (int i = 0; i < 36; i++) binds[i / 12][i % 12] = (float)i;
    pm_skin_def skins[] = {{"body", 3, first_nodes, binds[0]}, {NULL, 2, second_nodes, NULL}};
    pm_skeleton_def def = {.node_count = 5, .nodes = children_first, .skin_count = 2, .skins = skins};
    pm_skeleton *skeleton = create(&def); // a b d c e
    cr_assert_eq(skeleton->skin_count, 2);
    cr_assert_str_eq(skeleton->skins[0].name, "body");
    cr_assert_str_eq(skeleton->skins[1].name, "");
    static const uint32_t first_joints[] = {4, 1, 0}, second_joints[] = {0, 3};
    cr_assert_eq(skeleton->skins[0].joint_count, 3);
    cr_assert_arr_eq(skeleton->skins[0].joints, first_joints, sizeof first_joints);
    cr_assert_arr_eq(skeleton->skins[0].inverse_binds, binds, sizeof binds);
    static const float identities[24] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0,
                                         1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    cr_assert_eq(skeleton->skins[1].joint_count, 2);
    cr_assert_arr_eq(skeleton->skins[1].joints, second_joints, sizeof second_joints);
    cr_assert_arr_eq(skeleton->skins[1].inverse_binds, identities, sizeof identities);
    pm_skeleton_destroy(skeleton);
}

Test(skeleton, skin_of_an_unknown_node_is_refused) {
    uint32_t nodes[] = {0, 5};
    pm_skin_def skin = {"body", 2, nodes, NULL};
    pm_skeleton_def def = {.node_count = 5, .nodes = children_first, .skin_count = 1, .skins = &skin};
    expect_refused(&def, PM_FAULT_REFERENCE, "skin 0 \"body\" has node 5 as joint 1");
}

Test(skeleton, inverse_bind_that_is_not_finite_is_refused) {
    uint32_t nodes[] = {0, 1};
    float binds[24] = {0};
    binds[23] = INFINITY;
    pm_skin_def skin = {"body", 2, nodes, binds};
    pm_skeleton_def def = {.node_count = 5, .nodes = children_first, .skin_count = 1, .skins = &skin};
    expect_refused(&def, PM_FAULT_SKIN, "skin 0 \"body\": the inverse bind matrix of joint 1");
}

Test(skeleton, skin_without_joints_is_noted_and_kept) {
    static diagnostics list;
    pm_report report = diagnostics_report(&list);
    pm_skin_def skin = {"empty", 0, NULL, NULL};
    pm_skeleton_def def = {.skin_count = 1, .skins = &skin};
    pm_skeleton *skeleton;
    cr_assert_eq(pm_skeleton_create(&def, NULL, &skeleton, &report), PM_OK);
    cr_assert_eq(skeleton->skins[0].joint_count, 0);
    cr_assert_eq(list.count, 1);
    cr_assert_eq(list.seen[0].fault, PM_FAULT_SKIN);
    cr_assert_eq(list.seen[0].severity, PM_SEVERITY_NOTE);
    pm_skeleton_destroy(skeleton);
}
