// KHR_animation_pointer: numbers anywhere in the document become named scalars, paths of nodes ordinary
// channels.
#include <posemill/import.h>

#include "support/diagnostics.h"
#include "support/gltf_writer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

// A node with morph targets, a camera, a material, a light; key times as accessor 0.
static gltf_writer *document(void) {
    gltf_writer *writer = gltf_writer_new();
    gltf_floats(writer, "SCALAR", 2, (float[]){0, 1});
    gltf_floats(writer, "VEC3", 1, (float[3]){0});
    gltf_add(writer, "nodes",
             "{'name':'Face','mesh':0,'extensions':{'KHR_node_visibility':{'visible':true}}}");
    gltf_add(writer, "nodes", "{'name':'Lamp','extras':{'wattage':60}}");
    gltf_add(writer, "meshes",
             "{'weights':[0.5,0.25],'primitives':[{'attributes':{'POSITION':1},'targets':[{},{}]}]}");
    gltf_add(writer, "cameras", "{'perspective':{'yfov':0.75}}");
    gltf_add(writer, "materials",
             "{'name':'Skin','alphaMode':'BLEND','pbrMetallicRoughness':{'baseColorFactor':[1,0.5,0.25,1]},"
             "'a/b':{'c~d':3}}");
    gltf_set(writer, "extensions", "{'KHR_lights_punctual':{'lights':[{'color':[1,2,3],'spot':{}}]}}");
    return writer;
}

static void point(gltf_writer *writer, const char *pointer, const char *interpolation, uint32_t output) {
    char target[512];
    snprintf(target, sizeof target,
             "{'path':'pointer','extensions':{'KHR_animation_pointer':{'pointer':'%s'}}}", pointer);
    gltf_animate(writer, target, interpolation, 0, output);
}

// Imports one channel to `pointer` with `components` numbers a key, 1 2 3 ... in all.
static pm_scene *import_pointer(const char *pointer, const char *type, uint32_t count, diagnostics *seen) {
    static const float numbers[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18};
    gltf_writer *writer = document();
    point(writer, pointer, NULL, gltf_floats(writer, type, count, numbers));
    pm_report report = diagnostics_report(seen);
    return gltf_import(writer, &report);
}

Test(gltf_pointer, a_number_becomes_a_named_scalar) {
    diagnostics seen;
    pm_scene *scene = import_pointer("/cameras/0/perspective/yfov", "SCALAR", 2, &seen);
    cr_assert_eq(seen.count, 0);
    cr_assert_eq(scene->clips[0].channel_count, 1);
    const pm_channel *channel = &scene->clips[0].channels[0];
    cr_assert_eq(channel->path, PM_PATH_SCALAR);
    cr_assert_eq(channel->component_count, 1);
    cr_assert_eq(channel->key_count, 2);
    cr_assert_eq(channel->values[1], 2);
    cr_assert_str_eq(channel->name, "/cameras/0/perspective/yfov");
    uint32_t scalar = pm_skeleton_find_scalar(scene->skeleton, "/cameras/0/perspective/yfov");
    cr_assert_eq(channel->target, scalar);
    cr_assert_eq(scene->skeleton->scalar_rest[scalar], 0.75f);
    cr_assert_eq(scene->skeleton->scalar_joints[scalar], PM_NONE);
    pm_scene_destroy(scene);
}

Test(gltf_pointer, a_vector_becomes_a_scalar_for_each_component) {
    static const char *const names[] = {"/materials/0/pbrMetallicRoughness/baseColorFactor.x",
                                        "/materials/0/pbrMetallicRoughness/baseColorFactor.y",
                                        "/materials/0/pbrMetallicRoughness/baseColorFactor.z",
                                        "/materials/0/pbrMetallicRoughness/baseColorFactor.w"};
    static const float rest[] = {1, 0.5f, 0.25f, 1};
    diagnostics seen;
    pm_scene *scene = import_pointer("/materials/0/pbrMetallicRoughness/baseColorFactor", "VEC4", 2, &seen);
    cr_assert_eq(seen.count, 0);
    cr_assert_eq(scene->clips[0].channel_count, 4);
    for (uint32_t c = 0; c < 4; c++) {
        const pm_channel *channel = &scene->clips[0].channels[c];
        cr_assert_str_eq(channel->name, names[c]);
        cr_assert_eq(channel->target, pm_skeleton_find_scalar(scene->skeleton, names[c]));
        cr_assert_eq(channel->values[0], (float)(1 + c));
        cr_assert_eq(channel->values[1], (float)(5 + c));
        cr_assert_eq(scene->skeleton->scalar_rest[channel->target], rest[c]);
    }
    pm_scene_destroy(scene);
}

Test(gltf_pointer, cubic_vectors) {
    gltf_writer *writer = document();
    float output[2][3][3]; // [key][part][component]
    for (int i = 0; i < 18; i++) ((float *)output)[i] = (float)i;
    point(writer, "/extensions/KHR_lights_punctual/lights/0/color", "CUBICSPLINE",
          gltf_floats(writer, "VEC3", 6, (float *)output));
    pm_scene *scene = gltf_import(writer, NULL);
    cr_assert_eq(scene->clips[0].channel_count, 3);
    for (int c = 0; c < 3; c++) {
        const pm_channel *channel = &scene->clips[0].channels[c];
        for (int key = 0; key < 2; key++) {
            cr_assert_eq(channel->in_tangents[key], output[key][0][c]);
            cr_assert_eq(channel->values[key], output[key][1][c]);
            cr_assert_eq(channel->out_tangents[key], output[key][2][c]);
        }
    }
    pm_scene_destroy(scene);
}

Test(gltf_pointer, cubic_with_one_value_a_key) {
    gltf_writer *writer = document();
    point(writer, "/cameras/0/perspective/yfov", "CUBICSPLINE",
          gltf_floats(writer, "SCALAR", 2, (float[]){1, 2}));
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_scene *scene = gltf_import(writer, &report);
    cr_assert_eq(scene->clips[0].channel_count, 0);
    cr_assert(strstr(seen.seen[0].message, "three per key"));
    pm_scene_destroy(scene);
}

Test(gltf_pointer, weights_of_a_mesh_are_numbered) {
    diagnostics seen;
    pm_scene *scene = import_pointer("/meshes/0/weights", "SCALAR", 4, &seen);
    cr_assert_eq(scene->clips[0].channel_count, 2);
    cr_assert_str_eq(scene->clips[0].channels[1].name, "/meshes/0/weights[1]");
    cr_assert_eq(scene->clips[0].channels[1].values[0], 2);
    cr_assert_eq(scene->clips[0].channels[1].values[1], 4);
    cr_assert_eq(scene->skeleton->scalar_rest[scene->clips[0].channels[1].target], 0.25f);
    pm_scene_destroy(scene);
}

Test(gltf_pointer, paths_of_nodes_become_ordinary_channels) {
    static const struct {
        const char *pointer, *type, *name;
        pm_path path;
    } cases[] = {{"/nodes/1/translation", "VEC3", "/nodes/1/translation", PM_PATH_TRANSLATION},
                 {"/nodes/1/rotation", "VEC4", "/nodes/1/rotation", PM_PATH_ROTATION},
                 {"/nodes/1/scale", "VEC3", "/nodes/1/scale", PM_PATH_SCALE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        diagnostics seen;
        pm_scene *scene = import_pointer(cases[i].pointer, cases[i].type, 2, &seen);
        cr_assert_eq(seen.count, 0);
        cr_assert_eq(scene->clips[0].channel_count, 1);
        const pm_channel *channel = &scene->clips[0].channels[0];
        cr_assert_eq(channel->path, cases[i].path);
        cr_assert_eq(channel->target, scene->skeleton->node_to_joint[1]);
        cr_assert_str_eq(channel->name, cases[i].name);
        cr_assert_eq(scene->skeleton->scalar_count, 2); // no more than the face's weights
        pm_scene_destroy(scene);
    }
}

Test(gltf_pointer, weights_of_nodes_become_ordinary_channels) {
    diagnostics seen;
    pm_scene *scene = import_pointer("/nodes/0/weights", "SCALAR", 4, &seen);
    cr_assert_eq(scene->clips[0].channel_count, 2);
    cr_assert_eq(scene->clips[0].channels[1].target, 1);
    cr_assert_str_eq(scene->clips[0].channels[1].name, "Face.weights[1]");
    pm_scene_destroy(scene);

    scene = import_pointer("/nodes/0/weights/1", "SCALAR", 2, &seen);
    cr_assert_eq(scene->clips[0].channel_count, 1);
    cr_assert_eq(scene->clips[0].channels[0].target, 1);
    cr_assert_eq(scene->clips[0].channels[0].values[1], 2);
    pm_scene_destroy(scene);
}

Test(gltf_pointer, clips_share_the_scalars_of_a_pointer) {
    gltf_writer *writer = document();
    uint32_t output = gltf_floats(writer, "SCALAR", 2, (float[]){1, 2});
    point(writer, "/cameras/0/perspective/yfov", NULL, output);
    point(writer, "/cameras/0/perspective/znear", NULL, output);
    point(writer, "/cameras/0/perspective/yfov", "STEP", output);
    pm_scene *scene = gltf_import(writer, NULL);
    cr_assert_eq(scene->skeleton->scalar_count, 4);
    cr_assert_eq(scene->clips[0].channels[0].target, scene->clips[2].channels[0].target);
    cr_assert_neq(scene->clips[0].channels[0].target, scene->clips[1].channels[0].target);
    pm_scene_destroy(scene);
}

// The rest value of a property that the document leaves out.
static void check_default(const char *pointer, const char *type, const char *name, float expected) {
    diagnostics seen;
    pm_scene *scene = import_pointer(pointer, type, 2, &seen);
    cr_assert_eq(seen.count, 0, "%s", seen.seen[0].message);
    uint32_t scalar = pm_skeleton_find_scalar(scene->skeleton, name);
    cr_assert_neq(scalar, PM_NONE, "%s", name);
    cr_assert_eq(scene->skeleton->scalar_rest[scalar], expected, "%s", name);
    pm_scene_destroy(scene);
}

Test(gltf_pointer, properties_left_out_rest_at_their_defaults) {
    check_default("/materials/0/alphaCutoff", "SCALAR", "/materials/0/alphaCutoff", 0.5f);
    check_default("/materials/0/pbrMetallicRoughness/metallicFactor", "SCALAR",
                  "/materials/0/pbrMetallicRoughness/metallicFactor", 1);
    check_default("/materials/0/emissiveFactor", "VEC3", "/materials/0/emissiveFactor.z", 0);
    check_default("/extensions/KHR_lights_punctual/lights/0/intensity", "SCALAR",
                  "/extensions/KHR_lights_punctual/lights/0/intensity", 1);
    check_default("/extensions/KHR_lights_punctual/lights/0/spot/outerConeAngle", "SCALAR",
                  "/extensions/KHR_lights_punctual/lights/0/spot/outerConeAngle", 0.78539816f);
    check_default(
        "/materials/0/pbrMetallicRoughness/baseColorTexture/extensions/KHR_texture_transform/scale", "VEC2",
        "/materials/0/pbrMetallicRoughness/baseColorTexture/extensions/KHR_texture_transform/scale.y", 1);
}

Test(gltf_pointer, escaped_tokens) {
    check_default("/materials/0/a~1b/c~0d", "SCALAR", "/materials/0/a~1b/c~0d", 3);
}

Test(gltf_pointer, scalars_of_a_node_know_their_joint) {
    gltf_writer *writer = document();
    uint32_t output = gltf_floats(writer, "SCALAR", 2, (float[]){1, 2});
    point(writer, "/nodes/1/extras/wattage", NULL, output);
    point(writer, "/nodes/1/scale", NULL, gltf_floats(writer, "VEC3", 2, (float[6]){0}));
    pm_scene *scene = gltf_import(writer, NULL);
    uint32_t scalar = scene->clips[0].channels[0].target;
    cr_assert_str_eq(scene->skeleton->scalar_names[scalar], "/nodes/1/extras/wattage");
    cr_assert_eq(scene->skeleton->scalar_rest[scalar], 60);
    cr_assert_eq(scene->skeleton->scalar_joints[scalar], scene->skeleton->node_to_joint[1]);
    pm_scene_destroy(scene);
}

static void check_skipped(const char *pointer, const char *type, uint32_t count, pm_fault fault) {
    diagnostics seen;
    pm_scene *scene = import_pointer(pointer, type, count, &seen);
    cr_assert_eq(scene->clips[0].channel_count, 0, "%s", pointer);
    cr_assert_eq(scene->skeleton->scalar_count, 2, "%s", pointer);
    cr_assert_eq(seen.count, 1);
    cr_assert_eq(seen.seen[0].severity, PM_SEVERITY_DROPPED);
    cr_assert_eq(seen.seen[0].fault, fault, "%s", seen.seen[0].message);
    cr_assert(!pointer[0] || strstr(seen.seen[0].message, pointer), "%s", seen.seen[0].message);
    pm_scene_destroy(scene);
}

Test(gltf_pointer, what_is_no_number_is_skipped) {
    check_skipped("/materials/0/alphaMode", "SCALAR", 2, PM_FAULT_TARGET_UNSUPPORTED);
    check_skipped("/materials/0/pbrMetallicRoughness", "SCALAR", 2, PM_FAULT_TARGET_UNSUPPORTED);
    check_skipped("/nodes/0/extensions/KHR_node_visibility/visible", "SCALAR", 2,
                  PM_FAULT_TARGET_UNSUPPORTED);
    check_skipped("/nodes", "SCALAR", 2, PM_FAULT_TARGET_UNSUPPORTED);
    check_skipped("/meshes/0/primitives", "SCALAR", 2, PM_FAULT_TARGET_UNSUPPORTED);
}

Test(gltf_pointer, targets_that_do_not_exist_are_skipped) {
    check_skipped("", "SCALAR", 2, PM_FAULT_TARGET_MISSING);
    check_skipped("cameras/0/perspective/yfov", "SCALAR", 2, PM_FAULT_TARGET_MISSING);
    check_skipped("/cameras/1/perspective/yfov", "SCALAR", 2, PM_FAULT_TARGET_MISSING);
    check_skipped("/cameras/00/perspective/yfov", "SCALAR", 2, PM_FAULT_TARGET_MISSING);
    check_skipped("/cameras/-/perspective/yfov", "SCALAR", 2, PM_FAULT_TARGET_MISSING);
    check_skipped("/cameras/99999999999999999999/perspective/yfov", "SCALAR", 2, PM_FAULT_TARGET_MISSING);
    check_skipped("/cameras/0/perspective/yfov/deeper", "SCALAR", 2, PM_FAULT_TARGET_MISSING);
    check_skipped("/cameras/", "SCALAR", 2, PM_FAULT_TARGET_MISSING);
    check_skipped("/lights/0/color", "VEC3", 2, PM_FAULT_TARGET_MISSING);
    check_skipped("/extensions/KHR_lights/lights/0/color", "VEC3", 2, PM_FAULT_TARGET_MISSING);
    check_skipped("/nodes/2/translation", "VEC3", 2, PM_FAULT_TARGET_MISSING);
    check_skipped("/nodes/0/weights/2", "SCALAR", 2, PM_FAULT_TARGET_MISSING);
    check_skipped("/nodes/1/weights", "SCALAR", 2, PM_FAULT_TARGET_MISSING);
    check_skipped("/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q", "SCALAR", 2, PM_FAULT_TARGET_MISSING);
}

Test(gltf_pointer, outputs_of_a_wrong_width_are_skipped) {
    check_skipped("/cameras/0/perspective/yfov", "VEC3", 2, PM_FAULT_KEY_COUNT);
    check_skipped("/materials/0/pbrMetallicRoughness/baseColorFactor", "VEC3", 2, PM_FAULT_KEY_COUNT);
    check_skipped("/cameras/0/perspective/znear", "SCALAR", 3, PM_FAULT_KEY_COUNT);
    check_skipped("/cameras/0/perspective/yfov", "MAT4", 1, PM_FAULT_ACCESSOR);
    check_skipped("/nodes/1/rotation", "VEC3", 2, PM_FAULT_ACCESSOR);
}

Test(gltf_pointer, a_pointer_keeps_the_width_that_it_had_first) {
    gltf_writer *writer = document();
    point(writer, "/materials/0/mystery", NULL, gltf_floats(writer, "VEC3", 2, (float[6]){0}));
    point(writer, "/materials/0/mystery", NULL, gltf_floats(writer, "VEC2", 2, (float[4]){0}));
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_scene *scene = gltf_import(writer, &report);
    cr_assert_eq(scene->clips[0].channel_count, 3);
    cr_assert_eq(scene->clips[1].channel_count, 0);
    cr_assert_eq(seen.seen[0].fault, PM_FAULT_KEY_COUNT);
    pm_scene_destroy(scene);
}
