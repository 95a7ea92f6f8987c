/* What can be known of an expression without any event. */
#ifndef WS_RULES_EXPR_H
#define WS_RULES_EXPR_H

#include "rules/kb.h"

/* How an operator is written: an infix or prefix symbol, or the name of a function. */
struct ws_operator_info {
    const char *symbol;
    int precedence;    /* of infix and prefix operators, greater binds tighter; 0: a function or a leaf */
    const char *needs; /* "two integers, two reals or two times": for messages; NULL for functions */
};
extern const struct ws_operator_info ws_operators[WS_OP_COUNT];
extern const char *const ws_aggregate_names[]; /* by enum ws_aggregate_kind */

bool ws_is_comparison(enum ws_operator op);
/* Of a comparison: the one that holds where it does not, and the one with its sides exchanged. */
enum ws_operator ws_inverse(enum ws_operator op);
enum ws_operator ws_mirrored(enum ws_operator op);

/* The same operators on the same leaves in the same order (NULL equals NULL). */
bool ws_expr_equal(const struct ws_expr *a, const struct ws_expr *b);
/* The same but for the members: each refers to one at most. */
bool ws_expr_alike(const struct ws_expr *a, const struct ws_expr *b);
/* A new one that compares these two. */
struct ws_expr *ws_expr_comparison(struct ws_arena *arena, enum ws_operator op, const struct ws_expr *left,
                                   const struct ws_expr *right);
/* The members it refers to, as a set of bits.  For composite rules without groups. */
uint64_t ws_expr_members(const struct ws_expr *expr);

enum ws_folding {
    WS_VARIES,    /* depends on events */
    WS_CONSTANT,  /* has the same value always */
    WS_UNDEFINED, /* is undefined always: overflow, division by zero */
};
/* Evaluates an expression as far as that is possible without events. */
enum ws_folding ws_fold(const struct ws_expr *expr, union ws_value *value);

#endif
