/* One process of a trace: the streams of its threads, read as one sequence of records in the order of their
 * effects (trace/requests.h says why), by ws_process_index and then by ws_process_step to the end. */
#ifndef WS_TRACE_PROCESS_H
#define WS_TRACE_PROCESS_H

#include "trace/comms.h"
#include "trace/merge.h"
#include "trace/numbers.h"
#include "trace/requests.h"
#include "trace/site.h"
#include "trace/stream.h"
#include "trace/strings.h"
#include "trace/trace.h"

/* What the processes of a trace have in common. */
struct ws_common {
    struct ws_binding binding;
    struct ws_groups groups;
    struct ws_strings strings;
    struct ws_sites sites;
    struct ws_clocks clocks;
    uint64_t untranslated; /* ranks in communicators that are not known */
    bool tells_calls;      /* ws_trace_tell_calls */
    bool tells_counted;    /* ws_trace_tell_counted */
    uint64_t overlaps;     /* calls that began before the thread's call before ended */
};

/* Events in places of equal size (ws_binding.event_bytes); capacity is a power of two.  At the end of a place
 * stands the function whose call made the operation. */
struct ws_ring {
    unsigned char *slots;
    size_t first, count, capacity, bytes; /* bytes: of a place */
};
static inline struct ws_event *ws_ring_event(const struct ws_ring *ring, size_t index)
{
    return (struct ws_event *)(ring->slots + ((ring->first + index) & (ring->capacity - 1)) * ring->bytes);
}
static inline const char **ws_event_maker(const struct ws_event *event, size_t bytes)
{
    return (const char **)((unsigned char *)event + bytes - sizeof(const char *));
}

struct ws_thread {
    struct ws_process *process;
    struct ws_ring ring; /* of events formed and not yet given out */
    bool more;           /* the cursor is on a record of a call, not yet read */
    struct ws_stream stream;
    struct ws_cursor cursor;

    /* the call of that record, and the one before it */
    struct ws_call call;
    uint32_t call_count;
    const char *call_type; /* of its first event type so far; "" */
    bool new_call;         /* the record is the call's first */
    int64_t idle_since_ns; /* end of the call before; -1: unknown */
    bool may_wait;         /* the call is more than the start of operations */
    bool silent;           /* recording was stopped: the record counts, and forms no event */
    int64_t silent_since_ns;
    bool sampled;               /* some calls are only counted: what was done between two is not known */
    uint64_t repeat;            /* the record stands for so many calls; 0: for itself */
    uint64_t longest_ns, bytes; /* of those, where they were counted since their site had had its share */
    bool has_statistics;
    bool unusual;   /* there is a repeat, or statistics, or it is half done */
    bool half_done; /* a CONTINUE record's operation is taken out, to be put back at the call's end */
    struct ws_operation *moving; /* that operation, or NULL */
};

/* A communicator as a process knows it. */
struct ws_comm {
    uint32_t identity;
    struct ws_group *group; /* NULL: not defined */
};

/* Calls of one site that were only counted since it had had its share. */
struct ws_counted_calls {
    int64_t site;
    const char *function;
    uint64_t calls, bytes, total_ns, longest_ns;
};

/* What a process calls a value of a parameter. */
struct ws_value_name {
    const char *param, *name; /* in ws_common.strings */
    uint64_t value;
};

struct ws_process {
    struct ws_common *common;
    uint32_t rank;
    struct ws_thread *threads;
    size_t thread_count;
    const struct ws_clock *clock; /* NULL: rank 0's */
    struct ws_merge by_effect;    /* threads with more */
    struct ws_comm *comms;        /* by index; found by ws_process_index, as are the windows' identities */
    uint32_t *windows;
    size_t comm_count, window_count;
    struct ws_requests requests;
    struct ws_numbers numbers;
    uint32_t serial; /* of the operation started last, where starts are told */

    /* found by ws_process_index */
    bool begun, finished, clock_told, indexed;
    uint32_t size; /* of MPI_COMM_WORLD; 0: unknown */
    const char *host, *library, *executable;
    int64_t begin_ns, end_ns;
    uint64_t cost_ps, flush_ns;
    uint64_t records, calls, incomplete;
    int64_t call_ns, stopped_ns;
    int64_t clock_ns, clock_off_ns; /* how far the kernel's clock was ahead at the start; how that changed */
    struct ws_counted_calls *counted;
    size_t counted_count, counted_capacity;
    struct ws_value_name *names; /* of parameters' values */
    size_t name_count, name_capacity;
    struct ws_phase *phases; /* as they began */
    size_t phase_count, phase_capacity;
};

/* process.c: where readings begin; how they go on is in trace/order.h. */

/* Goes to the first record of a call, for a reading of this thread alone. */
void ws_thread_rewind(struct ws_thread *thread, enum ws_reading reading);
/* Begins a reading of all threads. */
void ws_process_rewind(struct ws_process *process, enum ws_reading reading);
void ws_process_release(struct ws_process *process); /* all but the struct itself */

/* index.c: what is to be known before the events; and in all readings, what a built-in record defines. */
void ws_process_index(struct ws_process *process);
void ws_thread_define(struct ws_thread *thread);

/* event.c: the reading of the events. */

/* Begins it. */
void ws_process_start(struct ws_process *process);
/* Reads some more records, at most so many, and until this thread of the process has `enough` events; events
 * go to their threads' rings.  Nothing happens at the end. */
void ws_process_read(struct ws_process *process, const struct ws_thread *thread, size_t records,
                     size_t enough);
/* The next of the ring, which is not empty; taken out, it lies there until the next ws_process_read. */
static inline struct ws_event *ws_thread_first(const struct ws_thread *thread)
{
    return ws_ring_event(&thread->ring, 0);
}
static inline struct ws_event *ws_thread_take(struct ws_thread *thread)
{
    struct ws_event *event = ws_thread_first(thread);

    thread->ring.first = (thread->ring.first + 1) & (thread->ring.capacity - 1);
    thread->ring.count--;
    return event;
}

/* Where the parameters of an event are: a record, and the completion's with its final values or NULL. */
struct ws_source {
    const struct ws_bound_record *record, *completion;
    const uint8_t *fields; /* of a quick record; NULL: its values are these: */
    const union ws_value *values, *completion_values;
};
/* The values that a number is counted by; the source has values. */
void ws_source_key(struct ws_process *process, const struct ws_source *source,
                   const struct ws_bound_number *number, int64_t key[WS_MOST_KEY]);

#endif
