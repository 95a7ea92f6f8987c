/* The arithmetic of the rule language as CLIPS functions.  CLIPS's own wraps on overflow, ends the process
 * on some divisions and stops the run on others.  Where a value is undefined these set a mark and go on with
 * a value of the right type; ws-true and ws-value look at the mark. */
#include "engine/clips/context.h"

#include "rules/arithmetic.h"

/* ---- arguments and results ---- */

#define MOST_ARGUMENTS 4

static void evaluate(void *env, struct expr *expression, DATA_OBJECT *object)
{
    EvaluateExpression(env, expression, object);
}

static struct expr *first_argument(void *theEnv)
{
    return GetFirstArgument();
}

static enum ws_type number(const DATA_OBJECT *object, union ws_value *value)
{
    if (object->type == FLOAT) {
        value->r = ValueToDouble(object->value);
        return WS_TYPE_REAL;
    }
    value->i = object->type == INTEGER ? ValueToLong(object->value) : 0;
    return WS_TYPE_INTEGER;
}

static size_t arguments(void *env, enum ws_type *types, union ws_value *values)
{
    size_t count = 0;

    for (struct expr *e = first_argument(env); e && count < MOST_ARGUMENTS; e = e->nextArg, count++) {
        DATA_OBJECT object;
        evaluate(env, e, &object);
        types[count] = number(&object, &values[count]);
    }
    return count;
}

static void give(void *env, enum ws_type type, union ws_value value, DATA_OBJECT *result)
{
    result->type = type == WS_TYPE_REAL ? FLOAT : INTEGER;
    result->value = type == WS_TYPE_REAL ? EnvAddDouble(env, value.r) : EnvAddLong(env, value.i);
}

static void give_symbol(void *symbol, DATA_OBJECT *result)
{
    result->type = SYMBOL;
    result->value = symbol;
}

static bool is_symbol(const DATA_OBJECT *object, const char *name)
{
    return object->type == SYMBOL && strcmp(ValueToString(object->value), name) == 0;
}

/* ---- operators ---- */

/* The type of a result by those of the arguments: a time by a real stays a time. */
static void operate(void *env, enum ws_operator op, bool ratio, DATA_OBJECT *result)
{
    union ws_value values[MOST_ARGUMENTS] = {{0}}, value = {0};
    enum ws_type types[MOST_ARGUMENTS] = {WS_TYPE_INTEGER, WS_TYPE_INTEGER}, type;

    arguments(env, types, values);
    if (ratio)
        types[0] = types[1] = WS_TYPE_TIME;
    type = ratio || (types[0] == WS_TYPE_REAL && types[1] == WS_TYPE_REAL) ? WS_TYPE_REAL : WS_TYPE_INTEGER;
    if (!ws_arithmetic(op, types[0], values[0], types[1], values[1], &value))
        ws_clips_of(env)->is_undefined = true;
    give(env, type, value, result);
}

static void operate_unary(void *env, enum ws_operator op, enum ws_type as, DATA_OBJECT *result)
{
    union ws_value values[MOST_ARGUMENTS] = {{0}}, value = {0};
    enum ws_type types[MOST_ARGUMENTS] = {WS_TYPE_INTEGER};

    arguments(env, types, values);
    if (as != WS_TYPE_NONE)
        types[0] = as;
    if (!ws_arithmetic_unary(op, types[0], values[0], &value))
        ws_clips_of(env)->is_undefined = true;
    give(env, op == WS_OP_TO_REAL ? WS_TYPE_REAL : types[0], value, result);
}

static void add(void *env, DATA_OBJECT *result)
{
    operate(env, WS_OP_ADD, false, result);
}

static void subtract(void *env, DATA_OBJECT *result)
{
    operate(env, WS_OP_SUBTRACT, false, result);
}

static void multiply(void *env, DATA_OBJECT *result)
{
    operate(env, WS_OP_MULTIPLY, false, result);
}

static void divide(void *env, DATA_OBJECT *result)
{
    operate(env, WS_OP_DIVIDE, false, result);
}

static void ratio(void *env, DATA_OBJECT *result)
{
    operate(env, WS_OP_DIVIDE, true, result);
}

static void remainder_of(void *env, DATA_OBJECT *result)
{
    operate(env, WS_OP_REMAINDER, false, result);
}

static void negate(void *env, DATA_OBJECT *result)
{
    operate_unary(env, WS_OP_NEGATE, WS_TYPE_NONE, result);
}

static void absolute(void *env, DATA_OBJECT *result)
{
    operate_unary(env, WS_OP_ABS, WS_TYPE_NONE, result);
}

static void to_real(void *env, DATA_OBJECT *result)
{
    operate_unary(env, WS_OP_TO_REAL, WS_TYPE_INTEGER, result);
}

static void to_seconds(void *env, DATA_OBJECT *result)
{
    operate_unary(env, WS_OP_TO_REAL, WS_TYPE_TIME, result);
}

static void clamp(void *env, DATA_OBJECT *result)
{
    union ws_value v[MOST_ARGUMENTS] = {{0}};
    enum ws_type types[MOST_ARGUMENTS] = {WS_TYPE_INTEGER};

    arguments(env, types, v);
    give(env, types[0], ws_clamp(types[0], v[0], v[1], v[2]), result);
}

/* begin, end of two events: does a moment lie in both? */
static int overlaps(void *env)
{
    union ws_value v[MOST_ARGUMENTS] = {{0}};
    enum ws_type types[MOST_ARGUMENTS];

    arguments(env, types, v);
    return (v[0].i > v[2].i ? v[0].i : v[2].i) < (v[1].i < v[3].i ? v[1].i : v[3].i);
}

static long long compare(void *env)
{
    const char *strings[2] = {"", ""};
    struct expr *e = first_argument(env);

    for (size_t i = 0; e && i < 2; i++, e = e->nextArg) {
        DATA_OBJECT object;
        evaluate(env, e, &object);
        if (object.type == STRING || object.type == SYMBOL)
            strings[i] = ValueToString(object.value);
    }
    return strcmp(strings[0], strings[1]);
}

/* ---- undefined ---- */

/* Is the condition true, and no part of it undefined? */
static int is_true(void *env)
{
    struct ws_clips *clips = ws_clips_of(env);
    bool outer = clips->is_undefined, holds;
    DATA_OBJECT object;

    clips->is_undefined = false;
    evaluate(env, first_argument(env), &object);
    holds = !clips->is_undefined && object.value == EnvTrueSymbol(env);
    clips->is_undefined = outer;
    return holds;
}

/* The value, or the symbol `undefined`. */
static void value_of(void *env, DATA_OBJECT *result)
{
    struct ws_clips *clips = ws_clips_of(env);
    bool outer = clips->is_undefined;

    clips->is_undefined = false;
    evaluate(env, first_argument(env), result);
    if (clips->is_undefined)
        give_symbol(clips->undefined, result);
    clips->is_undefined = outer;
}

/* The value; of `undefined` and `none` the mark and the second argument. */
static void defined(void *env, DATA_OBJECT *result)
{
    struct expr *e = first_argument(env);

    evaluate(env, e, result);
    if (!is_symbol(result, "undefined") && !is_symbol(result, "none"))
        return;
    ws_clips_of(env)->is_undefined = true;
    evaluate(env, e->nextArg, result);
}

/* ---- folding the elements of a group ---- */

static bool is_undefined(const DATA_OBJECT *object)
{
    return is_symbol(object, "undefined");
}

/* so far, value: their sum; undefined once a part is. */
static void fold_sum(void *env, DATA_OBJECT *result)
{
    struct ws_clips *clips = ws_clips_of(env);
    struct expr *e = first_argument(env);
    union ws_value left, right, sum = {0};
    DATA_OBJECT more;
    enum ws_type type, more_type;

    evaluate(env, e, result);
    evaluate(env, e->nextArg, &more);
    if (is_undefined(result))
        return;
    type = number(result, &left);
    more_type = number(&more, &right);
    if (is_undefined(&more) || !ws_arithmetic(WS_OP_ADD, type, left, more_type, right, &sum))
        give_symbol(clips->undefined, result);
    else
        give(env, type, sum, result);
}

/* Does `more` take the place of the best so far?  It does where there is none, and where it is better. */
static bool is_better(const DATA_OBJECT *best, const DATA_OBJECT *more, int sign)
{
    union ws_value left, right;
    enum ws_type type = number(best, &left);

    if (is_symbol(best, "none"))
        return true;
    number(more, &right);
    return sign * ws_compare(type, right, left) > 0;
}

/* best so far, value */
static void fold_best(void *env, int sign, DATA_OBJECT *result)
{
    struct expr *e = first_argument(env);
    DATA_OBJECT more;

    evaluate(env, e, result);
    evaluate(env, e->nextArg, &more);
    if (!is_undefined(result) && (is_undefined(&more) || is_better(result, &more, sign)))
        *result = more;
}

/* best key so far, key, value of the best so far, value */
static void fold_at(void *env, int sign, DATA_OBJECT *result)
{
    struct expr *e = first_argument(env);
    DATA_OBJECT best, more;

    evaluate(env, e, &best);
    evaluate(env, e->nextArg, &more);
    if (is_undefined(&best) || is_undefined(&more))
        give_symbol(ws_clips_of(env)->undefined, result);
    else if (is_better(&best, &more, sign))
        evaluate(env, e->nextArg->nextArg->nextArg, result);
    else
        evaluate(env, e->nextArg->nextArg, result);
}

static void fold_min(void *env, DATA_OBJECT *result)
{
    fold_best(env, -1, result);
}

static void fold_max(void *env, DATA_OBJECT *result)
{
    fold_best(env, 1, result);
}

static void fold_at_min(void *env, DATA_OBJECT *result)
{
    fold_at(env, -1, result);
}

static void fold_at_max(void *env, DATA_OBJECT *result)
{
    fold_at(env, 1, result);
}

/* ---- definition ---- */

int ws_clips_define_arithmetic(void *env)
{
    static const struct {
        const char *name;
        char returns; /* u: any value, b: true or false, g: a long integer */
        int (*function)(void *);
        const char *arguments; /* least, most, type of each */
    } functions[] = {
        {"ws-add", 'u', PTIEF add, "22u"},
        {"ws-subtract", 'u', PTIEF subtract, "22u"},
        {"ws-multiply", 'u', PTIEF multiply, "22u"},
        {"ws-divide", 'u', PTIEF divide, "22u"},
        {"ws-ratio", 'u', PTIEF ratio, "22u"},
        {"ws-remainder", 'u', PTIEF remainder_of, "22u"},
        {"ws-negate", 'u', PTIEF negate, "11u"},
        {"ws-abs", 'u', PTIEF absolute, "11u"},
        {"ws-real", 'u', PTIEF to_real, "11u"},
        {"ws-seconds", 'u', PTIEF to_seconds, "11u"},
        {"ws-clamp", 'u', PTIEF clamp, "33u"},
        {"ws-overlaps", 'b', PTIEF overlaps, "44u"},
        {"ws-compare", 'g', PTIEF compare, "22u"},
        {"ws-true", 'b', PTIEF is_true, "11u"},
        {"ws-value", 'u', PTIEF value_of, "11u"},
        {"ws-defined", 'u', PTIEF defined, "22u"},
        {"ws-fold-sum", 'u', PTIEF fold_sum, "22u"},
        {"ws-fold-min", 'u', PTIEF fold_min, "22u"},
        {"ws-fold-max", 'u', PTIEF fold_max, "22u"},
        {"ws-fold-at-min", 'u', PTIEF fold_at_min, "44u"},
        {"ws-fold-at-max", 'u', PTIEF fold_at_max, "44u"},
    };

    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!EnvDefineFunction2(env, functions[i].name, functions[i].returns, functions[i].function,
                                functions[i].name, functions[i].arguments))
            return -1;
    return 0;
}
