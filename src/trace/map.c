#include "trace/map.h"

#include "util/alloc.h"

#include <stdlib.h>

uint64_t ws_map_get(const struct ws_map *map, uint64_t key)
{
    return map->capacity ? ws_map_place(map, key)->value : 0;
}

void ws_map_grow(struct ws_map *map)
{
    struct ws_map bigger = {.capacity = map->capacity ? 2 * map->capacity : 16, .count = map->count};

    bigger.entries = ws_alloc_array(bigger.capacity, sizeof *bigger.entries);
    for (size_t i = 0; i < map->capacity; i++)
        if (map->entries[i].value)
            *ws_map_place(&bigger, map->entries[i].key) = map->entries[i];
    free(map->entries);
    *map = bigger;
}

void ws_map_put(struct ws_map *map, uint64_t key, uint64_t value)
{
    ws_map_reach(map, key)->value = value;
}

/* Entries that stood behind the removed one because of it move up, so that no marks are left. */
void ws_map_take_out(struct ws_map *map, struct ws_map_entry *entry)
{
    size_t mask = map->capacity - 1, hole = (size_t)(entry - map->entries), at;

    for (at = (hole + 1) & mask; map->entries[at].value; at = (at + 1) & mask)
        if (((at - ws_map_home(map, map->entries[at].key)) & mask) >= ((at - hole) & mask)) {
            map->entries[hole] = map->entries[at];
            hole = at;
        }
    map->entries[hole].value = 0;
    map->count--;
}

void ws_map_remove(struct ws_map *map, uint64_t key)
{
    struct ws_map_entry *entry = ws_map_find(map, key);

    if (entry)
        ws_map_take_out(map, entry);
}

void ws_map_free(struct ws_map *map)
{
    free(map->entries);
    *map = (struct ws_map){0};
}
