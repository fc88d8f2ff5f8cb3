#include "assimp_reader.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// A clip on its way, with what its channels have in common.
typedef struct clip_reader {
    const pm_assimp_reader *reader;
    pm_clip_draft *draft;
    double ticks_per_second;
    // Times of the channel before: those of one node are usually the same.
    const float *times;
    uint32_t time_count;
} clip_reader;

// The time of a key, of which it is the first member whatever the key's kind.
static float key_seconds(const clip_reader *clip, const void *keys, size_t key_size, uint32_t key) {
    double ticks;
    memcpy(&ticks, (const char *)keys + key * key_size, sizeof ticks);
    return pm_import_float(ticks / clip->ticks_per_second);
}

// Times of keys in seconds, or NULL if memory is short.
static const float *read_times(clip_reader *clip, const void *keys, size_t key_size, uint32_t count) {
    uint32_t same = 0;
    if (count == clip->time_count)
        while (same < count && key_seconds(clip, keys, key_size, same) == clip->times[same]) same++;
    if (clip->times && same == count && count == clip->time_count) return clip->times;
    float *times = pm_arena_allocate(&clip->reader->builder->kept, count, sizeof *times);
    if (!times) return NULL;
    for (uint32_t k = 0; k < count; k++) times[k] = key_seconds(clip, keys, key_size, k);
    clip->times = times;
    clip->time_count = count;
    return times;
}

// Adds a LINEAR channel and returns room for its values, or NULL if memory is short.
static float *add_channel(clip_reader *clip, uint32_t target, pm_path path, const void *keys, size_t key_size,
                          uint32_t count) {
    uint32_t components = pm_path_component_count(path);
    const float *times = read_times(clip, keys, key_size, count);
    float *values =
        pm_arena_allocate(&clip->reader->builder->kept, (size_t)count * components, sizeof *values);
    if (!times || !values) return NULL;
    clip->draft->channels[clip->draft->channel_count++] = (pm_channel){
        .path = path,
        .interpolation = PM_INTERPOLATION_LINEAR,
        .target = target,
        .component_count = components,
        .key_count = count,
        .value_count = count,
        .times = times,
        .values = values,
    };
    return values;
}

static void multiply_rotations(const float a[4], const float b[4], float product[4]) {
    double x = (double)a[3] * b[0] + (double)a[0] * b[3] + (double)a[1] * b[2] - (double)a[2] * b[1];
    double y = (double)a[3] * b[1] + (double)a[1] * b[3] + (double)a[2] * b[0] - (double)a[0] * b[2];
    double z = (double)a[3] * b[2] + (double)a[2] * b[3] + (double)a[0] * b[1] - (double)a[1] * b[0];
    double w = (double)a[3] * b[3] - (double)a[0] * b[0] - (double)a[1] * b[1] - (double)a[2] * b[2];
    product[0] = pm_import_float(x), product[1] = pm_import_float(y), product[2] = pm_import_float(z),
    product[3] = pm_import_float(w);
}

// A point through a transform of uniform scale.
static void transform_point(const pm_transform *t, float point[3]) {
    const float *q = t->rotation;
    double p[3], c[3];
    for (int i = 0; i < 3; i++) p[i] = (double)t->scale[i] * (double)point[i];
    // p + 2 q x (q x p + w p)
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        c[i] = (double)q[j] * p[k] - (double)q[k] * p[j] + (double)q[3] * p[i];
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        point[i] = pm_import_float((double)t->translation[i] + p[i] +
                                   2 * ((double)q[j] * c[k] - (double)q[k] * c[j]));
    }
}

static void adjust_value(const pm_assimp_node *node, pm_path path, float *value) {
    if (path == PM_PATH_TRANSLATION)
        transform_point(&node->before, value);
    else if (path == PM_PATH_SCALE)
        for (int i = 0; i < 3; i++) value[i] *= node->before.scale[0];
    else {
        multiply_rotations(node->before.rotation, value, value);
        multiply_rotations(value, node->after, value);
    }
}

static pm_result add_vectors(clip_reader *clip, uint32_t node, pm_path path, const struct aiVectorKey *keys,
                             uint32_t count) {
    if (!count) return PM_OK;
    float *value = add_channel(clip, node, path, keys, sizeof *keys, count);
    if (!value) return pm_fail_memory(clip->reader->builder->report, "keys");
    const pm_assimp_node *source = &clip->reader->nodes[node];
    for (uint32_t k = 0; k < count; k++, value += 3) {
        value[0] = (float)keys[k].mValue.x;
        value[1] = (float)keys[k].mValue.y;
        value[2] = (float)keys[k].mValue.z;
        if (source->adjusted) adjust_value(source, path, value);
    }
    return PM_OK;
}

static pm_result add_rotations(clip_reader *clip, uint32_t node, const struct aiQuatKey *keys,
                               uint32_t count) {
    if (!count) return PM_OK;
    float *value = add_channel(clip, node, PM_PATH_ROTATION, keys, sizeof *keys, count);
    if (!value) return pm_fail_memory(clip->reader->builder->report, "keys");
    const pm_assimp_node *source = &clip->reader->nodes[node];
    for (uint32_t k = 0; k < count; k++, value += 4) {
        value[0] = (float)keys[k].mValue.x;
        value[1] = (float)keys[k].mValue.y;
        value[2] = (float)keys[k].mValue.z;
        value[3] = (float)keys[k].mValue.w;
        if (source->adjusted) adjust_value(source, PM_PATH_ROTATION, value);
    }
    return PM_OK;
}

static void drop_channel(const clip_reader *clip, const char *name, pm_fault fault, const char *reason) {
    pm_scene_builder *builder = clip->reader->builder;
    pm_diagnose(builder->report, PM_SEVERITY_DROPPED, fault,
                pm_scene_builder_place(builder, clip->draft->name, name), "%s; left out", reason);
}

static pm_result read_node_channels(clip_reader *clip, const struct aiNodeAnim *source) {
    pm_fault fault;
    uint32_t node = pm_assimp_find_node(clip->reader, source->mNodeName.data, &fault);
    if (node == PM_NONE) {
        drop_channel(clip, source->mNodeName.data, fault,
                     fault == PM_FAULT_NAME_DUPLICATE
                         ? "several nodes have this name, and Assimp does not tell which of them moves"
                         : "there is no node of this name");
        return PM_OK;
    }
    pm_result result =
        add_vectors(clip, node, PM_PATH_TRANSLATION, source->mPositionKeys, source->mNumPositionKeys);
    if (!result) result = add_rotations(clip, node, source->mRotationKeys, source->mNumRotationKeys);
    if (!result)
        result = add_vectors(clip, node, PM_PATH_SCALE, source->mScalingKeys, source->mNumScalingKeys);
    return result;
}

// FBX's morph channels are called "Face*0": the first geometry of the node "Face".
static uint32_t find_morph_node(const clip_reader *clip, const struct aiMeshMorphAnim *source,
                                pm_fault *fault) {
    const char *name = source->mName.data, *star = strrchr(name, '*');
    uint32_t node = pm_assimp_find_node(clip->reader, name, fault);
    if (node != PM_NONE || !star) return node;
    struct aiString shorter = source->mName;
    shorter.data[star - name] = '\0';
    return pm_assimp_find_node(clip->reader, shorter.data, fault);
}

static const pm_weight_range *find_weights(const pm_scene_builder *builder, uint32_t node) {
    for (uint32_t w = 0; node != PM_NONE && w < builder->weight_range_count; w++)
        if (builder->weight_ranges[w].joint == node) return &builder->weight_ranges[w];
    return NULL;
}

// The weight of one morph target at one key, if the key has it.
static bool find_weight(const struct aiMeshMorphKey *key, uint32_t morph, float *weight) {
    for (unsigned v = 0; v < key->mNumValuesAndWeights; v++)
        if (key->mValues[v] == morph) {
            *weight = pm_import_float(key->mWeights[v]);
            return true;
        }
    return false;
}

// Keys hold only the weights that were keyed at their time: each morph target has a timeline of its own.
static pm_result read_weight_channel(clip_reader *clip, const struct aiMeshMorphAnim *source, uint32_t morph,
                                     uint32_t scalar) {
    pm_scene_builder *builder = clip->reader->builder;
    double *ticks = pm_arena_allocate(&builder->scratch, source->mNumKeys, sizeof *ticks);
    float *weights = pm_arena_allocate(&builder->scratch, source->mNumKeys, sizeof *weights);
    if (!ticks || !weights) return pm_fail_memory(builder->report, "keys");
    uint32_t count = 0;
    for (unsigned k = 0; k < source->mNumKeys; k++)
        if (find_weight(&source->mKeys[k], morph, &weights[count])) ticks[count++] = source->mKeys[k].mTime;
    if (!count) return PM_OK;
    float *values = add_channel(clip, scalar, PM_PATH_SCALAR, ticks, sizeof *ticks, count);
    if (!values) return pm_fail_memory(builder->report, "keys");
    memcpy(values, weights, count * sizeof *values);
    return PM_OK;
}

static pm_result read_morph_channels(clip_reader *clip, const struct aiMeshMorphAnim *source) {
    pm_fault fault = PM_FAULT_TARGET_MISSING;
    const pm_weight_range *range = find_weights(clip->reader->builder, find_morph_node(clip, source, &fault));
    if (!range) drop_channel(clip, source->mName.data, fault, "no node of this name has morph targets");
    pm_result result = PM_OK;
    for (uint32_t morph = 0; range && morph < range->count && !result; morph++)
        result = read_weight_channel(clip, source, morph, range->first_scalar + morph);
    return result;
}

static pm_result allocate_channels(clip_reader *clip, const struct aiAnimation *source) {
    const pm_scene_builder *builder = clip->reader->builder;
    // Morph channels of one node are as many as its weights, and no node has more than all scalars.
    size_t capacity =
        3 * (size_t)source->mNumChannels + (size_t)source->mNumMorphMeshChannels * builder->scalar_count;
    clip->draft->channels =
        pm_arena_allocate(&clip->reader->builder->scratch, capacity, sizeof *clip->draft->channels);
    return clip->draft->channels ? PM_OK : pm_fail_memory(builder->report, "channels");
}

static pm_result read_clip(pm_assimp_reader *reader, const struct aiAnimation *source, pm_clip_draft *draft) {
    // Assimp's 0 means that the file does not say; its documentation advises 25.
    double rate = source->mTicksPerSecond != 0 ? source->mTicksPerSecond : 25;
    clip_reader clip = {.reader = reader, .draft = draft, .ticks_per_second = rate};
    draft->name = pm_arena_copy_text(&reader->builder->kept, source->mName.data, strlen(source->mName.data));
    if (!draft->name) return pm_fail_memory(reader->builder->report, "a clip's name");
    pm_result result = allocate_channels(&clip, source);
    for (unsigned c = 0; c < source->mNumChannels && !result; c++)
        result = read_node_channels(&clip, source->mChannels[c]);
    for (unsigned c = 0; c < source->mNumMorphMeshChannels && !result; c++)
        result = read_morph_channels(&clip, source->mMorphMeshChannels[c]);
    for (unsigned c = 0; c < source->mNumMeshChannels && !result; c++)
        drop_channel(&clip, source->mMeshChannels[c]->mName.data, PM_FAULT_TARGET_UNSUPPORTED,
                     "meshes that are exchanged over time are not read");
    return result;
}

pm_result pm_assimp_read_animations(pm_assimp_reader *reader) {
    pm_scene_builder *builder = reader->builder;
    uint32_t count = reader->scene->mNumAnimations;
    builder->clips = pm_arena_allocate(&builder->scratch, count, sizeof *builder->clips);
    if (!builder->clips) return pm_fail_memory(builder->report, "clips");
    pm_result result = PM_OK;
    for (; builder->clip_count < count && !result; builder->clip_count++)
        result = read_clip(reader, reader->scene->mAnimations[builder->clip_count],
                           &builder->clips[builder->clip_count]);
    return result;
}
