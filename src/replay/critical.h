/* The critical path of a run: the one chain of computations, calls and messages that its wall time consists
 * of.  What lies on it makes the run longer by as much as it is longer itself. */
#ifndef WS_REPLAY_CRITICAL_H
#define WS_REPLAY_CRITICAL_H

#include "replay/waiting.h"

enum ws_segment_kind {
    WS_SEGMENT_COMPUTATION, /* between two calls of a thread */
    WS_SEGMENT_IO,          /* in a call that works on a file */
    WS_SEGMENT_CALL,        /* in another call, not waiting: transfer, copies, the library's work */
    WS_SEGMENT_OUTSIDE,     /* before the rank's recording begins, or after it ended */
    WS_SEGMENT_KINDS,
};
extern const char *const ws_segment_kind_names[WS_SEGMENT_KINDS]; /* "computation", "io", "call", "outside" */

struct ws_segment {
    enum ws_segment_kind kind;
    uint32_t lane;
    uint32_t from, to; /* steps: a computation lies between two of these calls (WS_NOTHING: begin, end of the
                          recording); a call is `to` */
    int64_t begin_ns, end_ns;
};
struct ws_critical_path {
    struct ws_segment *segments; /* in order of time; each begins where the one before ended */
    size_t count, capacity;
};

/* Walks back from the end of the rank that ended last: along a thread, and where a call waited, from the
 * moment that it waited for on along the other thread.  The segments add up to the run's wall time. Linear.
 */
void ws_critical_path_find(struct ws_critical_path *path, const struct ws_waiting *waiting);
void ws_critical_path_free(struct ws_critical_path *path);

#endif
