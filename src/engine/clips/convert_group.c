/* A group rule as CLIPS rules: an element opens the group of its keys where there is none; it is added to the
 * group, which folds it into its aggregates; a complete group gives the composite event's parameters and
 * goes.  The cost of an element does not depend on how many there are. */
#include "engine/clips/converter.h"

#include <inttypes.h>

struct group_rule {
    struct ws_converter *converter;
    const struct ws_plan_rule *plan;
    const struct ws_composite_rule *rule;
    const struct ws_member *member;
    struct ws_scene scene; /* the element in place 0 */
    const struct ws_clips_template *offered, *closed;
    const char *group; /* name of the template of open groups */
};

static const char *name_of(const struct group_rule *g, const char *suffix)
{
    return ws_convert_name(g->converter, g->rule->type->name, g->plan->number, suffix);
}

static void finish(struct group_rule *g, const char *name, const char *comment, struct ws_text *text)
{
    ws_convert_construct(g->converter, name, comment, g->rule->pos, text);
}

static bool picks(const struct ws_aggregate *aggregate)
{
    return aggregate->kind == WS_AGG_AT_MIN || aggregate->kind == WS_AGG_AT_MAX;
}

/* ---- slots ---- */

static void need(struct group_rule *g)
{
    ws_scene_need(&g->scene, g->member->where);
    ws_scene_need(&g->scene, g->member->expect);
    for (size_t i = 0; i < g->rule->aggregate_count; i++) {
        ws_scene_need(&g->scene, g->rule->aggregates[i].key);
        ws_scene_need(&g->scene, g->rule->aggregates[i].value);
        ws_scene_need(&g->scene, g->rule->aggregates[i].where);
    }
}

static void offered_template(struct group_rule *g)
{
    struct ws_clips_template *made = &g->converter->program->elements[g->plan->number];
    struct ws_arena *arena = g->scene.arena;

    made->name = name_of(g, ".element");
    ws_convert_add_slot(made, "ws-order", WS_CLIPS_ORDER, WS_TYPE_EVENT);
    for (size_t k = 0; k < g->member->by_count; k++) {
        const struct ws_expr *key = g->member->by[k];
        ws_convert_add_slot(made, ws_arena_printf(arena, "ws-key-%zu", k), WS_CLIPS_SLOT, key->type)->index =
            key->slot;
    }
    ws_convert_add_slots(g->converter, made, g->member->type, g->scene.stages[0].needed);
    ws_convert_template(g->converter, made, "an event, while it is offered to the group rule", g->rule->pos);
    g->offered = made;
}

static void group_template(struct group_rule *g)
{
    struct ws_text text = {0};

    g->group = name_of(g, ".group");
    ws_text_printf(&text, "(deftemplate %s\n  (slot ws-group)", g->group);
    for (size_t k = 0; k < g->member->by_count; k++)
        ws_text_printf(&text, "\n  (slot ws-key-%zu)", k);
    for (size_t i = 0; i < g->rule->aggregate_count; i++)
        ws_text_printf(&text,
                       picks(&g->rule->aggregates[i]) ? "\n  (slot ws-best-%zu)\n  (slot ws-aggregate-%zu)"
                                                      : "\n  (slot ws-aggregate-%zu)",
                       i, i);
    ws_text_puts(&text, ")");
    finish(g, g->group, "an open group", &text);
}

static void closed_template(struct group_rule *g)
{
    struct ws_clips_template *made = &g->converter->program->closes[g->plan->number];

    made->name = name_of(g, ".close");
    ws_convert_add_slot(made, "ws-group", WS_CLIPS_GROUP, WS_TYPE_INTEGER);
    ws_convert_template(g->converter, made, "a complete group", g->rule->pos);
    g->closed = made;
}

/* ---- rules ---- */

static void keys(const struct group_rule *g, bool elements, struct ws_text *out)
{
    for (size_t k = 0; k < g->member->by_count; k++)
        ws_text_printf(out, " (ws-key-%zu ?ws-key-%zu%s)", k, k, elements ? "&~undefined" : "");
}

/* The element pattern; `where` ends it, when all variables are bound. */
static void element_pattern(struct group_rule *g, struct ws_text *out)
{
    ws_text_printf(out, "(%s", g->offered->name);
    keys(g, true, out);
    ws_convert_pattern_slots(&g->scene, 0, out);
    ws_text_printf(out, " (ws-order %s", g->scene.stages[0].event);
    if (g->member->where) {
        ws_text_puts(out, "&:");
        ws_scene_print_test(&g->scene, g->member->where, out);
    }
    ws_text_puts(out, "))");
}

static const char *start_value(const struct ws_aggregate *aggregate)
{
    if (aggregate->kind == WS_AGG_SUM)
        return aggregate->type == WS_TYPE_REAL ? "0.0" : "0";
    return aggregate->kind == WS_AGG_COUNT ? "0" : "none";
}

static void open_rule(struct group_rule *g)
{
    const char *name = name_of(g, ".open");
    struct ws_text text = {0};

    ws_text_printf(&text, "(defrule %s\n  ", name);
    element_pattern(g, &text);
    ws_text_printf(&text, "\n  (not (%s", g->group);
    keys(g, false, &text);
    ws_text_printf(&text, "))\n  =>\n  (assert (%s (ws-group (ws-open ", g->group);
    ws_scene_print_value(&g->scene, g->member->expect, &text);
    ws_text_puts(&text, "))");
    keys(g, false, &text);
    for (size_t i = 0; i < g->rule->aggregate_count; i++) {
        const struct ws_aggregate *aggregate = &g->rule->aggregates[i];
        if (picks(aggregate))
            ws_text_printf(&text, "\n    (ws-best-%zu none)", i);
        ws_text_printf(&text, "\n    (ws-aggregate-%zu %s)", i, start_value(aggregate));
    }
    ws_text_puts(&text, ")))");
    finish(g, name, "the first element of its keys opens a group", &text);
}

/* best: as it is while elements are added; else as the condition and the parameters need it. */
static void group_pattern(const struct group_rule *g, bool best, struct ws_text *out)
{
    ws_text_printf(out, "(%s (ws-group ?ws-group)", g->group);
    if (best)
        keys(g, false, out);
    for (size_t i = 0; i < g->rule->aggregate_count; i++) {
        struct ws_text piece = {0};
        if (best && picks(&g->rule->aggregates[i]))
            ws_text_printf(&piece, " (ws-best-%zu ?ws-best-%zu)", i, i);
        ws_text_printf(&piece, " (ws-aggregate-%zu ?ws-aggregate-%zu)", i, i);
        ws_convert_wrapped(out, &piece);
    }
    ws_text_puts(out, ")");
}

/* (SLOT (if WHERE then (FUNCTION ...) else OLD)), where FUNCTION's last arguments are in `call`. */
static void folded(struct group_rule *g, const struct ws_aggregate *aggregate, const char *slot, size_t index,
                   const char *call, struct ws_text *out)
{
    ws_text_printf(out, "\n    (%s-%zu ", slot, index);
    if (aggregate->where) {
        ws_text_puts(out, "(if ");
        ws_scene_print_test(&g->scene, aggregate->where, out);
        ws_text_printf(out, " then %s else ?%s-%zu)", call, slot, index);
    } else {
        ws_text_puts(out, call);
    }
    ws_text_puts(out, ")");
}

static void fold(struct group_rule *g, size_t index, struct ws_text *out)
{
    static const char *const functions[] = {
        [WS_AGG_COUNT] = "sum", [WS_AGG_SUM] = "sum",    [WS_AGG_MIN] = "min",
        [WS_AGG_MAX] = "max",   [WS_AGG_AT_MIN] = "min", [WS_AGG_AT_MAX] = "max"};
    const struct ws_aggregate *aggregate = &g->rule->aggregates[index];
    const char *function = functions[aggregate->kind];
    struct ws_text key = {0}, call = {0};

    if (aggregate->kind == WS_AGG_COUNT)
        ws_text_puts(&key, "1");
    else
        ws_scene_print_value(&g->scene, aggregate->key, &key);
    if (picks(aggregate)) {
        ws_text_printf(&call, "(ws-fold-at-%s ?ws-best-%zu %s ?ws-aggregate-%zu ", function, index, key.bytes,
                       index);
        ws_scene_print_value(&g->scene, aggregate->value, &call);
        ws_text_puts(&call, ")");
        folded(g, aggregate, "ws-aggregate", index, call.bytes, out);
        ws_text_clear(&call);
    }
    ws_text_printf(&call, "(ws-fold-%s ?%s-%zu %s)", function, picks(aggregate) ? "ws-best" : "ws-aggregate",
                   index, key.bytes);
    folded(g, aggregate, picks(aggregate) ? "ws-best" : "ws-aggregate", index, call.bytes, out);
    ws_text_free(&key);
    ws_text_free(&call);
}

static void add_rule(struct group_rule *g)
{
    const char *name = name_of(g, ".add");
    struct ws_text text = {0};

    ws_text_printf(&text, "(defrule %s\n  ?ws-element <- ", name);
    element_pattern(g, &text);
    ws_text_puts(&text, "\n  ?ws-fact <- ");
    group_pattern(g, true, &text);
    ws_text_puts(&text, "\n  =>\n  (retract ?ws-element)\n  (ws-enter ?ws-group)");
    if (g->rule->aggregate_count)
        ws_text_puts(&text, "\n  (modify ?ws-fact");
    for (size_t i = 0; i < g->rule->aggregate_count; i++)
        fold(g, i, &text);
    ws_text_puts(&text, g->rule->aggregate_count ? "))" : ")");
    finish(g, name, "each element is folded into the group of its keys", &text);
}

static void close_rule(struct group_rule *g)
{
    const struct ws_event_type *type = g->rule->type;
    const char *name = name_of(g, "");
    struct ws_text text = {0};

    ws_text_printf(&text, "(defrule %s\n  (%s (ws-group ?ws-group))\n  ", name, g->closed->name);
    group_pattern(g, false, &text);
    if (g->rule->condition) {
        ws_text_puts(&text, "\n  (test ");
        ws_scene_print_test(&g->scene, g->rule->condition, &text);
        ws_text_puts(&text, ")");
    }
    ws_text_puts(&text, "\n  =>\n  (ws-complete");
    for (size_t i = type->attribute_count; i < type->slot_count; i++) {
        ws_text_puts(&text, "\n    ");
        ws_scene_print_value(&g->scene, type->slots[i].value, &text);
    }
    ws_text_puts(&text, "))");
    finish(g, name,
           ws_arena_printf(g->scene.arena, "declare composite event %s: the group is complete", type->name),
           &text);
}

static void drop_rule(struct group_rule *g)
{
    const char *name = name_of(g, ".drop");
    struct ws_text text = {0};

    ws_text_printf(&text,
                   "(defrule %s\n  (declare (salience -1))\n  ?ws-closed <- (%s (ws-group ?ws-group))\n"
                   "  ?ws-fact <- (%s (ws-group ?ws-group))\n  =>\n  (retract ?ws-closed ?ws-fact))",
                   name, g->closed->name, g->group);
    finish(g, name, "and goes", &text);
}

void ws_convert_group(struct ws_converter *converter, const struct ws_plan_rule *rule)
{
    struct group_rule g = {converter, rule, rule->rule, &rule->rule->members[0], {0}, NULL, NULL, NULL};

    ws_convert_rule_scene(converter, g.rule, &g.scene);
    need(&g);
    offered_template(&g);
    group_template(&g);
    closed_template(&g);
    open_rule(&g);
    add_rule(&g);
    close_rule(&g);
    drop_rule(&g);
}
