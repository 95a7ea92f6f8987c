/* The critical path of a run and where its waiting began, for reading and for programs. */
#ifndef WS_REPORT_PATH_H
#define WS_REPORT_PATH_H

#include "replay/path.h"

#include <stdio.h>

/* Of each list the first `top` entries (0: all).  Fails with WS_ENVIRONMENT where `out` cannot be written. */
int ws_path_write_text(const struct ws_path *path, size_t top, FILE *out, struct ws_error *error);
/* docs/critical-path.md; all entries. */
int ws_path_write_json(const struct ws_path *path, FILE *out, struct ws_error *error);

#endif
