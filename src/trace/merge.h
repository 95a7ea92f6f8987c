/* Merging: which of many sources comes next, by a moment and then by rank, thread. */
#ifndef WS_TRACE_MERGE_H
#define WS_TRACE_MERGE_H

#include <stddef.h>
#include <stdint.h>

struct ws_heap_entry {
    int64_t key_ns;
    uint64_t tie; /* unique: rank and thread */
    void *item;
};
/* The least entry is entries[0]; a zeroed struct is empty. */
struct ws_heap {
    struct ws_heap_entry *entries;
    size_t count, capacity;
};
void ws_heap_push(struct ws_heap *heap, int64_t key_ns, uint64_t tie, void *item);
/* Gives the first entry a later key. */
void ws_heap_delay(struct ws_heap *heap, int64_t key_ns);
/* Removes the first entry. */
void ws_heap_pop(struct ws_heap *heap);
void ws_heap_free(struct ws_heap *heap);

#endif
