/* For whom each call of a run waited, and since when the two had not met: what the search for causes rests
 * on. */
#ifndef WS_REPLAY_WAITING_H
#define WS_REPLAY_WAITING_H

#include "replay/graph.h"

struct ws_waiting {
    const struct ws_graph *graph; /* borrowed */
    int64_t *wait_ns;             /* [step_count] ws_step_wait_ns */
    uint32_t *binding; /* [step_count] the need that was there last, of a step that waited; else WS_NOTHING */
    uint32_t *other;   /* [need_count] the step of another thread with whose begin or end it was there */
    int64_t *moment_ns; /* [need_count] when it was there */
    int64_t *since_ns; /* [need_count] the latest moment at which the two had met before: they had exchanged a
                          message, or both taken part in an operation of all; not after the call that waits
                          was made */
};

/* Linear in steps and needs.  ws_waiting_free. */
void ws_waiting_find(struct ws_waiting *waiting, const struct ws_graph *graph);
void ws_waiting_free(struct ws_waiting *waiting);

#endif
