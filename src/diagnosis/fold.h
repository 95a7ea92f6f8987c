/* What a place in a text needs to know of its values over many findings.  Folds of parts of the findings can
 * be merged; neither order nor division makes a difference. */
#ifndef WS_DIAGNOSIS_FOLD_H
#define WS_DIAGNOSIS_FOLD_H

#include "diagnosis/exact.h"
#include "diagnosis/set.h"
#include "util/value.h"

enum ws_fold_kind {
    WS_FOLD_SET,     /* which numbers there are: ranks, strings, spots */
    WS_FOLD_INTEGER, /* integers, times, booleans */
    WS_FOLD_REAL,
    WS_FOLD_REAL_SUM, /* reals, and what they come to */
};

/* The value of an event that has none; of a real place NAN. */
#define WS_UNDEFINED INT64_MIN

struct ws_fold { /* a zeroed struct is empty */
    uint64_t count; /* values that are defined */
    union ws_value least, greatest;
    __int128 sum;              /* WS_FOLD_INTEGER */
    struct ws_exact *real_sum; /* WS_FOLD_REAL_SUM; NULL: 0 */
    struct ws_set set;         /* WS_FOLD_SET */
};

void ws_fold_add_new(struct ws_fold *fold, enum ws_fold_kind kind, union ws_value value);
static inline void ws_fold_add(struct ws_fold *fold, enum ws_fold_kind kind, union ws_value value)
{
    if (kind == WS_FOLD_SET && ws_set_has(&fold->set, value.i))
        fold->count++;
    else
        ws_fold_add_new(fold, kind, value);
}
void ws_fold_merge(struct ws_fold *fold, enum ws_fold_kind kind, const struct ws_fold *other);
void ws_fold_free(struct ws_fold *fold);

#endif
