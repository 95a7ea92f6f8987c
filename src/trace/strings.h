/* Strings of a trace, each once: equal strings have one address. */
#ifndef WS_TRACE_STRINGS_H
#define WS_TRACE_STRINGS_H

#include "trace/map.h"
#include "util/alloc.h"

struct ws_strings {
    struct ws_arena arena;
    struct ws_map by_hash;
};
const char *ws_strings_get(struct ws_strings *strings, const char *text); /* until ws_strings_free */
void ws_strings_free(struct ws_strings *strings);

#endif
