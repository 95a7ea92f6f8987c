/* The native engine: the rules compiled to a plan of hash joins and folds. */
#include "engine/native/native.h"

#include <stdlib.h>

static const struct ws_matcher_ops matcher_ops = {
    .route = ws_native_route,
    .arrive = ws_native_arrive,
    .seek = ws_native_seek,
    .judge = ws_native_judge,
    .enter = ws_native_enter,
    .close = ws_native_close,
    .keep = ws_native_keep,
    .leave = ws_native_leave,
};

extern const struct ws_engine_ops ws_engine_native;

static void destroy(struct ws_engine *engine)
{
    struct ws_native *native = (struct ws_native *)engine;

    ws_native_free(native);
    ws_analysis_free(&native->analysis);
    free(native);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Room for the largest rule. */
static void make_room(struct ws_native *native)
{
    const struct ws_plan *plan = &native->analysis.plan;
    size_t members = 2, aggregates = 0, keys = 0, seats = 0;

    for (size_t r = 0; r < plan->rule_count; r++) {
        members = larger(members, plan->rules[r].rule->member_count);
        aggregates = larger(aggregates, plan->rules[r].rule->aggregate_count);
        keys = larger(keys, plan->rules[r].rule->members[0].by_count);
    }
    for (size_t u = 0; u < plan->use_count; u++)
        seats = larger(seats, plan->uses[u]->seat_count);
    native->tuple = ws_arena_alloc(&native->arena, members * sizeof *native->tuple);
    native->passed = ws_arena_alloc(&native->arena, seats * sizeof *native->passed);
    native->open = ws_arena_alloc(&native->arena, (plan->kb->scope_count + 63) / 64 * sizeof *native->open);
    native->keys = ws_arena_alloc(&native->arena, keys * sizeof *native->keys);
    native->frames[WS_FRAME_CONSTANTS] = native->formulas.constants;
    native->frames[WS_FRAME_TEMPORARIES] =
        ws_arena_alloc(&native->arena, native->formulas.temporary_count * sizeof(union ws_value));
    native->frames[WS_FRAME_AGGREGATES] =
        ws_arena_alloc(&native->arena, 2 * aggregates * sizeof(union ws_value));
}

static struct ws_engine *create(const struct ws_kb *kb, const bool *scopes, const struct ws_sink *sink,
                                struct ws_error *error)
{
    struct ws_native *native = ws_alloc(sizeof *native);

    native->ops = &ws_engine_native;
    ws_analysis_init(&native->analysis, kb, scopes, sink, &matcher_ops, native);
    if (ws_native_compile(native, error) != 0) {
        destroy((struct ws_engine *)native);
        return NULL;
    }
    make_room(native);
    return (struct ws_engine *)native;
}

static int feed(struct ws_engine *engine, const struct ws_event *event, int64_t low_ns,
                struct ws_error *error)
{
    return ws_analysis_feed(&((struct ws_native *)engine)->analysis, event, low_ns, error);
}

static void held(const struct ws_engine *engine, ws_see_held *see, void *context)
{
    ws_analysis_held(&((const struct ws_native *)engine)->analysis, see, context);
}

static int finish(struct ws_engine *engine, struct ws_engine_stats *stats, struct ws_error *error)
{
    return ws_analysis_finish(&((struct ws_native *)engine)->analysis, stats, error);
}

const struct ws_engine_ops ws_engine_native = {"native", create,  feed,           held,
                                               finish,   destroy, ws_native_print};
