/* Between the files of the parser: its state, the tokens, and going on after a mistake.
 *
 * A syntax mistake is reported once, then `panic` is set: productions return at once until a list finds its
 * next ',' or ')' or the declaration its ';', where reading goes on.  Words of the language that are nearly
 * right are taken for what they seem to mean. */
#ifndef WS_RULES_PARSER_H
#define WS_RULES_PARSER_H

#include "rules/tree.h"

/* Tokens read well since a mistake before another one is believed not to follow from it. */
#define WS_CALM_TOKENS 2

struct ws_parser {
    struct ws_lexer lexer;
    struct ws_token token, ahead;
    struct ws_pos end; /* of the token before `token` */
    struct ws_arena *arena;
    struct ws_diagnostics *diagnostics;
    struct ws_tree *tree;
    struct ws_declaration *declaration;
    bool alone; /* what is read is no file: an expression by itself, where '%' may stand for percent */
    bool panic;
    int calm;
    int depth;
    size_t nodes;
};

/* ---- parser_tokens.c ---- */
void ws_advance(struct ws_parser *parser);
bool ws_token_is(const struct ws_token *token, const char *word);
/* In panic nothing stands at the place, and nothing is accepted. */
bool ws_at(const struct ws_parser *parser, enum ws_token_kind kind);
bool ws_at_word(const struct ws_parser *parser, const char *word);
bool ws_accept(struct ws_parser *parser, enum ws_token_kind kind);
bool ws_accept_word(struct ws_parser *parser, const char *word);

/* Starts panic; is a mistake at this place worth reporting, or does it follow from one that was? */
bool ws_believed(struct ws_parser *parser);
/* Reports (and starts panic) that something else stands here. */
void ws_expected(struct ws_parser *parser, const char *suggestion, const char *what);
bool ws_expect(struct ws_parser *parser, enum ws_token_kind kind, const char *what);
/* One of the words (NULL-terminated) must stand here: its index, or -1.  A word that is nearly one of them is
 * reported and taken for it. */
int ws_expect_word(struct ws_parser *parser, const char *const *words, const char *what);
bool ws_expect_one_word(struct ws_parser *parser, const char *word);

bool ws_starts_parameters(const struct ws_parser *parser); /* "parameters" "(" */
bool ws_ends_declaration(const struct ws_parser *parser);  /* ';', "declare" or the end of the file */
/* Ends panic at the ',' or ')' that belongs to the list being read. */
void ws_recover_in_list(struct ws_parser *parser);
/* Ends panic at `parameters (`; not where the declaration ends before. */
void ws_recover_at_parameters(struct ws_parser *parser);

bool ws_is_reserved(const char *text);
struct ws_word ws_word_of(const struct ws_token *token);
struct ws_word ws_parse_name(struct ws_parser *parser, const char *what);

/* ---- parser_expressions.c ---- */
struct ws_tree_expr *ws_parse_expr(struct ws_parser *parser); /* never NULL; DAMAGED in panic */

#endif
