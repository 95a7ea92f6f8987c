#include "engine/native/gates.h"

#include "engine/analysis.h"
#include "rules/arithmetic.h"
#include "rules/expr.h"

#include <stdlib.h>
#include <string.h>

/* ---- what a use asks of every event ---- */

/* Does it concern the event alone, and not an element of it? */
static bool concerns_event(const struct ws_expr *expr, bool has_elements)
{
    if (expr->op == WS_OP_AGGREGATE || expr->op == WS_OP_OVERLAPS)
        return false;
    if (has_elements && (expr->op == WS_OP_SLOT || expr->op == WS_OP_MEMBER) && expr->member != 0)
        return false;
    for (size_t i = 0; i < expr->arg_count; i++)
        if (!concerns_event(expr->args[i], has_elements))
            return false;
    return true;
}

static void add_demand(struct ws_demands *demands, const struct ws_expr *expr, bool positive,
                       bool has_elements)
{
    if (!expr)
        return;
    if (!positive && expr->op == WS_OP_AND) {
        for (size_t i = 0; i < expr->arg_count; i++)
            add_demand(demands, expr->args[i], false, has_elements);
        return;
    }
    if (concerns_event(expr, has_elements))
        WS_PUSH(demands->list, demands->count, demands->capacity) = (struct ws_demand){expr, positive};
}

static void demands_of_seat(struct ws_demands *demands, const struct ws_seat *seat)
{
    const struct ws_composite_rule *rule = seat->rule->rule;

    if (seat->rule->group) {
        add_demand(demands, rule->members[0].where, false, false);
        return;
    }
    for (size_t i = 0; rule->filters[seat->member][i]; i++)
        add_demand(demands, rule->filters[seat->member][i], false, false);
}

static void demands_of_problem(struct ws_demands *demands, const struct ws_problem_rule *problem)
{
    add_demand(demands, problem->condition, false, true);
    add_demand(demands, problem->duration, true, true);
}

static bool has(const struct ws_demands *demands, const struct ws_demand *demand)
{
    for (size_t i = 0; i < demands->count; i++)
        if (demands->list[i].positive == demand->positive &&
            ws_expr_alike(demands->list[i].expr, demand->expr))
            return true;
    return false;
}

static void keep_common(struct ws_demands *common, struct ws_demands *of_another)
{
    size_t kept = 0;

    for (size_t i = 0; i < common->count; i++)
        if (has(of_another, &common->list[i]))
            common->list[kept++] = common->list[i];
    common->count = kept;
    free(of_another->list);
}

struct ws_demands ws_gate_demands(const struct ws_use *use)
{
    struct ws_demands common = {0};

    for (size_t i = 0; i < use->seat_count + use->problem_count; i++) {
        struct ws_demands one = {0};
        if (i < use->seat_count)
            demands_of_seat(&one, &use->seats[i]);
        else
            demands_of_problem(&one, use->problems[i - use->seat_count]);
        if (i == 0)
            common = one;
        else
            keep_common(&common, &one);
    }
    return common;
}

/* ---- demands as sums ---- */

static bool is_whole(enum ws_type type)
{
    return type == WS_TYPE_INTEGER || type == WS_TYPE_TIME;
}

/* Adds the expression; false where it has too many terms. */
static bool add(struct ws_sum *sum, const struct ws_expr *expr, bool negative)
{
    bool adds = expr->op == WS_OP_ADD, subtracts = expr->op == WS_OP_SUBTRACT;

    if (expr->op == WS_OP_CONSTANT) {
        sum->bound.constant -= negative ? -(__int128)expr->value.i : (__int128)expr->value.i;
        return true;
    }
    if (adds || subtracts)
        return add(sum, expr->args[0], negative) && add(sum, expr->args[1], negative != subtracts);
    if (expr->op == WS_OP_NEGATE)
        return add(sum, expr->args[0], !negative);
    if (sum->count == WS_MOST_TERMS)
        return false;
    sum->terms[sum->count] = expr;
    sum->negative[sum->count++] = negative;
    return true;
}

static int compare_terms(const struct ws_sum *sum, size_t i, size_t j)
{
    const struct ws_expr *a = sum->terms[i], *b = sum->terms[j];

    if (a->op != b->op)
        return a->op < b->op ? -1 : 1;
    if (a->member != b->member)
        return a->member < b->member ? -1 : 1;
    return (a->slot > b->slot) - (a->slot < b->slot);
}

/* So that equal sums look alike. */
static void sort_terms(struct ws_sum *sum)
{
    for (size_t i = 1; i < sum->count; i++)
        for (size_t j = i; j > 0 && compare_terms(sum, j - 1, j) > 0; j--) {
            const struct ws_expr *term = sum->terms[j];
            bool negative = sum->negative[j];
            sum->terms[j] = sum->terms[j - 1];
            sum->negative[j] = sum->negative[j - 1];
            sum->terms[j - 1] = term;
            sum->negative[j - 1] = negative;
        }
}

/* left - right > constant, or equal to it. */
static bool difference(const struct ws_expr *left, const struct ws_expr *right, struct ws_sum *sum)
{
    if (!add(sum, left, false) || (right && !add(sum, right, true)))
        return false;
    sort_terms(sum);
    return sum->count > 0;
}

/* clamp(x, 0, y) and min(x, y) are positive only where x is. */
static const struct ws_expr *positive_part(const struct ws_expr *expr)
{
    for (;;) {
        bool clamps =
            expr->op == WS_OP_CLAMP && expr->args[1]->op == WS_OP_CONSTANT && expr->args[1]->value.i <= 0;
        if (!clamps && expr->op != WS_OP_MIN)
            return expr;
        expr = expr->args[0];
    }
}

static bool string_sum(const struct ws_expr *expr, struct ws_sum *sum)
{
    bool right = expr->args[1]->op == WS_OP_CONSTANT;

    if (expr->op != WS_OP_EQUAL || (!right && expr->args[0]->op != WS_OP_CONSTANT))
        return false;
    sum->terms[0] = expr->args[!right];
    sum->count = 1;
    sum->bound.string = expr->args[right]->value.s;
    return true;
}

static bool sum_of(const struct ws_demand *demand, enum ws_sieve_kind *kind, struct ws_sum *sum)
{
    const struct ws_expr *expr = demand->expr;

    *sum = (struct ws_sum){0};
    *kind = WS_SIEVE_GREATER;
    if (demand->positive)
        return is_whole(expr->type) && difference(positive_part(expr), NULL, sum);
    if (expr->arg_count == 2 && expr->args[0]->type == WS_TYPE_STRING) {
        *kind = WS_SIEVE_STRING;
        return string_sum(expr, sum);
    }
    if (expr->arg_count != 2 || !is_whole(expr->args[0]->type))
        return false;
    switch (expr->op) {
    case WS_OP_EQUAL:
        *kind = WS_SIEVE_EQUAL;
        return difference(expr->args[0], expr->args[1], sum);
    case WS_OP_GREATER:
        return difference(expr->args[0], expr->args[1], sum);
    case WS_OP_LESS:
        return difference(expr->args[1], expr->args[0], sum);
    case WS_OP_GREATER_EQUAL:
        return difference(expr->args[0], expr->args[1], sum) && (sum->bound.constant--, true);
    case WS_OP_LESS_EQUAL:
        return difference(expr->args[1], expr->args[0], sum) && (sum->bound.constant--, true);
    default:
        return false;
    }
}

static bool same_sum(const struct ws_sum *a, const struct ws_sum *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->negative[i] != b->negative[i] || !ws_expr_alike(a->terms[i], b->terms[i]))
            return false;
    return true;
}

/* ---- making ---- */

struct maker {
    struct ws_arena *arena;
    struct ws_formula_pool *pool;
    struct ws_formula_scene scene;
    bool before; /* the event is built */
    bool fails;
};
struct candidate {
    struct ws_gate gate;
    enum ws_sieve_kind kind;
    struct ws_sum sum;
    bool sifts; /* has a sum */
    bool placed;
};

/* How many events a demand of this kind is likely to hold back. */
static int worth(enum ws_sieve_kind kind, const struct ws_sum *sum)
{
    return kind != WS_SIEVE_GREATER ? 3 : sum->bound.constant != 0 ? 2 : 1;
}

static void choose_sum(const struct ws_demands *demands, struct candidate *candidate)
{
    int best = 0;

    for (size_t i = 0; i < demands->count; i++) {
        enum ws_sieve_kind kind;
        struct ws_sum sum;
        if (!sum_of(&demands->list[i], &kind, &sum) || worth(kind, &sum) <= best)
            continue;
        best = worth(kind, &sum);
        candidate->kind = kind;
        candidate->sum = sum;
        candidate->sifts = true;
    }
}

static struct ws_expr *is_positive(struct ws_arena *arena, const struct ws_expr *expr)
{
    struct ws_expr *zero = ws_arena_alloc(arena, sizeof *zero);

    zero->type = expr->type;
    return ws_expr_comparison(arena, WS_OP_GREATER, expr, zero);
}

/* What stands for the expression before the event is built: in place of its slots those that they will be
 * copied from.  NULL: nothing does. */
static struct ws_expr *in_members(struct ws_arena *arena, const struct ws_event_type *type,
                                  const struct ws_expr *expr)
{
    struct ws_expr *copy;

    if (expr->op == WS_OP_SLOT) {
        const struct ws_expr *value =
            expr->slot < type->attribute_count ? NULL : type->slots[expr->slot].value;
        return value && value->op == WS_OP_SLOT ? (struct ws_expr *)(uintptr_t)value : NULL;
    }
    if (expr->op == WS_OP_MEMBER || expr->op == WS_OP_AGGREGATE || expr->op == WS_OP_OVERLAPS)
        return NULL;
    copy = ws_arena_alloc(arena, sizeof *copy);
    *copy = *expr;
    copy->args = ws_arena_alloc(arena, (expr->arg_count + 1) * sizeof *copy->args);
    for (size_t i = 0; i < expr->arg_count; i++)
        if (!(copy->args[i] = in_members(arena, type, expr->args[i])))
            return NULL;
    return copy;
}

static struct ws_demands demands_of(struct maker *maker, const struct ws_use *use)
{
    struct ws_demands demands = ws_gate_demands(use);

    for (size_t i = 0; maker->before && i < demands.count; i++) {
        demands.list[i].expr = in_members(maker->arena, use->type, demands.list[i].expr);
        if (!demands.list[i].expr) {
            maker->fails = true;
            demands.count = 0;
        }
    }
    return demands;
}

/* Is it a comparison of whole numbers that lie in slots or are constant? */
static bool is_quick(const struct ws_demand *demand)
{
    const struct ws_expr *expr = demand->expr;
    bool quick = !demand->positive && ws_is_comparison(expr->op) && is_whole(expr->args[0]->type);

    for (size_t i = 0; quick && i < expr->arg_count; i++)
        quick = expr->args[i]->op == WS_OP_SLOT || expr->args[i]->op == WS_OP_CONSTANT;
    return quick;
}

/* A gate may ask in any order: first what is quickly told. */
static void quick_first(struct ws_demands *demands)
{
    for (size_t i = 0, quick = 0; i < demands->count; i++) {
        struct ws_demand demand = demands->list[i];
        if (!is_quick(&demand))
            continue;
        demands->list[i] = demands->list[quick];
        demands->list[quick++] = demand;
    }
}

static struct candidate candidate_of(struct maker *maker, const struct ws_use *use)
{
    struct candidate candidate = {.gate.scope = use->scope->index};
    struct ws_demands demands = demands_of(maker, use);
    struct ws_expr **tests = ws_alloc_array(demands.count, sizeof *tests);

    quick_first(&demands);
    for (size_t i = 0; i < demands.count; i++)
        tests[i] = demands.list[i].positive ? is_positive(maker->arena, demands.list[i].expr)
                                            : (struct ws_expr *)(uintptr_t)demands.list[i].expr;
    candidate.gate.test = ws_formula_of_all(maker->pool, &maker->scene, tests, demands.count);
    choose_sum(&demands, &candidate);
    free(tests);
    free(demands.list);
    return candidate;
}

static int by_constant(const void *a, const void *b)
{
    const struct candidate *x = *(const struct candidate *const *)a, *y = *(const struct candidate *const *)b;

    if (x->kind == WS_SIEVE_STRING)
        return strcmp(x->sum.bound.string, y->sum.bound.string);
    return (x->sum.bound.constant > y->sum.bound.constant) - (x->sum.bound.constant < y->sum.bound.constant);
}

static void make_sieve(struct maker *maker, struct ws_sieve *sieve, struct candidate **members, size_t count)
{
    qsort(members, count, sizeof *members, by_constant);
    sieve->kind = members[0]->kind;
    sieve->sum = members[0]->sum;
    for (size_t i = 0; i < sieve->sum.count; i++)
        sieve->terms[i] = ws_formula_of(maker->pool, &maker->scene, sieve->sum.terms[i]);
    sieve->gates = ws_arena_alloc(maker->arena, count * sizeof *sieve->gates);
    sieve->bounds = ws_arena_alloc(maker->arena, count * sizeof *sieve->bounds);
    sieve->count = count;
    for (size_t i = 0; i < count; i++) {
        sieve->gates[i] = members[i]->gate;
        sieve->bounds[i] = members[i]->sum.bound;
        members[i]->placed = true;
    }
}

/* The candidates from `first` on that compare the same sum in the same way. */
static size_t alike(struct candidate *candidates, size_t count, size_t first, struct candidate **members)
{
    size_t found = 0;

    for (size_t i = first; i < count; i++)
        if (candidates[i].sifts && !candidates[i].placed && candidates[i].kind == candidates[first].kind &&
            same_sum(&candidates[i].sum, &candidates[first].sum))
            members[found++] = &candidates[i];
    return found;
}

static void make(struct maker *maker, struct ws_gates *gates, const struct ws_plan_type *type)
{
    struct candidate *candidates = ws_alloc_array(type->use_count, sizeof *candidates);
    struct candidate **members = ws_alloc_array(type->use_count, sizeof *members);
    size_t count = 0;

    for (size_t i = 0; type->by_scope && i < type->use_count; i++)
        if (!type->uses[i]->scope->common)
            candidates[count++] = candidate_of(maker, type->uses[i]);
    gates->alone = ws_arena_alloc(maker->arena, (count + 1) * sizeof *gates->alone);
    gates->sieves = ws_arena_alloc(maker->arena, (count / 2 + 1) * sizeof *gates->sieves);
    for (size_t i = 0; i < count; i++) {
        size_t found;
        if (candidates[i].placed)
            continue;
        found = candidates[i].sifts ? alike(candidates, count, i, members) : 0;
        if (found > 1)
            make_sieve(maker, &gates->sieves[gates->sieve_count++], members, found);
        else
            gates->alone[gates->alone_count++] = candidates[i].gate;
    }
    free(members);
    free(candidates);
}

void ws_gates_make(struct ws_gates *gates, struct ws_arena *arena, struct ws_formula_pool *pool,
                   const struct ws_plan_type *type)
{
    struct maker maker = {.arena = arena, .pool = pool, .scene = {.one = type->type}};

    make(&maker, gates, type);
}

bool ws_gates_make_before(struct ws_gates *gates, struct ws_arena *arena, struct ws_formula_pool *pool,
                          const struct ws_plan_type *type)
{
    const struct ws_composite_rule *rule = type->type->rule;
    const struct ws_event_type **types = ws_alloc_array(rule->member_count, sizeof *types);
    struct maker maker = {.arena = arena, .pool = pool, .scene = {.types = types}, .before = true};

    for (size_t m = 0; m < rule->member_count; m++)
        types[m] = rule->members[m].type;
    make(&maker, gates, type);
    free(types);
    return !maker.fails;
}

/* ---- at work ---- */

static bool sum_up(const struct ws_sieve *sieve, union ws_value *const *frames, __int128 *sum)
{
    *sum = 0;
    for (size_t i = 0; i < sieve->sum.count; i++) {
        union ws_value term;
        if (!ws_formula_value(&sieve->terms[i], frames, &term))
            return false;
        *sum += sieve->sum.negative[i] ? -(__int128)term.i : (__int128)term.i;
    }
    return true;
}

/* The first gate whose constant is not less. */
static size_t lower_bound(const struct ws_sieve *sieve, const struct ws_bound *value)
{
    size_t low = 0, high = sieve->count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        bool less = sieve->kind == WS_SIEVE_STRING ? strcmp(sieve->bounds[middle].string, value->string) < 0
                                                   : sieve->bounds[middle].constant < value->constant;
        if (less)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool equal(const struct ws_sieve *sieve, size_t i, const struct ws_bound *value)
{
    if (sieve->kind == WS_SIEVE_STRING)
        return strcmp(sieve->bounds[i].string, value->string) == 0;
    return sieve->bounds[i].constant == value->constant;
}

static void mark(const struct ws_gate *gate, union ws_value *const *frames, uint64_t *scopes)
{
    if (ws_formula_holds(&gate->test, frames))
        WS_MARK(scopes, gate->scope);
}

static void sift(const struct ws_sieve *sieve, union ws_value *const *frames, uint64_t *scopes)
{
    struct ws_bound value = {0};

    if (sieve->kind == WS_SIEVE_STRING) {
        union ws_value string;
        if (!ws_formula_value(&sieve->terms[0], frames, &string))
            return;
        value.string = string.s;
    } else if (!sum_up(sieve, frames, &value.constant)) {
        return;
    }
    if (sieve->kind == WS_SIEVE_GREATER)
        for (size_t i = 0; i < sieve->count && sieve->bounds[i].constant < value.constant; i++)
            mark(&sieve->gates[i], frames, scopes);
    else
        for (size_t i = lower_bound(sieve, &value); i < sieve->count && equal(sieve, i, &value); i++)
            mark(&sieve->gates[i], frames, scopes);
}

void ws_gates_mark(const struct ws_gates *gates, union ws_value *const *frames, uint64_t *scopes)
{
    for (size_t i = 0; i < gates->alone_count; i++)
        mark(&gates->alone[i], frames, scopes);
    for (size_t i = 0; i < gates->sieve_count; i++)
        sift(&gates->sieves[i], frames, scopes);
}
