#include "engine/keys.h"

#include "rules/expr.h"
#include "util/format.h"

#include <stdlib.h>
#include <string.h>

/* A search that takes longer than this gives up: the scope then lies whole on one member. */
#define MOST_STEPS 20000
#define MOST_DOMAIN 48

/* The expressions that a key of the type can be. */
struct domain {
    const struct ws_expr *list[MOST_DOMAIN];
    size_t count;
};
struct search {
    const struct ws_kb *kb;
    const bool *wanted;
    struct ws_keys *keys;
    const struct ws_composite_rule **rules; /* at work */
    size_t rule_count, rule_capacity;
    struct domain *domains;        /* [type index] */
    const struct ws_expr **chosen; /* [type index]: of the key that is tried */
    uint32_t *order;               /* types of the component, each but the first in a rule with an earlier */
    size_t order_count;
    size_t steps;
};

/* ---- expressions ---- */

/* Does it name one member at most?  *member is that one; UINT32_MAX before, and after where it names none. */
static bool one_member(const struct ws_expr *expr, uint32_t *member)
{
    if (expr->op == WS_OP_AGGREGATE || expr->op == WS_OP_MEMBER || expr->op == WS_OP_OVERLAPS)
        return false;
    if (expr->op == WS_OP_SLOT) {
        if (*member != UINT32_MAX && *member != expr->member)
            return false;
        *member = expr->member;
    }
    for (size_t i = 0; i < expr->arg_count; i++)
        if (!one_member(expr->args[i], member))
            return false;
    return true;
}

/* Values of these types are the same bytes, or text, on every member of a team, where they are equal. */
static bool may_be_key(const struct ws_expr *expr)
{
    return expr->type == WS_TYPE_INTEGER || expr->type == WS_TYPE_TIME || expr->type == WS_TYPE_BOOLEAN ||
           expr->type == WS_TYPE_STRING;
}

static bool is_group(const struct ws_composite_rule *rule)
{
    return rule->member_count == 1 && rule->members[0].group;
}

/* Is it one of the group's key values? */
static bool among_by(const struct ws_composite_rule *rule, const struct ws_expr *expr)
{
    for (size_t i = 0; i < rule->members[0].by_count; i++)
        if (ws_expr_alike(rule->members[0].by[i], expr))
            return true;
    return false;
}

/* What a key over the composite event is over one of its members: NULL where it is not of that kind. */
static const struct ws_expr *inside(const struct ws_composite_rule *rule, const struct ws_expr *key,
                                    uint32_t *member)
{
    const struct ws_expr *value;

    if (key->op != WS_OP_SLOT || key->slot < rule->type->attribute_count)
        return NULL;
    value = rule->type->slots[key->slot].value;
    *member = UINT32_MAX;
    if (!value)
        return NULL;
    /* Of values that are the same for all elements any choice gives that one. */
    if (value->op == WS_OP_AGGREGATE) {
        const struct ws_aggregate *aggregate = &rule->aggregates[value->aggregate];
        if (aggregate->kind != WS_AGG_AT_MIN && aggregate->kind != WS_AGG_AT_MAX)
            return NULL;
        *member = 0;
        return among_by(rule, aggregate->value) ? aggregate->value : NULL;
    }
    return one_member(value, member) && *member != UINT32_MAX ? value : NULL;
}

/* ---- the rules at work, and what they connect ---- */

static struct ws_type_keys *known(struct search *search, const struct ws_event_type *type)
{
    return &search->keys->types[type->index];
}

/* All rules of the scopes wanted, and those of the common scope that such a rule or problem builds on, with
 * those that compete with them for their members. */
static bool is_needed(struct search *search, const struct ws_composite_rule *rule)
{
    if (known(search, rule->type)->used)
        return true;
    for (size_t m = 0; m < rule->member_count; m++)
        if (known(search, rule->members[m].type)->used)
            return true;
    return false;
}

static void take_rule(struct search *search, const struct ws_composite_rule *rule)
{
    WS_PUSH(search->rules, search->rule_count, search->rule_capacity) = rule;
    known(search, rule->type)->used = true;
    for (size_t m = 0; m < rule->member_count; m++)
        known(search, rule->members[m].type)->used = true;
}

static bool is_taken(const struct search *search, const struct ws_composite_rule *rule)
{
    for (size_t r = 0; r < search->rule_count; r++)
        if (search->rules[r] == rule)
            return true;
    return false;
}

static bool take_needed(struct search *search)
{
    const struct ws_scope *common = search->kb->scopes[0];
    bool more = false;

    for (size_t r = 0; common->common && r < common->composite_count; r++)
        if (!is_taken(search, common->composites[r]) && is_needed(search, common->composites[r])) {
            take_rule(search, common->composites[r]);
            more = true;
        }
    return more;
}

static void take_rules(struct search *search)
{
    const struct ws_kb *kb = search->kb;
    bool builds = false; /* on composite events that are not its own */

    for (size_t s = 0; s < kb->scope_count; s++) {
        const struct ws_scope *scope = kb->scopes[s];
        if (!search->wanted[s])
            continue;
        for (size_t r = 0; r < scope->composite_count; r++) {
            take_rule(search, scope->composites[r]);
            for (size_t m = 0; m < scope->composites[r]->member_count; m++) {
                const struct ws_event_type *type = scope->composites[r]->members[m].type;
                builds |= type->composite && type->scope != scope;
            }
        }
        for (size_t p = 0; p < scope->problem_count; p++) {
            known(search, scope->problems[p]->on)->used = true;
            builds |= scope->problems[p]->on->scope != scope;
        }
    }
    while (builds && take_needed(search))
        continue;
}

/* A composite event that needs a key gets it from its members. */
static bool spread_need(struct search *search, const struct ws_composite_rule *rule)
{
    bool more = false, needs = rule->member_count > 1 || is_group(rule) || known(search, rule->type)->meets;

    for (size_t m = 0; needs && m < rule->member_count; m++) {
        struct ws_type_keys *type = known(search, rule->members[m].type);
        more |= !type->meets;
        type->meets = true;
    }
    return more;
}

static void find_meeting(struct search *search)
{
    for (bool more = true; more;) {
        more = false;
        for (size_t r = 0; r < search->rule_count; r++)
            more |= spread_need(search, search->rules[r]);
    }
}

static bool connect(struct search *search, const struct ws_composite_rule *rule)
{
    uint32_t least = known(search, rule->type)->component;
    bool more;

    for (size_t m = 0; m < rule->member_count; m++) {
        uint32_t other = known(search, rule->members[m].type)->component;
        least = other < least ? other : least;
    }
    more = known(search, rule->type)->component != least;
    known(search, rule->type)->component = least;
    for (size_t m = 0; m < rule->member_count; m++) {
        more |= known(search, rule->members[m].type)->component != least;
        known(search, rule->members[m].type)->component = least;
    }
    return more;
}

/* Numbers the components from 0. */
static void find_components(struct search *search)
{
    struct ws_keys *keys = search->keys;
    size_t count = search->kb->type_count;
    uint32_t *number = ws_alloc_array(count, sizeof *number);

    for (size_t t = 0; t < count; t++)
        keys->types[t].component = (uint32_t)t;
    for (bool more = true; more;) {
        more = false;
        for (size_t r = 0; r < search->rule_count; r++)
            more |= connect(search, search->rules[r]);
    }
    for (size_t t = 0; t < count; t++)
        number[t] = keys->types[t].component == t ? (uint32_t)keys->component_count++
                                                  : number[keys->types[t].component];
    for (size_t t = 0; t < count; t++)
        keys->types[t].component = number[t];
    keys->components = ws_alloc_array(keys->component_count, sizeof *keys->components);
    for (size_t t = 0; t < count; t++)
        keys->components[keys->types[t].component].meets |= keys->types[t].meets;
    free(number);
}

/* ---- what keys can be made of ---- */

static bool offer(struct search *search, const struct ws_event_type *type, const struct ws_expr *expr)
{
    struct domain *domain = &search->domains[type->index];

    if (!may_be_key(expr) || (type->composite && expr->op != WS_OP_SLOT) || domain->count == MOST_DOMAIN)
        return false;
    for (size_t i = 0; i < domain->count; i++)
        if (ws_expr_alike(domain->list[i], expr))
            return false;
    domain->list[domain->count++] = expr;
    return true;
}

static void offer_of_rule(struct search *search, const struct ws_composite_rule *rule)
{
    for (size_t j = 0; j < rule->join_count; j++) {
        offer(search, rule->members[rule->joins[j].left_member].type, rule->joins[j].left);
        offer(search, rule->members[rule->joins[j].right_member].type, rule->joins[j].right);
    }
    for (size_t m = 0; m < rule->member_count; m++)
        for (size_t i = 0; rule->members[m].group && i < rule->members[m].by_count; i++)
            offer(search, rule->members[m].type, rule->members[m].by[i]);
}

static bool offer_inside(struct search *search, const struct ws_composite_rule *rule)
{
    const struct domain *domain = &search->domains[rule->type->index];
    bool more = false;

    for (size_t i = 0; i < domain->count; i++) {
        uint32_t member;
        const struct ws_expr *expr = inside(rule, domain->list[i], &member);
        if (expr)
            more |= offer(search, rule->members[member].type, expr);
    }
    return more;
}

static void find_domains(struct search *search)
{
    for (size_t r = 0; r < search->rule_count; r++)
        offer_of_rule(search, search->rules[r]);
    for (bool more = true; more;) {
        more = false;
        for (size_t r = 0; r < search->rule_count; r++)
            more |= offer_inside(search, search->rules[r]);
    }
}

/* ---- does a rule keep to the chosen keys? ---- */

struct term {
    uint32_t member;
    const struct ws_expr *expr;
};
#define MOST_TERMS 64

/* The terms that are equal to the first in all tuples of the rule, by its equalities: marked in `equal`. */
static void close_terms(const struct ws_composite_rule *rule, const struct term *terms, size_t count,
                        bool *equal)
{
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; equal[i] && k < count; k++)
                if (!equal[k] && terms[i].member == terms[k].member && ws_expr_alike(terms[i].expr, terms[k].expr))
                    more = equal[k] = true;
        for (size_t j = 0; j < rule->join_count; j++) /* terms 2j and 2j + 1 */
            if (equal[2 * j] != equal[2 * j + 1])
                more = equal[2 * j] = equal[2 * j + 1] = true;
    }
}

static bool tuples_agree(const struct ws_composite_rule *rule, const struct term *wanted, size_t count)
{
    struct term terms[MOST_TERMS];
    bool equal[MOST_TERMS] = {false};
    size_t joins = 2 * rule->join_count;

    if (joins + count > MOST_TERMS)
        return false;
    for (size_t j = 0; j < rule->join_count; j++) {
        terms[2 * j] = (struct term){rule->joins[j].left_member, rule->joins[j].left};
        terms[2 * j + 1] = (struct term){rule->joins[j].right_member, rule->joins[j].right};
    }
    memcpy(terms + joins, wanted, count * sizeof *wanted);
    equal[joins] = true;
    close_terms(rule, terms, joins + count, equal);
    for (size_t i = 0; i < count; i++)
        if (!equal[joins + i])
            return false;
    return true;
}

/* As far as the keys are chosen: a type without one yet is no hindrance. */
static bool rule_agrees(const struct search *search, const struct ws_composite_rule *rule)
{
    const struct ws_expr *own = search->chosen[rule->type->index];
    struct term wanted[MOST_TERMS];
    size_t count = 0;

    if (rule->member_count >= MOST_TERMS)
        return false;
    for (uint32_t m = 0; m < rule->member_count; m++) {
        const struct ws_expr *key = search->chosen[rule->members[m].type->index];
        if (key && is_group(rule) && !among_by(rule, key))
            return false;
        if (key)
            wanted[count++] = (struct term){m, key};
    }
    if (own && !(wanted[count].expr = inside(rule, own, &wanted[count].member)))
        return false;
    count += own != NULL;
    return count < 2 || tuples_agree(rule, wanted, count);
}

static bool all_agree(const struct search *search, const struct ws_event_type *changed)
{
    for (size_t r = 0; r < search->rule_count; r++) {
        const struct ws_composite_rule *rule = search->rules[r];
        bool concerned = rule->type == changed;
        for (size_t m = 0; m < rule->member_count; m++)
            concerned |= rule->members[m].type == changed;
        if (concerned && !rule_agrees(search, rule))
            return false;
    }
    return true;
}

/* ---- the search ---- */

static bool choose(struct search *search, size_t place)
{
    const struct ws_event_type *type;
    const struct domain *domain;

    if (place == search->order_count)
        return true;
    type = search->kb->types[search->order[place]];
    domain = &search->domains[type->index];
    for (size_t i = 0; i < domain->count && search->steps < MOST_STEPS; i++) {
        search->steps++;
        search->chosen[type->index] = domain->list[i];
        if (all_agree(search, type) && choose(search, place + 1))
            return true;
    }
    search->chosen[type->index] = NULL;
    return false;
}

static bool in_order(const struct search *search, uint32_t type)
{
    for (size_t i = 0; i < search->order_count; i++)
        if (search->order[i] == type)
            return true;
    return false;
}

static void append(struct search *search, const struct ws_event_type *type)
{
    if (known(search, type)->meets && !in_order(search, type->index))
        search->order[search->order_count++] = type->index;
}

/* From the first type of the component on, along the rules. */
static void make_order(struct search *search, uint32_t component)
{
    search->order_count = 0;
    for (size_t t = 0; t < search->kb->type_count && search->order_count == 0; t++)
        if (search->keys->types[t].component == component)
            append(search, search->kb->types[t]);
    for (size_t i = 0; i < search->order_count; i++)
        for (size_t r = 0; r < search->rule_count; r++) {
            const struct ws_composite_rule *rule = search->rules[r];
            bool reached = in_order(search, rule->type->index);
            for (size_t m = 0; m < rule->member_count; m++)
                reached |= in_order(search, rule->members[m].type->index);
            for (size_t m = 0; reached && m < rule->member_count; m++)
                append(search, rule->members[m].type);
            if (reached)
                append(search, rule->type);
        }
}

static bool is_process(const struct ws_kb *kb, uint32_t type, const struct ws_expr *key)
{
    return !kb->types[type]->composite && key->op == WS_OP_SLOT && key->slot == WS_ATTR_PROCESS;
}

/* For how many types the chosen key is the process that they come from. */
static size_t processes(const struct search *search)
{
    size_t count = 0;

    for (size_t i = 0; i < search->order_count; i++)
        count += is_process(search->kb, search->order[i], search->chosen[search->order[i]]);
    return count;
}

/* A communicator, a window or a truth value has few values. */
static bool is_narrow(const struct ws_kb *kb, uint32_t type, const struct ws_expr *key)
{
    const char *format;

    if (key->type == WS_TYPE_BOOLEAN || key->type == WS_TYPE_STRING || key->op == WS_OP_CONSTANT)
        return true;
    if (kb->types[type]->composite || key->op != WS_OP_SLOT)
        return false;
    format = kb->types[type]->slots[key->slot].format;
    return format && (strcmp(format, "comm") == 0 || strcmp(format, "window") == 0);
}

static void keep_chosen(struct search *search, struct ws_component *component, size_t at)
{
    for (size_t i = 0; i < search->order_count; i++) {
        struct ws_type_keys *type = &search->keys->types[search->order[i]];
        if (at != component->key_count) /* the first makes room */
            type->keys[component->key_count] = type->keys[at];
        type->keys[at] = search->chosen[search->order[i]];
    }
    component->key_count++;
}

/* Each value that the first type can have in a key, tried in turn. */
static void search_component(struct search *search, uint32_t number)
{
    struct ws_component *component = &search->keys->components[number];
    size_t most_processes = 0;
    const struct domain *first;

    make_order(search, number);
    component->narrow = true;
    first = &search->domains[search->order[0]];
    search->steps = 0;
    for (size_t i = 0; i < first->count && component->key_count < WS_MOST_KEYS; i++) {
        const struct ws_event_type *type = search->kb->types[search->order[0]];
        memset(search->chosen, 0, search->kb->type_count * sizeof *search->chosen);
        search->chosen[type->index] = first->list[i];
        if (!all_agree(search, type) || !choose(search, 1))
            continue;
        component->narrow &= is_narrow(search->kb, type->index, first->list[i]);
        if (processes(search) > most_processes) {
            most_processes = processes(search);
            keep_chosen(search, component, 0);
            component->by_rank = true;
        } else {
            keep_chosen(search, component, component->key_count);
        }
    }
    component->narrow &= !component->by_rank;
}

void ws_keys_find(struct ws_keys *keys, const struct ws_kb *kb, const bool *wanted)
{
    struct search search = {.kb = kb, .wanted = wanted, .keys = keys};

    *keys = (struct ws_keys){.types = ws_alloc_array(kb->type_count, sizeof *keys->types), .found = true};
    search.domains = ws_alloc_array(kb->type_count, sizeof *search.domains);
    search.chosen = ws_alloc_array(kb->type_count, sizeof *search.chosen);
    search.order = ws_alloc_array(kb->type_count, sizeof *search.order);
    take_rules(&search);
    find_meeting(&search);
    find_components(&search);
    find_domains(&search);
    for (size_t c = 0; c < keys->component_count; c++) {
        if (!keys->components[c].meets)
            continue;
        search_component(&search, (uint32_t)c);
        keys->found &= keys->components[c].key_count > 0;
    }
    free(search.rules);
    free(search.domains);
    free(search.chosen);
    free(search.order);
}

void ws_keys_free(struct ws_keys *keys)
{
    free(keys->types);
    free(keys->components);
    *keys = (struct ws_keys){0};
}
