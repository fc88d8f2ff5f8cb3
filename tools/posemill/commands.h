// The subcommands of `posemill`, one a file (command_<name>.c), and the table that main looks them up in.
#ifndef PM_TOOL_COMMANDS_H
#define PM_TOOL_COMMANDS_H

#include "arguments.h"

extern const pm_command pm_command_crowd;
extern const pm_command pm_command_curve;
extern const pm_command pm_command_info;
extern const pm_command pm_command_inspect;
extern const pm_command pm_command_sample;

#endif
