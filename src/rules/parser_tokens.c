#include "rules/append.h"
#include "rules/parser.h"

#include <stdio.h>
#include <string.h>

/* ---- tokens ---- */

void ws_advance(struct ws_parser *parser)
{
    parser->end = parser->token.pos;
    parser->end.column += parser->token.width;
    parser->token = parser->ahead;
    parser->ahead = ws_lexer_next(&parser->lexer);
    parser->calm++;
}

bool ws_token_is(const struct ws_token *token, const char *text)
{
    return token->kind == WS_TOKEN_NAME && strcmp(token->text, text) == 0;
}

bool ws_at(const struct ws_parser *parser, enum ws_token_kind kind)
{
    return !parser->panic && parser->token.kind == kind;
}

bool ws_at_word(const struct ws_parser *parser, const char *word)
{
    return !parser->panic && ws_token_is(&parser->token, word);
}

bool ws_accept(struct ws_parser *parser, enum ws_token_kind kind)
{
    if (!ws_at(parser, kind))
        return false;
    ws_advance(parser);
    return true;
}

bool ws_accept_word(struct ws_parser *parser, const char *word)
{
    if (!ws_at_word(parser, word))
        return false;
    ws_advance(parser);
    return true;
}

/* What stands at the place, for a message. */
static const char *found(const struct ws_parser *parser)
{
    const struct ws_token *token = &parser->token;

    switch (token->kind) {
    case WS_TOKEN_END:
        return parser->alone ? "the end" : "the end of the file";
    case WS_TOKEN_STRING:
        return "a string";
    case WS_TOKEN_INTEGER:
    case WS_TOKEN_REAL:
        return "a number";
    case WS_TOKEN_TIME:
        return "a time";
    case WS_TOKEN_NAME:
        return ws_arena_printf(parser->arena, "'%s'", token->text);
    case WS_TOKEN_EQUAL:
        return "'=='";
    case WS_TOKEN_UNEQUAL:
        return "'!='";
    case WS_TOKEN_LESS_EQUAL:
        return "'<='";
    case WS_TOKEN_GREATER_EQUAL:
        return "'>='";
    default:
        return ws_arena_printf(parser->arena, "'%c'", (char)token->kind);
    }
}

/* A string that does not end may be a quote too many just before. */
bool ws_believed(struct ws_parser *parser)
{
    bool bad = parser->token.kind == WS_TOKEN_BAD || parser->ahead.kind == WS_TOKEN_BAD;
    bool follows = parser->panic || parser->calm < WS_CALM_TOKENS;

    parser->panic = true;
    parser->calm = 0;
    parser->declaration->damaged = true;
    return !bad && !follows;
}

void ws_expected(struct ws_parser *parser, const char *suggestion, const char *what)
{
    if (ws_believed(parser))
        ws_mistake(parser->diagnostics, parser->token.pos, parser->token.width, suggestion,
                   "expected %s but found %s", what, found(parser));
}

bool ws_expect(struct ws_parser *parser, enum ws_token_kind kind, const char *what)
{
    if (ws_accept(parser, kind))
        return true;
    if (!parser->panic)
        ws_expected(parser, NULL, what);
    return false;
}

int ws_expect_word(struct ws_parser *parser, const char *const *words, const char *what)
{
    const char *nearest = NULL;
    size_t count = 0;

    for (; words[count]; count++)
        if (ws_accept_word(parser, words[count]))
            return (int)count;
    if (parser->panic)
        return -1;
    if (parser->token.kind == WS_TOKEN_NAME)
        nearest = ws_suggest(parser->token.text, words, count);
    ws_expected(parser, nearest, what);
    if (!nearest)
        return -1;
    parser->panic = false;
    ws_advance(parser);
    for (count = 0; words[count] != nearest;)
        count++;
    return (int)count;
}

bool ws_expect_one_word(struct ws_parser *parser, const char *word)
{
    const char *const words[] = {word, NULL};
    char what[40];

    snprintf(what, sizeof what, "'%s'", word);
    return ws_expect_word(parser, words, what) == 0;
}

/* ---- going on after a mistake ---- */

static bool starts_declaration(const struct ws_parser *parser)
{
    return ws_token_is(&parser->token, "declare") && parser->ahead.kind == WS_TOKEN_NAME;
}

bool ws_starts_parameters(const struct ws_parser *parser)
{
    return ws_token_is(&parser->token, "parameters") && parser->ahead.kind == WS_TOKEN_OPEN;
}

bool ws_ends_declaration(const struct ws_parser *parser)
{
    return parser->token.kind == WS_TOKEN_END || parser->token.kind == WS_TOKEN_SEMICOLON ||
           starts_declaration(parser);
}

void ws_recover_in_list(struct ws_parser *parser)
{
    int open = 0;

    if (!parser->panic)
        return;
    for (; !ws_ends_declaration(parser) && !ws_starts_parameters(parser); ws_advance(parser)) {
        if (open == 0 && (parser->token.kind == WS_TOKEN_COMMA || parser->token.kind == WS_TOKEN_CLOSE))
            break;
        open += parser->token.kind == WS_TOKEN_OPEN;
        open -= parser->token.kind == WS_TOKEN_CLOSE;
    }
    parser->panic = parser->token.kind != WS_TOKEN_COMMA && parser->token.kind != WS_TOKEN_CLOSE;
    parser->calm = 0;
}

void ws_recover_at_parameters(struct ws_parser *parser)
{
    if (!parser->panic)
        return;
    while (!ws_ends_declaration(parser) && !ws_starts_parameters(parser))
        ws_advance(parser);
    parser->panic = !ws_starts_parameters(parser);
    parser->calm = 0;
}

/* ---- names ---- */

bool ws_is_reserved(const char *text)
{
    static const char *const words[] = {"and", "or", "not", "true", "false"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return false;
}

struct ws_word ws_word_of(const struct ws_token *token)
{
    return (struct ws_word){token->text, token->pos, token->width};
}

struct ws_word ws_parse_name(struct ws_parser *parser, const char *what)
{
    struct ws_word word = {NULL, parser->token.pos, parser->token.width};

    if (!ws_at(parser, WS_TOKEN_NAME) ||
        parser->ahead.kind == WS_TOKEN_OPEN) { /* before '(': the next part */
        if (!parser->panic)
            ws_expected(parser, NULL, what);
        return word;
    }
    word = ws_word_of(&parser->token);
    if (ws_is_reserved(word.text))
        ws_mistake(parser->diagnostics, word.pos, word.width, NULL,
                   "'%s' is a word of the language and cannot be a name", word.text);
    ws_advance(parser);
    return word;
}
