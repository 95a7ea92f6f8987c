/* Traces that other tools recorded, made into ours: then all that reads a trace works on them. */
#ifndef WS_IMPORT_IMPORT_H
#define WS_IMPORT_IMPORT_H

#include "rules/kb.h"
#include "util/error.h"

#include <stdbool.h>

/* Where the path is an OTF2 archive, its anchor file or the folder of one: the anchor file's path (free());
 * else NULL. */
char *ws_import_find(const char *path);

/* Whether this build can read (and write) OTF2. */
bool ws_import_has_otf2(void);

struct ws_import_options {
    /* Called now and then with the share of the work that is done, 0 to 1.  NULL: not called. */
    void (*progress)(double share, void *context);
    void *context;
};
/* Makes a trace in a folder, which is created, from the archive of this anchor file.  WS_BAD_INPUT where it
 * is damaged or holds no MPI processes, WS_ENVIRONMENT where this build cannot read OTF2.  What the archive
 * does not tell is noted in the trace (struct ws_run) and so becomes a warning of a report. */
int ws_import(const char *anchor, const struct ws_kb *kb, const char *directory,
              const struct ws_import_options *options, struct ws_error *error);

#endif
