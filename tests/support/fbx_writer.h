// Tests: small FBX 7.4 files as text, and where their models must be.
#ifndef FBX_WRITER_H
#define FBX_WRITER_H

// A model with the factors of its transform; angles in degrees, applied x, y, z. Zero-initialised, all of it
// is identity but for the scale, for which 0 0 0 means 1 1 1.
typedef struct fbx_model {
    const char *name;
    int parent; // index, or -1 for the scene
    double translation[3], rotation[3], scale[3];
    double pre_rotation[3], post_rotation[3];
    double rotation_offset[3], rotation_pivot[3], scaling_offset[3], scaling_pivot[3];
} fbx_model;

// Keys of one property of one model.
typedef struct fbx_curve {
    int model;
    const char *property; // "Lcl Translation", "Lcl Rotation" or "Lcl Scaling"
    int key_count;
    const double *times_seconds;
    const double (*values)[3];
} fbx_curve;

// Models have the ids 1000 and up. `objects` and `connections` are more text for these sections, or NULL; ids
// from 5000 are free for them. The animation's layer has the id 11.
typedef struct fbx_file {
    int model_count, curve_count;
    const fbx_model *models;
    const fbx_curve *curves;
    const char *objects, *connections;
} fbx_file;

// The file's text; release with free.
char *fbx_write(const fbx_file *file);

// The model's transform in its parent at one of its keys, as rows: T Roff Rp Rpre R Rpost^-1 Rp^-1 Soff Sp S
// Sp^-1 (Autodesk FBX SDK, "Computing transformation matrices"). `key` is -1 for the rest pose.
void fbx_local(const fbx_file *file, int model, int key, double local[3][4]);

#endif
