// An asset as JSON, for `posemill info --json`.
#ifndef PM_TOOL_ASSET_JSON_H
#define PM_TOOL_ASSET_JSON_H

#include "asset.h"
#include "json.h"

// Everything that `posemill info` knows; every clip compiled. The keys are documented in
// docs/command-line.md.
json_t *pm_asset_to_json(pm_asset *asset);

#endif
