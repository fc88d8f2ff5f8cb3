// Posemill: skeletons, joints in topological order with their rest pose, skins and named scalars.
#ifndef POSEMILL_SKELETON_H
#define POSEMILL_SKELETON_H

#include "pose.h"
#include "report.h"

#ifdef __cplusplus
extern "C" {
#endif

// A node as a file or a host gives it, in any order.
//   name    UTF-8, copied; NULL is as ""
//   parent  index into the same array, or PM_NONE
//   rest    local transform; the rotation need not be unit (normalised, with a diagnostic). Its components
//           below 2^-40 become 0, as in clips (pm_clip_plan_create)
//   used    false leaves the node out, unless a skin names it or a used node descends from it (ancestors
//           carry transforms)
typedef struct pm_node_def {
    const char *name;
    uint32_t parent;
    pm_transform rest;
    bool used;
} pm_node_def;

// A named number that clips can drive: a morph weight, a field of view.
//   name  UTF-8, copied, for look-up: "Face.weights[2]"
//   node  the node it belongs to, or PM_NONE
//   rest  its value where a clip has no channel for it
typedef struct pm_scalar_def {
    const char *name;
    uint32_t node;
    float rest;
} pm_scalar_def;

// A skin: which nodes deform a mesh, with their inverse bind matrices.
//   name           UTF-8, copied; NULL is as ""
//   nodes          [joint_count], indices into the node array, in the order of the mesh's joint indices
//   inverse_binds  [joint_count][12], model to joint space, 3 rows of 4 (row-major, the last row is 0 0 0 1);
//                  NULL is identity for all
typedef struct pm_skin_def {
    const char *name;
    uint32_t joint_count;
    const uint32_t *nodes;
    const float *inverse_binds;
} pm_skin_def;

// What a skeleton is made from. All arrays belong to the caller and are copied.
typedef struct pm_skeleton_def {
    const char *file; // for diagnostics; may be NULL
    uint32_t node_count;
    const pm_node_def *nodes;
    uint32_t scalar_count;
    const pm_scalar_def *scalars;
    uint32_t skin_count;
    const pm_skin_def *skins;
    bool order_by_depth; // joints by depth (for level of detail) instead of keeping subtrees together
} pm_skeleton_def;

// A skin of a skeleton: its inverse binds in the order of the mesh's joint indices.
typedef struct pm_skin {
    const char *name;
    uint32_t joint_count;
    const uint32_t *joints;     // [joint_count], joints of the skeleton
    const float *inverse_binds; // [joint_count][12], as in pm_skin_def
} pm_skin;

// Joints in topological order: a parent's index is below its children's. Immutable after creation, so any
// number of threads may read it. All pointers live as long as the skeleton.
typedef struct pm_skeleton {
    uint32_t joint_count;
    uint32_t block_count;          // pm_block_count(joint_count)
    const uint32_t *parents;       // [joint_count], PM_NONE for roots
    const char *const *names;      // [joint_count]
    const pm_pose_block *rest;     // [block_count], unit rotations, padding lanes identity
    const uint32_t *joint_to_node; // [joint_count], index in pm_skeleton_def.nodes
    uint32_t node_count;
    const uint32_t *node_to_joint; // [node_count], PM_NONE for nodes left out
    uint32_t scalar_count;
    const char *const *scalar_names; // [scalar_count]
    const float *scalar_rest;        // [16 * pm_block_count(scalar_count)], padding 0
    const uint32_t *scalar_joints;   // [scalar_count], the joint it belongs to, or PM_NONE
    uint32_t skin_count;
    const pm_skin *skins; // [skin_count]
} pm_skeleton;

// Makes a skeleton, in one piece of memory. Refuses cycles, parents out of range, transforms and rest values
// that are not finite, and skins and scalars that name unknown nodes, with the reason in the report. Rest
// rotations off unit length are normalised, with a diagnostic beyond 1e-2; one of no length becomes identity
// with a diagnostic; numbers beyond PM_VALUE_LIMIT are limited with one. Names that several joints (or
// scalars) have and skins without joints are noted.
//   allocator  NULL for the C library's; kept for pm_skeleton_destroy
//   skeleton   receives the new skeleton; NULL on failure
PM_API pm_result pm_skeleton_create(const pm_skeleton_def *def, const pm_allocator *allocator,
                                    pm_skeleton **skeleton, pm_report *report);

// Releases a skeleton; NULL is allowed.
PM_API void pm_skeleton_destroy(pm_skeleton *skeleton);

// The first joint of that name (in joint order), or PM_NONE. Compares bytes. O(log joints).
PM_API uint32_t pm_skeleton_find_joint(const pm_skeleton *skeleton, const char *name);

// The first scalar of that name, or PM_NONE.
PM_API uint32_t pm_skeleton_find_scalar(const pm_skeleton *skeleton, const char *name);

#ifdef __cplusplus
}
#endif

#endif
