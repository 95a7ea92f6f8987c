#include "engine/evaluate.h"

#include "rules/arithmetic.h"

static bool truth(bool value, union ws_value *result)
{
    result->i = value;
    return true;
}

static bool comparison(const struct ws_expr *expr, const struct ws_event *event, union ws_value *result)
{
    union ws_value left, right;

    if (!ws_evaluate(expr->args[0], event, &left) || !ws_evaluate(expr->args[1], event, &right))
        return false;
    return truth(ws_comparison(expr->op, expr->args[0]->type, left, right), result);
}

/* and, or: left to right, no further than the first that decides. */
static bool connective(const struct ws_expr *expr, const struct ws_event *event, union ws_value *result)
{
    const bool decides = expr->op == WS_OP_OR;
    union ws_value value;

    for (size_t i = 0; i < expr->arg_count; i++) {
        if (!ws_evaluate(expr->args[i], event, &value))
            return false;
        if ((value.i != 0) == decides)
            return truth(decides, result);
    }
    return truth(!decides, result);
}

static bool extreme(const struct ws_expr *expr, const struct ws_event *event, union ws_value *result)
{
    union ws_value best = {0}, value;

    for (size_t i = 0; i < expr->arg_count; i++) {
        if (!ws_evaluate(expr->args[i], event, &value))
            return false;
        best = i == 0 ? value : ws_extreme(expr->op, expr->type, best, value);
    }
    *result = best;
    return true;
}

static bool clamped(const struct ws_expr *expr, const struct ws_event *event, union ws_value *result)
{
    union ws_value x, low, high;

    if (!ws_evaluate(expr->args[0], event, &x) || !ws_evaluate(expr->args[1], event, &low) ||
        !ws_evaluate(expr->args[2], event, &high))
        return false;
    *result = ws_clamp(expr->args[0]->type, x, low, high);
    return true;
}

bool ws_evaluate(const struct ws_expr *expr, const struct ws_event *event, union ws_value *result)
{
    union ws_value left, right;

    switch (expr->op) {
    case WS_OP_CONSTANT:
        *result = expr->value;
        return ws_normal_value(expr->type, result);
    case WS_OP_SLOT:
        *result = event->value[expr->slot];
        return ws_normal_value(expr->type, result);
    case WS_OP_MEMBER:
        result->e = event;
        return true;
    case WS_OP_NOT:
        return ws_evaluate(expr->args[0], event, &left) && truth(left.i == 0, result);
    case WS_OP_NEGATE:
    case WS_OP_ABS:
    case WS_OP_TO_REAL:
        return ws_evaluate(expr->args[0], event, &left) &&
               ws_arithmetic_unary(expr->op, expr->args[0]->type, left, result);
    case WS_OP_ADD:
    case WS_OP_SUBTRACT:
    case WS_OP_MULTIPLY:
    case WS_OP_DIVIDE:
    case WS_OP_REMAINDER:
        return ws_evaluate(expr->args[0], event, &left) && ws_evaluate(expr->args[1], event, &right) &&
               ws_arithmetic(expr->op, expr->args[0]->type, left, expr->args[1]->type, right, result);
    case WS_OP_AND:
    case WS_OP_OR:
        return connective(expr, event, result);
    case WS_OP_MIN:
    case WS_OP_MAX:
        return extreme(expr, event, result);
    case WS_OP_CLAMP:
        return clamped(expr, event, result);
    case WS_OP_IF:
        return ws_evaluate(expr->args[0], event, &left) &&
               ws_evaluate(expr->args[left.i ? 1 : 2], event, result);
    case WS_OP_OVERLAPS: /* needs two */
    case WS_OP_AGGREGATE:
    case WS_OP_COUNT:
        return false;
    default:
        return comparison(expr, event, result);
    }
}
