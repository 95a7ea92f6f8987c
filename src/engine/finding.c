/* A finding: the judged problem with the actions that led to it, by a walk over the composite event's
 * members down to the simple events. */
#include "engine/analysis.h"

struct actions {
    struct ws_analysis *analysis; /* whose list it is */
    size_t count;
    uint64_t walk; /* an event that is reached twice is one action */
};

static struct ws_live *simple(struct ws_live *live)
{
    while (live && live->rule)
        live = live->members[0];
    return live;
}

static void add(struct actions *actions, const char *role, struct ws_live *live)
{
    if (!live || live->mark == actions->walk)
        return;
    live->mark = actions->walk;
    WS_PUSH(actions->analysis->actions, actions->count, actions->analysis->action_capacity) =
        (struct ws_action){role, ws_live_event(live)};
}

/* The role of a simple event is the name of the innermost member that it is. */
static void walk(struct actions *actions, const struct ws_live *composite)
{
    const struct ws_composite_rule *rule = composite->rule->rule;

    for (uint32_t i = 0; i < composite->member_count; i++) {
        struct ws_live *member = composite->members[i];
        if (member->rule)
            walk(actions, member);
        else
            add(actions, rule->members[composite->rule->group ? 0 : i].name, member);
    }
}

/* In a group of many alike, an event that a parameter picks out ("last") goes by that name. */
static const char *role_in_group(const struct ws_problem_rule *problem, const struct ws_expr *expr)
{
    if (expr && expr->op == WS_OP_SLOT && expr->member == 0)
        return problem->on->slots[expr->slot].name;
    return problem->on->rule->members[0].name;
}

void ws_analysis_found(struct ws_analysis *analysis, const struct ws_use *use, struct ws_live *composite,
                       struct ws_live *element, const struct ws_judgement *judgement)
{
    const struct ws_problem_rule *problem = use->scope->problems[judgement->problem];
    struct ws_live *fallback = element ? element : composite->members[0];
    struct ws_live *waiting = simple(judgement->waiting ? judgement->waiting : fallback);
    struct ws_live *cause = simple(judgement->cause);
    struct actions actions = {.analysis = analysis, .walk = ++analysis->lives.walks};
    struct ws_finding finding = {.rule = problem,
                                 .duration_ns = judgement->duration_ns,
                                 .composite = ws_live_event(composite),
                                 .waiting = ws_live_event(waiting),
                                 .cause = cause ? ws_live_event(cause) : NULL};

    finding.from_ns = judgement->has_from ? judgement->from_ns : finding.waiting->value[WS_ATTR_T].i;
    if (composite->rule->group && problem->waiting) {
        add(&actions, role_in_group(problem, problem->waiting), waiting);
        add(&actions, role_in_group(problem, problem->cause), cause);
    } else {
        walk(&actions, composite);
    }
    finding.actions = analysis->actions;
    finding.action_count = actions.count;
    analysis->sink.found(analysis->sink.context, &finding);
}
