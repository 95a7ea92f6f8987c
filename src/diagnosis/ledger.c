#include "diagnosis/ledger.h"

#include <stdlib.h>
#include <string.h>

/* Makes a list long enough for one more number; what is new is zeroed. */
static void *make_room(void *list, size_t *count, size_t number, size_t size)
{
    size_t room = *count ? *count : 8;

    if (number < *count)
        return list;
    while (room <= number)
        room *= 2;
    list = ws_realloc_array(list, room, size);
    memset((char *)list + *count * size, 0, (room - *count) * size);
    *count = room;
    return list;
}

struct ws_group_sum *ws_ledger_new_group(struct ws_ledger *ledger, uint32_t group)
{
    ledger->groups = make_room(ledger->groups, &ledger->group_count, group, sizeof *ledger->groups);
    return &ledger->groups[group];
}

struct ws_part_sum *ws_ledger_new_part(struct ws_ledger *ledger, uint32_t part, size_t places)
{
    struct ws_part_sum *sum;

    ledger->parts = make_room(ledger->parts, &ledger->part_count, part, sizeof *ledger->parts);
    sum = &ledger->parts[part];
    sum->folds = ws_alloc_array(places, sizeof *sum->folds);
    sum->fold_count = places;
    return sum;
}

void ws_ledger_free(struct ws_ledger *ledger)
{
    for (size_t g = 0; g < ledger->group_count; g++) {
        ws_shares_free(&ledger->groups[g].waiting);
        ws_shares_free(&ledger->groups[g].causing);
    }
    for (size_t p = 0; p < ledger->part_count; p++) {
        for (size_t i = 0; i < ledger->parts[p].fold_count; i++)
            ws_fold_free(&ledger->parts[p].folds[i]);
        free(ledger->parts[p].folds);
    }
    free(ledger->groups);
    free(ledger->parts);
    memset(ledger, 0, sizeof *ledger);
}
