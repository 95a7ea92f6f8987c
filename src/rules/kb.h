/* The knowledge base: the one in-memory form of all rules.  Filled by ws_kb_load, then read only.
 * Everything in it is owned by its arena and lives until ws_kb_free. */
#ifndef WS_RULES_KB_H
#define WS_RULES_KB_H

#include "util/alloc.h"
#include "util/error.h"
#include "util/role.h"
#include "util/text.h"
#include "util/value.h"

#include <stddef.h>

/* A place in a rule file; file is NULL for what is built in. */
struct ws_pos {
    const char *file;
    int line, column; /* from 1 */
};

/* ---- trace rules (XML) ---- */

/* What a runtime is, as data for those who find its programs and build its recorder: the element <runtime>. */
struct ws_runtime {
    const char *id;         /* "x10": the name of its folder */
    const char *title;      /* "X10" */
    const char *process;    /* what it calls a process: "place"; the plural has an "s" more */
    const char **libraries; /* globs of the sonames that its programs need; ended by NULL, like all lists here */
    const char *begin;      /* the function with which a process joins: recording begins when it returns */
    const char *prefix;     /* of the library's second name for each function ("P"), which does the work and is
                               wrapped too; "": the next definition of the function itself does it */
    const char *header;     /* that declares the functions; NULL: they are declared as the rules say, and the
                               recorder, which is not linked with the library, serves all builds of it */
    const char **over;      /* ids of runtimes that it may be built on */
    const char **compilers; /* that can build its recorder, the best first */
    const char **launchers; /* globs: programs that start its programs only, by `-n N PROGRAM` */
    const char *count;      /* without launcher: the environment variable that says how many processes a program has */
    const char *link;       /* what a program is linked with, where the compiler does not know: "-lx10rt_sockets" */
    const char **wrappers;  /* commands that compile its programs ("oshcc"); usually the compilers */
    const char *shares; /* a folder beside its own with analysis rules that several runtimes have; or NULL */
    const char *package;    /* Debian's, with library, compiler and launcher; NULL: none */
    struct ws_pos pos;      /* file NULL: the rules have no such element */
};

struct ws_argument {
    const char *type, *name;
    const char *ignore; /* "MPI_STATUS_IGNORE": a value for which the wrapper substitutes a buffer; or NULL */
    const char *length; /* C expression: elements of that buffer; NULL for 1 */
    const char *large;  /* its type in the function's large-count twin; NULL: the same */
    struct ws_pos pos;
};

struct ws_function {
    const char *name;
    const char *return_type;
    struct ws_argument *arguments;
    size_t argument_count;
    bool optional; /* not every MPI at hand declares it: wrapped where the runtime's header has it */
    bool guarded;  /* wrapped even where no rule names it, since the runtime calls itself in it */
    bool calls_back; /* runs code of the program: the calls that this makes are recorded too */
    /* The function whose large-count twin this is ("MPI_Send" of "MPI_Send_c"), the one before it in
     * ws_kb.functions; whatever names that function means this one too.  Or NULL. */
    const struct ws_function *large_of;
    struct ws_pos pos;
};

enum ws_param_kind { WS_PARAM_IN, WS_PARAM_OUT };

/* A parameter of an event.  How it is stored in the trace is told by its format: ws_formats in util/format.h.
 */
struct ws_param {
    const char *name;
    const char
        *format; /* simple events: a name in ws_formats; as written, perhaps unknown, before the check */
    enum ws_type type; /* the language type */
    enum ws_param_kind kind;
    const char *source;          /* simple events: C expression over the function's arguments */
    const char *final;           /* name of the completion's parameter that gives the final value; or NULL */
    const struct ws_expr *value; /* composite events: how it is computed */
    struct ws_pos pos;
    struct ws_pos source_pos; /* where `source` begins */
};

/* A parameter that the reader counts: "the n-th event of this type, in order of posting, with these
 * values on this process".  With `of`, it is the count so far of the other type's events with the same
 * values of its `by` (matched by position), plus `plus`. */
struct ws_number {
    const char *name; /* occupies a parameter slot of type integer, after the declared parameters */
    const char **by;
    size_t by_count;
    const char *of; /* NULL: this type itself */
    int plus;
    struct ws_pos pos;
};

/* What an event moves from one process to another: the profile of the exchange adds it up.  No record and no
 * wrapper depends on it.  A quantity is a parameter of the event or a literal. */
enum ws_transfer_kind {
    WS_TRANSFER_MESSAGE,
    WS_TRANSFER_PUT,
    WS_TRANSFER_GET,
    WS_TRANSFER_ATOMIC,
    WS_TRANSFER_COLLECTIVE,
    WS_TRANSFER_KINDS
};
extern const char *const ws_transfer_kinds[WS_TRANSFER_KINDS]; /* "message" ... */

enum ws_transfer_quantity {
    WS_MOVES_FROM,     /* place: who gives; default: the event's process */
    WS_MOVES_TO,       /* place: who gets; default: the event's process */
    WS_MOVES_MEMBERS,  /* communicator: its peers get, each but the giver itself */
    WS_MOVES_GIVERS,   /* communicator: its peers give, each but the receiver itself */
    WS_MOVES_FIRST,    /* members from this one on, counted from 0; default: 0 */
    WS_MOVES_COUNT,    /* ... so many of them; default: all that follow */
    WS_MOVES_BYTES,    /* that each receiver gets from each giver */
    WS_MOVES_TOTAL,    /* instead of bytes: what all peers get together, in equal parts, the giver's own too */
    WS_MOVES_REPLY,    /* bytes that come back; default: 0 */
    WS_MOVES_MESSAGES, /* to each receiver; default: 1 */
    WS_MOVES_TYPE,     /* the parameter that tells messages of different types apart; default: none */
    WS_MOVES_QUANTITIES
};
struct ws_quantity {
    bool given;
    const char *param; /* NULL: a literal */
    int64_t literal;
    uint32_t slot; /* of the parameter, in the event's value[] */
};
struct ws_transfer {
    enum ws_transfer_kind kind;
    struct ws_quantity quantities[WS_MOVES_QUANTITIES];
    struct ws_pos pos;
};

/* One trace rule: for a call of any of `functions` write a record of event type `event`. */
struct ws_trace_rule {
    const char *event;          /* name of the event type */
    struct ws_event_type *type; /* several rules may share one type; NULL for roles RESTART, COMPLETE,
                                   FREE, CONTINUE, whose records are no events of their own */
    const char *pattern;
    const char *pattern_attribute;  /* of <functionPoint>, that it stands in */
    struct ws_function **functions; /* that the pattern matches, in order of declaration */
    size_t function_count;
    enum ws_role role;
    struct ws_param *params; /* of this record (for a START/INIT/COMPLETE also `request`) */
    size_t param_count;
    struct ws_number *numbers;
    size_t number_count;
    struct ws_transfer *transfers;
    size_t transfer_count;
    /* C expressions, or NULL */
    const char *condition; /* `if`: evaluated after the call; no record where it is 0 */
    const char *each;      /* `each`: after the call, number of records; the sources may use `i` */
    const char *of;        /* `of`: before the call, number of elements the `in` sources are evaluated for */
    const char *index;     /* `index`: maps record i to element of the `in` values; NULL: i */
    const char *despite;   /* `despite`: after a call that failed; where it is not 0 the event took place */
    bool again; /* the event of the rule before, for calls that start it or make it persistent */
    bool repeated; /* a rule before it again, with another word of <for> */
    struct ws_pos pos;     /* of <functionPoint> */
    struct ws_pos event_pos; /* of <event> */
};

/* ---- event types ---- */

struct ws_event_type {
    const char *name;
    bool composite;
    uint32_t index; /* in ws_kb.types: simple types first */
    /* The slots of an event's value[]: attributes, then parameters, then numbers (simple types). */
    struct ws_param *slots;
    size_t slot_count;
    size_t attribute_count;         /* WS_ATTR_COUNT or WS_CATTR_COUNT: the first slots */
    struct ws_composite_rule *rule; /* composite types: how it is built */
    struct ws_scope *scope;         /* composite types: where it was declared */
    struct ws_pos pos;
};

/* ---- analysis rules ---- */

enum ws_operator {
    WS_OP_CONSTANT,  /* value, type */
    WS_OP_SLOT,      /* slot of member `member` (in a problem: member 0 is the composite event itself,
                        member 1 the element that `waiting` names, where that is a group member) */
    WS_OP_MEMBER,    /* the event reference of member `member`.  In a problem only of member 1, the element:
                        another member that a problem or template names is carried by the composite as
                        one more event-typed slot, so that there it is a WS_OP_SLOT of member 0 */
    WS_OP_AGGREGATE, /* result of rule->aggregates[index] */
    WS_OP_NEGATE,
    WS_OP_NOT,
    WS_OP_ADD,
    WS_OP_SUBTRACT,
    WS_OP_MULTIPLY,
    WS_OP_DIVIDE,
    WS_OP_REMAINDER,
    WS_OP_EQUAL,
    WS_OP_UNEQUAL,
    WS_OP_LESS,
    WS_OP_LESS_EQUAL,
    WS_OP_GREATER,
    WS_OP_GREATER_EQUAL,
    WS_OP_AND,
    WS_OP_OR, /* short circuit, left to right */
    WS_OP_MIN,
    WS_OP_MAX,   /* two or more arguments of one type */
    WS_OP_CLAMP, /* clamp(x, low, high) = max(low, min(x, high)) */
    WS_OP_ABS,
    WS_OP_IF,       /* if(condition, then, else) */
    WS_OP_OVERLAPS, /* overlaps(a, b): the intervals of two members intersect:
                       max(begin) < min(end); simple: [t, end), composite: [begin, end) */
    WS_OP_TO_REAL,  /* real(x): integer to real, or time to real seconds */
    WS_OP_COUNT
};
/* Arithmetic rules (checked by ws_rules, so that engines need not look): + and - on two integers, two
 * reals or two times; * and / of integers, of reals, of time by integer or real (real results are
 * truncated toward zero to nanoseconds), time / time is real; % on integers.  Integer and time
 * arithmetic is checked: overflow and division by zero (real: by 0.0 too) make the expression undefined. */

struct ws_expr {
    enum ws_operator op;
    enum ws_type type;     /* of the result */
    union ws_value value;  /* CONSTANT */
    uint32_t member, slot; /* SLOT, MEMBER, OVERLAPS (member, slot = the two members) */
    uint32_t aggregate;    /* AGGREGATE */
    struct ws_expr **args;
    size_t arg_count;
    struct ws_pos pos;
};

enum ws_aggregate_kind { WS_AGG_COUNT, WS_AGG_MIN, WS_AGG_MAX, WS_AGG_SUM, WS_AGG_AT_MIN, WS_AGG_AT_MAX };
/* Over the elements of a group, in order of arrival.  Expressions see the element as member 0.
 * at_max(key, value) is the value for the first element that has the greatest key.
 * Over no elements: count and sum are 0, the others undefined. */
struct ws_aggregate {
    enum ws_aggregate_kind kind;
    struct ws_expr *key;   /* COUNT: NULL */
    struct ws_expr *value; /* AT_MIN, AT_MAX */
    struct ws_expr *where; /* or NULL */
    enum ws_type type;
};

struct ws_member {
    const char *name;
    struct ws_event_type *type;
    bool shared;
    bool group;          /* `all`; then it is the only member of its rule */
    struct ws_expr **by; /* group: keys, over the element as member 0 */
    size_t by_count;
    struct ws_expr *where;  /* group: which events are elements; NULL: all */
    struct ws_expr *expect; /* group: number of elements that make it complete, by its first
                               element; NULL: complete at the end of the trace */
    bool every;             /* ... but none that do not come are missed */
    struct ws_pos pos;
};

/* An equality between two different members, taken out of the condition for hash joins. */
struct ws_join {
    struct ws_expr *left, *right;       /* each refers to exactly one member */
    uint32_t left_member, right_member; /* left_member < right_member */
};

struct ws_composite_rule {
    struct ws_event_type *type;
    struct ws_scope *scope;
    struct ws_member *members;
    size_t member_count;
    struct ws_expr *condition; /* the whole condition as written, or NULL */
    /* The same condition as conjuncts, split by what they need: */
    struct ws_expr ***filters; /* filters[m]: NULL-terminated, over member m alone */
    struct ws_join *joins;
    size_t join_count;
    struct ws_expr **residual; /* all other conjuncts */
    size_t residual_count;
    struct ws_aggregate *aggregates; /* used in condition and parameters of a group rule */
    size_t aggregate_count;
    struct ws_pos pos;
};

/* A text with places to fill in: "Post MPI_Irecv before {receiver.site}". */
enum ws_piece_function { WS_PIECE_RANGE, WS_PIECE_SUM, WS_PIECE_MEAN, WS_PIECE_MIN, WS_PIECE_MAX };
struct ws_piece {
    const char *text; /* literal text; NULL for a place */
    enum ws_piece_function function;
    struct ws_expr *expr; /* over member 0 = the composite event, member 1 = the waiting element */
    int attribute;        /* of an event-typed expr: WS_ATTR_*; -1 otherwise */
};
struct ws_template {
    const char *source;
    struct ws_piece *pieces;
    size_t count;
};

/* What the advice of a problem comes to, for a replay of the run: `remedy`. */
enum ws_remedy {
    WS_REMEDY_NONE,    /* not said: the waiting is taken away */
    WS_REMEDY_BALANCE, /* the surplus work of those who come late is spread over all */
    WS_REMEDY_EARLIER, /* what is waited for is started before the computation that stands before it */
    WS_REMEDY_LATER,   /* it is waited for later: after the waiting process's next computation */
    WS_REMEDY_DROP,    /* the operation that waits is left out */
    WS_REMEDIES
};
extern const char *const ws_remedies[WS_REMEDIES]; /* "none", "balance" ... */

struct ws_problem_rule {
    struct ws_scope *scope;    /* the problem type it belongs to */
    uint32_t index;            /* in scope->problems */
    struct ws_event_type *on;  /* composite type */
    uint32_t group_member;     /* member of on->rule that `waiting` runs through, or UINT32_MAX:
                                  with a group the rule is applied to each element in turn */
    struct ws_expr *condition; /* or NULL */
    const char *name;          /* "Late sender" */
    struct ws_template *description, *advice;
    struct ws_expr *duration; /* time */
    struct ws_expr *from;     /* time: where the waiting begins; NULL: waiting's t */
    struct ws_expr *waiting;  /* event: whose call waits.  Default: the first member */
    struct ws_expr *cause;    /* event: what it waits for; or NULL */
    enum ws_remedy remedy;
    struct ws_pos pos;
};

/* A scope is a problem type (a folder) or the common rules of a runtime (the files beside the folders).
 * Consuming an event happens within one scope: scopes do not compete.  Composite types declared in the
 * common scope are offered to every other scope. */
struct ws_scope {
    const char *id; /* "late-sender"; "common" for the runtime's own */
    const char *folder;
    const char *shared; /* a second folder with its rules, which several runtimes share; or NULL */
    bool common;
    bool extra;     /* brought by --kb: not one of the runtime's own */
    bool borrowed;  /* nothing of it is the runtime's own: `folder` is the shared one */
    uint32_t index; /* in ws_kb.scopes; the common scope comes first */
    struct ws_composite_rule **composites;
    size_t composite_count;
    struct ws_problem_rule **problems;
    size_t problem_count;
};

/* What processes are called in programs whose calls come from certain functions: those of a layer above the
 * runtime that is no runtime of its own. */
struct ws_place_naming {
    const char *name;     /* "image"; the plural has an "s" more */
    const char *function; /* glob of the functions that the calls are made in */
    unsigned first;       /* the number of the first one, for people */
};

struct ws_kb {
    struct ws_arena arena;
    const char *runtime;  /* "mpi" */
    const char *folder;   /* kb/mpi: where support.c and the XML live */
    struct ws_runtime about;
    struct ws_place_naming *places;
    size_t place_count;
    const char **helpers; /* functions of support.c that sources may call */
    size_t helper_count;
    struct ws_function **functions;
    size_t function_count;
    struct ws_trace_rule **trace_rules;
    size_t trace_rule_count;
    struct ws_event_type **types; /* simple types first, in order of declaration, then composite */
    size_t type_count, simple_count;
    struct ws_scope **scopes;
    size_t scope_count;
};

/* Loads kb/<runtime>: functions.xml and other *.xml, *.rules, and each problem folder; then the extra
 * paths (a problem folder, or a folder of problem folders).  NULL paths for none.
 * On mistakes returns -1 after adding *all* of them, formatted with source line and caret, to *report
 * (when not NULL); error->text is the summary. */
int ws_kb_load(struct ws_kb *kb, const char *runtime_folder, const char *const *extra, size_t extra_count,
               struct ws_text *report, struct ws_error *error);
void ws_kb_free(struct ws_kb *kb);

/* Is this the folder of a runtime: are there functions? */
bool ws_is_runtime(const char *folder);

/* The runtimes at hand. */
struct ws_runtimes {
    struct ws_arena arena;
    const struct ws_runtime **items;
    const char **folders;
    size_t count;
};
/* Reads what the runtimes in the folder kb/ are, by name but "mpi" first, then those of the extra folders.
 * Fails with WS_BAD_INPUT where one has no element <runtime> or its file has mistakes, which are added to *report. */
int ws_runtimes_read(const char *folder, const char *const *extra, size_t extra_count,
                     struct ws_runtimes *runtimes, struct ws_text *report, struct ws_error *error);
void ws_runtimes_free(struct ws_runtimes *runtimes);
/* The place of the one with this id, or `count`. */
size_t ws_runtimes_find(const struct ws_runtimes *runtimes, const char *id);

/* What a report says, piece by piece, in its order; for programs.  Of a file of rubbish only the first. */
struct ws_remark {
    const char *kind;    /* "error" or "warning" */
    const char *file;    /* made safe to print, like the texts */
    int line, column;    /* 0: the whole file */
    const char *message; /* with the suggestion */
    const char *shown;   /* the source line and the caret, each ended by a newline; "" where there is none */
};
struct ws_remarks {
    struct ws_arena arena;
    struct ws_remark *items;
    size_t count;
};
void ws_remarks_free(struct ws_remarks *remarks);

/* Checks one path (a problem folder or a file in it) against the runtime's knowledge base; the same
 * report, and its remarks (NULL: not wanted).  *mistakes counts errors; warnings do not count. */
int ws_kb_check(const char *runtime_folder, const char *path, struct ws_text *report,
                struct ws_remarks *remarks, size_t *mistakes, struct ws_error *error);

const struct ws_event_type *ws_kb_type(const struct ws_kb *kb, const char *name);
const struct ws_scope *ws_kb_scope(const struct ws_kb *kb, const char *id);
/* The problem type whose id is nearest to `id`; NULL where none is near enough to suggest. */
const char *ws_kb_nearest_problem(const struct ws_kb *kb, const char *id);
/* Slot of an attribute or parameter of a type, or -1. */
int ws_type_slot(const struct ws_event_type *type, const char *name);
/* The first trace rule that forms a simple type; all of them agree in parameters and numbers.  NULL: none. */
const struct ws_trace_rule *ws_type_rule(const struct ws_kb *kb, const struct ws_event_type *type);

/* The trace rule by which a call of this function forms events of this type; all that do agree in what they
 * move.  NULL: none. */
const struct ws_trace_rule *ws_type_rule_of(const struct ws_kb *kb, const struct ws_event_type *type,
                                            const char *function);
/* "put to peer: bytes" */
void ws_transfer_print(const struct ws_transfer *transfer, struct ws_text *out);

/* All that is known about a problem type, as an expert wants to read it. */
void ws_kb_show(const struct ws_kb *kb, const struct ws_scope *scope, struct ws_text *out);
/* A place in a rule file as a reader can find it: "mpi/late-sender/late-sender.rules:3", the path cut to its
 * last three parts. */
void ws_pos_print(struct ws_pos pos, struct ws_text *out);
/* An expression of a composite rule in the language's own syntax, parenthesized where needed. */
void ws_expr_print(const struct ws_composite_rule *rule, const struct ws_expr *expr, struct ws_text *out);
/* The same for an expression of a problem rule, where member 0 is the composite event itself. */
void ws_problem_expr_print(const struct ws_problem_rule *problem, const struct ws_expr *expr,
                           struct ws_text *out);

#endif
