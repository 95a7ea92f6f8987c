#include "report/timeline/pairs.h"

#include "report/timeline/columns.h"
#include "util/alloc.h"

#include <stdlib.h>

enum column { FROM, INTO, MESS, BYTS, COLUMNS };
static const char tags[COLUMNS][5] = {"FROM", "INTO", "MESS", "BYTS"};

bool ws_pairs_are_many(const struct ws_exchange *exchange)
{
    return exchange->pair_count > WS_PAIRS_IN_JSON;
}

static int64_t limited(uint64_t number)
{
    return number > INT64_MAX ? INT64_MAX : (int64_t)number;
}

static int64_t cell(const struct ws_pair *pair, enum column column)
{
    switch (column) {
    case FROM:
        return pair->from;
    case INTO:
        return pair->to;
    case MESS:
        return limited(pair->sum.messages);
    case BYTS:
        return limited(pair->sum.bytes);
    case COLUMNS:
        break;
    }
    return 0;
}

void ws_pairs_write(const struct ws_exchange *exchange, struct ws_zip *zip)
{
    int64_t *values = ws_alloc_array(exchange->pair_count + 1, sizeof *values);

    for (enum column column = 0; column < COLUMNS; column++) {
        for (size_t i = 0; i < exchange->pair_count; i++)
            values[i] = cell(&exchange->pairs[i], column);
        ws_column_write(zip, tags[column], 0, 0, values, exchange->pair_count);
    }
    free(values);
}
