/* What the places of an advice template name. */
#include "rules/append.h"
#include "rules/check.h"
#include "rules/template.h"

#include <string.h>

struct place {
    const struct ws_names *names;
    const struct ws_problem_rule *problem;
    const struct ws_template_piece *piece;
};

static bool is_word(const struct ws_word *word, const char *text)
{
    return word->text && strcmp(word->text, text) == 0;
}

/* ---- events ---- */

static void unknown_attribute(const struct place *place, const struct ws_event_type *type)
{
    const struct ws_word *word = &place->piece->attribute;
    const char *candidates[WS_ATTR_COUNT];

    for (size_t i = 0; i < WS_ATTR_COUNT; i++)
        candidates[i] = ws_attributes[i].name;
    if (type && ws_type_slot(type, word->text) >= 0)
        ws_mistake(
            place->names->checker->diagnostics, word->pos, word->width, NULL,
            "a template sees the attributes of an event, not its parameters: let '%s' carry '%s.%s' as a "
            "parameter",
            place->problem->on->name, place->piece->name.text, word->text);
    else
        ws_mistake(place->names->checker->diagnostics, word->pos, word->width,
                   ws_suggest(word->text, candidates, WS_ATTR_COUNT), "an event has no attribute '%s'",
                   word->text);
}

/* The value of an event that a place shows: the attribute named, or its call site. */
static struct ws_expr *event_place(const struct place *place, struct ws_expr *event, int *attribute)
{
    const struct ws_event_type *type = ws_event_of_problem(place->names->rule, event);
    const struct ws_word *word = &place->piece->attribute;
    int slot;

    if (type && type->composite) {
        ws_mistake(
            place->names->checker->diagnostics, place->piece->name.pos, place->piece->name.width, NULL,
            "'%s' is a composite event, which has no call of its own: let '%s' carry a simple event of it "
            "as a parameter",
            place->piece->name.text, place->problem->on->name);
        return ws_expr_mistaken(place->names, place->piece->name.pos);
    }
    *attribute = word->text ? -1 : WS_ATTR_SITE;
    for (int i = 0; word->text && i < WS_ATTR_COUNT; i++)
        if (is_word(word, ws_attributes[i].name))
            *attribute = i;
    if (*attribute >= 0)
        return event;
    slot = type ? ws_type_slot(type, word->text) : -1;
    if (event->op != WS_OP_MEMBER || slot < 0) {
        unknown_attribute(place, type);
        return ws_expr_mistaken(place->names, place->piece->name.pos);
    }
    struct ws_expr *value = ws_expr_new(place->names, WS_OP_SLOT, type->slots[slot].type, event->pos);
    value->member = 1;
    value->slot = (uint32_t)slot;
    return value;
}

/* ---- places ---- */

/* waiting and cause, unless the composite event has a parameter of that name and no attribute follows. */
static bool is_special(const struct place *place)
{
    const struct ws_word *name = &place->piece->name;

    return (is_word(name, "waiting") || is_word(name, "cause")) &&
           (place->piece->attribute.text || ws_type_slot(place->problem->on, name->text) < 0);
}

static struct ws_expr *special_event(const struct place *place)
{
    const struct ws_word *name = &place->piece->name;
    struct ws_expr *event = is_word(name, "waiting") ? place->problem->waiting : place->problem->cause;

    if (event)
        return event;
    if (!place->names->declaration->damaged)
        ws_mistake(place->names->checker->diagnostics, name->pos, name->width, NULL,
                   "this problem has no '%s': add '%s = ...' to its parameters", name->text, name->text);
    return ws_expr_mistaken(place->names, name->pos);
}

/* What the name alone stands for. */
static struct ws_expr *named(const struct place *place)
{
    const struct ws_word nothing = {0}, *name = &place->piece->name;
    const struct ws_composite_rule *rule = place->names->rule;
    int slot = ws_type_slot(rule->type, name->text), member = ws_find_member(rule, name->text);

    if (is_special(place))
        return special_event(place);
    if (place->piece->attribute.text && member >= 0 && rule->members[member].type &&
        (slot < 0 || rule->type->slots[slot].type != WS_TYPE_EVENT))
        return ws_check_problem_member(place->names, name, &nothing, (uint32_t)member);
    return ws_check_problem_path(place->names, name, &nothing);
}

static struct ws_expr *place_value(const struct place *place, int *attribute)
{
    const struct ws_word *word = &place->piece->attribute;
    struct ws_expr *expr = named(place);

    *attribute = -1;
    if (expr->type == WS_TYPE_EVENT)
        return event_place(place, expr, attribute);
    if (word->text && expr->type != WS_TYPE_NONE) {
        ws_mistake(place->names->checker->diagnostics, word->pos, word->width, NULL,
                   "'%s' is %s and has no attributes", place->piece->name.text, ws_type_phrase(expr->type));
        return ws_expr_mistaken(place->names, word->pos);
    }
    return expr;
}

static void check_function(const struct place *place, enum ws_type type)
{
    const struct ws_word *word = &place->piece->function_word;

    if (word->text && type != WS_TYPE_NONE && !ws_is_number_type(type))
        ws_mistake(place->names->checker->diagnostics, word->pos, word->width, NULL,
                   "'%s' needs integers, reals or times, not %s", word->text, ws_type_phrase(type));
}

static struct ws_piece check_piece(const struct place *place)
{
    struct ws_piece piece = {.text = place->piece->text, .function = place->piece->function, .attribute = -1};

    if (piece.text)
        return piece;
    piece.expr = place_value(place, &piece.attribute);
    check_function(place, piece.attribute >= 0 ? ws_attributes[piece.attribute].type : piece.expr->type);
    return piece;
}

struct ws_template *ws_check_template(struct ws_checker *checker, const struct ws_names *names,
                                      const struct ws_problem_rule *problem, const struct ws_tree_text *text)
{
    struct ws_template_pieces pieces = ws_template_split(checker->arena, checker->diagnostics, text);
    struct ws_template *template;

    if (!names)
        return NULL;
    template = ws_arena_alloc(checker->arena, sizeof *template);
    template->source = text->bytes;
    template->pieces = ws_arena_alloc(checker->arena, pieces.count * sizeof *template->pieces);
    template->count = pieces.count;
    for (size_t i = 0; i < pieces.count; i++) {
        struct place place = {names, problem, &pieces.list[i]};
        template->pieces[i] = check_piece(&place);
    }
    return template;
}
