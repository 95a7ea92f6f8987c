/* Where a finding can lie whose waiting event is known: seen from the problem rules, before any finding. */
#ifndef WS_DIAGNOSIS_REACH_H
#define WS_DIAGNOSIS_REACH_H

#include "engine/engine.h"

enum ws_reach {
    WS_REACH_NOTHING, /* no rule has an event of this type wait */
    WS_REACH_CALL,    /* in its call: [t, end) */
    WS_REACH_AFTER,   /* not before its call begins */
    WS_REACH_ANY,
};
struct ws_reaches {
    enum ws_reach *of_type; /* [simple type] the farthest of all rules */
};

void ws_reaches_init(struct ws_reaches *reaches, const struct ws_kb *kb);
void ws_reaches_free(struct ws_reaches *reaches);

/* Of one rule. */
enum ws_reach ws_reach_of(const struct ws_problem_rule *rule);

#endif
