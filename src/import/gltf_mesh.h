// Posemill internals: glTF meshes.
#ifndef PM_IMPORT_GLTF_MESH_H
#define PM_IMPORT_GLTF_MESH_H

#include "gltf_document.h"

// Reads a mesh for each primitive of each node that carries one into the builder; nodes and skins must be
// there. Nodes that carry the same mesh share its arrays.
pm_result pm_gltf_meshes_read(pm_gltf *gltf);

#endif
