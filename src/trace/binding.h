/* How the records of a trace become events of the knowledge base in use: made once from the two schemas,
 * so that reading a record looks up no name. */
#ifndef WS_TRACE_BINDING_H
#define WS_TRACE_BINDING_H

#include "trace/schema.h"

#include <stdint.h>

/* A field as it lies in a record. */
struct ws_bound_field {
    uint16_t offset; /* from the start of the fields, if no string is before it */
    uint8_t shift;   /* 64 - its bits */
    uint8_t index;   /* in the record's fields */
    enum { WS_FIELD_NUMBER, WS_FIELD_BYTES, WS_FIELD_BOOL, WS_FIELD_STRING } how;
    uint64_t sign; /* bits above it where it is negative */
};
/* Where a parameter of an event comes from: a field of the operation's record, or of its completion. */
struct ws_bound_param {
    uint16_t field;
    bool final;
    enum { WS_PARAM_PLAIN, WS_PARAM_STRING, WS_PARAM_COMM, WS_PARAM_COMM_RANK, WS_PARAM_WINDOW } how;
};
struct ws_bound_record {
    const struct ws_record *record;
    /* What is stored, [0] in full records, [1] in short ones: the fields that no string stands before, their
     * bytes, and how many there are in all. */
    struct ws_bound_field *stored[2];
    size_t stored_count, fixed_count, fixed_bytes[2];
    bool numbers_only[2]; /* all those fields are WS_FIELD_NUMBER */
    size_t constant_count;
    struct ws_bound_field *constants;   /* index alone */
    int request, from, comm, cancelled; /* the fields of these names, or -1 */
    bool resolves;                      /* its operation takes final values from its completion: a receive */
    int completion;                     /* place among the kinds of role COMPLETE, or -1 */
    bool brings;                        /* ... that says more than that the operation is complete */
    int type;                           /* event type of the knowledge base that it forms, or -1 */
    const char *type_name;              /* of the event type in the trace; "" for none */
    int *fields;                        /* [param_count of the type]: field that holds it */
    /* [param_count] without a completion, then as many for each kind of completion */
    struct ws_bound_param *params;
};

#define WS_MOST_KEY 16     /* values that a number is counted by */
#define WS_MOST_NUMBERS 64 /* of one type */

/* A number that the reader counts (ws_schema_number), by places instead of names. */
struct ws_bound_number {
    bool own;         /* counts this type's events; else only looks at another type's counter */
    uint32_t counter; /* which counter: own or the other type's */
    int plus;
    int *by; /* params of this type */
    size_t by_count;
};
struct ws_bound_type {
    size_t param_count, number_count, own_count; /* own_count: numbers with `own` */
    struct ws_bound_number *numbers;
};

/* What the first byte of a record says (trace/layout.h). */
struct ws_bound_opening {
    const struct ws_bound_record *record; /* of a short record; else NULL */
    uint8_t form;                         /* enum ws_form */
    uint8_t head;                         /* bytes up to the fields of a short record */
    bool known;
};

struct ws_binding {
    struct ws_arena arena;
    struct ws_bound_opening openings[256];
    const struct ws_schema *trace;
    struct ws_bound_record *records; /* as the trace's */
    size_t record_count, completions, most_fields;
    struct ws_bound_type *types; /* as the knowledge base's */
    size_t type_count, most_numbers;
    size_t event_bytes;   /* of the largest event, with the function that made it behind (ws_event_maker) */
    const char **missing; /* types of the knowledge base that no record forms */
    size_t missing_count;
};

int ws_binding_make(struct ws_binding *binding, const struct ws_schema *trace, const struct ws_schema *want,
                    struct ws_error *error);
void ws_binding_free(struct ws_binding *binding);

#endif
