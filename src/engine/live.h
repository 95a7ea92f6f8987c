/* The events that an analysis still holds: counted references, found by their order, present in scopes. */
#ifndef WS_ENGINE_LIVE_H
#define WS_ENGINE_LIVE_H

#include "engine/plan.h"

struct ws_live;

/* In one scope that uses its type: whether it may still fill a place there. */
struct ws_presence {
    struct ws_live *next, *previous; /* of the same use */
    void *handle;                    /* the matcher's own */
    bool here;
    bool waits; /* in a place that is not shared */
};

struct ws_live {
    struct ws_event *event;
    const struct ws_event_type *type;
    int64_t begin_ns, end_ns;
    uint32_t references;
    uint32_t member_count;           /* of a composite event */
    struct ws_live **members;        /* each holds a reference */
    const struct ws_plan_rule *rule; /* that built it, or NULL */
    uint64_t mark;                   /* of the last walk that saw it */
    bool unmatched;                  /* counted as such */
    struct ws_presence presence[];   /* [ws_use.number] */
};

struct ws_lives {
    const struct ws_plan *plan;
    struct ws_live **table; /* by order: open addressing, linear probing */
    size_t size, count, most;
    uint64_t next_order, walks;
};

void ws_lives_init(struct ws_lives *lives, const struct ws_plan *plan);
void ws_lives_free(struct ws_lives *lives); /* with all events that are left */

/* A copy of a simple event, which gets its order.  One reference for the caller. */
struct ws_live *ws_live_simple(struct ws_lives *lives, const struct ws_event *event);
/* A composite event of these members (references are taken) with zeroed parameters. */
struct ws_live *ws_live_composite(struct ws_lives *lives, const struct ws_plan_rule *rule,
                                  struct ws_live *const *members, size_t count);
void ws_live_hold(struct ws_live *live);
void ws_live_release(struct ws_lives *lives, struct ws_live *live);
struct ws_live *ws_live_find(const struct ws_lives *lives, uint64_t order); /* NULL: gone */

#endif
