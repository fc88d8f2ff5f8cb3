// Tests and fuzzers: does a loaded clip keep what the loader promises?
#ifndef CLIP_PROBE_H
#define CLIP_PROBE_H

#include <posemill/clip.h>

// Asks for all facts and samples the clip on every kernel, at many times, with and without cursors of any
// content, alone and among others. NULL if every value is finite, nothing but the pose and the cursors was
// written and all agree; else what is wrong (static memory). Reads outside of the clip are for a sanitizer to
// find.
const char *clip_probe(const pm_clip *clip);

#endif
