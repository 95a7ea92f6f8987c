/* The interface of the analysis engines.  An engine takes the events of a trace in order and finds the
 * problems that a knowledge base describes, by the meaning in docs/language.md ("Order of construction"). */
#ifndef WS_ENGINE_ENGINE_H
#define WS_ENGINE_ENGINE_H

#include "rules/kb.h"
#include "util/error.h"
#include "util/value.h"

/* An action that led to a problem: a simple event and the role (member name) it plays. */
struct ws_action {
    const char *role;             /* "sender"; of nested composites the innermost member's name */
    const struct ws_event *event; /* simple */
};

/* One instance of a problem.  Borrowed: valid during the call of the sink only. */
struct ws_finding {
    const struct ws_problem_rule *rule;
    int64_t duration_ns;                /* > 0 */
    int64_t from_ns;                    /* where the waiting begins */
    const struct ws_event *composite;   /* the composite event; its value[] for the templates */
    const struct ws_event *waiting;     /* simple event */
    const struct ws_event *cause;       /* simple event or NULL */
    const struct ws_action *actions;    /* of a group with `waiting` only the waiting and the cause */
    size_t action_count;
};

struct ws_sink {
    void (*found)(void *context, const struct ws_finding *finding);
    void *context;
    /* Each simple event that the statistics count as unmatched, once; borrowed.  NULL: not told. */
    void (*unmatched)(void *context, const struct ws_event *event);
};

struct ws_engine_stats {
    uint64_t events;            /* fed */
    uint64_t composites;        /* constructed */
    uint64_t unmatched;         /* simple events that waited for a partner at the end of the trace */
    uint64_t clock_violations;  /* composite events whose boolean parameter `clock_violation` is true */
    uint64_t most_live;         /* greatest number of events held at once */
};

/* A simple event from which a finding may still come. */
struct ws_held {
    uint32_t type;
    int64_t rank, begin_ns, end_ns; /* its process, t, end */
};
typedef void ws_see_held(void *context, const struct ws_held *held);

struct ws_engine; /* each implementation begins its own struct with `const struct ws_engine_ops *ops` */

struct ws_engine_ops {
    const char *name;
    /* scopes[i]: is the scope of this index wanted?  NULL: all are.  A scope that is not wanted finds and
     * counts nothing; the common one is still worked through where a wanted scope builds on it. */
    struct ws_engine *(*create)(const struct ws_kb *kb, const bool *scopes, const struct ws_sink *sink,
                                struct ws_error *error);
    /* The event is the caller's; the engine copies what it keeps (strings live as long as the trace).
     * Events come in the order of ws_trace_next; low_ns: no later simple event will have its t before
     * low_ns. */
    int (*feed)(struct ws_engine *engine, const struct ws_event *event, int64_t low_ns,
                struct ws_error *error);
    /* Tells of each simple event that the engine still holds, also as a member of a composite event or group.
     * NULL: an engine that does not tell. */
    void (*held)(const struct ws_engine *engine, ws_see_held *see, void *context);
    int (*finish)(struct ws_engine *engine, struct ws_engine_stats *stats, struct ws_error *error);
    void (*destroy)(struct ws_engine *engine);
    /* What the engine makes of a scope's rules, for people to read; NULL where it makes nothing of them. */
    int (*print)(const struct ws_kb *kb, const struct ws_scope *scope, struct ws_text *out,
                 struct ws_error *error);
};
struct ws_engine { const struct ws_engine_ops *ops; };

/* By name ("native"); NULL for the default.  NULL and *error for one that this build does not have. */
const struct ws_engine_ops *ws_engine_find(const char *name, struct ws_error *error);
/* Adds the names of those that this build has, the default first: "native, clips". */
void ws_engine_names(struct ws_text *out);

#endif
