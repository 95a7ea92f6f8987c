/* The communicators of a process: world ranks by rank in the communicator.  Processes that list the same
 * ranks share one list. */
#ifndef WS_TRACE_COMMS_H
#define WS_TRACE_COMMS_H

#include "trace/map.h"

struct ws_group {
    struct ws_group *next; /* of the same hash */
    uint64_t hash;
    uint64_t users;        /* how often it was got and not made longer */
    uint32_t size;
    int32_t ranks[];
};
/* All groups of a trace. */
struct ws_groups {
    struct ws_map by_hash;
};
/* The group of these unaligned int32; owned by groups. */
struct ws_group *ws_groups_get(struct ws_groups *groups, const uint8_t *ranks, uint32_t size);
/* The group of these and behind them more; `begin` is given back, and freed where nobody else got it. */
struct ws_group *ws_groups_longer(struct ws_groups *groups, struct ws_group *begin,
                                  const uint8_t *ranks, uint32_t size);
void ws_groups_free(struct ws_groups *groups);

#endif
