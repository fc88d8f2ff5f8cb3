#include <posemill/easing.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const family_names[PM_EASING_FAMILY_COUNT] = {
    [PM_EASING_LINEAR] = "linear",
    [PM_EASING_SMOOTHSTEP] = "smoothstep",
    [PM_EASING_SMOOTHERSTEP] = "smootherstep",
    [PM_EASING_BEZIER] = "bezier",
    [PM_EASING_POLYNOMIAL] = "polynomial",
    [PM_EASING_QUAD] = "quad",
    [PM_EASING_CUBIC] = "cubic",
    [PM_EASING_QUART] = "quart",
    [PM_EASING_QUINT] = "quint",
    [PM_EASING_SINE] = "sine",
    [PM_EASING_EXPO] = "expo",
    [PM_EASING_BACK] = "back",
    [PM_EASING_ELASTIC] = "elastic",
    [PM_EASING_BOUNCE] = "bounce",
};

static const char *const direction_names[PM_EASING_DIRECTION_COUNT] = {"in", "out", "in-out"};

// The Bezier handles that CSS gives these names.
static const struct {
    const char *name;
    double handles[4];
} css_easings[] = {
    {"ease", {0.25, 0.1, 0.25, 1.0}},
    {"ease-in", {0.42, 0.0, 1.0, 1.0}},
    {"ease-out", {0.0, 0.0, 0.58, 1.0}},
    {"ease-in-out", {0.42, 0.0, 0.58, 1.0}},
};

static pm_easing bezier_easing(const double handles[4]) {
    return (pm_easing){
        .family = PM_EASING_BEZIER, .x1 = handles[0], .y1 = handles[1], .x2 = handles[2], .y2 = handles[3]};
}

// Compares `length` characters of text with a name.
static bool equals(const char *text, size_t length, const char *name) {
    return strlen(name) == length && memcmp(text, name, length) == 0;
}

// Reads numbers separated by commas, up to the end of the text. Returns how many, or 0.
static int parse_numbers(const char *text, double *numbers, int most) {
    for (int count = 0; count < most;) {
        char *end;
        numbers[count++] = strtod(text, &end);
        if (end == text) return 0;
        if (*end == '\0') return count;
        if (*end != ',') return 0;
        text = end + 1;
    }
    return 0;
}

// "bezier" and "polynomial", by the name's `length` and the numbers that follow.
static bool parse_with_numbers(const char *text, size_t length, const char *numbers, pm_easing *easing) {
    double read[6] = {0};
    int count = parse_numbers(numbers, read, 6);
    if (equals(text, length, "bezier") || equals(text, length, "cubic-bezier")) {
        *easing = bezier_easing(read);
        return count == 4;
    }
    *easing = (pm_easing){.family = PM_EASING_POLYNOMIAL};
    memcpy(easing->coefficients, read, sizeof read);
    return count > 0 && equals(text, length, "polynomial");
}

static bool parse_family(const char *text, pm_easing *easing) {
    for (int family = 0; family < PM_EASING_FAMILY_COUNT; ++family) {
        size_t length = strlen(family_names[family]);
        if (family == PM_EASING_BEZIER || family == PM_EASING_POLYNOMIAL ||
            strncmp(text, family_names[family], length) != 0)
            continue;
        const char *rest = text + length;
        bool directed = family >= PM_EASING_QUAD;
        if (*rest == '\0') {
            *easing = (pm_easing){.family = (pm_easing_family)family,
                                  .direction = directed ? PM_EASING_IN_OUT : PM_EASING_IN};
            return true;
        }
        for (int direction = 0; directed && direction < PM_EASING_DIRECTION_COUNT; ++direction) {
            if (*rest != '-' || strcmp(rest + 1, direction_names[direction]) != 0) continue;
            *easing =
                (pm_easing){.family = (pm_easing_family)family, .direction = (pm_easing_direction)direction};
            return true;
        }
    }
    return false;
}

bool pm_easing_parse(const char *text, pm_easing *easing) {
    pm_easing parsed;
    const char *colon = strchr(text, ':');
    bool found = false;
    if (colon) {
        found = parse_with_numbers(text, (size_t)(colon - text), colon + 1, &parsed);
    } else {
        for (size_t i = 0; !found && i < sizeof css_easings / sizeof *css_easings; ++i) {
            if (strcmp(text, css_easings[i].name) != 0) continue;
            parsed = bezier_easing(css_easings[i].handles);
            found = true;
        }
        if (!found) found = parse_family(text, &parsed);
    }
    if (!found || pm_easing_validate(&parsed)) return false;
    *easing = parsed;
    return true;
}

const char *pm_easing_format(const pm_easing *easing, char text[PM_EASING_NAME_SIZE]) {
    if (pm_easing_validate(easing))
        snprintf(text, PM_EASING_NAME_SIZE, "invalid");
    else if (easing->family == PM_EASING_BEZIER)
        snprintf(text, PM_EASING_NAME_SIZE, "bezier:%.17g,%.17g,%.17g,%.17g", easing->x1, easing->y1,
                 easing->x2, easing->y2);
    else if (easing->family == PM_EASING_POLYNOMIAL)
        snprintf(text, PM_EASING_NAME_SIZE, "polynomial:%.17g,%.17g,%.17g,%.17g,%.17g,%.17g",
                 easing->coefficients[0], easing->coefficients[1], easing->coefficients[2],
                 easing->coefficients[3], easing->coefficients[4], easing->coefficients[5]);
    else if (easing->family < PM_EASING_QUAD)
        snprintf(text, PM_EASING_NAME_SIZE, "%s", family_names[easing->family]);
    else
        snprintf(text, PM_EASING_NAME_SIZE, "%s-%s", family_names[easing->family],
                 direction_names[easing->direction]);
    return text;
}
