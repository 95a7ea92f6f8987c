/* Functions and aggregates: one table, and how each form of arguments is checked. */
#include "rules/append.h"
#include "rules/check.h"
#include "rules/expr.h"

#include <string.h>

struct function {
    const char *name;
    bool aggregate;
    int id; /* enum ws_operator or enum ws_aggregate_kind */
    size_t least, most;
    const char *usage;
    struct ws_expr *(*check)(const struct ws_names *names, const struct ws_tree_expr *tree,
                             const struct function *function);
};

static struct ws_expr *check_numbers(const struct ws_names *names, const struct ws_tree_expr *tree,
                                     const struct function *function);
static struct ws_expr *check_if(const struct ws_names *names, const struct ws_tree_expr *tree,
                                const struct function *function);
static struct ws_expr *check_overlaps(const struct ws_names *names, const struct ws_tree_expr *tree,
                                      const struct function *function);
static struct ws_expr *check_real(const struct ws_names *names, const struct ws_tree_expr *tree,
                                  const struct function *function);
static struct ws_expr *check_aggregate(const struct ws_names *names, const struct ws_tree_expr *tree,
                                       const struct function *function);

static const struct function functions[] = {
    {"min", false, WS_OP_MIN, 2, SIZE_MAX, "min(a, b, ...)", check_numbers},
    {"max", false, WS_OP_MAX, 2, SIZE_MAX, "max(a, b, ...)", check_numbers},
    {"clamp", false, WS_OP_CLAMP, 3, 3, "clamp(x, low, high)", check_numbers},
    {"abs", false, WS_OP_ABS, 1, 1, "abs(x)", check_numbers},
    {"if", false, WS_OP_IF, 3, 3, "if(condition, then, else)", check_if},
    {"overlaps", false, WS_OP_OVERLAPS, 2, 2, "overlaps(member, member)", check_overlaps},
    {"real", false, WS_OP_TO_REAL, 1, 1, "real(x)", check_real},
    {"count", true, WS_AGG_COUNT, 1, 1, "count(member)", check_aggregate},
    {"min", true, WS_AGG_MIN, 1, 1, "min(x)", check_aggregate},
    {"max", true, WS_AGG_MAX, 1, 1, "max(x)", check_aggregate},
    {"sum", true, WS_AGG_SUM, 1, 1, "sum(x)", check_aggregate},
    {"at_max", true, WS_AGG_AT_MAX, 2, 2, "at_max(key, value)", check_aggregate},
    {"at_min", true, WS_AGG_AT_MIN, 2, 2, "at_min(key, value)", check_aggregate},
};
#define FUNCTION_COUNT (sizeof functions / sizeof *functions)

/* ---- functions ---- */

static struct ws_expr *new_call(const struct ws_names *names, const struct ws_tree_expr *tree,
                                const struct function *function)
{
    struct ws_expr *expr = ws_expr_new(names, (enum ws_operator)function->id, WS_TYPE_NONE, tree->pos);

    expr->arg_count = tree->arg_count;
    expr->args = ws_arena_alloc(names->checker->arena, expr->arg_count * sizeof *expr->args);
    for (size_t i = 0; i < expr->arg_count; i++)
        expr->args[i] = ws_check_expr(names, tree->args[i]);
    return expr;
}

/* The one type of the arguments from `first` on, literal zeros taken for times where that makes them one;
 * NONE, after reporting it, where they differ, and where a mistake stands among them. */
static enum ws_type common_type(const struct ws_names *names, const struct ws_tree_expr *tree,
                                const struct ws_expr *expr, size_t first)
{
    enum ws_type type = expr->args[first]->type;

    for (size_t i = first; i < expr->arg_count; i++)
        if (expr->args[i]->type == WS_TYPE_TIME)
            type = WS_TYPE_TIME;
    for (size_t i = first; i < expr->arg_count; i++)
        ws_take_zero(expr->args[i], type);
    for (size_t i = first; i < expr->arg_count; i++)
        if (expr->args[i]->type == WS_TYPE_NONE)
            return WS_TYPE_NONE;
    type = expr->args[first]->type;
    for (size_t i = first + 1; i < expr->arg_count; i++)
        if (expr->args[i]->type != type) {
            ws_mistake(names->checker->diagnostics, tree->args[i]->pos, tree->args[i]->width, NULL,
                       "'%s' needs arguments of one type, not %s and %s", tree->name.text,
                       ws_type_phrase(type), ws_type_phrase(expr->args[i]->type));
            return WS_TYPE_NONE;
        }
    return type;
}

/* min, max, clamp, abs: numbers of one type. */
static struct ws_expr *check_numbers(const struct ws_names *names, const struct ws_tree_expr *tree,
                                     const struct function *function)
{
    struct ws_expr *expr = new_call(names, tree, function);

    expr->type = common_type(names, tree, expr, 0);
    if (expr->type != WS_TYPE_NONE && !ws_is_number_type(expr->type)) {
        ws_mistake(names->checker->diagnostics, tree->args[0]->pos, tree->args[0]->width, NULL,
                   "'%s' needs integers, reals or times, not %s", tree->name.text,
                   ws_type_phrase(expr->type));
        expr->type = WS_TYPE_NONE;
    }
    return expr->type == WS_TYPE_NONE ? ws_expr_mistaken(names, tree->pos) : expr;
}

/* if(condition, then, else) */
static struct ws_expr *check_if(const struct ws_names *names, const struct ws_tree_expr *tree,
                                const struct function *function)
{
    struct ws_expr *expr = new_call(names, tree, function);
    enum ws_type condition = expr->args[0]->type;

    expr->type = common_type(names, tree, expr, 1);
    if (condition != WS_TYPE_BOOLEAN && condition != WS_TYPE_NONE)
        ws_mistake(names->checker->diagnostics, tree->args[0]->pos, tree->args[0]->width, NULL,
                   "the first argument of 'if' needs a condition, not %s", ws_type_phrase(condition));
    if (expr->type == WS_TYPE_EVENT)
        ws_mistake(names->checker->diagnostics, tree->args[1]->pos, tree->args[1]->width, NULL,
                   "'if' cannot choose between events: choose between their values");
    if (condition != WS_TYPE_BOOLEAN || expr->type == WS_TYPE_EVENT || expr->type == WS_TYPE_NONE)
        return ws_expr_mistaken(names, tree->pos);
    return expr;
}

/* real(x) */
static struct ws_expr *check_real(const struct ws_names *names, const struct ws_tree_expr *tree,
                                  const struct function *function)
{
    struct ws_expr *expr = new_call(names, tree, function);
    enum ws_type type = expr->args[0]->type;

    if (type != WS_TYPE_INTEGER && type != WS_TYPE_TIME) {
        if (type != WS_TYPE_NONE)
            ws_mistake(names->checker->diagnostics, tree->args[0]->pos, tree->args[0]->width, NULL,
                       "'real' needs an integer or a time, not %s", ws_type_phrase(type));
        return ws_expr_mistaken(names, tree->pos);
    }
    expr->type = WS_TYPE_REAL;
    return expr;
}

/* overlaps(member, member) */
static struct ws_expr *check_overlaps(const struct ws_names *names, const struct ws_tree_expr *tree,
                                      const struct function *function)
{
    struct ws_expr *expr = new_call(names, tree, function), *a = expr->args[0], *b = expr->args[1];
    const char *wrong = NULL;

    if (a->type == WS_TYPE_NONE || b->type == WS_TYPE_NONE)
        return ws_expr_mistaken(names, tree->pos);
    if (names->within != WS_IN_RULE || a->op != WS_OP_MEMBER || b->op != WS_OP_MEMBER)
        wrong = "'overlaps' needs two members of this rule";
    else if (a->member == b->member)
        wrong = "a member always overlaps itself";
    if (wrong) {
        ws_mistake(names->checker->diagnostics, tree->pos, tree->width, NULL, "%s", wrong);
        return ws_expr_mistaken(names, tree->pos);
    }
    expr->member = a->member;
    expr->slot = b->member;
    expr->arg_count = 0;
    expr->args = NULL;
    expr->type = WS_TYPE_BOOLEAN;
    return expr;
}

/* ---- aggregates ---- */

static bool aggregates_equal(const struct ws_aggregate *a, const struct ws_aggregate *b)
{
    return a->kind == b->kind && ws_expr_equal(a->key, b->key) && ws_expr_equal(a->value, b->value) &&
           ws_expr_equal(a->where, b->where);
}

/* The expression that is the aggregate's result; equal aggregates are computed once. */
static struct ws_expr *use_aggregate(const struct ws_names *names, const struct ws_aggregate *aggregate,
                                     struct ws_pos pos)
{
    struct ws_composite_rule *rule = names->rule;
    struct ws_expr *expr = ws_expr_new(names, WS_OP_AGGREGATE, aggregate->type, pos);
    size_t i = 0;

    while (i < rule->aggregate_count && !aggregates_equal(&rule->aggregates[i], aggregate))
        i++;
    if (i == rule->aggregate_count)
        WS_APPEND(names->checker->arena, rule->aggregates, rule->aggregate_count) = *aggregate;
    expr->aggregate = (uint32_t)i;
    return expr;
}

struct ws_expr *ws_key_aggregate(const struct ws_names *names, struct ws_expr *key)
{
    struct ws_expr *first = ws_expr_new(names, WS_OP_SLOT, WS_TYPE_TIME, key->pos);
    struct ws_aggregate aggregate = {
        .kind = WS_AGG_AT_MIN, .key = first, .value = key, .type = key->type}; /* first: slot 0, t or begin */

    return use_aggregate(names, &aggregate, key->pos);
}

static bool may_aggregate(const struct ws_names *names, const struct ws_tree_expr *tree)
{
    static const char *const reasons[] = {
        [WS_IN_RULE] = "'%s' is an aggregate: only a group has several events (all TYPE as NAME by ...)",
        [WS_IN_ELEMENT] = "the aggregate '%s' cannot stand here: the group is not complete yet",
        [WS_IN_AGGREGATE] = "the aggregate '%s' cannot stand within another aggregate",
        [WS_IN_PROBLEM] = "the aggregate '%s' belongs in the composite event's rule, as a parameter",
    };

    if (names->within == WS_IN_GROUP)
        return true;
    ws_mistake(names->checker->diagnostics, tree->pos, tree->width, NULL, reasons[names->within],
               tree->name.text);
    return false;
}

/* count(member): the group itself and nothing of it. */
static bool check_counted(const struct ws_names *inner, const struct ws_tree_expr *tree)
{
    struct ws_expr *counted = ws_check_expr(inner, tree->args[0]);

    if (counted->type != WS_TYPE_NONE && counted->op != WS_OP_MEMBER)
        ws_mistake(inner->checker->diagnostics, tree->args[0]->pos, tree->args[0]->width, NULL,
                   "'count' needs the group's name '%s' (and 'where' to count some)",
                   inner->rule->members[0].name ? inner->rule->members[0].name : "");
    return counted->op == WS_OP_MEMBER;
}

static struct ws_expr *check_key(const struct ws_names *inner, const struct ws_tree_expr *tree)
{
    struct ws_expr *key = ws_check_expr(inner, tree->args[0]);

    if (key->type == WS_TYPE_NONE || ws_is_number_type(key->type))
        return key;
    ws_mistake(inner->checker->diagnostics, tree->args[0]->pos, tree->args[0]->width, NULL,
               "'%s' needs an integer, a real or a time%s, not %s", tree->name.text,
               tree->arg_count == 2 ? " as its key" : "", ws_type_phrase(key->type));
    return ws_expr_mistaken(inner, tree->pos);
}

static struct ws_expr *check_aggregate(const struct ws_names *names, const struct ws_tree_expr *tree,
                                       const struct function *function)
{
    struct ws_aggregate aggregate = {.kind = (enum ws_aggregate_kind)function->id, .type = WS_TYPE_INTEGER};
    struct ws_names inner = *names;
    bool good = true;

    if (!may_aggregate(names, tree))
        return ws_expr_mistaken(names, tree->pos);
    inner.within = WS_IN_AGGREGATE;
    if (aggregate.kind == WS_AGG_COUNT) {
        good = check_counted(&inner, tree);
    } else {
        aggregate.key = check_key(&inner, tree);
        aggregate.type = aggregate.key->type;
        good = aggregate.type != WS_TYPE_NONE;
    }
    if (tree->arg_count == 2) {
        aggregate.value = ws_check_expr(&inner, tree->args[1]);
        aggregate.type = aggregate.value->type;
        good = good && aggregate.type != WS_TYPE_NONE;
    }
    if (tree->where) {
        aggregate.where = ws_check_typed(&inner, tree->where, WS_TYPE_BOOLEAN, "'where'");
        ws_check_contradiction(names->checker, names->rule, NULL, aggregate.where);
        good = good && !ws_is_mistaken(aggregate.where);
    }
    return good ? use_aggregate(names, &aggregate, tree->pos) : ws_expr_mistaken(names, tree->pos);
}

/* ---- calls ---- */

static void unknown_function(const struct ws_names *names, const struct ws_tree_expr *tree)
{
    const char *candidates[FUNCTION_COUNT];

    for (size_t i = 0; i < FUNCTION_COUNT; i++)
        candidates[i] = functions[i].name;
    ws_mistake(names->checker->diagnostics, tree->pos, tree->width,
               ws_suggest(tree->name.text, candidates, FUNCTION_COUNT), "unknown function '%s'",
               tree->name.text);
}

/* min and max with one argument are the aggregates. */
static const struct function *find_function(const struct ws_tree_expr *tree)
{
    const struct function *found = NULL;

    for (size_t i = 0; i < FUNCTION_COUNT; i++)
        if (strcmp(functions[i].name, tree->name.text) == 0 &&
            (!found || tree->arg_count == functions[i].most))
            found = &functions[i];
    return found;
}

struct ws_expr *ws_check_call(const struct ws_names *names, const struct ws_tree_expr *tree)
{
    const struct function *function = find_function(tree);

    if (!function) {
        unknown_function(names, tree);
    } else if (tree->arg_count < function->least || tree->arg_count > function->most) {
        ws_mistake(names->checker->diagnostics, tree->pos, tree->width, NULL,
                   "wrong number of arguments (%zu) for '%s': it is %s", tree->arg_count, tree->name.text,
                   function->usage);
    } else if (tree->where && !function->aggregate) {
        ws_mistake(names->checker->diagnostics, tree->where->pos, tree->where->width, NULL,
                   "'where' belongs to aggregates, and '%s' here is none", tree->name.text);
    } else {
        return function->check(names, tree, function);
    }
    if (names->within == WS_IN_RULE ||
        names->within == WS_IN_PROBLEM) /* elsewhere too much depends on the call */
        for (size_t i = 0; i < tree->arg_count; i++)
            ws_check_expr(names, tree->args[i]);
    return ws_expr_mistaken(names, tree->pos);
}
