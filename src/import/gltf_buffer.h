// Posemill internals: glTF buffers and buffer views, read when they are first asked for.
#ifndef PM_IMPORT_GLTF_BUFFER_H
#define PM_IMPORT_GLTF_BUFFER_H

#include "gltf_document.h"

// The bytes of buffer view `view`, decompressed, and its stride (0 if it gives none). A view that reaches
// over the end of its buffer is handed out with what is there: only what lies behind the end is lost.
//   place  for the diagnostic if the part that wants it has to be left out (PM_ERROR_DATA)
pm_result pm_gltf_view_read(pm_gltf *gltf, uint32_t view, pm_place place, pm_bytes *bytes, size_t *stride);

#endif
