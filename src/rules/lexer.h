/* From the text of an analysis-rule file to tokens.  Mistakes within a token are reported here. */
#ifndef WS_RULES_LEXER_H
#define WS_RULES_LEXER_H

#include "rules/diagnostics.h"

#include <stddef.h>
#include <stdint.h>

enum ws_token_kind {
    WS_TOKEN_END,
    WS_TOKEN_BAD, /* reported already: what follows from it is not */
    WS_TOKEN_NAME,
    WS_TOKEN_INTEGER,
    WS_TOKEN_REAL,
    WS_TOKEN_TIME,
    WS_TOKEN_STRING,
    WS_TOKEN_EQUAL,
    WS_TOKEN_UNEQUAL,
    WS_TOKEN_LESS_EQUAL,
    WS_TOKEN_GREATER_EQUAL,
    /* one character each */
    WS_TOKEN_OPEN = '(',
    WS_TOKEN_CLOSE = ')',
    WS_TOKEN_COMMA = ',',
    WS_TOKEN_SEMICOLON = ';',
    WS_TOKEN_DOT = '.',
    WS_TOKEN_ASSIGN = '=',
    WS_TOKEN_LESS = '<',
    WS_TOKEN_GREATER = '>',
    WS_TOKEN_PLUS = '+',
    WS_TOKEN_MINUS = '-',
    WS_TOKEN_TIMES = '*',
    WS_TOKEN_SLASH = '/',
    WS_TOKEN_PERCENT = '%',
};

/* Where a byte of a string stands in the file: a mistake in a template is shown there. */
struct ws_spot {
    int line, column;
};

struct ws_token {
    enum ws_token_kind kind;
    struct ws_pos pos;
    int width;        /* columns; a token never crosses a line */
    const char *text; /* NAME; STRING with its escapes replaced; from the arena */
    size_t length;
    struct ws_spot *spots; /* STRING: of each of the length bytes, and of the closing quote */
    uint64_t magnitude;    /* INTEGER (at most 2^63), TIME in ns (at most INT64_MAX) */
    double real;           /* REAL */
};

struct ws_lexer {
    struct ws_arena *arena;
    struct ws_diagnostics *diagnostics;
    const char *file; /* of the positions; must live as long as they */
    const char *at, *end;
    int line, column;
};

void ws_lexer_init(struct ws_lexer *lexer, struct ws_arena *arena, struct ws_diagnostics *diagnostics,
                   const struct ws_source *source, const char *file);
/* The next token; END for ever after the last. */
struct ws_token ws_lexer_next(struct ws_lexer *lexer);

#endif
