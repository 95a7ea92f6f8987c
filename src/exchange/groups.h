/* Groups of processes that get (or give) the same: members of a communicator that follow each other in it. */
#ifndef WS_EXCHANGE_GROUPS_H
#define WS_EXCHANGE_GROUPS_H

#include "exchange/exchange.h"

#include "trace/map.h"

struct ws_members {
    const int32_t *ranks; /* of the communicator, borrowed from the trace; NULL: member i is place i */
    uint32_t first, count;
    struct ws_members *next; /* of the same hash */
    uint32_t number;
};
struct ws_member_groups { /* a zeroed struct is empty; number 0 is no group */
    struct ws_members **list;
    size_t count, capacity;
    struct ws_map by_hash;
    struct ws_arena arena;
};

/* The number of members `first` … `first + count - 1` of a communicator. */
uint32_t ws_groups_number(struct ws_member_groups *groups, const int32_t *ranks, uint32_t first,
                          uint32_t count);
const struct ws_members *ws_groups_at(const struct ws_member_groups *groups, uint32_t number);
/* The place of a group's member: -1 a process of another world, -2 nobody. */
static inline int32_t ws_member_place(const struct ws_members *members, uint32_t index)
{
    return members->ranks ? members->ranks[members->first + index] : (int32_t)(members->first + index);
}
void ws_member_groups_free(struct ws_member_groups *groups);

#endif
