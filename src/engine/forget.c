/* Letting go of events that a condition overlaps(a, b) keeps from ever matching again.  An event stays
 * useful in a scope while some rule may still put it in a tuple.  A tuple that is still to be found contains
 * an event that is still to arrive; so where the condition wants the event to overlap every other member,
 * and it ends before anything still to arrive begins, the rule has no use for it any more. */
#include "engine/analysis.h"

#include <stdlib.h>

/* The least begin of a composite or simple event still to arrive, by type; computed on demand. */
struct horizon {
    struct ws_analysis *analysis;
    int64_t low_ns;
    int64_t *begin_ns; /* [type index] */
    bool *known;
};

static bool wants_overlap(const struct ws_composite_rule *rule, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < rule->residual_count; i++) {
        const struct ws_expr *expr = rule->residual[i];
        if (expr->op == WS_OP_OVERLAPS &&
            ((expr->member == a && expr->slot == b) || (expr->member == b && expr->slot == a)))
            return true;
    }
    return false;
}

static bool overlaps_all_others(const struct ws_seat *seat)
{
    const struct ws_composite_rule *rule = seat->rule->rule;

    for (uint32_t m = 0; m < rule->member_count; m++)
        if (m != seat->member && !wants_overlap(rule, seat->member, m))
            return false;
    return true;
}

bool ws_use_forgets(const struct ws_use *use)
{
    for (size_t i = 0; i < use->seat_count; i++)
        if (ws_seat_keeps(&use->seats[i]) && !overlaps_all_others(&use->seats[i]))
            return false;
    return use->keeps;
}

static int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t least_here(const struct ws_analysis *analysis, const struct ws_use *use)
{
    int64_t least = INT64_MAX;

    for (const struct ws_live *live = analysis->kept[use->index]; live;
         live = ws_live_presence(live, use)->next)
        least = lesser(least, ws_live_begin(live));
    return least;
}

static int64_t least_in_groups(const struct ws_group *group, const struct ws_plan_rule *rule)
{
    int64_t least = INT64_MAX;

    for (; group; group = group->next)
        for (size_t i = 0; group->rule == rule && i < group->count; i++)
            least = lesser(least, ws_live_begin(group->elements[i]));
    return least;
}

static int64_t least_begin(struct horizon *horizon, const struct ws_event_type *type);

/* A composite event still to be built begins with a member: one that is here or one still to arrive. */
static int64_t least_composite(struct horizon *horizon, const struct ws_plan_rule *rule)
{
    struct ws_analysis *analysis = horizon->analysis;
    const struct ws_analysis_scope *scope = &analysis->scopes[rule->rule->scope->index];
    int64_t least = INT64_MAX;

    for (size_t m = 0; m < rule->rule->member_count; m++) {
        least = lesser(least, least_begin(horizon, rule->rule->members[m].type));
        if (!rule->group)
            least = lesser(least, least_here(analysis, rule->uses[m]));
    }
    if (rule->group) {
        least = lesser(least, least_in_groups(scope->open_first, rule));
        least = lesser(least, least_in_groups(scope->waiting_first, rule));
    }
    return least;
}

static int64_t least_begin(struct horizon *horizon, const struct ws_event_type *type)
{
    const struct ws_plan_rule *rule = horizon->analysis->plan.of_type[type->index];

    if (!horizon->known[type->index]) {
        horizon->known[type->index] = true;
        horizon->begin_ns[type->index] = rule ? least_composite(horizon, rule) : horizon->low_ns;
    }
    return horizon->begin_ns[type->index];
}

/* An event that ends at this moment or before fills no seat of this use any more. */
static int64_t useless_until(struct horizon *horizon, const struct ws_use *use)
{
    int64_t least = INT64_MAX;

    for (size_t i = 0; i < use->seat_count; i++) {
        const struct ws_seat *seat = &use->seats[i];
        for (uint32_t m = 0; m < seat->rule->rule->member_count; m++)
            if (m != seat->member)
                least = lesser(least, least_begin(horizon, seat->rule->rule->members[m].type));
    }
    return least;
}

void ws_analysis_forget(struct ws_analysis *analysis, int64_t low_ns)
{
    const size_t types = analysis->plan.kb->type_count;
    struct horizon horizon = {.analysis = analysis, .low_ns = low_ns};

    for (size_t u = 0; u < analysis->plan.use_count; u++) {
        const struct ws_use *use = analysis->plan.uses[u];
        struct ws_live *live = analysis->kept[u], *next;
        int64_t until;
        if (!use->forgets || !live)
            continue;
        if (!horizon.known) {
            horizon.begin_ns = ws_alloc_array(types, sizeof *horizon.begin_ns);
            horizon.known = ws_alloc_array(types, sizeof *horizon.known);
        }
        until = useless_until(&horizon, use);
        for (; live; live = next) {
            next = ws_live_presence(live, use)->next;
            if (ws_live_end(live) > until)
                continue;
            if (ws_live_presence(live, use)->waits)
                ws_analysis_count_unmatched(analysis, use->scope, live);
            ws_analysis_leave(analysis, use, live);
        }
    }
    free(horizon.begin_ns);
    free(horizon.known);
}
