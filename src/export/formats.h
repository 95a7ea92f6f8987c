/* What the formats have in common: the table of their operations, and what each sees of a trace. */
#ifndef WS_EXPORT_FORMATS_H
#define WS_EXPORT_FORMATS_H

#include "diagnosis/diagnosis.h"
#include "export/export.h"
#include "trace/meaning.h"
#include "trace/run.h"
#include "trace/trace.h"

#include <stdio.h>

/* A call and what came of it, in the order of its records: events, and starts of those that a later call ends
 * (type | WS_TRACE_STARTED; `mark` tells which).  All of it valid for this call only, but for strings. */
struct ws_shown_call {
    uint32_t rank, thread;
    int64_t t_ns, end_ns;
    int64_t site;
    const char *function;
    const struct ws_event *const *events;
    size_t event_count;
};

struct ws_export {
    struct ws_trace *trace;
    const struct ws_trace_info *info;
    const struct ws_schema *schema;      /* of the events */
    const struct ws_meaning *meanings;   /* [type_count] */
    const char *command, *started, *mpi; /* "" unknown */
    const char *path;                    /* to write to: a file to be renamed, or a folder that is there */
    FILE *file;                          /* of that path, where the format is no folder */
    int64_t begin_ns, end_ns;            /* of the run: times count from its begin */
    struct ws_text *warning;
    struct ws_error *error;
    void *state; /* the format's own */
};

struct ws_export_ops {
    struct ws_export_format format;
    /* Each returns 0, or -1 with *error filled.  Whatever they return, `end` follows `begin`, once; where
     * *failed is set it only frees. */
    int (*begin)(struct ws_export *out);
    /* Calls of a thread come in order, those of different threads by their ends. */
    int (*call)(struct ws_export *out, const struct ws_shown_call *call);
    /* After all calls, by rank and time.  NULL: waiting is not shown. */
    int (*waited)(struct ws_export *out, const struct ws_waited *waited);
    int (*end)(struct ws_export *out, bool failed);
};

extern const struct ws_export_ops ws_export_chrome, ws_export_perfetto, ws_export_paraver, ws_export_csv,
    ws_export_otf2;

/* Times of an output count from the begin of the run. */
static inline int64_t ws_since(const struct ws_export *out, int64_t ns)
{
    return (int64_t)((uint64_t)ns - (uint64_t)out->begin_ns);
}
/* The type of an event or of a start. */
static inline uint32_t ws_type_of(const struct ws_event *event)
{
    return event->type & ~WS_TRACE_STARTED;
}
static inline bool ws_is_start(const struct ws_event *event)
{
    return (event->type & WS_TRACE_STARTED) != 0;
}
/* One for each message: of the event that sends it and of the one that receives it the same, and of no
 * others. */
uint64_t ws_message_id(const struct ws_meaning *meaning, const struct ws_event *event);
/* "MPI_Send in main() at a.c:3": where a call was made; "" unknown.  Borrowed until the next call. */
const char *ws_site_words(struct ws_export *out, int64_t site, struct ws_text *text);

#endif
