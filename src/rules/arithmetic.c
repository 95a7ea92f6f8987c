#include "rules/arithmetic.h"

#include <math.h>
#include <string.h>

static bool is_real(enum ws_type type)
{
    return type == WS_TYPE_REAL;
}

static bool real_result(double value, union ws_value *result)
{
    union ws_value real = {.r = value};
    if (!ws_normal_value(WS_TYPE_REAL, &real))
        return false;
    *result = real;
    return true;
}

/* A time from a real number of nanoseconds, truncated toward zero. */
static bool time_result(double value, union ws_value *result)
{
    if (!(value > -0x1p63 && value < 0x1p63))
        return false;
    result->i = (int64_t)value;
    return true;
}

static bool whole(enum ws_operator op, int64_t left, int64_t right, union ws_value *result)
{
    int64_t value;

    switch (op) {
    case WS_OP_ADD:
        if (__builtin_add_overflow(left, right, &value))
            return false;
        break;
    case WS_OP_SUBTRACT:
        if (__builtin_sub_overflow(left, right, &value))
            return false;
        break;
    case WS_OP_MULTIPLY:
        if (__builtin_mul_overflow(left, right, &value))
            return false;
        break;
    case WS_OP_DIVIDE:
        if (right == 0 || (left == INT64_MIN && right == -1))
            return false;
        value = left / right;
        break;
    case WS_OP_REMAINDER:
        if (right == 0)
            return false;
        value = right == -1 ? 0 : left % right;
        break;
    default:
        return false;
    }
    result->i = value;
    return true;
}

static bool real(enum ws_operator op, double left, double right, double *value)
{
    switch (op) {
    case WS_OP_ADD:
        *value = left + right;
        return true;
    case WS_OP_SUBTRACT:
        *value = left - right;
        return true;
    case WS_OP_MULTIPLY:
        *value = left * right;
        return true;
    case WS_OP_DIVIDE:
        *value = right == 0 ? NAN : left / right; /* undefined, without a trap of the sanitizers */
        return true;
    default:
        return false;
    }
}

bool ws_arithmetic(enum ws_operator op, enum ws_type left_type, union ws_value left, enum ws_type right_type,
                   union ws_value right, union ws_value *result)
{
    bool ratio = op == WS_OP_DIVIDE && left_type == WS_TYPE_TIME && right_type == WS_TYPE_TIME;
    double value;

    if (!is_real(left_type) && !is_real(right_type) && !ratio)
        return whole(op, left.i, right.i, result);
    if (!real(op, is_real(left_type) ? left.r : (double)left.i,
              is_real(right_type) ? right.r : (double)right.i, &value))
        return false;
    if (ratio || (is_real(left_type) && is_real(right_type)))
        return real_result(value, result);
    return time_result(value, result);
}

bool ws_arithmetic_unary(enum ws_operator op, enum ws_type type, union ws_value value, union ws_value *result)
{
    if (op == WS_OP_TO_REAL)
        return real_result(type == WS_TYPE_TIME ? (double)value.i / 1e9 : (double)value.i, result);
    if (is_real(type))
        return real_result(op == WS_OP_NEGATE ? -value.r : fabs(value.r), result);
    if (op == WS_OP_ABS && value.i >= 0)
        return whole(WS_OP_ADD, value.i, 0, result);
    return whole(WS_OP_SUBTRACT, 0, value.i, result);
}

int ws_compare(enum ws_type type, union ws_value left, union ws_value right)
{
    switch (type) {
    case WS_TYPE_REAL:
        return (left.r > right.r) - (left.r < right.r);
    case WS_TYPE_STRING:
        return strcmp(left.s, right.s);
    case WS_TYPE_EVENT:
        return (left.e->order > right.e->order) - (left.e->order < right.e->order);
    default:
        return (left.i > right.i) - (left.i < right.i);
    }
}

bool ws_comparison(enum ws_operator op, enum ws_type type, union ws_value left, union ws_value right)
{
    int order = ws_compare(type, left, right);

    switch (op) {
    case WS_OP_EQUAL:
        return order == 0;
    case WS_OP_UNEQUAL:
        return order != 0;
    case WS_OP_LESS:
        return order < 0;
    case WS_OP_LESS_EQUAL:
        return order <= 0;
    case WS_OP_GREATER:
        return order > 0;
    default:
        return order >= 0;
    }
}

union ws_value ws_extreme(enum ws_operator op, enum ws_type type, union ws_value first, union ws_value second)
{
    int order = ws_compare(type, second, first);
    return (op == WS_OP_MIN ? order < 0 : order > 0) ? second : first;
}

union ws_value ws_clamp(enum ws_type type, union ws_value x, union ws_value low, union ws_value high)
{
    return ws_extreme(WS_OP_MAX, type, low, ws_extreme(WS_OP_MIN, type, x, high));
}

bool ws_normal_value(enum ws_type type, union ws_value *value)
{
    if (type == WS_TYPE_STRING && !value->s)
        value->s = "";
    if (type != WS_TYPE_REAL)
        return true;
    if (!isfinite(value->r))
        return false;
    if (value->r == 0)
        value->r = 0;
    return true;
}
