/* Lists in an arena that grow: WS_APPEND(arena, list, count) = element;
 * The capacity is not kept: it is the power of two that `count` last reached. */
#ifndef WS_RULES_APPEND_H
#define WS_RULES_APPEND_H

#include "util/alloc.h"

#include <string.h>

static inline void *ws_append_room(struct ws_arena *arena, void *list, size_t count, size_t size)
{
    void *larger;

    if (count & (count - 1))
        return list;
    larger = ws_arena_alloc(arena, (count ? 2 * count : 1) * size);
    if (count)
        memcpy(larger, list, count * size);
    return larger;
}

#define WS_APPEND(arena, list, count)                                                                        \
    (*((list) = ws_append_room((arena), (list), (count), sizeof *(list)), &(list)[(count)++]))

#endif
