#include "scene.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { OPTIONS_COOKIE = 0x706d696f };

// Every node of a mesh with morph targets brings weights of its own, so that a small file could ask for
// billions.
enum { SCALAR_LIMIT = 1 << 20 };

// The public scene comes first, so that a pm_scene * is a pointer to this.
typedef struct scene_storage {
    pm_scene scene;
    pm_arena arena;
} scene_storage;

pm_import_options pm_default_import_options(void) {
    return (pm_import_options){.cookie = OPTIONS_COOKIE, .meshes = true};
}

pm_place pm_scene_builder_place(const pm_scene_builder *builder, const char *clip, const char *channel) {
    return (pm_place){builder->file, clip, channel, PM_NONE};
}

float pm_import_float(double value) {
    if (value > (double)FLT_MAX) return INFINITY;
    if (value < -(double)FLT_MAX) return -INFINITY;
    return (float)value;
}

char *pm_arena_print(pm_arena *arena, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0) return NULL;
    char *text = pm_arena_allocate(arena, (size_t)length + 1, 1);
    if (!text) return NULL;
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

pm_result pm_scene_builder_start(pm_scene_builder *builder, const char *path,
                                 const pm_import_options *options, pm_report *report) {
    *builder = (pm_scene_builder){.options = pm_default_import_options(), .report = report};
    builder->kept.allocator = builder->scratch.allocator = pm_allocator_or_default(NULL);
    if (options && options->cookie != OPTIONS_COOKIE)
        return pm_fail(report, PM_ERROR_ARGUMENT, PM_FAULT_ARGUMENT, (pm_place){path, NULL, NULL, PM_NONE},
                       "import options were not made by pm_default_import_options()");
    if (options) builder->options = *options;
    builder->kept.allocator = builder->scratch.allocator =
        pm_allocator_or_default(builder->options.allocator);
    if (!path) return PM_OK;
    builder->file = pm_arena_copy_text(&builder->kept, path, strlen(path));
    return builder->file ? PM_OK : pm_fail_memory(report, "the file's name");
}

pm_result pm_scene_builder_add_scalar(pm_scene_builder *builder, const char *name, uint32_t node, float rest,
                                      uint32_t *scalar) {
    if (builder->scalar_count == SCALAR_LIMIT)
        return pm_fail(builder->report, PM_ERROR_UNSUPPORTED, PM_FAULT_FILE_UNSUPPORTED,
                       pm_scene_builder_place(builder, NULL, NULL),
                       "more than %d morph weights and other named numbers", SCALAR_LIMIT);
    if (builder->scalar_count == builder->scalar_capacity) {
        uint32_t capacity = builder->scalar_capacity ? 2 * builder->scalar_capacity : 64;
        pm_scalar_def *grown = pm_arena_allocate(&builder->scratch, capacity, sizeof *grown);
        if (!grown) return pm_fail_memory(builder->report, "scalars");
        if (builder->scalar_count) memcpy(grown, builder->scalars, builder->scalar_count * sizeof *grown);
        builder->scalars = grown;
        builder->scalar_capacity = capacity;
    }
    char *copy = pm_arena_copy_text(&builder->kept, name, strlen(name));
    if (!copy) return pm_fail_memory(builder->report, "a scalar's name");
    *scalar = builder->scalar_count++;
    builder->scalars[*scalar] = (pm_scalar_def){copy, node, rest};
    return PM_OK;
}

static void mark_used_nodes(pm_scene_builder *builder) {
    if (builder->options.all_nodes)
        for (uint32_t n = 0; n < builder->node_count; n++) builder->nodes[n].used = true;
    for (uint32_t s = 0; s < builder->skin_count; s++) {
        const pm_skin_def *skin = &builder->skins[s];
        // A skin that names unknown nodes is refused by pm_skeleton_create.
        for (uint32_t j = 0; j < skin->joint_count; j++)
            if (skin->nodes[j] < builder->node_count) builder->nodes[skin->nodes[j]].used = true;
    }
    for (uint32_t c = 0; c < builder->clip_count; c++) {
        const pm_clip_draft *clip = &builder->clips[c];
        for (uint32_t i = 0; i < clip->channel_count; i++) {
            const pm_channel *channel = &clip->channels[i];
            if (channel->path == PM_PATH_SCALAR) continue;
            assert(channel->target < builder->node_count);
            builder->nodes[channel->target].used = true;
        }
    }
    for (uint32_t w = 0; w < builder->weight_range_count; w++) {
        assert(builder->weight_ranges[w].joint < builder->node_count);
        builder->nodes[builder->weight_ranges[w].joint].used = true;
    }
}

static pm_result make_skeleton(pm_scene_builder *builder, pm_skeleton **skeleton) {
    pm_skeleton_def def = {
        .file = builder->file,
        .node_count = builder->node_count,
        .nodes = builder->nodes,
        .scalar_count = builder->scalar_count,
        .scalars = builder->scalars,
        .skin_count = builder->skin_count,
        .skins = builder->skins,
        .order_by_depth = builder->options.order_by_depth,
    };
    return pm_skeleton_create(&def, builder->options.allocator, skeleton, builder->report);
}

// From here on targets are joints of the skeleton.
static void retarget(pm_scene_builder *builder, const pm_skeleton *skeleton) {
    for (uint32_t c = 0; c < builder->clip_count; c++) {
        pm_clip_draft *clip = &builder->clips[c];
        for (uint32_t i = 0; i < clip->channel_count; i++) {
            pm_channel *channel = &clip->channels[i];
            if (channel->path != PM_PATH_SCALAR) channel->target = skeleton->node_to_joint[channel->target];
        }
    }
    for (uint32_t m = 0; m < builder->mesh_count; m++) {
        pm_mesh *mesh = &builder->meshes[m];
        if (mesh->joint != PM_NONE) mesh->joint = skeleton->node_to_joint[mesh->joint];
    }
    for (uint32_t w = 0; w < builder->weight_range_count; w++) {
        pm_weight_range *range = &builder->weight_ranges[w];
        range->joint = skeleton->node_to_joint[range->joint];
    }
}

// An array of the scene: a copy in `kept`, wherever the reader had it.
static void *keep(pm_scene_builder *builder, const void *array, uint32_t count, size_t size) {
    void *copy = pm_arena_allocate(&builder->kept, count, size);
    if (copy && count) memcpy(copy, array, count * size);
    return copy;
}

static pm_result fill_scene(pm_scene_builder *builder, pm_scene *scene) {
    pm_clip_source *clips = pm_arena_allocate(&builder->kept, builder->clip_count, sizeof *clips);
    if (!clips) return pm_fail_memory(builder->report, "clips");
    for (uint32_t c = 0; c < builder->clip_count; c++) {
        const pm_clip_draft *draft = &builder->clips[c];
        const pm_channel *channels =
            keep(builder, draft->channels, draft->channel_count, sizeof *draft->channels);
        if (!channels) return pm_fail_memory(builder->report, "channels");
        clips[c] = (pm_clip_source){builder->file, draft->name, draft->channel_count, channels};
    }
    const pm_mesh *meshes = keep(builder, builder->meshes, builder->mesh_count, sizeof *meshes);
    const pm_weight_range *ranges =
        keep(builder, builder->weight_ranges, builder->weight_range_count, sizeof *ranges);
    if (!meshes || !ranges) return pm_fail_memory(builder->report, "meshes");

    scene->file = builder->file;
    scene->generator = builder->generator ? builder->generator : "";
    scene->clip_count = builder->clip_count;
    scene->clips = clips;
    scene->mesh_count = builder->mesh_count;
    scene->meshes = meshes;
    scene->weight_range_count = builder->weight_range_count;
    scene->weight_ranges = ranges;
    return PM_OK;
}

static pm_result build(pm_scene_builder *builder, scene_storage *storage) {
    mark_used_nodes(builder);
    pm_result result = make_skeleton(builder, &storage->scene.skeleton);
    if (result) return result;
    retarget(builder, storage->scene.skeleton);
    return fill_scene(builder, &storage->scene);
}

pm_result pm_scene_builder_finish(pm_scene_builder *builder, pm_result result, pm_scene **scene) {
    *scene = NULL;
    scene_storage *storage = NULL;
    if (!result) {
        storage = pm_allocate(&builder->kept.allocator, 1, sizeof *storage);
        result = storage ? build(builder, storage) : pm_fail_memory(builder->report, "the scene");
    }
    pm_arena_release(&builder->scratch);
    if (storage)
        storage->arena = builder->kept;
    else
        pm_arena_release(&builder->kept);
    if (result && storage) pm_scene_destroy(&storage->scene);
    if (!result) *scene = &storage->scene;
    return result;
}

void pm_scene_destroy(pm_scene *scene) {
    if (!scene) return;
    scene_storage *storage = (scene_storage *)scene;
    pm_arena arena = storage->arena;
    pm_skeleton_destroy(scene->skeleton);
    pm_release(&arena.allocator, storage);
    pm_arena_release(&arena);
}
