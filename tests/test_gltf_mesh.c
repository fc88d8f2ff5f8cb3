// glTF meshes: vertices, indices, influences, morph targets, and who carries them.
#include <posemill/import.h>

#include "support/diagnostics.h"
#include "support/gltf_writer.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float triangle[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};

// Positions of three vertices as accessor 0, and a node that carries mesh 0.
static gltf_writer *triangle_writer(void) {
    gltf_writer *writer = gltf_writer_new();
    gltf_floats(writer, "VEC3", 3, triangle);
    gltf_add(writer, "nodes", "{'name':'Body','mesh':0}");
    return writer;
}

static uint32_t add_accessor(gltf_writer *writer, const void *bytes, size_t size, uint32_t component,
                             uint32_t count, const char *type) {
    uint32_t view = gltf_view(writer, bytes, size, 0);
    return gltf_add(writer, "accessors", "{'bufferView':%u,'componentType':%u,'count':%u,'type':'%s'}", view,
                    component, count, type);
}

static pm_scene *import_clean(gltf_writer *writer) {
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_scene *scene = gltf_import(writer, &report);
    cr_assert_eq(seen.count, 0, "%s", seen.seen[0].message);
    return scene;
}

Test(gltf_mesh, positions_normals_and_indices) {
    gltf_writer *writer = triangle_writer();
    static const float normals[] = {0, 0, 1, 0, 1, 0, 1, 0, 0};
    static const uint16_t indices[] = {2, 1, 0};
    uint32_t normal = gltf_floats(writer, "VEC3", 3, normals);
    uint32_t index = add_accessor(writer, indices, sizeof indices, 5123, 3, "SCALAR");
    gltf_add(writer, "meshes",
             "{'name':'Cloth','primitives':[{'attributes':{'POSITION':0,'NORMAL':%u},'indices':%u}]}", normal,
             index);
    pm_scene *scene = import_clean(writer);
    cr_assert_eq(scene->mesh_count, 1);
    const pm_mesh *mesh = &scene->meshes[0];
    cr_assert_str_eq(mesh->name, "Cloth");
    cr_assert_eq(mesh->joint, 0);
    cr_assert_eq(mesh->skin, PM_NONE);
    cr_assert_eq(mesh->primitive_mode, 4);
    cr_assert_eq(mesh->vertex_count, 3);
    cr_assert_arr_eq(mesh->positions, triangle, sizeof triangle);
    cr_assert_arr_eq(mesh->normals, normals, sizeof normals);
    cr_assert_eq(mesh->index_count, 3);
    const uint32_t expected[] = {2, 1, 0};
    cr_assert_arr_eq(mesh->indices, expected, sizeof expected);
    cr_assert_eq(mesh->influence_count, 0);
    cr_assert_eq(mesh->morph_count, 0);
    cr_assert_eq(mesh->first_scalar, PM_NONE);
    pm_scene_destroy(scene);
}

Test(gltf_mesh, indices_that_are_left_out_count_up) {
    gltf_writer *writer = triangle_writer();
    gltf_add(writer, "meshes", "{'primitives':[{'mode':0,'attributes':{'POSITION':0}}]}");
    pm_scene *scene = import_clean(writer);
    const uint32_t expected[] = {0, 1, 2};
    cr_assert_eq(scene->meshes[0].index_count, 3);
    cr_assert_arr_eq(scene->meshes[0].indices, expected, sizeof expected);
    cr_assert_eq(scene->meshes[0].primitive_mode, 0);
    pm_scene_destroy(scene);
}

Test(gltf_mesh, indices_of_all_widths) {
    static const uint8_t bytes[] = {1, 2, 0};
    static const uint16_t shorts[] = {1, 2, 0};
    static const uint32_t words[] = {1, 2, 0};
    static const struct {
        const void *bytes;
        size_t size;
        uint32_t component;
    } cases[] = {{bytes, sizeof bytes, 5121}, {shorts, sizeof shorts, 5123}, {words, sizeof words, 5125}};
    for (size_t i = 0; i < 3; i++) {
        gltf_writer *writer = triangle_writer();
        uint32_t index = add_accessor(writer, cases[i].bytes, cases[i].size, cases[i].component, 3, "SCALAR");
        gltf_add(writer, "meshes", "{'primitives':[{'attributes':{'POSITION':0},'indices':%u}]}", index);
        pm_scene *scene = import_clean(writer);
        cr_assert_arr_eq(scene->meshes[0].indices, words, sizeof words);
        pm_scene_destroy(scene);
    }
}

Test(gltf_mesh, quantised_positions) {
    gltf_writer *writer = gltf_writer_new();
    gltf_add(writer, "nodes", "{'mesh':0}");
    static const uint16_t shorts[] = {0, 1, 2, 9, 65535, 4, 5, 9};
    uint32_t view = gltf_view(writer, shorts, sizeof shorts, 8);
    gltf_add(writer, "accessors", "{'bufferView':%u,'componentType':5123,'count':2,'type':'VEC3'}", view);
    gltf_add(writer, "meshes", "{'primitives':[{'attributes':{'POSITION':0}}]}");
    pm_scene *scene = import_clean(writer);
    const float expected[] = {0, 1, 2, 65535, 4, 5};
    cr_assert_arr_eq(scene->meshes[0].positions, expected, sizeof expected);
    pm_scene_destroy(scene);
}

// Adds three joints, a skin of them, and the node 4 that carries mesh 0 with it.
static void add_skin(gltf_writer *writer) {
    for (int j = 0; j < 3; j++) gltf_add(writer, "nodes", "{}");
    gltf_add(writer, "skins", "{'joints':[1,2,3]}");
    gltf_add(writer, "nodes", "{'mesh':0,'skin':0}");
}

static const pm_mesh *skinned(const pm_scene *scene) {
    cr_assert_eq(scene->mesh_count, 2);
    const pm_mesh *mesh = &scene->meshes[1];
    cr_assert_eq(scene->skeleton->joint_to_node[mesh->joint], 4);
    return mesh;
}

Test(gltf_mesh, four_influences) {
    gltf_writer *writer = triangle_writer();
    static const uint8_t joints[] = {0, 1, 2, 0, 2, 0, 0, 0, 1, 250, 0, 0};
    static const uint8_t weights[] = {51, 51, 102, 51, 255, 0, 0, 0, 255, 0, 0, 0};
    uint32_t joint = add_accessor(writer, joints, sizeof joints, 5121, 3, "VEC4");
    uint32_t view = gltf_view(writer, weights, sizeof weights, 0);
    uint32_t weight =
        gltf_add(writer, "accessors",
                 "{'bufferView':%u,'componentType':5121,'normalized':true,'count':3,'type':'VEC4'}", view);
    gltf_add(writer, "meshes", "{'primitives':[{'attributes':{'POSITION':0,'JOINTS_0':%u,'WEIGHTS_0':%u}}]}",
             joint, weight);
    add_skin(writer);
    pm_scene *scene = import_clean(writer);
    const pm_mesh *mesh = skinned(scene);
    cr_assert_eq(mesh->skin, 0);
    cr_assert_eq(mesh->influence_count, 4);
    // The joint of an influence without weight is 0, whatever the file says.
    static const uint16_t expected[] = {0, 1, 2, 0, 2, 0, 0, 0, 1, 0, 0, 0};
    cr_assert_arr_eq(mesh->joints, expected, sizeof expected);
    cr_assert_eq(mesh->weights[2], 102 / 255.0f);
    cr_assert_eq(mesh->weights[4], 1);
    // The node without a skin carries the same vertices rigidly.
    cr_assert_eq(scene->meshes[0].skin, PM_NONE);
    cr_assert_eq(scene->meshes[0].influence_count, 0);
    cr_assert_null(scene->meshes[0].joints);
    cr_assert_eq(scene->meshes[0].positions, mesh->positions);
    pm_scene_destroy(scene);
}

Test(gltf_mesh, eight_influences) {
    gltf_writer *writer = triangle_writer();
    uint16_t joints[2][12];
    float weights[2][12];
    for (int i = 0; i < 12; i++) {
        joints[0][i] = (uint16_t)(i % 3);
        joints[1][i] = (uint16_t)((i + 1) % 3);
        weights[0][i] = (float)(i + 1) / 100;
        weights[1][i] = (float)(i + 1) / 10;
    }
    uint32_t accessors[4];
    for (int set = 0; set < 2; set++) {
        accessors[set] = add_accessor(writer, joints[set], sizeof joints[set], 5123, 3, "VEC4");
        accessors[2 + set] = gltf_floats(writer, "VEC4", 3, weights[set]);
    }
    gltf_add(writer, "meshes",
             "{'primitives':[{'attributes':{'POSITION':0,'JOINTS_0':%u,'WEIGHTS_0':%u,'JOINTS_1':%u,"
             "'WEIGHTS_1':%u}}]}",
             accessors[0], accessors[2], accessors[1], accessors[3]);
    add_skin(writer);
    pm_scene *scene = import_clean(writer);
    const pm_mesh *mesh = skinned(scene);
    cr_assert_eq(mesh->influence_count, 8);
    for (int v = 0; v < 3; v++)
        for (int i = 0; i < 8; i++) {
            cr_assert_eq(mesh->joints[8 * v + i], joints[i / 4][4 * v + i % 4]);
            cr_assert_eq(mesh->weights[8 * v + i], weights[i / 4][4 * v + i % 4]);
        }
    pm_scene_destroy(scene);
}

// A skinned triangle whose influences are these; gives what was said.
static seen_diagnostic faulty_influences(const char *attributes, diagnostics *seen) {
    gltf_writer *writer = triangle_writer();
    static const uint8_t joints[12] = {3};
    static const float ones[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, nans[12] = {NAN};
    static const uint32_t huge[12] = {70000};
    add_accessor(writer, joints, sizeof joints, 5121, 3, "VEC4");
    gltf_floats(writer, "VEC4", 3, ones);
    gltf_floats(writer, "VEC4", 3, nans);
    add_accessor(writer, huge, sizeof huge, 5125, 3, "VEC4");
    gltf_floats(writer, "VEC4", 2, ones);
    gltf_add(writer, "meshes", "{'primitives':[{'attributes':{'POSITION':0,%s}}]}", attributes);
    add_skin(writer);
    pm_report report = diagnostics_report(seen);
    pm_scene *scene = gltf_import(writer, &report);
    const pm_mesh *mesh = skinned(scene);
    cr_assert_eq(mesh->skin, PM_NONE);
    cr_assert_eq(mesh->influence_count, 0);
    cr_assert_null(mesh->joints);
    cr_assert_null(mesh->weights);
    cr_assert_eq(mesh->vertex_count, 3);
    pm_scene_destroy(scene);
    cr_assert_geq(seen->count, 1);
    return seen->seen[seen->count - 1];
}

Test(gltf_mesh, faulty_influences_cost_the_skinning) {
    diagnostics seen;
    cr_assert_eq(faulty_influences("'JOINTS_0':1,'WEIGHTS_0':2", &seen).fault, PM_FAULT_SKIN); // joint 3 of 3
    cr_assert(strstr(seen.seen[0].message, "joint 3 of a skin of 3"));
    cr_assert_eq(faulty_influences("'JOINTS_0':1,'WEIGHTS_0':3", &seen).fault, PM_FAULT_ACCESSOR); // NaN
    cr_assert_eq(faulty_influences("'JOINTS_0':4,'WEIGHTS_0':2", &seen).fault, PM_FAULT_ACCESSOR); // 70000
    cr_assert_eq(faulty_influences("'JOINTS_0':1,'WEIGHTS_0':5", &seen).fault, PM_FAULT_ACCESSOR); // two
    cr_assert_eq(faulty_influences("'JOINTS_0':1,'WEIGHTS_0':0", &seen).fault, PM_FAULT_ACCESSOR); // VEC3
    cr_assert_eq(faulty_influences("'JOINTS_0':1", &seen).fault, PM_FAULT_ACCESSOR);
    cr_assert_eq(faulty_influences("'JOINTS_0':2,'WEIGHTS_0':2,'JOINTS_1':1", &seen).fault,
                 PM_FAULT_ACCESSOR);
}

Test(gltf_mesh, more_than_eight_influences_are_reported) {
    gltf_writer *writer = triangle_writer();
    static const uint8_t joints[12];
    uint32_t joint = add_accessor(writer, joints, sizeof joints, 5121, 3, "VEC4");
    uint32_t weight = gltf_floats(writer, "VEC4", 3, (float[12]){1});
    gltf_add(writer, "meshes",
             "{'primitives':[{'attributes':{'POSITION':0,'JOINTS_0':%u,'WEIGHTS_0':%u,'JOINTS_1':%u,"
             "'WEIGHTS_1':%u,'JOINTS_2':%u,'WEIGHTS_2':%u}}]}",
             joint, weight, joint, weight, joint, weight);
    add_skin(writer);
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_scene *scene = gltf_import(writer, &report);
    cr_assert_eq(skinned(scene)->influence_count, 8);
    cr_assert_eq(seen.count, 1);
    cr_assert_eq(seen.seen[0].fault, PM_FAULT_FILE_UNSUPPORTED);
    pm_scene_destroy(scene);
}

Test(gltf_mesh, morph_targets) {
    gltf_writer *writer = triangle_writer();
    static const float offsets[] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, sparse[] = {9, 8, 7};
    static const uint8_t index[] = {2};
    uint32_t first = gltf_floats(writer, "VEC3", 3, offsets);
    uint32_t index_view = gltf_view(writer, index, sizeof index, 0);
    uint32_t value_view = gltf_view(writer, sparse, sizeof sparse, 0);
    uint32_t second = gltf_add(writer, "accessors",
                               "{'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':1,'indices':"
                               "{'bufferView':%u,'componentType':5121},'values':{'bufferView':%u}}}",
                               index_view, value_view);
    gltf_add(writer, "nodes", "{'name':'Twin','mesh':0}");
    gltf_add(writer, "meshes",
             "{'primitives':[{'attributes':{'POSITION':0},'targets':[{'POSITION':%u},{},{'POSITION':%u}]}]}",
             first, second);
    pm_scene *scene = import_clean(writer);
    cr_assert_eq(scene->mesh_count, 2);
    const pm_mesh *mesh = &scene->meshes[0];
    cr_assert_eq(mesh->morph_count, 3);
    const float expected[3][9] = {{1, 2, 3, 4, 5, 6, 7, 8, 9}, {0}, {0, 0, 0, 0, 0, 0, 9, 8, 7}};
    cr_assert_arr_eq(mesh->morph_positions, (const float *)expected, sizeof expected);
    cr_assert_eq(mesh->first_scalar, 0);
    cr_assert_eq(scene->meshes[1].first_scalar, 3);
    cr_assert_str_eq(scene->skeleton->scalar_names[3], "Twin.weights[0]");
    pm_scene_destroy(scene);
}

Test(gltf_mesh, faulty_morph_targets_do_not_move_anything) {
    gltf_writer *writer = triangle_writer();
    static const float nans[9] = {1, 2, NAN};
    uint32_t nan = gltf_floats(writer, "VEC3", 3, nans);
    uint32_t few = gltf_floats(writer, "VEC3", 2, nans);
    gltf_add(writer, "meshes",
             "{'primitives':[{'attributes':{'POSITION':0},'targets':[{'POSITION':%u},{'POSITION':%u},"
             "{'POSITION':99},{'POSITION':0}]}]}",
             nan, few);
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_scene *scene = gltf_import(writer, &report);
    const pm_mesh *mesh = &scene->meshes[0];
    cr_assert_eq(mesh->morph_count, 4);
    for (int i = 0; i < 27; i++) cr_assert_eq(mesh->morph_positions[i], 0);
    cr_assert_arr_eq(mesh->morph_positions + 27, triangle, sizeof triangle);
    cr_assert_eq(diagnostics_count(&seen, PM_FAULT_VALUE_NOT_FINITE), 1);
    pm_scene_destroy(scene);
}

Test(gltf_mesh, several_primitives_and_several_nodes) {
    gltf_writer *writer = triangle_writer();
    gltf_add(writer, "nodes", "{'mesh':1}");
    gltf_add(writer, "nodes", "{'mesh':0}");
    gltf_add(writer, "meshes",
             "{'name':'two','primitives':[{'attributes':{'POSITION':0}},{'attributes':{'POSITION':0}}]}");
    gltf_add(writer, "meshes", "{'name':'one','primitives':[{'attributes':{'POSITION':0}}]}");
    gltf_add(writer, "meshes", "{'name':'unused','primitives':[{'attributes':{'POSITION':0}}]}");
    pm_scene *scene = import_clean(writer);
    cr_assert_eq(scene->mesh_count, 5);
    static const char *const names[] = {"two", "two", "one", "two", "two"};
    static const uint32_t nodes[] = {0, 0, 1, 2, 2};
    for (int m = 0; m < 5; m++) {
        cr_assert_str_eq(scene->meshes[m].name, names[m]);
        cr_assert_eq(scene->skeleton->joint_to_node[scene->meshes[m].joint], nodes[m]);
        cr_assert_eq(scene->meshes[m].positions, scene->meshes[0].positions); // one copy for all
    }
    pm_scene_destroy(scene);
}

// A primitive with this JSON is left out; the animation beside it is not.
static void check_left_out(const char *primitive, pm_fault fault, const char *words) {
    gltf_writer *writer = triangle_writer();
    static const uint8_t indices[] = {0, 1, 3};
    static const float nans[9] = {NAN};
    add_accessor(writer, indices, sizeof indices, 5121, 3, "SCALAR");
    gltf_floats(writer, "VEC3", 3, nans);
    gltf_floats(writer, "VEC4", 2, nans);
    uint32_t times = gltf_floats(writer, "SCALAR", 3, triangle);
    gltf_animate(writer, "{'node':0,'path':'scale'}", NULL, times, 0);
    gltf_add(writer, "meshes", "{'primitives':[%s,{'attributes':{'POSITION':0}}]}", primitive);
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_scene *scene = gltf_import(writer, &report);
    cr_assert_eq(scene->mesh_count, 1, "%s", primitive);
    cr_assert_eq(scene->clips[0].channel_count, 1);
    const seen_diagnostic *why = diagnostics_find(&seen, fault, 0);
    cr_assert(why && strstr(why->message, words), "%s: %s", primitive, seen.seen[0].message);
    cr_assert_eq(why->severity, PM_SEVERITY_DROPPED);
    cr_assert(strstr(seen.seen[seen.count - 1].message, "mesh 0, primitive 0"));
    pm_scene_destroy(scene);
}

Test(gltf_mesh, faulty_primitives_are_left_out) {
    check_left_out("{}", PM_FAULT_REFERENCE, "no positions");
    check_left_out("{'attributes':{'POSITION':99}}", PM_FAULT_REFERENCE, "accessor 99 does not exist");
    check_left_out("{'attributes':{'POSITION':1}}", PM_FAULT_ACCESSOR, "wrong type");
    check_left_out("{'attributes':{'POSITION':2}}", PM_FAULT_VALUE_NOT_FINITE, "not finite");
    check_left_out("{'attributes':{'POSITION':0},'indices':1}", PM_FAULT_REFERENCE, "names no vertex");
    check_left_out("{'attributes':{'POSITION':0},'indices':0}", PM_FAULT_ACCESSOR, "not SCALAR");
    check_left_out("{'attributes':{'POSITION':0},'indices':77}", PM_FAULT_ACCESSOR, "indices cannot be read");
    check_left_out("{'attributes':{'POSITION':0},'mode':7}", PM_FAULT_FILE_FORMAT, "mode");
}

Test(gltf_mesh, draco_geometry_is_left_out) {
    gltf_writer *writer = triangle_writer();
    uint32_t empty = gltf_add(writer, "accessors", "{'componentType':5126,'count':3,'type':'VEC3'}");
    gltf_set(writer, "extensionsRequired", "['KHR_draco_mesh_compression']");
    gltf_add(writer, "meshes",
             "{'primitives':[{'attributes':{'POSITION':%u},'extensions':{'KHR_draco_mesh_compression':"
             "{'bufferView':0,'attributes':{'POSITION':0}}}},"
             "{'attributes':{'POSITION':0},'extensions':{'KHR_draco_mesh_compression':{}}}]}",
             empty);
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_scene *scene = gltf_import(writer, &report);
    cr_assert_eq(scene->mesh_count, 1); // the second brings its geometry uncompressed, too
    cr_assert_arr_eq(scene->meshes[0].positions, triangle, sizeof triangle);
    cr_assert_eq(seen.count, 1);
    cr_assert_eq(seen.seen[0].fault, PM_FAULT_FILE_UNSUPPORTED);
    cr_assert(strstr(seen.seen[0].message, "Draco"));
    pm_scene_destroy(scene);
}

Test(gltf_mesh, faulty_normals_are_left_out) {
    gltf_writer *writer = triangle_writer();
    uint32_t two = gltf_floats(writer, "VEC3", 2, triangle);
    gltf_add(writer, "meshes", "{'primitives':[{'attributes':{'POSITION':0,'NORMAL':%u}}]}", two);
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_scene *scene = gltf_import(writer, &report);
    cr_assert_eq(scene->mesh_count, 1);
    cr_assert_null(scene->meshes[0].normals);
    cr_assert_eq(seen.count, 1);
    pm_scene_destroy(scene);
}

Test(gltf_mesh, meshes_and_skins_that_do_not_exist) {
    gltf_writer *writer = triangle_writer();
    gltf_add(writer, "nodes", "{'mesh':5}");
    gltf_add(writer, "nodes", "{'mesh':0,'skin':5}");
    gltf_add(writer, "meshes", "{'primitives':[{'attributes':{'POSITION':0}}]}");
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_scene *scene = gltf_import(writer, &report);
    cr_assert_eq(scene->mesh_count, 2);
    cr_assert_eq(diagnostics_count(&seen, PM_FAULT_REFERENCE), 2);
    pm_scene_destroy(scene);
}

Test(gltf_mesh, none_on_request) {
    gltf_writer *writer = triangle_writer();
    gltf_add(
        writer, "meshes",
        "{'primitives':[{'attributes':{'POSITION':0},'targets':[{},{}]},{'attributes':{'POSITION':99}}]}");
    gltf_file glb = gltf_glb(writer);
    pm_import_options options = pm_default_import_options();
    options.meshes = false;
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_scene *scene;
    cr_assert_eq(pm_import_gltf_memory(glb.bytes, glb.size, NULL, &options, &scene, &report), PM_OK);
    cr_assert_eq(scene->mesh_count, 0);
    cr_assert_eq(seen.count, 0);
    cr_assert_eq(scene->skeleton->scalar_count, 2); // morph weights stay
    cr_assert_eq(scene->skeleton->joint_count, 1);  // and so does the node
    pm_scene_destroy(scene);
    free(glb.bytes);
    gltf_writer_free(writer);
}

Test(gltf_mesh, too_many_are_refused) {
    enum { NODES = 1100, PRIMITIVES = 1000 };
    gltf_writer *writer = triangle_writer();
    for (int n = 1; n < NODES; n++) gltf_add(writer, "nodes", "{'mesh':0}");
    char *primitives = malloc(PRIMITIVES * 48), *end = primitives;
    for (int p = 0; p < PRIMITIVES; p++) end += sprintf(end, "%s{'attributes':{'POSITION':0}}", p ? "," : "");
    gltf_add(writer, "meshes", "{'primitives':[%s]}", primitives);
    pm_report report = {0};
    cr_assert_eq(gltf_refuse(writer, &report), PM_ERROR_UNSUPPORTED);
    cr_assert_eq(report.fault, PM_FAULT_FILE_UNSUPPORTED);
    free(primitives);
}
