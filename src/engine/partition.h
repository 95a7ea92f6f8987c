/* Which member of a team analyses what, derived from the checked rules.
 *
 * Two events that can ever meet, in a tuple, in a group, or because one is used up where the other might have
 * been, must come to the same member.  The equalities that the rules ask for tell which can: where every rule
 * that a type takes part in wants
 *     sender.peer == receiver.process and sender.n == receiver.n
 * the pairs (send: peer, recv: process) and (send: n, recv: n) are *keys*: events that differ in a key never
 * meet.  A key goes through composite events by the parameters that carry it (T.peer = sender.peer).
 *
 * A unit is a set of scopes for which each type has keys that suit them all: one engine on each member, and
 * each event of a type goes to one member.  A scope for whose rules no key can be found is a unit that lies
 * whole on one member.  Rules as those of kb/mpi all make one unit. */
#ifndef WS_ENGINE_PARTITION_H
#define WS_ENGINE_PARTITION_H

#include "engine/formula.h"

/* Which member reads a traced rank: those from first[m] to first[m + 1] - 1. */
struct ws_owners {
    uint32_t members;
    uint32_t *first; /* [members + 1]; first[members]: number of ranks */
};
uint32_t ws_owner(const struct ws_owners *owners, int64_t rank); /* of no such rank: some member */

enum ws_route_kind {
    WS_ROUTE_LOCAL, /* meets no other: stays where it was read */
    WS_ROUTE_RANK,  /* to the owner of the rank that keys[0] is */
    WS_ROUTE_HASH,  /* by all keys */
    WS_ROUTE_WHOLE, /* to the unit's member */
};

/* How the events of a simple type go to a unit. */
struct ws_route {
    uint32_t unit;
    enum ws_route_kind kind;
    const struct ws_expr **keys; /* over the event as the only member */
    struct ws_formula *codes;    /* theirs */
    size_t key_count;
};
struct ws_unit {
    bool *scopes; /* [scope index]: its own; what they build on in the common scope comes with them */
    bool whole;
    uint32_t member; /* where it is whole: modulo the number of members */
};
struct ws_partition {
    struct ws_arena arena;
    const struct ws_kb *kb;
    struct ws_unit *units;
    size_t unit_count;
    struct ws_route **routes; /* [simple type]: to each unit that uses it */
    size_t *route_counts;
    struct ws_formula_pool pool;
    union ws_value *temporaries; /* of the codes: one thread at a time asks for places */
};

/* alone: everything is one unit that lies whole on member 0. */
void ws_partition_init(struct ws_partition *partition, const struct ws_kb *kb, bool alone);
void ws_partition_free(struct ws_partition *partition);

/* The member that an event goes to. */
uint32_t ws_partition_place(const struct ws_partition *partition, const struct ws_route *route,
                            const struct ws_event *event, const struct ws_owners *owners);
/* The units, and how each type goes to them, in words. */
void ws_partition_print(const struct ws_partition *partition, struct ws_text *out);

#endif
