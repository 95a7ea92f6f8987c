#include "engine/live.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_PIECES ((size_t)8) /* made at a time */
#define MOST_PIECES_BYTES ((size_t)32 * 1024)

void ws_lives_init(struct ws_lives *lives, const struct ws_plan *plan)
{
    memset(lives, 0, sizeof *lives);
    lives->plan = plan;
    lives->free = ws_alloc_array(plan->kb->type_count, sizeof *lives->free);
}

void ws_lives_free(struct ws_lives *lives)
{
    free(lives->free);
    free(lives->blocks);
    ws_arena_free(&lives->arena);
    memset(lives, 0, sizeof *lives);
}

/* ---- pieces of memory; what is free names the next free one ---- */

static void *take(void **first)
{
    void *piece = *first;
    *first = *(void **)piece;
    return piece;
}

static void give_back(void **first, void *piece)
{
    *(void **)piece = *first;
    *first = piece;
}

static void make_pieces(struct ws_lives *lives, const struct ws_plan_type *plan, void **first)
{
    size_t count = MOST_PIECES_BYTES / plan->size < LEAST_PIECES || lives->count < LEAST_PIECES
                       ? LEAST_PIECES
                       : MOST_PIECES_BYTES / plan->size;
    char *pieces = ws_arena_alloc(&lives->arena, count * plan->size);

    for (size_t i = count; i-- > 0;)
        give_back(first, pieces + i * plan->size);
    WS_PUSH(lives->blocks, lives->block_count, lives->block_capacity) =
        (struct ws_lives_block){plan, pieces, count};
}

static inline struct ws_live *make(struct ws_lives *lives, const struct ws_plan_type *plan, uint32_t type)
{
    void **first = &lives->free[type];
    struct ws_live *live;

    if (!*first)
        make_pieces(lives, plan, first);
    live = take(first);
    *live = (struct ws_live){.plan = plan, .references = 1};
    for (size_t i = 0; i < plan->keep_count; i++) {
        struct ws_presence *presence = (struct ws_presence *)((char *)live + plan->presence_offset) + i;
        presence->here = presence->kept = false;
        presence->handle = NULL;
    }
    if (++lives->count > lives->most)
        lives->most = lives->count;
    return live;
}

void ws_lives_each(const struct ws_lives *lives, void (*see)(void *context, const struct ws_live *live),
                   void *context)
{
    for (size_t b = 0; b < lives->block_count; b++)
        for (size_t i = 0; i < lives->blocks[b].count; i++) {
            const struct ws_live *live =
                (const struct ws_live *)(lives->blocks[b].pieces + i * lives->blocks[b].plan->size);
            if (live->references)
                see(context, live);
        }
}

/* ---- lists ---- */

static size_t class_of(size_t capacity)
{
    return (size_t)__builtin_ctzll(capacity);
}

struct ws_live **ws_live_room(struct ws_lives *lives, struct ws_live **list, size_t count, size_t *capacity)
{
    size_t more = *capacity ? 2 * *capacity : 4;
    void **first = &lives->free_arrays[class_of(more)];
    struct ws_live **larger;

    if (count < *capacity)
        return list;
    larger = *first ? take(first) : ws_arena_alloc(&lives->arena, more * sizeof *larger);
    if (count)
        memcpy(larger, list, count * sizeof *larger);
    if (*capacity)
        ws_live_drop_list(lives, list, *capacity);
    *capacity = more;
    return larger;
}

void ws_live_drop_list(struct ws_lives *lives, struct ws_live **list, size_t capacity)
{
    give_back(&lives->free_arrays[class_of(capacity)], list);
}

/* ---- events ---- */

struct ws_live *ws_live_simple(struct ws_lives *lives, const struct ws_event *event)
{
    const struct ws_plan_type *plan = &lives->plan->types[event->type];
    struct ws_live *live = make(lives, plan, event->type);
    struct ws_event *copy = ws_live_event(live);

    copy->type = event->type;
    copy->mark = event->mark;
    copy->order = lives->next_order++;
    memcpy(copy->value, event->value, plan->type->slot_count * sizeof *copy->value);
    return live;
}

static struct ws_live *make_composite(struct ws_lives *lives, const struct ws_plan_rule *rule)
{
    struct ws_live *live = make(lives, rule->plan, rule->plan->type->index);

    live->rule = rule;
    ws_live_event(live)->type = rule->plan->type->index;
    return live;
}

static void span(struct ws_live *live)
{
    int64_t begin_ns = ws_live_begin(live->members[0]), end_ns = ws_live_end(live->members[0]);

    for (uint32_t i = 1; i < live->member_count; i++) {
        int64_t begin = ws_live_begin(live->members[i]), end = ws_live_end(live->members[i]);
        begin_ns = begin < begin_ns ? begin : begin_ns;
        end_ns = end > end_ns ? end : end_ns;
    }
    ws_live_event(live)->value[WS_CATTR_BEGIN].i = begin_ns;
    ws_live_event(live)->value[WS_CATTR_END].i = end_ns;
}

struct ws_live *ws_live_tuple(struct ws_lives *lives, const struct ws_plan_rule *rule,
                              struct ws_live *const *members)
{
    struct ws_live *live = make_composite(lives, rule);

    live->members = (struct ws_live **)((char *)live + live->plan->members_offset);
    live->member_count = (uint32_t)rule->rule->member_count;
    for (uint32_t i = 0; i < live->member_count; i++) {
        live->members[i] = members[i];
        ws_live_hold(members[i]);
    }
    span(live);
    return live;
}

struct ws_live *ws_live_group(struct ws_lives *lives, const struct ws_plan_rule *rule,
                              struct ws_live **elements, size_t count, size_t capacity)
{
    struct ws_live *live = make_composite(lives, rule);

    live->members = elements;
    live->member_count = (uint32_t)count;
    live->capacity = (uint32_t)capacity;
    span(live);
    return live;
}

void ws_live_destroy(struct ws_lives *lives, struct ws_live *live)
{
    for (uint32_t i = 0; i < live->member_count; i++)
        ws_live_release(lives, live->members[i]);
    if (live->capacity)
        ws_live_drop_list(lives, live->members, live->capacity);
    lives->count--;
    give_back(&lives->free[ws_live_event(live)->type], live);
}
