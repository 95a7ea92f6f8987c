#include "diagnosis/gate.h"

#include "diagnosis/again.h"
#include "rules/arithmetic.h"
#include "rules/expr.h"
#include "rules/tree.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE "--fail-on" /* what mistakes are said to stand in */

/* ---- values ---- */

enum kind { NUMBER, TIME, TEXT, CONDITION, MISTAKEN };
static const char *const kind_names[] = {[NUMBER] = "a number",
                                         [TIME] = "a time",
                                         [TEXT] = "a text",
                                         [CONDITION] = "a condition",
                                         [MISTAKEN] = "nothing"};

struct facts { /* numbers and times in ns: NAN not known; texts: "" not known */
    double severity, duration, count, per_rank, waiting_ranks, causing_ranks, line, cause_line;
    const char *id, *name, *called, *function, *file, *cause_called, *cause_function, *cause_file;
    double wall, total, waiting, problems, ranks, events, lost, exit_code;
    double efficiency, load_balance, communication_efficiency;
    const char *command, *mpi;
};

static const struct fact {
    const char *name;
    enum kind kind;
    bool of_problem;
    size_t place; /* in struct facts */
    const char *meaning;
} table[] = {
    {"severity", NUMBER, true, offsetof(struct facts, severity), "share of the ranks' time, in percent"},
    {"duration", TIME, true, offsetof(struct facts, duration), "time lost, summed over the ranks"},
    {"per_rank", TIME, true, offsetof(struct facts, per_rank), "the same divided by the number of ranks"},
    {"count", NUMBER, true, offsetof(struct facts, count), "number of waits"},
    {"id", TEXT, true, offsetof(struct facts, id), "of the problem type: \"late-sender\""},
    {"name", TEXT, true, offsetof(struct facts, name), "\"Late sender\""},
    {"waiting_ranks", NUMBER, true, offsetof(struct facts, waiting_ranks), "how many ranks wait"},
    {"causing_ranks", NUMBER, true, offsetof(struct facts, causing_ranks), "how many they wait for"},
    {"called", TEXT, true, offsetof(struct facts, called), "the call that waits: \"MPI_Recv\""},
    {"function", TEXT, true, offsetof(struct facts, function), "in which it stands"},
    {"file", TEXT, true, offsetof(struct facts, file), "without its folder"},
    {"line", NUMBER, true, offsetof(struct facts, line), "0: not known"},
    {"cause_called", TEXT, true, offsetof(struct facts, cause_called),
     "the same of the call that is waited for"},
    {"cause_function", TEXT, true, offsetof(struct facts, cause_function), ""},
    {"cause_file", TEXT, true, offsetof(struct facts, cause_file), ""},
    {"cause_line", NUMBER, true, offsetof(struct facts, cause_line), ""},
    {"wall", TIME, false, offsetof(struct facts, wall), "what the run took"},
    {"total", TIME, false, offsetof(struct facts, total), "the ranks' time, summed"},
    {"waiting", NUMBER, false, offsetof(struct facts, waiting),
     "share of that lost in all problems, in percent"},
    {"problems", NUMBER, false, offsetof(struct facts, problems), "how many there are, however small"},
    {"efficiency", NUMBER, false, offsetof(struct facts, efficiency), "parallel efficiency, in percent"},
    {"load_balance", NUMBER, false, offsetof(struct facts, load_balance), "in percent"},
    {"communication_efficiency", NUMBER, false, offsetof(struct facts, communication_efficiency),
     "in percent"},
    {"ranks", NUMBER, false, offsetof(struct facts, ranks), ""},
    {"events", NUMBER, false, offsetof(struct facts, events), "recorded"},
    {"lost", NUMBER, false, offsetof(struct facts, lost), "events that could not be recorded"},
    {"exit_code", NUMBER, false, offsetof(struct facts, exit_code), "of the command"},
    {"command", TEXT, false, offsetof(struct facts, command), "as typed"},
    {"mpi", TEXT, false, offsetof(struct facts, mpi), "\"Open MPI 4.1.4\""},
};
#define FACT_COUNT (sizeof table / sizeof *table)

static const struct fact *find_fact(const char *name)
{
    for (size_t i = 0; i < FACT_COUNT; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

void ws_gate_values(struct ws_text *out)
{
    for (size_t i = 0; i < FACT_COUNT; i++)
        ws_text_printf(out, "%-25s %s%s%s\n", table[i].name, kind_names[table[i].kind] + 2,
                       table[i].meaning[0] ? ": " : "", table[i].meaning);
}

static void gather_run(const struct ws_diagnosis *run, struct facts *facts)
{
    double lost_ns = (double)run->small_ns;

    for (size_t i = 0; i < run->problem_count; i++)
        lost_ns += (double)run->problems[i].duration_ns;
    facts->wall = run->wall_s * 1e9;
    facts->total = (double)run->total_ns;
    facts->waiting = run->total_ns > 0 ? 100 * lost_ns / (double)run->total_ns : 0;
    facts->problems = (double)(run->problem_count + run->small_count);
    facts->ranks = run->ranks;
    facts->events = (double)run->events;
    facts->lost = (double)run->lost;
    facts->exit_code = run->exit_code < 0 ? (double)NAN : run->exit_code;
    facts->efficiency = run->efficiency.known ? 100 * run->efficiency.parallel : NAN;
    facts->load_balance = run->efficiency.known ? 100 * run->efficiency.load_balance : NAN;
    facts->communication_efficiency = run->efficiency.known ? 100 * run->efficiency.communication : NAN;
    facts->command = run->command;
    facts->mpi = run->mpi;
}

static void gather_problem(const struct ws_diagnosis *run, const struct ws_problem *problem,
                           struct facts *facts)
{
    static const struct ws_place nowhere = {.called = "", .function = "", .file = "", .module = ""};
    const struct ws_place *waits = ws_problem_waits_at(problem), *cause = ws_problem_caused_at(problem);

    waits = waits ? waits : &nowhere;
    cause = cause ? cause : &nowhere;
    facts->severity = problem->severity_percent;
    facts->duration = (double)problem->duration_ns;
    facts->per_rank = (double)problem->duration_ns / (run->ranks_recorded ? run->ranks_recorded : 1);
    facts->count = (double)problem->count;
    facts->waiting_ranks = (double)problem->waiting_count;
    facts->causing_ranks = (double)problem->causing_count;
    facts->id = problem->id;
    facts->name = problem->name;
    facts->called = waits->called;
    facts->function = waits->function;
    facts->file = ws_base_name(waits->file);
    facts->line = waits->line;
    facts->cause_called = cause->called;
    facts->cause_function = cause->function;
    facts->cause_file = ws_base_name(cause->file);
    facts->cause_line = cause->line;
}

/* ---- is the condition well formed? ---- */

struct ws_gate {
    struct ws_arena arena;
    const char *condition;
    const struct ws_tree_expr *tree;
    bool of_problems, of_run;
};

struct checker {
    struct ws_gate *gate;
    struct ws_diagnostics *diagnostics;
};

static enum kind check(const struct checker *checker, const struct ws_tree_expr *tree);

static enum kind mistaken(const struct checker *checker, const struct ws_tree_expr *tree, const char *message)
{
    ws_mistake(checker->diagnostics, tree->pos, tree->width, NULL, "%s", message);
    return MISTAKEN;
}

static enum kind check_name(const struct checker *checker, const struct ws_tree_expr *tree)
{
    const struct fact *fact = find_fact(tree->name.text);
    const char *names[FACT_COUNT];

    if (tree->attribute.text)
        return mistaken(checker, tree, "a value has a name without '.': severity, duration, efficiency");
    if (fact) {
        checker->gate->of_problems |= fact->of_problem;
        checker->gate->of_run |= !fact->of_problem;
        return fact->kind;
    }
    for (size_t i = 0; i < FACT_COUNT; i++)
        names[i] = table[i].name;
    ws_mistake(checker->diagnostics, tree->pos, tree->width, ws_suggest(tree->name.text, names, FACT_COUNT),
               "unknown value '%s'; 'whyslow check --help' tells what there is", tree->name.text);
    return MISTAKEN;
}

static enum kind check_constant(const struct checker *checker, const struct ws_tree_expr *tree)
{
    (void)checker;
    switch (tree->type) {
    case WS_TYPE_TIME:
        return TIME;
    case WS_TYPE_STRING:
        return TEXT;
    case WS_TYPE_BOOLEAN:
        return CONDITION;
    default:
        return NUMBER;
    }
}

/* A literal 0 is a time as well. */
static bool is_zero(const struct ws_tree_expr *tree)
{
    return tree->kind == WS_TREE_CONSTANT && tree->type == WS_TYPE_INTEGER && tree->value.i == 0;
}

/* What `left op right` is; MISTAKEN: there is no such thing. */
static enum kind kind_of(enum ws_operator op, enum kind left, enum kind right)
{
    if (op == WS_OP_AND || op == WS_OP_OR)
        return left == CONDITION && right == CONDITION ? CONDITION : MISTAKEN;
    if (op == WS_OP_EQUAL || op == WS_OP_UNEQUAL)
        return left == right ? CONDITION : MISTAKEN;
    if (left > TIME || right > TIME)
        return MISTAKEN;
    if (ws_is_comparison(op))
        return left == right ? CONDITION : MISTAKEN;
    if (op == WS_OP_MULTIPLY)
        return left == TIME && right == TIME ? MISTAKEN : left == TIME || right == TIME ? TIME : NUMBER;
    if (op == WS_OP_DIVIDE)
        return left == right ? NUMBER : left == TIME ? TIME : MISTAKEN;
    return left == right && (op != WS_OP_REMAINDER || left == NUMBER) ? left : MISTAKEN;
}

static void wrong_operands(const struct checker *checker, const struct ws_tree_expr *tree, enum kind left,
                           enum kind right)
{
    bool unit = (left == TIME && right == NUMBER) || (left == NUMBER && right == TIME);

    ws_mistake(checker->diagnostics, tree->pos, tree->width, NULL, "'%s' does not go with %s and %s%s",
               ws_operators[tree->op].symbol, kind_names[left], kind_names[right],
               unit                                    ? ": a time has a unit, as in 20 ms"
               : left == TEXT && right == TEXT         ? ": texts are equal (==) or not (!=)"
               : left == TEXT || right == TEXT         ? ": a text stands in quotes, a number does not"
               : ws_operators[tree->op].precedence < 3 ? ": both sides are comparisons, as in severity > 10"
                                                       : "");
}

static enum kind check_operation(const struct checker *checker, const struct ws_tree_expr *tree)
{
    enum kind left = check(checker, tree->args[0]), right, result;

    if (tree->arg_count == 1) {
        result = tree->op == WS_OP_NOT ? CONDITION : left;
        if (left == MISTAKEN || (tree->op == WS_OP_NOT ? left == CONDITION : left <= TIME))
            return left == MISTAKEN ? MISTAKEN : result;
        ws_mistake(checker->diagnostics, tree->pos, tree->width, NULL, "'%s' does not go with %s",
                   ws_operators[tree->op].symbol, kind_names[left]);
        return MISTAKEN;
    }
    right = check(checker, tree->args[1]);
    if (left == MISTAKEN || right == MISTAKEN)
        return MISTAKEN;
    if (left == TIME && is_zero(tree->args[1]))
        right = TIME;
    if (right == TIME && is_zero(tree->args[0]))
        left = TIME;
    result = kind_of(tree->op, left, right);
    if (result == MISTAKEN)
        wrong_operands(checker, tree, left, right);
    return result;
}

static enum kind check(const struct checker *checker, const struct ws_tree_expr *tree)
{
    switch (tree->kind) {
    case WS_TREE_CONSTANT:
        return check_constant(checker, tree);
    case WS_TREE_PATH:
        return check_name(checker, tree);
    case WS_TREE_CALL:
        return mistaken(checker, tree, "there are no functions in a condition of a check");
    case WS_TREE_OPERATION:
        return check_operation(checker, tree);
    default:
        return MISTAKEN;
    }
}

static void check_whole(const struct checker *checker, const struct ws_tree_expr *tree)
{
    enum kind kind = check(checker, tree);

    if (kind != MISTAKEN && kind != CONDITION)
        mistaken(checker, tree, "a condition is wanted, as in severity > 10");
    else if (kind == CONDITION && !checker->gate->of_problems && !checker->gate->of_run)
        mistaken(checker, tree, "this is the same for every run: it names no value, as severity is one");
}

struct ws_gate *ws_gate_read(const char *condition, struct ws_text *report)
{
    struct ws_gate *gate = ws_alloc(sizeof *gate);
    struct ws_diagnostics diagnostics = {.report = report};
    const struct checker checker = {gate, &diagnostics};
    const struct ws_source *source = ws_source_add(&diagnostics, SOURCE, condition, strlen(condition));

    gate->condition = ws_arena_strdup(&gate->arena, condition);
    if (source) {
        gate->tree = ws_rules_parse_expression(&gate->arena, source, &diagnostics);
        if (diagnostics.mistakes == 0)
            check_whole(&checker, gate->tree);
    }
    if (diagnostics.mistakes) {
        ws_gate_free(gate);
        gate = NULL;
    }
    ws_diagnostics_free(&diagnostics);
    return gate;
}

void ws_gate_free(struct ws_gate *gate)
{
    if (gate)
        ws_arena_free(&gate->arena);
    free(gate);
}

const char *ws_gate_condition(const struct ws_gate *gate)
{
    return gate->condition;
}

bool ws_gate_is_of_problems(const struct ws_gate *gate)
{
    return gate->of_problems;
}

/* ---- does it hold? ---- */

struct value { /* conditions are numbers, 0 or 1 */
    double number;
    const char *text;
};

struct asking {
    const struct facts *facts;
    const char *unknown; /* a value that is not known */
};

static struct value value_of(struct asking *asking, const struct ws_tree_expr *tree);

static struct value constant_value(const struct ws_tree_expr *tree)
{
    if (tree->type == WS_TYPE_STRING)
        return (struct value){.text = tree->value.s};
    return (struct value){.number = tree->type == WS_TYPE_REAL ? tree->value.r : (double)tree->value.i};
}

static struct value fact_value(struct asking *asking, const struct ws_tree_expr *tree)
{
    const struct fact *fact = find_fact(tree->name.text);
    const char *place = (const char *)asking->facts + fact->place;
    struct value value = {0};

    if (fact->kind == TEXT)
        value.text = *(const char *const *)(const void *)place;
    else
        value.number = *(const double *)(const void *)place;
    if (isnan(value.number))
        asking->unknown = fact->name;
    return value;
}

static bool compared(enum ws_operator op, const struct value *left, const struct value *right)
{
    if (left->text)
        return ws_comparison(op, WS_TYPE_STRING, (union ws_value){.s = left->text},
                             (union ws_value){.s = right->text});
    if (isnan(left->number - right->number)) /* no number is less, equal or greater then */
        return op == WS_OP_UNEQUAL;
    return ws_comparison(op, WS_TYPE_REAL, (union ws_value){.r = left->number},
                         (union ws_value){.r = right->number});
}

static double computed(enum ws_operator op, double left, double right)
{
    switch (op) {
    case WS_OP_ADD:
        return left + right;
    case WS_OP_SUBTRACT:
        return left - right;
    case WS_OP_MULTIPLY:
        return left * right;
    case WS_OP_DIVIDE:
        return left / right;
    default:
        return fmod(left, right);
    }
}

static struct value operation_value(struct asking *asking, const struct ws_tree_expr *tree)
{
    struct value left = value_of(asking, tree->args[0]), right;

    if (tree->op == WS_OP_NOT)
        return (struct value){.number = left.number == 0};
    if (tree->op == WS_OP_NEGATE)
        return (struct value){.number = -left.number};
    if ((tree->op == WS_OP_AND && left.number == 0) || (tree->op == WS_OP_OR && left.number != 0))
        return left;
    right = value_of(asking, tree->args[1]);
    if (tree->op == WS_OP_AND || tree->op == WS_OP_OR)
        return right;
    if (ws_is_comparison(tree->op))
        return (struct value){.number = compared(tree->op, &left, &right)};
    return (struct value){.number = computed(tree->op, left.number, right.number)};
}

static struct value value_of(struct asking *asking, const struct ws_tree_expr *tree)
{
    if (tree->kind == WS_TREE_CONSTANT)
        return constant_value(tree);
    return tree->kind == WS_TREE_PATH ? fact_value(asking, tree) : operation_value(asking, tree);
}

int ws_gate_ask(const struct ws_gate *gate, const struct ws_diagnosis *run, bool *holds,
                struct ws_error *error)
{
    size_t count = gate->of_problems ? run->problem_count : 1;
    struct facts facts = {0};
    struct asking asking = {&facts, NULL};

    gather_run(run, &facts);
    for (size_t i = 0; i < count; i++) {
        if (gate->of_problems)
            gather_problem(run, &run->problems[i], &facts);
        holds[i] = value_of(&asking, gate->tree).number != 0;
    }
    if (asking.unknown)
        return ws_fail(error, WS_BAD_INPUT, "'%s' cannot be checked: %s is not known of this run",
                       gate->condition, asking.unknown);
    return 0;
}

static void tell_fact(const struct facts *facts, const struct fact *fact, struct ws_text *out)
{
    const char *place = (const char *)facts + fact->place;
    char duration[32];

    ws_text_printf(out, "%s%s ", out->length ? ", " : "", fact->name);
    if (fact->kind == TEXT)
        ws_text_puts(out, *(const char *const *)(const void *)place);
    else if (fact->kind == TIME)
        ws_text_puts(out, ws_format_ns(ws_round(*(const double *)(const void *)place), duration));
    else
        ws_text_printf(out, "%.4g", *(const double *)(const void *)place);
}

static void mark_named(const struct ws_tree_expr *tree, bool named[FACT_COUNT])
{
    if (tree->kind == WS_TREE_PATH)
        named[find_fact(tree->name.text) - table] = true;
    for (size_t i = 0; i < tree->arg_count; i++)
        mark_named(tree->args[i], named);
}

void ws_gate_tell(const struct ws_gate *gate, const struct ws_diagnosis *run, struct ws_text *out)
{
    bool named[FACT_COUNT] = {false};
    struct facts facts = {0};

    gather_run(run, &facts);
    mark_named(gate->tree, named);
    for (size_t i = 0; i < FACT_COUNT; i++)
        if (named[i] && !table[i].of_problem)
            tell_fact(&facts, &table[i], out);
}
