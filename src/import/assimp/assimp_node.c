// Nodes. FBX places a node by up to 18 factors (pivots, offsets, rotations before and after the animated
// one), for which Assimp makes a node each, named after the model: "Arm_$AssimpFbx$_PreRotation". Here those
// that do not move are folded into the node below, so that most joints are those of the file again.
#include "assimp_reader.h"

#include "../matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char factor_mark[] = "_$AssimpFbx$_";
static const char post_rotation[] = "_$AssimpFbx$_PostRotation";

// Rows of an affine map of column vectors.
typedef struct affine {
    double m[3][4];
} affine;

static const affine identity = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

static affine affine_of(const struct aiMatrix4x4 *m) {
    return (affine){{{(double)m->a1, (double)m->a2, (double)m->a3, (double)m->a4},
                     {(double)m->b1, (double)m->b2, (double)m->b3, (double)m->b4},
                     {(double)m->c1, (double)m->c2, (double)m->c3, (double)m->c4}}};
}

static affine multiply(const affine *a, const affine *b) {
    affine product;
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++)
            product.m[row][column] = a->m[row][0] * b->m[0][column] + a->m[row][1] * b->m[1][column] +
                                     a->m[row][2] * b->m[2][column] + (column == 3 ? a->m[row][3] : 0);
    return product;
}

static bool decompose(const affine *a, pm_transform *transform) {
    float columns[16] = {[15] = 1};
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 3; row++) columns[4 * column + row] = (float)a->m[row][column];
    return pm_matrix_decompose(columns, transform);
}

// Whether keys below this transform stay translations, rotations and scales.
static bool is_similarity(const affine *a, pm_transform *transform) {
    if (!decompose(a, transform)) return false;
    const float *scale = transform->scale;
    return scale[0] > 0 && fabsf(scale[1] - scale[0]) <= 1e-6f * scale[0] &&
           fabsf(scale[2] - scale[0]) <= 1e-6f * scale[0];
}

// Names of animated nodes, sorted.
typedef struct name_set {
    const char **names;
    size_t count;
} name_set;

static int compare_texts(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool name_set_has(const name_set *set, const char *name) {
    return bsearch(&name, set->names, set->count, sizeof *set->names, compare_texts) != NULL;
}

static pm_result collect_animated(const pm_assimp_reader *reader, name_set *set) {
    size_t capacity = 0;
    for (unsigned a = 0; a < reader->scene->mNumAnimations; a++)
        capacity += reader->scene->mAnimations[a]->mNumChannels;
    set->names = pm_arena_allocate(&reader->builder->scratch, capacity, sizeof *set->names);
    if (!set->names) return pm_fail_memory(reader->builder->report, "names");
    for (unsigned a = 0; a < reader->scene->mNumAnimations; a++) {
        const struct aiAnimation *animation = reader->scene->mAnimations[a];
        for (unsigned c = 0; c < animation->mNumChannels; c++)
            set->names[set->count++] = animation->mChannels[c]->mNodeName.data;
    }
    qsort(set->names, set->count, sizeof *set->names, compare_texts);
    return PM_OK;
}

// Whether the model that a factor belongs to is animated as a whole: keys then hold all factors, in one
// channel of the model's own name.
static bool is_within_keys(const name_set *animated, const char *factor, const char *mark) {
    char model[sizeof((struct aiString *)0)->data];
    size_t length = (size_t)(mark - factor);
    memcpy(model, factor, length);
    model[length] = '\0';
    return name_set_has(animated, model);
}

// A factor that can be folded: it carries nothing but its transform.
static const char *find_factor_mark(const struct aiNode *node) {
    return node->mNumChildren == 1 && !node->mNumMeshes ? strstr(node->mName.data, factor_mark) : NULL;
}

// Whether nothing from here down to the model itself moves and all of it is one translation, rotation and
// scale.
static bool is_at_rest(const struct aiNode *node, const name_set *animated) {
    affine product = affine_of(&node->mTransformation);
    while (!name_set_has(animated, node->mName.data)) {
        pm_transform parts;
        if (!find_factor_mark(node)) return decompose(&product, &parts);
        node = node->mChildren[0];
        affine own = affine_of(&node->mTransformation);
        product = multiply(&product, &own);
    }
    return false;
}

// A node on the way from Assimp's tree to the builder.
typedef struct folding {
    const struct aiNode *node;
    affine rest;   // of the factors folded so far
    affine before; // those of them that keys do not hold
    pm_transform before_parts;
    float after[4];
    bool adjusted;
    bool at_rest;
} folding;

// Assimp (5.2) puts the inverse of a PostRotation into its node, but the rotation itself into keys that hold
// all factors: these are turned back twice. `inverse` is the node's transform.
static void correct_post_rotation(folding *fold, const affine *inverse) {
    pm_transform parts;
    decompose(inverse, &parts);
    const float *q = parts.rotation;
    for (int i = 0; i < 3; i++) fold->after[i] = 2 * q[3] * q[i];
    fold->after[3] = 2 * q[3] * q[3] - 1;
    fold->adjusted = true;
}

// Takes one factor off the top of the chain. Returns false if the node must stay.
static bool fold_factor(folding *fold, const name_set *animated) {
    const struct aiNode *node = fold->node;
    const char *name = node->mName.data, *mark = find_factor_mark(node);
    if (!mark || name_set_has(animated, name)) return false;
    affine own = affine_of(&node->mTransformation);
    if (is_within_keys(animated, name, mark)) {
        if (!strcmp(mark, post_rotation)) correct_post_rotation(fold, &own);
    } else if (!fold->at_rest) {
        affine before = multiply(&fold->before, &own);
        pm_transform parts;
        if (!is_similarity(&before, &parts)) return false;
        fold->before = before;
        fold->before_parts = parts;
        fold->adjusted = true;
    }
    fold->rest = multiply(&fold->rest, &own);
    fold->node = node->mChildren[0];
    return true;
}

// Whether a node is the model whose moving factor is `parent`.
static bool has_moving_factor(const char *model, const char *parent) {
    size_t length = strlen(model);
    return !strncmp(parent, model, length) && !strncmp(parent + length, factor_mark, sizeof factor_mark - 1);
}

static void append_node(pm_assimp_reader *reader, const name_set *animated, uint32_t parent,
                        const struct aiNode *source) {
    pm_scene_builder *builder = reader->builder;
    folding fold = {.node = source,
                    .rest = identity,
                    .before = identity,
                    .before_parts = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}},
                    .after = {0, 0, 0, 1},
                    .at_rest = is_at_rest(source, animated)};
    while (fold_factor(&fold, animated)) continue;
    affine own = affine_of(&fold.node->mTransformation);
    affine local = multiply(&fold.rest, &own);
    pm_node_def *def = &builder->nodes[builder->node_count];
    *def = (pm_node_def){.name = fold.node->mName.data, .parent = parent, .used = fold.node->mNumMeshes > 0};
    // The factor is animated; its model is meant.
    if (parent != PM_NONE && has_moving_factor(def->name, builder->nodes[parent].name)) def->used = true;
    if (!decompose(&local, &def->rest))
        pm_diagnose(builder->report, PM_SEVERITY_REPAIR, PM_FAULT_SKELETON_REST,
                    pm_scene_builder_place(builder, NULL, NULL),
                    "node \"%s\": its matrix is no translation, rotation and scale; its shear is lost",
                    def->name);
    pm_assimp_node *node = &reader->nodes[builder->node_count++];
    *node = (pm_assimp_node){.source = fold.node, .adjusted = fold.adjusted, .before = fold.before_parts};
    memcpy(node->after, fold.after, sizeof node->after);
}

// Recursive, as Assimp's own destructors are.
static uint32_t count_nodes(const struct aiNode *node) {
    uint32_t count = 1;
    for (unsigned c = 0; c < node->mNumChildren; c++) count += count_nodes(node->mChildren[c]);
    return count;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(((const pm_assimp_name *)a)->name, ((const pm_assimp_name *)b)->name);
}

static void sort_names(pm_assimp_reader *reader) {
    uint32_t count = reader->builder->node_count;
    for (uint32_t n = 0; n < count; n++)
        reader->names[n] = (pm_assimp_name){reader->nodes[n].source->mName.data, n};
    qsort(reader->names, count, sizeof *reader->names, compare_names);
}

pm_result pm_assimp_read_nodes(pm_assimp_reader *reader) {
    pm_scene_builder *builder = reader->builder;
    name_set animated = {NULL, 0};
    pm_result result = collect_animated(reader, &animated);
    if (result) return result;
    uint32_t capacity = count_nodes(reader->scene->mRootNode);
    builder->nodes = pm_arena_allocate(&builder->scratch, capacity, sizeof *builder->nodes);
    reader->nodes = pm_arena_allocate(&builder->scratch, capacity, sizeof *reader->nodes);
    reader->names = pm_arena_allocate(&builder->scratch, capacity, sizeof *reader->names);
    if (!builder->nodes || !reader->nodes || !reader->names) return pm_fail_memory(builder->report, "nodes");
    append_node(reader, &animated, PM_NONE, reader->scene->mRootNode);
    for (uint32_t n = 0; n < builder->node_count; n++) {
        const struct aiNode *source = reader->nodes[n].source;
        for (unsigned c = 0; c < source->mNumChildren; c++)
            append_node(reader, &animated, n, source->mChildren[c]);
    }
    sort_names(reader);
    return PM_OK;
}

uint32_t pm_assimp_find_node(const pm_assimp_reader *reader, const char *name, pm_fault *fault) {
    uint32_t count = reader->builder->node_count;
    pm_assimp_name key = {name, 0};
    const pm_assimp_name *found = bsearch(&key, reader->names, count, sizeof key, compare_names);
    if (!found) {
        *fault = PM_FAULT_TARGET_MISSING;
        return PM_NONE;
    }
    const pm_assimp_name *last = reader->names + count - 1;
    if ((found > reader->names && !compare_names(found - 1, found)) ||
        (found < last && !compare_names(found, found + 1))) {
        *fault = PM_FAULT_NAME_DUPLICATE;
        return PM_NONE;
    }
    return found->node;
}
