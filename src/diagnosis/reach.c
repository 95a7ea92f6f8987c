/* What the rules let us prove, by the form of their expressions: `duration = clamp(x, 0, r.d)` of a waiting r
 * stays in its call.  What is not seen to stay there is taken not to. */
#include "diagnosis/reach.h"

#include <stdlib.h>
#include <string.h>

/* Where an expression stands: in a problem rule, whose member 0 is the composite event and member 1 the element; or
 * in the rule of that composite event or of one that it is built from. */
struct view {
    const struct ws_problem_rule *problem; /* NULL: in `rule` */
    const struct ws_composite_rule *rule;
    uint64_t path; /* to the event that `rule` builds, a digit for each step down; 0: lost */
};
#define STEP 64
#define ROOT UINT64_C(1)

/* An expression after its parameters are followed to where their values come from. */
struct origin {
    struct view view;
    const struct ws_expr *expr; /* not a slot, unless: */
    bool leaf;                  /* slot of the event at view.path */
    uint32_t slot;
};

static uint64_t step(const struct view *view, uint32_t member)
{
    bool lost = view->path == 0 || view->path > UINT64_MAX / STEP - 1 || member >= STEP - 1 ||
                (view->rule->members[member].group && !view->problem);
    return lost ? 0 : view->path * STEP + member + 1;
}

/* The event that a member of the view is; NULL: not known. */
static const struct ws_event_type *enter(struct view *view, uint32_t member)
{
    const struct ws_event_type *type;

    if (view->problem && member == 0) {
        type = view->problem->on;
    } else {
        if (view->problem)
            member = view->problem->group_member;
        if (!view->rule || member >= view->rule->member_count)
            return NULL;
        type = view->rule->members[member].type;
        view->path = step(view, member);
    }
    view->problem = NULL;
    view->rule = type->rule;
    return type;
}

static struct origin follow(struct view view, const struct ws_expr *expr)
{
    while (expr->op == WS_OP_SLOT) {
        struct view inner = view;
        const struct ws_event_type *type = enter(&inner, expr->member);
        if (!type || expr->slot >= type->slot_count)
            return (struct origin){.expr = expr};
        if (!type->composite || expr->slot < WS_CATTR_COUNT || !type->slots[expr->slot].value)
            return (struct origin){.view = inner, .expr = expr, .leaf = true, .slot = expr->slot};
        view = inner;
        expr = type->slots[expr->slot].value;
    }
    return (struct origin){.view = view, .expr = expr};
}

static struct origin argument(const struct origin *of, size_t i)
{
    return follow(of->view, of->expr->args[i]);
}

static bool is_slot(const struct origin *value, uint64_t path, uint32_t slot)
{
    return value->leaf && path && value->view.path == path && value->slot == slot;
}

static bool same(const struct origin *a, const struct origin *b)
{
    if (a->leaf || b->leaf)
        return a->leaf && is_slot(b, a->view.path, a->slot);
    if (a->expr->op != b->expr->op || a->expr->arg_count != b->expr->arg_count)
        return false;
    if (a->expr->op == WS_OP_CONSTANT)
        return a->expr->type == b->expr->type && a->expr->type != WS_TYPE_STRING &&
               a->expr->value.i == b->expr->value.i;
    if (a->expr->arg_count == 0)
        return false;
    for (size_t i = 0; i < a->expr->arg_count; i++) {
        struct origin x = argument(a, i), y = argument(b, i);
        if (!same(&x, &y))
            return false;
    }
    return true;
}

/* ---- bounds: each true only where it is certain; `path` leads to the waiting event ---- */

typedef bool bound(const struct origin *value, uint64_t path);

static bool any(bound *holds, const struct origin *of, uint64_t path)
{
    for (size_t i = 0; i < of->expr->arg_count; i++) {
        struct origin value = argument(of, i);
        if (holds(&value, path))
            return true;
    }
    return false;
}

static bool every(bound *holds, const struct origin *of, uint64_t path, size_t from)
{
    for (size_t i = from; i < of->expr->arg_count; i++) {
        struct origin value = argument(of, i);
        if (!holds(&value, path))
            return false;
    }
    return true;
}

static bool not_before_call(const struct origin *value, uint64_t path)
{
    if (value->leaf)
        return is_slot(value, path, WS_ATTR_T) || is_slot(value, path, WS_ATTR_END);
    switch (value->expr->op) {
    case WS_OP_MAX:
        return any(not_before_call, value, path);
    case WS_OP_MIN:
        return every(not_before_call, value, path, 0);
    case WS_OP_IF:
        return every(not_before_call, value, path, 1);
    case WS_OP_CLAMP: { /* at least its low */
        struct origin low = argument(value, 1);
        return not_before_call(&low, path);
    }
    default:
        return false;
    }
}

static bool not_after_call(const struct origin *value, uint64_t path)
{
    if (value->leaf)
        return is_slot(value, path, WS_ATTR_T) || is_slot(value, path, WS_ATTR_END);
    switch (value->expr->op) {
    case WS_OP_MIN:
        return any(not_after_call, value, path);
    case WS_OP_MAX:
        return every(not_after_call, value, path, 0);
    case WS_OP_IF:
        return every(not_after_call, value, path, 1);
    default:
        return false;
    }
}

/* Does the rule want the value to be at most one that is not after the call? */
static bool wanted_not_after_call(const struct view *view, const struct origin *value, uint64_t path)
{
    const struct ws_composite_rule *rule = view->problem ? NULL : view->rule;

    for (size_t i = 0; rule && i < rule->residual_count; i++) {
        const struct ws_expr *expr = rule->residual[i];
        bool less = expr->op == WS_OP_LESS || expr->op == WS_OP_LESS_EQUAL;
        struct origin lesser, greater;
        if (!less && expr->op != WS_OP_GREATER && expr->op != WS_OP_GREATER_EQUAL)
            continue;
        lesser = follow(*view, expr->args[less ? 0 : 1]);
        greater = follow(*view, expr->args[less ? 1 : 0]);
        if (same(&lesser, value) && not_after_call(&greater, path))
            return true;
    }
    return false;
}

/* A duration that begins at `from` (leaf NULL expr: at the call's begin) and does not last beyond the call. */
static bool within(const struct origin *duration, const struct origin *from, uint64_t path);

static bool ends_within(const struct origin *duration, const struct origin *from, uint64_t path)
{
    struct origin end = argument(duration, 0), begin = argument(duration, 1);

    if (from ? !same(&begin, from) : !is_slot(&begin, path, WS_ATTR_T))
        return false;
    return not_after_call(&end, path) || wanted_not_after_call(&duration->view, &end, path);
}

static bool any_within(const struct origin *duration, const struct origin *from, uint64_t path)
{
    for (size_t i = 0; i < duration->expr->arg_count; i++) {
        struct origin value = argument(duration, i);
        if (within(&value, from, path))
            return true;
    }
    return false;
}

static bool within(const struct origin *duration, const struct origin *from, uint64_t path)
{
    struct origin low;

    if (duration->leaf)
        return is_slot(duration, path, WS_ATTR_D) && (!from || is_slot(from, path, WS_ATTR_T));
    switch (duration->expr->op) {
    case WS_OP_MIN:
        return any_within(duration, from, path);
    case WS_OP_CLAMP: /* what is greater than its low is at most the others */
        low = argument(duration, 1);
        return !low.leaf && low.expr->op == WS_OP_CONSTANT && low.expr->value.i <= 0 &&
               any_within(duration, from, path);
    case WS_OP_SUBTRACT:
        return ends_within(duration, from, path);
    default:
        return false;
    }
}

/* ---- the waiting event ---- */

static const struct ws_event_type *find_event(struct view view, const struct ws_expr *expr, uint64_t *path)
{
    const struct ws_event_type *type = NULL;

    *path = 0;
    while (expr && expr->op == WS_OP_SLOT && (type = enter(&view, expr->member)) && type->composite &&
           expr->slot < type->slot_count)
        expr = type->slots[expr->slot].value;
    if (expr && expr->op == WS_OP_AGGREGATE && !view.problem && view.rule &&
        expr->aggregate < view.rule->aggregate_count) {
        expr = view.rule->aggregates[expr->aggregate].value;
        view.path = 0;
    }
    if (!expr || expr->op != WS_OP_MEMBER || !(type = enter(&view, expr->member)))
        return NULL;
    while (type && type->composite) /* stands for its first event */
        type = enter(&view, 0);
    *path = view.path;
    return type;
}

static enum ws_reach reach_of(const struct ws_problem_rule *problem, const struct ws_event_type **waiting)
{
    const struct view view = {problem, problem->on->rule, ROOT};
    struct origin from = {.leaf = false}, duration;
    uint64_t path;

    *waiting = find_event(view, problem->waiting, &path);
    if (problem->from) {
        from = follow(view, problem->from);
        if (!not_before_call(&from, path))
            return WS_REACH_ANY;
    }
    if (!problem->duration)
        return WS_REACH_AFTER;
    duration = follow(view, problem->duration);
    return within(&duration, problem->from ? &from : NULL, path) ? WS_REACH_CALL : WS_REACH_AFTER;
}

enum ws_reach ws_reach_of(const struct ws_problem_rule *rule)
{
    const struct ws_event_type *waiting;
    return reach_of(rule, &waiting);
}

static void widen(struct ws_reaches *reaches, size_t type, enum ws_reach reach)
{
    if (reach > reaches->of_type[type])
        reaches->of_type[type] = reach;
}

void ws_reaches_init(struct ws_reaches *reaches, const struct ws_kb *kb)
{
    reaches->of_type = ws_alloc_array(kb->simple_count, sizeof *reaches->of_type);
    for (size_t s = 0; s < kb->scope_count; s++)
        for (size_t p = 0; p < kb->scopes[s]->problem_count; p++) {
            const struct ws_event_type *waiting;
            enum ws_reach reach = reach_of(kb->scopes[s]->problems[p], &waiting);
            for (size_t t = 0; t < kb->simple_count; t++)
                if (!waiting || waiting->index == t)
                    widen(reaches, t, reach);
        }
}

void ws_reaches_free(struct ws_reaches *reaches)
{
    free(reaches->of_type);
    reaches->of_type = NULL;
}
