#include "engine/plan.h"

#include "engine/live.h"

#include <stdlib.h>
#include <string.h>

const struct ws_member *ws_seat_member(const struct ws_seat *seat)
{
    return &seat->rule->rule->members[seat->member];
}

bool ws_seat_filtered(const struct ws_seat *seat)
{
    struct ws_expr ***filters = seat->rule->rule->filters;
    return filters && filters[seat->member] && filters[seat->member][0];
}

bool ws_seat_keeps(const struct ws_seat *seat)
{
    return seat->rule->rule->member_count > 1;
}

bool ws_seat_waits(const struct ws_seat *seat)
{
    return ws_seat_keeps(seat) && !ws_seat_member(seat)->shared;
}

const struct ws_plan_rule *ws_plan_rule_of(const struct ws_use *use, uint32_t index)
{
    size_t i = 0;

    while (use->seats[i].rule->index != index)
        i++;
    return use->seats[i].rule;
}

size_t ws_plan_add_own(struct ws_plan_type *type, size_t size)
{
    size_t offset = type->size - type->own_offset;

    type->size += (size + sizeof(void *) - 1) / sizeof(void *) * sizeof(void *);
    return offset;
}

/* ---- private: building; lists grow in the heap and end in the arena ---- */

static void *keep(struct ws_plan *plan, void *list, size_t count, size_t size)
{
    void *kept = ws_arena_alloc(&plan->arena, count * size + 1);

    if (count)
        memcpy(kept, list, count * size);
    free(list);
    return kept;
}

static uint32_t clock_violation(const struct ws_event_type *type)
{
    for (size_t i = type->attribute_count; i < type->slot_count; i++)
        if (type->slots[i].type == WS_TYPE_BOOLEAN && strcmp(type->slots[i].name, "clock_violation") == 0)
            return (uint32_t)i;
    return UINT32_MAX;
}

static void add_rules(struct ws_plan *plan)
{
    const struct ws_kb *kb = plan->kb;
    size_t count = 0;

    for (size_t s = 0; s < kb->scope_count; s++)
        count += kb->scopes[s]->composite_count;
    plan->rules = ws_arena_alloc(&plan->arena, (count + 1) * sizeof *plan->rules);
    for (size_t s = 0; s < kb->scope_count; s++)
        for (size_t r = 0; r < kb->scopes[s]->composite_count; r++) {
            struct ws_plan_rule *rule = &plan->rules[plan->rule_count];
            rule->rule = kb->scopes[s]->composites[r];
            rule->plan = &plan->types[rule->rule->type->index];
            rule->number = (uint32_t)plan->rule_count++;
            rule->index = (uint32_t)r;
            rule->group = rule->rule->member_count == 1 && rule->rule->members[0].group;
            rule->clock_violation = clock_violation(rule->rule->type);
            rule->counts = plan->scopes[s] == WS_PLAN_WANTED;
            rule->uses = ws_arena_alloc(&plan->arena, rule->rule->member_count * sizeof *rule->uses);
            plan->of_type[rule->rule->type->index] = rule;
        }
}

/* first: the rules of the use's scope. */
static void add_places(struct ws_plan *plan, struct ws_use *use, struct ws_plan_rule *first)
{
    size_t capacity = 0;

    for (size_t r = 0; r < use->scope->composite_count; r++) {
        struct ws_plan_rule *rule = first + r;
        for (uint32_t m = 0; m < rule->rule->member_count; m++) {
            struct ws_seat seat = {rule, m};
            if (rule->rule->members[m].type != use->type)
                continue;
            WS_PUSH(use->seats, use->seat_count, capacity) = seat;
            rule->uses[m] = use;
            if (rule->group)
                continue;
            use->in_tuples = true;
            use->keeps |= ws_seat_keeps(&seat);
            use->always_kept |= ws_seat_keeps(&seat) && !ws_seat_filtered(&seat);
            use->always_waits |= ws_seat_waits(&seat) && !ws_seat_filtered(&seat);
        }
    }
    use->seats = keep(plan, use->seats, use->seat_count, sizeof *use->seats);
}

static void add_turns(struct ws_plan *plan, struct ws_use *use)
{
    use->turns = ws_arena_alloc(&plan->arena, (use->seat_count + 1) * sizeof *use->turns);
    for (uint32_t i = 0; i < use->seat_count; i++) {
        struct ws_turn *turn = &use->turns[use->turn_count];
        if (i > 0 && turn[-1].rule == use->seats[i].rule)
            turn[-1].end = i + 1;
        else
            use->turns[use->turn_count++] = (struct ws_turn){use->seats[i].rule, i, i + 1};
    }
}

static void add_problems(struct ws_plan *plan, struct ws_use *use)
{
    size_t capacity = 0, index_capacity = 0, index_count = 0;

    for (size_t p = 0; p < use->scope->problem_count; p++) {
        const struct ws_problem_rule *problem = use->scope->problems[p];
        if (problem->on != use->type)
            continue;
        WS_PUSH(use->problems, use->problem_count, capacity) = problem;
        WS_PUSH(use->problem_index, index_count, index_capacity) = (uint32_t)p;
        use->judged_by_element |= problem->group_member != UINT32_MAX;
    }
    use->problems = keep(plan, use->problems, use->problem_count, sizeof *use->problems);
    use->problem_index = keep(plan, use->problem_index, index_count, sizeof *use->problem_index);
}

static bool is_common(const struct ws_event_type *type)
{
    return type->composite && type->scope && type->scope->common;
}

/* What arrives in a scope: every simple event, its own composite events and those of the common scope. */
static bool arrives(const struct ws_event_type *type, const struct ws_scope *scope)
{
    return !type->composite || type->scope == scope || is_common(type);
}

/* A live event, its event, its presences, the members of a tuple, the matcher's own. */
static void lay_out(struct ws_plan_type *plan)
{
    const struct ws_event_type *type = plan->type;
    size_t members = type->rule && !type->rule->members[0].group ? type->rule->member_count : 0;

    plan->presence_offset =
        sizeof(struct ws_live) + sizeof(struct ws_event) + type->slot_count * sizeof(union ws_value);
    plan->members_offset = plan->presence_offset + plan->keep_count * sizeof(struct ws_presence);
    plan->own_offset = plan->members_offset + members * sizeof(struct ws_live *);
    plan->size = plan->own_offset;
}

static void add_uses(struct ws_plan *plan, const struct ws_event_type *type, size_t *all_capacity)
{
    struct ws_plan_type *uses = &plan->types[type->index];
    struct ws_plan_rule *first = plan->rules;
    size_t capacity = 0;

    uses->type = type;
    uses->in_common_only = true;
    if (!type->composite || is_common(type))
        uses->by_scope = ws_arena_alloc(&plan->arena, plan->kb->scope_count * sizeof *uses->by_scope);
    for (size_t s = 0; s < plan->kb->scope_count; first += plan->kb->scopes[s++]->composite_count) {
        struct ws_use found = {.type = type, .scope = plan->kb->scopes[s]}, *use;
        if (!arrives(type, found.scope) || plan->scopes[s] == WS_PLAN_ABSENT)
            continue;
        use = ws_arena_alloc(&plan->arena, sizeof *use);
        *use = found;
        add_places(plan, use, first);
        add_turns(plan, use);
        add_problems(plan, use);
        if (use->seat_count + use->problem_count == 0)
            continue;
        if (use->keeps)
            use->place = (uint32_t)uses->keep_count++;
        use->index = (uint32_t)plan->use_count;
        WS_PUSH(uses->uses, uses->use_count, capacity) = use;
        WS_PUSH(plan->uses, plan->use_count, *all_capacity) = use;
        if (uses->by_scope)
            uses->by_scope[s] = use;
        if (!use->scope->common)
            uses->in_common_only = false;
    }
    uses->uses = keep(plan, uses->uses, uses->use_count, sizeof *uses->uses);
    lay_out(uses);
}

/* Has the scope a place or a problem for a composite event of the common scope? */
static bool builds_on_common(const struct ws_scope *scope)
{
    for (size_t r = 0; r < scope->composite_count; r++)
        for (size_t m = 0; m < scope->composites[r]->member_count; m++)
            if (is_common(scope->composites[r]->members[m].type))
                return true;
    for (size_t p = 0; p < scope->problem_count; p++)
        if (is_common(scope->problems[p]->on))
            return true;
    return false;
}

static void choose_scopes(struct ws_plan *plan, const bool *wanted)
{
    const struct ws_kb *kb = plan->kb;
    bool needed = false;

    plan->scopes = ws_arena_alloc(&plan->arena, (kb->scope_count + 1) * sizeof *plan->scopes);
    for (size_t s = 0; s < kb->scope_count; s++)
        if (!wanted || wanted[s]) {
            plan->scopes[s] = WS_PLAN_WANTED;
            needed |= builds_on_common(kb->scopes[s]);
        }
    for (size_t s = 0; s < kb->scope_count; s++)
        if (kb->scopes[s]->common && needed && plan->scopes[s] == WS_PLAN_ABSENT)
            plan->scopes[s] = WS_PLAN_NEEDED;
    for (size_t s = 0; s < kb->scope_count; s++)
        if (kb->scopes[s]->common && plan->scopes[s] != WS_PLAN_ABSENT)
            plan->common = kb->scopes[s];
}

void ws_plan_init(struct ws_plan *plan, const struct ws_kb *kb, const bool *wanted)
{
    size_t capacity = 0;

    memset(plan, 0, sizeof *plan);
    plan->kb = kb;
    choose_scopes(plan, wanted);
    plan->types = ws_arena_alloc(&plan->arena, (kb->type_count + 1) * sizeof *plan->types);
    plan->of_type = ws_arena_alloc(&plan->arena, (kb->type_count + 1) * sizeof *plan->of_type);
    add_rules(plan);
    for (size_t i = 0; i < kb->type_count; i++)
        add_uses(plan, kb->types[i], &capacity);
    plan->uses = keep(plan, plan->uses, plan->use_count, sizeof *plan->uses);
}

void ws_plan_free(struct ws_plan *plan)
{
    ws_arena_free(&plan->arena);
    memset(plan, 0, sizeof *plan);
}
