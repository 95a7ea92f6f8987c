#include "engine/live.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE ((size_t)1024)

/* ---- private: the table ---- */

static size_t home(const struct ws_lives *lives, uint64_t order)
{
    return (size_t)((order * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (lives->size - 1);
}

static void place(struct ws_lives *lives, struct ws_live *live)
{
    size_t i = home(lives, live->event->order);

    while (lives->table[i])
        i = (i + 1) & (lives->size - 1);
    lives->table[i] = live;
}

static void grow(struct ws_lives *lives)
{
    struct ws_live **old = lives->table;
    size_t old_size = lives->size;

    lives->size = 2 * old_size;
    lives->table = ws_alloc_array(lives->size, sizeof *lives->table);
    for (size_t i = 0; i < old_size; i++)
        if (old[i])
            place(lives, old[i]);
    free(old);
}

static void add(struct ws_lives *lives, struct ws_live *live)
{
    if (++lives->count > lives->size / 2)
        grow(lives);
    if (lives->count > lives->most)
        lives->most = lives->count;
    place(lives, live);
}

/* Closes the gap that it leaves, so that no probe ends early. */
static void take_out(struct ws_lives *lives, const struct ws_live *live)
{
    const size_t mask = lives->size - 1;
    size_t gap = home(lives, live->event->order);

    while (lives->table[gap] != live)
        gap = (gap + 1) & mask;
    for (size_t i = (gap + 1) & mask; lives->table[i]; i = (i + 1) & mask)
        if (((i - home(lives, lives->table[i]->event->order)) & mask) >= ((i - gap) & mask)) {
            lives->table[gap] = lives->table[i];
            gap = i;
        }
    lives->table[gap] = NULL;
    lives->count--;
}

/* ---- public ---- */

void ws_lives_init(struct ws_lives *lives, const struct ws_plan *plan)
{
    memset(lives, 0, sizeof *lives);
    lives->plan = plan;
    lives->size = FIRST_SIZE;
    lives->table = ws_alloc_array(lives->size, sizeof *lives->table);
}

static void destroy(struct ws_live *live)
{
    free(live->event);
    free(live->members);
    free(live);
}

void ws_lives_free(struct ws_lives *lives)
{
    for (size_t i = 0; i < lives->size; i++)
        if (lives->table[i])
            destroy(lives->table[i]);
    free(lives->table);
    memset(lives, 0, sizeof *lives);
}

static struct ws_live *wrap(struct ws_lives *lives, struct ws_event *event)
{
    size_t uses = lives->plan->types[event->type].use_count;
    struct ws_live *live = ws_alloc(sizeof *live + uses * sizeof *live->presence);

    live->event = event;
    live->type = lives->plan->kb->types[event->type];
    live->references = 1;
    event->order = lives->next_order++;
    add(lives, live);
    return live;
}

struct ws_live *ws_live_simple(struct ws_lives *lives, const struct ws_event *event)
{
    size_t size = sizeof *event + lives->plan->kb->types[event->type]->slot_count * sizeof *event->value;
    struct ws_live *live = wrap(lives, memcpy(ws_alloc(size), event, size));

    live->begin_ns = event->value[WS_ATTR_T].i;
    live->end_ns = event->value[WS_ATTR_END].i;
    return live;
}

struct ws_live *ws_live_composite(struct ws_lives *lives, const struct ws_plan_rule *rule,
                                  struct ws_live *const *members, size_t count)
{
    const struct ws_event_type *type = rule->rule->type;
    struct ws_event *event = ws_alloc(sizeof *event + type->slot_count * sizeof *event->value);
    struct ws_live *live;

    event->type = type->index;
    live = wrap(lives, event);
    live->rule = rule;
    live->members = ws_alloc_array(count, sizeof *live->members);
    live->member_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        live->members[i] = members[i];
        ws_live_hold(members[i]);
        if (i == 0 || members[i]->begin_ns < live->begin_ns)
            live->begin_ns = members[i]->begin_ns;
        if (i == 0 || members[i]->end_ns > live->end_ns)
            live->end_ns = members[i]->end_ns;
    }
    event->value[WS_CATTR_BEGIN].i = live->begin_ns;
    event->value[WS_CATTR_END].i = live->end_ns;
    return live;
}

void ws_live_hold(struct ws_live *live)
{
    live->references++;
}

void ws_live_release(struct ws_lives *lives, struct ws_live *live)
{
    if (--live->references > 0)
        return;
    for (uint32_t i = 0; i < live->member_count; i++)
        ws_live_release(lives, live->members[i]);
    take_out(lives, live);
    destroy(live);
}

struct ws_live *ws_live_find(const struct ws_lives *lives, uint64_t order)
{
    size_t i = home(lives, order);

    while (lives->table[i] && lives->table[i]->event->order != order)
        i = (i + 1) & (lives->size - 1);
    return lives->table[i];
}
