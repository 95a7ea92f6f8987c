#include "trace/map.h"

#include "util/alloc.h"

#include <stdlib.h>

static size_t home(const struct ws_map *map, uint64_t key)
{
    key ^= key >> 32;
    key *= UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(key >> 20) & (map->capacity - 1);
}

/* Where the key is, or the free place where it belongs. */
static size_t place(const struct ws_map *map, uint64_t key)
{
    size_t at = home(map, key);
    while (map->entries[at].value && map->entries[at].key != key)
        at = (at + 1) & (map->capacity - 1);
    return at;
}

uint64_t ws_map_get(const struct ws_map *map, uint64_t key)
{
    return map->capacity ? map->entries[place(map, key)].value : 0;
}

static void grow(struct ws_map *map)
{
    struct ws_map bigger = {.capacity = map->capacity ? 2 * map->capacity : 16, .count = map->count};

    bigger.entries = ws_alloc_array(bigger.capacity, sizeof *bigger.entries);
    for (size_t i = 0; i < map->capacity; i++)
        if (map->entries[i].value)
            bigger.entries[place(&bigger, map->entries[i].key)] = map->entries[i];
    free(map->entries);
    *map = bigger;
}

struct ws_map_entry *ws_map_find(const struct ws_map *map, uint64_t key)
{
    struct ws_map_entry *entry = map->capacity ? &map->entries[place(map, key)] : NULL;
    return entry && entry->value ? entry : NULL;
}

struct ws_map_entry *ws_map_reach(struct ws_map *map, uint64_t key)
{
    struct ws_map_entry *entry;

    if (4 * (map->count + 1) > 3 * map->capacity)
        grow(map);
    entry = &map->entries[place(map, key)];
    map->count += entry->value == 0;
    entry->key = key;
    return entry;
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
        if (((at - home(map, map->entries[at].key)) & mask) >= ((at - hole) & mask)) {
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
