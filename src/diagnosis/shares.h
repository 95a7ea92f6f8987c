/* What each rank has of a sum: a table from ranks to durations and counts. */
#ifndef WS_DIAGNOSIS_SHARES_H
#define WS_DIAGNOSIS_SHARES_H

#include "diagnosis/diagnosis.h"

#define WS_NO_RANK UINT32_MAX

struct ws_shares { /* a zeroed struct is empty */
    struct ws_rank_share *slots; /* open addressing; WS_NO_RANK: free */
    size_t slot_count, count;
};

void ws_shares_add(struct ws_shares *shares, uint32_t rank, int64_t duration_ns, uint64_t count);
/* By rank, [shares->count], from the arena. */
struct ws_rank_share *ws_shares_list(const struct ws_shares *shares, struct ws_arena *arena);
void ws_shares_free(struct ws_shares *shares);

#endif
