/* The meaning of the analysis rules, once for all engines: what arrives where and when, which rule gets an
 * event, what is consumed, when groups close, which problem rule applies (docs/language.md, "Meaning").
 * An engine brings a matcher, which knows nothing of this: it finds the tuples for which a condition holds
 * and computes values. */
#ifndef WS_ENGINE_ANALYSIS_H
#define WS_ENGINE_ANALYSIS_H

#include "engine/engine.h"
#include "engine/live.h"
#include "engine/plan.h"

struct ws_analysis;
struct ws_group;

/* Each function gives 0, or -1 and *error.  The matcher answers through the ws_report_ functions below,
 * while its function runs. */
struct ws_matcher_ops {
    /* Marks the scopes in which the event may have any effect at all (WS_MARK).  NULL: wherever its type is
     * used. */
    void (*route)(void *matcher, struct ws_live *live, uint64_t *scopes);
    /* The event is now in the scope of this use: reports the problem rules without a group member that
     * hold.  Without `seek` also, in any order, the tuples that contain the event and whose condition
     * holds, and whether to keep it.  Called for uses with problem rules, without `seek` for all that are
     * not in groups alone. */
    int (*arrive)(void *matcher, const struct ws_use *use, struct ws_live *live, struct ws_error *error);
    /* The event takes this seat of its use, in a rule without a group: reports the tuples that are there now
     * and hold, and whether to keep the event.  Tuples of two come by the order of arrival of the other
     * member; where the event's place is not shared, and the other's type is another, the first is enough. */
    void (*seek)(void *matcher, const struct ws_use *use, size_t seat, struct ws_live *live);
    /* Applies the problem rules with a group member to one element of a composite event. */
    int (*judge)(void *matcher, const struct ws_use *use, struct ws_live *composite, struct ws_live *element,
                 struct ws_error *error);
    /* Offers the event to a group rule: reports the group that it enters, opened where there is none. */
    int (*enter)(void *matcher, const struct ws_plan_rule *rule, struct ws_live *live,
                 struct ws_error *error);
    /* The group is complete: reports the composite event if the condition holds.  The group takes no more
     * elements. */
    int (*close)(void *matcher, struct ws_group *group, struct ws_error *error);
    /* The event stays, after all its seats were sought.  May be NULL. */
    void (*keep)(void *matcher, const struct ws_use *use, struct ws_live *live);
    /* The event can fill no more place in the scope of this use: one that was kept, or without `seek` any. */
    void (*leave)(void *matcher, const struct ws_use *use, struct ws_live *live);
};

#define WS_MARK(scopes, index) ((scopes)[(index) / 64] |= UINT64_C(1) << (index) % 64)

/* ---- what a matcher reports ---- */

/* A tuple of the rule, members in order: gives the composite event, whose parameters are to be set before
 * anything else is reported; or to be taken back where one is undefined. */
struct ws_event *ws_report_tuple(struct ws_analysis *analysis, const struct ws_plan_rule *rule,
                                 struct ws_live *const *members);
/* Of a rule whose first tuple is enough, where no other can come before it: the tuple reported last is built
 * now. Or it is counted, since no scope takes the composite event; all its parameters are defined. */
void ws_report_built(struct ws_analysis *analysis);
void ws_report_passing(struct ws_analysis *analysis, const struct ws_plan_rule *rule,
                       struct ws_live *const *members, bool clock_violation);
/* The same for the group that is being closed. */
struct ws_event *ws_report_complete(struct ws_analysis *analysis);
void ws_report_undefined(struct ws_analysis *analysis); /* what was reported last has no defined value */

/* The event that arrives passes the conditions on it alone of a place; waits: one that is not shared. */
static inline void ws_report_kept(struct ws_analysis *analysis, bool waits);

struct ws_judgement {
    uint32_t problem; /* index in the scope */
    int64_t duration_ns;
    bool has_from;
    int64_t from_ns;
    struct ws_live *waiting, *cause; /* NULL: by default */
};
void ws_report_problem(struct ws_analysis *analysis, const struct ws_judgement *judgement);

/* A new group; expect <= 0: not complete before the end (where the rule has `expect`: never). */
struct ws_group *ws_report_opened(struct ws_analysis *analysis, const struct ws_plan_rule *rule,
                                  int64_t expect);
void ws_report_entered(struct ws_analysis *analysis, struct ws_group *group);

struct ws_group {
    const struct ws_plan_rule *rule;
    int64_t expect;
    uint64_t key;              /* the matcher's own, like the room behind (rule->group_own bytes) */
    struct ws_live **elements; /* in order of arrival; each holds a reference */
    size_t count, capacity;
    struct ws_group *next, *previous; /* of the scope, by first element */
    union ws_value own[];
};

/* ---- the analysis ---- */

struct ws_line { /* of events that will arrive, each with a reference */
    struct ws_live **events;
    size_t count, capacity;
};
struct ws_analysis_scope {
    const struct ws_scope *scope;
    struct ws_group *open_first, *open_last;       /* without expect: closed at the end, in this order */
    struct ws_group *waiting_first, *waiting_last; /* with expect */
};
struct ws_analysis {
    struct ws_plan plan;
    struct ws_lives lives;
    const struct ws_matcher_ops *ops;
    void *matcher;
    struct ws_sink sink;
    struct ws_analysis_scope *scopes;
    struct ws_live **kept; /* [use index]: newest first */
    struct ws_engine_stats stats;
    uint64_t next_sweep;      /* number of events at which to look for what can be let go */
    struct ws_line line;      /* of the scope at hand */
    struct ws_line built;     /* what arrives in all scopes: one simple event, what the common scope built */
    uint64_t *marked;         /* scopes where that is to arrive */
    struct ws_group **groups; /* [rule number]: freed ones */
    struct ws_action *actions;
    size_t action_capacity;
    /* of the event that arrives */
    const struct ws_use *use;
    struct ws_presence passing; /* its presence, where the use keeps nothing */
    bool kept_here, waits;
    struct ws_line tuples; /* reported composite events, not built yet */
    struct ws_judgement judgement; /* the first rule's so far */
    bool judged;
    struct ws_group *entered;
    struct ws_live *completed;
};

static inline void ws_report_kept(struct ws_analysis *analysis, bool waits)
{
    analysis->kept_here = true;
    analysis->waits |= waits;
}

/* scopes as in struct ws_engine_ops.create. */
void ws_analysis_init(struct ws_analysis *analysis, const struct ws_kb *kb, const bool *scopes,
                      const struct ws_sink *sink, const struct ws_matcher_ops *ops, void *matcher);
int ws_analysis_feed(struct ws_analysis *analysis, const struct ws_event *event, int64_t low_ns,
                     struct ws_error *error);
void ws_analysis_held(const struct ws_analysis *analysis, ws_see_held *see, void *context);
int ws_analysis_finish(struct ws_analysis *analysis, struct ws_engine_stats *stats, struct ws_error *error);
void ws_analysis_free(struct ws_analysis *analysis); /* the matcher is asked nothing any more */

/* The presence of an event in a use: its own, or that of the event just passing through. */
static inline struct ws_presence *ws_analysis_presence(struct ws_analysis *analysis, const struct ws_use *use,
                                                       const struct ws_live *live)
{
    return use->keeps ? ws_live_presence(live, use) : &analysis->passing;
}

/* ---- between the files of this room ---- */

/* finding.c: gives the judged problem to the sink. */
void ws_analysis_found(struct ws_analysis *analysis, const struct ws_use *use, struct ws_live *composite,
                       struct ws_live *element, const struct ws_judgement *judgement);
/* forget.c: lets go of events that nothing still to come can overlap. */
bool ws_use_forgets(const struct ws_use *use);
void ws_analysis_forget(struct ws_analysis *analysis, int64_t low_ns);
/* A simple event that ends without a partner in this scope, counted once. */
void ws_analysis_count_unmatched(struct ws_analysis *analysis, const struct ws_scope *scope,
                                 struct ws_live *live);
/* The event fills no more place in the scope of this use. */
void ws_analysis_leave(struct ws_analysis *analysis, const struct ws_use *use, struct ws_live *live);

#endif
