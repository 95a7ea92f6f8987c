/* Sums over settled instances: of groups and of their parts, each by its number. */
#ifndef WS_DIAGNOSIS_LEDGER_H
#define WS_DIAGNOSIS_LEDGER_H

#include "diagnosis/fold.h"
#include "diagnosis/shares.h"

struct ws_group_sum {
    int64_t duration_ns;
    uint64_t count;
    struct ws_shares waiting, causing;
};
struct ws_part_sum {
    int64_t duration_ns;
    uint64_t count;
    uint64_t sight;        /* of the last instance (findings.h); its settled values are in the folds */
    struct ws_fold *folds; /* of the rule's places; NULL: none yet */
    size_t fold_count;
};
struct ws_ledger { /* a zeroed struct is empty */
    struct ws_group_sum *groups;
    size_t group_count;
    struct ws_part_sum *parts;
    size_t part_count;
};

struct ws_group_sum *ws_ledger_new_group(struct ws_ledger *ledger, uint32_t group);
struct ws_part_sum *ws_ledger_new_part(struct ws_ledger *ledger, uint32_t part, size_t places);

/* The sums of a group, of a part with so many places; made where there are none.  Borrowed until the next. */
static inline struct ws_group_sum *ws_ledger_group(struct ws_ledger *ledger, uint32_t group)
{
    return group < ledger->group_count ? &ledger->groups[group] : ws_ledger_new_group(ledger, group);
}
static inline struct ws_part_sum *ws_ledger_part(struct ws_ledger *ledger, uint32_t part, size_t places)
{
    bool known = part < ledger->part_count && ledger->parts[part].folds;
    return known ? &ledger->parts[part] : ws_ledger_new_part(ledger, part, places);
}
void ws_ledger_free(struct ws_ledger *ledger);

#endif
