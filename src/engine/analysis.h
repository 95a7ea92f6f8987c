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
 * while its function runs and in any order. */
struct ws_matcher_ops {
    /* The event is now in the scope of this use: reports the tuples that contain it and whose condition
     * holds, whether to keep it, and the problem rules without a group member that hold. */
    int (*arrive)(void *matcher, const struct ws_use *use, struct ws_live *live, struct ws_error *error);
    /* Applies the problem rules with a group member to one element of a composite event. */
    int (*judge)(void *matcher, const struct ws_use *use, struct ws_live *composite, struct ws_live *element,
                 struct ws_error *error);
    /* Offers the event to a group rule: reports the group that it enters, opened where there is none. */
    int (*enter)(void *matcher, const struct ws_plan_rule *rule, struct ws_live *live,
                 struct ws_error *error);
    /* The group is complete: reports the composite event's parameters if the condition holds.  The group
     * takes no more elements. */
    int (*close)(void *matcher, struct ws_group *group, struct ws_error *error);
    /* The event can fill no more place in the scope of this use. */
    void (*leave)(void *matcher, const struct ws_use *use, struct ws_live *live);
};

/* ---- what a matcher reports ---- */

/* A tuple of the rule (by its index in the scope): members in order, then the values of the parameters.
 * A tuple with an undefined parameter is not reported. */
void ws_report_tuple(struct ws_analysis *analysis, uint32_t rule, struct ws_live *const *members,
                     const union ws_value *values);
/* The event that arrives passes the conditions on it alone of a place; waits: one that is not shared. */
void ws_report_kept(struct ws_analysis *analysis, bool waits);

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
void ws_report_complete(struct ws_analysis *analysis, const union ws_value *values);

struct ws_group {
    const struct ws_plan_rule *rule;
    int64_t expect;
    uint64_t key;              /* the matcher's own */
    struct ws_live **elements; /* in order of arrival; each holds a reference */
    size_t count, capacity;
    struct ws_group *next, *previous; /* of the scope, by first element */
};

/* ---- the analysis ---- */

struct ws_analysis_tuple {
    uint32_t rule;
    size_t members, values; /* where they begin in the lists */
};
struct ws_analysis_scope {
    const struct ws_scope *scope;
    struct ws_live **queue; /* what will arrive next; each holds a reference */
    size_t queue_first, queue_count, queue_capacity;
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
    struct ws_live **here; /* [use index]: what is present, newest first */
    struct ws_engine_stats stats;
    uint64_t next_sweep; /* number of events at which to look for what can be let go */
    size_t queued;       /* in all scopes' queues */
    /* reports of the matcher's current call */
    const struct ws_use *use;
    struct ws_analysis_tuple *tuples;
    size_t tuple_count, tuple_capacity;
    struct ws_live **members;
    size_t member_count, member_capacity;
    union ws_value *values;
    size_t value_count, value_capacity;
    bool kept, waits;
    struct ws_judgement judgement; /* the first rule's so far */
    bool judged;
    struct ws_group *entered;
    union ws_value *complete; /* [most parameters] */
    bool completed;
};

void ws_analysis_init(struct ws_analysis *analysis, const struct ws_kb *kb, const bool *scopes,
                      const struct ws_sink *sink, const struct ws_matcher_ops *ops, void *matcher);
int ws_analysis_feed(struct ws_analysis *analysis, const struct ws_event *event, int64_t low_ns,
                     struct ws_error *error);
void ws_analysis_held(const struct ws_analysis *analysis, ws_see_held *see, void *context);
int ws_analysis_finish(struct ws_analysis *analysis, struct ws_engine_stats *stats, struct ws_error *error);
void ws_analysis_free(struct ws_analysis *analysis); /* the matcher is asked nothing any more */

/* ---- between the files of this room ---- */

/* finding.c: gives the judged problem to the sink. */
void ws_analysis_found(struct ws_analysis *analysis, const struct ws_use *use, struct ws_live *composite,
                       struct ws_live *element, const struct ws_judgement *judgement);
/* forget.c: lets go of events that nothing still to come can overlap. */
void ws_analysis_forget(struct ws_analysis *analysis, int64_t low_ns);
/* A simple event that ends without a partner in this scope, counted once. */
void ws_analysis_count_unmatched(struct ws_analysis *analysis, const struct ws_scope *scope,
                                 struct ws_live *live);
/* The event fills no more place in the scope of this use. */
void ws_analysis_leave(struct ws_analysis *analysis, const struct ws_use *use, struct ws_live *live);

#endif
