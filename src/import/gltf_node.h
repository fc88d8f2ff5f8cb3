// Posemill internals: glTF nodes: names, parents, rest transforms, and the morph weights that they carry.
#ifndef PM_IMPORT_GLTF_NODE_H
#define PM_IMPORT_GLTF_NODE_H

#include "gltf_document.h"

// Reads all nodes into the builder, and makes scalars of their morph weights. Cycles are left to
// pm_skeleton_create, which refuses them.
pm_result pm_gltf_nodes_read(pm_gltf *gltf);

// Whether node `node` gives its transform as a matrix.
bool pm_gltf_node_has_matrix(const pm_gltf *gltf, uint32_t node);

// "Hips", or "node 12" if it has no name, in `arena`. NULL if memory is short.
const char *pm_gltf_node_label(const pm_gltf *gltf, uint32_t node, pm_arena *arena);

#endif
