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
    enum { WS_FIELD_UNSIGNED, WS_FIELD_SIGNED, WS_FIELD_BYTES, WS_FIELD_BOOL, WS_FIELD_STRING } how;
};
struct ws_bound_record {
    const struct ws_record *record;
    /* What is stored, [0] in full records, [1] in short ones: the fields that no string stands before, their
     * bytes, and how many there are in all. */
    struct ws_bound_field *stored[2];
    size_t stored_count, fixed_count, fixed_bytes[2];
    size_t constant_count;
    struct ws_bound_field *constants;   /* index alone */
    int request, from, comm, cancelled; /* the fields of these names, or -1 */
    bool resolves;                      /* its operation takes final values from its completion: a receive */
    int completion;                     /* place among the kinds of role COMPLETE, or -1 */
    bool brings;                        /* ... that says more than that the operation is complete */
    int type;                           /* event type of the knowledge base that it forms, or -1 */
    const char *type_name;              /* of the event type in the trace; "" for none */
    int *params;                        /* [param_count of the type]: field that holds it */
    int *finals; /* [completions * param_count]: field of the completion that replaces it, or -1 */
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

struct ws_binding {
    struct ws_arena arena;
    const struct ws_schema *trace;
    struct ws_bound_record *records; /* as the trace's */
    size_t record_count, completions, most_fields;
    struct ws_bound_type *types; /* as the knowledge base's */
    size_t type_count, most_numbers;
    const char **missing; /* types of the knowledge base that no record forms */
    size_t missing_count;
};

int ws_binding_make(struct ws_binding *binding, const struct ws_schema *trace, const struct ws_schema *want,
                    struct ws_error *error);
void ws_binding_free(struct ws_binding *binding);

/* The values of a record's fields at `at`, by their index; strings lie in the record, the greatest integer
 * stands for any that is too great.  room: up to the end of what may be read.  Gives the length of the
 * fields, or SIZE_MAX where they do not fit or make no sense. */
size_t ws_bound_values(const struct ws_bound_record *record, bool narrow, const uint8_t *at, size_t room,
                       union ws_value values[WS_MOST_FIELDS]);

#endif
