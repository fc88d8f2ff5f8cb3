// glTF animations: channels, samplers, morph weights and their layout, and what costs a channel.
#include <posemill/import.h>

#include "support/diagnostics.h"
#include "support/gltf_writer.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float three_times[] = {0, 0.5f, 2};

// A node 0 "Hips", key times as accessor 0, three vectors as accessor 1, three rotations as accessor 2.
static gltf_writer *writer_with_keys(void) {
    static const float vectors[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    static const float rotations[] = {0, 0, 0, 1, 1, 0, 0, 0, 0, -1, 0, 0};
    gltf_writer *writer = gltf_writer_new();
    gltf_add(writer, "nodes", "{'name':'Hips'}");
    gltf_floats(writer, "SCALAR", 3, three_times);
    gltf_floats(writer, "VEC3", 3, vectors);
    gltf_floats(writer, "VEC4", 3, rotations);
    return writer;
}

static const pm_channel *only_channel(const pm_scene *scene) {
    cr_assert_eq(scene->clip_count, 1);
    cr_assert_eq(scene->clips[0].channel_count, 1);
    return &scene->clips[0].channels[0];
}

Test(gltf_animation, translation_rotation_and_scale) {
    gltf_writer *writer = writer_with_keys();
    gltf_add(
        writer, "animations",
        "{'name':'Walk','samplers':[{'input':0,'output':1,'interpolation':'STEP'},{'input':0,'output':2}],"
        "'channels':[{'sampler':1,'target':{'node':0,'path':'rotation'}},"
        "{'sampler':0,'target':{'node':0,'path':'translation'}},"
        "{'sampler':0,'target':{'node':0,'path':'scale'}}]}");
    pm_scene *scene = gltf_import(writer, NULL);
    const pm_clip_source *clip = &scene->clips[0];
    cr_assert_str_eq(clip->name, "Walk");
    cr_assert_str_eq(clip->file, "test.glb");
    cr_assert_eq(clip->channel_count, 3);
    static const pm_path paths[] = {PM_PATH_ROTATION, PM_PATH_TRANSLATION, PM_PATH_SCALE};
    static const char *const names[] = {"Hips.rotation", "Hips.translation", "Hips.scale"};
    for (uint32_t c = 0; c < 3; c++) {
        const pm_channel *channel = &clip->channels[c];
        cr_assert_eq(channel->path, paths[c]);
        cr_assert_eq(channel->interpolation, c ? PM_INTERPOLATION_STEP : PM_INTERPOLATION_LINEAR);
        cr_assert_eq(channel->target, 0);
        cr_assert_eq(channel->component_count, c ? 3 : 4);
        cr_assert_eq(channel->key_count, 3);
        cr_assert_eq(channel->value_count, 3);
        cr_assert_arr_eq(channel->times, three_times, sizeof three_times);
        cr_assert_null(channel->in_tangents);
        cr_assert_null(channel->out_tangents);
        cr_assert_str_eq(channel->name, names[c]);
    }
    cr_assert_eq(clip->channels[0].values[9], -1); // handed over as it is
    cr_assert_eq(clip->channels[1].values[8], 9);
    pm_scene_destroy(scene);
}

Test(gltf_animation, cubic_keys_are_in_tangent_value_out_tangent) {
    gltf_writer *writer = gltf_writer_new();
    gltf_add(writer, "nodes", "{}");
    float output[2][3][3];
    for (int key = 0; key < 2; key++)
        for (int part = 0; part < 3; part++)
            for (int c = 0; c < 3; c++) output[key][part][c] = (float)(100 * key + 10 * part + c);
    uint32_t times = gltf_floats(writer, "SCALAR", 2, three_times);
    uint32_t values = gltf_floats(writer, "VEC3", 6, (float *)output);
    gltf_animate(writer, "{'node':0,'path':'translation'}", "CUBICSPLINE", times, values);
    pm_scene *scene = gltf_import(writer, NULL);
    const pm_channel *channel = only_channel(scene);
    cr_assert_eq(channel->interpolation, PM_INTERPOLATION_CUBIC);
    cr_assert_eq(channel->key_count, 2);
    cr_assert_eq(channel->value_count, 2);
    for (int key = 0; key < 2; key++)
        for (int c = 0; c < 3; c++) {
            cr_assert_eq(channel->in_tangents[3 * key + c], output[key][0][c]);
            cr_assert_eq(channel->values[3 * key + c], output[key][1][c]);
            cr_assert_eq(channel->out_tangents[3 * key + c], output[key][2][c]);
        }
    pm_scene_destroy(scene);
}

// Imports an animation of one channel that is left out; gives the diagnostic.
static seen_diagnostic dropped(gltf_writer *writer, diagnostics *seen) {
    pm_report report = diagnostics_report(seen);
    pm_scene *scene = gltf_import(writer, &report);
    cr_assert_eq(scene->clip_count, 1);
    cr_assert_eq(scene->clips[0].channel_count, 0);
    pm_scene_destroy(scene);
    cr_assert_eq(seen->count, 1);
    cr_assert_eq(seen->seen[0].severity, PM_SEVERITY_DROPPED);
    cr_assert(seen->seen[0].has_clip && seen->seen[0].has_channel);
    return seen->seen[0];
}

Test(gltf_animation, cubic_with_one_value_a_key_is_refused_as_three_per_key) {
    gltf_writer *writer = writer_with_keys();
    gltf_animate(writer, "{'node':0,'path':'translation'}", "CUBICSPLINE", 0, 1);
    diagnostics seen;
    seen_diagnostic why = dropped(writer, &seen);
    cr_assert_eq(why.fault, PM_FAULT_KEY_COUNT);
    cr_assert(strstr(why.message, "three per key"), "%s", why.message);
    cr_assert(strstr(why.message, "clip \"animation 0\", channel \"Hips.translation\""), "%s", why.message);
}

Test(gltf_animation, key_counts_that_differ_cost_the_channel) {
    static const char *const modes[] = {"LINEAR", "STEP", "CUBICSPLINE"};
    for (uint32_t count = 0; count < 12; count++)
        for (int m = 0; m < 3; m++) {
            uint32_t expected = m == 2 ? 9 : 3;
            if (count == expected) continue;
            gltf_writer *writer = writer_with_keys();
            uint32_t output = gltf_add(writer, "accessors", "{'componentType':5126,'count':%u,'type':'VEC3'}",
                                       (unsigned)count);
            gltf_animate(writer, "{'node':0,'path':'scale'}", modes[m], 0, output);
            diagnostics seen;
            cr_assert_eq(dropped(writer, &seen).fault, PM_FAULT_KEY_COUNT);
        }
}

// A face with three morph targets.
static gltf_writer *face(void) {
    gltf_writer *writer = gltf_writer_new();
    gltf_floats(writer, "SCALAR", 2, three_times);
    gltf_floats(writer, "VEC3", 1, three_times);
    gltf_add(writer, "meshes",
             "{'weights':[0.25,0.5],'primitives':[{'attributes':{'POSITION':1},'targets':[{}]},"
             "{'attributes':{'POSITION':1},'targets':[{},{},{}]}]}");
    gltf_add(writer, "nodes", "{'name':'Face','mesh':0}");
    return writer;
}

static void check_run(const float *values, float first, float second) {
    cr_assert_eq(values[0], first);
    cr_assert_eq(values[1], second);
}

Test(gltf_animation, morph_weights_become_scalars) {
    gltf_writer *writer = face();
    uint32_t output = gltf_floats(writer, "SCALAR", 6, (float[]){1, 2, 3, 11, 12, 13});
    gltf_animate(writer, "{'node':0,'path':'weights'}", "LINEAR", 0, output);
    pm_scene *scene = gltf_import(writer, NULL);
    cr_assert_eq(scene->clips[0].channel_count, 3);
    const pm_skeleton *skeleton = scene->skeleton;
    cr_assert_eq(skeleton->scalar_count, 3);
    cr_assert_str_eq(skeleton->scalar_names[2], "Face.weights[2]");
    cr_assert_eq(pm_skeleton_find_scalar(skeleton, "Face.weights[1]"), 1);
    cr_assert_eq(skeleton->scalar_joints[1], skeleton->node_to_joint[0]);
    cr_assert_eq(scene->weight_range_count, 1);
    cr_assert_eq(scene->weight_ranges[0].joint, skeleton->node_to_joint[0]);
    cr_assert_eq(scene->weight_ranges[0].first_scalar, 0);
    cr_assert_eq(scene->weight_ranges[0].count, 3);
    for (uint32_t k = 0; k < 3; k++) {
        const pm_channel *channel = &scene->clips[0].channels[k];
        cr_assert_eq(channel->path, PM_PATH_SCALAR);
        cr_assert_eq(channel->target, k);
        cr_assert_eq(channel->component_count, 1);
        cr_assert_eq(channel->key_count, 2);
        cr_assert_eq(channel->times, scene->clips[0].channels[0].times); // shared
        check_run(channel->values, (float)(1 + k), (float)(11 + k));
        cr_assert_str_eq(channel->name, skeleton->scalar_names[k]);
    }
    pm_scene_destroy(scene);
}

Test(gltf_animation, cubic_morph_weights_are_all_in_tangents_then_values_then_out_tangents) {
    gltf_writer *writer = face();
    float output[2][3][3]; // [key][part][target]
    for (int key = 0; key < 2; key++)
        for (int part = 0; part < 3; part++)
            for (int t = 0; t < 3; t++) output[key][part][t] = (float)(100 * key + 10 * part + t);
    uint32_t accessor = gltf_floats(writer, "SCALAR", 18, (float *)output);
    gltf_animate(writer, "{'node':0,'path':'weights'}", "CUBICSPLINE", 0, accessor);
    pm_scene *scene = gltf_import(writer, NULL);
    cr_assert_eq(scene->clips[0].channel_count, 3);
    for (int t = 0; t < 3; t++) {
        const pm_channel *channel = &scene->clips[0].channels[t];
        check_run(channel->in_tangents, output[0][0][t], output[1][0][t]);
        check_run(channel->values, output[0][1][t], output[1][1][t]);
        check_run(channel->out_tangents, output[0][2][t], output[1][2][t]);
    }
    pm_scene_destroy(scene);
}

Test(gltf_animation, cubic_morph_weights_with_one_value_a_key) {
    gltf_writer *writer = face();
    uint32_t output = gltf_floats(writer, "SCALAR", 6, (float[]){1, 2, 3, 11, 12, 13});
    gltf_animate(writer, "{'node':0,'path':'weights'}", "CUBICSPLINE", 0, output);
    diagnostics seen;
    seen_diagnostic why = dropped(writer, &seen);
    cr_assert_eq(why.fault, PM_FAULT_KEY_COUNT);
    cr_assert(strstr(why.message, "three per key"));
}

Test(gltf_animation, normalised_bytes_as_morph_weights) {
    gltf_writer *writer = face();
    static const uint8_t bytes[] = {0, 51, 255, 255, 102, 0};
    uint32_t view = gltf_view(writer, bytes, sizeof bytes, 0);
    uint32_t output =
        gltf_add(writer, "accessors",
                 "{'bufferView':%u,'componentType':5121,'normalized':true,'count':6,'type':'SCALAR'}", view);
    gltf_animate(writer, "{'node':0,'path':'weights'}", NULL, 0, output);
    pm_scene *scene = gltf_import(writer, NULL);
    check_run(scene->clips[0].channels[0].values, 0, 1);
    check_run(scene->clips[0].channels[1].values, 51 / 255.0f, 102 / 255.0f);
    pm_scene_destroy(scene);
}

Test(gltf_animation, weights_rest_at_the_nodes_then_at_the_meshs_then_at_zero) {
    gltf_writer *writer = face();
    gltf_add(writer, "nodes", "{'mesh':0,'weights':[1,2,3]}");
    pm_scene *scene = gltf_import(writer, NULL);
    const float expected[] = {0.25f, 0.5f, 0, 1, 2, 3};
    cr_assert_eq(scene->skeleton->scalar_count, 6);
    cr_assert_arr_eq(scene->skeleton->scalar_rest, expected, sizeof expected);
    cr_assert_str_eq(scene->skeleton->scalar_names[5], "node 1.weights[2]");
    pm_scene_destroy(scene);
}

Test(gltf_animation, weights_of_a_node_without_morph_targets) {
    gltf_writer *writer = writer_with_keys();
    gltf_animate(writer, "{'node':0,'path':'weights'}", NULL, 0, 0);
    diagnostics seen;
    cr_assert_eq(dropped(writer, &seen).fault, PM_FAULT_TARGET_MISSING);
}

// A channel with this target is left out with this fault.
static void check_target(const char *target, pm_fault fault) {
    gltf_writer *writer = writer_with_keys();
    gltf_animate(writer, target, NULL, 0, 1);
    diagnostics seen;
    cr_assert_eq(dropped(writer, &seen).fault, fault, "%s: %s", target, seen.seen[0].message);
}

Test(gltf_animation, channels_without_a_node_or_with_one_that_does_not_exist) {
    check_target("{'path':'scale'}", PM_FAULT_TARGET_MISSING);
    check_target("{'node':1,'path':'scale'}", PM_FAULT_TARGET_MISSING);
    check_target("{'node':-1,'path':'scale'}", PM_FAULT_TARGET_MISSING);
    check_target("{'node':'Hips','path':'scale'}", PM_FAULT_TARGET_MISSING);
    check_target("{}", PM_FAULT_TARGET_MISSING);
    check_target("null", PM_FAULT_TARGET_MISSING);
}

Test(gltf_animation, unknown_paths) {
    check_target("{'node':0,'path':'opacity'}", PM_FAULT_TARGET_UNSUPPORTED);
    check_target("{'node':0}", PM_FAULT_TARGET_UNSUPPORTED);
    check_target("{'node':0,'path':3}", PM_FAULT_TARGET_UNSUPPORTED);
    check_target("{'node':0,'path':'scalar'}", PM_FAULT_TARGET_UNSUPPORTED);
}

Test(gltf_animation, samplers_and_accessors_that_do_not_exist) {
    static const char *const animations[] = {
        "{'samplers':[],'channels':[{'sampler':0,'target':{'node':0,'path':'scale'}}]}",
        "{'channels':[{'sampler':0,'target':{'node':0,'path':'scale'}}]}",
        "{'samplers':[{'input':0,'output':1}],'channels':[{'target':{'node':0,'path':'scale'}}]}",
        "{'samplers':[{'input':9,'output':1}],'channels':[{'sampler':0,'target':{'node':0,'path':'scale'}}]}",
        "{'samplers':[{'input':0}],'channels':[{'sampler':0,'target':{'node':0,'path':'scale'}}]}",
        "{'samplers':[{'output':1}],'channels':[{'sampler':0,'target':{'node':0,'path':'scale'}}]}",
    };
    for (size_t i = 0; i < sizeof animations / sizeof *animations; i++) {
        gltf_writer *writer = writer_with_keys();
        gltf_add(writer, "animations", "%s", animations[i]);
        diagnostics seen;
        cr_assert_eq(dropped(writer, &seen).fault, PM_FAULT_REFERENCE, "%s", animations[i]);
    }
}

Test(gltf_animation, times_or_values_of_a_wrong_type) {
    static const struct {
        const char *target;
        uint32_t input, output;
    } cases[] = {{"{'node':0,'path':'scale'}", 1, 1},
                 {"{'node':0,'path':'scale'}", 0, 2},
                 {"{'node':0,'path':'scale'}", 0, 0},
                 {"{'node':0,'path':'rotation'}", 0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gltf_writer *writer = writer_with_keys();
        gltf_animate(writer, cases[i].target, NULL, cases[i].input, cases[i].output);
        diagnostics seen;
        cr_assert_eq(dropped(writer, &seen).fault, PM_FAULT_ACCESSOR);
    }
}

Test(gltf_animation, a_fault_in_one_channel_costs_that_channel) {
    gltf_writer *writer = writer_with_keys();
    gltf_add(writer, "animations",
             "{'name':'Walk','samplers':[{'input':0,'output':1},{'input':0,'output':77}],'channels':["
             "{'sampler':1,'target':{'node':0,'path':'rotation'}},{'sampler':0,'target':{'path':'scale'}},"
             "{'sampler':0,'target':{'node':0,'path':'translation'}}]}");
    gltf_animate(writer, "{'node':0,'path':'rotation'}", NULL, 0, 2);
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_scene *scene = gltf_import(writer, &report);
    cr_assert_eq(scene->clip_count, 2);
    cr_assert_eq(scene->clips[0].channel_count, 1);
    cr_assert_eq(scene->clips[0].channels[0].path, PM_PATH_TRANSLATION);
    cr_assert_eq(scene->clips[1].channel_count, 1);
    cr_assert_eq(seen.count, 2);
    cr_assert(
        strstr(seen.seen[0].message, "test.glb: clip \"Walk\", channel \"Hips.rotation\": accessor 77"));
    cr_assert(
        strstr(seen.seen[1].message, "test.glb: clip \"Walk\", channel \"channel 1\": it names no node"));
    pm_scene_destroy(scene);
}

// Two channels for one target are both handed over: compile keeps the first.
Test(gltf_animation, two_channels_for_one_target) {
    gltf_writer *writer = writer_with_keys();
    gltf_add(writer, "animations",
             "{'samplers':[{'input':0,'output':1}],'channels':["
             "{'sampler':0,'target':{'node':0,'path':'scale'}},{'sampler':0,'target':{'node':0,'path':'scale'"
             "}}]}");
    pm_scene *scene = gltf_import(writer, NULL);
    cr_assert_eq(scene->clips[0].channel_count, 2);
    pm_scene_destroy(scene);
}

Test(gltf_animation, an_animated_node_with_a_matrix) {
    gltf_writer *writer = writer_with_keys();
    gltf_add(writer, "nodes", "{'name':'Bone','matrix':[1,0,0,0,0,1,0,0,0,0,1,0,7,8,9,1]}");
    gltf_animate(writer, "{'node':1,'path':'scale'}", NULL, 0, 1);
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_scene *scene = gltf_import(writer, &report);
    cr_assert_eq(only_channel(scene)->path, PM_PATH_SCALE);
    cr_assert_eq(pm_pose_get_joint(scene->skeleton->rest, 0).translation[1], 8);
    cr_assert_eq(seen.count, 1);
    cr_assert_eq(seen.seen[0].fault, PM_FAULT_TARGET_MATRIX);
    cr_assert(strstr(seen.seen[0].message, "channel \"Bone.scale\""));
    pm_scene_destroy(scene);
}

// An animation whose sampler has this JSON for its interpolation is read as LINEAR.
static void check_interpolation(const char *member, uint32_t diagnostic_count) {
    gltf_writer *writer = writer_with_keys();
    gltf_add(writer, "animations",
             "{'samplers':[{'input':0,'output':1%s}],'channels':[{'sampler':0,'target':"
             "{'node':0,'path':'scale'}}]}",
             member);
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_scene *scene = gltf_import(writer, &report);
    cr_assert_eq(only_channel(scene)->interpolation, PM_INTERPOLATION_LINEAR);
    cr_assert_eq(seen.count, diagnostic_count, "%s", member);
    if (diagnostic_count) {
        cr_assert_eq(seen.seen[0].fault, PM_FAULT_INTERPOLATION);
        cr_assert_eq(seen.seen[0].severity, PM_SEVERITY_REPAIR);
    }
    pm_scene_destroy(scene);
}

Test(gltf_animation, interpolation_missing_wrong_or_unknown) {
    check_interpolation("", 0);
    check_interpolation(",'interpolation':'LINEAR'", 0);
    check_interpolation(",'interpolation':1", 1);
    check_interpolation(",'interpolation':null", 1);
    check_interpolation(",'interpolation':'BEZIER'", 1);
    check_interpolation(",'interpolation':'linear'", 1);
}

Test(gltf_animation, animations_that_are_empty_unnamed_or_share_a_name_keep_their_numbers) {
    gltf_writer *writer = writer_with_keys();
    gltf_add(writer, "animations", "{'name':'Idle'}");
    gltf_add(writer, "animations", "{'channels':[],'samplers':[]}");
    gltf_add(writer, "animations", "{'name':'Idle','channels':[]}");
    gltf_add(writer, "animations", "{'name':'\xe6\xad\xa9\xe3\x81\x8f \xf0\x9f\x9a\xb6'}");
    gltf_animate(writer, "{'node':0,'path':'scale'}", NULL, 0, 1);
    diagnostics seen;
    pm_report report = diagnostics_report(&seen);
    pm_scene *scene = gltf_import(writer, &report);
    cr_assert_eq(scene->clip_count, 5);
    cr_assert_str_eq(scene->clips[0].name, "Idle");
    cr_assert_str_eq(scene->clips[1].name, "");
    cr_assert_str_eq(scene->clips[2].name, "Idle");
    cr_assert_str_eq(scene->clips[3].name, "\xe6\xad\xa9\xe3\x81\x8f \xf0\x9f\x9a\xb6");
    for (int c = 0; c < 4; c++) cr_assert_eq(scene->clips[c].channel_count, 0);
    cr_assert_eq(scene->clips[4].channel_count, 1);
    cr_assert_eq(seen.count, 1);
    cr_assert_eq(seen.seen[0].fault, PM_FAULT_NAME_DUPLICATE);
    pm_scene_destroy(scene);
}

Test(gltf_animation, an_animation_of_scalars_only) {
    gltf_writer *writer = face();
    uint32_t output = gltf_floats(writer, "SCALAR", 6, (float[6]){0});
    gltf_animate(writer, "{'node':0,'path':'weights'}", NULL, 0, output);
    pm_scene *scene = gltf_import(writer, NULL);
    cr_assert_eq(scene->clips[0].channel_count, 3);
    for (int c = 0; c < 3; c++) cr_assert_eq(scene->clips[0].channels[c].path, PM_PATH_SCALAR);
    pm_scene_destroy(scene);
}

// Order, value and sign of keys are settled by compile, so that strict and repair can both be had.
Test(gltf_animation, keys_are_handed_over_as_they_are) {
    gltf_writer *writer = gltf_writer_new();
    gltf_add(writer, "nodes", "{}");
    const float times[] = {2, -1, -1, NAN, INFINITY};
    const float values[] = {0, 0, 0, 0, 3, 0, 0, 0, NAN, 0, 0, 1, -1, 0, 0, 0, 1e30f, 0, 0, 0};
    uint32_t input = gltf_floats(writer, "SCALAR", 5, times);
    uint32_t output = gltf_floats(writer, "VEC4", 5, values);
    gltf_animate(writer, "{'node':0,'path':'rotation'}", NULL, input, output);
    pm_scene *scene = gltf_import(writer, NULL);
    const pm_channel *channel = only_channel(scene);
    cr_assert_eq(memcmp(channel->times, times, sizeof times), 0);
    cr_assert_eq(memcmp(channel->values, values, sizeof values), 0);
    pm_scene_destroy(scene);
}

Test(gltf_animation, no_key_is_handed_over_for_compile_to_refuse_or_drop) {
    gltf_writer *writer = gltf_writer_new();
    gltf_add(writer, "nodes", "{}");
    uint32_t input = gltf_floats(writer, "SCALAR", 0, three_times);
    uint32_t output = gltf_floats(writer, "VEC3", 0, three_times);
    gltf_animate(writer, "{'node':0,'path':'scale'}", "CUBICSPLINE", input, output);
    pm_scene *scene = gltf_import(writer, NULL);
    cr_assert_eq(only_channel(scene)->key_count, 0);
    cr_assert_eq(only_channel(scene)->value_count, 0);
    pm_scene_destroy(scene);
}

Test(gltf_animation, more_keys_than_65535) {
    enum { KEYS = 70001 };
    gltf_writer *writer = gltf_writer_new();
    gltf_add(writer, "nodes", "{}");
    float *numbers = malloc(9 * KEYS * sizeof *numbers);
    for (int i = 0; i < 9 * KEYS; i++) numbers[i] = (float)i;
    uint32_t input = gltf_floats(writer, "SCALAR", KEYS, numbers);
    uint32_t output = gltf_floats(writer, "VEC3", 3 * KEYS, numbers);
    gltf_animate(writer, "{'node':0,'path':'scale'}", "CUBICSPLINE", input, output);
    pm_scene *scene = gltf_import(writer, NULL);
    const pm_channel *channel = only_channel(scene);
    cr_assert_eq(channel->key_count, KEYS);
    cr_assert_eq(channel->times[KEYS - 1], KEYS - 1);
    cr_assert_eq(channel->values[3 * (KEYS - 1) + 2], 9 * (KEYS - 1) + 5);
    cr_assert_eq(channel->out_tangents[3 * (KEYS - 1) + 2], 9 * KEYS - 1);
    pm_scene_destroy(scene);
    free(numbers);
}

Test(gltf_animation, thousands_of_channels) {
    enum { NODES = 6000 };
    gltf_writer *writer = gltf_writer_new();
    gltf_floats(writer, "SCALAR", 3, three_times);
    gltf_floats(writer, "VEC3", 3, (float[9]){0});
    char *channels = malloc(NODES * 80), *end = channels;
    for (int n = 0; n < NODES; n++) {
        gltf_add(writer, "nodes", "{'name':'Bone'}");
        end += sprintf(end, "%s{'sampler':0,'target':{'node':%d,'path':'scale'}}", n ? "," : "", n);
    }
    gltf_add(writer, "animations", "{'samplers':[{'input':0,'output':1}],'channels':[%s]}", channels);
    pm_scene *scene = gltf_import(writer, NULL);
    cr_assert_eq(scene->clips[0].channel_count, NODES);
    const pm_channel *last = &scene->clips[0].channels[NODES - 1];
    cr_assert_eq(last->target, scene->skeleton->node_to_joint[NODES - 1]);
    cr_assert_eq(last->times, scene->clips[0].channels[0].times); // one copy for all
    cr_assert_eq(last->values, scene->clips[0].channels[0].values);
    pm_scene_destroy(scene);
    free(channels);
}

// One accessor as the output of a LINEAR and of a CUBICSPLINE sampler, which take it apart differently.
Test(gltf_animation, an_output_used_in_two_ways) {
    gltf_writer *writer = gltf_writer_new();
    gltf_add(writer, "nodes", "{}");
    float numbers[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    uint32_t one = gltf_floats(writer, "SCALAR", 1, numbers);
    uint32_t three = gltf_floats(writer, "SCALAR", 3, numbers);
    uint32_t output = gltf_floats(writer, "VEC3", 3, numbers);
    gltf_animate(writer, "{'node':0,'path':'scale'}", "CUBICSPLINE", one, output);
    gltf_animate(writer, "{'node':0,'path':'scale'}", "LINEAR", three, output);
    gltf_animate(writer, "{'node':0,'path':'translation'}", "CUBICSPLINE", one, output);
    pm_scene *scene = gltf_import(writer, NULL);
    cr_assert_arr_eq(scene->clips[0].channels[0].values, numbers + 3, 3 * sizeof *numbers);
    cr_assert_arr_eq(scene->clips[1].channels[0].values, numbers, 9 * sizeof *numbers);
    cr_assert_eq(scene->clips[2].channels[0].in_tangents, scene->clips[0].channels[0].in_tangents);
    pm_scene_destroy(scene);
}

Test(gltf_animation, too_many_morph_weights_are_refused) {
    gltf_writer *writer = gltf_writer_new();
    char *targets = malloc(3 * 1100), *end = targets;
    for (int t = 0; t < 1100; t++) end += sprintf(end, "%s{}", t ? "," : "");
    gltf_add(writer, "meshes", "{'primitives':[{'targets':[%s]}]}", targets);
    for (int n = 0; n < 1000; n++) gltf_add(writer, "nodes", "{'mesh':0}");
    pm_report report = {0};
    cr_assert_eq(gltf_refuse(writer, &report), PM_ERROR_UNSUPPORTED);
    cr_assert_eq(report.fault, PM_FAULT_FILE_UNSUPPORTED);
    free(targets);
}
