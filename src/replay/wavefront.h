/* Serialised wavefronts: a rank waits for the message of another one, which has waited for the message of a
 * third, received it and computed, and so on: each rank's lateness is its predecessor's, and one such stage
 * more.  The waits grow from rank to rank by that stage.  (Where one delay merely travels they do not: that
 * is a cause like others.) */
#ifndef WS_REPLAY_WAVEFRONT_H
#define WS_REPLAY_WAVEFRONT_H

#include "replay/waiting.h"

struct ws_wavefront {               /* of all sweeps whose messages are received and sent by the same calls */
    uint32_t receive, send;         /* steps: one of the calls that wait, one of those that they wait for */
    uint32_t first_lane, last_lane; /* where the longest sweep began and ended */
    uint32_t ranks;                 /* in the longest sweep, with the one that it begins at */
    uint64_t sweeps, waits;
    int64_t wait_ns;   /* of all its waits */
    int64_t stage_ns;  /* what a rank takes to receive and compute before the next one can go on: mean */
    int64_t period_ns; /* from a sweep to the next one: mean; 0: there is only one */
};
struct ws_wavefronts {
    struct ws_wavefront *list; /* in order of time */
    size_t count, capacity;
    uint32_t
        *of_step; /* [step_count] number of the wavefront that the step's wait belongs to, or WS_NOTHING */
};

void ws_wavefronts_find(struct ws_wavefronts *wavefronts, const struct ws_waiting *waiting);
void ws_wavefronts_free(struct ws_wavefronts *wavefronts);

#endif
