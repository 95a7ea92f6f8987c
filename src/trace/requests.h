/* The operations of one process that a call started and no call completed yet, by the value of their
 * request's handle.
 *
 * A handle's value is free again as soon as the MPI completed its operation, which is before the completing
 * call returns, and another thread may get it at once.  So the records of a process come here in the order in
 * which they can have had their effect: what makes a handle by the end of its call, what ends one by the
 * start (ws_process_next).  Then each handle has one operation at a time, but for what needs no waiting:
 * MPICH gives all small sends one and the same handle.  Those are completed in the order of their starts.  A
 * receive never shares its handle, so whatever a newcomer meets there was completed by a call that is not in
 * the trace: it is lost. */
#ifndef WS_TRACE_REQUESTS_H
#define WS_TRACE_REQUESTS_H

#include "trace/map.h"
#include "trace/binding.h"

/* A recorded call.  What comes before end_ns are the attributes of an event from WS_ATTR_POSTED to
 * WS_ATTR_BEFORE_FUNCTION. */
struct ws_call {
    int64_t t_ns;
    int64_t site; /* of the trace */
    const char *function;
    int64_t compute_ns;
    const char *before;
    int64_t before_ns;
    const char *before_function;
    int64_t end_ns;
    int64_t number; /* on its process */
};

struct ws_operation {
    struct ws_operation *next;            /* of this handle; the last one's next is the first */
    const struct ws_bound_record *record; /* of the call that started it, or made it */
    const uint8_t *fields;                /* of that record, if it is quick; else their values are kept: */
    union ws_value *values;
    bool persistent, active, ended;
    const char *made_by;         /* the function called then */
    int64_t made;                /* the number of that call */
    struct ws_operation *joined; /* the next that the same call made of the same handle: they live together */
    uint32_t serial;             /* where starts are told: of this activation among all of its process */
    uint64_t posting;            /* first of its places among the process's numbered postings */
    struct ws_call posted;       /* the starting call */
    int64_t numbers[];           /* as its type's */
};

enum ws_outcome {
    WS_NOTHING,
    WS_POSTED, /* *operation became active */
    WS_FORMED, /* *operation makes an event, with the final values of this record where it completes */
    WS_DROPPED /* *operation ended without an event: cancelled, or a receive let go of */
};

struct ws_requests {
    struct ws_map by_handle;   /* -> last struct ws_operation of the handle */
    struct ws_operation *free; /* to use again */
    size_t until_sweep;        /* so many handles */
    size_t most_numbers, operation_bytes;
    /* Called for each active operation that will never be completed; not for those joined to it. */
    void (*lost)(void *context, const struct ws_operation *operation);
    void *context;
};

void ws_requests_init(struct ws_requests *requests, const struct ws_binding *binding,
                      void (*lost)(void *, const struct ws_operation *), void *context);
/* The first half of a CONTINUE record: takes the operation out of the handle in `from`; NULL: there is none.
 */
struct ws_operation *ws_requests_take_out(struct ws_requests *requests, const struct ws_bound_record *record,
                                          const union ws_value *values);
/* What a record of role START … CONTINUE does, and the call that it is of.  *operation is valid until the
 * next call, as are those joined to it, of which the same is true; for CONTINUE it is what
 * ws_requests_take_out gave.  `fields` are those of a quick record, else NULL. */
enum ws_outcome ws_requests_apply(struct ws_requests *requests, const struct ws_bound_record *record,
                                  const uint8_t *fields, const union ws_value *values,
                                  const struct ws_call *call, struct ws_operation **operation);
/* Loses what is still active and frees all. */
void ws_requests_finish(struct ws_requests *requests);

#endif
