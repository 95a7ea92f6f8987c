/* The functions on the right-hand sides of the generated rules: they tell the analysis what was found. */
#include "engine/clips/context.h"

#include <stdlib.h>

static struct expr *first_argument(void *theEnv)
{
    return GetFirstArgument();
}

/* The next argument as a value of the type; false where it is undefined. */
static bool next_value(struct ws_clips *clips, struct expr **argument, enum ws_type type,
                       union ws_value *value)
{
    DATA_OBJECT object;

    EvaluateExpression(clips->env, *argument, &object);
    *argument = (*argument)->nextArg;
    return ws_clips_get(clips, type, &object, value);
}

static int64_t next_integer(struct ws_clips *clips, struct expr **argument, int64_t otherwise)
{
    union ws_value value;
    return next_value(clips, argument, WS_TYPE_INTEGER, &value) ? value.i : otherwise;
}

static struct ws_live *next_event(struct ws_clips *clips, struct expr **argument)
{
    DATA_OBJECT object;

    EvaluateExpression(clips->env, *argument, &object);
    *argument = (*argument)->nextArg;
    return ws_clips_event(clips, &object);
}

/* Sets the parameters of a reported composite event; takes it back where one is undefined. */
static void parameters(struct ws_clips *clips, struct expr *argument, const struct ws_event_type *type,
                       struct ws_event *event)
{
    for (size_t i = type->attribute_count; i < type->slot_count; i++)
        if (!next_value(clips, &argument, type->slots[i].type, &event->value[i])) {
            ws_report_undefined(&clips->analysis);
            return;
        }
}

/* (ws-tuple RULE MEMBER ... PARAMETER ...) */
static void tuple(void *env)
{
    struct ws_clips *clips = ws_clips_of(env);
    struct expr *argument = first_argument(env);
    uint32_t index = (uint32_t)next_integer(clips, &argument, 0);
    const struct ws_plan_rule *rule = ws_plan_rule_of(clips->use, index);
    size_t count = rule->rule->member_count;

    if (count > clips->member_capacity) {
        clips->member_capacity = count;
        clips->members = ws_realloc_array(clips->members, count, sizeof *clips->members);
    }
    for (size_t m = 0; m < count; m++) {
        clips->members[m] = next_event(clips, &argument);
        if (!clips->members[m]) {
            clips->broken = true;
            return;
        }
    }
    parameters(clips, argument, rule->rule->type, ws_report_tuple(&clips->analysis, rule, clips->members));
}

/* (ws-keep WAITS) */
static void keep(void *env)
{
    struct ws_clips *clips = ws_clips_of(env);
    struct expr *argument = first_argument(env);
    union ws_value waits = {0};

    next_value(clips, &argument, WS_TYPE_BOOLEAN, &waits);
    ws_report_kept(&clips->analysis, waits.i != 0);
}

/* An event of a problem: nil stands for none; false where it is undefined. */
static bool next_role(struct ws_clips *clips, struct expr **argument, const struct ws_expr *expr,
                      struct ws_live **role)
{
    *role = next_event(clips, argument);
    return !expr || *role;
}

/* (ws-problem PROBLEM DURATION FROM WAITING CAUSE) */
static void problem(void *env)
{
    struct ws_clips *clips = ws_clips_of(env);
    struct expr *argument = first_argument(env);
    struct ws_judgement judgement = {.problem = (uint32_t)next_integer(clips, &argument, 0)};
    const struct ws_problem_rule *rule = clips->use->scope->problems[judgement.problem];
    union ws_value duration = {0}, from = {0};
    bool defined = next_value(clips, &argument, WS_TYPE_TIME, &duration);

    judgement.has_from = next_value(clips, &argument, WS_TYPE_TIME, &from);
    defined = defined && (judgement.has_from || !rule->from);
    defined = next_role(clips, &argument, rule->waiting, &judgement.waiting) && defined;
    defined = next_role(clips, &argument, rule->cause, &judgement.cause) && defined;
    judgement.duration_ns = duration.i;
    judgement.from_ns = from.i;
    if (defined)
        ws_report_problem(&clips->analysis, &judgement);
}

/* (ws-open EXPECT): the number of a new group. */
static long long open_group(void *env)
{
    struct ws_clips *clips = ws_clips_of(env);
    struct expr *argument = first_argument(env);
    int64_t expect = next_integer(clips, &argument, 0);
    struct ws_group *group = ws_report_opened(&clips->analysis, clips->group_rule, expect);

    if (clips->free_count > 0) {
        group->key = clips->free_groups[--clips->free_count];
    } else {
        group->key = clips->group_count;
        WS_PUSH(clips->groups, clips->group_count, clips->group_capacity) = NULL;
    }
    clips->groups[group->key] = group;
    return (long long)group->key;
}

/* (ws-enter GROUP) */
static void enter_group(void *env)
{
    struct ws_clips *clips = ws_clips_of(env);
    struct expr *argument = first_argument(env);
    int64_t number = next_integer(clips, &argument, -1);

    if (number < 0 || number >= (int64_t)clips->group_count || !clips->groups[number])
        clips->broken = true;
    else
        ws_report_entered(&clips->analysis, clips->groups[number]);
}

/* (ws-complete PARAMETER ...) */
static void complete(void *env)
{
    struct ws_clips *clips = ws_clips_of(env);

    parameters(clips, first_argument(env), clips->group_rule->rule->type,
               ws_report_complete(&clips->analysis));
}

int ws_clips_define_reports(void *env)
{
    static const struct {
        const char *name;
        char returns;
        int (*function)(void *);
        const char *arguments;
    } functions[] = {
        {"ws-tuple", 'v', PTIEF tuple, "2*u"},       {"ws-keep", 'v', PTIEF keep, "11u"},
        {"ws-problem", 'v', PTIEF problem, "55u"},   {"ws-open", 'g', PTIEF open_group, "11u"},
        {"ws-enter", 'v', PTIEF enter_group, "11u"}, {"ws-complete", 'v', PTIEF complete, "0*u"},
    };

    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!EnvDefineFunction2(env, functions[i].name, functions[i].returns, functions[i].function,
                                functions[i].name, functions[i].arguments))
            return -1;
    return 0;
}
