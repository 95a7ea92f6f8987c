#include "trace/comms.h"

#include "util/alloc.h"
#include "util/text.h"

#include <stdlib.h>
#include <string.h>

struct ws_group *ws_groups_get(struct ws_groups *groups, const uint8_t *ranks, uint32_t size)
{
    size_t bytes = (size_t)size * sizeof(int32_t);
    uint64_t hash = ws_hash(WS_HASH_START, ranks, bytes);
    struct ws_group *first = (struct ws_group *)(uintptr_t)ws_map_get(&groups->by_hash, hash), *group;

    for (group = first; group; group = group->next)
        if (group->size == size && memcmp(group->ranks, ranks, bytes) == 0)
            return group->users++, group;
    group = ws_alloc(sizeof *group + bytes);
    *group = (struct ws_group){.next = first, .hash = hash, .users = 1, .size = size};
    memcpy(group->ranks, ranks, bytes);
    ws_map_put(&groups->by_hash, hash, (uintptr_t)group);
    return group;
}

static void give_back(struct ws_groups *groups, struct ws_group *group)
{
    struct ws_group *first = (struct ws_group *)(uintptr_t)ws_map_get(&groups->by_hash, group->hash),
                    **at = &first;

    if (--group->users)
        return;
    while (*at != group)
        at = &(*at)->next;
    *at = group->next;
    if (first)
        ws_map_put(&groups->by_hash, group->hash, (uintptr_t)first);
    else
        ws_map_remove(&groups->by_hash, group->hash);
    free(group);
}

struct ws_group *ws_groups_longer(struct ws_groups *groups, struct ws_group *begin, const uint8_t *ranks,
                                  uint32_t size)
{
    uint8_t *all = ws_alloc_array((size_t)begin->size + size, sizeof *begin->ranks);
    struct ws_group *group;

    memcpy(all, begin->ranks, (size_t)begin->size * sizeof *begin->ranks);
    memcpy(all + (size_t)begin->size * sizeof *begin->ranks, ranks, (size_t)size * sizeof *begin->ranks);
    group = ws_groups_get(groups, all, begin->size + size);
    free(all);
    give_back(groups, begin);
    return group;
}

void ws_groups_free(struct ws_groups *groups)
{
    for (size_t i = 0; i < groups->by_hash.capacity; i++) {
        struct ws_group *group = (struct ws_group *)(uintptr_t)groups->by_hash.entries[i].value;
        while (group) {
            struct ws_group *next = group->next;
            free(group);
            group = next;
        }
    }
    ws_map_free(&groups->by_hash);
}
