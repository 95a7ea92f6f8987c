/* Places in the source by their names, kept with a trace: those of calls, as the program was when it was
 * recorded (it may be built anew since), or as the tool knew them that recorded a trace which was imported.
 * The file `places` in the trace's folder holds texts, each ended by a 0: a first line, then for each place
 * module, offset, function, file, line. */
#ifndef WS_TRACE_PLACES_H
#define WS_TRACE_PLACES_H

#include "trace/trace.h"

/* A zeroed struct is empty: no such file. */
struct ws_places {
    char *bytes;
    struct ws_site *items; /* sorted; their texts are in the bytes */
    size_t count;
};
/* A file that makes no sense counts as none, and of one that is cut what is whole. */
void ws_places_read(struct ws_places *places, const char *directory);
/* Fills function, file, line of a site by its module and offset; false where it is not among the places. */
bool ws_places_find(const struct ws_places *places, struct ws_site *site);
void ws_places_free(struct ws_places *places);

/* Writing: what the file begins with, and what a place adds. */
void ws_places_begin(struct ws_text *file);
void ws_places_add(struct ws_text *file, const struct ws_site *site);
int ws_places_write(const struct ws_text *file, const char *directory, struct ws_error *error);

#endif
