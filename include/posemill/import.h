// Posemill: import, from files of artists to skeletons, channels and meshes. A target of its own
// (posemill-import); the runtime library does not need it.
//
//   .gltf .glb .vrm .vrma  glTF 2.0, read here
//   .bvh                   motion capture, read here; a position channel replaces its part of OFFSET
//   .fbx .dae              FBX and Collada through Assimp, if built with it (POSEMILL_WITH_ASSIMP). Assimp
//                          drops tangents (motion is linear between keys) and is no fortress: give it only
//                          files that you trust, and one at a time
//
// A fault in one channel costs that channel, not the file: it is dropped or repaired with a diagnostic.
#ifndef POSEMILL_IMPORT_H
#define POSEMILL_IMPORT_H

#include "channel.h"
#include "report.h"
#include "skeleton.h"

#ifdef __cplusplus
extern "C" {
#endif

// Obtain from pm_default_import_options(), then change fields.
typedef struct pm_import_options {
    uint32_t cookie;               // set by pm_default_import_options
    bool all_nodes;                // every node becomes a joint; default: joints of skins, animated nodes,
                                   // nodes with meshes, and the ancestors of these
    bool order_by_depth;           // see pm_skeleton_def
    bool meshes;                   // read meshes too (default true)
    const pm_allocator *allocator; // NULL for the C library's; kept until pm_scene_destroy
} pm_import_options;

// The default joints, subtrees together, with meshes; the C library's allocator.
PM_API pm_import_options pm_default_import_options(void);

// Triangles (or what else the file draws) with one skin. Arrays live as long as the scene.
typedef struct pm_mesh {
    const char *name;
    uint32_t joint;          // the joint whose node carries the mesh, or PM_NONE
    uint32_t skin;           // of the skeleton, or PM_NONE; a skinned mesh ignores its node's own transform
    uint32_t primitive_mode; // glTF's numbers: 4 is triangles
    uint32_t vertex_count;
    const float *positions;   // [vertex][3]
    const float *normals;     // [vertex][3], or NULL
    uint32_t influence_count; // joints a vertex: 0, 4 or 8
    const uint16_t *joints;   // [vertex][influence], indices into the skin's joints
    const float *weights;     // [vertex][influence]
    uint32_t index_count;
    const uint32_t *indices; // never NULL when index_count is above 0; 0, 1, 2 ... if the file has none
    uint32_t morph_count;
    const float *morph_positions; // [morph][vertex][3], offsets; or NULL
    uint32_t first_scalar;        // of the skeleton: the first of the morph_count weights, or PM_NONE
} pm_mesh;

// The morph weights of one node, as scalars of the skeleton.
typedef struct pm_weight_range {
    uint32_t joint;        // of the skeleton
    uint32_t first_scalar; // of the skeleton
    uint32_t count;
} pm_weight_range;

// A file's content. Immutable; everything lives until pm_scene_destroy.
typedef struct pm_scene {
    const char *file;
    const char *generator; // as the file says, or ""
    pm_skeleton *skeleton;
    uint32_t clip_count; // the file's animations, in its order, empty ones included
    const pm_clip_source *clips;
    uint32_t mesh_count; // one for each primitive of each node with a mesh
    const pm_mesh *meshes;
    uint32_t weight_range_count;
    const pm_weight_range *weight_ranges;
} pm_scene;

// Reads a file and everything that it refers to. Its extension, in either case, tells what it is; without one
// of those above, its first bytes do.
//   path     UTF-8
//   options  NULL is the default
//   scene    receives the scene; NULL on failure
PM_API pm_result pm_import_file(const char *path, const pm_import_options *options, pm_scene **scene,
                                pm_report *report);

// The same from memory, for glTF (JSON or GLB). Buffers in files of their own are looked for beside `path`.
//   path   for diagnostics and to find external buffers; may be NULL
//   bytes  [size], read during the call only
PM_API pm_result pm_import_gltf_memory(const void *bytes, size_t size, const char *path,
                                       const pm_import_options *options, pm_scene **scene, pm_report *report);

// Releases a scene; NULL is allowed.
PM_API void pm_scene_destroy(pm_scene *scene);

#ifdef __cplusplus
}
#endif

#endif
