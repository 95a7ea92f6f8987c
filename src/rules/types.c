#include "rules/append.h"
#include "rules/check.h"

#include <string.h>

struct ws_event_type *ws_find_simple(const struct ws_kb *kb, const char *name)
{
    for (size_t i = 0; i < kb->simple_count; i++)
        if (strcmp(kb->types[i]->name, name) == 0)
            return kb->types[i];
    return NULL;
}

static bool sees(const struct ws_scope *scope, const struct ws_declaration *declaration)
{
    return !declaration->problem && (declaration->scope == scope || declaration->scope->common);
}

struct ws_declaration *ws_find_composite(const struct ws_checker *checker, const struct ws_scope *scope,
                                         const char *name)
{
    for (size_t i = 0; i < checker->tree->count; i++) {
        struct ws_declaration *declaration = checker->tree->declarations[i];
        if (sees(scope, declaration) && strcmp(declaration->name.text, name) == 0)
            return declaration;
    }
    return NULL;
}

/* A composite type of this name that belongs to another problem type. */
static const struct ws_declaration *elsewhere(const struct ws_checker *checker, const char *name)
{
    for (size_t i = 0; i < checker->tree->count; i++)
        if (!checker->tree->declarations[i]->problem &&
            strcmp(checker->tree->declarations[i]->name.text, name) == 0)
            return checker->tree->declarations[i];
    return NULL;
}

static const char *nearest_type(struct ws_checker *checker, const struct ws_scope *scope, const char *name)
{
    const char **candidates = NULL, *nearest;
    struct ws_declaration *meant;
    size_t count = 0;

    for (size_t i = 0; i < checker->kb->simple_count; i++)
        WS_APPEND(checker->arena, candidates, count) = checker->kb->types[i]->name;
    for (size_t i = 0; i < checker->tree->count; i++)
        if (sees(scope, checker->tree->declarations[i]))
            WS_APPEND(checker->arena, candidates, count) = checker->tree->declarations[i]->name.text;
    nearest = ws_suggest(name, candidates, count);
    meant = nearest ? ws_find_composite(checker, scope, nearest) : NULL;
    if (meant)
        meant->used = true; /* that it seems unused would follow from this mistake */
    return nearest;
}

/* Do calls of the function give events of this type? */
static bool gives(const struct ws_kb *kb, const struct ws_function *function,
                  const struct ws_event_type *type)
{
    for (size_t i = 0; i < kb->trace_rule_count; i++)
        for (size_t k = 0; kb->trace_rules[i]->type == type && k < kb->trace_rules[i]->function_count; k++)
            if (kb->trace_rules[i]->functions[k] == function)
                return true;
    return false;
}

/* "'send' or 'recv'": the types of event that calls of a function give; empty where they give none. */
static void add_types_of(struct ws_text *text, const struct ws_kb *kb, const struct ws_function *function)
{
    for (size_t i = 0; i < kb->simple_count; i++)
        if (gives(kb, function, kb->types[i]))
            ws_text_printf(text, "%s'%s'", text->length ? " or " : "", kb->types[i]->name);
}

/* A function's name where that of an event type is wanted; false: it is none. */
static bool is_function(struct ws_checker *checker, const struct ws_word *word)
{
    const struct ws_kb *kb = checker->kb;
    const struct ws_function *function = NULL;
    struct ws_text types = {0};

    for (size_t i = 0; i < kb->function_count && !function; i++)
        if (strcmp(kb->functions[i]->name, word->text) == 0)
            function = kb->functions[i];
    if (!function)
        return false;
    add_types_of(&types, kb, function);
    if (types.length)
        ws_mistake(checker->diagnostics, word->pos, word->width, NULL,
                   "'%s' is a function: calls of it are events of type %s", word->text, types.bytes);
    else
        ws_mistake(checker->diagnostics, word->pos, word->width, NULL,
                   "'%s' is a function, and calls of it are no events of their own", word->text);
    ws_text_free(&types);
    return true;
}

void ws_unknown_type(struct ws_checker *checker, const struct ws_scope *scope, const struct ws_word *word)
{
    const struct ws_declaration *other = elsewhere(checker, word->text);

    if (checker->kb->simple_count == 0 && checker->diagnostics->mistakes > 0)
        return; /* the trace rules could not be read */
    if (other)
        ws_mistake(checker->diagnostics, word->pos, word->width, NULL,
                   "the composite event '%s' belongs to the problem '%s' (%s:%d), which alone can use it",
                   word->text, other->scope->id, other->name.pos.file, other->name.pos.line);
    else if (!is_function(checker, word))
        ws_mistake(checker->diagnostics, word->pos, word->width, nearest_type(checker, scope, word->text),
                   "unknown event type '%s'", word->text);
}
