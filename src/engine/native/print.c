/* The plan of a scope's rules, in words. */
#include "engine/native/native.h"

#include "rules/expr.h"
#include "util/wrap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 100
#define INDENT 4
#define LABEL 16 /* columns of a label with the space behind it */

struct printer {
    const struct ws_native *native;
    const struct ws_scope *scope;
    struct ws_text *out;
};

/* ---- lines ---- */

static void line(struct printer *printer, size_t indent, const char *label, struct ws_text *text)
{
    size_t left = indent + LABEL;

    ws_text_printf(printer->out, "%*s%-*s", (int)indent, "", LABEL, label);
    ws_wrap(printer->out, ws_text_string(text), left, left, WIDTH);
    ws_text_puts(printer->out, "\n");
    ws_text_free(text);
}

static void say(struct printer *printer, size_t indent, const char *label, const char *words)
{
    struct ws_text text = {0};

    ws_text_puts(&text, words);
    line(printer, indent, label, &text);
}

/* Conditions of a rule, one behind the other; false where there are none. */
static bool add_conditions(struct ws_text *text, const struct ws_composite_rule *rule,
                           struct ws_expr *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ws_text_puts(text, i ? ", " : "");
        ws_expr_print(rule, list[i], text);
    }
    return count > 0;
}

static void conditions(struct printer *printer, size_t indent, const char *label,
                       const struct ws_composite_rule *rule, struct ws_expr *const *list, size_t count)
{
    struct ws_text text = {0};

    if (add_conditions(&text, rule, list, count))
        line(printer, indent, label, &text);
    else
        ws_text_free(&text);
}

/* ---- rules without a group ---- */

static size_t filter_count(const struct ws_composite_rule *rule, uint32_t member)
{
    size_t count = 0;

    while (rule->filters[member][count])
        count++;
    return count;
}

/* " and end after a begins", where the member must overlap another. */
static void add_overlap(struct ws_text *text, const struct ws_composite_rule *rule,
                        const struct ws_native_step *step, const char *end)
{
    if (step->overlapped != UINT32_MAX)
        ws_text_printf(text, " and %s after %s begins", end, rule->members[step->overlapped].name);
}

/* The equalities from first to end: "a.x == b.x, a.y == b.y and a.z == b.z". */
static void add_keys(struct ws_text *text, const struct ws_composite_rule *rule,
                     const struct ws_native_step *step, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        ws_text_puts(text, i == first ? "" : i + 1 < end ? ", " : " and ");
        ws_expr_print(rule, step->own[i], text);
        ws_text_puts(text, " == ");
        ws_expr_print(rule, step->others[i], text);
    }
}

static void print_step(struct printer *printer, const struct ws_composite_rule *rule,
                       const struct ws_native_step *step)
{
    const struct ws_member *member = &rule->members[step->member];
    const size_t keys = step->index->key_count;
    struct ws_text text = {0};

    if (keys == 0) {
        ws_text_printf(&text, "%s: each %s that is there", member->name, member->type->name);
        add_overlap(&text, rule, step, "ends");
        ws_text_puts(&text, " is tried");
        line(printer, 2 * INDENT, "scan", &text);
        ws_text_printf(
            &text,
            "no equality leads to %s: a search takes as long as there are such events; an equality "
            "with a value of another member would make it one look into a table",
            member->name);
        line(printer, 2 * INDENT, "warning:", &text);
    } else {
        ws_text_printf(&text, "%s among the %s events that are there", member->name, member->type->name);
        add_overlap(&text, rule, step, "end");
        if (step->index->in_order) {
            ws_text_puts(&text, ", in the queue of ");
            add_keys(&text, rule, step, 0, keys - 1);
            ws_text_puts(&text, ", by the number ");
            add_keys(&text, rule, step, keys - 1, keys);
        } else {
            ws_text_printf(&text, ", by %s of ", keys == 1 ? "a hash" : "one hash");
            add_keys(&text, rule, step, 0, keys);
        }
        line(printer, 2 * INDENT, "find", &text);
    }
    conditions(printer, 2 * INDENT, "then test", rule, step->tests, step->test_count);
}

static void print_fate(struct printer *printer, const struct ws_use *use, const struct ws_seat *seat)
{
    const struct ws_member *member = ws_seat_member(seat);

    if (!ws_seat_keeps(seat))
        return;
    if (use->forgets)
        say(printer, 2 * INDENT, "kept",
            member->shared ? "until nothing still to come can overlap it"
                           : "until it is used up, or nothing still to come can overlap it");
    else
        say(printer, 2 * INDENT, "kept",
            member->shared ? "to the end of the trace, or until a rule uses it up" : "until it is used up");
}

static void print_seat(struct printer *printer, const struct ws_use *use, size_t number)
{
    const struct ws_seat *seat = &use->seats[number];
    const struct ws_composite_rule *rule = seat->rule->rule;
    const struct ws_member *member = ws_seat_member(seat);
    const struct ws_native_seat *compiled = &printer->native->uses[use->index].seats[number];

    ws_text_printf(printer->out, "%*s%s (%s%s) arrives:\n", INDENT, "", member->name,
                   member->shared ? "shared " : "", member->type->name);
    conditions(printer, 2 * INDENT, "test first", rule, rule->filters[seat->member],
               filter_count(rule, seat->member));
    conditions(printer, 2 * INDENT, "then test", rule, compiled->tests, compiled->test_count);
    for (size_t i = 0; i < compiled->step_count; i++)
        print_step(printer, rule, &compiled->steps[i]);
    print_fate(printer, use, seat);
}

static void print_parameters(struct printer *printer, const struct ws_plan_rule *rule)
{
    const struct ws_event_type *type = rule->rule->type;
    size_t count = type->slot_count - type->attribute_count;
    size_t computed = printer->native->rules[rule->number].parameters.computed_count;
    struct ws_text text = {0};

    if (count == 0)
        return;
    ws_text_printf(&text, "%zu value%s: %zu copied, %zu computed", count, count == 1 ? "" : "s",
                   count - computed, computed);
    line(printer, INDENT, "build", &text);
}

static void print_tuple_rule(struct printer *printer, const struct ws_plan_rule *rule)
{
    for (uint32_t m = 0; m < rule->rule->member_count; m++) {
        const struct ws_use *use = rule->uses[m];
        for (size_t i = 0; i < use->seat_count; i++)
            if (use->seats[i].rule == rule && use->seats[i].member == m)
                print_seat(printer, use, i);
    }
}

/* ---- groups ---- */

static void add_fold(struct ws_text *text, const struct ws_composite_rule *rule,
                     const struct ws_native_fold *fold)
{
    static const char *const words[] = {[WS_FOLD_COUNT] = "the number of elements",
                                        [WS_FOLD_SUM] = "the sum of ",
                                        [WS_FOLD_LEAST] = "the element with the least ",
                                        [WS_FOLD_GREATEST] = "the element with the greatest "};

    ws_text_puts(text, words[fold->kind]);
    if (fold->key_expr)
        ws_expr_print(rule, fold->key_expr, text);
    if (fold->where_expr) {
        ws_text_puts(text, " where ");
        ws_expr_print(rule, fold->where_expr, text);
    }
}

static void print_folds(struct printer *printer, const struct ws_plan_rule *rule)
{
    const struct ws_native_rule *compiled = &printer->native->rules[rule->number];
    struct ws_text text = {0};

    for (size_t i = 0; i < compiled->fold_count; i++) {
        ws_text_puts(&text, i ? "; " : "");
        add_fold(&text, rule->rule, &compiled->folds[i]);
    }
    if (compiled->fold_count)
        line(printer, INDENT, "fold", &text);
}

/* What is computed from an element that a fold has chosen, when the group is complete. */
static void print_looked_up(struct printer *printer, const struct ws_plan_rule *rule)
{
    const struct ws_native_rule *compiled = &printer->native->rules[rule->number];
    struct ws_text text = {0};
    size_t count = 0;

    for (size_t i = 0; i < rule->rule->aggregate_count; i++)
        if (compiled->aggregates[i].at) {
            ws_text_puts(&text, count++ ? ", " : "");
            ws_expr_print(rule->rule, rule->rule->aggregates[i].value, &text);
            ws_text_puts(&text, " of the element with the ");
            ws_text_puts(&text, compiled->folds[compiled->aggregates[i].fold].kind == WS_FOLD_LEAST
                                    ? "least "
                                    : "greatest ");
            ws_expr_print(rule->rule, rule->rule->aggregates[i].key, &text);
        }
    if (count)
        line(printer, INDENT, "at the end", &text);
    else
        ws_text_free(&text);
}

static void print_group(struct printer *printer, const struct ws_plan_rule *rule)
{
    const struct ws_composite_rule *written = rule->rule;
    const struct ws_member *member = &written->members[0];
    struct ws_text text = {0};

    ws_text_printf(&text, "%s (%sall %s), by one hash of ", member->name, member->shared ? "shared " : "",
                   member->type->name);
    for (size_t i = 0; i < member->by_count; i++) {
        ws_text_puts(&text, i == 0 ? "" : i + 1 < member->by_count ? ", " : " and ");
        ws_expr_print(written, member->by[i], &text);
    }
    line(printer, INDENT, "group", &text);
    if (member->where)
        conditions(printer, INDENT, "test first", written, &member->where, 1);
    print_folds(printer, rule);
    if (member->expect) {
        ws_text_puts(&text, "with as many elements as the first one says: ");
        ws_expr_print(written, member->expect, &text);
        line(printer, INDENT, "complete", &text);
    } else {
        say(printer, INDENT, "complete", "at the end of the trace");
    }
    print_looked_up(printer, rule);
    if (written->condition)
        conditions(printer, INDENT, "then test", written, &written->condition, 1);
}

/* ---- gates ---- */

static void add_demand(struct ws_text *text, const struct ws_use *use, const struct ws_demand *demand)
{
    if (use->seat_count)
        ws_expr_print(use->seats[0].rule->rule, demand->expr, text);
    else
        ws_problem_expr_print(use->problems[0], demand->expr, text);
    ws_text_puts(text, demand->positive ? " > 0" : "");
}

/* What is asked of an event from outside before it arrives. */
static void print_gate(struct printer *printer, const struct ws_use *use)
{
    const struct ws_plan_type *type = &printer->native->analysis.plan.types[use->type->index];
    struct ws_demands demands = {0};
    struct ws_text text = {0};

    if (!type->by_scope || use->scope->common)
        return;
    demands = ws_gate_demands(use);
    ws_text_printf(&text, "%s%s", use->type->name, demands.count ? " only where " : ", whatever its values");
    for (size_t i = 0; i < demands.count; i++) {
        ws_text_puts(&text, i ? ", " : "");
        add_demand(&text, use, &demands.list[i]);
    }
    line(printer, INDENT, "takes", &text);
    free(demands.list);
}

/* ---- problems ---- */

static void print_problems(struct printer *printer, const struct ws_use *use)
{
    struct ws_text text = {0};
    size_t durations = 0;

    if (use->problem_count == 0)
        return;
    for (size_t i = 0; i < use->problem_count; i++)
        durations += printer->native->uses[use->index].problems[i].duration_number == i;
    ws_text_printf(printer->out, "\nproblems of %s\n", use->type->name);
    ws_text_printf(&text, "%zu rule%s%s, the first that holds counts", use->problem_count,
                   use->problem_count == 1 ? "" : "s",
                   use->judged_by_element ? ", tried for each element of the group" : "");
    line(printer, INDENT, "try", &text);
    for (size_t i = 0; i < use->problem_count; i++) {
        const struct ws_problem_rule *problem = use->problems[i];
        char label[32];
        snprintf(label, sizeof label, "line %d", problem->pos.line);
        if (printer->native->uses[use->index].problems[i].duration_number == i || durations > 1) {
            ws_problem_expr_print(problem, problem->duration, &text);
            ws_text_puts(&text, " > 0");
            if (durations == 1 && use->problem_count > 1)
                ws_text_puts(&text, " (computed once for all of them)");
        }
        if (problem->condition) {
            ws_text_puts(&text, text.length ? ", then " : "");
            ws_problem_expr_print(problem, problem->condition, &text);
        }
        if (!text.length)
            ws_text_puts(&text, "whatever else");
        line(printer, INDENT, label, &text);
    }
}

static void print_rule(struct printer *printer, const struct ws_plan_rule *rule)
{
    ws_text_printf(printer->out, "\ncomposite event %s  (", rule->rule->type->name);
    ws_pos_print(rule->rule->pos, printer->out);
    ws_text_puts(printer->out, ")\n");
    if (rule->group)
        print_group(printer, rule);
    else
        print_tuple_rule(printer, rule);
    print_parameters(printer, rule);
}

/* ---- the whole of a scope ---- */

static bool contains(const struct ws_event_type *whole, const struct ws_event_type *part)
{
    if (whole == part)
        return true;
    for (size_t m = 0; whole->rule && m < whole->rule->member_count; m++)
        if (contains(whole->rule->members[m].type, part))
            return true;
    return false;
}

/* Does a rule or problem of the scope rest on the type, through whatever composite events? */
static bool rests_on(const struct ws_scope *scope, const struct ws_event_type *type)
{
    for (size_t r = 0; r < scope->composite_count; r++)
        if (contains(scope->composites[r]->type, type))
            return true;
    for (size_t p = 0; p < scope->problem_count; p++)
        if (contains(scope->problems[p]->on, type))
            return true;
    return false;
}

static void print_all(struct printer *printer)
{
    const struct ws_plan *plan = &printer->native->analysis.plan;

    ws_text_printf(printer->out, "%s: the plan of the native engine\n", printer->scope->id);
    for (size_t u = 0; u < plan->use_count; u++)
        if (plan->uses[u]->scope == printer->scope)
            print_gate(printer, plan->uses[u]);
    for (size_t r = 0; r < plan->rule_count; r++) {
        const struct ws_composite_rule *rule = plan->rules[r].rule;
        if (rule->scope == printer->scope || (rule->scope->common && rests_on(printer->scope, rule->type)))
            print_rule(printer, &plan->rules[r]);
    }
    for (size_t u = 0; u < plan->use_count; u++)
        if (plan->uses[u]->scope == printer->scope)
            print_problems(printer, plan->uses[u]);
}

int ws_native_print(const struct ws_kb *kb, const struct ws_scope *scope, struct ws_text *out,
                    struct ws_error *error)
{
    static const struct ws_matcher_ops none;
    const struct ws_sink sink = {0};
    struct ws_native native = {0};
    struct printer printer = {&native, scope, out};
    bool *wanted = ws_alloc_array(kb->scope_count, sizeof *wanted);
    int result;

    wanted[scope->index] = true;
    ws_analysis_init(&native.analysis, kb, wanted, &sink, &none, &native);
    result = ws_native_compile(&native, error);
    if (result == 0)
        print_all(&printer);
    ws_native_free(&native);
    ws_analysis_free(&native.analysis);
    free(wanted);
    return result;
}
