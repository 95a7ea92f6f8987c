/* The conditions of `whyslow check --fail-on`. */
#include "compared.h"

#include "diagnosis/gate.h"

static struct ws_place places[] = {
    {"receiver", "MPI_Recv", "exchange", "/src/jacobi.c", "/bin/app", 57, 1, true, false},
    {"sender", "MPI_Send", "border", "/src/border.c", "/bin/app", 9, 2, false, true},
};
static struct ws_problem problems[] = {
    {.id = "late-sender",
     .name = "Late sender",
     .severity_percent = 20,
     .duration_ns = 2000 * MS,
     .count = 4000,
     .waiting_count = 3,
     .causing_count = 1,
     .places = places,
     .place_count = 2},
    {.id = "wait-at-barrier",
     .name = "Delay before a barrier",
     .severity_percent = 5,
     .duration_ns = 500 * MS,
     .count = 40},
};
static struct ws_diagnosis run = {.problems = problems,
                                  .problem_count = 2,
                                  .small_count = 3,
                                  .small_ns = 100 * MS,
                                  .command = "mpirun -n 4 ./app",
                                  .mpi = "Open MPI 4.1.4",
                                  .ranks = 4,
                                  .ranks_recorded = 4,
                                  .wall_s = 2.5,
                                  .total_ns = 10000 * MS,
                                  .events = 1000,
                                  .efficiency = {true, 0.6, 0.75, 0.8}};

/* Which of both problems, as a mask, or 4: of the run; -1: a mistake; -2: not known. */
static int holding(const char *condition)
{
    struct ws_text report = {0};
    struct ws_gate *gate = ws_gate_read(condition, &report);
    struct ws_error error;
    bool holds[2] = {false, false};
    int result = -1;

    if (gate) {
        result = ws_gate_ask(gate, &run, holds, &error);
        if (result != 0)
            result = -2;
        else
            result = ws_gate_is_of_problems(gate) ? holds[0] + 2 * holds[1] : 4 * holds[0];
    }
    ws_gate_free(gate);
    ws_text_free(&report);
    return result;
}

static void test_what_conditions_mean(void **state)
{
    static const struct {
        const char *condition;
        int holding;
    } conditions[] = {
        {"severity > 10", 1},
        {"severity>10", 1},
        {"severity > 10 %", 1},
        {"severity > 10 % and count > 1", 1},
        {"severity >= 5", 3},
        {"severity < 5.5", 2},
        {"duration > 1 s", 1},
        {"duration >= 500 ms", 3},
        {"duration > 0", 3},
        {"per_rank == 500ms", 1},
        {"count == 40", 2},
        {"id == \"late-sender\"", 1},
        {"id != \"late-sender\"", 2},
        {"not id == \"late-sender\"", 2},
        {"name == \"Late sender\" or severity < 6", 3},
        {"called == \"MPI_Recv\" and function == \"exchange\" and file == \"jacobi.c\" and line == 57", 1},
        {"cause_called == \"MPI_Send\" and cause_function == \"border\" and cause_file == \"border.c\" and "
         "cause_line == 9",
         1},
        {"called == \"\"", 2}, /* a problem without places */
        {"waiting_ranks == 3 and causing_ranks == 1", 1},
        {"severity > 10 and efficiency < 50", 0},
        {"severity > 1 and efficiency < 70", 3},
        {"efficiency < 70", 4},
        {"efficiency == 60 and load_balance == 75 and communication_efficiency == 80", 4},
        {"efficiency > 70", 0},
        {"problems == 5", 4},
        {"waiting == 26", 4},
        {"wall == 2500 ms and total == 10 s and ranks == 4 and events == 1000 and lost == 0 and exit_code == "
         "0",
         4},
        {"command == \"mpirun -n 4 ./app\" and mpi != \"MPICH\"", 4},
        {"total / wall == 4", 4},
        {"wall * 4 == total and 4 * wall - total == 0 and wall + wall == 5 s", 4},
        {"total / 4 == wall and events % 7 == 6 and -ranks == -4", 4},
        {"severity - 1 > 18 or false", 1},
        {"ranks == 4 and true", 4},
        {"severity / 0 > 1", 3}, /* infinite */
    };
    (void)state;

    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
        if (holding(conditions[i].condition) != conditions[i].holding)
            fail_msg("%s: %d, not %d", conditions[i].condition, holding(conditions[i].condition),
                     conditions[i].holding);
}

static void test_what_is_not_known_is_no_pass(void **state)
{
    struct ws_efficiency known = run.efficiency;
    (void)state;

    run.efficiency.known = false;
    run.exit_code = -1;
    assert_int_equal(holding("efficiency < 70"), -2);
    assert_int_equal(holding("severity > 10 and load_balance < 50"), -2);
    assert_int_equal(holding("severity > 90 and load_balance < 50"), 0); /* need not be known */
    assert_int_equal(holding("exit_code != 0"), -2);
    run.efficiency = known;
    run.exit_code = 0;
}

static void test_mistakes_show_their_place(void **state)
{
    static const struct {
        const char *condition, *said;
    } mistakes[] = {
        {"sevrity > 10",
         "--fail-on:1:1: error: unknown value 'sevrity'; 'whyslow check --help' tells what there is; "
         "did you mean 'severity'?\n    1 | sevrity > 10\n      | ^~~~~~~\n"},
        {"severity", "--fail-on:1:1: error: a condition is wanted, as in severity > 10\n"},
        {"severity + 1", "--fail-on:1:10: error: a condition is wanted, as in severity > 10\n"},
        {"1 < 2",
         "--fail-on:1:3: error: this is the same for every run: it names no value, as severity is one\n"},
        {"duration > 2",
         "--fail-on:1:10: error: '>' does not go with a time and a number: a time has a unit, as in 20 ms\n"},
        {"severity > 2 s",
         "--fail-on:1:10: error: '>' does not go with a number and a time: a time has a unit, as in "
         "20 ms\n"},
        {"id > \"a\"",
         "--fail-on:1:4: error: '>' does not go with a text and a text: texts are equal (==) or not (!=)\n"},
        {"severity == \"10\"",
         "--fail-on:1:10: error: '==' does not go with a number and a text: a text stands in quotes, "
         "a number does not\n"},
        {"severity and count",
         "--fail-on:1:10: error: 'and' does not go with a number and a number: both sides are "
         "comparisons, as in severity > 10\n"},
        {"not severity", "--fail-on:1:1: error: 'not' does not go with a number\n"},
        {"-id == \"a\"", "--fail-on:1:1: error: '-' does not go with a text\n"},
        {"severity = 3", "--fail-on:1:10: error: '=' compares nothing; did you mean '=='?\n"},
        {"severity > 3 && count > 2",
         "--fail-on:1:14: error: '&&' is not part of the language; did you mean 'and'?\n"},
        {"severity > 1 > 2", "--fail-on:1:14: error: comparisons do not chain: write a < b and b < c\n"},
        {"severity > 1 count",
         "--fail-on:1:14: error: 'count' is no unit of time: there are ns, us, ms and s\n"},
        {"severity > count count",
         "--fail-on:1:18: error: expected an operator or the end but found 'count'"},
        {"(severity > 1", "--fail-on:1:14: error: expected ')' but found the end\n"},
        {"severity > 1)", "--fail-on:1:13: error: expected an operator or the end but found ')'\n"},
        {"severity > 1;", "--fail-on:1:13: error: expected an operator or the end but found ';'\n"},
        {"severity >", "--fail-on:1:11: error: expected an expression but found the end\n"},
        {"", "--fail-on:1:1: error: expected an expression but found the end\n"},
        {"max(severity) > 1", "--fail-on:1:1: error: there are no functions in a condition of a check\n"},
        {"p.severity > 1",
         "--fail-on:1:1: error: a value has a name without '.': severity, duration, efficiency\n"},
        {"id == \"a", "--fail-on:1:7: error: this string has no closing '\"' on its line"},
        {"id == \"\xff\"", "--fail-on:1:8: error: not a text file: this byte is not UTF-8\n"},
        {"severity > 1e999", "--fail-on:1:12: error: this real number is out of range\n"},
        {"severity >\n 1 +", "--fail-on:2:5: error: expected an expression but found the end\n"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct ws_text report = {0};
        assert_null(ws_gate_read(mistakes[i].condition, &report));
        if (strncmp(ws_text_string(&report), mistakes[i].said, strlen(mistakes[i].said)) != 0)
            fail_msg("%s\n  gives   %s\n  but not %s", mistakes[i].condition, ws_text_string(&report),
                     mistakes[i].said);
        ws_text_free(&report);
    }
}

/* However deep or long: a condition or a mistake. */
static void test_overlong(void **state)
{
    struct ws_text text = {0}, report = {0};
    (void)state;

    for (int i = 0; i < 100000; i++)
        ws_text_puts(&text, "(");
    assert_null(ws_gate_read(text.bytes, &report));
    assert_non_null(strstr(report.bytes, "nested more than 200 deep"));
    ws_text_clear(&text);
    ws_text_puts(&text, "severity > 1");
    for (int i = 0; i < 20000; i++)
        ws_text_puts(&text, " or count > 1");
    assert_null(ws_gate_read(text.bytes, &report));
    ws_text_free(&text);
    ws_text_free(&report);
}

static void test_the_values_of_the_run_are_told(void **state)
{
    struct ws_text report = {0}, told = {0};
    struct ws_gate *gate = ws_gate_read("efficiency < 70 and wall > 1 s and mpi != \"MPICH\"", &report);
    (void)state;

    ws_gate_tell(gate, &run, &told);
    assert_string_equal(told.bytes, "wall 2.5 s, efficiency 60, mpi Open MPI 4.1.4");
    ws_text_clear(&told);
    ws_gate_values(&told);
    assert_non_null(
        strstr(told.bytes, "severity                  number: share of the ranks' time, in percent\n"));
    ws_gate_free(gate);
    ws_text_free(&told);
    ws_text_free(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_conditions_mean),
        cmocka_unit_test(test_what_is_not_known_is_no_pass),
        cmocka_unit_test(test_mistakes_show_their_place),
        cmocka_unit_test(test_overlong),
        cmocka_unit_test(test_the_values_of_the_run_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
