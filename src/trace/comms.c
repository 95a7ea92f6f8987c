#include "trace/comms.h"

#include "util/alloc.h"
#include "util/text.h"

#include <stdlib.h>
#include <string.h>

const struct ws_group *ws_groups_get(struct ws_groups *groups, const uint8_t *ranks, uint32_t size)
{
    size_t bytes = (size_t)size * sizeof(int32_t);
    uint64_t hash = ws_hash(WS_HASH_START, ranks, bytes);
    struct ws_group *first = (struct ws_group *)(uintptr_t)ws_map_get(&groups->by_hash, hash), *group;

    for (group = first; group; group = group->next)
        if (group->size == size && memcmp(group->ranks, ranks, bytes) == 0)
            return group;
    group = ws_alloc(sizeof *group + bytes);
    group->next = first;
    group->size = size;
    memcpy(group->ranks, ranks, bytes);
    ws_map_put(&groups->by_hash, hash, (uintptr_t)group);
    return group;
}

const struct ws_group *ws_groups_longer(struct ws_groups *groups, const struct ws_group *begin,
                                        const uint8_t *ranks, uint32_t size)
{
    uint8_t *all = ws_alloc_array((size_t)begin->size + size, sizeof *begin->ranks);
    const struct ws_group *group;

    memcpy(all, begin->ranks, (size_t)begin->size * sizeof *begin->ranks);
    memcpy(all + (size_t)begin->size * sizeof *begin->ranks, ranks, (size_t)size * sizeof *begin->ranks);
    group = ws_groups_get(groups, all, begin->size + size);
    free(all);
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
