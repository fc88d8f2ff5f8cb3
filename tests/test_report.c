#include <posemill/channel.h>
#include <posemill/report.h>

#include "diagnose.h"
#include "support/diagnostics.h"

#include <criterion/criterion.h>
#include <string.h>

static const pm_place nowhere = {NULL, NULL, NULL, PM_NONE};

Test(report, message_names_file_clip_channel_and_key) {
    pm_report report = {0};
    pm_place place = {"knight.glb", "Run", "Hips.rotation", 7};
    pm_result result = pm_fail(&report, PM_ERROR_DATA, PM_FAULT_TIME_NOT_FINITE, place, "time %s", "is NaN");
    cr_assert_eq(result, PM_ERROR_DATA);
    cr_assert_eq(report.fault, PM_FAULT_TIME_NOT_FINITE);
    cr_assert_str_eq(report.message,
                     "knight.glb: clip \"Run\", channel \"Hips.rotation\", key 7: time is NaN");
}

Test(report, message_leaves_out_what_is_unknown) {
    pm_report report = {0};
    pm_fail(&report, PM_ERROR_DATA, PM_FAULT_CLIP_EMPTY, (pm_place){NULL, "Run", NULL, PM_NONE}, "is empty");
    cr_assert_str_eq(report.message, "clip \"Run\": is empty");
    report = (pm_report){0};
    pm_fail(&report, PM_ERROR_DATA, PM_FAULT_CLIP_EMPTY, nowhere, "is empty");
    cr_assert_str_eq(report.message, "is empty");
    report = (pm_report){0};
    pm_fail(&report, PM_ERROR_DATA, PM_FAULT_CLIP_EMPTY, (pm_place){"f", NULL, NULL, PM_NONE}, "is empty");
    cr_assert_str_eq(report.message, "f: is empty");
}

Test(report, keeps_the_first_error_and_counts_all) {
    pm_report report = {0};
    pm_diagnose(&report, PM_SEVERITY_NOTE, PM_FAULT_TIME_NEGATIVE, nowhere, "note");
    cr_assert_str_eq(report.message, "");
    cr_assert_eq(report.fault, PM_FAULT_NONE);
    pm_fail(&report, PM_ERROR_DATA, PM_FAULT_SKIN, nowhere, "first");
    pm_fail(&report, PM_ERROR_FILE, PM_FAULT_REFERENCE, nowhere, "second");
    cr_assert_str_eq(report.message, "first");
    cr_assert_eq(report.fault, PM_FAULT_SKIN);
    cr_assert_eq(report.counts[PM_SEVERITY_NOTE], 1);
    cr_assert_eq(report.counts[PM_SEVERITY_ERROR], 2);
    cr_assert_eq(report.counts[PM_SEVERITY_REPAIR], 0);
}

Test(report, callback_gets_every_diagnostic_with_its_parts) {
    static diagnostics list;
    pm_report report = diagnostics_report(&list);
    pm_place place = {"f", "c", "ch", 3};
    pm_diagnose(&report, PM_SEVERITY_REPAIR, PM_FAULT_TIME_UNSORTED, place, "sorted");
    pm_diagnose(&report, PM_SEVERITY_DROPPED, PM_FAULT_KEYS_MISSING, nowhere, "left out");
    cr_assert_eq(list.count, 2);
    cr_assert_eq(list.seen[0].severity, PM_SEVERITY_REPAIR);
    cr_assert_eq(list.seen[0].fault, PM_FAULT_TIME_UNSORTED);
    cr_assert_eq(list.seen[0].key, 3);
    cr_assert(list.seen[0].has_clip && list.seen[0].has_channel);
    cr_assert(!list.seen[1].has_clip && !list.seen[1].has_channel);
    cr_assert_eq(list.seen[1].key, PM_NONE);
    cr_assert_str_eq(list.seen[1].message, "left out");
}

Test(report, null_report_is_allowed) {
    pm_diagnose(NULL, PM_SEVERITY_NOTE, PM_FAULT_SKIN, nowhere, "nobody listens");
    cr_assert_eq(pm_fail(NULL, PM_ERROR_FORMAT, PM_FAULT_SKIN, nowhere, "nobody listens"), PM_ERROR_FORMAT);
    cr_assert_eq(pm_fail_memory(NULL, "a test"), PM_ERROR_MEMORY);
}

Test(report, overlong_names_are_cut_and_terminated) {
    char name[5000];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    pm_report report = {0};
    memset(report.message, 'x', sizeof report.message);
    report.message[0] = '\0';
    pm_fail(&report, PM_ERROR_DATA, PM_FAULT_SKIN, (pm_place){name, name, name, 1}, "%s", name);
    cr_assert_eq((char *)memchr(report.message, 0, sizeof report.message) - report.message,
                 (ptrdiff_t)sizeof report.message - 1);
}

Test(report, out_of_memory_says_for_what) {
    pm_report report = {0};
    cr_assert_eq(pm_fail_memory(&report, "a clip"), PM_ERROR_MEMORY);
    cr_assert_eq(report.fault, PM_FAULT_MEMORY);
    cr_assert_str_eq(report.message, "out of memory for a clip");
}

Test(report, every_fault_has_a_name_of_its_own) {
    for (int i = 0; i < PM_FAULT_COUNT; i++) {
        const char *name = pm_fault_name((pm_fault)i);
        cr_assert(name && name[0], "fault %d", i);
        cr_assert_neq(strcmp(name, "unknown fault"), 0, "fault %d", i);
        for (int j = 0; j < i; j++) cr_assert_str_neq(name, pm_fault_name((pm_fault)j));
    }
    cr_assert_str_eq(pm_fault_name(PM_FAULT_COUNT), "unknown fault");
    cr_assert_str_eq(pm_fault_name((pm_fault)-1), "unknown fault");
}

Test(report, results_severities_paths_and_modes_have_names) {
    cr_assert_str_eq(pm_result_name(PM_OK), "PM_OK");
    cr_assert_str_eq(pm_result_name(PM_ERROR_ARGUMENT), "PM_ERROR_ARGUMENT");
    cr_assert_str_eq(pm_result_name((pm_result)99), "unknown result");
    cr_assert_str_eq(pm_severity_name(PM_SEVERITY_ERROR), "error");
    cr_assert_str_eq(pm_severity_name(PM_SEVERITY_COUNT), "unknown severity");
    cr_assert_str_eq(pm_path_name(PM_PATH_SCALAR), "scalar");
    cr_assert_str_eq(pm_path_name(PM_PATH_COUNT), "unknown path");
    cr_assert_str_eq(pm_interpolation_name(PM_INTERPOLATION_CUBIC), "CUBICSPLINE");
    cr_assert_str_eq(pm_interpolation_name(PM_INTERPOLATION_COUNT), "unknown interpolation");
    cr_assert_eq(pm_path_component_count(PM_PATH_ROTATION), 4);
    cr_assert_eq(pm_path_component_count(PM_PATH_SCALAR), 1);
    cr_assert_eq(pm_path_component_count(PM_PATH_COUNT), 0);
}
