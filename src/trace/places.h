/* Places in a source that a trace names itself, since it was recorded by a tool that knew them, or knew no
 * more: the file `places` in its folder.  It holds texts, each ended by a 0: a first line, the name that
 * stands for a module at such sites, then for each offset from 0 on function, file and line. */
#ifndef WS_TRACE_PLACES_H
#define WS_TRACE_PLACES_H

#include "trace/trace.h"

/* A zeroed struct is empty: no such file. */
struct ws_places {
    char *bytes;
    const char *module;
    const char **texts; /* function, file, line of each place */
    size_t count;
};
/* A file that makes no sense counts as none. */
void ws_places_read(struct ws_places *places, const char *directory);
/* Fills function, file, line of a site of that module; false where it is of another. */
bool ws_places_find(const struct ws_places *places, struct ws_site *site);
void ws_places_free(struct ws_places *places);

/* Writing: what the file begins with, and what a place adds. */
void ws_places_begin(struct ws_text *file, const char *module);
void ws_places_add(struct ws_text *file, const char *function, const char *source, int line);
int ws_places_write(const struct ws_text *file, const char *directory, struct ws_error *error);

#endif
