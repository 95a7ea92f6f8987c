/* A hash table from 64-bit keys to 64-bit values other than 0.  A zeroed struct is empty. */
#ifndef WS_TRACE_MAP_H
#define WS_TRACE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct ws_map_entry {
    uint64_t key, value; /* value 0: free */
};
struct ws_map {
    struct ws_map_entry *entries;
    size_t capacity, count;
};

uint64_t ws_map_get(const struct ws_map *map, uint64_t key); /* 0: not there */
void ws_map_put(struct ws_map *map, uint64_t key, uint64_t value);
void ws_map_remove(struct ws_map *map, uint64_t key);
void ws_map_free(struct ws_map *map);

/* Where the search for a key begins. */
static inline size_t ws_map_home(const struct ws_map *map, uint64_t key)
{
    key ^= key >> 32;
    key *= UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(key >> 20) & (map->capacity - 1);
}

/* In a map that is not empty: the entry of the key, or the free one where it belongs. */
static inline struct ws_map_entry *ws_map_place(const struct ws_map *map, uint64_t key)
{
    size_t at = ws_map_home(map, key);

    while (map->entries[at].value && map->entries[at].key != key)
        at = (at + 1) & (map->capacity - 1);
    return &map->entries[at];
}

/* Entries themselves, valid until the next change of the map: of a key, or NULL; of a key that is there from
 * now on (value 0: it was not; the caller sets it); and taking one out. */
static inline struct ws_map_entry *ws_map_find(const struct ws_map *map, uint64_t key)
{
    struct ws_map_entry *entry = map->capacity ? ws_map_place(map, key) : NULL;
    return entry && entry->value ? entry : NULL;
}
void ws_map_grow(struct ws_map *map);
static inline struct ws_map_entry *ws_map_reach(struct ws_map *map, uint64_t key)
{
    struct ws_map_entry *entry;

    if (2 * (map->count + 1) > map->capacity)
        ws_map_grow(map);
    entry = ws_map_place(map, key);
    map->count += entry->value == 0;
    entry->key = key;
    return entry;
}
void ws_map_take_out(struct ws_map *map, struct ws_map_entry *entry);

#endif
