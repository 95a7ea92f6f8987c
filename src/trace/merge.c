#include "trace/merge.h"

#include "util/alloc.h"

#include <stdbool.h>
#include <stdlib.h>

static bool before(const struct ws_heap_entry *a, const struct ws_heap_entry *b)
{
    return a->key_ns != b->key_ns ? a->key_ns < b->key_ns : a->tie < b->tie;
}

void ws_heap_push(struct ws_heap *heap, int64_t key_ns, uint64_t tie, void *item)
{
    struct ws_heap_entry entry = {key_ns, tie, item};
    size_t at;

    WS_PUSH(heap->entries, heap->count, heap->capacity) = entry;
    for (at = heap->count - 1; at > 0 && before(&entry, &heap->entries[(at - 1) / 2]); at = (at - 1) / 2)
        heap->entries[at] = heap->entries[(at - 1) / 2];
    heap->entries[at] = entry;
}

static void sink_first(struct ws_heap *heap)
{
    struct ws_heap_entry entry = heap->entries[0];
    size_t at = 0, child;

    for (; (child = 2 * at + 1) < heap->count; at = child) {
        if (child + 1 < heap->count && before(&heap->entries[child + 1], &heap->entries[child]))
            child++;
        if (!before(&heap->entries[child], &entry))
            break;
        heap->entries[at] = heap->entries[child];
    }
    heap->entries[at] = entry;
}

void ws_heap_delay(struct ws_heap *heap, int64_t key_ns)
{
    heap->entries[0].key_ns = key_ns;
    sink_first(heap);
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
