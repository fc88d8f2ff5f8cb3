#include "asset.h"
#include "storage.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void keep_finding(void *user, const pm_diagnostic *diagnostic) {
    pm_asset *asset = user;
    asset->findings = pm_storage_grow(asset->findings, &asset->finding_capacity, asset->finding_count + 1,
                                      sizeof *asset->findings);
    asset->findings[asset->finding_count++] = (pm_finding){
        .severity = diagnostic->severity,
        .fault = diagnostic->fault,
        .key = diagnostic->key,
        .clip = pm_storage_copy_text(diagnostic->clip),
        .channel = pm_storage_copy_text(diagnostic->channel),
        .message = pm_storage_copy_text(diagnostic->message),
    };
}

int pm_asset_open(pm_asset *asset, const char *path) {
    *asset = (pm_asset){.path = path, .options = pm_default_compile_options()};
    asset->report.callback = keep_finding;
    asset->report.user = asset;
    pm_import_options options = pm_default_import_options();
    options.meshes = false;
    if (pm_import_file(path, &options, &asset->scene, &asset->report)) {
        pm_complain(PM_EXIT_DATA, "%s", asset->report.message);
        pm_asset_close(asset);
        return PM_EXIT_DATA;
    }
    asset->clips = pm_storage_allocate(asset->scene->clip_count, sizeof *asset->clips);
    return PM_EXIT_OK;
}

uint32_t pm_asset_key_bits(const char *choice) {
    return strcmp(choice, "16") ? 32 : 16;
}

const pm_clip *pm_asset_compile(pm_asset *asset, uint32_t clip) {
    if (asset->clips[clip]) return asset->clips[clip];
    pm_clip *compiled;
    if (pm_clip_compile(&asset->scene->clips[clip], asset->scene->skeleton, &asset->options, NULL, &compiled,
                        &asset->report))
        return NULL;
    asset->clips[clip] = compiled;
    return compiled;
}

int pm_asset_find_clip(const pm_asset *asset, const char *text, uint32_t *clip) {
    uint32_t count = asset->scene->clip_count;
    if (count == 0) return pm_complain(PM_EXIT_DATA, "%s: no clips in this file", asset->path);
    for (uint32_t i = 0; i < count; i++) {
        const char *name = asset->scene->clips[i].name;
        if (!name || strcmp(name, text)) continue;
        *clip = i;
        return PM_EXIT_OK;
    }
    bool digits = text[strspn(text, "0123456789")] == '\0';
    errno = 0;
    unsigned long long number = strtoull(text, NULL, 10);
    if (digits && !errno && number < count) {
        *clip = (uint32_t)number;
        return PM_EXIT_OK;
    }
    if (count == 1) return pm_complain(PM_EXIT_DATA, "%s: no clip %s; the only one is 0", asset->path, text);
    return pm_complain(PM_EXIT_DATA, "%s: no clip %s; there are 0 to %u", asset->path, text, count - 1);
}

void pm_asset_close(pm_asset *asset) {
    for (uint32_t i = 0; asset->clips && i < asset->scene->clip_count; i++)
        pm_clip_destroy(asset->clips[i], NULL);
    for (size_t i = 0; i < asset->finding_count; i++) {
        free(asset->findings[i].clip);
        free(asset->findings[i].channel);
        free(asset->findings[i].message);
    }
    free(asset->findings);
    free(asset->clips);
    pm_scene_destroy(asset->scene);
    *asset = (pm_asset){0};
}
