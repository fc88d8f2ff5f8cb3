// An animation file as the commands use it: the imported scene, its clips compiled on demand, and every
// diagnostic on the way, kept for listing.
#ifndef PM_TOOL_ASSET_H
#define PM_TOOL_ASSET_H

#include <posemill/import.h>
#include <posemill/posemill.h>

// One diagnostic, copied. The texts are never NULL.
typedef struct pm_finding {
    pm_severity severity;
    pm_fault fault;
    uint32_t key; // PM_NONE if it concerns no key
    char *clip;
    char *channel;
    char *message;
} pm_finding;

typedef struct pm_asset {
    const char *path; // as given on the command line
    pm_scene *scene;
    pm_clip **clips;            // [scene->clip_count], NULL until compiled or when refused
    pm_compile_options options; // the default; a command may change it before it compiles
    pm_report report;
    pm_finding *findings; // [finding_count], in the order found
    size_t finding_count, finding_capacity;
} pm_asset;

// Imports a file. PM_EXIT_OK, or PM_EXIT_DATA after one line on stderr with nothing left to close. The asset
// must stay where it is until it is closed.
int pm_asset_open(pm_asset *asset, const char *path);

// What an option of the choice 32|16 says.
uint32_t pm_asset_key_bits(const char *choice);

// Compiles one of the scene's clips, repairing what can be repaired. NULL if the compiler refuses it; the
// reason is among the findings. Compiles each clip once.
const pm_clip *pm_asset_compile(pm_asset *asset, uint32_t clip);

// The first clip of that name, or of that number if no clip has the name. PM_EXIT_OK, or PM_EXIT_DATA after
// one line on stderr.
int pm_asset_find_clip(const pm_asset *asset, const char *text, uint32_t *clip);

// Releases what the asset holds; a zeroed one is allowed.
void pm_asset_close(pm_asset *asset);

#endif
