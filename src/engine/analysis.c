#include "engine/analysis.h"

#include <stdlib.h>
#include <string.h>

/* ---- lines ---- */

static void stand(struct ws_line *line, struct ws_live *live)
{
    WS_PUSH(line->events, line->count, line->capacity) = live;
}

static void clear(struct ws_analysis *analysis, struct ws_line *line)
{
    for (size_t i = 0; i < line->count; i++)
        ws_live_release(&analysis->lives, line->events[i]);
    line->count = 0;
}

/* ---- reports ---- */

struct ws_event *ws_report_tuple(struct ws_analysis *analysis, const struct ws_plan_rule *rule,
                                 struct ws_live *const *members)
{
    struct ws_live *live = ws_live_tuple(&analysis->lives, rule, members);

    stand(&analysis->tuples, live);
    return ws_live_event(live);
}

struct ws_event *ws_report_complete(struct ws_analysis *analysis)
{
    struct ws_group *group = analysis->entered;

    analysis->completed =
        ws_live_group(&analysis->lives, group->rule, group->elements, group->count, group->capacity);
    group->count = group->capacity = 0;
    return ws_live_event(analysis->completed);
}

void ws_report_undefined(struct ws_analysis *analysis)
{
    if (analysis->completed)
        ws_live_release(&analysis->lives, analysis->completed);
    else
        ws_live_release(&analysis->lives, analysis->tuples.events[--analysis->tuples.count]);
    analysis->completed = NULL;
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
    struct ws_group **free_group = &analysis->groups[rule->number], *group = *free_group;

    if (group)
        *free_group = group->next;
    else
        group = ws_arena_alloc(&analysis->lives.arena, sizeof *group + rule->group_own);
    *group = (struct ws_group){.rule = rule, .expect = expect};
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

/* ---- presence in scopes ---- */

static bool is_here(struct ws_analysis *analysis, const struct ws_use *use, const struct ws_live *live)
{
    return ws_analysis_presence(analysis, use, live)->here;
}

static void keep(struct ws_analysis *analysis, const struct ws_use *use, struct ws_live *live,
                 struct ws_presence *presence)
{
    struct ws_live **newest = &analysis->kept[use->index];

    presence->kept = true;
    presence->waits = analysis->waits;
    presence->previous = NULL;
    presence->next = *newest;
    if (*newest)
        ws_live_presence(*newest, use)->previous = live;
    *newest = live;
    ws_live_hold(live);
    if (analysis->ops->keep)
        analysis->ops->keep(analysis->matcher, use, live);
}

static void keep_no_more(struct ws_analysis *analysis, const struct ws_use *use,
                         const struct ws_presence *presence)
{
    if (presence->previous)
        ws_live_presence(presence->previous, use)->next = presence->next;
    else
        analysis->kept[use->index] = presence->next;
    if (presence->next)
        ws_live_presence(presence->next, use)->previous = presence->previous;
}

void ws_analysis_leave(struct ws_analysis *analysis, const struct ws_use *use, struct ws_live *live)
{
    struct ws_presence *presence = ws_analysis_presence(analysis, use, live);
    bool kept = presence->kept;

    if (kept)
        keep_no_more(analysis, use, presence);
    if (kept || !analysis->ops->seek)
        analysis->ops->leave(analysis->matcher, use, live);
    presence->here = presence->kept = false;
    if (kept)
        ws_live_release(&analysis->lives, live);
}

/* ---- building ---- */

static void count(struct ws_analysis *analysis, const struct ws_plan_rule *rule, bool clock_violation)
{
    if (rule->counts) {
        analysis->stats.composites++;
        analysis->stats.clock_violations += clock_violation;
    }
}

/* Gets its order, and a place in the line of the scope, and where it was built in the common one in that of
 * the others. */
static void build(struct ws_analysis *analysis, struct ws_live *live)
{
    const struct ws_plan_rule *rule = live->rule;
    struct ws_event *event = ws_live_event(live);

    event->order = analysis->lives.next_order++;
    count(analysis, rule, rule->clock_violation != UINT32_MAX && event->value[rule->clock_violation].i);
    if (rule->rule->scope->common && !live->plan->in_common_only) {
        stand(&analysis->built, live);
        ws_live_hold(live);
    }
    if (ws_plan_use(live->plan, rule->rule->scope)) {
        stand(&analysis->line, live);
        ws_live_hold(live);
    }
}

/* What is not shared is used up. */
static void use_up(struct ws_analysis *analysis, const struct ws_plan_rule *rule,
                   struct ws_live *const *members)
{
    const struct ws_member *const written = rule->rule->members;
    const size_t count = rule->rule->member_count;

    for (size_t i = 0; i < count; i++) {
        if (written[i].shared)
            continue;
        if (rule->uses[i]->keeps || !analysis->ops->seek)
            ws_analysis_leave(analysis, rule->uses[i], members[i]);
        else
            analysis->passing.here = false;
    }
}

/* A tuple is built if all its members are still there. */
static void build_tuple(struct ws_analysis *analysis, struct ws_live *tuple)
{
    const struct ws_plan_rule *rule = tuple->rule;

    for (uint32_t i = 0; i < tuple->member_count; i++)
        if (!is_here(analysis, rule->uses[i], tuple->members[i]))
            return;
    build(analysis, tuple);
    use_up(analysis, rule, tuple->members);
}

void ws_report_built(struct ws_analysis *analysis)
{
    struct ws_live *live = analysis->tuples.events[--analysis->tuples.count];

    build(analysis, live);
    use_up(analysis, live->rule, live->members);
    ws_live_release(&analysis->lives, live);
}

void ws_report_passing(struct ws_analysis *analysis, const struct ws_plan_rule *rule,
                       struct ws_live *const *members, bool clock_violation)
{
    analysis->lives.next_order++;
    count(analysis, rule, clock_violation);
    use_up(analysis, rule, members);
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
    if (group->capacity)
        ws_live_drop_list(&analysis->lives, group->elements, group->capacity);
    group->next = analysis->groups[group->rule->number];
    analysis->groups[group->rule->number] = group;
}

static int close_group(struct ws_analysis *analysis, struct ws_group *group, struct ws_error *error)
{
    analysis->entered = group;
    analysis->completed = NULL;
    if (analysis->ops->close(analysis->matcher, group, error) != 0)
        return -1;
    if (analysis->completed) {
        build(analysis, analysis->completed);
        ws_live_release(&analysis->lives, analysis->completed);
        analysis->completed = NULL;
    }
    free_group(analysis, group);
    return 0;
}

/* Apart, so that what has nothing to do with groups does not make room for it. */
static __attribute__((noinline)) int enter_group(struct ws_analysis *analysis, const struct ws_use *use,
                                                 const struct ws_plan_rule *rule, struct ws_live *live,
                                                 struct ws_error *error)
{
    struct ws_group *group;

    analysis->entered = NULL;
    if (analysis->ops->enter(analysis->matcher, rule, live, error) != 0)
        return -1;
    group = analysis->entered;
    if (!group)
        return 0;
    group->elements = ws_live_room(&analysis->lives, group->elements, group->count, &group->capacity);
    group->elements[group->count++] = live;
    ws_live_hold(live);
    if (!rule->rule->members[0].shared)
        ws_analysis_leave(analysis, use, live);
    if (!closes_at_end(group) && group->expect > 0 && group->count >= (uint64_t)group->expect)
        return close_group(analysis, group, error);
    return 0;
}

/* ---- one arrival ---- */

/* By rule, then by the order of arrival of the first member, the second ... */
static int compare_tuples(const void *a, const void *b)
{
    const struct ws_live *left = *(struct ws_live *const *)a, *right = *(struct ws_live *const *)b;

    if (left->rule != right->rule)
        return left->rule->index < right->rule->index ? -1 : 1;
    for (uint32_t i = 0; i < left->member_count; i++) {
        uint64_t x = ws_live_event(left->members[i])->order, y = ws_live_event(right->members[i])->order;
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

static void sort_tuples(struct ws_analysis *analysis)
{
    if (analysis->tuples.count > 1)
        qsort(analysis->tuples.events, analysis->tuples.count, sizeof *analysis->tuples.events,
              compare_tuples);
}

/* The tuples of one rule.  The event is the newest of all that are there; so of two members of one type those
 * tuples come first in which it is second. */
static void seek_tuples(struct ws_analysis *analysis, const struct ws_use *use, const struct ws_turn *turn,
                        struct ws_live *live)
{
    const uint32_t first = turn->first;

    for (uint32_t seat = turn->end; seat-- > first;)
        analysis->ops->seek(analysis->matcher, use, seat, live);
    if (analysis->tuples.count > 1 && turn->rule->rule->member_count > 2)
        sort_tuples(analysis);
}

/* Builds the tuples of the rule from *next on. */
static __attribute__((noinline)) void build_tuples(struct ws_analysis *analysis,
                                                   const struct ws_plan_rule *rule, size_t *next)
{
    for (; *next < analysis->tuples.count && analysis->tuples.events[*next]->rule == rule; (*next)++)
        build_tuple(analysis, analysis->tuples.events[*next]);
    if (*next == analysis->tuples.count) {
        clear(analysis, &analysis->tuples);
        *next = 0;
    }
}

/* The rules of the scope in order of declaration, as long as the event is there: for each its tuples, first
 * member first. */
static int try_rules(struct ws_analysis *analysis, const struct ws_use *use, struct ws_live *live,
                     const struct ws_presence *presence, struct ws_error *error)
{
    const struct ws_turn *turn = use->turns, *const end = turn + use->turn_count;
    size_t next = 0;

    for (; turn < end && presence->here; turn++) {
        if (turn->rule->group) {
            if (enter_group(analysis, use, turn->rule, live, error) != 0)
                return -1;
        } else if (analysis->ops->seek) {
            seek_tuples(analysis, use, turn, live);
        }
        if (analysis->tuples.count)
            build_tuples(analysis, turn->rule, &next);
    }
    if (analysis->tuples.count)
        clear(analysis, &analysis->tuples);
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

static __attribute__((noinline)) int judge(struct ws_analysis *analysis, const struct ws_use *use,
                                           struct ws_live *live, struct ws_error *error)
{
    if (analysis->ops->arrive(analysis->matcher, use, live, error) != 0)
        return -1;
    take_judgement(analysis, use, live, NULL);
    if (!analysis->ops->seek)
        sort_tuples(analysis);
    return use->judged_by_element ? judge_elements(analysis, use, live, error) : 0;
}

static int arrive(struct ws_analysis *analysis, const struct ws_use *use, struct ws_live *live,
                  struct ws_error *error)
{
    const bool all_at_once = !analysis->ops->seek;
    struct ws_presence *presence;

    if (use->seat_count == 0 && !all_at_once)
        return judge(analysis, use, live, error);
    presence = ws_analysis_presence(analysis, use, live);
    analysis->use = use;
    analysis->kept_here = use->always_kept;
    analysis->waits = use->always_waits;
    presence->here = true;
    if ((use->problem_count || (all_at_once && use->in_tuples)) && judge(analysis, use, live, error) != 0)
        return -1;
    if (try_rules(analysis, use, live, presence, error) != 0)
        return -1;
    if (!presence->here)
        return 0;
    if (use->keeps && analysis->kept_here)
        keep(analysis, use, live, presence);
    else
        ws_analysis_leave(analysis, use, live);
    return 0;
}

/* Until nothing stands in the scope's line any more. */
static int settle_line(struct ws_analysis *analysis, const struct ws_scope *scope, struct ws_error *error)
{
    struct ws_line *line = &analysis->line;

    for (size_t i = 0; i < line->count; i++) {
        struct ws_live *live = line->events[i];
        if (arrive(analysis, ws_plan_use(live->plan, scope), live, error) != 0)
            return -1;
    }
    clear(analysis, line);
    return 0;
}

static void route(struct ws_analysis *analysis, struct ws_live *live)
{
    const struct ws_plan_type *type = live->plan;

    if (analysis->ops->route)
        analysis->ops->route(analysis->matcher, live, analysis->marked);
    else
        for (size_t i = 0; i < type->use_count; i++)
            if (!type->uses[i]->scope->common)
                WS_MARK(analysis->marked, type->uses[i]->scope->index);
}

/* What was built in the common scope, after the simple event that it was built from; then what the scope
 * builds from all of these. */
static int settle_scope(struct ws_analysis *analysis, const struct ws_scope *scope, struct ws_error *error)
{
    const struct ws_line *built = &analysis->built;

    for (size_t i = 0; i < built->count; i++) {
        const struct ws_use *use = ws_plan_use(built->events[i]->plan, scope);
        if (use && arrive(analysis, use, built->events[i], error) != 0)
            return -1;
    }
    return settle_line(analysis, scope, error);
}

/* What is in `built` arrives in the problem types, one after the other. */
static int settle_others(struct ws_analysis *analysis, struct ws_error *error)
{
    const struct ws_kb *kb = analysis->plan.kb;

    for (size_t i = 0; i < analysis->built.count; i++)
        if (!analysis->built.events[i]->routed)
            route(analysis, analysis->built.events[i]);
    for (size_t word = 0; word < (kb->scope_count + 63) / 64; word++)
        while (analysis->marked[word]) {
            size_t s = 64 * word + (size_t)__builtin_ctzll(analysis->marked[word]);
            analysis->marked[word] &= analysis->marked[word] - 1;
            if (settle_scope(analysis, kb->scopes[s], error) != 0)
                return -1;
        }
    clear(analysis, &analysis->built);
    return 0;
}

/* Takes the reference. */
static int settle_simple(struct ws_analysis *analysis, struct ws_live *live, struct ws_error *error)
{
    const struct ws_scope *common = analysis->plan.common;
    const struct ws_use *use = common ? ws_plan_use(live->plan, common) : NULL;
    int result = 0;

    if (!live->plan->in_common_only) {
        stand(&analysis->built, live);
        ws_live_hold(live);
    }
    if (use)
        result = arrive(analysis, use, live, error);
    if (result == 0 && analysis->line.count)
        result = settle_line(analysis, common, error);
    if (result == 0 && analysis->built.count)
        result = settle_others(analysis, error);
    ws_live_release(&analysis->lives, live);
    return result;
}

/* ---- public ---- */

/* Sweeps come when as many events have come as were left, so that they cost each event the same. */
#define FIRST_SWEEP 64

void ws_analysis_init(struct ws_analysis *analysis, const struct ws_kb *kb, const bool *scopes,
                      const struct ws_sink *sink, const struct ws_matcher_ops *ops, void *matcher)
{
    memset(analysis, 0, sizeof *analysis);
    ws_plan_init(&analysis->plan, kb, scopes);
    ws_lives_init(&analysis->lives, &analysis->plan);
    analysis->ops = ops;
    analysis->matcher = matcher;
    analysis->sink = *sink;
    analysis->scopes = ws_alloc_array(kb->scope_count, sizeof *analysis->scopes);
    for (size_t s = 0; s < kb->scope_count; s++)
        analysis->scopes[s].scope = kb->scopes[s];
    analysis->kept = ws_alloc_array(analysis->plan.use_count, sizeof *analysis->kept);
    analysis->marked = ws_alloc_array((kb->scope_count + 63) / 64, sizeof *analysis->marked);
    analysis->groups = ws_alloc_array(analysis->plan.rule_count, sizeof *analysis->groups);
    for (size_t u = 0; u < analysis->plan.use_count; u++)
        analysis->plan.uses[u]->forgets = ws_use_forgets(analysis->plan.uses[u]);
    analysis->next_sweep = FIRST_SWEEP;
}

/* After an error: what was on its way goes nowhere. */
static int give_up(struct ws_analysis *analysis)
{
    clear(analysis, &analysis->line);
    clear(analysis, &analysis->built);
    clear(analysis, &analysis->tuples);
    memset(analysis->marked, 0, (analysis->plan.kb->scope_count + 63) / 64 * sizeof *analysis->marked);
    return -1;
}

int ws_analysis_feed(struct ws_analysis *analysis, const struct ws_event *event, int64_t low_ns,
                     struct ws_error *error)
{
    if (event->type >= analysis->plan.kb->simple_count)
        return ws_fail(error, WS_BAD_INPUT, "the trace has an event of a type that no rule declares");
    analysis->stats.events++;
    if (analysis->plan.types[event->type].use_count == 0)
        analysis->lives.next_order++;
    else if (settle_simple(analysis, ws_live_simple(&analysis->lives, event), error) != 0)
        return give_up(analysis);
    if (analysis->stats.events >= analysis->next_sweep) {
        ws_analysis_forget(analysis, low_ns);
        analysis->next_sweep = analysis->stats.events + FIRST_SWEEP + analysis->lives.count;
    }
    return 0;
}

struct telling {
    ws_see_held *see;
    void *context;
};

static void tell(void *context, const struct ws_live *live)
{
    const struct telling *telling = context;
    const struct ws_event *event = ws_live_event(live);

    if (!live->rule)
        telling->see(telling->context, &(struct ws_held){event->type, event->value[WS_ATTR_PROCESS].i,
                                                         ws_live_begin(live), ws_live_end(live)});
}

void ws_analysis_held(const struct ws_analysis *analysis, ws_see_held *see, void *context)
{
    struct telling telling = {see, context};

    ws_lives_each(&analysis->lives, tell, &telling);
}

/* What a rule brought by --kb leaves over is its own matter: it says nothing about the recording. */
void ws_analysis_count_unmatched(struct ws_analysis *analysis, const struct ws_scope *scope,
                                 struct ws_live *live)
{
    if (scope->extra || analysis->plan.scopes[scope->index] != WS_PLAN_WANTED)
        return;
    if (!live->rule && !live->unmatched) {
        analysis->stats.unmatched++;
        if (analysis->sink.unmatched)
            analysis->sink.unmatched(analysis->sink.context, ws_live_event(live));
    }
    live->unmatched = true;
}

static int close_at_end(struct ws_analysis *analysis, struct ws_group *group, struct ws_error *error)
{
    const struct ws_scope *scope = group->rule->rule->scope;

    if (close_group(analysis, group, error) != 0 || settle_line(analysis, scope, error) != 0)
        return -1;
    return settle_others(analysis, error);
}

/* Groups without `expect` end with the trace: in each scope the one with the earliest first element next,
 * since what it builds may still open, enter or close others. */
static int close_groups(struct ws_analysis *analysis, struct ws_error *error)
{
    for (size_t s = 0; s < analysis->plan.kb->scope_count; s++)
        while (analysis->scopes[s].open_first)
            if (close_at_end(analysis, analysis->scopes[s].open_first, error) != 0)
                return -1;
    return 0;
}

int ws_analysis_finish(struct ws_analysis *analysis, struct ws_engine_stats *stats, struct ws_error *error)
{
    if (close_groups(analysis, error) != 0)
        return -1;
    for (size_t s = 0; s < analysis->plan.kb->scope_count; s++)
        for (struct ws_group *group = analysis->scopes[s].waiting_first; group; group = group->next)
            for (size_t i = 0; !group->rule->rule->members[0].every && i < group->count; i++)
                ws_analysis_count_unmatched(analysis, analysis->plan.kb->scopes[s], group->elements[i]);
    for (size_t u = 0; u < analysis->plan.use_count; u++) {
        const struct ws_use *use = analysis->plan.uses[u];
        for (struct ws_live *live = analysis->kept[u]; live; live = ws_live_presence(live, use)->next)
            if (ws_live_presence(live, use)->waits)
                ws_analysis_count_unmatched(analysis, use->scope, live);
    }
    *stats = analysis->stats;
    stats->most_live = analysis->lives.most;
    return 0;
}

void ws_analysis_free(struct ws_analysis *analysis)
{
    free(analysis->scopes);
    free(analysis->kept);
    free(analysis->marked);
    free(analysis->groups);
    free(analysis->line.events);
    free(analysis->built.events);
    free(analysis->tuples.events);
    free(analysis->actions);
    ws_lives_free(&analysis->lives);
    ws_plan_free(&analysis->plan);
}
