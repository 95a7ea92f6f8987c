/* How a parameter of a simple event is stored in the trace.  Shared by the rooms that name formats (rules),
 * generate code for them (tracegen) and read them back (trace). */
#ifndef WS_UTIL_FORMAT_H
#define WS_UTIL_FORMAT_H

#include "util/value.h"

enum ws_format {
    WS_FORMAT_INT,       /* "int": int32 */
    WS_FORMAT_UINT,      /* "uint": uint32 */
    WS_FORMAT_LONG,      /* "long": int64 */
    WS_FORMAT_BYTES,     /* "bytes": uint64 */
    WS_FORMAT_REAL,      /* "real": IEEE double */
    WS_FORMAT_TIME,      /* "time": int64 ns */
    WS_FORMAT_BOOL,      /* "bool": uint8 */
    WS_FORMAT_STRING,    /* "string": bytes up to a 0, at most WS_STRING_MOST (trace/schema.h) */
    WS_FORMAT_RANK,      /* "rank": int32, rank in MPI_COMM_WORLD; -1 none, -2 any */
    WS_FORMAT_COMM_RANK, /* "comm_rank": int32, rank in the communicator of the started operation; the
                            reader turns it into a world rank by the start record's `comm` */
    WS_FORMAT_COMM,      /* "comm": uint32, the process's index of a communicator; the reader turns it into
                            its identity, the same on all processes */
    WS_FORMAT_WINDOW,    /* "window": the same for a window */
    WS_FORMAT_REQUEST,   /* "request": uint64, the handle's value */
    WS_FORMAT_COUNT
};

struct ws_format_info {
    const char *name;      /* in the trace rules and in trace.json */
    enum ws_type type;     /* in the rule language */
    unsigned size_bytes;   /* in a record written in full; 0: a string, as long as it is */
    unsigned narrow_bytes; /* in a short one, where the value fits (trace/layout.h) */
    bool is_signed, is_real;
    const char *c_type; /* in the generated wrappers */
};
extern const struct ws_format_info ws_formats[WS_FORMAT_COUNT];

/* The format of this name, or WS_FORMAT_COUNT. */
enum ws_format ws_format_find(const char *name);

#endif
