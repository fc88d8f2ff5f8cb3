#include <posemill/skeleton.h>

#include "diagnose.h"
#include "environment.h"
#include "hierarchy.h"
#include "maths.h"
#include "memory.h"
#include "name_index.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// A rest rotation further off unit length than this is worth a diagnostic; ones rounded to a BYTE are not.
#define UNIT_TOLERANCE 1e-2

// What pm_skeleton_create allocates, with all arrays behind it in the same piece of memory.
typedef struct skeleton_memory {
    pm_skeleton skeleton; // first, since this is what callers hold
    pm_allocator allocator;
    const uint32_t *joints_by_name;  // [joint_count], see name_index.h
    const uint32_t *scalars_by_name; // [scalar_count]
} skeleton_memory;

static skeleton_memory *memory_of(pm_skeleton *skeleton) {
    return (skeleton_memory *)skeleton;
}

static const skeleton_memory *const_memory_of(const pm_skeleton *skeleton) {
    return (const skeleton_memory *)skeleton;
}

static const char *text_or_empty(const char *text) {
    return text ? text : "";
}

static pm_place file_of(const pm_skeleton_def *def) {
    return (pm_place){def->file, NULL, NULL, PM_NONE};
}

// Layout

typedef struct skeleton_counts {
    uint32_t joints, nodes, scalars, skins;
    size_t skin_joints; // of all skins together
    size_t text_bytes;  // all names with their terminating zeros
} skeleton_counts;

typedef struct skeleton_arrays {
    skeleton_memory *owner;
    pm_pose_block *rest;
    float *scalar_rest;
    const char **names, **scalar_names;
    pm_skin *skins;
    uint32_t *parents, *joint_to_node, *node_to_joint, *scalar_joints;
    uint32_t *joints_by_name, *scalars_by_name;
    uint32_t *skin_joints;
    float *inverse_binds;
    char *text;
} skeleton_arrays;

// Memory that is handed out from the front. Without a base it only measures.
typedef struct region {
    char *base;
    size_t used; // SIZE_MAX once it overflowed
} region;

static void *take(region *r, size_t count, size_t size) {
    size_t offset = r->used;
    size_t room = SIZE_MAX - PM_ALIGNMENT;
    if (offset > room || (size && count > (room - offset) / size)) {
        r->used = SIZE_MAX;
        return NULL;
    }
    r->used = (size_t)pm_align(offset + count * size);
    return r->base ? r->base + offset : NULL;
}

static skeleton_arrays place_arrays(region *r, const skeleton_counts *counts) {
    skeleton_arrays a;
    size_t joints = counts->joints, scalars = counts->scalars;
    a.owner = take(r, 1, sizeof *a.owner);
    a.rest = take(r, pm_block_count(counts->joints), sizeof *a.rest);
    a.scalar_rest = take(r, pm_block_count(counts->scalars), PM_BLOCK_LANES * sizeof *a.scalar_rest);
    a.names = take(r, joints, sizeof *a.names);
    a.scalar_names = take(r, scalars, sizeof *a.scalar_names);
    a.skins = take(r, counts->skins, sizeof *a.skins);
    a.parents = take(r, joints, sizeof *a.parents);
    a.joint_to_node = take(r, joints, sizeof *a.joint_to_node);
    a.node_to_joint = take(r, counts->nodes, sizeof *a.node_to_joint);
    a.scalar_joints = take(r, scalars, sizeof *a.scalar_joints);
    a.joints_by_name = take(r, joints, sizeof *a.joints_by_name);
    a.scalars_by_name = take(r, scalars, sizeof *a.scalars_by_name);
    a.skin_joints = take(r, counts->skin_joints, sizeof *a.skin_joints);
    a.inverse_binds = take(r, counts->skin_joints, 12 * sizeof *a.inverse_binds);
    a.text = take(r, counts->text_bytes, 1);
    return a;
}

// Checks

static bool all_finite(const float *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) return false;
    }
    return true;
}

static pm_result check_rest(const pm_skeleton_def *def, const bool *kept, pm_report *report) {
    for (uint32_t node = 0; node < def->node_count; node++) {
        const pm_transform *rest = &def->nodes[node].rest;
        if (!kept[node]) continue;
        if (all_finite(rest->translation, 3) && all_finite(rest->rotation, 4) && all_finite(rest->scale, 3)) {
            continue;
        }
        return pm_fail(report, PM_ERROR_DATA, PM_FAULT_SKELETON_REST, file_of(def),
                       "node %u \"%s\" has a rest transform that is not finite", (unsigned)node,
                       text_or_empty(def->nodes[node].name));
    }
    return PM_OK;
}

static pm_result check_scalars(const pm_skeleton_def *def, pm_report *report) {
    for (uint32_t i = 0; i < def->scalar_count; i++) {
        const pm_scalar_def *scalar = &def->scalars[i];
        if (scalar->node != PM_NONE && scalar->node >= def->node_count) {
            return pm_fail(report, PM_ERROR_DATA, PM_FAULT_REFERENCE, file_of(def),
                           "scalar %u \"%s\" belongs to node %u, but there are %u nodes", (unsigned)i,
                           text_or_empty(scalar->name), (unsigned)scalar->node, (unsigned)def->node_count);
        }
        if (!isfinite(scalar->rest)) {
            return pm_fail(report, PM_ERROR_DATA, PM_FAULT_SKELETON_REST, file_of(def),
                           "scalar %u \"%s\" has a rest value that is not finite", (unsigned)i,
                           text_or_empty(scalar->name));
        }
    }
    return PM_OK;
}

static pm_result check_skin(const pm_skeleton_def *def, uint32_t index, pm_report *report) {
    const pm_skin_def *skin = &def->skins[index];
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        if (skin->nodes[i] >= def->node_count) {
            return pm_fail(report, PM_ERROR_DATA, PM_FAULT_REFERENCE, file_of(def),
                           "skin %u \"%s\" has node %u as joint %u, but there are %u nodes", (unsigned)index,
                           text_or_empty(skin->name), (unsigned)skin->nodes[i], (unsigned)i,
                           (unsigned)def->node_count);
        }
        if (skin->inverse_binds && !all_finite(skin->inverse_binds + (size_t)i * 12, 12)) {
            return pm_fail(report, PM_ERROR_DATA, PM_FAULT_SKIN, file_of(def),
                           "skin %u \"%s\": the inverse bind matrix of joint %u is not finite",
                           (unsigned)index, text_or_empty(skin->name), (unsigned)i);
        }
    }
    if (skin->joint_count == 0) {
        pm_diagnose(report, PM_SEVERITY_NOTE, PM_FAULT_SKIN, file_of(def), "skin %u \"%s\" has no joints",
                    (unsigned)index, text_or_empty(skin->name));
    }
    return PM_OK;
}

// Which nodes become joints: those in use, those that skins name, and the ancestors of both.
static pm_result check_and_mark(const pm_skeleton_def *def, bool *kept, pm_report *report) {
    pm_result result = check_scalars(def, report);
    if (result) return result;
    for (uint32_t i = 0; i < def->skin_count; i++) {
        result = check_skin(def, i, report);
        if (result) return result;
        for (uint32_t j = 0; j < def->skins[i].joint_count; j++) {
            pm_hierarchy_mark(def, def->skins[i].nodes[j], kept);
        }
    }
    for (uint32_t node = 0; node < def->node_count; node++) {
        if (def->nodes[node].used) pm_hierarchy_mark(def, node, kept);
    }
    return check_rest(def, kept, report);
}

// Keeps the marked nodes of `order`, returns how many there are.
static uint32_t keep_marked(uint32_t *order, uint32_t node_count, const bool *kept) {
    uint32_t joint_count = 0;
    for (uint32_t i = 0; i < node_count; i++) {
        if (kept[order[i]]) order[joint_count++] = order[i];
    }
    return joint_count;
}

// Names and arrays may be shared between entries, so that their sum can exceed memory.
static void add_saturated(size_t *sum, size_t value) {
    *sum = value > SIZE_MAX - *sum ? SIZE_MAX : *sum + value;
}

static void add_text(size_t *bytes, const char *text) {
    add_saturated(bytes, strlen(text_or_empty(text)) + 1);
}

static skeleton_counts count(const pm_skeleton_def *def, const uint32_t *order, uint32_t joint_count) {
    skeleton_counts counts = {joint_count, def->node_count, def->scalar_count, def->skin_count, 0, 0};
    for (uint32_t joint = 0; joint < joint_count; joint++) {
        add_text(&counts.text_bytes, def->nodes[order[joint]].name);
    }
    for (uint32_t i = 0; i < def->scalar_count; i++) add_text(&counts.text_bytes, def->scalars[i].name);
    for (uint32_t i = 0; i < def->skin_count; i++) {
        add_text(&counts.text_bytes, def->skins[i].name);
        add_saturated(&counts.skin_joints, def->skins[i].joint_count);
    }
    return counts;
}

// Filling

static const char *copy_text(char **text, const char *source) {
    size_t bytes = strlen(text_or_empty(source)) + 1;
    char *copy = *text;
    memcpy(copy, text_or_empty(source), bytes);
    *text += bytes;
    return copy;
}

// In double, where no square of a float leaves range. Returns the length before, zero for no rotation.
static double normalise_rotation(float rotation[4]) {
    double squares = 0;
    for (int c = 0; c < 4; c++) squares += (double)rotation[c] * (double)rotation[c];
    double length = sqrt(squares);
    for (int c = 0; c < 4; c++) {
        double identity = c == 3 ? 1.0 : 0.0, unit = length > 0 ? (double)rotation[c] / length : identity;
        rotation[c] = fabs(unit) < PM_ROTATION_SPECK ? 0.0f : (float)unit;
    }
    return length;
}

// Returns whether a value was beyond PM_VALUE_LIMIT.
static bool limit(float *values, uint32_t count) {
    bool limited = false;
    for (uint32_t i = 0; i < count; i++) {
        float magnitude = fabsf(values[i]);
        limited = limited || magnitude > PM_VALUE_LIMIT;
        if (magnitude > PM_VALUE_LIMIT) values[i] = copysignf(PM_VALUE_LIMIT, values[i]);
    }
    return limited;
}

static void fill_rest(const pm_skeleton_def *def, const skeleton_arrays *a, uint32_t joint_count,
                      pm_report *report) {
    for (uint32_t joint = 0; joint < joint_count; joint++) {
        const pm_node_def *node = &def->nodes[a->joint_to_node[joint]];
        pm_transform rest = node->rest;
        double length = normalise_rotation(rest.rotation);
        if (!(length > 0)) {
            pm_diagnose(report, PM_SEVERITY_REPAIR, PM_FAULT_SKELETON_REST, file_of(def),
                        "node %u \"%s\" has a rest rotation of no length; identity is used",
                        (unsigned)a->joint_to_node[joint], text_or_empty(node->name));
        } else if (fabs(length - 1.0) > UNIT_TOLERANCE) {
            pm_diagnose(report, PM_SEVERITY_REPAIR, PM_FAULT_ROTATION_NOT_UNIT, file_of(def),
                        "node %u \"%s\" has a rest rotation of length %g; normalised",
                        (unsigned)a->joint_to_node[joint], text_or_empty(node->name), length);
        }
        bool limited = limit(rest.translation, 3);
        limited = limit(rest.scale, 3) || limited;
        if (limited) {
            pm_diagnose(report, PM_SEVERITY_REPAIR, PM_FAULT_VALUE_HUGE, file_of(def),
                        "node %u \"%s\" has a rest transform beyond 1e18; limited",
                        (unsigned)a->joint_to_node[joint], text_or_empty(node->name));
        }
        pm_pose_set_joint(a->rest, joint, &rest);
    }
    const pm_transform identity = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    size_t lane_count = (size_t)pm_block_count(joint_count) * PM_BLOCK_LANES;
    for (size_t lane = joint_count; lane < lane_count; lane++) {
        pm_pose_set_joint(a->rest, (uint32_t)lane, &identity);
    }
}

static void fill_joints(const pm_skeleton_def *def, const uint32_t *order, uint32_t joint_count,
                        skeleton_arrays *a) {
    for (uint32_t node = 0; node < def->node_count; node++) a->node_to_joint[node] = PM_NONE;
    for (uint32_t joint = 0; joint < joint_count; joint++) {
        const pm_node_def *node = &def->nodes[order[joint]];
        a->joint_to_node[joint] = order[joint];
        a->node_to_joint[order[joint]] = joint;
        a->parents[joint] = node->parent == PM_NONE ? PM_NONE : a->node_to_joint[node->parent];
        a->names[joint] = copy_text(&a->text, node->name);
    }
}

static void fill_scalars(const pm_skeleton_def *def, skeleton_arrays *a, pm_report *report) {
    for (uint32_t i = 0; i < def->scalar_count; i++) {
        const pm_scalar_def *scalar = &def->scalars[i];
        a->scalar_names[i] = copy_text(&a->text, scalar->name);
        a->scalar_rest[i] = scalar->rest;
        if (limit(&a->scalar_rest[i], 1)) {
            pm_diagnose(report, PM_SEVERITY_REPAIR, PM_FAULT_VALUE_HUGE, file_of(def),
                        "scalar %u \"%s\" has a rest value beyond 1e18; limited", (unsigned)i,
                        text_or_empty(scalar->name));
        }
        a->scalar_joints[i] = scalar->node == PM_NONE ? PM_NONE : a->node_to_joint[scalar->node];
    }
}

static void fill_skins(const pm_skeleton_def *def, skeleton_arrays *a) {
    static const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    size_t first = 0;
    for (uint32_t i = 0; i < def->skin_count; i++) {
        const pm_skin_def *skin = &def->skins[i];
        uint32_t *joints = a->skin_joints + first;
        float *inverse_binds = a->inverse_binds + first * 12;
        for (uint32_t j = 0; j < skin->joint_count; j++) {
            const float *matrix = skin->inverse_binds ? skin->inverse_binds + (size_t)j * 12 : identity;
            joints[j] = a->node_to_joint[skin->nodes[j]];
            memcpy(inverse_binds + (size_t)j * 12, matrix, sizeof identity);
        }
        a->skins[i] = (pm_skin){copy_text(&a->text, skin->name), skin->joint_count, joints, inverse_binds};
        first += skin->joint_count;
    }
}

// One note for each name that several have, since look-up finds the first only. Many files name nothing.
static void note_duplicates(const pm_skeleton_def *def, const char *what, const char *const *names,
                            uint32_t name_count, const uint32_t *sorted, pm_report *report) {
    for (uint32_t begin = 0, end; begin < name_count; begin = end) {
        const char *name = names[sorted[begin]];
        for (end = begin + 1; end < name_count && strcmp(names[sorted[end]], name) == 0;) end++;
        if (end - begin < 2 || name[0] == '\0') continue;
        pm_diagnose(report, PM_SEVERITY_NOTE, PM_FAULT_NAME_DUPLICATE, file_of(def),
                    "%u %s are named \"%s\"; look-up finds the first", (unsigned)(end - begin), what, name);
    }
}

static pm_skeleton public_view(const skeleton_arrays *a, const skeleton_counts *counts) {
    return (pm_skeleton){
        .joint_count = counts->joints,
        .block_count = pm_block_count(counts->joints),
        .parents = a->parents,
        .names = a->names,
        .rest = a->rest,
        .joint_to_node = a->joint_to_node,
        .node_count = counts->nodes,
        .node_to_joint = a->node_to_joint,
        .scalar_count = counts->scalars,
        .scalar_names = a->scalar_names,
        .scalar_rest = a->scalar_rest,
        .scalar_joints = a->scalar_joints,
        .skin_count = counts->skins,
        .skins = a->skins,
    };
}

static pm_result build(const pm_skeleton_def *def, pm_arena *scratch, pm_skeleton **skeleton,
                       pm_report *report) {
    bool *kept = pm_arena_allocate(scratch, def->node_count, sizeof *kept);
    uint32_t *order = pm_arena_allocate(scratch, def->node_count, sizeof *order);
    if (!kept || !order) return pm_fail_memory(report, "a skeleton");
    pm_result result = pm_hierarchy_order(def, scratch, order, report);
    if (result) return result;
    result = check_and_mark(def, kept, report);
    if (result) return result;

    uint32_t joint_count = keep_marked(order, def->node_count, kept);
    skeleton_counts counts = count(def, order, joint_count);
    region measured = {NULL, 0};
    place_arrays(&measured, &counts);
    uint32_t sorted_count = joint_count > def->scalar_count ? joint_count : def->scalar_count;
    uint32_t *sort_scratch = pm_arena_allocate(scratch, sorted_count, sizeof *sort_scratch);
    region memory = {sort_scratch ? pm_allocate(&scratch->allocator, measured.used, 1) : NULL, 0};
    if (!memory.base) return pm_fail_memory(report, "a skeleton");

    skeleton_arrays a = place_arrays(&memory, &counts);
    fill_joints(def, order, joint_count, &a);
    fill_rest(def, &a, joint_count, report);
    fill_scalars(def, &a, report);
    fill_skins(def, &a);
    pm_name_index_sort(a.names, joint_count, a.joints_by_name, sort_scratch);
    pm_name_index_sort(a.scalar_names, def->scalar_count, a.scalars_by_name, sort_scratch);
    note_duplicates(def, "joints", a.names, joint_count, a.joints_by_name, report);
    note_duplicates(def, "scalars", a.scalar_names, def->scalar_count, a.scalars_by_name, report);
    *a.owner =
        (skeleton_memory){public_view(&a, &counts), scratch->allocator, a.joints_by_name, a.scalars_by_name};
    *skeleton = &a.owner->skeleton;
    return PM_OK;
}

pm_result pm_skeleton_create(const pm_skeleton_def *def, const pm_allocator *allocator,
                             pm_skeleton **skeleton, pm_report *report) {
    assert(def && skeleton);
    assert(def->nodes || !def->node_count);
    assert(def->scalars || !def->scalar_count);
    assert(def->skins || !def->skin_count);
    *skeleton = NULL;
    pm_arena scratch = {pm_allocator_or_default(allocator), NULL};
    pm_environment environment = pm_environment_enter();
    pm_result result = build(def, &scratch, skeleton, report);
    pm_environment_leave(&environment);
    pm_arena_release(&scratch);
    return result;
}

void pm_skeleton_destroy(pm_skeleton *skeleton) {
    if (!skeleton) return;
    skeleton_memory *memory = memory_of(skeleton);
    pm_allocator allocator = memory->allocator;
    pm_release(&allocator, memory);
}

uint32_t pm_skeleton_find_joint(const pm_skeleton *skeleton, const char *name) {
    assert(skeleton && name);
    return pm_name_index_find(skeleton->names, skeleton->joint_count,
                              const_memory_of(skeleton)->joints_by_name, name);
}

uint32_t pm_skeleton_find_scalar(const pm_skeleton *skeleton, const char *name) {
    assert(skeleton && name);
    return pm_name_index_find(skeleton->scalar_names, skeleton->scalar_count,
                              const_memory_of(skeleton)->scalars_by_name, name);
}
