// What a host of the runtime library does: a skeleton, a clip, a pose.
#include <posemill/posemill.h>

#include <stdio.h>

static const float times[] = {0, 1};
static const float values[] = {0, 0, 0, 4, 0, 0};

int main(void) {
    pm_node_def node = {
        .name = "root", .parent = PM_NONE, .rest = {{0}, {0, 0, 0, 1}, {1, 1, 1}}, .used = true};
    pm_skeleton_def def = {.node_count = 1, .nodes = &node};
    pm_channel channel = {.path = PM_PATH_TRANSLATION,
                          .interpolation = PM_INTERPOLATION_LINEAR,
                          .component_count = 3,
                          .key_count = 2,
                          .value_count = 2,
                          .times = times,
                          .values = values};
    pm_clip_source source = {.name = "move", .channel_count = 1, .channels = &channel};
    pm_report report = {0};
    pm_skeleton *skeleton = NULL;
    pm_clip *clip = NULL;
    if (pm_skeleton_create(&def, NULL, &skeleton, &report) ||
        pm_clip_compile(&source, skeleton, NULL, NULL, &clip, &report)) {
        fprintf(stderr, "%s\n", report.message);
        return 1;
    }
    static _Alignas(PM_ALIGNMENT) pm_pose_block pose;
    const pm_clip *clips[] = {clip};
    uint32_t clip_index = 0;
    float time_seconds = 0.25f;
    pm_sample_job job = pm_default_sample_job();
    job.kernels = pm_kernels_best();
    job.clips = clips;
    job.clip_count = job.instance_count = 1;
    job.clip_index = &clip_index;
    job.time_seconds = &time_seconds;
    job.poses = &pose;
    job.pose_stride = sizeof pose;
    const char *fault = pm_sample_validate(&job);
    if (fault) {
        fprintf(stderr, "%s\n", fault);
        return 1;
    }
    pm_sample_run(&job, 0, 1);
    float x = pm_pose_get_joint(&pose, 0).translation[0];
    printf("posemill %d.%d.%d, %s: %g\n", PM_VERSION_MAJOR, PM_VERSION_MINOR, PM_VERSION_PATCH,
           pm_kernels_name(job.kernels), (double)x);
    pm_clip_destroy(clip, NULL);
    pm_skeleton_destroy(skeleton);
    return x == 1 ? 0 : 1;
}
