#include "trace/merge.h"

#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Of a source that is no more: it loses to all others. */
#define NEVER UINT64_MAX
#define LAST UINT64_MAX

static uint64_t key_of(int64_t key_ns)
{
    return (uint64_t)key_ns ^ UINT64_C(1) << 63;
}

static bool comes_before(const struct ws_merge *merge, const struct ws_merge_entry *a,
                         const struct ws_merge_entry *b)
{
    return a->key != b->key ? a->key < b->key : merge->ties[a->source] < merge->ties[b->source];
}

void ws_merge_clear(struct ws_merge *merge)
{
    merge->count = merge->sources = 0;
    merge->played = false;
}

void ws_merge_add(struct ws_merge *merge, int64_t key_ns, uint64_t tie, void *item)
{
    if (merge->count == 0)
        ws_merge_clear(merge);
    if (merge->sources == merge->capacity) {
        merge->capacity = merge->capacity ? 2 * merge->capacity : 1; /* always a power of two */
        merge->entries = ws_realloc_array(merge->entries, merge->capacity, sizeof *merge->entries);
        merge->ties = ws_realloc_array(merge->ties, merge->capacity, sizeof *merge->ties);
        merge->items = ws_realloc_array(merge->items, merge->capacity, sizeof *merge->items);
    }
    merge->entries[merge->sources] = (struct ws_merge_entry){key_of(key_ns), merge->sources};
    merge->ties[merge->sources] = tie;
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
    for (size_t i = merge->sources; i < matches; i++) { /* nobody */
        merge->entries[i] = (struct ws_merge_entry){NEVER, i};
        merge->ties[i] = LAST;
    }
    winners = ws_alloc_array(2 * matches, sizeof *winners);
    memcpy(winners + matches, merge->entries, matches * sizeof *winners);
    for (size_t i = matches; i-- > 1;) {
        bool left = comes_before(merge, &winners[2 * i], &winners[2 * i + 1]);
        winners[i] = winners[2 * i + !left];
        merge->entries[i] = winners[2 * i + left];
    }
    merge->entries[0] = winners[1];
    merge->matches = matches;
    merge->played = true;
    free(winners);
}

/* The first source's matches, in which it now has this key. */
static void play_again(struct ws_merge *merge, uint64_t key)
{
    struct ws_merge_entry *const entries = merge->entries;
    uint64_t source = entries[0].source;

    for (size_t match = (merge->matches + source) / 2; match > 0; match /= 2) {
        uint64_t other_key = entries[match].key, other = entries[match].source;
        uint64_t lost = -(uint64_t)(other_key < key), swap_key, swap;
        if (other_key == key) /* seldom */
            lost = -(uint64_t)(merge->ties[other] < merge->ties[source]);
        swap_key = (key ^ other_key) & lost;
        swap = (source ^ other) & lost;
        entries[match] = (struct ws_merge_entry){other_key ^ swap_key, other ^ swap};
        key ^= swap_key;
        source ^= swap;
    }
    entries[0] = (struct ws_merge_entry){key, source};
}

void ws_merge_change(struct ws_merge *merge, int64_t key_ns, uint64_t tie)
{
    merge->ties[merge->entries[0].source] = tie;
    play_again(merge, key_of(key_ns));
}

void ws_merge_delay(struct ws_merge *merge, int64_t key_ns)
{
    play_again(merge, key_of(key_ns));
}

void ws_merge_remove(struct ws_merge *merge)
{
    merge->count--;
    merge->ties[merge->entries[0].source] = LAST;
    play_again(merge, NEVER);
}

void ws_merge_free(struct ws_merge *merge)
{
    free(merge->entries);
    free(merge->ties);
    free(merge->items);
    *merge = (struct ws_merge){0};
}
