#include "environment.h"

pm_environment pm_environment_enter(void) {
    pm_environment environment;
    fegetenv(&environment.hosts);
    fesetenv(FE_DFL_ENV);
    return environment;
}

void pm_environment_leave(const pm_environment *environment) {
    fesetenv(&environment->hosts);
}
