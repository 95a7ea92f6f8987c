/* The meaning of the analysis rules once more, as short and as slow as it can be written: every rule is
 * tried on every tuple of everything that is there, nothing is ever let go of early.  What the engines find
 * is compared with this. */
#ifndef WS_TESTS_REFERENCE_H
#define WS_TESTS_REFERENCE_H

#include "story.h"

struct ref_event {
    struct ws_event *event;
    struct ref_event **members;
    size_t member_count;
    const struct ws_composite_rule *rule;
};
struct ref_list {
    struct ref_event **events;
    size_t count, capacity;
};
struct ref_group {
    const struct ws_composite_rule *rule;
    struct ref_list elements;
    bool closed;
    bool counted; /* has a number of elements to come */
    int64_t expect;
};
struct ref_scope {
    const struct ws_scope *scope;
    struct ref_list here, queue;
    size_t arrived; /* of the queue */
    struct ref_group *groups;
    size_t group_count, group_capacity;
};
struct reference {
    const struct ws_kb *kb;
    struct ws_arena arena;
    struct ref_scope scopes[16];
    struct ref_list all; /* by order */
    struct ws_text log;
    struct ws_engine_stats stats;
    uint64_t work; /* tuples looked at */
    bool exploded; /* the rules build too much of themselves to go on */
};
#define REF_MOST_EVENTS 1500
#define REF_MOST_WORK 3000000

/* ---- expressions ---- */

struct ref_scene {
    struct reference *r;
    struct ref_event *const *members;
    const struct ws_composite_rule *rule;
    const struct ref_list *elements; /* of the group, where there are aggregates */
};

static bool ref_evaluate(const struct ref_scene *scene, const struct ws_expr *e, union ws_value *v);

static bool ref_integer(__int128 exact, union ws_value *v)
{
    v->i = (int64_t)exact;
    return exact >= INT64_MIN && exact <= INT64_MAX;
}

static bool ref_real(double x, union ws_value *v)
{
    v->r = x == 0 ? 0 : x;
    return isfinite(x);
}

static bool ref_arithmetic(const struct ws_expr *e, union ws_value a, union ws_value b, union ws_value *v)
{
    enum ws_type left = e->args[0]->type, right = e->args[1]->type;
    double x = left == WS_TYPE_REAL ? a.r : (double)a.i, y = right == WS_TYPE_REAL ? b.r : (double)b.i, z;
    bool ratio = left == WS_TYPE_TIME && right == WS_TYPE_TIME && e->op == WS_OP_DIVIDE;

    if (left != WS_TYPE_REAL && right != WS_TYPE_REAL && !ratio) {
        __int128 i = a.i, j = b.i;
        if ((e->op == WS_OP_DIVIDE || e->op == WS_OP_REMAINDER) && j == 0)
            return false;
        return ref_integer(e->op == WS_OP_ADD        ? i + j
                           : e->op == WS_OP_SUBTRACT ? i - j
                           : e->op == WS_OP_MULTIPLY ? i * j
                           : e->op == WS_OP_DIVIDE   ? i / j
                                                     : i % j,
                           v);
    }
    if (e->op == WS_OP_DIVIDE && y == 0)
        return false;
    z = e->op == WS_OP_ADD        ? x + y
        : e->op == WS_OP_SUBTRACT ? x - y
        : e->op == WS_OP_MULTIPLY ? x * y
                                  : x / y;
    if (e->type == WS_TYPE_REAL)
        return ref_real(z, v);
    if (!(fabs(z) < 0x1p63))
        return false;
    v->i = (int64_t)z;
    return true;
}

static bool ref_less(enum ws_type type, union ws_value a, union ws_value b)
{
    return type == WS_TYPE_REAL ? a.r < b.r : type == WS_TYPE_STRING ? strcmp(a.s, b.s) < 0 : a.i < b.i;
}

static bool ref_equal(enum ws_type type, union ws_value a, union ws_value b)
{
    return type == WS_TYPE_EVENT ? a.e == b.e : !ref_less(type, a, b) && !ref_less(type, b, a);
}

static bool ref_compare(enum ws_operator op, enum ws_type type, union ws_value a, union ws_value b)
{
    switch (op) {
    case WS_OP_EQUAL:
        return ref_equal(type, a, b);
    case WS_OP_UNEQUAL:
        return !ref_equal(type, a, b);
    case WS_OP_LESS:
        return ref_less(type, a, b);
    case WS_OP_GREATER:
        return ref_less(type, b, a);
    case WS_OP_LESS_EQUAL:
        return !ref_less(type, b, a);
    default:
        return !ref_less(type, a, b);
    }
}

static void ref_interval(const struct ref_event *event, int64_t *begin, int64_t *end)
{
    if (event->rule) {
        *begin = event->event->value[WS_CATTR_BEGIN].i;
        *end = event->event->value[WS_CATTR_END].i;
        return;
    }
    *begin = event->event->value[WS_ATTR_T].i;
    *end = event->event->value[WS_ATTR_END].i;
}

static bool ref_overlap(const struct ref_event *a, const struct ref_event *b)
{
    int64_t begin, end, begin_b, end_b;

    ref_interval(a, &begin, &end);
    ref_interval(b, &begin_b, &end_b);
    return (begin > begin_b ? begin : begin_b) < (end < end_b ? end : end_b);
}

static bool ref_aggregate(const struct ref_scene *scene, const struct ws_aggregate *a, union ws_value *v)
{
    bool keys = true, any = false, sum_defined = true, at_defined = false;
    union ws_value sum = {0}, best = {0}, at = {0}, key, where;
    int64_t count = 0;

    for (size_t i = 0; i < scene->elements->count; i++) {
        struct ref_scene one = {scene->r, &scene->elements->events[i], scene->rule, NULL};
        bool better;
        if (a->where && !(ref_evaluate(&one, a->where, &where) && where.i))
            continue;
        count++;
        if (a->kind == WS_AGG_COUNT)
            continue;
        keys = keys && ref_evaluate(&one, a->key, &key);
        if (!keys)
            continue;
        better =
            !any || (a->kind == WS_AGG_MIN || a->kind == WS_AGG_AT_MIN ? ref_less(a->key->type, key, best)
                                                                       : ref_less(a->key->type, best, key));
        any = true;
        if (better)
            best = key;
        if (better && a->value)
            at_defined = ref_evaluate(&one, a->value, &at);
        if (a->kind == WS_AGG_SUM && sum_defined)
            sum_defined = a->type == WS_TYPE_REAL ? ref_real(sum.r + key.r, &sum)
                                                  : ref_integer((__int128)sum.i + key.i, &sum);
    }
    if (a->kind == WS_AGG_COUNT)
        sum.i = count;
    *v = a->value ? at : a->kind == WS_AGG_MIN || a->kind == WS_AGG_MAX ? best : sum;
    return a->kind == WS_AGG_COUNT || (keys && (a->kind == WS_AGG_SUM ? sum_defined
                                                : a->value            ? at_defined
                                                                      : any));
}

static bool ref_evaluate(const struct ref_scene *scene, const struct ws_expr *e, union ws_value *v)
{
    union ws_value a, b, c;

    switch (e->op) {
    case WS_OP_CONSTANT:
        *v = e->value;
        return true;
    case WS_OP_SLOT:
        *v = scene->members[e->member]->event->value[e->slot];
        return e->type != WS_TYPE_REAL || ref_real(v->r, v);
    case WS_OP_MEMBER:
        v->e = scene->members[e->member]->event;
        return true;
    case WS_OP_AGGREGATE:
        return ref_aggregate(scene, &scene->rule->aggregates[e->aggregate], v);
    case WS_OP_OVERLAPS:
        v->i = ref_overlap(scene->members[e->member], scene->members[e->slot]);
        return true;
    case WS_OP_AND:
    case WS_OP_OR:
        if (!ref_evaluate(scene, e->args[0], v))
            return false;
        return v->i == (e->op == WS_OP_OR) || ref_evaluate(scene, e->args[1], v);
    case WS_OP_IF:
        return ref_evaluate(scene, e->args[0], &a) && ref_evaluate(scene, e->args[a.i ? 1 : 2], v);
    case WS_OP_MIN:
    case WS_OP_MAX:
        for (size_t i = 0; i < e->arg_count; i++) {
            if (!ref_evaluate(scene, e->args[i], &a))
                return false;
            if (i == 0 || (e->op == WS_OP_MIN ? ref_less(e->type, a, *v) : ref_less(e->type, *v, a)))
                *v = a;
        }
        return true;
    default:
        break;
    }
    if (!ref_evaluate(scene, e->args[0], &a) || (e->arg_count > 1 && !ref_evaluate(scene, e->args[1], &b)) ||
        (e->arg_count > 2 && !ref_evaluate(scene, e->args[2], &c)))
        return false;
    switch (e->op) {
    case WS_OP_NOT:
        v->i = !a.i;
        return true;
    case WS_OP_NEGATE:
        return e->type == WS_TYPE_REAL ? ref_real(-a.r, v) : ref_integer(-(__int128)a.i, v);
    case WS_OP_ABS:
        return e->type == WS_TYPE_REAL ? ref_real(fabs(a.r), v)
                                       : ref_integer(a.i < 0 ? -(__int128)a.i : a.i, v);
    case WS_OP_TO_REAL:
        return ref_real(e->args[0]->type == WS_TYPE_TIME ? (double)a.i / 1e9 : (double)a.i, v);
    case WS_OP_CLAMP: /* max(low, min(x, high)) */
        *v = ref_less(e->type, c, a) ? c : a;
        if (ref_less(e->type, *v, b))
            *v = b;
        return true;
    case WS_OP_ADD:
    case WS_OP_SUBTRACT:
    case WS_OP_MULTIPLY:
    case WS_OP_DIVIDE:
    case WS_OP_REMAINDER:
        return ref_arithmetic(e, a, b, v);
    default:
        v->i = ref_compare(e->op, e->args[0]->type, a, b);
        return true;
    }
}

static bool ref_true(const struct ref_scene *scene, const struct ws_expr *condition)
{
    union ws_value v;
    return !condition || (ref_evaluate(scene, condition, &v) && v.i);
}

/* ---- events ---- */

static void ref_add(struct ref_list *list, struct ref_event *event)
{
    WS_PUSH(list->events, list->count, list->capacity) = event;
}

static bool ref_has(const struct ref_list *list, const struct ref_event *event)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->events[i] == event)
            return true;
    return false;
}

static void ref_remove(struct ref_list *list, const struct ref_event *event)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->count; i++)
        if (list->events[i] != event)
            list->events[kept++] = list->events[i];
    list->count = kept;
}

static void ref_announce(struct reference *r, struct ref_event *event)
{
    const struct ws_event_type *type = r->kb->types[event->event->type];

    event->event->order = r->all.count;
    ref_add(&r->all, event);
    for (size_t s = 0; s < r->kb->scope_count; s++)
        if (!type->composite || type->scope->common || type->scope == r->kb->scopes[s])
            ref_add(&r->scopes[s].queue, event);
}

static struct ref_event *ref_find(struct reference *r, const struct ws_event *event)
{
    return r->all.events[event->order];
}

/* Builds the composite event if all its parameters are defined. */
static bool ref_build(struct reference *r, const struct ref_scene *scene, struct ref_event *const *members,
                      size_t count)
{
    const struct ws_event_type *type = scene->rule->type;
    struct ref_event *event = ws_arena_alloc(&r->arena, sizeof *event);

    event->event =
        ws_arena_alloc(&r->arena, sizeof *event->event + type->slot_count * sizeof(union ws_value));
    event->event->type = type->index;
    event->rule = scene->rule;
    event->members = ws_arena_alloc(&r->arena, count * sizeof *members);
    event->member_count = count;
    memcpy(event->members, members, count * sizeof *members);
    for (size_t i = WS_CATTR_COUNT; i < type->slot_count; i++)
        if (!ref_evaluate(scene, type->slots[i].value, &event->event->value[i]))
            return false;
    for (size_t i = 0; i < count; i++) {
        int64_t begin, end, *least = &event->event->value[WS_CATTR_BEGIN].i,
                            *most = &event->event->value[WS_CATTR_END].i;
        ref_interval(members[i], &begin, &end);
        *least = i == 0 || begin < *least ? begin : *least;
        *most = i == 0 || end > *most ? end : *most;
    }
    for (size_t i = WS_CATTR_COUNT; i < type->slot_count; i++)
        if (strcmp(type->slots[i].name, "clock_violation") == 0 && type->slots[i].type == WS_TYPE_BOOLEAN)
            r->stats.clock_violations += event->event->value[i].i != 0;
    r->stats.composites++;
    ref_announce(r, event);
    return true;
}

/* ---- problems ---- */

static struct ref_event *ref_simple(struct ref_event *event)
{
    return event->rule ? ref_simple(event->members[0]) : event;
}

static void ref_action(struct ws_finding *finding, struct ws_action *actions, const char *role,
                       const struct ws_event *event)
{
    for (size_t i = 0; i < finding->action_count; i++)
        if (actions[i].event == event)
            return;
    actions[finding->action_count++] = (struct ws_action){role, event};
}

static void ref_walk(struct ws_finding *finding, struct ws_action *actions, const struct ref_event *composite)
{
    for (size_t i = 0; i < composite->member_count; i++) {
        size_t m = composite->rule->members[0].group ? 0 : i;
        if (composite->members[i]->rule)
            ref_walk(finding, actions, composite->members[i]);
        else
            ref_action(finding, actions, composite->rule->members[m].name, composite->members[i]->event);
    }
}

static const char *ref_role(const struct ws_problem_rule *problem, const struct ws_expr *expr)
{
    return expr && expr->op == WS_OP_SLOT && expr->member == 0 ? problem->on->slots[expr->slot].name
                                                               : problem->on->rule->members[0].name;
}

/* True where the rule holds for the composite event (and the element). */
static bool ref_judge(struct reference *r, const struct ws_problem_rule *problem, struct ref_event *composite,
                      struct ref_event *element)
{
    struct ref_event *places[2] = {composite, element};
    struct ref_scene scene = {r, places, NULL, NULL};
    union ws_value duration, from = {0}, waiting, cause;
    struct ref_event *waits = element ? element : composite->members[0], *causes = NULL;
    struct ws_action *actions;
    struct ws_finding finding = {.rule = problem, .composite = composite->event};

    if (!ref_true(&scene, problem->condition) || !ref_evaluate(&scene, problem->duration, &duration) ||
        (problem->from && !ref_evaluate(&scene, problem->from, &from)) ||
        (problem->waiting && !ref_evaluate(&scene, problem->waiting, &waiting)) ||
        (problem->cause && !ref_evaluate(&scene, problem->cause, &cause)) || duration.i <= 0)
        return false;
    if (problem->waiting)
        waits = ref_find(r, waiting.e);
    if (problem->cause)
        causes = ref_simple(ref_find(r, cause.e));
    finding.waiting = ref_simple(waits)->event;
    finding.cause = causes ? causes->event : NULL;
    finding.duration_ns = duration.i;
    finding.from_ns = problem->from ? from.i : finding.waiting->value[WS_ATTR_T].i;
    actions = ws_alloc_array(r->all.count + 2, sizeof *actions);
    finding.actions = actions;
    if (composite->rule->members[0].group && problem->waiting) {
        ref_action(&finding, actions, ref_role(problem, problem->waiting), finding.waiting);
        if (finding.cause)
            ref_action(&finding, actions, ref_role(problem, problem->cause), finding.cause);
    } else {
        ref_walk(&finding, actions, composite);
    }
    story_print_finding(&r->log, &finding);
    free(actions);
    return true;
}

static void ref_judge_all(struct reference *r, const struct ws_scope *scope, struct ref_event *event)
{
    bool found = false;

    for (size_t p = 0; p < scope->problem_count && !found; p++)
        if (scope->problems[p]->on->index == event->event->type &&
            scope->problems[p]->group_member == UINT32_MAX)
            found = ref_judge(r, scope->problems[p], event, NULL);
    for (size_t i = 0; i < event->member_count; i++) {
        found = false;
        for (size_t p = 0; p < scope->problem_count && !found; p++)
            if (scope->problems[p]->on->index == event->event->type &&
                scope->problems[p]->group_member != UINT32_MAX)
                found = ref_judge(r, scope->problems[p], event, event->members[i]);
    }
}

/* ---- rules ---- */

/* All tuples in lexicographic order; `there` is what was there when the rule was tried. */
static void ref_tuples(struct reference *r, struct ref_scope *s, const struct ws_composite_rule *rule,
                       const struct ref_list *there, struct ref_event *new_event, struct ref_event **tuple,
                       size_t filled, bool has_new)
{
    r->exploded |= ++r->work > REF_MOST_WORK || r->all.count > REF_MOST_EVENTS;
    if (r->exploded)
        return;
    if (filled == rule->member_count) {
        struct ref_scene scene = {r, tuple, rule, NULL};
        if (!ref_true(&scene, rule->condition))
            return;
        for (size_t i = 0; i < filled; i++)
            if (!ref_has(&s->here, tuple[i]))
                return;
        if (!ref_build(r, &scene, tuple, filled))
            return;
        for (size_t i = 0; i < filled; i++)
            if (!rule->members[i].shared)
                ref_remove(&s->here, tuple[i]);
        return;
    }
    for (size_t i = 0; i < there->count; i++) {
        struct ref_event *event = there->events[i];
        bool twice = false;
        for (size_t j = 0; j < filled; j++)
            twice |= tuple[j] == event;
        if (twice || event->event->type != rule->members[filled].type->index)
            continue;
        if (filled + 1 == rule->member_count && !has_new && event != new_event)
            continue;
        tuple[filled] = event;
        ref_tuples(r, s, rule, there, new_event, tuple, filled + 1, has_new || event == new_event);
    }
}

static void ref_close(struct reference *r, struct ref_group *group)
{
    struct ref_list elements = group->elements;
    struct ref_scene scene = {r, elements.events, group->rule, &elements};

    group->closed = true;
    if (ref_true(&scene, group->rule->condition))
        ref_build(r, &scene, elements.events, elements.count);
}

static bool ref_same_keys(struct reference *r, const struct ws_member *member, struct ref_event *a,
                          struct ref_event *b)
{
    for (size_t k = 0; k < member->by_count; k++) {
        struct ref_scene scene_a = {r, &a, NULL, NULL}, scene_b = {r, &b, NULL, NULL};
        union ws_value x, y;
        if (!ref_evaluate(&scene_a, member->by[k], &x) || !ref_evaluate(&scene_b, member->by[k], &y) ||
            !ref_equal(member->by[k]->type, x, y))
            return false;
    }
    return true;
}

static void ref_enter(struct reference *r, struct ref_scope *s, const struct ws_composite_rule *rule,
                      struct ref_event *event)
{
    const struct ws_member *member = &rule->members[0];
    struct ref_scene scene = {r, &event, rule, NULL};
    struct ref_group *group = NULL;
    union ws_value expect;

    if (!ref_has(&s->here, event) || !ref_true(&scene, member->where) ||
        !ref_same_keys(r, member, event, event))
        return;
    for (size_t i = 0; i < s->group_count; i++)
        if (s->groups[i].rule == rule && !s->groups[i].closed &&
            ref_same_keys(r, member, event, s->groups[i].elements.events[0]))
            group = &s->groups[i];
    if (!group) {
        WS_PUSH(s->groups, s->group_count, s->group_capacity) = (struct ref_group){.rule = rule};
        group = &s->groups[s->group_count - 1];
        group->counted = member->expect != NULL;
        if (group->counted && ref_evaluate(&scene, member->expect, &expect))
            group->expect = expect.i;
    }
    ref_add(&group->elements, event);
    if (!member->shared)
        ref_remove(&s->here, event);
    if (group->counted && group->expect == (int64_t)group->elements.count)
        ref_close(r, group);
}

static void ref_arrive(struct reference *r, struct ref_scope *s, struct ref_event *event)
{
    struct ref_event *tuple[16];

    ref_judge_all(r, s->scope, event);
    ref_add(&s->here, event);
    for (size_t i = 0; i < s->scope->composite_count; i++) {
        const struct ws_composite_rule *rule = s->scope->composites[i];
        struct ref_list there = {0};
        if (rule->members[0].group) {
            if (rule->members[0].type->index == event->event->type)
                ref_enter(r, s, rule, event);
            continue;
        }
        for (size_t j = 0; j < s->here.count; j++)
            ref_add(&there, s->here.events[j]);
        ref_tuples(r, s, rule, &there, event, tuple, 0, false);
        free(there.events);
    }
}

static void ref_settle(struct reference *r)
{
    for (size_t s = 0; s < r->kb->scope_count; s++)
        while (!r->exploded && r->scopes[s].arrived < r->scopes[s].queue.count) {
            struct ref_event *event = r->scopes[s].queue.events[r->scopes[s].arrived++];
            ref_arrive(r, &r->scopes[s], event);
        }
}

/* ---- the whole ---- */

static void ref_begin(struct reference *r, const struct ws_kb *kb)
{
    memset(r, 0, sizeof *r);
    r->kb = kb;
    assert_true(kb->scope_count <= 16);
    for (size_t s = 0; s < kb->scope_count; s++)
        r->scopes[s].scope = kb->scopes[s];
}

static void ref_feed(struct reference *r, const struct ws_event *event)
{
    const struct ws_event_type *type = r->kb->types[event->type];
    size_t size = sizeof *event + type->slot_count * sizeof *event->value;
    struct ref_event *added = ws_arena_alloc(&r->arena, sizeof *added);

    added->event = ws_arena_alloc(&r->arena, size);
    memcpy(added->event, event, size);
    r->stats.events++;
    ref_announce(r, added);
    ref_settle(r);
}

static bool ref_waits(struct reference *r, const struct ref_scope *s, struct ref_event *event)
{
    for (size_t i = 0; i < s->scope->composite_count; i++) {
        const struct ws_composite_rule *rule = s->scope->composites[i];
        struct ref_event *tuple[16];
        for (size_t m = 0; m < rule->member_count; m++)
            tuple[m] = event;
        for (size_t m = 0; m < rule->member_count && rule->member_count > 1; m++) {
            struct ref_scene scene = {r, tuple, rule, NULL};
            bool passes = rule->members[m].type->index == event->event->type && !rule->members[m].shared;
            for (size_t f = 0; passes && rule->filters[m][f]; f++)
                passes = ref_true(&scene, rule->filters[m][f]);
            if (passes)
                return true;
        }
    }
    return false;
}

static void ref_count_unmatched(struct reference *r)
{
    for (size_t i = 0; i < r->all.count; i++) {
        struct ref_event *event = r->all.events[i];
        bool unmatched = false;
        for (size_t s = 0; s < r->kb->scope_count; s++) {
            if (r->kb->scopes[s]->extra)
                continue;
            unmatched |= ref_has(&r->scopes[s].here, event) && ref_waits(r, &r->scopes[s], event);
            for (size_t g = 0; g < r->scopes[s].group_count; g++)
                unmatched |= !r->scopes[s].groups[g].closed &&
                             !r->scopes[s].groups[g].rule->members[0].every &&
                             ref_has(&r->scopes[s].groups[g].elements, event);
        }
        r->stats.unmatched += unmatched && !event->rule;
    }
}

static void ref_finish(struct reference *r)
{
    for (size_t s = 0; s < r->kb->scope_count; s++)
        for (size_t g = 0; g < r->scopes[s].group_count; g++) /* opened in the order of first elements */
            if (!r->scopes[s].groups[g].counted && !r->scopes[s].groups[g].closed) {
                ref_close(r, &r->scopes[s].groups[g]);
                ref_settle(r);
            }
    ref_count_unmatched(r);
}

static void ref_free(struct reference *r)
{
    for (size_t s = 0; s < r->kb->scope_count; s++) {
        for (size_t g = 0; g < r->scopes[s].group_count; g++)
            free(r->scopes[s].groups[g].elements.events);
        free(r->scopes[s].groups);
        free(r->scopes[s].here.events);
        free(r->scopes[s].queue.events);
    }
    free(r->all.events);
    ws_text_free(&r->log);
    ws_arena_free(&r->arena);
}

#endif
