#include "diagnosis/fold.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_real(enum ws_fold_kind kind)
{
    return kind == WS_FOLD_REAL || kind == WS_FOLD_REAL_SUM;
}

static bool less(enum ws_fold_kind kind, union ws_value a, union ws_value b)
{
    return is_real(kind) ? a.r < b.r : a.i < b.i;
}

static void widen(struct ws_fold *fold, enum ws_fold_kind kind, union ws_value low, union ws_value high)
{
    if (fold->count == 0 || less(kind, low, fold->least))
        fold->least = low;
    if (fold->count == 0 || less(kind, fold->greatest, high))
        fold->greatest = high;
}

static struct ws_exact *real_sum(struct ws_fold *fold)
{
    if (!fold->real_sum)
        fold->real_sum = ws_alloc(sizeof *fold->real_sum);
    return fold->real_sum;
}

void ws_fold_add_new(struct ws_fold *fold, enum ws_fold_kind kind, union ws_value value)
{
    if (is_real(kind) ? isnan(value.r) : value.i == WS_UNDEFINED)
        return;
    if (kind == WS_FOLD_SET) {
        ws_set_add(&fold->set, value.i);
    } else {
        if (is_real(kind))
            value.r += 0.0; /* -0.0 becomes 0.0 */
        widen(fold, kind, value, value);
    }
    if (kind == WS_FOLD_INTEGER)
        fold->sum += value.i;
    if (kind == WS_FOLD_REAL_SUM)
        ws_exact_add(real_sum(fold), value.r);
    fold->count++;
}

void ws_fold_merge(struct ws_fold *fold, enum ws_fold_kind kind, const struct ws_fold *other)
{
    uint32_t *numbers = ws_set_numbers(&other->set);

    if (other->count)
        widen(fold, kind, other->least, other->greatest);
    fold->sum = (__int128)((unsigned __int128)fold->sum + (unsigned __int128)other->sum);
    if (other->real_sum)
        ws_exact_merge(real_sum(fold), other->real_sum);
    for (size_t i = 0; i < other->set.count; i++)
        ws_set_add(&fold->set, numbers[i]);
    fold->count += other->count;
    free(numbers);
}

void ws_fold_free(struct ws_fold *fold)
{
    free(fold->real_sum);
    ws_set_free(&fold->set);
    memset(fold, 0, sizeof *fold);
}
