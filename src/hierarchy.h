// Posemill internals: the tree of a skeleton's nodes, and the order in which they become joints.
#ifndef PM_HIERARCHY_H
#define PM_HIERARCHY_H

#include "memory.h"
#include <posemill/skeleton.h>

// Puts every node behind its parent: subtrees together, or by depth with def->order_by_depth; siblings and
// roots stay in the order of the nodes. Refuses parents out of range and cycles, naming the node.
//   order    [node_count], receives node indices
//   scratch  for temporary memory, left for the caller to release
pm_result pm_hierarchy_order(const pm_skeleton_def *def, pm_arena *scratch, uint32_t *order,
                             pm_report *report);

// Marks `node` and its ancestors. Over all calls with one array this takes O(nodes).
//   marks  [node_count]
void pm_hierarchy_mark(const pm_skeleton_def *def, uint32_t node, bool *marks);

#endif
