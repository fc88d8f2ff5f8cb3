// Posemill internals: glTF accessors: typed views of buffers, with every component type, stride and sparse
// form.
#ifndef PM_IMPORT_GLTF_ACCESSOR_H
#define PM_IMPORT_GLTF_ACCESSOR_H

#include "gltf_document.h"

// glTF's numbers for component types.
typedef enum pm_gltf_component {
    PM_GLTF_BYTE = 5120,
    PM_GLTF_UNSIGNED_BYTE = 5121,
    PM_GLTF_SHORT = 5122,
    PM_GLTF_UNSIGNED_SHORT = 5123,
    PM_GLTF_UNSIGNED_INT = 5125,
    PM_GLTF_FLOAT = 5126
} pm_gltf_component;

// Elements at equal distances.
typedef struct pm_gltf_elements {
    const uint8_t *data; // NULL for zeros
    size_t stride;
    pm_gltf_component component;
    uint32_t component_count;
} pm_gltf_elements;

// An accessor whose every byte was found to be there: copying cannot fail.
typedef struct pm_gltf_accessor {
    uint32_t index;
    uint32_t count;
    uint32_t component_count; // of the type: SCALAR 1, VEC2 2, VEC3 3, VEC4 4, MAT4 16
    bool normalized;          // integers stand for fractions
    pm_gltf_elements base;
    uint32_t sparse_count;
    pm_gltf_elements sparse_indices, sparse_values;
} pm_gltf_accessor;

// Looks an accessor up and checks it.
//   place  for the diagnostic if the part that wants it has to be left out (PM_ERROR_DATA)
pm_result pm_gltf_accessor_open(pm_gltf *gltf, uint32_t index, pm_place place, pm_gltf_accessor *accessor);

// Writes count * component_count floats. Normalised integers become c / 127, c / 255, c / 32767 or c / 65535,
// signed ones at least -1 (glTF 2.0, 3.6.2.2).
void pm_gltf_accessor_copy_floats(const pm_gltf_accessor *accessor, float *values);

// Writes count * component_count whole numbers; PM_NONE for what is none or negative.
void pm_gltf_accessor_copy_indices(const pm_gltf_accessor *accessor, uint32_t *values);

// All values as floats in `kept`; one copy for all who ask.
pm_result pm_gltf_accessor_floats(pm_gltf *gltf, const pm_gltf_accessor *accessor, const float **values);

#endif
