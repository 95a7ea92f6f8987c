/* Small processes on the side: a command whose output is wanted, a function that may crash. */
#ifndef WS_LAUNCH_PROCESS_H
#define WS_LAUNCH_PROCESS_H

#include "util/error.h"
#include "util/text.h"

#include <stdbool.h>

/* Runs a command without input, adds its standard output and errors to *out (the first megabyte) and
 * waits.  Returns its exit code (128 + signal), or -1 where it could not be started. */
int ws_process_capture(const char *const *command, struct ws_text *out, struct ws_error *error);

/* Runs `work` in a child process, whose standard output is added to *out.  Returns its result (0-127),
 * or 128 + signal where it crashed or took more than half a minute. */
int ws_process_call(int (*work)(void *context), void *context, struct ws_text *out);

/* Where a command of this name is: itself where it has a slash, else by PATH.  False: nowhere. */
bool ws_process_find(const char *name, char *path, size_t size);

/* The processor cores of this machine that are in use; at least 1. */
int ws_process_cores(void);

#endif
