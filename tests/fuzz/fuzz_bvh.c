// Any bytes are a BVH file or an error with a reason.
#include "import/bvh.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    pm_report report = {0};
    pm_scene *scene;
    pm_result result = pm_import_bvh_memory(bytes, size, "fuzz.bvh", NULL, &scene, &report);
    if ((result == PM_OK) != (scene != NULL) || (result == PM_OK) != (report.message[0] == '\0')) abort();
    if (scene) {
        const pm_clip_source *clip = &scene->clips[0];
        for (uint32_t c = 0; c < clip->channel_count; c++)
            if (clip->channels[c].target >= scene->skeleton->joint_count) abort();
    }
    pm_scene_destroy(scene);
    return 0;
}
