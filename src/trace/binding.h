/* How the records of a trace become events of the knowledge base in use: made once from the two schemas,
 * so that reading a record looks up no name. */
#ifndef WS_TRACE_BINDING_H
#define WS_TRACE_BINDING_H

#include "trace/schema.h"

#include <stdint.h>

struct ws_bound_record {
    const struct ws_record *record;
    size_t *offsets;     /* of each field from the start of the fields, up to and with the first string */
    size_t first_string; /* index of the first string; field_count where there is none */
    size_t fixed_bytes;  /* of the fields before the first string */
    int request, from, comm, cancelled; /* the fields of these names, or -1 */
    bool resolves;                      /* its operation takes final values from its completion: a receive */
    int completion;                     /* place among the kinds of role COMPLETE, or -1 */
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
    size_t record_count, completions;
    struct ws_bound_type *types; /* as the knowledge base's */
    size_t type_count, most_numbers;
    const char **missing; /* types of the knowledge base that no record forms */
    size_t missing_count;
};

int ws_binding_make(struct ws_binding *binding, const struct ws_schema *trace, const struct ws_schema *want,
                    struct ws_error *error);
void ws_binding_free(struct ws_binding *binding);

/* Where field `index` of a record begins; the record's length has been checked. */
const uint8_t *ws_bound_field(const struct ws_bound_record *record, const uint8_t *fields, size_t index);
/* An integer field (any format but real and string) as 64 bits; what is greater than INT64_MAX becomes it,
 * but for a request, whose bits are kept. */
int64_t ws_bound_integer(const struct ws_bound_record *record, const uint8_t *fields, size_t index);

#endif
