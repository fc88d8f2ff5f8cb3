// Posemill internals: URIs of glTF buffers: data URIs and relative references.
#ifndef PM_IMPORT_GLTF_URI_H
#define PM_IMPORT_GLTF_URI_H

#include "file.h"

// Whether it is a data URI (RFC 2397).
bool pm_uri_is_data(const char *uri);

// Decodes a data URI, base64 or percent-encoded, into `arena`.
//   reason  receives what is wrong with it, in words, with PM_ERROR_FORMAT; static memory
// PM_ERROR_MEMORY comes without a diagnostic.
pm_result pm_uri_decode_data(const char *uri, pm_arena *arena, pm_bytes *bytes, const char **reason);

// Whether it has a scheme ("https://"), or names a root ("/x", "\x", "C:x"): nothing beside the file.
bool pm_uri_is_absolute(const char *uri);

// The path of `name` beside the file `base` (NULL: in the current directory); NULL if memory is short.
//   decode  undoes percent-encoding (RFC 3986)
char *pm_uri_path_beside(pm_arena *arena, const char *base, const char *name, bool decode);

#endif
