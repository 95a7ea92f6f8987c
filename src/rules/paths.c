#include "rules/append.h"
#include "rules/check.h"
#include "rules/expr.h"

#include <string.h>

int ws_find_member(const struct ws_composite_rule *rule, const char *name)
{
    for (size_t i = 0; i < rule->member_count; i++)
        if (rule->members[i].name && strcmp(rule->members[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* ---- what is not there ---- */

static struct ws_expr *unknown_member(const struct ws_names *names, const struct ws_word *word)
{
    struct ws_checker *checker = names->checker;
    const char **candidates = NULL;
    size_t count = 0;

    for (size_t i = 0; i < names->rule->member_count; i++)
        if (names->rule->members[i].name)
            WS_APPEND(checker->arena, candidates, count) = names->rule->members[i].name;
    if (!names->declaration->damaged)
        ws_mistake(checker->diagnostics, word->pos, word->width, ws_suggest(word->text, candidates, count),
                   "unknown member '%s'", word->text);
    return ws_expr_mistaken(names, word->pos);
}

static void unknown_slot(const struct ws_names *names, const struct ws_event_type *type,
                     const struct ws_word *word)
{
    struct ws_checker *checker = names->checker;
    const struct ws_declaration *source = ws_find_composite(checker, names->declaration->scope, type->name);
    const char **candidates = NULL;
    size_t count = 0;

    if (source && source->damaged)
        return;
    for (size_t i = 0; i < type->slot_count; i++)
        WS_APPEND(checker->arena, candidates, count) = type->slots[i].name;
    ws_mistake(checker->diagnostics, word->pos, word->width, ws_suggest(word->text, candidates, count),
               "%s event '%s' has no parameter '%s'", type->composite ? "composite" : "simple", type->name,
               word->text);
}

/* ---- in a composite rule ---- */

static struct ws_expr *slot(const struct ws_names *names, uint32_t member, const struct ws_event_type *type,
                            int index, struct ws_pos pos)
{
    struct ws_expr *expr = ws_expr_new(names, WS_OP_SLOT, type->slots[index].type, pos);

    expr->member = member;
    expr->slot = (uint32_t)index;
    return expr;
}

/* A value of a whole group: only what the group's key makes the same for all its elements. */
static struct ws_expr *group_value(const struct ws_names *names, const struct ws_word *name,
                                   struct ws_expr *value)
{
    const struct ws_member *group = &names->rule->members[0];

    for (size_t i = 0; i < group->by_count; i++)
        if (ws_expr_equal(group->by[i], value))
            return ws_key_aggregate(names, value);
    ws_mistake(
        names->checker->diagnostics, name->pos, name->width, NULL,
        "'%s' stands for all events of the group: take an aggregate (max, min, sum, count, at_max, at_min)",
        name->text);
    return ws_expr_mistaken(names, name->pos);
}

static struct ws_expr *member_value(const struct ws_names *names, const struct ws_word *name,
                                    const struct ws_word *attribute, uint32_t member)
{
    const struct ws_event_type *type = names->rule->members[member].type;
    struct ws_expr *expr;
    int index = -1;

    if (!type)
        return ws_expr_mistaken(names, name->pos);
    if (attribute->text) {
        index = ws_type_slot(type, attribute->text);
        if (index < 0) {
            unknown_slot(names, type, attribute);
            return ws_expr_mistaken(names, name->pos);
        }
        expr = slot(names, member, type, index, name->pos);
    } else {
        expr = ws_expr_new(names, WS_OP_MEMBER, WS_TYPE_EVENT, name->pos);
        expr->member = member;
    }
    if (names->within == WS_IN_GROUP && expr->type != WS_TYPE_NONE)
        return group_value(names, name, expr);
    return expr;
}

struct ws_expr *ws_check_path(const struct ws_names *names, const struct ws_tree_expr *tree)
{
    int member;

    if (names->within == WS_IN_PROBLEM)
        return ws_check_problem_path(names, &tree->name, &tree->attribute);
    member = ws_find_member(names->rule, tree->name.text);
    if (member < 0)
        return unknown_member(names, &tree->name);
    return member_value(names, &tree->name, &tree->attribute, (uint32_t)member);
}

/* ---- in a problem rule ---- */

/* The slot in which the composite event carries one of its members: a parameter that is just that, or a
 * new one, named after the member. */
static uint32_t carried(const struct ws_names *names, uint32_t member)
{
    struct ws_composite_rule *rule = names->rule;
    struct ws_event_type *type = rule->type;
    struct ws_expr *value = ws_expr_new(names, WS_OP_MEMBER, WS_TYPE_EVENT, rule->members[member].pos);
    struct ws_param *slots;

    value->member = member;
    for (size_t i = type->attribute_count; i < type->slot_count; i++)
        if (ws_expr_equal(type->slots[i].value, value))
            return (uint32_t)i;
    slots = ws_arena_alloc(names->checker->arena, (type->slot_count + 1) * sizeof *slots);
    memcpy(slots, type->slots, type->slot_count * sizeof *slots);
    slots[type->slot_count] = (struct ws_param){.name = rule->members[member].name,
                                                .type = WS_TYPE_EVENT,
                                                .kind = WS_PARAM_OUT,
                                                .value = value,
                                                .pos = rule->members[member].pos};
    type->slots = slots;
    return (uint32_t)type->slot_count++;
}

/* A parameter of the composite event, which has no parts. */
static struct ws_expr *parameter(const struct ws_names *names, const struct ws_word *name,
                                 const struct ws_word *attribute, int index)
{
    const struct ws_event_type *type = names->rule->type;

    if (!attribute->text)
        return slot(names, 0, type, index, name->pos);
    if (type->slots[index].type != WS_TYPE_NONE)
        ws_mistake(
            names->checker->diagnostics, attribute->pos, attribute->width, NULL,
            type->slots[index].type == WS_TYPE_EVENT
                ? "values of the event '%s' are for the templates: let '%s' carry this one as a parameter"
                : "'%s' has no parts: it is a parameter of '%s'",
            name->text, type->name);
    return ws_expr_mistaken(names, name->pos);
}

/* The group's element that waits, or one of its values. */
static struct ws_expr *element(const struct ws_names *names, const struct ws_word *name,
                               const struct ws_word *attribute)
{
    const struct ws_event_type *type = names->rule->members[0].type;
    struct ws_expr *expr;
    int index;

    if (!attribute->text) {
        expr = ws_expr_new(names, WS_OP_MEMBER, WS_TYPE_EVENT, name->pos);
        expr->member = 1;
        return expr;
    }
    index = type ? ws_type_slot(type, attribute->text) : -1;
    if (index >= 0)
        return slot(names, 1, type, index, name->pos);
    if (type)
        unknown_slot(names, type, attribute);
    return ws_expr_mistaken(names, name->pos);
}

struct ws_expr *ws_check_problem_member(const struct ws_names *names, const struct ws_word *name,
                                        const struct ws_word *attribute, uint32_t member)
{
    struct ws_diagnostics *diagnostics = names->checker->diagnostics;

    if (names->rule->members[member].group && names->each)
        return element(names, name, attribute);
    if (names->rule->members[member].group)
        ws_mistake(
            diagnostics, name->pos, name->width, NULL,
            "'%s' stands for all events of the group: only with 'waiting = %s' for one after the other",
            name->text, name->text);
    else if (attribute->text)
        ws_mistake(diagnostics, name->pos, name->width, NULL,
                   "a problem rule sees the parameters of '%s', not those of its members: let it carry "
                   "'%s.%s' as a parameter",
                   names->rule->type->name, name->text, attribute->text);
    else
        return slot(names, 0, names->rule->type, (int)carried(names, member), name->pos);
    return ws_expr_mistaken(names, name->pos);
}

static struct ws_expr *unknown_in_problem(const struct ws_names *names, const struct ws_word *name)
{
    const struct ws_event_type *type = names->rule->type;
    struct ws_checker *checker = names->checker;
    const struct ws_declaration *source = ws_find_composite(checker, names->declaration->scope, type->name);
    const char **candidates = NULL;
    size_t count = 0;

    if (source && source->damaged)
        return ws_expr_mistaken(names, name->pos);
    for (size_t i = 0; i < type->slot_count; i++)
        WS_APPEND(checker->arena, candidates, count) = type->slots[i].name;
    for (size_t i = 0; i < names->rule->member_count; i++)
        if (names->rule->members[i].name)
            WS_APPEND(checker->arena, candidates, count) = names->rule->members[i].name;
    ws_mistake(checker->diagnostics, name->pos, name->width, ws_suggest(name->text, candidates, count),
               "composite event '%s' has no parameter and no member '%s'", type->name, name->text);
    return ws_expr_mistaken(names, name->pos);
}

struct ws_expr *ws_check_problem_path(const struct ws_names *names, const struct ws_word *name,
                                      const struct ws_word *attribute)
{
    int index = ws_type_slot(names->rule->type, name->text), member = ws_find_member(names->rule, name->text);
    bool carries = index >= 0 && member >= 0 && names->rule->type->slots[index].type == WS_TYPE_EVENT;

    if (index >= 0 && !(carries && attribute->text))
        return parameter(names, name, attribute, index);
    if (member < 0)
        return index >= 0 ? parameter(names, name, attribute, index) : unknown_in_problem(names, name);
    if (!names->rule->members[member].type)
        return ws_expr_mistaken(names, name->pos);
    return ws_check_problem_member(names, name, attribute, (uint32_t)member);
}

/* ---- which event ---- */

static struct ws_event_type *event_of(const struct ws_composite_rule *rule, const struct ws_expr *expr)
{
    const struct ws_event_type *type;

    switch (expr->op) {
    case WS_OP_MEMBER:
        return rule->members[expr->member].type;
    case WS_OP_AGGREGATE:
        return event_of(rule, rule->aggregates[expr->aggregate].value);
    case WS_OP_SLOT:
        type = rule->members[expr->member].type;
        return event_of(type->rule, type->slots[expr->slot].value);
    default:
        return NULL;
    }
}

struct ws_event_type *ws_event_of_problem(const struct ws_composite_rule *rule, const struct ws_expr *expr)
{
    const struct ws_event_type *element;

    if (expr->type != WS_TYPE_EVENT)
        return NULL;
    if (expr->op == WS_OP_MEMBER)
        return rule->members[0].type;
    if (expr->member == 0)
        return event_of(rule, rule->type->slots[expr->slot].value);
    element = rule->members[0].type;
    return event_of(element->rule, element->slots[expr->slot].value);
}
