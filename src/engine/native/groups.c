/* Groups: found by the hash of their keys; aggregates are folded as the elements come. */
#include "engine/native/native.h"

#include "rules/arithmetic.h"
#include "rules/expr.h"

#include <stdlib.h>
#include <string.h>

/* In the own memory of a group; the keys' values and the folds' states follow. */
struct open {
    struct ws_group *next; /* of its bucket */
    uint64_t hash;
    union ws_value keys[];
};
struct fold_state {
    union ws_value value; /* the sum, the count, the least or the greatest key */
    struct ws_live *at;   /* the first element that has it */
    bool any;
    bool undefined; /* a key, or the sum */
};

static struct open *open_of(struct ws_group *group)
{
    return (struct open *)group->own;
}

static struct fold_state *states_of(const struct ws_native_rule *rule, struct ws_group *group)
{
    return (struct fold_state *)(open_of(group)->keys + rule->key_count);
}

/* ---- compiling ---- */

static enum ws_native_fold_kind fold_kind(enum ws_aggregate_kind kind)
{
    switch (kind) {
    case WS_AGG_COUNT:
        return WS_FOLD_COUNT;
    case WS_AGG_SUM:
        return WS_FOLD_SUM;
    case WS_AGG_MIN:
    case WS_AGG_AT_MIN:
        return WS_FOLD_LEAST;
    default:
        return WS_FOLD_GREATEST;
    }
}

/* Aggregates that agree in what they look for share a fold. */
static size_t fold_of(struct ws_native *native, struct ws_native_rule *rule,
                      const struct ws_formula_scene *scene, const struct ws_aggregate *aggregate)
{
    struct ws_native_fold fold = {
        .kind = fold_kind(aggregate->kind), .key_expr = aggregate->key, .where_expr = aggregate->where};

    for (size_t i = 0; i < rule->fold_count; i++)
        if (rule->folds[i].kind == fold.kind && ws_expr_equal(rule->folds[i].key_expr, fold.key_expr) &&
            ws_expr_equal(rule->folds[i].where_expr, fold.where_expr))
            return i;
    fold.where = ws_formula_of_all(&native->formulas, scene, &aggregate->where, 1);
    if (aggregate->key) {
        fold.key = ws_formula_of(&native->formulas, scene, aggregate->key);
        fold.type = aggregate->key->type;
    }
    WS_PUSH(rule->folds, rule->fold_count, rule->fold_capacity) = fold;
    return rule->fold_count - 1;
}

void ws_native_compile_group(struct ws_native *native, const struct ws_plan_rule *plan)
{
    const struct ws_composite_rule *rule = plan->rule;
    const struct ws_member *member = &rule->members[0];
    const struct ws_formula_scene scene = {.one = member->type, .aggregates = rule->aggregates};
    struct ws_native_rule *compiled = &native->rules[plan->number];
    struct ws_formula_pool *pool = &native->formulas;

    compiled->where = ws_formula_of_all(pool, &scene, &member->where, 1);
    if (member->expect)
        compiled->expect = ws_formula_of(pool, &scene, member->expect);
    compiled->condition = ws_formula_of_all(pool, &scene, &rule->condition, 1);
    compiled->keys = ws_native_keys(native, &scene, member->by, member->by_count);
    compiled->key_count = member->by_count;
    compiled->aggregates =
        ws_arena_alloc(&native->arena, (rule->aggregate_count + 1) * sizeof *compiled->aggregates);
    for (size_t i = 0; i < rule->aggregate_count; i++) {
        struct ws_native_aggregate *aggregate = &compiled->aggregates[i];
        aggregate->fold = fold_of(native, compiled, &scene, &rule->aggregates[i]);
        aggregate->at = rule->aggregates[i].value != NULL;
        if (aggregate->at)
            aggregate->value = ws_formula_of(pool, &scene, rule->aggregates[i].value);
    }
    native->analysis.plan.rules[plan->number].group_own = sizeof(struct open) +
                                                          compiled->key_count * sizeof(union ws_value) +
                                                          compiled->fold_count * sizeof(struct fold_state);
}

/* ---- open groups ---- */

static struct ws_group **bucket_of(const struct ws_native_rule *rule, uint64_t hash)
{
    return &rule->open[hash & (rule->open_size - 1)];
}

static void grow(struct ws_native_rule *rule)
{
    struct ws_group **old = rule->open;
    size_t old_size = rule->open_size;

    rule->open_size = old_size ? 2 * old_size : 16;
    rule->open = ws_alloc_array(rule->open_size, sizeof *rule->open);
    for (size_t i = 0; i < old_size; i++)
        for (struct ws_group *group = old[i], *next; group; group = next) {
            struct ws_group **bucket = bucket_of(rule, open_of(group)->hash);
            next = open_of(group)->next;
            open_of(group)->next = *bucket;
            *bucket = group;
        }
    free(old);
}

/* As ws_compare; nearly always of whole numbers. */
static inline int compare(enum ws_type type, union ws_value left, union ws_value right)
{
    if (type == WS_TYPE_INTEGER || type == WS_TYPE_TIME)
        return (left.i > right.i) - (left.i < right.i);
    return ws_compare(type, left, right);
}

static bool has_keys(const struct ws_native_rule *rule, struct ws_group *group, const union ws_value *keys)
{
    for (size_t i = 0; i < rule->key_count; i++)
        if (compare(rule->keys[i].type, open_of(group)->keys[i], keys[i]) != 0)
            return false;
    return true;
}

static struct ws_group *find(const struct ws_native_rule *rule, uint64_t hash, const union ws_value *keys)
{
    struct ws_group *group = rule->open_size ? *bucket_of(rule, hash) : NULL;

    while (group && (open_of(group)->hash != hash || !has_keys(rule, group, keys)))
        group = open_of(group)->next;
    return group;
}

static struct ws_group *open_group(struct ws_native *native, struct ws_native_rule *rule,
                                   const struct ws_plan_rule *plan, uint64_t hash, const union ws_value *keys)
{
    union ws_value expect = {.i = 0};
    struct ws_group *group, **bucket;

    if (plan->rule->members[0].expect && !ws_formula_value(&rule->expect, native->frames, &expect))
        expect.i = 0;
    group = ws_report_opened(&native->analysis, plan, expect.i);
    if (rule->open_count++ >= rule->open_size)
        grow(rule);
    bucket = bucket_of(rule, hash);
    open_of(group)->next = *bucket;
    open_of(group)->hash = hash;
    *bucket = group;
    if (rule->key_count)
        memcpy(open_of(group)->keys, keys, rule->key_count * sizeof *keys);
    memset(states_of(rule, group), 0, rule->fold_count * sizeof(struct fold_state));
    return group;
}

static void take_out(struct ws_native_rule *rule, struct ws_group *group)
{
    struct ws_group **place = bucket_of(rule, open_of(group)->hash);

    while (*place != group)
        place = &open_of(*place)->next;
    *place = open_of(group)->next;
    rule->open_count--;
}

/* ---- folding ---- */

static void add_key(const struct ws_native_fold *fold, struct fold_state *state, struct ws_live *live,
                    union ws_value key)
{
    bool better;

    switch (fold->kind) {
    case WS_FOLD_SUM:
        state->undefined =
            !ws_arithmetic(WS_OP_ADD, fold->type, state->value, fold->type, key, &state->value);
        return;
    case WS_FOLD_LEAST:
        better = !state->any || compare(fold->type, key, state->value) < 0;
        break;
    default:
        better = !state->any || compare(fold->type, key, state->value) > 0;
    }
    state->any = true;
    if (better) {
        state->value = key;
        state->at = live;
    }
}

static void fold_element(struct ws_native *native, const struct ws_native_rule *rule, struct ws_group *group,
                         struct ws_live *live)
{
    struct fold_state *states = states_of(rule, group);

    for (size_t i = 0; i < rule->fold_count; i++) {
        const struct ws_native_fold *fold = &rule->folds[i];
        struct fold_state *state = &states[i];
        union ws_value key;
        if (!ws_formula_holds(&fold->where, native->frames))
            continue;
        if (fold->kind == WS_FOLD_COUNT)
            state->value.i++;
        else if (!state->undefined && ws_formula_value(&fold->key, native->frames, &key))
            add_key(fold, state, live, key);
        else
            state->undefined = true;
    }
}

int ws_native_enter(void *matcher, const struct ws_plan_rule *plan, struct ws_live *live,
                    struct ws_error *error)
{
    struct ws_native *native = matcher;
    struct ws_native_rule *rule = &native->rules[plan->number];
    union ws_value *keys = native->keys;
    struct ws_group *group;
    uint64_t hash = 0;

    (void)error;
    native->frames[WS_FRAME_MEMBERS] = ws_live_event(live)->value;
    if (!ws_formula_holds(&rule->where, native->frames))
        return 0;
    for (size_t i = 0; i < rule->key_count; i++) {
        if (!ws_formula_value(&rule->keys[i].formula, native->frames, &keys[i]))
            return 0;
        hash += ws_native_hash_value(&rule->keys[i], keys[i]);
    }
    hash = ws_native_hash_end(hash);
    group = find(rule, hash, keys);
    if (!group)
        group = open_group(native, rule, plan, hash, keys);
    fold_element(native, rule, group, live);
    ws_report_entered(&native->analysis, group);
    return 0;
}

/* ---- closing ---- */

static bool aggregate_value(struct ws_native *native, const struct ws_native_rule *rule,
                            const struct ws_native_aggregate *aggregate, struct ws_group *group,
                            union ws_value *value)
{
    const struct ws_native_fold *fold = &rule->folds[aggregate->fold];
    const struct fold_state *state = &states_of(rule, group)[aggregate->fold];
    bool chosen = fold->kind == WS_FOLD_LEAST || fold->kind == WS_FOLD_GREATEST;

    *value = state->value;
    if (state->undefined || (chosen && !state->any))
        return false;
    if (!aggregate->at)
        return true;
    native->frames[WS_FRAME_MEMBERS] = ws_live_event(state->at)->value;
    return ws_formula_value(&aggregate->value, native->frames, value);
}

int ws_native_close(void *matcher, struct ws_group *group, struct ws_error *error)
{
    struct ws_native *native = matcher;
    struct ws_native_rule *rule = &native->rules[group->rule->number];

    (void)error;
    take_out(rule, group);
    for (size_t i = 0; i < group->rule->rule->aggregate_count; i++) {
        union ws_value *result = &native->frames[WS_FRAME_AGGREGATES][2 * i];
        result[1].i = aggregate_value(native, rule, &rule->aggregates[i], group, result);
    }
    if (!ws_formula_holds(&rule->condition, native->frames))
        return 0;
    if (!ws_native_parameters(native, group->rule, ws_report_complete(&native->analysis)))
        ws_report_undefined(&native->analysis);
    return 0;
}
