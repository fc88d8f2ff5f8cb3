// Playback, events, root motion and fades.
#include "check.h"
#include "environment.h"
#include "hash.h"
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INSTANCES = 240, PIECE = 7, TICKS = 4 };

// The last one is 30 days at 60 Hz.
static const int64_t ticks[TICKS] = {0, 1, 17, 155520000};

// A crowd on two small clips, with everything that its jobs read and write.
typedef struct play {
    const pm_check *check;
    pm_skeleton *skeleton;
    pm_clip *clips[2];
    pm_motion_split *split;
    const pm_motion *motions[2];
    uint32_t clip_index[INSTANCES];
    pm_playback playbacks[INSTANCES];
    pm_fade fades[INSTANCES];
    _Alignas(64) double phases[2][INSTANCES]; // 32-bit systems align doubles to 4
    float times[INSTANCES], weights[INSTANCES];
    int32_t crossings[INSTANCES];
    pm_motion_delta deltas[INSTANCES];
    pm_event events[4096];
} play;

// One job as work for threads, in a hostile host.
typedef struct play_work {
    play *p;
    const void *job;
    void (*run)(play *p, const void *job, uint32_t begin, uint32_t end);
} play_work;

static void run_hostile(void *context, uint32_t begin, uint32_t end) {
    const play_work *work = context;
    uint64_t mode = pm_check_environment();
    pm_check_set_environment(PM_CHECK_HOSTILE);
    work->run(work->p, work->job, begin, end);
    pm_check_set_environment(mode);
}

static bool share(play *p, const void *job, void (*run)(play *, const void *, uint32_t, uint32_t)) {
    play_work work = {p, job, run};
    return pm_workers_run(p->check->worker_count, run_hostile, &work, INSTANCES, PIECE) ||
           pm_check_complain("cannot start %u threads", (unsigned)p->check->worker_count);
}

static void run_playback(play *p, const void *job, uint32_t begin, uint32_t end) {
    (void)p;
    pm_playback_run(job, begin, end);
}

static void run_fade(play *p, const void *job, uint32_t begin, uint32_t end) {
    (void)p;
    pm_fade_run(job, begin, end);
}

static void run_motion(play *p, const void *job, uint32_t begin, uint32_t end) {
    (void)p;
    pm_motion_run(job, begin, end);
}

enum { KEYS = 9, JOINTS = 20 };

static void random_rotation(pm_random *random, float q[4]) {
    for (int c = 0; c < 4; c++) q[c] = pm_random_signed(random);
    q[3] += 2;
}

// A clip of cubic translations, linear rotations and a scalar; `span` seconds.
static bool make_clip(play *p, uint32_t index, float span) {
    static float times[KEYS], values[JOINTS][3][KEYS][3], rotations[JOINTS][KEYS][4], scalars[KEYS];
    pm_channel channels[2 * JOINTS + 1];
    pm_random random = {11 + index};
    for (uint32_t k = 0; k < KEYS; k++) {
        times[k] = span * (float)k / (KEYS - 1);
        scalars[k] = pm_random_signed(&random);
    }
    for (uint32_t j = 0; j < JOINTS; j++) {
        for (uint32_t k = 0; k < KEYS; k++) {
            for (int row = 0; row < 3; row++)
                for (int c = 0; c < 3; c++) values[j][row][k][c] = pm_random_signed(&random);
            random_rotation(&random, rotations[j][k]);
        }
        channels[2 * j] = (pm_channel){.path = PM_PATH_TRANSLATION,
                                       .interpolation = PM_INTERPOLATION_CUBIC,
                                       .target = j,
                                       .component_count = 3,
                                       .key_count = KEYS,
                                       .value_count = KEYS,
                                       .times = times,
                                       .values = values[j][0][0],
                                       .in_tangents = values[j][1][0],
                                       .out_tangents = values[j][2][0]};
        channels[2 * j + 1] = (pm_channel){.path = PM_PATH_ROTATION,
                                           .interpolation = PM_INTERPOLATION_LINEAR,
                                           .target = j,
                                           .component_count = 4,
                                           .key_count = KEYS,
                                           .value_count = KEYS,
                                           .times = times,
                                           .values = rotations[j][0]};
    }
    channels[2 * JOINTS] = (pm_channel){.path = PM_PATH_SCALAR,
                                        .interpolation = PM_INTERPOLATION_LINEAR,
                                        .component_count = 1,
                                        .key_count = KEYS,
                                        .value_count = KEYS,
                                        .times = times,
                                        .values = scalars};
    pm_clip_source source = {.channel_count = 2 * JOINTS + 1, .channels = channels};
    if (index == 0) {
        if (pm_motion_split_create(&source, p->skeleton, NULL, NULL, &p->split, NULL)) return false;
        p->motions[0] = p->split->motion;
        return !pm_clip_compile(&p->split->source, p->skeleton, NULL, NULL, &p->clips[0], NULL);
    }
    return !pm_additive_compile(&source, p->skeleton, NULL, NULL, &p->clips[1], NULL);
}

static bool make_clips(play *p) {
    pm_node_def nodes[JOINTS] = {{0}};
    const pm_scalar_def scalar = {"weight", PM_NONE, 0.25f};
    for (uint32_t j = 0; j < JOINTS; j++)
        nodes[j] = (pm_node_def){"", j ? j - 1 : PM_NONE, {{0, 1, 0}, {0, 0, 0, 1}, {1, 1, 1}}, true};
    pm_skeleton_def def = {.node_count = JOINTS, .nodes = nodes, .scalar_count = 1, .scalars = &scalar};
    return !pm_skeleton_create(&def, NULL, &p->skeleton, NULL) && make_clip(p, 0, 1.7f) &&
           make_clip(p, 1, 0.6f);
}

static void make_instances(play *p) {
    pm_random random = {314159};
    for (uint32_t i = 0; i < INSTANCES; i++) {
        p->clip_index[i] = pm_random_below(&random, 2);
        p->playbacks[i] = (pm_playback){.start_tick = pm_random_below(&random, 9),
                                        .base_seconds = (double)pm_random_signed(&random) * 4,
                                        .rate = (double)pm_random_signed(&random) * 2,
                                        .mode = (pm_loop_mode)pm_random_below(&random, PM_LOOP_MODE_COUNT),
                                        .loop_count = pm_random_below(&random, 3)};
        pm_easing easing = {.x1 = 0.3, .y1 = 0.1, .x2 = 0.4, .y2 = 1, .coefficients = {0, 1}};
        easing.family = (pm_easing_family)(i % PM_EASING_FAMILY_COUNT);
        easing.direction = (pm_easing_direction)(i % PM_EASING_DIRECTION_COUNT);
        p->fades[i] =
            (pm_fade){.duration_seconds = 0.5, .from = pm_random_signed(&random), .to = 1, .easing = easing};
    }
}

static uint64_t hash_events(play *p, uint64_t hash) {
    static const pm_mark marks[] = {{"start", 0}, {"middle", 0.3f}, {"end", 0.6f}};
    const pm_mark_track tracks[] = {{marks, 3}, {marks, 3}};
    pm_event_job job = pm_default_event_job();
    job.instance_count = INSTANCES;
    job.clips = (const pm_clip *const *)p->clips;
    job.tracks = tracks;
    job.clip_count = 2;
    job.clip_index = p->clip_index;
    job.playbacks = p->playbacks;
    job.from_phases = p->phases[1];
    job.to_phases = p->phases[0];
    uint64_t capacity = sizeof p->events / sizeof p->events[0];
    uint64_t count = pm_event_run(&job, 0, INSTANCES, p->events, capacity);
    hash = pm_check_hash(hash, &count, sizeof count);
    for (uint64_t i = 0; i < count && i < capacity; i++) {
        const uint32_t numbers[] = {p->events[i].instance, p->events[i].mark, p->events[i].backwards};
        hash = pm_check_hash(hash, numbers, sizeof numbers);
        hash = pm_check_hash(hash, &p->events[i].fraction, sizeof p->events[i].fraction);
    }
    return hash;
}

static bool hash_ticks(play *p, uint64_t *hash) {
    pm_playback_job playback = pm_default_playback_job();
    playback.instance_count = INSTANCES;
    playback.tick_seconds = 1.0 / 60;
    playback.clips = (const pm_clip *const *)p->clips;
    playback.clip_count = 2;
    playback.clip_index = p->clip_index;
    playback.playbacks = p->playbacks;
    playback.previous_phases = p->phases[1];
    playback.time_seconds = p->times;
    playback.phases = p->phases[0];
    playback.crossings = p->crossings;
    pm_motion_job motion = pm_default_motion_job();
    motion.instance_count = INSTANCES;
    motion.clips = playback.clips;
    motion.motions = p->motions;
    motion.clip_count = 2;
    motion.clip_index = p->clip_index;
    motion.playbacks = p->playbacks;
    motion.from_phases = p->phases[1];
    motion.to_phases = p->phases[0];
    motion.deltas = p->deltas;
    pm_fade_job fade = pm_default_fade_job();
    fade.instance_count = INSTANCES;
    fade.tick_seconds = 1.0 / 60;
    fade.fades = p->fades;
    fade.weights = p->weights;
    const char *fault = pm_playback_validate(&playback);
    if (!fault) fault = pm_motion_validate(&motion);
    if (!fault) fault = pm_fade_validate(&fade);
    if (fault) return pm_check_complain("play: %s", fault);
    for (int t = 0; t < TICKS; t++) {
        playback.tick = fade.tick = ticks[t];
        memcpy(p->phases[1], p->phases[0], sizeof p->phases[0]);
        if (!share(p, &playback, run_playback) || !share(p, &motion, run_motion) ||
            !share(p, &fade, run_fade))
            return false;
        *hash = pm_check_hash(*hash, p->times, sizeof p->times);
        *hash = pm_check_hash(*hash, p->phases[0], sizeof p->phases[0]);
        *hash = pm_check_hash(*hash, p->crossings, sizeof p->crossings);
        *hash = pm_check_hash(*hash, p->deltas, sizeof p->deltas);
        *hash = pm_check_hash(*hash, p->weights, sizeof p->weights);
        *hash = hash_events(p, *hash);
    }
    *hash = pm_check_hash(*hash, p->split->motion, p->split->motion_size);
    return true;
}

static bool check_play(play *p, uint64_t *hash) {
    if (!make_clips(p)) return pm_check_complain("play: the clips cannot be made");
    make_instances(p);
    if (!hash_ticks(p, hash)) return false;
    pm_check_print("play", "-", true, *hash, "clip times, events, root motion, fades");
    return true;
}

bool pm_check_play(const pm_check *check, uint64_t *hash) {
    size_t size = (sizeof(play) / PM_ALIGNMENT + 1) * PM_ALIGNMENT;
    char *memory = calloc(1, size + PM_ALIGNMENT);
    if (!memory) return pm_check_complain("out of memory");
    play *p = (play *)(memory + (PM_ALIGNMENT - (uintptr_t)memory % PM_ALIGNMENT));
    p->check = check;
    bool ok = check_play(p, hash);
    for (int i = 0; i < 2; i++) pm_clip_destroy(p->clips[i], NULL);
    pm_motion_split_destroy(p->split);
    pm_skeleton_destroy(p->skeleton);
    free(memory);
    return ok;
}
