/* The schema of a trace: which records exist, their fields and what they mean.  Written to
 * trace.json (for our reader) and ctf/metadata (for every other) from the same structure. */
#ifndef WS_TRACE_SCHEMA_H
#define WS_TRACE_SCHEMA_H

#include "util/alloc.h"
#include "util/error.h"
#include "util/text.h"
#include "util/value.h"

#include <stddef.h>

/* How a field is stored.  One table: name in the XML, language type, bytes, signedness, C type. */
enum ws_format {
    WS_FORMAT_INT,      /* "int": int32 */
    WS_FORMAT_UINT,     /* "uint": uint32 */
    WS_FORMAT_LONG,     /* "long": int64 */
    WS_FORMAT_BYTES,    /* "bytes": uint64 */
    WS_FORMAT_REAL,     /* "real": IEEE double */
    WS_FORMAT_TIME,     /* "time": int64 ns */
    WS_FORMAT_BOOL,     /* "bool": uint8 */
    WS_FORMAT_STRING,   /* "string": bytes up to a 0, at most WS_STRING_MOST */
    WS_FORMAT_RANK,     /* "rank": int32, rank in MPI_COMM_WORLD; -1 none, -2 any */
    WS_FORMAT_COMM_RANK,/* "comm_rank": int32, rank in the communicator of the started operation; the
                           reader turns it into a world rank by the start record's `comm` */
    WS_FORMAT_COMM,     /* "comm": uint32 identity of a communicator */
    WS_FORMAT_WINDOW,   /* "window": uint32 identity of a window */
    WS_FORMAT_REQUEST,  /* "request": uint64, the handle's value */
    WS_FORMAT_COUNT
};
struct ws_format_info {
    const char *name;
    enum ws_type type;    /* in the rule language */
    unsigned size_bytes;  /* 0: string */
    bool is_signed, is_real;
    const char *c_type;
};
extern const struct ws_format_info ws_formats[WS_FORMAT_COUNT];
#define WS_STRING_MOST 1024

enum ws_schema_role { WS_SCHEMA_PLAIN, WS_SCHEMA_START, WS_SCHEMA_INIT, WS_SCHEMA_RESTART,
                      WS_SCHEMA_COMPLETE, WS_SCHEMA_FREE, WS_SCHEMA_CONTINUE };

struct ws_field {
    const char *name;
    enum ws_format format;
    int final; /* field of the COMPLETE record (by position in its record) that replaces it, or -1;
                  resolved by name when the schema is made */
    const char *final_name;
};
struct ws_schema_number { /* see struct ws_number in rules/kb.h */
    const char *name;
    const char **by;
    size_t by_count;
    const char *of;
    int plus;
};
/* One kind of record.  Several records may form events of one type (blocking send, Isend). */
struct ws_record {
    const char *name;        /* CTF event name: "send", "send_start", "completion" */
    int type;                /* index of the event type it forms, or -1 */
    enum ws_schema_role role;
    struct ws_field *fields;
    size_t field_count;
};
struct ws_schema_type {
    const char *name;
    const char **params;     /* in slot order, after the attributes; the numbers follow */
    enum ws_type *param_types;
    size_t param_count;
    struct ws_schema_number *numbers;
    size_t number_count;
};
struct ws_schema {
    struct ws_arena arena;
    const char *runtime;          /* "mpi" */
    struct ws_record *records;    /* record id in the stream = index + WS_FIRST_RECORD (trace/layout.h) */
    size_t record_count;
    struct ws_schema_type *types; /* index = ws_event.type */
    size_t type_count;
    const char **functions;       /* function id in the stream = index */
    size_t function_count;
    char uuid[37];                /* of the trace; filled by ws_trace_create */
};

/* Writes DIR/trace.json and DIR/ctf/metadata for a new trace; makes the folders. */
int ws_trace_create(const char *directory, struct ws_schema *schema, struct ws_error *error);
/* Reads DIR/trace.json.  Fails on another version, an unknown required feature (by name), damage. */
int ws_schema_read(const char *directory, struct ws_schema *schema, struct ws_error *error);
/* The CTF 1.8 metadata text (TSDL). */
void ws_schema_metadata(const struct ws_schema *schema, struct ws_text *out);
void ws_schema_free(struct ws_schema *schema);

#endif
