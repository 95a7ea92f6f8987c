/* Causes by their places in the source, as reports tell them. */
#ifndef WS_REPLAY_ORIGINS_H
#define WS_REPLAY_ORIGINS_H

#include "diagnosis/diagnosis.h"
#include "replay/delays.h"

struct ws_origins {
    struct ws_origin *list; /* by cost, the greatest first */
    size_t count;
    int64_t total_ns; /* of all, also those that were left out */
};

/* Of the costs in the columns from `column` to `column` + `columns` - 1, the first of which holds direct
 * costs if there are several.  Keeps `most`.  All lives in the arena. */
void ws_origins_make(const struct ws_delays *delays, size_t column, size_t columns, size_t most,
                     struct ws_arena *arena, struct ws_origins *origins);
/* A step's call, from the arena; NULL for WS_NOTHING. */
const struct ws_place *ws_step_place(const struct ws_graph *graph, uint32_t step, struct ws_arena *arena);

/* Fills where the waiting of each of the diagnosis's problems began.  waits: the times of waiting that the
 * problems were made of, sorted by group; groups: [problem_count] the group of each problem there. */
void ws_origins_fill(const struct ws_waiting *waiting, const struct ws_waited *waits, size_t wait_count,
                     const uint32_t *groups, struct ws_diagnosis *diagnosis);

#endif
