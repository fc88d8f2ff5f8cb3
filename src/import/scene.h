// Posemill internals: what every importer fills in, and how it becomes a pm_scene.
//
//     pm_scene_builder builder;
//     pm_result result = pm_scene_builder_start(&builder, path, options, report);
//     if (!result) result = read_my_format(&builder);
//     return pm_scene_builder_finish(&builder, result, scene);
#ifndef PM_IMPORT_SCENE_H
#define PM_IMPORT_SCENE_H

#include <posemill/import.h>

#include "diagnose.h"
#include "memory.h"

// A clip while its targets are still the file's numbers.
//   channels  target is a node for joint paths and a scalar for PM_PATH_SCALAR; finish makes joints of nodes.
//             Keys and names must be in `kept`.
typedef struct pm_clip_draft {
    const char *name;
    uint32_t channel_count;
    pm_channel *channels;
} pm_clip_draft;

// Everything a reader gathers. Nodes, animations and their order are the file's own, gaps and empty ones
// included, so that numbers given to the user are those of the file. Arrays may be in either arena.
typedef struct pm_scene_builder {
    pm_import_options options; // checked
    pm_report *report;         // may be NULL
    const char *file;          // the path as given by the caller, or NULL; in `kept`
    pm_arena kept;    // becomes the scene's: keys, meshes and the names of clips, channels and meshes
    pm_arena scratch; // released by finish

    const char *generator; // NULL is as ""; in `kept`

    // Set `used` for nodes that carry a mesh or that for another reason must become joints. Joints of skins
    // and targets of channels are marked by finish.
    uint32_t node_count;
    pm_node_def *nodes;

    uint32_t scalar_count, scalar_capacity; // grown by pm_scene_builder_add_scalar
    pm_scalar_def *scalars;

    uint32_t skin_count;
    pm_skin_def *skins;

    uint32_t clip_count;
    pm_clip_draft *clips;

    // Arrays and names in `kept`. `joint` is a node until finish, `skin` an index into `skins`.
    uint32_t mesh_count;
    pm_mesh *meshes;

    // `joint` is a node until finish.
    uint32_t weight_range_count;
    pm_weight_range *weight_ranges;
} pm_scene_builder;

// Checks and copies the options (NULL is the default), copies the path (NULL is allowed). On failure, too,
// the builder may and must be passed to finish.
pm_result pm_scene_builder_start(pm_scene_builder *builder, const char *path,
                                 const pm_import_options *options, pm_report *report);

// Adds a scalar and gives its number.
//   name  copied to `kept`
//   node  the node it belongs to, or PM_NONE
pm_result pm_scene_builder_add_scalar(pm_scene_builder *builder, const char *name, uint32_t node, float rest,
                                      uint32_t *scalar);

// Ends the building, one way or the other. With `result` PM_OK: marks used nodes, makes the skeleton, turns
// nodes into joints and hands over `kept`. Otherwise, and on failure of any of that, releases everything,
// sets *scene to NULL and returns the error.
pm_result pm_scene_builder_finish(pm_scene_builder *builder, pm_result result, pm_scene **scene);

// The place of a diagnostic in this file; `clip` and `channel` may be NULL.
pm_place pm_scene_builder_place(const pm_scene_builder *builder, const char *clip, const char *channel);

// The nearest float, or infinity beyond its range, where C leaves the conversion undefined.
float pm_import_float(double value);

// printf into `arena`; NULL if memory is short.
char *pm_arena_print(pm_arena *arena, const char *format, ...) PM_PRINTF(2, 3);

#endif
