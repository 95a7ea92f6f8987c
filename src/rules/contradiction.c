/* Conditions that can never hold, or always do: constants, intervals of one value against constants, the
 * order of two values, values that cannot be negative.
 *
 * A condition is looked at as a set of atoms that must hold together.  An atom says how one expression (its
 * subject) compares with a constant, or with a second expression: then the subject is the sign of their
 * difference.  The atoms of one subject leave an interval of values; where it is empty, nothing is left. */
#include "rules/check.h"
#include "rules/expr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct atom {
    const struct ws_expr *left, *right; /* right: NULL for a constant */
    enum ws_operator op;
    union ws_value constant;
    const struct ws_expr *from; /* the conjunct, for messages */
    bool negated;
};
struct atoms {
    const struct atom *list;
    size_t count;
};

struct search {
    struct ws_checker *checker;
    const struct ws_composite_rule *rule;
    const struct ws_problem_rule *problem;
    bool quiet;
};

enum { NEVER, ALWAYS, UNKNOWN }; /* what an expression gives alone */

/* ---- messages ---- */

static void print(const struct search *search, const struct ws_expr *expr, bool negated, struct ws_text *out)
{
    bool leaf = ws_operators[expr->op].precedence == 0;

    if (negated)
        ws_text_puts(out, leaf ? "not " : "not (");
    if (search->problem)
        ws_problem_expr_print(search->problem, expr, out);
    else
        ws_expr_print(search->rule, expr, out);
    if (negated && !leaf)
        ws_text_puts(out, ")");
}

static int width_of(const struct ws_expr *expr, const char *printed)
{
    return (int)strlen(ws_operators[expr->op].symbol ? ws_operators[expr->op].symbol : printed);
}

/* `other` is the atom that it contradicts, or NULL. */
static void report_never(const struct search *search, const struct ws_expr *expr, bool negated,
                         const struct atom *other)
{
    struct ws_text text = {0}, against = {0};

    if (search->quiet)
        return;
    print(search, expr, negated, &text);
    if (other) {
        print(search, other->from, other->negated, &against);
        ws_mistake(search->checker->diagnostics, expr->pos, width_of(expr, text.bytes), NULL,
                   "this condition never holds: '%s' contradicts '%s'", text.bytes, against.bytes);
    } else {
        ws_mistake(search->checker->diagnostics, expr->pos, width_of(expr, text.bytes), NULL,
                   "this condition never holds: '%s'", text.bytes);
    }
    ws_text_free(&text);
    ws_text_free(&against);
}

/* ---- intervals ---- */

/* Exact for every int64_t on the machines at hand, where long double has 64 bits of mantissa or more. */
struct interval {
    long double low, high;
    bool low_open, high_open;
    bool whole; /* only whole numbers count */
};

static void raise_low(struct interval *interval, long double to, bool open)
{
    if (interval->whole && open) {
        to += 1;
        open = false;
    }
    if (to > interval->low || (to == interval->low && open)) {
        interval->low = to;
        interval->low_open = open;
    }
}

static void lower_high(struct interval *interval, long double to, bool open)
{
    if (interval->whole && open) {
        to -= 1;
        open = false;
    }
    if (to < interval->high || (to == interval->high && open)) {
        interval->high = to;
        interval->high_open = open;
    }
}

static void exclude(struct interval *interval, long double value)
{
    if (value == interval->low && !interval->low_open)
        raise_low(interval, value, true);
    if (value == interval->high && !interval->high_open)
        lower_high(interval, value, true);
}

static void narrow(struct interval *interval, enum ws_operator op, long double value)
{
    switch (op) {
    case WS_OP_EQUAL:
        raise_low(interval, value, false);
        lower_high(interval, value, false);
        break;
    case WS_OP_UNEQUAL:
        exclude(interval, value);
        break;
    case WS_OP_LESS:
    case WS_OP_LESS_EQUAL:
        lower_high(interval, value, op == WS_OP_LESS);
        break;
    default:
        raise_low(interval, value, op == WS_OP_GREATER);
    }
}

static bool is_empty(const struct interval *interval)
{
    return interval->low > interval->high ||
           (interval->low == interval->high && (interval->low_open || interval->high_open));
}

/* ---- what is known of a value without any condition ---- */

static bool is_never_negative_slot(const struct ws_event_type *type, uint32_t slot)
{
    static const char *const formats[] = {"uint", "bytes", "comm", "window"};

    if (!type || type->composite || slot >= type->slot_count)
        return false;
    if (slot == WS_ATTR_D || slot == WS_ATTR_COMPUTE || slot == WS_ATTR_BEFORE_D || slot == WS_ATTR_PROCESS)
        return true;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (type->slots[slot].format && strcmp(type->slots[slot].format, formats[i]) == 0)
            return true;
    return false;
}

static bool is_never_negative(const struct search *search, const struct ws_expr *expr)
{
    if (expr->op == WS_OP_AGGREGATE && search->rule)
        return search->rule->aggregates[expr->aggregate].kind == WS_AGG_COUNT;
    if (expr->op == WS_OP_ABS)
        return true;
    if (expr->op != WS_OP_SLOT)
        return false;
    if (search->rule)
        return is_never_negative_slot(search->rule->members[expr->member].type, expr->slot);
    return expr->member == 1 &&
           is_never_negative_slot(search->problem->on->rule->members[0].type, expr->slot);
}

static struct interval start_of(const struct search *search, const struct atom *atom)
{
    enum ws_type type = atom->left->type;

    if (atom->right)
        return (struct interval){-1, 1, false, false, true};
    if (type == WS_TYPE_BOOLEAN)
        return (struct interval){0, 1, false, false, true};
    if (type == WS_TYPE_REAL)
        return (struct interval){-HUGE_VALL, HUGE_VALL, false, false, false};
    return (struct interval){is_never_negative(search, atom->left) ? 0 : (long double)INT64_MIN,
                             (long double)INT64_MAX, false, false, true};
}

/* ---- atoms ---- */

/* Do two atoms speak of the same subject?  *mirrored: with its sides exchanged. */
static bool same_subject(const struct atom *a, const struct atom *b, bool *mirrored)
{
    *mirrored = false;
    if (!a->right != !b->right)
        return false;
    if (ws_expr_equal(a->left, b->left) && ws_expr_equal(a->right, b->right))
        return true;
    *mirrored = true;
    return a->right && ws_expr_equal(a->left, b->right) && ws_expr_equal(a->right, b->left);
}

static void apply(struct interval *interval, const struct atom *atom, bool mirrored)
{
    enum ws_operator op = mirrored ? ws_mirrored(atom->op) : atom->op;

    if (atom->right)
        narrow(interval, op, 0);
    else if (atom->left->type == WS_TYPE_REAL)
        narrow(interval, op, atom->constant.r);
    else
        narrow(interval, op, atom->constant.i);
}

/* Strings have no interval: two equalities with unlike constants, or an equality and its negation. */
static bool strings_clash(const struct atom *a, const struct atom *b)
{
    bool equal = strcmp(a->constant.s, b->constant.s) == 0;

    if (a->op == WS_OP_EQUAL && b->op == WS_OP_EQUAL)
        return !equal;
    return a->op != b->op && equal;
}

static bool is_constant_string(const struct atom *atom)
{
    return !atom->right && atom->left->type == WS_TYPE_STRING;
}

/* Can the new atom hold together with the others?  *other: the one after which nothing was left. */
static bool holds_with(const struct search *search, struct atoms atoms, const struct atom *new_atom,
                       const struct atom **other)
{
    struct interval interval = {0};
    bool mirrored;

    *other = NULL;
    if (!is_constant_string(new_atom)) {
        interval = start_of(search, new_atom);
        apply(&interval, new_atom, false);
        if (is_empty(&interval))
            return false;
    }
    for (size_t round = 0; round < 2; round++) /* twice: an exclusion may bite only at a bound found later */
        for (size_t i = 0; i < atoms.count; i++) {
            if (!same_subject(new_atom, &atoms.list[i], &mirrored))
                continue;
            *other = &atoms.list[i];
            if (is_constant_string(new_atom) && strings_clash(new_atom, &atoms.list[i]))
                return false;
            if (is_constant_string(new_atom))
                continue;
            apply(&interval, &atoms.list[i], mirrored);
            apply(&interval, new_atom, false);
            if (is_empty(&interval))
                return false;
        }
    return true;
}

/* The atom that a comparison, or a condition as it stands, is; or what it gives always. */
static int atom_of(const struct ws_expr *expr, bool negated, struct atom *atom)
{
    union ws_value value;

    if (ws_fold(expr, &value) == WS_CONSTANT)
        return (bool)value.i != negated ? ALWAYS : NEVER;
    *atom = (struct atom){
        .left = expr, .op = WS_OP_EQUAL, .constant.i = !negated, .from = expr, .negated = negated};
    if (!ws_is_comparison(expr->op))
        return UNKNOWN;
    atom->op = negated ? ws_inverse(expr->op) : expr->op;
    atom->left = expr->args[0];
    if (ws_fold(expr->args[1], &atom->constant) == WS_CONSTANT)
        return UNKNOWN;
    if (ws_fold(expr->args[0], &atom->constant) == WS_CONSTANT) {
        atom->left = expr->args[1];
        atom->op = ws_mirrored(atom->op);
        return UNKNOWN;
    }
    atom->right = expr->args[1];
    if (!ws_expr_equal(atom->left, atom->right))
        return UNKNOWN;
    return atom->op == WS_OP_EQUAL || atom->op == WS_OP_LESS_EQUAL || atom->op == WS_OP_GREATER_EQUAL ? ALWAYS
                                                                                                      : NEVER;
}

/* ---- conditions ---- */

struct leaf {
    const struct ws_expr *expr;
    bool negated;
};
struct leaves {
    struct leaf *list;
    size_t count, capacity;
};
struct atom_list {
    struct atom *list;
    size_t count, capacity;
};

/* What must hold together for the expression (or its negation) to hold. */
static void flatten(const struct ws_expr *expr, bool negated, struct leaves *leaves)
{
    if (expr->op == WS_OP_NOT) {
        flatten(expr->args[0], !negated, leaves);
    } else if (expr->op == (negated ? WS_OP_OR : WS_OP_AND)) {
        flatten(expr->args[0], negated, leaves);
        flatten(expr->args[1], negated, leaves);
    } else {
        WS_PUSH(leaves->list, leaves->count, leaves->capacity) = (struct leaf){expr, negated};
    }
}

static bool is_alternative(const struct leaf *leaf)
{
    return leaf->expr->op == WS_OP_AND || leaf->expr->op == WS_OP_OR;
}

static bool never(const struct search *search, const struct ws_expr *expr, bool negated, struct atoms atoms);

/* Adds a leaf's atom; true, after reporting it, where it cannot hold with the others. */
static bool add_leaf(const struct search *search, const struct leaf *leaf, struct atom_list *atoms)
{
    const struct atom *other = NULL;
    struct atom atom;
    int alone = atom_of(leaf->expr, leaf->negated, &atom);

    if (alone == ALWAYS)
        return false;
    if (alone == NEVER || !holds_with(search, (struct atoms){atoms->list, atoms->count}, &atom, &other)) {
        report_never(search, leaf->expr, leaf->negated, alone == NEVER ? NULL : other);
        return true;
    }
    WS_PUSH(atoms->list, atoms->count, atoms->capacity) = atom;
    return false;
}

/* Can neither alternative hold?  Each that cannot is reported. */
static bool no_alternative(const struct search *search, const struct leaf *leaf, struct atoms atoms)
{
    bool left = never(search, leaf->expr->args[0], leaf->negated, atoms);
    bool right = never(search, leaf->expr->args[1], leaf->negated, atoms);
    return left && right;
}

static bool never_together(const struct search *search, const struct leaves *leaves, struct atom_list *atoms)
{
    for (size_t i = 0; i < leaves->count; i++)
        if (!is_alternative(&leaves->list[i]) && add_leaf(search, &leaves->list[i], atoms))
            return true;
    for (size_t i = 0; i < leaves->count; i++)
        if (is_alternative(&leaves->list[i]) &&
            no_alternative(search, &leaves->list[i], (struct atoms){atoms->list, atoms->count}))
            return true;
    return false;
}

/* Can the expression (or its negation) never hold, where the atoms do? */
static bool never(const struct search *search, const struct ws_expr *expr, bool negated, struct atoms atoms)
{
    struct atom_list list = {0};
    struct leaves leaves = {0};
    bool result;

    for (size_t i = 0; i < atoms.count; i++)
        WS_PUSH(list.list, list.count, list.capacity) = atoms.list[i];
    flatten(expr, negated, &leaves);
    result = never_together(search, &leaves, &list);
    free(list.list);
    free(leaves.list);
    return result;
}

static void warn_always(const struct search *search, const struct ws_expr *expr)
{
    struct ws_text text = {0};

    print(search, expr, false, &text);
    ws_warning(search->checker->diagnostics, expr->pos, width_of(expr, text.bytes), NULL,
               "this condition always holds: '%s'", text.bytes);
    ws_text_free(&text);
}

void ws_check_contradiction(struct ws_checker *checker, const struct ws_composite_rule *rule,
                            const struct ws_problem_rule *problem, struct ws_expr *condition)
{
    struct search search = {checker, rule, problem, false};
    size_t count, before = checker->diagnostics->mistakes;
    struct ws_expr **conjuncts = ws_conjuncts(checker->arena, condition, &count);

    if (!condition || condition->type != WS_TYPE_BOOLEAN ||
        never(&search, condition, false, (struct atoms){0}) || checker->diagnostics->mistakes > before)
        return;
    search.quiet = true;
    for (size_t i = 0; i < count; i++)
        if (conjuncts[i]->type == WS_TYPE_BOOLEAN && never(&search, conjuncts[i], true, (struct atoms){0}))
            warn_always(&search, conjuncts[i]);
}
