/* Expressions in the language's own syntax. */
#include "rules/expr.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the names come from: a composite rule, or a problem rule. */
struct naming {
    const struct ws_composite_rule *rule;
    const struct ws_problem_rule *problem;
};

static void print(const struct naming *naming, const struct ws_expr *expr, int around, struct ws_text *out);

/* ---- constants ---- */

static void print_time(int64_t ns, struct ws_text *out)
{
    static const struct {
        int64_t ns;
        const char *name;
    } units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};
    size_t unit = 0;

    while (ns == 0 ? unit < 3 : ns % units[unit].ns != 0)
        unit++;
    ws_text_printf(out, "%" PRId64 " %s", ns / units[unit].ns, units[unit].name);
}

/* The shortest digits that read back as the same number, with a point so that it is a real. */
static void print_real(double real, struct ws_text *out)
{
    char digits[40];

    for (int precision = 1; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, real);
        if (strtod(digits, NULL) == real)
            break;
    }
    ws_text_puts(out, digits);
    if (!strpbrk(digits, ".e"))
        ws_text_puts(out, ".0");
}

static void print_string(const char *string, struct ws_text *out)
{
    ws_text_puts(out, "\"");
    for (; *string; string++) {
        if (*string == '\n')
            ws_text_puts(out, "\\n");
        else if (*string == '"' || *string == '\\')
            ws_text_printf(out, "\\%c", *string);
        else
            ws_text_add(out, string, 1);
    }
    ws_text_puts(out, "\"");
}

static void print_constant(const struct ws_expr *expr, struct ws_text *out)
{
    switch (expr->type) {
    case WS_TYPE_TIME:
        print_time(expr->value.i, out);
        break;
    case WS_TYPE_REAL:
        print_real(expr->value.r, out);
        break;
    case WS_TYPE_STRING:
        print_string(expr->value.s, out);
        break;
    case WS_TYPE_BOOLEAN:
        ws_text_puts(out, expr->value.i ? "true" : "false");
        break;
    case WS_TYPE_NONE: /* a mistake stands here */
        ws_text_puts(out, "...");
        break;
    default:
        ws_text_printf(out, "%" PRId64, expr->value.i);
    }
}

/* ---- names ---- */

static const struct ws_member *member_of(const struct naming *naming, uint32_t member)
{
    if (naming->problem)
        return &naming->problem->on->rule->members[0]; /* member 1 is its group's element */
    return &naming->rule->members[member];
}

static void print_slot(const struct naming *naming, const struct ws_expr *expr, struct ws_text *out)
{
    const struct ws_member *member;

    if (naming->problem && expr->member == 0) {
        ws_text_puts(out, naming->problem->on->slots[expr->slot].name);
        return;
    }
    member = member_of(naming, expr->member);
    ws_text_printf(out, "%s.%s", member->name, member->type->slots[expr->slot].name);
}

/* ---- calls ---- */

static void print_aggregate(const struct naming *naming, const struct ws_expr *expr, struct ws_text *out)
{
    const struct ws_composite_rule *rule = naming->rule ? naming->rule : naming->problem->on->rule;
    const struct ws_aggregate *aggregate = &rule->aggregates[expr->aggregate];
    const struct naming inner = {rule, NULL};

    ws_text_printf(out, "%s(", ws_aggregate_names[aggregate->kind]);
    if (aggregate->key)
        print(&inner, aggregate->key, 0, out);
    else
        ws_text_puts(out, rule->members[0].name);
    if (aggregate->value) {
        ws_text_puts(out, ", ");
        print(&inner, aggregate->value, 0, out);
    }
    if (aggregate->where) {
        ws_text_puts(out, " where ");
        print(&inner, aggregate->where, 0, out);
    }
    ws_text_puts(out, ")");
}

static void print_call(const struct naming *naming, const struct ws_expr *expr, struct ws_text *out)
{
    ws_text_printf(out, "%s(", ws_operators[expr->op].symbol);
    if (expr->op == WS_OP_OVERLAPS)
        ws_text_printf(out, "%s, %s", member_of(naming, expr->member)->name,
                       member_of(naming, expr->slot)->name);
    for (size_t i = 0; i < expr->arg_count; i++) {
        if (i > 0)
            ws_text_puts(out, ", ");
        print(naming, expr->args[i], 0, out);
    }
    ws_text_puts(out, ")");
}

/* ---- operators ---- */

/* Comparisons do not chain, so both their sides bind tighter; the others group to the left. */
static void print_infix(const struct naming *naming, const struct ws_expr *expr, struct ws_text *out)
{
    int precedence = ws_operators[expr->op].precedence;

    print(naming, expr->args[0], precedence + (ws_is_comparison(expr->op) ? 1 : 0), out);
    ws_text_printf(out, " %s ", ws_operators[expr->op].symbol);
    print(naming, expr->args[1], precedence + 1, out);
}

static void print_prefix(const struct naming *naming, const struct ws_expr *expr, struct ws_text *out)
{
    const struct ws_expr *arg = expr->args[0];
    int precedence = ws_operators[expr->op].precedence;
    bool number = expr->op == WS_OP_NEGATE && arg->op == WS_OP_CONSTANT; /* -(5) is not the number -5 */

    ws_text_puts(out, expr->op == WS_OP_NOT ? "not " : "-");
    print(naming, arg, number ? precedence + 1 : precedence, out);
}

/* around: the least precedence that needs no parentheses here. */
static void print(const struct naming *naming, const struct ws_expr *expr, int around, struct ws_text *out)
{
    int precedence = ws_operators[expr->op].precedence;
    bool constant = expr->op == WS_OP_CONSTANT && around > ws_operators[WS_OP_NEGATE].precedence;
    bool enclosed = constant || (precedence > 0 && precedence < around);

    if (enclosed)
        ws_text_puts(out, "(");
    switch (expr->op) {
    case WS_OP_CONSTANT:
        print_constant(expr, out);
        break;
    case WS_OP_SLOT:
        print_slot(naming, expr, out);
        break;
    case WS_OP_MEMBER:
        ws_text_puts(out, member_of(naming, expr->member)->name);
        break;
    case WS_OP_AGGREGATE:
        print_aggregate(naming, expr, out);
        break;
    default:
        if (precedence == 0)
            print_call(naming, expr, out);
        else if (expr->arg_count == 1)
            print_prefix(naming, expr, out);
        else
            print_infix(naming, expr, out);
    }
    if (enclosed)
        ws_text_puts(out, ")");
}

void ws_expr_print(const struct ws_composite_rule *rule, const struct ws_expr *expr, struct ws_text *out)
{
    const struct naming naming = {rule, NULL};
    print(&naming, expr, 0, out);
}

void ws_problem_expr_print(const struct ws_problem_rule *problem, const struct ws_expr *expr,
                           struct ws_text *out)
{
    const struct naming naming = {NULL, problem};
    print(&naming, expr, 0, out);
}

void ws_pos_print(struct ws_pos pos, struct ws_text *out)
{
    const char *path = pos.file ? pos.file : "built in";
    size_t parts = 0;

    for (const char *c = path + strlen(path); c > path; c--)
        if (c[-1] == '/' && ++parts == 3) {
            path = c;
            break;
        }
    ws_text_printf(out, "%s:%d", path, pos.line);
}
