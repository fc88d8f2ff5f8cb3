// Posemill internals: what the parts of the Assimp importer share.
//
// Assimp ties animations and skins to nodes by name. What belongs to a name that several nodes have is left
// out with a diagnostic.
#ifndef PM_ASSIMP_READER_H
#define PM_ASSIMP_READER_H

#include "../scene.h"

#include <assimp/scene.h>

// One node of the builder. Keys of its channels become before * key * after.
typedef struct pm_assimp_node {
    const struct aiNode *source;
    bool adjusted;       // false if `before` and `after` are identity
    pm_transform before; // of uniform scale
    float after[4];      // a rotation
} pm_assimp_node;

typedef struct pm_assimp_name {
    const char *name;
    uint32_t node;
} pm_assimp_name;

// A skin while meshes are added to it.
typedef struct pm_assimp_skin {
    const char *name;
    uint32_t joint_count, capacity;
    uint32_t *nodes;
    float *inverse_binds;
} pm_assimp_skin;

typedef struct pm_assimp_reader {
    pm_scene_builder *builder;
    const struct aiScene *scene;
    bool has_rest_weights; // of morph targets; Assimp (5.2) gives those of FBX as 1, whatever the file says
    pm_assimp_node *nodes; // [builder->node_count], as the builder's
    pm_assimp_name *names; // [builder->node_count], sorted
    uint32_t skin_count;
    pm_assimp_skin *skins; // [scene->mNumMeshes], of which the first skin_count are in use
} pm_assimp_reader;

// Fills the builder's nodes, breadth first.
pm_result pm_assimp_read_nodes(pm_assimp_reader *reader);

// The only node of that name, or PM_NONE. Otherwise *fault says why: PM_FAULT_TARGET_MISSING or
// PM_FAULT_NAME_DUPLICATE.
uint32_t pm_assimp_find_node(const pm_assimp_reader *reader, const char *name, pm_fault *fault);

// Fills the builder's skins and meshes and its scalars for morph weights. Needs the nodes.
pm_result pm_assimp_read_meshes(pm_assimp_reader *reader);

// Finds or makes the skin of a mesh; PM_NONE if it has none, or an unusable one.
//   bone_joints  receives the skin's joint of each of the mesh's bones
pm_result pm_assimp_read_skin(pm_assimp_reader *reader, const struct aiMesh *mesh, uint16_t *bone_joints,
                              uint32_t *skin);

// Hands the skins to the builder.
pm_result pm_assimp_finish_skins(pm_assimp_reader *reader);

// Fills the builder's clips. Needs the nodes and the morph weights.
pm_result pm_assimp_read_animations(pm_assimp_reader *reader);

#endif
