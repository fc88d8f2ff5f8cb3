#include "plan.h"

#include "environment.h"
#include "repair.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { COMPILE_COOKIE = 0x506d4331, LANES = PM_BLOCK_LANES };

pm_compile_options pm_default_compile_options(void) {
    return (pm_compile_options){.cookie = COMPILE_COOKIE,
                                .policy = PM_POLICY_REPAIR,
                                .merge_growth_limit = PM_MERGE_GROWTH_LIMIT,
                                .key_bits = 32};
}

// The place of a target among all: joints' paths, then scalars.
static size_t target_slot(const pm_skeleton *skeleton, const pm_channel *channel) {
    if (channel->path == PM_PATH_SCALAR)
        return (size_t)skeleton->joint_count * PM_JOINT_PATHS + channel->target;
    return (size_t)channel->target * PM_JOINT_PATHS + (size_t)channel->path;
}

static const char *name_channel(const pm_skeleton *skeleton, const pm_channel *channel, char *buffer,
                                size_t size) {
    if (channel->name) return channel->name;
    bool scalar = channel->path == PM_PATH_SCALAR;
    const char *const *names = scalar ? skeleton->scalar_names : skeleton->names;
    const char *target = channel->target < (scalar ? skeleton->scalar_count : skeleton->joint_count)
                             ? names[channel->target]
                             : "";
    const char *format = scalar ? "%.200s" : "%.200s.%s";
    if (target[0]) {
        snprintf(buffer, size, format, target, pm_path_name(channel->path));
    } else {
        snprintf(buffer, size, "%s %u.%s", scalar ? "scalar" : "joint", (unsigned)channel->target,
                 pm_path_name(channel->path));
    }
    return buffer;
}

// Repairs one channel into its slot of `lanes`.
static pm_result take_channel(pm_compilation *compilation, const pm_channel *channel, const pm_lane **lanes) {
    const pm_skeleton *skeleton = compilation->skeleton;
    char buffer[256];
    const char *name = name_channel(skeleton, channel, buffer, sizeof buffer);
    uint32_t targets = channel->path == PM_PATH_SCALAR ? skeleton->scalar_count : skeleton->joint_count;
    if ((unsigned)channel->path >= PM_PATH_COUNT || channel->target >= targets)
        return pm_compilation_fault(compilation, PM_SEVERITY_DROPPED, PM_FAULT_TARGET_MISSING, name, PM_NONE,
                                    "its target does not exist; channel dropped");
    const pm_lane **slot = lanes + target_slot(skeleton, channel);
    if (*slot)
        return pm_compilation_fault(compilation, PM_SEVERITY_DROPPED, PM_FAULT_TARGET_DUPLICATE, name,
                                    PM_NONE, "an earlier channel has the same target; channel dropped");
    pm_lane *lane;
    pm_result result = pm_repair_channel(compilation, channel, name, &lane);
    *slot = lane;
    return result;
}

static pm_result take_channels(pm_compilation *compilation, pm_clip_plan *plan, const pm_lane **lanes) {
    const pm_clip_source *source = compilation->source;
    const pm_skeleton *skeleton = compilation->skeleton;
    for (uint32_t i = 0; i < source->channel_count; i++) {
        pm_result result = take_channel(compilation, source->channels + i, lanes);
        if (result) return result;
    }
    size_t slots = (size_t)skeleton->joint_count * PM_JOINT_PATHS + skeleton->scalar_count;
    for (size_t i = 0; i < slots; i++) {
        if (!lanes[i]) continue;
        plan->header.channel_count++;
        if (lanes[i]->end_seconds > plan->header.duration_seconds)
            plan->header.duration_seconds = lanes[i]->end_seconds;
    }
    if (!plan->header.channel_count)
        return pm_compilation_fault(compilation, PM_SEVERITY_NOTE, PM_FAULT_CLIP_EMPTY, NULL, PM_NONE,
                                    "it has no channel that can be used; it shows the rest pose");
    return PM_OK;
}

// `lanes` is the path's lane of the first target; the next target's is `stride` further.
static void add_track(pm_clip_plan *plan, uint32_t path, uint32_t block, const pm_lane *const *lanes,
                      uint32_t stride) {
    bool scalar = path == PM_PATH_SCALAR;
    uint32_t targets = scalar ? plan->header.scalar_count : plan->header.joint_count;
    uint64_t offset = pm_track_output_offset(path, block);
    pm_plan_track *track = plan->tracks + plan->header.track_count++;
    track->record.path = (uint8_t)path;
    track->record.block = block;
    track->rest =
        (const float *)((scalar ? (const char *)plan->scalar_rest : (const char *)plan->rest) + offset);
    for (uint32_t target = block * LANES; target < targets && target < (block + 1) * LANES; target++)
        track->lanes[target % LANES] = lanes[(size_t)target * stride];
}

// Settles kind, timeline and mode of a track from its lanes.
static bool classify_track(pm_clip_plan *plan, pm_plan_track *track, float growth_limit) {
    pm_track *record = &track->record;
    bool moves = false;
    for (uint32_t i = 0; i < LANES; i++) moves = moves || pm_lane_moves(track->lanes[i]);
    record->kind = PM_TRACK_CONSTANT;
    record->mode = PM_TRACK_STEP;
    record->timeline = PM_NONE;
    if (moves) {
        if (!pm_plan_find_timeline(plan, track, growth_limit)) return false;
        record->mode = (uint8_t)pm_plan_find_mode(plan, track);
    }
    return true;
}

static bool lay_out_tracks(pm_clip_plan *plan, const pm_lane *const *lanes, float growth_limit) {
    struct pm_clip *header = &plan->header;
    uint32_t blocks = pm_block_count(header->joint_count),
             scalar_blocks = pm_block_count(header->scalar_count);
    size_t count = (size_t)blocks * PM_JOINT_PATHS + scalar_blocks;
    plan->tracks = pm_arena_allocate(&plan->arena, count, sizeof *plan->tracks);
    plan->timelines = pm_arena_allocate(&plan->arena, count, sizeof *plan->timelines);
    plan->bundles = pm_arena_allocate(&plan->arena, count, sizeof *plan->bundles);
    if (!plan->tracks || !plan->timelines || !plan->bundles) return false;
    for (uint32_t block = 0; block < blocks; block++)
        for (uint32_t path = 0; path < PM_JOINT_PATHS; path++)
            add_track(plan, path, block, lanes + path, PM_JOINT_PATHS);
    const pm_lane *const *scalar_lanes = lanes + (size_t)header->joint_count * PM_JOINT_PATHS;
    for (uint32_t block = 0; block < scalar_blocks; block++)
        add_track(plan, PM_PATH_SCALAR, block, scalar_lanes, 1);
    for (uint32_t i = 0; i < header->track_count; i++)
        if (!classify_track(plan, plan->tracks + i, growth_limit)) return false;
    return true;
}

// Takes `bytes` at the end of the clip, so far, and returns where they are.
static uint64_t take(struct pm_clip *header, uint64_t bytes) {
    uint64_t offset = header->size;
    header->size += pm_align(bytes);
    return offset;
}

// Masks, packings, and the keys of constant and mixed tracks, which lie by themselves.
static void place_track(pm_clip_plan *plan, pm_plan_track *track) {
    pm_track *record = &track->record;
    const uint64_t mask_bytes = pm_track_mask_rows(record) * LANES * sizeof(uint32_t);
    if (mask_bytes) record->masks_offset = take(&plan->header, mask_bytes);
    if (track->packing) record->packing_offset = take(&plan->header, pm_track_packing_bytes(record));
    if (record->kind == PM_TRACK_MIXED) {
        record->key_bytes = pm_record_bytes(pm_record_floats(record->path, record->mode));
        const uint64_t count = plan->bundles[record->timeline].segment_count;
        record->keys_offset = take(&plan->header, count * record->key_bytes);
    } else if (record->kind == PM_TRACK_CONSTANT) {
        record->key_bytes = pm_track_own_bytes(record);
        record->keys_offset = take(&plan->header, record->key_bytes);
    }
}

// Gives shared tracks their place in their timelines' frames.
static void place_in_frames(pm_clip_plan *plan, bool packed) {
    for (uint32_t i = 0; i < plan->header.track_count; i++) {
        pm_track *record = &plan->tracks[i].record;
        if (record->kind != PM_TRACK_SHARED || (record->packing_offset != 0) != packed) continue;
        pm_timeline *timeline = &plan->timelines[record->timeline].record;
        record->keys_offset = timeline->frame_bytes;
        timeline->frame_bytes += pm_track_own_bytes(record);
    }
}

static void place_all_keys(pm_clip_plan *plan) {
    for (uint32_t i = 0; i < plan->header.track_count; i++) place_track(plan, plan->tracks + i);
    // Floats first, as rows of packed keys need but half their alignment.
    place_in_frames(plan, false);
    place_in_frames(plan, true);
    for (uint32_t i = 0; i < plan->header.timeline_count; i++) {
        pm_plan_timeline *timeline = plan->timelines + i;
        const uint64_t count = (uint64_t)timeline->record.key_count + 1;
        timeline->record.frame_bytes = pm_align(timeline->record.frame_bytes);
        timeline->frames_offset = take(&plan->header, count * timeline->record.frame_bytes);
    }
    for (uint32_t i = 0; i < plan->header.track_count; i++) {
        pm_track *record = &plan->tracks[i].record;
        if (record->kind != PM_TRACK_SHARED) continue;
        record->key_bytes = plan->timelines[record->timeline].record.frame_bytes;
        record->keys_offset += plan->timelines[record->timeline].frames_offset;
    }
}

static void place_sections(pm_clip_plan *plan) {
    struct pm_clip *header = &plan->header;
    header->size = 0;
    take(header, sizeof *header);
    header->tracks_offset = take(header, header->track_count * sizeof(pm_track));
    header->timelines_offset = take(header, header->timeline_count * sizeof(pm_timeline));
    header->bundles_offset = take(header, header->bundle_count * sizeof(pm_bundle));
    header->rest_offset = take(header, pm_block_count(header->joint_count) * sizeof(pm_pose_block));
    header->scalar_rest_offset = take(header, pm_block_count(header->scalar_count) * LANES * sizeof(float));
    for (uint32_t i = 0; i < header->timeline_count; i++) {
        const pm_plan_timeline *timeline = plan->timelines + i;
        pm_timeline *record = &plan->timelines[i].record;
        record->times_offset = take(header, pm_padded_time_count(record->key_count) * sizeof(float));
        if (timeline->easing)
            record->easing_offset = take(header, record->key_count * sizeof(pm_easing_record));
    }
    for (uint32_t i = 0; i < header->bundle_count; i++) {
        const pm_plan_bundle *bundle = plan->bundles + i;
        pm_bundle *record = &plan->bundles[i].record;
        record->times_offset = take(header, bundle->time_count * sizeof(float));
        if (bundle->has_easing)
            record->easing_offset = take(header, bundle->segment_count * sizeof(pm_easing_record));
    }
    place_all_keys(plan);
    header->name_offset = take(header, (uint64_t)header->name_size + 1);
}

static bool copy_skeleton(pm_clip_plan *plan, const pm_skeleton *skeleton) {
    struct pm_clip *header = &plan->header;
    header->joint_count = skeleton->joint_count;
    header->scalar_count = skeleton->scalar_count;
    size_t scalars = (size_t)pm_block_count(skeleton->scalar_count) * LANES;
    plan->rest = pm_arena_allocate(&plan->arena, skeleton->block_count, sizeof *plan->rest);
    plan->scalar_rest = pm_arena_allocate(&plan->arena, scalars, sizeof *plan->scalar_rest);
    if (!plan->rest || !plan->scalar_rest) return false;
    if (skeleton->block_count) memcpy(plan->rest, skeleton->rest, skeleton->block_count * sizeof *plan->rest);
    if (scalars) memcpy(plan->scalar_rest, skeleton->scalar_rest, scalars * sizeof *plan->scalar_rest);
    return true;
}

static bool copy_name(pm_clip_plan *plan, const char *name) {
    size_t length = name ? strlen(name) : 0;
    if (length > UINT16_MAX) length = UINT16_MAX; // no tool shows more
    plan->header.name_size = (uint32_t)length;
    plan->name = pm_arena_copy_text(&plan->arena, name ? name : "", length);
    return plan->name != NULL;
}

// The plan's arena serves the compilation, too, and goes back to the plan whatever happens.
static pm_result make_plan(pm_clip_plan *plan, pm_compilation *compilation,
                           const pm_compile_options *options) {
    const pm_skeleton *skeleton = compilation->skeleton;
    size_t slots = (size_t)skeleton->joint_count * PM_JOINT_PATHS + skeleton->scalar_count;
    const pm_lane **lanes = pm_arena_allocate(&compilation->arena, slots, sizeof *lanes);
    if (!lanes) return pm_fail_memory(compilation->report, "a clip's channels");
    pm_result result = take_channels(compilation, plan, lanes);
    plan->arena = compilation->arena;
    compilation->arena.chunks = NULL;
    if (result) return result;
    plan->header.magic = PM_CLIP_MAGIC;
    plan->header.version = PM_CLIP_VERSION;
    bool sound = copy_skeleton(plan, skeleton) && copy_name(plan, compilation->source->name) &&
                 lay_out_tracks(plan, lanes, options->merge_growth_limit) &&
                 (options->key_bits != 16 || pm_plan_pack(plan));
    if (!sound) return pm_fail_memory(compilation->report, "a clip's plan");
    place_sections(plan);
    // Where size_t has 32 bits a plan can be larger than any memory.
    if (plan->header.size > SIZE_MAX - PM_ALIGNMENT) return pm_fail_memory(compilation->report, "a clip");
    return PM_OK;
}

pm_result pm_clip_plan_create(const pm_clip_source *source, const pm_skeleton *skeleton,
                              const pm_compile_options *options, const pm_allocator *allocator,
                              pm_clip_plan **plan, pm_report *report) {
    *plan = NULL;
    pm_compile_options chosen = options ? *options : pm_default_compile_options();
    pm_place place = {source->file, source->name, NULL, PM_NONE};
    if (chosen.cookie != COMPILE_COOKIE)
        return pm_fail(report, PM_ERROR_ARGUMENT, PM_FAULT_ARGUMENT, place,
                       "compile options were not made by pm_default_compile_options");
    if ((unsigned)chosen.policy > PM_POLICY_STRICT)
        return pm_fail(report, PM_ERROR_ARGUMENT, PM_FAULT_ARGUMENT, place,
                       "the policy is neither repair nor strict");
    if (!(chosen.merge_growth_limit >= 0))
        return pm_fail(report, PM_ERROR_ARGUMENT, PM_FAULT_ARGUMENT, place,
                       "merge_growth_limit is negative or NaN");
    if (chosen.key_bits != 32 && chosen.key_bits != 16)
        return pm_fail(report, PM_ERROR_ARGUMENT, PM_FAULT_ARGUMENT, place, "key_bits is neither 32 nor 16");
    pm_allocator memory = pm_allocator_or_default(allocator);
    pm_clip_plan *made = pm_allocate(&memory, 1, sizeof *made);
    if (!made) return pm_fail_memory(report, "a clip's plan");
    made->allocator = memory;
    made->arena.allocator = memory;
    pm_compilation compilation = {source, skeleton, chosen.policy, report, {memory, NULL}};
    pm_environment environment = pm_environment_enter();
    pm_result result = make_plan(made, &compilation, &chosen);
    pm_environment_leave(&environment);
    pm_arena_release(&compilation.arena);
    if (result)
        pm_clip_plan_destroy(made);
    else
        *plan = made;
    return result;
}

size_t pm_clip_plan_size(const pm_clip_plan *plan) {
    return (size_t)plan->header.size;
}

static void write_clip(const pm_clip_plan *plan, void *memory) {
    const struct pm_clip *header = &plan->header;
    char *bytes = memory;
    memset(bytes, 0, (size_t)header->size);
    memcpy(bytes, header, sizeof *header);
    memcpy(bytes + header->rest_offset, plan->rest,
           pm_block_count(header->joint_count) * sizeof(pm_pose_block));
    memcpy(bytes + header->scalar_rest_offset, plan->scalar_rest,
           pm_block_count(header->scalar_count) * LANES * sizeof(float));
    memcpy(bytes + header->name_offset, plan->name, header->name_size);
    for (uint32_t i = 0; i < header->timeline_count; i++) {
        const pm_timeline *record = &plan->timelines[i].record;
        memcpy(bytes + header->timelines_offset + i * sizeof *record, record, sizeof *record);
        pm_plan_write_timeline(plan->timelines + i, memory);
    }
    for (uint32_t i = 0; i < header->bundle_count; i++) {
        const pm_bundle *record = &plan->bundles[i].record;
        memcpy(bytes + header->bundles_offset + i * sizeof *record, record, sizeof *record);
        pm_plan_write_bundle(plan->bundles + i, memory);
    }
    for (uint32_t i = 0; i < header->track_count; i++) {
        const pm_track *record = &plan->tracks[i].record;
        memcpy(bytes + header->tracks_offset + i * sizeof *record, record, sizeof *record);
        if (record->kind == PM_TRACK_MIXED) {
            pm_plan_write_mixed(plan, plan->tracks + i, memory);
        } else {
            pm_plan_write_track(plan, plan->tracks + i, memory);
        }
    }
}

const pm_clip *pm_clip_plan_write(const pm_clip_plan *plan, void *memory) {
    assert((uintptr_t)memory % PM_ALIGNMENT == 0);
    pm_environment environment = pm_environment_enter();
    write_clip(plan, memory);
    pm_environment_leave(&environment);
    return memory;
}

void pm_clip_plan_destroy(pm_clip_plan *plan) {
    if (!plan) return;
    pm_allocator allocator = plan->allocator;
    pm_arena_release(&plan->arena);
    pm_release(&allocator, plan);
}

pm_result pm_clip_compile(const pm_clip_source *source, const pm_skeleton *skeleton,
                          const pm_compile_options *options, const pm_allocator *allocator, pm_clip **clip,
                          pm_report *report) {
    *clip = NULL;
    pm_clip_plan *plan;
    pm_result result = pm_clip_plan_create(source, skeleton, options, allocator, &plan, report);
    if (result) return result;
    pm_allocator memory = pm_allocator_or_default(allocator);
    void *bytes = pm_allocate(&memory, 1, pm_clip_plan_size(plan));
    if (bytes) {
        pm_clip_plan_write(plan, bytes);
        *clip = bytes;
    } else {
        result = pm_fail_memory(report, "a clip");
    }
    pm_clip_plan_destroy(plan);
    return result;
}

void pm_clip_destroy(pm_clip *clip, const pm_allocator *allocator) {
    pm_allocator memory = pm_allocator_or_default(allocator);
    pm_release(&memory, clip);
}
