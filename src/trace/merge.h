/* Merging: which of many sources comes next, by a moment; at equal moments the one that was added first.
 *
 * A tournament of losers: the sources play in pairs, winners against winners; each match remembers who lost
 * it. When the winner of all gets a later key, only its own matches are played again, all without a jump that
 * could be guessed wrong: one for each doubling of the sources. */
#ifndef WS_TRACE_MERGE_H
#define WS_TRACE_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ws_merge_entry {
    uint64_t key; /* the moment, as an unsigned number: its sign turned round */
    size_t source;
};
/* A zeroed struct is empty. */
struct ws_merge {
    struct ws_merge_entry *entries; /* the winner, then the loser of each match; while filled, the sources */
    void **items;                   /* [source] */
    size_t count;                   /* sources that are left */
    size_t sources, matches, capacity;
    bool played;
};

/* Adds a source; not after the first was asked for, until none is left. */
void ws_merge_add(struct ws_merge *merge, int64_t key_ns, void *item);
/* Takes all out. */
void ws_merge_clear(struct ws_merge *merge);
void ws_merge_free(struct ws_merge *merge);

/* All have been added. */
void ws_merge_play(struct ws_merge *merge);
/* Of a merge that is not empty: the source that comes first, and its key. */
static inline void *ws_merge_first(struct ws_merge *merge)
{
    if (!merge->played)
        ws_merge_play(merge);
    return merge->items[merge->entries[0].source];
}
static inline int64_t ws_merge_first_ns(const struct ws_merge *merge) /* once they have played */
{
    return (int64_t)(merge->entries[0].key ^ UINT64_C(1) << 63);
}
/* The first, as ws_merge_first gave it, gets another key, or is taken out. */
void ws_merge_delay(struct ws_merge *merge, int64_t key_ns);
void ws_merge_remove(struct ws_merge *merge);

#endif
