/* The clocks of a trace, brought to that of rank 0.  A clock domain is the set of processes whose times are
 * of one clock (one boot of a machine, one time namespace).  One process of each other domain, its leader,
 * compared its clock with rank 0's after MPI_Init and before MPI_Finalize; between and around the two the
 * difference is taken to be linear.  Without a second comparison it is constant; without any the times of day
 * at the start are compared, which is good for milliseconds.  This is the one place where times are
 * corrected. */
#ifndef WS_TRACE_CLOCK_H
#define WS_TRACE_CLOCK_H

#include "trace/layout.h"

#include <stdbool.h>
#include <stddef.h>

enum ws_alignment {
    WS_ALIGNED_BY_WALL, /* the times of day */
    WS_ALIGNED_ONCE,    /* one comparison */
    WS_ALIGNED_TWICE,
    WS_ALIGNED_SAME, /* it is rank 0's clock */
};
struct ws_clock {
    uint64_t domain;
    uint32_t number; /* from 1 */
    uint32_t rank;   /* one of its processes; 0 where that is one */
    enum ws_alignment alignment;
    struct ws_record_offset first, last; /* as far as they were measured */
    uint64_t begin_ns, wall_ns;          /* own clock and time of day at one moment */
    int64_t from_ns, offset_ns;          /* the correction: offset_ns at from_ns (own clock) */
    double drift;                        /* ... and so much more for each ns */
};
/* A zeroed struct is empty. */
struct ws_clocks {
    struct ws_clock **list;
    size_t count, capacity;
};

/* The clock of a domain, made where there is none yet; owned by clocks. */
struct ws_clock *ws_clocks_get(struct ws_clocks *clocks, uint64_t domain, uint32_t rank);
/* A leader's comparison. */
void ws_clock_compared(struct ws_clock *clock, const struct ws_record_offset *offset);
/* Once all are known: finds the corrections. */
void ws_clocks_align(struct ws_clocks *clocks);
/* Greatest error of its comparisons, in ns. */
int64_t ws_clock_error_ns(const struct ws_clock *clock);
void ws_clocks_free(struct ws_clocks *clocks);

/* The moment on rank 0's clock; keeps the order of moments.  NULL: as it is. */
int64_t ws_clock_correct(const struct ws_clock *clock, int64_t ns);

#endif
