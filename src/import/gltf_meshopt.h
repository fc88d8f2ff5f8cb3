// Posemill internals: EXT_meshopt_compression, through libmeshoptimizer.
#ifndef PM_IMPORT_GLTF_MESHOPT_H
#define PM_IMPORT_GLTF_MESHOPT_H

#include "gltf_document.h"

// The extension's object in a buffer view or buffer, or NULL.
const json_t *pm_gltf_meshopt_extension(const json_t *object);

// Decodes a compressed buffer view.
//   extension   as from pm_gltf_meshopt_extension
//   compressed  the bytes that the extension points to
//   arena       takes the decoded bytes
//   reason      receives what is wrong, in words, with PM_ERROR_FORMAT; static memory
// PM_ERROR_MEMORY comes without a diagnostic.
pm_result pm_gltf_meshopt_decode(const json_t *extension, pm_bytes compressed, pm_arena *arena,
                                 pm_bytes *decoded, size_t *stride, const char **reason);

#endif
