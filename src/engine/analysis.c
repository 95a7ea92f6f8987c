#include "engine/analysis.h"

#include <stdlib.h>
#include <string.h>

/* ---- reports ---- */

void ws_report_tuple(struct ws_analysis *analysis, uint32_t rule, struct ws_live *const *members,
                     const union ws_value *values)
{
    const struct ws_composite_rule *built = analysis->use->scope->composites[rule];
    size_t value_count = built->type->slot_count - built->type->attribute_count;

    WS_PUSH(analysis->tuples, analysis->tuple_count, analysis->tuple_capacity) =
        (struct ws_analysis_tuple){rule, analysis->member_count, analysis->value_count};
    for (size_t i = 0; i < built->member_count; i++) {
        WS_PUSH(analysis->members, analysis->member_count, analysis->member_capacity) = members[i];
        ws_live_hold(members[i]); /* an earlier tuple may use it up */
    }
    for (size_t i = 0; i < value_count; i++)
        WS_PUSH(analysis->values, analysis->value_count, analysis->value_capacity) = values[i];
}

void ws_report_kept(struct ws_analysis *analysis, bool waits)
{
    analysis->kept = true;
    analysis->waits |= waits;
}

/* Problem rules are alternatives: the first that holds and costs time is the one that counts. */
void ws_report_problem(struct ws_analysis *analysis, const struct ws_judgement *judgement)
{
    if (judgement->duration_ns <= 0)
        return;
    if (analysis->judged && analysis->judgement.problem < judgement->problem)
        return;
    analysis->judgement = *judgement;
    analysis->judged = true;
}

static void link_group(struct ws_group **first, struct ws_group **last, struct ws_group *group)
{
    group->previous = *last;
    if (*last)
        (*last)->next = group;
    else
        *first = group;
    *last = group;
}

static void unlink_group(struct ws_group **first, struct ws_group **last, struct ws_group *group)
{
    if (group->previous)
        group->previous->next = group->next;
    else
        *first = group->next;
    if (group->next)
        group->next->previous = group->previous;
    else
        *last = group->previous;
}

static struct ws_analysis_scope *scope_of(struct ws_analysis *analysis, const struct ws_scope *scope)
{
    return &analysis->scopes[scope->index];
}

static bool closes_at_end(const struct ws_group *group)
{
    return group->rule->rule->members[0].expect == NULL;
}

struct ws_group *ws_report_opened(struct ws_analysis *analysis, const struct ws_plan_rule *rule,
                                  int64_t expect)
{
    struct ws_analysis_scope *scope = scope_of(analysis, rule->rule->scope);
    struct ws_group *group = ws_alloc(sizeof *group);

    group->rule = rule;
    group->expect = expect;
    if (closes_at_end(group))
        link_group(&scope->open_first, &scope->open_last, group);
    else
        link_group(&scope->waiting_first, &scope->waiting_last, group);
    return group;
}

void ws_report_entered(struct ws_analysis *analysis, struct ws_group *group)
{
    analysis->entered = group;
}

void ws_report_complete(struct ws_analysis *analysis, const union ws_value *values)
{
    const struct ws_event_type *type = analysis->entered->rule->rule->type;

    memcpy(analysis->complete, values, (type->slot_count - type->attribute_count) * sizeof *values);
    analysis->completed = true;
}

/* ---- presence in scopes ---- */

static void come(struct ws_analysis *analysis, const struct ws_use *use, struct ws_live *live)
{
    struct ws_presence *presence = &live->presence[use->number];
    struct ws_live **newest = &analysis->here[use->index];

    *presence = (struct ws_presence){.here = true, .next = *newest};
    if (*newest)
        (*newest)->presence[use->number].previous = live;
    *newest = live;
    ws_live_hold(live);
}

void ws_analysis_leave(struct ws_analysis *analysis, const struct ws_use *use, struct ws_live *live)
{
    struct ws_presence *presence = &live->presence[use->number];

    if (presence->previous)
        presence->previous->presence[use->number].next = presence->next;
    else
        analysis->here[use->index] = presence->next;
    if (presence->next)
        presence->next->presence[use->number].previous = presence->previous;
    analysis->ops->leave(analysis->matcher, use, live);
    *presence = (struct ws_presence){0};
    ws_live_release(&analysis->lives, live);
}

static bool is_here(const struct ws_use *use, const struct ws_live *live)
{
    return live->presence[use->number].here;
}

/* ---- arrivals wait in line ---- */

static void enqueue(struct ws_analysis *analysis, const struct ws_scope *scope, struct ws_live *live)
{
    struct ws_analysis_scope *line = scope_of(analysis, scope);

    WS_PUSH(line->queue, line->queue_count, line->queue_capacity) = live;
    ws_live_hold(live);
    analysis->queued++;
}

/* In every scope that uses its type, at the end of what is still to arrive there. */
static void announce(struct ws_analysis *analysis, struct ws_live *live)
{
    const struct ws_plan_type *type = &analysis->plan.types[live->type->index];

    for (size_t i = 0; i < type->use_count; i++)
        enqueue(analysis, type->uses[i]->scope, live);
}

/* ---- building ---- */

static void build(struct ws_analysis *analysis, const struct ws_plan_rule *rule,
                  struct ws_live *const *members, size_t count, const union ws_value *values)
{
    struct ws_live *live = ws_live_composite(&analysis->lives, rule, members, count);
    const struct ws_event_type *type = rule->rule->type;

    memcpy(live->event->value + type->attribute_count, values,
           (type->slot_count - type->attribute_count) * sizeof *values);
    if (analysis->plan.scopes[rule->rule->scope->index] == WS_PLAN_WANTED) {
        analysis->stats.composites++;
        if (rule->clock_violation != UINT32_MAX && values[rule->clock_violation].i)
            analysis->stats.clock_violations++;
    }
    announce(analysis, live);
    ws_live_release(&analysis->lives, live);
}

/* A tuple is built if all its members are still there; what is not shared is used up at once. */
static void build_tuple(struct ws_analysis *analysis, const struct ws_plan_rule *rule,
                        const struct ws_analysis_tuple *tuple)
{
    struct ws_live **members = analysis->members + tuple->members;
    size_t count = rule->rule->member_count;

    for (size_t i = 0; i < count; i++)
        if (!is_here(rule->uses[i], members[i]))
            return;
    build(analysis, rule, members, count, analysis->values + tuple->values);
    for (size_t i = 0; i < count; i++)
        if (!rule->rule->members[i].shared && is_here(rule->uses[i], members[i]))
            ws_analysis_leave(analysis, rule->uses[i], members[i]);
}

static void free_group(struct ws_analysis *analysis, struct ws_group *group)
{
    struct ws_analysis_scope *scope = scope_of(analysis, group->rule->rule->scope);

    if (closes_at_end(group))
        unlink_group(&scope->open_first, &scope->open_last, group);
    else
        unlink_group(&scope->waiting_first, &scope->waiting_last, group);
    for (size_t i = 0; i < group->count; i++)
        ws_live_release(&analysis->lives, group->elements[i]);
    free(group->elements);
    free(group);
}

static int close_group(struct ws_analysis *analysis, struct ws_group *group, struct ws_error *error)
{
    analysis->entered = group;
    analysis->completed = false;
    if (analysis->ops->close(analysis->matcher, group, error) != 0)
        return -1;
    if (analysis->completed)
        build(analysis, group->rule, group->elements, group->count, analysis->complete);
    free_group(analysis, group);
    return 0;
}

static int enter_group(struct ws_analysis *analysis, const struct ws_use *use,
                       const struct ws_plan_rule *rule, struct ws_live *live, struct ws_error *error)
{
    struct ws_group *group;

    analysis->entered = NULL;
    if (analysis->ops->enter(analysis->matcher, rule, live, error) != 0)
        return -1;
    group = analysis->entered;
    if (!group)
        return 0;
    WS_PUSH(group->elements, group->count, group->capacity) = live;
    ws_live_hold(live);
    if (!rule->rule->members[0].shared)
        ws_analysis_leave(analysis, use, live);
    if (!closes_at_end(group) && group->expect > 0 && group->count >= (uint64_t)group->expect)
        return close_group(analysis, group, error);
    return 0;
}

/* ---- one arrival ---- */

static int compare_tuples(const void *a, const void *b, void *context)
{
    const struct ws_analysis_tuple *left = a, *right = b;
    const struct ws_analysis *analysis = context;
    size_t count = analysis->use->scope->composites[left->rule]->member_count;

    if (left->rule != right->rule)
        return left->rule < right->rule ? -1 : 1;
    for (size_t i = 0; i < count; i++) {
        uint64_t x = analysis->members[left->members + i]->event->order;
        uint64_t y = analysis->members[right->members + i]->event->order;
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

/* The rules of the scope in order of declaration: for each its tuples, first member first. */
static int try_rules(struct ws_analysis *analysis, const struct ws_use *use, struct ws_live *live,
                     struct ws_error *error)
{
    size_t next = 0;

    if (analysis->tuple_count > 1)
        qsort_r(analysis->tuples, analysis->tuple_count, sizeof *analysis->tuples, compare_tuples, analysis);
    for (size_t i = 0; i < use->seat_count; i++) {
        const struct ws_plan_rule *rule = use->seats[i].rule;
        if (rule->group && is_here(use, live) && enter_group(analysis, use, rule, live, error) != 0)
            return -1;
        for (; next < analysis->tuple_count && analysis->tuples[next].rule == rule->index; next++)
            build_tuple(analysis, rule, &analysis->tuples[next]);
    }
    return 0;
}

static void take_judgement(struct ws_analysis *analysis, const struct ws_use *use, struct ws_live *composite,
                           struct ws_live *element)
{
    if (analysis->judged)
        ws_analysis_found(analysis, use, composite, element, &analysis->judgement);
    analysis->judged = false;
}

static int judge_elements(struct ws_analysis *analysis, const struct ws_use *use, struct ws_live *composite,
                          struct ws_error *error)
{
    for (uint32_t i = 0; i < composite->member_count; i++) {
        if (analysis->ops->judge(analysis->matcher, use, composite, composite->members[i], error) != 0)
            return -1;
        take_judgement(analysis, use, composite, composite->members[i]);
    }
    return 0;
}

static void begin_reports(struct ws_analysis *analysis, const struct ws_use *use)
{
    analysis->use = use;
    analysis->kept = use->always_kept;
    analysis->waits = use->always_waits;
    analysis->judged = false;
}

static void drop_tuples(struct ws_analysis *analysis)
{
    for (size_t i = 0; i < analysis->member_count; i++)
        ws_live_release(&analysis->lives, analysis->members[i]);
    analysis->tuple_count = analysis->member_count = analysis->value_count = 0;
}

static int arrive(struct ws_analysis *analysis, const struct ws_use *use, struct ws_live *live,
                  struct ws_error *error)
{
    bool matched = use->in_tuples || use->problem_count > 0;

    begin_reports(analysis, use);
    come(analysis, use, live);
    if (matched && analysis->ops->arrive(analysis->matcher, use, live, error) != 0)
        return -1;
    take_judgement(analysis, use, live, NULL);
    if (use->judged_by_element && judge_elements(analysis, use, live, error) != 0)
        return -1;
    if (try_rules(analysis, use, live, error) != 0)
        return -1;
    drop_tuples(analysis);
    if (!is_here(use, live))
        return 0;
    live->presence[use->number].waits = analysis->waits;
    if (!use->in_tuples || !analysis->kept)
        ws_analysis_leave(analysis, use, live);
    return 0;
}

static int settle_scope(struct ws_analysis *analysis, struct ws_analysis_scope *scope, struct ws_error *error)
{
    int result = 0;

    while (result == 0 && scope->queue_first < scope->queue_count) {
        struct ws_live *live = scope->queue[scope->queue_first++];
        analysis->queued--;
        result = arrive(analysis, ws_plan_use(&analysis->plan, live->type, scope->scope), live, error);
        ws_live_release(&analysis->lives, live);
    }
    if (scope->queue_first == scope->queue_count)
        scope->queue_first = scope->queue_count = 0;
    return result;
}

/* Until nothing is left to arrive anywhere: scope by scope, the common one first. */
static int settle(struct ws_analysis *analysis, struct ws_error *error)
{
    while (analysis->queued > 0)
        for (size_t s = 0; s < analysis->plan.kb->scope_count && analysis->queued > 0; s++)
            if (settle_scope(analysis, &analysis->scopes[s], error) != 0)
                return -1;
    return 0;
}

/* ---- public ---- */

/* Sweeps come when as many events have come as were left, so that they cost each event the same. */
#define FIRST_SWEEP 64

void ws_analysis_init(struct ws_analysis *analysis, const struct ws_kb *kb, const bool *scopes,
                      const struct ws_sink *sink, const struct ws_matcher_ops *ops, void *matcher)
{
    size_t most = 0;

    memset(analysis, 0, sizeof *analysis);
    ws_plan_init(&analysis->plan, kb, scopes);
    ws_lives_init(&analysis->lives, &analysis->plan);
    analysis->ops = ops;
    analysis->matcher = matcher;
    analysis->sink = *sink;
    analysis->scopes = ws_alloc_array(kb->scope_count, sizeof *analysis->scopes);
    for (size_t s = 0; s < kb->scope_count; s++)
        analysis->scopes[s].scope = kb->scopes[s];
    analysis->here = ws_alloc_array(analysis->plan.use_count, sizeof *analysis->here);
    for (size_t i = 0; i < kb->type_count; i++)
        if (kb->types[i]->slot_count > most)
            most = kb->types[i]->slot_count;
    analysis->complete = ws_alloc_array(most, sizeof *analysis->complete);
    analysis->next_sweep = FIRST_SWEEP;
}

int ws_analysis_feed(struct ws_analysis *analysis, const struct ws_event *event, int64_t low_ns,
                     struct ws_error *error)
{
    struct ws_live *live;

    if (event->type >= analysis->plan.kb->simple_count)
        return ws_fail(error, WS_BAD_INPUT, "the trace has an event of a type that no rule declares");
    live = ws_live_simple(&analysis->lives, event);
    analysis->stats.events++;
    announce(analysis, live);
    ws_live_release(&analysis->lives, live);
    if (settle(analysis, error) != 0)
        return -1;
    if (analysis->stats.events >= analysis->next_sweep) {
        ws_analysis_forget(analysis, low_ns);
        analysis->next_sweep = analysis->stats.events + FIRST_SWEEP + analysis->lives.count;
    }
    return 0;
}

void ws_analysis_held(const struct ws_analysis *analysis, ws_see_held *see, void *context)
{
    for (size_t i = 0; i < analysis->lives.size; i++) {
        const struct ws_live *live = analysis->lives.table[i];
        if (live && !live->type->composite)
            see(context, &(struct ws_held){live->event->type, live->event->value[WS_ATTR_PROCESS].i,
                                           live->begin_ns, live->end_ns});
    }
}

/* What a rule brought by --kb leaves over is its own matter: it says nothing about the recording. */
void ws_analysis_count_unmatched(struct ws_analysis *analysis, const struct ws_scope *scope,
                                 struct ws_live *live)
{
    if (scope->extra || analysis->plan.scopes[scope->index] != WS_PLAN_WANTED)
        return;
    if (!live->type->composite && !live->unmatched) {
        analysis->stats.unmatched++;
        if (analysis->sink.unmatched)
            analysis->sink.unmatched(analysis->sink.context, live->event);
    }
    live->unmatched = true;
}

/* Groups without `expect` end with the trace: in each scope the one with the earliest first element next,
 * since what it builds may still open, enter or close others. */
static int close_groups(struct ws_analysis *analysis, struct ws_error *error)
{
    for (size_t s = 0; s < analysis->plan.kb->scope_count; s++)
        while (analysis->scopes[s].open_first)
            if (close_group(analysis, analysis->scopes[s].open_first, error) != 0 ||
                settle(analysis, error) != 0)
                return -1;
    return 0;
}

int ws_analysis_finish(struct ws_analysis *analysis, struct ws_engine_stats *stats, struct ws_error *error)
{
    if (close_groups(analysis, error) != 0)
        return -1;
    for (size_t s = 0; s < analysis->plan.kb->scope_count; s++)
        for (struct ws_group *group = analysis->scopes[s].waiting_first; group; group = group->next)
            for (size_t i = 0; i < group->count; i++)
                ws_analysis_count_unmatched(analysis, analysis->plan.kb->scopes[s], group->elements[i]);
    for (size_t u = 0; u < analysis->plan.use_count; u++) {
        const struct ws_use *use = analysis->plan.uses[u];
        for (struct ws_live *live = analysis->here[u]; live; live = live->presence[use->number].next)
            if (live->presence[use->number].waits)
                ws_analysis_count_unmatched(analysis, use->scope, live);
    }
    *stats = analysis->stats;
    stats->most_live = analysis->lives.most;
    return 0;
}

static void free_groups(struct ws_group *group)
{
    while (group) {
        struct ws_group *next = group->next;
        free(group->elements);
        free(group);
        group = next;
    }
}

void ws_analysis_free(struct ws_analysis *analysis)
{
    for (size_t s = 0; s < analysis->plan.kb->scope_count; s++) {
        free_groups(analysis->scopes[s].open_first);
        free_groups(analysis->scopes[s].waiting_first);
        free(analysis->scopes[s].queue);
    }
    free(analysis->scopes);
    free(analysis->here);
    free(analysis->tuples);
    free(analysis->members);
    free(analysis->values);
    free(analysis->complete);
    ws_lives_free(&analysis->lives);
    ws_plan_free(&analysis->plan);
}
