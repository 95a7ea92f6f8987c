/* In which scopes can an event have any effect?  A scope that has one problem rule for messages, with the
 * condition `bytes > 1000000`, need not be troubled with every message.  What all places and problem rules of
 * a use ask of the event is its gate; the gates of a type that compare the same sum with different constants
 * are found by the sum, however many they are. */
#ifndef WS_ENGINE_NATIVE_GATES_H
#define WS_ENGINE_NATIVE_GATES_H

#include "engine/formula.h"
#include "engine/plan.h"

struct ws_demand {
    const struct ws_expr *expr;
    bool positive; /* that it is greater than 0; else that it holds */
};
struct ws_demands {
    struct ws_demand *list; /* free() */
    size_t count, capacity;
};
/* What a use asks of every event, before it can have an effect there: as written in the rule of its first
 * seat, or where it has none, in its first problem rule. */
struct ws_demands ws_gate_demands(const struct ws_use *use);

struct ws_gate {
    uint32_t scope;
    struct ws_formula test; /* what it asks; nothing: always open */
};

enum ws_sieve_kind {
    WS_SIEVE_GREATER, /* sum > constant */
    WS_SIEVE_EQUAL,   /* sum == constant */
    WS_SIEVE_STRING,  /* the only term == constant */
};

/* What a sum, or a string, is compared with. */
struct ws_bound {
    __int128 constant;
    const char *string;
};

#define WS_MOST_TERMS 6
/* Of a sum of whole numbers; exact, where the rule's own would be undefined. */
struct ws_sum {
    const struct ws_expr *terms[WS_MOST_TERMS];
    bool negative[WS_MOST_TERMS];
    size_t count;
    struct ws_bound bound;
};
struct ws_sieve {
    enum ws_sieve_kind kind;
    struct ws_sum sum; /* of the first gate */
    struct ws_formula terms[WS_MOST_TERMS];
    struct ws_bound *bounds; /* ascending */
    struct ws_gate *gates;   /* in the same order */
    size_t count;
};

struct ws_gates { /* of a type */
    struct ws_gate *alone;
    size_t alone_count;
    struct ws_sieve *sieves;
    size_t sieve_count;
};

/* Of all uses of the type but in the common scope, where it comes from elsewhere. */
void ws_gates_make(struct ws_gates *gates, struct ws_arena *arena, struct ws_formula_pool *pool,
                   const struct ws_plan_type *type);
/* The same for the members of a composite event that is not built yet, each in its frame; false where a gate
 * asks for what is more than a copy of theirs. */
bool ws_gates_make_before(struct ws_gates *gates, struct ws_arena *arena, struct ws_formula_pool *pool,
                          const struct ws_plan_type *type);
/* Marks the scopes whose gates are open for the event in the first frame of members. */
void ws_gates_mark(const struct ws_gates *gates, union ws_value *const *frames, uint64_t *scopes);

#endif
