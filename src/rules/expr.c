#include "rules/expr.h"

#include <math.h>
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

int ws_value_compare(enum ws_type type, union ws_value a, union ws_value b)
{
    int order;

    switch (type) {
    case WS_TYPE_REAL:
        return (a.r > b.r) - (a.r < b.r);
    case WS_TYPE_STRING:
        order = strcmp(a.s, b.s);
        return (order > 0) - (order < 0);
    default:
        return (a.i > b.i) - (a.i < b.i);
    }
}

/* ---- structure ---- */

bool ws_expr_equal(const struct ws_expr *a, const struct ws_expr *b)
{
    if (!a || !b)
        return a == b;
    if (a == b)
        return true;
    if (a->op != b->op || a->type != b->type || a->arg_count != b->arg_count || a->member != b->member ||
        a->slot != b->slot || a->aggregate != b->aggregate)
        return false;
    if (a->type == WS_TYPE_NONE) /* a mistake stands there: it equals nothing */
        return false;
    if (a->op == WS_OP_CONSTANT)
        return ws_value_compare(a->type, a->value, b->value) == 0;
    for (size_t i = 0; i < a->arg_count; i++)
        if (!ws_expr_equal(a->args[i], b->args[i]))
            return false;
    return true;
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

static enum ws_folding from_real(double real, enum ws_type type, union ws_value *value)
{
    if (type == WS_TYPE_REAL) {
        value->r = real;
        return isfinite(real) ? WS_CONSTANT : WS_UNDEFINED;
    }
    if (!(real > -0x1p63 && real < 0x1p63))
        return WS_UNDEFINED;
    value->i = (int64_t)real;
    return WS_CONSTANT;
}

static double real_value(enum ws_type type, union ws_value value)
{
    return type == WS_TYPE_REAL ? value.r : (double)value.i;
}

static enum ws_folding fold_integers(enum ws_operator op, int64_t a, int64_t b, int64_t *result)
{
    bool undefined = false;

    switch (op) {
    case WS_OP_ADD:
        undefined = __builtin_add_overflow(a, b, result);
        break;
    case WS_OP_SUBTRACT:
        undefined = __builtin_sub_overflow(a, b, result);
        break;
    case WS_OP_MULTIPLY:
        undefined = __builtin_mul_overflow(a, b, result);
        break;
    case WS_OP_DIVIDE:
        undefined = b == 0 || (a == INT64_MIN && b == -1);
        *result = undefined ? 0 : a / b;
        break;
    default: /* REMAINDER */
        undefined = b == 0;
        *result = b == 0 || b == -1 ? 0 : a % b;
    }
    return undefined ? WS_UNDEFINED : WS_CONSTANT;
}

static enum ws_folding fold_arithmetic(const struct ws_expr *expr, const union ws_value *args,
                                       union ws_value *value)
{
    enum ws_type left = expr->args[0]->type, right = expr->args[1]->type;
    double a, b;

    if (left != WS_TYPE_REAL && right != WS_TYPE_REAL && expr->type != WS_TYPE_REAL)
        return fold_integers(expr->op, args[0].i, args[1].i, &value->i);
    a = real_value(left, args[0]);
    b = real_value(right, args[1]);
    switch (expr->op) {
    case WS_OP_ADD:
        return from_real(a + b, expr->type, value);
    case WS_OP_SUBTRACT:
        return from_real(a - b, expr->type, value);
    case WS_OP_MULTIPLY:
        return from_real(a * b, expr->type, value);
    default:
        return b == 0 ? WS_UNDEFINED : from_real(a / b, expr->type, value);
    }
}

static enum ws_folding fold_sign(const struct ws_expr *expr, union ws_value arg, union ws_value *value)
{
    if (expr->type == WS_TYPE_REAL) {
        value->r = expr->op == WS_OP_NEGATE || arg.r < 0 ? -arg.r : arg.r;
        return WS_CONSTANT;
    }
    if (arg.i == INT64_MIN)
        return WS_UNDEFINED;
    value->i = expr->op == WS_OP_NEGATE || arg.i < 0 ? -arg.i : arg.i;
    return WS_CONSTANT;
}

static union ws_value extreme(enum ws_type type, enum ws_operator op, const union ws_value *args,
                              size_t count)
{
    union ws_value best = args[0];

    for (size_t i = 1; i < count; i++) {
        int order = ws_value_compare(type, args[i], best);
        if (op == WS_OP_MAX ? order > 0 : order < 0)
            best = args[i];
    }
    return best;
}

/* clamp(x, low, high) = max(low, min(x, high)) */
static union ws_value clamp(enum ws_type type, const union ws_value *args)
{
    union ws_value inner[2] = {args[0], args[2]};
    union ws_value outer[2] = {args[1], extreme(type, WS_OP_MIN, inner, 2)};
    return extreme(type, WS_OP_MAX, outer, 2);
}

static enum ws_folding fold_operation(const struct ws_expr *expr, const union ws_value *args,
                                      union ws_value *value)
{
    enum ws_type type = expr->args[0]->type;

    if (ws_is_comparison(expr->op)) {
        int order = ws_value_compare(type, args[0], args[1]);
        value->i = (holds_for(expr->op) >> (order + 1)) & 1;
        return WS_CONSTANT;
    }
    switch (expr->op) {
    case WS_OP_NEGATE:
    case WS_OP_ABS:
        return fold_sign(expr, args[0], value);
    case WS_OP_NOT:
        value->i = !args[0].i;
        return WS_CONSTANT;
    case WS_OP_MIN:
    case WS_OP_MAX:
        *value = extreme(type, expr->op, args, expr->arg_count);
        return WS_CONSTANT;
    case WS_OP_CLAMP:
        *value = clamp(type, args);
        return WS_CONSTANT;
    case WS_OP_TO_REAL:
        value->r = type == WS_TYPE_TIME ? (double)args[0].i / 1e9 : (double)args[0].i;
        return WS_CONSTANT;
    default:
        return fold_arithmetic(expr, args, value);
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
    return all == WS_CONSTANT ? fold_operation(expr, args, value) : WS_VARIES;
}
