/* From the knowledge base to the plan of the native engine. */
#include "engine/native/native.h"

#include "rules/expr.h"

#include <stdlib.h>
#include <string.h>

/* ---- keys and indexes ---- */

/* Odd, and as unlike each other as can be. */
static uint64_t factor(size_t i)
{
    uint64_t x = (i + 1) * UINT64_C(0x9E3779B97F4A7C15);

    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return (x ^ x >> 31) | 1;
}

static bool are_whole(struct ws_expr *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (keys[i]->type == WS_TYPE_REAL || keys[i]->type == WS_TYPE_STRING)
            return false;
    return true;
}

struct ws_native_key *ws_native_keys(struct ws_native *native, const struct ws_formula_scene *scene,
                                     struct ws_expr *const *exprs, size_t count)
{
    struct ws_native_key *keys = ws_arena_alloc(&native->arena, (count + 1) * sizeof *keys);

    for (size_t i = 0; i < count; i++) {
        keys[i].formula = ws_formula_of(&native->formulas, scene, exprs[i]);
        keys[i].type = exprs[i]->type;
        keys[i].plain = keys[i].formula.count == 0 && are_whole(&exprs[i], 1);
        keys[i].factor = factor(i);
    }
    return keys;
}

/* Where all keys are whole numbers of one event, they are looked for without formulas. */
static struct ws_native_look look_by(struct ws_native *native, const struct ws_formula_scene *scene,
                                     struct ws_expr *const *exprs, size_t count)
{
    struct ws_native_look look = {.keys = ws_native_keys(native, scene, exprs, count), .plain = count > 0};

    look.terms = ws_arena_alloc(&native->arena, (count + 1) * sizeof *look.terms);
    for (size_t i = 0; i < count; i++) {
        ws_operand operand = look.keys[i].formula.result;
        look.terms[i] = (struct ws_native_term){look.keys[i].factor, ws_operand_slot(operand)};
        look.plain &= look.keys[i].plain && (i == 0 || ws_operand_frame(operand) == look.frame);
        look.frame = ws_operand_frame(operand);
    }
    return look;
}

static bool same_filters(const struct ws_seat *a, const struct ws_seat *b)
{
    struct ws_expr *const *x = a->rule->rule->filters[a->member], *const *y =
                                                                      b->rule->rule->filters[b->member];

    while (*x && *y && ws_expr_alike(*x, *y))
        x++, y++;
    return !*x && !*y;
}

static bool is_for(const struct ws_native_index *index, const struct ws_use *use, const struct ws_seat *seat,
                   struct ws_expr *const *keys, size_t count, bool by_end)
{
    if (index->use != use || index->key_count != count || index->by_end != by_end ||
        !same_filters(&use->seats[index->seat], seat))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!ws_expr_alike(index->exprs[i], keys[i]))
            return false;
    return true;
}

/* The events of the use that may fill the seat, by these keys; seats that agree share one. */
static struct ws_native_index *index_for(struct ws_native *native, const struct ws_use *use, size_t seat,
                                         struct ws_expr *const *keys, size_t count, bool by_end)
{
    const struct ws_formula_scene scene = {.one = use->type};
    struct ws_native_use *compiled = &native->uses[use->index];
    struct ws_native_index *index;

    for (size_t i = 0; i < compiled->index_count; i++)
        if (is_for(compiled->indexes[i], use, &use->seats[seat], keys, count, by_end))
            return compiled->indexes[i];
    index = ws_arena_alloc(&native->arena, sizeof *index);
    index->use = use;
    index->seat = seat;
    index->look = look_by(native, &scene, keys, count);
    index->key_count = count;
    index->by_end = by_end;
    index->exprs = ws_arena_alloc(&native->arena, (count + 1) * sizeof *index->exprs);
    if (count)
        memcpy(index->exprs, keys, count * sizeof *keys);
    index->node_offset = ws_plan_add_own(&native->analysis.plan.types[use->type->index],
                                         sizeof(struct ws_native_node) + (by_end ? sizeof(int64_t) : 0));
    index->seen_order = UINT64_MAX;
    WS_PUSH(compiled->indexes, compiled->index_count, compiled->index_capacity) = index;
    WS_PUSH(native->indexes, native->index_count, native->index_capacity) = index;
    return index;
}

/* ---- the order in which the members of a tuple are found ---- */

struct route { /* from one seat to the rest */
    struct ws_native *native;
    const struct ws_plan_rule *rule;
    struct ws_formula_scene scene;
    struct ws_join *joins; /* of the rule, in one order whatever the seat */
    uint64_t bound;        /* the members that are found, a bit each (WS_TREE_MEMBERS_MOST is 64) */
    bool *tested;          /* [residual] */
};

static bool is_bound(const struct route *route, uint32_t member)
{
    return route->bound >> member & 1;
}

static bool joins_to_bound(const struct route *route, const struct ws_join *join, uint32_t member)
{
    return (join->left_member == member && is_bound(route, join->right_member)) ||
           (join->right_member == member && is_bound(route, join->left_member));
}

static size_t keys_of(const struct route *route, uint32_t member)
{
    size_t count = 0;

    for (size_t j = 0; j < route->rule->rule->join_count; j++)
        count += joins_to_bound(route, &route->joins[j], member);
    return count;
}

/* One of those that are found which the member must overlap; UINT32_MAX: none. */
static uint32_t overlapped_by(const struct route *route, uint32_t member)
{
    const struct ws_composite_rule *rule = route->rule->rule;

    for (size_t i = 0; i < rule->residual_count; i++) {
        const struct ws_expr *expr = rule->residual[i];
        if (expr->op != WS_OP_OVERLAPS)
            continue;
        if (expr->member == member && is_bound(route, expr->slot))
            return expr->slot;
        if (expr->slot == member && is_bound(route, expr->member))
            return expr->member;
    }
    return UINT32_MAX;
}

/* How narrowly those that are found lead to the member: by equalities, then by an overlap. */
static size_t links_of(const struct route *route, uint32_t member)
{
    return 2 * keys_of(route, member) + (overlapped_by(route, member) != UINT32_MAX);
}

/* The member with the most links; the first of equal ones. */
static uint32_t next_member(const struct route *route)
{
    const uint32_t count = (uint32_t)route->rule->rule->member_count;
    uint32_t best = count;

    for (uint32_t m = 0; m < count; m++)
        if (!is_bound(route, m) && (best == count || links_of(route, m) > links_of(route, best)))
            best = m;
    return best;
}

static bool all_bound(const struct route *route, const struct ws_expr *expr)
{
    return (ws_expr_members(expr) & ~route->bound) == 0;
}

/* What of the rest of the condition can be tested now and could not before. */
static struct ws_expr **rest(struct route *route, size_t *count)
{
    const struct ws_composite_rule *rule = route->rule->rule;
    struct ws_expr **tests =
        ws_arena_alloc(&route->native->arena, (rule->residual_count + 1) * sizeof *tests);

    *count = 0;
    for (size_t i = 0; i < rule->residual_count; i++)
        if (!route->tested[i] && all_bound(route, rule->residual[i])) {
            tests[(*count)++] = rule->residual[i];
            route->tested[i] = true;
        }
    return tests;
}

/* The equalities of a step again, since a hash may deceive, and its other tests. */
static struct ws_formula test_of(struct route *route, struct ws_expr **equalities, size_t count,
                                 struct ws_expr **more, size_t more_count)
{
    struct ws_expr **tests = ws_alloc_array(count + more_count, sizeof *tests);
    struct ws_formula formula;

    for (size_t i = 0; i < count; i++)
        tests[i] = equalities[i];
    for (size_t i = 0; i < more_count; i++)
        tests[count + i] = more[i];
    formula = ws_formula_of_all(&route->native->formulas, &route->scene, tests, count + more_count);
    free(tests);
    return formula;
}

size_t ws_native_seat_number(const struct ws_use *use, const struct ws_plan_rule *rule, uint32_t member)
{
    size_t i = 0;

    while (use->seats[i].rule != rule || use->seats[i].member != member)
        i++;
    return i;
}

/* Those that are no more than two slots are compared without a formula. */
static void compile_equalities(struct route *route, struct ws_native_step *step, struct ws_expr **equalities,
                               size_t count)
{
    struct ws_formula_pool *pool = &route->native->formulas;
    const uint32_t own = WS_FRAME_MEMBERS + step->member;
    size_t kept = 0;

    step->equal = ws_arena_alloc(&route->native->arena, (count + 1) * sizeof *step->equal);
    for (size_t i = 0; i < count; i++) {
        struct ws_formula left = ws_formula_of(pool, &route->scene, equalities[i]->args[0]);
        struct ws_formula right = ws_formula_of(pool, &route->scene, equalities[i]->args[1]);
        enum ws_type type = equalities[i]->args[0]->type;
        if (left.count || right.count || type == WS_TYPE_STRING || type == WS_TYPE_REAL)
            equalities[kept++] = equalities[i];
        else if (ws_operand_frame(left.result) == own)
            step->equal[step->equal_count++] =
                (struct ws_native_pair){ws_operand_slot(left.result), right.result};
        else
            step->equal[step->equal_count++] =
                (struct ws_native_pair){ws_operand_slot(right.result), left.result};
    }
    step->test = test_of(route, equalities, kept, step->tests, step->test_count);
}

/* The slot's name, where the key is no more than a slot. */
static const char *slot_name(const struct ws_event_type *type, const struct ws_expr *key)
{
    return key->op == WS_OP_SLOT ? type->slots[key->slot].name : "";
}

static bool has_slot(const struct ws_event_type *type, struct ws_expr *const *keys, size_t count,
                     const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(slot_name(type, keys[i]), name) == 0)
            return true;
    return false;
}

/* Is keys[i] a number of this type of event that the reader counts by exactly the other keys? */
static bool counted_by_others(const struct ws_kb *kb, const struct ws_event_type *type,
                              struct ws_expr *const *keys, size_t count, size_t i)
{
    const struct ws_trace_rule *rule = type->composite ? NULL : ws_type_rule(kb, type);

    for (size_t n = 0; rule && n < rule->number_count; n++) {
        const struct ws_number *number = &rule->numbers[n];
        bool all = has_slot(type, keys, count, ws_attributes[WS_ATTR_PROCESS].name);
        if (number->of || number->by_count + 2 != count ||
            strcmp(slot_name(type, keys[i]), number->name) != 0)
            continue;
        for (size_t k = 0; k < number->by_count; k++)
            all &= has_slot(type, keys, count, number->by[k]);
        if (all)
            return true;
    }
    return false;
}

static void swap(struct ws_expr **a, struct ws_expr **b)
{
    struct ws_expr *kept = *a;
    *a = *b;
    *b = kept;
}

/* Where the events come in the order of a number that the other keys count: it becomes the last key. */
static bool come_in_order(const struct route *route, const struct ws_native_step *step, size_t count)
{
    const struct ws_event_type *type = route->rule->rule->members[step->member].type;

    if (step->overlapped != UINT32_MAX || !are_whole(step->own, count))
        return false;
    for (size_t i = 0; i < count; i++)
        if (counted_by_others(route->native->analysis.plan.kb, type, step->own, count, i)) {
            swap(&step->own[i], &step->own[count - 1]);
            swap(&step->others[i], &step->others[count - 1]);
            return true;
        }
    return false;
}

static struct ws_native_step make_step(struct route *route, uint32_t member)
{
    const struct ws_plan_rule *rule = route->rule;
    const struct ws_use *use = rule->uses[member];
    struct ws_native_step step = {.member = member, .overlapped = overlapped_by(route, member)};
    const size_t most = rule->rule->join_count;
    struct ws_expr **equalities = ws_alloc_array(most, sizeof *equalities);
    size_t count = 0;
    bool in_order;

    step.own = ws_arena_alloc(&route->native->arena, (most + 1) * sizeof *step.own);
    step.others = ws_arena_alloc(&route->native->arena, (most + 1) * sizeof *step.others);
    for (size_t j = 0; j < most; j++) {
        const struct ws_join *join = &route->joins[j];
        bool left = join->left_member == member;
        if (!joins_to_bound(route, join, member))
            continue;
        step.own[count] = left ? join->left : join->right;
        step.others[count] = left ? join->right : join->left;
        equalities[count++] = ws_expr_comparison(&route->native->arena, WS_OP_EQUAL, join->left, join->right);
    }
    in_order = come_in_order(route, &step, count);
    step.index = index_for(route->native, use, ws_native_seat_number(use, rule, member), step.own, count,
                           step.overlapped != UINT32_MAX);
    step.index->in_order = in_order;
    step.look = look_by(route->native, &route->scene, step.others, count);
    for (uint32_t m = 0; m < rule->rule->member_count; m++)
        step.may_repeat |= is_bound(route, m) && rule->rule->members[m].type == use->type;
    route->bound |= UINT64_C(1) << member;
    step.tests = rest(route, &step.test_count);
    compile_equalities(route, &step, equalities, count);
    free(equalities);
    return step;
}

/* Equal keys of two rules get one order, so that they can share an index. */
static int compare_joins(const void *a, const void *b)
{
    const struct ws_join *x = a, *y = b;

    if (x->left->op != y->left->op)
        return x->left->op < y->left->op ? -1 : 1;
    if (x->left->slot != y->left->slot)
        return x->left->slot < y->left->slot ? -1 : 1;
    if (x->right->slot != y->right->slot)
        return x->right->slot < y->right->slot ? -1 : 1;
    return (x->left > y->left) - (x->left < y->left);
}

/* An earlier turn's seat has been sought before this one; one of the same turn has not. */
static uint32_t like_seat(const struct ws_use *use, size_t number)
{
    for (uint32_t i = 0; i < number; i++)
        if (!use->seats[i].rule->group && use->seats[i].rule != use->seats[number].rule &&
            same_filters(&use->seats[i], &use->seats[number]))
            return i;
    return UINT32_MAX;
}

/* Is the first tuple of an event in this place the only one?  Not where it may be lost, since the partner is
 * used up in a tuple in which the event has the other place. */
static bool first_is_enough(const struct ws_composite_rule *rule, uint32_t member)
{
    bool alone = rule->member_count == 1;

    return !rule->members[member].shared &&
           (alone || (rule->member_count == 2 && rule->members[0].type != rule->members[1].type));
}

static void compile_seat(struct ws_native *native, const struct ws_use *use, size_t number)
{
    const struct ws_seat *place = &use->seats[number];
    const struct ws_composite_rule *rule = place->rule->rule;
    struct ws_native_seat *seat = &native->uses[use->index].seats[number];
    const size_t count = rule->member_count;
    const struct ws_event_type **types = ws_alloc_array(count, sizeof *types);
    struct route route = {.native = native, .rule = place->rule, .scene = {.types = types}};
    size_t filters = 0;

    for (size_t m = 0; m < count; m++)
        types[m] = rule->members[m].type;
    while (rule->filters[place->member][filters])
        filters++;
    route.joins = ws_alloc_array(rule->join_count, sizeof *route.joins);
    if (rule->join_count)
        memcpy(route.joins, rule->joins, rule->join_count * sizeof *route.joins);
    qsort(route.joins, rule->join_count, sizeof *route.joins, compare_joins);
    route.tested = ws_alloc_array(rule->residual_count, sizeof *route.tested);
    seat->rule = place->rule;
    seat->member = place->member;
    seat->like = like_seat(use, number);
    seat->filter = ws_formula_of_all(&native->formulas, &route.scene, rule->filters[place->member], filters);
    route.bound = UINT64_C(1) << place->member;
    seat->tests = rest(&route, &seat->test_count);
    seat->test = test_of(&route, NULL, 0, seat->tests, seat->test_count);
    seat->steps = ws_arena_alloc(&native->arena, count * sizeof *seat->steps);
    while (seat->step_count < count - 1) {
        uint32_t next = next_member(&route);
        seat->steps[seat->step_count++] = make_step(&route, next);
    }
    seat->first_is_enough = first_is_enough(rule, place->member);
    seat->keeps = ws_seat_keeps(place);
    seat->waits = ws_seat_waits(place);
    free(route.joins);
    free(route.tested);
    free(types);
}

/* ---- problems ---- */

static size_t duration_number(const struct ws_use *use, size_t problem)
{
    size_t i = 0;

    while (!ws_expr_equal(use->problems[i]->duration, use->problems[problem]->duration))
        i++;
    return i;
}

static struct ws_native_problem compile_problem(struct ws_native *native, const struct ws_use *use,
                                                size_t number)
{
    const struct ws_problem_rule *rule = use->problems[number];
    const struct ws_event_type *types[] = {rule->on, rule->on->rule->members[0].type};
    const struct ws_formula_scene scene = {.types = types};
    struct ws_formula_pool *pool = &native->formulas;
    struct ws_native_problem problem = {.problem = use->problem_index[number],
                                        .duration_number = duration_number(use, number),
                                        .has_from = rule->from,
                                        .has_waiting = rule->waiting,
                                        .has_cause = rule->cause};

    problem.condition = ws_formula_of_all(pool, &scene, &rule->condition, 1);
    problem.duration = ws_formula_of(pool, &scene, rule->duration);
    if (rule->from)
        problem.from = ws_formula_of(pool, &scene, rule->from);
    if (rule->waiting)
        problem.waiting = ws_formula_of(pool, &scene, rule->waiting);
    if (rule->cause)
        problem.cause = ws_formula_of(pool, &scene, rule->cause);
    return problem;
}

static void compile_problems(struct ws_native *native, const struct ws_use *use)
{
    struct ws_native_use *compiled = &native->uses[use->index];

    compiled->problems =
        ws_arena_alloc(&native->arena, (use->problem_count + 1) * sizeof *compiled->problems);
    for (int by_element = 0; by_element < 2; by_element++) {
        for (size_t p = 0; p < use->problem_count; p++)
            if ((use->problems[p]->group_member != UINT32_MAX) == by_element)
                compiled->problems[compiled->problem_count++] = compile_problem(native, use, p);
        if (!by_element)
            compiled->plain_count = compiled->problem_count;
    }
}

/* ---- rules ---- */

static void add_copy(struct ws_native_parameters *parameters, ws_operand from, uint32_t slot)
{
    struct ws_native_copies *copies = parameters->copies;

    while (copies->frame != ws_operand_frame(from))
        copies++;
    copies->list[copies->count++] = (struct ws_native_copy){ws_operand_slot(from), slot};
}

static void compile_parameter(struct ws_native *native, const struct ws_formula_scene *scene,
                              const struct ws_expr *expr, uint32_t slot,
                              struct ws_native_parameters *parameters)
{
    struct ws_formula formula = ws_formula_of(&native->formulas, scene, expr);

    if (formula.count == 0)
        add_copy(parameters, formula.result, slot);
    else if (expr->op == WS_OP_MEMBER)
        parameters->events[parameters->event_count++] =
            (struct ws_native_reference){formula.instructions[0].left, slot};
    else
        parameters->computed[parameters->computed_count++] = (struct ws_native_computed){formula, slot};
}

/* Room for copies from each frame; afterwards those frames are left that have some. */
static void begin_copies(struct ws_native *native, struct ws_native_parameters *parameters, size_t frames,
                         size_t slots)
{
    parameters->copies = ws_arena_alloc(&native->arena, frames * sizeof *parameters->copies);
    for (size_t f = 0; f < frames; f++) {
        parameters->copies[f].frame = (uint32_t)f;
        parameters->copies[f].list = ws_arena_alloc(&native->arena, slots * sizeof(struct ws_native_copy));
    }
}

static void end_copies(struct ws_native_parameters *parameters, size_t frames, uint32_t clock_violation)
{
    for (size_t f = 0; f < frames; f++) {
        struct ws_native_copies copies = parameters->copies[f];
        for (size_t i = 0; i < copies.count; i++)
            if (copies.list[i].to == clock_violation) {
                parameters->copies_violation = true;
                parameters->violation = ws_operand_of(copies.frame, copies.list[i].from);
            }
        if (copies.count)
            parameters->copies[parameters->copies_count++] = copies;
    }
}

static void compile_parameters(struct ws_native *native, const struct ws_plan_rule *rule)
{
    const struct ws_event_type *type = rule->rule->type;
    const size_t members = rule->rule->member_count, frames = WS_FRAME_MEMBERS + members;
    const struct ws_event_type **types = ws_alloc_array(members, sizeof *types);
    const struct ws_formula_scene scene = {.types = types, .aggregates = rule->rule->aggregates};
    struct ws_native_parameters *parameters = &native->rules[rule->number].parameters;

    for (size_t m = 0; m < members; m++)
        types[m] = rule->rule->members[m].type;
    begin_copies(native, parameters, frames, type->slot_count);
    parameters->events = ws_arena_alloc(&native->arena, type->slot_count * sizeof *parameters->events);
    parameters->computed = ws_arena_alloc(&native->arena, type->slot_count * sizeof *parameters->computed);
    for (size_t i = type->attribute_count; i < type->slot_count; i++)
        compile_parameter(native, &scene, type->slots[i].value, (uint32_t)i, parameters);
    end_copies(parameters, frames, rule->clock_violation);
    free(types);
}

/* What a rule of the common scope builds, and its own scope does not look at, may be of no use to anybody. */
static void look_before(struct ws_native *native, const struct ws_plan_rule *rule)
{
    struct ws_gates *before = ws_arena_alloc(&native->arena, sizeof *before);

    if (rule->rule->scope->common && !rule->group && !ws_plan_use(rule->plan, rule->rule->scope) &&
        ws_gates_make_before(before, &native->arena, &native->formulas, rule->plan))
        native->rules[rule->number].before = before;
}

static void compile_use(struct ws_native *native, const struct ws_use *use)
{
    for (size_t i = 0; i < use->seat_count; i++)
        if (!use->seats[i].rule->group)
            compile_seat(native, use, i);
    compile_problems(native, use);
}

static int check_limits(const struct ws_plan *plan, struct ws_error *error)
{
    for (size_t i = 0; i < plan->rule_count; i++) {
        const struct ws_composite_rule *rule = plan->rules[i].rule;
        if (rule->member_count > WS_MOST_FRAMES - WS_FRAME_MEMBERS)
            return ws_fail(error, WS_BAD_INPUT,
                           "%s:%d: this rule has %zu members; the native engine takes %u",
                           rule->pos.file ? rule->pos.file : "", rule->pos.line, rule->member_count,
                           WS_MOST_FRAMES - WS_FRAME_MEMBERS);
    }
    return 0;
}

int ws_native_compile(struct ws_native *native, struct ws_error *error)
{
    struct ws_plan *plan = &native->analysis.plan;

    native->uses = ws_arena_alloc(&native->arena, (plan->use_count + 1) * sizeof *native->uses);
    native->rules = ws_arena_alloc(&native->arena, (plan->rule_count + 1) * sizeof *native->rules);
    if (check_limits(plan, error) != 0)
        return -1;
    for (size_t u = 0; u < plan->use_count; u++)
        native->uses[u].seats =
            ws_arena_alloc(&native->arena, (plan->uses[u]->seat_count + 1) * sizeof *native->uses[u].seats);
    for (size_t u = 0; u < plan->use_count; u++)
        compile_use(native, plan->uses[u]);
    ws_native_share(native);
    native->gates = ws_arena_alloc(&native->arena, (plan->kb->type_count + 1) * sizeof *native->gates);
    for (size_t t = 0; t < plan->kb->type_count; t++)
        ws_gates_make(&native->gates[t], &native->arena, &native->formulas, &plan->types[t]);
    for (size_t r = 0; r < plan->rule_count; r++) {
        if (plan->scopes[plan->rules[r].rule->scope->index] == WS_PLAN_ABSENT)
            continue;
        compile_parameters(native, &plan->rules[r]);
        look_before(native, &plan->rules[r]);
        if (plan->rules[r].group)
            ws_native_compile_group(native, &plan->rules[r]);
    }
    for (size_t u = 0; u < plan->use_count; u++)
        for (size_t i = 0; i < plan->uses[u]->seat_count; i++) {
            struct ws_native_seat *seat = &native->uses[u].seats[i];
            seat->may_pass = seat->rule && seat->first_is_enough && native->rules[seat->rule->number].before;
        }
    return 0;
}

void ws_native_free(struct ws_native *native)
{
    for (size_t i = 0; i < native->index_count; i++) {
        ws_native_index_free(native->indexes[i]);
        if (native->indexes[i]->channels && native->indexes[i]->side == 0)
            ws_native_channels_free(native->indexes[i]->channels);
    }
    free(native->indexes);
    for (size_t u = 0; native->uses && u < native->analysis.plan.use_count; u++)
        free(native->uses[u].indexes);
    for (size_t r = 0; native->rules && r < native->analysis.plan.rule_count; r++) {
        free(native->rules[r].folds);
        free(native->rules[r].open);
    }
    ws_formula_pool_free(&native->formulas);
    ws_arena_free(&native->arena);
}
