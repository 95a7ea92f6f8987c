#include "diagnosis/shares.h"

#include <stdlib.h>
#include <string.h>

static struct ws_rank_share *slot_of(const struct ws_shares *shares, uint32_t rank)
{
    size_t at = (size_t)((rank * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & (shares->slot_count - 1);

    while (shares->slots[at].rank != WS_NO_RANK && shares->slots[at].rank != rank)
        at = (at + 1) & (shares->slot_count - 1);
    return &shares->slots[at];
}

/* Keeps the table at most half full. */
static void make_room(struct ws_shares *shares)
{
    struct ws_shares old = *shares;

    if (2 * (shares->count + 1) <= shares->slot_count)
        return;
    shares->slot_count = old.slot_count ? 2 * old.slot_count : 4;
    shares->slots = ws_alloc_array(shares->slot_count, sizeof *shares->slots);
    for (size_t i = 0; i < shares->slot_count; i++)
        shares->slots[i].rank = WS_NO_RANK;
    for (size_t i = 0; i < old.slot_count; i++)
        if (old.slots[i].rank != WS_NO_RANK)
            *slot_of(shares, old.slots[i].rank) = old.slots[i];
    free(old.slots);
}

static struct ws_rank_share *new_share(struct ws_shares *shares, uint32_t rank)
{
    struct ws_rank_share *share;

    make_room(shares);
    share = slot_of(shares, rank);
    share->rank = rank;
    shares->count++;
    return share;
}

void ws_shares_add(struct ws_shares *shares, uint32_t rank, int64_t duration_ns, uint64_t count)
{
    struct ws_rank_share *share;

    if (rank == WS_NO_RANK)
        return;
    share = shares->slot_count ? slot_of(shares, rank) : NULL;
    if (!share || share->rank != rank)
        share = new_share(shares, rank);
    share->duration_ns = ws_add_ns(share->duration_ns, duration_ns);
    share->count += count;
}

static int by_rank(const void *left, const void *right)
{
    return ws_three_way(((const struct ws_rank_share *)left)->rank, ((const struct ws_rank_share *)right)->rank);
}

struct ws_rank_share *ws_shares_list(const struct ws_shares *shares, struct ws_arena *arena)
{
    struct ws_rank_share *list = ws_arena_alloc(arena, (shares->count + 1) * sizeof *list);
    size_t n = 0;

    for (size_t i = 0; i < shares->slot_count; i++)
        if (shares->slots[i].rank != WS_NO_RANK)
            list[n++] = shares->slots[i];
    qsort(list, n, sizeof *list, by_rank);
    return list;
}

void ws_shares_free(struct ws_shares *shares)
{
    free(shares->slots);
    memset(shares, 0, sizeof *shares);
}
