/* A condition taken apart by what its conjuncts need, which is what engines join by. */
#include "rules/append.h"
#include "rules/check.h"
#include "rules/expr.h"

static void add_conjuncts(struct ws_arena *arena, struct ws_expr *expr, struct ws_expr ***list, size_t *count)
{
    if (expr->op == WS_OP_AND) {
        add_conjuncts(arena, expr->args[0], list, count);
        add_conjuncts(arena, expr->args[1], list, count);
    } else {
        WS_APPEND(arena, *list, *count) = expr;
    }
}

struct ws_expr **ws_conjuncts(struct ws_arena *arena, struct ws_expr *condition, size_t *count)
{
    struct ws_expr **list = NULL;

    *count = 0;
    if (condition)
        add_conjuncts(arena, condition, &list, count);
    return list;
}

static bool is_one_member(uint64_t members)
{
    return members != 0 && (members & (members - 1)) == 0;
}

static uint32_t lowest(uint64_t members)
{
    return (uint32_t)__builtin_ctzll(members);
}

/* Is the conjunct an equality between two members?  Reals are left out: engines find equals by hashing. */
static bool is_join(const struct ws_expr *expr, struct ws_join *join)
{
    uint64_t left, right;

    if (expr->op != WS_OP_EQUAL || expr->args[0]->type == WS_TYPE_REAL)
        return false;
    left = ws_expr_members(expr->args[0]);
    right = ws_expr_members(expr->args[1]);
    if (!is_one_member(left) || !is_one_member(right) || left == right)
        return false;
    bool exchange = left > right;
    *join = (struct ws_join){.left = expr->args[exchange],
                             .right = expr->args[!exchange],
                             .left_member = lowest(exchange ? right : left),
                             .right_member = lowest(exchange ? left : right)};
    return true;
}

/* The conjuncts over one member alone, in order, NULL-terminated. */
static struct ws_expr **filters_of(struct ws_arena *arena, struct ws_expr **conjuncts, size_t count,
                                   uint32_t member)
{
    struct ws_expr **filters = NULL;
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        if (ws_expr_members(conjuncts[i]) == UINT64_C(1) << member)
            WS_APPEND(arena, filters, n) = conjuncts[i];
    WS_APPEND(arena, filters, n) = NULL;
    return filters;
}

void ws_split_condition(struct ws_checker *checker, struct ws_composite_rule *rule)
{
    struct ws_arena *arena = checker->arena;
    bool group = rule->members[0].group;
    size_t count;
    struct ws_expr **conjuncts = ws_conjuncts(arena, rule->condition, &count);
    struct ws_join join;

    rule->filters = ws_arena_alloc(arena, rule->member_count * sizeof *rule->filters);
    for (size_t m = 0; m < rule->member_count; m++)
        rule->filters[m] = filters_of(arena, conjuncts, group ? 0 : count, (uint32_t)m);
    for (size_t i = 0; i < count; i++) {
        if (!group && is_one_member(ws_expr_members(conjuncts[i])))
            continue;
        if (!group && is_join(conjuncts[i], &join))
            WS_APPEND(arena, rule->joins, rule->join_count) = join;
        else
            WS_APPEND(arena, rule->residual, rule->residual_count) = conjuncts[i];
    }
}

/* ---- connection ---- */

/* The set of members that are connected with those of the set; it grows until nothing is added. */
static uint64_t reach(const struct ws_composite_rule *rule, uint64_t set)
{
    uint64_t before;

    do {
        before = set;
        for (size_t i = 0; i < rule->join_count; i++) {
            uint64_t left = UINT64_C(1) << rule->joins[i].left_member;
            uint64_t right = UINT64_C(1) << rule->joins[i].right_member;
            if (set & (left | right))
                set |= left | right;
        }
        for (size_t i = 0; i < rule->residual_count; i++)
            if (rule->residual[i]->op == WS_OP_OVERLAPS && ws_expr_members(rule->residual[i]) & set)
                set |= ws_expr_members(rule->residual[i]);
    } while (set != before);
    return set;
}

/* A parameter that both types have, for an example; "" where there is none. */
static const char *common_parameter(const struct ws_event_type *a, const struct ws_event_type *b)
{
    for (size_t i = a->attribute_count; i < a->slot_count; i++)
        if (a->slots[i].type != WS_TYPE_EVENT && ws_type_slot(b, a->slots[i].name) >= 0)
            return a->slots[i].name;
    return !a->composite && !b->composite ? "process" : "";
}

void ws_check_connected(struct ws_checker *checker, const struct ws_declaration *declaration,
                        const struct ws_composite_rule *rule)
{
    uint64_t set = reach(rule, 1);
    const struct ws_member *first = &rule->members[0];

    for (size_t m = 1; m < rule->member_count; m++) {
        const struct ws_member *member = &rule->members[m];
        const struct ws_word *word = &declaration->members[m].name;
        const char *example = common_parameter(first->type, member->type);
        if (set & UINT64_C(1) << m)
            continue;
        set |= reach(rule, UINT64_C(1) << m); /* what hangs together is one mistake */
        if (*example)
            ws_mistake(
                checker->diagnostics, word->pos, word->width, NULL,
                "member '%s' is not connected with '%s': each would be tried with each; join them by an "
                "equality such as %s.%s == %s.%s, or by overlaps(%s, %s)",
                member->name, first->name, first->name, example, member->name, example, first->name,
                member->name);
        else
            ws_mistake(
                checker->diagnostics, word->pos, word->width, NULL,
                "member '%s' is not connected with '%s': each would be tried with each; join them by an "
                "equality of two parameters or by overlaps(%s, %s)",
                member->name, first->name, first->name, member->name);
    }
}
