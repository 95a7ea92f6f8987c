/* How the records of a trace become events of the knowledge base in use: made once from the two schemas,
 * so that reading a record looks up no name. */
#ifndef WS_TRACE_BINDING_H
#define WS_TRACE_BINDING_H

#include "trace/schema.h"

#include <stdint.h>
#include <string.h>

#define WS_MOST_KEY 16     /* values that a number is counted by */
#define WS_MOST_NUMBERS 64 /* of one type */

/* What a reading wants of records. */
enum ws_reading {
    WS_READ_VALUES,   /* all */
    WS_READ_EVENTS,   /* what events are formed by: of quick records that start operations, or are whole ones,
                         the   request alone, since the rest is read as the event is formed */
    WS_READ_REQUESTS, /* what becomes of operations */
    WS_READ_OUTCOMES, /* which end otherwise than their start said, if each ends once */
    WS_READINGS
};

enum ws_field_how { WS_FIELD_NUMBER, WS_FIELD_BYTES, WS_FIELD_BOOL, WS_FIELD_STRING };
/* A field as it lies in a record. */
struct ws_bound_field {
    uint16_t offset; /* from the start of the fields, if no string is before it */
    uint8_t shift;   /* 64 - its bits */
    uint8_t index;   /* in the record's fields */
    uint8_t how;     /* enum ws_field_how */
    bool is_signed;
};
/* A field that is a number, as it is taken without a branch: of the eight bytes there those of the mask, of
 * which `sign` is the highest bit where it is signed, else 0. */
struct ws_quick_field {
    uint64_t mask, sign;
    uint16_t offset; /* in bytes, from a place that is said */
    uint16_t index;  /* in the record's fields */
};
static inline int64_t ws_quick_value(const struct ws_quick_field *field, const uint8_t *at)
{
    uint64_t bits;

    memcpy(&bits, at + field->offset, sizeof bits);
    return (int64_t)(((bits & field->mask) ^ field->sign) - field->sign);
}

/* Where a parameter of an event comes from: a field of the operation's record, or of its completion. */
struct ws_bound_param {
    uint16_t field;
    bool final;
    enum { WS_PARAM_PLAIN, WS_PARAM_STRING, WS_PARAM_COMM, WS_PARAM_COMM_RANK, WS_PARAM_WINDOW } how;
    struct ws_quick_field
        quick;        /* where it is in a quick record of the operation; of a constant nothing is, and */
    int64_t constant; /* this is added */
};
/* Where the values of a number's key are, if those of an operation's record are taken as they are. */
struct ws_bound_key {
    bool direct; /* that is so */
    bool packed; /* and in a quick record those that are not constant are bits of one word there: */
    uint16_t offset; /* from the start of the fields */
    uint32_t number; /* unlike all others' */
    uint64_t mask;
    uint8_t field[WS_MOST_KEY];
};
struct ws_bound_record {
    const struct ws_record *record;
    enum ws_role role;
    bool may_wait; /* its call does more than start operations: what a process computes is divided by it */
    /* What is stored, [0] in full records, [1] in short ones: the fields that no string stands before, their
     * bytes, and how many there are in all.  wanted: how many of the former a reading looks at. */
    struct ws_bound_field *stored[2];
    size_t stored_count, fixed_count, wanted[WS_READINGS], fixed_bytes[2];
    bool quick; /* in short records all fields are WS_FIELD_NUMBER, and none is called "from" */
    size_t constant_count;
    struct ws_bound_constant {
        uint8_t index; /* in the record's fields */
        int64_t value;
    } * constants;
    int request, from, comm, cancelled; /* the fields of these names, or -1 */
    bool resolves;                      /* its operation takes final values from its completion: a receive */
    int completion;                     /* place among the kinds of role COMPLETE, or -1 */
    bool brings;                        /* ... that says more than that the operation is complete */
    bool ends;                          /* ... that says no more */
    int type;                           /* event type of the knowledge base that it forms, or -1 */
    size_t own_count;                   /* numbers of its own that this has */
    const char *type_name;              /* of the event type in the trace; "" for none */
    int *fields;                        /* [param_count of the type]: field that holds it */
    /* [param_count] without a completion, then as many for each kind of completion */
    struct ws_bound_param *params;
    uint64_t final_by;    /* a bit for each kind of completion that brings the value of a parameter */
    uint16_t *translated; /* those that are not WS_PARAM_PLAIN, without a completion */
    size_t translated_count;
    struct ws_bound_key *keys; /* [number_count of the type] */
};

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
    /* Of short records of numbers alone, which are nearly all: */
    bool quick;
    bool passes;                 /* the end of an operation, in the call of the record before, and no more */
    uint8_t request;             /* field of this name, or one that no record has */
    uint8_t wanted[WS_READINGS]; /* how many of the fields, and of the constants: */
    uint8_t constants[WS_READINGS];
    uint16_t bytes;              /* of the whole record */
    uint32_t duration_mask;
    const struct ws_quick_field *fields; /* from the record's first byte on */
};

struct ws_binding {
    struct ws_arena arena;
    struct ws_bound_opening openings[256];
    size_t plenty; /* with so many bytes at hand nothing in a quick record can be cut off: eight may be read
                      at each field */
    const struct ws_schema *trace;
    struct ws_bound_record *records; /* as the trace's */
    size_t record_count, completions, most_fields;
    uint32_t key_count;
    struct ws_bound_type *types; /* as the knowledge base's */
    size_t type_count, most_numbers;
    size_t event_bytes;   /* of the largest event, with the function that made it behind (ws_event_maker) */
    const char **missing; /* types of the knowledge base that no record forms */
    size_t missing_count;
};

int ws_binding_make(struct ws_binding *binding, const struct ws_schema *trace, const struct ws_schema *want,
                    struct ws_error *error);
void ws_binding_free(struct ws_binding *binding);
/* The values of a quick record whose fields lie there, with eight bytes to read at each, but for the upper
 * half of its request; one of them. */
int64_t ws_bound_value(const struct ws_bound_record *record, const uint8_t *fields, size_t index);
void ws_bound_values(const struct ws_bound_record *record, const uint8_t *fields, union ws_value *values);

#endif
