/* Root causes: what made ranks wait, at the place where it began (docs/critical-path.md).
 *
 * After D. Böhme, M. Geimer, F. Wolf, L. Arnold, "Identifying the root causes of wait states in large-scale
 * parallel applications", ICPP 2010.  A wait costs what it takes.  Since the waiter and the one it waits for
 * last met, the latter has spent more time on something: its surplus is the delay.  Surplus computation, file
 * access and calls are where the wait began; where the surplus is waiting, the cost goes on to what that was
 * for.  So every nanosecond of waiting ends at one cause. */
#ifndef WS_REPLAY_DELAYS_H
#define WS_REPLAY_DELAYS_H

#include "replay/wavefront.h"

enum ws_cause_kind { WS_CAUSE_COMPUTATION, WS_CAUSE_IO, WS_CAUSE_CALL, WS_CAUSE_WAVEFRONT, WS_CAUSE_KINDS };
extern const char *const ws_cause_kind_names[WS_CAUSE_KINDS]; /* "computation", "io", "call", "wavefront" */

/* A place where waiting began. */
struct ws_cause {
    enum ws_cause_kind kind;
    uint32_t rank;      /* of a wavefront: that it begins at */
    uint32_t from, to;  /* steps: a computation lies between two of these calls (from WS_NOTHING: the begin of
                           the  recording); a call is `to` */
    uint32_t wavefront; /* of a wavefront */
    uint32_t through;   /* the need by which most of its cost came */
    int64_t through_ns;
};
struct ws_delays {
    const struct ws_waiting *waiting; /* borrowed, as the next */
    const struct ws_wavefronts *wavefronts;
    size_t columns;        /* costs are kept apart by these */
    const size_t *goes_to; /* [columns] the column of a cost once a wait has passed it on */
    int64_t *wait_costs;   /* [need_count * columns] what the causes of a need still have to answer for; given
                              by   the caller, used up */
    uint32_t *through;     /* [need_count] the need by which most of what it was passed came; or WS_NOTHING */
    int64_t *through_ns;   /* [need_count] how much that was */
    struct ws_cause *causes;
    int64_t *costs; /* [cause_count * columns] */
    size_t cause_count;
};

/* Equal for what is the same to the reader: computations between the same calls, the same call. */
uint64_t ws_cause_key(const struct ws_graph *graph, enum ws_cause_kind kind, uint32_t from, uint32_t to);

/* wait_costs is all 0 then. */
void ws_delays_init(struct ws_delays *delays, const struct ws_waiting *waiting,
                    const struct ws_wavefronts *wavefronts, size_t columns, const size_t *goes_to);
/* Takes all costs to their causes: the sum over causes of a column is what was given, to the nanosecond, but
 * for what has gone to another column. Linear, but for looking back at most 256 calls on both sides of a
 * wait. */
void ws_delays_find(struct ws_delays *delays);
void ws_delays_free(struct ws_delays *delays);

#endif
