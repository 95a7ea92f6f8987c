/* What two members of a rule share: the channels in which they meet, and what each is found by. */
#include "engine/native/native.h"

static void give_channels(struct ws_native *native, struct ws_native_index *index,
                          struct ws_native_channels *channels, uint32_t side)
{
    if (!channels)
        channels = ws_arena_alloc(&native->arena, sizeof *channels);
    index->channels = channels;
    index->side = side;
}

/* Of a rule of two: how the member is found for the other. */
static const struct ws_native_step *step_to(const struct ws_native *native, const struct ws_plan_rule *rule,
                                            uint32_t member)
{
    const struct ws_use *other = rule->uses[1 - member];
    return native->uses[other->index].seats[ws_native_seat_number(other, rule, 1 - member)].steps;
}

static bool is_pair(const struct ws_native *native, const struct ws_plan_rule *rule)
{
    return rule->rule->member_count == 2 &&
           native->analysis.plan.scopes[rule->rule->scope->index] != WS_PLAN_ABSENT;
}

/* Do both come in the order of the same number? */
static bool meet_in_order(const struct ws_native_step *first, const struct ws_native_step *second)
{
    return first->index->in_order && second->index->in_order &&
           first->own[first->index->key_count - 1] == second->others[second->index->key_count - 1] &&
           first->index->use->type != second->index->use->type;
}

/* Two members that do meet in one channel. */
static void make_channels(struct ws_native *native)
{
    const struct ws_plan *plan = &native->analysis.plan;

    for (size_t r = 0; r < plan->rule_count; r++) {
        const struct ws_native_step *first, *second;
        if (!is_pair(native, &plan->rules[r]))
            continue;
        first = step_to(native, &plan->rules[r], 0);
        second = step_to(native, &plan->rules[r], 1);
        if (meet_in_order(first, second) && !first->index->channels && !second->index->channels) {
            give_channels(native, first->index, NULL, 0);
            give_channels(native, second->index, first->index->channels, 1);
        }
    }
    for (size_t i = 0; i < native->index_count; i++)
        if (native->indexes[i]->in_order && !native->indexes[i]->channels)
            give_channels(native, native->indexes[i], NULL, 0);
}

/* In a rule of two, what is looked for to find the partner is what the event itself is found by. */
static void share_looks(struct ws_native *native)
{
    const struct ws_plan *plan = &native->analysis.plan;

    for (size_t r = 0; r < plan->rule_count; r++)
        for (uint32_t m = 0; m < 2 && is_pair(native, &plan->rules[r]); m++) {
            const struct ws_plan_rule *rule = &plan->rules[r];
            const struct ws_use *use = rule->uses[m];
            struct ws_native_index *own = step_to(native, rule, m)->index;
            if (own->channels == step_to(native, rule, 1 - m)->index->channels)
                native->uses[use->index].seats[ws_native_seat_number(use, rule, m)].own = own;
        }
}

void ws_native_share(struct ws_native *native)
{
    make_channels(native);
    share_looks(native);
}
