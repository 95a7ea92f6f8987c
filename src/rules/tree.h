/* The parse tree of the analysis rules: names as written, nothing looked up yet.  Made by parser.c,
 * read by the checker; everything is in the knowledge base's arena. */
#ifndef WS_RULES_TREE_H
#define WS_RULES_TREE_H

#include "rules/internal.h"
#include "rules/lexer.h"

/* Deepest tree of an expression, and most expressions of one declaration: whoever walks a tree may recurse.
 */
#define WS_TREE_DEPTH_MOST 200
#define WS_TREE_NODES_MOST 10000
/* Most members or parameters of a declaration (a set of members is a uint64_t), and declarations of a file.
 */
#define WS_TREE_MEMBERS_MOST 64
#define WS_TREE_PARAMS_MOST 500
#define WS_TREE_DECLARATIONS_MOST 5000

struct ws_word {
    const char *text; /* NULL where it is missing, which is reported already */
    struct ws_pos pos;
    int width;
};

enum ws_tree_kind {
    WS_TREE_DAMAGED, /* a mistake stands here, reported already */
    WS_TREE_CONSTANT,
    WS_TREE_PATH,
    WS_TREE_CALL,
    WS_TREE_OPERATION,
};

struct ws_tree_expr {
    enum ws_tree_kind kind;
    struct ws_pos pos; /* of the operator, name or literal */
    int width;
    int depth; /* 1 for a leaf */
    enum ws_operator op;
    enum ws_type type; /* CONSTANT */
    union ws_value value;
    struct ws_word name, attribute; /* PATH: name [. attribute]; CALL: the function */
    struct ws_tree_expr **args;
    size_t arg_count;
    struct ws_tree_expr *where; /* CALL: NULL without */
};

struct ws_tree_member {
    bool shared, group;
    struct ws_word type, name;
    struct ws_tree_expr **by;
    size_t by_count;
    struct ws_tree_expr *where, *expect;
    bool every; /* `expect` was written "every" */
};

/* A text joined from strings side by side. */
struct ws_tree_text {
    const char *bytes;
    size_t length;
    const char *file;
    struct ws_spot *spots; /* of each byte, and of the end */
};

struct ws_tree_param {
    struct ws_word name;
    struct ws_tree_expr *value; /* one of the two; both NULL where a mistake stands */
    struct ws_tree_text *text;
};

enum ws_check_state { WS_UNCHECKED, WS_IN_CHECK, WS_CHECKED };

struct ws_declaration {
    bool problem;
    bool damaged; /* a syntax mistake in it: what is missing may just not have been read */
    struct ws_scope *scope;
    struct ws_word name; /* the type declared, or that the problem is declared for */
    struct ws_tree_member *members;
    size_t member_count;
    struct ws_tree_expr *condition;
    struct ws_tree_param *params;
    size_t param_count;
    /* the checker's */
    enum ws_check_state state;
    bool used, sound; /* a composite: is there a use of it; has its rule no mistake */
    struct ws_event_type *type;
};

struct ws_tree {
    struct ws_arena *arena;
    struct ws_declaration **declarations;
    size_t count;
    bool lost_names; /* some declaration was too damaged to know what it uses */
};

/* Parses a text that is in memory already; ws_rules_read does it for a file. */
void ws_rules_parse(struct ws_tree *tree, struct ws_scope *scope, const struct ws_source *source,
                    struct ws_diagnostics *diagnostics);
/* Parses an expression that stands by itself; into the arena.  Mistakes are in the diagnostics. */
struct ws_tree_expr *ws_rules_parse_expression(struct ws_arena *arena, const struct ws_source *source,
                                               struct ws_diagnostics *diagnostics);

#endif
