/* The types of expressions (docs/language.md, "Expressions"). */
#include "rules/check.h"
#include "rules/expr.h"

/* ---- helpers ---- */

struct ws_expr *ws_expr_new(const struct ws_names *names, enum ws_operator op, enum ws_type type,
                            struct ws_pos pos)
{
    struct ws_expr *expr = ws_arena_alloc(names->checker->arena, sizeof *expr);

    expr->op = op;
    expr->type = type;
    expr->pos = pos;
    return expr;
}

struct ws_expr *ws_expr_mistaken(const struct ws_names *names, struct ws_pos pos)
{
    return ws_expr_new(names, WS_OP_CONSTANT, WS_TYPE_NONE, pos);
}

bool ws_is_mistaken(const struct ws_expr *expr)
{
    if (expr->type == WS_TYPE_NONE)
        return true;
    for (size_t i = 0; i < expr->arg_count; i++)
        if (ws_is_mistaken(expr->args[i]))
            return true;
    return false;
}

void ws_take_zero(struct ws_expr *expr, enum ws_type type)
{
    if (type == WS_TYPE_TIME && expr->op == WS_OP_CONSTANT && expr->type == WS_TYPE_INTEGER &&
        expr->value.i == 0)
        expr->type = WS_TYPE_TIME;
}

bool ws_is_number_type(enum ws_type type)
{
    return type == WS_TYPE_INTEGER || type == WS_TYPE_REAL || type == WS_TYPE_TIME;
}

const char *ws_type_phrase(enum ws_type type)
{
    static const char *const phrases[] = {
        [WS_TYPE_NONE] = "nothing",     [WS_TYPE_INTEGER] = "an integer",  [WS_TYPE_REAL] = "a real",
        [WS_TYPE_TIME] = "a time",      [WS_TYPE_BOOLEAN] = "a condition", [WS_TYPE_STRING] = "a string",
        [WS_TYPE_SITE] = "a call site", [WS_TYPE_EVENT] = "an event",
    };
    return phrases[type];
}

/* How to mend a pair of types, or "". */
static const char *advice_on(enum ws_type left, enum ws_type right)
{
    if (left == WS_TYPE_EVENT || right == WS_TYPE_EVENT)
        return ": a value of an event is written member.parameter";
    if ((left == WS_TYPE_TIME && right == WS_TYPE_INTEGER) ||
        (left == WS_TYPE_INTEGER && right == WS_TYPE_TIME))
        return ": a time has a unit, as in 20 ms";
    if ((left == WS_TYPE_REAL && right == WS_TYPE_INTEGER) ||
        (left == WS_TYPE_INTEGER && right == WS_TYPE_REAL))
        return ": real(x) makes a real of an integer";
    return "";
}

/* ---- operators ---- */

/* What arithmetic there is; + - and comparisons are filled in by rule below. */
static const struct {
    enum ws_operator op;
    enum ws_type left, right, result;
} products[] = {
    {WS_OP_MULTIPLY, WS_TYPE_INTEGER, WS_TYPE_INTEGER, WS_TYPE_INTEGER},
    {WS_OP_MULTIPLY, WS_TYPE_REAL, WS_TYPE_REAL, WS_TYPE_REAL},
    {WS_OP_MULTIPLY, WS_TYPE_TIME, WS_TYPE_INTEGER, WS_TYPE_TIME},
    {WS_OP_MULTIPLY, WS_TYPE_INTEGER, WS_TYPE_TIME, WS_TYPE_TIME},
    {WS_OP_MULTIPLY, WS_TYPE_TIME, WS_TYPE_REAL, WS_TYPE_TIME},
    {WS_OP_MULTIPLY, WS_TYPE_REAL, WS_TYPE_TIME, WS_TYPE_TIME},
    {WS_OP_DIVIDE, WS_TYPE_INTEGER, WS_TYPE_INTEGER, WS_TYPE_INTEGER},
    {WS_OP_DIVIDE, WS_TYPE_REAL, WS_TYPE_REAL, WS_TYPE_REAL},
    {WS_OP_DIVIDE, WS_TYPE_TIME, WS_TYPE_INTEGER, WS_TYPE_TIME},
    {WS_OP_DIVIDE, WS_TYPE_TIME, WS_TYPE_REAL, WS_TYPE_TIME},
    {WS_OP_DIVIDE, WS_TYPE_TIME, WS_TYPE_TIME, WS_TYPE_REAL},
    {WS_OP_REMAINDER, WS_TYPE_INTEGER, WS_TYPE_INTEGER, WS_TYPE_INTEGER},
};

static enum ws_type product_type(enum ws_operator op, enum ws_type left, enum ws_type right)
{
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        if (products[i].op == op && products[i].left == left && products[i].right == right)
            return products[i].result;
    return WS_TYPE_NONE;
}

/* The type of `left op right`, NONE where there is no such operation. */
static enum ws_type binary_type(enum ws_operator op, enum ws_type left, enum ws_type right)
{
    switch (op) {
    case WS_OP_AND:
    case WS_OP_OR:
        return left == WS_TYPE_BOOLEAN && right == WS_TYPE_BOOLEAN ? WS_TYPE_BOOLEAN : WS_TYPE_NONE;
    case WS_OP_EQUAL:
    case WS_OP_UNEQUAL:
        return left == right && left != WS_TYPE_EVENT ? WS_TYPE_BOOLEAN : WS_TYPE_NONE;
    case WS_OP_LESS:
    case WS_OP_LESS_EQUAL:
    case WS_OP_GREATER:
    case WS_OP_GREATER_EQUAL:
        return left == right && ws_is_number_type(left) ? WS_TYPE_BOOLEAN : WS_TYPE_NONE;
    case WS_OP_ADD:
    case WS_OP_SUBTRACT:
        return left == right && ws_is_number_type(left) ? left : WS_TYPE_NONE;
    default:
        return product_type(op, left, right);
    }
}

static enum ws_type unary_type(enum ws_operator op, enum ws_type type)
{
    if (op == WS_OP_NOT)
        return type == WS_TYPE_BOOLEAN ? type : WS_TYPE_NONE;
    return ws_is_number_type(type) ? type : WS_TYPE_NONE;
}

/* Arithmetic that can have no value whatever the events are. */
static bool is_never_defined(const struct ws_expr *expr)
{
    union ws_value value;

    if (ws_fold(expr, &value) == WS_UNDEFINED)
        return true;
    if ((expr->op != WS_OP_DIVIDE && expr->op != WS_OP_REMAINDER) ||
        ws_fold(expr->args[1], &value) != WS_CONSTANT)
        return false;
    return expr->args[1]->type == WS_TYPE_REAL ? value.r == 0 : value.i == 0;
}

static bool is_connective(enum ws_operator op)
{
    return op == WS_OP_AND || op == WS_OP_OR || op == WS_OP_NOT;
}

static void wrong_operands(const struct ws_names *names, const struct ws_tree_expr *tree,
                           const struct ws_expr *expr)
{
    enum ws_type left = expr->args[0]->type, right = expr->args[expr->arg_count - 1]->type;

    if (expr->arg_count == 1)
        ws_mistake(names->checker->diagnostics, tree->pos, tree->width, NULL, "'%s' needs %s, not %s",
                   ws_operators[tree->op].symbol, ws_operators[tree->op].needs, ws_type_phrase(left));
    else
        ws_mistake(names->checker->diagnostics, tree->pos, tree->width, NULL,
                   "'%s' needs %s, not %s and %s%s", ws_operators[tree->op].symbol,
                   ws_operators[tree->op].needs, ws_type_phrase(left), ws_type_phrase(right),
                   advice_on(left, right));
}

/* A connective stays one around a mistake, so that its other side is still looked at. */
static struct ws_expr *around_mistake(const struct ws_names *names, const struct ws_tree_expr *tree,
                                      struct ws_expr *expr)
{
    if (!is_connective(tree->op))
        return ws_expr_mistaken(names, tree->pos);
    for (size_t i = 0; i < expr->arg_count; i++)
        if (expr->args[i]->type != WS_TYPE_NONE && expr->args[i]->type != WS_TYPE_BOOLEAN) {
            ws_mistake(names->checker->diagnostics, tree->pos, tree->width, NULL, "'%s' needs %s, not %s",
                       ws_operators[tree->op].symbol, ws_operators[tree->op].needs,
                       ws_type_phrase(expr->args[i]->type));
            expr->args[i] = ws_expr_mistaken(names, tree->pos);
        }
    expr->type = WS_TYPE_BOOLEAN;
    return expr;
}

static struct ws_expr *operation(const struct ws_names *names, const struct ws_tree_expr *tree)
{
    struct ws_expr *expr = ws_expr_new(names, tree->op, WS_TYPE_NONE, tree->pos);
    struct ws_expr *left, *right;

    expr->arg_count = tree->arg_count;
    expr->args = ws_arena_alloc(names->checker->arena, expr->arg_count * sizeof *expr->args);
    for (size_t i = 0; i < expr->arg_count; i++)
        expr->args[i] = ws_check_expr(names, tree->args[i]);
    left = expr->args[0];
    right = expr->args[expr->arg_count - 1];
    if (left->type == WS_TYPE_NONE || right->type == WS_TYPE_NONE)
        return around_mistake(names, tree, expr);
    if (tree->op != WS_OP_MULTIPLY && tree->op != WS_OP_DIVIDE) {
        ws_take_zero(left, right->type);
        ws_take_zero(right, left->type);
    }
    expr->type = expr->arg_count == 1 ? unary_type(tree->op, left->type)
                                      : binary_type(tree->op, left->type, right->type);
    if (expr->type == WS_TYPE_NONE) {
        wrong_operands(names, tree, expr);
        return ws_expr_mistaken(names, tree->pos);
    }
    if (!is_connective(tree->op) && is_never_defined(expr)) {
        ws_mistake(names->checker->diagnostics, tree->pos, tree->width, NULL,
                   "this has no value ever: it divides by zero or overflows");
        return ws_expr_mistaken(names, tree->pos);
    }
    return expr;
}

/* ---- expressions ---- */

struct ws_expr *ws_check_expr(const struct ws_names *names, const struct ws_tree_expr *tree)
{
    struct ws_expr *expr;

    switch (tree->kind) {
    case WS_TREE_CONSTANT:
        expr = ws_expr_new(names, WS_OP_CONSTANT, tree->type, tree->pos);
        expr->value = tree->value;
        return expr;
    case WS_TREE_PATH:
        return ws_check_path(names, tree);
    case WS_TREE_CALL:
        return ws_check_call(names, tree);
    case WS_TREE_OPERATION:
        return operation(names, tree);
    default:
        return ws_expr_mistaken(names, tree->pos);
    }
}

/* How to make a time of what is none, or "". */
static const char *advice_on_time(enum ws_type type)
{
    if (type == WS_TYPE_INTEGER)
        return ": a time has a unit, as in 20 ms";
    if (type == WS_TYPE_REAL)
        return ": multiply by 1 s where these are seconds";
    return "";
}

struct ws_expr *ws_check_typed(const struct ws_names *names, const struct ws_tree_expr *tree,
                               enum ws_type type, const char *what)
{
    struct ws_expr *expr = ws_check_expr(names, tree);

    ws_take_zero(expr, type);
    if (expr->type == WS_TYPE_NONE || expr->type == type)
        return expr;
    ws_mistake(names->checker->diagnostics, tree->pos, tree->width, NULL, "%s needs %s, not %s%s", what,
               ws_type_phrase(type), ws_type_phrase(expr->type),
               type == WS_TYPE_TIME ? advice_on_time(expr->type) : "");
    return ws_expr_mistaken(names, tree->pos);
}
