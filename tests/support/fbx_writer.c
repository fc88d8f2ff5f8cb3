#include "fbx_writer.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 256 * 1024 };

typedef struct text {
    char *bytes;
    size_t length;
} text;

static void put(text *out, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(out->bytes + out->length, TEXT_SIZE - out->length, format, arguments);
    va_end(arguments);
    out->length += (size_t)length;
    cr_assert_lt(out->length, TEXT_SIZE);
}

static void put_vector(text *out, const char *name, const double v[3]) {
    if (v[0] != 0 || v[1] != 0 || v[2] != 0)
        put(out, "P: \"%s\", \"Vector3D\", \"Vector\", \"\",%.17g,%.17g,%.17g\n", name, v[0], v[1], v[2]);
}

static void put_model(text *out, const fbx_model *model, int id) {
    put(out, "Model: %d, \"Model::%s\", \"LimbNode\" {\nVersion: 232\nProperties70:  {\n", id, model->name);
    put(out, "P: \"RotationActive\", \"bool\", \"\", \"\",1\n");
    put_vector(out, "RotationOffset", model->rotation_offset);
    put_vector(out, "RotationPivot", model->rotation_pivot);
    put_vector(out, "ScalingOffset", model->scaling_offset);
    put_vector(out, "ScalingPivot", model->scaling_pivot);
    put_vector(out, "PreRotation", model->pre_rotation);
    put_vector(out, "PostRotation", model->post_rotation);
    put_vector(out, "Lcl Translation", model->translation);
    put_vector(out, "Lcl Rotation", model->rotation);
    put_vector(out, "Lcl Scaling", model->scale);
    put(out, "}\n}\n");
}

static void put_curve(text *out, const fbx_curve *curve, int id, int axis) {
    put(out, "AnimationCurve: %d, \"AnimCurve::\", \"\" {\nDefault: 0\nKeyVer: 4008\nKeyTime: *%d {\na: ", id,
        curve->key_count);
    for (int k = 0; k < curve->key_count; k++)
        put(out, "%s%.0f", k ? "," : "", curve->times_seconds[k] * 46186158000.0);
    put(out, "\n}\nKeyValueFloat: *%d {\na: ", curve->key_count);
    for (int k = 0; k < curve->key_count; k++) put(out, "%s%.9g", k ? "," : "", curve->values[k][axis]);
    put(out,
        "\n}\nKeyAttrFlags: *1 {\na: 24836\n}\nKeyAttrDataFloat: *4 {\na: 0,0,0,0\n}\nKeyAttrRefCount: *1 {\n"
        "a: %d\n}\n}\n",
        curve->key_count);
}

char *fbx_write(const fbx_file *file) {
    text out = {calloc(1, TEXT_SIZE), 0};
    put(&out,
        "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\nFBXHeaderVersion: 1003\nFBXVersion: 7400\n}\n"
        "GlobalSettings:  {\nVersion: 1000\nProperties70:  {\nP: \"TimeMode\", \"enum\", \"\", \"\",6\n}\n}\n"
        "Objects:  {\n");
    for (int m = 0; m < file->model_count; m++) put_model(&out, &file->models[m], 1000 + m);
    put(&out, "AnimationStack: 10, \"AnimStack::Take\", \"\" {\n}\nAnimationLayer: 11, \"AnimLayer::Base\", "
              "\"\" {\n}\n");
    for (int c = 0; c < file->curve_count; c++) {
        put(&out, "AnimationCurveNode: %d, \"AnimCurveNode::\", \"\" {\n}\n", 2000 + c);
        for (int axis = 0; axis < 3; axis++) put_curve(&out, &file->curves[c], 3000 + 3 * c + axis, axis);
    }
    put(&out, "%s}\nConnections:  {\nC: \"OO\",11,10\n", file->objects ? file->objects : "");
    for (int m = 0; m < file->model_count; m++)
        put(&out, "C: \"OO\",%d,%d\n", 1000 + m,
            file->models[m].parent < 0 ? 0 : 1000 + file->models[m].parent);
    for (int c = 0; c < file->curve_count; c++) {
        const fbx_curve *curve = &file->curves[c];
        put(&out, "C: \"OO\",%d,11\nC: \"OP\",%d,%d, \"%s\"\n", 2000 + c, 2000 + c, 1000 + curve->model,
            curve->property);
        for (int axis = 0; axis < 3; axis++)
            put(&out, "C: \"OP\",%d,%d, \"d|%c\"\n", 3000 + 3 * c + axis, 2000 + c, "XYZ"[axis]);
    }
    put(&out, "%s}\n", file->connections ? file->connections : "");
    return out.bytes;
}

// a becomes a * b.
static void multiply(double a[3][4], double b[3][4]) {
    for (int row = 0; row < 3; row++) {
        double r[4] = {0, 0, 0, a[row][3]};
        for (int column = 0; column < 4; column++)
            for (int k = 0; k < 3; k++) r[column] += a[row][k] * b[k][column];
        memcpy(a[row], r, sizeof r);
    }
}

static void translate(double m[3][4], const double v[3], double sign) {
    double t[3][4] = {{1, 0, 0, sign * v[0]}, {0, 1, 0, sign * v[1]}, {0, 0, 1, sign * v[2]}};
    multiply(m, t);
}

static void rotate_axis(double m[3][4], int axis, double degrees) {
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    double radians = degrees * (3.14159265358979323846 / 180), r[3][4] = {{0}};
    r[axis][axis] = 1;
    r[a][a] = r[b][b] = cos(radians);
    r[b][a] = sin(radians);
    r[a][b] = -sin(radians);
    multiply(m, r);
}

// X is applied first.
static void rotate(double m[3][4], const double degrees[3]) {
    for (int axis = 2; axis >= 0; axis--) rotate_axis(m, axis, degrees[axis]);
}

static void rotate_back(double m[3][4], const double degrees[3]) {
    for (int axis = 0; axis < 3; axis++) rotate_axis(m, axis, -degrees[axis]);
}

void fbx_local(const fbx_file *file, int index, int key, double local[3][4]) {
    fbx_model model = file->models[index];
    if (model.scale[0] == 0 && model.scale[1] == 0 && model.scale[2] == 0)
        model.scale[0] = model.scale[1] = model.scale[2] = 1;
    for (int c = 0; c < file->curve_count && key >= 0; c++) {
        const fbx_curve *curve = &file->curves[c];
        if (curve->model != index) continue;
        double *to = curve->property[4] == 'T'   ? model.translation
                     : curve->property[4] == 'R' ? model.rotation
                                                 : model.scale;
        memcpy(to, curve->values[key], 3 * sizeof *to);
    }
    memset(local, 0, 12 * sizeof(double));
    for (int i = 0; i < 3; i++) local[i][i] = 1;
    translate(local, model.translation, 1);
    translate(local, model.rotation_offset, 1);
    translate(local, model.rotation_pivot, 1);
    rotate(local, model.pre_rotation);
    rotate(local, model.rotation);
    rotate_back(local, model.post_rotation);
    translate(local, model.rotation_pivot, -1);
    translate(local, model.scaling_offset, 1);
    translate(local, model.scaling_pivot, 1);
    double s[3][4] = {{model.scale[0]}, {0, model.scale[1]}, {0, 0, model.scale[2]}};
    multiply(local, s);
    translate(local, model.scaling_pivot, -1);
}
