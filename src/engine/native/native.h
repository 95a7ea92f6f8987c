/* What the checked rules become for the native engine: for each seat of a rule a plan of how its partners are
 * found, for each group rule the folds of its aggregates, all expressions as formulas. */
#ifndef WS_ENGINE_NATIVE_NATIVE_H
#define WS_ENGINE_NATIVE_NATIVE_H

#include "engine/analysis.h"
#include "engine/formula.h"
#include "engine/native/gates.h"
#include "engine/native/index.h"

/* Two whole numbers that are to be equal: a slot of the member that a step finds, and another. */
struct ws_native_pair {
    uint32_t own;
    ws_operand other;
};

/* How the parameters of a composite event come about: as copies, as references to events (any slot of its
 * frame), by formulas. */
struct ws_native_copy {
    uint32_t from, to; /* slots */
};
struct ws_native_copies { /* of one frame */
    uint32_t frame;
    struct ws_native_copy *list;
    size_t count;
};
struct ws_native_reference {
    ws_operand from;
    uint32_t to;
};
struct ws_native_computed {
    struct ws_formula formula;
    uint32_t to;
};
struct ws_native_parameters {
    struct ws_native_copies *copies;
    struct ws_native_reference *events;
    struct ws_native_computed *computed;
    size_t copies_count, event_count, computed_count;
    bool copies_violation; /* a parameter `clock_violation` is a copy of this: */
    ws_operand violation;
};

/* The next member of a tuple, when those before it are found. */
struct ws_native_step {
    uint32_t member;
    struct ws_native_index *index; /* of what is there for it */
    struct ws_native_look look;    /* by the members before it, one key for each of the index */
    struct ws_native_pair *equal;  /* the equalities again, since a hash may deceive */
    size_t equal_count;
    struct ws_formula test;         /* what else can be tested now */
    struct ws_expr **own, **others; /* the keys as written: of the member, of those before it */
    struct ws_expr **tests;         /* what can be tested now, as written */
    size_t test_count;
    bool may_repeat;     /* an earlier member has the same type */
    uint32_t overlapped; /* an earlier member that this one must overlap, or UINT32_MAX */
};

/* An event in its place in a rule without a group. */
struct ws_native_seat {
    const struct ws_plan_rule *rule;
    uint32_t member;
    struct ws_formula filter; /* the conditions on the event alone */
    uint32_t like;            /* an earlier seat of the use that has the same ones, or UINT32_MAX */
    struct ws_formula test;   /* on no event at all */
    struct ws_expr **tests;
    size_t test_count;
    struct ws_native_step *steps;
    size_t step_count;
    struct ws_native_index *own; /* the index that has the same keys as the first step, or NULL */
    bool first_is_enough, keeps, waits;
    bool may_pass; /* what is built may be of no use to any scope (ws_native_rule.before) */
};

struct ws_native_problem {
    uint32_t problem;       /* index in the scope */
    size_t duration_number; /* equal for equal durations */
    struct ws_formula condition, duration, from, waiting, cause;
    bool has_from, has_waiting, has_cause;
};

struct ws_native_use {
    struct ws_native_seat *seats; /* as of struct ws_use; those in groups are empty */
    struct ws_native_index **indexes;
    size_t index_count, index_capacity;
    struct ws_native_problem *problems; /* without, then with a group member */
    size_t plain_count, problem_count;
};

/* One walk over the elements of a group serves several aggregates. */
enum ws_native_fold_kind { WS_FOLD_COUNT, WS_FOLD_SUM, WS_FOLD_LEAST, WS_FOLD_GREATEST };
struct ws_native_fold {
    enum ws_native_fold_kind kind;
    const struct ws_expr *key_expr, *where_expr;
    struct ws_formula key, where;
    enum ws_type type; /* of the key */
};
struct ws_native_aggregate {
    size_t fold;
    bool at; /* the value is computed from the element that the fold has chosen */
    struct ws_formula value;
};

struct ws_native_rule {
    struct ws_native_parameters parameters;
    struct ws_gates *before; /* of a composite event that is only for other scopes than its own; or NULL */
    /* of a group */
    struct ws_formula where, expect, condition;
    struct ws_native_key *keys;
    size_t key_count;
    struct ws_native_fold *folds;
    size_t fold_count, fold_capacity;
    struct ws_native_aggregate *aggregates;
    struct ws_group **open; /* by hash */
    size_t open_size, open_count;
};

struct ws_native {
    const struct ws_engine_ops *ops; /* begins as struct ws_engine */
    struct ws_analysis analysis;
    struct ws_arena arena;
    struct ws_formula_pool formulas;
    struct ws_native_use *uses;   /* [use index] */
    struct ws_native_rule *rules; /* [rule number] */
    struct ws_gates *gates;       /* [type index] */
    struct ws_native_index **indexes;
    size_t index_count, index_capacity;
    /* at work */
    union ws_value *frames[WS_MOST_FRAMES];
    struct ws_live **tuple; /* members found so far */
    bool *passed;           /* [seat]: of the event at hand, its filter */
    uint64_t *open;         /* a bit for each scope, all 0 */
    union ws_value *keys;   /* of a group */
};

/* compile.c: everything but the frames.  Fails where a rule has more members than there are frames. */
int ws_native_compile(struct ws_native *native, struct ws_error *error);
/* The seat of a rule's member in its use. */
size_t ws_native_seat_number(const struct ws_use *use, const struct ws_plan_rule *rule, uint32_t member);
/* channels.c: when all seats are compiled. */
void ws_native_share(struct ws_native *native);
/* groups.c */
void ws_native_compile_group(struct ws_native *native, const struct ws_plan_rule *rule);
void ws_native_free(struct ws_native *native);
struct ws_native_key *ws_native_keys(struct ws_native *native, const struct ws_formula_scene *scene,
                                     struct ws_expr *const *exprs, size_t count);

/* tuples.c: sets the parameters of a composite event; false where one is undefined. */
bool ws_native_parameters(struct ws_native *native, const struct ws_plan_rule *rule, struct ws_event *event);
/* tuples.c, groups.c, problems.c: the matcher. */
void ws_native_route(void *matcher, struct ws_live *live, uint64_t *scopes);
void ws_native_seek(void *matcher, const struct ws_use *use, size_t seat, struct ws_live *live);
void ws_native_keep(void *matcher, const struct ws_use *use, struct ws_live *live);
void ws_native_leave(void *matcher, const struct ws_use *use, struct ws_live *live);
int ws_native_enter(void *matcher, const struct ws_plan_rule *rule, struct ws_live *live,
                    struct ws_error *error);
int ws_native_close(void *matcher, struct ws_group *group, struct ws_error *error);
int ws_native_arrive(void *matcher, const struct ws_use *use, struct ws_live *live, struct ws_error *error);
int ws_native_judge(void *matcher, const struct ws_use *use, struct ws_live *composite,
                    struct ws_live *element, struct ws_error *error);

/* print.c: for ops->print. */
int ws_native_print(const struct ws_kb *kb, const struct ws_scope *scope, struct ws_text *out,
                    struct ws_error *error);

#endif
