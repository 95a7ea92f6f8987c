/* Reading a trace: events of all ranks in one order, clocks corrected, requests resolved, channel
 * numbers counted.  docs/trace.md describes the files. */
#ifndef WS_TRACE_TRACE_H
#define WS_TRACE_TRACE_H

#include "trace/schema.h"
#include "util/error.h"
#include "util/value.h"

struct ws_trace;

/* Opens DIR.  `want` is the schema of the knowledge base in use: events come with its types and slots;
 * records of the trace that it does not know are only used for attributes.  Reads each stream once to
 * index it.  A truncated or damaged stream is read up to the damage (ws_trace_warnings tells); a trace
 * without any readable stream is an error. */
struct ws_trace *ws_trace_open(const char *directory, const struct ws_schema *want, struct ws_error *error);
/* The same while the run goes on: the trace as it is now, however it grows meanwhile.  A rank that has not
 * begun or not ended is no fault of it; that none has begun is an error. */
struct ws_trace *ws_trace_open_growing(const char *directory, const struct ws_schema *want,
                                       struct ws_error *error);
void ws_trace_close(struct ws_trace *trace);

/* For members that share the reading of a trace: each opens the ranks from `first` to `end` - 1, perhaps
 * none.  What is known of the whole (info, warnings, whether there is anything) is known when the others'
 * packed facts, in the order of the ranks, have been unpacked, and ws_trace_conclude has been called: it
 * fails where ws_trace_open would. */
struct ws_trace *ws_trace_open_part(const char *directory, const struct ws_schema *want, uint32_t first,
                                    uint32_t end, struct ws_error *error);
void ws_trace_pack(const struct ws_trace *trace, struct ws_text *out);
int ws_trace_unpack(struct ws_trace *trace, const struct ws_text *in, struct ws_error *error);
int ws_trace_conclude(struct ws_trace *trace, const char *directory, struct ws_error *error);
/* Ranks in unknown communicators, so far; the sum over all members is told as a warning at the end. */
uint64_t ws_trace_untranslated(const struct ws_trace *trace);
void ws_trace_tell_untranslated(struct ws_trace *trace, uint64_t untranslated);
/* The bytes of all streams, and how many ranks have one; 0 where the folder cannot be read. */
uint64_t ws_trace_bytes(const char *directory, uint32_t *ranks);
/* Shares the ranks among members so that each has about as many bytes: member m has the ranks from first[m]
 * to first[m + 1] - 1; first[members] is the greatest rank that left a stream, + 1. */
int ws_trace_split(const char *directory, uint32_t members, uint32_t *first, struct ws_error *error);

/* The next event by (end, rank, thread, place in the stream); its mark is its number in this order.  Returns 1 and *event (borrowed until the
 * next call; its strings until the trace is closed), 0 at the end, -1 on error. */
int ws_trace_next(struct ws_trace *trace, const struct ws_event **event, struct ws_error *error);

/* For those who show what was recorded: asked before the first ws_trace_next, which then gives more than events.
 * Before all that comes of a call, the call itself: type WS_TRACE_CALL, of the attributes t, d, end, process, site,
 * function and call alone.  And of an operation that ends with a later call its start: the event's type |
 * WS_TRACE_STARTED, the parameters as they were asked for (a peer perhaps -2), t ... site those of the starting call.
 * `mark` is the same in a start and in the event that comes of it, and differs from the process's others; 0: the
 * call is the whole operation.  The thread is the upper half of `call`. */
#define WS_TRACE_CALL UINT32_MAX
#define WS_TRACE_STARTED (UINT32_C(1) << 31)
void ws_trace_tell_calls(struct ws_trace *trace);

/* For those who add up, likewise: calls that were only counted since their site had had its share (--sample).
 * An event's type | WS_TRACE_COUNTED stands for so many as `call` says, whose bytes together are in `before_d`.  Of its
 * parameters those that its numbers are counted by are known, the others are 0; t is the moment at which they were
 * told, and d is 0. */
#define WS_TRACE_COUNTED (UINT32_C(1) << 30)
void ws_trace_tell_counted(struct ws_trace *trace);

/* Of an event just given by ws_trace_next: the function by whose trace rule it was formed.  That is the one called
 * at posted_site, but for a persistent request it is the one that made it. */
const char *ws_trace_maker(const struct ws_trace *trace, const struct ws_event *event);

/* Who a process's peers are on a communicator (the identity as in its events), by their rank there: ranks in
 * MPI_COMM_WORLD, -1 those of another world.  *ranks NULL: each has the same rank in both.  Gives their number;
 * 0: not known.  Borrowed until the trace is closed. */
uint32_t ws_trace_peers(const struct ws_trace *trace, uint32_t rank, int64_t comm, const int32_t **ranks);

/* The name that a process gave to a value of its events' parameters of this name (a message type's); NULL: none.
 * Borrowed until the trace is closed. */
const char *ws_trace_name(const struct ws_trace *trace, uint32_t rank, const char *param, int64_t value);

/* The least end that an event still to come can have (INT64_MAX: none comes), for what was read so far. */
int64_t ws_trace_next_end_ns(const struct ws_trace *trace);
/* No event still to come has its t before this moment (recomputed now and then, so it may lag). */
int64_t ws_trace_low_ns(const struct ws_trace *trace);
/* The same for the events of one rank, as things are now. */
int64_t ws_trace_rank_low_ns(const struct ws_trace *trace, uint32_t rank);

struct ws_phase { /* as the program marked it: up to the next one of its process */
    int64_t begin_ns;
    const char *name;
};
struct ws_counted { /* calls of one site that were only counted, since it had had its share (--sample) */
    const char *function, *module; /* called, and where: site (ws_trace_site_add) */
    uint64_t offset;
    uint64_t calls, bytes, total_ns, longest_ns; /* of all ranks */
};
struct ws_trace_rank {
    uint32_t rank;
    bool present;            /* has a stream */
    uint32_t threads;        /* that made recorded calls */
    bool finished;           /* has an END record */
    int64_t begin_ns, end_ns; /* from the BEGIN record to END, or to the last record */
    int64_t call_ns;         /* time inside recorded calls (each call once), summed over threads */
    int64_t stopped_ns;      /* time in which recording was stopped */
    const struct ws_phase *phases; /* in order of time */
    size_t phase_count;
    uint64_t calls;          /* recorded calls, also those that left no record: a test in vain */
    uint64_t records, bytes; /* of all its streams */
    uint64_t lost;           /* discarded by the recorder */
    int64_t cost_ns;         /* estimated cost of recording: calls * cost each + flushes */
    const char *host;
};
struct ws_trace_info {
    uint32_t ranks;                    /* size of MPI_COMM_WORLD */
    const struct ws_trace_rank *rank;  /* [ranks] */
    const char *library;               /* the MPI's version string */
    const char *executable;
    uint64_t incomplete;               /* operations started and not completed at the end */
    uint32_t clocks;                   /* that the ranks' times are of; all are corrected to rank 0's */
    int64_t clock_error_ns;            /* greatest error of a comparison of two of them */
    const struct ws_counted *counted;  /* by total time, the greatest first */
    size_t counted_count;
};
const struct ws_trace_info *ws_trace_info(const struct ws_trace *trace); /* borrowed */
/* How many phases of a rank have begun at a moment: the number of the one that lasts, from 1. */
size_t ws_trace_phases_begun(const struct ws_trace_rank *rank, int64_t ns);
/* The phase that a rank is in at a moment; "" before the first mark, or for an unknown rank. */
const char *ws_trace_phase_at(const struct ws_trace_info *info, uint32_t rank, int64_t ns);
/* What is wrong with the trace, one sentence each (missing rank, truncated stream, type not recorded). */
const char *const *ws_trace_warnings(const struct ws_trace *trace, size_t *count);

/* A call site, resolved on first use by libdw: borrowed from the trace. */
struct ws_site {
    const char *function; /* "main", or "" */
    const char *file;     /* as in the debug information, or "" */
    int line;             /* 0: unknown */
    const char *module;   /* path */
    uint64_t offset;
};
/* The index of a site by what it is, wherever that was found; the module is copied. */
int64_t ws_trace_site_add(struct ws_trace *trace, const char *module, uint64_t offset);
/* The module and offset of a site, without looking into the module; "" and 0 for the unknown one. */
const char *ws_trace_site_place(const struct ws_trace *trace, int64_t site, uint64_t *offset);
/* A string of the trace: equal ones have one address.  Lives until the trace is closed. */
const char *ws_trace_string(struct ws_trace *trace, const char *text);
/* Sites with equal module and offset have one index over all ranks; index 0 is unknown (all empty). */
const struct ws_site *ws_trace_site(struct ws_trace *trace, int64_t site);

/* Finds all call sites of a trace that was just recorded, and keeps their names in its folder: the program may be
 * built anew before the trace is read.  Not of a trace of more bytes than `most`, which takes long to look through. */
int ws_trace_keep_places(const char *directory, const struct ws_schema *want, uint64_t most, struct ws_error *error);

#endif
