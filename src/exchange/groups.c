#include "exchange/groups.h"

#include <stdlib.h>

uint32_t ws_groups_number(struct ws_member_groups *groups, const int32_t *ranks, uint32_t first,
                          uint32_t count)
{
    uint64_t hash = ws_hash(WS_HASH_START, &ranks, sizeof ranks);
    struct ws_members *same, *group;

    hash = ws_hash(hash, &first, sizeof first);
    hash = ws_hash(hash, &count, sizeof count);
    same = (struct ws_members *)(uintptr_t)ws_map_get(&groups->by_hash, hash);
    for (group = same; group; group = group->next)
        if (group->ranks == ranks && group->first == first && group->count == count)
            return group->number;
    group = ws_arena_alloc(&groups->arena, sizeof *group);
    WS_PUSH(groups->list, groups->count, groups->capacity) = group;
    *group = (struct ws_members){ranks, first, count, same, (uint32_t)groups->count};
    ws_map_put(&groups->by_hash, hash, (uintptr_t)group);
    return group->number;
}

const struct ws_members *ws_groups_at(const struct ws_member_groups *groups, uint32_t number)
{
    return groups->list[number - 1];
}

void ws_member_groups_free(struct ws_member_groups *groups)
{
    ws_map_free(&groups->by_hash);
    ws_arena_free(&groups->arena);
    free(groups->list);
}
