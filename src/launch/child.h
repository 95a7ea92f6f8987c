/* The user's command as a child: its terminal, input and output are ours, its signals are passed on. */
#ifndef WS_LAUNCH_CHILD_H
#define WS_LAUNCH_CHILD_H

#include "util/error.h"

struct ws_setting { /* of the child's environment */
    const char *name;
    const char *value; /* NULL: unset */
};

/* Runs the command with these settings (ended by a NULL name) and waits.  *exit_code is its own, or
 * 128 + the signal that ended it.  Fails where it cannot be started. */
int ws_child_run(char *const *command, const struct ws_setting *settings, int *exit_code,
                 struct ws_error *error);

#endif
