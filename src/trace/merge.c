#include "trace/merge.h"

#include "util/alloc.h"

#include <stdbool.h>
#include <stdlib.h>

static unsigned __int128 rank_of(int64_t key_ns, uint64_t tie)
{
    return (unsigned __int128)((uint64_t)key_ns ^ UINT64_C(1) << 63) << 64 | tie;
}

void ws_heap_push(struct ws_heap *heap, int64_t key_ns, uint64_t tie, void *item)
{
    struct ws_heap_entry entry = {rank_of(key_ns, tie), item};
    size_t at;

    WS_PUSH(heap->entries, heap->count, heap->capacity) = entry;
    for (at = heap->count - 1; at > 0 && entry.rank < heap->entries[(at - 1) / 2].rank; at = (at - 1) / 2)
        heap->entries[at] = heap->entries[(at - 1) / 2];
    heap->entries[at] = entry;
}

static void sink_first(struct ws_heap *heap)
{
    struct ws_heap_entry entry = heap->entries[0];
    size_t at = 0, child;

    for (; (child = 2 * at + 1) < heap->count; at = child) {
        if (child + 1 < heap->count) /* without a jump, since nobody can guess it */
            child += heap->entries[child + 1].rank < heap->entries[child].rank;
        if (heap->entries[child].rank >= entry.rank)
            break;
        heap->entries[at] = heap->entries[child];
    }
    heap->entries[at] = entry;
}

void ws_heap_change(struct ws_heap *heap, int64_t key_ns, uint64_t tie)
{
    heap->entries[0].rank = rank_of(key_ns, tie);
    sink_first(heap);
}

void ws_heap_delay(struct ws_heap *heap, int64_t key_ns)
{
    ws_heap_change(heap, key_ns, (uint64_t)heap->entries[0].rank);
}

void ws_heap_pop(struct ws_heap *heap)
{
    heap->entries[0] = heap->entries[--heap->count];
    if (heap->count)
        sink_first(heap);
}

void ws_heap_free(struct ws_heap *heap)
{
    free(heap->entries);
    *heap = (struct ws_heap){0};
}
