/* What removing a problem's cause would gain of the run's time: the run is replayed without it. */
#ifndef WS_REPLAY_GAIN_H
#define WS_REPLAY_GAIN_H

#include "diagnosis/diagnosis.h"
#include "replay/replay.h"

/* Changes of one run, which add up. */
struct ws_scenario {
    const struct ws_graph *graph;
    unsigned char *needs; /* as in struct ws_replay_change */
    unsigned char *gone;
    int64_t *compute_ns, *less_ns;
};
void ws_scenario_init(struct ws_scenario *scenario, const struct ws_graph *graph);
void ws_scenario_free(struct ws_scenario *scenario);
/* What the remedy says is done wherever the program makes the calls that wait; NONE: these waits end as if what they
 * wait for was there, and nothing is changed of other calls. */
void ws_scenario_remedy(struct ws_scenario *scenario, enum ws_remedy remedy, const struct ws_waited *waits, size_t count);
int64_t ws_scenario_wall_ns(const struct ws_scenario *scenario);

/* The waits of a diagnosis, kept while it is made.  A zeroed struct with `most` is empty. */
struct ws_gain_waits {
    size_t most;             /* of more waits none are kept; 0: of any number all */
    struct ws_waited *list;
    size_t count, capacity;
    bool too_many;
};
void ws_gain_waits_add(const struct ws_waited *waited, void *waits); /* for ws_diagnosis_options.waited */
void ws_gain_waits_free(struct ws_gain_waits *waits);

/* Fills the gains of the diagnosis's problems, by replaying the trace it was made of.  most: calls beyond which it is
 * not done (ws_graph_read); then, and where there is nothing to replay, the gains stay unknown.  waits: those of this
 * diagnosis, which are sorted; NULL, or too many: it is made once more.  -1 on error. */
int ws_gains_find(const char *directory, const struct ws_kb *kb, const char *engine, uint32_t most,
                  struct ws_gain_waits *waits, struct ws_diagnosis *diagnosis, struct ws_error *error);

#endif
