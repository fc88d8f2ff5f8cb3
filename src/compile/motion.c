#include "motion_format.h"

#include "environment.h"
#include "maths.h"
#include "repair.h"

#include <math.h>
#include <string.h>

enum { OPTIONS_COOKIE = 0x506d4f31 };

// A segment is halved at most so often: a curve that still does not fit has a jump.
enum { DEPTH_LIMIT = 12 };

pm_motion_options pm_default_motion_options(void) {
    return (pm_motion_options){
        .cookie = OPTIONS_COOKIE,
        .axes = {true, false, true},
        .turn = true,
        .up_axis = 1,
        .tolerance_radians = 1e-4,
        .tolerance = 1e-4,
    };
}

// One instant of the split, with slopes a second. Motion is x, y, z, turn.
typedef struct instant {
    double motion[4], motion_slope[4];
    double rotation[4], rotation_slope[4]; // what remains in the pose
} instant;

typedef struct split_key {
    float time;
    instant before, behind; // seen from both sides
} split_key;

// A split with everything that belongs to it: the arena holds this very struct.
typedef struct split_memory {
    pm_motion_split split; // first, so that a pointer to it is one to this
    pm_arena arena;
} split_memory;

// The work on one split.
typedef struct splitting {
    pm_compilation compilation;
    const pm_motion_options *options;
    uint32_t channel_of[2]; // translation and rotation among the source's, or PM_NONE
    const pm_lane *lane[2]; // NULL without a channel
    pm_transform rest;
    double start[3];   // translation at clip time 0
    double start_turn; // twist at clip time 0
    double last_turn;  // twist where it was asked for last, for going on without a jump
    split_key *keys;
    uint32_t key_count, key_capacity;
} splitting;

// The last key at or before a time, or 0.
static uint32_t key_before(const pm_lane *lane, double time) {
    uint32_t low = 0, n = lane->key_count;
    while (n > 1) {
        uint32_t half = n / 2;
        low = (double)lane->times[low + half] <= time ? low + half : low;
        n -= half;
    }
    return low;
}

// Value and slope of a lane in the segment that holds [begin, ...], at a time that may be that segment's end.
static void lane_at(const pm_lane *lane, double begin, double time, double value[4], double slope[4]) {
    uint32_t n = lane->components, last = lane->key_count - 1, k = key_before(lane, begin);
    memset(slope, 0, 4 * sizeof *slope);
    const double *a = lane->values + (size_t)k * n, *b = a + n;
    memcpy(value, a, n * sizeof *value);
    if (begin < (double)lane->times[0] || k == last || lane->interpolation == PM_INTERPOLATION_STEP) return;
    double duration = (double)lane->times[k + 1] - (double)lane->times[k];
    double u = (time - (double)lane->times[k]) / duration;
    if (lane->interpolation == PM_INTERPOLATION_CUBIC) {
        const double *out = lane->out + (size_t)k * n, *in = lane->in + (size_t)(k + 1) * n;
        double left = 1 - u, w1 = u * left * left, w2 = u * u * (3 - 2 * u), w3 = u * u * (u - 1);
        double d1 = left * (1 - 3 * u), d2 = 6 * u * left, d3 = u * (3 * u - 2);
        for (uint32_t c = 0; c < n; c++) {
            value[c] = a[c] + w2 * (b[c] - a[c]) + duration * (w1 * out[c] + w3 * in[c]);
            slope[c] = d2 * (b[c] - a[c]) / duration + d1 * out[c] + d3 * in[c];
        }
    } else if (n == 4) {
        // Slerp's speed is the whole angle over the duration, at right angles to q towards b.
        double half_tangent, angle = 2 * pm_half_angle(a, b, &half_tangent);
        pm_slerp(a, b, u, value);
        if (angle < 1e-9) return;
        double sine = pm_sin(angle);
        double from = pm_cos((1 - u) * angle), to = pm_cos(u * angle);
        for (uint32_t c = 0; c < 4; c++)
            slope[c] = sine > 1e-9 ? angle * (to * b[c] - from * a[c]) / (sine * duration) : 0;
    } else {
        for (uint32_t c = 0; c < n; c++) {
            value[c] = a[c] + u * (b[c] - a[c]);
            slope[c] = (b[c] - a[c]) / duration;
        }
    }
}

static void translation_at(const splitting *s, double begin, double time, double value[4], double slope[4]) {
    memset(slope, 0, 4 * sizeof *slope);
    for (int c = 0; c < 3; c++) value[c] = (double)s->rest.translation[c];
    if (s->lane[0]) lane_at(s->lane[0], begin, time, value, slope);
}

// Unit, with its slope.
static void rotation_at(const splitting *s, double begin, double time, double q[4], double slope[4]) {
    memset(slope, 0, 4 * sizeof *slope);
    for (int c = 0; c < 4; c++) q[c] = (double)s->rest.rotation[c];
    if (!s->lane[1]) return;
    lane_at(s->lane[1], begin, time, q, slope);
    double length2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], along = 0;
    if (!(length2 > 1e-30)) { // the pose shows rest there, too
        for (int c = 0; c < 4; c++) q[c] = (double)s->rest.rotation[c];
        memset(slope, 0, 4 * sizeof *slope);
        return;
    }
    double length = sqrt(length2);
    for (int c = 0; c < 4; c++) q[c] /= length;
    for (int c = 0; c < 4; c++) along += q[c] * slope[c] / length;
    for (int c = 0; c < 4; c++) slope[c] = slope[c] / length - along * q[c];
}

// The turn about the up axis in q = turn * swing, as near to `near` as whole turns bring it.
static double twist_of(const double q[4], uint32_t up, double near) {
    if (q[up] * q[up] + q[3] * q[3] < 1e-24) return near; // upside down: any turn would do
    double turn = 2 * pm_atan2(q[up], q[3]);
    return turn - 2 * PM_PI * floor((turn - near) / (2 * PM_PI) + 0.5);
}

// r = q turned by `turn` about the up axis, from the left.
static void turn_left(uint32_t up, double turn, const double q[4], double r[4]) {
    uint32_t a = (up + 1) % 3, b = (up + 2) % 3;
    double s = pm_sin(0.5 * turn), c = pm_cos(0.5 * turn);
    double result[4];
    result[3] = c * q[3] - s * q[up];
    result[up] = c * q[up] + s * q[3];
    result[a] = c * q[a] - s * q[b];
    result[b] = c * q[b] + s * q[a];
    memcpy(r, result, sizeof result);
}

static void rotate(uint32_t up, double turn, const double vector[3], double result[3]) {
    uint32_t a = (up + 1) % 3, b = (up + 2) % 3;
    double s = pm_sin(turn), c = pm_cos(turn), x = vector[a], y = vector[b];
    result[up] = vector[up];
    result[a] = c * x - s * y;
    result[b] = s * x + c * y;
}

// The split at a time, in the segment that begins at `begin`.
static instant split_at(splitting *s, double begin, double time) {
    const pm_motion_options *options = s->options;
    uint32_t up = options->up_axis, a = (up + 1) % 3, b = (up + 2) % 3;
    double t[4], t_slope[4], q[4], q_slope[4], turned[3], turned_slope[3];
    translation_at(s, begin, time, t, t_slope);
    rotation_at(s, begin, time, q, q_slope);
    instant at = {{0}, {0}, {0}, {0}};
    double rate = 0;
    if (options->turn) {
        s->last_turn = twist_of(q, up, s->last_turn);
        at.motion[3] = s->last_turn - s->start_turn;
        double size2 = q[up] * q[up] + q[3] * q[3];
        if (size2 > 1e-12) rate = 2 * (q[3] * q_slope[up] - q[up] * q_slope[3]) / size2;
        at.motion_slope[3] = rate;
    }
    // R = M^-1 L: its rotation, and that of its slope without the turn's share (rate / 2 * up * q).
    double share[4];
    share[3] = q_slope[3] + 0.5 * rate * q[up];
    share[up] = q_slope[up] - 0.5 * rate * q[3];
    share[a] = q_slope[a] + 0.5 * rate * q[b];
    share[b] = q_slope[b] - 0.5 * rate * q[a];
    turn_left(up, -at.motion[3], q, at.rotation);
    turn_left(up, -at.motion[3], share, at.rotation_slope);
    // M's translation is what takes the turned remainder to where the joint is.
    double kept[3], kept_slope[3];
    for (int c = 0; c < 3; c++) {
        kept[c] = options->axes[c] ? s->start[c] : t[c];
        kept_slope[c] = options->axes[c] ? 0 : t_slope[c];
    }
    rotate(up, at.motion[3], kept, turned);
    rotate(up, at.motion[3], kept_slope, turned_slope);
    for (int c = 0; c < 3; c++) {
        at.motion[c] = t[c] - turned[c];
        at.motion_slope[c] = t_slope[c] - turned_slope[c];
    }
    at.motion_slope[a] += rate * turned[b];
    at.motion_slope[b] -= rate * turned[a];
    return at;
}

static double hermite(double a, double out, double b, double in, double u, double duration) {
    double left = 1 - u;
    return a + u * u * (3 - 2 * u) * (b - a) + duration * (u * left * left * out + u * u * (u - 1) * in);
}

// Whether the cubics between two instants meet the split between them.
static bool fits(splitting *s, float begin, const instant *a, float end, const instant *b) {
    double duration = (double)end - (double)begin;
    for (int i = 1; i <= 3; i++) {
        double u = 0.25 * i, q[4], length2 = 0, chord2 = 0, dot = 0;
        instant exact = split_at(s, (double)begin, (double)begin + u * duration);
        for (int c = 0; c < 4; c++) {
            double value =
                hermite(a->motion[c], a->motion_slope[c], b->motion[c], b->motion_slope[c], u, duration);
            double limit = c < 3 ? s->options->tolerance : 0.5 * s->options->tolerance_radians;
            if (!(fabs(value - exact.motion[c]) <= limit)) return false;
            q[c] = hermite(a->rotation[c], a->rotation_slope[c], b->rotation[c], b->rotation_slope[c], u,
                           duration);
            length2 += q[c] * q[c];
            dot += q[c] * exact.rotation[c];
        }
        for (int c = 0; c < 4; c++) {
            double difference = q[c] / sqrt(length2) - (dot < 0 ? -exact.rotation[c] : exact.rotation[c]);
            chord2 += difference * difference;
        }
        // The chord between quaternions is half the angle between rotations.
        if (!(2 * sqrt(chord2) <= 0.5 * s->options->tolerance_radians)) return false;
    }
    return true;
}

static bool add_key(splitting *s, float time, const instant *before, const instant *behind) {
    if (s->key_count == s->key_capacity) {
        uint32_t capacity = s->key_capacity ? 2 * s->key_capacity : 64;
        split_key *keys = pm_arena_allocate(&s->compilation.arena, capacity, sizeof *keys);
        if (!keys) return false;
        if (s->key_count) memcpy(keys, s->keys, s->key_count * sizeof *keys);
        s->keys = keys;
        s->key_capacity = capacity;
    }
    s->keys[s->key_count++] = (split_key){time, *before, *behind};
    return true;
}

// Adds the keys inside of a segment whose ends are known.
static bool refine(splitting *s, float begin, const instant *a, float end, const instant *b, int depth) {
    float middle = (float)(0.5 * ((double)begin + (double)end));
    s->last_turn = a->motion[3] + s->start_turn;
    if (depth == DEPTH_LIMIT || middle <= begin || middle >= end || fits(s, begin, a, end, b)) return true;
    s->last_turn = a->motion[3] + s->start_turn;
    instant at = split_at(s, (double)begin, (double)middle);
    return refine(s, begin, a, middle, &at, depth + 1) && add_key(s, middle, &at, &at) &&
           refine(s, middle, &at, end, b, depth + 1);
}

static bool jumps(const instant *before, const instant *behind) {
    double worst = 0;
    for (int c = 0; c < 4; c++) {
        worst = fmax(worst, fabs(before->motion[c] - behind->motion[c]));
        worst = fmax(worst, fabs(before->rotation[c] - behind->rotation[c]));
    }
    return worst > 1e-9;
}

// The earliest key time of both lanes behind `time`; infinite if there is none.
static float next_time(const splitting *s, float time) {
    float next = INFINITY;
    for (int i = 0; i < 2; i++) {
        const pm_lane *lane = s->lane[i];
        if (!lane) continue;
        uint32_t k = key_before(lane, (double)time);
        k += lane->times[k] <= time;
        if (k < lane->key_count && lane->times[k] < next) next = lane->times[k];
    }
    return next;
}

// Keys where the lanes have theirs, and as many in between as it takes. Where a lane jumps, the key before
// the jump stands at the float before its time.
static bool make_keys(splitting *s) {
    float begin = next_time(s, -INFINITY);
    if (isinf(begin)) begin = 0;
    instant a = split_at(s, (double)begin, (double)begin);
    bool sound = add_key(s, begin, &a, &a);
    for (float end = next_time(s, begin); sound && !isinf(end); end = next_time(s, begin)) {
        s->last_turn = a.motion[3] + s->start_turn;
        instant b, behind;
        for (int i = 1; i <= 8; i++)
            b = split_at(s, (double)begin, (double)begin + ((double)end - (double)begin) * i / 8);
        behind = split_at(s, (double)end, (double)end);
        bool jump = jumps(&b, &behind);
        float arrival = jump ? nextafterf(end, -INFINITY) : end;
        sound = refine(s, begin, &a, arrival, &b, 0);
        if (jump) {
            instant still = behind;
            memset(still.motion_slope, 0, sizeof still.motion_slope);
            memset(still.rotation_slope, 0, sizeof still.rotation_slope);
            if (arrival > begin) sound = sound && add_key(s, arrival, &b, &b);
            sound = sound && add_key(s, end, &still, &behind);
        } else {
            sound = sound && add_key(s, end, &b, &behind);
        }
        a = behind;
        begin = end;
    }
    return sound;
}

static pm_motion *write_motion(splitting *s, size_t *size) {
    const size_t times = sizeof(pm_motion), keys = (size_t)pm_align(times + s->key_count * sizeof(float));
    *size = (size_t)pm_align(keys + s->key_count * sizeof(pm_motion_key));
    char *bytes = pm_arena_allocate(&s->compilation.arena, 1, *size);
    if (!bytes) return NULL;
    *(pm_motion *)bytes = (pm_motion){.magic = PM_MOTION_MAGIC,
                                      .version = PM_MOTION_VERSION,
                                      .size = *size,
                                      .key_count = s->key_count,
                                      .up_axis = s->options->up_axis,
                                      .times_offset = times,
                                      .keys_offset = keys};
    for (uint32_t k = 0; k < s->key_count; k++) {
        pm_motion_key *key = (pm_motion_key *)(bytes + keys) + k;
        ((float *)(bytes + times))[k] = s->keys[k].time;
        for (int c = 0; c < 4; c++) {
            key->value[c] = (float)s->keys[k].behind.motion[c];
            key->in[c] = (float)s->keys[k].before.motion_slope[c];
            key->out[c] = (float)s->keys[k].behind.motion_slope[c];
        }
    }
    return (pm_motion *)bytes;
}

// The translation's channel with the chosen axes held at their start: the other axes are as they were.
static bool hold_translation(splitting *s, pm_channel *channel) {
    const pm_lane *lane = s->lane[0];
    size_t count = (size_t)lane->key_count * 3;
    bool cubic = lane->interpolation == PM_INTERPOLATION_CUBIC;
    float *values = pm_arena_allocate(&s->compilation.arena, 3 * count, sizeof *values);
    if (!values) return false;
    for (size_t i = 0; i < count; i++) {
        bool held = s->options->axes[i % 3];
        values[i] = (float)(held ? s->start[i % 3] : lane->values[i]);
        if (!cubic) continue;
        values[count + i] = held ? 0 : (float)lane->in[i];
        values[2 * count + i] = held ? 0 : (float)lane->out[i];
    }
    channel->key_count = channel->value_count = lane->key_count;
    channel->times = lane->times;
    channel->values = values;
    channel->in_tangents = cubic ? values + count : NULL;
    channel->out_tangents = cubic ? values + 2 * count : NULL;
    return true;
}

// The rotation's channel without its turn.
static bool unwind_rotation(splitting *s, pm_channel *channel) {
    size_t count = (size_t)s->key_count * 4;
    float *values = pm_arena_allocate(&s->compilation.arena, 3 * count, sizeof *values);
    float *times = pm_arena_allocate(&s->compilation.arena, s->key_count, sizeof *times);
    if (!values || !times) return false;
    for (uint32_t k = 0; k < s->key_count; k++) {
        times[k] = s->keys[k].time;
        for (size_t c = 0; c < 4; c++) {
            values[4 * k + c] = (float)s->keys[k].behind.rotation[c];
            values[count + 4 * k + c] = (float)s->keys[k].before.rotation_slope[c];
            values[2 * count + 4 * k + c] = (float)s->keys[k].behind.rotation_slope[c];
        }
    }
    channel->interpolation = PM_INTERPOLATION_CUBIC;
    channel->key_count = channel->value_count = s->key_count;
    channel->times = times;
    channel->values = values;
    channel->in_tangents = values + count;
    channel->out_tangents = values + 2 * count;
    return true;
}

static pm_result find_lanes(splitting *s) {
    const pm_clip_source *source = s->compilation.source;
    for (uint32_t path = 0; path < 2; path++) {
        s->channel_of[path] = PM_NONE;
        // Without the turn the rotation stays in the pose, whatever it does.
        if (path == PM_PATH_ROTATION && !s->options->turn) break;
        for (uint32_t i = source->channel_count; i-- > 0;)
            if (source->channels[i].path == (pm_path)path && source->channels[i].target == s->options->joint)
                s->channel_of[path] = i;
        if (s->channel_of[path] == PM_NONE) continue;
        const pm_channel *channel = source->channels + s->channel_of[path];
        const char *name = channel->name ? channel->name : s->compilation.skeleton->names[s->options->joint];
        pm_place place = {source->file, source->name ? source->name : "", name, PM_NONE};
        if (channel->easing || channel->cadence_hz > 0)
            return pm_fail(s->compilation.report, PM_ERROR_UNSUPPORTED, PM_FAULT_ARGUMENT, place,
                           "its motion cannot be taken out: it has an easing or a cadence");
        pm_lane *lane;
        pm_result result = pm_repair_channel(&s->compilation, channel, name, &lane);
        if (result) return result;
        if (!lane) s->channel_of[path] = PM_NONE; // compile drops it, too
        s->lane[path] = lane;
    }
    return PM_OK;
}

static pm_result make_split(splitting *s, pm_motion_split *split) {
    pm_result result = find_lanes(s);
    if (result) return result;
    double value[4], slope[4];
    s->rest = pm_pose_get_joint(s->compilation.skeleton->rest, s->options->joint);
    translation_at(s, 0, 0, value, slope);
    memcpy(s->start, value, sizeof s->start);
    rotation_at(s, 0, 0, value, slope);
    // The first key's twist is where the motion's counting of turns begins; time 0 may lie behind it.
    s->start_turn = s->last_turn = s->options->turn ? twist_of(value, s->options->up_axis, 0) : 0;

    const pm_clip_source *source = s->compilation.source;
    pm_channel *channels = pm_arena_allocate(&s->compilation.arena, source->channel_count, sizeof *channels);
    bool sound = channels && make_keys(s);
    if (sound) {
        split->motion = write_motion(s, &split->motion_size);
        sound = split->motion != NULL;
    }
    if (sound && source->channel_count)
        memcpy(channels, source->channels, source->channel_count * sizeof *channels);
    if (sound && s->lane[0]) sound = hold_translation(s, channels + s->channel_of[0]);
    if (sound && s->lane[1]) sound = unwind_rotation(s, channels + s->channel_of[1]);
    if (!sound) return pm_fail_memory(s->compilation.report, "a clip's motion");
    split->source = *source;
    split->source.channels = channels;
    return PM_OK;
}

static const char *check_options(const pm_motion_options *options, const pm_skeleton *skeleton) {
    if (options->cookie != OPTIONS_COOKIE)
        return "the motion options were not made by pm_default_motion_options";
    if (options->joint >= skeleton->joint_count) return "the joint of the motion does not exist";
    if (options->up_axis > 2) return "up_axis is not 0, 1 or 2";
    if (!(options->tolerance > 0) || !(options->tolerance_radians > 0)) return "a tolerance is not above 0";
    return NULL;
}

pm_result pm_motion_split_create(const pm_clip_source *source, const pm_skeleton *skeleton,
                                 const pm_motion_options *options, const pm_allocator *allocator,
                                 pm_motion_split **split, pm_report *report) {
    pm_motion_options defaults = pm_default_motion_options();
    *split = NULL;
    if (!options) options = &defaults;
    const char *fault = check_options(options, skeleton);
    pm_place place = {source->file, source->name, NULL, PM_NONE};
    if (fault) return pm_fail(report, PM_ERROR_ARGUMENT, PM_FAULT_ARGUMENT, place, "%s", fault);
    splitting s = {.compilation = {source,
                                   skeleton,
                                   PM_POLICY_REPAIR,
                                   report,
                                   {pm_allocator_or_default(allocator), NULL}},
                   .options = options};
    split_memory *made = pm_arena_allocate(&s.compilation.arena, 1, sizeof *made);
    if (!made) return pm_fail_memory(report, "a clip's motion");
    pm_environment environment = pm_environment_enter();
    pm_result result = make_split(&s, &made->split);
    pm_environment_leave(&environment);
    if (result) {
        pm_arena_release(&s.compilation.arena);
        return result;
    }
    made->arena = s.compilation.arena;
    *split = &made->split;
    return PM_OK;
}

void pm_motion_split_destroy(pm_motion_split *split) {
    if (!split) return;
    pm_arena arena = ((split_memory *)split)->arena; // the arena's memory holds the struct itself
    pm_arena_release(&arena);
}
