/* The grammar of expressions, one function for each production. */
#include "rules/append.h"
#include "rules/parser.h"

#include <string.h>

/* ---- the tree ---- */

static struct ws_tree_expr *node(struct ws_parser *parser, enum ws_tree_kind kind,
                                 const struct ws_token *token)
{
    struct ws_tree_expr *tree = ws_arena_alloc(parser->arena, sizeof *tree);

    tree->kind = kind;
    tree->pos = token->pos;
    tree->width = token->width;
    tree->depth = 1;
    if (++parser->nodes == WS_TREE_NODES_MOST && ws_believed(parser))
        ws_mistake(parser->diagnostics, token->pos, token->width, NULL,
                   "this declaration is too long: it has more than %d expressions", WS_TREE_NODES_MOST);
    if (parser->nodes >= WS_TREE_NODES_MOST)
        parser->panic = true;
    return tree;
}

static void too_deep(struct ws_parser *parser, struct ws_pos pos, int width)
{
    if (ws_believed(parser))
        ws_mistake(parser->diagnostics, pos, width, NULL, "this expression is nested more than %d deep",
                   WS_TREE_DEPTH_MOST);
}

static void add_argument(struct ws_parser *parser, struct ws_tree_expr *tree, struct ws_tree_expr *arg)
{
    WS_APPEND(parser->arena, tree->args, tree->arg_count) = arg;
    if (arg->depth >= tree->depth)
        tree->depth = arg->depth + 1;
    if (tree->depth > WS_TREE_DEPTH_MOST && !parser->panic)
        too_deep(parser, tree->pos, tree->width);
}

static struct ws_tree_expr *damaged(struct ws_parser *parser)
{
    return node(parser, WS_TREE_DAMAGED, &parser->token);
}

static struct ws_tree_expr *operation(struct ws_parser *parser, enum ws_operator op,
                                      const struct ws_token *token, struct ws_tree_expr *left,
                                      struct ws_tree_expr *right)
{
    struct ws_tree_expr *tree = node(parser, WS_TREE_OPERATION, token);

    tree->op = op;
    add_argument(parser, tree, left);
    if (right)
        add_argument(parser, tree, right);
    return tree;
}

/* Counts how deep the parser itself is; false, after reporting it, where that is too deep. */
static bool enter(struct ws_parser *parser)
{
    if (parser->panic)
        return false;
    if (++parser->depth <= WS_TREE_DEPTH_MOST)
        return true;
    parser->depth--;
    too_deep(parser, parser->token.pos, parser->token.width);
    return false;
}

static void leave(struct ws_parser *parser)
{
    parser->depth--;
}

/* INTEGER | REAL | TIME | "true" | "false" | STRING */
static struct ws_tree_expr *constant(struct ws_parser *parser, bool negative)
{
    struct ws_token token = parser->token;
    struct ws_tree_expr *tree = node(parser, WS_TREE_CONSTANT, &token);
    uint64_t magnitude = token.magnitude;

    ws_advance(parser);
    switch (token.kind) {
    case WS_TOKEN_INTEGER:
    case WS_TOKEN_TIME:
        tree->type = token.kind == WS_TOKEN_TIME ? WS_TYPE_TIME : WS_TYPE_INTEGER;
        if (!negative && magnitude > INT64_MAX) {
            ws_mistake(parser->diagnostics, token.pos, token.width, NULL,
                       "this integer is out of range: the greatest is 9223372036854775807");
            tree->kind = WS_TREE_DAMAGED;
        }
        tree->value.i = (int64_t)(negative ? UINT64_C(0) - magnitude : magnitude);
        break;
    case WS_TOKEN_REAL:
        tree->type = WS_TYPE_REAL;
        tree->value.r = negative ? -token.real : token.real;
        break;
    case WS_TOKEN_STRING:
        tree->type = WS_TYPE_STRING;
        tree->value.s = token.text;
        break;
    default:
        tree->type = WS_TYPE_BOOLEAN;
        tree->value.i = strcmp(token.text, "true") == 0;
    }
    return tree;
}

static bool is_number(const struct ws_token *token)
{
    return token->kind == WS_TOKEN_INTEGER || token->kind == WS_TOKEN_REAL || token->kind == WS_TOKEN_TIME;
}

/* path = NAME [ "." NAME ] . */
static struct ws_tree_expr *path(struct ws_parser *parser)
{
    struct ws_tree_expr *tree = node(parser, WS_TREE_PATH, &parser->token);

    tree->name = ws_parse_name(parser, "a name");
    if (tree->name.text && ws_accept(parser, WS_TOKEN_DOT)) {
        tree->attribute = ws_parse_name(parser, "the name of a parameter");
        if (ws_at(parser, WS_TOKEN_DOT) && ws_believed(parser))
            ws_mistake(parser->diagnostics, parser->token.pos, 1, NULL,
                       "a path has two names at most: let the composite event carry '%s' as a parameter",
                       tree->attribute.text ? tree->attribute.text : "");
    }
    if (parser->panic)
        tree->kind = WS_TREE_DAMAGED;
    return tree;
}

/* arguments = [ expr {"," expr} [ "where" expr ] ] ")" . */
static void arguments(struct ws_parser *parser, struct ws_tree_expr *call)
{
    if (ws_accept(parser, WS_TOKEN_CLOSE))
        return;
    do {
        if (parser->token.kind == WS_TOKEN_NAME && parser->ahead.kind == WS_TOKEN_ASSIGN) {
            if (ws_believed(parser))
                ws_mistake(parser->diagnostics, call->pos, call->width, NULL, "the ')' of '%s(' is missing",
                           call->name.text);
            return;
        }
        add_argument(parser, call, ws_parse_expr(parser));
    } while (ws_accept(parser, WS_TOKEN_COMMA));
    if (ws_accept_word(parser, "where")) {
        call->where = ws_parse_expr(parser);
        if (call->where->depth >= call->depth)
            call->depth = call->where->depth + 1;
    }
    ws_expect(parser, WS_TOKEN_CLOSE, "',' or ')'");
}

/* call = NAME "(" arguments . */
static struct ws_tree_expr *call(struct ws_parser *parser)
{
    struct ws_tree_expr *tree = node(parser, WS_TREE_CALL, &parser->token);

    tree->name = ws_word_of(&parser->token);
    ws_advance(parser);
    ws_advance(parser);
    arguments(parser, tree);
    return tree;
}

/* A word that may stand after a complete expression. */
static bool may_follow(const char *text)
{
    static const char *const words[] = {"and",        "or", "where", "expect", "every",  "when",
                                        "parameters", "by", "as",    "shared", "declare"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return false;
}

/* A number, and no word that was meant as its unit. */
static struct ws_tree_expr *number(struct ws_parser *parser, bool negative)
{
    static const char *const words[] = {"ns", "us", "ms", "s", "and", "or"};
    struct ws_tree_expr *tree = constant(parser, negative);
    const struct ws_token *token = &parser->token;
    const char *nearest;

    if (!ws_at(parser, WS_TOKEN_NAME) || may_follow(token->text) || token->pos.line != tree->pos.line ||
        parser->ahead.kind == WS_TOKEN_ASSIGN)
        return tree;
    nearest = ws_suggest(token->text, words, 6);
    if (nearest == words[4] || nearest == words[5])
        return tree;
    ws_mistake(parser->diagnostics, token->pos, token->width, nearest,
               "'%s' is no unit of time: there are ns, us, ms and s", token->text);
    tree->kind = WS_TREE_DAMAGED;
    ws_advance(parser);
    return tree;
}

/* primary = INTEGER | REAL | TIME | "true" | "false" | STRING | path | "(" expr ")" | call . */
static struct ws_tree_expr *primary(struct ws_parser *parser)
{
    struct ws_tree_expr *tree;

    if (ws_at_word(parser, "true") || ws_at_word(parser, "false") || ws_at(parser, WS_TOKEN_STRING))
        return constant(parser, false);
    if (!parser->panic && is_number(&parser->token))
        return number(parser, false);
    if (ws_accept(parser, WS_TOKEN_OPEN)) {
        tree = ws_parse_expr(parser);
        ws_expect(parser, WS_TOKEN_CLOSE, "')'");
        return tree;
    }
    if (ws_at(parser, WS_TOKEN_NAME) && !ws_is_reserved(parser->token.text) && !ws_starts_parameters(parser))
        return parser->ahead.kind == WS_TOKEN_OPEN ? call(parser) : path(parser);
    if (!parser->panic)
        ws_expected(parser, NULL, "an expression");
    return damaged(parser);
}

/* unary = "-" unary | primary . */
static struct ws_tree_expr *unary(struct ws_parser *parser)
{
    struct ws_token token = parser->token;
    struct ws_tree_expr *tree;

    if (!ws_accept(parser, WS_TOKEN_MINUS))
        return primary(parser);
    if (is_number(&parser->token))
        return number(parser, true);
    if (!enter(parser))
        return damaged(parser);
    tree = operation(parser, WS_OP_NEGATE, &token, unary(parser), NULL);
    leave(parser);
    return tree;
}

/* The operator of the row (WS_OP_COUNT: none) that the place holds; reads it. */
struct operator_token {
    enum ws_token_kind kind;
    enum ws_operator op;
};
static enum ws_operator accept_operator(struct ws_parser *parser, const struct operator_token *row,
                                        size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ws_accept(parser, row[i].kind))
            return row[i].op;
    return WS_OP_COUNT;
}

static bool starts_operand(const struct ws_token *token)
{
    return token->kind == WS_TOKEN_NAME || token->kind == WS_TOKEN_STRING || token->kind == WS_TOKEN_OPEN ||
           token->kind == WS_TOKEN_MINUS || is_number(token);
}

/* "10 %" of an expression by itself is 10: no operand follows. */
static bool is_percent_sign(const struct ws_parser *parser)
{
    return parser->alone && ws_at(parser, WS_TOKEN_PERCENT) &&
           (!starts_operand(&parser->ahead) || ws_token_is(&parser->ahead, "and") ||
            ws_token_is(&parser->ahead, "or"));
}

/* product = unary {("*" | "/" | "%") unary} . */
static struct ws_tree_expr *product(struct ws_parser *parser)
{
    static const struct operator_token row[] = {{WS_TOKEN_TIMES, WS_OP_MULTIPLY},
                                                {WS_TOKEN_SLASH, WS_OP_DIVIDE},
                                                {WS_TOKEN_PERCENT, WS_OP_REMAINDER}};
    struct ws_tree_expr *tree = unary(parser);

    for (;;) {
        struct ws_token token = parser->token;
        if (is_percent_sign(parser))
            ws_advance(parser);
        enum ws_operator op = accept_operator(parser, row, 3);
        if (op == WS_OP_COUNT)
            return tree;
        tree = operation(parser, op, &token, tree, unary(parser));
    }
}

/* sum = product {("+" | "-") product} . */
static struct ws_tree_expr *sum(struct ws_parser *parser)
{
    static const struct operator_token row[] = {{WS_TOKEN_PLUS, WS_OP_ADD}, {WS_TOKEN_MINUS, WS_OP_SUBTRACT}};
    struct ws_tree_expr *tree = product(parser);

    for (;;) {
        struct ws_token token = parser->token;
        enum ws_operator op = accept_operator(parser, row, 2);
        if (op == WS_OP_COUNT)
            return tree;
        tree = operation(parser, op, &token, tree, product(parser));
    }
}

/* The comparison operator at the place; '=' is reported and taken for '=='. */
static enum ws_operator accept_comparison(struct ws_parser *parser)
{
    static const struct operator_token row[] = {
        {WS_TOKEN_EQUAL, WS_OP_EQUAL},     {WS_TOKEN_UNEQUAL, WS_OP_UNEQUAL},
        {WS_TOKEN_LESS, WS_OP_LESS},       {WS_TOKEN_LESS_EQUAL, WS_OP_LESS_EQUAL},
        {WS_TOKEN_GREATER, WS_OP_GREATER}, {WS_TOKEN_GREATER_EQUAL, WS_OP_GREATER_EQUAL},
    };

    if (!ws_at(parser, WS_TOKEN_ASSIGN))
        return accept_operator(parser, row, sizeof row / sizeof *row);
    ws_mistake(parser->diagnostics, parser->token.pos, 1, "==",
               parser->alone ? "'=' compares nothing" : "'=' defines a parameter and compares nothing");
    ws_advance(parser);
    return WS_OP_EQUAL;
}

/* comparison = sum [ ("==" | "!=" | "<" | "<=" | ">" | ">=") sum ] . */
static struct ws_tree_expr *comparison(struct ws_parser *parser)
{
    struct ws_tree_expr *tree = sum(parser);
    struct ws_token token = parser->token;
    enum ws_operator op = accept_comparison(parser);

    if (op == WS_OP_COUNT)
        return tree;
    tree = operation(parser, op, &token, tree, sum(parser));
    token = parser->token;
    if (accept_comparison(parser) == WS_OP_COUNT)
        return tree;
    ws_mistake(parser->diagnostics, token.pos, token.width, NULL,
               "comparisons do not chain: write a < b and b < c");
    sum(parser);
    tree->kind = WS_TREE_DAMAGED;
    return tree;
}

/* not-expr = "not" not-expr | comparison . */
static struct ws_tree_expr *not_expr(struct ws_parser *parser)
{
    struct ws_token token = parser->token;
    struct ws_tree_expr *tree;

    if (!ws_accept_word(parser, "not"))
        return comparison(parser);
    if (!enter(parser))
        return damaged(parser);
    tree = operation(parser, WS_OP_NOT, &token, not_expr(parser), NULL);
    leave(parser);
    return tree;
}

/* A word where only "and" or "or" can stand is taken for the nearer of them. */
static void repair_connective(struct ws_parser *parser)
{
    static const char *const words[] = {"and", "or"};
    const char *nearest;

    if (!ws_at(parser, WS_TOKEN_NAME) || may_follow(parser->token.text) || !starts_operand(&parser->ahead))
        return;
    nearest = ws_suggest(parser->token.text, words, 2);
    if (!nearest)
        return;
    ws_mistake(parser->diagnostics, parser->token.pos, parser->token.width, nearest,
               "expected 'and' or 'or' but found '%s'", parser->token.text);
    parser->token.text = nearest;
}

/* and-expr = not-expr {"and" not-expr} . */
static struct ws_tree_expr *and_expr(struct ws_parser *parser)
{
    struct ws_tree_expr *tree = not_expr(parser);

    for (;;) {
        repair_connective(parser);
        struct ws_token token = parser->token;
        if (!ws_accept_word(parser, "and"))
            return tree;
        tree = operation(parser, WS_OP_AND, &token, tree, not_expr(parser));
    }
}

/* expr = and-expr {"or" and-expr} . */
struct ws_tree_expr *ws_parse_expr(struct ws_parser *parser)
{
    struct ws_tree_expr *tree;

    if (!enter(parser))
        return damaged(parser);
    tree = and_expr(parser);
    for (;;) {
        struct ws_token token = parser->token;
        if (!ws_accept_word(parser, "or"))
            break;
        tree = operation(parser, WS_OP_OR, &token, tree, and_expr(parser));
    }
    leave(parser);
    if (parser->panic)
        tree->kind = WS_TREE_DAMAGED;
    return tree;
}
