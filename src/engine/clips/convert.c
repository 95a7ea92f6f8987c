#include "engine/clips/converter.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- constructs, templates, names ---- */

void ws_convert_construct(struct ws_converter *converter, const char *name, const char *comment,
                          struct ws_pos pos, struct ws_text *text)
{
    struct ws_clips_program *program = converter->program;

    WS_PUSH(program->constructs, program->construct_count, program->construct_capacity) =
        (struct ws_clips_construct){name, ws_arena_strdup(&program->arena, text->bytes), comment, pos};
    ws_text_free(text);
}

const char *ws_convert_name(struct ws_converter *converter, const char *name, size_t number,
                            const char *suffix)
{
    struct ws_arena *arena = &converter->program->arena;
    return ws_arena_printf(arena, "%s.%s%s", converter->scope_name, ws_clips_name(arena, name, number),
                           suffix);
}

struct ws_clips_slot *ws_convert_add_slot(struct ws_clips_template *made, const char *name,
                                          enum ws_clips_source source, enum ws_type type)
{
    WS_PUSH(made->slots, made->slot_count, made->slot_capacity) =
        (struct ws_clips_slot){.name = name, .source = source, .type = type};
    return &made->slots[made->slot_count - 1];
}

void ws_convert_add_slots(struct ws_converter *converter, struct ws_clips_template *made,
                          const struct ws_event_type *type, const bool *needed)
{
    for (uint32_t i = 0; i < type->slot_count; i++)
        if (needed[i]) {
            const char *name = ws_clips_name(&converter->program->arena, type->slots[i].name, i);
            ws_convert_add_slot(made, name, WS_CLIPS_SLOT, type->slots[i].type)->index = i;
        }
}

void ws_convert_template(struct ws_converter *converter, const struct ws_clips_template *made,
                         const char *comment, struct ws_pos pos)
{
    struct ws_text text = {0};

    ws_text_printf(&text, "(deftemplate %s", made->name);
    for (size_t i = 0; i < made->slot_count; i++)
        ws_text_printf(&text, "\n  (slot %s)", made->slots[i].name);
    ws_text_puts(&text, ")");
    ws_convert_construct(converter, made->name, comment, pos, &text);
}

#define WIDEST ((size_t)108)

void ws_convert_wrapped(struct ws_text *out, struct ws_text *piece)
{
    const char *line = out->length ? memrchr(out->bytes, '\n', out->length) : NULL;
    size_t column = line ? out->length - (size_t)(line + 1 - out->bytes) : out->length;

    if (column + piece->length > WIDEST)
        ws_text_puts(out, "\n   ");
    ws_text_add(out, ws_text_string(piece), piece->length);
    ws_text_free(piece);
}

void ws_convert_pattern_slots(const struct ws_scene *scene, uint32_t stage, struct ws_text *out)
{
    const struct ws_stage *place = &scene->stages[stage];

    for (uint32_t i = 0; i < place->type->slot_count; i++)
        if (place->needed[i]) {
            struct ws_text piece = {0};
            ws_text_printf(&piece, " (%s %s)", ws_clips_name(scene->arena, place->type->slots[i].name, i),
                           ws_scene_variable(scene, stage, i));
            ws_convert_wrapped(out, &piece);
        }
}

void ws_convert_rule_scene(struct ws_converter *converter, const struct ws_composite_rule *rule,
                           struct ws_scene *scene)
{
    ws_scene_init(scene, &converter->program->arena, rule->member_count);
    for (size_t m = 0; m < rule->member_count; m++)
        ws_stage_set(scene, m, rule->members[m].type, rule->members[m].name);
    scene->aggregates = rule->aggregates;
}

/* ---- rules over a fixed number of members ---- */

struct tuple_rule {
    struct ws_converter *converter;
    const struct ws_plan_rule *plan;
    const struct ws_composite_rule *rule;
    struct ws_scene scene;
    uint32_t *order;    /* members as the patterns follow each other */
    uint32_t *position; /* [member] in that order */
    bool *tested;       /* [residual] already written */
};

static const struct ws_clips_template *event_template(const struct ws_converter *converter,
                                                      const struct ws_use *use)
{
    return &converter->program->events[use->index];
}

static bool is_slot(const struct ws_expr *side)
{
    return side->op == WS_OP_SLOT;
}

/* Of an equality: the side in place m (or NULL), and the other side. */
static const struct ws_expr *side_of(const struct ws_join *join, uint32_t m)
{
    if (join->left_member == m)
        return join->left;
    return join->right_member == m ? join->right : NULL;
}

static uint32_t other_member(const struct ws_join *join, uint32_t m)
{
    return join->left_member == m ? join->right_member : join->left_member;
}

/* The slot that carries the value of a side of an equality that is not a slot of the event itself. */
static const char *computed_slot(struct tuple_rule *t, size_t join, uint32_t m)
{
    return ws_arena_printf(t->scene.arena, "ws-join-%" PRIu32 "-%zu-%" PRIu32, t->plan->index, join, m);
}

static void need_filters(struct tuple_rule *t, uint32_t m)
{
    struct ws_expr ***filters = t->rule->filters;

    for (size_t i = 0; filters && filters[m] && filters[m][i]; i++)
        ws_scene_need(&t->scene, filters[m][i]);
}

static void need_all(struct tuple_rule *t)
{
    const struct ws_event_type *type = t->rule->type;

    for (uint32_t m = 0; m < t->rule->member_count; m++)
        need_filters(t, m);
    for (size_t i = 0; i < t->rule->join_count; i++) {
        if (is_slot(t->rule->joins[i].left))
            ws_scene_need(&t->scene, t->rule->joins[i].left);
        if (is_slot(t->rule->joins[i].right))
            ws_scene_need(&t->scene, t->rule->joins[i].right);
    }
    for (size_t i = 0; i < t->rule->residual_count; i++)
        ws_scene_need(&t->scene, t->rule->residual[i]);
    for (size_t i = type->attribute_count; i < type->slot_count; i++)
        ws_scene_need(&t->scene, type->slots[i].value);
}

static bool is_joined(const struct tuple_rule *t, uint32_t m, size_t placed)
{
    for (size_t i = 0; i < t->rule->join_count; i++)
        if (side_of(&t->rule->joins[i], m) && t->position[other_member(&t->rule->joins[i], m)] < placed)
            return true;
    return false;
}

/* Each pattern after the first is joined to an earlier one where there is such a member, since CLIPS keeps
 * what matches the patterns so far: two that are not joined are a cross product. */
static void put_in_order(struct tuple_rule *t)
{
    const size_t count = t->rule->member_count;

    for (uint32_t m = 0; m < count; m++)
        t->position[m] = UINT32_MAX;
    for (uint32_t placed = 0; placed < count; placed++) {
        uint32_t next = UINT32_MAX;
        for (uint32_t m = 0; m < count; m++)
            if (t->position[m] == UINT32_MAX &&
                (next == UINT32_MAX || (is_joined(t, m, placed) && !is_joined(t, next, placed))))
                next = m;
        t->order[placed] = next;
        t->position[next] = placed;
    }
}

static void begin_tuple_rule(struct tuple_rule *t, struct ws_converter *converter,
                             const struct ws_plan_rule *rule)
{
    struct ws_arena *arena = &converter->program->arena;

    memset(t, 0, sizeof *t);
    t->converter = converter;
    t->plan = rule;
    t->rule = rule->rule;
    ws_convert_rule_scene(converter, t->rule, &t->scene);
    t->order = ws_arena_alloc(arena, t->rule->member_count * sizeof *t->order);
    t->position = ws_arena_alloc(arena, t->rule->member_count * sizeof *t->position);
    t->tested = ws_arena_alloc(arena, t->rule->residual_count + 1);
    put_in_order(t);
}

static const char *side_variable(struct tuple_rule *t, size_t join, uint32_t m)
{
    const struct ws_expr *side = side_of(&t->rule->joins[join], m);

    if (is_slot(side))
        return ws_scene_variable(&t->scene, m, side->slot);
    return ws_arena_printf(t->scene.arena, "?%s", computed_slot(t, join, m));
}

/* CLIPS hashes a join only where the pattern's first constraint on the slot is the other pattern's variable:
 * so that variable stands for this slot from here on. */
static void join_constraint(struct tuple_rule *t, size_t join, uint32_t m, struct ws_text *constraint)
{
    uint32_t other = other_member(&t->rule->joins[join], m);

    if (t->position[other] < t->position[m])
        ws_text_printf(constraint, "%s%s", constraint->length ? "&" : "", side_variable(t, join, other));
}

static void slot_pattern(struct tuple_rule *t, uint32_t m, uint32_t slot, bool joins, struct ws_text *out)
{
    struct ws_stage *stage = &t->scene.stages[m];
    struct ws_text constraint = {0}, piece = {0};

    for (size_t i = 0; joins && i < t->rule->join_count; i++) {
        const struct ws_expr *side = side_of(&t->rule->joins[i], m);
        if (side && is_slot(side) && side->slot == slot)
            join_constraint(t, i, m, &constraint);
    }
    if (constraint.length) {
        const char *end = strchrnul(constraint.bytes, '&');
        stage->slots[slot] =
            ws_arena_strndup(t->scene.arena, constraint.bytes, (size_t)(end - constraint.bytes));
    } else {
        ws_text_puts(&constraint, ws_scene_variable(&t->scene, m, slot));
    }
    ws_text_printf(&piece, " (%s %s", ws_clips_name(t->scene.arena, stage->type->slots[slot].name, slot),
                   constraint.bytes);
    ws_convert_wrapped(out, &piece);
    ws_text_free(&constraint);
}

static void computed_pattern(struct tuple_rule *t, size_t join, uint32_t m, struct ws_text *out)
{
    struct ws_text constraint = {0}, piece = {0};

    join_constraint(t, join, m, &constraint);
    if (!constraint.length)
        ws_text_puts(&constraint, side_variable(t, join, m));
    ws_text_printf(&piece, " (%s %s&~undefined", computed_slot(t, join, m), constraint.bytes);
    ws_convert_wrapped(out, &piece);
    ws_text_free(&constraint);
}

static void filter_pattern(struct tuple_rule *t, uint32_t m, struct ws_text *out)
{
    struct ws_expr ***filters = t->rule->filters;

    for (size_t i = 0; filters && filters[m] && filters[m][i]; i++) {
        struct ws_text piece = {0};
        ws_text_puts(&piece, "&:");
        ws_scene_print_test(&t->scene, filters[m][i], &piece);
        ws_convert_wrapped(out, &piece);
    }
}

/* One event fills one place only. */
static void identity_pattern(struct tuple_rule *t, uint32_t m, struct ws_text *out)
{
    ws_text_printf(out, "\n  (%s (ws-order %s", event_template(t->converter, t->plan->uses[m])->name,
                   t->scene.stages[m].event);
    for (uint32_t p = 0; p < t->position[m]; p++)
        if (t->rule->members[t->order[p]].type == t->rule->members[m].type)
            ws_text_printf(out, "&~%s", t->scene.stages[t->order[p]].event);
}

/* The pattern's slots are closed one behind, so that the filters end the last one and see all variables.
 * joins: with the equalities to earlier patterns. */
static void member_pattern(struct tuple_rule *t, uint32_t m, bool joins, struct ws_text *out)
{
    const struct ws_stage *stage = &t->scene.stages[m];

    identity_pattern(t, m, out);
    for (uint32_t i = 0; i < stage->type->slot_count; i++)
        if (stage->needed[i]) {
            ws_text_puts(out, ")");
            slot_pattern(t, m, i, joins, out);
        }
    for (size_t i = 0; joins && i < t->rule->join_count; i++) {
        const struct ws_expr *side = side_of(&t->rule->joins[i], m);
        if (side && !is_slot(side)) {
            ws_text_puts(out, ")");
            computed_pattern(t, i, m, out);
        }
    }
    filter_pattern(t, m, out);
    ws_text_puts(out, "))");
}

static uint32_t later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* The position of the last pattern that an expression needs. */
static uint32_t last_position(const struct tuple_rule *t, const struct ws_expr *expr)
{
    uint32_t last = 0;

    if (expr->op == WS_OP_SLOT || expr->op == WS_OP_MEMBER || expr->op == WS_OP_OVERLAPS)
        last = t->position[expr->member];
    if (expr->op == WS_OP_OVERLAPS)
        last = later(last, t->position[expr->slot]);
    for (size_t i = 0; i < expr->arg_count; i++)
        last = later(last, last_position(t, expr->args[i]));
    return last;
}

static void tests_after(struct tuple_rule *t, uint32_t position, struct ws_text *out)
{
    for (size_t i = 0; i < t->rule->residual_count; i++)
        if (!t->tested[i] && last_position(t, t->rule->residual[i]) <= position) {
            t->tested[i] = true;
            ws_text_puts(out, "\n  (test ");
            ws_scene_print_test(&t->scene, t->rule->residual[i], out);
            ws_text_puts(out, ")");
        }
}

static void report_tuple(struct tuple_rule *t, struct ws_text *out)
{
    const struct ws_event_type *type = t->rule->type;

    ws_text_printf(out, "\n  =>\n  (ws-tuple %" PRIu32, t->plan->index);
    for (size_t m = 0; m < t->rule->member_count; m++)
        ws_text_printf(out, " %s", t->scene.stages[m].event);
    for (size_t i = type->attribute_count; i < type->slot_count; i++) {
        ws_text_puts(out, "\n    ");
        ws_scene_print_value(&t->scene, type->slots[i].value, out);
    }
    ws_text_puts(out, "))");
}

static void convert_tuple_rule(struct ws_converter *converter, const struct ws_plan_rule *rule)
{
    const char *name = ws_convert_name(converter, rule->rule->type->name, rule->number, "");
    struct ws_text text = {0};
    struct tuple_rule t;

    begin_tuple_rule(&t, converter, rule);
    need_all(&t);
    ws_text_printf(&text, "(defrule %s", name);
    for (uint32_t p = 0; p < rule->rule->member_count; p++) {
        member_pattern(&t, t.order[p], true, &text);
        tests_after(&t, p, &text);
    }
    report_tuple(&t, &text);
    ws_convert_construct(
        converter, name,
        ws_arena_printf(&converter->program->arena, "declare composite event %s", rule->rule->type->name),
        rule->rule->pos, &text);
}

/* An event that no seat can take is let go at once; those that pass a filter tell so. */
static void convert_filter(struct ws_converter *converter, const struct ws_use *use,
                           const struct ws_seat *seat)
{
    const struct ws_plan_rule *rule = seat->rule;
    bool waits = ws_seat_waits(seat);
    struct ws_text text = {0};
    struct tuple_rule t;
    const char *name;

    if (!ws_seat_keeps(seat) || !ws_seat_filtered(seat) || (waits ? use->always_waits : use->always_kept))
        return;
    begin_tuple_rule(&t, converter, rule);
    need_filters(&t, seat->member);
    t.position[seat->member] = 0; /* as the only pattern */
    name = ws_convert_name(converter, rule->rule->type->name, rule->number,
                           ws_arena_printf(&converter->program->arena, ".keep-%" PRIu32, seat->member));
    ws_text_printf(&text, "(defrule %s", name);
    member_pattern(&t, seat->member, false, &text);
    ws_text_printf(&text, "\n  =>\n  (ws-keep %s))", waits ? "TRUE" : "FALSE");
    ws_convert_construct(converter, name, "events that may become its member stay", rule->rule->pos, &text);
}

/* ---- facts of events ---- */

static void need_for_rules(struct ws_converter *converter, const struct ws_use *use, bool *needed,
                           struct ws_clips_template *made)
{
    const struct ws_formula_scene scene = {.one = use->type};

    for (size_t i = 0; i < use->seat_count; i++) {
        const struct ws_seat *seat = &use->seats[i];
        struct tuple_rule t;
        if (seat->rule->group)
            continue;
        begin_tuple_rule(&t, converter, seat->rule);
        need_all(&t);
        for (size_t s = 0; s < use->type->slot_count; s++)
            needed[s] |= t.scene.stages[seat->member].needed[s];
        for (size_t j = 0; j < t.rule->join_count; j++) {
            const struct ws_expr *side = side_of(&t.rule->joins[j], seat->member);
            if (side && !is_slot(side))
                ws_convert_add_slot(made, computed_slot(&t, j, seat->member), WS_CLIPS_VALUE, side->type)
                    ->formula = ws_formula_of(&converter->program->formulas, &scene, side);
        }
    }
}

/* ---- problem rules ---- */

/* The composite event is in place 0, the element that waits in place 1. */
static void problem_scene(struct ws_converter *converter, const struct ws_problem_rule *problem,
                          struct ws_scene *scene)
{
    const struct ws_composite_rule *rule = problem->on->rule;
    const char *name = problem->on->name;

    ws_scene_init(scene, &converter->program->arena, 2);
    if (problem->group_member != UINT32_MAX) {
        const struct ws_member *member = &rule->members[problem->group_member];
        ws_stage_set(scene, 1, member->type, member->name);
        if (strcmp(member->name, name) == 0)
            name = "ws-whole"; /* two variables, whatever the expert calls them */
    }
    ws_stage_set(scene, 0, problem->on, name);
    ws_scene_need(scene, problem->condition);
    ws_scene_need(scene, problem->duration);
    ws_scene_need(scene, problem->from);
    ws_scene_need(scene, problem->waiting);
    ws_scene_need(scene, problem->cause);
}

static void need_for_problems(struct ws_converter *converter, const struct ws_use *use, bool *needed,
                              bool *element_needed)
{
    for (size_t i = 0; i < use->problem_count; i++) {
        const struct ws_stage *element;
        struct ws_scene scene;
        problem_scene(converter, use->problems[i], &scene);
        for (size_t s = 0; s < use->type->slot_count; s++)
            needed[s] |= scene.stages[0].needed[s];
        element = &scene.stages[1];
        for (size_t s = 0; element->type && s < element->type->slot_count; s++)
            element_needed[s] |= element->needed[s];
    }
}

static void problem_patterns(struct ws_converter *converter, const struct ws_use *use,
                             const struct ws_scene *scene, struct ws_text *out)
{
    ws_text_printf(out, "\n  (%s (ws-order %s)", event_template(converter, use)->name,
                   scene->stages[0].event);
    ws_convert_pattern_slots(scene, 0, out);
    ws_text_puts(out, ")");
    if (!scene->stages[1].type)
        return;
    ws_text_printf(out, "\n  (%s (ws-of %s) (ws-order %s)", converter->program->waiting[use->index].name,
                   scene->stages[0].event, scene->stages[1].event);
    ws_convert_pattern_slots(scene, 1, out);
    ws_text_puts(out, ")");
}

static void convert_problem(struct ws_converter *converter, const struct ws_use *use, size_t index)
{
    const struct ws_problem_rule *problem = use->problems[index];
    struct ws_arena *arena = &converter->program->arena;
    uint32_t number = use->problem_index[index];
    const char *name = ws_convert_name(converter, "problem", 0, ws_arena_printf(arena, "-%" PRIu32, number));
    const struct ws_expr *const values[] = {problem->duration, problem->from, problem->waiting,
                                            problem->cause};
    struct ws_text text = {0};
    struct ws_scene scene;

    problem_scene(converter, problem, &scene);
    ws_text_printf(&text, "(defrule %s", name);
    problem_patterns(converter, use, &scene, &text);
    if (problem->condition) {
        ws_text_puts(&text, "\n  (test ");
        ws_scene_print_test(&scene, problem->condition, &text);
        ws_text_puts(&text, ")");
    }
    ws_text_printf(&text, "\n  =>\n  (ws-problem %" PRIu32, number);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        ws_text_puts(&text, "\n    ");
        ws_scene_print_value(&scene, values[i], &text);
    }
    ws_text_puts(&text, "))");
    ws_convert_construct(converter, name, ws_arena_printf(arena, "declare problem for %s", problem->on->name),
                         problem->pos, &text);
}

/* ---- templates ---- */

static void convert_waiting(struct ws_converter *converter, const struct ws_use *use, const bool *needed)
{
    struct ws_clips_template *made = &converter->program->waiting[use->index];

    made->name = ws_convert_name(converter, use->type->name, use->type->index, ".waiting");
    ws_convert_add_slot(made, "ws-of", WS_CLIPS_OF, WS_TYPE_EVENT);
    ws_convert_add_slot(made, "ws-order", WS_CLIPS_ORDER, WS_TYPE_EVENT);
    ws_convert_add_slots(converter, made, use->type->rule->members[0].type, needed);
    ws_convert_template(converter, made, "its elements, while they are judged one by one", use->type->pos);
}

static const char *describe(struct ws_converter *converter, const struct ws_event_type *type)
{
    return ws_arena_printf(&converter->program->arena, "%s %s", type->composite ? "composite event" : "event",
                           type->name);
}

static void convert_use(struct ws_converter *converter, const struct ws_use *use)
{
    struct ws_clips_template *made = &converter->program->events[use->index];
    struct ws_arena *arena = &converter->program->arena;
    size_t element_slots = use->judged_by_element ? use->type->rule->members[0].type->slot_count : 0;
    bool *needed = ws_arena_alloc(arena, use->type->slot_count + 1);
    bool *element_needed = ws_arena_alloc(arena, element_slots + 1);

    if (!use->in_tuples && use->problem_count == 0)
        return;
    made->name = ws_convert_name(converter, use->type->name, use->type->index, "");
    ws_convert_add_slot(made, "ws-order", WS_CLIPS_ORDER, WS_TYPE_EVENT);
    need_for_problems(converter, use, needed, element_needed);
    need_for_rules(converter, use, needed, made);
    ws_convert_add_slots(converter, made, use->type, needed);
    ws_convert_template(converter, made, describe(converter, use->type), use->type->pos);
    if (use->judged_by_element)
        convert_waiting(converter, use, element_needed);
}

/* ---- public ---- */

static int convert_scope(struct ws_clips_program *program, const struct ws_plan *plan,
                         const struct ws_scope *scope, struct ws_error *error)
{
    struct ws_converter converter = {program, plan, scope,
                                     ws_clips_name(&program->arena, scope->id, scope->index)};

    for (size_t i = 0; i < plan->use_count; i++)
        if (plan->uses[i]->scope == scope)
            convert_use(&converter, plan->uses[i]);
    for (size_t i = 0; i < plan->rule_count; i++) {
        const struct ws_plan_rule *rule = &plan->rules[i];
        for (size_t m = 0; rule->rule->scope == scope && m < rule->rule->member_count; m++)
            if (!rule->uses[m])
                return ws_fail(error, WS_BAD_INPUT, "%s:%d: event %s does not arrive in %s",
                               rule->rule->pos.file ? rule->rule->pos.file : "", rule->rule->pos.line,
                               rule->rule->members[m].type->name, scope->id);
        if (rule->rule->scope == scope && rule->group)
            ws_convert_group(&converter, rule);
        else if (rule->rule->scope == scope)
            convert_tuple_rule(&converter, rule);
    }
    for (size_t i = 0; i < plan->use_count; i++) {
        const struct ws_use *use = plan->uses[i];
        for (size_t p = 0; use->scope == scope && p < use->seat_count; p++)
            convert_filter(&converter, use, &use->seats[p]);
        for (size_t p = 0; use->scope == scope && p < use->problem_count; p++)
            convert_problem(&converter, use, p);
    }
    return 0;
}

int ws_clips_convert(struct ws_clips_program *program, const struct ws_plan *plan,
                     const struct ws_scope *scope, struct ws_error *error)
{
    memset(program, 0, sizeof *program);
    program->use_count = plan->use_count;
    program->rule_count = plan->rule_count;
    program->events = ws_alloc_array(plan->use_count, sizeof *program->events);
    program->waiting = ws_alloc_array(plan->use_count, sizeof *program->waiting);
    program->elements = ws_alloc_array(plan->rule_count, sizeof *program->elements);
    program->closes = ws_alloc_array(plan->rule_count, sizeof *program->closes);
    for (size_t s = 0; s < plan->kb->scope_count; s++)
        if ((!scope || plan->kb->scopes[s] == scope) && plan->scopes[s] != WS_PLAN_ABSENT &&
            convert_scope(program, plan, plan->kb->scopes[s], error) != 0)
            return -1;
    return 0;
}

static void free_templates(struct ws_clips_template *templates, size_t count)
{
    for (size_t i = 0; templates && i < count; i++)
        free(templates[i].slots);
    free(templates);
}

void ws_clips_program_free(struct ws_clips_program *program)
{
    free_templates(program->events, program->use_count);
    free_templates(program->waiting, program->use_count);
    free_templates(program->elements, program->rule_count);
    free_templates(program->closes, program->rule_count);
    free(program->constructs);
    ws_formula_pool_free(&program->formulas);
    ws_arena_free(&program->arena);
    memset(program, 0, sizeof *program);
}
