/* What the functions that CLIPS calls share; hangs on the CLIPS environment.  The only header that includes
 * clips.h: it takes 1850 names, so nothing outside this folder includes this one. */
#ifndef WS_ENGINE_CLIPS_CONTEXT_H
#define WS_ENGINE_CLIPS_CONTEXT_H

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#include <clips/clips.h>
#pragma GCC diagnostic pop

#include "engine/analysis.h"
#include "engine/clips/convert.h"

struct ws_clips {
    const struct ws_engine_ops *ops; /* begins as struct ws_engine */
    struct ws_analysis analysis;
    struct ws_clips_program program;
    union ws_value *frames[WS_FRAME_MEMBERS + 1]; /* of its formulas */
    void *env;
    void *undefined;                       /* the symbol `undefined` */
    bool is_undefined;                     /* a part of the expression being evaluated is */
    bool broken;                           /* a rule reported what makes no sense */
    struct ws_text messages;               /* what CLIPS printed */
    const struct ws_use *use;              /* of the event being offered */
    const struct ws_plan_rule *group_rule; /* to which it is offered */
    struct ws_group **groups;              /* open groups by the number that CLIPS knows them by */
    uint32_t *free_groups;
    size_t group_count, group_capacity, free_count, free_capacity;
    struct ws_live **members; /* buffer of the reports */
    size_t member_capacity;
};

static inline struct ws_clips *ws_clips_of(void *env)
{
    return GetEnvironmentContext(env);
}

/* functions.c: the arithmetic of the rule language as CLIPS functions. */
int ws_clips_define_arithmetic(void *env);
/* reports.c: the functions by which the rules tell what they found. */
int ws_clips_define_reports(void *env);

/* values.c: between values of the language and fields of facts.  A value that is undefined is the symbol. */
void ws_clips_put(struct ws_clips *clips, enum ws_type type, union ws_value value, struct field *field);
bool ws_clips_get(struct ws_clips *clips, enum ws_type type, const DATA_OBJECT *object,
                  union ws_value *value);
struct ws_live *ws_clips_event(struct ws_clips *clips, const DATA_OBJECT *order);

#endif
