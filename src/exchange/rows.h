/* The same sums from several sides: what is shown as a table with a line for each function, place, slot of
 * time … */
#ifndef WS_EXCHANGE_ROWS_H
#define WS_EXCHANGE_ROWS_H

#include "exchange/exchange.h"

enum ws_exchange_by {
    WS_BY_KIND,
    WS_BY_FUNCTION,
    WS_BY_TYPE,
    WS_BY_SITE,
    WS_BY_SIZE,
    WS_BY_TIME,
    WS_BY_PHASE,
    WS_BY_NODE,
    WS_BY_PLACE, /* what each received */
    WS_BY_PAIR,
    WS_BY_COUNT
};
extern const char *const ws_exchange_by_names[WS_BY_COUNT]; /* "kind" ... */

struct ws_row {
    const char *name; /* of the kind, function, type, phase; else NULL */
    uint32_t number;  /* of the site, size class, slot, phase, place; of a node or place, from: */
    uint32_t other;   /* to: of WS_BY_NODE and WS_BY_PAIR */
    struct ws_sum sum;
};

/* The rows of a table, in *count; free().  Slots, phases, sizes and places come in their order, all else by
 * bytes (or by messages), the most first. */
struct ws_row *ws_exchange_rows(const struct ws_exchange *exchange, enum ws_exchange_by by, bool by_messages,
                                size_t *count);

/* How unevenly the received bytes are shared. */
struct ws_imbalance {
    uint32_t most, least;                 /* places */
    uint64_t mean_bytes;                  /* rounded down */
    uint64_t most_percent, least_percent; /* of the mean; 0 where nothing was received */
};
struct ws_imbalance ws_exchange_imbalance(const struct ws_exchange *exchange);

#endif
