/* The grammar of the analysis rules, one function for each production (parser_expressions.c has those of
 * expressions).  How it goes on after a mistake: parser.h. */
#include "rules/append.h"
#include "rules/parser.h"

#include <string.h>

/* ---- declarations ---- */

/* A word of the grammar before a type's name, not a type of that name. */
static bool accept_prefix(struct ws_parser *parser, const char *word)
{
    if (!ws_at_word(parser, word) || parser->ahead.kind != WS_TOKEN_NAME || ws_token_is(&parser->ahead, "as"))
        return false;
    ws_advance(parser);
    return true;
}

/* "as" NAME; a forgotten "as" is reported and supplied. */
static struct ws_word member_name(struct ws_parser *parser)
{
    bool forgotten = ws_at(parser, WS_TOKEN_NAME) && !ws_at_word(parser, "as") &&
                     (parser->ahead.kind == WS_TOKEN_COMMA || parser->ahead.kind == WS_TOKEN_CLOSE);

    if (forgotten)
        ws_mistake(parser->diagnostics, parser->token.pos, parser->token.width, NULL,
                   "expected 'as' before the member's name '%s'", parser->token.text);
    else if (!ws_expect_one_word(parser, "as"))
        return (struct ws_word){NULL, parser->token.pos, parser->token.width};
    return ws_parse_name(parser, "the member's name");
}

/* After a ',' in a group: another path of "by", or (a mistake for the checker) another member? */
static bool continues_by(const struct ws_parser *parser)
{
    return parser->token.kind != WS_TOKEN_NAME || parser->ahead.kind != WS_TOKEN_NAME ||
           ws_token_is(&parser->ahead, "where") || ws_token_is(&parser->ahead, "expect") ||
           ws_token_is(&parser->ahead, "every");
}

/* "by" path {"," path} ["where" expr] [("expect" | "every") expr]
 * True where it read a ',' after which another member follows. */
static bool group(struct ws_parser *parser, struct ws_tree_member *member)
{
    if (!ws_expect_one_word(parser, "by"))
        return false;
    do {
        if (member->by_count > 0 && !continues_by(parser))
            return true;
        WS_APPEND(parser->arena, member->by, member->by_count) =
            ws_parse_expr(parser); /* more than a path: a mistake */
    } while (ws_accept(parser, WS_TOKEN_COMMA));
    if (ws_accept_word(parser, "where"))
        member->where = ws_parse_expr(parser);
    member->every = ws_at_word(parser, "every");
    if (ws_accept_word(parser, "expect") || ws_accept_word(parser, "every"))
        member->expect = ws_parse_expr(parser);
    if (ws_at_word(parser, "where") && ws_believed(parser))
        ws_mistake(parser->diagnostics, parser->token.pos, parser->token.width, NULL,
                   member->where ? "a group has one 'where'" : "'where' stands before 'expect'");
    return false;
}

/* member = ["shared"] TYPE "as" NAME .
 * group  = ["shared"] "all" TYPE "as" NAME "by" path {"," path} ["where" expr] [("expect" | "every") expr] .
 * True where the ',' before the next member is read already. */
static bool member_or_group(struct ws_parser *parser, struct ws_tree_member *member)
{
    member->shared = accept_prefix(parser, "shared");
    member->group = accept_prefix(parser, "all");
    member->type = ws_parse_name(parser, "the type of a member");
    if (parser->panic)
        return false;
    member->name = member_name(parser);
    return member->group && group(parser, member);
}

/* "(" ( member {"," member} | group ) ")" */
static void members(struct ws_parser *parser)
{
    struct ws_declaration *declaration = parser->declaration;
    bool next; /* the ',' before the next member is read already */

    if (!ws_expect(parser, WS_TOKEN_OPEN, "'('"))
        return;
    if (ws_at(parser, WS_TOKEN_CLOSE) && ws_believed(parser)) {
        ws_mistake(parser->diagnostics, parser->token.pos, 1, NULL,
                   "a composite event has at least one member: TYPE as NAME");
        parser->panic = false;
    }
    if (ws_accept(parser, WS_TOKEN_CLOSE))
        return;
    do {
        struct ws_tree_member member = {0};
        if (declaration->member_count == WS_TREE_MEMBERS_MOST && ws_believed(parser))
            ws_mistake(parser->diagnostics, parser->token.pos, parser->token.width, NULL,
                       "a composite event has at most %d members", WS_TREE_MEMBERS_MOST);
        if (declaration->member_count == WS_TREE_MEMBERS_MOST)
            return;
        next = member_or_group(parser, &member);
        if (!next && !parser->panic && !ws_at(parser, WS_TOKEN_COMMA) && !ws_at(parser, WS_TOKEN_CLOSE))
            ws_expected(parser, NULL, "',' or ')'");
        ws_recover_in_list(parser);
        if (member.type.text)
            WS_APPEND(parser->arena, declaration->members, declaration->member_count) = member;
    } while (next || ws_accept(parser, WS_TOKEN_COMMA));
    ws_expect(parser, WS_TOKEN_CLOSE, "',' or ')'");
}

/* STRING {STRING} */
static struct ws_tree_text *text(struct ws_parser *parser)
{
    struct ws_tree_text *joined = ws_arena_alloc(parser->arena, sizeof *joined);
    struct ws_spot end = {0};
    struct ws_text bytes = {0};

    joined->file = parser->lexer.file;
    while (ws_at(parser, WS_TOKEN_STRING)) {
        const struct ws_token *token = &parser->token;
        for (size_t i = 0; i < token->length; i++)
            WS_APPEND(parser->arena, joined->spots, joined->length) = token->spots[i];
        end = token->spots[token->length];
        ws_text_add(&bytes, token->text, token->length);
        ws_advance(parser);
    }
    joined->bytes = ws_arena_strndup(parser->arena, ws_text_string(&bytes), joined->length);
    WS_APPEND(parser->arena, joined->spots, joined->length) = end;
    joined->length--;
    ws_text_free(&bytes);
    return joined;
}

/* param  = NAME "=" expr .
 * pparam = ("name"|"description"|"advice") "=" STRING {STRING} | ("duration"|"from"|"waiting"|"cause") "="
 * expr | "remedy" "=" NAME . */
static void param(struct ws_parser *parser, struct ws_tree_param *param)
{
    param->name = ws_parse_name(parser, "the name of a parameter");
    if (!ws_expect(parser, WS_TOKEN_ASSIGN, "'='"))
        return;
    if (parser->declaration->problem && ws_at(parser, WS_TOKEN_STRING))
        param->text = text(parser);
    else
        param->value = ws_parse_expr(parser);
    if (parser->panic)
        return;
    if (parser->token.kind == WS_TOKEN_NAME && parser->ahead.kind == WS_TOKEN_ASSIGN) {
        ws_mistake(parser->diagnostics, parser->end, 1, NULL, "a ',' is missing before the parameter '%s'",
                   parser->token.text);
        parser->calm = 0;
    } else if (!ws_at(parser, WS_TOKEN_COMMA) && !ws_at(parser, WS_TOKEN_CLOSE)) {
        ws_expected(parser, NULL, "',' or ')'");
    }
}

/* "parameters" "(" [ param {"," param} [","] ] ")" */
static void parameters(struct ws_parser *parser)
{
    struct ws_declaration *declaration = parser->declaration;

    if (!ws_expect_one_word(parser, "parameters") || !ws_expect(parser, WS_TOKEN_OPEN, "'('"))
        return;
    while (!parser->panic && !ws_at(parser, WS_TOKEN_CLOSE) && !ws_ends_declaration(parser)) {
        struct ws_tree_param one = {0};
        if (declaration->param_count == WS_TREE_PARAMS_MOST && ws_believed(parser))
            ws_mistake(parser->diagnostics, parser->token.pos, parser->token.width, NULL,
                       "an event has at most %d parameters", WS_TREE_PARAMS_MOST);
        if (declaration->param_count == WS_TREE_PARAMS_MOST)
            return;
        param(parser, &one);
        ws_recover_in_list(parser);
        if (one.name.text)
            WS_APPEND(parser->arena, declaration->params, declaration->param_count) = one;
        ws_accept(parser, WS_TOKEN_COMMA);
    }
    ws_expect(parser, WS_TOKEN_CLOSE, "')'");
}

/* [ "when" expr ] "parameters" ... */
static void condition_and_parameters(struct ws_parser *parser)
{
    static const char *const words[] = {"when", "parameters", NULL};
    const char *nearest;

    ws_recover_at_parameters(parser);
    nearest = ws_at(parser, WS_TOKEN_NAME) ? ws_suggest(parser->token.text, words, 2) : NULL;
    if (nearest && strcmp(nearest, "when") == 0 && ws_expect_one_word(parser, "when")) {
        parser->declaration->condition = ws_parse_expr(parser);
        if (!parser->panic && !ws_at_word(parser, "parameters") &&
            !(parser->token.kind == WS_TOKEN_NAME && parser->ahead.kind == WS_TOKEN_OPEN))
            ws_expected(parser, NULL, "an operator or 'parameters'");
        ws_recover_at_parameters(parser);
    }
    parameters(parser);
}

/* composite = "declare" "composite" "event" NAME "member" "(" ( member {"," member} | group ) ")"
 *             [ "when" expr ] "parameters" "(" [ NAME "=" expr {"," NAME "=" expr} [","] ] ")" ";" . */
static void composite(struct ws_parser *parser)
{
    ws_expect_one_word(parser, "event");
    parser->declaration->name = ws_parse_name(parser, "the name of the composite event");
    if (!parser->panic && ws_expect_one_word(parser, "member"))
        members(parser);
    condition_and_parameters(parser);
}

/* problem = "declare" "problem" "for" TYPE [ "when" expr ]
 *           "parameters" "(" pparam {"," pparam} [","] ")" ";" . */
static void problem(struct ws_parser *parser)
{
    parser->declaration->problem = true;
    ws_expect_one_word(parser, "for");
    parser->declaration->name = ws_parse_name(parser, "the type of a composite event");
    condition_and_parameters(parser);
}

/* ";", or what is left up to it. */
static void end_of_declaration(struct ws_parser *parser)
{
    if (!parser->panic && !ws_at(parser, WS_TOKEN_SEMICOLON)) {
        if (ws_ends_declaration(parser)) {
            ws_mistake(parser->diagnostics, parser->end, 1, NULL, "a ';' is missing after this declaration");
            return;
        }
        ws_expected(parser, NULL, "';'");
    }
    while (!ws_ends_declaration(parser))
        ws_advance(parser);
    parser->panic = false;
    ws_accept(parser, WS_TOKEN_SEMICOLON);
}

static void declaration(struct ws_parser *parser)
{
    static const char *const kinds[] = {"composite", "problem", NULL};
    struct ws_declaration *declaration = parser->declaration;
    int kind = ws_expect_one_word(parser, "declare")
                   ? ws_expect_word(parser, kinds, "'composite' or 'problem'")
                   : -1;

    if (kind == 0)
        composite(parser);
    else if (kind == 1)
        problem(parser);
    if (declaration->name.text)
        WS_APPEND(parser->arena, parser->tree->declarations, parser->tree->count) = declaration;
    parser->tree->lost_names |= declaration->damaged;
    end_of_declaration(parser);
}

/* file = { composite | problem } . */
static void file(struct ws_parser *parser, struct ws_scope *scope)
{
    for (size_t count = 0; parser->token.kind != WS_TOKEN_END; count++) {
        if (count == WS_TREE_DECLARATIONS_MOST) {
            ws_mistake(parser->diagnostics, parser->token.pos, parser->token.width, NULL,
                       "a file has at most %d declarations", WS_TREE_DECLARATIONS_MOST);
            return;
        }
        parser->declaration = ws_arena_alloc(parser->arena, sizeof *parser->declaration);
        parser->declaration->scope = scope;
        parser->panic = false;
        parser->calm = WS_CALM_TOKENS;
        parser->depth = 0;
        parser->nodes = 0;
        declaration(parser);
    }
}

/* ---- the parser ---- */

struct ws_tree *ws_tree_new(struct ws_arena *arena)
{
    struct ws_tree *tree = ws_arena_alloc(arena, sizeof *tree);
    tree->arena = arena;
    return tree;
}

void ws_rules_parse(struct ws_tree *tree, struct ws_scope *scope, const struct ws_source *source,
                    struct ws_diagnostics *diagnostics)
{
    struct ws_parser parser = {.arena = tree->arena, .diagnostics = diagnostics, .tree = tree};

    ws_lexer_init(&parser.lexer, tree->arena, diagnostics, source,
                  ws_arena_strdup(tree->arena, source->path));
    parser.token = ws_lexer_next(&parser.lexer);
    parser.ahead = ws_lexer_next(&parser.lexer);
    file(&parser, scope);
}

struct ws_tree_expr *ws_rules_parse_expression(struct ws_arena *arena, const struct ws_source *source,
                                               struct ws_diagnostics *diagnostics)
{
    struct ws_declaration none = {0};
    struct ws_parser parser = {
        .arena = arena, .diagnostics = diagnostics, .declaration = &none, .alone = true, .calm = WS_CALM_TOKENS};
    struct ws_tree_expr *tree;

    ws_lexer_init(&parser.lexer, arena, diagnostics, source, ws_arena_strdup(arena, source->path));
    parser.token = ws_lexer_next(&parser.lexer);
    parser.ahead = ws_lexer_next(&parser.lexer);
    tree = ws_parse_expr(&parser);
    if (!parser.panic && parser.token.kind != WS_TOKEN_END)
        ws_expected(&parser, NULL, "an operator or the end");
    return tree;
}

void ws_rules_read(struct ws_tree *tree, struct ws_kb *kb, struct ws_scope *scope, const char *path,
                   struct ws_diagnostics *diagnostics)
{
    const struct ws_source *source = ws_source_read(diagnostics, path);

    (void)kb; /* names are looked up when all files are read */
    if (source)
        ws_rules_parse(tree, scope, source, diagnostics);
    else
        tree->lost_names = true;
}
