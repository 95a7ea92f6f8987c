/* The folder of a trace before and after a run. */
#ifndef WS_LAUNCH_FOLDER_H
#define WS_LAUNCH_FOLDER_H

#include "util/error.h"
#include "util/text.h"

#include <stddef.h>
#include <stdint.h>

/* Creates the folder, or makes one that holds an earlier trace ready for a new one: only files that
 * Whyslow wrote are deleted.  Refuses a folder that holds other things and no trace, and one that
 * another run is writing.  Returns a descriptor that keeps others out until it is closed, or -1. */
int ws_folder_prepare(const char *path, struct ws_error *error);

/* How many processes left a stream, and how many bytes in all. */
size_t ws_folder_ranks(const char *path, uint64_t *bytes);

/* What the recorder could not do, one line for each kind of trouble with the ranks it happened on:
 * "ranks 0, 2-5: no room for the trace".  Each line is added to *out, ended by a newline. */
void ws_folder_problems(const char *path, struct ws_text *out);

#endif
