#include <posemill/easing.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const family_names[PM_EASING_FAMILY_COUNT] = {
    "linear", "smoothstep", "smootherstep", "bezier", "quad",    "cubic",  "quart",
    "quint",  "sine",       "expo",         "back",   "elastic", "bounce",
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
    return (pm_easing){PM_EASING_BEZIER, PM_EASING_IN, handles[0], handles[1], handles[2], handles[3]};
}

// Compares `length` characters of text with a name.
static bool equals(const char *text, size_t length, const char *name) {
    return strlen(name) == length && memcmp(text, name, length) == 0;
}

static bool parse_bezier(const char *numbers, pm_easing *easing) {
    double handles[4];
    for (int i = 0; i < 4; ++i) {
        char *end;
        handles[i] = strtod(numbers, &end);
        if (end == numbers || *end != (i < 3 ? ',' : '\0')) return false;
        numbers = end + 1;
    }
    *easing = bezier_easing(handles);
    return true;
}

static bool parse_family(const char *text, pm_easing *easing) {
    for (int family = 0; family < PM_EASING_FAMILY_COUNT; ++family) {
        size_t length = strlen(family_names[family]);
        if (family == PM_EASING_BEZIER || strncmp(text, family_names[family], length) != 0) continue;
        const char *rest = text + length;
        bool directed = family >= PM_EASING_QUAD;
        if (*rest == '\0') {
            *easing =
                (pm_easing){(pm_easing_family)family, directed ? PM_EASING_IN_OUT : PM_EASING_IN, 0, 0, 0, 0};
            return true;
        }
        for (int direction = 0; directed && direction < PM_EASING_DIRECTION_COUNT; ++direction) {
            if (*rest != '-' || strcmp(rest + 1, direction_names[direction]) != 0) continue;
            *easing = (pm_easing){(pm_easing_family)family, (pm_easing_direction)direction, 0, 0, 0, 0};
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
        size_t length = (size_t)(colon - text);
        found = (equals(text, length, "bezier") || equals(text, length, "cubic-bezier")) &&
                parse_bezier(colon + 1, &parsed);
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
    else if (easing->family < PM_EASING_QUAD)
        snprintf(text, PM_EASING_NAME_SIZE, "%s", family_names[easing->family]);
    else
        snprintf(text, PM_EASING_NAME_SIZE, "%s-%s", family_names[easing->family],
                 direction_names[easing->direction]);
    return text;
}
