// A host that imports: a file that is not there must be refused with a reason.
#include <posemill/import.h>

#include <stdio.h>

int main(void) {
    pm_scene *scene;
    pm_report report = {0};
    pm_result result = pm_import_file("absent.bvh", NULL, &scene, &report);
    puts(report.message);
    return result != PM_OK && !scene && report.message[0] ? 0 : 1;
}
