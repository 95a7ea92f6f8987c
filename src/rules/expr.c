#include "rules/expr.h"

#include "rules/arithmetic.h"

#include <string.h>

#define NUMBERS "two integers, two reals or two times"

const struct ws_operator_info ws_operators[WS_OP_COUNT] = {
    [WS_OP_OR] = {"or", 1, "two conditions"},
    [WS_OP_AND] = {"and", 2, "two conditions"},
    [WS_OP_NOT] = {"not", 3, "a condition"},
    [WS_OP_EQUAL] = {"==", 4, "two values of one type"},
    [WS_OP_UNEQUAL] = {"!=", 4, "two values of one type"},
    [WS_OP_LESS] = {"<", 4, NUMBERS},
    [WS_OP_LESS_EQUAL] = {"<=", 4, NUMBERS},
    [WS_OP_GREATER] = {">", 4, NUMBERS},
    [WS_OP_GREATER_EQUAL] = {">=", 4, NUMBERS},
    [WS_OP_ADD] = {"+", 5, NUMBERS},
    [WS_OP_SUBTRACT] = {"-", 5, NUMBERS},
    [WS_OP_MULTIPLY] = {"*", 6, "two integers, two reals, or a time and a number"},
    [WS_OP_DIVIDE] = {"/", 6, "two integers, two reals, two times, or a time and a number"},
    [WS_OP_REMAINDER] = {"%", 6, "two integers"},
    [WS_OP_NEGATE] = {"-", 7, "an integer, a real or a time"},
    [WS_OP_MIN] = {"min", 0, NULL},
    [WS_OP_MAX] = {"max", 0, NULL},
    [WS_OP_CLAMP] = {"clamp", 0, NULL},
    [WS_OP_ABS] = {"abs", 0, NULL},
    [WS_OP_IF] = {"if", 0, NULL},
    [WS_OP_OVERLAPS] = {"overlaps", 0, NULL},
    [WS_OP_TO_REAL] = {"real", 0, NULL},
};

const char *const ws_aggregate_names[] = {
    [WS_AGG_COUNT] = "count", [WS_AGG_MIN] = "min",       [WS_AGG_MAX] = "max",
    [WS_AGG_SUM] = "sum",     [WS_AGG_AT_MIN] = "at_min", [WS_AGG_AT_MAX] = "at_max",
};

/* ---- comparisons ---- */

/* Each comparison by the signs of left - right for which it holds: bit 0 less, 1 equal, 2 greater. */
static unsigned holds_for(enum ws_operator op)
{
    switch (op) {
    case WS_OP_LESS:
        return 1;
    case WS_OP_EQUAL:
        return 2;
    case WS_OP_LESS_EQUAL:
        return 3;
    case WS_OP_GREATER:
        return 4;
    case WS_OP_UNEQUAL:
        return 5;
    case WS_OP_GREATER_EQUAL:
        return 6;
    default:
        return 0;
    }
}

static enum ws_operator comparison_of(unsigned signs)
{
    static const enum ws_operator ops[] = {
        WS_OP_COUNT,   WS_OP_LESS,    WS_OP_EQUAL,         WS_OP_LESS_EQUAL,
        WS_OP_GREATER, WS_OP_UNEQUAL, WS_OP_GREATER_EQUAL,
    };
    return ops[signs];
}

bool ws_is_comparison(enum ws_operator op)
{
    return holds_for(op) != 0;
}

enum ws_operator ws_inverse(enum ws_operator op)
{
    return comparison_of(7 & ~holds_for(op));
}

enum ws_operator ws_mirrored(enum ws_operator op)
{
    unsigned signs = holds_for(op);
    return comparison_of((signs & 2) | (signs & 1) << 2 | (signs & 4) >> 2);
}

/* ---- structure ---- */

static bool equal(const struct ws_expr *a, const struct ws_expr *b, bool whatever_member)
{
    if (!a || !b)
        return a == b;
    if (a == b)
        return true;
    if (a->op != b->op || a->type != b->type || a->arg_count != b->arg_count || a->slot != b->slot ||
        a->aggregate != b->aggregate || (a->member != b->member && !whatever_member))
        return false;
    if (a->type == WS_TYPE_NONE) /* a mistake stands there: it equals nothing */
        return false;
    if (a->op == WS_OP_CONSTANT)
        return ws_compare(a->type, a->value, b->value) == 0;
    for (size_t i = 0; i < a->arg_count; i++)
        if (!equal(a->args[i], b->args[i], whatever_member))
            return false;
    return true;
}

bool ws_expr_equal(const struct ws_expr *a, const struct ws_expr *b)
{
    return equal(a, b, false);
}

bool ws_expr_alike(const struct ws_expr *a, const struct ws_expr *b)
{
    return equal(a, b, true);
}

struct ws_expr *ws_expr_comparison(struct ws_arena *arena, enum ws_operator op, const struct ws_expr *left,
                                   const struct ws_expr *right)
{
    struct ws_expr *made = ws_arena_alloc(arena, sizeof *made);

    made->op = op;
    made->type = WS_TYPE_BOOLEAN;
    made->args = ws_arena_alloc(arena, 2 * sizeof *made->args);
    made->args[0] = (struct ws_expr *)(uintptr_t)left; /* nobody changes what is checked */
    made->args[1] = (struct ws_expr *)(uintptr_t)right;
    made->arg_count = 2;
    return made;
}

uint64_t ws_expr_members(const struct ws_expr *expr)
{
    uint64_t members = 0;

    switch (expr->op) {
    case WS_OP_SLOT:
    case WS_OP_MEMBER:
        return UINT64_C(1) << (expr->member & 63);
    case WS_OP_OVERLAPS:
        return UINT64_C(1) << (expr->member & 63) | UINT64_C(1) << (expr->slot & 63);
    default:
        for (size_t i = 0; i < expr->arg_count; i++)
            members |= ws_expr_members(expr->args[i]);
        return members;
    }
}

/* ---- constants ---- */

static union ws_value extreme(const struct ws_expr *expr, const union ws_value *args)
{
    union ws_value best = args[0];

    for (size_t i = 1; i < expr->arg_count; i++)
        best = ws_extreme(expr->op, expr->type, best, args[i]);
    return best;
}

static bool operation(const struct ws_expr *expr, const union ws_value *args, union ws_value *value)
{
    enum ws_type type = expr->args[0]->type;

    if (ws_is_comparison(expr->op)) {
        value->i = ws_comparison(expr->op, type, args[0], args[1]);
        return true;
    }
    switch (expr->op) {
    case WS_OP_NEGATE:
    case WS_OP_ABS:
    case WS_OP_TO_REAL:
        return ws_arithmetic_unary(expr->op, type, args[0], value);
    case WS_OP_NOT:
        value->i = !args[0].i;
        return true;
    case WS_OP_MIN:
    case WS_OP_MAX:
        *value = extreme(expr, args);
        return true;
    case WS_OP_CLAMP:
        *value = ws_clamp(type, args[0], args[1], args[2]);
        return true;
    default:
        return ws_arithmetic(expr->op, type, args[0], expr->args[1]->type, args[1], value);
    }
}

/* and, or, if: not all arguments need a value for the whole to have one. */
static enum ws_folding fold_choice(const struct ws_expr *expr, union ws_value *value)
{
    union ws_value first, second;
    enum ws_folding left = ws_fold(expr->args[0], &first);

    if (left == WS_UNDEFINED)
        return WS_UNDEFINED;
    if (expr->op == WS_OP_IF)
        return left == WS_CONSTANT ? ws_fold(expr->args[first.i ? 1 : 2], value) : WS_VARIES;
    bool decides = expr->op == WS_OP_OR;
    if (left == WS_CONSTANT && (bool)first.i == decides) {
        value->i = decides;
        return WS_CONSTANT;
    }
    enum ws_folding right = ws_fold(expr->args[1], &second);
    if (left == WS_VARIES)
        return WS_VARIES;
    *value = second;
    return right;
}

/* An operator has few arguments; one with more is not worth folding. */
#define FOLDED_MOST 8

enum ws_folding ws_fold(const struct ws_expr *expr, union ws_value *value)
{
    union ws_value args[FOLDED_MOST];
    enum ws_folding all = WS_CONSTANT;

    switch (expr->op) {
    case WS_OP_CONSTANT:
        *value = expr->value;
        return expr->type == WS_TYPE_NONE ? WS_VARIES : WS_CONSTANT;
    case WS_OP_SLOT:
    case WS_OP_MEMBER:
    case WS_OP_AGGREGATE:
    case WS_OP_OVERLAPS:
        return WS_VARIES;
    case WS_OP_AND:
    case WS_OP_OR:
    case WS_OP_IF:
        return fold_choice(expr, value);
    default:
        break;
    }
    if (expr->arg_count > FOLDED_MOST)
        return WS_VARIES;
    for (size_t i = 0; i < expr->arg_count; i++) {
        enum ws_folding one = ws_fold(expr->args[i], &args[i]);
        if (one == WS_UNDEFINED)
            return WS_UNDEFINED;
        if (one == WS_VARIES)
            all = WS_VARIES;
    }
    if (all == WS_VARIES)
        return WS_VARIES;
    return operation(expr, args, value) ? WS_CONSTANT : WS_UNDEFINED;
}
