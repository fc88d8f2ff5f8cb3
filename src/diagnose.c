#include "diagnose.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *pm_result_name(pm_result result) {
    switch (result) {
    case PM_OK:
        return "PM_OK";
    case PM_ERROR_MEMORY:
        return "PM_ERROR_MEMORY";
    case PM_ERROR_FILE:
        return "PM_ERROR_FILE";
    case PM_ERROR_FORMAT:
        return "PM_ERROR_FORMAT";
    case PM_ERROR_UNSUPPORTED:
        return "PM_ERROR_UNSUPPORTED";
    case PM_ERROR_DATA:
        return "PM_ERROR_DATA";
    case PM_ERROR_ARGUMENT:
        return "PM_ERROR_ARGUMENT";
    }
    return "unknown result";
}

const char *pm_severity_name(pm_severity severity) {
    static const char *const names[PM_SEVERITY_COUNT] = {"note", "repair", "dropped", "error"};
    return (unsigned)severity < PM_SEVERITY_COUNT ? names[severity] : "unknown severity";
}

const char *pm_fault_name(pm_fault fault) {
    static const char *const names[PM_FAULT_COUNT] = {
        [PM_FAULT_NONE] = "none",
        [PM_FAULT_MEMORY] = "memory",
        [PM_FAULT_ARGUMENT] = "argument",
        [PM_FAULT_FILE_UNREADABLE] = "file-unreadable",
        [PM_FAULT_FILE_FORMAT] = "file-format",
        [PM_FAULT_FILE_TRUNCATED] = "file-truncated",
        [PM_FAULT_FILE_UNSUPPORTED] = "file-unsupported",
        [PM_FAULT_REFERENCE] = "reference",
        [PM_FAULT_ACCESSOR] = "accessor",
        [PM_FAULT_SKELETON_CYCLE] = "skeleton-cycle",
        [PM_FAULT_SKELETON_PARENT] = "skeleton-parent",
        [PM_FAULT_SKELETON_REST] = "skeleton-rest",
        [PM_FAULT_SKIN] = "skin",
        [PM_FAULT_NAME_DUPLICATE] = "name-duplicate",
        [PM_FAULT_TARGET_MISSING] = "target-missing",
        [PM_FAULT_TARGET_DUPLICATE] = "target-duplicate",
        [PM_FAULT_TARGET_UNSUPPORTED] = "target-unsupported",
        [PM_FAULT_TARGET_MATRIX] = "target-matrix",
        [PM_FAULT_INTERPOLATION] = "interpolation",
        [PM_FAULT_KEYS_MISSING] = "keys-missing",
        [PM_FAULT_KEY_COUNT] = "key-count",
        [PM_FAULT_CUBIC_SINGLE_KEY] = "cubic-single-key",
        [PM_FAULT_CUBIC_TANGENTS_ZERO] = "cubic-tangents-zero",
        [PM_FAULT_TIME_NOT_FINITE] = "time-not-finite",
        [PM_FAULT_TIME_UNSORTED] = "time-unsorted",
        [PM_FAULT_TIME_DUPLICATE] = "time-duplicate",
        [PM_FAULT_TIME_NEGATIVE] = "time-negative",
        [PM_FAULT_VALUE_NOT_FINITE] = "value-not-finite",
        [PM_FAULT_VALUE_HUGE] = "value-huge",
        [PM_FAULT_ROTATION_ZERO] = "rotation-zero",
        [PM_FAULT_ROTATION_NOT_UNIT] = "rotation-not-unit",
        [PM_FAULT_CLIP_EMPTY] = "clip-empty",
        [PM_FAULT_CURVE_PARAMETER] = "curve-parameter",
        [PM_FAULT_CURVE_BOUNDS] = "curve-bounds",
        [PM_FAULT_CURVE_TOLERANCE] = "curve-tolerance",
        [PM_FAULT_EASING] = "easing",
        [PM_FAULT_CADENCE] = "cadence",
    };
    return (unsigned)fault < PM_FAULT_COUNT ? names[fault] : "unknown fault";
}

// Appends printf-style text; stops at the end of the buffer, which stays terminated.
static void append(char *buffer, size_t size, size_t *length, const char *format, ...) PM_PRINTF(4, 5);

static void append(char *buffer, size_t size, size_t *length, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(buffer + *length, size - *length, format, arguments);
    va_end(arguments);
    if (written > 0) *length += (size_t)written < size - *length ? (size_t)written : size - *length - 1;
}

static void append_place(char *buffer, size_t size, size_t *length, pm_place place) {
    const char *separator = "";
    if (place.file) append(buffer, size, length, "%s: ", place.file);
    if (place.clip) {
        append(buffer, size, length, "%sclip \"%s\"", separator, place.clip);
        separator = ", ";
    }
    if (place.channel) {
        append(buffer, size, length, "%schannel \"%s\"", separator, place.channel);
        separator = ", ";
    }
    if (place.key != PM_NONE) {
        append(buffer, size, length, "%skey %u", separator, (unsigned)place.key);
        separator = ", ";
    }
    if (separator[0]) append(buffer, size, length, ": ");
}

static void diagnose(pm_report *report, pm_severity severity, pm_fault fault, pm_place place,
                     const char *format, va_list arguments) {
    if (!report) return;
    char message[2 * PM_REPORT_MESSAGE_SIZE] = "";
    size_t length = 0;
    append_place(message, sizeof message, &length, place);
    vsnprintf(message + length, sizeof message - length, format, arguments);

    report->counts[severity]++;
    if (severity == PM_SEVERITY_ERROR && report->fault == PM_FAULT_NONE) {
        report->fault = fault;
        size_t kept = strlen(message);
        if (kept >= sizeof report->message) kept = sizeof report->message - 1;
        memcpy(report->message, message, kept);
        report->message[kept] = '\0';
    }
    if (report->callback) {
        pm_diagnostic diagnostic = {severity,      fault,     place.file, place.clip,
                                    place.channel, place.key, message};
        report->callback(report->user, &diagnostic);
    }
}

void pm_diagnose(pm_report *report, pm_severity severity, pm_fault fault, pm_place place, const char *format,
                 ...) {
    va_list arguments;
    va_start(arguments, format);
    diagnose(report, severity, fault, place, format, arguments);
    va_end(arguments);
}

pm_result pm_fail(pm_report *report, pm_result result, pm_fault fault, pm_place place, const char *format,
                  ...) {
    va_list arguments;
    va_start(arguments, format);
    diagnose(report, PM_SEVERITY_ERROR, fault, place, format, arguments);
    va_end(arguments);
    return result;
}

pm_result pm_fail_memory(pm_report *report, const char *what) {
    pm_place nowhere = {NULL, NULL, NULL, PM_NONE};
    return pm_fail(report, PM_ERROR_MEMORY, PM_FAULT_MEMORY, nowhere, "out of memory for %s", what);
}
