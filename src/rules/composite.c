/* One composite rule: its members, condition and parameters. */
#include "rules/append.h"
#include "rules/check.h"
#include "rules/expr.h"

#include <string.h>

/* ---- members ---- */

static void report_cycle(struct ws_checker *checker, const struct ws_declaration *again,
                         const struct ws_word *word)
{
    struct ws_text path = {0};
    size_t first = 0;

    while (checker->chain[first] != again)
        first++;
    for (size_t i = first; i < checker->chain_length; i++)
        ws_text_printf(&path, "%s -> ", checker->chain[i]->name.text);
    ws_text_puts(&path, again->name.text);
    ws_mistake(checker->diagnostics, word->pos, word->width, NULL,
               "composite events cannot be members of themselves: %s", path.bytes);
    ws_text_free(&path);
}

/* The type of a composite member, its own rule checked before; NULL after reporting why not. */
static struct ws_event_type *composite_member(struct ws_checker *checker, struct ws_declaration *member,
                                              const struct ws_word *word)
{
    member->used = true;
    if (member->state == WS_IN_CHECK) {
        report_cycle(checker, member, word);
        return NULL;
    }
    if (member->state == WS_UNCHECKED && checker->chain_length == WS_CHAIN_MOST) {
        ws_mistake(checker->diagnostics, word->pos, word->width, NULL,
                   "composite events are members of each other more than %d deep", WS_CHAIN_MOST);
        return NULL;
    }
    ws_check_composite(checker, member);
    return member->type;
}

static struct ws_event_type *member_type(struct ws_checker *checker, const struct ws_scope *scope,
                                         const struct ws_word *word)
{
    struct ws_event_type *simple = ws_find_simple(checker->kb, word->text);
    struct ws_declaration *composite = simple ? NULL : ws_find_composite(checker, scope, word->text);

    if (simple)
        return simple;
    if (composite)
        return composite_member(checker, composite, word);
    ws_unknown_type(checker, scope, word);
    return NULL;
}

/* A name used twice stands for neither member afterwards. */
static void check_member_name(struct ws_checker *checker, struct ws_composite_rule *rule, size_t index,
                              const struct ws_word *word)
{
    for (size_t i = 0; i < index; i++)
        if (word->text && rule->members[i].name && strcmp(rule->members[i].name, word->text) == 0) {
            ws_mistake(checker->diagnostics, word->pos, word->width, NULL,
                       "two members have the name '%s': the other one in line %d", word->text,
                       rule->members[i].pos.line);
            rule->members[i].type = NULL;
        }
}

static void check_members(struct ws_checker *checker, const struct ws_declaration *declaration,
                          struct ws_composite_rule *rule)
{
    rule->members = ws_arena_alloc(checker->arena, declaration->member_count * sizeof *rule->members);
    rule->member_count = declaration->member_count;
    for (size_t i = 0; i < rule->member_count; i++) {
        const struct ws_tree_member *tree = &declaration->members[i];
        rule->members[i] = (struct ws_member){.name = tree->name.text,
                                              .type = member_type(checker, declaration->scope, &tree->type),
                                              .shared = tree->shared,
                                              .group = tree->group,
                                              .pos = tree->name.pos};
        check_member_name(checker, rule, i, &tree->name);
    }
    for (size_t i = 0; i < rule->member_count && rule->member_count > 1; i++)
        if (rule->members[i].group) {
            const struct ws_word *word = &declaration->members[i].type;
            ws_mistake(
                checker->diagnostics, word->pos, word->width, NULL,
                "a group ('all') is the only member of its rule: make it a composite event of its own, and "
                "that a member here");
            rule->members[i].type = NULL;
        }
}

/* ---- groups ---- */

static void check_key(const struct ws_names *names, const struct ws_tree_expr *tree, struct ws_member *member)
{
    struct ws_expr *key = ws_check_expr(names, tree);

    if (key->type == WS_TYPE_NONE)
        return;
    if (key->op != WS_OP_SLOT || key->type == WS_TYPE_EVENT)
        ws_mistake(names->checker->diagnostics, tree->pos, tree->width, NULL,
                   "'by' needs parameters of the group's events, such as %s.process",
                   member->name ? member->name : "x");
    else
        WS_APPEND(names->checker->arena, member->by, member->by_count) = key;
}

static void check_group(const struct ws_names *names, const struct ws_tree_member *tree)
{
    struct ws_names inner = *names;
    struct ws_member *member = &names->rule->members[0];

    inner.within = WS_IN_ELEMENT;
    for (size_t i = 0; i < tree->by_count; i++)
        check_key(&inner, tree->by[i], member);
    if (tree->where) {
        member->where = ws_check_typed(&inner, tree->where, WS_TYPE_BOOLEAN, "'where'");
        ws_check_contradiction(names->checker, names->rule, NULL, member->where);
    }
    if (tree->expect)
        member->expect =
            ws_check_typed(&inner, tree->expect, WS_TYPE_INTEGER, tree->every ? "'every'" : "'expect'");
    member->every = tree->every;
}

/* ---- parameters ---- */

static void check_parameter_name(struct ws_checker *checker, const struct ws_event_type *type,
                                 const struct ws_word *word)
{
    for (size_t i = 0; i < type->slot_count; i++) {
        if (strcmp(type->slots[i].name, word->text) != 0)
            continue;
        if (i < type->attribute_count)
            ws_mistake(checker->diagnostics, word->pos, word->width, NULL,
                       "every composite event has '%s' already: %s", word->text,
                       ws_composite_attributes[i].meaning);
        else
            ws_mistake(checker->diagnostics, word->pos, word->width, NULL,
                       "two parameters have the name '%s': the other one in line %d", word->text,
                       type->slots[i].pos.line);
        return;
    }
}

/* The attributes; the parameters follow. */
static void start_slots(struct ws_checker *checker, struct ws_event_type *type)
{
    for (size_t i = 0; i < WS_CATTR_COUNT; i++)
        WS_APPEND(checker->arena, type->slots, type->slot_count) =
            (struct ws_param){.name = ws_composite_attributes[i].name,
                              .type = ws_composite_attributes[i].type,
                              .kind = WS_PARAM_OUT};
    type->attribute_count = WS_CATTR_COUNT;
}

static void check_parameters(const struct ws_names *names)
{
    const struct ws_declaration *declaration = names->declaration;
    struct ws_event_type *type = declaration->type;

    for (size_t i = 0; i < declaration->param_count; i++) {
        const struct ws_tree_param *tree = &declaration->params[i];
        struct ws_param slot = {.name = tree->name.text, .kind = WS_PARAM_OUT, .pos = tree->name.pos};
        if (tree->value) {
            slot.value = ws_check_expr(names, tree->value);
            slot.type = slot.value->type;
        }
        check_parameter_name(names->checker, type, &tree->name);
        WS_APPEND(names->checker->arena, type->slots, type->slot_count) = slot;
    }
}

/* ---- the rule ---- */

static void check_condition(const struct ws_names *names)
{
    struct ws_composite_rule *rule = names->rule;

    if (!names->declaration->condition)
        return;
    rule->condition = ws_check_typed(names, names->declaration->condition, WS_TYPE_BOOLEAN, "'when'");
    ws_check_contradiction(names->checker, rule, NULL, rule->condition);
}

/* Only of a rule without a mistake can be said what is left over. */
static void finish(struct ws_checker *checker, struct ws_declaration *declaration,
                   struct ws_composite_rule *rule, bool connectable)
{
    if (declaration->damaged || rule->member_count == 0 || !connectable)
        return;
    ws_split_condition(checker, rule);
    ws_check_connected(checker, declaration, rule);
    declaration->sound = true;
}

static bool members_known(const struct ws_composite_rule *rule)
{
    for (size_t i = 0; i < rule->member_count; i++)
        if (!rule->members[i].type || !rule->members[i].name)
            return false;
    return true;
}

void ws_check_composite(struct ws_checker *checker, struct ws_declaration *declaration)
{
    struct ws_composite_rule *rule;
    struct ws_names names;

    if (declaration->state != WS_UNCHECKED)
        return;
    declaration->state = WS_IN_CHECK;
    checker->chain[checker->chain_length++] = declaration;
    rule = ws_arena_alloc(checker->arena, sizeof *rule);
    rule->type = declaration->type;
    rule->scope = declaration->scope;
    rule->pos = declaration->name.pos;
    check_members(checker, declaration, rule);
    names = (struct ws_names){.checker = checker, .declaration = declaration, .rule = rule};
    names.within = rule->member_count == 1 && rule->members[0].group ? WS_IN_GROUP : WS_IN_RULE;
    if (names.within == WS_IN_GROUP)
        check_group(&names, &declaration->members[0]);
    check_condition(&names);
    start_slots(checker, declaration->type);
    check_parameters(&names);
    declaration->type->rule = rule;
    declaration->state = WS_CHECKED;
    checker->chain_length--;
    finish(checker, declaration, rule,
           members_known(rule) && !(rule->condition && ws_is_mistaken(rule->condition)));
}
