/* Simple events as bytes, from one member of a team to another.  A string or a call site is described where
 * it is first needed and goes by a number from then on, so the two ends of a way are a pair that stays. */
#ifndef WS_DIAGNOSIS_WIRE_H
#define WS_DIAGNOSIS_WIRE_H

#include "rules/kb.h"
#include "trace/map.h"
#include "trace/trace.h"

/* What is in the slots of a type's events. */
struct ws_wire_types {
    const struct ws_kb *kb;
    enum ws_type **slots; /* [simple type][slot] */
    size_t most_slots;
};
void ws_wire_types_init(struct ws_wire_types *types, const struct ws_kb *kb);
void ws_wire_types_free(struct ws_wire_types *types);

struct ws_wire_out {              /* a zeroed struct is one that has described nothing */
    struct ws_map strings, sites; /* address, index -> number + 1 */
    uint64_t string_count, site_count;
};
/* Adds an event and the units that it is for. */
void ws_wire_put(struct ws_wire_out *wire, const struct ws_wire_types *types, const struct ws_trace *trace,
                 const struct ws_event *event, const uint32_t *units, size_t unit_count, struct ws_text *out);
void ws_wire_out_free(struct ws_wire_out *wire);

struct ws_wire_in { /* a zeroed struct is one that knows nothing */
    const char **strings;
    size_t string_count, string_capacity;
    int64_t *sites;
    size_t site_count, site_capacity;
};
/* Room for an event of any type. */
struct ws_event *ws_wire_room(const struct ws_wire_types *types, struct ws_arena *arena);
/* Takes the next event out of the bytes.  Strings and sites are the trace's. */
struct ws_wire_event {
    struct ws_event *event; /* room for it; filled */
    const uint32_t *units;  /* in the bytes, unaligned: memcpy */
    size_t unit_count;
};
/* 1, 0 at the end of the bytes, -1 where they make no sense. */
struct ws_unpack;
int ws_wire_take(struct ws_wire_in *wire, const struct ws_wire_types *types, struct ws_trace *trace,
                 struct ws_unpack *in, struct ws_wire_event *event);
void ws_wire_in_free(struct ws_wire_in *wire);

#endif
