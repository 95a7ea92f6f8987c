/* What the checker makes of well-formed rules: types, filters, joins, aggregates, problems. */
#include "language.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct language language;

static int begin(void **state)
{
    (void)state;
    language_init(&language);
    return 0;
}

static int end(void **state)
{
    (void)state;
    language_free(&language);
    return 0;
}

static void accept_common(const char *common, const char *text)
{
    assert_string_equal(language_check(&language, common, text, strlen(text)), "");
    assert_int_equal(language.diagnostics.mistakes, 0);
}

static void accept(const char *text)
{
    accept_common(NULL, text);
}

/* A problem for a type, so that no warning says that nothing uses it. */
#define PROBLEM(type)                                                                                        \
    "declare problem for " type " parameters(name = \"x\", advice = \"y\", duration = end - begin);\n"

static const struct ws_composite_rule *rule(size_t index)
{
    assert_true(index < language.scope.composite_count);
    return language.scope.composites[index];
}

static const struct ws_problem_rule *problem(size_t index)
{
    assert_true(index < language.scope.problem_count);
    return language.scope.problems[index];
}

/* The expression as printed; gives back a static buffer. */
static const char *printed(const struct ws_composite_rule *of, const struct ws_expr *expr)
{
    static char buffer[1000];
    struct ws_text text = {0};

    ws_expr_print(of, expr, &text);
    snprintf(buffer, sizeof buffer, "%s", ws_text_string(&text));
    ws_text_free(&text);
    return buffer;
}

static const char *printed_in_problem(const struct ws_problem_rule *of, const struct ws_expr *expr)
{
    static char buffer[1000];
    struct ws_text text = {0};

    ws_problem_expr_print(of, expr, &text);
    snprintf(buffer, sizeof buffer, "%s", ws_text_string(&text));
    ws_text_free(&text);
    return buffer;
}

static const struct ws_param *slot(const struct ws_event_type *type, const char *name)
{
    int index = ws_type_slot(type, name);
    assert_true(index >= 0);
    return &type->slots[index];
}

/* ---- composite events ---- */

static void a_composite_type_has_attributes_then_parameters(void **state)
{
    const struct ws_event_type *type;

    (void)state;
    accept("declare composite event pair member(send as s, recv as r) when s.n == r.n\n"
           "parameters(wait = s.t - r.t, who = s.function, share = real(s.d) / 2.0, big = s.bytes > 10, "
           "sender = s,\n"
           "           where_at = s.site, count = s.n + 1,);\n" PROBLEM("pair"));
    type = rule(0)->type;
    assert_ptr_equal(type, language.kb.types[3]);
    assert_true(type->composite);
    assert_int_equal(type->index, 3);
    assert_ptr_equal(type->scope, &language.scope);
    assert_ptr_equal(type->rule, rule(0));
    assert_int_equal(type->attribute_count, WS_CATTR_COUNT);
    assert_int_equal(type->slot_count, WS_CATTR_COUNT + 7);
    assert_string_equal(type->slots[WS_CATTR_BEGIN].name, "begin");
    assert_string_equal(type->slots[2].name, "wait");
    assert_int_equal(slot(type, "wait")->type, WS_TYPE_TIME);
    assert_int_equal(slot(type, "who")->type, WS_TYPE_STRING);
    assert_int_equal(slot(type, "share")->type, WS_TYPE_REAL);
    assert_int_equal(slot(type, "big")->type, WS_TYPE_BOOLEAN);
    assert_int_equal(slot(type, "sender")->type, WS_TYPE_EVENT);
    assert_int_equal(slot(type, "where_at")->type, WS_TYPE_SITE);
    assert_int_equal(slot(type, "count")->type, WS_TYPE_INTEGER);
}

static void a_condition_is_split_by_what_it_needs(void **state)
{
    const struct ws_composite_rule *pair;

    (void)state;
    accept("declare composite event pair member(send as s, recv as r, shared barrier as b)\n"
           "when r.peer == s.process and s.bytes > 10 and s.n + 1 == r.n and (s.tag == 1 or r.tag == 2) and "
           "s.t < r.t\n"
           "  and overlaps(s, b) and b.size > 2 and b.size < 100 and s.load == r.load\n"
           "parameters();\n" PROBLEM("pair"));
    pair = rule(0);
    assert_int_equal(pair->member_count, 3);
    assert_false(pair->members[0].shared);
    assert_true(pair->members[2].shared);
    assert_string_equal(printed(pair, pair->filters[0][0]), "s.bytes > 10");
    assert_null(pair->filters[0][1]);
    assert_null(pair->filters[1][0]);
    assert_string_equal(printed(pair, pair->filters[2][0]), "b.size > 2");
    assert_string_equal(printed(pair, pair->filters[2][1]), "b.size < 100");
    assert_null(pair->filters[2][2]);
    assert_int_equal(pair->join_count, 2); /* the equality of reals is none */
    assert_string_equal(printed(pair, pair->joins[0].left), "s.process");
    assert_string_equal(printed(pair, pair->joins[0].right), "r.peer");
    assert_int_equal(pair->joins[0].left_member, 0);
    assert_int_equal(pair->joins[0].right_member, 1);
    assert_string_equal(printed(pair, pair->joins[1].left), "s.n + 1");
    assert_int_equal(pair->residual_count, 4);
    assert_string_equal(printed(pair, pair->residual[0]), "s.tag == 1 or r.tag == 2");
    assert_string_equal(printed(pair, pair->residual[1]), "s.t < r.t");
    assert_string_equal(printed(pair, pair->residual[2]), "overlaps(s, b)");
    assert_string_equal(printed(pair, pair->residual[3]), "s.load == r.load");
}

static void one_member_needs_no_connection(void **state)
{
    (void)state;
    accept("declare composite event lone member(send as s) parameters();\n" PROBLEM("lone"));
    assert_null(rule(0)->condition);
    assert_null(rule(0)->filters[0][0]);
    assert_int_equal(rule(0)->residual_count, 0);
}

static void three_members_may_hang_together_in_a_chain(void **state)
{
    (void)state;
    accept("declare composite event chain member(send as s, recv as r, barrier as b)\n"
           "when r.n == b.n and s.n == r.n parameters();\n" PROBLEM("chain"));
    assert_int_equal(rule(0)->join_count, 2);
    assert_int_equal(rule(0)->joins[0].left_member, 1);
    assert_int_equal(rule(0)->joins[0].right_member, 2);
}

/* Rules may use types that are declared later; the rules themselves stay in the order of declaration. */
static void types_may_be_used_before_they_are_declared(void **state)
{
    (void)state;
    accept_common(
        "declare composite event late member(send as s) parameters(wait = s.d);\n",
        "declare composite event outer member(inner as i, late as l) when i.begin == l.begin\n"
        "parameters(wait = i.wait + l.wait, first = i.first);\n"
        "declare composite event inner member(send as s) parameters(wait = s.d, first = s);\n"
        "declare problem for outer parameters(name = \"x\", advice = \"{first.site}\", duration = wait,\n"
        "    waiting = first);\n");
    assert_string_equal(rule(0)->type->name, "outer");
    assert_string_equal(rule(1)->type->name, "inner");
    assert_int_equal(language.common.composite_count, 1);
    assert_int_equal(slot(rule(0)->type, "wait")->type, WS_TYPE_TIME);
    assert_int_equal(slot(rule(0)->type, "first")->type, WS_TYPE_EVENT);
    assert_ptr_equal(rule(0)->members[1].type, language.common.composites[0]->type);
}

/* ---- groups ---- */

static void a_group_has_keys_and_aggregates(void **state)
{
    const struct ws_composite_rule *group;

    (void)state;
    accept(
        "declare composite event all_in\n"
        "member(shared all barrier as b by b.comm, b.n where b.size > 1 expect b.size)\n"
        "when max(b.t) - min(b.t) > 1 ms\n"
        "parameters(last_t = max(b.t), roots = count(b where b.is_root), last = at_max(b.t, b),\n"
        "    spread = max(b.t) - min(b.t), both = max(min(b.t, b.posted)), all_d = sum(b.d), comm = b.comm,\n"
        "    greater = max(count(b), 3));\n" PROBLEM("all_in"));
    group = rule(0);
    assert_true(group->members[0].group);
    assert_true(group->members[0].shared);
    assert_int_equal(group->members[0].by_count, 2);
    assert_string_equal(printed(group, group->members[0].by[1]), "b.n");
    assert_string_equal(printed(group, group->members[0].where), "b.size > 1");
    assert_string_equal(printed(group, group->members[0].expect), "b.size");
    assert_int_equal(group->residual_count, 1);
    assert_int_equal(group->join_count, 0);
    assert_null(group->filters[0][0]);
    /* max(b.t), min(b.t), count where, at_max, max(min), sum, comm, count: equal ones are one */
    assert_int_equal(group->aggregate_count, 8);
    assert_int_equal(group->aggregates[0].kind, WS_AGG_MAX);
    assert_int_equal(group->aggregates[1].kind, WS_AGG_MIN);
    assert_int_equal(slot(group->type, "last")->type, WS_TYPE_EVENT);
    assert_int_equal(slot(group->type, "comm")->type, WS_TYPE_INTEGER);
    assert_string_equal(printed(group, slot(group->type, "roots")->value), "count(b where b.is_root)");
    assert_string_equal(printed(group, slot(group->type, "both")->value), "max(min(b.t, b.posted))");
    assert_string_equal(printed(group, slot(group->type, "greater")->value), "max(count(b), 3)");
    assert_string_equal(printed(group, slot(group->type, "last")->value), "at_max(b.t, b)");
    assert_string_equal(printed(group, slot(group->type, "comm")->value), "at_min(b.t, b.comm)");
}

/* ---- expressions ---- */

/* The parameter x of a rule with members s and r. */
static const struct ws_expr *expression(const char *text)
{
    char *file = NULL;

    language_free(&language);
    language_init(&language);
    assert_true(asprintf(&file,
                         "declare composite event pair member(send as s, recv as r) when s.n == r.n\n"
                         "parameters(x = %s);\n" PROBLEM("pair"),
                         text) > 0);
    accept(file);
    free(file);
    return slot(rule(0)->type, "x")->value;
}

static void operators_bind_as_usual(void **state)
{
    static const char *const texts[][2] = {
        {"1 + 2 * 3", NULL},
        {"(1 + 2) * 3", NULL},
        {"1 - 2 - 3", NULL},
        {"1 - (2 - 3)", NULL},
        {"(1 - 2) - 3", "1 - 2 - 3"},
        {"8 / 2 % 3", NULL},
        {"8 / (2 * 3)", NULL},
        {"-s.n * 2", NULL},
        {"-(s.n * 2)", NULL},
        {"- -5", "-(-5)"},
        {"--s.n", NULL},
        {"s.n - -5", NULL},
        {"s.n == 1 or s.tag == 2 and r.tag == 3", NULL},
        {"(s.n == 1 or s.tag == 2) and r.tag == 3", NULL},
        {"not s.n == 1 and s.synchronous", NULL},
        {"not (s.n == 1 and s.synchronous)", NULL},
        {"s.synchronous == (s.n < 3)", NULL},
        {"(not s.synchronous) == true", NULL},
        {"not not s.synchronous", NULL},
        {"clamp(s.t - r.t, 0, r.d)", "clamp(s.t - r.t, 0 ns, r.d)"},
        {"if(s.t > r.t, s.function, \"a \\\"b\\\" \\\\ \\n\")", NULL},
        {"min(1, 2, 3) + max(s.n, r.n) + abs(-3)", NULL},
        {"real(s.t) * 1.5 + 1e300 - 0.1 + 3.0", "real(s.t) * 1.5 + 1e+300 - 0.1 + 3.0"},
        {"overlaps(s, r)", NULL},
        {"s.t - 20ms + 1500 us - 0.25 s", "s.t - 20 ms + 1500 us - 250 ms"},
        {"0 < s.t", "0 ns < s.t"},
        {"2 * (s.t - r.t) / 3 + s.d * 0.5", NULL},
        {"s", NULL},
        {"r.site == s.posted_site", NULL},
        {"-9223372036854775808", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *wanted = texts[i][1] ? texts[i][1] : texts[i][0];
        char once[1000];
        const struct ws_expr *expr = expression(texts[i][0]);
        snprintf(once, sizeof once, "%s", printed(rule(0), expr));
        assert_string_equal(once, wanted);
        expr = expression(once); /* what is printed means the same */
        assert_string_equal(printed(rule(0), expr), wanted);
    }
}

static void types_follow_from_operands(void **state)
{
    static const struct {
        const char *text;
        enum ws_type type;
    } rows[] = {
        {"s.t - r.t", WS_TYPE_TIME},      {"s.t * 2", WS_TYPE_TIME},
        {"2 * s.t", WS_TYPE_TIME},        {"s.t * 0.5", WS_TYPE_TIME},
        {"0.5 * s.t", WS_TYPE_TIME},      {"s.t / 2", WS_TYPE_TIME},
        {"s.t / 0.5", WS_TYPE_TIME},      {"s.t / r.t", WS_TYPE_REAL},
        {"s.n / 2", WS_TYPE_INTEGER},     {"s.n % 2", WS_TYPE_INTEGER},
        {"s.load / 2.0", WS_TYPE_REAL},   {"real(s.n)", WS_TYPE_REAL},
        {"real(s.d)", WS_TYPE_REAL},      {"max(s.t, 0)", WS_TYPE_TIME},
        {"max(0, s.t)", WS_TYPE_TIME},    {"if(s.synchronous, 0, s.t)", WS_TYPE_TIME},
        {"s.t > 0", WS_TYPE_BOOLEAN},     {"-s.load", WS_TYPE_REAL},
        {"abs(s.t - r.t)", WS_TYPE_TIME}, {"s.function == \"x\"", WS_TYPE_BOOLEAN},
        {"0 - s.t", WS_TYPE_TIME},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(expression(rows[i].text)->type, rows[i].type);
}

static void times_are_exact(void **state)
{
    static const struct {
        const char *text;
        int64_t ns;
    } rows[] = {
        {"1 ns", 1},
        {"5us", 5000},
        {"20 ms", 20000000},
        {"1 s", 1000000000},
        {"0.1 s", 100000000},
        {"1.000000001 s", 1000000001},
        {"-3 ms", -3000000},
        {"0.001 us", 1},
        {"9223372036 s", 9223372036000000000},
        {"0 ns", 0},
        {"9223372036854775807 ns", INT64_MAX},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ws_expr *expr = expression(rows[i].text);
        assert_int_equal(expr->type, WS_TYPE_TIME);
        assert_int_equal(expr->value.i, rows[i].ns);
    }
}

static void words_are_reserved_only_where_they_are_needed(void **state)
{
    (void)state;
    accept("declare composite event composite member(send as by, shared recv as all, barrier as shared)\n"
           "when by.n == all.n and shared.n == by.n and overlaps(by, all)\n"
           "parameters(when = by.t, where = all.t, parameters = shared.t, max = 3, declare = max(by.t, "
           "all.t));\n" PROBLEM("composite"));
    assert_int_equal(rule(0)->member_count, 3);
    assert_true(rule(0)->members[1].shared);
    assert_false(rule(0)->members[2].shared);
}

static void blanks_and_comments_mean_nothing(void **state)
{
    (void)state;
    accept("\xef\xbb\xbf// caf\xc3\xa9\r\n/* a * / \n\n **/declare/**/composite event a\r\n\tmember(send as "
           "s)//\r\n"
           "parameters();" PROBLEM("a") "//");
    assert_int_equal(rule(0)->pos.line, 4);
    assert_int_equal(rule(0)->pos.column, 32);
}

static void an_empty_file_has_no_rules(void **state)
{
    (void)state;
    accept("");
    assert_int_equal(language.scope.composite_count, 0);
}

/* ---- problems ---- */

static const char pair[] = "declare composite event pair member(send as s, recv as r) when s.n == r.n\n"
                           "parameters(wait = s.t - r.t, sender = s);\n";

static void a_problem_sees_the_parameters(void **state)
{
    const struct ws_problem_rule *late;
    char text[1000];

    (void)state;
    snprintf(text, sizeof text,
             "%sdeclare problem for pair when wait > 10 ms and begin < end\n"
             "parameters(name = \"Late \" \"send\", description = \"It is late.\", advice = \"Hurry.\",\n"
             "    duration = wait, from = begin + wait, waiting = r, cause = s);\n",
             pair);
    accept(text);
    late = problem(0);
    assert_ptr_equal(late->on, rule(0)->type);
    assert_ptr_equal(late->scope, &language.scope);
    assert_int_equal(late->group_member, UINT32_MAX);
    assert_string_equal(late->name, "Late send");
    assert_string_equal(late->description->source, "It is late.");
    assert_string_equal(printed_in_problem(late, late->condition), "wait > 10 ms and begin < end");
    assert_string_equal(printed_in_problem(late, late->from), "begin + wait");
    assert_int_equal(late->duration->op, WS_OP_SLOT);
    assert_int_equal(late->duration->member, 0);
    assert_int_equal(late->duration->slot, 2);
}

/* The members that a problem names are carried by the composite event: in a parameter that is there for it,
 * or in one more. */
static void a_problem_names_members_through_slots(void **state)
{
    const struct ws_event_type *type;
    char text[1000];

    (void)state;
    snprintf(text, sizeof text,
             "%sdeclare problem for pair\n"
             "parameters(name = \"x\", advice = \"y\", duration = wait, waiting = r, cause = s);\n",
             pair);
    accept(text);
    type = rule(0)->type;
    assert_int_equal(type->slot_count, 5);
    assert_string_equal(type->slots[4].name, "r");
    assert_int_equal(type->slots[4].type, WS_TYPE_EVENT);
    assert_int_equal(type->slots[4].value->op, WS_OP_MEMBER);
    assert_int_equal(type->slots[4].value->member, 1);
    assert_int_equal(problem(0)->waiting->op, WS_OP_SLOT);
    assert_int_equal(problem(0)->waiting->slot, 4);
    assert_int_equal(problem(0)->cause->slot, 3); /* sender = s */
}

static void the_first_member_waits_by_default(void **state)
{
    (void)state;
    accept("declare composite event pair member(send as s, recv as r) when s.n == r.n parameters(s = s.d);\n"
           "declare problem for pair parameters(name = \"x\", advice = \"y\", duration = s);\n");
    assert_int_equal(problem(0)->waiting->type, WS_TYPE_EVENT);
    assert_int_equal(rule(0)->type->slots[problem(0)->waiting->slot].value->member, 0);
    assert_int_equal(problem(0)->duration->slot, 2);
    assert_int_equal(problem(0)->duration->type, WS_TYPE_TIME);
    assert_null(problem(0)->from);
    assert_null(problem(0)->cause);
    assert_int_equal(problem(0)->description->count, 0);
}

static const char group[] =
    "declare composite event all_in member(all barrier as b by b.comm, b.n expect b.size)\n"
    "parameters(last_t = max(b.t), last = at_max(b.t, b));\n";

static void a_problem_runs_through_a_group(void **state)
{
    const struct ws_problem_rule *late;
    char text[1000];

    (void)state;
    snprintf(text, sizeof text,
             "%sdeclare problem for all_in when b.t < last_t\n"
             "parameters(name = \"x\", advice = \"{b.site} {b.size} {waiting.process} {cause.site}\",\n"
             "    duration = clamp(last_t - b.t, 0, b.d), cause = last, waiting = b);\n",
             group);
    accept(text);
    late = problem(0);
    assert_int_equal(late->group_member, 0);
    assert_int_equal(late->waiting->op, WS_OP_MEMBER);
    assert_int_equal(late->waiting->member, 1);
    assert_int_equal(late->cause->op, WS_OP_SLOT);
    assert_string_equal(printed_in_problem(late, late->condition), "b.t < last_t");
    assert_string_equal(printed_in_problem(late, late->duration), "clamp(last_t - b.t, 0 ns, b.d)");
    assert_int_equal(late->condition->args[0]->member, 1);
    assert_int_equal(late->condition->args[0]->slot, WS_ATTR_T);
    assert_int_equal(late->condition->args[1]->member, 0);
}

static void a_problem_may_be_about_one_of_a_group(void **state)
{
    char text[1000];

    (void)state;
    snprintf(text, sizeof text,
             "%sdeclare problem for all_in\n"
             "parameters(name = \"x\", advice = \"y\", duration = last_t - begin, waiting = last);\n",
             group);
    accept(text);
    assert_int_equal(problem(0)->group_member, UINT32_MAX);
    assert_int_equal(problem(0)->waiting->op, WS_OP_SLOT);
}

static void problems_of_one_type_are_alternatives_in_order(void **state)
{
    char text[1000];

    (void)state;
    snprintf(text, sizeof text,
             "%sdeclare problem for pair when wait > 1 s parameters(name = \"long\", advice = \"y\","
             " duration = wait);\ndeclare problem for pair parameters(name = \"short\", advice = \"y\", "
             "duration = wait);\n",
             pair);
    accept(text);
    assert_string_equal(problem(0)->name, "long");
    assert_string_equal(problem(1)->name, "short");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(a_composite_type_has_attributes_then_parameters),
        TEST(a_condition_is_split_by_what_it_needs),
        TEST(one_member_needs_no_connection),
        TEST(three_members_may_hang_together_in_a_chain),
        TEST(types_may_be_used_before_they_are_declared),
        TEST(a_group_has_keys_and_aggregates),
        TEST(operators_bind_as_usual),
        TEST(types_follow_from_operands),
        TEST(times_are_exact),
        TEST(words_are_reserved_only_where_they_are_needed),
        TEST(blanks_and_comments_mean_nothing),
        TEST(an_empty_file_has_no_rules),
        TEST(a_problem_sees_the_parameters),
        TEST(a_problem_names_members_through_slots),
        TEST(the_first_member_waits_by_default),
        TEST(a_problem_runs_through_a_group),
        TEST(a_problem_may_be_about_one_of_a_group),
        TEST(problems_of_one_type_are_alternatives_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
