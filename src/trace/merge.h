/* Merging: which of many sources comes next, by a moment and then by rank, thread. */
#ifndef WS_TRACE_MERGE_H
#define WS_TRACE_MERGE_H

#include <stddef.h>
#include <stdint.h>

struct ws_heap_entry {
    /* The key, as an unsigned number (its sign turned round), above the tie (unique: rank and thread): one
     * comparison tells which comes first. */
    unsigned __int128 rank;
    void *item;
};
/* The least entry is entries[0]; a zeroed struct is empty. */
struct ws_heap {
    struct ws_heap_entry *entries;
    size_t count, capacity;
};
static inline int64_t ws_heap_first_ns(const struct ws_heap *heap)
{
    return (int64_t)((uint64_t)(heap->entries[0].rank >> 64) ^ UINT64_C(1) << 63);
}
void ws_heap_push(struct ws_heap *heap, int64_t key_ns, uint64_t tie, void *item);
/* Gives the first entry a later key. */
void ws_heap_delay(struct ws_heap *heap, int64_t key_ns);
/* The same, and another tie. */
void ws_heap_change(struct ws_heap *heap, int64_t key_ns, uint64_t tie);
/* Removes the first entry. */
void ws_heap_pop(struct ws_heap *heap);
void ws_heap_free(struct ws_heap *heap);

#endif
