/* From the parse tree to the knowledge base: types first, so that rules may use each other in any order,
 * then composite rules, then problems. */
#include "rules/append.h"
#include "rules/check.h"

#include <stdlib.h>
#include <string.h>

static bool competes(const struct ws_declaration *a, const struct ws_declaration *b)
{
    return a->scope == b->scope || a->scope->common || b->scope->common;
}

/* Reports a type whose name is taken in a scope that sees both.  Of two the later in order is the mistake,
 * and one in a problem's folder before one of the common rules. */
static void check_type_name(struct ws_checker *checker, size_t index)
{
    struct ws_declaration *declaration = checker->tree->declarations[index];
    const struct ws_word *word = &declaration->name;

    if (ws_find_simple(checker->kb, word->text)) {
        declaration->used = true; /* under its right name perhaps */
        ws_mistake(checker->diagnostics, word->pos, word->width, NULL,
                   "'%s' is the name of a simple event already", word->text);
    }
    for (size_t i = 0; i < checker->tree->count; i++) {
        const struct ws_declaration *other = checker->tree->declarations[i];
        bool first = other->scope->common == declaration->scope->common ? i < index : other->scope->common;
        if (i == index || !first || other->problem || !competes(declaration, other) ||
            strcmp(other->name.text, word->text) != 0)
            continue;
        declaration->used = true;
        ws_mistake(checker->diagnostics, word->pos, word->width, NULL,
                   "two composite events have the name '%s': the other one in %s:%d", word->text,
                   other->name.pos.file, other->name.pos.line);
        return;
    }
}

static void declare_type(struct ws_checker *checker, struct ws_declaration *declaration)
{
    struct ws_event_type *type = ws_arena_alloc(checker->arena, sizeof *type);

    type->name = declaration->name.text;
    type->composite = true;
    type->index = (uint32_t)checker->kb->type_count;
    type->scope = declaration->scope;
    type->pos = declaration->name.pos;
    WS_APPEND(checker->arena, checker->kb->types, checker->kb->type_count) = type;
    declaration->type = type;
}

/* Checked is in the order of need; the rules of a scope are tried in the order of declaration. */
static void add_rule(struct ws_checker *checker, struct ws_declaration *declaration)
{
    struct ws_scope *scope = declaration->scope;

    ws_check_composite(checker, declaration);
    if (declaration->sound)
        WS_APPEND(checker->arena, scope->composites, scope->composite_count) = declaration->type->rule;
}

void ws_rules_check(struct ws_tree *tree, struct ws_kb *kb, struct ws_diagnostics *diagnostics)
{
    struct ws_checker *checker = ws_alloc(sizeof *checker);

    *checker = (struct ws_checker){.kb = kb, .arena = tree->arena, .diagnostics = diagnostics, .tree = tree};
    for (size_t i = 0; i < tree->count; i++)
        if (!tree->declarations[i]->problem)
            declare_type(checker, tree->declarations[i]);
    for (size_t i = 0; i < tree->count; i++)
        if (!tree->declarations[i]->problem)
            check_type_name(checker, i);
    for (size_t i = 0; i < tree->count; i++)
        if (!tree->declarations[i]->problem)
            add_rule(checker, tree->declarations[i]);
    for (size_t i = 0; i < tree->count; i++)
        if (tree->declarations[i]->problem)
            ws_check_problem(checker, tree->declarations[i]);
    ws_check_usage(checker);
    free(checker);
}
