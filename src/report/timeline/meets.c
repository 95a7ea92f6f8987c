#include "report/timeline/meets.h"

#include "util/alloc.h"

#include <stdlib.h>

/* ---- which rules ---- */

static bool is_number(const struct ws_kb *kb, const struct ws_event_type *type, const struct ws_expr *expr)
{
    const struct ws_trace_rule *rule = ws_type_rule(kb, type);

    for (size_t i = 0; rule && expr->op == WS_OP_SLOT && i < rule->number_count; i++)
        if (ws_type_slot(type, rule->numbers[i].name) == (int)expr->slot)
            return true;
    return false;
}

static bool is_process(const struct ws_expr *expr)
{
    return expr->op == WS_OP_SLOT && expr->slot == WS_ATTR_PROCESS;
}

/* Two events, each of which is taken by the other alone. */
static bool is_meeting(const struct ws_kb *kb, const struct ws_composite_rule *rule)
{
    const struct ws_member *members = rule->members;
    bool counted = false, told = false;

    if (rule->member_count != 2 || members[0].group || members[0].shared || members[1].shared ||
        members[0].type->composite || members[1].type->composite || members[0].type == members[1].type ||
        rule->residual_count)
        return false;
    for (size_t i = 0; i < rule->join_count; i++) {
        const struct ws_join *join = &rule->joins[i];
        counted |= is_number(kb, members[join->left_member].type, join->left) &&
                   is_number(kb, members[join->right_member].type, join->right);
        told |= is_process(join->left) != is_process(join->right);
    }
    return counted && told;
}

/* ---- their keys ---- */

static void compile(struct ws_meets *meets, const struct ws_composite_rule *rule, uint32_t member)
{
    const struct ws_event_type *type = rule->members[member].type;
    const struct ws_formula_scene scene = {.one = type};
    struct ws_meets_type *meeting = &meets->of_type[type->index];
    size_t conditions = 0;

    if (meeting->rule) /* of several rules the first */
        return;
    while (rule->filters[member] && rule->filters[member][conditions])
        conditions++;
    *meeting = (struct ws_meets_type){.rule = meets->rule_count, .second = member == 1};
    meeting->key_count = (uint32_t)rule->join_count;
    meeting->holds = ws_formula_of_all(&meets->pool, &scene, rule->filters[member], conditions);
    meeting->keys = ws_alloc_array(rule->join_count, sizeof *meeting->keys);
    for (size_t i = 0; i < rule->join_count; i++)
        meeting->keys[i] =
            ws_formula_of(&meets->pool, &scene,
                          rule->joins[i].left_member == member ? rule->joins[i].left : rule->joins[i].right);
}

void ws_meets_init(struct ws_meets *meets, const struct ws_kb *kb)
{
    *meets = (struct ws_meets){.of_type = ws_alloc_array(kb->simple_count + 1, sizeof *meets->of_type),
                               .type_count = (uint32_t)kb->simple_count};
    for (size_t s = 0; s < kb->scope_count; s++)
        for (size_t i = 0; kb->scopes[s]->common && i < kb->scopes[s]->composite_count; i++)
            if (is_meeting(kb, kb->scopes[s]->composites[i])) {
                meets->rule_count++;
                compile(meets, kb->scopes[s]->composites[i], 0);
                compile(meets, kb->scopes[s]->composites[i], 1);
            }
    meets->temporaries = ws_alloc_array(meets->pool.temporary_count + 1, sizeof *meets->temporaries);
}

uint64_t ws_meets_key(const struct ws_meets *meets, const struct ws_event *event)
{
    const struct ws_meets_type *meeting = &meets->of_type[event->type];
    union ws_value *const frames[] = {meets->temporaries, meets->pool.constants, NULL,
                                      (union ws_value *)event->value};
    uint64_t hash = ws_hash(WS_HASH_START, &meeting->rule, sizeof meeting->rule);

    if (!meeting->rule || !ws_formula_holds(&meeting->holds, frames))
        return 0;
    for (uint32_t i = 0; i < meeting->key_count; i++) {
        union ws_value value;
        if (!ws_formula_value(&meeting->keys[i], frames, &value))
            return 0;
        hash = ws_hash(hash, &value, sizeof value);
    }
    return hash ? hash : 1;
}

void ws_meets_free(struct ws_meets *meets)
{
    for (uint32_t i = 0; i < meets->type_count; i++)
        free(meets->of_type[i].keys);
    free(meets->of_type);
    free(meets->temporaries);
    ws_formula_pool_free(&meets->pool);
}
