#include "findings.h"

#include "storage.h"
#include "text.h"

#include <posemill/inspect.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const pm_finding_names[PM_FINDING_COUNT] = {
    "overshoots its keys",  "ends early",          "starts late",
    "speed jumps at a key", "moves at a held key", "does not loop",
    "keys off the frames",  "stops at every key",  "cannot be read",
};

const char *const pm_finding_units[PM_FINDING_COUNT] = {
    "% of range", " s", " s", "% of range/s", "% of range/s", "% of range", " frames", " keys", " keys",
};

const double pm_finding_scales[PM_FINDING_COUNT] = {100, 1, 1, 100, 100, 100, 1, 1, 1};

// Below these nothing is said: shares of the range, of the range a second, seconds.
static const double least_share = 1e-3, least_speed = 1e-2, least_seconds = 1e-4;

static const double usual_rates[] = {12, 15, 24, 25, 30, 48, 50, 60, 90, 100, 120, 240, 480, 1000};

double pm_findings_guess_rate(const pm_scene *scene, uint32_t first_clip, uint32_t clip_count) {
    enum { RATES = sizeof usual_rates / sizeof *usual_rates };
    uint64_t on_grid[RATES] = {0}, total = 0;
    for (uint32_t i = first_clip; i < first_clip + clip_count; i++) {
        for (uint32_t c = 0; c < scene->clips[i].channel_count; c++) {
            const pm_channel *channel = &scene->clips[i].channels[c];
            for (uint32_t k = 0; k < channel->key_count; k++) {
                total++;
                for (int r = 0; r < RATES; r++) {
                    double frames = (double)channel->times[k] * usual_rates[r];
                    on_grid[r] += fabs(frames - floor(frames + 0.5)) <= 0.01;
                }
            }
        }
    }
    for (int r = 0; r < RATES; r++)
        if (total && on_grid[r] * 10 >= total * 9) return usual_rates[r];
    return 0.0;
}

char *pm_findings_channel_name(const pm_skeleton *skeleton, const pm_channel *channel) {
    const char *target = "?";
    if (channel->path == PM_PATH_SCALAR) {
        if (channel->target < skeleton->scalar_count) target = skeleton->scalar_names[channel->target];
        return pm_storage_copy_text(target);
    }
    if (channel->target < skeleton->joint_count) target = skeleton->names[channel->target];
    return pm_storage_format("%s.%s", target, pm_path_name(channel->path));
}

const pm_channel *pm_findings_find_channel(const pm_skeleton *skeleton, const pm_clip_source *clip,
                                           const char *name, pm_path path) {
    for (uint32_t i = 0; i < clip->channel_count; i++) {
        const pm_channel *channel = &clip->channels[i];
        bool scalar = path == PM_PATH_SCALAR;
        uint32_t count = scalar ? skeleton->scalar_count : skeleton->joint_count;
        if (channel->path != path || channel->target >= count) continue;
        if (!strcmp((scalar ? skeleton->scalar_names : skeleton->names)[channel->target], name))
            return channel;
    }
    return NULL;
}

// What is being looked at.
typedef struct site {
    pm_findings *findings;
    const pm_skeleton *skeleton;
    const pm_channel *channel;
    uint32_t clip;
    float clip_begin, clip_end;
} site;

static void add(const site *s, pm_finding_kind kind, double size, double seconds) {
    pm_curve_finding *finding = &s->findings->kinds[kind];
    if (finding->count++ > 0 && size <= finding->worst) return;
    free(finding->channel);
    finding->channel = pm_findings_channel_name(s->skeleton, s->channel);
    finding->worst = size;
    finding->seconds = seconds;
    finding->clip = s->clip;
}

// The largest difference between last and first value, as a share of the component's range.
static double seam_share(const pm_curve_report *report) {
    double worst = 0.0;
    for (uint32_t c = 0; c < report->component_count; c++) {
        double range = report->key_maximum[c] - report->key_minimum[c];
        double size = fmax(fabs(report->key_minimum[c]), fabs(report->key_maximum[c]));
        if (range > PM_INSPECT_NOISE_SHARE * size) worst = fmax(worst, fabs(report->seam.value[c]) / range);
    }
    return worst;
}

// The largest speed at a hold inside of the clip, as a share of the range a second.
static double settle_share(const pm_curve_report *report, double *seconds) {
    double worst = 0.0;
    for (uint32_t k = 1; k + 1 < report->key_count; k++) {
        for (uint32_t c = 0; c < report->component_count; c++) {
            double range = report->key_maximum[c] - report->key_minimum[c];
            double size = fmax(fabs(report->key_minimum[c]), fabs(report->key_maximum[c]));
            double share =
                range > PM_INSPECT_NOISE_SHARE * size ? fabs(report->keys[k].settle_speed[c]) / range : 0.0;
            if (share <= worst) continue;
            worst = share;
            *seconds = report->keys[k].seconds;
        }
    }
    return worst;
}

static bool is_constant(const pm_curve_report *report) {
    for (uint32_t c = 0; c < report->component_count; c++)
        if (report->minimum[c] != report->maximum[c]) return false;
    return true;
}

static void look_at(const site *s, const pm_curve_report *report) {
    const pm_channel *channel = s->channel;
    double begin = (double)channel->times[0], end = (double)channel->times[channel->key_count - 1];
    bool cubic = channel->interpolation == PM_INTERPOLATION_CUBIC;
    if (report->off_grid_count) add(s, PM_FINDING_OFF_GRID, report->off_grid.size, report->off_grid.seconds);
    if (is_constant(report)) return;
    if ((double)s->clip_end - end > least_seconds)
        add(s, PM_FINDING_ENDS_EARLY, (double)s->clip_end - end, end);
    if (begin - (double)s->clip_begin > least_seconds)
        add(s, PM_FINDING_STARTS_LATE, begin - (double)s->clip_begin, begin);
    if (report->overshoot.share > least_share)
        add(s, PM_FINDING_OVERSHOOT, report->overshoot.share, report->overshoot.seconds);
    if (cubic && report->velocity_jump.share > least_speed)
        add(s, PM_FINDING_VELOCITY_JUMP, report->velocity_jump.share, report->velocity_jump.seconds);
    double seconds = 0.0, speed = cubic ? settle_share(report, &seconds) : 0.0;
    if (speed > least_speed) add(s, PM_FINDING_SETTLE, speed, seconds);
    double seam = seam_share(report);
    if (seam > least_share) add(s, PM_FINDING_SEAM, seam, end);
    if (cubic && report->tangents_zero) add(s, PM_FINDING_ZERO_TANGENTS, report->key_count, begin);
}

static void collect_clip(pm_findings *findings, const pm_asset *asset, uint32_t clip) {
    const pm_clip_source *source = &asset->scene->clips[clip];
    site s = {findings, asset->scene->skeleton, NULL, clip, INFINITY, -INFINITY};
    for (uint32_t i = 0; i < source->channel_count; i++) {
        const pm_channel *channel = &source->channels[i];
        if (channel->key_count == 0) continue;
        s.clip_begin = fminf(s.clip_begin, channel->times[0]);
        s.clip_end = fmaxf(s.clip_end, channel->times[channel->key_count - 1]);
    }
    for (uint32_t i = 0; i < source->channel_count; i++) {
        s.channel = &source->channels[i];
        findings->channel_count++;
        findings->key_count += s.channel->key_count;
        pm_curve *curve;
        pm_curve_report *report;
        if (pm_curve_create_from_channel(s.channel, asset->path, source->name, NULL, &curve, NULL)) {
            add(&s, PM_FINDING_REFUSED, s.channel->key_count, 0.0);
            continue;
        }
        if (pm_curve_inspect(curve, findings->frame_rate_hz, NULL, &report))
            exit(pm_complain(PM_EXIT_DATA, "out of memory"));
        look_at(&s, report);
        pm_curve_report_destroy(report);
        pm_curve_destroy(curve);
    }
}

pm_findings pm_findings_collect(const pm_asset *asset, uint32_t first_clip, uint32_t clip_count,
                                double frame_rate_hz) {
    pm_findings findings = {.frame_rate_hz = frame_rate_hz};
    if (!(frame_rate_hz > 0.0))
        findings.frame_rate_hz = pm_findings_guess_rate(asset->scene, first_clip, clip_count);
    for (uint32_t i = 0; i < clip_count; i++) collect_clip(&findings, asset, first_clip + i);
    return findings;
}

void pm_findings_release(pm_findings *findings) {
    for (int kind = 0; kind < PM_FINDING_COUNT; kind++) free(findings->kinds[kind].channel);
    *findings = (pm_findings){0};
}
