/* Which operations meet: a message's send and its receive.  The knowledge base tells: a common rule of two
 * simple events of which the one's process is named by the other and that agree in a number that the reader
 * counts. */
#ifndef WS_REPORT_TIMELINE_MEETS_H
#define WS_REPORT_TIMELINE_MEETS_H

#include "engine/formula.h"

/* How events of a type meet others. */
struct ws_meets_type {
    uint32_t rule; /* from 1; 0: they do not */
    bool second;   /* as the rule's second member */
    uint32_t key_count;
    struct ws_formula holds, *keys;
};
struct ws_meets {
    struct ws_formula_pool pool;
    struct ws_meets_type *of_type; /* [simple types] */
    union ws_value *temporaries;
    uint32_t type_count, rule_count;
};

void ws_meets_init(struct ws_meets *meets, const struct ws_kb *kb);
/* What is equal for the two events that meet, and for no others of the rule; 0: the event meets none. */
uint64_t ws_meets_key(const struct ws_meets *meets, const struct ws_event *event);
void ws_meets_free(struct ws_meets *meets);

#endif
