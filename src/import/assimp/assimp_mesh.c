#include "assimp_reader.h"

#include <string.h>

// More joints a vertex than this are left out, the smallest weights first.
enum { MAX_INFLUENCES = 8 };

static pm_place file_place(const pm_assimp_reader *reader) {
    return pm_scene_builder_place(reader->builder, NULL, NULL);
}

static pm_result out_of_memory(const pm_assimp_reader *reader) {
    return pm_fail_memory(reader->builder->report, "meshes");
}

// How faces with that many corners are drawn, in glTF's numbers.
static uint32_t primitive_mode(unsigned corner_count) {
    return corner_count == 3 ? 4 : corner_count == 2 ? 1 : 0;
}

static uint32_t count_faces(const struct aiMesh *source, unsigned corner_count) {
    uint32_t count = 0;
    for (unsigned f = 0; f < source->mNumFaces; f++) count += source->mFaces[f].mNumIndices == corner_count;
    return count;
}

// Triangles, or lines if there are none, or points.
static pm_result read_indices(const pm_assimp_reader *reader, const struct aiMesh *source, pm_mesh *mesh) {
    unsigned corner_count = 3;
    while (corner_count > 1 && !count_faces(source, corner_count)) corner_count--;
    mesh->primitive_mode = primitive_mode(corner_count);
    size_t capacity = (size_t)count_faces(source, corner_count) * corner_count;
    uint32_t *indices = pm_arena_allocate(&reader->builder->kept, capacity, sizeof *indices);
    if (!indices) return out_of_memory(reader);
    mesh->indices = indices;
    for (unsigned f = 0; f < source->mNumFaces; f++) {
        const struct aiFace *face = &source->mFaces[f];
        bool valid = face->mNumIndices == corner_count;
        for (unsigned i = 0; valid && i < corner_count; i++) valid = face->mIndices[i] < mesh->vertex_count;
        for (unsigned i = 0; valid && i < corner_count; i++) indices[mesh->index_count++] = face->mIndices[i];
    }
    return PM_OK;
}

// Vectors of a mesh as floats, less `origin` where there is one.
static const float *read_vectors(const pm_assimp_reader *reader, const struct aiVector3D *vectors,
                                 const struct aiVector3D *origin, uint32_t count, float *out) {
    if (!out) out = pm_arena_allocate(&reader->builder->kept, count, 3 * sizeof *out);
    for (uint32_t v = 0; out && v < count; v++) {
        out[3 * v] = (float)(vectors[v].x - (origin ? origin[v].x : 0));
        out[3 * v + 1] = (float)(vectors[v].y - (origin ? origin[v].y : 0));
        out[3 * v + 2] = (float)(vectors[v].z - (origin ? origin[v].z : 0));
    }
    return out;
}

static pm_result read_morphs(const pm_assimp_reader *reader, const struct aiMesh *source, pm_mesh *mesh) {
    mesh->morph_count = source->mNumAnimMeshes;
    size_t size = (size_t)mesh->vertex_count * 3;
    float *offsets = pm_arena_allocate(&reader->builder->kept, mesh->morph_count, size * sizeof *offsets);
    if (!offsets) return out_of_memory(reader);
    mesh->morph_positions = offsets;
    for (uint32_t m = 0; m < mesh->morph_count; m++) {
        const struct aiAnimMesh *morph = source->mAnimMeshes[m];
        // Morph targets without positions of their own do not move the mesh.
        if (morph->mVertices && morph->mNumVertices == source->mNumVertices)
            read_vectors(reader, morph->mVertices, source->mVertices, mesh->vertex_count, offsets + m * size);
    }
    return PM_OK;
}

static pm_result read_geometry(const pm_assimp_reader *reader, const struct aiMesh *source, pm_mesh *mesh) {
    pm_arena *kept = &reader->builder->kept;
    mesh->name = pm_arena_copy_text(kept, source->mName.data, strlen(source->mName.data));
    mesh->vertex_count = source->mVertices ? source->mNumVertices : 0;
    mesh->positions = read_vectors(reader, source->mVertices, NULL, mesh->vertex_count, NULL);
    if (!mesh->name || !mesh->positions) return out_of_memory(reader);
    if (source->mNormals &&
        !(mesh->normals = read_vectors(reader, source->mNormals, NULL, mesh->vertex_count, NULL)))
        return out_of_memory(reader);
    pm_result result = read_indices(reader, source, mesh);
    return !result && source->mNumAnimMeshes ? read_morphs(reader, source, mesh) : result;
}

// The weights of one vertex while they are gathered.
typedef struct influences {
    uint32_t count; // of all, those left out too
    uint16_t joints[MAX_INFLUENCES];
    float weights[MAX_INFLUENCES];
} influences;

static void add_influence(influences *vertex, uint16_t joint, float weight) {
    uint32_t slot = vertex->count++;
    if (slot >= MAX_INFLUENCES) {
        slot = 0;
        for (uint32_t i = 1; i < MAX_INFLUENCES; i++)
            if (vertex->weights[i] < vertex->weights[slot]) slot = i;
        if (weight <= vertex->weights[slot]) return;
    }
    vertex->joints[slot] = joint;
    vertex->weights[slot] = weight;
}

// Scales what is left of too many weights to the sum of one.
static void normalise(influences *vertex) {
    double sum = 0;
    for (uint32_t i = 0; i < MAX_INFLUENCES; i++) sum += (double)vertex->weights[i];
    for (uint32_t i = 0; i < MAX_INFLUENCES; i++)
        vertex->weights[i] = (float)((double)vertex->weights[i] / sum);
}

static influences *gather_influences(const pm_assimp_reader *reader, const struct aiMesh *source,
                                     const uint16_t *bone_joints) {
    influences *vertices =
        pm_arena_allocate(&reader->builder->scratch, source->mNumVertices, sizeof *vertices);
    for (unsigned b = 0; vertices && b < source->mNumBones; b++) {
        const struct aiBone *bone = source->mBones[b];
        for (unsigned w = 0; w < bone->mNumWeights; w++) {
            struct aiVertexWeight weight = bone->mWeights[w];
            if (weight.mVertexId < source->mNumVertices && weight.mWeight > 0)
                add_influence(&vertices[weight.mVertexId], bone_joints[b], (float)weight.mWeight);
        }
    }
    return vertices;
}

static pm_result read_influences(const pm_assimp_reader *reader, const struct aiMesh *source,
                                 const uint16_t *bone_joints, pm_mesh *mesh) {
    influences *vertices = gather_influences(reader, source, bone_joints);
    if (!vertices) return out_of_memory(reader);
    uint32_t most = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        if (vertices[v].count > most) most = vertices[v].count;
        if (vertices[v].count > MAX_INFLUENCES) normalise(&vertices[v]);
    }
    if (most > MAX_INFLUENCES)
        pm_diagnose(reader->builder->report, PM_SEVERITY_REPAIR, PM_FAULT_SKIN, file_place(reader),
                    "mesh \"%s\" has up to %u joints a vertex; the %d with the largest weights were kept",
                    mesh->name, (unsigned)most, MAX_INFLUENCES);
    mesh->influence_count = most <= 4 ? 4 : MAX_INFLUENCES;
    size_t count = (size_t)mesh->vertex_count * mesh->influence_count;
    uint16_t *joints = pm_arena_allocate(&reader->builder->kept, count, sizeof *joints);
    float *weights = pm_arena_allocate(&reader->builder->kept, count, sizeof *weights);
    if (!joints || !weights) return out_of_memory(reader);
    mesh->joints = joints;
    mesh->weights = weights;
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        for (uint32_t i = 0; i < mesh->influence_count; i++) {
            *joints++ = vertices[v].joints[i];
            *weights++ = vertices[v].weights[i];
        }
    return PM_OK;
}

// What all nodes that draw one of Assimp's meshes share.
static pm_result read_mesh(pm_assimp_reader *reader, const struct aiMesh *source, pm_mesh *mesh) {
    *mesh = (pm_mesh){.joint = PM_NONE, .skin = PM_NONE, .first_scalar = PM_NONE};
    uint16_t *bone_joints =
        pm_arena_allocate(&reader->builder->scratch, source->mNumBones, sizeof *bone_joints);
    if (!bone_joints) return out_of_memory(reader);
    pm_result result = pm_assimp_read_skin(reader, source, bone_joints, &mesh->skin);
    if (result || !reader->builder->options.meshes) return result;
    result = read_geometry(reader, source, mesh);
    if (!result && mesh->skin != PM_NONE) result = read_influences(reader, source, bone_joints, mesh);
    return result;
}

// Scalars for the morph targets of a node's meshes, which share weights.
static pm_result add_weights(pm_assimp_reader *reader, uint32_t node) {
    pm_scene_builder *builder = reader->builder;
    const struct aiNode *source = reader->nodes[node].source;
    const struct aiMesh *most = NULL;
    for (unsigned m = 0; m < source->mNumMeshes; m++) {
        const struct aiMesh *mesh = reader->scene->mMeshes[source->mMeshes[m]];
        if (mesh->mNumAnimMeshes > (most ? most->mNumAnimMeshes : 0)) most = mesh;
    }
    if (!most) return PM_OK;
    pm_weight_range *range = &builder->weight_ranges[builder->weight_range_count++];
    *range = (pm_weight_range){node, builder->scalar_count, most->mNumAnimMeshes};
    for (uint32_t m = 0; m < range->count; m++) {
        const char *name =
            pm_arena_print(&builder->scratch, "%s.weights[%u]", source->mName.data, (unsigned)m);
        if (!name) return out_of_memory(reader);
        float rest = reader->has_rest_weights ? most->mAnimMeshes[m]->mWeight : 0;
        uint32_t scalar;
        pm_result result = pm_scene_builder_add_scalar(builder, name, node, rest, &scalar);
        if (result) return result;
    }
    return PM_OK;
}

// The meshes of one node, its weights already added.
static void place_meshes(pm_assimp_reader *reader, uint32_t node, const pm_mesh *meshes) {
    pm_scene_builder *builder = reader->builder;
    const struct aiNode *source = reader->nodes[node].source;
    const pm_weight_range *range = NULL;
    if (builder->weight_range_count && builder->weight_ranges[builder->weight_range_count - 1].joint == node)
        range = &builder->weight_ranges[builder->weight_range_count - 1];
    for (unsigned m = 0; m < source->mNumMeshes; m++) {
        pm_mesh *mesh = &builder->meshes[builder->mesh_count++];
        *mesh = meshes[source->mMeshes[m]];
        mesh->joint = node;
        if (range && mesh->morph_count) mesh->first_scalar = range->first_scalar;
    }
}

static pm_result allocate(pm_assimp_reader *reader, pm_mesh **meshes) {
    pm_scene_builder *builder = reader->builder;
    size_t count = 0;
    for (uint32_t n = 0; n < builder->node_count; n++) count += reader->nodes[n].source->mNumMeshes;
    *meshes = pm_arena_allocate(&builder->scratch, reader->scene->mNumMeshes, sizeof **meshes);
    builder->meshes = pm_arena_allocate(&builder->scratch, count, sizeof *builder->meshes);
    reader->skins = pm_arena_allocate(&builder->scratch, reader->scene->mNumMeshes, sizeof *reader->skins);
    builder->weight_ranges =
        pm_arena_allocate(&builder->scratch, builder->node_count, sizeof *builder->weight_ranges);
    return *meshes && builder->meshes && reader->skins && builder->weight_ranges ? PM_OK
                                                                                 : out_of_memory(reader);
}

pm_result pm_assimp_read_meshes(pm_assimp_reader *reader) {
    pm_mesh *meshes;
    pm_result result = allocate(reader, &meshes);
    for (unsigned m = 0; m < reader->scene->mNumMeshes && !result; m++)
        result = read_mesh(reader, reader->scene->mMeshes[m], &meshes[m]);
    if (!result) result = pm_assimp_finish_skins(reader);
    for (uint32_t n = 0; n < reader->builder->node_count && !result; n++) {
        result = add_weights(reader, n);
        if (!result && reader->builder->options.meshes) place_meshes(reader, n, meshes);
    }
    return result;
}
