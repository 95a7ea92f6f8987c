#include "trace/merge.h"

#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>

/* The key of a source that is no more. */
#define NEVER UINT64_MAX

static uint64_t key_of(int64_t key_ns)
{
    return (uint64_t)key_ns ^ UINT64_C(1) << 63;
}

static inline bool comes_before(struct ws_merge_entry a, struct ws_merge_entry b)
{
    return ((unsigned __int128)a.key << 64 | a.source) < ((unsigned __int128)b.key << 64 | b.source);
}

void ws_merge_clear(struct ws_merge *merge)
{
    merge->count = merge->sources = 0;
    merge->played = false;
}

void ws_merge_add(struct ws_merge *merge, int64_t key_ns, void *item)
{
    if (merge->count == 0)
        ws_merge_clear(merge);
    if (merge->sources == merge->capacity) {
        merge->capacity = merge->capacity ? 2 * merge->capacity : 1; /* always a power of two */
        merge->entries = ws_realloc_array(merge->entries, merge->capacity, sizeof *merge->entries);
        merge->items = ws_realloc_array(merge->items, merge->capacity, sizeof *merge->items);
    }
    merge->entries[merge->sources] = (struct ws_merge_entry){key_of(key_ns), merge->sources};
    merge->items[merge->sources++] = item;
    merge->count++;
}

void ws_merge_play(struct ws_merge *merge)
{
    struct ws_merge_entry *winners;
    size_t matches = 1;

    if (merge->count == 0)
        return;
    while (matches < merge->sources)
        matches *= 2;
    for (size_t i = merge->sources; i < matches; i++)
        merge->entries[i] = (struct ws_merge_entry){NEVER, i}; /* nobody */
    winners = ws_alloc_array(2 * matches, sizeof *winners);
    memcpy(winners + matches, merge->entries, matches * sizeof *winners);
    for (size_t i = matches; i-- > 1;) {
        bool left = comes_before(winners[2 * i], winners[2 * i + 1]);
        winners[i] = winners[2 * i + !left];
        merge->entries[i] = winners[2 * i + left];
    }
    merge->entries[0] = winners[1];
    merge->matches = matches;
    merge->played = true;
    free(winners);
}

/* The first source's matches, in which it now has this key.  Who wins is told without a jump. */
static void play_again(struct ws_merge *merge, uint64_t key)
{
    struct ws_merge_entry *const entries = merge->entries;
    struct ws_merge_entry first = {key, entries[0].source};

    for (size_t match = (merge->matches + first.source) / 2; match > 0; match /= 2) {
        struct ws_merge_entry other = entries[match];
        uint64_t lost = -(uint64_t)comes_before(other, first);
        uint64_t swap_key = (first.key ^ other.key) & lost, swap = (first.source ^ other.source) & lost;
        entries[match] = (struct ws_merge_entry){other.key ^ swap_key, other.source ^ swap};
        first.key ^= swap_key;
        first.source ^= swap;
    }
    entries[0] = first;
}

void ws_merge_delay(struct ws_merge *merge, int64_t key_ns)
{
    play_again(merge, key_of(key_ns));
}

void ws_merge_remove(struct ws_merge *merge)
{
    merge->count--;
    play_again(merge, NEVER);
}

void ws_merge_free(struct ws_merge *merge)
{
    free(merge->entries);
    free(merge->items);
    *merge = (struct ws_merge){0};
}
