/* Who sent how much to whom in a recorded run: the transfers of its events (rules/kb.h), added up.  What
 * counts is in docs/exchange.md.  Sums that 63 bits cannot hold stay at INT64_MAX, which a warning tells. */
#ifndef WS_EXCHANGE_EXCHANGE_H
#define WS_EXCHANGE_EXCHANGE_H

#include "rules/kb.h"
#include "trace/trace.h"

struct ws_sum {
    uint64_t messages, bytes;
};
struct ws_pair {
    uint32_t from, to;
    struct ws_sum sum;
};
/* What one kind of transfer, function, type, call site and class of sizes moved. */
struct ws_part {
    enum ws_transfer_kind kind;
    const char *function, *type; /* "MPI_Send", "tag 7" ("": of no type) */
    uint32_t site;               /* index in ws_exchange.sites */
    unsigned size;               /* class, see ws_size_least */
    struct ws_pair *pairs;       /* by from and to; NULL where they are left out */
    size_t pair_count;
    struct ws_sum sum;
};
struct ws_span {              /* a phase of the program, or a slot of time */
    const char *name;         /* of a phase: "" before the first one; a slot has none */
    int64_t begin_ns, end_ns; /* of a slot, since the beginning of the run */
    struct ws_sum sum, kinds[WS_TRANSFER_KINDS];
    uint64_t *received; /* bytes, by place; NULL where there are too many */
};
struct ws_exchange {
    struct ws_arena arena;
    const char *runtime, *command, *library;
    const char *place; /* what a process is called: "rank", "place", "image" */
    uint32_t first;    /* number of the first one, as people count: 0, or 1 for images */
    uint32_t places;
    struct ws_sum sum, kinds[WS_TRANSFER_KINDS];
    struct ws_pair *pairs; /* all kinds together, by from and to */
    size_t pair_count;
    bool pairs_left_out;            /* collectives of so many processes that they stand in the sums alone */
    struct ws_sum *sent, *received; /* by place */
    struct ws_part *parts;          /* by kind, function, type, site and size */
    size_t part_count;
    const struct ws_site *sites; /* site 0 is unknown */
    size_t site_count;
    struct ws_span *slots, *phases; /* phases as they first begin */
    size_t slot_count, phase_count;
    const char **nodes; /* hosts; "" unknown */
    uint32_t *node_of;  /* by place */
    uint32_t node_count;
    struct ws_sum elsewhere; /* to or from processes that are none of the run's own */
    struct ws_sum unplaced;  /* of which it is not known between whom: not in the sums */
    struct {                 /* what it cost to know this, and what is missing */
        uint64_t calls, events, lost, counted_calls, incomplete;
        int64_t cost_ns, stopped_ns, total_ns; /* summed over the places; total: of their time */
        uint32_t recorded;                     /* places that left a stream */
    } recording;
    const char **warnings;
    size_t warning_count;
};

struct ws_exchange_options {
    unsigned kinds;                                /* 1 << kind of those that count; 0: all */
    const char *function;                          /* only what this one moves; NULL: all */
    const char *phase;                             /* only what is moved in phases of this name; NULL: all */
    unsigned slots;                                /* how many slots of time; 0: the default */
    void (*progress)(double share, void *context); /* or NULL */
    void *context;
};
#define WS_EXCHANGE_SLOTS 20

/* Reads the trace in a folder by the rules of its runtime.  *exchange is ready (ws_exchange_free) where it
 * gives 0. */
int ws_exchange_read(const char *directory, const struct ws_kb *kb, const struct ws_exchange_options *options,
                     struct ws_exchange *exchange, struct ws_error *error);
void ws_exchange_free(struct ws_exchange *exchange);

/* Classes of message sizes: 0 has 0 bytes, class c from 2^(c-1) to 2^c - 1. */
#define WS_SIZE_CLASSES 65
unsigned ws_size_class(uint64_t bytes);
uint64_t ws_size_least(unsigned size);
uint64_t ws_size_most(unsigned size);

/* What a part moved from one place to another; NULL: nothing, or it is not listed. */
const struct ws_pair *ws_part_pair(const struct ws_part *part, uint32_t from, uint32_t to);

void ws_sum_add(struct ws_sum *sum, struct ws_sum more);

#endif
