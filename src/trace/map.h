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

/* Entries themselves, valid until the next change of the map: of a key, or NULL; of a key that is there from
 * now on (value 0: it was not; the caller sets it); and taking one out. */
struct ws_map_entry *ws_map_find(const struct ws_map *map, uint64_t key);
struct ws_map_entry *ws_map_reach(struct ws_map *map, uint64_t key);
void ws_map_take_out(struct ws_map *map, struct ws_map_entry *entry);

#endif
