/* The events that an analysis still holds: counted references, each in a piece of memory of its type that is
 * used again as soon as nothing holds the event. */
#ifndef WS_ENGINE_LIVE_H
#define WS_ENGINE_LIVE_H

#include "engine/plan.h"

#include <stddef.h>

/* In one scope where it may fill a place: whether it still may. */
struct ws_presence {
    struct ws_live *next, *previous; /* kept in the same use, newest first */
    void *handle;                    /* the matcher's own */
    bool here;
    bool kept;  /* for what is still to arrive */
    bool waits; /* in a place that is not shared */
};

/* Behind it in memory lie its event, its presences and what the matcher wants (ws_live_event,
 * ws_live_presence, ws_live_own). */
struct ws_live {
    const struct ws_plan_type *plan;
    const struct ws_plan_rule *rule; /* that built it, or NULL */
    struct ws_live **members;        /* each holds a reference */
    uint64_t mark;                   /* of the last walk that saw it */
    uint32_t references;
    uint32_t member_count; /* of a composite event */
    uint32_t capacity;     /* of members, where they are a group's */
    bool unmatched;        /* counted as such */
    bool routed;           /* where it is to arrive was found before it was built */
};

struct ws_lives_block {
    const struct ws_plan_type *plan;
    char *pieces;
    size_t count;
};

#define WS_ARRAY_CLASSES 32
struct ws_lives {
    const struct ws_plan *plan;
    struct ws_arena arena;
    void **free;                   /* [type index] first of the pieces that are free */
    struct ws_lives_block *blocks; /* of pieces, free or not */
    size_t block_count, block_capacity;
    void *free_arrays[WS_ARRAY_CLASSES]; /* lists of events by the power of two of their length */
    uint64_t next_order, walks;
    size_t count, most;
};

void ws_lives_init(struct ws_lives *lives, const struct ws_plan *plan);
void ws_lives_free(struct ws_lives *lives); /* with all events that are left */
void ws_lives_each(const struct ws_lives *lives, void (*see)(void *context, const struct ws_live *live),
                   void *context);

/* A copy of a simple event, which gets its order.  One reference for the caller. */
struct ws_live *ws_live_simple(struct ws_lives *lives, const struct ws_event *event);
/* A composite event of these members (references are taken), its parameters and order still to be set. */
struct ws_live *ws_live_tuple(struct ws_lives *lives, const struct ws_plan_rule *rule,
                              struct ws_live *const *members);
/* Of a group: takes the list of elements with its references.  They begin and end there. */
struct ws_live *ws_live_group(struct ws_lives *lives, const struct ws_plan_rule *rule,
                              struct ws_live **elements, size_t count, size_t capacity);
void ws_live_destroy(struct ws_lives *lives, struct ws_live *live); /* nothing refers to it any more */

/* A list of events with room for one more than `count`; *capacity is 0 for a new one. */
struct ws_live **ws_live_room(struct ws_lives *lives, struct ws_live **list, size_t count, size_t *capacity);
void ws_live_drop_list(struct ws_lives *lives, struct ws_live **list, size_t capacity);

static inline struct ws_event *ws_live_event(const struct ws_live *live)
{
    return (struct ws_event *)(uintptr_t)(live + 1);
}

static inline struct ws_live *ws_live_of(const struct ws_event *event)
{
    return (struct ws_live *)(uintptr_t)event - 1;
}

static inline struct ws_presence *ws_live_presence(const struct ws_live *live, const struct ws_use *use)
{
    return (struct ws_presence *)((uintptr_t)live + live->plan->presence_offset) + use->place;
}

static inline void *ws_live_own(const struct ws_live *live)
{
    return (void *)((uintptr_t)live + live->plan->own_offset);
}

static inline int64_t ws_live_begin(const struct ws_live *live)
{
    _Static_assert(WS_ATTR_T == 0 && WS_CATTR_BEGIN == 0, "in the same slot");
    return ws_live_event(live)->value[0].i;
}

static inline int64_t ws_live_end(const struct ws_live *live)
{
    return ws_live_event(live)->value[live->rule ? WS_CATTR_END : WS_ATTR_END].i;
}

static inline void ws_live_hold(struct ws_live *live)
{
    live->references++;
}

static inline void ws_live_release(struct ws_lives *lives, struct ws_live *live)
{
    if (--live->references == 0)
        ws_live_destroy(lives, live);
}

#endif
