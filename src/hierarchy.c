#include "hierarchy.h"
#include "diagnose.h"

// Children as linked lists in the order of the nodes. Roots are the children of nobody.
typedef struct tree {
    const pm_node_def *nodes;
    uint32_t node_count;
    uint32_t first_root;
    uint32_t *first_child;  // [node_count], PM_NONE for leaves
    uint32_t *next_sibling; // [node_count], PM_NONE for the last
} tree;

static const char *node_name(const pm_skeleton_def *def, uint32_t node) {
    return def->nodes[node].name ? def->nodes[node].name : "";
}

static void link_nodes(tree *t) {
    t->first_root = PM_NONE;
    for (uint32_t node = 0; node < t->node_count; node++) t->first_child[node] = PM_NONE;
    // Backwards, since each node becomes the first of its siblings.
    for (uint32_t node = t->node_count; node-- > 0;) {
        uint32_t parent = t->nodes[node].parent;
        uint32_t *first = parent == PM_NONE ? &t->first_root : &t->first_child[parent];
        t->next_sibling[node] = *first;
        *first = node;
    }
}

// The node after `node` and its whole subtree, or PM_NONE.
static uint32_t next_subtree(const tree *t, uint32_t node) {
    while (node != PM_NONE && t->next_sibling[node] == PM_NONE) node = t->nodes[node].parent;
    return node == PM_NONE ? PM_NONE : t->next_sibling[node];
}

// Both orders return how many nodes they reached: those on a cycle, and their descendants, hang from no root.
static uint32_t order_depth_first(const tree *t, uint32_t *order) {
    uint32_t count = 0;
    uint32_t node = t->first_root;
    while (node != PM_NONE) {
        order[count++] = node;
        uint32_t child = t->first_child[node];
        node = child != PM_NONE ? child : next_subtree(t, node);
    }
    return count;
}

static uint32_t order_breadth_first(const tree *t, uint32_t *order) {
    uint32_t count = 0;
    for (uint32_t node = t->first_root; node != PM_NONE; node = t->next_sibling[node]) order[count++] = node;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t child = t->first_child[order[i]];
        for (; child != PM_NONE; child = t->next_sibling[child]) order[count++] = child;
    }
    return count;
}

static pm_result check_parents(const pm_skeleton_def *def, pm_report *report) {
    pm_place place = {def->file, NULL, NULL, PM_NONE};
    for (uint32_t node = 0; node < def->node_count; node++) {
        uint32_t parent = def->nodes[node].parent;
        if (parent == PM_NONE || parent < def->node_count) continue;
        return pm_fail(report, PM_ERROR_DATA, PM_FAULT_SKELETON_PARENT, place,
                       "node %u \"%s\" has parent %u, but there are %u nodes", (unsigned)node,
                       node_name(def, node), (unsigned)parent, (unsigned)def->node_count);
    }
    return PM_OK;
}

static pm_result fail_cycle(const pm_skeleton_def *def, const uint32_t *order, uint32_t reached,
                            bool *is_reached, pm_report *report) {
    for (uint32_t i = 0; i < reached; i++) is_reached[order[i]] = true;
    uint32_t node = 0;
    while (is_reached[node]) node++;
    // That node may only descend from the cycle; as many steps up as there are nodes end on it.
    for (uint32_t step = 0; step < def->node_count; step++) node = def->nodes[node].parent;
    pm_place place = {def->file, NULL, NULL, PM_NONE};
    return pm_fail(report, PM_ERROR_DATA, PM_FAULT_SKELETON_CYCLE, place,
                   "node %u \"%s\" is its own ancestor", (unsigned)node, node_name(def, node));
}

pm_result pm_hierarchy_order(const pm_skeleton_def *def, pm_arena *scratch, uint32_t *order,
                             pm_report *report) {
    pm_result result = check_parents(def, report);
    if (result) return result;

    tree t = {def->nodes, def->node_count, PM_NONE, NULL, NULL};
    t.first_child = pm_arena_allocate(scratch, def->node_count, sizeof *t.first_child);
    t.next_sibling = pm_arena_allocate(scratch, def->node_count, sizeof *t.next_sibling);
    bool *is_reached = pm_arena_allocate(scratch, def->node_count, sizeof *is_reached);
    if (!t.first_child || !t.next_sibling || !is_reached) return pm_fail_memory(report, "a hierarchy");

    link_nodes(&t);
    uint32_t reached = def->order_by_depth ? order_breadth_first(&t, order) : order_depth_first(&t, order);
    if (reached < def->node_count) return fail_cycle(def, order, reached, is_reached, report);
    return PM_OK;
}

void pm_hierarchy_mark(const pm_skeleton_def *def, uint32_t node, bool *marks) {
    for (; node != PM_NONE && !marks[node]; node = def->nodes[node].parent) marks[node] = true;
}
