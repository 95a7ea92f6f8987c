/* Events without a partner, each counted once, also where several units have it on several members. */
#ifndef WS_DIAGNOSIS_UNMATCHED_H
#define WS_DIAGNOSIS_UNMATCHED_H

#include "engine/engine.h"
#include "engine/partition.h"
#include "team/team.h"

struct ws_unmatched {
    struct ws_sink sink; /* for the engines */
    struct ws_sink next; /* what it passes findings on to */
    bool *shared_types;  /* [simple type]: two units or more may count its events */
    uint64_t *keys;      /* of those events: rank and mark */
    size_t count, capacity;
};
void ws_unmatched_init(struct ws_unmatched *unmatched, const struct ws_partition *partition,
                       const struct ws_sink *next);
/* all: what this member's engines counted.  Gives what all members' come to. */
uint64_t ws_unmatched_count(struct ws_unmatched *unmatched, uint64_t all, struct ws_team *team,
                            const struct ws_owners *owners);
void ws_unmatched_free(struct ws_unmatched *unmatched);

#endif
