/* What is wrong with a trace, one sentence each. */
#ifndef WS_TRACE_WARNINGS_H
#define WS_TRACE_WARNINGS_H

#include "util/alloc.h"

#include <stdint.h>

struct ws_warnings {
    struct ws_arena arena;
    const char **list;
    size_t count, capacity;
};
/* More than a reader can want to know are not kept: of more than so many the last says that there are. */
#define WS_MOST_WARNINGS 40
void ws_warn(struct ws_warnings *warnings, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ws_warnings_free(struct ws_warnings *warnings);

/* "rank 3", "ranks 0, 2-5": the numbers for which `is` holds; NULL where it holds for none.  process: "rank". */
const char *ws_rank_list(struct ws_arena *arena, const char *process, uint32_t count,
                         int (*is)(const void *context, uint32_t rank), const void *context);

#endif
