/* A member's part in the analysis of a trace.  In each round every member reads some events ahead; they agree
 * on the moment up to which all have read; the events before it go to the members that need them; each feeds
 * its engines with what it got, in the one order of the trace.  So nobody waits for a certain other, and
 * nobody holds more than it has read ahead. */
#ifndef WS_DIAGNOSIS_ROUNDS_H
#define WS_DIAGNOSIS_ROUNDS_H

#include "engine/engine.h"
#include "engine/partition.h"
#include "team/team.h"
#include "trace/trace.h"

struct ws_rounds {
    struct ws_team *team;
    struct ws_trace *trace; /* this member's ranks */
    const struct ws_owners *owners;
    const struct ws_partition *partition;
    const struct ws_engine_ops *ops;
    size_t ahead;                /* events that each member reads ahead; 0: as many as do well */
    struct ws_sink sink;        /* `unmatched` is not called */
    struct ws_engine **engines; /* [unit]; NULL: not on this member */
    /* Called by all members after each round: no event that is still to be fed to any engine begins before
     * low_ns, or ends before until_ns (INT64_MAX: it was the last). 0, or -1 with *error, which ends the work
     * of all. */
    int (*after)(void *context, int64_t low_ns, int64_t until_ns, struct ws_error *error);
    void *context;
};
/* Fills the sums over all members.  The same result for all, with the same error. */
int ws_rounds_run(struct ws_rounds *rounds, struct ws_engine_stats *stats, struct ws_error *error);
void ws_rounds_free(struct ws_rounds *rounds); /* its engines */

#endif
