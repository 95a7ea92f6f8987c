/* What an arriving event meets: for each type the scopes that use it, and there the seats in rules that it
 * may fill.  Made once from the knowledge base; engines hang their own data on the numbers. */
#ifndef WS_ENGINE_PLAN_H
#define WS_ENGINE_PLAN_H

#include "rules/kb.h"

struct ws_use;
struct ws_plan_type;

/* A composite rule with what the uses of its members are in its scope. */
struct ws_plan_rule {
    const struct ws_composite_rule *rule;
    const struct ws_plan_type *plan; /* of what it builds */
    uint32_t number;                 /* among all rules of the knowledge base */
    uint32_t index;  /* in its scope: the order of declaration */
    bool group;
    struct ws_use **uses;     /* [member] */
    uint32_t clock_violation; /* slot of a boolean parameter of that name, or UINT32_MAX */
    bool counts;              /* its scope is wanted */
    size_t group_own;         /* room for the matcher's own in each group; set by the matcher */
};

/* A seat that an event of the type may fill. */
struct ws_seat {
    const struct ws_plan_rule *rule;
    uint32_t member;
};

/* The seats of one rule among those of a use. */
struct ws_turn {
    const struct ws_plan_rule *rule;
    uint32_t first, end;
};

/* A type in a scope that uses it: as a member of a rule or under a problem rule. */
struct ws_use {
    const struct ws_event_type *type;
    const struct ws_scope *scope;
    uint32_t index;        /* among all uses */
    uint32_t place;        /* among the uses of its type that keep events */
    struct ws_seat *seats; /* by order of declaration, then member */
    size_t seat_count;
    struct ws_turn *turns; /* in the same order */
    size_t turn_count;
    bool in_tuples; /* some seat is not in a group rule */
    bool keeps;     /* events may stay for what is still to arrive */
    bool forgets;   /* and may be let go of when nothing to come can overlap them (forget.c) */
    /* Every event of the type is kept, waits, since no condition on the event alone restricts the seat. */
    bool always_kept, always_waits;
    const struct ws_problem_rule **problems; /* on this type, by order of declaration */
    uint32_t *problem_index;                 /* each one's index in the scope */
    size_t problem_count;
    bool judged_by_element; /* some of them have a group member */
};

struct ws_plan_type {
    const struct ws_event_type *type;
    struct ws_use **uses; /* by order of scopes */
    size_t use_count;
    struct ws_use **by_scope; /* [scope index], of types that arrive in more scopes than their own; or NULL */
    size_t keep_count;        /* uses that keep events */
    bool in_common_only;      /* no use but in the common scope, or none at all */
    /* of an event in memory (live.h) */
    size_t presence_offset, members_offset, own_offset, size;
};

enum ws_plan_scope {
    WS_PLAN_ABSENT, /* nothing arrives there */
    WS_PLAN_NEEDED, /* its composite events are members in scopes that are wanted; it counts nothing */
    WS_PLAN_WANTED,
};

struct ws_plan {
    const struct ws_kb *kb;
    enum ws_plan_scope *scopes;    /* [scope index] */
    const struct ws_scope *common; /* NULL: there is none, or nothing needs it */
    struct ws_arena arena;
    struct ws_plan_type *types; /* [type index] */
    struct ws_use **uses;       /* by index */
    size_t use_count;
    struct ws_plan_rule *rules; /* by number */
    size_t rule_count;
    struct ws_plan_rule **of_type; /* [type index]: the rule that builds it, or NULL */
};

/* wanted: by scope index; NULL: all scopes are. */
void ws_plan_init(struct ws_plan *plan, const struct ws_kb *kb, const bool *wanted);
void ws_plan_free(struct ws_plan *plan);
/* Adds room for the matcher's own to each event of the type, before the first event comes; gives where it
 * lies behind what ws_live_own gives. */
size_t ws_plan_add_own(struct ws_plan_type *type, size_t size);

/* Does a condition on the event alone restrict this seat? */
bool ws_seat_filtered(const struct ws_seat *seat);
/* Is an event that may fill this seat kept for what is still to arrive?  Not where it is the only member:
 * either it is built at once or never. */
bool ws_seat_keeps(const struct ws_seat *seat);
/* And does it wait there for a partner, so that it is unmatched if none comes? */
bool ws_seat_waits(const struct ws_seat *seat);
const struct ws_member *ws_seat_member(const struct ws_seat *seat);
/* The rule of the use's scope with this index that has a seat for its events. */
const struct ws_plan_rule *ws_plan_rule_of(const struct ws_use *use, uint32_t index);
/* The use of a type in a scope, or NULL. */
static inline struct ws_use *ws_plan_use(const struct ws_plan_type *type, const struct ws_scope *scope)
{
    if (type->by_scope)
        return type->by_scope[scope->index];
    return type->use_count && type->uses[0]->scope == scope ? type->uses[0] : NULL;
}

#endif
