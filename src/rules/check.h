/* Between the files of the checker, which makes of the parse tree what kb.h describes.
 *
 * A mistake is reported where it stands and gives an expression of type NONE; whatever uses that is of type
 * NONE too and says nothing more.  In the same way a member whose type is not known has the type NULL. */
#ifndef WS_RULES_CHECK_H
#define WS_RULES_CHECK_H

#include "rules/tree.h"

/* Longest chain of composite events that are members of each other. */
#define WS_CHAIN_MOST 100

struct ws_checker {
    struct ws_kb *kb;
    struct ws_arena *arena;
    struct ws_diagnostics *diagnostics;
    struct ws_tree *tree;
    struct ws_declaration
        *chain[WS_CHAIN_MOST]; /* the composite rules in check, each for the one before it */
    size_t chain_length;
};

/* What a name may mean depends on where it stands. */
enum ws_within {
    WS_IN_RULE,      /* condition and parameters of a rule with members side by side */
    WS_IN_GROUP,     /* condition and parameters of a group rule: only aggregates */
    WS_IN_ELEMENT,   /* by, where, expect of a group: one element */
    WS_IN_AGGREGATE, /* an aggregate's arguments: one element */
    WS_IN_PROBLEM,   /* a problem rule: the composite event and, with `each`, one element of its group */
};
struct ws_names {
    struct ws_checker *checker;
    enum ws_within within;
    const struct ws_declaration *declaration;
    struct ws_composite_rule *rule; /* in a problem: how the composite event is built */
    bool each;
};

/* ---- types.c: event types by name ---- */
struct ws_event_type *ws_find_simple(const struct ws_kb *kb, const char *name);
/* The composite type of this name that a scope sees, or NULL. */
struct ws_declaration *ws_find_composite(const struct ws_checker *checker, const struct ws_scope *scope,
                                         const char *name);
/* Reports a type that a scope does not see, with the one that was perhaps meant. */
void ws_unknown_type(struct ws_checker *checker, const struct ws_scope *scope, const struct ws_word *word);

/* ---- paths.c: members and their parameters by name ---- */
int ws_find_member(const struct ws_composite_rule *rule, const char *name); /* -1: none */
struct ws_expr *ws_check_path(const struct ws_names *names, const struct ws_tree_expr *tree);
/* In a problem rule. */
struct ws_expr *ws_check_problem_path(const struct ws_names *names, const struct ws_word *name,
                                      const struct ws_word *attribute);
/* The same for a name known to be a member's, even where a parameter has that name too. */
struct ws_expr *ws_check_problem_member(const struct ws_names *names, const struct ws_word *name,
                                        const struct ws_word *attribute, uint32_t member);
/* The type of the event that an event-typed expression of a problem refers to; NULL: not known. */
struct ws_event_type *ws_event_of_problem(const struct ws_composite_rule *rule, const struct ws_expr *expr);

/* ---- expressions.c: from a tree to a typed expression, never NULL ---- */
struct ws_expr *ws_check_expr(const struct ws_names *names, const struct ws_tree_expr *tree);
/* The same; reports another type than that expected.  `what` needs it: "'duration'". */
struct ws_expr *ws_check_typed(const struct ws_names *names, const struct ws_tree_expr *tree,
                               enum ws_type type, const char *what);
struct ws_expr *ws_expr_new(const struct ws_names *names, enum ws_operator op, enum ws_type type,
                            struct ws_pos pos);
struct ws_expr *ws_expr_mistaken(const struct ws_names *names, struct ws_pos pos); /* of type NONE */
void ws_take_zero(struct ws_expr *expr, enum ws_type type); /* the literal 0 becomes a time */
bool ws_is_number_type(enum ws_type type);
const char *ws_type_phrase(enum ws_type type); /* "an integer" */
/* Is there a mistake somewhere in it? */
bool ws_is_mistaken(const struct ws_expr *expr);

/* ---- functions.c ---- */
struct ws_expr *ws_check_call(const struct ws_names *names, const struct ws_tree_expr *tree);
/* The aggregate that gives a key of the group, the same for all its elements. */
struct ws_expr *ws_key_aggregate(const struct ws_names *names, struct ws_expr *key);

/* ---- condition.c ---- */
/* Splits rule->condition into filters, joins and residual. */
void ws_split_condition(struct ws_checker *checker, struct ws_composite_rule *rule);
/* Reports members that no equality and no overlaps() connects with the first. */
void ws_check_connected(struct ws_checker *checker, const struct ws_declaration *declaration,
                        const struct ws_composite_rule *rule);
/* The conjuncts of a condition, in order; a list in the arena. */
struct ws_expr **ws_conjuncts(struct ws_arena *arena, struct ws_expr *condition, size_t *count);

/* ---- contradiction.c ---- */
/* Reports a condition that never holds; warns of one that always does.  Exactly one of rule (the names are a
 * composite rule's) and problem is given. */
void ws_check_contradiction(struct ws_checker *checker, const struct ws_composite_rule *rule,
                            const struct ws_problem_rule *problem, struct ws_expr *condition);

/* ---- composite.c, problem.c ---- */
void ws_check_composite(struct ws_checker *checker, struct ws_declaration *declaration);
void ws_check_problem(struct ws_checker *checker, struct ws_declaration *declaration);

/* ---- advice.c ---- */
/* Looks up what the places of a template name.  Without names only its form is checked, and NULL returned. */
struct ws_template *ws_check_template(struct ws_checker *checker, const struct ws_names *names,
                                      const struct ws_problem_rule *problem, const struct ws_tree_text *text);

/* ---- usage.c: warnings about what is well formed and of no use ---- */
void ws_check_usage(struct ws_checker *checker);

#endif
