/* What an event moves: the transfers of the trace rule that formed it, found by its type and function. */
#ifndef WS_EXCHANGE_MOVES_H
#define WS_EXCHANGE_MOVES_H

#include "exchange/exchange.h"

struct ws_moves {
    const struct ws_kb *kb;
    struct ws_moves_of { /* by event type */
        struct ws_moves_by {
            const char *function; /* by its address in the trace */
            uint32_t number;      /* of the function, from 0 */
            const struct ws_trace_rule *rule;
        } * list;
        size_t count, capacity;
    } * types;
    const char **functions; /* by number */
    size_t function_count, function_capacity;
};

void ws_moves_init(struct ws_moves *moves, const struct ws_kb *kb);
/* NULL: there is no such rule. */
const struct ws_moves_by *ws_moves_find(struct ws_moves *moves, uint32_t type, const char *function);
/* Whether a quantity is known of calls that were only counted: a literal, or what a number is counted by. */
bool ws_quantity_is_counted(const struct ws_trace_rule *rule, const struct ws_quantity *quantity);
/* The value of a quantity for an event; `otherwise` where it is not given. */
int64_t ws_quantity(const struct ws_transfer *transfer, enum ws_transfer_quantity which,
                    const struct ws_event *event, int64_t otherwise);
void ws_moves_free(struct ws_moves *moves);

#endif
