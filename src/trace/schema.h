/* The schema of a trace: which records exist, their fields and what they mean.  Written to
 * trace.json (for our reader) and ctf/metadata (for every other) from the same structure. */
#ifndef WS_TRACE_SCHEMA_H
#define WS_TRACE_SCHEMA_H

#include "util/alloc.h"
#include "util/error.h"
#include "util/format.h"
#include "util/role.h"
#include "util/text.h"
#include "util/value.h"

#include <stddef.h>

/* The most bytes of a field of format string, without the 0 that ends it. */
#define WS_STRING_MOST 1024
/* The most fields of a record. */
#define WS_MOST_FIELDS 64

struct ws_field {
    const char *name;
    enum ws_format format;
    int final; /* field of the COMPLETE record (by position in its record) that replaces it, or -1;
                  resolved by name when the schema is made */
    const char *final_name;
    bool is_constant; /* always has this value, which is not stored */
    int64_t constant;
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
    enum ws_role role;
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
    const char *process;          /* what it calls a process; NULL: "rank" */
    struct ws_record *records;    /* index: the kind that records in the stream name (trace/layout.h) */
    size_t record_count;
    struct ws_schema_type *types; /* index = ws_event.type */
    size_t type_count;
    const char **functions;       /* function id in the stream = index */
    size_t function_count;
    char uuid[37];                /* of the trace; filled by ws_trace_create */
};

/* Whether fields of this format may be constant. */
bool ws_may_be_constant(enum ws_format format);

/* Writes DIR/trace.json and DIR/ctf/metadata for a new trace; makes the folders. */
int ws_trace_create(const char *directory, struct ws_schema *schema, struct ws_error *error);
/* Reads DIR/trace.json.  Fails on another version, an unknown required feature (by name), damage. */
int ws_schema_read(const char *directory, struct ws_schema *schema, struct ws_error *error);
/* The CTF 1.8 metadata text (TSDL). */
void ws_schema_metadata(const struct ws_schema *schema, struct ws_text *out);
void ws_schema_free(struct ws_schema *schema);

#endif
