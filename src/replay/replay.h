/* The run once more, with something changed: what would have taken how long. */
#ifndef WS_REPLAY_REPLAY_H
#define WS_REPLAY_REPLAY_H

#include "replay/graph.h"

/* What becomes of a need. */
enum ws_need_change {
    WS_NEED_KEPT,
    WS_NEED_EARLIER,  /* what is needed begins before the computation that stands before it */
    WS_NEED_DEFERRED, /* not this call waits for it, but the next one of the thread */
    WS_NEED_DROPPED,
};
/* What is changed of a run; NULL: nothing of this kind. */
struct ws_replay_change {
    const unsigned char *needs; /* [need_count]: enum ws_need_change */
    const int64_t *compute_ns;  /* [step_count]: computed before each step */
    const unsigned char *gone;  /* [step_count]: not 0: the call is not made */
    const int64_t *less_ns;     /* [step_count]: by so much its own time is shorter */
};
struct ws_replayed {
    int64_t *enter_ns, *exit_ns; /* [step_count] */
    int64_t wall_ns;             /* from the begin of the run to the last end */
};

/* Replays in order of the steps: linear in steps, needs and attendants.  Without a change the times are those of the
 * recording.  ws_replayed_free. */
void ws_replay(const struct ws_graph *graph, const struct ws_replay_change *change, struct ws_replayed *replayed);
void ws_replayed_free(struct ws_replayed *replayed);
/* The run's time alone. */
int64_t ws_replay_wall_ns(const struct ws_graph *graph, const struct ws_replay_change *change);

#endif
