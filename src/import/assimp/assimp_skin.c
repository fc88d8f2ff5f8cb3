// Skins. Assimp splits a mesh by material and gives each part the bones it needs; parts whose inverse binds
// agree share a skin here, so that a character has one palette.
#include "assimp_reader.h"

#include <math.h>
#include <string.h>

enum { MAX_SKIN_JOINTS = UINT16_MAX + 1, MATRIX_FLOATS = 12 };

static pm_result out_of_memory(const pm_assimp_reader *reader) {
    return pm_fail_memory(reader->builder->report, "skins");
}

// A bone of a mesh: its node and its offset matrix, which is the inverse bind.
typedef struct bone {
    uint32_t node;
    float inverse_bind[MATRIX_FLOATS];
} bone;

static bone bone_of(uint32_t node, const struct aiMatrix4x4 *m) {
    return (bone){node,
                  {(float)m->a1, (float)m->a2, (float)m->a3, (float)m->a4, (float)m->b1, (float)m->b2,
                   (float)m->b3, (float)m->b4, (float)m->c1, (float)m->c2, (float)m->c3, (float)m->c4}};
}

static bool is_finite(const bone *b) {
    for (int i = 0; i < MATRIX_FLOATS; i++)
        if (!isfinite(b->inverse_bind[i])) return false;
    return true;
}

// Reads a mesh's bones. Returns false, with a diagnostic, unless all of them are known: with one missing the
// skin would deform the mesh into something nobody made.
static bool read_bones(const pm_assimp_reader *reader, const struct aiMesh *mesh, bone *bones) {
    for (unsigned b = 0; b < mesh->mNumBones; b++) {
        const char *name = mesh->mBones[b]->mName.data, *reason = NULL;
        pm_fault fault;
        uint32_t node = pm_assimp_find_node(reader, name, &fault);
        bones[b] = bone_of(node, &mesh->mBones[b]->mOffsetMatrix);
        if (node == PM_NONE)
            reason =
                fault == PM_FAULT_NAME_DUPLICATE ? "several nodes have this name" : "no node has this name";
        else if (!is_finite(&bones[b])) {
            fault = PM_FAULT_VALUE_NOT_FINITE;
            reason = "its inverse bind matrix is not finite";
        }
        if (!reason) continue;
        pm_diagnose(reader->builder->report, PM_SEVERITY_DROPPED, fault,
                    pm_scene_builder_place(reader->builder, NULL, NULL),
                    "the skin of mesh \"%s\" has a bone \"%s\", but %s; the mesh has no skin",
                    mesh->mName.data, name, reason);
        return false;
    }
    return true;
}

// The joint of a skin that is this bone. Otherwise PM_NONE, and *conflict tells whether the skin has the
// bone's node with another inverse bind.
static uint32_t find_joint(const pm_assimp_skin *skin, const bone *b, bool *conflict) {
    *conflict = false;
    for (uint32_t j = 0; j < skin->joint_count; j++) {
        if (skin->nodes[j] != b->node) continue;
        if (!memcmp(skin->inverse_binds + (size_t)j * MATRIX_FLOATS, b->inverse_bind, sizeof b->inverse_bind))
            return j;
        *conflict = true;
    }
    return PM_NONE;
}

static bool fits(const pm_assimp_skin *skin, const bone *bones, uint32_t count) {
    if (skin->joint_count + count > MAX_SKIN_JOINTS) return false;
    bool conflict = false;
    for (uint32_t b = 0; b < count && !conflict; b++) find_joint(skin, &bones[b], &conflict);
    return !conflict;
}

// Makes room for one more joint.
static bool grow(pm_assimp_reader *reader, pm_assimp_skin *skin) {
    if (skin->joint_count < skin->capacity) return true;
    uint32_t capacity = skin->capacity ? 2 * skin->capacity : 64;
    pm_arena *scratch = &reader->builder->scratch;
    uint32_t *nodes = pm_arena_allocate(scratch, capacity, sizeof *nodes);
    float *inverse_binds = pm_arena_allocate(scratch, capacity, MATRIX_FLOATS * sizeof *inverse_binds);
    if (!nodes || !inverse_binds) return false;
    if (skin->joint_count) {
        memcpy(nodes, skin->nodes, skin->joint_count * sizeof *nodes);
        memcpy(inverse_binds, skin->inverse_binds, skin->joint_count * MATRIX_FLOATS * sizeof *inverse_binds);
    }
    skin->nodes = nodes;
    skin->inverse_binds = inverse_binds;
    skin->capacity = capacity;
    return true;
}

static bool add_bone(pm_assimp_reader *reader, pm_assimp_skin *skin, const bone *b, uint16_t *joint) {
    bool conflict;
    uint32_t found = find_joint(skin, b, &conflict);
    if (found == PM_NONE) {
        if (!grow(reader, skin)) return false;
        found = skin->joint_count++;
        skin->nodes[found] = b->node;
        memcpy(skin->inverse_binds + (size_t)found * MATRIX_FLOATS, b->inverse_bind, sizeof b->inverse_bind);
    }
    *joint = (uint16_t)found;
    return true;
}

pm_result pm_assimp_read_skin(pm_assimp_reader *reader, const struct aiMesh *mesh, uint16_t *bone_joints,
                              uint32_t *skin) {
    *skin = PM_NONE;
    uint32_t count = mesh->mNumBones;
    if (!count) return PM_OK;
    if (count > MAX_SKIN_JOINTS)
        return pm_fail(reader->builder->report, PM_ERROR_DATA, PM_FAULT_SKIN,
                       pm_scene_builder_place(reader->builder, NULL, NULL),
                       "mesh \"%s\" has %u bones, more than %d", mesh->mName.data, (unsigned)count,
                       MAX_SKIN_JOINTS);
    bone *bones = pm_arena_allocate(&reader->builder->scratch, count, sizeof *bones);
    if (!bones) return out_of_memory(reader);
    if (!read_bones(reader, mesh, bones)) return PM_OK;
    uint32_t s = 0;
    while (s < reader->skin_count && !fits(&reader->skins[s], bones, count)) s++;
    if (s == reader->skin_count)
        reader->skins[reader->skin_count++] = (pm_assimp_skin){.name = mesh->mName.data};
    for (uint32_t b = 0; b < count; b++)
        if (!add_bone(reader, &reader->skins[s], &bones[b], &bone_joints[b])) return out_of_memory(reader);
    *skin = s;
    return PM_OK;
}

pm_result pm_assimp_finish_skins(pm_assimp_reader *reader) {
    pm_scene_builder *builder = reader->builder;
    builder->skins = pm_arena_allocate(&builder->scratch, reader->skin_count, sizeof *builder->skins);
    if (!builder->skins) return out_of_memory(reader);
    for (uint32_t s = 0; s < reader->skin_count; s++) {
        const pm_assimp_skin *skin = &reader->skins[s];
        builder->skins[builder->skin_count++] =
            (pm_skin_def){skin->name, skin->joint_count, skin->nodes, skin->inverse_binds};
    }
    return PM_OK;
}
